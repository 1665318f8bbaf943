/* test_durable.c: what is on the disk before what. No kill shows it: a process that dies leaves
 * what it wrote to the kernel, and only a power cut takes it. So the calls themselves are looked
 * at: in what order, and which bytes a sync had before something relied on them. Run:
 * build/dev/tests/test_durable */
#include "support/calls.h"

#include "base/checked.h"
#include "io/file.h"
#include "job/job_report.h"
#include "resume/entry.h"
#include "resume/kept_dir.h"
#include "support/struct_jobs.h"

#define BIT(kind) (1u << (kind))
#define SYNCS     (BIT(CALL_FSYNC) | BIT(CALL_FDATASYNC))
#define PLACES    (BIT(CALL_LINK) | BIT(CALL_RENAME))

/* ---- names ---- */

ssize_t __real_getrandom(void *data, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *data, size_t bytes, unsigned flags);

static int guesses_left; /* so many random numbers are 0 */

ssize_t __wrap_getrandom(void *data, size_t bytes, unsigned flags)
{
    if (guesses_left == 0)
        return __real_getrandom(data, bytes, flags);
    guesses_left--;
    memset(data, 0, bytes);
    return (ssize_t)bytes;
}

/* ---- outputs ---- */

/* A way of an output to its place. */
struct route {
    const char *name, *old; /* what is there before; NULL: nothing */
    bool is_named;          /* the file system has no nameless files */
    const char *calls;
};

static const struct route routes[] = {
    {"new", NULL, false, "write unnamed, fsync unnamed, link unnamed out, fsync ."},
    {"replacing", "old", false,
     "write unnamed, fsync unnamed, link unnamed .out.gsort-*, rename .out.gsort-* out, fsync ."},
    {"new, named", NULL, true,
     "write .out.gsort-*, fsync .out.gsort-*, rename .out.gsort-* out, fsync ."},
    {"replacing, named", "old", true,
     "write .out.gsort-*, fsync .out.gsort-*, rename .out.gsort-* out, fsync ."},
};

static const char *calls_of_output(void)
{
    static const struct calls_filter filters[] = {{BIT(CALL_WRITE) | SYNCS | PLACES, ""}};
    return calls_text(filters, 1);
}

static void begin_route(const struct route *route)
{
    unlink("out");
    assert_true(route->old == NULL || put("out", route->old, 0644));
    calls.refuses_nameless = route->is_named;
    calls_forget_files();
    calls_begin();
}

static void check_route(const struct route *route, const char *got)
{
    calls.is_on = calls.refuses_nameless = false;
    calls_check(route->name, got, route->calls, true);
}

static void test_output__committed__is_synced_before_its_name_and_then_its_directory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        struct gsi_output output;
        begin_route(&routes[i]);
        assert_int_equal(gsi_output_open("out", &output, NULL), GS_OK);
        assert_int_equal(gsi_file_write(output.fd, "text", 4, 0), 0);
        assert_int_equal(gsi_output_commit(&output, 4, NULL), GS_OK);
        assert_true(calls_are_synced(output.fd, 0, 4));
        gsi_output_close(&output);
        check_route(&routes[i], calls_of_output());
        assert_true(holds("out", "text"));
    }
}

static enum gs_status sort(struct gsi_options options, struct gs_report *report)
{
    struct gs_error error = {0};
    options.inputs = (const char *[]){"in"};
    options.input_count = 1;
    options.output = options.output != NULL ? options.output : "out";
    options.type = "u64";
    options.device = GSI_DEVICE_CPU;
    options.io = GSI_IO_THREADS;
    options.memory_bytes = 16u << 20;
    options.thread_count = 1;
    options.chunk_bytes = options.window_bytes = 65536;
    options.compress = GSI_COMPRESS_NONE;
    return gs_run(&options, report, &error);
}

/* The same of whole sorts, whose windows are written by other threads, of a size that is cut off at
 * the end. */
static void test_sort__output__is_synced_before_its_name_and_then_its_directory(void **state)
{
    (void)state;
    put_random("in", 50001, 64);
    for (size_t i = 0; i < 2 * sizeof routes / sizeof routes[0]; i++) {
        struct gs_report report;
        const struct route *route = &routes[i / 2];
        begin_route(route);
        assert_int_equal(sort((struct gsi_options){.verify_read = i % 2 == 1}, &report), GS_OK);
        const char *got = calls_of_output();
        if (i % 2 == 1) { /* synced before it is read back, and again with its size and mode */
            char *more = strstr(got, ", fdatasync");
            assert_non_null(more);
            memmove(more, strstr(more + 1, ", "), strlen(strstr(more + 1, ", ")) + 1);
        }
        check_route(route, got);
        int fd = open("out", O_RDONLY);
        assert_true(calls_are_synced(fd, 0, 400008));
        close(fd);
    }
}

/* Several files: all are on the disk before one is in its place, and then the directories of all.
 * One directory may be elsewhere, through a link. */
static void test_split__files__are_synced_before_their_names_then_their_directories(void **state)
{
    static const struct calls_filter of_all[] = {{BIT(CALL_WRITE) | SYNCS | PLACES, ""}};
    struct gs_report report;
    struct gsi_options options = {.output = "out.%d", .split_count = 2};
    (void)state;
    put_random("in", 50001, 64);
    assert_int_equal(mkdir("other", 0777), 0);
    assert_int_equal(symlink("other/two", "out.2"), 0);
    calls_forget_files();
    calls_begin();
    assert_int_equal(sort(options, &report), GS_OK);
    calls.is_on = false;
    calls_check("split", calls_text(of_all, 1),
                "write unnamed, fsync unnamed, link unnamed out.1, "
                "link unnamed other/two, fsync ., fsync other",
                true);
    for (int i = 0; i < 2; i++) {
        int fd = open(i == 0 ? "out.1" : "other/two", O_RDONLY);
        assert_true(calls_are_synced(fd, 0, i == 0 ? 200000 : 200008));
        close(fd);
    }
}

/* A part of a merge is on the disk when the merge ends. */
static void test_into__part__is_synced(void **state)
{
    (void)state;
    static const struct calls_filter of_all[] = {{BIT(CALL_WRITE) | SYNCS | PLACES, ""}};
    struct gs_report report;
    put_random("in", 50001, 64);
    assert_int_equal(sort((struct gsi_options){.output = "sorted"}, &report), GS_OK);
    for (uint32_t part = 1; part <= 2; part++) {
        struct gs_error error = {0};
        const char *inputs[] = {"sorted"};
        struct gsi_options options = {.inputs = inputs,
                                      .input_count = 1,
                                      .output = "whole",
                                      .type = "u64",
                                      .merge = true,
                                      .into = true,
                                      .part_number = part,
                                      .part_count = 2,
                                      .device = GSI_DEVICE_CPU,
                                      .io = GSI_IO_THREADS,
                                      .thread_count = 1};
        calls_forget_files();
        calls_begin();
        assert_int_equal(gs_run(&options, &report, &error), GS_OK);
        calls.is_on = false;
        assert_string_equal(calls_text(of_all, 1), "write whole, fsync whole, fsync .");
        int fd = open("whole", O_RDONLY);
        assert_true(calls_are_synced(fd, part == 1 ? 0 : 200000, part == 1 ? 200000 : 200008));
        close(fd);
    }
}

/* A file of somebody else, or a link to one, has the first temporary name: it stays as it is. */
static void test_output__temporary_name_of_another_file__is_not_used(void **state)
{
    (void)state;
    static const char name[] = ".out.gsort-aaaaaa", spill[] = ".spill.gsort-aaaaaa";
    for (size_t i = 0; i < 2 * sizeof routes / sizeof routes[0]; i++) {
        struct gsi_output output;
        const struct route *route = &routes[i / 2];
        if (i % 2 == 0)
            assert_true(put(name, "theirs", 0644));
        else
            assert_true(put("theirs", "theirs", 0644) && symlink("theirs", name) == 0);
        begin_route(route);
        guesses_left = 3;
        assert_int_equal(gsi_output_open("out", &output, NULL), GS_OK);
        assert_int_equal(gsi_file_write(output.fd, "text", 4, 0), 0);
        assert_int_equal(gsi_output_commit(&output, 4, NULL), GS_OK);
        gsi_output_close(&output);
        check_route(route, calls_of_output());
        assert_true(guesses_left == 0 || (route->old == NULL && !route->is_named));
        assert_true(holds("out", "text") && holds(name, "theirs"));
        unlink(name);
    }
    for (guesses_left = 3; guesses_left > 0;) {
        int fd = -1;
        bool is_direct;
        assert_true(put(spill, "theirs", 0644));
        calls.refuses_nameless = true;
        assert_int_equal(gsi_temp_open(".", &fd, &is_direct, NULL), GS_OK);
        calls.refuses_nameless = false;
        close(fd);
        assert_true(holds(spill, "theirs"));
    }
    unlink(spill);
}

/* ---- what is read back ---- */

/* From the disk, or at least not from the page cache: synced, dropped, then read. */
static void test_sort__verified__is_read_from_the_disk(void **state)
{
    (void)state;
    static const struct calls_filter of_output[] = {{BIT(CALL_WRITE) | BIT(CALL_FDATASYNC) |
                                                         BIT(CALL_DROP) | BIT(CALL_READ) |
                                                         BIT(CALL_READ_DIRECT),
                                                     "unnamed"}};
    put_random("in", 65536, 64); /* whole pages */
    for (int is_buffered = 0; is_buffered < 2; is_buffered++) {
        struct gs_report report;
        calls.refuses_direct = is_buffered;
        calls_begin();
        assert_int_equal(sort((struct gsi_options){.verify_read = true}, &report), GS_OK);
        calls.is_on = calls.refuses_direct = false;
        const char *got = calls_text(of_output, 1);
        const char *with = report.output.is_direct ? "read-direct" : "read";
        char wanted[256];
        snprintf(wanted, sizeof wanted,
                 "write unnamed, fdatasync unnamed, drop unnamed, %s unnamed", with);
        assert_false(is_buffered && report.output.is_direct);
        calls_check(with, got, wanted, true);
    }
}

/* ---- resumable sorts ---- */

int __real_gsi_journal_append(struct gsi_journal *journal, uint32_t type, const struct iovec *parts,
                              int count);
int __wrap_gsi_journal_append(struct gsi_journal *journal, uint32_t type, const struct iovec *parts,
                              int count);

static const struct {
    const char *word, *file;
} entry_types[] = {[GSI_RESUME_BEGIN] = {"begin", NULL},
                   [GSI_RESUME_RUN] = {"run", "record/runs"},
                   [GSI_RESUME_MERGED] = {"merged", "record/runs"},
                   [GSI_RESUME_WRITTEN] = {"written", "record/output"},
                   [GSI_RESUME_DONE] = {"done", "record/output"},
                   [GSI_RESUME_INPUTS] = {"inputs", NULL}};

/* The types of appended entries, and the first entry about data that were not on the disk. One
 * thread at a time appends; the test reads when no job runs. */
static uint32_t appended[1024];
static size_t appended_count;
static const char *early;

static bool are_frames_synced(int fd, const uint8_t *frames, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct gsi_frame_ref ref;
        memcpy(&ref, frames + i * sizeof ref, sizeof ref);
        if (!calls_are_synced(fd, ref.off, ref.bytes))
            return false;
    }
    return count > 0;
}

static bool is_true(int fd, const struct gsi_resume_entry *entry, const uint8_t *whole)
{
    switch (entry->type) {
    case GSI_RESUME_RUN:
        return are_frames_synced(fd, whole + entry->arrays[2], entry->head.run.frame_count);
    case GSI_RESUME_MERGED:
        return are_frames_synced(fd, whole + entry->arrays[0], entry->head.merged.frame_count);
    case GSI_RESUME_WRITTEN:
        return calls_are_synced(fd, 0, entry->head.written.bytes - entry->head.written.rest_bytes);
    case GSI_RESUME_DONE:
        return calls_are_synced(fd, 0, entry->head.done.file_bytes);
    default:
        return true;
    }
}

/* Is what it speaks of on the disk by now? */
int __wrap_gsi_journal_append(struct gsi_journal *journal, uint32_t type, const struct iovec *parts,
                              int count)
{
    static uint8_t whole[65536];
    struct gsi_resume_entry entry = {0};
    struct gsi_journal_entry raw = {.type = type};
    for (int i = 0; i < count && parts[i].iov_len <= sizeof whole - raw.bytes; i++) {
        if (parts[i].iov_len > 0)
            memcpy(whole + raw.bytes, parts[i].iov_base, parts[i].iov_len);
        raw.bytes += parts[i].iov_len;
    }
    memcpy(&entry.head, whole, gsi_min_u64(raw.bytes, gsi_resume_head_bytes(type)));
    bool is_readable = gsi_resume_decode(&raw, &entry);
    int fd = is_readable && entry_types[type].file != NULL
                 ? open(entry_types[type].file, O_RDONLY | O_CLOEXEC)
                 : -1;
    if (early == NULL && (!is_readable || !is_true(fd, &entry, whole)))
        early = entry_types[type].word;
    if (fd >= 0)
        close(fd);
    if (appended_count < sizeof appended / sizeof appended[0])
        appended[appended_count++] = type;
    return __real_gsi_journal_append(journal, type, parts, count);
}

/* A resumable sort, whose fdatasyncs fail after so many (-1: none). */
static enum gs_status live(int fdatasyncs)
{
    struct gs_report report;
    appended_count = 0;
    early = NULL;
    calls.fdatasyncs_left = fdatasyncs;
    calls_begin();
    enum gs_status status =
        sort((struct gsi_options){.fan_in = 3, .resume_dir = "record"}, &report);
    calls.is_on = false;
    calls.fdatasyncs_left = -1;
    return status;
}

/* The relevant results. A failed job may keep nothing, so its result says less. */
static const char *calls_of_record(bool is_whole)
{
    const struct calls_filter filters[] = {
        {is_whole ? BIT(CALL_REMOVE) : 0, "record/manifest"},
        {BIT(CALL_WRITE) | BIT(CALL_MAKE) | SYNCS | PLACES, "record/manifest"},
        {BIT(CALL_MAKE) | SYNCS, "record/runs"},
        {BIT(CALL_MAKE) | SYNCS | PLACES, "record/output"},
        {BIT(CALL_FSYNC), "record"},
        {BIT(CALL_FSYNC), "."}};
    return calls_text(filters, sizeof filters / sizeof filters[0]);
}

#define NEW_ENTRY "write record/manifest.gsort, fdatasync record/manifest.gsort, "
#define NEW_RECORD                                                                           \
    "fsync ., make record/manifest.gsort, " NEW_ENTRY NEW_ENTRY                              \
    "rename record/manifest.gsort record/manifest, fsync record, make record/output, fsync " \
    "record, "                                                                               \
    "make record/runs, fsync record"
#define OPENED "fsync record"
#define DONE                                                                   \
    ", fsync record/output, rename record/output out, fsync ., fsync record, " \
    "remove record/manifest, fsync record"

/* Each entry is between a sync of what it speaks of and one of its own. The output is synced with
 * its mode and size before the last one, and before it gets its name. */
static const char *wanted_calls(void)
{
    static char text[CALLS_MOST];
    size_t i = 0, most = sizeof text;
    bool is_new = appended_count > 0 && appended[0] == GSI_RESUME_BEGIN, is_done = false;
    size_t length = (size_t)snprintf(text, most, "%s", is_new ? NEW_RECORD : OPENED);
    for (i = is_new ? 2 : 0; i < appended_count; i++) {
        is_done = appended[i] == GSI_RESUME_DONE;
        length +=
            (size_t)snprintf(text + length, most - length,
                             "%s, fdatasync %s, write record/manifest, fdatasync record/manifest",
                             is_done ? ", fsync record/output" : "", entry_types[appended[i]].file);
    }
    snprintf(text + length, most - length, "%s", is_done ? DONE : "");
    return text;
}

/* A life that ended early, as far as it went. */
static void check_calls(bool is_whole)
{
    /* If the job was killed after its last entry, only the output's name is left to be made. */
    bool was_done = is_whole && appended_count == 0;
    const char *wanted = was_done ? DONE + strlen(", ") : wanted_calls();
    calls_check("resume", calls_of_record(is_whole), wanted, is_whole);
    if (early != NULL)
        test_fail("an entry '%s' spoke of what was not on the disk", early);
}

static int count_entries(uint32_t type)
{
    int count = 0;
    for (size_t i = 0; i < appended_count; i++)
        count += appended[i] == type;
    return count;
}

static void test_resume__entries__are_synced_after_what_they_speak_of(void **state)
{
    (void)state;
    put_random("in", 100001, 64);
    assert_int_equal(live(-1), GS_OK);
    check_calls(true);
    assert_true(count_entries(GSI_RESUME_BEGIN) == 1 && count_entries(GSI_RESUME_RUN) > 3 &&
                count_entries(GSI_RESUME_MERGED) > 1 && count_entries(GSI_RESUME_WRITTEN) > 0 &&
                count_entries(GSI_RESUME_DONE) == 1);
    assert_int_equal(names_in("."), 2);
}

/* The same if the disk refuses any one sync, and the next life continues. */
static void test_resume__second_lives__sync_what_they_speak_of(void **state)
{
    (void)state;
    put_random("in", 100001, 64);
    enum gs_status status = GS_E_IO;
    int went_on = 0;
    for (int syncs = 0; status != GS_OK; syncs += test_is_small() ? 5 : 1) {
        calls_forget_files();
        unlink("out");
        status = live(syncs);
        check_calls(status == GS_OK);
        if (status == GS_OK)
            break;
        assert_int_equal(status, GS_E_IO);
        assert_int_equal(access("out", F_OK), -1);
        assert_int_equal(live(-1), GS_OK);
        check_calls(true);
        went_on += count_entries(GSI_RESUME_BEGIN) == 0;
    }
    assert_true(went_on > (test_is_small() ? 2 : 10));
}

/* A file of another test may have had the inode of one of this. */
static int setup(void **state)
{
    calls_forget_files();
    return scratch_setup(state);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        ROW(test_output__committed__is_synced_before_its_name_and_then_its_directory),
        ROW(test_sort__output__is_synced_before_its_name_and_then_its_directory),
        ROW(test_split__files__are_synced_before_their_names_then_their_directories),
        ROW(test_into__part__is_synced),
        ROW(test_output__temporary_name_of_another_file__is_not_used),
        ROW(test_sort__verified__is_read_from_the_disk),
        ROW(test_resume__entries__are_synced_after_what_they_speak_of),
        ROW(test_resume__second_lives__sync_what_they_speak_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
