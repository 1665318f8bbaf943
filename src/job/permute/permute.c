/* permute.c: chooses how to permute, writes the output and verifies it. */
#include "job/permute/permute.h"

#include "base/checked.h"
#include "element/tally/digest.h"
#include "job/job_report.h"
#include "loop/loop.h"

#include <inttypes.h>

/* Memory for reading and writing: a part of all, within these bounds. More buffers do not make a
 * disk faster. The least is what any job needs, and some more. */
#define OWN_PART        8
#define OWN_LEAST_BYTES ((uint64_t)12 << 20)
#define OWN_MOST_BYTES  ((uint64_t)64 << 20)

bool gsi_permute_is(const struct gsi_job *job)
{
    return job->options->permute != NULL;
}

struct gsi_permute_plan gsi_permute_plan(const struct gsi_job *job, uint64_t memory_bytes)
{
    struct gsi_permute_plan plan = {.pair_memory = 0};
    if (!gsi_permute_is(job))
        return plan;
    const uint64_t bytes = job->inputs.bytes; /* of a stream, more than any memory */
    const uint64_t own = gsi_clamp_u64(memory_bytes / OWN_PART, OWN_LEAST_BYTES, OWN_MOST_BYTES);
    const uint64_t left = memory_bytes - gsi_min_u64(own, memory_bytes);
    if (bytes <= left && !job->options->spill_all)
        gsi_gather_plan(bytes, &plan);
    else
        gsi_by_sorts_plan(job, left, &plan);
    return plan;
}

uint64_t gsi_permute_own_bytes(const struct gsi_permute_plan *plan)
{
    return gsi_add_max_u64(plan->bump.bytes, plan->pair_memory + plan->entry_memory);
}

/* ---- windows of the output ---- */

/* Keeps the failure of the first element that cannot be made. */
static void keep_failure(struct gsi_permute *permute, uint64_t idx, const struct gs_error *error)
{
    pthread_mutex_lock(&permute->lock);
    if (!permute->has_failed || idx < permute->failed_idx) {
        permute->has_failed = true;
        permute->failed_idx = idx;
        permute->error = *error;
    }
    pthread_mutex_unlock(&permute->lock);
}

static void fill(void *context, struct gsi_buffer *window, uint64_t first, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_permute *permute = context;
    const uint32_t bytes = permute->element_bytes;
    uint64_t good = 0, n = gsi_min_u64(window->capacity / bytes, permute->positions->count - first);
    struct gs_error error = {0};
    if (permute->fill(permute->way, window->data, first, n, &good, &error) != GS_OK)
        keep_failure(permute, first + good, &error);
    window->bytes = good * bytes;
    window->digest = GSI_DIGEST_EMPTY;
    gsi_digest_add_elements(permute->job->loop.layout, &window->digest, window->data, good);
}

/* The job fails at the window that could not be filled: those before it were accepted. */
static void accept(void *context, struct gsi_buffer *window)
{
    struct gsi_permute *permute = context;
    struct gs_error *error = permute->job->loop.error;
    permute->accepted_count += window->bytes / permute->element_bytes;
    pthread_mutex_lock(&permute->lock);
    if (permute->has_failed && permute->failed_idx == permute->accepted_count &&
        error->status == GS_OK)
        *error = permute->error;
    pthread_mutex_unlock(&permute->lock);
}

enum gs_status gsi_permute_write(struct gsi_permute *permute, gsi_permute_fill *make, void *way)
{
    const struct gsi_filler filler = {
        .context = permute, .fill = fill, .accept = accept, .count = permute->positions->count};
    permute->fill = make;
    permute->way = way;
    return gsi_delivery_run_filler(&permute->delivery, &permute->job->arena, &filler);
}

/* ---- the job ---- */

/* The order of the output is not checked: positions say it, and by_sorts.c counts them. */
static enum gs_status verify(struct gsi_permute *permute)
{
    struct gsi_job *job = permute->job;
    struct gsi_tally_report *tally = &job->report->tally;
    const uint64_t written = permute->delivery.check.digest.count;
    GSI_TRY(job->loop.device->ops->tally(job->loop.device, tally, job->loop.error));
    GSI_TRY(gsi_inputs_verify(&job->inputs, tally));
    if (written == permute->positions->count &&
        tally->count == job->inputs.data_bytes / permute->element_bytes)
        return GS_OK;
    return gsi_fail(job->loop.error, GS_E_VERIFY, 0,
                    "'%s': has %" PRIu64 " elements for %" PRIu64
                    " positions; %s; check the memory of this machine",
                    job->target.output.name, written, permute->positions->count,
                    gsi_target_describe_left(&job->target));
}

static enum gs_status read_and_write(struct gsi_permute *permute)
{
    struct gsi_job *job = permute->job;
    GSI_TRY(
        gsi_delivery_open(&permute->delivery, &job->target, gsi_job_delivery_report(job), true));
    gsi_loop_begin_phase(&job->loop, GS_PHASE_READ, job->inputs.bytes);
    GSI_TRY(job->plan.permute.pair_memory > 0 ? gsi_by_sorts(permute) : gsi_gather(permute));
    GSI_TRY(verify(permute));
    return gsi_job_commit(job, &permute->delivery, NULL);
}

enum gs_status gsi_permute(struct gsi_job *job)
{
    struct gsi_permute permute = {
        .job = job, .positions = &job->positions, .element_bytes = job->loop.layout->element_bytes};
    pthread_mutex_init(&permute.lock, NULL);
    enum gs_status status = read_and_write(&permute);
    if (status != GS_OK)
        gsi_loop_drain(&job->loop);
    gsi_delivery_clear(&permute.delivery);
    pthread_mutex_destroy(&permute.lock);
    return status;
}
