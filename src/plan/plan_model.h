/* plan_model.h: predicts the time of a job on GPUs that this machine may not have, from their rates
 * (gsi_device_model).
 *
 *     start [ reading inputs, links, sorting: the slowest one ] sorting of the last run
 *             [ merging, peers, links, output: the slowest one ]
 *
 * Activities in brackets run at the same time, and only the slowest one counts. So the prediction
 * is a lower bound. The prediction is nearly exact if one activity, usually the links, is much
 * slower than the others. */
#ifndef GSI_PLAN_MODEL_H
#define GSI_PLAN_MODEL_H

#include "device/device.h"
#include "plan/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The predicted times of a job's three phases: start, reading with sorting, and merging with
 * writing. */
struct gsi_prediction {
    bool is_made;                         /* false: there is no model, and no other member is set */
    const char *why_unknown;              /* a sentence for the user; NULL: the times are known */
    const char *read_bound, *write_bound; /* the slowest activity: "links", "input", "sorting" .. */
    uint64_t start_ns, read_ns, write_ns;
};

/* gsi_plan_model_check: checks that all numbers of a model are within their limits; NULL is
 * allowed.
 * fails GS_E_USAGE */
enum gs_status gsi_plan_model_check(const struct gsi_device_model *model, struct gs_error *error);

/* gsi_plan_model_limits: sets the limits of the model's GPUs, as a probe of real GPUs does. */
void gsi_plan_model_limits(const struct gsi_device_model *model, const struct gsi_layout *layout,
                           struct gsi_device_limits *limits);

/* gsi_plan_model_predict: returns the predicted times of a plan for these GPUs. The model does not
 * include disk and host memory, so the times are unknown if runs are stored there.
 * in    output_bytes: bytes copied from the GPUs: plan->input_bytes, or fewer with --top */
struct gsi_prediction gsi_plan_model_predict(const struct gsi_device_model *model,
                                             const struct gsi_plan *plan, uint64_t output_bytes);

/* gsi_plan_model_cpu_seconds: returns an estimate of the seconds in which the plan's threads sort
 * or merge `bytes` of elements in memory. Time of disks is not included. */
double gsi_plan_model_cpu_seconds(const struct gsi_plan *plan, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
