/* test_sorted_reader.c: in which order a merge reads files that are sorted already: evenly if they
 * overlap, one after the other if they follow each other, and never much more than it needs of one
 * that ends far behind. Run: build/dev/tests/test_sorted_reader */
#include "support/scratch.h"

#include "base/report.h"
#include "io/engine.h"
#include "loop/loop.h"
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

void __wrap_gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io)
{
    struct stat info;
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
    assert_int_equal(report.merge_passes, 0);
}

static void test_sorted_reader__files_overlap__read_evenly(void **state)
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

/* Two pieces of each; all others in the order of the files, given in another one. */
static void test_sorted_reader__files_follow_each_other__read_one_by_one(void **state)
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

/* Keys of one file are far apart: what is read ahead of it is for the others. */
static void test_sorted_reader__one_file_is_sparse__others_first(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorted_reader__files_overlap__read_evenly),
        cmocka_unit_test(test_sorted_reader__files_follow_each_other__read_one_by_one),
        cmocka_unit_test(test_sorted_reader__one_file_is_sparse__others_first),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
