/* operators.c: groups, payload and digest of batches, each kept by the batch's number until it is
 * joined. */
#include "output/write_flow/operators.h"

#include "element/tally/digest.h"

#include <string.h>

/* ---- groups ---- */

void gsi_group_operator_alloc(struct gsi_group_operator *group, const struct gsi_layout *layout,
                              const struct gsi_groups_rule *rule, uint32_t batch_count,
                              struct gsi_bump *bump)
{
    *group = (struct gsi_group_operator){0};
    gsi_groups_alloc(&group->groups, layout, rule, bump);
    GSI_BUMP_ALLOC(bump, group->last_element, layout->element_bytes);
    GSI_BUMP_ALLOC(bump, group->pieces, batch_count);
    for (uint32_t i = 0; i < batch_count; i++) {
        struct gsi_groups_batch planned;
        gsi_groups_batch_alloc(group->pieces != NULL ? &group->pieces[i] : &planned, &group->groups,
                               bump);
    }
}

void gsi_group_operator_restart(struct gsi_group_operator *group)
{
    gsi_groups_restart(&group->groups);
    group->has_last = false;
}

static void begin_groups(void *context, const struct gsi_batch *batch)
{
    struct gsi_group_operator *group = context;
    const uint32_t bytes = group->groups.layout->element_bytes;
    const bool goes_on =
        group->has_last && gsi_groups_is_equal(&group->groups, group->last_element, batch->entries);
    const bool is_apart = group->has_repeats && batch->window->digest.repeat_count == 0;
    group->has_last = true;
    memcpy(group->last_element, batch->entries + (batch->count - 1) * bytes, bytes);
    gsi_groups_batch_begin(&group->pieces[batch->idx], goes_on, is_apart);
}

static uint64_t run_groups(void *context, const struct gsi_batch *batch, const uint8_t *in,
                           uint64_t n, uint8_t *out)
{
    struct gsi_group_operator *group = context;
    return gsi_groups_batch_add(&group->pieces[batch->idx], in, n, out) / group->groups.entry_bytes;
}

static uint64_t join_groups(void *context, const struct gsi_batch *batch, uint8_t *ahead)
{
    struct gsi_group_operator *group = context;
    uint64_t bytes = gsi_groups_join(&group->groups, &group->pieces[batch->idx], ahead);
    (void)gsi_groups_check_sums(&group->groups, group->error); /* the loop finds it */
    return bytes / group->groups.entry_bytes;
}

static uint64_t flush_groups(void *context, uint8_t *out)
{
    struct gsi_group_operator *group = context;
    uint64_t bytes = gsi_groups_end(&group->groups, out);
    (void)gsi_groups_check_sums(&group->groups, group->error);
    return bytes / group->groups.entry_bytes;
}

struct gsi_operator gsi_group_operator(struct gsi_group_operator *group)
{
    return (struct gsi_operator){.context = group,
                                 .kind = GSI_MAKE,
                                 .in_bytes = group->groups.layout->element_bytes,
                                 .out_bytes = group->groups.entry_bytes,
                                 .begin = begin_groups,
                                 .run = run_groups,
                                 .join = join_groups,
                                 .flush = flush_groups};
}

/* ---- payload ---- */

static void begin_payload(void *context, const struct gsi_batch *batch)
{
    struct gsi_payload_operator *payload = context;
    payload->sums[batch->idx] = 0;
}

static uint64_t run_payload(void *context, const struct gsi_batch *batch, const uint8_t *in,
                            uint64_t n, uint8_t *out)
{
    struct gsi_payload_operator *payload = context;
    payload->sums[batch->idx] +=
        payload->is_put ? gsi_entry_write_positions(payload->entry_map, in, n, out)
                        : gsi_entry_write(payload->entry_map, in, n, payload->entry_bytes, out);
    return n;
}

static uint64_t join_payload(void *context, const struct gsi_batch *batch, uint8_t *ahead)
{
    struct gsi_payload_operator *payload = context;
    (void)ahead;
    payload->position_sum += payload->sums[batch->idx];
    return 0;
}

struct gsi_operator gsi_payload_operator(struct gsi_payload_operator *payload,
                                         uint64_t written_bytes)
{
    return (struct gsi_operator){.context = payload,
                                 .kind = GSI_MAP,
                                 .in_bytes = payload->entry_bytes,
                                 .out_bytes = written_bytes,
                                 .begin = begin_payload,
                                 .run = run_payload,
                                 .join = join_payload};
}

/* ---- digest ---- */

static void begin_digest(void *context, const struct gsi_batch *batch)
{
    struct gsi_digest_operator *digest = context;
    digest->digests[batch->idx] = GSI_DIGEST_EMPTY;
}

static void append(const struct gsi_digest_operator *digest, struct gsi_digest *into,
                   const struct gsi_digest *piece)
{
    if (piece->count > 0)
        gsi_digest_join(digest->layout, into, piece, NULL, NULL);
}

static uint64_t run_digest(void *context, const struct gsi_batch *batch, const uint8_t *in,
                           uint64_t n, uint8_t *out)
{
    struct gsi_digest_operator *digest = context;
    struct gsi_digest piece = GSI_DIGEST_EMPTY;
    (void)out;
    if (n > 0)
        gsi_digest_add_elements(digest->layout, &piece, in, n);
    append(digest, &digest->digests[batch->idx], &piece);
    return 0;
}

static uint64_t join_digest(void *context, const struct gsi_batch *batch, uint8_t *ahead)
{
    struct gsi_digest_operator *digest = context;
    (void)ahead;
    append(digest, &digest->digest, &digest->digests[batch->idx]);
    if (digest->digest.count == digest->marked_count)
        digest->marked = digest->digest;
    return 0;
}

struct gsi_operator gsi_digest_operator(struct gsi_digest_operator *digest)
{
    return (struct gsi_operator){.context = digest,
                                 .kind = GSI_OBSERVE,
                                 .begin = begin_digest,
                                 .run = run_digest,
                                 .join = join_digest};
}
