// records.cuh: declares passes over records on a GPU: the gather, and the work of
// element/record/record_tags.c and element/record/record_tally.c, with the same bits.
//
//     on the way in     gsi_cuda_records_read       count, fingerprint, what all keys share
//                       gsi_cuda_records_numbers    of a field with statistics, for tally.cuh
//                       gsi_cuda_records_tag        tags, which are sorted instead
//     on the way out    gsi_cuda_records_gather     from their tags, with fingerprint and order
//
// All calls queue work on `stream` and return; an error is an error of queueing. All pointers are
// device memory. Records are adjacent, and begin at any address.
#ifndef GSI_RECORDS_CUH
#define GSI_RECORDS_CUH

#include "kernels/record/cuda_places.h"
#include "kernels/record/records_seen.h"

#include <cuda_runtime.h>

#include "element/tally/digest.h"
#include "element/tally/tally.h"

// gsi_cuda_records_prepare: allows the kernels their shared memory; once per process and GPU.
cudaError_t gsi_cuda_records_prepare(void);

// gsi_cuda_records_read: adds n records to `seen`. first: the job's first record.
cudaError_t gsi_cuda_records_read(const gsi_record *record, uint32_t record_bytes,
                                  const uint8_t *records, uint64_t n, const uint8_t *first,
                                  gsi_records_seen *seen, cudaStream_t stream);

// gsi_cuda_records_check: computes fingerprint and order of n records; overwrites *seen.
cudaError_t gsi_cuda_records_check(const gsi_record *record, uint32_t record_bytes,
                                   const uint8_t *records, uint64_t n, gsi_records_seen *seen,
                                   cudaStream_t stream);

// gsi_cuda_records_gather: copies the records of n tags to `out`, aligned to 16 bytes. If `seen` is
// not null, overwrites it with their fingerprint and order. limit: the tags belong to `places`
cudaError_t gsi_cuda_records_gather(const gsi_cuda_record_table *places, const gsi_u128 *tags,
                                    uint64_t n, uint8_t *out, gsi_records_seen *seen,
                                    cudaStream_t stream);

// gsi_cuda_records_join: appends the fetched results of `count` records to a digest.
void gsi_cuda_records_join(const gsi_records_seen *seen, uint64_t count, gsi_digest *digest);

// gsi_cuda_records_tag: makes tags of n records, of which the first has index `index`. The tags
// begin at the byte of the key that places->at or *places->unshared says. From `places`, only this
// byte and the record are used.
cudaError_t gsi_cuda_records_tag(const gsi_cuda_record_table *places, const uint8_t *records,
                                 uint64_t n, uint64_t index, gsi_u128 *tags, cudaStream_t stream);

// gsi_cuda_records_shift: converts tags made at byte `from` to tags made at byte `to` < from. In
// all their keys, the bytes between are those of the record `element`.
cudaError_t gsi_cuda_records_shift(const gsi_record *record, const uint8_t *element, uint32_t from,
                                   uint32_t to, gsi_u128 *tags, uint64_t n, cudaStream_t stream);

// gsi_cuda_records_numbers: writes gsi_field_number of n records to `numbers`, aligned to 16 bytes.
// out   kept: for fields of times, in device memory, how many values are not NaT. Only these are
//       written, in any order. For other fields nullptr: all numbers are written
cudaError_t gsi_cuda_records_numbers(const gsi_field *field /* host */, uint32_t record_bytes,
                                     const uint8_t *records, uint64_t n, void *numbers,
                                     unsigned long long *kept, cudaStream_t stream);

// gsi_cuda_places_set: sets `count` entries of a table of blocks, from `block` on, to adjacent
// blocks that are `step` bytes apart.
cudaError_t gsi_cuda_places_set(const uint8_t **blocks, uint64_t block, uint64_t count,
                                const uint8_t *first, uint64_t step, cudaStream_t stream);

#endif
