/* plan_model.h: plans for GPUs that are described by numbers (gsi_device_model), and what such a
 * plan takes.
 *
 *     start   [ inputs, links, sorting: the slowest one ]   the last run's sorting
 *             [ merging, peers, links, output: the slowest one ]
 *
 * Of the things that go on at the same time only the slowest counts, as if the others cost nothing.
 * So the prediction is a lower bound. Jobs come near it where one thing is much slower than the
 * others, as links are. */
#ifndef GSI_PLAN_MODEL_H
#define GSI_PLAN_MODEL_H

#include "device/device.h"
#include "plan/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How long the GPUs of a device_model take: to start, to read and sort, and to merge and write, one
 * after the other. */
struct gsi_prediction {
    bool is_made;                         /* there was a device_model */
    const char *why_unknown;              /* NULL: it is known */
    const char *read_bound, *write_bound; /* what takes so long: "links", "input", "sorting" .. */
    uint64_t start_ns, read_ns, write_ns;
};

/* gsi_plan_model_check: checks a model; NULL is fine.
 * fails GS_E_USAGE */
enum gs_status gsi_plan_model_check(const struct gsi_device_model *model, struct gs_error *error);

/* gsi_plan_model_limits: what a probe of these GPUs would find, at least. */
void gsi_plan_model_limits(const struct gsi_device_model *model, const struct gsi_layout *layout,
                           struct gsi_device_limits *limits);

/* gsi_plan_model_predict: how long a plan for these GPUs takes. Disk and the host's memory are not
 * in the model, so nothing is known where runs go there.
 * in    output_bytes: bytes that leave the GPUs: plan->input_bytes, or fewer with --top */
struct gsi_prediction gsi_plan_model_predict(const struct gsi_device_model *model,
                                             const struct gsi_plan *plan, uint64_t output_bytes);

/* gsi_plan_model_cpu_seconds: about how long the plan's threads take to sort or merge `bytes` of
 * elements in memory; disks may take longer. */
double gsi_plan_model_cpu_seconds(const struct gsi_plan *plan, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
