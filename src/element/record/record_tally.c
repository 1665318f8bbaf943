/* record_tally.c: passes over records, block by block, so that a block stays in the cache while
 * several look at it. Numbers of 1 and 2 bytes are counted as numbers of 4. NaTs are left out; how
 * many they are, the number of records tells. */
#include "element/record/record_tally.h"

#include "base/checked.h"
#include "element/record/record_mix.h"
#include "element/record/record_tags.h"

#include <string.h>

#define BLOCK_BYTES   16384u
#define BLOCK_RECORDS 256u

struct gsi_record_tally {
    const struct gsi_record *record;
    uint64_t count;
    gsi_u128 fingerprint;
    struct gsi_tally *fields[]; /* record->field_count */
};

struct gsi_layout gsi_record_field_layout(const struct gsi_record *record, uint32_t field_idx)
{
    struct gsi_layout layout = gsi_layout_make(record->fields[field_idx].type, false);
    layout.has_moments = record->has_moments;
    return layout;
}

/* In lines of its own, because its thread writes to it block by block. */
struct gsi_record_tally *gsi_record_tally_place(const struct gsi_record *record,
                                                struct gsi_shelf *shelf)
{
    uint64_t bytes =
        sizeof(struct gsi_record_tally) + record->field_count * sizeof(struct gsi_tally *);
    struct gsi_record_tally *tally = gsi_shelf_place(shelf, bytes, 1, 64);
    for (uint32_t i = 0; i < record->field_count; i++) {
        struct gsi_layout layout = gsi_record_field_layout(record, i);
        struct gsi_tally *field = gsi_tally_place(&layout, shelf);
        if (tally != NULL)
            tally->fields[i] = field;
    }
    if (tally != NULL)
        tally->record = record;
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
    _Alignas(16) uint8_t numbers[16 * BLOCK_RECORDS];
    const struct gsi_field *field = &record->fields[field_idx];
    n = gsi_field_numbers(field, elements, record->bytes, n, numbers);
    gsi_tally_add(tally->fields[field_idx], numbers, n);
}

static size_t block_records(const struct gsi_record *record, size_t left)
{
    return gsi_min_u64(left, gsi_clamp_u64(BLOCK_BYTES / record->bytes, 1, BLOCK_RECORDS));
}

void gsi_record_tally_add(struct gsi_record_tally *tally, const void *elements, size_t n)
{
    const struct gsi_record *record = tally->record;
    const uint8_t *at = elements;
    for (size_t step; n > 0; n -= step, at += step * record->bytes) {
        step = block_records(record, n);
        tally->count += step;
        tally->fingerprint += gsi_mix_records(at, step, record->bytes);
        for (uint32_t i = 0; i < record->field_count; i++)
            add_field(record, i, tally, at, step);
    }
}

void gsi_record_tally_merge(struct gsi_record_tally *into, const struct gsi_record_tally *from)
{
    into->count += from->count;
    into->fingerprint += from->fingerprint;
    for (uint32_t i = 0; i < into->record->field_count; i++)
        gsi_tally_merge(into->fields[i], from->fields[i]);
}

void gsi_record_tally_save(const struct gsi_record_tally *tally, struct gsi_tally_saved *saved)
{
    saved[0] = (struct gsi_tally_saved){.count = tally->count, .fingerprint = tally->fingerprint};
    for (uint32_t i = 0; i < tally->record->field_count; i++)
        gsi_tally_save(tally->fields[i], &saved[1 + i]);
}

void gsi_record_tally_add_saved(struct gsi_record_tally *tally, const struct gsi_tally_saved *saved)
{
    tally->count += saved[0].count;
    tally->fingerprint += saved[0].fingerprint;
    for (uint32_t i = 0; i < tally->record->field_count; i++)
        gsi_tally_add_saved(tally->fields[i], &saved[1 + i]);
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
    for (uint32_t i = 0; i < tally->record->field_count; i++)
        fields[i] = gsi_record_field_finish(tally->fields[i], tally->count);
    return (struct gsi_tally_report){
        .count = tally->count,
        .fingerprint = {(uint64_t)tally->fingerprint, (uint64_t)(tally->fingerprint >> 64)}};
}

/* First record of [1, n) whose key is below that of the one before it; n: none. Tags decide nearly
 * always. */
static size_t find_disorder(const struct gsi_record *record, const uint8_t *elements, size_t n)
{
    gsi_u128 tags[BLOCK_RECORDS + 1];
    gsi_record_tags(record, elements, n, 0, 0, tags);
    for (size_t i = 1; i < n; i++) {
        gsi_u128 before = gsi_tag_key(tags[i - 1]), after = gsi_tag_key(tags[i]);
        if (after > before)
            continue;
        const uint8_t *element = elements + i * record->bytes;
        if (after < before ||
            gsi_record_compare(record, element - record->bytes, element, GSI_TAG_KEY_BYTES) > 0)
            return i;
    }
    return n;
}

void gsi_record_imprint_add(const struct gsi_record *record, struct gsi_imprint *imprint,
                            const void *elements, size_t n)
{
    const uint8_t *at = elements;
    for (size_t step; n > 0; n -= step, at += step * record->bytes) {
        step = block_records(record, n);
        gsi_fingerprint_add(imprint->fingerprint, gsi_mix_records(at, step, record->bytes));
        size_t before = imprint->count > 0; /* the last record added before is looked at, too */
        size_t disorder = find_disorder(record, at - before * record->bytes, step + before);
        if (disorder < step + before && imprint->disorder_idx == UINT64_MAX)
            imprint->disorder_idx = imprint->count + disorder - before;
        imprint->count += step;
    }
}

void gsi_record_imprint_join(const struct gsi_record *record, struct gsi_imprint *imprint,
                             const struct gsi_imprint *piece, const void *last, const void *first)
{
    if (imprint->disorder_idx == UINT64_MAX) {
        if (last != NULL && gsi_record_compare(record, last, first, 0) > 0)
            imprint->disorder_idx = imprint->count;
        else if (piece->disorder_idx != UINT64_MAX)
            imprint->disorder_idx = imprint->count + piece->disorder_idx;
    }
    gsi_fingerprint_add(imprint->fingerprint, gsi_fingerprint(piece->fingerprint));
    imprint->count += piece->count;
}
