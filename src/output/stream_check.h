/* stream_check.h: joins the imprints of pieces, in order. The last element of each piece is kept
 * and compared with the first of the next, where imprints do not say enough
 * (element/element_ops.h). */
#ifndef GSI_STREAM_CHECK_H
#define GSI_STREAM_CHECK_H

#include "loop/stage.h"

struct gsi_stream_check {
    const struct gsi_layout *layout;
    struct gsi_ledger *ledger;
    struct gsi_imprint imprint; /* of all pieces so far */
    /* One element each, as it lies in its piece. The first disorder is between `before` and
     * `after`. Numbers may be keys here; records are always elements. */
    uint8_t *first, *last, *before, *after;
};

enum gs_status gsi_stream_check_init(struct gsi_stream_check *check,
                                     const struct gsi_layout *layout, struct gsi_ledger *ledger,
                                     struct gs_error *error);
void gsi_stream_check_clear(struct gsi_stream_check *check); /* also zeroed ones */

/* gsi_stream_check_join: adds the next piece, which has its imprint. */
void gsi_stream_check_join(struct gsi_stream_check *check, const struct gsi_buffer *piece);

/* gsi_stream_check_link: gsi_stream_check_join as a link, which every window passes. */
struct gsi_link gsi_stream_check_link(struct gsi_stream_check *check);

/* gsi_stream_check_ends: the sort keys of the first and the last element, for the report. Pieces are
 * elements.
 * gsi_stream_check_tell_ends: the same of these. */
void gsi_stream_check_ends(const struct gsi_stream_check *check, struct gs_report *report);
void gsi_stream_check_tell_ends(const struct gsi_layout *layout, const void *first,
                                const void *last, struct gs_report *report);

/* gsi_stream_check_is_equal, gsi_stream_check_is_below: whether `piece`, the next one, begins with the
 * key that the last one ended with; with one below that. */
bool gsi_stream_check_is_equal(const struct gsi_stream_check *check,
                               const struct gsi_buffer *piece);
bool gsi_stream_check_is_below(const struct gsi_stream_check *check,
                               const struct gsi_buffer *piece);

/* gsi_stream_check_refuse_equal: makes `element`, whose key equals that of the element before it,
 * the first disorder. */
void gsi_stream_check_refuse_equal(struct gsi_stream_check *check, uint64_t element_idx,
                                   const void *element);

#endif
