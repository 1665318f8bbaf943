/* print.c: what the elements are is found out by the library (GS_LOOK), so that they are
 * printed as what they would be sorted as; they are read here, in order. Only the last ones of what
 * has no size are held in memory, and what the library has read of it. */
#include "print.h"

#include "command_line.h"

#include "common/tool.h"
#include "print_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Elements are read so many bytes at a time; at least one of them, of 64 KiB at most. */
#define BLOCK_BYTES ((size_t)64 << 10)

struct printer {
    const gs_report *report;
    struct print_input input;
    FILE *out;
    size_t element_bytes;
    uint64_t printed_count;  /* of elements, also those that were skipped */
    uint64_t expected_count; /* that the header says; UINT64_MAX: it says nothing */
    enum gs_format format;
    bool drops_tail, is_quiet;
    uint8_t block[BLOCK_BYTES];
};

static void print_elements_of(const struct printer *printer, const uint8_t *elements, size_t count)
{
    for (size_t i = 0; i < count; i++, elements += printer->element_bytes)
        gs_report_print_element(printer->report, printer->out, elements, printer->format);
}

/* ---- the first and the last ones ---- */

static enum gs_status read_elements(struct printer *printer, uint8_t *data, size_t count,
                                    size_t *got, struct gs_error *error)
{
    size_t bytes, element_bytes = printer->element_bytes;
    TRY(print_input_read(&printer->input, data, count * element_bytes, &bytes, error));
    *got = bytes / element_bytes;
    size_t left = bytes % element_bytes;
    if (left > 0 && !printer->drops_tail)
        return gs_fail(error, GS_E_INPUT, 0,
                       "'%s': the last element is incomplete: %zu of %zu bytes",
                       printer->input.name, left, element_bytes);
    if (left > 0 && !printer->is_quiet)
        fprintf(stderr, "gsort: '%s': %zu byte%s left out, after the last element of %zu bytes\n",
                printer->input.name, left, left == 1 ? " is" : "s are", element_bytes);
    return GS_OK;
}

/* The next `count`, or all that there are. */
static enum gs_status print_next(struct printer *printer, uint64_t count, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    size_t most = BLOCK_BYTES / printer->element_bytes, wanted = 1, got = 1;
    for (; status == GS_OK && count > 0 && got == wanted && !ferror(printer->out); count -= got) {
        wanted = min_u64(count, most);
        got = 0;
        status = read_elements(printer, printer->block, wanted, &got, error);
        print_elements_of(printer, printer->block, got);
        printer->printed_count += got;
    }
    return status;
}

/* Fails because a stream held more or fewer elements than its header says. */
static enum gs_status fail_count(const struct printer *printer, uint64_t count,
                                 struct gs_error *error)
{
    return gs_fail(error, GS_E_INPUT, 0, "'%s': has %llu elements, but its header says %llu",
                   printer->input.name, (unsigned long long)count,
                   (unsigned long long)printer->expected_count);
}

static void print_gap(const struct printer *printer, uint64_t left_out)
{
    if (left_out > 0 && printer->printed_count > 0 && printer->format == GS_FORMAT_TEXT)
        fputs("...\n", printer->out);
}

/* For a file of known size. */
static uint64_t file_count(const struct printer *printer)
{
    return number_at(printer->report, "data_bytes") / printer->element_bytes;
}

/* The last ones of a file whose size is known. */
static enum gs_status print_tail_of_file(struct printer *printer, uint64_t count,
                                         struct gs_error *error)
{
    uint64_t off = number_at(printer->report, "data_offset"), all = file_count(printer);
    uint64_t left = all - min_u64(all, printer->printed_count);
    uint64_t left_out = left - min_u64(left, count);
    print_gap(printer, left_out);
    off += (printer->printed_count + left_out) * printer->element_bytes;
    TRY(print_input_seek(&printer->input, off, error));
    return print_next(printer, left - left_out, error);
}

/* The last `count` > 0 of what has to be read to its end: in a ring. */
static enum gs_status print_tail_of_stream(struct printer *printer, uint64_t count,
                                           struct gs_error *error)
{
    enum gs_status status = GS_OK;
    size_t element_bytes = printer->element_bytes, most = BLOCK_BYTES / element_bytes;
    uint64_t ring_bytes, seen = 0;
    bool fits = !__builtin_mul_overflow(count, element_bytes, &ring_bytes) &&
                ring_bytes <= gs_memory_ceiling(0);
    uint8_t *ring = fits ? malloc(ring_bytes) : NULL;
    if (ring == NULL)
        return gs_fail(error, GS_E_MEMORY, 0,
                       "--tail: the last %llu elements of '%s' do not fit into memory; ask for "
                       "fewer, or read an uncompressed file",
                       (unsigned long long)count, printer->input.name);
    for (size_t wanted = 1, got = 1; status == GS_OK && got == wanted; seen += got) {
        uint64_t at = seen % count;
        wanted = min_u64(most, count - at);
        got = 0;
        status = read_elements(printer, printer->block, wanted, &got, error);
        memcpy(ring + at * element_bytes, printer->block, got * element_bytes); /* whole ones */
    }
    uint64_t all = printer->printed_count + seen;
    if (status == GS_OK && printer->expected_count != UINT64_MAX && all != printer->expected_count)
        status = fail_count(printer, all, error);
    if (status == GS_OK) {
        uint64_t left = min_u64(seen, count), first = (seen - left) % count;
        uint64_t to_end = min_u64(left, count - first);
        print_gap(printer, seen - left);
        print_elements_of(printer, ring + first * element_bytes, to_end);
        print_elements_of(printer, ring, left - to_end);
    }
    free(ring);
    return status;
}

static enum gs_status print_both(const struct command_line *line, struct printer *printer,
                                 struct gs_error *error)
{
    uint64_t count = line->head_count;
    TRY(print_input_begin(&printer->input, number_at(printer->report, "is_packed") != 0,
                          number_at(printer->report, "data_offset"), error));
    count = min_u64(count, printer->input.has_size ? file_count(printer) : printer->expected_count);
    TRY(print_next(printer, count, error));
    if (printer->printed_count < count && printer->expected_count != UINT64_MAX &&
        !ferror(printer->out))
        return fail_count(printer, printer->printed_count, error);
    if (line->tail_count == 0 || ferror(printer->out))
        return GS_OK;
    return printer->input.has_size ? print_tail_of_file(printer, line->tail_count, error)
                                   : print_tail_of_stream(printer, line->tail_count, error);
}

enum gs_status print_elements(const struct command_line *line, FILE *out, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    const char *path = line->input_count > 0 ? line->inputs[0] : "-";
    struct printer *printer = calloc(1, sizeof *printer);
    if (printer == NULL)
        return gs_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot print '%s'", path);
    printer->out = out;
    printer->drops_tail = command_line_given(line, "drop-tail") != NULL;
    printer->is_quiet = line->is_quiet;
    printer->format = line->print_format;
    /* Opened first: while it is, the writer of a FIFO does not lose its reader. */
    TRY_OR(print_input_open(path, &printer->input, error), done);
    if (printer->input.is_pipe && command_line_given(line, "raw") == NULL)
        TRY_OR(print_input_give(&printer->input, true, line->job, NULL, 1, error), done);
    TRY_OR(of_job(gs_job_run(line->job, GS_LOOK), line->job, error), done);
    printer->report = gs_job_report(line->job);
    printer->element_bytes = number_at(printer->report, "element_bytes");
    printer->expected_count = number_at(printer->report, "expected_bytes");
    if (printer->expected_count != UINT64_MAX)
        printer->expected_count /= printer->element_bytes;
    if (line->prints_header)
        gs_report_print_element(printer->report, out, NULL, printer->format);
    status = print_both(line, printer, error);
done:
    print_input_close(&printer->input);
    free(printer);
    return status;
}
