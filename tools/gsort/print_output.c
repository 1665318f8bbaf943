/* print_output.c: prints by a callback to which the job writes. Another job describes the elements:
 * it only inspects the inputs (GS_LOOK). It reads the beginning of a stream, which the first job
 * gets again. */
#include "print_output.h"

#include "common/tool.h"
#include "print_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A record, its wide sums, of 32 bytes at most each, and its count. */
#define ENTRY_BYTES_MAX ((size_t)65536 + (size_t)64 * 32 + sizeof(uint64_t))

struct print_output {
    const gs_report *report;  /* of the inspected inputs */
    struct print_input input; /* the first one, if it is a stream */
    FILE *out, *text;         /* text: of an element, before its count; NULL: without counts */
    char *text_at;
    size_t text_bytes;
    enum gs_format format;
    size_t base_bytes,
        entry_bytes;     /* of an element with wide sums, or a position; with its count */
    char count_name[32]; /* no other column has this name */
    bool has_positions;
    bool is_headed; /* there are more names */
    size_t held;    /* bytes of an entry whose others are in the next piece */
    uint8_t entry[ENTRY_BYTES_MAX];
};

/* ---- entries ---- */

static uint64_t number_of(const uint8_t *bytes, size_t count)
{
    uint64_t number = 0;
    memcpy(&number, bytes, count); /* little endian */
    return number;
}

static void print_base(const struct print_output *printer, FILE *out, const uint8_t *entry)
{
    if (printer->has_positions)
        fprintf(out, "%" PRIu64 "\n", number_of(entry, printer->base_bytes));
    else
        gs_report_print_element(printer->report, out, entry, printer->format);
}

static char separator(const struct print_output *printer)
{
    return printer->format == GS_FORMAT_CSV ? ',' : '\t';
}

/* "5\t3", {"value":5,"count":3}, or one more member of an object. */
static void print_counted(struct print_output *printer, const uint8_t *entry)
{
    uint64_t count = number_of(entry + printer->base_bytes, sizeof count);
    rewind(printer->text);
    print_base(printer, printer->text, entry);
    fflush(printer->text);
    int length = (int)printer->text_bytes - 1; /* without the end of the line */
    if (printer->format != GS_FORMAT_JSON_LINES)
        fprintf(printer->out, "%.*s%c%" PRIu64 "\n", length, printer->text_at, separator(printer),
                count);
    else if (printer->text_at[0] == '{')
        fprintf(printer->out, "%.*s,\"%s\":%" PRIu64 "}\n", length - 1, printer->text_at,
                printer->count_name, count);
    else
        fprintf(printer->out, "{\"value\":%.*s,\"%s\":%" PRIu64 "}\n", length, printer->text_at,
                printer->count_name, count);
}

/* Prints the names of the columns. */
static void print_heading(struct print_output *printer)
{
    if (!printer->is_headed)
        return;
    printer->is_headed = false;
    FILE *text = printer->text != NULL ? printer->text : printer->out;
    if (printer->has_positions)
        fputs("position\n", text);
    else
        gs_report_print_element(printer->report, text, NULL, printer->format);
    if (printer->text == NULL)
        return;
    fflush(text);
    fprintf(printer->out, "%.*s%c%s\n", (int)printer->text_bytes - 1, printer->text_at,
            separator(printer), printer->count_name);
}

static void print_entry(struct print_output *printer, const uint8_t *entry)
{
    if (printer->text != NULL)
        print_counted(printer, entry);
    else
        print_base(printer, printer->out, entry);
}

/* ---- pieces, which may end amid an entry ---- */

static bool print_piece(void *context, const void *data, size_t bytes, struct gs_error *error)
{
    struct print_output *printer = context;
    const uint8_t *at = data, *end = at + bytes;
    print_heading(printer);
    while (at < end && !ferror(printer->out)) {
        size_t step = min_u64(printer->entry_bytes - printer->held, (size_t)(end - at));
        bool is_whole = step == printer->entry_bytes;
        if (!is_whole)
            memcpy(printer->entry + printer->held, at, step);
        printer->held = (printer->held + step) % printer->entry_bytes;
        if (printer->held == 0)
            print_entry(printer, is_whole ? at : printer->entry);
        at += step;
    }
    if (!ferror(printer->out))
        return true;
    gs_fail(error, GS_E_IO, errno, "'standard output': cannot write");
    return false;
}

/* ---- open, close ---- */

static bool is_u32(const struct command_line *line)
{
    const char *index = command_line_given(line, "index");
    const char *word = index != NULL ? index : command_line_given(line, "argsort");
    return word != NULL && strcmp(word, "u32") == 0;
}

/* Returns the position of standard input, if it is a file: its data may begin there, without a
 * header. Offsets in compressed data begin at 0. */
static uint64_t begin_of_input(const struct command_line *line, const struct gs_report *look)
{
    if (number_at(look, "is_packed") != 0)
        return 0;
    bool is_stdin = line->input_count == 0 || strcmp(line->inputs[0], "-") == 0;
    off_t here = is_stdin ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    return here > 0 ? (uint64_t)here : 0;
}

/* Describes the elements. The job gets the beginning of a stream again. */
static enum gs_status inspect(const struct command_line *line, struct print_input *input,
                              struct gs_error *error)
{
    const char *path = line->input_count > 0 ? line->inputs[0] : "-";
    bool is_plain =
        command_line_given(line, "raw") != NULL || command_line_given(line, "region") != NULL;
    for (size_t i = 1; i < line->input_count; i++)
        is_plain = is_plain || strcmp(line->inputs[i], "-") == 0; /* "given twice", maybe */
    if (!is_plain)
        TRY(print_input_open(path, input, error));
    bool is_given = !is_plain && input->is_pipe;
    if (is_given)
        TRY(print_input_give(input, true, line->look, line->inputs, line->input_count, error));
    TRY(of_job(gs_job_run(line->look, GS_LOOK), line->look, error));
    return is_given
               ? print_input_give(input, false, line->job, line->inputs, line->input_count, error)
               : GS_OK;
}

/* A record is printed as its keys. So an option that chooses between records with equal keys would
 * change nothing. With --group, further keys show what --keep chose. */
static enum gs_status check_shown(const struct command_line *line, const gs_report *look,
                                  struct gs_error *error)
{
    char type[GS_REPORT_TEXT_BYTES];
    const char *kept = command_line_given(line, "keep");
    bool keeps_one = kept != NULL && command_line_given(line, "group") == NULL &&
                     (strcmp(kept, "first") == 0 || strcmp(kept, "last") == 0);
    const char *name = command_line_given(line, "ties") != NULL ? "ties"
                       : keeps_one                              ? "keep"
                                                                : NULL;
    if (name == NULL || gs_report_text(look, "type", type, sizeof type) != GS_FOUND ||
        strcmp(type, "record") != 0)
        return GS_OK;
    return gs_fail(error, GS_E_USAGE, 0,
                   "--print cannot be used with --%s: it prints only keys, and --%s chooses "
                   "between records with equal keys; write whole records with -o FILE",
                   name, name);
}

static bool is_column(const gs_report *look, const char *name)
{
    char path[32], text[GS_REPORT_TEXT_BYTES];
    bool is_any = false;
    for (unsigned i = 0, found = GS_FOUND; found == GS_FOUND && !is_any; i++) {
        snprintf(path, sizeof path, "fields[%u].field", i);
        found = gs_report_text(look, path, text, sizeof text);
        is_any = found == GS_FOUND && strcmp(text, name) == 0;
    }
    return is_any;
}

/* "count", or "count#2" where that is a field of the records. */
static void name_count(struct print_output *printer)
{
    strcpy(printer->count_name, "count");
    for (unsigned i = 2; !printer->has_positions && is_column(printer->report, printer->count_name);
         i++)
        snprintf(printer->count_name, sizeof printer->count_name, "count#%u", i);
}

static enum gs_status begin(const struct command_line *line, struct print_output *printer,
                            struct gs_error *error)
{
    const struct gs_writer writer = {.write = print_piece, .context = printer};
    TRY(inspect(line, &printer->input, error));
    printer->report = gs_job_report(line->look);
    TRY(check_shown(line, printer->report, error));
    printer->format = line->print_format;
    printer->has_positions = command_line_given(line, "argsort") != NULL;
    printer->base_bytes =
        number_at(printer->report, "element_bytes") + number_at(printer->report, "wide_bytes");
    if (printer->has_positions)
        printer->base_bytes = is_u32(line) ? 4 : 8;
    printer->entry_bytes = printer->base_bytes;
    if (command_line_given(line, "count") != NULL) {
        printer->entry_bytes += sizeof(uint64_t);
        name_count(printer);
        printer->text = open_memstream(&printer->text_at, &printer->text_bytes);
        if (printer->text == NULL)
            return gs_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot print");
    }
    if (number_at(printer->report, "data_offset") > begin_of_input(line, printer->report) &&
        command_line_given(line, "region") == NULL)
        TRY(of_job(gs_job_set(line->job, "drop-header", "true"), line->job, error));
    printer->is_headed = line->prints_header;
    return of_job(gs_job_set_writer(line->job, "standard output", &writer), line->job, error);
}

enum gs_status print_output_open(const struct command_line *line, FILE *out,
                                 struct print_output **printer, struct gs_error *error)
{
    *printer = NULL;
    if (line->action != GS_SORT || command_line_given(line, "print") == NULL)
        return GS_OK;
    *printer = calloc(1, sizeof **printer);
    if (*printer == NULL)
        return gs_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot print");
    (*printer)->out = out;
    return begin(line, *printer, error);
}

enum gs_status print_output_end(struct print_output *printer, struct gs_error *error)
{
    if (printer == NULL)
        return GS_OK;
    print_heading(printer); /* above nothing */
    bool is_whole = ferror(printer->out) == 0;
    return fflush(printer->out) == 0 && is_whole
               ? GS_OK
               : gs_fail(error, GS_E_IO, errno, "'standard output': cannot write");
}

void print_output_close(struct print_output *printer)
{
    if (printer == NULL)
        return;
    if (printer->text != NULL)
        fclose(printer->text);
    free(printer->text_at);
    print_input_close(&printer->input);
    free(printer);
}
