/* bench_report_json.c: a report of gsort-bench as JSON, with every sample. */
#include "bench_report_parts.h"

#include <stdio.h>

static void print_json_string(const char *key, const char *value)
{
    printf("\"%s\": \"", key);
    for (const char *c = value; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            putchar('\\');
        if ((unsigned char)*c < 0x20)
            printf("\\u%04x", (unsigned)*c);
        else
            putchar(*c);
    }
    putchar('"');
}

static void print_json_case(const struct bench_row *row)
{
    const struct {
        const char *key, *value;
    } strings[] = {{"part", row->part}, {"shows", row->shows}, {"loses", row->loses}};
    print_json_string("name", row->name);
    for (size_t s = 0; s < sizeof strings / sizeof strings[0]; s++)
        if (strings[s].value != NULL) {
            fputs(", ", stdout);
            print_json_string(strings[s].key, strings[s].value);
        }
    if (row->engine != NULL) {
        fputs(", ", stdout);
        print_json_string("engine", row->engine);
        printf(", \"block_bytes\": %llu, \"depth\": %u", (unsigned long long)row->block_bytes,
               row->depth);
    }
    if (row->thread_count > 0)
        printf(", \"threads\": %u", row->thread_count);
    if (row->size_bytes > 0) {
        fputs(", ", stdout);
        print_json_string("codec", row->codec);
        printf(", \"size_bytes\": %llu, \"bytes_read\": %llu, \"bytes_written\": %llu, "
               "\"io_busy\": %.4f",
               (unsigned long long)row->size_bytes, (unsigned long long)row->bytes_read,
               (unsigned long long)row->bytes_written, row->io_busy);
    }
    if (row->memory_bytes > 0)
        printf(", \"memory_bytes\": %llu, \"spilled_bytes\": %llu",
               (unsigned long long)row->memory_bytes, (unsigned long long)row->spilled_bytes);
}

static void print_json_rows(const char *key, const struct bench_row *rows, uint32_t row_count)
{
    printf("  \"%s\": [", key);
    for (uint32_t r = 0; r < row_count; r++) {
        const struct bench_row *row = &rows[r];
        struct spread spread = bench_spread(row);
        printf("%s\n    {", r > 0 ? "," : "");
        print_json_case(row);
        printf(", \"median\": %.4f, \"min\": %.4f, \"max\": %.4f, \"samples\": [", spread.median,
               spread.least, spread.most);
        for (uint32_t s = 0; s < row->sample_count; s++)
            printf("%s%.4f", s > 0 ? ", " : "", row->samples[s]);
        fputs("]}", stdout);
    }
    fputs("\n  ],\n", stdout);
}

static void print_json_ceilings(const struct bench_report *report)
{
    fputs("  \"ceilings\": [", stdout);
    for (uint32_t c = 0; c < report->ceiling_count; c++) {
        const struct bench_ceiling *ceiling = &report->ceilings[c];
        printf("%s\n    {", c > 0 ? "," : "");
        print_json_string("name", ceiling->name);
        printf(", \"speed\": %.4f, ", ceiling->speed);
        print_json_string("text", ceiling->text);
        if (ceiling->row != NULL) {
            fputs(", \"case\": {", stdout);
            print_json_case(ceiling->row);
            putchar('}');
        }
        putchar('}');
    }
    fputs("\n  ]\n", stdout);
}

void bench_print_json(const struct bench_report *report, const struct place *place,
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
    fputs("{\n  \"schema\": 1,\n", stdout);
    for (size_t s = 0; s < sizeof strings / sizeof strings[0]; s++) {
        if (strings[s].value == NULL)
            continue;
        fputs("  ", stdout);
        print_json_string(strings[s].key, strings[s].value);
        fputs(",\n", stdout);
    }
    printf("  \"processors\": %u,\n  \"memory_gib\": %.1f,\n", place->processor_count,
           place->memory_gib);
    print_json_rows("results", report->rows, report->row_count);
    print_json_rows("ratios", report->ratios, report->ratio_count);
    print_json_ceilings(report);
    puts("}");
}
