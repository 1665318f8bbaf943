/* las_write.c: what the header says of points: counted, and put there. */
#include "input/las/las.h"

#include "base/checked.h"
#include "input/las/las_places.h"

#include <string.h>

#define SEEN_BYTES 15u /* of a point */
#define RETURNS_32 5u

/* ---- counting ---- */

static void take(struct gsi_las_tally *tally, const uint8_t *point, uint8_t mask)
{
    int32_t place[3];
    memcpy(place, point, sizeof place);
    for (uint32_t i = 0; i < 3; i++) {
        if (tally->count == 0 || place[i] < tally->least[i])
            tally->least[i] = place[i];
        if (tally->count == 0 || place[i] > tally->most[i])
            tally->most[i] = place[i];
    }
    tally->returns[point[14] & mask]++;
    tally->count++;
}

/* Whether return numbers have four bits: formats 6 and later have a byte more before the class. */
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
            take(tally, data, mask);
        else if (at < SEEN_BYTES)
            memcpy(tally->begun + at, data, gsi_min_u64(step, SEEN_BYTES - at));
        if (step < whole && at + step == whole)
            take(tally, tally->begun, mask);
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

static void put(uint8_t *at, uint64_t value, uint32_t bytes)
{
    memcpy(at, &value, bytes);
}

static void put_bounds(uint8_t *header, const struct gsi_las_tally *tally)
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

/* Formats 6 and later say nothing in the old fields. */
static void put_returns(uint8_t *header, const struct gsi_schema *schema,
                        const struct gsi_las_tally *tally)
{
    bool is_old = header[AT_POINT_FORMAT] < 6 && tally->count <= UINT32_MAX;
    for (size_t i = 0; i < RETURNS_32; i++)
        put(header + AT_RETURNS_32 + 4 * i, is_old ? tally->returns[i + 1] : 0, 4);
    for (size_t i = 0; schema->version >= 4 && i < GSI_LAS_RETURNS; i++)
        put(header + AT_RETURNS_64 + 8 * i, tally->returns[i + 1], 8);
}

/* A place behind the points moves with their end. */
static void move(uint8_t *at, const struct gsi_schema *schema, uint64_t count)
{
    uint64_t was = schema->header_bytes + schema->count * schema->element_bytes;
    uint64_t place = number_at(at);
    if (place >= was)
        put(at, place - was + schema->header_bytes + count * schema->element_bytes, 8);
}

bool gsi_las_patch(uint8_t *header, const struct gsi_schema *schema, uint64_t count,
                   const struct gsi_las_tally *tally)
{
    bool is_old = header[AT_POINT_FORMAT] < 6 && count <= UINT32_MAX;
    if (schema->version < 4 && count > UINT32_MAX)
        return false;
    put(header + AT_COUNT_32, is_old || schema->version < 4 ? count : 0, 4);
    if (schema->version >= 3)
        move(header + AT_WAVEFORMS, schema, count);
    if (schema->version >= 4) {
        put(header + AT_COUNT_64, count, 8);
        move(header + AT_EVLRS, schema, count);
    }
    if (tally != NULL) {
        put_bounds(header, tally);
        put_returns(header, schema, tally);
    }
    return true;
}
