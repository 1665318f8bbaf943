/* job_device.c: which device sorts: what was asked for, what is there, what a plan says of it, and
 * what is left where it cannot be had. */
#include "job/planning/planning.h"

#include "base/checked.h"
#include "base/clock.h"
#include "io/array.h"
#include "job/job_report.h"
#include "job/permute/permute.h"
#include "job/steps.h"
#include "job/strategy/strategy.h"
#include "plan/plan.h"
#include "plan/plan_model.h"

#include <string.h>

/* Inputs smaller than this are sorted before a GPU has started. */
#define AUTO_CUDA_MIN_BYTES ((uint64_t)2 << 30)

/* From this size on, all GPUs sort an array in their reach. A second GPU saves 20 ms per GiB, so
 * 0.6 s here, more than its start takes (RESULTS.md of gsort-bench, "Two H200 of one host"). */
#define AUTO_LINKS_MIN_BYTES ((uint64_t)32 << 30)

/* By default this part of a GPU's free memory is left to its other users, and to its driver, which
 * needs some to load kernels. */
#define DEVICE_SPARED_PART 20

/* Less is not worth trying. */
#define DEVICE_MIN_BYTES ((uint64_t)64 << 20)

/* The bits that indexes of tags may need: two indexes for each record that is read or is in memory
 * (device/record_ties.h). A merge needs indexes for one more frame of each input, and of each run
 * that it spills. */
static uint32_t index_bits(const struct gsi_job *job)
{
    uint64_t sorted = gsi_job_sort_input_bytes(job), memory = job->budget.memory_bytes;
    uint64_t frame = gsi_max_u64(GSI_PLAN_FRAME_MAX_BYTES, job->budget.window_bytes);
    uint64_t merged = gsi_mul_max_u64(2 * gsi_inputs_merged_count(&job->inputs), frame);
    uint64_t held = gsi_min_u64(memory, job->options->merge ? merged : sorted);
    uint64_t bytes = gsi_add_max_u64(sorted, held);
    uint64_t most = 2 * (bytes / job->chosen.layout.element_bytes);
    return gsi_min_u32(GSI_TAG_INDEX_BITS, 64 - (uint32_t)__builtin_clzll(most | 1));
}

/* Returns whether records may be integers, or inline records, which only the CPU has.
 * check_counts.c compares whole records. */
static bool may_use_integers(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    if (gsi_permute_is(job)) /* which moves bytes */
        return false;
    return options->action != GS_CHECK || (options->group_keys == 0 && !options->ties_by_bytes);
}

static void use_gpu(struct gsi_job *job)
{
    gsi_layout_use_tags(&job->chosen.layout, &job->chosen.scope);
    if (may_use_integers(job))
        gsi_layout_use_integers(&job->chosen.layout, &job->chosen.integer_map, UINT32_MAX);
}

static void use_cpu(struct gsi_job *job)
{
    job->device.ops = gsi_device_find(GSI_DEVICE_CPU);
    job->device.bytes = 0;
    job->device.set = 0;
    job->device.count = 0;
    job->device.is_apart = false;
    job->report->device.model[0] = '\0';
    if (may_use_integers(job))
        gsi_layout_use_integers(&job->chosen.layout, &job->chosen.integer_map, index_bits(job));
}

/* Why a job is the CPU's, whatever was asked for; NULL: it need not be. */
static const char *why_cpu(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    if (options->merge)
        return "sorted files are merged on the CPU";
    if (options->resume_dir != NULL)
        return "--resume sorts on the CPU";
    if (gsi_permute_is(job))
        return "the CPU applies positions";
    if (gsi_counted_is(job, &job->budget))
        return "numbers of 1 and 2 bytes are counted on the CPU";
    return NULL;
}

/* --device auto: why no GPU is looked for, which is for what repays its start; NULL: one is. */
static const char *why_no_gpu(const struct gsi_job *job)
{
    if (!gsi_job_has_sort(job))
        return "nothing is sorted, so no GPU is needed";
    if (job->inputs.bytes == UINT64_MAX)
        return "the size is unknown until the input has been read; --device=cuda uses the GPU";
    if (job->inputs.bytes < AUTO_CUDA_MIN_BYTES)
        return "the input is too small to be worth starting a GPU";
    if (gsi_job_keeps_top(job))
        return "--top selects the first elements while reading";
    return NULL;
}

/* Returns whether a GPU, or the model of one, is not used, as far as is known. */
static bool leaves_gpu(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_device_ops *ops = gsi_device_find(options->device);
    struct gsi_device_limits limits = {.device_set = options->device_set};
    struct gs_error unheard = {0};
    if (options->device != GSI_DEVICE_AUTO || options->device_model != NULL)
        return options->device != GSI_DEVICE_CPU;
    return options->action == GS_EXPLAIN && ops != gsi_device_find(GSI_DEVICE_CPU) &&
           ops->probe(options->device_index, &job->chosen.layout, &limits, &unheard) == GS_OK;
}

static void leave_gpu(struct gsi_job *job, const char *why)
{
    const bool is_left = leaves_gpu(job);
    use_cpu(job);
    if (is_left)
        snprintf(job->report->device.note, sizeof job->report->device.note, "%s", why);
}

/* Makes the devices that were found the job's device. A single one needs no group. */
static void set_limits(struct gsi_job *job, const struct gsi_device_limits *limits)
{
    struct gsi_device_choice *device = &job->device;
    device->bytes = limits->memory_bytes - limits->memory_bytes / DEVICE_SPARED_PART;
    if (job->options->device_memory_bytes > 0)
        device->bytes = gsi_min_u64(job->options->device_memory_bytes, limits->memory_bytes);
    device->fixed_bytes = limits->fixed_bytes;
    device->scratch_part = limits->scratch_part;
    device->index = job->options->device_index;
    device->set = limits->device_set;
    device->count = limits->device_count;
    device->is_apart = limits->is_apart;
    memcpy(job->report->device.model, limits->name, sizeof limits->name);
    if (limits->device_count != 1)
        return;
    device->ops = gsi_device_find(GSI_DEVICE_CUDA);
    device->index = (uint32_t)__builtin_ctzll(limits->device_set);
    device->set = 0;
    device->count = 0;
    device->is_apart = false;
}

/* An array that GPUs read and write where it is: each brings a link of its own. */
static bool is_for_all_links(const struct gsi_job *job)
{
    const struct gsi_array *array = job->array;
    const struct gsi_device_ops *ops = gsi_device_find_group(GSI_DEVICE_CUDA);
    return array != NULL && job->inputs.entry_map == NULL && array->bytes >= AUTO_LINKS_MIN_BYTES &&
           ops->reaches(NULL, array->from, array->bytes);
}

/* A device that was chosen, while another one is tried. */
struct chosen_before {
    struct gsi_device_choice device;
    char name[sizeof((struct gs_report *)NULL)->device.model];
    char note[sizeof((struct gs_report *)NULL)->device.note];
};

static struct chosen_before remember(const struct gsi_job *job)
{
    struct chosen_before before = {.device = job->device};
    memcpy(before.name, job->report->device.model, sizeof before.name);
    memcpy(before.note, job->report->device.note, sizeof before.note);
    return before;
}

static void come_back(struct gsi_job *job, const struct chosen_before *before)
{
    job->device = before->device;
    memcpy(job->report->device.model, before->name, sizeof before->name);
    memcpy(job->report->device.note, before->note, sizeof before->note);
}

/* Returns whether all runs stay in the device's memory, by its plan. */
static bool holds_all(const struct gsi_plan *plan)
{
    return plan->spilled_runs + plan->host_runs == 0;
}

/* Another device was chosen, which is better if it holds all. Returns whether the job follows its
 * plan now. */
static bool adopt_if_it_holds_all(struct gsi_job *job)
{
    struct gsi_job_plan plan;
    struct gs_error unheard = {0};
    if (gsi_job_make_plan(job, &job->budget, &plan, &unheard) != GS_OK || !holds_all(&plan.sizes))
        return false;
    gsi_job_adopt_plan(job, &plan);
    return true;
}

/* --device auto: takes all GPUs of the host if they can hold all data and one cannot, or if one
 * link is too slow. */
static void try_all_devices(struct gsi_job *job)
{
    const struct gsi_plan *plan = &job->plan.sizes;
    const struct gsi_device_ops *group = gsi_device_find_group(GSI_DEVICE_CUDA);
    const struct chosen_before one = remember(job);
    const bool has_room = holds_all(plan);
    struct gsi_device_limits limits = {.device_set = UINT64_MAX};
    struct gs_error unheard = {0};
    if (job->options->device != GSI_DEVICE_AUTO || job->options->device_model != NULL ||
        plan->device_runs == 0 || plan->device_count > 1 || job->options->spill_all ||
        (has_room && !is_for_all_links(job)) ||
        group->probe(0, &job->chosen.layout, &limits, &unheard) != GS_OK || limits.device_count < 2)
        return;
    job->device.ops = group;
    set_limits(job, &limits);
    if (!adopt_if_it_holds_all(job)) {
        come_back(job, &one);
        return;
    }
    snprintf(job->report->device.note, sizeof job->report->device.note,
             has_room ? "%u GPUs are used: each has a link of its own to the array"
                      : "%u GPUs are used: one has too little memory for the input",
             limits.device_count);
}

/* Plans for the GPU that --device-model describes, which need not exist. */
static void use_modelled_gpu(struct gsi_job *job)
{
    struct gsi_device_limits limits = {0};
    use_gpu(job);
    job->device.ops = gsi_device_find_group(GSI_DEVICE_CUDA);
    gsi_plan_model_limits(job->options->device_model, &job->chosen.layout, &limits);
    set_limits(job, &limits);
}

/* Finds the GPU. Without one, --device auto uses the CPU. */
static enum gs_status probe(struct gsi_job *job, bool is_auto)
{
    struct gsi_device_limits limits = {.device_set = job->options->device_set,
                                       .may_be_apart = true,
                                       .merge_kernel = job->options->merge_kernel};
    struct gs_error unheard = {0}, *error = is_auto ? &unheard : job->loop.error;
    use_gpu(job);
    uint64_t begin_ns = gsi_clock_ns();
    enum gs_status status =
        job->device.ops->probe(job->options->device_index, &job->chosen.layout, &limits, error);
    job->report->device.start_ns += gsi_clock_ns() - begin_ns;
    if (status == GS_OK && limits.memory_bytes == 0)
        status = gsi_fail(error, GS_E_DEVICE, 0,
                          "--device: %s has no free memory; --device cpu sorts without a GPU",
                          limits.name);
    if (status != GS_OK && !is_auto)
        return status;
    if (status != GS_OK) {
        use_cpu(job);
        return GS_OK;
    }
    set_limits(job, &limits);
    if (limits.is_apart)
        snprintf(job->report->device.note, sizeof job->report->device.note,
                 "these GPUs cannot read each other's memory, so all runs are kept in host memory");
    return GS_OK;
}

static enum gs_status choose_device(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const bool is_auto = options->device == GSI_DEVICE_AUTO;
    const bool has_gpus = gsi_device_find(GSI_DEVICE_CUDA) != NULL || options->device_model != NULL;
    if (options->device_memory_bytes > 0 && !has_gpus)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "--device-memory: this build has no CUDA; leave it out, or build gsort "
                        "where a CUDA toolkit is");
    const char *why = why_cpu(job);
    if (why != NULL && options->merge_kernel != GSI_MERGE_TILED)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0, "--tune: merge=%s needs a GPU, but %s",
                        gsi_merge_kernel_word(options->merge_kernel), why);
    if (why == NULL && is_auto && options->device_model == NULL)
        why = why_no_gpu(job);
    if (why != NULL) {
        leave_gpu(job, why);
        return GS_OK;
    }
    if (options->device_model != NULL) {
        use_modelled_gpu(job);
        return GS_OK;
    }
    job->device.ops = options->device_set == 0 ? gsi_device_find(options->device)
                                               : gsi_device_find_group(options->device);
    if (job->device.ops == NULL)
        return gsi_fail(
            job->loop.error, GS_E_USAGE, 0,
            "--device: gsort was built without CUDA; build it on a machine with a CUDA toolkit");
    if (job->device.ops == gsi_device_find(GSI_DEVICE_CPU)) {
        use_cpu(job);
        return GS_OK;
    }
    return probe(job, is_auto);
}

/* One of several devices failed to begin, so the job continues with the others. A device with too
 * little memory is left out only if another probe refuses it; otherwise all devices use less. */
static bool leave_out(struct gsi_job *job, enum gs_status status)
{
    struct gsi_device_choice *device = &job->device;
    const uint64_t failed = device->failed_set;
    struct gsi_device_limits limits = {.device_set = device->set, .may_be_apart = true};
    struct gs_error unheard = {0};
    device->failed_set = 0;
    if (failed == 0 || (status != GS_E_MEMORY && status != GS_E_DEVICE))
        return false;
    if (status == GS_E_DEVICE)
        limits.device_set &= ~failed;
    if (limits.device_set == 0 ||
        device->ops->probe(0, &job->chosen.layout, &limits, &unheard) != GS_OK ||
        limits.device_set == device->set)
        return false;
    set_limits(job, &limits);
    snprintf(job->report->device.note, sizeof job->report->device.note,
             "another GPU is not used: %.200s", job->loop.error->text);
    memset(job->loop.error, 0, sizeof *job->loop.error);
    return true;
}

/* Uses only the first of several GPUs that cannot read each other's memory. */
static bool use_first_gpu(struct gsi_job *job, const char *why)
{
    const uint64_t set = job->device.set;
    struct gsi_device_limits limits = {.device_set = set & (0 - set)};
    struct gs_error unheard = {0};
    if (job->device.ops->probe(0, &job->chosen.layout, &limits, &unheard) != GS_OK)
        return false;
    set_limits(job, &limits);
    snprintf(job->report->device.note, sizeof job->report->device.note,
             "only one GPU is used: the others cannot read its memory, and %s", why);
    return true;
}

/* Takes the first device alone if it holds everything, because the way through host memory would be
 * longer. */
static void try_first(struct gsi_job *job)
{
    const struct chosen_before all = remember(job);
    if (job->device.is_apart && job->plan.sizes.device_runs > 0 &&
        use_first_gpu(job, "it has room for the whole input") && !adopt_if_it_holds_all(job))
        come_back(job, &all);
}

/* Uses the first GPU if host memory has no room for the whole input, which several GPUs need. */
static bool use_first_if_no_room(struct gsi_job *job, enum gs_status status)
{
    if (status != GS_E_MEMORY || !job->device.is_apart ||
        !use_first_gpu(job, "--memory has no room for the whole input"))
        return false;
    memset(job->loop.error, 0, sizeof *job->loop.error);
    return true;
}

bool gsi_job_use_less_device(struct gsi_job *job, enum gs_status status)
{
    if (leave_out(job, status) || use_first_if_no_room(job, status))
        return true;
    if (status != GS_E_MEMORY || job->device.bytes == 0)
        return false;
    char *note = job->report->device.note;
    size_t size = sizeof job->report->device.note;
    uint64_t tried = gsi_min_u64(job->device.bytes, job->plan.sizes.device_bytes);
    memset(job->loop.error, 0, sizeof *job->loop.error);
    if (tried / 2 >= DEVICE_MIN_BYTES) {
        snprintf(note, size, "the GPU could not allocate %llu MiB, so less is used",
                 (unsigned long long)(tried >> 20));
        job->device.bytes = tried / 2;
        return true;
    }
    snprintf(note, size, "the GPU has too little free memory; sorted on the CPU");
    use_cpu(job);
    return true;
}

/* How long a described host takes for the plan; a merge writes no more than --top wants. */
static void predict(struct gsi_job *job)
{
    struct gs_report *report = job->report;
    const struct gsi_device_model *model = job->options->device_model;
    uint64_t bytes = job->plan.sizes.input_bytes;
    if (model == NULL)
        return;
    if (job->options->has_top)
        bytes = gsi_min_u64(bytes, job->plan.sizes.output_bytes);
    report->prediction = gsi_plan_model_predict(model, &job->plan.sizes, bytes);
    report->prediction.is_made = true;
}

/* Reports how much time it costs not to use a GPU, if that is more than the GPU's start. */
static void report_cost(struct gsi_job *job)
{
    const struct gsi_plan *plan = &job->plan.sizes;
    const bool is_stream = plan->input_bytes == UINT64_MAX;
    const uint64_t bytes = is_stream ? (uint64_t)1 << 30 : plan->input_bytes;
    char *note = job->report->device.note;
    const size_t length = strlen(note), size = sizeof job->report->device.note;
    if (length == 0 || plan->device_runs > 0 || plan->is_counted || plan->top_room > 0 ||
        !gsi_job_has_sort(job) || (!is_stream && bytes < AUTO_CUDA_MIN_BYTES))
        return;
    snprintf(note + length, size - length, "; that takes about %.1f s%s with %u thread%s",
             gsi_plan_model_cpu_seconds(plan, bytes), is_stream ? " per GiB" : "",
             plan->thread_count, plan->thread_count == 1 ? "" : "s");
}

enum gs_status gsi_job_replan(struct gsi_job *job)
{
    struct gsi_job_plan plan;
    GSI_TRY(gsi_job_make_plan(job, &job->budget, &plan, job->loop.error));
    gsi_job_adopt_plan(job, &plan);
    return GS_OK;
}

enum gs_status gsi_job_plan(struct gsi_job *job)
{
    GSI_TRY(choose_device(job));
    enum gs_status status = gsi_job_replan(job);
    while (status != GS_OK && gsi_job_use_less_device(job, status))
        status = gsi_job_replan(job);
    while (status == GS_E_USAGE && job->budget.thread_count > 1) { /* stages need memory for each */
        memset(job->loop.error, 0, sizeof *job->loop.error);
        job->budget.thread_count /= 2;
        status = gsi_job_replan(job);
    }
    if (status == GS_OK)
        try_first(job);
    if (status == GS_OK)
        try_all_devices(job);
    if (status == GS_OK) {
        predict(job);
        report_cost(job);
    }
    if (status == GS_E_USAGE && !gsi_resume_snapshot(job->resume)->has_entries)
        gsi_job_memory_advise(job, gsi_job_make_plan);
    return status;
}
