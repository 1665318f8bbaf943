/* test_where.c: random conditions on numbers and on fields of records, against a model that
 * compares values as C does: sorts, merges, --top, --unique and statistics; resident and spilled,
 * on both engines and devices. What is left out is accounted for. Run:
 * build/dev/tests/test_where */
#include "base/report.h"
#include "support/can_run.h"
#include "support/random_elements.h"
#include "support/struct_jobs.h"

#define ROUNDS     600
#define MOST       12000
#define MOST_BYTES ((size_t)40 * MOST)
#define FILES      3
#define CONDITIONS 3

static uint8_t in[MOST_BYTES], kept[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES];
static uint32_t places[MOST]; /* of what is kept, in the inputs */
static const char *const names[FILES] = {"in0", "in1", "in2"};

struct way {
    const char *name;
    enum gsi_device_word device;
    enum gsi_io_choice io;
    uint32_t threads;
    bool spill_all, merge, unique, stats, argsort;
    uint64_t top;
    uint64_t window_bytes, chunk_bytes;
    uint32_t fan_in;
};

static const struct way ways[] = {
    {.name = "resident", .io = GSI_IO_AUTO, .threads = 2},
    {.name = "small chunks", .io = GSI_IO_THREADS, .threads = 3, .chunk_bytes = 20480},
    {.name = "spilled", .threads = 2, .spill_all = true, .window_bytes = 16384},
    {.name = "unique, spilled", .threads = 2, .spill_all = true, .unique = true},
    {.name = "top", .threads = 2, .top = 300, .window_bytes = 16384},
    {.name = "top, sorted", .threads = 1, .top = 300, .spill_all = true, .window_bytes = 12288},
    {.name = "merge", .threads = 2, .merge = true, .window_bytes = 12288},
    {.name = "merge in two passes",
     .threads = 2,
     .merge = true,
     .window_bytes = 12288,
     .fan_in = 2},
    {.name = "merge, top", .threads = 2, .merge = true, .window_bytes = 12288, .top = 300},
    {.name = "statistics", .threads = 2, .stats = true, .window_bytes = 12288},
    {.name = "GPU", .device = GSI_DEVICE_CUDA, .threads = 2},
    {.name = "GPU, spilled", .device = GSI_DEVICE_CUDA, .threads = 2, .spill_all = true},
    {.name = "GPU, small chunks", .device = GSI_DEVICE_CUDA, .threads = 2, .chunk_bytes = 4096},
    {.name = "positions", .threads = 2, .argsort = true, .chunk_bytes = 20480},
    {.name = "GPU, positions", .device = GSI_DEVICE_CUDA, .threads = 2, .argsort = true},
    {.name = "GPU, positions, spilled",
     .device = GSI_DEVICE_CUDA,
     .threads = 2,
     .argsort = true,
     .spill_all = true},
};
#define WAY_COUNT (sizeof ways / sizeof ways[0])

static const char *const operators[] = {"==", "!=", "<", "<=", ">", ">="};

struct condition {
    struct record_key field;
    uint32_t op;
    uint8_t value[40]; /* of the field, as in a record */
    char text[160];
};

/* ---- the model ---- */

/* As C compares: -1, 0, 1; 2: they have no order. */
static int compare_floats(double a, double b)
{
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}

static int compare_values(const char *type, const uint8_t *a, const uint8_t *b)
{
    float x, y;
    double v, w;
    memcpy(&x, a, 4);
    memcpy(&y, b, 4);
    memcpy(&v, a, 8);
    memcpy(&w, b, 8);
    if (strcmp(type, "f32") == 0)
        return compare_floats((double)x, (double)y);
    if (strcmp(type, "f64") == 0)
        return compare_floats(v, w);
    return model_compare_of(type)(a, b);
}

static bool is_nan_value(const char *type, const uint8_t *value)
{
    return type[0] == 'f' && compare_values(type, value, value) == 2;
}

/* Of a value that record_value made. */
static bool is_nat(const struct record_key *field, const uint8_t *value)
{
    uint64_t place;
    memcpy(&place, value, sizeof place);
    return strcmp(field->type, "time64") == 0 && place == UINT64_MAX;
}

static bool is_true_of(const struct condition *condition, const uint8_t *record)
{
    const struct record_key *field = &condition->field;
    int order;
    if (strcmp(field->type, "b") == 0) {
        order = memcmp(record + field->off, condition->value, field->bytes);
        order = (order > 0) - (order < 0);
    } else {
        struct record_key alone = *field;
        uint8_t a[16], b[16];
        alone.off = 0;
        const char *type = record_value(field, record, a);
        record_value(&alone, condition->value, b);
        order = compare_values(type, a, b);
        if (is_nan_value(type, b)) /* == nan are the NaNs, != nan all others */
            order = is_nan_value(type, a) ? 0 : 2;
        if (order != 0 && (is_nat(field, a) || is_nat(field, b)))
            order = 2;
    }
    const bool results[] = {order == 0,  order != 0,
                            order == -1, order == -1 || order == 0,
                            order == 1,  order == 0 || order == 1};
    return results[condition->op];
}

/* ---- conditions ---- */

static void print_value(const char *type, const uint8_t *value, char *text)
{
    float single;
    double wide;
    memcpy(&single, value, 4);
    memcpy(&wide, value, 8);
    if (strcmp(type, "f32") == 0)
        sprintf(text, "%.9g", (double)single);
    else if (strcmp(type, "f64") == 0)
        sprintf(text, "%.17g", wide);
    else if (strstr(type, "128") != NULL) {
        model_u128 number;
        uint8_t magnitude[16];
        memcpy(&number, value, sizeof number);
        bool is_negative = type[0] == 'i' && value[15] >= 0x80;
        number = is_negative ? -number : number;
        memcpy(magnitude, &number, sizeof number);
        if (is_negative)
            *text++ = '-';
        *text++ = '0';
        *text++ = 'x';
        for (int i = 15; i >= 0; i--)
            text += sprintf(text, "%02x", magnitude[i]);
    } else {
        int64_t signed_value;
        int32_t short_value;
        uint32_t word;
        memcpy(&signed_value, value, 8);
        memcpy(&short_value, value, 4);
        memcpy(&word, value, 4);
        if (strcmp(type, "i32") == 0)
            sprintf(text, "%d", short_value);
        else if (strcmp(type, "u32") == 0)
            sprintf(text, "%u", word);
        else if (strcmp(type, "i64") == 0)
            sprintf(text, "%lld", (long long)signed_value);
        else
            sprintf(text, "%llu", (unsigned long long)signed_value);
    }
}

/* A value that occurs, mostly, for there are borders. */
static void make_condition(struct test_random *random, struct condition *condition,
                           const uint8_t *element, bool is_record)
{
    const struct record_key *field = &condition->field;
    char value[96] = "0x";
    condition->op = (uint32_t)test_below(random, 6);
    memcpy(condition->value, element + field->off, field->bytes);
    if (test_below(random, 4) == 0)
        condition->value[test_below(random, field->bytes)] ^= 1;
    if (strcmp(field->type, "b") == 0) {
        uint32_t length = field->bytes;
        while (length > 1 && condition->value[length - 1] == 0)
            length--;
        for (uint32_t i = 0; i < length; i++)
            sprintf(value + 2 + 2 * (size_t)i, "%02x", condition->value[i]);
    } else {
        struct record_key alone = *field;
        uint8_t number[16];
        alone.off = 0;
        const char *type = record_value(&alone, condition->value, number);
        print_value(type, number, value);
        if (is_nan_value(type, number)) {
            strcpy(value, "nan");
            condition->op %= 2;
        }
        if (strcmp(field->type, "time64") == 0) {
            condition->op %= is_nat(field, number) ? 2 : 6;
            record_number(&alone, condition->value, number);
            print_value("i64", number, value);
        }
    }
    snprintf(condition->text, sizeof condition->text, "%s%s%s", is_record ? field->text : "",
             operators[condition->op], value);
}

/* ---- cases ---- */

struct a_case {
    struct random_elements elements;
    size_t n, part[FILES + 1]; /* elements; where files begin */
    struct condition conditions[CONDITIONS];
    const char *texts[CONDITIONS];
    uint32_t condition_count;
};

static struct record_key random_field(struct test_random *random, uint32_t bytes)
{
    for (;;) {
        size_t type = test_below(random, RECORD_TYPE_COUNT);
        uint32_t width = record_types[type].bytes;
        if (width == 0)
            width = 1 + (uint32_t)test_below(random, 12);
        if (width <= bytes)
            return record_key_make((uint32_t)test_below(random, bytes - width + 1),
                                   record_types[type].name, width,
                                   type > 0 && test_below(random, 2) == 0, false);
    }
}

static void make_case(struct test_random *random, const struct way *way, struct a_case *c)
{
    static const size_t sizes[] = {0, 1, 2, 63, 1024, 1025, 3000, MOST};
    size_t most = sizeof sizes / sizeof sizes[0] - (way->device == GSI_DEVICE_CUDA ? 2 : 0);
    memset(c, 0, sizeof *c);
    c->n = sizes[test_below(random, most)];
    random_elements_make(&c->elements, random, in, c->n);
    if (way->stats)
        c->elements.model.is_reversed = false;
    c->condition_count = 1 + (uint32_t)test_below(random, CONDITIONS);
    for (uint32_t i = 0; i < c->condition_count; i++) {
        const uint8_t *element =
            c->n > 0 ? in + test_below(random, c->n) * c->elements.model.bytes : want;
        c->conditions[i].field = c->elements.is_record
                                     ? random_field(random, c->elements.model.bytes)
                                     : c->elements.model.keys[0];
        make_condition(random, &c->conditions[i], element, c->elements.is_record);
        c->texts[i] = c->conditions[i].text;
    }
    c->part[FILES] = c->n;
    for (size_t i = 1; i < FILES; i++)
        c->part[i] = c->part[i - 1] + test_below(random, c->n - c->part[i - 1] + 1);
}

/* The places of what is kept, in its order. */
static void expect_positions(const struct record_model *model, size_t count)
{
    uint32_t *order = record_model_order(model, kept, count);
    for (size_t i = 0; i < count; i++)
        memcpy(want + i * sizeof *places, &places[order[i]], sizeof *places);
    free(order);
}

/* What the output should be; how many elements were kept. */
static size_t expect(const struct way *way, const struct a_case *c, size_t *wanted)
{
    const size_t bytes = c->elements.model.bytes;
    size_t count = 0;
    for (size_t i = 0; i < c->n; i++) {
        bool is_kept = true;
        for (uint32_t k = 0; k < c->condition_count; k++)
            is_kept = is_kept && is_true_of(&c->conditions[k], in + i * bytes);
        if (is_kept) {
            places[count] = (uint32_t)i;
            memcpy(kept + count++ * bytes, in + i * bytes, bytes);
        }
    }
    *wanted = count;
    if (way->argsort) {
        expect_positions(&c->elements.model, count);
        return count;
    }
    record_model_sort(&c->elements.model, kept, want, count);
    *wanted = way->top > 0 && count > way->top ? way->top : count;
    if (!way->unique)
        return count;
    *wanted = 0;
    for (size_t i = 0; i < count; i++)
        if (*wanted == 0 || record_model_compare(&c->elements.model, want + (*wanted - 1) * bytes,
                                                 want + i * bytes) != 0)
            memmove(want + (*wanted)++ * bytes, want + i * bytes, bytes);
    return count;
}

static uint64_t device_memory_of(const struct way *way)
{
    return way->device == GSI_DEVICE_CUDA ? (uint64_t)32 << 20 : 0;
}

static void check_case(const struct way *way, const struct a_case *c)
{
    struct gsi_options options = {.action = way->stats ? GS_STATS : GS_SORT,
                                  .inputs = names,
                                  .input_count = FILES,
                                  .output = way->stats ? NULL : "out",
                                  .merge = way->merge,
                                  .has_top = way->top > 0,
                                  .top_count = way->top,
                                  .unique = way->unique,
                                  .memory_bytes = (uint64_t)32 << 20,
                                  .thread_count = way->threads,
                                  .fan_in = way->fan_in,
                                  .device = way->device,
                                  .device_memory_bytes = device_memory_of(way),
                                  .io = way->io,
                                  .window_bytes = way->window_bytes,
                                  .chunk_bytes = way->chunk_bytes,
                                  .spill_all = way->spill_all,
                                  .argsort = way->argsort,
                                  .index_bytes = way->argsort ? sizeof *places : 0,
                                  .where = c->texts,
                                  .where_count = c->condition_count};
    random_elements_options(&c->elements, &options);
    struct gs_report report;
    struct gs_error error;
    size_t wanted, count = expect(way, c, &wanted), bytes = c->elements.model.bytes;
    if (gs_run(&options, &report, &error) != GS_OK)
        test_fail("%s, '%s', %zu elements: %s", way->name, c->texts[0], c->n, error.text);
    bool is_cut = way->merge && way->top > 0; /* it ends early */
    if (!is_cut && (report.tally.count != count || report.left_out_count != c->n - count))
        test_fail("%s, '%s', %zu elements: kept %llu and not %zu", way->name, c->texts[0], c->n,
                  (unsigned long long)report.tally.count, count);
    assert_int_equal(report.where_count, c->condition_count);
    assert_true(report.memory_peak_bytes <= report.plan.memory_bytes);
    if (way->stats)
        return;
    size_t length = get_bytes("out", got, sizeof got);
    bytes = way->argsort ? sizeof *places : bytes;
    if (length != wanted * bytes || memcmp(got, want, length) != 0)
        test_fail("%s, '%s', %zu elements: wrong output", way->name, c->texts[0], c->n);
}

static void test_where__random_conditions__as_the_model(void **state)
{
    static struct a_case c;
    (void)state;
    struct test_random random = test_random_make(17);
    bool is_there[WAY_COUNT];
    for (size_t w = 0; w < WAY_COUNT; w++) {
        struct gsi_options options = {.device = ways[w].device,
                                      .device_memory_bytes = device_memory_of(&ways[w]),
                                      .io = ways[w].io};
        is_there[w] = can_run(options, ways[w].name);
    }
    for (size_t round = 0; round < (test_is_small() ? ROUNDS / 6 : ROUNDS); round++) {
        const struct way *way = &ways[test_below(&random, WAY_COUNT)];
        if (!is_there[way - ways])
            continue;
        make_case(&random, way, &c);
        random_elements_write(&c.elements, in, c.part, names, FILES, way->merge, got);
        check_case(way, &c);
    }
    for (size_t i = 0; i < 4; i++)
        remove((const char *[]){"in0", "in1", "in2", "in"}[i]);
    remove("out");
}

/* Fingerprints add up: what is kept and what is left out are all there is. */
static void test_where__left_out__is_the_rest(void **state)
{
    (void)state;
    struct test_random random = test_random_make(18);
    static const char *const texts[][1] = {{"<0.25"}, {">=0.25"}};
    uint64_t sums[2][2][2];
    for (size_t i = 0; i < MOST; i++) {
        double value = (double)test_below(&random, 1000) / 1000;
        memcpy(in + 8 * i, &value, 8);
    }
    put_bytes(names[0], in, (size_t)8 * MOST);
    for (int side = 0; side < 2; side++) {
        struct gsi_options options = {.action = GS_STATS,
                                      .inputs = names,
                                      .input_count = 1,
                                      .type = "f64",
                                      .where = texts[side],
                                      .where_count = 1};
        struct gs_report report;
        struct gs_error error;
        assert_int_equal(gs_run(&options, &report, &error), GS_OK);
        memcpy(sums[side][0], report.tally.fingerprint, 16);
        memcpy(sums[side][1], report.left_out_fingerprint, 16);
    }
    assert_memory_equal(sums[0][0], sums[1][1], 16);
    assert_memory_equal(sums[0][1], sums[1][0], 16);
    assert_memory_not_equal(sums[0][0], sums[0][1], 16);
    remove(names[0]);
}

/* Whole chunks, of which nothing is left out, fill all runs that there is room for on the GPU. The
 * chunk that was ready for more comes back empty. */
static void test_where__nothing_left_out__fills_the_gpu(void **state)
{
    (void)state;
    static const char *const texts[] = {">=0"};
    struct test_random random = test_random_make(19);
    for (size_t chunks = 1; chunks <= 8; chunks++) {
        size_t bytes = chunks * 4096;
        for (size_t i = 0; i < bytes; i++)
            in[i] = (uint8_t)test_below(&random, 256);
        put_bytes(names[0], in, bytes);
        struct gsi_options options = {.inputs = names,
                                      .input_count = 1,
                                      .output = "out",
                                      .type = "u64",
                                      .device = GSI_DEVICE_CUDA,
                                      .device_memory_bytes = (uint64_t)32 << 20,
                                      .chunk_bytes = 4096,
                                      .thread_count = 3,
                                      .where = texts,
                                      .where_count = 1};
        if (!can_run(options, "GPU"))
            break;
        struct gs_report report;
        struct gs_error error;
        assert_int_equal(gs_run(&options, &report, &error), GS_OK);
        assert_int_equal(report.tally.count, bytes / 8);
        assert_int_equal(report.device_note[0], 0);
    }
    remove(names[0]);
    remove("out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where__nothing_left_out__fills_the_gpu),
        cmocka_unit_test(test_where__random_conditions__as_the_model),
        cmocka_unit_test(test_where__left_out__is_the_rest),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
