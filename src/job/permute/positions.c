/* positions.c: finds out the type of the positions, and reads them. */
#include "job/permute/positions.h"

#include "base/checked.h"
#include "element/number_type.h"
#include "input/named/named_type.h"
#include "input/npy/npy.h"
#include "io/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum gs_status refuse_type(const struct gsi_positions *positions, const char *type,
                                  struct gs_error *error)
{
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--permute: '%s' has elements of type %s, but positions are little-endian u64 "
                    "or u32",
                    positions->path, type);
}

/* Takes the type from a name in the table of types. */
static enum gs_status set_type(struct gsi_positions *positions, const char *type,
                               struct gs_error *error)
{
    bool is_wide = strcmp(type, "u64") == 0 || strcmp(type, "i64") == 0;
    if (!is_wide && strcmp(type, "u32") != 0 && strcmp(type, "i32") != 0)
        return refuse_type(positions, type, error);
    positions->bytes = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    positions->are_signed = type[0] == 'i';
    return GS_OK;
}

/* Cuts ":u32" or ":u64" off the path. Returns NULL if there is neither. */
static const char *cut_type(char *path)
{
    char *colon = strrchr(path, ':');
    if (colon == NULL || colon == path ||
        (strcmp(colon, ":u32") != 0 && strcmp(colon, ":u64") != 0))
        return NULL;
    *colon = '\0';
    return colon + 1;
}

/* The type of a .npy file, whose header is skipped. */
static enum gs_status take_schema(struct gsi_positions *positions, const struct gsi_schema *npy,
                                  struct gs_error *error)
{
    const struct gsi_schema_field *field = &npy->fields[0];
    char text[GSI_SCHEMA_TEXT_BYTES];
    bool is_plain = !npy->is_structured && npy->columns == 0 && !field->is_big_endian &&
                    (field->kind == 'u' || field->kind == 'i') &&
                    (field->bytes == 4 || field->bytes == 8);
    if (!is_plain)
        return refuse_type(positions, gsi_schema_describe(npy, text), error);
    positions->bytes = field->bytes;
    positions->are_signed = field->kind == 'i';
    GSI_TRY(gsi_input_skip(&positions->input, npy->header_bytes, error));
    if (positions->input.bytes / field->bytes == npy->count &&
        positions->input.bytes % field->bytes == 0)
        return GS_OK;
    return gsi_fail(error, GS_E_INPUT, 0,
                    "--permute: '%s' has %" PRIu64 " bytes after its header, which says %" PRIu64
                    " positions of %u bytes; is the file truncated?",
                    positions->path, positions->input.bytes, npy->count, field->bytes);
}

static enum gs_status read_npy(struct gsi_positions *positions, const uint8_t *head,
                               struct gs_error *error)
{
    enum gs_status status = GS_OK;
    uint64_t bytes = gsi_min_u64(gsi_npy_wanted(head, GSI_NPY_HEAD_BYTES), positions->input.bytes);
    struct gsi_schema *npy = malloc(sizeof *npy);
    uint8_t *header = malloc(bytes);
    if (npy == NULL || header == NULL)
        status = gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a header");
    if (status == GS_OK)
        status = gsi_input_read(&positions->input, header, bytes, 0, error);
    if (status == GS_OK)
        status = gsi_npy_read(header, bytes, positions->path, npy, error);
    if (status == GS_OK)
        status = take_schema(positions, npy, error);
    free(header);
    free(npy);
    return status;
}

/* Finds out the type without ":TYPE". */
static enum gs_status find_type(struct gsi_positions *positions, struct gs_error *error)
{
    const char *const path = positions->path;
    uint8_t head[GSI_NPY_HEAD_BYTES] = {0};
    struct gsi_named_type named;
    if (gsi_name_is_zst(path))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--permute: '%s' is compressed; decompress it first: zstd -d FILE", path);
    if (positions->input.bytes >= sizeof head)
        GSI_TRY(gsi_input_read(&positions->input, head, sizeof head, 0, error));
    if (gsi_npy_begins(head, sizeof head))
        return read_npy(positions, head, error);
    GSI_TRY(gsi_named_type_find(&path, 1, NULL, &named, error));
    return set_type(positions, named.word != NULL ? named.word->type : "u64", error);
}

enum gs_status gsi_positions_open(struct gsi_positions *positions, const char *text, bool is_raw,
                                  struct gs_error *error)
{
    struct gsi_input *input = &positions->input;
    positions->path = strdup(text);
    if (positions->path == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a name");
    const char *type = cut_type(positions->path);
    GSI_TRY(gsi_input_open(positions->path, input, error));
    if (input->is_stream)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--permute: '%s' is a stream, whose length is unknown until it ends; write "
                        "it to a file",
                        positions->path);
    if (type != NULL || is_raw)
        GSI_TRY(set_type(positions, type != NULL ? type : "u64", error));
    else
        GSI_TRY(find_type(positions, error));
    positions->count = input->bytes / positions->bytes;
    if (input->bytes % positions->bytes == 0)
        return GS_OK;
    return gsi_fail(error, GS_E_INPUT, 0,
                    "--permute: '%s' has %" PRIu64 " bytes, which are no whole positions of %u "
                    "bytes; for u32, give FILE:u32",
                    positions->path, input->bytes, positions->bytes);
}

void gsi_positions_close(struct gsi_positions *positions)
{
    if (positions->path != NULL)
        gsi_input_close(&positions->input);
    free(positions->path);
    *positions = (struct gsi_positions){0};
}

/* Positions of 4 bytes are read into the upper half of the room, and widened from there. */
static enum gs_status read_all(const struct gsi_positions *positions, uint64_t first, size_t n,
                               uint64_t *to, struct gs_error *error)
{
    uint8_t *data = (uint8_t *)to + n * (sizeof *to - positions->bytes);
    GSI_TRY(gsi_input_read(&positions->input, data, n * positions->bytes, first * positions->bytes,
                           error));
    for (size_t i = 0; positions->bytes == sizeof(uint32_t) && i < n; i++) {
        uint32_t narrow;
        memcpy(&narrow, data + i * sizeof narrow, sizeof narrow);
        to[i] = positions->are_signed ? (uint64_t)(int64_t)(int32_t)narrow : narrow;
    }
    return GS_OK;
}

enum gs_status gsi_positions_read(const struct gsi_positions *positions, uint64_t first, size_t n,
                                  uint64_t count, uint64_t *to, size_t *good,
                                  struct gs_error *error)
{
    uint64_t most = 0;
    *good = 0;
    GSI_TRY(read_all(positions, first, n, to, error));
    for (size_t i = 0; i < n; i++)
        most = gsi_max_u64(most, to[i]);
    while (*good < n && (most < count || to[*good] < count))
        ++*good;
    return *good == n ? GS_OK
                      : gsi_positions_refuse(positions, first + *good, to[*good], count, error);
}

enum gs_status gsi_positions_refuse(const struct gsi_positions *positions, uint64_t idx,
                                    uint64_t position, uint64_t count, struct gs_error *error)
{
    char text[32];
    if (positions->are_signed)
        snprintf(text, sizeof text, "%" PRId64, (int64_t)position);
    else
        snprintf(text, sizeof text, "%" PRIu64, position);
    return gsi_fail(error, GS_E_INPUT, 0,
                    "--permute: entry %" PRIu64 " of '%s' is %s, but the inputs have %" PRIu64
                    " element%s, counted from 0",
                    idx, positions->path, text, count, count == 1 ? "" : "s");
}
