/* sorter_order.c: the file of a sorter's order: blocks, parts, ranks. */
#include "embed/sorter_order.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/u128.h"
#include "element/compare.h"
#include "element/record/record.h"
#include "io/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* Large enough that a block costs little more than its bytes, small enough that each of many
 * threads may have one. A block has at least one element of the longest kind. */
#define BLOCK_BYTES GSI_CONSTANT((uint64_t)1 << 20, (uint64_t)128 << 10)
_Static_assert(BLOCK_BYTES / 2 >= GSI_RECORD_BYTES_MAX, "an entry is a record and its sums");

/* Parts that there may be: threads of a large machine, many times over. */
#define PARTS_MAX (1u << 16)

void gsi_order_init(struct gsi_order *order, const struct gsi_layout *layout, uint32_t entry_bytes,
                    const char *directory)
{
    *order = (struct gsi_order){.layout = layout,
                                .entry_bytes = entry_bytes,
                                .directory = directory,
                                .block_bytes = BLOCK_BYTES / entry_bytes * entry_bytes};
}

void gsi_order_close(struct gsi_order *order)
{
    for (uint32_t i = 0; i < order->part_count; i++)
        free(order->parts[i].block);
    free(order->parts);
    free(order->whole.block);
    free(order->hashes);
    XXH3_freeState(order->hash);
    if (order->is_open)
        close(order->fd);
    *order = (struct gsi_order){0};
}

/* ---- written ---- */

static enum gs_status open_file(struct gsi_order *order, struct gs_error *error)
{
    bool is_direct;
    order->directory = order->directory != NULL ? order->directory : gsi_temp_directory();
    GSI_TRY(gsi_temp_open(order->directory, &order->fd, &is_direct, error));
    order->is_open = true;
    /* Pieces have any length, and what was just written is soon read. */
    if (is_direct)
        gsi_file_disable_direct(order->fd);
    order->hash = XXH3_createState();
    if (order->hash == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a checksum's state");
    XXH3_64bits_reset(order->hash);
    return GS_OK;
}

static enum gs_status end_block(struct gsi_order *order, struct gs_error *error)
{
    if (order->block_count == order->block_room) {
        uint64_t room = gsi_max_u64(64, 2 * order->block_room);
        uint64_t *hashes = realloc(order->hashes, room * sizeof *hashes);
        if (hashes == NULL)
            return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate %llu checksums",
                            (unsigned long long)room);
        order->hashes = hashes;
        order->block_room = room;
    }
    order->hashes[order->block_count++] = XXH3_64bits_digest(order->hash);
    XXH3_64bits_reset(order->hash);
    return GS_OK;
}

enum gs_status gsi_order_write(struct gsi_order *order, const void *data, uint64_t bytes,
                               struct gs_error *error)
{
    const uint8_t *at = data;
    if (!order->is_open)
        GSI_TRY(open_file(order, error));
    int refusal = gsi_file_write(order->fd, data, bytes, order->bytes);
    if (refusal == ENOSPC || refusal == EDQUOT || refusal == EFBIG)
        return gsi_fail_space(error, refusal, order->directory, "the sorted order",
                              order->bytes + bytes, UINT64_MAX, "name another directory with -T");
    if (refusal != 0)
        return gsi_fail(error, GS_E_IO, refusal,
                        "temporary file in '%s': cannot write the sorted elements",
                        order->directory);
    while (bytes > 0) {
        uint64_t piece = gsi_min_u64(bytes, order->block_bytes - order->bytes % order->block_bytes);
        XXH3_64bits_update(order->hash, at, piece);
        at += piece;
        bytes -= piece;
        order->bytes += piece;
        if (order->bytes % order->block_bytes == 0)
            GSI_TRY(end_block(order, error));
    }
    return GS_OK;
}

enum gs_status gsi_order_end_writing(struct gsi_order *order, struct gs_error *error)
{
    if (order->is_open && order->bytes % order->block_bytes != 0)
        GSI_TRY(end_block(order, error));
    order->whole.end = order->bytes / order->entry_bytes;
    return GS_OK;
}

/* ---- read ---- */

static uint64_t block_entries(const struct gsi_order *order)
{
    return order->block_bytes / order->entry_bytes;
}

static enum gs_status read_block(const struct gsi_order *order, uint64_t idx, uint8_t *block,
                                 struct gs_error *error)
{
    uint64_t off = idx * order->block_bytes;
    uint64_t bytes = gsi_min_u64(order->block_bytes, order->bytes - off);
    int64_t moved = gsi_file_read(order->fd, block, bytes, off);
    if (moved < 0)
        return gsi_fail(error, GS_E_IO, errno,
                        "temporary file in '%s': cannot read the sorted elements",
                        order->directory);
    if ((uint64_t)moved < bytes || XXH3_64bits(block, bytes) != order->hashes[idx])
        return gsi_fail(error, GS_E_CORRUPT, 0,
                        "temporary file in '%s': the sorted elements are damaged; check the disk",
                        order->directory);
    return GS_OK;
}

static enum gs_status take_block(uint8_t **block, struct gs_error *error)
{
    *block = malloc(BLOCK_BYTES);
    return *block != NULL
               ? GS_OK
               : gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate %llu bytes",
                          (unsigned long long)BLOCK_BYTES);
}

enum gs_status gsi_order_pull(const struct gsi_order *order, struct gsi_order_share *part,
                              const void **data, uint64_t *bytes, struct gs_error *error)
{
    if (part->next >= part->end) {
        free(part->block);
        part->block = NULL;
        return GS_OK;
    }
    if (part->block == NULL)
        GSI_TRY(take_block(&part->block, error));
    uint64_t idx = part->next / block_entries(order), at = part->next % block_entries(order);
    GSI_TRY(read_block(order, idx, part->block, error));
    uint64_t count = gsi_min_u64(block_entries(order) - at, part->end - part->next);
    *data = part->block + at * order->entry_bytes;
    *bytes = count * order->entry_bytes;
    part->next += count;
    return GS_OK;
}

/* Entries before part i of n. */
static uint64_t part_begin(const struct gsi_order *order, uint32_t i, uint32_t n)
{
    return gsi_part_begin(order->whole.end, i, n);
}

enum gs_status gsi_order_share(struct gsi_order *order, uint32_t i, uint32_t n,
                               struct gsi_order_share **part, struct gs_error *error)
{
    if (i >= n || n > PARTS_MAX)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "gs_sorter_pull_part: there is no part %u of %u; parts are numbered from 0 "
                        "to n - 1, and n is at most %u",
                        i, n, PARTS_MAX);
    if (order->parts == NULL) {
        order->parts = calloc(n, sizeof *order->parts);
        if (order->parts == NULL)
            return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate %u parts", n);
        order->part_count = n;
        for (uint32_t k = 0; k < n; k++)
            order->parts[k] = (struct gsi_order_share){.next = part_begin(order, k, n),
                                                       .end = part_begin(order, k + 1, n)};
    }
    if (n != order->part_count)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "gs_sorter_pull_part: n is %u, but was %u in an earlier call; use the same "
                        "n in all calls",
                        n, order->part_count);
    *part = &order->parts[i];
    return GS_OK;
}

/* ---- ranks ---- */

enum gs_status gsi_order_element_at(const struct gsi_order *order, uint64_t rank, void *element,
                                    struct gs_error *error)
{
    uint8_t *block;
    if (rank >= order->whole.end)
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "gs_sorter_rank: there is no rank %llu among %llu elements; the first rank is 0",
            (unsigned long long)rank, (unsigned long long)order->whole.end);
    GSI_TRY(take_block(&block, error));
    enum gs_status status = read_block(order, rank / block_entries(order), block, error);
    if (status == GS_OK)
        memcpy(element, block + rank % block_entries(order) * order->entry_bytes,
               order->entry_bytes);
    free(block);
    return status;
}

/* Returns how many of `count` entries, which are in order, sort before `element`; is_after: or are
 * equal. */
static uint64_t count_before(const struct gsi_order *order, const uint8_t *entries, uint64_t count,
                             const void *element, bool is_after)
{
    uint64_t low = 0;
    while (count > 0) {
        uint64_t half = count / 2;
        int way = gsi_compare(order->layout, entries + (low + half) * order->entry_bytes, element);
        bool is_before = way < 0 || (is_after && way == 0);
        low += is_before ? half + 1 : 0;
        count = is_before ? count - half - 1 : half;
    }
    return low;
}

/* Does the same for all entries. First it finds the last block whose first element sorts before
 * `element`, if there is one. */
static enum gs_status find(const struct gsi_order *order, const void *element, bool is_after,
                           uint8_t *block, uint64_t *before, struct gs_error *error)
{
    uint64_t low = 0, high = order->block_count;
    *before = 0;
    while (low < high) {
        uint64_t idx = low + (high - low) / 2;
        uint64_t begin = idx * block_entries(order);
        uint64_t count = gsi_min_u64(block_entries(order), order->whole.end - begin);
        GSI_TRY(read_block(order, idx, block, error));
        uint64_t found = count_before(order, block, count, element, is_after);
        if (found > 0)
            *before = begin + found;
        if (found > 0 && found < count)
            return GS_OK;
        low = found > 0 ? idx + 1 : low;
        high = found > 0 ? high : idx;
    }
    return GS_OK;
}

enum gs_status gsi_order_rank_of(const struct gsi_order *order, const void *element,
                                 uint64_t *below, uint64_t *not_above, struct gs_error *error)
{
    uint8_t *block;
    GSI_TRY(take_block(&block, error));
    enum gs_status status = find(order, element, false, block, below, error);
    if (status == GS_OK)
        status = find(order, element, true, block, not_above, error);
    free(block);
    return status;
}
