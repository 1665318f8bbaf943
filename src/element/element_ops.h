/* element_ops.h: what numbers, records that are words, and others do differently: a table of
 * functions, chosen once, when a layout is made (layout.h). So stages work on elements and never
 * ask which kind they are.
 *
 *     layout->ops->imprint(layout, &piece->imprint, elements, n);
 *
 * An imprint of numbers, and of records that are words, holds the first and the last sort key of
 * its piece; they decide how pieces are joined. An imprint of records with tags holds no keys; the
 * caller keeps the first and the last element of each piece for that. All calls are pure, for any
 * thread; a tally belongs to one thread at a time. */
#ifndef GSI_ELEMENT_OPS_H
#define GSI_ELEMENT_OPS_H

#include "element/layout.h"
#include "element/tally/imprint.h"
#include "element/tally/tally.h"
#include "element/tally/tally_report.h"

struct gsi_element_ops {
    /* A tally of elements, and of the fields of records, as in tally.h and record_tally.h.
     * tally_count: how many struct gsi_tally_saved it is saved as.
     * tally_place: as gsi_tally_place.
     * tally_add_map: also turns the elements into sort keys; not with tags.
     * tally_finish: `fields` as in gsi_record_tally_finish. */
    uint32_t (*tally_count)(const struct gsi_layout *layout);
    void *(*tally_place)(const struct gsi_layout *layout, struct gsi_shelf *shelf);
    void (*tally_clear)(void *tally);
    void (*tally_add)(void *tally, const void *elements, size_t n);
    void (*tally_add_map)(const struct gsi_layout *layout, void *tally, void *elements, size_t n);
    void (*tally_merge)(void *into, const void *from);
    void (*tally_save)(const void *tally, struct gsi_tally_saved *saved);
    void (*tally_add_saved)(void *tally, const struct gsi_tally_saved *saved);
    struct gsi_tally_report (*tally_finish)(const void *tally, struct gsi_tally_report *fields);

    /* imprint: append `n` raw elements. In memory they follow those that were added before. */
    void (*imprint)(const struct gsi_layout *layout, struct gsi_imprint *imprint,
                    const void *elements, size_t n);

    /* imprint_join: append a whole piece that is not empty.
     * in    last: the element before it, NULL: none; first: its first element; only records need
     *       these two */
    void (*imprint_join)(const struct gsi_layout *layout, struct gsi_imprint *imprint,
                         const struct gsi_imprint *piece, const void *last, const void *first);

    /* compare_ends: compares the last key before a piece with the piece's first: negative, 0,
     * positive.
     * in    last_key, last: the last key, which numbers use; the last element, which records use
     *       piece, first: the piece's imprint and its first element */
    int (*compare_ends)(const struct gsi_layout *layout, const uint8_t *last_key, const void *last,
                        const struct gsi_imprint *piece, const void *first);

    /* head: that by which elements in frames are compared: for numbers the sort key, which is
     * `element`; for records 16 bytes of the normalised key, from byte `off` on.
     * head_off: `off` for frames that are made now. */
    void (*head)(const struct gsi_layout *layout, uint32_t off, const void *element,
                 uint8_t head[16]);
    uint32_t (*head_off)(const struct gsi_layout *layout);

    /* is_equal: whether two raw elements have equal keys; numbers: equal bits. */
    bool (*is_equal)(const struct gsi_layout *layout, const void *a, const void *b);
};

/* gsi_compare_ends: compares two elements, of numbers their sort keys: negative, 0, positive. */
int gsi_compare_ends(const struct gsi_layout *layout, const uint8_t *last, const uint8_t *first);

#endif
