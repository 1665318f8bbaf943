/* bench_report_json.c: a report of gsort-bench as JSON, with every sample. */
#include "bench_report_parts.h"

#include "report/json.h"
#include <stdio.h>
#include <string.h>

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
        struct spread spread = bench_spread(row);
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

void bench_print_json(FILE *file, const struct bench_report *report, const struct place *place,
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
