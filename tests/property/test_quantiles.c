/* test_quantiles.c: exact quantiles, how many values differ and which is the most frequent, against
 * a model that sorts and counts: numbers of every type and fields of records, NaNs, ties, both
 * directions, resident and spilled, on both devices; and quantiles of what is not sorted, in memory
 * that holds a part of it, in one pass and in several. Run: build/dev/tests/test_quantiles */
#include "base/report.h"
#include "element/key_type.h"
#include "element/quantile/bracket.h"
#include "support/can_run.h"
#include "support/record_model.h"
#include "support/struct_jobs.h"

#define ROUNDS     500
#define MOST       150000 /* of what is not sorted; else a part of it */
#define MOST_BYTES ((size_t)32 * MOST)

static size_t passes[5]; /* cases that took so many */
static uint8_t in[MOST_BYTES], values[16 * MOST];

struct way {
    const char *name;
    enum gsi_device_word device;
    uint32_t threads;
    bool spill_all, unique, where, stats;
    uint64_t window_bytes;
};

static const struct way ways[] = {
    {.name = "resident", .threads = 2},
    {.name = "small windows", .threads = 3, .window_bytes = 12288},
    {.name = "spilled", .threads = 2, .spill_all = true, .window_bytes = 12288},
    {.name = "unique", .threads = 1, .unique = true, .window_bytes = 12288},
    {.name = "where", .threads = 2, .where = true},
    {.name = "GPU", .device = GSI_DEVICE_CUDA, .threads = 2},
    {.name = "not sorted", .threads = 2, .stats = true},
    {.name = "not sorted, small windows", .threads = 3, .stats = true, .window_bytes = 12288},
    {.name = "not sorted, where", .threads = 2, .stats = true, .where = true},
};
#define WAY_COUNT (sizeof ways / sizeof ways[0])

/* As texts, and as fractions. */
static const struct {
    const char *text;
    uint64_t numerator, denominator;
} quantiles[] = {
    {"0", 0, 1},       {"0.001", 1, 1000},
    {".25", 1, 4},     {"0.3333", 3333, 10000},
    {"median", 1, 2},  {"0.50", 1, 2},
    {"0.99", 99, 100}, {"0.999999999999999999", 999999999999999999, 1000000000000000000},
    {"1.0", 1, 1}};
#define QUANTILE_COUNT (sizeof quantiles / sizeof quantiles[0])

/* The elements, and the value of each by which it is sorted, as a little-endian element of
 * `type`. */
struct data {
    struct record_model model;
    bool is_record;
    const char *type;
    size_t n, value_count; /* of values that are no NaNs, in order */
};

static double as_double(const char *type, const uint8_t *value)
{
    float single;
    double wide;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    model_u128 u128;
    model_i128 i128;
    memcpy(&single, value, 4);
    memcpy(&wide, value, 8);
    memcpy(&i32, value, 4);
    memcpy(&u32, value, 4);
    memcpy(&i64, value, 8);
    memcpy(&u64, value, 8);
    memcpy(&u128, value, 16);
    memcpy(&i128, value, 16);
    return strcmp(type, "f32") == 0    ? (double)single
           : strcmp(type, "f64") == 0  ? wide
           : strcmp(type, "i32") == 0  ? i32
           : strcmp(type, "u32") == 0  ? u32
           : strcmp(type, "i64") == 0  ? (double)i64
           : strcmp(type, "u64") == 0  ? (double)u64
           : strcmp(type, "i128") == 0 ? (double)i128
                                       : (double)u128;
}

/* Neighbours are alike, so that a sample of blocks tells less than one of elements. */
static void cluster(struct test_random *random, struct data *data)
{
    size_t bytes = data->model.bytes, length = 4096 / bytes;
    for (size_t i = 0; i < data->n; i++)
        if (i % length > 0 && test_below(random, 8) > 0)
            memcpy(in + i * bytes, in + i / length * length * bytes, bytes);
}

static void make_data(struct test_random *random, const struct way *way, struct data *data)
{
    static const size_t sizes[] = {0, 1, 2, 3, 100, 1023, 20000};
    memset(data, 0, sizeof *data);
    data->n = sizes[test_below(random, way->device == GSI_DEVICE_CUDA ? 6 : 7)];
    if (way->stats && test_below(random, 3) > 0)
        data->n = MOST / (1 + test_below(random, 5));
    data->is_record = test_below(random, 3) == 0;
    if (data->is_record) {
        size_t type = 1 + test_below(random, RECORD_TYPE_COUNT - 2); /* times would be i64 */
        uint32_t bytes = 16 + (uint32_t)test_below(random, 17), width = record_types[type].bytes;
        data->model.bytes = bytes;
        data->model.key_count = 1;
        data->model.is_reversed = test_below(random, 3) == 0;
        data->model.keys[0] = record_key_make(
            (uint32_t)test_below(random, bytes - width + 1), record_types[type].name, width,
            test_below(random, 2) == 0, test_below(random, 3) == 0);
        data->model.texts[0] = data->model.keys[0].text;
        record_fill(random, (enum record_shape)test_below(random, RECORD_SHAPE_COUNT), in, data->n,
                    bytes);
    } else {
        const char *type = model_types[test_below(random, MODEL_TYPE_COUNT)];
        data->model = (struct record_model){.bytes = (uint32_t)model_bytes(type), .key_count = 1};
        data->model.is_reversed = test_below(random, 3) == 0;
        data->model.keys[0] = record_key_make(0, type, data->model.bytes, false, false);
        model_fill(random, (enum model_shape)test_below(random, MODEL_SHAPE_COUNT), type, in,
                   data->n);
    }
    record_model_place_nans(&data->model, random);
    if (way->stats && test_below(random, 3) == 0)
        cluster(random, data);
    put_bytes("in", in, data->n * data->model.bytes);
}

/* Values in ascending order, without NaNs; with `where`, without those that begin as the first. */
static void make_values(struct data *data, bool is_filtered)
{
    for (size_t i = 0; i < data->n; i++) {
        uint8_t value[16] = {0};
        data->type = record_value(&data->model.keys[0], in + i * data->model.bytes, value);
        if (model_is_nan(data->type, value) || (is_filtered && in[i * data->model.bytes] == in[0]))
            continue;
        memcpy(values + data->value_count++ * model_bytes(data->type), value,
               model_bytes(data->type));
    }
    if (data->n > 0)
        model_sort(data->type, false, values, data->value_count);
}

static const uint8_t *value_at(const struct data *data, uint64_t place)
{
    return values + place * model_bytes(data->type);
}

static void check_quantiles(const struct way *way, const struct data *data,
                            const struct gs_report *report)
{
    const size_t n = data->value_count;
    assert_int_equal(report->quantile_count, QUANTILE_COUNT);
    if (n == 0) { /* there are quantiles, without values */
        for (size_t q = 0; q < QUANTILE_COUNT; q++)
            assert_int_equal(report->quantiles[q].rank, 0);
        return;
    }
    for (size_t q = 0; q < report->quantile_count; q++) {
        const struct gsi_quantile_report *found = &report->quantiles[q];
        model_u128 wanted = (model_u128)n * quantiles[q].numerator;
        uint64_t rank = 1;
        while ((model_u128)rank * quantiles[q].denominator < wanted)
            rank++;
        if (found->rank != rank ||
            memcmp(found->value, value_at(data, rank - 1), model_bytes(data->type)) != 0)
            test_fail("%s, %s of %zu %s: rank %llu and not %llu, or another value", way->name,
                      quantiles[q].text, n, data->type, (unsigned long long)found->rank,
                      (unsigned long long)rank);
        model_u128 place = (model_u128)(n - 1) * quantiles[q].numerator;
        uint64_t low = (uint64_t)(place / quantiles[q].denominator);
        double part =
            (double)(uint64_t)(place % quantiles[q].denominator) / (double)quantiles[q].denominator;
        double a = as_double(data->type, value_at(data, low)), b = a;
        if (part > 0)
            b = as_double(data->type, value_at(data, low + 1));
        double between = a == b ? a : part < 0.5 ? a + (b - a) * part : b - (b - a) * (1 - part);
        if (memcmp(&found->between, &between, 8) != 0 && !isnan(between))
            test_fail("%s, %s of %zu %s: between %.17g and not %.17g", way->name, quantiles[q].text,
                      n, data->type, found->between, between);
    }
}

/* Groups of equal bits; the most frequent value that comes first in the order of the sort. */
static void check_groups(const struct way *way, const struct data *data,
                         const struct gs_report *report)
{
    const size_t n = data->value_count, bytes = n > 0 ? model_bytes(data->type) : 0;
    bool is_descending = data->model.is_reversed != data->model.keys[0].is_descending;
    uint64_t distinct = 0, most = 0;
    const uint8_t *mode = NULL;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && memcmp(value_at(data, i), value_at(data, end), bytes) == 0;)
            end++;
        distinct++;
        if (end - i > most || (is_descending && end - i == most)) {
            most = end - i;
            mode = value_at(data, i);
        }
    }
    if (report->distinct_count != distinct || report->mode_count != most ||
        (most > 0 && memcmp(report->mode_value, mode, bytes) != 0))
        test_fail("%s, %zu of type %s: %llu values and not %llu, %llu times and not %llu",
                  way->name, n, n > 0 ? data->type : "any",
                  (unsigned long long)report->distinct_count, (unsigned long long)distinct,
                  (unsigned long long)report->mode_count, (unsigned long long)most);
}

static uint64_t memory_of(const struct way *way)
{
    return way->device == GSI_DEVICE_CUDA ? (uint64_t)32 << 20 : 0;
}

static void run_case(struct test_random *random, const struct way *way)
{
    static const char *const inputs[] = {"in"};
    static char condition[32];
    static const char *const conditions[] = {condition};
    static const char *texts[QUANTILE_COUNT];
    struct data data;
    make_data(random, way, &data);
    for (size_t q = 0; q < QUANTILE_COUNT; q++)
        texts[q] = quantiles[q].text;
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 1,
                                  .action = way->stats ? GS_STATS : GS_SORT,
                                  .output = way->stats ? NULL : "out",
                                  .reverse = !way->stats && data.model.is_reversed,
                                  .nan_place = way->stats ? GSI_NAN_WITH_ORDER
                                                          : record_model_nan_place(&data.model),
                                  .memory_bytes = (uint64_t)(way->stats ? 11 : 32) << 20,
                                  .thread_count = way->threads,
                                  .device = way->device,
                                  .device_memory_bytes = memory_of(way),
                                  .window_bytes = way->window_bytes,
                                  .spill_all = way->spill_all,
                                  .unique = way->unique,
                                  .order_statistics.quantiles = texts,
                                  .order_statistics.quantile_count = QUANTILE_COUNT,
                                  .order_statistics.distinct = !way->stats,
                                  .order_statistics.mode = !way->stats};
    if (data.is_record) {
        options.record_bytes = data.model.bytes;
        options.keys = data.model.texts;
        options.key_count = 1;
    } else {
        options.type = data.model.keys[0].type;
    }
    bool is_filtered = way->where && data.is_record && data.n > 0;
    sprintf(condition, "0:b1!=0x%02x", in[0]);
    options.where = conditions;
    options.where_count = is_filtered;
    make_values(&data, is_filtered);
    struct gs_report report;
    struct gs_error error;
    if (gs_run(&options, &report, &error) != GS_OK)
        test_fail("%s: %s", way->name, error.text);
    check_quantiles(way, &data, &report);
    passes[report.quantile_passes < 4 ? report.quantile_passes : 4]++;
    assert_true(report.memory_peak_bytes <= report.plan.memory_bytes);
    if (!way->stats)
        check_groups(way, &data, &report);
}

/* A bracket of one key: what equals it is at the low border alone. */
static void test_brackets__of_one_key__count_it_once(void **state)
{
    (void)state;
    static const char *const types[] = {"u32", "u64", "u128"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const struct gsi_layout layout = gsi_layout_make(gsi_key_type_find(types[i]), false);
        const struct gsi_bracket brackets[] = {{5, 5}, {4, 9}};
        struct gsi_bracket_counts counts[2] = {{0}};
        uint8_t numbers[16 * 100] = {0};
        for (size_t k = 0; k < 100; k++)
            numbers[k * layout.element_bytes] = (uint8_t)(k % 10);
        assert_int_equal(gsi_brackets_scan(&layout, numbers, numbers, 100, brackets, counts, 2),
                         40);
        const struct gsi_bracket_counts want[] = {{.below = 50, .at_low = 10},
                                                  {.below = 40, .at_low = 10, 40, 10}};
        assert_memory_equal(counts, want, sizeof want);
    }
}

static void test_quantiles__random_data__as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(23);
    bool is_there[WAY_COUNT];
    for (size_t w = 0; w < WAY_COUNT; w++)
        is_there[w] = can_run((struct gsi_options){.device = ways[w].device,
                                                   .device_memory_bytes = memory_of(&ways[w])},
                              ways[w].name);
    for (size_t round = 0; round < (test_is_small() ? ROUNDS / 6 : ROUNDS); round++) {
        size_t w = test_below(&random, WAY_COUNT);
        if (is_there[w])
            run_case(&random, &ways[w]);
    }
    print_message("passes: %zu one, %zu two, %zu three, %zu more\n", passes[1], passes[2],
                  passes[3], passes[4]);
    if (!test_is_small())
        assert_true(passes[1] > 0 && passes[2] > 0 && passes[4] == 0);
    remove("in");
    remove("out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brackets__of_one_key__count_it_once),
        cmocka_unit_test(test_quantiles__random_data__as_the_model),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
