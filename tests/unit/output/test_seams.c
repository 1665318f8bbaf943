/* test_seams.c: checks that jobs notice two neighbours in the wrong order if these are the last
 * element of one piece and the first of the next. Pieces are windows of the output, their tiles and
 * blocks, and buffers that --merge and --check read. Files, and the outputs of two processes of one
 * sort, are pieces too. The elements are the numbers from 0 on, each once; at a seam, N - 1 and N
 * are exchanged. So every piece is in order by itself, and together they have all elements. The
 * linker replaces functions that read pieces by functions of this file. Run:
 * build/dev/tests/test_seams */
#include "support/scratch.h"

#include "element/record/record_tally.h"
#include "element/tally/digest.h"
#include "job/job_report.h"
#include "resume/entry.h"
#include "support/struct_jobs.h"

#include <errno.h>
#include <pthread.h>

#define COUNT        40000u /* of elements */
#define MOST         100000u
#define SEAMS_MOST   64
#define RECORD_BYTES 40u
#define BLOCK        1024u /* of what digests look at, at a time */

void __real_gsi_digest_add(const struct gsi_layout *layout, struct gsi_digest *digest,
                           const void *keys, size_t n);
void __wrap_gsi_digest_add(const struct gsi_layout *layout, struct gsi_digest *digest,
                           const void *keys, size_t n);
void __real_gsi_digest_add_unmap(const struct gsi_layout *layout, struct gsi_digest *digest,
                                 void *keys, size_t n);
void __wrap_gsi_digest_add_unmap(const struct gsi_layout *layout, struct gsi_digest *digest,
                                 void *keys, size_t n);
void __real_gsi_record_digest_add(const struct gsi_record *record, struct gsi_digest *digest,
                                  const void *elements, size_t n);
void __wrap_gsi_record_digest_add(const struct gsi_record *record, struct gsi_digest *digest,
                                  const void *elements, size_t n);

int __real_gsi_journal_append(struct gsi_journal *journal, uint32_t type, const struct iovec *parts,
                              int count);
int __wrap_gsi_journal_append(struct gsi_journal *journal, uint32_t type, const struct iovec *parts,
                              int count);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t pieces[SEAMS_MOST], tiles[SEAMS_MOST]; /* the first element of each, in order */
static size_t piece_count, tile_count;
static uint64_t seam;      /* to be broken; 0: none */
static bool is_in_output;  /* it is broken there, not in the input */
static bool is_last_life;  /* it is where the first piece begins */
static bool is_kept_short; /* the journal cannot say that all is done */

/* ---- elements ---- */

static uint64_t get_number(const uint8_t *element, uint32_t bytes)
{
    uint64_t number = 0;
    if (bytes == RECORD_BYTES)
        for (uint32_t i = 0; i < 8; i++)
            number = number << 8 | element[i];
    else
        memcpy(&number, element, bytes < 8 ? bytes : 8);
    return number;
}

static void set_number(uint8_t *element, uint32_t bytes, uint64_t number)
{
    if (bytes == RECORD_BYTES)
        for (uint32_t i = 0; i < 8; i++)
            element[i] = (uint8_t)(number >> (56 - 8 * i));
    else
        memcpy(element, &number, bytes < 8 ? bytes : 8);
}

/* Makes numbers from `first` on, in order, or alternately from both ends. */
static void put_numbers(const char *path, uint32_t bytes, uint64_t first, uint64_t count,
                        bool is_ordered)
{
    static uint8_t data[COUNT * RECORD_BYTES];
    memset(data, 0, count * bytes);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = is_ordered ? i : i % 2 == 0 ? i / 2 : count - 1 - i / 2;
        uint64_t number = first + place;
        if (!is_in_output && seam != 0 && (number == seam || number == seam - 1))
            number = 2 * seam - 1 - number;
        set_number(data + i * bytes, bytes, number);
    }
    put_bytes(path, data, count * bytes);
}

/* ---- pieces ---- */

static void note(uint64_t *list, size_t *count, uint64_t number)
{
    if (number > 0 && *count < SEAMS_MOST)
        list[(*count)++] = number;
}

/* Breaks a sorted piece before it is checked; a tile continues the previous one. */
static void meet(uint8_t *elements, size_t n, uint32_t bytes, bool is_tile)
{
    const uint8_t *last = elements + (n - 1) * bytes;
    uint64_t first_number = get_number(elements, bytes);
    pthread_mutex_lock(&mutex);
    if (is_last_life && piece_count == 0)
        set_number(elements, bytes, 0);
    if (is_in_output && seam - first_number <= n && seam > 0) { /* the element at seam - first */
        uint8_t *at = elements + (seam - first_number) * bytes;
        if (at <= last)
            set_number(at, bytes, seam - 1);
        if (at > elements)
            set_number(at - bytes, bytes, seam);
    }
    if (is_tile)
        note(tiles, &tile_count, first_number);
    else
        note(pieces, &piece_count, first_number);
    pthread_mutex_unlock(&mutex);
}

void __wrap_gsi_digest_add_unmap(const struct gsi_layout *layout, struct gsi_digest *digest,
                                 void *keys, size_t n)
{
    meet(keys, n, layout->key_bytes, digest->count > 0);
    __real_gsi_digest_add_unmap(layout, digest, keys, n);
}

void __wrap_gsi_digest_add(const struct gsi_layout *layout, struct gsi_digest *digest,
                           const void *keys, size_t n)
{
    meet((uint8_t *)(uintptr_t)keys, n, layout->key_bytes, digest->count > 0);
    __real_gsi_digest_add(layout, digest, keys, n);
}

/* The window is the caller's to write: it was gathered there a moment ago. */
void __wrap_gsi_record_digest_add(const struct gsi_record *record, struct gsi_digest *digest,
                                  const void *elements, size_t n)
{
    meet((uint8_t *)(uintptr_t)elements, n, record->bytes, digest->count > 0);
    __real_gsi_record_digest_add(record, digest, elements, n);
}

int __wrap_gsi_journal_append(struct gsi_journal *journal, uint32_t type, const struct iovec *parts,
                              int count)
{
    return is_kept_short && type == GSI_RESUME_DONE
               ? EIO
               : __real_gsi_journal_append(journal, type, parts, count);
}

/* ---- jobs ---- */

struct way {
    const char *name, *type; /* NULL: records */
    struct gsi_options options;
    uint64_t count; /* of elements; 0: COUNT */
};

static const struct way ways[] = {
    {.name = "u32", .type = "u32"},
    {.name = "u64", .type = "u64"},
    {.name = "i128", .type = "i128"},
    {.name = "records"},
    {.name = "spilled u64", .type = "u64", .options = {.spill_all = true}},
    {.name = "spilled records", .options = {.spill_all = true}},
    {.name = "tiles", .type = "u128", .count = MOST, .options = {.window_bytes = 2u << 20}},
    {.name = "tiles of records", .options = {.window_bytes = 1u << 20}},
    {.name = "unique", .type = "u64", .options = {.unique = true}},
    {.name = "spilled unique records", .options = {.unique = true, .spill_all = true}},
    {.name = "merge", .type = "u64", .options = {.merge = true}},
    {.name = "merge of records", .options = {.merge = true}},
    {.name = "check", .type = "u64", .options = {.action = GS_CHECK}},
    {.name = "check of u128", .type = "u128", .options = {.action = GS_CHECK}},
    {.name = "check of records", .options = {.action = GS_CHECK}},
};

static uint32_t bytes_of(const struct way *way)
{
    return way->type == NULL ? RECORD_BYTES : (uint32_t)strtoul(way->type + 1, NULL, 10) / 8;
}

/* Elements in each of two files. */
static uint64_t half_of(const struct way *way)
{
    return (way->count > 0 ? way->count : COUNT) / 2;
}

static bool is_ordered(const struct way *way)
{
    return way->options.merge || way->options.action == GS_CHECK;
}

static enum gs_status run(const struct way *way, struct gs_report *report, struct gs_error *error)
{
    struct gsi_options options = way->options;
    uint64_t half = half_of(way);
    *error = (struct gs_error){0};
    if (!is_last_life) {
        put_numbers("a", bytes_of(way), 0, half, is_ordered(way));
        put_numbers("b", bytes_of(way), half, half, is_ordered(way));
    }
    options.inputs = (const char *[]){"a", "b"};
    options.input_count = 2;
    options.output = options.action == GS_CHECK ? NULL : "out";
    options.type = way->type;
    options.record_bytes = way->type == NULL ? RECORD_BYTES : 0;
    options.device = GSI_DEVICE_CPU;
    options.memory_bytes = 64u << 20;
    options.thread_count = options.resume_dir != NULL ? 1 : 2;
    options.chunk_bytes = options.merge || options.output == NULL ? 0 : 65536;
    if (options.window_bytes == 0)
        options.window_bytes = 65536;
    piece_count = tile_count = 0;
    return gs_run(&options, report, error);
}

/* Runs the job with a broken seam. It must report the disorder and its place. */
static void check_seam(const struct way *way, uint64_t number)
{
    struct gs_report report;
    struct gs_error error;
    char wanted[64];
    bool is_check = way->options.action == GS_CHECK;
    enum gs_status found = is_check ? GS_E_DISORDER : way->options.merge ? GS_E_INPUT : GS_E_VERIFY;
    if (way->options.merge && number == half_of(way)) /* between two files, which is none */
        return;
    seam = number;
    is_in_output = !is_ordered(way);
    enum gs_status status = run(way, &report, &error);
    seam = 0;
    snprintf(wanted, sizeof wanted, " element %llu%s",
             (unsigned long long)(is_in_output ? number : number % half_of(way)),
             is_check       ? ""
             : is_in_output ? " of the output is less"
                            : " is less");
    if (status != found || strstr(error.text, wanted) == NULL)
        test_fail("%s: seam %llu: status %d, '%s'", way->name, (unsigned long long)number,
                  (int)status, error.text);
    assert_true(!is_check || report.disorder.index == number);
    assert_int_equal(names_in("."), 2);
}

static void test_job__disorder_on_a_seam__is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct gs_report report;
        struct gs_error error;
        uint64_t seams[2 * SEAMS_MOST + 4] = {1, BLOCK - 1, BLOCK, BLOCK + 1};
        if (run(&ways[i], &report, &error) != GS_OK)
            test_fail("%s: %s", ways[i].name, error.text);
        assert_true(!ways[i].options.spill_all || report.runs.spilled_count == report.runs.count);
        unlink("out");
        size_t count = 4, stride = tile_count / 4 + 1;
        for (size_t p = 0; p < piece_count; p++)
            seams[count++] = pieces[p];
        for (size_t t = 0; t < tile_count; t += stride)
            seams[count++] = tiles[t];
        if (ways[i].options.window_bytes > 0 ? tile_count == 0 : piece_count < 2)
            test_fail("%s: %zu pieces, %zu tiles", ways[i].name, piece_count, tile_count);
        for (size_t s = 0; s < count; s += test_is_small() ? 4 : 1)
            check_seam(&ways[i], seams[s]);
        if (ways[i].options.action == GS_CHECK)
            check_seam(&ways[i], half_of(&ways[i]));
    }
}

/* The first elements of the second life are compared with the last ones of the first life. */
static void test_resume__disorder_between_two_lives__is_found(void **state)
{
    (void)state;
    static const struct way resumed[] = {
        {.name = "u64", .type = "u64", .options = {.resume_dir = "record"}},
        {.name = "records", .options = {.resume_dir = "record"}}};
    for (size_t i = 0; i < 2; i++) {
        struct gs_report report;
        struct gs_error error;
        char wanted[64];
        enum gs_status status = GS_OK;
        /* If the disk is late, everything was written before the first mark is on record: try again
         * then. */
        for (int tries = 0; tries < 20 && (tries == 0 || piece_count == 0); tries++) {
            unlink("out");
            is_kept_short = true;
            assert_int_equal(run(&resumed[i], &report, &error), GS_E_IO);
            is_kept_short = false;
            is_last_life = true;
            status = run(&resumed[i], &report, &error);
            is_last_life = false;
        }
        assert_true(piece_count > 0);
        snprintf(wanted, sizeof wanted, " element %llu of the output is less",
                 (unsigned long long)pieces[0]);
        if (status != GS_E_VERIFY || strstr(error.text, wanted) == NULL)
            test_fail("%s: not '%s' but status %d, '%s'", resumed[i].name, wanted, (int)status,
                      error.text);
        assert_int_equal(names_in("."), 2);
    }
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        ROW(test_job__disorder_on_a_seam__is_found),
        ROW(test_resume__disorder_between_two_lives__is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
