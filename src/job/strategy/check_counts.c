/* check_counts.c: counts on the pool, joins on the owner's thread. */
#include "job/strategy/check_counts.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/compare.h"
#include "job/job.h"
#include "output/write_flow/write_flow.h"

#include <string.h>
#include <zlib.h>

/* Bytes of a record that has valsort's checksum. */
#define VALSORT_RECORD_BYTES 100u

/* Buffers of tagged records contain whole records until the end, so any of their keys can be
 * compared. */
static enum gs_status open_group_record(struct gsi_check_counts *counts)
{
    struct gsi_loop *loop = &counts->job->loop;
    const struct gsi_record *record = loop->layout->record;
    uint32_t key_count = counts->job->options->group_keys;
    if (key_count == 0 && counts->job->options->ties_by_bytes)
        key_count = record->key_count; /* without what breaks ties */
    if (key_count == 0)
        return GS_OK;
    GSI_TRY(gsi_write_flow_check_group(key_count, loop->layout, loop->error));
    GSI_ASSERT(loop->layout->form != GSI_FORM_KEYS);
    GSI_TRY(GSI_NEW(&loop->ledger, counts->group, 1, loop->error));
    gsi_record_first_keys(loop->layout->record, key_count, counts->group);
    counts->layout.record = counts->group;
    return GS_OK;
}

enum gs_status gsi_check_counts_open(struct gsi_check_counts *counts, struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    *counts = (struct gsi_check_counts){.job = job, .layout = *job->loop.layout};
    if (options->action != GS_CHECK || !(options->check_counts || options->unique))
        return GS_OK;
    counts->is_wanted = true;
    counts->has_checksum =
        options->check_counts && job->loop.layout->element_bytes == VALSORT_RECORD_BYTES;
    return open_group_record(counts);
}

void gsi_check_counts_close(struct gsi_check_counts *counts)
{
    if (counts->group != NULL)
        GSI_FREE(&counts->job->loop.ledger, counts->group, 1);
    *counts = (struct gsi_check_counts){0};
}

/* The sum of the CRC-32 of every record (gensort 1.5, sortbenchmark.org). */
static gsi_u128 valsort_sum(const uint8_t *records, size_t n)
{
    gsi_u128 sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += crc32_z(0, records + i * VALSORT_RECORD_BYTES, VALSORT_RECORD_BYTES);
    return sum;
}

void gsi_check_counts_add(const struct gsi_check_counts *counts, const struct gsi_buffer *buffer,
                          struct gsi_check_partial *partial)
{
    uint32_t bytes = counts->layout.element_bytes;
    size_t n = buffer->bytes / bytes;
    struct gsi_keyed keyed = gsi_keyed_by_layout(&counts->layout, buffer->data, n);
    *partial = (struct gsi_check_partial){.first_equal = UINT64_MAX};
    partial->equal_count = gsi_equal_keys_count(&keyed);
    if (partial->equal_count > 0 && counts->job->options->unique) {
        partial->first_equal = gsi_equal_keys_find(&keyed, 0, 1) + 1;
        memcpy(partial->element, buffer->data + partial->first_equal * bytes,
               gsi_min_u64(bytes, sizeof partial->element));
    }
    if (counts->has_checksum)
        partial->checksum = valsort_sum(buffer->data, n);
}

/* Returns whether the buffer begins with the last key of the previous buffer. */
static bool begins_equal(const struct gsi_check_counts *counts,
                         const struct gsi_stream_check *check, const struct gsi_buffer *buffer)
{
    if (counts->group == NULL || check->digest.count == 0 || buffer->bytes == 0)
        return gsi_stream_check_is_equal(check, buffer);
    return gsi_record_compare(counts->group, check->last, buffer->data, 0) == 0;
}

/* The first element of the buffer with the key of the one before it, as it was read. Buffers hold
 * keys by now, or elements, as the device pleases; records with tags stay. */
static const void *equal_element(const struct gsi_layout *layout,
                                 const struct gsi_check_partial *partial,
                                 const struct gsi_buffer *buffer, uint64_t idx, uint8_t number[16])
{
    if (layout->form != GSI_FORM_KEYS)
        return buffer->data + idx * layout->element_bytes;
    if (idx > 0)
        return partial->element;
    gsi_key_to_element(layout, buffer->digest.first_key, number);
    return number;
}

void gsi_check_counts_join(struct gsi_check_counts *counts, struct gsi_stream_check *check,
                           struct gsi_buffer *buffer, const struct gsi_check_partial *partial)
{
    uint64_t begin = check->digest.count;
    bool is_first_equal = begins_equal(counts, check, buffer);
    uint64_t idx = is_first_equal ? 0 : partial->first_equal;
    uint8_t number[16];
    counts->duplicate_count += partial->equal_count + is_first_equal;
    counts->checksum += partial->checksum;
    gsi_stream_check_join(check, buffer);
    if (counts->job->options->unique && idx != UINT64_MAX &&
        begin + idx < check->digest.disorder_idx)
        gsi_stream_check_refuse_equal(
            check, begin + idx,
            equal_element(counts->job->loop.layout, partial, buffer, idx, number));
}

void gsi_check_counts_report(const struct gsi_check_counts *counts, struct gsi_check_report *report)
{
    report->has_duplicate_count = counts->is_wanted;
    report->duplicate_count = counts->duplicate_count;
    report->has_valsort_checksum = counts->has_checksum;
    report->valsort_checksum[0] = (uint64_t)counts->checksum;
    report->valsort_checksum[1] = (uint64_t)(counts->checksum >> 64);
}
