/* format.h: formats of files whose header names what follows it: a folder each, and a row of calls.
 *
 *     npy/   NumPy's arrays             header | elements
 *     las/   points of lidar            header | elements | EVLRs
 *     fits/  binary tables of FITS      header | elements | heap | zeros | other HDUs
 *
 * Either all inputs are of one format and hold the same fields, and then the output is of it, too;
 * or no input is of any. What every format does alike is here: recognising it, skipping the header,
 * comparing inputs (format.c), finding fields by their names (fields.h). What is left is in the
 * row. One more format is one more folder, and its line in the table (formats.c). */
#ifndef GSI_FORMAT_H
#define GSI_FORMAT_H

#include "input/format/schema.h"
#include "input/inputs.h"

struct gsi_format {
    const char *name;           /* in messages: "a .npy file" */
    const char *source;         /* of the type, in reports: "npy header" */
    const char *const *endings; /* names that end so promise it: "npy"; ends with NULL */
    const char *magic;          /* that it begins with */
    size_t magic_bytes;
    /* What comes of elements of no format can be written in it, of a stream can be read of it, and
     * to a stream it can be written. Else it is read from files and written to files only, and
     * what is behind the elements is kept. */
    bool is_plain;

    /* How many bytes the header has, as far as `bytes`, which begin with the magic, can tell. */
    uint64_t (*wanted)(const uint8_t *data, size_t bytes);

    /* Reads the header. Any bytes may come.
     * in    name: of the file, for the error
     * fails GS_E_INPUT: cut short, odd, or nothing that gsort sorts */
    enum gs_status (*read)(const uint8_t *data, size_t bytes, const char *name,
                           struct gsi_schema *schema, struct gs_error *error);

    /* Checks that options can be done in an output of it; NULL: they can.
     * fails GS_E_USAGE */
    enum gs_status (*check)(const struct gsi_inputs *inputs);

    /* Puts the header of an output of `count` elements at inputs->header.data.
     * fails GS_E_MEMORY; GS_E_INPUT: it cannot say so many */
    enum gs_status (*make_header)(struct gsi_inputs *inputs, uint64_t count);

    /* Looks at elements on their way into the output, in their order, where the header says more of
     * them than their number; NULL: it does not. *tally has tally_bytes, zeros at first. */
    void (*tally)(const struct gsi_schema *schema, void *tally, const uint8_t *data,
                  uint64_t bytes);
    size_t tally_bytes;
};

/* What an output has behind its elements. */
struct gsi_trailer {
    uint64_t zeros;
    uint64_t off, bytes; /* then these, of the first input's file */
};

/* All of them; ends with NULL. */
extern const struct gsi_format *const gsi_formats[];
extern const struct gsi_format gsi_npy_format, gsi_las_format, gsi_fits_format;

#define GSI_FORMAT_KEY_BYTES 32u

/* The first input's header, and its fields as gsi_record_make takes them. */
struct gsi_formatted {
    const struct gsi_format *format;
    struct gsi_schema schema;
    const char *keys[GSI_FIELDS_MAX], *fields[GSI_FIELDS_MAX], *names[GSI_FIELDS_MAX];
    char texts[4 * GSI_FIELDS_MAX][GSI_FORMAT_KEY_BYTES];
    uint32_t text_count;
    uint64_t rest_off, rest_bytes; /* of the first input's file: what is behind its elements */
    struct gsi_trailer trailer;    /* of the output, as its header says */
    void *tally;                   /* of what is written so far */
    uint8_t header[];
};

/* gsi_format_wanted: how many bytes an input that begins so has to be looked at, at least, for its
 * format to be known; 0: it is of none. */
size_t gsi_format_wanted(const uint8_t *data, size_t bytes);

/* gsi_format_named: the format that a name promises by its *ending; NULL: none. */
const struct gsi_format *gsi_format_named(const char *path, const char **ending);

/* gsi_format_detect: finds out where the data of an input begin, and how many there are.
 * in    data: what the input begins with, unpacked; if that is a header, all of it
 * fails GS_E_INPUT: a header that is not ours, others than the first input's elements, no header
 *       where the name promises one or the first input had one; GS_E_MEMORY */
enum gs_status gsi_format_detect(struct gsi_inputs *inputs, struct gsi_input *input,
                                 const uint8_t *data, size_t bytes);

/* gsi_format_close: frees what gsi_format_detect keeps. */
void gsi_format_close(struct gsi_inputs *inputs);

/* gsi_format_check: checks that what is written can be done in the output's format, if it has one.
 * in    is_whole: all elements of one file are written
 * fails GS_E_USAGE */
enum gs_status gsi_format_check(const struct gsi_inputs *inputs, bool is_whole);

/* gsi_format_make_header: puts the output's header, for `count` elements, at inputs->header.data, if it has
 * a format; and says what is to come behind them.
 * fails GS_E_MEMORY, GS_E_INPUT */
enum gs_status gsi_format_make_header(struct gsi_inputs *inputs, uint64_t count);

/* gsi_format_copy_header: puts the first input's header there, where formats change it.
 * fails GS_E_MEMORY */
enum gs_status gsi_format_copy_header(struct gsi_inputs *inputs);

/* gsi_format_tallies: whether the header says more of the elements written than their number:
 * gsi_format_begin: none are written yet.
 * gsi_format_tally: these are. */
bool gsi_format_tallies(const struct gsi_inputs *inputs);
void gsi_format_begin(struct gsi_inputs *inputs);
void gsi_format_tally(struct gsi_inputs *inputs, const uint8_t *data, uint64_t bytes);

/* The trailer is what the output of a format has after its elements: zeros, and what the first
 * input has after its own.
 * gsi_trailer_bytes: returns its length, as the header that was made last says it. */
uint64_t gsi_trailer_bytes(const struct gsi_inputs *inputs);

/* gsi_trailer_write: writes it to `output`, from byte `off` of the file on, and waits for that.
 * fails GS_E_IO, GS_E_SPACE, GS_E_INPUT: the input has become shorter; GS_E_CANCELED */
enum gs_status gsi_trailer_write(struct gsi_inputs *inputs, const struct gsi_output *output,
                                 uint64_t off);

/* gsi_trailer_is_written: whether what `fd` has from byte `off` on is what was to be written.
 * fails GS_E_IO */
enum gs_status gsi_trailer_is_written(struct gsi_inputs *inputs, int fd, uint64_t off,
                                      bool *is_there);

#endif
