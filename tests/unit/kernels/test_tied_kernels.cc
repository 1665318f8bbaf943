// test_tied_kernels.cc: compares sorts, merges and cuts of tags in the order of whole keys with the
// host's order of records. It runs on the emulated GPU with tiny tiles or on a real one.
// Run: build/dev/tests/test_tied_kernels
#include "support/device_records.h"

#include "kernels/sort/sort_kernels.h"

#include <algorithm>

typedef std::vector<gsi_u128> tags;

static const gsi_sort_kernels &kernels = gsi_sort_kernels_tied;

// Longer keys than tags tell apart.
static const record_row rows[] = {
    {11, true, {}},
    {16, false, {"0:u128"}},
    {24, false, {"3:b21:desc"}},
    {60, true, {"50:u32", "8:f64:desc", "16:b30"}},
};

// Makes records on the host and, in blocks, on the device, and their tags at byte `at`.
struct tied_records {
    gsi_record record;
    bytes data;
    uint32_t at, shift;
    uint64_t first_block;
    device_bytes keys;
    device_blocks blocks;
};

// So many that agree in ten bytes and more that whole tiles tie, and some that are equal.
static tied_records make_tied(const record_row &row, uint64_t n, struct test_random *random)
{
    tied_records made = {};
    made.record = make_record(row);
    made.data.resize(n * row.record_bytes);
    const uint64_t kind = test_below(random, 4);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t b = 0; b < row.record_bytes; b++) {
            const uint64_t dice = test_next(random) >> 20;
            const bool is_late = b + 3 > row.record_bytes || b < 2;
            made.data[i * row.record_bytes + b] =
                static_cast<uint8_t>(kind == 0   ? dice % 2
                                     : kind == 1 ? 255 - (is_late ? dice % 4 : 0)
                                     : kind == 2 ? 9
                                                 : dice);
        }
    made.at = static_cast<uint32_t>(test_below(random, 3)); // of bytes that differ, for one
    made.shift = 3 + static_cast<uint32_t>(test_below(random, 7));
    made.first_block = test_below(random, 50);
    made.keys = put(&made.record, sizeof made.record, 0);
    made.blocks = put_blocks(made.record, made.keys, made.data, made.shift, made.first_block);
    made.blocks.places.at = made.at;
    return made;
}

static void give_tied(const tied_records &made)
{
    for (const device_bytes &block : made.blocks.memory)
        give(block);
    give(made.blocks.table);
    give(made.keys);
}

static const uint8_t *element_of(const tied_records &made, gsi_u128 tag)
{
    const uint64_t index = gsi_tag_index(tag) - (made.first_block << made.shift);
    return made.data.data() + index * made.record.bytes;
}

// Whole keys, from the byte on that tags were made at; then the index.
static bool is_below(const tied_records &made, gsi_u128 a, gsi_u128 b)
{
    if (gsi_tag_key(a) != gsi_tag_key(b))
        return a < b;
    const int order = gsi_record_compare(&made.record, element_of(made, a), element_of(made, b),
                                         made.at + GSI_TAG_KEY_BYTES);
    return order != 0 ? order < 0 : a < b;
}

static tags tags_of(const tied_records &made, uint64_t n)
{
    tags all(n);
    gsi_record_tags(&made.record, made.data.data(), n, gsi_tag_choice_from(made.at),
                    made.first_block << made.shift, all.data());
    return all;
}

static void sort_tags(const tied_records &made, tags *all)
{
    std::sort(all->begin(), all->end(),
              [&](gsi_u128 a, gsi_u128 b) { return is_below(made, a, b); });
}

static tags fetch_tags(const void *from, uint64_t n)
{
    tags all(n);
    check_cuda(cudaMemcpy(all.data(), from, n * 16, cudaMemcpyDeviceToHost));
    return all;
}

static void test_chunk_sort__ties__by_whole_keys(void **)
{
    struct test_random random = test_random_make(1);
    for (const record_row &row : rows)
        for (uint64_t n : {1, 2, 3, 319, 320, 321, 1000, 5120, 5121, 12000}) {
            const tied_records made = make_tied(row, n, &random);
            tags want = tags_of(made, n);
            const device_bytes chunk = put(want.data(), n * 16, 0), spare = take(n * 16, 0);
            const device_bytes scratch = take(kernels.chunk_scratch_bytes(n), 0);
            void *sorted;
            check_cuda(kernels.chunk_sort(chunk.data, spare.data, n, scratch.data,
                                          &made.blocks.places, nullptr, &sorted));
            sort_tags(made, &want);
            if (fetch_tags(sorted, n) != want)
                test_fail("records of %u, %llu of them: order", row.record_bytes,
                          (unsigned long long)n);
            fetch("chunk_sort", chunk);
            fetch("chunk_sort", spare);
            give(scratch);
            give_tied(made);
        }
}

// Sorted arrays: the tags dealt at random.
static std::vector<tags> deal(const tied_records &made, const tags &all, uint32_t count,
                              struct test_random *random)
{
    std::vector<tags> arrays(count);
    for (gsi_u128 tag : all)
        arrays[test_below(random, count)].push_back(tag);
    for (tags &array : arrays)
        sort_tags(made, &array);
    return arrays;
}

struct device_arrays {
    std::vector<device_bytes> memory;
    std::vector<gsi_slice> slices;
};

static device_arrays put_arrays(const std::vector<tags> &arrays)
{
    device_arrays there;
    for (const tags &array : arrays) {
        there.memory.push_back(put(array.data(), array.size() * 16, 0));
        there.slices.push_back({there.memory.back().data, array.size()});
    }
    return there;
}

static void give_arrays(const device_arrays &there)
{
    for (const device_bytes &array : there.memory)
        give(array);
}

static void test_merge__ties__by_whole_keys(void **)
{
    struct test_random random = test_random_make(2);
    for (const record_row &row : rows)
        for (uint32_t count : {1, 2, 3, 8, 16, 17, 40}) {
            const uint64_t n = 1 + test_below(&random, 6000);
            const tied_records made = make_tied(row, n, &random);
            tags want = tags_of(made, n);
            const device_arrays there = put_arrays(deal(made, want, count, &random));
            const device_bytes out = take((n + 16 * count) * 16, 0), temp = take(out.count, 0);
            const device_bytes scratch = take(kernels.merge_scratch_bytes(n, count), 0);
            sort_tags(made, &want);
            for (int kernel = GSI_MERGE_TILED; kernel < GSI_MERGE_KERNEL_COUNT; kernel++) {
                gsi_pair_merges pairs = {static_cast<gsi_merge_kernel>(kernel), 0};
                const bool is_tuned = kernel != GSI_MERGE_TILED;
                if (is_tuned && (!has_bulk_copies() || count != 2))
                    continue;
                check_cuda(kernels.merge(there.slices.data(), count, out.data, temp.data,
                                         scratch.data, &made.blocks.places, &pairs, nullptr));
                if (fetch_tags(out.data, n) != want || pairs.count != is_tuned)
                    test_fail("%u arrays of records of %u, merge kernel %d: order", count,
                              row.record_bytes, kernel);
                check_cuda(cudaMemset(out.data, 0, n * 16));
            }
            give(out);
            give(temp);
            give(scratch);
            give_arrays(there);
            give_tied(made);
        }
}

// How many tags of each array are among the first `wanted` of all, up to the bound.
static std::vector<uint64_t> cut_slowly(const tied_records &made, const std::vector<tags> &arrays,
                                        tags all, uint64_t wanted)
{
    std::vector<uint64_t> cut;
    sort_tags(made, &all);
    for (const tags &array : arrays) {
        uint64_t taken = 0;
        for (gsi_u128 tag : array)
            taken += wanted > 0 && !is_below(made, all[wanted - 1], tag);
        cut.push_back(taken);
    }
    return cut;
}

static void test_cut_windows__ties__by_whole_keys(void **)
{
    struct test_random random = test_random_make(3);
    for (const record_row &row : rows)
        for (uint32_t count : {1, 2, 31, 33, 70}) {
            const uint64_t n = 1 + test_below(&random, 1500);
            const tied_records made = make_tied(row, n, &random);
            tags all = tags_of(made, n);
            const std::vector<tags> arrays = deal(made, all, count, &random);
            const device_arrays there = put_arrays(arrays);
            std::vector<gsi_chain> chain_list;
            std::vector<gsi_part> part_list;
            for (uint32_t i = 0; i < count; i++) {
                chain_list.push_back({there.slices[i].count, i, 1});
                part_list.push_back({there.slices[i].keys, 0});
            }
            const device_bytes chains = put(chain_list.data(), count * sizeof(gsi_chain), 0);
            const device_bytes parts = put(part_list.data(), count * sizeof(gsi_part), 0);
            const uint64_t window = 1 + test_below(&random, n);
            const uint32_t windows = static_cast<uint32_t>((n + window - 1) / window);
            const device_bytes cuts = take(windows * count * 8, 0), totals = take(windows * 8, 0);
            const bool has_bound = test_below(&random, 2) > 0;
            const gsi_u128 bound = all[test_below(&random, n)];
            check_cuda(kernels.cut_windows(
                reinterpret_cast<const gsi_chain *>(chains.data), count,
                reinterpret_cast<const gsi_part *>(parts.data), has_bound ? &bound : nullptr, count,
                window, windows, reinterpret_cast<uint64_t *>(cuts.data),
                reinterpret_cast<uint64_t *>(totals.data), &made.blocks.places, nullptr));
            uint64_t total = 0;
            for (gsi_u128 tag : all)
                total += !has_bound || !is_below(made, bound, tag);
            const bytes got = fetch("cut_windows", cuts), got_totals = fetch("totals", totals);
            for (uint32_t w = 0; w < windows; w++) {
                const std::vector<uint64_t> want =
                    cut_slowly(made, arrays, all, std::min((w + 1) * window, total));
                if (memcmp(got.data() + w * count * 8, want.data(), count * 8) != 0)
                    test_fail("%u arrays of records of %u: window %u", count, row.record_bytes, w);
                if (memcmp(got_totals.data() + w * 8, &total, 8) != 0)
                    test_fail("%u arrays of records of %u: total", count, row.record_bytes);
            }
            give(chains);
            give(parts);
            give_arrays(there);
            give_tied(made);
        }
}

int main(void)
{
    if (!has_device())
        return NOT_RUN;
    check_cuda(kernels.prepare());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunk_sort__ties__by_whole_keys),
        cmocka_unit_test(test_merge__ties__by_whole_keys),
        cmocka_unit_test(test_cut_windows__ties__by_whole_keys),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
