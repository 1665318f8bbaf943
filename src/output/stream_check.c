/* stream_check.c: compares the last element of a buffer with the first of the next one. */
#include "output/stream_check.h"
#include "element/tally/digest.h"

#include "element/record/record.h"

#include <string.h>

/* First, last, and both sides of a disorder. */
#define ELEMENTS 4

enum gs_status gsi_stream_check_init(struct gsi_stream_check *check,
                                     const struct gsi_layout *layout, struct gsi_ledger *ledger,
                                     struct gs_error *error)
{
    *check =
        (struct gsi_stream_check){.layout = layout, .ledger = ledger, .digest = GSI_DIGEST_EMPTY};
    enum gs_status status =
        GSI_NEW(ledger, check->first, ELEMENTS * (uint64_t)layout->element_bytes, error);
    if (status == GS_OK) {
        check->last = check->first + layout->element_bytes;
        check->before = check->last + layout->element_bytes;
        check->after = check->before + layout->element_bytes;
    }
    return status;
}

void gsi_stream_check_clear(struct gsi_stream_check *check)
{
    if (check->first != NULL)
        GSI_FREE(check->ledger, check->first, ELEMENTS * (uint64_t)check->layout->element_bytes);
    *check = (struct gsi_stream_check){0};
}

void gsi_stream_check_join(struct gsi_stream_check *check, const struct gsi_buffer *next)
{
    struct gsi_digest *digest = &check->digest;
    bool was_ordered = digest->disorder_idx == UINT64_MAX;
    uint64_t begin = digest->count;
    size_t bytes = check->layout->element_bytes;
    if (next->bytes == 0)
        return;
    gsi_digest_join(check->layout, digest, &next->digest, begin > 0 ? check->last : NULL,
                    next->data);
    if (was_ordered && digest->disorder_idx != UINT64_MAX) {
        const uint8_t *after = next->data + (digest->disorder_idx - begin) * bytes;
        memcpy(check->before, digest->disorder_idx == begin ? check->last : after - bytes, bytes);
        memcpy(check->after, after, bytes);
    }
    if (begin == 0)
        memcpy(check->first, next->data, bytes);
    memcpy(check->last, next->data + next->bytes - bytes, bytes);
}

void gsi_stream_check_tell_ends(const struct gsi_layout *layout, const void *first,
                                const void *last, struct gsi_ends_report *ends)
{
    uint32_t all = layout->record->key_bytes;
    uint32_t bytes = all < GS_END_KEY_BYTES ? all : GS_END_KEY_BYTES;
    ends->are_known = true;
    ends->key_bytes = bytes;
    gsi_record_key(layout->record, first, 0, bytes, ends->first_key);
    gsi_record_key(layout->record, last, 0, bytes, ends->last_key);
}

void gsi_stream_check_ends(const struct gsi_stream_check *check, struct gsi_ends_report *ends)
{
    ends->are_known = false;
    if (check->digest.count > 0)
        gsi_stream_check_tell_ends(check->layout, check->first, check->last, ends);
}

/* How the last element compares with the first of `next`; *is_known: there is something on both
 * sides. */
static int compare_next(const struct gsi_stream_check *check, const struct gsi_buffer *next,
                        bool *is_known)
{
    const struct gsi_layout *layout = check->layout;
    *is_known = check->digest.count > 0 && next->bytes > 0;
    return *is_known ? gsi_digest_compare_ends(layout, check->digest.last_key, check->last,
                                               &next->digest, next->data)
                     : 0;
}

bool gsi_stream_check_is_equal(const struct gsi_stream_check *check, const struct gsi_buffer *next)
{
    bool is_known;
    return compare_next(check, next, &is_known) == 0 && is_known;
}

bool gsi_stream_check_is_below(const struct gsi_stream_check *check, const struct gsi_buffer *next)
{
    bool is_known;
    return compare_next(check, next, &is_known) > 0;
}

void gsi_stream_check_refuse_equal(struct gsi_stream_check *check, uint64_t element_idx,
                                   const void *element)
{
    const struct gsi_layout *layout = check->layout;
    struct gsi_digest one = GSI_DIGEST_EMPTY;
    gsi_digest_add_elements(layout, &one, element, 1);
    check->digest.disorder_idx = element_idx;
    memcpy(check->digest.before_key, one.first_key, sizeof one.first_key);
    memcpy(check->digest.after_key, one.first_key, sizeof one.first_key);
    memcpy(check->before, element, layout->element_bytes);
    memcpy(check->after, element, layout->element_bytes);
}

static bool take(void *context, struct gsi_buffer *window)
{
    gsi_stream_check_join(context, window);
    return true;
}

struct gsi_link gsi_stream_check_link(struct gsi_stream_check *check)
{
    return (struct gsi_link){.context = check, .accept = take};
}
