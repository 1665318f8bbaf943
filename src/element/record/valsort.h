/* valsort.h: the checksum that valsort prints (gensort 1.5, sortbenchmark.org): the 128-bit sum of
 * the CRC-32 of every record of 100 bytes. It tells nothing of their order. Any thread. */
#ifndef GSI_VALSORT_H
#define GSI_VALSORT_H

#include "base/u128.h"

#include <stddef.h>

#define GSI_VALSORT_RECORD_BYTES 100u

/* gsi_valsort_sum: of `n` records that lie one after the other. */
gsi_u128 gsi_valsort_sum(const void *records, size_t n);

#endif
