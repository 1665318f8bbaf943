/* format.c: implements what all formats share: recognises them, compares inputs, and writes headers
 * and trailers. */
#include "input/format/format.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/number_type.h"
#include "loop/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct gsi_format *const gsi_formats[] = {&gsi_npy_format, &gsi_las_format, &gsi_fits_format,
                                                NULL};

/* ---- recognising ---- */

static bool has_magic_prefix(const struct gsi_format *format, const uint8_t *data, size_t bytes)
{
    return memcmp(data, format->magic, gsi_min_u64(bytes, format->magic_bytes)) == 0;
}

/* Returns the format whose magic number these data begin with; NULL: none. */
static const struct gsi_format *find_format(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; gsi_formats[i] != NULL; i++)
        if (bytes >= gsi_formats[i]->magic_bytes && has_magic_prefix(gsi_formats[i], data, bytes))
            return gsi_formats[i];
    return NULL;
}

/* How many bytes to read of each input to compare them with magic numbers. */
#define MIN_BYTES 4u

size_t gsi_format_wanted(const uint8_t *data, size_t bytes)
{
    if (bytes < MIN_BYTES)
        return MIN_BYTES;
    for (size_t i = 0; gsi_formats[i] != NULL; i++) {
        const struct gsi_format *format = gsi_formats[i];
        if (has_magic_prefix(format, data, bytes))
            return bytes < format->magic_bytes
                       ? format->magic_bytes
                       : gsi_min_u64(format->wanted(data, bytes), GSI_SCHEMA_HEADER_MAX);
    }
    return 0;
}

const struct gsi_format *gsi_format_named(const char *path, const char **ending)
{
    for (size_t i = 0; gsi_formats[i] != NULL; i++)
        for (const char *const *word = gsi_formats[i]->endings; *word != NULL; word++)
            if (gsi_name_ends(path, *word)) {
                *ending = *word;
                return gsi_formats[i];
            }
    return NULL;
}

/* ---- inputs ---- */

static enum gs_status save_first_header(struct gsi_inputs *inputs, const struct gsi_format *format,
                                        const struct gsi_schema *schema, const uint8_t *data)
{
    struct gsi_formatted *kept = calloc(1, sizeof *kept + schema->header_bytes);
    if (kept != NULL)
        kept->tally = calloc(1, gsi_max_u64(format->tally_bytes, 1));
    if (kept == NULL || kept->tally == NULL) {
        free(kept);
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate a header");
    }
    kept->format = format;
    kept->schema = *schema;
    memcpy(kept->header, data, schema->header_bytes);
    if (schema->descr != NULL)
        kept->schema.descr = (const char *)kept->header + (schema->descr - (const char *)data);
    inputs->formatted = kept;
    return GS_OK;
}

static enum gs_status check_same(const struct gsi_inputs *inputs, const struct gsi_input *input,
                                 const struct gsi_schema *schema)
{
    const struct gsi_schema *first = &inputs->formatted->schema;
    char text[GSI_SCHEMA_TEXT_BYTES], first_text[GSI_SCHEMA_TEXT_BYTES];
    if (!gsi_schema_is_same(first, schema))
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': its elements are %s, but those of '%s' are %s", input->name,
                        gsi_schema_describe(schema, text), inputs->table[0].name,
                        gsi_schema_describe(first, first_text));
    if (gsi_schema_has_same_scales(first, schema))
        return GS_OK;
    return gsi_fail(
        inputs->loop->error, GS_E_INPUT, 0,
        "'%s': its scales, offsets or units differ from those of '%s'; sort the files one by one",
        input->name, inputs->table[0].name);
}

static enum gs_status fail_mixed(const struct gsi_inputs *inputs, const struct gsi_input *input,
                                 const struct gsi_format *format)
{
    const struct gsi_format *first = inputs->formatted != NULL ? inputs->formatted->format : NULL;
    if (first == NULL)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': is %s, but '%s' is not; sort the files one by one", input->name,
                        format->name, inputs->table[0].name);
    return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': is not a%s, but '%s' is; sort the files one by one", input->name,
                    strchr(first->name, ' '), inputs->table[0].name);
}

static enum gs_status check_plain(const struct gsi_inputs *inputs, const struct gsi_input *input)
{
    const char *ending;
    if (gsi_format_named(input->path, &ending) != NULL)
        return gsi_fail(
            inputs->loop->error, GS_E_INPUT, 0,
            "'%s': its name ends in .%s, but it has no such header; --raw sorts the file as it is",
            input->name, ending);
    return inputs->formatted != NULL ? fail_mixed(inputs, input, NULL) : GS_OK;
}

/* Excludes the bytes after the elements of a file from its data. The output will have those of the
 * first file. Other files may only have zeros there. */
static enum gs_status exclude_rest(struct gsi_inputs *inputs, struct gsi_input *input,
                                   const struct gsi_schema *schema)
{
    uint64_t elements = input->expected_bytes, heap = schema->heap_bytes;
    if (input->bytes < elements)
        return GS_OK; /* gsi_inputs_measure will fail */
    uint64_t rest = input->bytes - elements, end = gsi_add_max_u64(elements, heap);
    input->bytes = elements;
    if (input == inputs->table) {
        inputs->formatted->rest_off = input->base_off + elements;
        inputs->formatted->rest_bytes = rest;
    }
    if (heap > rest)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': is truncated, %llu bytes of its heap (PCOUNT) are missing",
                        input->name, (unsigned long long)(heap - rest));
    uint64_t zeros = schema->pad_to > 0 ? gsi_round_up_u64(end, schema->pad_to) - end : 0;
    if (input == inputs->table || (heap == 0 && rest <= zeros) || inputs->spec->drops_header)
        return GS_OK;
    return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': has more data after its elements, and the output can keep that of only "
                    "one file; sort it alone, or write only elements with --drop-header",
                    input->name);
}

/* Checks an input whose header was read into `schema`, and skips the header. */
static enum gs_status accept_schema(struct gsi_inputs *inputs, struct gsi_input *input,
                                    const struct gsi_format *format, const uint8_t *data,
                                    const struct gsi_schema *schema)
{
    if (input == inputs->table)
        GSI_TRY(save_first_header(inputs, format, schema, data));
    else if (inputs->formatted == NULL || inputs->formatted->format != format)
        return fail_mixed(inputs, input, format);
    else
        GSI_TRY(check_same(inputs, input, schema));
    if (!gsi_mul_u64(schema->count, schema->element_bytes, &input->expected_bytes) ||
        input->expected_bytes > INT64_MAX)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': its header says %llu elements, which is too many", input->name,
                        (unsigned long long)schema->count);
    if (inputs->spec->counts_later)
        input->expected_bytes = UINT64_MAX;
    GSI_TRY(gsi_input_skip(input, schema->header_bytes, inputs->loop->error));
    return format->is_plain ? GS_OK : exclude_rest(inputs, input, schema);
}

enum gs_status gsi_format_detect(struct gsi_inputs *inputs, struct gsi_input *input,
                                 const uint8_t *data, size_t bytes)
{
    const struct gsi_format *format = find_format(data, bytes);
    struct gs_error *error = inputs->loop->error;
    if (format == NULL)
        return check_plain(inputs, input);
    if (input->is_stream && !format->is_plain)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "'%s': is %s in a stream or compressed; write it to a file first, or use "
                        "--raw to sort it as it is",
                        input->name, format->name);
    struct gsi_schema *schema = malloc(sizeof *schema);
    if (schema == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot read the header of '%s'",
                        input->name);
    enum gs_status status = format->read(data, bytes, input->name, schema, error);
    if (status == GS_OK)
        status = accept_schema(inputs, input, format, data, schema);
    free(schema);
    return status;
}

void gsi_format_close(struct gsi_inputs *inputs)
{
    if (inputs->formatted != NULL)
        free(inputs->formatted->tally);
    free(inputs->formatted);
}

/* ---- output ---- */

/* Fails: elements refer to a heap (data after all elements) that the output would not have. */
static enum gs_status fail_heap(const struct gsi_inputs *inputs)
{
    return gsi_fail(
        inputs->loop->error, GS_E_USAGE, 0,
        "'%s': its elements have arrays in a heap (PCOUNT), which the output can keep only with "
        "all elements of one file; sort all of it alone, or use --drop-header",
        inputs->table[0].name);
}

enum gs_status gsi_format_check_output(const struct gsi_inputs *inputs, bool is_whole)
{
    const struct gsi_format *format = inputs->head.format;
    if (format == NULL)
        return GS_OK;
    if (!format->is_plain && inputs->formatted->schema.heap_bytes > 0 && !is_whole)
        return fail_heap(inputs);
    return format->check != NULL ? format->check(inputs) : GS_OK;
}

/* Computes the trailer for `count` elements. With a heap, it is the same as in the input. Without a
 * heap it has zeros up to the end of a block, and the input's bytes after its zeros. */
static enum gs_status make_trailer(struct gsi_inputs *inputs, uint64_t count)
{
    struct gsi_formatted *kept = inputs->formatted;
    const struct gsi_schema *schema = &kept->schema;
    uint64_t was = schema->count * schema->element_bytes, is = count * schema->element_bytes;
    kept->trailer = (struct gsi_trailer){0, kept->rest_off, kept->rest_bytes};
    if (schema->heap_bytes > 0)
        return count == schema->count ? GS_OK : fail_heap(inputs);
    if (schema->pad_to == 0)
        return GS_OK;
    uint64_t zeros = gsi_min_u64(gsi_round_up_u64(was, schema->pad_to) - was, kept->rest_bytes);
    kept->trailer.zeros = gsi_round_up_u64(is, schema->pad_to) - is;
    kept->trailer.off += zeros;
    kept->trailer.bytes -= zeros;
    return GS_OK;
}

enum gs_status gsi_format_copy_header(struct gsi_inputs *inputs)
{
    const struct gsi_formatted *kept = inputs->formatted;
    if (inputs->header.data == NULL)
        inputs->header.data = malloc(kept->schema.header_bytes);
    if (inputs->header.data == NULL)
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate a header");
    inputs->header.bytes = kept->schema.header_bytes;
    memcpy(inputs->header.data, kept->header, inputs->header.bytes);
    return GS_OK;
}

bool gsi_format_needs_tally(const struct gsi_inputs *inputs)
{
    const struct gsi_format *format = inputs->head.format;
    return inputs->formatted != NULL && format != NULL && format->tally != NULL;
}

void gsi_format_begin(struct gsi_inputs *inputs)
{
    if (gsi_format_needs_tally(inputs))
        memset(inputs->formatted->tally, 0, inputs->formatted->format->tally_bytes);
}

void gsi_format_tally(struct gsi_inputs *inputs, const uint8_t *data, uint64_t bytes)
{
    if (gsi_format_needs_tally(inputs))
        inputs->formatted->format->tally(&inputs->formatted->schema, inputs->formatted->tally, data,
                                         bytes);
}

enum gs_status gsi_format_make_header(struct gsi_inputs *inputs, uint64_t count)
{
    const struct gsi_format *format = inputs->head.format;
    if (format == NULL)
        return GS_OK;
    if (!format->is_plain)
        GSI_TRY(make_trailer(inputs, count));
    return format->make_header(inputs, count);
}

/* ---- the bytes after the elements of the output ---- */

#define BLOCK_BYTES GSI_CONSTANT((uint64_t)64 << 10, (uint64_t)4 << 10)

static const struct gsi_trailer no_trailer;

static const struct gsi_trailer *trailer_of(const struct gsi_inputs *inputs)
{
    bool has = inputs->formatted != NULL && inputs->head.format == inputs->formatted->format;
    return has ? &inputs->formatted->trailer : &no_trailer;
}

uint64_t gsi_trailer_bytes(const struct gsi_inputs *inputs)
{
    return trailer_of(inputs)->zeros + trailer_of(inputs)->bytes;
}

/* Reads a block of the trailer, from byte `at` on. Sets *bytes to its length; 0: the end. */
static enum gs_status read_block(struct gsi_inputs *inputs, uint64_t at, uint8_t *block,
                                 uint64_t *bytes)
{
    const struct gsi_trailer *trailer = trailer_of(inputs);
    struct gsi_input *input = &inputs->table[0];
    if (gsi_cancel_is_set(inputs->loop->cancel))
        return gsi_fail(inputs->loop->error, GS_E_CANCELED, 0, "canceled");
    if (at < trailer->zeros) {
        *bytes = gsi_min_u64(BLOCK_BYTES, trailer->zeros - at);
        memset(block, 0, *bytes);
        return GS_OK;
    }
    at -= trailer->zeros;
    *bytes = gsi_min_u64(BLOCK_BYTES, trailer->bytes - at);
    if (*bytes == 0)
        return GS_OK;
    GSI_TRY(gsi_input_reopen(input, inputs->loop->error));
    int64_t moved = gsi_file_read(input->fd, block, *bytes, trailer->off + at);
    if (moved < 0)
        return gsi_fail(inputs->loop->error, gsi_status_of_errno(errno), errno, "'%s': cannot read",
                        input->name);
    return (uint64_t)moved == *bytes
               ? GS_OK
               : gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                          "'%s': the file shrank while it was read", input->name);
}

enum gs_status gsi_trailer_write(struct gsi_inputs *inputs, const struct gsi_output *output,
                                 uint64_t off)
{
    uint8_t block[BLOCK_BYTES];
    uint64_t at = 0, bytes = 0;
    while (true) {
        GSI_TRY(read_block(inputs, at, block, &bytes));
        if (bytes == 0)
            return GS_OK;
        int refusal = gsi_file_write(output->fd, block, bytes, off + at);
        if (refusal != 0)
            return gsi_fail(inputs->loop->error, gsi_status_of_errno(refusal), refusal,
                            "'%s': cannot write at byte %llu", output->name,
                            (unsigned long long)(off + at));
        at += bytes;
    }
}

enum gs_status gsi_trailer_is_written(struct gsi_inputs *inputs, int fd, uint64_t off,
                                      bool *is_there)
{
    uint8_t block[BLOCK_BYTES], there[BLOCK_BYTES];
    uint64_t at = 0, bytes = 0;
    *is_there = true;
    while (*is_there) {
        GSI_TRY(read_block(inputs, at, block, &bytes));
        if (bytes == 0)
            return GS_OK;
        int64_t moved = gsi_file_read(fd, there, bytes, off + at);
        if (moved < 0)
            return gsi_fail(inputs->loop->error, gsi_status_of_errno(errno), errno,
                            "cannot read the output back");
        *is_there = (uint64_t)moved == bytes && memcmp(block, there, bytes) == 0;
        at += bytes;
    }
    return GS_OK;
}
