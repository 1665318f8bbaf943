/* valsort.c: zlib's CRC-32, summed. */
#include "element/record/valsort.h"

#include <zlib.h>

gsi_u128 gsi_valsort_sum(const void *records, size_t n)
{
    const unsigned char *record = records;
    gsi_u128 sum = 0;
    for (size_t i = 0; i < n; i++, record += GSI_VALSORT_RECORD_BYTES)
        sum += crc32_z(0, record, GSI_VALSORT_RECORD_BYTES);
    return sum;
}
