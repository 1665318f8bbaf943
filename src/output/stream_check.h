/* stream_check.h: imprints of pieces, joined in order. The last element of the piece before is kept, to be
 * compared with the first of the next where the imprints do not tell (element/element_ops.h). */
#ifndef GSI_STREAM_CHECK_H
#define GSI_STREAM_CHECK_H

#include "loop/stage.h"

struct gsi_stream_check {
    const struct gsi_layout *layout;
    struct gsi_ledger *ledger;
    struct gsi_imprint imprint; /* of all pieces so far */
    /* One element each, as it lies in its piece: the first disorder is between `before` and `after`.
     * Only those of records are elements for sure; numbers may be keys there. */
    uint8_t *last, *before, *after;
};

enum gs_status gsi_stream_check_init(struct gsi_stream_check *check,
                                     const struct gsi_layout *layout, struct gsi_ledger *ledger,
                                     struct gs_error *error);
void gsi_stream_check_clear(struct gsi_stream_check *check); /* also zeroed ones */

/* gsi_stream_check_join: the next piece, with its imprint. */
void gsi_stream_check_join(struct gsi_stream_check *check, const struct gsi_buffer *piece);

/* gsi_stream_check_link: gsi_stream_check_join as a link: every window passes. */
struct gsi_link gsi_stream_check_link(struct gsi_stream_check *check);

/* gsi_stream_check_is_equal: whether the next piece begins with the key that the last one ended with. */
bool gsi_stream_check_is_equal(const struct gsi_stream_check *check,
                               const struct gsi_buffer *piece);

/* gsi_stream_check_refuse_equal: `element`, with the key of the one before it, is the first disorder. */
void gsi_stream_check_refuse_equal(struct gsi_stream_check *check, uint64_t element_idx,
                                   const void *element);

#endif
