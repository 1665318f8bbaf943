/* format.h: handles formats whose header describes the elements after it. Each format has a folder
 * and a table of functions.
 *
 *     npy/   NumPy's arrays             header | elements
 *     las/   points of lidar            header | elements | EVLRs
 *     fits/  binary tables of FITS      header | elements | heap | zeros | other HDUs
 *
 * All inputs must have the same format and fields, or none has a format. The output has the format
 * of the inputs. format.c recognises formats, skips headers and compares inputs; fields.h finds
 * fields by names. A new format needs a folder, a table of functions, and a line in gsi_formats
 * (format.c). */
#ifndef GSI_FORMAT_H
#define GSI_FORMAT_H

#include "input/format/schema.h"
#include "input/inputs.h"

struct gsi_format {
    const char *name;           /* in messages: "a .npy file" */
    const char *source;         /* in reports, where the type was found: "npy header" */
    const char *const *endings; /* endings of file names, such as "npy"; NULL ends the list */
    const char *magic;          /* magic number: the first bytes of a file */
    size_t magic_bytes;
    /* true: files consist of header and elements, and streams are possible. The output may have
     * this format although the inputs have none. false: only files, whose bytes after the elements
     * are copied. */
    bool is_plain;

    /* Returns how many bytes the header has, or how many more are needed to know that. */
    uint64_t (*wanted)(const uint8_t *data, size_t bytes);

    /* Parses the header; accepts any bytes.
     * in    name: of the file, for the error
     * fails GS_E_INPUT: it is truncated, invalid, or gsort cannot sort its elements */
    enum gs_status (*read)(const uint8_t *data, size_t bytes, const char *name,
                           struct gsi_schema *schema, struct gs_error *error);

    /* Checks that the options are possible with this format; NULL: all are.
     * fails GS_E_USAGE */
    enum gs_status (*check)(const struct gsi_inputs *inputs);

    /* Makes the header of an output of `count` elements at inputs->header.data.
     * fails GS_E_MEMORY; GS_E_INPUT: the format cannot have so many elements */
    enum gs_status (*make_header)(struct gsi_inputs *inputs, uint64_t count);

    /* Adds elements of the output, in order, to the tally that the header will contain, such as
     * bounds. NULL: headers contain only the count. *tally has tally_bytes, which are zeroed
     * before. */
    void (*tally)(const struct gsi_schema *schema, void *tally, const uint8_t *data,
                  uint64_t bytes);
    size_t tally_bytes;
};

/* The bytes after the elements of an output: zeros, then bytes of the first input's file. */
struct gsi_trailer {
    uint64_t zeros;
    uint64_t off, bytes; /* of the first input's file */
};

/* All formats; NULL ends the list. */
extern const struct gsi_format *const gsi_formats[];
extern const struct gsi_format gsi_npy_format, gsi_las_format, gsi_fits_format;

/* The first input's header, and the default keys. */
struct gsi_formatted {
    const struct gsi_format *format;
    struct gsi_schema schema;
    const char *keys[GSI_FIELDS_MAX];
    uint64_t rest_off, rest_bytes; /* the bytes after the elements of the first input's file */
    struct gsi_trailer trailer;    /* of the output */
    void *tally;                   /* of the elements that were written so far */
    uint8_t header[];
};

/* gsi_format_wanted: returns how many bytes of an input are needed to read its header; 0: it has no
 * format. */
size_t gsi_format_wanted(const uint8_t *data, size_t bytes);

/* gsi_format_named: returns the format for the ending of a file name, and sets *ending; NULL:
 * none. */
const struct gsi_format *gsi_format_named(const char *path, const char **ending);

/* gsi_format_detect: detects the format of an input, reads and skips its header, and sets the
 * number of elements.
 * in    data: the first bytes of the input, decompressed, with the whole header
 * fails GS_E_INPUT: gsort cannot use the header, the elements differ from those of the first input,
 *       or there is no header although the name or the first input promises one; GS_E_MEMORY */
enum gs_status gsi_format_detect(struct gsi_inputs *inputs, struct gsi_input *input,
                                 const uint8_t *data, size_t bytes);

/* gsi_format_close: frees the memory of gsi_format_detect. */
void gsi_format_close(struct gsi_inputs *inputs);

/* gsi_format_check_output: checks that the options are possible with the output's format.
 * in    is_whole: all elements of one file are written
 * fails GS_E_USAGE */
enum gs_status gsi_format_check_output(const struct gsi_inputs *inputs, bool is_whole);

/* gsi_format_make_header: if the output has a format, makes its header for `count` elements at
 * inputs->header.data, and computes its trailer.
 * fails GS_E_MEMORY, GS_E_INPUT */
enum gs_status gsi_format_make_header(struct gsi_inputs *inputs, uint64_t count);

/* gsi_format_copy_header: copies the first input's header to inputs->header.data, for formats that
 * then change it.
 * fails GS_E_MEMORY */
enum gs_status gsi_format_copy_header(struct gsi_inputs *inputs);

/* gsi_format_needs_tally: returns whether the output's header contains a tally, such as bounds.
 * gsi_format_begin: clears the tally.
 * gsi_format_tally: adds written elements to the tally. */
bool gsi_format_needs_tally(const struct gsi_inputs *inputs);
void gsi_format_begin(struct gsi_inputs *inputs);
void gsi_format_tally(struct gsi_inputs *inputs, const uint8_t *data, uint64_t bytes);

/* gsi_trailer_bytes: returns the length of the output's trailer, for the header that was made
 * last. */
uint64_t gsi_trailer_bytes(const struct gsi_inputs *inputs);

/* gsi_trailer_write: writes the trailer to `output`, from byte `off` of the file on; blocks.
 * fails GS_E_IO, GS_E_SPACE, GS_E_INPUT: the input is shorter than before; GS_E_CANCELED */
enum gs_status gsi_trailer_write(struct gsi_inputs *inputs, const struct gsi_output *output,
                                 uint64_t off);

/* gsi_trailer_is_written: sets *is_there to whether `fd` contains the trailer from byte `off` on.
 * fails GS_E_IO */
enum gs_status gsi_trailer_is_written(struct gsi_inputs *inputs, int fd, uint64_t off,
                                      bool *is_there);

#endif
