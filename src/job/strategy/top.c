/* top.c: --top where the first elements fit into memory: one pass over the input keeps them; then
 * they are written.
 *
 *   keeper -> [ candidates, in order ] -> filler of windows (output/delivery.h)
 */
#include "base/checked.h"
#include "element/record/record.h"
#include "element/record/record_tally.h"
#include "job/job_report.h"
#include "job/strategy/strategy.h"
#include "job/strategy/top_keeper.h"
#include "output/delivery.h"
#include "output/verify.h"

#include <string.h>

struct top {
    struct gsi_job *job;
    struct gsi_top_keeper keeper;
    struct gsi_delivery delivery;
};

static void fill(void *context, struct gsi_buffer *window, uint64_t first, uint32_t worker_idx)
{
    (void)worker_idx;
    const struct top *top = context;
    gsi_candidates_fill(&top->keeper.kept, first, window);
}

/* Checks that the first number is the least or greatest of the tally, unless NaNs precede it. */
static bool begins_right(const struct gsi_layout *layout, const struct gsi_tally_report *tally,
                         const struct gsi_digest *digest)
{
    uint8_t key[16];
    if (!gsi_layout_is_native(layout) || digest->count == 0 || !tally->has_extremes ||
        (gsi_layout_nans_lead(layout) && tally->nan_count > 0))
        return true;
    gsi_element_to_key(layout, layout->is_reversed ? tally->max : tally->min, key);
    return gsi_key_compare(layout, digest->first_key, key) == 0;
}

/* The keeper has seen everything, its elements were written, and the first of them is the one that
 * the tally expects. */
static enum gs_status verify(struct top *top)
{
    struct gsi_job *job = top->job;
    struct gsi_delivery *delivery = &top->delivery;
    struct gsi_tally_report *tally = &job->report->tally;
    const struct gsi_digest *digest = &delivery->check.digest;
    const struct gsi_verification verification = {.delivery = delivery,
                                                  .tally = tally,
                                                  .fields = job->report->field_tallies,
                                                  .most_count = top->keeper.most,
                                                  .cause = ""};
    GSI_TRY(job->loop.device->ops->tally(job->loop.device, tally, job->loop.error));
    if (digest->count == gsi_min_u64(tally->count, top->keeper.most) &&
        top->keeper.seen_count == tally->count &&
        gsi_fingerprint(digest->fingerprint) == top->keeper.kept.fingerprint &&
        begins_right(job->loop.layout, tally, digest))
        return gsi_verify(&verification);
    return gsi_fail(job->loop.error, GS_E_VERIFY, 0,
                    "'%s': the output is not the first part of the sorted input (%llu of %llu "
                    "elements); %s; check the memory of this machine",
                    job->target.output.name, (unsigned long long)digest->count,
                    (unsigned long long)tally->count, gsi_target_describe_left(&job->target));
}

static enum gs_status keep_and_write(struct top *top)
{
    struct gsi_job *job = top->job;
    struct gsi_filler filler = {.context = top, .fill = fill};
    GSI_TRY(gsi_delivery_open(&top->delivery, &job->target, gsi_job_delivery_report(job), true));
    gsi_loop_phase(&job->loop, GS_PHASE_READ, job->inputs.bytes);
    GSI_TRY(gsi_top_keeper_init(&top->keeper, job));
    GSI_TRY(gsi_top_keeper_run(&top->keeper));
    filler.count = top->keeper.kept.count;
    GSI_TRY(gsi_delivery_run_filler(&top->delivery, &job->arena, &filler));
    GSI_TRY(verify(top));
    gsi_delivery_tell_ends(&top->delivery);
    return gsi_job_commit(job, &top->delivery, NULL);
}

enum gs_status gsi_top(struct gsi_job *job)
{
    struct top top = {.job = job};
    enum gs_status status = keep_and_write(&top);
    if (status != GS_OK)
        gsi_loop_drain(&job->loop);
    gsi_top_keeper_clear(&top.keeper);
    gsi_delivery_clear(&top.delivery);
    return status;
}

/* ---- NaNs ---- */

/* Returns the tally of the first key; NULL: nothing was. */
static const struct gsi_tally_report *tally_of_order(const struct gsi_job *job)
{
    const struct gsi_layout *layout = job->inputs.layout;
    const struct gsi_record *record = layout->record;
    for (uint32_t i = 0; record->key_count > 0 && i < record->field_count; i++)
        if (gsi_field_is_same(&record->fields[i], &record->keys[0]))
            return gsi_record_tally_of(layout, &record->fields[i], &job->report->tally,
                                       job->report->field_tallies);
    return NULL;
}

void gsi_top_note(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_layout *layout = job->inputs.layout;
    const struct gsi_tally_report *tally = tally_of_order(job);
    bool has_key = layout->number == NULL;
    if (!options->has_top || options->top_count == 0 || tally == NULL || tally->nan_count == 0 ||
        options->nan_place != GSI_NAN_WITH_ORDER || !gsi_layout_nans_lead(layout))
        return;
    const struct gsi_field *key = &layout->record->keys[0];
    const char *nan = key->number->part == GSI_PART_TIME ? "NaT" : "nan";
    const char *text = has_key ? key->text : "", *end = strrchr(text, ':');
    bool is_descending, has_end = end != NULL && gsi_order_word(end, &is_descending);
    gsi_note(&options->listener,
             "--top: the output starts with %s, which sorts first in descending order; --where "
             "'%.*s!=%s' drops it, --nan=last puts it last",
             nan, (int)(has_end ? (size_t)(end - text) : strlen(text)), text, nan);
}
