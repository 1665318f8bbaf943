/* test_ledger.c: the ledger enters every large buffer of a job, and says what for. This program has
 * functions of its own before the C library's allocator: what is taken past the ledger, by
 * whichever library, is seen here. Run: build/dev/tests/test_ledger */
#include "support/scratch.h"

#include "base/memory.h"
#include "io/file.h"
#include "job/job_report.h"
#include "support/struct_jobs.h"

#include <stdatomic.h>

#define ELEMENTS    1000000u
#define MEMORY      (12u << 20)
#define MANY        4000u /* inputs */
#define SMALL_BYTES 8192u /* what may be taken past the ledger: engine, names, files' buffers */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t unit);
void *__libc_realloc(void *memory, size_t bytes);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t unit);
void *realloc(void *memory, size_t bytes);

enum gs_status __real_gsi_memory_alloc(struct gsi_ledger *ledger, uint64_t count, uint64_t unit,
                                       void **memory, struct gs_error *error);
enum gs_status __wrap_gsi_memory_alloc(struct gsi_ledger *ledger, uint64_t count, uint64_t unit,
                                       void **memory, struct gs_error *error);
enum gs_status __real_gsi_memory_map(struct gsi_ledger *ledger, enum gsi_memory_part part,
                                     uint64_t bytes, void **memory, struct gs_error *error);
enum gs_status __wrap_gsi_memory_map(struct gsi_ledger *ledger, enum gsi_memory_part part,
                                     uint64_t bytes, void **memory, struct gs_error *error);
enum gs_status __real_gsi_bump_open(struct gsi_bump *bump, struct gsi_ledger *ledger,
                                    enum gsi_memory_part part, struct gs_error *error);
enum gs_status __wrap_gsi_bump_open(struct gsi_bump *bump, struct gsi_ledger *ledger,
                                    enum gsi_memory_part part, struct gs_error *error);
void *__real_mmap(void *at, size_t bytes, int access, int flags, int fd, off_t off);
void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int fd, off_t off);

static _Thread_local int ledger_depth; /* above 0: what is taken now is entered */
static atomic_size_t largest_unseen;

static void see(size_t bytes)
{
    size_t largest = atomic_load(&largest_unseen);
    while (ledger_depth == 0 && bytes > largest &&
           !atomic_compare_exchange_weak(&largest_unseen, &largest, bytes))
        ;
}

void *malloc(size_t bytes)
{
    see(bytes);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t unit)
{
    see(count * unit);
    return __libc_calloc(count, unit);
}

void *realloc(void *memory, size_t bytes)
{
    see(bytes);
    return __libc_realloc(memory, bytes);
}

void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int fd, off_t off)
{
    see(bytes);
    return __real_mmap(at, bytes, access, flags, fd, off);
}

enum gs_status __wrap_gsi_memory_alloc(struct gsi_ledger *ledger, uint64_t count, uint64_t unit,
                                       void **memory, struct gs_error *error)
{
    ledger_depth += ledger != NULL;
    enum gs_status status = __real_gsi_memory_alloc(ledger, count, unit, memory, error);
    ledger_depth -= ledger != NULL;
    return status;
}

enum gs_status __wrap_gsi_memory_map(struct gsi_ledger *ledger, enum gsi_memory_part part,
                                     uint64_t bytes, void **memory, struct gs_error *error)
{
    ledger_depth += ledger != NULL;
    enum gs_status status = __real_gsi_memory_map(ledger, part, bytes, memory, error);
    ledger_depth -= ledger != NULL;
    return status;
}

enum gs_status __wrap_gsi_bump_open(struct gsi_bump *bump, struct gsi_ledger *ledger,
                                    enum gsi_memory_part part, struct gs_error *error)
{
    ledger_depth += ledger != NULL;
    enum gs_status status = __real_gsi_bump_open(bump, ledger, part, error);
    ledger_depth -= ledger != NULL;
    return status;
}

struct row {
    const char *name;
    uint64_t memory_bytes, window_bytes, chunk_bytes;
    uint32_t fan_in;
    enum gsi_compress_choice compress;
    bool spill_all;
    uint64_t top; /* 0: everything */
};

static const struct row rows[] = {
    {"resident", 64u << 20, 0, 0, 0, GSI_COMPRESS_AUTO, false, 0},
    {"partly spilled", MEMORY, 0, 0, 0, GSI_COMPRESS_NONE, false, 0},
    {"spilled", 64u << 20, 0, 0, 0, GSI_COMPRESS_NONE, true, 0},
    {"spilled, zstd", 64u << 20, 0, 0, 0, GSI_COMPRESS_ZSTD, true, 0},
    {"thousands of frames", 64u << 20, 4096, 65536, 0, GSI_COMPRESS_NONE, true, 0},
    {"spilled, deltas", 64u << 20, 0, 0, 0, GSI_COMPRESS_DELTAS, true, 0},
    {"three passes", 64u << 20, 16384, 65536, 12, GSI_COMPRESS_ZSTD, true, 0},
    {"the first of all, resident", 64u << 20, 0, 0, 0, GSI_COMPRESS_AUTO, false, 50000},
};

static void check_row(const struct row *row, enum gsi_io_choice io)
{
    struct gsi_options options = {.inputs = (const char *[]){"in"},
                                  .input_count = 1,
                                  .output = "out",
                                  .type = "u64",
                                  .memory_bytes = row->memory_bytes,
                                  .thread_count = 2,
                                  .fan_in = row->fan_in,
                                  .compress = row->compress,
                                  .io = io,
                                  .device = GSI_DEVICE_CPU,
                                  .chunk_bytes = row->chunk_bytes,
                                  .window_bytes = row->window_bytes,
                                  .spill_all = row->spill_all,
                                  .has_top = row->top > 0,
                                  .top_count = row->top};
    struct gs_report report;
    struct gs_error error;
    atomic_store(&largest_unseen, 0);
    enum gs_status status = gs_run(&options, &report, &error);
    size_t unseen = atomic_load(&largest_unseen);
    if (status != GS_OK)
        test_fail("%s: %s", row->name, error.text);
    if (unseen == 0 || unseen > SMALL_BYTES)
        test_fail("%s: %zu bytes were taken past the ledger", row->name, unseen);
    uint64_t sum = 0;
    for (int part = 0; part < GSI_MEMORY_PART_COUNT; part++)
        sum += report.cost.memory_parts[part];
    assert_int_equal(sum, report.cost.memory_peak_bytes);
    assert_in_range(sum, report.plan.arena_bytes, report.plan.memory_bytes);
    assert_int_equal(report.cost.memory_parts[GSI_MEMORY_DATA],
                     report.plan.arena_bytes + report.plan.top_bytes);
    assert_true((report.plan.top_bytes > 0) == (row->top > 0));
    assert_true(report.cost.memory_parts[GSI_MEMORY_SCRATCH] > 0);
    assert_true(report.cost.memory_parts[GSI_MEMORY_TABLES] > 0);
    assert_true((report.cost.memory_parts[GSI_MEMORY_CODEC] > 0) ==
                (row->compress > GSI_COMPRESS_NONE && row->spill_all));
    assert_int_equal(report.plan.spilled_runs > 0, strstr(row->name, "resident") == NULL);
}

static void test_run__any_way__all_memory_is_in_the_ledger(void **state)
{
    (void)state;
    put_random("in", ELEMENTS, 48);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        check_row(&rows[r], GSI_IO_AUTO);
        check_row(&rows[r], GSI_IO_THREADS);
    }
}

/* Names, tables of inputs and of runs: all of them the same file. */
static void test_run__many_inputs__all_memory_is_in_the_ledger(void **state)
{
    (void)state;
    static const char *inputs[MANY];
    put_random("in", 1, 48);
    for (size_t i = 0; i < MANY; i++)
        inputs[i] = "./././././in";
    for (int way = 0; way < 4; way++) {
        struct gsi_options options = {.inputs = inputs,
                                      .input_count = MANY,
                                      .output = "out",
                                      .type = "u64",
                                      .memory_bytes = 24u << 20,
                                      .thread_count = 2,
                                      .fan_in = way == 3 ? 100 : 0,
                                      .compress = GSI_COMPRESS_NONE,
                                      .device = GSI_DEVICE_CPU,
                                      .merge = way >= 2,
                                      .spill_all = way == 1};
        struct gs_report report;
        struct gs_error error;
        atomic_store(&largest_unseen, 0);
        enum gs_status status = gs_run(&options, &report, &error);
        size_t unseen = atomic_load(&largest_unseen);
        if (status != GS_OK || unseen > SMALL_BYTES)
            test_fail("way %d: %zu bytes were taken past the ledger; %s", way, unseen, error.text);
        assert_true(report.cost.memory_parts[GSI_MEMORY_TABLES] >
                    MANY * (13 + sizeof(struct gsi_input)));
    }
}

static void test_ledger__parts__are_those_of_the_peak(void **state)
{
    (void)state;
    struct gsi_ledger ledger = {.ceiling_bytes = 20000};
    struct gs_error error = {0};
    void *data, *codec, *tables, *more;
    assert_int_equal(gsi_memory_map(&ledger, GSI_MEMORY_DATA, 8192, &data, &error), GS_OK);
    assert_int_equal(gsi_memory_alloc(&ledger, 100, 8, &tables, &error), GS_OK);
    assert_int_equal(gsi_memory_map(&ledger, GSI_MEMORY_CODEC, 4096, &codec, &error), GS_OK);
    gsi_memory_unmap(&ledger, GSI_MEMORY_DATA, data, 8192);
    assert_int_equal(gsi_memory_alloc(&ledger, 1000, 8, &more, &error), GS_OK);
    assert_int_equal(ledger.peak_bytes, 8192 + 800 + 4096);
    assert_int_equal(ledger.peak_parts[GSI_MEMORY_DATA], 8192);
    assert_int_equal(ledger.peak_parts[GSI_MEMORY_CODEC], 4096);
    assert_int_equal(ledger.peak_parts[GSI_MEMORY_TABLES], 800);
    assert_int_equal(ledger.reserved_bytes, 800 + 4096 + 8000);
    assert_int_equal(gsi_memory_map(&ledger, GSI_MEMORY_DATA, 8192, &data, &error), GS_E_MEMORY);
    assert_null(data);
    gsi_memory_unmap(&ledger, GSI_MEMORY_CODEC, codec, 4096);
    gsi_memory_free(&ledger, tables, 100, 8);
    gsi_memory_free(&ledger, more, 1000, 8);
    assert_int_equal(ledger.reserved_bytes, 0);
    for (int part = 0; part < GSI_MEMORY_PART_COUNT; part++)
        assert_int_equal(ledger.reserved_parts[part], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_run__any_way__all_memory_is_in_the_ledger,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_run__many_inputs__all_memory_is_in_the_ledger,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test(test_ledger__parts__are_those_of_the_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
