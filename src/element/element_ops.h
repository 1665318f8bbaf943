/* element_ops.h: what numbers and records do differently, as a table of functions that is chosen once, when a layout
 * is made (layout.h). So stages work on elements and never ask which kind they are.
 *
 *     layout->ops->imprint(layout, &piece->imprint, elements, n);
 *
 * Numbers: an imprint holds the first and the last sort key of its piece, and pieces are joined by these. Records:
 * it holds no keys, and pieces are joined by their first and last elements, which the caller keeps. All pure, any
 * thread; a tally belongs to one thread at a time. */
#ifndef GSI_ELEMENT_OPS_H
#define GSI_ELEMENT_OPS_H

#include "element/layout.h"
#include "element/tally/imprint.h"
#include "element/tally/tally.h"

struct gsi_element_ops {
    /* A tally of elements, and of the fields of records: accumulators as in tally.h and record_tally.h, of which a
     * saved one takes tally_count.
     * tally_create: NULL on no memory.  tally_finish: `fields` as in gsi_record_tally_finish */
    uint32_t (*tally_count)(const struct gsi_layout *layout);
    size_t (*tally_bytes)(const struct gsi_layout *layout);
    void *(*tally_create)(const struct gsi_layout *layout);
    void (*tally_free)(void *tally);
    void (*tally_clear)(void *tally);
    void (*tally_add)(void *tally, const void *elements, size_t n);
    void (*tally_merge)(void *into, const void *from);
    void (*tally_save)(const void *tally, struct gsi_tally_saved *saved);
    void (*tally_add_saved)(void *tally, const struct gsi_tally_saved *saved);
    struct gs_tally (*tally_finish)(const void *tally, struct gs_tally *fields);

    /* imprint: append `n` raw elements, which lie behind those that were added before. */
    void (*imprint)(const struct gsi_layout *layout, struct gsi_imprint *imprint,
                    const void *elements, size_t n);

    /* imprint_join: append a whole piece, which is not empty.
     * in    last: the element before it, NULL: none; first: its first one. Numbers do not look at them. */
    void (*imprint_join)(const struct gsi_layout *layout, struct gsi_imprint *imprint,
                         const struct gsi_imprint *piece, const void *last, const void *first);

    /* compare_ends: the last key before a piece and its first one: negative, 0, positive.
     * in    last_key, last: of numbers the key, of records the element
     *       piece, first: the piece's imprint and its first element */
    int (*compare_ends)(const struct gsi_layout *layout, const uint8_t *last_key, const void *last,
                        const struct gsi_imprint *piece, const void *first);

    /* head: what tells elements in frames apart: of numbers the sort key itself, `element`; of records 16 bytes of the
     * key, from byte `off` on.  head_off: where these begin for frames that are made now. */
    void (*head)(const struct gsi_layout *layout, uint32_t off, const void *element,
                 uint8_t head[16]);
    uint32_t (*head_off)(const struct gsi_layout *layout);

    /* is_equal: whether two raw elements have equal keys; numbers: equal bits. */
    bool (*is_equal)(const struct gsi_layout *layout, const void *a, const void *b);
};

#endif
