/* format.h: handles formats whose header describes the elements after it. Each format has a folder
 * and a table of functions.
 *
 *     npy/   NumPy's arrays             header | elements
 *     las/   points of lidar            header | elements | EVLRs
 *     fits/  binary tables of FITS      header | elements | heap | zeros | other HDUs
 *
 * Either all inputs have the same format and fields, and then the output has that format, too; or
 * no input has a format. Code that all formats share is here: it recognises them, skips the header,
 * compares inputs (format.c), and finds fields by their names (fields.h). Everything else is in the
 * functions. A new format is a new folder, and a line in gsi_formats (format.c). */
#ifndef GSI_FORMAT_H
#define GSI_FORMAT_H

#include "input/format/schema.h"
#include "input/inputs.h"

struct gsi_format {
    const char *name;   /* in messages: "a .npy file" */
    const char *source; /* of the type, in reports: "npy header" */
    const char *const
        *endings;      /* endings of names that promise it, such as "npy"; NULL ends the list */
    const char *magic; /* its first bytes */
    size_t magic_bytes;
    /* It can be read from a stream and written to a stream, and elements of no format can be
     * written in it. Otherwise it is read from files and written to files only, and the bytes after
     * the elements are kept. */
    bool is_plain;

    /* Returns how many bytes the header has, as far as `bytes`, which begin with the magic, say. */
    uint64_t (*wanted)(const uint8_t *data, size_t bytes);

    /* Reads the header, which may be any bytes.
     * in    name: of the file, for the error
     * fails GS_E_INPUT: it is truncated, invalid, or gsort cannot sort its elements */
    enum gs_status (*read)(const uint8_t *data, size_t bytes, const char *name,
                           struct gsi_schema *schema, struct gs_error *error);

    /* Checks that the options are possible in this format; NULL: all are.
     * fails GS_E_USAGE */
    enum gs_status (*check)(const struct gsi_inputs *inputs);

    /* Makes the header of an output of `count` elements at inputs->header.data.
     * fails GS_E_MEMORY; GS_E_INPUT: the format cannot have so many */
    enum gs_status (*make_header)(struct gsi_inputs *inputs, uint64_t count);

    /* Tallies elements of the output, in order, if the header says more about them than their
     * number; NULL: it does not. *tally has tally_bytes, at first zeros. */
    void (*tally)(const struct gsi_schema *schema, void *tally, const uint8_t *data,
                  uint64_t bytes);
    size_t tally_bytes;
};

/* The bytes after the elements of an output. */
struct gsi_trailer {
    uint64_t zeros;
    uint64_t off, bytes; /* then these of the first input's file */
};

/* All formats; NULL ends the list. */
extern const struct gsi_format *const gsi_formats[];
extern const struct gsi_format gsi_npy_format, gsi_las_format, gsi_fits_format;

/* The first input's header, and the keys that it chooses if none is given. */
struct gsi_formatted {
    const struct gsi_format *format;
    struct gsi_schema schema;
    const char *keys[GSI_FIELDS_MAX];
    uint64_t rest_off, rest_bytes; /* the bytes after the elements of the first input's file */
    struct gsi_trailer trailer;    /* of the output, according to its header */
    void *tally;                   /* of the elements written so far */
    uint8_t header[];
};

/* gsi_format_wanted: returns how many bytes of an input are necessary to know its format; 0: it has
 * none. */
size_t gsi_format_wanted(const uint8_t *data, size_t bytes);

/* gsi_format_named: returns the format that a name promises by its *ending; NULL: none. */
const struct gsi_format *gsi_format_named(const char *path, const char **ending);

/* gsi_format_detect: detects the format of an input, where its data begin, and how many elements it
 * has.
 * in    data: the beginning of the input, decompressed; a header is complete
 * fails GS_E_INPUT: gsort cannot use the header, the elements differ from those of the first input,
 *       or there is no header although the name or the first input promises one; GS_E_MEMORY */
enum gs_status gsi_format_detect(struct gsi_inputs *inputs, struct gsi_input *input,
                                 const uint8_t *data, size_t bytes);

/* gsi_format_close: frees the memory of gsi_format_detect. */
void gsi_format_close(struct gsi_inputs *inputs);

/* gsi_format_check: checks that the options are possible in the output's format, if it has one.
 * in    is_whole: all elements of one file are written
 * fails GS_E_USAGE */
enum gs_status gsi_format_check(const struct gsi_inputs *inputs, bool is_whole);

/* gsi_format_make_header: makes the output's header for `count` elements at inputs->header.data, if
 * it has a format, and describes the trailer.
 * fails GS_E_MEMORY, GS_E_INPUT */
enum gs_status gsi_format_make_header(struct gsi_inputs *inputs, uint64_t count);

/* gsi_format_copy_header: copies the first input's header there, for formats that change it.
 * fails GS_E_MEMORY */
enum gs_status gsi_format_copy_header(struct gsi_inputs *inputs);

/* gsi_format_needs_tally: returns whether the header says more about the written elements than
 * their number.
 * gsi_format_begin: clears the tally.
 * gsi_format_tally: adds written elements to it. */
bool gsi_format_needs_tally(const struct gsi_inputs *inputs);
void gsi_format_begin(struct gsi_inputs *inputs);
void gsi_format_tally(struct gsi_inputs *inputs, const uint8_t *data, uint64_t bytes);

/* The trailer is what the output of a format has after its elements: zeros, and what the first
 * input has after its own.
 * gsi_trailer_bytes: returns its length, as the header that was made last says it. */
uint64_t gsi_trailer_bytes(const struct gsi_inputs *inputs);

/* gsi_trailer_write: writes the trailer to `output`, from byte `off` of the file on, and waits for
 * that.
 * fails GS_E_IO, GS_E_SPACE, GS_E_INPUT: the input is shorter than before; GS_E_CANCELED */
enum gs_status gsi_trailer_write(struct gsi_inputs *inputs, const struct gsi_output *output,
                                 uint64_t off);

/* gsi_trailer_is_written: sets *is_there to whether `fd` contains the trailer from byte `off` on.
 * fails GS_E_IO */
enum gs_status gsi_trailer_is_written(struct gsi_inputs *inputs, int fd, uint64_t off,
                                      bool *is_there);

#endif
