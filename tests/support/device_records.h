// device_records.h: contains shared code of tests of the kernels for records: records with keys,
// and memory of the GPU, emulated or real, with guards around it.
#ifndef DEVICE_RECORDS_H
#define DEVICE_RECORDS_H

#include "support/device_test.h"

#include "element/record/record_tally.h"

#include "kernels/record/records.cuh"

#include <vector>

typedef std::vector<uint8_t> bytes;

constexpr uint8_t GUARD = 0xa5;
constexpr uint64_t GUARD_BYTES = 64; // around what is written

// ---- records ----

struct record_row {
    uint32_t record_bytes;
    bool is_reversed;
    std::vector<const char *> keys; // none: the whole record
};

static inline gsi_record make_record(const record_row &row)
{
    gsi_record record;
    gs_error error = {};
    if (gsi_record_make(row.record_bytes, row.keys.data(), row.keys.size(), nullptr, 0,
                        row.is_reversed, &record, &error) != GS_OK)
        test_fail("%s", error.text);
    if (row.record_bytes % 2 == 0)
        gsi_record_place_nans(&record, row.is_reversed ? GSI_NAN_LAST : GSI_NAN_FIRST);
    return record;
}

// n records whose keys agree in much, in a little or in nothing.
static inline bytes make_records(const gsi_record &record, uint64_t n, struct test_random *random)
{
    bytes data(n * record.bytes);
    const uint64_t likeness = test_below(random, 4);
    const uint64_t alike = test_below(random, record.bytes + 1);
    for (uint64_t i = 0; i < data.size(); i++) {
        const bool is_alike = likeness == 0 || (likeness == 1 && i % record.bytes < alike);
        const uint64_t dice = test_next(random) >> 20;
        data[i] = static_cast<uint8_t>(is_alike ? 7 : likeness == 2 ? dice % 2 * 255 : dice);
    }
    return data;
}

// ---- memory of the device, guarded ----

// `lead` bytes after a boundary of 16.
struct device_bytes {
    uint8_t *block, *data;
    uint64_t count;
};

static inline device_bytes take(uint64_t count, uint64_t lead)
{
    device_bytes taken = {};
    const uint64_t all = (count + lead + 2 * GUARD_BYTES + 15) / 16 * 16;
    check_cuda(cudaMalloc(&taken.block, all));
    check_cuda(cudaMemset(taken.block, GUARD, all));
    taken.data = taken.block + GUARD_BYTES + lead;
    taken.count = count;
    return taken;
}

static inline device_bytes put(const void *from, uint64_t count, uint64_t lead)
{
    const device_bytes taken = take(count, lead);
    check_cuda(cudaMemcpy(taken.data, from, count, cudaMemcpyHostToDevice));
    return taken;
}

// Its content; the guards are whole, and it is given back.
static inline bytes fetch(const char *what, const device_bytes &taken)
{
    const uint64_t lead = static_cast<uint64_t>(taken.data - taken.block);
    bytes all(lead + taken.count + GUARD_BYTES);
    check_cuda(cudaMemcpy(all.data(), taken.block, all.size(), cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(taken.block));
    for (uint64_t i = 0; i < all.size(); i++)
        if ((i < lead || i >= lead + taken.count) && all[i] != GUARD)
            test_fail("%s: wrote beyond its end", what);
    return bytes(all.begin() + static_cast<long>(lead), all.end() - GUARD_BYTES);
}

static inline void give(const device_bytes &taken)
{
    check_cuda(cudaFree(taken.block));
}

static inline gsi_cuda_record_table places_at(const gsi_record &record,
                                              const device_bytes &on_device, uint32_t at)
{
    gsi_cuda_record_table places = {};
    places.record = reinterpret_cast<const gsi_record *>(on_device.data);
    places.record_bytes = record.bytes;
    places.at = at;
    return places;
}

// ---- blocks of records ----

// Records in blocks of 2^shift at any address, as in chunks and frames.
struct device_blocks {
    std::vector<device_bytes> memory;
    device_bytes table;
    gsi_cuda_record_table places;
};

static inline device_blocks put_blocks(const gsi_record &record, const device_bytes &keys,
                                       const bytes &data, uint32_t shift, uint64_t first_block)
{
    device_blocks blocks = {};
    const uint64_t block_bytes = static_cast<uint64_t>(record.bytes) << shift;
    const uint64_t count = (data.size() + block_bytes - 1) / block_bytes;
    blocks.table = take(count * sizeof(uint8_t *), 0);
    for (uint64_t b = 0; b < count; b++) {
        const uint64_t off = b * block_bytes;
        blocks.memory.push_back(
            put(data.data() + off, std::min(block_bytes, data.size() - off), 0));
        check_cuda(gsi_cuda_places_set(reinterpret_cast<const uint8_t **>(blocks.table.data), b, 1,
                                       blocks.memory.back().data, 0, nullptr));
    }
    blocks.places = places_at(record, keys, 0);
    blocks.places.blocks = reinterpret_cast<const uint8_t *const *>(blocks.table.data);
    blocks.places.first_block = first_block;
    blocks.places.block_count = count;
    blocks.places.shift = shift;
    return blocks;
}

#endif
