/* element_digest.c: checks the order of records by their tags, block by block. */
#include "element/element_digest.h"

#include "base/checked.h"
#include "element/record/record_mix.h"
#include "element/record/record_tags.h"

#define BLOCK_BYTES   16384u
#define BLOCK_RECORDS 256u

static size_t block_records(const struct gsi_record *record, size_t left)
{
    return gsi_min_u64(left, gsi_clamp_u64(BLOCK_BYTES / record->bytes, 1, BLOCK_RECORDS));
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

void gsi_record_digest_add(const struct gsi_record *record, struct gsi_digest *digest,
                           const void *elements, size_t n)
{
    const uint8_t *at = elements;
    for (size_t step; n > 0; n -= step, at += step * record->bytes) {
        step = block_records(record, n);
        gsi_fingerprint_add(digest->fingerprint, gsi_mix_records(at, step, record->bytes));
        size_t before = digest->count > 0; /* the last record added before is looked at, too */
        size_t disorder = find_disorder(record, at - before * record->bytes, step + before);
        if (disorder < step + before && digest->disorder_idx == UINT64_MAX)
            digest->disorder_idx = digest->count + disorder - before;
        digest->count += step;
    }
}

void gsi_record_digest_join(const struct gsi_record *record, struct gsi_digest *digest,
                            const struct gsi_digest *piece, const void *last, const void *first)
{
    if (digest->disorder_idx == UINT64_MAX) {
        if (last != NULL && gsi_record_compare(record, last, first, 0) > 0)
            digest->disorder_idx = digest->count;
        else if (piece->disorder_idx != UINT64_MAX)
            digest->disorder_idx = digest->count + piece->disorder_idx;
    }
    gsi_fingerprint_add(digest->fingerprint, gsi_fingerprint(piece->fingerprint));
    digest->count += piece->count;
}

void gsi_digest_add_elements(const struct gsi_layout *layout, struct gsi_digest *digest,
                             const void *elements, size_t n)
{
    if (layout->form == GSI_FORM_KEYS)
        gsi_digest_add_mapped(layout, digest, elements, n);
    else
        gsi_record_digest_add(layout->record, digest, elements, n);
}

void gsi_digest_join(const struct gsi_layout *layout, struct gsi_digest *digest,
                     const struct gsi_digest *piece, const void *last, const void *first)
{
    if (layout->form == GSI_FORM_KEYS)
        gsi_digest_join_keys(layout, digest, piece);
    else
        gsi_record_digest_join(layout->record, digest, piece, last, first);
}

int gsi_digest_compare_ends(const struct gsi_layout *layout, const uint8_t *last_key,
                            const void *last, const struct gsi_digest *piece, const void *first)
{
    return layout->form == GSI_FORM_KEYS ? gsi_key_compare(layout, last_key, piece->first_key)
                                         : gsi_record_compare(layout->record, last, first, 0);
}

int gsi_compare_ends(const struct gsi_layout *layout, const uint8_t *last, const uint8_t *first)
{
    return layout->form == GSI_FORM_KEYS ? gsi_key_compare(layout, last, first)
                                         : gsi_record_compare(layout->record, last, first, 0);
}
