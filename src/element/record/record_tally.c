/* record_tally.c: passes over records block by block, so that a block stays in the cache while
 * several loops read it. Numbers of 1 and 2 bytes are counted as numbers of 4. NaTs are left out;
 * their number is the difference to the number of records. */
#include "element/record/record_tally.h"

#include "base/checked.h"
#include "element/record/integer_record.h"
#include "element/record/record_mix.h"
#include "element/tally/tally_block.h"

#include <string.h>

struct gsi_record_tally {
    const struct gsi_record *record;
    bool is_native; /* the first field is the element: its tally has count and fingerprint */
    uint64_t count;
    gsi_u128 fingerprint;
    struct gsi_tally *fields[]; /* record->field_count */
};

struct gsi_layout gsi_record_field_layout(const struct gsi_layout *layout, uint32_t field_idx)
{
    if (gsi_layout_is_native(layout))
        return *layout;
    struct gsi_layout field = gsi_layout_make(layout->record->fields[field_idx].type, false);
    field.has_moments = layout->has_moments;
    return field;
}

/* It has cache lines of its own, because its thread writes to it block by block. */
struct gsi_record_tally *gsi_record_tally_alloc(const struct gsi_layout *layout,
                                                struct gsi_bump *bump)
{
    const struct gsi_record *record = layout->record;
    uint64_t bytes =
        sizeof(struct gsi_record_tally) + record->field_count * sizeof(struct gsi_tally *);
    struct gsi_record_tally *tally = gsi_bump_alloc(bump, bytes, 1, 64);
    for (uint32_t i = 0; i < record->field_count; i++) {
        const struct gsi_layout numbers = gsi_record_field_layout(layout, i);
        struct gsi_tally *field = gsi_tally_alloc(&numbers, bump);
        if (tally != NULL)
            tally->fields[i] = field;
    }
    if (tally != NULL) {
        tally->record = record;
        tally->is_native = gsi_layout_is_native(layout);
    }
    return tally;
}

void gsi_record_tally_clear(struct gsi_record_tally *tally)
{
    tally->count = 0;
    tally->fingerprint = 0;
    for (uint32_t i = 0; i < tally->record->field_count; i++)
        gsi_tally_clear(tally->fields[i]);
}

static void add_field(const struct gsi_record *record, uint32_t field_idx,
                      struct gsi_record_tally *tally, const uint8_t *elements, size_t n)
{
    _Alignas(16) uint8_t numbers[16 * GSI_BLOCK_RECORDS];
    const struct gsi_field *field = &record->fields[field_idx];
    n = gsi_field_numbers(field, elements, record->bytes, n, numbers);
    gsi_tally_add(tally->fields[field_idx], numbers, n);
}

void gsi_record_tally_add(struct gsi_record_tally *tally, const void *elements, size_t n)
{
    const struct gsi_record *record = tally->record;
    const uint8_t *at = elements;
    if (tally->is_native) {
        gsi_tally_add(tally->fields[0], elements, n);
        return;
    }
    for (size_t step; n > 0; n -= step, at += step * record->bytes) {
        step = gsi_block_records(record->bytes, n);
        tally->count += step;
        tally->fingerprint += gsi_mix_records(at, step, record->bytes);
        for (uint32_t i = 0; i < record->field_count; i++)
            add_field(record, i, tally, at, step);
    }
}

void gsi_record_tally_add_map(const struct gsi_layout *layout, struct gsi_record_tally *tally,
                              void *elements, size_t n)
{
    uint8_t *at = elements;
    if (tally->is_native) {
        gsi_tally_add_and_map(tally->fields[0], elements, n);
        return;
    }
    for (size_t step; n > 0; n -= step, at += step * layout->element_bytes) {
        step = gsi_block_elements(n);
        gsi_record_tally_add(tally, at, step);
        gsi_records_to_integers(layout->integer_map, at, step, 0, at);
    }
}

/* Integers take one pass with their fingerprint. Squares of floats need the bins anyway. */
static bool sums_sorted(const struct gsi_layout *layout)
{
    return gsi_layout_is_native(layout) && layout->type->kind == GSI_KEY_FLOAT &&
           !layout->has_moments;
}

void gsi_record_tally_before_sort(const struct gsi_layout *layout, struct gsi_record_tally *tally,
                                  void *elements, size_t n)
{
    if (sums_sorted(layout) || layout->is_only_counted)
        gsi_tally_add_fingerprint_map(tally->fields[0], elements, n);
    else
        gsi_record_tally_add_map(layout, tally, elements, n);
}

void gsi_record_tally_after_sort(const struct gsi_layout *layout, struct gsi_record_tally *tally,
                                 const void *keys, size_t n)
{
    if (layout->is_only_counted)
        gsi_tally_add_count(tally->fields[0], n);
    else if (sums_sorted(layout))
        gsi_tally_add_sorted_keys(tally->fields[0], keys, n);
}

void gsi_record_tally_merge(struct gsi_record_tally *into, const struct gsi_record_tally *from)
{
    into->count += from->count;
    into->fingerprint += from->fingerprint;
    for (uint32_t i = 0; i < into->record->field_count; i++)
        gsi_tally_merge(into->fields[i], from->fields[i]);
}

uint32_t gsi_record_tally_saved_count(const struct gsi_layout *layout)
{
    return gsi_layout_is_native(layout) ? 1 : 1 + layout->record->field_count;
}

void gsi_record_tally_save(const struct gsi_record_tally *tally, struct gsi_tally_sums *saved)
{
    if (tally->is_native) {
        gsi_tally_save(tally->fields[0], saved);
        return;
    }
    saved[0] = (struct gsi_tally_sums){.count = tally->count, .fingerprint = tally->fingerprint};
    for (uint32_t i = 0; i < tally->record->field_count; i++)
        gsi_tally_save(tally->fields[i], &saved[1 + i]);
}

void gsi_record_tally_add_saved(struct gsi_record_tally *tally, const struct gsi_tally_sums *saved)
{
    if (tally->is_native) {
        gsi_tally_add_sums(tally->fields[0], saved);
        return;
    }
    tally->count += saved[0].count;
    tally->fingerprint += saved[0].fingerprint;
    for (uint32_t i = 0; i < tally->record->field_count; i++)
        gsi_tally_add_sums(tally->fields[i], &saved[1 + i]);
}

struct gsi_tally_report gsi_record_field_finish(const struct gsi_tally *field, uint64_t count)
{
    struct gsi_tally_report report = gsi_tally_finish(field);
    report.nan_count += count - report.count;
    report.count = count;
    return report;
}

struct gsi_tally_report gsi_record_tally_finish(const struct gsi_record_tally *tally,
                                                struct gsi_tally_report *fields)
{
    if (tally->is_native)
        return gsi_tally_finish(tally->fields[0]);
    for (uint32_t i = 0; i < tally->record->field_count; i++)
        fields[i] = gsi_record_field_finish(tally->fields[i], tally->count);
    return (struct gsi_tally_report){
        .count = tally->count,
        .fingerprint = {(uint64_t)tally->fingerprint, (uint64_t)(tally->fingerprint >> 64)}};
}
