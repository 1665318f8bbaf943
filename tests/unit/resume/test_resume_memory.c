/* test_resume_memory.c: a record of any size is gone on with in the memory that was given. Not
 * under sanitizers, which take memory of their own. Run: build/dev/tests/test_resume_memory */
#include "job/job_report.h"
#include "support/scratch.h"
#include "support/struct_jobs.h"

#include "resume/entry.h"
#include "resume/journal.h"

#include <errno.h>
#include <sys/resource.h>

#define MEMORY_BYTES ((uint64_t)24 << 20)
#define SLACK_BYTES \
    ((uint64_t)32 << 20) /* code, libraries, what the test has (the manual, "Memory") \
                          */
#define RECORD_BYTES ((uint64_t)192 << 20)
#define ELEMENTS     ((size_t)2 << 20)
#define FRAMES_MOST  4096u

/* Syncs until one fails for good; negative: none does, and none is made. */
static int syncs_left = -1;

int __wrap_fdatasync(int fd);

int __wrap_fdatasync(int fd)
{
    (void)fd;
    if (syncs_left < 0 || --syncs_left > 0)
        return 0;
    syncs_left = 1;
    errno = EIO;
    return -1;
}

static enum gs_status sort_in(struct gs_report *report)
{
    static const char *const inputs[] = {"in"};
    struct gs_error error;
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 1,
                                  .output = "out",
                                  .type = "u64",
                                  .memory_bytes = MEMORY_BYTES,
                                  .thread_count = 2,
                                  .window_bytes = 4096,
                                  .compress = GSI_COMPRESS_NONE,
                                  .resume_dir = "dir",
                                  .device = GSI_DEVICE_CPU};
    return gs_run(&options, report, &error);
}

static void read_at(int fd, uint64_t off, void *data, size_t bytes)
{
    assert_int_equal(pread(fd, data, bytes, (off_t)off), bytes);
}

/* The first run takes its own place, again and again: nothing changes but the size of the record.
 */
static void lengthen_record(void)
{
    static struct gsi_frame_ref frames[FRAMES_MOST];
    struct gsi_journal journal = {.fd = open("dir/manifest", O_RDWR)}, end = journal;
    struct gsi_journal_entry entry;
    struct gsi_resume_run run = {0};
    bool is_there;
    do {
        end = journal;
        assert_int_equal(gsi_journal_next(&journal, &entry, &is_there), 0);
        if (is_there && entry.type == GSI_RESUME_RUN && run.frame_count == 0) {
            read_at(journal.fd, entry.off, &run, sizeof run);
            assert_in_range(run.frame_count, 1, FRAMES_MOST);
            size_t bytes = run.frame_count * sizeof *frames;
            read_at(journal.fd, entry.off + entry.bytes - bytes, frames, bytes);
        }
    } while (is_there);
    assert_true(run.frame_count > 0);
    struct gsi_resume_merged merged = {
        .run_count = 1, .frame_count = run.frame_count, .runs_end = run.runs_end};
    const struct iovec parts[] = {
        {.iov_base = &merged, .iov_len = sizeof merged},
        {.iov_base = frames, .iov_len = run.frame_count * sizeof *frames}};
    while (end.end < RECORD_BYTES)
        assert_int_equal(gsi_journal_append(&end, GSI_RESUME_MERGED, parts, 2), 0);
    close(end.fd);
}

/* The child continues within its memory. */
static int go_on(void *argument)
{
    struct gs_report *report = argument;
    struct rusage before, after;
    CHECK(getrusage(RUSAGE_SELF, &before) == 0);
    CHECK((uint64_t)before.ru_maxrss << 10 < SLACK_BYTES);
    CHECK(sort_in(report) == GS_OK);
    CHECK(getrusage(RUSAGE_SELF, &after) == 0);
    CHECK((uint64_t)after.ru_maxrss << 10 < MEMORY_BYTES + SLACK_BYTES);
    return 0;
}

static void test_resume__record_larger_than_memory__stays_below_the_ceiling(void **state)
{
    (void)state;
    struct gs_report *report =
        mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(report != MAP_FAILED);
    put_random("in", ELEMENTS, 64);
    syncs_left = 8; /* BEGIN, INPUTS; two runs, each synced, and its entry */
    assert_int_equal(sort_in(report), GS_E_IO);
    assert_true(report->resumed.is_kept);
    syncs_left = -1;
    lengthen_record();
    run_in_child(go_on, report);
    assert_true(report->resumed.bytes > 0);
    assert_int_equal(report->tally.count, ELEMENTS);
    assert_in_range(report->cost.memory_peak_bytes, 1, MEMORY_BYTES);
    assert_int_equal(access("dir", F_OK), -1);
    munmap(report, sizeof *report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume__record_larger_than_memory__stays_below_the_ceiling),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
