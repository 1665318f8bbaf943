// records.cuh: passes over records on a GPU: the gather, and what the host does in
// element/record/record_tags.c and element/record/record_tally.c, with the same bits.
//
//     on the way in     gsi_cuda_records_take       count, fingerprint, what all keys share
//                       gsi_cuda_records_numbers    of a field with statistics, for tally.cuh
//                       gsi_cuda_records_tag        what is sorted in their stead
//     on the way out    gsi_cuda_records_gather     from their tags, with fingerprint and order
//
// All calls queue work on `stream` and return; an error is that of queueing. All pointers are
// device memory. Records lie one after the other, at any address.
#ifndef GSI_RECORDS_CUH
#define GSI_RECORDS_CUH

#include "kernels/record/cuda_places.h"
#include "kernels/record/records_seen.h"

#include <cuda_runtime.h>

#include "element/tally/imprint.h"
#include "element/tally/tally.h"

// gsi_cuda_records_prepare: allow the kernels their shared memory; once a process and GPU.
cudaError_t gsi_cuda_records_prepare(void);

// gsi_cuda_records_take: add n records to `seen`. first: the job's first record.
cudaError_t gsi_cuda_records_take(const gsi_record *record, uint32_t record_bytes,
                                  const uint8_t *records, uint64_t n, const uint8_t *first,
                                  gsi_records_seen *seen, cudaStream_t stream);

// gsi_cuda_records_check: fingerprint and order of n records; *seen is overwritten.
cudaError_t gsi_cuda_records_check(const gsi_record *record, uint32_t record_bytes,
                                   const uint8_t *records, uint64_t n, gsi_records_seen *seen,
                                   cudaStream_t stream);

// gsi_cuda_records_gather: the records of n tags to `out`, aligned to 16 bytes; if `seen` is not
// null, it is overwritten with their fingerprint and order. limit: the tags are of `places`
cudaError_t gsi_cuda_records_gather(const gsi_cuda_places *places, const gsi_u128 *tags, uint64_t n,
                                    uint8_t *out, gsi_records_seen *seen, cudaStream_t stream);

// gsi_cuda_records_join: append what was seen of `count` records, fetched, to an imprint.
void gsi_cuda_records_join(const gsi_records_seen *seen, uint64_t count, gsi_imprint *imprint);

// gsi_cuda_records_tag: tags of n records, made at the byte that places->at or *places->unshared
// says; the first has index `index`. Nothing else of places is used but the record.
cudaError_t gsi_cuda_records_tag(const gsi_cuda_places *places, const uint8_t *records, uint64_t n,
                                 uint64_t index, gsi_u128 *tags, cudaStream_t stream);

// gsi_cuda_records_shift: turns tags made at `from` into tags made at `to` < from. The bytes
// between are, in all their keys, those of the record `element`.
cudaError_t gsi_cuda_records_shift(const gsi_record *record, const uint8_t *element, uint32_t from,
                                   uint32_t to, gsi_u128 *tags, uint64_t n, cudaStream_t stream);

// gsi_cuda_records_numbers: gsi_field_number of n records to `numbers`, aligned to 16 bytes.
// out   kept: of times those that are no NaT, in any order, and how many they are; device memory.
//       Of others nullptr: all are kept
cudaError_t gsi_cuda_records_numbers(const gsi_field *field /* host */, uint32_t record_bytes,
                                     const uint8_t *records, uint64_t n, void *numbers,
                                     unsigned long long *kept, cudaStream_t stream);

// gsi_cuda_places_set: `count` entries of a table of blocks, from `block` on: blocks that follow
// each other, `step` bytes apart.
cudaError_t gsi_cuda_places_set(const uint8_t **blocks, uint64_t block, uint64_t count,
                                const uint8_t *first, uint64_t step, cudaStream_t stream);

#endif
