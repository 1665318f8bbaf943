/* seam.h: imprints of pieces, joined in order. Of numbers the imprints hold all that is needed; of
 * records the last one of the piece before is kept, to be compared with the first of the next. */
#ifndef GSI_SEAM_H
#define GSI_SEAM_H

#include "device/device.h"

struct gsi_seam {
    const struct gsi_layout *layout;
    struct gsi_ledger *ledger;
    struct gsi_imprint imprint; /* of all pieces so far */
    /* Of records, one each; NULL: numbers. The first disorder is between `before` and `after`. */
    uint8_t *last, *before, *after;
};

enum gs_status gsi_seam_init(struct gsi_seam *seam, const struct gsi_layout *layout,
                             struct gsi_ledger *ledger, struct gs_error *error);
void gsi_seam_clear(struct gsi_seam *seam); /* also zeroed ones */

/* gsi_seam_join: the next piece, with its imprint; the elements are looked at only of records. */
void gsi_seam_join(struct gsi_seam *seam, const struct gsi_buffer *piece);

#endif
