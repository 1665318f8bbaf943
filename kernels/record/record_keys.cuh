// record_keys.cuh: reads normalised keys of records (element/record/record.h) in device memory,
// like element/record/record.c on the host. Bytes are read one by one, because records may begin at
// any address.
//
// Kernels take the job's struct gsi_record, copied to device memory. Only its parts are usable
// there, because its pointers are host addresses.
#ifndef GSI_RECORD_KEYS_CUH
#define GSI_RECORD_KEYS_CUH

#include "kernels/common/launch.cuh"
#include "kernels/record/cuda_places.h"

#include "element/key_order.h"

// Returns a number of 1 to 8 bytes.
__device__ __forceinline__ uint64_t gsi_load_number(const uint8_t *at, uint32_t bytes,
                                                    bool is_big_endian)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < bytes; i++)
        number = number << 8 | at[is_big_endian ? i : bytes - 1 - i];
    return number;
}

// Returns bytes [skip, skip + bytes) of a part of the normalised key, at most 8, as a big-endian
// number.
__device__ __forceinline__ uint64_t gsi_key_bytes(const gsi_key_part &part, const uint8_t *element,
                                                  uint32_t skip, uint32_t bytes)
{
    if (!part.is_number)
        return gsi_load_number(element + part.off + skip, bytes, true) ^
               part.map.invert >> (64 - 8 * bytes);
    const uint64_t number = gsi_load_number(element + part.off, part.bytes, part.is_big_endian);
    const uint64_t key = gsi_key_of_u64(part.map, number << (64 - 8 * part.bytes));
    return key << (8 * skip) >> (64 - 8 * bytes);
}

// Returns the part that contains byte `at` of the key; part_count after its end.
__device__ __forceinline__ uint32_t gsi_part_of(const gsi_record *record, uint32_t at)
{
    uint32_t i = 0;
    while (i < record->part_count && record->parts[i].at + record->parts[i].bytes <= at)
        i++;
    return i;
}

// Returns ten bytes of the key from byte `at` on, as a number; bytes after the key's end are zeros.
__device__ __forceinline__ gsi_u128 gsi_key_for_tag(const gsi_record *record,
                                                    const uint8_t *element, uint32_t at)
{
    gsi_u128 key = 0;
    uint32_t left = GSI_TAG_KEY_BYTES;
    for (uint32_t p = gsi_part_of(record, at); p < record->part_count && left > 0; p++) {
        const gsi_key_part part = record->parts[p];
        while (left > 0 && at < part.at + part.bytes) {
            const uint32_t skip = at - part.at, in_part = part.bytes - skip;
            const uint32_t most = left < 8 ? left : 8, bytes = in_part < most ? in_part : most;
            key = key << (8 * bytes) | gsi_key_bytes(part, element, skip, bytes);
            at += bytes;
            left -= bytes;
        }
    }
    return key << (8 * left);
}

// Result of a comparison: the first byte at which two keys differ, and their order.
struct gsi_key_difference {
    uint32_t at;
    int order; // negative: the first is below; 0: they are equal up to `at`
};

// Compares two keys, whose first `at` bytes are equal, up to byte `end`.
__device__ inline gsi_key_difference gsi_compare_keys(const gsi_record *record, const uint8_t *a,
                                                      const uint8_t *b, uint32_t at, uint32_t end)
{
    for (uint32_t p = gsi_part_of(record, at); p < record->part_count && at < end; p++) {
        const gsi_key_part part = record->parts[p];
        const uint32_t part_end = part.at + part.bytes, stop = part_end < end ? part_end : end;
        while (at < stop) {
            const uint32_t bytes = stop - at < 8 ? stop - at : 8, skip = at - part.at;
            const uint64_t x = gsi_key_bytes(part, a, skip, bytes);
            const uint64_t y = gsi_key_bytes(part, b, skip, bytes);
            if (x != y) {
                const uint32_t zeros =
                    static_cast<uint32_t>(__clzll(static_cast<long long>(x ^ y)));
                return {at + bytes - (71 - zeros) / 8, x < y ? -1 : 1};
            }
            at += bytes;
        }
    }
    return {at, 0};
}

__device__ __forceinline__ uint32_t gsi_places_at(const gsi_cuda_record_table &places)
{
    return places.unshared != nullptr ? places.record->key_bytes - *places.unshared : places.at;
}

// Returns the address of a tag's record; nullptr: the index belongs to no record of `places`.
__device__ __forceinline__ const uint8_t *gsi_cuda_record_at(const gsi_cuda_record_table &places,
                                                             gsi_u128 tag)
{
    const uint64_t index = static_cast<uint64_t>(tag) & GSI_TAG_INDEX_MASK;
    const uint64_t block = (index >> places.shift) - places.first_block;
    const uint64_t within = index & ((uint64_t(1) << places.shift) - 1);
    const bool is_one = block < places.block_count && (places.end == 0 || index < places.end);
    const uint8_t *const first = is_one ? places.blocks[block] : nullptr;
    return first != nullptr ? first + within * places.record_bytes : nullptr;
}

#endif
