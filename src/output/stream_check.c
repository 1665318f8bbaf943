/* stream_check.c: checks the place where two pieces meet. */
#include "output/stream_check.h"

#include "element/element_ops.h"

#include <string.h>

enum gs_status gsi_stream_check_init(struct gsi_stream_check *check,
                                     const struct gsi_layout *layout, struct gsi_ledger *ledger,
                                     struct gs_error *error)
{
    *check =
        (struct gsi_stream_check){.layout = layout, .ledger = ledger, .imprint = GSI_IMPRINT_EMPTY};
    enum gs_status status =
        GSI_NEW(ledger, check->last, 3 * (uint64_t)layout->element_bytes, error);
    if (status == GS_OK) {
        check->before = check->last + layout->element_bytes;
        check->after = check->before + layout->element_bytes;
    }
    return status;
}

void gsi_stream_check_clear(struct gsi_stream_check *check)
{
    if (check->last != NULL)
        GSI_FREE(check->ledger, check->last, 3 * (uint64_t)check->layout->element_bytes);
    *check = (struct gsi_stream_check){0};
}

void gsi_stream_check_join(struct gsi_stream_check *check, const struct gsi_buffer *piece)
{
    struct gsi_imprint *imprint = &check->imprint;
    bool was_ordered = imprint->disorder_idx == UINT64_MAX;
    uint64_t begin = imprint->count;
    size_t bytes = check->layout->element_bytes;
    if (piece->bytes == 0)
        return;
    check->layout->ops->imprint_join(check->layout, imprint, &piece->imprint,
                                     begin > 0 ? check->last : NULL, piece->data);
    if (was_ordered && imprint->disorder_idx != UINT64_MAX) {
        const uint8_t *after = piece->data + (imprint->disorder_idx - begin) * bytes;
        memcpy(check->before, imprint->disorder_idx == begin ? check->last : after - bytes, bytes);
        memcpy(check->after, after, bytes);
    }
    memcpy(check->last, piece->data + piece->bytes - bytes, bytes);
}

bool gsi_stream_check_is_equal(const struct gsi_stream_check *check, const struct gsi_buffer *piece)
{
    const struct gsi_layout *layout = check->layout;
    return check->imprint.count > 0 && piece->bytes > 0 &&
           layout->ops->compare_ends(layout, check->imprint.last_key, check->last, &piece->imprint,
                                     piece->data) == 0;
}

void gsi_stream_check_refuse_equal(struct gsi_stream_check *check, uint64_t element_idx,
                                   const void *element)
{
    const struct gsi_layout *layout = check->layout;
    struct gsi_imprint one = GSI_IMPRINT_EMPTY;
    layout->ops->imprint(layout, &one, element, 1);
    check->imprint.disorder_idx = element_idx;
    memcpy(check->imprint.before_key, one.first_key, sizeof one.first_key);
    memcpy(check->imprint.after_key, one.first_key, sizeof one.first_key);
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
    return (struct gsi_link){.context = check, .take = take};
}
