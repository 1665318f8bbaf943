/* plan_model.c: predicts the time of a job on a host with GPUs. tools/gsort-bench/RESULTS.md, "One
 * H200", has the measured default rates. */
#include "plan/plan_model.h"

#include "base/checked.h"

#include <math.h>

/* Default rates in bytes per second: of sorting u64, the slowest type, and of one pass that merges
 * 16 runs. */
#define SORT_RATE  176e9
#define MERGE_RATE 880e9

/* Rates of one thread if 16 threads work, in bytes per second (RESULTS.md, many processors). A
 * single thread sorts 1.6 times as fast. */
#define CPU_SORT_RATE  244e6
#define CPU_MERGE_RATE 800e6

/* Number of runs that a GPU merges in one pass. */
#define MERGE_FAN_IN 16

/* Memory that CUDA devices need, rounded up. Sorting n bytes needs n / SCRATCH_PART more
 * (test_sort_kernels measures it). Statistics of record fields need BATCH_BYTES for a batch of
 * numbers, and TALLY_BYTES per field (test_cuda_group). */
#define SCRATCH_PART ((uint64_t)128)
#define BATCH_BYTES  ((uint64_t)2 << 20)
#define TALLY_BYTES  ((uint64_t)1 << 20)

#define RATE_MOST    1e18
#define SECONDS_MOST 1e6

static enum gs_status check_number(const char *name, double value, double least, double most,
                                   struct gs_error *error)
{
    if (value >= least && value <= most) /* false for a NaN */
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0, "--device-model: %s: %g is not a number from %g to %g",
                    name, value, least, most);
}

enum gs_status gsi_plan_model_check(const struct gsi_device_model *model, struct gs_error *error)
{
    if (model == NULL)
        return GS_OK;
    const struct {
        const char *name;
        double value, least, most;
    } rows[] = {{"gpus", model->gpus, 1, GSI_MODEL_GPUS_MAX},
                {"memory", (double)model->memory, 1, (double)GSI_PLAN_MOST_BYTES},
                {"to_gpu", model->to_gpu, 1, RATE_MOST},
                {"from_gpu", model->from_gpu, 1, RATE_MOST},
                {"peer", model->gpus > 1 ? model->peer : 1, 1, RATE_MOST},
                {"input", model->input, 0, RATE_MOST},
                {"output", model->output, 0, RATE_MOST},
                {"sort", model->sort, 0, RATE_MOST},
                {"merge", model->merge, 0, RATE_MOST},
                {"start_seconds", model->start_seconds, 0, SECONDS_MOST}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        GSI_TRY(check_number(rows[i].name, rows[i].value, rows[i].least, rows[i].most, error));
    return GS_OK;
}

void gsi_plan_model_limits(const struct gsi_device_model *model, const struct gsi_layout *layout,
                           struct gsi_device_limits *limits)
{
    const struct gsi_record *record = layout->record;
    const char *name = model->name[0] != '\0' ? model->name : "GPU";
    int name_bytes = (int)strnlen(name, sizeof model->name);
    *limits = (struct gsi_device_limits){.memory_bytes = model->memory,
                                         .scratch_part = SCRATCH_PART,
                                         .device_count = model->gpus,
                                         .device_set = ((uint64_t)1 << model->gpus) - 1};
    if (!gsi_layout_is_native(layout) && record->field_count > 0)
        limits->fixed_bytes = BATCH_BYTES + record->field_count * TALLY_BYTES;
    if (model->gpus > 1)
        snprintf(limits->name, sizeof limits->name, "%u x %.*s", model->gpus, name_bytes, name);
    else
        snprintf(limits->name, sizeof limits->name, "%.*s", name_bytes, name);
}

/* The slowest of several activities that run at the same time. */
struct slowest {
    const char *name;
    double seconds;
};

static void add_activity(struct slowest *slowest, const char *name, double bytes, double rate)
{
    double seconds = rate > 0 ? bytes / rate : 0; /* 0: this activity takes no time */
    if (slowest->name == NULL || seconds > slowest->seconds)
        *slowest = (struct slowest){name, seconds};
}

/* Converts seconds to nanoseconds; at most 146 years, so that a sum of three fits into 64 bits. */
static uint64_t seconds_to_ns(double seconds)
{
    const uint64_t most = (uint64_t)1 << 62;
    double ns = seconds * 1e9;
    return ns < (double)most ? (uint64_t)ns : most;
}

static const char *why_unknown(const struct gsi_plan *plan)
{
    if (plan->input_bytes == UINT64_MAX)
        return "the size is unknown until the input has been read";
    if (plan->device_runs == 0)
        return "no GPU sorts this job";
    if (plan->spilled_runs + plan->host_runs > 0)
        return "the model describes only GPUs, and some runs do not fit into their memory";
    return NULL;
}

/* Returns how many bytes are sorted for `bytes` of elements: numbers themselves, or the tags of
 * records. */
static double sorted_bytes(const struct gsi_plan *plan, uint64_t bytes)
{
    if (plan->record_bytes == 0)
        return (double)bytes;
    return (double)bytes / plan->record_bytes * GSI_TAG_BYTES;
}

static uint32_t merge_passes(uint64_t runs)
{
    uint32_t passes = 1;
    for (; runs > MERGE_FAN_IN; passes++)
        runs = gsi_ceil_div_u64(runs, MERGE_FAN_IN);
    return passes;
}

struct gsi_prediction gsi_plan_model_predict(const struct gsi_device_model *model,
                                             const struct gsi_plan *plan, uint64_t output_bytes)
{
    struct gsi_prediction prediction = {.why_unknown = why_unknown(plan)};
    if (prediction.why_unknown != NULL)
        return prediction;
    double gpus = model->gpus, sorted = (double)plan->input_bytes, left = (double)output_bytes;
    double sort = gpus * (model->sort > 0 ? model->sort : SORT_RATE);
    double merge = gpus * (model->merge > 0 ? model->merge : MERGE_RATE) /
                   merge_passes(plan->run_count * model->gpus);
    struct slowest reading = {0}, writing = {0};
    add_activity(&reading, "links", sorted, model->to_gpu);
    add_activity(&reading, "input", (double)plan->read_bytes, model->input);
    add_activity(&reading, "sorting", sorted_bytes(plan, plan->input_bytes), sort);
    uint64_t last = gsi_min_u64(plan->input_bytes, plan->device_run_bytes);
    add_activity(&writing, "links", left, model->from_gpu);
    add_activity(&writing, "output", (double)plan->output_bytes, model->output);
    /* Each GPU makes some of the windows, and copies the elements for them from the memory of other
     * GPUs. */
    add_activity(&writing, "peers", left / gpus * (gpus - 1) / gpus, gpus > 1 ? model->peer : 0);
    add_activity(&writing, "merging", sorted_bytes(plan, output_bytes), merge);
    prediction.start_ns = seconds_to_ns(model->start_seconds);
    prediction.read_ns = seconds_to_ns(reading.seconds + sorted_bytes(plan, last) / sort);
    prediction.write_ns = seconds_to_ns(writing.seconds);
    prediction.read_bound = reading.name;
    prediction.write_bound = writing.name;
    return prediction;
}

double gsi_plan_model_cpu_seconds(const struct gsi_plan *plan, uint64_t bytes)
{
    return sorted_bytes(plan, bytes) /
           (plan->thread_count * (plan->is_merge ? CPU_MERGE_RATE : CPU_SORT_RATE));
}
