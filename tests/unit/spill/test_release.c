/* test_release.c: frames that were merged give their disk back, file by file, or all when they are
 * too many. Run: build/dev/tests/test_release */
#include "support/scratch.h"

#include "spill/spill.h"

#include <unistd.h>

#define FRAME  65536u
#define FRAMES 64u

/* A job with one spilled run, two frames in each file, and a release of it. */
struct fixture {
    struct gsi_loop loop;
    struct gsi_spill_store store;
    struct gsi_frame_ref frames[FRAMES];
    struct gsi_disk_release release;
};

static void wake(void *context)
{
    (void)context;
}

static void open_fixture(struct fixture *fixture, uint64_t spilled_bytes)
{
    static const char *const directories[] = {"."};
    struct gsi_loop *loop = &fixture->loop;
    struct gsi_spill_store *store = &fixture->store;
    *fixture = (struct fixture){0};
    loop->ledger.ceiling_bytes = UINT64_MAX;
    assert_int_equal(gsi_spill_store_open(store, directories, 1, UINT64_MAX, &loop->ledger, NULL),
                     GS_OK);
    assert_int_equal(store->files_per_directory, FRAMES / 2);
    assert_int_equal(gsi_pool_create(1, wake, NULL, &loop->disk_pool, NULL), GS_OK);
    for (uint32_t i = 0; i < FRAMES; i++) {
        fixture->frames[i].bytes = FRAME;
        assert_int_equal(gsi_spill_allocate_frame(store, i, FRAMES, &fixture->frames[i], NULL),
                         GS_OK);
    }
    assert_int_equal(gsi_disk_release_open(&fixture->release, loop, store, spilled_bytes, FRAMES),
                     GS_OK);
}

static void close_fixture(struct fixture *fixture)
{
    gsi_disk_release_close(&fixture->release);
    gsi_pool_free(fixture->loop.disk_pool);
    gsi_spill_store_close(&fixture->store);
}

/* Wait for what was begun and for what that begins. */
static void settle(struct fixture *fixture)
{
    while (gsi_pool_pending(fixture->loop.disk_pool) > 0)
        gsi_pool_reap(fixture->loop.disk_pool);
}

static void test_release__free_files__are_given_back_at_once(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture, UINT64_MAX);
    uint64_t taken = fixture.store.taken_bytes;
    gsi_disk_release_add(&fixture.release, &fixture.frames[0], false);
    assert_int_equal(gsi_pool_pending(fixture.loop.disk_pool), 0);
    gsi_disk_release_add(&fixture.release, &fixture.frames[1], false);
    assert_int_equal(gsi_pool_pending(fixture.loop.disk_pool), 1);
    gsi_disk_release_add(&fixture.release, &fixture.frames[2], false);
    settle(&fixture);
    assert_int_equal(fixture.store.taken_bytes, taken - 2 * FRAME);
    assert_false(gsi_disk_release_is_idle(&fixture.release));
    for (uint32_t i = 3; i < FRAMES; i++)
        gsi_disk_release_add(&fixture.release, &fixture.frames[i], i + 1 == FRAMES);
    settle(&fixture);
    assert_true(gsi_disk_release_is_idle(&fixture.release));
    assert_int_equal(fixture.store.taken_bytes, taken - FRAMES * FRAME);
    close_fixture(&fixture);
}

/* Frames that a merge writes may be in a file that was free a moment ago. */
static void test_release__file_that_is_used_again__waits(void **state)
{
    (void)state;
    struct fixture fixture;
    struct gsi_frame_ref written = {.bytes = FRAME};
    open_fixture(&fixture, UINT64_MAX);
    for (uint32_t i = 0; i < 4; i++)
        gsi_disk_release_add(&fixture.release, &fixture.frames[i],
                             false); /* file 0 is given back, file 1 is free */
    assert_int_equal(gsi_spill_allocate_frame(&fixture.store, 3, FRAMES, &written, NULL), GS_OK);
    assert_int_equal(written.file_idx, 1);
    settle(&fixture);
    assert_int_equal(fixture.release.begin, 2);
    for (uint32_t i = 4; i < FRAMES; i++)
        gsi_disk_release_add(&fixture.release, &fixture.frames[i], i + 1 == FRAMES);
    settle(&fixture);
    assert_true(gsi_disk_release_is_idle(&fixture.release));
    assert_int_equal(fixture.store.files[1].live_bytes, FRAME);
    close_fixture(&fixture);
}

/* Every second frame first: no file is free, and still no more than the bound is late. */
static void test_release__uneven_merge__is_bounded(void **state)
{
    (void)state;
    struct fixture fixture;
    const uint64_t most = 8 * FRAME;
    open_fixture(&fixture, 13 * most);
    uint64_t taken = fixture.store.taken_bytes;
    for (uint32_t i = 0; i < FRAMES; i++) {
        if (gsi_disk_release_is_full(&fixture.release))
            settle(&fixture);
        assert_false(gsi_disk_release_is_full(&fixture.release));
        uint32_t idx = i < FRAMES / 2 ? 2 * i : 2 * (i - FRAMES / 2) + 1;
        gsi_disk_release_add(&fixture.release, &fixture.frames[idx], i + 1 == FRAMES);
        uint64_t given_back = taken - fixture.store.taken_bytes;
        assert_in_range((i + 1) * FRAME - given_back, 0, most + FRAME);
    }
    settle(&fixture);
    assert_int_equal(fixture.store.taken_bytes, taken - FRAMES * FRAME);
    close_fixture(&fixture);
}

/* Checks the outer ones of three neighbours. */
static void test_release__frames_between__stay(void **state)
{
    (void)state;
    static _Alignas(4096) uint8_t data[3 * FRAME], got[FRAME];
    struct fixture fixture;
    struct gsi_frame_ref *frames = fixture.frames;
    open_fixture(&fixture, UINT64_MAX);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(gsi_spill_allocate_frame(&fixture.store, 0, FRAMES, &frames[i], NULL),
                         GS_OK);
    int fd = fixture.store.files[frames[1].file_idx].fd;
    memset(data, 1, sizeof data);
    assert_int_equal(pwrite(fd, data, sizeof data, (off_t)frames[0].off), sizeof data);
    gsi_disk_release_add(&fixture.release, &frames[0], false);
    gsi_disk_release_add(&fixture.release, &frames[2], true);
    settle(&fixture);
    assert_int_equal(pread(fd, got, FRAME, (off_t)frames[1].off), FRAME);
    assert_memory_equal(got, data, FRAME);
    close_fixture(&fixture);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_release__free_files__are_given_back_at_once),
        IN_SCRATCH(test_release__file_that_is_used_again__waits),
        IN_SCRATCH(test_release__uneven_merge__is_bounded),
        IN_SCRATCH(test_release__frames_between__stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
