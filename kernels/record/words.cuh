// words.cuh: records that are words (element/record/record_word.h) on a GPU. As they come in they
// become integers, which are sorted and merged as numbers are; as they go out, records again.
//
//     record   f6 ff ff ff | 00 00 01 02   bytes change places, some are flipped; numbers in
//     word     0x00000102 7ffffff6         them are mapped
//
// Calls queue work on `stream` and return; an error is that of queueing. Words are the bits of the
// host's.
#ifndef GSI_WORDS_CUH
#define GSI_WORDS_CUH

#include "kernels/record/records_seen.h"

#include <cuda_runtime.h>

#include "element/record/record_word.h"

// gsi_cuda_words_of: `n` records in device memory, aligned to their size, become words where they
// are.
// out   seen: the fingerprint of the records is added; device memory
// limit n < 2^38
cudaError_t gsi_cuda_words_of(const gsi_record_word *word /* host */, void *elements, uint64_t n,
                              gsi_records_seen *seen, cudaStream_t stream);

// gsi_cuda_words_to: `n` words in device memory become records where they are, or stay.
// out   seen: overwritten with the fingerprint of the records; nothing else of it means anything
cudaError_t gsi_cuda_words_to(const gsi_record_word *word /* host */, void *words, uint64_t n,
                              bool to_elements, gsi_records_seen *seen, cudaStream_t stream);

#endif
