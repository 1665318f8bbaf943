/* las_places.h: where a LAS header has what, in bytes from its beginning: ASPRS' specification 1.4
 * R15. */
#ifndef GSI_LAS_PLACES_H
#define GSI_LAS_PLACES_H

enum gsi_las_place {
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

#endif
