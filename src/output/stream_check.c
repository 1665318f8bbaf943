/* stream_check.c: the place where two pieces meet. */
#include "output/stream_check.h"

#include "element/element_ops.h"

#include <string.h>

enum gs_status gsi_stream_check_init(struct gsi_stream_check *seam, const struct gsi_layout *layout,
                                     struct gsi_ledger *ledger, struct gs_error *error)
{
    *seam =
        (struct gsi_stream_check){.layout = layout, .ledger = ledger, .imprint = GSI_IMPRINT_EMPTY};
    enum gs_status status = GSI_NEW(ledger, seam->last, 3 * layout->element_bytes, error);
    if (status == GS_OK) {
        seam->before = seam->last + layout->element_bytes;
        seam->after = seam->before + layout->element_bytes;
    }
    return status;
}

void gsi_stream_check_clear(struct gsi_stream_check *seam)
{
    if (seam->last != NULL)
        GSI_FREE(seam->ledger, seam->last, 3 * seam->layout->element_bytes);
    *seam = (struct gsi_stream_check){0};
}

void gsi_stream_check_join(struct gsi_stream_check *seam, const struct gsi_buffer *piece)
{
    struct gsi_imprint *imprint = &seam->imprint;
    bool was_ordered = imprint->disorder_idx == UINT64_MAX;
    uint64_t begin = imprint->count;
    size_t bytes = seam->layout->element_bytes;
    if (piece->bytes == 0)
        return;
    seam->layout->ops->imprint_join(seam->layout, imprint, &piece->imprint,
                                    begin > 0 ? seam->last : NULL, piece->data);
    if (was_ordered && imprint->disorder_idx != UINT64_MAX) {
        const uint8_t *after = piece->data + (imprint->disorder_idx - begin) * bytes;
        memcpy(seam->before, imprint->disorder_idx == begin ? seam->last : after - bytes, bytes);
        memcpy(seam->after, after, bytes);
    }
    memcpy(seam->last, piece->data + piece->bytes - bytes, bytes);
}

bool gsi_stream_check_is_equal(const struct gsi_stream_check *seam, const struct gsi_buffer *piece)
{
    const struct gsi_layout *layout = seam->layout;
    return seam->imprint.count > 0 && piece->bytes > 0 &&
           layout->ops->compare_ends(layout, seam->imprint.last_key, seam->last, &piece->imprint,
                                     piece->data) == 0;
}

void gsi_stream_check_refuse_equal(struct gsi_stream_check *seam, uint64_t element_idx,
                                   const void *element)
{
    const struct gsi_layout *layout = seam->layout;
    struct gsi_imprint one = GSI_IMPRINT_EMPTY;
    layout->ops->imprint(layout, &one, element, 1);
    seam->imprint.disorder_idx = element_idx;
    memcpy(seam->imprint.before_key, one.first_key, sizeof one.first_key);
    memcpy(seam->imprint.after_key, one.first_key, sizeof one.first_key);
    memcpy(seam->before, element, layout->element_bytes);
    memcpy(seam->after, element, layout->element_bytes);
}
