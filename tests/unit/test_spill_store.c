/* test_spill_store.c: places of frames in several files, their space given back, and the page cache
 * freed of them. The linker puts a function of this file before posix_fadvise. Run:
 * build/dev/bin/test_spill_store */
#include "support/refuse.h"
#include "support/scratch.h"

#include "gsort.h"
#include "run/spill_store.h"

#include <errno.h>

#define FRAME_BYTES 8192u
#define FRAMES      12u /* a run */
#define FILES       3

static struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};

static void fill(uint8_t *frame, uint32_t run_idx, uint64_t frame_idx)
{
    memset(frame, (int)(1 + run_idx * FRAMES + frame_idx), FRAME_BYTES);
}

static void write_frame(struct gsi_spill_store *store, struct gsi_spilled_run *run,
                        uint32_t run_idx)
{
    static _Alignas(4096) uint8_t frame[FRAME_BYTES];
    struct gsi_frame_ref ref = {.bytes = FRAME_BYTES, .count = 1};
    fill(frame, run_idx, run->frame_count);
    gsi_spill_place(store, ref.bytes, &ref.file_idx, &ref.off);
    assert_int_equal(pwrite(store->files[ref.file_idx].fd, frame, ref.bytes, (off_t)ref.off),
                     ref.bytes);
    gsi_spilled_run_append(run, &ref);
}

/* Whether every frame is what was written, or all zeros. */
static bool is_whole(const struct gsi_spill_store *store, const struct gsi_spilled_run *run,
                     uint32_t run_idx, bool is_zero)
{
    static _Alignas(4096) uint8_t frame[FRAME_BYTES], want[FRAME_BYTES];
    for (uint64_t i = 0; i < run->frame_count; i++) {
        const struct gsi_frame_ref *ref = &run->frames[i];
        fill(want, run_idx, i);
        if (is_zero)
            memset(want, 0, sizeof want);
        if (pread(store->files[ref->file_idx].fd, frame, ref->bytes, (off_t)ref->off) !=
                FRAME_BYTES ||
            memcmp(frame, want, FRAME_BYTES) != 0)
            return false;
    }
    return true;
}

static bool can_punch(void)
{
    int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    bool can = fd >= 0 && fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0;
    if (fd >= 0)
        close(fd);
    return can;
}

/* Runs one after another, then two frame by frame, as neighbours and not: what is released is gone,
 * and nothing else. */
static void test_spill_release__one_run__its_frames_and_no_others(void **state)
{
    (void)state;
    static const char *const directories[FILES] = {".", ".", "."};
    struct gs_error error = {0};
    struct gsi_spill_store store;
    struct gsi_spilled_run runs[4];
    if (!can_punch()) {
        print_message("skipped: this file system has no holes\n");
        skip();
    }
    for (size_t files = 1; files <= FILES; files++) {
        assert_int_equal(gsi_spill_store_open(&store, directories, files, &ledger, &error), GS_OK);
        for (uint32_t r = 0; r < 4; r++)
            assert_int_equal(gsi_spilled_run_reserve(&ledger, &runs[r], FRAMES, &error), GS_OK);
        for (uint32_t f = 0; f < FRAMES; f++)
            write_frame(&store, &runs[0], 0);
        for (uint32_t f = 0; f < FRAMES; f++)
            write_frame(&store, &runs[1], 1);
        for (uint32_t f = 0; f < 2 * FRAMES; f++)
            write_frame(&store, &runs[2 + f % 2], 2 + f % 2);
        for (uint32_t released = 0; released < 4; released++) {
            gsi_spill_release(&store, &runs[released]);
            for (uint32_t r = 0; r < 4; r++)
                if (!is_whole(&store, &runs[r], r, r <= released))
                    test_fail("%zu files, released %u: run %u", files, released, r);
        }
        for (uint32_t r = 0; r < 4; r++)
            gsi_spilled_run_clear(&ledger, &runs[r]);
        gsi_spill_store_close(&store);
    }
    assert_int_equal(ledger.taken_bytes, 0);
}

int __real_posix_fadvise64(int fd, off_t off, off_t bytes, int advice);
int __wrap_posix_fadvise64(int fd, off_t off, off_t bytes, int advice);

static uint64_t uncached_bytes;

int __wrap_posix_fadvise64(int fd, off_t off, off_t bytes, int advice)
{
    uncached_bytes += advice == POSIX_FADV_DONTNEED ? (uint64_t)bytes : 0;
    return __real_posix_fadvise64(fd, off, bytes, advice);
}

/* In a child: all frames twice, once written and once read, but only if they are in the cache. */
static int sort_and_count(void *is_buffered)
{
    struct gs_options options = {.inputs = (const char *[]){"in"},
                                 .input_count = 1,
                                 .output = "out",
                                 .type = "u64",
                                 .memory_bytes = 64u << 20,
                                 .thread_count = 1,
                                 .compress = GS_COMPRESS_ZSTD,
                                 .device = GS_DEVICE_CPU,
                                 .chunk_bytes = 262144,
                                 .window_bytes = 65536,
                                 .spill_all = true};
    struct gs_report report;
    struct gs_error error;
    if (is_buffered != NULL && !test_refuse(SYS_openat, 2, O_DIRECT, EINVAL))
        return SKIPPED;
    CHECK(gs_run(&options, &report, &error) == GS_OK);
    CHECK(report.spilled_coded_bytes > 0);
    if (is_buffered == NULL && !report.direct_temp)
        return SKIPPED;
    CHECK(uncached_bytes == (is_buffered != NULL ? 2 * report.spilled_coded_bytes : 0));
    return 0;
}

static void write_input(void)
{
    struct test_random random = test_random_make(0);
    FILE *file = fopen("in", "wb");
    assert_non_null(file);
    for (int i = 0; i < 300000; i++) {
        uint64_t element = test_next(&random) >> 20;
        assert_int_equal(fwrite(&element, sizeof element, 1, file), 1);
    }
    fclose(file);
}

static void test_sort__buffered_frames__do_not_stay_in_the_cache(void **state)
{
    (void)state;
    static bool is_buffered = true;
    write_input();
    run_in_child(sort_and_count, &is_buffered);
}

static void test_sort__direct_frames__need_no_advice(void **state)
{
    (void)state;
    write_input();
    run_in_child(sort_and_count, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sort__buffered_frames__do_not_stay_in_the_cache,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_sort__direct_frames__need_no_advice, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(test_spill_release__one_run__its_frames_and_no_others,
                                        scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
