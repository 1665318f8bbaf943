/* test_spill_store.c: checks where frames are placed, by parts of runs, queues and room, and how
 * disk is allocated and released. Run: build/dev/tests/test_spill_store */
#include "support/scratch.h"

#include "run/store.h"

#include <sys/resource.h>

#define FRAME 65536u

static struct gsi_spill_store open_in(const char *const *directories, size_t count,
                                      struct gsi_ledger *ledger)
{
    struct gsi_spill_store store;
    *ledger = (struct gsi_ledger){.ceiling_bytes = UINT64_MAX};
    for (size_t i = 0; i < count; i++)
        mkdir(directories[i], 0755);
    assert_int_equal(gsi_spill_store_open(&store, directories, count, UINT64_MAX, ledger, NULL),
                     GS_OK);
    return store;
}

static uint32_t place(struct gsi_spill_store *store, uint64_t frame_idx, uint64_t frame_count,
                      struct gsi_frame_ref *ref)
{
    *ref = (struct gsi_frame_ref){.bytes = FRAME};
    assert_int_equal(gsi_spill_allocate_frame(store, frame_idx, frame_count, ref, NULL), GS_OK);
    return store->files[ref->file_idx].directory_idx;
}

static uint64_t disk_of(const struct gsi_spill_store *store)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < store->directory_count * store->files_per_directory; i++) {
        struct stat info;
        assert_int_equal(fstat(store->files[i].fd, &info), 0);
        bytes += (uint64_t)info.st_blocks * 512;
    }
    return bytes;
}

static void test_spill_store__runs_of_any_length__lie_in_parts_by_position(void **state)
{
    (void)state;
    static const char *const directories[] = {"."};
    struct gsi_ledger ledger;
    for (uint64_t frames = 1; frames < 200; frames += 11) {
        struct gsi_spill_store store = open_in(directories, 1, &ledger);
        uint32_t before = 0;
        for (int run = 0; run < 2; run++, before = 0)
            for (uint64_t i = 0; i < frames; i++) {
                struct gsi_frame_ref ref;
                place(&store, i, frames, &ref);
                assert_in_range(ref.file_idx, before, store.files_per_directory - 1);
                assert_int_equal(ref.file_idx, i * store.files_per_directory / frames);
                assert_int_equal(ref.off + FRAME, store.files[ref.file_idx].end);
                assert_true(store.files[ref.file_idx].end <= store.files[ref.file_idx].allocated);
                before = ref.file_idx;
            }
        assert_int_equal(store.taken_bytes, 2 * frames * FRAME); /* no more than will be used */
        gsi_spill_store_close(&store);
        assert_int_equal(ledger.reserved_bytes, 0);
    }
}

static void test_spill_store__queues__the_shortest_gets_the_frame(void **state)
{
    (void)state;
    static const char *const directories[] = {"fast", "slow"};
    struct gsi_ledger ledger;
    struct gsi_spill_store store = open_in(directories, 2, &ledger);
    struct gsi_frame_ref slow, ref;
    uint32_t placed[2] = {0};
    place(&store, 0, 100, &ref);
    gsi_spill_frame_written(&store, &ref);
    assert_int_equal(place(&store, 1, 100, &slow), 1); /* in turn */
    for (uint64_t i = 2; i < 50; i++) { /* what is fast is empty again, the other one is not */
        placed[place(&store, i, 100, &ref)]++;
        gsi_spill_frame_written(&store, &ref);
    }
    assert_int_equal(placed[0], 48);
    gsi_spill_frame_written(&store, &slow);
    for (uint64_t i = 50; i < 100; i++) /* nothing is written: evenly */
        placed[place(&store, i, 100, &ref)]++;
    assert_int_equal(placed[1], 25);
    gsi_spill_store_close(&store);
}

static void test_spill_store__room__is_counted_once_a_file_system(void **state)
{
    (void)state;
    static const char *const directories[] = {"a", "b"};
    struct gsi_ledger ledger;
    struct gsi_spill_store store = open_in(directories, 2, &ledger);
    struct gsi_frame_ref refs[10], ref = {.bytes = FRAME};
    struct gs_error error = {0};
    gsi_spill_store_set_limit(&store, store.directories[1].file_system, 10 * FRAME);
    for (uint64_t i = 0; i < 10; i++)
        place(&store, i, 11, &refs[i]);
    assert_int_equal(gsi_spill_allocate_frame(&store, 10, 11, &ref, &error), GS_E_SPACE);
    assert_non_null(strstr(error.text, "'a', 'b': spilling runs needs more than"));
    gsi_spill_frame_consumed(&store, &refs[3]);
    gsi_spill_frame_released(&store, &refs[3]);
    assert_int_equal(gsi_spill_allocate_frame(&store, 10, 11, &ref, NULL), GS_OK);
    gsi_spill_store_close(&store);
}

static void test_spill_store__refused_frame__goes_elsewhere(void **state)
{
    (void)state;
    static const char *const directories[] = {"a", "b"};
    struct gsi_ledger ledger;
    struct gsi_spill_store store = open_in(directories, 2, &ledger);
    struct gsi_frame_ref ref;
    struct gs_error error = {0};
    uint32_t first = place(&store, 0, 2, &ref);
    gsi_spill_frame_refused(&store, &ref);
    assert_int_equal(gsi_spill_allocate_frame(&store, 0, 2, &ref, NULL), GS_OK);
    assert_int_equal(store.files[ref.file_idx].directory_idx, 1 - first);
    gsi_spill_frame_refused(&store, &ref);
    struct gsi_frame_ref again = ref;
    assert_int_equal(gsi_spill_allocate_frame(&store, 0, 2, &again, &error), GS_E_SPACE);
    gsi_spill_frame_released(&store, &ref); /* there is room again */
    assert_int_equal(gsi_spill_allocate_frame(&store, 0, 2, &again, NULL), GS_OK);
    gsi_spill_store_close(&store);
}

static void test_spill_store__punched_and_trimmed__the_disk_is_free(void **state)
{
    (void)state;
    static const char *const directories[] = {"."};
    struct gsi_ledger ledger;
    struct gsi_spill_store store = open_in(directories, 1, &ledger);
    struct gsi_frame_ref refs[2];
    place(&store, 0, 320, &refs[0]);
    place(&store, 1, 320, &refs[1]);
    assert_int_equal(refs[0].file_idx, refs[1].file_idx);
    if (disk_of(&store) == 0)
        test_skip("no preallocation in the file system of /tmp");
    uint64_t taken = store.taken_bytes;
    assert_int_equal(taken, GSI_SPILL_FRAMES_AHEAD * FRAME);
    gsi_spill_trim_files(&store);
    assert_int_equal(store.taken_bytes, 2 * FRAME);
    assert_true(disk_of(&store) < taken);
    assert_false(gsi_spill_frame_consumed(&store, &refs[1]));
    assert_true(gsi_spill_frame_consumed(&store, &refs[0]));
    gsi_spill_punch_hole(&store, refs[0].file_idx, 0, 2 * FRAME);
    gsi_spill_frame_released(&store, &refs[0]);
    gsi_spill_frame_released(&store, &refs[1]);
    assert_int_equal(store.taken_bytes, 0);
    assert_int_equal(store.peak_bytes, taken);
    assert_true(disk_of(&store) <= FRAME); /* what the file system needs to describe a hole */
    gsi_spill_store_close(&store);
}

static int open_with_few_descriptors(void *argument)
{
    (void)argument;
    static const char *const directories[] = {".", "."};
    struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
    struct rlimit limit = {64, 64};
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    struct gsi_spill_store store;
    CHECK(gsi_spill_store_open(&store, directories, 2, UINT64_MAX, &ledger, NULL) == GS_OK);
    CHECK(store.files_per_directory > 16 && store.files_per_directory < GSI_SPILL_FILES_MAX);
    int fd = open(".", O_RDONLY);
    CHECK(fd >= 0 && fd < 60);
    gsi_spill_store_close(&store);
    return 0;
}

static void test_spill_store__few_descriptors__some_are_left(void **state)
{
    (void)state;
    run_in_child(open_with_few_descriptors, NULL);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_spill_store__runs_of_any_length__lie_in_parts_by_position),
        IN_SCRATCH(test_spill_store__queues__the_shortest_gets_the_frame),
        IN_SCRATCH(test_spill_store__room__is_counted_once_a_file_system),
        IN_SCRATCH(test_spill_store__refused_frame__goes_elsewhere),
        IN_SCRATCH(test_spill_store__punched_and_trimmed__the_disk_is_free),
        IN_SCRATCH(test_spill_store__few_descriptors__some_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
