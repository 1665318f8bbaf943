/* bench_merge.c: what one thread sorts and merges in memory: the ceiling of the processor's part.
 *
 * `leaf sort` sorts a chunk of random u64 in place. `merge K` merges K sorted runs of them, all of
 * the data together, as the CPU device does: a window of output is cut out of the runs
 * (gsi_merge_cut), then merged tile by tile (gsi_merge_tiles). A device does that with one window a
 * thread, so these speeds times threads bound a merge. Runs are filled and sorted anew for every
 * measurement, outside the clock, and so is the check that the output is in order and holds what
 * the runs held. */
#include "bench.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "device/cpu/cpu_merge.h"
#include "element/key_order.h"

#include <stdio.h>
#include <string.h>

#define KEY_BYTES   ((uint32_t)sizeof(uint64_t))
#define WINDOW_KEYS (((uint64_t)2 << 20) / KEY_BYTES)
#define CHUNK_BYTES ((uint64_t)64 << 20)
#define K_MOST      256u

static const struct {
    uint32_t k;
    const char *name;
} merges[] = {{2, "merge 2"},   {4, "merge 4"},   {8, "merge 8"},
              {16, "merge 16"}, {64, "merge 64"}, {K_MOST, "merge 256"}};

#define MERGE_COUNT (sizeof merges / sizeof merges[0])

struct merge_bench {
    uint64_t key_count;
    uint64_t *keys, *merged; /* key_count each */
    void *scratch;           /* GSI_MERGE_SCRATCH_BYTES */
    uint64_t key_sum;        /* of `keys`, modulo 2^64 */
    uint64_t fill_count;     /* so far; each fill has other keys */
};

static void fill_keys(struct merge_bench *bench)
{
    uint64_t seed = gsi_mix_u64(bench->fill_count++);
    bench->key_sum = 0;
    for (uint64_t i = 0; i < bench->key_count; i++) {
        bench->keys[i] = gsi_mix_u64(seed + i);
        bench->key_sum += bench->keys[i];
    }
}

/* Sorted, and the same sum: a key lost or doubled would show. */
static enum gs_status check_keys(const uint64_t *keys, uint64_t count, uint64_t key_sum,
                                 const char *name, struct gs_error *error)
{
    uint64_t sum = 0, previous = 0;
    bool is_sorted = true;
    for (uint64_t i = 0; i < count; i++) {
        is_sorted = is_sorted && previous <= keys[i];
        previous = keys[i];
        sum += keys[i];
    }
    if (is_sorted && sum == key_sum)
        return GS_OK;
    return gsi_fail(error, GS_E_VERIFY, 0, "%s: the output %s", name,
                    is_sorted ? "does not hold what the input does" : "is not sorted");
}

/* ---- leaf sort ---- */

static uint64_t chunk_keys(const struct merge_bench *bench)
{
    return gsi_min_u64(bench->key_count, CHUNK_BYTES / KEY_BYTES);
}

static enum gs_status measure_leaf_sort(struct merge_bench *bench, struct bench_row *row,
                                        struct gs_error *error)
{
    uint64_t count = chunk_keys(bench), key_sum = 0;
    fill_keys(bench);
    for (uint64_t i = 0; i < count; i++)
        key_sum += bench->keys[i];
    uint64_t begin = gsi_clock_ns();
    gsi_leaf_sort(KEY_BYTES, bench->keys, count);
    bench_row_sample(row, count * KEY_BYTES, gsi_clock_ns() - begin);
    return check_keys(bench->keys, count, key_sum, row->name, error);
}

/* ---- merges ---- */

static void make_runs(struct merge_bench *bench, uint32_t k, struct gsi_slice *runs)
{
    fill_keys(bench);
    for (uint32_t r = 0; r < k; r++) {
        uint64_t first = bench->key_count * r / k, end = bench->key_count * (r + 1) / k;
        gsi_leaf_sort(KEY_BYTES, bench->keys + first, end - first);
        runs[r] = (struct gsi_slice){.keys = bench->keys + first, .count = end - first};
    }
}

/* Where the device decodes a tile and tallies it. */
static void tile_done(void *context, void *keys, size_t n)
{
    (void)context;
    (void)keys;
    (void)n;
}

/* `runs` are consumed. */
static void merge_runs(struct merge_bench *bench, struct gsi_slice *runs, uint32_t k)
{
    struct gsi_slice slices[K_MOST], tile[K_MOST];
    uint64_t cut[K_MOST], cut_scratch[2 * K_MOST];
    for (uint64_t done = 0, window; done < bench->key_count; done += window) {
        window = gsi_min_u64(WINDOW_KEYS, bench->key_count - done);
        gsi_merge_cut(KEY_BYTES, runs, k, window, cut, cut_scratch);
        uint32_t slice_count = 0;
        for (uint32_t r = 0; r < k; r++) {
            if (cut[r] > 0)
                slices[slice_count++] = (struct gsi_slice){.keys = runs[r].keys, .count = cut[r]};
            runs[r].keys = (const uint64_t *)runs[r].keys + cut[r];
            runs[r].count -= cut[r];
        }
        struct gsi_merge_work work = {.slices = slices,
                                      .slice_count = slice_count,
                                      .cut = cut,
                                      .tile = tile,
                                      .scratch = bench->scratch};
        gsi_merge_tiles(KEY_BYTES, &work, bench->merged + done, tile_done, NULL);
    }
}

static enum gs_status measure_merge(struct merge_bench *bench, uint32_t k, struct bench_row *row,
                                    struct gs_error *error)
{
    struct gsi_slice runs[K_MOST];
    make_runs(bench, k, runs);
    uint64_t begin = gsi_clock_ns();
    merge_runs(bench, runs, k);
    bench_row_sample(row, bench->key_count * KEY_BYTES, gsi_clock_ns() - begin);
    return check_keys(bench->merged, bench->key_count, bench->key_sum, row->name, error);
}

/* ---- the subcommand ---- */

static enum gs_status measure(struct merge_bench *bench, uint32_t repeat_count,
                              struct bench_report *report, struct gs_error *error)
{
    struct bench_row *rows[MERGE_COUNT];
    struct bench_row *leaf =
        bench_row_add(report, (struct bench_row){.name = "leaf sort", .thread_count = 1});
    for (size_t m = 0; m < MERGE_COUNT; m++)
        rows[m] =
            bench_row_add(report, (struct bench_row){.name = merges[m].name, .thread_count = 1});
    enum gs_status status = GS_OK;
    for (uint32_t repeat = 0; repeat < repeat_count; repeat++) {
        bench_round(repeat, repeat_count);
        GSI_TRY_OR(measure_leaf_sort(bench, leaf, error), done);
        for (size_t m = 0; m < MERGE_COUNT; m++)
            GSI_TRY_OR(measure_merge(bench, merges[m].k, rows[m], error), done);
    }
done:
    bench_round(repeat_count, repeat_count);
    return status;
}

enum gs_status bench_merge(const struct bench_settings *settings, struct bench_report *report,
                           struct gs_error *error)
{
    uint64_t bytes = settings->size_bytes;
    struct merge_bench bench = {.key_count = bytes / KEY_BYTES};
    struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
    void *keys = NULL, *merged = NULL;
    enum gs_status status = GS_OK;
    GSI_TRY_OR(gsi_memory_map(&ledger, GSI_MEMORY_DATA, bytes, &keys, error), done);
    GSI_TRY_OR(gsi_memory_map(&ledger, GSI_MEMORY_DATA, bytes, &merged, error), done);
    GSI_TRY_OR(
        gsi_memory_map(&ledger, GSI_MEMORY_DATA, GSI_MERGE_SCRATCH_BYTES, &bench.scratch, error),
        done);
    memset(merged, 1, bytes); /* the first merge must not pay for fresh pages */
    bench.keys = keys;
    bench.merged = merged;
    if (chunk_keys(&bench) * KEY_BYTES < CHUNK_BYTES)
        snprintf(report->note, sizeof report->note,
                 "leaf sort: of %llu bytes, all there are, instead of %llu",
                 (unsigned long long)bytes, (unsigned long long)CHUNK_BYTES);
    GSI_TRY_OR(measure(&bench, settings->repeat_count, report, error), done);
done:
    if (keys != NULL)
        gsi_memory_unmap(&ledger, GSI_MEMORY_DATA, keys, bytes);
    if (merged != NULL)
        gsi_memory_unmap(&ledger, GSI_MEMORY_DATA, merged, bytes);
    if (bench.scratch != NULL)
        gsi_memory_unmap(&ledger, GSI_MEMORY_DATA, bench.scratch, GSI_MERGE_SCRATCH_BYTES);
    return status;
}
