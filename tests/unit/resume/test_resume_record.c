/* test_resume_record.c: sorts continue with journals of 1.0 (records_1.0), or refuse them in one
 * line without losing anything. Such a record was made by gsort-faults, killed at a sync: `reading`
 * after 6 runs, of 24-byte records, `writing` when the output of u64 is all there and not yet said
 * to be done. What tells the input and the output from others (a path, an inode, times) is written
 * anew here.
 *
 * If a change lets this fail, GSI_RESUME_VERSION needs another number, and these records stay, as
 * ones that are refused. Run: build/dev/tests/test_resume_record */
#include "support/scratch.h"

#include "element/record/record_tags.h"
#include "gsort.h"
#include "resume/entry.h"
#include "resume/journal.h"

#define ELEMENTS 3000u
#define MOST     ((size_t)1 << 16) /* of a file of a record */

/* Sizes that today's planner would not choose: elements in a chunk and in a frame, frames in a
 * window; 0: as in the record. */
struct sizes {
    uint64_t chunk, frame, window;
    uint32_t chunks_per_run, fan_in;
};

struct job {
    const char *record;
    const char *const *options; /* name, value, .., NULL */
    size_t element_bytes;
};

static const char *const reading[] = {"record", "24",     "key", "8:u64:desc", "stats-of",
                                      "0:u32",  "window", "16K", NULL};
static const char *const writing[] = {"type", "u64", "window", "4K", NULL};
static const struct job jobs[] = {{"reading", reading, 24}, {"writing", writing, 8}};

/* ---- files ---- */

static size_t load(const char *path, void *data)
{
    FILE *file = fopen(path, "rb");
    size_t bytes = file != NULL ? fread(data, 1, MOST, file) : 0;
    if (file != NULL)
        fclose(file);
    return bytes;
}

static void store(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_true(file != NULL && fwrite(data, 1, bytes, file) == bytes && fclose(file) == 0);
}

static void put_input(void)
{
    static uint64_t numbers[ELEMENTS];
    for (uint64_t i = 0; i < ELEMENTS; i++)
        numbers[i] = (i + 1) * 0x9e3779b97f4a7c15u;
    store("x", numbers, sizeof numbers);
}

/* ---- records ---- */

/* The settings name the output by its path: it is here now. Returns how many bytes they are. */
static size_t settle(const char *then, size_t bytes, char *now)
{
    char here[256];
    size_t name = strlen(then) + 1, value = strlen(then + name) + 1;
    assert_string_equal(then, "--output");
    assert_non_null(getcwd(here, sizeof here));
    memcpy(now, then, name);
    size_t put = name + (size_t)sprintf(now + name, "%s/out", here) + 1;
    memcpy(now + put, then + name + value, bytes - name - value);
    return put + bytes - name - value;
}

/* Returns the memory of `n` elements in bytes, a multiple of a page. */
static uint64_t room_of(uint32_t element_bytes, uint64_t n)
{
    return element_bytes == 8 ? 8 * n : gsi_record_room_bytes(element_bytes, n);
}

static void change_sizes(struct gsi_resume_begin *begin, const struct sizes *sizes)
{
    if (sizes->chunk == 0)
        return;
    begin->chunk_bytes = room_of(begin->element_bytes, sizes->chunk);
    begin->frame_bytes = room_of(begin->element_bytes, sizes->frame);
    begin->window_bytes = begin->frame_bytes * sizes->window;
    begin->chunks_per_run = sizes->chunks_per_run;
    begin->fan_in = sizes->fan_in;
}

/* An entry of the record with what is other here. Returns how many bytes it is. */
static size_t change(uint32_t type, const uint8_t *data, size_t bytes, uint32_t version,
                     const struct sizes *sizes, uint8_t *changed)
{
    struct gsi_resume_begin begin;
    struct gsi_resume_input input;
    struct stat info;
    memcpy(changed, data, bytes);
    if (type == GSI_RESUME_INPUTS) {
        uint8_t *at = changed + sizeof(struct gsi_resume_inputs);
        assert_int_equal(stat("x", &info), 0);
        memcpy(&input, at, sizeof input);
        input.inode = info.st_ino;
        input.mtime_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
        input.ctime_ns = (int64_t)info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec;
        memcpy(at, &input, sizeof input);
    } else if (type == GSI_RESUME_BEGIN) {
        memcpy(&begin, data, sizeof begin);
        begin.version = version;
        change_sizes(&begin, sizes);
        begin.setting_bytes = settle((const char *)data + sizeof begin, begin.setting_bytes,
                                     (char *)changed + sizeof begin);
        memcpy(changed, &begin, sizeof begin);
        return sizeof begin + begin.setting_bytes;
    }
    return bytes;
}

/* dir/manifest: that of the record, of the version `version`, with other sizes in BEGIN. */
static void put_manifest(const char *path, uint32_t version, const struct sizes *sizes)
{
    static uint8_t data[MOST], changed[MOST];
    struct gsi_journal from = {.fd = open(path, O_RDONLY)};
    struct gsi_journal to = {.fd = open("dir/manifest", O_RDWR | O_CREAT, 0600)};
    struct gsi_journal_entry entry;
    bool is_there;
    size_t entries = 0;
    while (gsi_journal_next(&from, &entry, &is_there) == 0 && is_there) {
        assert_int_equal(pread(from.fd, data, entry.bytes, (off_t)entry.off), entry.bytes);
        const struct iovec part = {
            .iov_base = changed,
            .iov_len = change(entry.type, data, entry.bytes, version, sizes, changed)};
        assert_int_equal(gsi_journal_append(&to, entry.type, &part, 1), 0);
        entries++;
    }
    assert_in_range(entries, 8, 9);
    close(from.fd);
    close(to.fd);
}

static void put_record(const char *record, uint32_t version, const struct sizes *sizes)
{
    static const char *const names[] = {"runs", "output"};
    static uint8_t data[MOST];
    char path[512];
    assert_int_equal(system("rm -rf dir out"), 0);
    assert_int_equal(mkdir("dir", 0700), 0);
    for (size_t i = 0; i < 2; i++) {
        char to[32];
        snprintf(path, sizeof path, GSORT_TESTS_DIR "/unit/resume/records_1.0/%s/%s", record,
                 names[i]);
        snprintf(to, sizeof to, "dir/%s", names[i]);
        size_t bytes = load(path, data);
        if (bytes > 0)
            store(to, data, bytes);
    }
    snprintf(path, sizeof path, GSORT_TESTS_DIR "/unit/resume/records_1.0/%s/manifest", record);
    put_manifest(path, version, sizes);
}

/* ---- jobs ---- */

static gs_job *job_of(const struct job *job, const char *dir, const char *output)
{
    gs_job *made = gs_job_create();
    gs_job_set(made, "input", "x");
    gs_job_set(made, "output", output);
    gs_job_set(made, "resume", dir);
    gs_job_set(made, "memory", "12M");
    gs_job_set(made, "chunk", "4K");
    gs_job_set(made, "compress", "none");
    gs_job_set(made, "parallel", "1");
    for (size_t i = 0; job->options[i] != NULL; i += 2)
        gs_job_set(made, job->options[i], job->options[i + 1]);
    return made;
}

static void go_on(const struct sizes *sizes)
{
    static uint8_t want[MOST], got[MOST];
    put_input();
    for (size_t i = 0; i < 2; i++) {
        gs_job *fresh = job_of(&jobs[i], NULL, "want"), *job = job_of(&jobs[i], "dir", "out");
        uint64_t count = 0, resumed = 0, written = 0;
        put_record(jobs[i].record, GSI_RESUME_VERSION, sizes);
        assert_int_equal(gs_job_run(fresh, GS_SORT), GS_OK);
        if (gs_job_run(job, GS_SORT) != GS_OK)
            test_fail("%s: %s", jobs[i].record, gs_job_error(job)->text);
        gs_report_u64(gs_job_report(job), "resumed_bytes", &resumed);
        gs_report_u64(gs_job_report(job), "resumed_output_bytes", &written);
        gs_report_u64(gs_job_report(job), "tally.count", &count);
        assert_int_equal(count, ELEMENTS * 8 / jobs[i].element_bytes);
        assert_true(resumed > 0 && (i == 0) == (written == 0));
        assert_int_equal(load("want", want), ELEMENTS * 8);
        assert_int_equal(load("out", got), ELEMENTS * 8);
        assert_memory_equal(got, want, ELEMENTS * 8);
        assert_int_equal(access("dir", F_OK), -1);
        gs_job_free(job);
        gs_job_free(fresh);
    }
}

static void test_resume_record__of_1_0__goes_on(void **state)
{
    (void)state;
    go_on(&(struct sizes){0});
}

/* As if the planner had changed since. */
static void test_resume_record__of_another_planner__goes_on(void **state)
{
    static const struct sizes sizes[] = {
        {2048, 1024, 2, 1, 7}, {1024, 1024, 1, 3, 6}, {4096, 512, 1, 2, 9}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        go_on(&sizes[i]);
}

/* No sizes of a plan: a journal may have any origin. */
static void test_resume_record__of_impossible_sizes__is_refused(void **state)
{
    static const struct sizes sizes[] = {
        {8191, 4096, 1, 1, 7},       {8192, 4095, 1, 1, 7},  {8192, 4096, 0, 1, 7},
        {UINT64_MAX, 4096, 1, 1, 7}, {8192, 16384, 1, 1, 7}, {8192, 4096, UINT64_MAX, 1, 7},
        {8192, 4096, 1, 0, 7},       {8192, 4096, 1, 1, 0},  {8192, 4096, 1, 1, UINT32_MAX}};
    static uint8_t before[MOST], after[MOST];
    (void)state;
    put_input();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        gs_job *job = job_of(&jobs[1], "dir", "out");
        put_record(jobs[1].record, GSI_RESUME_VERSION, &sizes[i]);
        size_t bytes = load("dir/manifest", before);
        assert_int_equal(gs_job_run(job, GS_SORT), GS_E_USAGE);
        if (strstr(gs_job_error(job)->text, "--resume: the sizes in the journal") == NULL)
            test_fail("%zu: %s", i, gs_job_error(job)->text);
        assert_int_equal(load("dir/manifest", after), bytes);
        assert_memory_equal(after, before, bytes);
        gs_job_free(job);
    }
}

/* One line, which says what to do; record and runs are as they were. */
static void test_resume_record__of_another_version__is_refused_and_kept(void **state)
{
    static const uint32_t versions[] = {GSI_RESUME_VERSION - 1, GSI_RESUME_SHUFFLED + 1};
    static uint8_t before[MOST], after[MOST];
    (void)state;
    put_input();
    for (size_t i = 0; i < 2; i++) {
        gs_job *job = job_of(&jobs[0], "dir", "out");
        put_record(jobs[0].record, versions[i], &(struct sizes){0});
        size_t bytes = load("dir/manifest", before);
        assert_int_equal(gs_job_run(job, GS_SORT), GS_E_USAGE);
        const char *text = gs_job_error(job)->text;
        if (strstr(text, "'dir/manifest': is a journal of version ") != text ||
            strstr(text, "use the gsort that started it") == NULL)
            test_fail("%s", text);
        assert_int_equal(load("dir/manifest", after), bytes);
        assert_memory_equal(after, before, bytes);
        assert_int_equal(access("dir/runs", F_OK), 0);
        gs_job_free(job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume_record__of_1_0__goes_on),
        cmocka_unit_test(test_resume_record__of_another_planner__goes_on),
        cmocka_unit_test(test_resume_record__of_impossible_sizes__is_refused),
        cmocka_unit_test(test_resume_record__of_another_version__is_refused_and_kept),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
