/* las.h: reads and writes headers of LAS, versions 1.0 to 1.4, the format of lidar's points.
 *
 *     header | VLRs, which name extra bytes of points | points | EVLRs, waveforms
 *
 * Points of formats 0 to 10 are records with known fields, little endian, and extra bytes. Fields
 * have laspy's names; X, Y, Z are the stored integers. LAZ is compressed, and refused. The
 * functions have no side effects, and accept any bytes. */
#ifndef GSI_LAS_H
#define GSI_LAS_H

#include "input/format/schema.h"

#define GSI_LAS_HEADER_BYTES 227u /* at least */
#define GSI_LAS_RETURNS      15u

/* Counts and bounds of points, which a header contains. */
struct gsi_las_tally {
    uint64_t count;
    uint64_t returns[GSI_LAS_RETURNS + 1]; /* by return number */
    int32_t least[3], most[3];             /* X, Y, Z */
    uint8_t begun[16];                     /* first bytes of an incomplete point */
    uint64_t begun_bytes;
};

/* gsi_las_wanted: returns how many bytes the header has, or how many are needed to know that. */
uint64_t gsi_las_wanted(const uint8_t *data, size_t bytes);

/* gsi_las_read: reads the header at `data`.
 * in    name: of the file, for the error
 * fails GS_E_INPUT: it is truncated, invalid, or LAZ */
enum gs_status gsi_las_read(const uint8_t *data, size_t bytes, const char *name,
                            struct gsi_schema *schema, struct gs_error *error);

/* gsi_las_tally: adds `bytes` of points, which may begin and end in the middle of a point. */
void gsi_las_tally(const struct gsi_schema *schema, struct gsi_las_tally *tally,
                   const uint8_t *data, uint64_t bytes);

/* gsi_las_patch: changes a header that gsi_las_read accepted to a header of `count` points. It also
 * changes offsets of data after the points. Returns false if this LAS version cannot have so many
 * points.
 * in    tally: of these points; NULL: bounds and returns do not change */
bool gsi_las_patch(uint8_t *header, const struct gsi_schema *schema, uint64_t count,
                   const struct gsi_las_tally *tally);

#endif
