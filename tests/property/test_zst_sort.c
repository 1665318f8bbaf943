/* test_zst_sort.c: tests sorts whose inputs libzstd compressed in every possible way, and sorts
 * with compressed outputs. It uses both engines, resident and spilled jobs, files and pipes. Run:
 * build/dev/tests/test_zst_sort
 */
#define ZSTD_STATIC_LINKING_ONLY /* skippable frames */
#include "input/zst/unpack.h"
#include "job/job_report.h"
#include "support/model.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#include <pthread.h>
#include <signal.h>
#include <zstd.h>

#define COUNT      400000 /* of u64: several pieces, and frames of many blocks */
#define DATA_BYTES ((size_t)8 * COUNT)
#define FILE_BYTES (2 * DATA_BYTES)

static uint8_t data[DATA_BYTES], want[DATA_BYTES], got[FILE_BYTES], packed[FILE_BYTES];

/* Something that zstd packs to about a third. */
static void make_data(struct test_random *random)
{
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t value = test_below(random, 1u << 20);
        memcpy(data + 8 * i, &value, 8);
    }
    memcpy(want, data, sizeof want);
    model_sort("u64", false, want, COUNT);
}

/* Appends one frame of a random kind after `length` bytes. */
static size_t add_frame(struct test_random *random, size_t length, const uint8_t *from,
                        size_t bytes)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_outBuffer out = {packed, sizeof packed, length};
    ZSTD_inBuffer in = {from, bytes, 0};
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 10 + (int)test_below(random, 12));
    if (test_below(random, 2) == 0)
        ZSTD_CCtx_setPledgedSrcSize(context, bytes);
    size_t flush = test_below(random, 3) == 0 ? 1 + test_below(random, 200000) : bytes;
    while (in.pos < bytes) { /* blocks of any length, empty ones too */
        ZSTD_inBuffer part = {from, in.pos + flush < bytes ? in.pos + flush : bytes, in.pos};
        assert_false(ZSTD_isError(ZSTD_compressStream2(context, &out, &part, ZSTD_e_flush)));
        in.pos = part.pos;
    }
    assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(context);
    return out.pos;
}

/* Cuts the data at random places into frames, with skippable and empty frames between them.
 * borders[i]: where a frame ends. */
static size_t pack_data(struct test_random *random, size_t *borders, size_t *border_count)
{
    size_t length = 0, off = 0;
    *border_count = 0;
    borders[(*border_count)++] = 0;
    while (off < DATA_BYTES) {
        size_t most = test_below(random, 2) == 0 ? 30000 : DATA_BYTES;
        size_t bytes = test_below(random, 10) == 0 ? 0 : 1 + test_below(random, most);
        bytes = bytes < DATA_BYTES - off ? bytes : DATA_BYTES - off;
        if (test_below(random, 4) == 0)
            length += ZSTD_writeSkippableFrame(packed + length, sizeof packed - length, want,
                                               test_below(random, 300000),
                                               (unsigned)test_below(random, 16));
        borders[(*border_count)++] = length;
        length = add_frame(random, length, data + off, bytes);
        borders[(*border_count)++] = length;
        off += bytes;
    }
    return length;
}

struct writer {
    int fd;
    size_t bytes, step;
};

/* Feeds a pipe in steps; a reader that left ends it. */
static void *write_main(void *argument)
{
    struct writer *writer = argument;
    for (size_t off = 0; off < writer->bytes;) {
        size_t left = writer->bytes - off;
        ssize_t moved = write(writer->fd, packed + off, left < writer->step ? left : writer->step);
        if (moved <= 0)
            break;
        off += (size_t)moved;
    }
    close(writer->fd);
    return NULL;
}

struct way {
    const char *name;
    enum gsi_io_choice io;
    uint32_t threads;
    bool is_pipe, spill_all;
    uint64_t memory_bytes, window_bytes;
};

static const struct way ways[] = {
    {"file", GSI_IO_AUTO, 2, false, false, (uint64_t)64 << 20, 0},
    {"file, spilled, threads", GSI_IO_THREADS, 3, false, true, (uint64_t)24 << 20, 8192},
    {"pipe", GSI_IO_AUTO, 2, true, false, (uint64_t)64 << 20, 0},
    {"pipe, one thread, threads", GSI_IO_THREADS, 1, true, false, (uint64_t)20 << 20, 4096},
};
#define WAY_COUNT (sizeof ways / sizeof ways[0])

/* Sort `bytes` of packed. */
static enum gs_status sort_packed(const struct way *way, size_t bytes, const char *output,
                                  struct gs_report *report, struct gs_error *error)
{
    char name[32] = "in";
    const char *inputs[] = {name};
    int fds[2];
    pthread_t thread;
    struct writer writer = {.bytes = bytes, .step = way->threads == 1 ? 7001 : 1 << 20};
    if (way->is_pipe) {
        assert_int_equal(pipe(fds), 0);
        snprintf(name, sizeof name, "/proc/self/fd/%d", fds[0]);
        writer.fd = fds[1];
        assert_int_equal(pthread_create(&thread, NULL, write_main, &writer), 0);
    } else {
        put_bytes(name, packed, bytes);
    }
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 1,
                                  .output = output,
                                  .type = "u64",
                                  .io = way->io,
                                  .memory_bytes = way->memory_bytes,
                                  .thread_count = way->threads,
                                  .spill_all = way->spill_all,
                                  .window_bytes = way->window_bytes};
    enum gs_status status = gs_run(&options, report, error);
    if (way->is_pipe) {
        close(fds[0]);
        pthread_join(thread, NULL);
    }
    return status;
}

/* If a file is cut at the end of a frame, only the number of elements shows it. */
static bool is_border(const size_t *borders, size_t count, size_t at)
{
    for (size_t i = 0; i < count; i++)
        if (borders[i] == at)
            return true;
    return false;
}

static void check_refused(const struct way *way, size_t bytes, const char *what, size_t at)
{
    struct gs_report report;
    struct gs_error error;
    put_bytes("out", "old", 3);
    enum gs_status status = sort_packed(way, bytes, "out", &report, &error);
    if (status != GS_E_INPUT || strstr(error.text, way->is_pipe ? "/proc" : "'in'") == NULL)
        test_fail("%s, %s at %zu: status %d (%s)", way->name, what, at, status, error.text);
    if (!holds("out", "old"))
        test_fail("%s, %s at %zu: the old output is gone", way->name, what, at);
}

static void test_zst__cut_short__refused_and_nothing_lost(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    static size_t borders[2 * DATA_BYTES];
    size_t border_count;
    make_data(&random);
    for (int round = 0; round < 40; round++) {
        size_t bytes = pack_data(&random, borders, &border_count);
        size_t at = 5 + test_below(&random, bytes - 5);
        if (!is_border(borders, border_count, at))
            check_refused(&ways[(size_t)round % WAY_COUNT], at, "cut", at);
    }
}

/* Every change of the data of frames with checksums is noticed. */
static void test_zst__a_changed_byte__refused_and_nothing_lost(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    make_data(&random);
    for (int round = 0; round < 40; round++) {
        size_t half = DATA_BYTES / 2, first = add_frame(&random, 0, data, half);
        size_t bytes = add_frame(&random, first, data + half, half);
        size_t at = (round % 2 == 0 ? 0 : first) + 30 + test_below(&random, first - 30);
        if (at >= bytes)
            continue;
        packed[at] ^= (uint8_t)(1u << test_below(&random, 8));
        check_refused(&ways[(size_t)round % WAY_COUNT], bytes, "changed", at);
    }
}

/* Does the same with frames so short that several threads decompress them. */
static void test_zst__a_changed_byte_in_short_frames__refused_and_nothing_lost(void **state)
{
    (void)state;
    enum { FRAMES = 20, PLAIN = 40000 };
    struct test_random random = test_random_make(7);
    make_data(&random);
    for (int round = 0; round < 40; round++) {
        size_t begins[FRAMES + 1] = {0};
        for (size_t f = 0; f < FRAMES; f++)
            begins[f + 1] = add_frame(&random, begins[f], data + f * PLAIN, PLAIN);
        size_t f = test_below(&random, FRAMES), room = begins[f + 1] - begins[f] - 30;
        size_t at = begins[f] + 30 + test_below(&random, room);
        packed[at] ^= (uint8_t)(1u << test_below(&random, 8));
        check_refused(&ways[(size_t)round % WAY_COUNT], begins[FRAMES], "changed", at);
    }
}

static void test_zst__bytes_that_are_no_frame__refused(void **state)
{
    (void)state;
    struct test_random random = test_random_make(4);
    make_data(&random);
    size_t bytes = add_frame(&random, 0, data, DATA_BYTES);
    memcpy(packed + bytes, "nothing that zstd knows", 16);
    for (size_t w = 0; w < WAY_COUNT; w++)
        check_refused(&ways[w], bytes + 16, "garbage", bytes);
}

/* Compressed bytes depend only on data and level, and libzstd decompresses them. */
static void test_zst__packed_output__same_bytes_whatever_the_way(void **state)
{
    (void)state;
    struct test_random random = test_random_make(5);
    static uint8_t first[FILE_BYTES], plain[DATA_BYTES + 1];
    static const size_t counts[] = {0, 1, 1 << 17, (1 << 17) + 1, COUNT};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        size_t bytes = 8 * counts[c], first_bytes = 0;
        make_data(&random);
        memcpy(want, data, bytes);
        model_sort("u64", false, want, counts[c]);
        memcpy(packed, data, bytes); /* not packed at all */
        for (size_t w = 0; w < WAY_COUNT; w++) {
            struct gs_report report;
            struct gs_error error;
            if (sort_packed(&ways[w], bytes, "out.zst", &report, &error) != GS_OK)
                test_fail("%s, %zu elements: %s", ways[w].name, counts[c], error.text);
            size_t length = get_bytes("out.zst", got, sizeof got);
            assert_int_equal(report.output.bytes, bytes);
            assert_int_equal(report.output.file_bytes, length);
            assert_int_equal(ZSTD_decompress(plain, sizeof plain, got, length), bytes);
            assert_memory_equal(plain, want, bytes);
            if (w == 0)
                memcpy(first, got, first_bytes = length);
            if (length != first_bytes || memcmp(got, first, length) != 0)
                test_fail("%s, %zu elements: other bytes", ways[w].name, counts[c]);
        }
    }
}

/* Frames that look back further than memory allows are refused, before anything is read or at
 * their turn. */
static void test_zst__windows_beyond_memory__refused(void **state)
{
    (void)state;
    struct test_random random = test_random_make(6);
    make_data(&random);
    for (int is_second = 0; is_second < 2; is_second++) {
        size_t length = is_second ? add_frame(&random, 0, data, 1000) : 0;
        ZSTD_CCtx *context = ZSTD_createCCtx();
        ZSTD_outBuffer out = {packed, sizeof packed, length};
        ZSTD_inBuffer in = {data, DATA_BYTES, 0};
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
        assert_false(ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)));
        assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
        ZSTD_freeCCtx(context);
        for (size_t w = 0; w < WAY_COUNT; w++) {
            struct gs_report report;
            struct gs_error error;
            enum gs_status status = sort_packed(&ways[w], out.pos, "out", &report, &error);
            if (status != (is_second ? GS_E_INPUT : GS_E_USAGE))
                test_fail("%s, frame %d: status %d (%s)", ways[w].name, is_second, status,
                          error.text);
            assert_non_null(strstr(error.text, is_second ? "--long=31" : "--memory"));
        }
        struct way enough = ways[0];
        struct gs_report report;
        struct gs_error error;
        enough.memory_bytes = (uint64_t)160 << 20;
        if (!is_second && sort_packed(&enough, out.pos, "out", &report, &error) != GS_OK)
            test_fail("160 MiB: %s", error.text);
    }
}

/* Random bytes in frames that hold as much as a small one can. Coded, such a frame is longer than
 * all blocks of the reader together. */
static void test_zst__frames_longer_than_all_blocks__are_read(void **state)
{
    (void)state;
    struct test_random random = test_random_make(8);
    const size_t most = GSI_ZST_SMALL_BYTES;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t value = test_next(&random);
        memcpy(want + 8 * i, &value, 8);
    }
    size_t length = 0;
    for (size_t off = 0; off < DATA_BYTES; off += most) {
        size_t bytes = off + most < DATA_BYTES ? most : DATA_BYTES - off;
        size_t coded = ZSTD_compress(packed + length, sizeof packed - length, want + off, bytes, 1);
        assert_false(ZSTD_isError(coded));
        length += coded;
    }
    model_sort("u64", false, want, COUNT);
    for (size_t i = 0; i < 24; i++) {
        struct gs_report report;
        struct gs_error error;
        assert_int_equal(sort_packed(&ways[i % 2], length, "out", &report, &error), GS_OK);
        assert_int_equal(get_bytes("out", got, sizeof got), DATA_BYTES);
        assert_memory_equal(got, want, DATA_BYTES);
    }
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_zst__cut_short__refused_and_nothing_lost),
        IN_SCRATCH(test_zst__a_changed_byte__refused_and_nothing_lost),
        IN_SCRATCH(test_zst__a_changed_byte_in_short_frames__refused_and_nothing_lost),
        IN_SCRATCH(test_zst__bytes_that_are_no_frame__refused),
        IN_SCRATCH(test_zst__packed_output__same_bytes_whatever_the_way),
        IN_SCRATCH(test_zst__windows_beyond_memory__refused),
        IN_SCRATCH(test_zst__frames_longer_than_all_blocks__are_read),
    };
    signal(SIGPIPE, SIG_IGN); /* of the threads that feed pipes */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
