// integer_records.cuh: converts integer records (element/record/integer_record.h) on a GPU: to
// integers on input, which are sorted and merged like numbers, and back to records on output.
//
//     record   f6 ff ff ff | 00 00 01 02   bytes change places, some are flipped; numbers in
//     integer  0x00000102 7ffffff6         them are mapped
//
// Calls queue work on `stream` and return; an error is an error of queueing. The integers have the
// same bits as on the host.
#ifndef GSI_INTEGER_RECORDS_CUH
#define GSI_INTEGER_RECORDS_CUH

#include "kernels/record/records_seen.h"

#include <cuda_runtime.h>

#include "element/record/integer_record.h"

// gsi_cuda_records_to_integers: converts `n` records in device memory, aligned to their size, to
// integers in place.
// out   seen: the fingerprint of the records is added; device memory
// limit n < 2^38
cudaError_t gsi_cuda_records_to_integers(const gsi_integer_map *map /* host */, void *elements,
                                         uint64_t n, gsi_records_seen *seen, cudaStream_t stream);

// gsi_cuda_integers_to_records: converts `n` integers in device memory to records in place, or
// leaves them.
// out   seen: overwritten with the fingerprint of the records; its other members are undefined
cudaError_t gsi_cuda_integers_to_records(const gsi_integer_map *map /* host */, void *integers,
                                         uint64_t n, bool to_elements, gsi_records_seen *seen,
                                         cudaStream_t stream);

#endif
