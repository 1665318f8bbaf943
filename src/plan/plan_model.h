/* plan_model.h: makes plans for GPUs that are described by numbers (gsi_device_model), and predicts
 * their time.
 *
 *     start   [ inputs, links, sorting: the slowest one ]   the last run's sorting
 *             [ merging, peers, links, output: the slowest one ]
 *
 * Only the slowest of the activities that run at the same time counts, as if the others cost
 * nothing. So the prediction is a lower bound. Jobs reach it nearly if one activity is much slower
 * than the others, as links are. */
#ifndef GSI_PLAN_MODEL_H
#define GSI_PLAN_MODEL_H

#include "device/device.h"
#include "plan/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The predicted times of the GPUs of a device_model: to start, to read and sort, and to merge and
 * write, one after the other. */
struct gsi_prediction {
    bool is_made;                         /* there was a device_model */
    const char *why_unknown;              /* NULL: the times are known */
    const char *read_bound, *write_bound; /* the slowest activity: "links", "input", "sorting" .. */
    uint64_t start_ns, read_ns, write_ns;
};

/* gsi_plan_model_check: checks a model; NULL is allowed.
 * fails GS_E_USAGE */
enum gs_status gsi_plan_model_check(const struct gsi_device_model *model, struct gs_error *error);

/* gsi_plan_model_limits: sets the limits that a probe of these GPUs would find, at least. */
void gsi_plan_model_limits(const struct gsi_device_model *model, const struct gsi_layout *layout,
                           struct gsi_device_limits *limits);

/* gsi_plan_model_predict: returns the predicted times of a plan for these GPUs. The model does not
 * include disk and host memory, so the times are unknown if runs are stored there.
 * in    output_bytes: bytes that leave the GPUs: plan->input_bytes, or fewer with --top */
struct gsi_prediction gsi_plan_model_predict(const struct gsi_device_model *model,
                                             const struct gsi_plan *plan, uint64_t output_bytes);

/* gsi_plan_model_cpu_seconds: returns about how many seconds the plan's threads need to sort or
 * merge `bytes` of elements in memory; disks may take longer. */
double gsi_plan_model_cpu_seconds(const struct gsi_plan *plan, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
