// test_record_kernels.cc: compares the GPU's passes over records with the host's, on the emulated
// GPU or a real one. Run: build/dev/tests/test_record_kernels
#include "element/record/record_mix.h"
#include "element/tally/digest.h"
#include "support/device_records.h"
#include "support/record_tallies.h"

#include "base/choices.h"
#include "element/tally/tally_sums.h"
#include "kernels/record/integer_records.cuh"
#include "kernels/tally/tally.cuh"

#include <algorithm>

// ---- records with keys of every kind ----

static const record_row rows[] = {
    {2, false, {}},
    {3, true, {"1:uint8"}},
    {4, false, {"0:f32"}},
    {7, true, {}},
    {13, false, {"3:i16be", "0:uint8", "5:u64"}},
    {16, false, {"0:u128:desc"}},
    {17, false, {"1:i128"}},
    {12, false, {"3:f16be:desc", "5:bf16", "1:i16"}},
    {24, true, {"2:time64", "10:time64be:desc"}},
    {33, true, {"0:i128be:desc", "17:i128"}},
    {20, true, {"12:u32", "1:f64be:desc", "9:b3"}},
    {33, false, {"2:b29"}},
    {48, false, {"8:u32be", "40:i64", "0:b8:desc"}},
    {100, false, {"0:b10"}},
    {100, true, {"90:b10", "3:f32", "0:int8be"}},
    {261, false, {}},
    {1024, false, {"1000:u64be"}},
    {4100, false, {"1:b4000"}},
    {65536, false, {"65528:f64"}},
};

static int rounds_of(int most)
{
    return test_is_small() ? 2 : most;
}

// Enough for several tiles, and for one that is not full.
static uint64_t random_count(const gsi_record &record, struct test_random *random)
{
    return 1 + test_below(random, record.bytes > 2000 ? 9 : 70000 / record.bytes);
}

static gsi_records_seen fetch_seen(const device_bytes &taken)
{
    const bytes content = fetch("seen", taken);
    gsi_records_seen seen;
    memcpy(&seen, content.data(), sizeof seen);
    return seen;
}

// ---- tags ----

static void test_tags__any_keys__as_the_host(void **)
{
    struct test_random random = test_random_make(1);
    const uint32_t steps = test_is_small() ? 2 : 7;
    for (const record_row &row : rows) {
        const gsi_record record = make_record(row);
        const device_bytes keys = put(&record, sizeof record, 0);
        const uint64_t n = random_count(record, &random), index = test_next(&random) >> 20;
        const bytes data = make_records(record, n, &random);
        const device_bytes records = put(data.data(), data.size(), test_below(&random, 16));
        for (uint32_t at = 0; at <= record.key_bytes; at += 1 + record.key_bytes / steps) {
            std::vector<gsi_u128> want(n);
            gsi_record_tags(&record, data.data(), n, gsi_tag_choice_from(at), index, want.data());
            const device_bytes tags = take(n * 16, 0);
            const uint32_t unshared = record.key_bytes - at;
            const device_bytes counter = put(&unshared, sizeof unshared, 0);
            gsi_cuda_record_table places = places_at(record, keys, at);
            if (at % 2 == 0) { // the byte is known on the device only
                places.at = 12345;
                places.unshared = reinterpret_cast<const uint32_t *>(counter.data);
            }
            check_cuda(gsi_cuda_records_tag(&places, records.data, n, index,
                                            reinterpret_cast<gsi_u128 *>(tags.data), nullptr));
            if (memcmp(fetch("tags", tags).data(), want.data(), n * 16) != 0)
                test_fail("records of %u, tags at %u: not the host's", record.bytes, at);
            give(counter);
        }
        give(records);
        give(keys);
    }
}

static void test_shift__any_bytes__as_the_host(void **)
{
    struct test_random random = test_random_make(2);
    const uint32_t steps = test_is_small() ? 2 : 5;
    for (const record_row &row : rows) {
        const gsi_record record = make_record(row);
        const uint64_t n = 1 + test_below(&random, 700);
        const bytes first = make_records(record, 1, &random);
        const device_bytes keys = put(&record, sizeof record, 0);
        const device_bytes element = put(first.data(), first.size(), 5);
        for (uint32_t from = 1; from <= record.key_bytes; from += 1 + record.key_bytes / steps) {
            const uint32_t to = static_cast<uint32_t>(test_below(&random, from));
            std::vector<gsi_u128> want(n);
            for (gsi_u128 &tag : want)
                tag = static_cast<gsi_u128>(test_next(&random)) << 64 | test_next(&random);
            const device_bytes tags = put(want.data(), n * 16, 0);
            gsi_record_tags_shift(&record, first.data(), gsi_tag_choice_from(from),
                                  gsi_tag_choice_from(to), want.data(), n);
            check_cuda(gsi_cuda_records_shift(reinterpret_cast<const gsi_record *>(keys.data),
                                              element.data, from, to,
                                              reinterpret_cast<gsi_u128 *>(tags.data), n, nullptr));
            if (memcmp(fetch("shift", tags).data(), want.data(), n * 16) != 0)
                test_fail("records of %u, from %u to %u: not the host's", record.bytes, from, to);
        }
        give(element);
        give(keys);
    }
}

// ---- what is counted ----

static void test_take__any_records__fingerprint_and_what_is_shared(void **)
{
    struct test_random random = test_random_make(3);
    for (const record_row &row : rows)
        for (int round = 0; round < rounds_of(4); round++) {
            const gsi_record record = make_record(row);
            const uint64_t n = random_count(record, &random), half = n / 2;
            const bytes data = make_records(record, n, &random);
            gsi_bump bump;
            gsi_record_tally *tally = record_tally_open(&record, &bump);
            gsi_tally_report fields[GSI_FIELDS_MAX];
            gsi_record_tally_add(tally, data.data(), n);
            const gsi_tally_report want = gsi_record_tally_finish(tally, fields);
            record_tally_close(&bump);
            uint32_t shared = record.key_bytes;
            for (uint64_t i = 0; i < n; i++)
                shared = gsi_record_shared(&record, data.data(), data.data() + i * record.bytes, 0,
                                           shared);

            const device_bytes keys = put(&record, sizeof record, 0);
            const auto *on_device = reinterpret_cast<const gsi_record *>(keys.data);
            const device_bytes records = put(data.data(), data.size(), test_below(&random, 16));
            const gsi_records_seen nothing = {};
            const device_bytes seen = put(&nothing, sizeof nothing, 0);
            auto *const counts = reinterpret_cast<gsi_records_seen *>(seen.data);
            check_cuda(gsi_cuda_records_read(on_device, record.bytes, records.data, half,
                                             records.data, counts, nullptr));
            check_cuda(gsi_cuda_records_read(on_device, record.bytes,
                                             records.data + half * record.bytes, n - half,
                                             records.data, counts, nullptr));
            const gsi_records_seen got = fetch_seen(seen);
            if (got.fingerprint[0] != want.fingerprint[0] ||
                got.fingerprint[1] != want.fingerprint[1])
                test_fail("records of %u, %llu of them: fingerprint", record.bytes,
                          (unsigned long long)n);
            if (record.key_bytes - got.unshared != shared)
                test_fail("records of %u: share %u, not %u", record.bytes,
                          record.key_bytes - got.unshared, shared);
            give(records);
            give(keys);
        }
}

static void test_numbers__every_type__as_the_host(void **)
{
    static const char *const types[] = {"uint8", "int8",  "u16",    "i16",  "u16be",  "i16be",
                                        "u32",   "i32be", "f32",    "u64",  "i64be",  "f64",
                                        "f64be", "u128",  "u128be", "i128", "i128be", "f16",
                                        "f16be", "bf16",  "bf16be"};
    struct test_random random = test_random_make(4);
    for (const char *type : types)
        for (uint32_t record_bytes : {17u, 64u}) {
            char text[32];
            const char *texts[] = {text};
            snprintf(text, sizeof text, "1:%s", type);
            gsi_record record;
            gs_error error = {};
            if (gsi_record_make(record_bytes, nullptr, 0, texts, 1, false, &record, &error) !=
                GS_OK)
                test_fail("%s", error.text);
            const gsi_field &field = record.fields[0];
            const uint64_t n = 1 + test_below(&random, 900);
            const bytes data = make_records(record, n, &random);
            bytes want(n * field.type->bytes);
            for (uint64_t i = 0; i < n; i++)
                gsi_field_number(&field, data.data() + i * record_bytes,
                                 want.data() + i * field.type->bytes);
            const device_bytes records = put(data.data(), data.size(), test_below(&random, 16));
            const device_bytes numbers = take(want.size(), 0);
            check_cuda(gsi_cuda_records_numbers(&field, record_bytes, records.data, n, numbers.data,
                                                nullptr, nullptr));
            if (fetch("numbers", numbers) != want)
                test_fail("%s in records of %u: not the host's", type, record_bytes);
            give(records);
        }
}

static std::vector<int64_t> times_of(const bytes &data, uint64_t n)
{
    std::vector<int64_t> times(n);
    if (n > 0)
        memcpy(times.data(), data.data(), n * sizeof times[0]);
    std::sort(times.begin(), times.end());
    return times;
}

static void test_numbers__times__those_that_are_none_are_left_out(void **)
{
    struct test_random random = test_random_make(7);
    gsi_record record;
    gsi_record_make_number(24, "time64", false, &record);
    const gsi_field &field = record.fields[0];
    for (uint64_t nats_of_ten : {0u, 3u, 10u}) {
        const uint64_t n = 1 + test_below(&random, 900);
        bytes data = make_records(record, n, &random), want(n * 8);
        const int64_t nat = INT64_MIN;
        for (uint64_t i = 0; i < n; i++)
            if (test_below(&random, 10) < nats_of_ten)
                memcpy(data.data() + i * record.bytes, &nat, sizeof nat);
        const uint64_t left = gsi_field_numbers(&field, data.data(), record.bytes, n, want.data());
        const device_bytes records = put(data.data(), data.size(), 0);
        const device_bytes numbers = take(n * 8, 0), kept = take(8, 0);
        check_cuda(gsi_cuda_records_numbers(&field, record.bytes, records.data, n, numbers.data,
                                            reinterpret_cast<unsigned long long *>(kept.data),
                                            nullptr));
        const gsi_layout layout = gsi_layout_make(record.fields[0].type, false);
        const device_bytes memory = take(gsi_cuda_tally_bytes(&layout), 0);
        auto *const tally = reinterpret_cast<gsi_cuda_tally *>(memory.data);
        check_cuda(gsi_cuda_tally_clear(&layout, tally, nullptr));
        check_cuda(gsi_cuda_tally_add_lean(&layout, tally, numbers.data, n,
                                           reinterpret_cast<unsigned long long *>(kept.data),
                                           nullptr));
        uint64_t got_left = 0;
        memcpy(&got_left, fetch("kept", kept).data(), sizeof got_left);
        if (got_left != left)
            test_fail("%llu of %llu times are kept", (unsigned long long)got_left,
                      (unsigned long long)left);
        if (times_of(fetch("times", numbers), left) != times_of(want, left))
            test_fail("times: not the host's");
        const bytes fetched = fetch("tally", memory);
        gsi_tally *found = gsi_tally_create(&layout), *model = gsi_tally_create(&layout);
        gsi_cuda_tally_join(&layout, fetched.data(), found);
        gsi_tally_add(model, want.data(), left);
        const gsi_tally_report a = gsi_tally_finish(found), b = gsi_tally_finish(model);
        if (a.count != left || memcmp(a.min, b.min, 16) != 0 || memcmp(a.max, b.max, 16) != 0 ||
            memcmp(&a.sum, &b.sum, sizeof a.sum) != 0)
            test_fail("times: not the host's tally");
        gsi_tally_free(found);
        gsi_tally_free(model);
        give(records);
    }
}

static void check_digest(const char *what, const gsi_record &record, const bytes &data,
                         const device_bytes &seen)
{
    const uint64_t n = data.size() / record.bytes;
    gsi_digest want = {}, got = {};
    want.disorder_idx = got.disorder_idx = UINT64_MAX;
    gsi_record_digest_add(&record, &want, data.data(), n);
    const gsi_records_seen fetched = fetch_seen(seen);
    gsi_cuda_records_join(&fetched, n, &got);
    if (got.count != want.count || memcmp(got.fingerprint, want.fingerprint, 16) != 0)
        test_fail("%s, records of %u: count or fingerprint", what, record.bytes);
    if (got.disorder_idx != want.disorder_idx)
        test_fail("%s, records of %u: disorder at %lld, not %lld", what, record.bytes,
                  (long long)got.disorder_idx, (long long)want.disorder_idx);
}

struct by_record {
    const gsi_record *record;
    const bytes *data;
};

static int compare_indexes(const void *a, const void *b, void *context)
{
    const by_record *by = static_cast<const by_record *>(context);
    const uint32_t x = *static_cast<const uint32_t *>(a), y = *static_cast<const uint32_t *>(b);
    const int order = gsi_record_compare(by->record, by->data->data() + x * by->record->bytes,
                                         by->data->data() + y * by->record->bytes, 0);
    return order != 0 ? order : (x > y) - (x < y);
}

// Makes places of `n` records: in order, in order except two, or random.
static std::vector<uint32_t> make_order(const gsi_record &record, const bytes &data, uint64_t n,
                                        struct test_random *random)
{
    std::vector<uint32_t> order(n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    by_record by = {&record, &data};
    const uint64_t kind = test_below(random, 3);
    if (kind > 0)
        qsort_r(order.data(), n, sizeof order[0], compare_indexes, &by);
    for (uint64_t swaps = kind == 0 ? n : kind - 1; swaps > 0; swaps--)
        std::swap(order[test_below(random, n)], order[test_below(random, n)]);
    return order;
}

static void test_check__ordered_and_not__as_the_host(void **)
{
    struct test_random random = test_random_make(5);
    for (const record_row &row : rows)
        for (int round = 0; round < rounds_of(6); round++) {
            const gsi_record record = make_record(row);
            const uint64_t n = random_count(record, &random);
            const bytes data = make_records(record, n, &random);
            bytes ordered;
            for (uint32_t i : make_order(record, data, n, &random))
                ordered.insert(ordered.end(), data.begin() + i * record.bytes,
                               data.begin() + (i + 1) * record.bytes);
            const device_bytes keys = put(&record, sizeof record, 0);
            const device_bytes records =
                put(ordered.data(), ordered.size(), test_below(&random, 16));
            const device_bytes seen = take(sizeof(gsi_records_seen), 0);
            check_cuda(gsi_cuda_records_check(
                reinterpret_cast<const gsi_record *>(keys.data), record.bytes, records.data, n,
                reinterpret_cast<gsi_records_seen *>(seen.data), nullptr));
            check_digest("check", record, ordered, seen);
            give(records);
            give(keys);
        }
}

// ---- the gather ----

static void test_gather__any_order__records_fingerprint_and_order(void **)
{
    struct test_random random = test_random_make(6);
    for (const record_row &row : rows)
        for (int round = 0; round < rounds_of(6); round++) {
            const gsi_record record = make_record(row);
            const uint64_t n = random_count(record, &random), first_block = test_below(&random, 99);
            const uint32_t shift = static_cast<uint32_t>(test_below(&random, 10));
            const bytes data = make_records(record, n, &random);
            const std::vector<uint32_t> order = make_order(record, data, n, &random);
            std::vector<gsi_u128> tags(n);
            bytes want;
            for (uint64_t i = 0; i < n; i++) {
                const uint64_t index = (first_block << shift) + order[i];
                tags[i] = static_cast<gsi_u128>(test_next(&random)) << 64 | index;
                want.insert(want.end(), data.begin() + order[i] * record.bytes,
                            data.begin() + (order[i] + 1) * record.bytes);
            }
            const device_bytes keys = put(&record, sizeof record, 0);
            const device_blocks blocks = put_blocks(record, keys, data, shift, first_block);
            const device_bytes on_device = put(tags.data(), n * 16, 0);
            const device_bytes seen = take(sizeof(gsi_records_seen), 0);
            const device_bytes out = take(data.size(), 0);
            check_cuda(gsi_cuda_records_gather(
                &blocks.places, reinterpret_cast<const gsi_u128 *>(on_device.data), n, out.data,
                round == 0 ? nullptr : reinterpret_cast<gsi_records_seen *>(seen.data), nullptr));
            if (fetch("gather", out) != want)
                test_fail("records of %u, %llu of them in blocks of 2^%u: wrong output",
                          record.bytes, (unsigned long long)n, shift);
            if (round == 0)
                give(seen);
            else
                check_digest("gather", record, want, seen);
            for (const device_bytes &block : blocks.memory)
                give(block);
            give(blocks.table);
            give(on_device);
            give(keys);
        }
}

// ---- words ----

static const record_row word_rows[] = {
    {4, false, {"0:f32"}},
    {4, true, {"2:u16be", "0:f16:desc"}},
    {4, false, {"0:b1", "1:b3:desc"}},
    {8, true, {"0:time64"}},
    {8, false, {"0:time64be"}},
    {8, false, {"4:u32be", "0:i32:desc"}},
    {8, false, {"7:int8", "0:b4", "4:u16", "6:b1"}},
    {16, true, {"8:f64", "0:f64be:desc"}},
    {16, false, {"0:i128be"}},
    {16, false, {"3:b5", "8:time64", "0:b3"}},
    {16, false, {"12:f32", "8:f32:desc", "4:f32be", "2:bf16", "0:f16"}},
};

static void test_words__any_keys__as_the_host_and_back(void **)
{
    struct test_random random = test_random_make(8);
    for (const record_row &row : word_rows)
        for (int round = 0; round < rounds_of(4); round++) {
            const gsi_record record = make_record(row);
            gsi_integer_map word;
            assert_true(gsi_integer_map_make(&record, &word));
            const uint64_t n = 1 + test_below(&random, 3000), before = n / 3;
            const bytes data = make_records(record, n, &random);
            bytes want(data.size());
            gsi_records_to_integers(&word, data.data(), n, 0, want.data());
            const gsi_u128 mixes = gsi_mix_records(data.data(), n, record.bytes);

            const gsi_records_seen nothing = {};
            const device_bytes words = put(data.data(), data.size(), 0);
            const device_bytes seen = put(&nothing, sizeof nothing, 0);
            auto *const sums = reinterpret_cast<gsi_records_seen *>(seen.data);
            check_cuda(gsi_cuda_records_to_integers(&word, words.data, before, sums, nullptr));
            check_cuda(gsi_cuda_records_to_integers(&word, words.data + before * record.bytes,
                                                    n - before, sums, nullptr));
            const gsi_records_seen in = fetch_seen(seen);
            if (gsi_fingerprint(reinterpret_cast<const uint64_t *>(in.fingerprint)) != mixes)
                test_fail("words of %u, %llu of them: fingerprint", record.bytes,
                          (unsigned long long)n);
            bytes made(data.size());
            check_cuda(cudaMemcpy(made.data(), words.data, made.size(), cudaMemcpyDeviceToHost));
            if (made != want)
                test_fail("words of %u, %s: not the host's", record.bytes, row.keys[0]);

            for (bool to_elements : {false, true}) {
                const device_bytes out = put(&in, sizeof in, 0); // overwritten
                check_cuda(gsi_cuda_integers_to_records(
                    &word, words.data, n, to_elements,
                    reinterpret_cast<gsi_records_seen *>(out.data), nullptr));
                const gsi_records_seen back = fetch_seen(out);
                if (memcmp(back.fingerprint, in.fingerprint, sizeof in.fingerprint) != 0)
                    test_fail("words of %u, back: fingerprint", record.bytes);
                check_cuda(
                    cudaMemcpy(made.data(), words.data, made.size(), cudaMemcpyDeviceToHost));
                if (made != (to_elements ? data : want))
                    test_fail("words of %u, %s: not the records", record.bytes, row.keys[0]);
            }
            fetch("words", words); // its guards are whole
        }
}

int main(void)
{
    if (!has_device())
        return NOT_RUN;
    check_cuda(gsi_cuda_records_prepare());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags__any_keys__as_the_host),
        cmocka_unit_test(test_shift__any_bytes__as_the_host),
        cmocka_unit_test(test_take__any_records__fingerprint_and_what_is_shared),
        cmocka_unit_test(test_numbers__every_type__as_the_host),
        cmocka_unit_test(test_numbers__times__those_that_are_none_are_left_out),
        cmocka_unit_test(test_check__ordered_and_not__as_the_host),
        cmocka_unit_test(test_gather__any_order__records_fingerprint_and_order),
        cmocka_unit_test(test_words__any_keys__as_the_host_and_back),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
