/* groups.c: compaction without branches, as what is equal to what cannot be predicted: an element
 * is always stored, and the next one overwrites it unless it was new. One core of an EPYC (Zen 4,
 * not idle) does u32 at 3.5 GB/s, with counts at 2.3, all others at 5 to 10, records of 100 bytes
 * too: about as fast as two such cores merge, so one thread at a time is enough. */
#include "element/groups.h"

#include "element/record/record.h"
#include "element/tally/tally_block.h"

#include <string.h>

#define COUNT_BYTES ((uint32_t)sizeof(uint64_t))

enum gs_status gsi_groups_init(struct gsi_groups *groups, const struct gsi_layout *layout,
                               bool has_counts, struct gsi_ledger *ledger, struct gs_error *error)
{
    *groups = (struct gsi_groups){.layout = layout, .ledger = ledger, .has_counts = has_counts};
    return GSI_NEW(ledger, groups->last, layout->element_bytes, error);
}

void gsi_groups_clear(struct gsi_groups *groups)
{
    if (groups->last != NULL)
        GSI_FREE(groups->ledger, groups->last, groups->layout->element_bytes);
    *groups = (struct gsi_groups){0};
}

uint64_t gsi_groups_entry_bytes(uint32_t element_bytes, bool has_counts)
{
    return element_bytes + (has_counts ? COUNT_BYTES : 0);
}

/* ---- numbers; `bytes` is a constant in each clone, so the wide arithmetic goes away ---- */

GSI_INLINE gsi_u128 load(const void *elements, size_t i, uint32_t bytes)
{
    return GSI_BY_WIDTH(bytes, gsi_block_load(elements, i, 4), gsi_block_load(elements, i, 8),
                        gsi_block_load_u128(elements, i));
}

/* Returns how many were kept. */
GSI_INLINE size_t keep_firsts(struct gsi_groups *groups, const void *elements, size_t n,
                              uint8_t *out, uint32_t bytes)
{
    gsi_u128 before = load(groups->last, 0, bytes);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 x = load(elements, i, bytes);
        memcpy(out + kept * bytes, &x, bytes);
        kept += x != before;
        before = x;
    }
    memcpy(groups->last, &before, bytes);
    return kept;
}

/* The same with counts: an entry is stored again and again until its group has ended. */
GSI_INLINE size_t keep_counts(struct gsi_groups *groups, const void *elements, size_t n,
                              uint8_t *out, uint32_t bytes)
{
    gsi_u128 before = load(groups->last, 0, bytes);
    uint64_t count = groups->last_count;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 x = load(elements, i, bytes);
        bool is_new = x != before;
        memcpy(out + kept * (bytes + COUNT_BYTES), &before, bytes);
        memcpy(out + kept * (bytes + COUNT_BYTES) + bytes, &count, COUNT_BYTES);
        kept += is_new;
        count = is_new ? 1 : count + 1;
        before = x;
    }
    memcpy(groups->last, &before, bytes);
    groups->last_count = count;
    return kept;
}

GSI_INLINE size_t add_numbers(struct gsi_groups *groups, const void *elements, size_t n,
                              uint8_t *out, uint32_t bytes)
{
    return groups->has_counts ? keep_counts(groups, elements, n, out, bytes)
                              : keep_firsts(groups, elements, n, out, bytes);
}

/* ---- records ---- */

static uint8_t *put_entry(const struct gsi_groups *groups, const uint8_t *element, uint8_t *out)
{
    uint32_t bytes = groups->layout->element_bytes;
    memcpy(out, element, bytes);
    out += bytes;
    if (groups->has_counts) {
        memcpy(out, &groups->last_count, COUNT_BYTES);
        out += COUNT_BYTES;
    }
    return out;
}

static size_t add_records(struct gsi_groups *groups, const uint8_t *elements, size_t n,
                          uint8_t *out)
{
    const struct gsi_record *record = groups->layout->record;
    const uint8_t *first = groups->last;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *element = elements + i * record->bytes;
        if (gsi_record_compare(record, first, element, 0) == 0) {
            groups->last_count++;
            continue;
        }
        out = put_entry(groups, groups->has_counts ? first : element, out);
        kept++;
        first = element;
        groups->last_count = 1;
    }
    if (first != groups->last)
        memcpy(groups->last, first, record->bytes);
    return kept;
}

/* ---- either ---- */

/* The first group of all has none before it. */
static size_t begin(struct gsi_groups *groups, const uint8_t *element, uint8_t *out)
{
    memcpy(groups->last, element, groups->layout->element_bytes);
    groups->count = groups->last_count = 1;
    return groups->has_counts ? 0 : (size_t)(put_entry(groups, element, out) - out);
}

size_t gsi_groups_add(struct gsi_groups *groups, const void *elements, size_t n, uint8_t *out)
{
    const struct gsi_layout *layout = groups->layout;
    uint32_t bytes = layout->element_bytes;
    const uint8_t *at = elements;
    size_t put = 0, kept;
    if (n > 0 && groups->count == 0) {
        put = begin(groups, at, out);
        at += bytes;
        n--;
    }
    if (layout->record != NULL)
        kept = add_records(groups, at, n, out + put);
    else
        kept = GSI_BY_WIDTH(bytes, add_numbers(groups, at, n, out + put, 4),
                            add_numbers(groups, at, n, out + put, 8),
                            add_numbers(groups, at, n, out + put, 16));
    groups->count += kept;
    return put + kept * gsi_groups_entry_bytes(bytes, groups->has_counts);
}

size_t gsi_groups_end(struct gsi_groups *groups, uint8_t *out)
{
    if (!groups->has_counts || groups->count == 0)
        return 0;
    return (size_t)(put_entry(groups, groups->last, out) - out);
}
