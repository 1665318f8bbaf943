/* test_report.c: reports, plans and progress, word for word. Run: build/dev/tests/test_report */
#include "support/support.h"

#include "job/job_report.h"

#include <math.h>

static char *text;

static FILE *open_text(size_t *bytes)
{
    FILE *file = open_memstream(&text, bytes);
    assert_non_null(file);
    return file;
}

static int free_text(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

static struct gs_report float_report(void)
{
    double min = -0.0, max = 2.5;
    struct gs_report report = {
        .element = {.type = "f64",
                    .type_source = "file name",
                    .bytes = 8,
                    .is_float = true,
                    .is_signed = true},
        .device = {.name = "cpu", .start_ns = 190000003},
        .engine = {.name = "threads", .note = "io_uring: \"no\"\\\n"},
        .plan = {.input_bytes = (uint64_t)4 << 30,
                 .output_bytes = (uint64_t)4 << 30,
                 .memory_bytes = (uint64_t)1 << 30,
                 .arena_bytes = (uint64_t)960 << 20,
                 .chunk_bytes = 64 << 20,
                 .chunks_per_run = 1,
                 .window_bytes = 2 << 20,
                 .frame_bytes = 1 << 20,
                 .window_count = 12,
                 .thread_count = 2,
                 .run_count = 64,
                 .spilled_runs = 52,
                 .spilled_bytes = (uint64_t)52 << 26,
                 .fan_in = 900,
                 .read_bytes = ((uint64_t)4 << 30) + ((uint64_t)52 << 26),
                 .write_bytes = ((uint64_t)4 << 30) + ((uint64_t)52 << 26),
                 .temp_bytes = (uint64_t)52 << 26},
        .tally = {.count = (uint64_t)1 << 29,
                  .nan_count = 1,
                  .positive_infinity_count = 2,
                  .negative_infinity_count = 3,
                  .negative_zero_count = 4,
                  .has_extremes = true,
                  .sum_float = 0.1,
                  .fingerprint = {0xabc, 0x123}},
        .input = {.bytes = (uint64_t)4 << 30, .file_bytes = (uint64_t)1 << 30, .is_direct = true},
        .output = {.bytes = (uint64_t)4 << 30, .file_bytes = (uint64_t)4 << 30},
        .runs = {.count = 64,
                 .spilled_count = 52,
                 .spilled_bytes = (uint64_t)52 << 26,
                 .codec = "zstd:1",
                 .coded_count = 50,
                 .coded_bytes = (uint64_t)52 << 24,
                 .is_direct = true},
        .cost = {.bytes_read = ((uint64_t)1 << 53) + 1,
                 .bytes_written = (uint64_t)1 << 53,
                 .ns = 1860000001,
                 .start_ns = 210000002,
                 .end_ns = 90000004,
                 .phases = {[GS_PHASE_WRITE] = {.ns = 2000000000, .io_busy_ns = 1900000002}},
                 .memory_peak_bytes = 1116,
                 .memory_parts = {1000, 100, 10, 5, 1}},
    };
    memcpy(report.tally.min, &min, sizeof min);
    memcpy(report.tally.max, &max, sizeof max);
    return report;
}

static void check_text(const char *want)
{
    if (strcmp(text, want) != 0)
        test_fail("got\n%s\nwant\n%s", text, want);
}

static void test_report__floats__text(void **state)
{
    (void)state;
    struct gs_report report = float_report();
    size_t bytes;
    strcpy(report.engine.note, "io_uring: refused");
    FILE *file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_TEXT);
    fclose(file);
    check_text("elements  536870912\n"
               "type      f64, from the file name\n"
               "bytes     4294967296 (4.00 GiB)\n"
               "files     1.00 GiB read\n"
               "time      1.86 s, 2.31 GB/s\n"
               "device    cpu\n"
               "engine    threads, direct input, temp (io_uring: refused)\n"
               "passes    2\n"
               "spilled   3489660928 bytes (3.25 GiB) in 52 of 64 runs, compressed to "
               "872415232 bytes (zstd:1 in 50 runs)\n"
               "min       -0\n"
               "max       2.5\n"
               "sum       0.1\n"
               "nan       1\n"
               "inf       2\n"
               "-inf      3\n"
               "-0        4\n");
}

static void test_report__empty_integers__text(void **state)
{
    (void)state;
    struct gs_report report = {
        .element = {.type = "u64", .type_source = "default", .bytes = 8, .is_reversed = true},
        .device = {.name = "cpu"},
        .engine = {.name = "io_uring"}};
    size_t bytes;
    FILE *file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_TEXT);
    fclose(file);
    check_text("elements  0\n"
               "type      u64, by default, reversed\n"
               "bytes     0 (0 B)\n"
               "time      0.000 ms, -\n"
               "device    cpu\n"
               "engine    io_uring, buffered\n"
               "passes    1\n"
               "sum       0\n");
}

static void test_report__plan__in_words(void **state)
{
    (void)state;
    struct gs_report report = float_report();
    size_t bytes;
    FILE *file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_PLAN_TEXT);
    fclose(file);
    check_text("input     4.00 GiB of f64 (536870912 elements; type from the file name)\n"
               "memory    at most 1.00 GiB, 960.00 MiB of it for data; 12 output buffers of "
               "2.00 MiB; 2 threads\n"
               "runs      64 sorted runs of up to 64.00 MiB: 12 stay in memory, 52 go to disk\n"
               "passes    2\n"
               "read      7.25 GiB in all: 4.00 GiB of input, 3.25 GiB of temporary files\n"
               "write     7.25 GiB in all: 3.25 GiB to temporary files, 4.00 GiB of output\n"
               "rate      reading and writing 247.47 MiB per second takes a minute, 4.12 MiB per "
               "second an hour\n"
               "temp      3.25 GiB of temporary space at most\n"
               "why       only runs that do not fit into memory go to disk, then all runs are "
               "merged at once\n");
}

static void test_report__plan_with_passes__shows_the_tree(void **state)
{
    (void)state;
    struct gs_report report = float_report();
    size_t bytes;
    report.plan.spilled_runs = report.plan.run_count = 64;
    report.plan.spilled_bytes = report.plan.input_bytes - 1024;
    report.plan.fan_in = 60;
    report.plan.merge_passes = 1;
    FILE *file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_PLAN_TEXT);
    fclose(file);
    assert_non_null(strstr(text, "\npasses    3\nmerge     64 runs: 5 of them into 1 first (320.00 "
                                 "MiB moved), then 60 at once\n"));
    free_text(NULL);
    report.plan.fan_in = 3;
    report.plan.merge_passes = 3;
    file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_PLAN_TEXT);
    fclose(file);
    assert_non_null(strstr(text, "\nmerge     64 runs: 56 of them into 19 first (3.50 GiB moved)\n"
                                 "          27 runs: all into 9 (4.00 GiB moved)\n"
                                 "          9 runs: all into 3 (4.00 GiB moved), then 3 at "
                                 "once\n"));
}

static void test_report__plan_of_a_stream__claims_no_sizes(void **state)
{
    (void)state;
    struct gs_report report = float_report();
    size_t bytes;
    report.plan.input_bytes = UINT64_MAX;
    FILE *file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_PLAN_TEXT);
    fclose(file);
    assert_non_null(strstr(text, "input     a stream of f64"));
    assert_null(strstr(text, "EiB"));
}

static void test_report__top__says_how_many_and_how(void **state)
{
    (void)state;
    struct gs_report report = float_report();
    size_t bytes;
    report.top.is_given = true;
    report.top.count = 1000;
    report.output.bytes = 8000;
    FILE *file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_TEXT);
    gs_report_print(&report, file, GS_FORMAT_PLAN_TEXT);
    fclose(file);
    assert_non_null(strstr(text, "\ntop       1000 of 536870912 elements\n"));
    assert_non_null(strstr(text, "\ntop       the first 1000, after everything is sorted\nruns "));
    free_text(NULL);
    report.plan =
        (struct gsi_plan){.input_bytes = UINT64_MAX, .top_room = 8192, .top_bytes = 65536};
    file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_PLAN_TEXT);
    fclose(file);
    assert_non_null(strstr(text,
                           "\ntop       the first 1000, selected while reading: 64.00 KiB for 8192 "
                           "candidates\npasses    1\n"));
    assert_null(strstr(text, "runs"));
}

static bool has_line(const char *line)
{
    const char *at = strstr(text, line);
    return at != NULL && (at[strlen(line)] == '\n' || at[strlen(line)] == ',');
}

/* python3 judges whether it is JSON; the lines below, what it says. */
/* Every line that most jobs do not have. */
static const struct gs_report full_report = {
    .element = {.type = "record",
                .type_source = "option",
                .bytes = 16,
                .keys = {"0:u64", "8:i64"},
                .key_count = 2,
                .fields = {{.text = "0:u64", .is_number = true, .bytes = 8, .element_bytes = 8},
                           {.text = "8:i64",
                            .is_number = true,
                            .off = 8,
                            .bytes = 8,
                            .element_bytes = 8,
                            .is_signed = true,
                            .is_time = true,
                            .has_no_sum = true,
                            .unit = GSI_UNIT_s}},
                .field_count = 2},
    .tally = {.count = 1000},
    .field_tallies = {{.count = 1000, .has_extremes = true, .max = {7}, .sum = {9}},
                      {.count = 1000, .has_extremes = true, .nan_count = 2, .max = {60}}},
    .payload = {.fields = {"0:8", "12:4"},
                .field_count = 2,
                .written_bytes = 12,
                .sorted_bytes = 16,
                .is_shuffled = true,
                .seed = 7},
    .input = {.bytes = 16000,
              .file_bytes = 16000,
              .values = {"b.bin:4=c.bin"},
              .value_count = 1,
              .where = {"0:u64>1", "8:i64<9"},
              .where_count = 2,
              .left_out_count = 5},
    .range = {.is_given = true, .first = 3, .count = 1005, .of = 2000},
    .find = {.is_given = true, .first = 11, .count = 12},
    .part = {.number = 2, .count = 3, .first = 100, .of = 3000},
    .set = {.operation = GSI_SET_INTERSECT},
    .top = {.is_given = true, .count = 2000},
    .device = {.name = "cuda",
               .model = "H200",
               .note = "because",
               .host_run_bytes = 1 << 20,
               .tuned_merge_count = 1},
    .plan = {.input_bytes = 16000,
             .output_bytes = 16000,
             .memory_bytes = 1 << 30,
             .window_count = 3,
             .thread_count = 1,
             .run_count = 2,
             .fan_in = 2,
             .merge_kernel = GSI_MERGE_CIRCULAR,
             .device_runs = 1,
             .device_count = 2,
             .device_bytes = 1 << 20,
             .host_runs = 2,
             .host_bytes = 1 << 21,
             .top_room = 4000,
             .top_bytes = 64000,
             .temp_bytes = 1 << 20,
             .late_bytes = 4096},
    .space = {.table = {{.directory = "/a", .needed_bytes = 9, .has_output = true},
                        {.directory = "/b", .has_output = true, .has_temp = true},
                        {.directory = "/c", .free_bytes = 1 << 20, .has_temp = true}},
              .count = 3},
    .prediction = {.is_made = true,
                   .read_bound = "links",
                   .write_bound = "output",
                   .start_ns = 1500000000,
                   .read_ns = 2000000000,
                   .write_ns = 3000000000},
    .presorted = {.count = 1, .bytes = 4096},
    .one_pass = {.written_bytes = 8192, .is_whole = true},
    .output = {.bytes = 16000, .file_bytes = 16000},
    .into = {.is_given = true, .off = 128, .file_bytes = 48128},
    .split = {.count = 2, .counts = {400, 600}},
    .check = {.has_duplicate_count = true,
              .has_valsort_checksum = true,
              .duplicate_count = 1,
              .valsort_checksum = {0xabc, 1}},
    .resumed = {.bytes = 2048, .output_bytes = 1024}};

static const char full_text[] =
    "elements  1000\n"
    "where     0:u64>1, 8:i64<9; 5 left out\n"
    "set       intersect of sorted files\n"
    "range     1005 elements starting at element 3, of 2000\n"
    "found     12 elements, starting at element 11 of the first file\n"
    "part      2 of 3, starting at element 100 of 3000\n"
    "into      a file of 48128 bytes, starting at byte 128\n"
    "split     2 files, each with 400 to 600 elements\n"
    "shuffle   in random order; seed 7\n"
    "top       1000 of 1000 elements\n"
    "type      record of 16 bytes, by 0:u64, 8:i64\n"
    "values    b.bin:4=c.bin\n"
    "written   0:8, 12:4; 16 bytes of each element are sorted\n"
    "duplicate 1 key\n"
    "checksum  10000000000000abc, as valsort prints it\n"
    "bytes     16000 (15.62 KiB)\n"
    "time      0.000 ms, -\n"
    "device    cuda, H200 (because)\n"
    "passes    2\n"
    "in order  one pass: 8192 bytes (8.00 KiB) were written while reading\n"
    "in order  4096 bytes (4.00 KiB) in 1 presorted range, read again from the "
    "inputs\n"
    "held      1048576 bytes (1.00 MiB) of runs in pinned host memory\n"
    "tuning    1 merge of two runs with circular buffers\n"
    "resumed   2.00 KiB of the input and 1.00 KiB of the output were already done\n"
    "field     0:u64\n"
    "min       0\n"
    "max       7\n"
    "sum       9\n"
    "field     8:i64\n"
    "min       1970-01-01T00:00:00\n"
    "max       1970-01-01T00:01:00\n"
    "nat       2\n";

static const char full_plan_text[] =
    "input     15.62 KiB of record (1000 elements; type as asked)\n"
    "values    b.bin:4=c.bin\n"
    "written   0:8, 12:4; 16 bytes of each element are sorted\n"
    "memory    at most 1.00 GiB, 0 B of it for data; 3 output buffers of 0 B; 1 "
    "thread\n"
    "where     0:u64>1, 8:i64<9; the figures below are upper limits, as if no "
    "element were left out\n"
    "set       intersect of sorted files\n"
    "range     1005 elements starting at element 3, of 2000\n"
    "found     12 elements, starting at element 11 of the first file\n"
    "part      2 of 3, starting at element 100 of 3000\n"
    "into      a file of 48128 bytes, starting at byte 128\n"
    "split     2 files, written one after the other\n"
    "device    H200: 1.00 MiB of each GPU's memory, for 1 run of up to 0 B\n"
    "held      2.00 MiB of host memory, pinned for the GPU, for 2 more runs\n"
    "tuning    two runs are merged with circular buffers, more runs with tiles\n"
    "time      at least 6.50 s: 1.50 s to start, 2.00 s to read (limited by: "
    "links), 3.00 s to write (limited by: output)\n"
    "top       the first 2000, selected while reading: 62.50 KiB for 4000 "
    "candidates\n"
    "passes    1\n"
    "in order  one pass without temporary files if the input is nearly sorted: no "
    "element is more than 4.00 KiB after its place\n"
    "read      0 B in all: 15.62 KiB of input, 16.00 EiB of temporary files\n"
    "write     0 B in all: 16.00 EiB to temporary files, 15.62 KiB of output\n"
    "temp      1.00 MiB of temporary space at most\n"
    "space     at most 9 B for output in '/a', which has 0 B free\n"
    "          at most 0 B for output and temporary files in '/b', which has 0 B "
    "free\n"
    "          at most 0 B for temporary files in '/c', which has 1.00 MiB free\n"
    "          too little free space: the job would not start\n"
    "why       the elements to keep fit into memory: read once, sort only these\n";

static const char other_plan_text[] =
    "input     15.62 KiB of record (1000 elements; type as asked)\n"
    "values    b.bin:4=c.bin\n"
    "written   0:8, 12:4; 16 bytes of each element are sorted\n"
    "memory    at most 1.00 GiB, 0 B of it for data; 3 output buffers of 0 B; 1 "
    "thread\n"
    "where     0:u64>1, 8:i64<9; the figures below are upper limits, as if no "
    "element were left out\n"
    "set       intersect of sorted files\n"
    "range     1005 elements starting at element 3, of 2000\n"
    "found     12 elements, starting at element 11 of the first file\n"
    "part      2 of 3, starting at element 100 of 3000\n"
    "into      a file of 48128 bytes, starting at byte 128\n"
    "split     2 files, written one after the other\n"
    "device    cpu (because)\n"
    "tuning    two runs are merged with circular buffers, more runs with tiles\n"
    "time      unknown: of the disk\n"
    "top       the first 2000, taken from the counts\n"
    "passes    1\n"
    "in order  not in one pass: why not\n"
    "read      0 B in all: 15.62 KiB of input, 16.00 EiB of temporary files\n"
    "write     0 B in all: 16.00 EiB to temporary files, 15.62 KiB of output\n"
    "temp      1.00 MiB of temporary space at most\n"
    "space     at most 9 B for output in '/a', which has 0 B free\n"
    "          at most 0 B for output and temporary files in '/b', which has 0 B "
    "free\n"
    "          at most 0 B for temporary files in '/c', which has 1.00 MiB free\n"
    "why       numbers of 1 and 2 bytes are counted, not sorted: read once, write "
    "once at any size\n";

static void test_report__all_lines__in_words(void **state)
{
    (void)state;
    struct gs_report report = full_report;
    size_t bytes;
    FILE *file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_TEXT);
    fclose(file);
    check_text(full_text);
    free_text(NULL);
    file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_PLAN_TEXT);
    fclose(file);
    check_text(full_plan_text);
    free(text);
    report.plan.device_runs = report.plan.host_runs = 0;
    report.plan.top_room = report.plan.late_bytes = 0;
    report.plan.is_counted = report.space.is_enough = true;
    report.one_pass.note = "why not";
    report.prediction = (struct gsi_prediction){.is_made = true, .why_unknown = "of the disk"};
    file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_PLAN_TEXT);
    fclose(file);
    check_text(other_plan_text);
}

static void test_report__json__is_json(void **state)
{
    (void)state;
    struct gs_report report = float_report();
    size_t bytes;
    report.top.is_given = true;
    report.top.count = UINT64_MAX;
    FILE *file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_JSON);
    fclose(file);
    FILE *python = popen("python3 -m json.tool >/dev/null", "w");
    assert_non_null(python);
    fwrite(text, 1, bytes, python);
    assert_int_equal(pclose(python), 0);
    assert_true(bytes > 2 && strcmp(text + bytes - 3, "\n}\n") == 0);
    static const char *const lines[] = {
        "{\n  \"schema\": 2",
        "  \"engine_note\": \"io_uring: \\\"no\\\"\\\\\\u000a\"",
        "  \"top_count\": 18446744073709551615",
        "  \"bytes_read\": 9007199254740993",
        "  \"bytes_written\": 9007199254740992",
        "  \"seconds\": 1.860000001",
        "  \"start_seconds\": 0.210000002",
        "  \"device_start_seconds\": 0.190000003",
        "  \"end_seconds\": 0.090000004",
        "    \"min\": \"-0\"",
        "    \"sum\": \"0.1\"",
        "    \"fingerprint\": \"00000000000001230000000000000abc\"",
        "    \"merge_passes\": 0",
        "      \"name\": \"merge_runs\"",
        "      \"io_busy_seconds\": 1.900000002",
        "  \"memory_peak_bytes\": 1116",
        "    \"data_bytes\": 1000",
        "    \"scratch_bytes\": 100",
        "    \"codec_bytes\": 10",
        "    \"runs_bytes\": 5",
        "    \"tables_bytes\": 1",
        "  \"disorder\": null",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!has_line(lines[i]))
            test_fail("no line '%s' in\n%s", lines[i], text);
}

/* Prints an element into `text`. */
static const char *text_of_element(const struct gs_report *report, const void *element,
                                   enum gs_format format)
{
    size_t bytes;
    free(text);
    FILE *file = open_text(&bytes);
    gs_report_print_element(report, file, element, format);
    fclose(file);
    return text;
}

static void test_report__elements__strings_or_numbers(void **state)
{
    (void)state;
    const struct gs_report report = float_report();
    const double numbers[] = {0.5, NAN};
    assert_string_equal(text_of_element(&report, &numbers[0], GS_FORMAT_TEXT), "0.5\n");
    assert_string_equal(text_of_element(&report, &numbers[0], GS_FORMAT_JSON), "\"0.5\"\n");
    assert_string_equal(text_of_element(&report, &numbers[0], GS_FORMAT_JSON_LINES), "0.5\n");
    assert_string_equal(text_of_element(&report, &numbers[1], GS_FORMAT_JSON_LINES), "\"nan\"\n");
}

static void test_report__json_of_an_early_failure__nulls(void **state)
{
    (void)state;
    struct gs_report report = {.plan = {.input_bytes = UINT64_MAX}};
    size_t bytes;
    FILE *file = open_text(&bytes);
    gs_report_print(&report, file, GS_FORMAT_JSON);
    fclose(file);
    assert_true(has_line("  \"type\": null") && has_line("  \"top_count\": null") &&
                has_line("    \"min\": null") && has_line("    \"input_bytes\": null"));
}

static void test_report__progress__one_line(void **state)
{
    (void)state;
    static const struct {
        struct gs_progress progress;
        const char *want;
    } rows[] = {
        {{GS_PHASE_READ, 0, 100, 0, 0, 0}, "\rreading 0 %, -\033[K"},
        {{GS_PHASE_READ, 1000000000, 4000000000, 9, 1000000000, 2000000001},
         "\rreading 25 %, 1.00 GB/s, 0:03 left in total\033[K"},
        {{GS_PHASE_WRITE, 4000000000, 4000000000, 9, 2000000000, 0},
         "\rwriting 100 %, 2.00 GB/s\033[K"},
        {{GS_PHASE_MERGE_RUNS, 1, 1000, 9, 1000000000, 999000000000},
         "\rmerging runs 0 %, 0.00 GB/s, 16:39 left in total\033[K"},
        {{GS_PHASE_READ, 3145728, 0, 9, 1000000000, 0}, "\rreading 3.00 MiB, 0.00 GB/s\033[K"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t bytes;
        FILE *file = open_text(&bytes);
        gs_progress_draw(file, &rows[i].progress);
        fclose(file);
        check_text(rows[i].want);
        free_text(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_report__floats__text, free_text),
        cmocka_unit_test_teardown(test_report__empty_integers__text, free_text),
        cmocka_unit_test_teardown(test_report__plan__in_words, free_text),
        cmocka_unit_test_teardown(test_report__plan_with_passes__shows_the_tree, free_text),
        cmocka_unit_test_teardown(test_report__plan_of_a_stream__claims_no_sizes, free_text),
        cmocka_unit_test_teardown(test_report__top__says_how_many_and_how, free_text),
        cmocka_unit_test_teardown(test_report__all_lines__in_words, free_text),
        cmocka_unit_test_teardown(test_report__json__is_json, free_text),
        cmocka_unit_test_teardown(test_report__elements__strings_or_numbers, free_text),
        cmocka_unit_test_teardown(test_report__json_of_an_early_failure__nulls, free_text),
        cmocka_unit_test_teardown(test_report__progress__one_line, free_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
