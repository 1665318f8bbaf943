/* las.c: reads and writes headers of LAS files, and computes counts and bounds of points. */
#include "input/las/las.h"

#include "base/checked.h"
#include "input/format/format.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Offsets of the fields of a header, in bytes: ASPRS' specification 1.4 R15. */
enum offset {
    AT_MAJOR = 24,
    AT_MINOR = 25,
    AT_HEADER_BYTES = 94,
    AT_POINTS = 96,
    AT_VLR_COUNT = 100,
    AT_POINT_FORMAT = 104,
    AT_POINT_BYTES = 105,
    AT_COUNT_32 = 107,
    AT_RETURNS_32 = 111,
    AT_SCALES = 131, /* of X, Y, Z */
    AT_OFFSETS = 155,
    AT_BOUNDS = 179, /* most X, least X, most Y, .. */
    AT_WAVEFORMS = 227,
    AT_EVLRS = 235,
    AT_COUNT_64 = 247,
    AT_RETURNS_64 = 255,
    END_OF_1_3 = 235,
    END_OF_1_4 = 375,
};

#define FORMATS     11u
#define VLR_BYTES   54u  /* header of a VLR */
#define EXTRA_BYTES 192u /* entry that describes extra bytes */

static uint64_t read_integer(const uint8_t *at, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

uint64_t gsi_las_wanted(const uint8_t *data, size_t bytes)
{
    if (bytes < GSI_LAS_HEADER_BYTES)
        return GSI_LAS_HEADER_BYTES;
    return gsi_clamp_u64(read_integer(data + AT_POINTS, 4), GSI_LAS_HEADER_BYTES,
                         GSI_SCHEMA_HEADER_MAX);
}

/* ---- fields of points ---- */

struct field {
    const char *name;
    uint8_t bytes;
    char kind;
};

/* Bit fields have 0 bytes, and precede an entry without a name: the byte that contains them. */
static const struct field begin_0[] = {{"X", 4, 'i'},
                                       {"Y", 4, 'i'},
                                       {"Z", 4, 'i'},
                                       {"intensity", 2, 'u'},
                                       {"return_number", 0, '?'},
                                       {"number_of_returns", 0, '?'},
                                       {"scan_direction_flag", 0, '?'},
                                       {"edge_of_flight_line", 0, '?'},
                                       {"", 1, '?'},
                                       {"classification", 0, '?'},
                                       {"synthetic", 0, '?'},
                                       {"key_point", 0, '?'},
                                       {"withheld", 0, '?'},
                                       {"", 1, '?'},
                                       {"scan_angle_rank", 1, 'i'},
                                       {"user_data", 1, 'u'},
                                       {"point_source_id", 2, 'u'},
                                       {NULL, 0, 0}};
static const struct field begin_6[] = {{"X", 4, 'i'},
                                       {"Y", 4, 'i'},
                                       {"Z", 4, 'i'},
                                       {"intensity", 2, 'u'},
                                       {"return_number", 0, '?'},
                                       {"number_of_returns", 0, '?'},
                                       {"", 1, '?'},
                                       {"synthetic", 0, '?'},
                                       {"key_point", 0, '?'},
                                       {"withheld", 0, '?'},
                                       {"overlap", 0, '?'},
                                       {"scanner_channel", 0, '?'},
                                       {"scan_direction_flag", 0, '?'},
                                       {"edge_of_flight_line", 0, '?'},
                                       {"", 1, '?'},
                                       {"classification", 1, 'u'},
                                       {"user_data", 1, 'u'},
                                       {"scan_angle", 2, 'i'},
                                       {"point_source_id", 2, 'u'},
                                       {"gps_time", 8, 'f'},
                                       {NULL, 0, 0}};
static const struct field times[] = {{"gps_time", 8, 'f'}, {NULL, 0, 0}};
static const struct field colors[] = {
    {"red", 2, 'u'}, {"green", 2, 'u'}, {"blue", 2, 'u'}, {NULL, 0, 0}};
static const struct field nears[] = {{"nir", 2, 'u'}, {NULL, 0, 0}};
static const struct field waves[] = {{"wavepacket_index", 1, 'u'},
                                     {"wavepacket_offset", 8, 'u'},
                                     {"wavepacket_size", 4, 'u'},
                                     {"return_point_wave_location", 4, 'f'},
                                     {"x_t", 4, 'f'},
                                     {"y_t", 4, 'f'},
                                     {"z_t", 4, 'f'},
                                     {NULL, 0, 0}};

static const struct field *const formats[FORMATS][5] = {
    {begin_0},
    {begin_0, times},
    {begin_0, colors},
    {begin_0, times, colors},
    {begin_0, times, waves},
    {begin_0, times, colors, waves},
    {begin_6},
    {begin_6, colors},
    {begin_6, colors, nears},
    {begin_6, waves},
    {begin_6, colors, nears, waves},
};

static struct gsi_schema_field *add_field(struct gsi_schema *schema, uint32_t off, uint32_t bytes,
                                          char kind)
{
    struct gsi_schema_field *field = &schema->fields[schema->field_count++];
    *field = (struct gsi_schema_field){.off = off, .bytes = bytes, .count = 1, .kind = kind};
    return field;
}

/* Adds the fields of a point format. Returns how many bytes they have. */
static uint32_t add_known(struct gsi_schema *schema, uint32_t format)
{
    uint32_t off = 0;
    for (uint32_t part = 0; part < 5 && formats[format][part] != NULL; part++)
        for (const struct field *known = formats[format][part]; known->name != NULL; known++) {
            if (known->name[0] != '\0') {
                struct gsi_schema_field *field =
                    add_field(schema, off, gsi_max_u32(known->bytes, 1), known->kind);
                snprintf(field->name, sizeof field->name, "%s", known->name);
            }
            off += known->bytes;
        }
    return off;
}

/* ---- extra bytes ---- */

/* Types of extra bytes: 0 is untyped bytes, 1 to 10 are numbers. (Types 11 to 30 are arrays of two
 * or three numbers.) */
static const struct {
    char kind;
    uint8_t bytes;
} extra_types[] = {{'V', 0}, {'u', 1}, {'i', 1}, {'u', 2}, {'i', 2}, {'u', 4},
                   {'i', 4}, {'u', 8}, {'i', 8}, {'f', 4}, {'f', 8}};

static double read_double(const uint8_t *at)
{
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Adds a field of extra bytes at *off of the point. Returns an error text, or NULL. */
static const char *add_extra(struct gsi_schema *schema, const uint8_t *entry, uint32_t *off)
{
    uint32_t type = entry[2], options = entry[3];
    uint32_t count = type > 10 ? (type - 1) / 10 + 1 : 1, one = type > 0 ? (type - 1) % 10 + 1 : 0;
    if (type > 30)
        return "it has extra bytes of an unknown type";
    uint32_t bytes = type > 0 ? extra_types[one].bytes : options;
    if (bytes == 0 || bytes * count > schema->element_bytes - *off)
        return "its points are too short for their extra bytes";
    struct gsi_schema_field *field = add_field(schema, *off, bytes, extra_types[one].kind);
    field->count = count;
    memcpy(field->name, entry + 4, 32);
    bool has_scale = type > 0 && (options & 8) != 0, has_offset = type > 0 && (options & 16) != 0;
    field->is_scaled = has_scale || has_offset;
    if (has_scale && !(read_double(entry + 112) > 0))
        field->kind = '?'; /* its value decreases as the stored number increases */
    field->more = field->is_scaled ? XXH3_64bits(entry + 112, 48) : 0;
    *off += bytes * count;
    return NULL;
}

/* Adds the fields that VLRs describe as extra bytes. Returns an error text, or NULL. */
static const char *add_extras(const uint8_t *data, struct gsi_schema *schema, uint32_t off)
{
    uint64_t at = read_integer(data + AT_HEADER_BYTES, 2);
    uint32_t vlrs = (uint32_t)read_integer(data + AT_VLR_COUNT, 4);
    const char *problem = NULL;
    for (uint32_t i = 0; i < vlrs; i++) {
        if (at + VLR_BYTES > schema->header_bytes)
            return "its VLRs exceed the offset of its points";
        const uint8_t *vlr = data + at;
        uint64_t id = read_integer(vlr + 18, 2), bytes = read_integer(vlr + 20, 2);
        at += VLR_BYTES;
        if (bytes > schema->header_bytes - at)
            return "its VLRs exceed the offset of its points";
        if (strncmp((const char *)vlr + 2, "laszip encoded", sizeof "laszip encoded") == 0)
            return "it is LAZ, which is compressed; decompress it first: laszip -i FILE -o "
                   "FILE.las";
        bool is_extra =
            strncmp((const char *)vlr + 2, "LASF_Spec", sizeof "LASF_Spec") == 0 && id == 4;
        for (uint64_t entry = 0; is_extra && entry + EXTRA_BYTES <= bytes; entry += EXTRA_BYTES) {
            if (schema->field_count < GSI_SCHEMA_FIELDS_MAX)
                problem = add_extra(schema, data + at + entry, &off);
            if (problem != NULL)
                return problem;
        }
        at += bytes;
    }
    return NULL;
}

/* ---- the header ---- */

static uint32_t header_min_bytes(uint8_t minor)
{
    return minor >= 4 ? END_OF_1_4 : minor == 3 ? END_OF_1_3 : GSI_LAS_HEADER_BYTES;
}

/* Reads the header. Returns an error text, or NULL. */
static const char *read_header(const uint8_t *data, size_t bytes, struct gsi_schema *schema)
{
    if (bytes < GSI_LAS_HEADER_BYTES)
        return "it is truncated";
    uint64_t points = read_integer(data + AT_POINTS, 4),
             header = read_integer(data + AT_HEADER_BYTES, 2);
    uint32_t format = data[AT_POINT_FORMAT];
    schema->version = data[AT_MINOR];
    if (data[AT_MAJOR] != 1 || schema->version > 4)
        return "its version is not one of 1.0 to 1.4";
    if ((format & 0xc0) != 0)
        return "it is LAZ, which is compressed; decompress it first: laszip -i FILE -o FILE.las";
    if (format >= FORMATS)
        return "its point format is not one of 0 to 10";
    if (points > GSI_SCHEMA_HEADER_MAX)
        return "it is longer than 16 MiB";
    if (header < header_min_bytes(schema->version) || points < header)
        return "it is too short for its version";
    if (points > bytes)
        return "it is truncated";
    schema->header_bytes = (uint32_t)points;
    schema->element_bytes = (uint32_t)read_integer(data + AT_POINT_BYTES, 2);
    schema->count = schema->version >= 4 ? read_integer(data + AT_COUNT_64, 8)
                                         : read_integer(data + AT_COUNT_32, 4);
    uint32_t known = add_known(schema, format);
    if (schema->element_bytes < known)
        return "its points are too short for their format";
    for (uint32_t i = 0; i < 3; i++) /* a hash, to compare the scales of several files */
        schema->fields[i].more = XXH3_64bits(data + AT_SCALES, 48);
    return add_extras(data, schema, known);
}

enum gs_status gsi_las_read(const uint8_t *data, size_t bytes, const char *name,
                            struct gsi_schema *schema, struct gs_error *error)
{
    memset(schema, 0, sizeof *schema);
    schema->is_structured = true;
    const char *problem = read_header(data, bytes, schema);
    if (problem == NULL)
        return GS_OK;
    return gsi_fail(error, GS_E_INPUT, 0,
                    "'%s': its LAS header cannot be used: %s (--raw sorts the file as it is)", name,
                    problem);
}

#define COUNTED_BYTES 15u /* of a point */
#define RETURNS_32    5u

/* ---- counting ---- */

static void count_point(struct gsi_las_tally *tally, const uint8_t *point, uint8_t mask)
{
    int32_t position[3];
    memcpy(position, point, sizeof position);
    for (uint32_t i = 0; i < 3; i++) {
        if (tally->count == 0 || position[i] < tally->least[i])
            tally->least[i] = position[i];
        if (tally->count == 0 || position[i] > tally->most[i])
            tally->most[i] = position[i];
    }
    tally->returns[point[14] & mask]++;
    tally->count++;
}

/* Returns the bit mask of the return number: four bits in formats 6 and later, whose classification
 * is at offset 16; otherwise three. */
static uint8_t return_mask(const struct gsi_schema *schema)
{
    const struct gsi_schema_field *field = gsi_schema_field_find(schema, "classification");
    return field != NULL && field->off == 16 ? 15 : 7;
}

void gsi_las_tally(const struct gsi_schema *schema, struct gsi_las_tally *tally,
                   const uint8_t *data, uint64_t bytes)
{
    const uint32_t whole = schema->element_bytes;
    const uint8_t mask = return_mask(schema);
    while (bytes > 0) {
        uint64_t at = tally->begun_bytes, step = gsi_min_u64(bytes, whole - at);
        if (step == whole)
            count_point(tally, data, mask);
        else if (at < COUNTED_BYTES)
            memcpy(tally->begun + at, data, gsi_min_u64(step, COUNTED_BYTES - at));
        if (step < whole && at + step == whole)
            count_point(tally, tally->begun, mask);
        tally->begun_bytes = (at + step) % whole;
        data += step;
        bytes -= step;
    }
}

/* ---- the header ---- */

static uint64_t number_at(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void write_number(uint8_t *at, uint64_t value, uint32_t bytes)
{
    memcpy(at, &value, bytes);
}

static void write_bounds(uint8_t *header, const struct gsi_las_tally *tally)
{
    for (size_t i = 0; i < 3; i++) {
        double scale, offset, most = 0, least = 0;
        memcpy(&scale, header + AT_SCALES + 8 * i, 8);
        memcpy(&offset, header + AT_OFFSETS + 8 * i, 8);
        if (tally->count > 0) {
            most = tally->most[i] * scale + offset;
            least = tally->least[i] * scale + offset;
        }
        memcpy(header + AT_BOUNDS + 16 * i, &most, 8);
        memcpy(header + AT_BOUNDS + 16 * i + 8, &least, 8);
    }
}

/* Writes counts by return number. Formats 6 and later do not use the 32-bit fields. */
static void write_returns(uint8_t *header, const struct gsi_schema *schema,
                          const struct gsi_las_tally *tally)
{
    bool is_old = header[AT_POINT_FORMAT] < 6 && tally->count <= UINT32_MAX;
    for (size_t i = 0; i < RETURNS_32; i++)
        write_number(header + AT_RETURNS_32 + 4 * i, is_old ? tally->returns[i + 1] : 0, 4);
    for (size_t i = 0; schema->version >= 4 && i < GSI_LAS_RETURNS; i++)
        write_number(header + AT_RETURNS_64 + 8 * i, tally->returns[i + 1], 8);
}

/* Changes an offset of data that follow the points, for another number of points. */
static void move_offset(uint8_t *at, const struct gsi_schema *schema, uint64_t count)
{
    uint64_t was = schema->header_bytes + schema->count * schema->element_bytes;
    uint64_t position = number_at(at);
    if (position >= was)
        write_number(at, position - was + schema->header_bytes + count * schema->element_bytes, 8);
}

bool gsi_las_patch(uint8_t *header, const struct gsi_schema *schema, uint64_t count,
                   const struct gsi_las_tally *tally)
{
    bool is_old = header[AT_POINT_FORMAT] < 6 && count <= UINT32_MAX;
    if (schema->version < 4 && count > UINT32_MAX)
        return false;
    write_number(header + AT_COUNT_32, is_old || schema->version < 4 ? count : 0, 4);
    if (schema->version >= 3)
        move_offset(header + AT_WAVEFORMS, schema, count);
    if (schema->version >= 4) {
        write_number(header + AT_COUNT_64, count, 8);
        move_offset(header + AT_EVLRS, schema, count);
    }
    if (tally != NULL) {
        write_bounds(header, tally);
        write_returns(header, schema, tally);
    }
    return true;
}

/* ---- as a format ---- */

static void tally_points(const struct gsi_schema *schema, void *of, const uint8_t *data,
                         uint64_t bytes)
{
    gsi_las_tally(schema, of, data, bytes);
}

static enum gs_status make_header(struct gsi_inputs *inputs, uint64_t count)
{
    const struct gsi_formatted *from = inputs->formatted;
    GSI_TRY(gsi_format_copy_header(inputs));
    if (gsi_las_patch(inputs->header.data, &from->schema, count, from->tally))
        return GS_OK;
    return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': a LAS 1.%u file can have at most 4294967295 points, not %llu",
                    inputs->table[0].name, from->schema.version, (unsigned long long)count);
}

static const char *const endings[] = {"las", "LAS", NULL};

const struct gsi_format gsi_las_format = {.name = "a LAS file",
                                          .source = "LAS header",
                                          .endings = endings,
                                          .magic = "LASF",
                                          .magic_bytes = 4,
                                          .wanted = gsi_las_wanted,
                                          .read = gsi_las_read,
                                          .make_header = make_header,
                                          .tally = tally_points,
                                          .tally_bytes = sizeof(struct gsi_las_tally)};
