/* test_verify.c: runs whole sorts in which a bit is wrong. It is in a sorted chunk, in the output
 * of the merge, in a window that waits to be written, or on the disk. Each ends with GS_E_VERIFY
 * and leaves the old output. The linker puts functions of this file before those that do these
 * steps. (Frames of spilled runs: test_spill_damage.) Run: build/dev/tests/test_verify */
#include "element/tally/digest.h"
#include "job/job_report.h"
#include "support/scratch.h"
#include "support/struct_jobs.h"

#include "element/record/record_tally.h"
#include "io/file.h"
#include "job/run.h"
#include "loop/loop.h"
#include "output/sink.h"

#include <stdatomic.h>

/* Fewer keys may be a sample, which is never written: damage in it would go unnoticed. */
#define SAMPLE_KEYS 255

#define OLD "what was there before"

/* The longest header of most outputs here. */
#define HEADER_BYTES_MOST 128

void __real_gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io);
void __wrap_gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io);
void __real_gsi_leaf_sort(uint32_t key_bytes, void *keys, size_t n);
void __wrap_gsi_leaf_sort(uint32_t key_bytes, void *keys, size_t n);
void __real_gsi_digest_add_unmap(const struct gsi_layout *layout, struct gsi_digest *digest,
                                 void *keys, size_t n);
void __wrap_gsi_digest_add_unmap(const struct gsi_layout *layout, struct gsi_digest *digest,
                                 void *keys, size_t n);
void __real_gsi_record_digest_add(const struct gsi_record *record, struct gsi_digest *digest,
                                  const void *elements, size_t n);
void __wrap_gsi_record_digest_add(const struct gsi_record *record, struct gsi_digest *digest,
                                  const void *elements, size_t n);
enum gs_status __real_gsi_output_reread(const struct gsi_output *output, uint64_t off,
                                        uint64_t bytes, struct gsi_input *input,
                                        struct gs_error *error);
enum gs_status __wrap_gsi_output_reread(const struct gsi_output *output, uint64_t off,
                                        uint64_t bytes, struct gsi_input *input,
                                        struct gs_error *error);

void __real_gsi_sink_accept(struct gsi_sink *sink, struct gsi_buffer *window);
void __wrap_gsi_sink_accept(struct gsi_sink *sink, struct gsi_buffer *window);

enum place { NOWHERE, IN_CHUNK, IN_MERGE, MERGE_ORDER, IN_WINDOW, ON_DISK, IN_SPLIT };

static enum place place;
static atomic_int steps_left; /* until the step to damage; below 0: it was damaged */
static uint64_t disk_off;     /* of the byte to damage on the disk */
static uint64_t header_most = HEADER_BYTES_MOST;

/* Returns whether a bit is to be wrong in this step. */
static bool is_turn(enum place here)
{
    return place == here && atomic_fetch_sub(&steps_left, 1) == 0;
}

static void flip(void *data, size_t off)
{
    ((uint8_t *)data)[off] ^= 0x04;
}

static void swap(uint8_t *a, uint8_t *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

void __wrap_gsi_leaf_sort(uint32_t key_bytes, void *keys, size_t n)
{
    __real_gsi_leaf_sort(key_bytes, keys, n);
    if (n > SAMPLE_KEYS && is_turn(IN_CHUNK))
        flip(keys, n / 2 * key_bytes);
}

static void damage_merged(uint8_t *elements, size_t n, size_t bytes)
{
    if (is_turn(IN_MERGE))
        flip(elements, n / 2 * bytes);
    if (n > 1 && is_turn(MERGE_ORDER))
        swap(elements, elements + (n - 1) * bytes, bytes);
}

void __wrap_gsi_digest_add_unmap(const struct gsi_layout *layout, struct gsi_digest *digest,
                                 void *keys, size_t n)
{
    damage_merged(keys, n, layout->key_bytes);
    __real_gsi_digest_add_unmap(layout, digest, keys, n);
}

/* The window may be changed, because elements were just gathered there. */
void __wrap_gsi_record_digest_add(const struct gsi_record *record, struct gsi_digest *digest,
                                  const void *elements, size_t n)
{
    damage_merged((uint8_t *)(uintptr_t)elements, n, record->bytes);
    __real_gsi_record_digest_add(record, digest, elements, n);
}

void __wrap_gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io)
{
    bool is_frame = io->bytes > 3 && memcmp(io->data, "gsF", 3) == 0;
    bool is_header = io->off == 0 && io->bytes <= header_most;
    if (io->op == GSI_IO_WRITE && !is_frame && !is_header && is_turn(IN_WINDOW))
        flip(io->data, io->bytes / 2);
    __real_gsi_loop_submit(loop, io);
}

/* Called so by what splits the output, or counts; a number is lost on the way to a file. */
void __wrap_gsi_sink_accept(struct gsi_sink *sink, struct gsi_buffer *window)
{
    if (is_turn(IN_SPLIT))
        window->bytes -= 8;
    __real_gsi_sink_accept(sink, window);
}

enum gs_status __wrap_gsi_output_reread(const struct gsi_output *output, uint64_t off,
                                        uint64_t bytes, struct gsi_input *input,
                                        struct gs_error *error)
{
    uint8_t byte;
    if (is_turn(ON_DISK)) {
        assert_int_equal(pread(output->fd, &byte, 1, (off_t)disk_off), 1);
        flip(&byte, 0);
        assert_int_equal(pwrite(output->fd, &byte, 1, (off_t)disk_off), 1);
    }
    return __real_gsi_output_reread(output, off, bytes, input, error);
}

/* A way of the data through gsort. */
struct way {
    const char *name;
    size_t count; /* of elements of 8 bytes, or records of 100 */
    uint32_t record_bytes;
    uint64_t memory_bytes, chunk_bytes;
    bool spills_all, spills_some;
    int probed; /* windows that are made to see whether the input is in order, and thrown away */
    const char *output;
    bool unique;
    uint64_t top, header_bytes;
    uint64_t file_bytes; /* of the output; 0: not known before */
};

static const struct way ways[] = {
    {.name = "resident", .count = 50001, .memory_bytes = 64u << 20, .file_bytes = 400008},
    {.name = "hybrid",
     .count = 1500000,
     .memory_bytes = 18u << 20,
     .chunk_bytes = 512u << 10,
     .spills_some = true,
     .probed = 1,
     .file_bytes = 12000000},
    {.name = "spilled",
     .count = 50001,
     .memory_bytes = 64u << 20,
     .spills_all = true,
     .file_bytes = 400008},
    {.name = "records",
     .count = 5003,
     .record_bytes = 100,
     .memory_bytes = 64u << 20,
     .file_bytes = 500300},
    {.name = "spilled records",
     .count = 5003,
     .record_bytes = 100,
     .memory_bytes = 64u << 20,
     .spills_all = true,
     .file_bytes = 500300},
    {.name = "top", .count = 50001, .memory_bytes = 64u << 20, .top = 5000, .file_bytes = 40000},
    {.name = "unique", .count = 50001, .memory_bytes = 64u << 20, .unique = true},
    {.name = "unique records",
     .count = 5003,
     .record_bytes = 100,
     .memory_bytes = 64u << 20,
     .unique = true},
    {.name = "top unique",
     .count = 50001,
     .memory_bytes = 64u << 20,
     .spills_all = true,
     .unique = true,
     .top = 1000,
     .file_bytes = 8000},
    {.name = "npy",
     .count = 50001,
     .memory_bytes = 64u << 20,
     .output = "out.npy",
     .file_bytes = 400136},
    {.name = "header",
     .count = 50001,
     .memory_bytes = 64u << 20,
     .header_bytes = 8,
     .file_bytes = 400008},
    {.name = "long header",
     .count = 50001,
     .memory_bytes = 64u << 20,
     .header_bytes = 16384,
     .file_bytes = 400008},
    {.name = "packed", .count = 50001, .memory_bytes = 64u << 20, .output = "out.zst"},
    {.name = "packed npy", .count = 50001, .memory_bytes = 64u << 20, .output = "out.npy.zst"},
};
#define WAY_COUNT (sizeof ways / sizeof ways[0])

static const char *output_of(const struct way *way)
{
    return way->output != NULL ? way->output : "out";
}

static enum gs_status sort(const struct way *way, bool verify_read, struct gs_report *report,
                           struct gs_error *error)
{
    const char *inputs[] = {"in"};
    struct gsi_options options = {.inputs = inputs,
                                  .compress = GSI_COMPRESS_NONE, /* auto goes by the clock */
                                  .input_count = 1,
                                  .output = output_of(way),
                                  .record_bytes = way->record_bytes,
                                  .has_top = way->top > 0,
                                  .top_count = way->top,
                                  .header_bytes = way->header_bytes,
                                  .unique = way->unique,
                                  .device = GSI_DEVICE_CPU,
                                  .memory_bytes = way->memory_bytes,
                                  .thread_count = 2,
                                  .chunk_bytes = way->chunk_bytes > 0 ? way->chunk_bytes : 65536,
                                  .window_bytes = 65536,
                                  .spill_all = way->spills_all,
                                  .verify_read = verify_read};
    header_most = way->header_bytes > HEADER_BYTES_MOST ? way->header_bytes : HEADER_BYTES_MOST;
    return gs_run(&options, report, error);
}

static void put_input(const struct way *way)
{
    size_t bytes = way->record_bytes > 0 ? way->record_bytes : 8;
    put_random("in", (way->count * bytes + 7) / 8, way->unique && bytes == 8 ? 12 : 64);
    assert_int_equal(truncate("in", (off_t)(way->count * bytes)), 0);
}

static off_t size_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

/* A sort with a wrong bit at a place in some step. */
static void check_found(const struct way *way, enum place where, int step, bool verify_read)
{
    struct gs_report report;
    struct gs_error error = {0};
    assert_true(put(output_of(way), OLD, 0640));
    place = where;
    atomic_store(&steps_left, step);
    enum gs_status status = sort(way, verify_read, &report, &error);
    bool was_damaged = atomic_load(&steps_left) < 0;
    place = NOWHERE;
    if (!was_damaged || status != GS_E_VERIFY || strstr(error.text, output_of(way)) == NULL)
        test_fail("%s, place %d, step %d, byte %llu: damaged %d, status %d, '%s'", way->name,
                  (int)where, step, (unsigned long long)disk_off, was_damaged, (int)status,
                  error.text);
    assert_int_equal(gs_status_exit_code(status), 4);
    assert_true(holds(output_of(way), OLD));
    assert_int_equal(mode_of(output_of(way)), 0640);
    assert_int_equal(names_in("."), 2);
}

/* Steps of a kind in a good sort; of a step more none is damaged. */
static int count_steps(const struct way *way, enum place where, bool verify_read,
                       struct gs_report *report)
{
    struct gs_error error = {0};
    place = where;
    atomic_store(&steps_left, INT32_MAX);
    if (sort(way, verify_read, report, &error) != GS_OK)
        test_fail("%s: %s", way->name, error.text);
    place = NOWHERE;
    return INT32_MAX - atomic_load(&steps_left);
}

/* All steps, of many a few; fewer where programs take many times as long. */
static void check_steps(const struct way *way, enum place where, bool verify_read)
{
    struct gs_report report;
    int count = count_steps(way, where, verify_read, &report);
    assert_true(count > 0);
    int parts = test_is_small() ? 2 : 4;
    int stride = count > 2 * parts ? count / parts : 1;
    int first = where == IN_MERGE || where == MERGE_ORDER ? way->probed : 0;
    for (int step = first; step < count; step += stride)
        check_found(way, where, step, verify_read);
    check_found(way, where, count - 1, verify_read);
    unlink(output_of(way));
}

static void test_verify__wrong_bits_before_the_output__are_found(void **state)
{
    (void)state;
    struct gs_report report;
    for (size_t i = 0; i < 5; i++) {
        put_input(&ways[i]);
        count_steps(&ways[i], NOWHERE, false, &report);
        assert_true(!ways[i].spills_all || report.runs.spilled_count == report.runs.count);
        assert_true(!ways[i].spills_some || (report.runs.spilled_count > 0 &&
                                             report.runs.spilled_count < report.runs.count));
        if (ways[i].record_bytes == 0)
            check_steps(&ways[i], IN_CHUNK, false);
        check_steps(&ways[i], IN_MERGE, false);
        check_steps(&ways[i], MERGE_ORDER, false);
    }
}

/* An array that is sorted in place; samples are sorted, too, and only read. */
static void test_verify__wrong_bits_in_an_array__are_found(void **state)
{
    (void)state;
    enum { COUNT = 400000 };
    static const enum place places[] = {IN_CHUNK, IN_MERGE, MERGE_ORDER};
    uint64_t *numbers = calloc(COUNT, sizeof *numbers);
    const struct gsi_options options = {.type = "u64", .thread_count = 2, .device = GSI_DEVICE_CPU};
    assert_non_null(numbers);
    for (int i = 0; i < 18; i++) {
        struct gs_report report;
        struct gs_error error;
        struct test_random random = test_random_make((uint64_t)i);
        for (int k = 0; k < COUNT; k++)
            numbers[k] = test_next(&random);
        place = places[i % 3];
        atomic_store(&steps_left, i < 9 ? i / 3 : 2 * i);
        enum gs_status status =
            gs_sort_array(numbers, COUNT * sizeof *numbers, &options, &report, &error);
        bool was_damaged = atomic_load(&steps_left) < 0;
        place = NOWHERE;
        assert_true(report.plan.is_in_place);
        if (was_damaged != (status == GS_E_VERIFY))
            test_fail("array, place %d, step %d: damaged %d, status %d, '%s'", (int)places[i % 3],
                      i, was_damaged, (int)status, error.text);
        assert_true(places[i % 3] == IN_CHUNK || was_damaged);
        assert_true(!was_damaged || strstr(error.text, "elements are lost") != NULL);
    }
    free(numbers);
}

/* Arrays that are sorted on the caller's thread, in one step: within the array, or in a copy. */
static void test_verify__wrong_bits_in_a_small_array__are_found(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static const enum place places[] = {NOWHERE, IN_CHUNK, IN_MERGE, MERGE_ORDER};
    static const char *const keys[] = {"0:u32"};
    static const struct gsi_options rows[] = {{.type = "u64"},
                                              {.record_bytes = 8, .keys = keys, .key_count = 1}};
    struct test_random random = test_random_make(1);
    for (size_t i = 0; i < 4 * 3; i++) {
        uint64_t numbers[COUNT], positions[COUNT];
        bool is_argsort = i >= 8, is_copied = i >= 4;
        struct gs_report report;
        struct gs_error error;
        for (int k = 0; k < COUNT; k++)
            numbers[k] = test_next(&random);
        place = places[i % 4];
        atomic_store(&steps_left, 0);
        enum gs_status status =
            is_argsort
                ? gs_argsort_array(numbers, sizeof numbers, &rows[1], positions, &report, &error)
                : gs_sort_array(numbers, sizeof numbers, &rows[is_copied], &report, &error);
        place = NOWHERE;
        assert_int_equal(status, i % 4 == 0 ? GS_OK : GS_E_VERIFY);
        assert_true(status == GS_OK || is_argsort ||
                    strstr(error.text, is_copied ? "is unchanged" : "elements are lost") != NULL);
        assert_true(report.engine.name == NULL);
    }
}

/* Windows that wait to be written were verified already. Only reading them back shows a change. */
static void test_verify__wrong_bits_in_windows__are_found_by_reading_back(void **state)
{
    (void)state;
    struct gs_report report;
    struct gs_error error = {0};
    for (size_t i = 0; i < WAY_COUNT; i++) {
        put_input(&ways[i]);
        check_steps(&ways[i], IN_WINDOW, true);
    }
    put_input(&ways[0]);
    place = IN_WINDOW;
    atomic_store(&steps_left, 0);
    assert_int_equal(sort(&ways[0], false, &report, &error), GS_OK);
    place = NOWHERE;
}

static void test_verify__wrong_bits_on_the_disk__are_found_by_reading_back(void **state)
{
    (void)state;
    struct gs_report report;
    for (size_t i = 0; i < WAY_COUNT; i++) {
        const struct way *way = &ways[i];
        put_input(way);
        count_steps(way, ON_DISK, true, &report);
        uint64_t bytes = (uint64_t)size_of(output_of(way));
        assert_true(way->file_bytes == 0 || bytes == way->file_bytes);
        assert_int_equal(bytes, report.output.file_bytes);
        const uint64_t header = way->header_bytes;
        const uint64_t offs[] = {0,         7,          bytes / 3,          bytes / 2,
                                 bytes - 1, header / 2, header * 3 / 4 | 1, header};
        for (size_t k = 0; k < sizeof offs / sizeof offs[0]; k += test_is_small() ? 2 : 1) {
            disk_off = offs[k];
            check_found(way, ON_DISK, 0, true);
        }
        unlink(output_of(way));
    }
}

/* A wrong bit in any of the files that an output is split into: none of them takes its place. */
static void test_verify__wrong_bits_in_split_files__are_found_by_reading_back(void **state)
{
    (void)state;
    static const char *const inputs[] = {"in"};
    static const char *const outputs[] = {"out.%d", "out.%d.npy", "out.%d.zst"};
    put_random("in", 50001, 64);
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        struct gsi_options options = {.inputs = inputs,
                                      .input_count = 1,
                                      .output = outputs[i],
                                      .type = "u64",
                                      .device = GSI_DEVICE_CPU,
                                      .memory_bytes = 64u << 20,
                                      .split_count = 3,
                                      .verify_read = true};
        struct gs_report report;
        struct gs_error error = {0};
        for (int step = 0; step < 4; step++) {
            disk_off = step == 2 ? 3 : 20000; /* in a header, or the data */
            place = ON_DISK;
            atomic_store(&steps_left, step);
            enum gs_status status = gs_run(&options, &report, &error);
            place = NOWHERE;
            assert_int_equal(atomic_load(&steps_left) < 0, step < 3);
            assert_int_equal(status, step < 3 ? GS_E_VERIFY : GS_OK);
            assert_int_equal(names_in("."), step < 3 ? 1 : 4);
        }
        static const char *const ends[] = {"", ".npy", ".zst"};
        for (int file = 1; file <= 3; file++) {
            char name[32];
            snprintf(name, sizeof name, "out.%d%s", file, ends[i]);
            assert_int_equal(unlink(name), 0);
        }
    }
}

/* Files that have a number less than was sorted: together, or one of them, beside the keys. */
static void test_verify__lost_on_the_way_to_one_of_several_files__is_found(void **state)
{
    (void)state;
    static const char *const inputs[] = {"in"}, *const values[] = {"in:8=out.v"};
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 1,
                                  .type = "u64",
                                  .device = GSI_DEVICE_CPU,
                                  .memory_bytes = 64u << 20};
    struct gs_report report;
    struct gs_error error = {0};
    put_random("in", 50001, 64);
    for (int step = 0; step < 5; step++) {
        bool is_split = step < 3;
        options.output = is_split ? "out.%d" : "out";
        options.split_count = is_split ? 3 : 0;
        options.values = is_split ? NULL : values;
        options.value_count = is_split ? 0 : 1;
        place = IN_SPLIT;
        atomic_store(&steps_left, is_split ? step : step - 3);
        enum gs_status status = gs_run(&options, &report, &error);
        place = NOWHERE;
        assert_true(atomic_load(&steps_left) < 0);
        assert_int_equal(status, GS_E_VERIFY);
        assert_non_null(strstr(error.text, "of 50001 elements"));
        assert_int_equal(names_in("."), 1);
    }
}

static void test_verify__reading_back__is_planned_and_reported(void **state)
{
    (void)state;
    struct gs_report plain, verified;
    struct gs_error error = {0};
    for (size_t i = 0; i < WAY_COUNT; i++) {
        const struct way *way = &ways[i];
        put_input(way);
        assert_int_equal(sort(way, false, &plain, &error), GS_OK);
        assert_int_equal(sort(way, true, &verified, &error), GS_OK);
        assert_int_equal(plain.cost.phases[GS_PHASE_READ_BACK].bytes_read, 0);
        uint64_t header =
            way->output != NULL && strstr(way->output, ".zst") == NULL ? 128 : way->header_bytes;
        assert_int_equal(verified.cost.phases[GS_PHASE_READ_BACK].bytes_read,
                         verified.output.file_bytes - header);
        assert_int_equal(verified.cost.bytes_read,
                         plain.cost.bytes_read + verified.output.file_bytes - header);
        assert_int_equal(verified.plan.read_bytes, plain.plan.read_bytes + plain.plan.output_bytes);
        assert_memory_equal(&plain.tally, &verified.tally, sizeof plain.tally);
        unlink(output_of(way));
    }
}

/* Nothing that could not be read back, or could not be compared, is accepted. */
static void test_verify__no_file__is_refused(void **state)
{
    (void)state;
    struct gs_report report;
    struct gs_error error = {0};
    const char *inputs[] = {"in"};
    struct gsi_options options = {
        .inputs = inputs, .input_count = 1, .output = "/dev/null", .verify_read = true};
    put_input(&ways[0]);
    assert_int_equal(gs_run(&options, &report, &error), GS_E_USAGE);
    assert_non_null(
        strstr(error.text, "'/dev/null', which is not a regular file: it cannot be read back"));
    options.output = "out";
    options.unique = options.unique_counts = true;
    assert_int_equal(gs_run(&options, &report, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "--count"));
    assert_int_equal(names_in("."), 1);
}

/* Some of the counted bytes are lost. */
static void test_verify__lost_of_what_is_counted__is_found(void **state)
{
    (void)state;
    static const char *const inputs[] = {"in"};
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 1,
                                  .output = "out",
                                  .type = "uint8",
                                  .device = GSI_DEVICE_CPU,
                                  .memory_bytes = 64u << 20};
    struct gs_report report;
    struct gs_error error = {0};
    put_random("in", 50001, 64);
    place = IN_SPLIT;
    atomic_store(&steps_left, 0);
    enum gs_status status = gs_run(&options, &report, &error);
    place = NOWHERE;
    assert_true(atomic_load(&steps_left) < 0);
    assert_int_equal(status, GS_E_VERIFY);
    assert_non_null(strstr(error.text, "the output does not match the input"));
    assert_int_equal(names_in("."), 1);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        ROW(test_verify__wrong_bits_before_the_output__are_found),
        ROW(test_verify__wrong_bits_in_an_array__are_found),
        ROW(test_verify__wrong_bits_in_a_small_array__are_found),
        ROW(test_verify__wrong_bits_in_windows__are_found_by_reading_back),
        ROW(test_verify__wrong_bits_on_the_disk__are_found_by_reading_back),
        ROW(test_verify__wrong_bits_in_split_files__are_found_by_reading_back),
        ROW(test_verify__lost_on_the_way_to_one_of_several_files__is_found),
        ROW(test_verify__lost_of_what_is_counted__is_found),
        ROW(test_verify__reading_back__is_planned_and_reported),
        ROW(test_verify__no_file__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
