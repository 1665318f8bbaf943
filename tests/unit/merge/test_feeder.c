/* test_feeder.c: checks the order in which a merge reads the blocks of its runs. Frames are read in
 * the order of their first keys. Sorted files are read evenly if they overlap, and one after the
 * other if they follow each other. A file that ends far later is never read much more than
 * necessary. Run: build/dev/tests/test_feeder */
#include "support/scratch.h"

#include "element/key_scope.h"
#include "io/engine.h"
#include "job/job_report.h"
#include "loop/loop.h"
#include "merge/feed/feeder.h"
#include "plan/plan.h"
#include "support/struct_jobs.h"

#define FILES       8
#define PIECES      80u /* of each file */
#define PIECE_BYTES 4096u
#define PIECE_COUNT (PIECE_BYTES / 8)
#define MOST_READS  (FILES * PIECES)
#define READ_AHEAD  128u /* pieces, all files together; no plan for so few files reads further */

static const char *const inputs[FILES] = {"0", "1", "2", "3", "4", "5", "6", "7"};
static ino_t inodes[FILES];
static uint8_t read_file_idx[MOST_READS]; /* of each read, in the order of submission */
static size_t read_count;

void __real_gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io);
void __wrap_gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io);

static bool is_recording; /* frames: reads are only noted, by their offset */
static uint64_t submitted_offs[23 * 60];

void __wrap_gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io)
{
    struct stat info;
    if (is_recording) {
        submitted_offs[read_count++] = io->off;
        return;
    }
    for (uint8_t i = 0; i < FILES && io->op == GSI_IO_READ && fstat(io->fd, &info) == 0; i++)
        if (info.st_ino == inodes[i] && read_count < MOST_READS)
            read_file_idx[read_count++] = i;
    __real_gsi_loop_submit(loop, io);
}

/* File `idx` has the keys first, first + step, .. */
static void write_keys(int idx, uint64_t first, uint64_t step)
{
    static uint64_t keys[PIECES * PIECE_COUNT];
    struct stat info;
    for (uint64_t i = 0; i < PIECES * PIECE_COUNT; i++)
        keys[i] = first + i * step;
    put_bytes(inputs[idx], keys, sizeof keys);
    assert_int_equal(stat(inputs[idx], &info), 0);
    inodes[idx] = info.st_ino;
}

static void merge_files(void)
{
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = FILES,
                                  .output = "out",
                                  .merge = true,
                                  .type = "u64",
                                  .memory_bytes = 64u << 20,
                                  .thread_count = 2,
                                  .device = GSI_DEVICE_CPU,
                                  .window_bytes = PIECE_BYTES};
    struct gs_report report;
    struct gs_error error;
    read_count = 0;
    if (gs_run(&options, &report, &error) != GS_OK)
        test_fail("%s", error.text);
    assert_int_equal(read_count, MOST_READS);
    assert_int_equal(report.runs.merge_passes, 0);
}

static void test_feeder__files_overlap__read_evenly(void **state)
{
    (void)state;
    uint32_t of_file[FILES] = {0};
    for (int i = 0; i < FILES; i++)
        write_keys(i, (uint64_t)i, FILES);
    merge_files();
    for (size_t r = 0; r < read_count; r++) {
        uint32_t *pieces = &of_file[read_file_idx[r]], fewest = PIECES;
        (*pieces)++;
        for (int i = 0; i < FILES; i++)
            fewest = of_file[i] < fewest ? of_file[i] : fewest;
        if (*pieces > fewest + 4)
            test_fail("read %zu: %u pieces of file %d, %u of another one", r, *pieces,
                      read_file_idx[r], fewest);
    }
}

/* Reads two pieces of each file first, then all others in the order of their keys, not of the
 * inputs. */
static void test_feeder__files_follow_each_other__read_one_by_one(void **state)
{
    (void)state;
    static const uint64_t turns[FILES] = {3, 1, 0, 7, 5, 2, 6, 4};
    uint32_t of_file[FILES] = {0};
    uint64_t turn = 0;
    for (int i = 0; i < FILES; i++)
        write_keys(i, turns[i] * PIECES * PIECE_COUNT, 1);
    merge_files();
    for (size_t r = 0; r < read_count; r++) {
        uint8_t file = read_file_idx[r];
        if (++of_file[file] <= 2)
            continue;
        if (turns[file] < turn)
            test_fail("read %zu: of file %d, after one behind it", r, file);
        turn = turns[file];
    }
}

/* Keys of one file are far apart, so more blocks of the other files are read ahead. */
static void test_feeder__one_file_is_sparse__others_first(void **state)
{
    (void)state;
    uint32_t of_sparse = 0;
    for (int i = 0; i < FILES; i++)
        write_keys(i, (uint64_t)i, i == 0 ? (uint64_t)1 << 40 : FILES);
    merge_files();
    for (size_t r = 0; r < (FILES - 1) * (PIECES - 2) - READ_AHEAD; r++)
        of_sparse += read_file_idx[r] == 0;
    assert_int_equal(of_sparse, 2);
}

/* ---- frames ---- */

/* Lets a feeder start to read all frames of `runs`; submitted_offs then has their order. */
static void read_frames(const struct gsi_layout *layout, const struct gsi_spilled_run *runs,
                        uint32_t run_count)
{
    static uint64_t first_indexes[23];
    struct gs_error error = {0};
    const struct gsi_plan plan = {.frame_bytes = 4096,
                                  .window_bytes = 4096,
                                  .record_bytes = layout->form != GSI_FORM_KEYS ? 32 : 0};
    struct gsi_loop loop = {.layout = layout, .plan = &plan, .error = &error};
    struct gsi_spill_directory directory = {.path = "."};
    struct gsi_spill_file file = {.fd = -1};
    struct gsi_spill spill = {.store = {.directories = &directory, .files = &file}};
    struct gsi_inputs no_inputs = {.loop = &loop};
    struct gsi_run_entry entries[23] = {0};
    struct gsi_buffers buffers;
    struct gsi_feeder feeder;
    uint64_t frames = gsi_plan_merge_frames(&plan, run_count);
    loop.ledger.ceiling_bytes = UINT64_MAX;
    for (uint32_t r = 0; r < run_count; r++) {
        entries[r].spilled = runs[r];
        frames += runs[r].frame_count;
    }
    uint8_t *memory = test_malloc(frames * plan.frame_bytes);
    assert_int_equal(gsi_buffers_init(&buffers, &loop.ledger, memory, frames * plan.frame_bytes,
                                      gsi_shape_frame(&plan), false, &error),
                     GS_OK);
    assert_int_equal(
        gsi_feeder_begin(&feeder, &spill, &no_inputs, &buffers, entries, run_count, first_indexes),
        GS_OK);
    is_recording = true;
    read_count = 0;
    gsi_feeder_pump(&feeder);
    is_recording = false;
    gsi_feeder_clear(&feeder);
    gsi_buffers_clear(&buffers);
    test_free(memory);
}

/* The offset of a frame tells which one it is. */
#define OFF_OF(run_idx, frame_idx) ((uint64_t)(run_idx) << 32 | (frame_idx))
#define RUN_OF(off)                ((uint32_t)((off) >> 32))
#define FRAME_OF(off)              ((off)&UINT32_MAX)

static void test_feeder__frames__by_first_key_and_run(void **state)
{
    (void)state;
    static const uint8_t keys[3][4] = {{1, 5, 5, 9}, {1, 1, 2, 8}, {0, 5, 6, 7}};
    static const uint8_t want[12][2] = {{2, 0}, {0, 0}, {1, 0}, {1, 1}, {1, 2}, {0, 1},
                                        {0, 2}, {2, 1}, {2, 2}, {2, 3}, {1, 3}, {0, 3}};
    struct gsi_layout layout = gsi_layout_make(gsi_key_type_find("u64"), false);
    struct gsi_frame_ref frames[3][4] = {0};
    struct gsi_spilled_run runs[3];
    for (uint32_t r = 0; r < 3; r++) {
        for (uint32_t f = 0; f < 4; f++) {
            frames[r][f].first_key[0] = keys[r][f];
            frames[r][f].off = OFF_OF(r, f);
        }
        runs[r] = (struct gsi_spilled_run){.frames = frames[r], .frame_count = 4};
    }
    read_frames(&layout, runs, 3);
    assert_int_equal(read_count, 12);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(submitted_offs[i], OFF_OF(want[i][0], want[i][1]));
}

/* Each frame is read once, in order, for many runs of any length, with and without equal keys. */
static void test_feeder__random_frames__in_order_and_complete(void **state)
{
    (void)state;
    enum { RUNS = 23, MOST_FRAMES = 60 };
    static struct gsi_frame_ref frames[RUNS][MOST_FRAMES];
    struct gsi_layout layout = gsi_layout_make(gsi_key_type_find("u64"), false);
    for (uint64_t salt = 0; salt < 200; salt++) {
        struct test_random random = test_random_make(salt);
        struct gsi_spilled_run runs[RUNS];
        uint32_t run_count = 1 + (uint32_t)test_below(&random, RUNS);
        uint64_t next_frame[RUNS] = {0}, frame_count = 0;
        for (uint32_t r = 0; r < run_count; r++) {
            uint8_t key = 0;
            runs[r] = (struct gsi_spilled_run){.frames = frames[r],
                                               .frame_count = test_below(&random, MOST_FRAMES)};
            for (uint32_t f = 0; f < runs[r].frame_count; f++) {
                key = (uint8_t)(key + test_below(&random, 1 + salt % 4));
                frames[r][f].first_key[0] = key;
                frames[r][f].off = OFF_OF(r, f);
            }
            frame_count += runs[r].frame_count;
        }
        read_frames(&layout, runs, run_count);
        assert_int_equal(read_count, frame_count);
        for (uint64_t i = 0; i < frame_count; i++) {
            uint64_t at = submitted_offs[i], before = submitted_offs[i - (i > 0)];
            uint8_t key = frames[RUN_OF(at)][FRAME_OF(at)].first_key[0];
            uint8_t key_before = frames[RUN_OF(before)][FRAME_OF(before)].first_key[0];
            if (FRAME_OF(at) != next_frame[RUN_OF(at)]++ || key < key_before ||
                (key == key_before && RUN_OF(at) < RUN_OF(before)))
                test_fail("salt %llu: read %llu", (unsigned long long)salt, (unsigned long long)i);
        }
    }
}

/* Records: frames name bytes of the key after those that all records shared at that time. */
static void test_feeder__frames_of_different_scopes__in_order(void **state)
{
    (void)state;
    enum { RUNS = 9, KEY_BYTES = 32, MIXED_BYTES = 6 };
    const char *key = "0:b32";
    uint8_t shared[KEY_BYTES], keys[RUNS][KEY_BYTES];
    struct gsi_record record;
    struct gs_error error = {0};
    memset(shared, 'm', sizeof shared);
    assert_int_equal(gsi_record_make(KEY_BYTES, &key, 1, NULL, 0, false, &record, &error), GS_OK);
    struct gsi_key_scope scope = {.record = &record, .first = shared, .has_first = true};
    gsi_key_scope_forget(&scope);
    struct gsi_layout layout = gsi_layout_make_records(&record, &scope, false);
    for (uint64_t salt = 0; salt < 100; salt++) {
        struct test_random random = test_random_make(salt);
        struct gsi_frame_ref frames[RUNS][2] = {0};
        struct gsi_spilled_run runs[RUNS];
        for (uint32_t r = 0; r < RUNS; r++) {
            struct gsi_frame_ref *frame = &frames[r][1]; /* the first frame is read first */
            frame->key_off = (uint32_t)test_below(&random, MIXED_BYTES);
            memset(keys[r], 'm', KEY_BYTES);
            for (uint32_t i = frame->key_off; i < MIXED_BYTES; i++)
                keys[r][i] = (uint8_t)('l' + test_below(&random, 3));
            memcpy(frame->first_key, keys[r] + frame->key_off, sizeof frame->first_key);
            frame->off = OFF_OF(r, 1);
            runs[r] = (struct gsi_spilled_run){.frames = frames[r], .frame_count = 2};
        }
        read_frames(&layout, runs, RUNS);
        for (uint32_t i = RUNS + 1; i < 2 * RUNS; i++)
            if (memcmp(keys[RUN_OF(submitted_offs[i - 1])], keys[RUN_OF(submitted_offs[i])],
                       KEY_BYTES) > 0)
                test_fail("salt %llu: read %u", (unsigned long long)salt, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feeder__frames__by_first_key_and_run),
        cmocka_unit_test(test_feeder__random_frames__in_order_and_complete),
        cmocka_unit_test(test_feeder__frames_of_different_scopes__in_order),
        cmocka_unit_test(test_feeder__files_overlap__read_evenly),
        cmocka_unit_test(test_feeder__files_follow_each_other__read_one_by_one),
        cmocka_unit_test(test_feeder__one_file_is_sparse__others_first),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
