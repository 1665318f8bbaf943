/* bench_report.c: collects rows, ceilings and ratios, and prints them as text or as JSON with every
 * sample. A report names the machine, kernel, file system, date and command. */
#include "bench.h"

#include "report/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Statistics of a row's samples. */
struct spread {
    double least, median, most;
};

/* The machine that was measured. */
struct place {
    char processor[128], kernel[200], date[32], file_system[256];
    uint32_t processor_count;
    double memory_gib;
};

/* ---- rows ---- */

struct bench_row *bench_row_add(struct bench_report *report, struct bench_row row)
{
    struct bench_row *added = &report->rows[report->row_count++];
    *added = row;
    return added;
}

struct bench_row *bench_ratio_add(struct bench_report *report, const char *name)
{
    struct bench_row *added = &report->ratios[report->ratio_count++];
    *added = (struct bench_row){.name = name};
    return added;
}

void bench_row_sample(struct bench_row *row, uint64_t bytes, uint64_t ns)
{
    row->samples[row->sample_count++] = (double)bytes / (double)(ns > 0 ? ns : 1);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct spread spread_of(const struct bench_row *row)
{
    double sorted[BENCH_REPEATS_MAX];
    uint32_t n = row->sample_count;
    memcpy(sorted, row->samples, n * sizeof sorted[0]);
    qsort(sorted, n, sizeof sorted[0], compare_doubles);
    return (struct spread){.least = sorted[0],
                           .median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2,
                           .most = sorted[n - 1]};
}

double bench_row_median(const struct bench_row *row)
{
    return spread_of(row).median;
}

const struct bench_row *bench_best(const struct bench_report *report, const char *name,
                                   const char *engine)
{
    const struct bench_row *best = NULL;
    for (uint32_t r = 0; r < report->row_count; r++) {
        const struct bench_row *row = &report->rows[r];
        if (strcmp(row->name, name) != 0 || row->sample_count == 0 ||
            (engine != NULL && strcmp(row->engine, engine) != 0))
            continue;
        if (best == NULL || bench_row_median(row) > bench_row_median(best))
            best = row;
    }
    return best;
}

void bench_ceiling_add(struct bench_report *report, struct bench_ceiling ceiling)
{
    if (ceiling.row != NULL)
        ceiling.speed = bench_row_median(ceiling.row);
    report->ceilings[report->ceiling_count++] = ceiling;
}

void bench_round(uint32_t round, uint32_t round_count)
{
    if (!isatty(STDERR_FILENO))
        return;
    if (round < round_count)
        fprintf(stderr, "\rround %u of %u ", round + 1, round_count);
    else
        fputs("\r\033[K", stderr);
}

enum gs_status bench_rounds(uint32_t round_count,
                            enum gs_status (*measure)(void *bench, struct gs_error *error),
                            void *bench, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    for (uint32_t round = 0; status == GS_OK && round < round_count; round++) {
        bench_round(round, round_count);
        status = measure(bench, error);
    }
    bench_round(round_count, round_count);
    return status;
}

/* ---- where it was measured ---- */

static void read_processor(char *text, size_t bytes)
{
    snprintf(text, bytes, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            snprintf(text, bytes, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

/* "ext4 on /dev/vda": the mount whose device is the directory's; see proc_pid_mountinfo(5). */
static void read_file_system(const char *directory, char *text, size_t bytes)
{
    snprintf(text, bytes, "unknown");
    struct stat stat_of;
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char line[1024];
    while (file != NULL && stat(directory, &stat_of) == 0 &&
           fgets(line, sizeof line, file) != NULL) {
        unsigned major_id, minor_id;
        char type[64], source[160];
        const char *tail = strstr(line, " - ");
        /* NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers that fit */
        if (tail != NULL && sscanf(line, "%*d %*d %u:%u", &major_id, &minor_id) == 2 &&
            major_id == major(stat_of.st_dev) && minor_id == minor(stat_of.st_dev) &&
            sscanf(tail, " - %63s %159s", type, source) == 2) {
            snprintf(text, bytes, "%s on %s", type, source);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

static struct place place_read(const struct bench_report *report)
{
    struct place place = {0};
    read_processor(place.processor, sizeof place.processor);
    if (report->directory != NULL)
        read_file_system(report->directory, place.file_system, sizeof place.file_system);
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(place.kernel, sizeof place.kernel, "%s %s", name.sysname, name.release);
    struct sysinfo info;
    if (sysinfo(&info) == 0)
        place.memory_gib = (double)info.totalram * info.mem_unit / (1 << 30);
    place.processor_count = (uint32_t)get_nprocs();
    time_t now = time(NULL);
    struct tm utc;
    strftime(place.date, sizeof place.date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return place;
}

/* ---- text ---- */

/* "write  io_uring   1M x 16": as much of it as applies. */
static void describe_row(const struct bench_row *row, char *text, size_t bytes)
{
    int length = snprintf(text, bytes, "%-*s ", row->part != NULL ? 23 : 9, row->name);
    if (row->part != NULL)
        length += snprintf(text + length, bytes - (size_t)length, "%s", row->part);
    if (row->engine != NULL)
        length += snprintf(text + length, bytes - (size_t)length, "%-9s %5lluK x %2u", row->engine,
                           (unsigned long long)row->block_bytes >> 10, row->depth);
    if (row->size_bytes > 0) {
        snprintf(text + length, bytes - (size_t)length, "%lluM in %lluM, %s",
                 (unsigned long long)row->size_bytes >> 20,
                 (unsigned long long)row->memory_bytes >> 20, row->codec);
        return;
    }
    if (row->sorted_bytes > 0)
        length += snprintf(text + length, bytes - (size_t)length, "%8lluM, ",
                           (unsigned long long)row->sorted_bytes >> 20);
    if (row->thread_count > 0)
        length += snprintf(text + length, bytes - (size_t)length, "%u thread%s", row->thread_count,
                           row->thread_count > 1 ? "s" : "");
    if (row->memory_bytes > 0)
        snprintf(text + length, bytes - (size_t)length, ", %lluM",
                 (unsigned long long)row->memory_bytes >> 20);
}

/* Returns the width of the column that describes rows. */
static int text_width(const struct bench_report *report)
{
    char text[96];
    size_t width = 36;
    for (uint32_t r = 0; r < report->row_count; r++) {
        describe_row(&report->rows[r], text, sizeof text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (int)width;
}

/* Rows with their spreads, and what there is to say of them. */
static void print_rows(const struct bench_row *rows, uint32_t row_count, int width)
{
    char text[96];
    for (uint32_t r = 0; r < row_count; r++) {
        struct spread spread = spread_of(&rows[r]);
        describe_row(&rows[r], text, sizeof text);
        printf("%-*s %8.3f %8.3f %8.3f", width, text, spread.median, spread.least, spread.most);
        if (rows[r].element_bytes > 0)
            printf("   %.3f s, %.3f ns an element",
                   (double)rows[r].sorted_bytes / spread.median / 1e9,
                   rows[r].element_bytes / spread.median);
        if (rows[r].shows != NULL)
            printf("   %s", rows[r].shows);
        if (rows[r].loses != NULL)
            printf("; loses: %s", rows[r].loses);
        putchar('\n');
    }
}

/* Sorts of files of several sizes: what they took and moved. */
static void print_moved(const struct bench_report *report)
{
    char text[96];
    bool has_title = false;
    for (uint32_t r = 0; r < report->row_count; r++) {
        const struct bench_row *row = &report->rows[r];
        if (row->size_bytes == 0)
            continue;
        if (!has_title)
            printf("\n%-36s %8s %8s %8s %8s\n", "", "seconds", "GB read", "written", "busy");
        has_title = true;
        describe_row(row, text, sizeof text);
        printf("%-36s %8.3f %8.3f %8.3f %8.3f\n", text,
               (double)row->size_bytes / bench_row_median(row) / 1e9, (double)row->bytes_read / 1e9,
               (double)row->bytes_written / 1e9, row->io_busy);
    }
}

static void print_text(const struct bench_report *report, const struct place *place,
                       const char *command)
{
    char text[96];
    printf("command     %s\ndate        %s\nmachine     %s, %u processors, %.1f GiB\n"
           "kernel      %s\n",
           command, place->date, place->processor, place->processor_count, place->memory_gib,
           place->kernel);
    if (report->directory != NULL)
        printf("directory   %s: %s, %s\n", report->directory, place->file_system, report->access);
    if (report->note[0] != '\0')
        printf("note        %s\n", report->note);
    int width = text_width(report);
    printf("\n%-*s %8s %8s %8s\n", width, "GB/s", "median", "min", "max");
    print_rows(report->rows, report->row_count, width);
    print_moved(report);
    if (report->ceiling_count > 0)
        puts("\nceilings");
    for (uint32_t c = 0; c < report->ceiling_count; c++) {
        const struct bench_ceiling *ceiling = &report->ceilings[c];
        snprintf(text, sizeof text, "%s", ceiling->text);
        if (ceiling->row != NULL)
            describe_row(ceiling->row, text, sizeof text);
        printf("%-18s %8.3f   %s\n", ceiling->name, ceiling->speed, text);
    }
    if (report->ratio_count > 0)
        printf("\n%-*s %8s %8s %8s\n", width,
               report->ratio_text != NULL ? report->ratio_text : "ratios of times", "median", "min",
               "max");
    print_rows(report->ratios, report->ratio_count, width);
}

/* ---- JSON ---- */

static void print_json_string(FILE *file, const char *key, const char *value)
{
    fprintf(file, "\"%s\": ", key);
    gsi_json_quote(file, value, strlen(value));
}

static void print_json_case(FILE *file, const struct bench_row *row)
{
    const struct {
        const char *key, *value;
    } strings[] = {{"part", row->part}, {"shows", row->shows}, {"loses", row->loses}};
    print_json_string(file, "name", row->name);
    for (size_t s = 0; s < sizeof strings / sizeof strings[0]; s++)
        if (strings[s].value != NULL) {
            fputs(", ", file);
            print_json_string(file, strings[s].key, strings[s].value);
        }
    if (row->engine != NULL) {
        fputs(", ", file);
        print_json_string(file, "engine", row->engine);
        fprintf(file, ", \"block_bytes\": %llu, \"depth\": %u",
                (unsigned long long)row->block_bytes, row->depth);
    }
    if (row->thread_count > 0)
        fprintf(file, ", \"threads\": %u", row->thread_count);
    if (row->size_bytes > 0) {
        fputs(", ", file);
        print_json_string(file, "codec", row->codec);
        fprintf(file,
                ", \"size_bytes\": %llu, \"bytes_read\": %llu, \"bytes_written\": %llu, "
                "\"io_busy\": %.4f",
                (unsigned long long)row->size_bytes, (unsigned long long)row->bytes_read,
                (unsigned long long)row->bytes_written, row->io_busy);
    }
    if (row->sorted_bytes > 0)
        fprintf(file, ", \"sorted_bytes\": %llu", (unsigned long long)row->sorted_bytes);
    if (row->element_bytes > 0)
        fprintf(file, ", \"seconds\": %.6f, \"ns_per_element\": %.4f",
                (double)row->sorted_bytes / bench_row_median(row) / 1e9,
                row->element_bytes / bench_row_median(row));
    if (row->memory_bytes > 0)
        fprintf(file, ", \"memory_bytes\": %llu, \"spilled_bytes\": %llu",
                (unsigned long long)row->memory_bytes, (unsigned long long)row->spilled_bytes);
}

static void print_json_rows(FILE *file, const char *key, const struct bench_row *rows,
                            uint32_t row_count)
{
    fprintf(file, "  \"%s\": [", key);
    for (uint32_t r = 0; r < row_count; r++) {
        const struct bench_row *row = &rows[r];
        struct spread spread = spread_of(row);
        fprintf(file, "%s\n    {", r > 0 ? "," : "");
        print_json_case(file, row);
        fprintf(file, ", \"median\": %.4f, \"min\": %.4f, \"max\": %.4f, \"samples\": [",
                spread.median, spread.least, spread.most);
        for (uint32_t s = 0; s < row->sample_count; s++)
            fprintf(file, "%s%.4f", s > 0 ? ", " : "", row->samples[s]);
        fputs("]}", file);
    }
    fputs("\n  ],\n", file);
}

static void print_json_ceilings(FILE *file, const struct bench_report *report)
{
    fputs("  \"ceilings\": [", file);
    for (uint32_t c = 0; c < report->ceiling_count; c++) {
        const struct bench_ceiling *ceiling = &report->ceilings[c];
        fprintf(file, "%s\n    {", c > 0 ? "," : "");
        print_json_string(file, "name", ceiling->name);
        fprintf(file, ", \"speed\": %.4f, ", ceiling->speed);
        print_json_string(file, "text", ceiling->text);
        if (ceiling->row != NULL) {
            fputs(", \"case\": {", file);
            print_json_case(file, ceiling->row);
            fputc('}', file);
        }
        fputc('}', file);
    }
    fputs("\n  ]\n", file);
}

static void print_json(FILE *file, const struct bench_report *report, const struct place *place,
                       const char *command)
{
    const struct {
        const char *key, *value;
    } strings[] = {
        {"version", gs_version()},
        {"command", command},
        {"date", place->date},
        {"processor", place->processor},
        {"kernel", place->kernel},
        {"directory", report->directory},
        {"file_system", report->directory != NULL ? place->file_system : NULL},
        {"access", report->access},
        {"note", report->note},
        {"unit", "GB/s"},
    };
    fputs("{\n  \"schema\": 1,\n", file);
    for (size_t s = 0; s < sizeof strings / sizeof strings[0]; s++) {
        if (strings[s].value == NULL)
            continue;
        fputs("  ", file);
        print_json_string(file, strings[s].key, strings[s].value);
        fputs(",\n", file);
    }
    fprintf(file, "  \"processors\": %u,\n  \"memory_gib\": %.1f,\n", place->processor_count,
            place->memory_gib);
    print_json_rows(file, "results", report->rows, report->row_count);
    print_json_rows(file, "ratios", report->ratios, report->ratio_count);
    print_json_ceilings(file, report);
    fputs("}\n", file);
}

void bench_print(const struct bench_report *report, const char *command, bool is_json)
{
    struct place place = place_read(report);
    if (is_json)
        print_json(stdout, report, &place, command);
    else
        print_text(report, &place, command);
}

void bench_print_to(FILE *file, const struct bench_report *report, const char *command)
{
    struct place place = place_read(report);
    print_json(file, report, &place, command);
}
