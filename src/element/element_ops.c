/* element_ops.c: the tables: numbers by tally.h, records by record_tally.h, words by both. */
#include "element/element_ops.h"

#include "base/checked.h"
#include "element/key_scope.h"
#include "element/record/record_tally.h"
#include "element/record/record_word.h"
#include "element/tally/tally_block.h"

#include <string.h>

/* ---- numbers ---- */

static uint32_t number_tally_count(const struct gsi_layout *layout)
{
    (void)layout;
    return 1;
}

static void *number_tally_place(const struct gsi_layout *layout, struct gsi_shelf *shelf)
{
    return gsi_tally_place(layout, shelf);
}

static void number_tally_clear(void *tally)
{
    gsi_tally_clear(tally);
}

static void number_tally_add(void *tally, const void *elements, size_t n)
{
    gsi_tally_add(tally, elements, n);
}

static void number_tally_add_map(const struct gsi_layout *layout, void *tally, void *elements,
                                 size_t n)
{
    (void)layout;
    gsi_tally_add_map(tally, elements, n);
}

static void number_tally_merge(void *into, const void *from)
{
    gsi_tally_merge(into, from);
}

static void number_tally_save(const void *tally, struct gsi_tally_saved *saved)
{
    gsi_tally_save(tally, saved);
}

static void number_tally_add_saved(void *tally, const struct gsi_tally_saved *saved)
{
    gsi_tally_add_saved(tally, saved);
}

static struct gsi_tally_report number_tally_finish(const void *tally,
                                                   struct gsi_tally_report *fields)
{
    (void)fields;
    return gsi_tally_finish(tally);
}

static void number_imprint_join(const struct gsi_layout *layout, struct gsi_imprint *imprint,
                                const struct gsi_imprint *piece, const void *last,
                                const void *first)
{
    (void)last, (void)first;
    gsi_imprint_join(layout, imprint, piece);
}

static int number_compare_ends(const struct gsi_layout *layout, const uint8_t *last_key,
                               const void *last, const struct gsi_imprint *piece, const void *first)
{
    (void)last, (void)first;
    return gsi_key_compare(layout, last_key, piece->first_key);
}

static bool number_is_equal(const struct gsi_layout *layout, const void *a, const void *b)
{
    return memcmp(a, b, layout->element_bytes) == 0;
}

static void number_head(const struct gsi_layout *layout, uint32_t off, const void *element,
                        uint8_t head[16])
{
    (void)off;
    memcpy(head, element, layout->key_bytes);
}

static uint32_t number_head_off(const struct gsi_layout *layout)
{
    (void)layout;
    return 0;
}

const struct gsi_element_ops gsi_number_ops = {.tally_count = number_tally_count,
                                               .tally_place = number_tally_place,
                                               .tally_clear = number_tally_clear,
                                               .tally_add = number_tally_add,
                                               .tally_add_map = number_tally_add_map,
                                               .tally_merge = number_tally_merge,
                                               .tally_save = number_tally_save,
                                               .tally_add_saved = number_tally_add_saved,
                                               .tally_finish = number_tally_finish,
                                               .imprint = gsi_imprint_add_elements,
                                               .imprint_join = number_imprint_join,
                                               .compare_ends = number_compare_ends,
                                               .head = number_head,
                                               .head_off = number_head_off,
                                               .is_equal = number_is_equal};

/* ---- records ---- */

static uint32_t record_tally_count(const struct gsi_layout *layout)
{
    return 1 + layout->record->field_count;
}

static void *record_tally_place(const struct gsi_layout *layout, struct gsi_shelf *shelf)
{
    return gsi_record_tally_place(layout->record, shelf);
}

static void record_tally_clear(void *tally)
{
    gsi_record_tally_clear(tally);
}

static void record_tally_add(void *tally, const void *elements, size_t n)
{
    gsi_record_tally_add(tally, elements, n);
}

static void record_tally_merge(void *into, const void *from)
{
    gsi_record_tally_merge(into, from);
}

static void record_tally_save(const void *tally, struct gsi_tally_saved *saved)
{
    gsi_record_tally_save(tally, saved);
}

static void record_tally_add_saved(void *tally, const struct gsi_tally_saved *saved)
{
    gsi_record_tally_add_saved(tally, saved);
}

static struct gsi_tally_report record_tally_finish(const void *tally,
                                                   struct gsi_tally_report *fields)
{
    return gsi_record_tally_finish(tally, fields);
}

static void record_imprint(const struct gsi_layout *layout, struct gsi_imprint *imprint,
                           const void *elements, size_t n)
{
    gsi_record_imprint_add(layout->record, imprint, elements, n);
}

static void record_imprint_join(const struct gsi_layout *layout, struct gsi_imprint *imprint,
                                const struct gsi_imprint *piece, const void *last,
                                const void *first)
{
    gsi_record_imprint_join(layout->record, imprint, piece, last, first);
}

static int record_compare_ends(const struct gsi_layout *layout, const uint8_t *last_key,
                               const void *last, const struct gsi_imprint *piece, const void *first)
{
    (void)last_key, (void)piece;
    return gsi_record_compare(layout->record, last, first, 0);
}

static bool record_is_equal(const struct gsi_layout *layout, const void *a, const void *b)
{
    return gsi_record_compare(layout->record, a, b, 0) == 0;
}

static void record_head(const struct gsi_layout *layout, uint32_t off, const void *element,
                        uint8_t head[16])
{
    gsi_record_key(layout->record, element, off, 16, head);
}

/* Behind what all keys share, so that 16 bytes tell frames apart as well as they can. */
static uint32_t record_head_off(const struct gsi_layout *layout)
{
    return (uint32_t)gsi_min_u64(gsi_key_scope_shared(layout->scope), UINT16_MAX);
}

const struct gsi_element_ops gsi_record_ops = {.tally_count = record_tally_count,
                                               .tally_place = record_tally_place,
                                               .tally_clear = record_tally_clear,
                                               .tally_add = record_tally_add,
                                               .tally_merge = record_tally_merge,
                                               .tally_save = record_tally_save,
                                               .tally_add_saved = record_tally_add_saved,
                                               .tally_finish = record_tally_finish,
                                               .imprint = record_imprint,
                                               .imprint_join = record_imprint_join,
                                               .compare_ends = record_compare_ends,
                                               .head = record_head,
                                               .head_off = record_head_off,
                                               .is_equal = record_is_equal};

/* ---- records that are words ---- */

static void word_tally_add_map(const struct gsi_layout *layout, void *tally, void *elements,
                               size_t n)
{
    uint8_t *at = elements;
    for (size_t step; n > 0; n -= step, at += step * layout->element_bytes) {
        step = gsi_block_elements(n);
        gsi_record_tally_add(tally, at, step);
        gsi_words_of(layout->word, at, step, 0, at);
    }
}

const struct gsi_element_ops gsi_word_ops = {.tally_count = record_tally_count,
                                             .tally_place = record_tally_place,
                                             .tally_clear = record_tally_clear,
                                             .tally_add = record_tally_add,
                                             .tally_add_map = word_tally_add_map,
                                             .tally_merge = record_tally_merge,
                                             .tally_save = record_tally_save,
                                             .tally_add_saved = record_tally_add_saved,
                                             .tally_finish = record_tally_finish,
                                             .imprint = gsi_imprint_add_elements,
                                             .imprint_join = number_imprint_join,
                                             .compare_ends = number_compare_ends,
                                             .head = number_head,
                                             .head_off = number_head_off,
                                             .is_equal = number_is_equal};

int gsi_compare_ends(const struct gsi_layout *layout, const uint8_t *last, const uint8_t *first)
{
    struct gsi_imprint piece = {0};
    if (!layout->has_tags)
        memcpy(piece.first_key, first, layout->key_bytes);
    return layout->ops->compare_ends(layout, last, last, &piece, first);
}
