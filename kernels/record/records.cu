// records.cu: implements the kernels of records.cuh.
//
// A block copies a tile of records to shared memory, packed densely, whether they are dense or are
// gathered. All its copies are in flight at once, as random reads need. The threads process the
// records there, and the block writes them in whole units of 16 bytes.
//
//     tags -> addresses -> [ r0 | r1 | r2 | .. ] -> out
//                            \   \   mix, a few lanes a record; order, a thread a record
#include "kernels/record/records.cuh"

#include "kernels/record/record_keys.cuh"
#include "kernels/record/seen.cuh"

#include "element/record/record_mix.h"
#include "element/tally/digest.h"

#include <cuda_pipeline.h>

#include <type_traits>

constexpr uint32_t THREADS = GSI_TALLY_THREADS;
// Bytes of a block's records. 100-byte records are almost one per thread; eight blocks fit into an
// SM.
constexpr uint32_t TILE_BYTES = 24576;

// From so many units on, the whole block copies one record together; below, a warp does.
constexpr uint32_t UNITS_FOR_BLOCK = 256;

struct records_job {
    gsi_cuda_record_table places; // for dense records only record and record_bytes
    const gsi_u128 *tags;         // nullptr: dense
    const uint8_t *records;       // dense
    uint64_t count;
    uint8_t *out;           // nullptr: the records are not written
    const uint8_t *first;   // nullptr: shared bytes are not needed
    bool is_ordered;        // check the order
    gsi_records_seen *seen; // nullptr: do not process the records
};

GSI_HOST_DEVICE static uint32_t tile_records(uint32_t record_bytes)
{
    const uint32_t fitting = TILE_BYTES / record_bytes;
    return fitting == 0 ? 1 : fitting < THREADS ? fitting : THREADS;
}

__device__ __forceinline__ const uint8_t *record_of(const records_job &job, uint64_t i)
{
    if (job.tags != nullptr)
        return gsi_cuda_record_at(job.places, job.tags[i]);
    return job.records + i * job.places.record_bytes;
}

// Copies records of whole units, from any address, to rows.
template <class Unit>
__device__ void copy_rows(const uint8_t *const *from, uint8_t *rows, uint32_t bytes, uint32_t n)
{
    constexpr uint32_t UNIT = sizeof(Unit);
    const uint32_t units = bytes / UNIT, team = units >= UNITS_FOR_BLOCK ? THREADS : 32;
    for (uint32_t row = threadIdx.x / team; row < n; row += THREADS / team) {
        const Unit *const source = reinterpret_cast<const Unit *>(from[row]);
        Unit *const target = reinterpret_cast<Unit *>(rows + row * bytes);
        for (uint32_t i = threadIdx.x % team; i < units; i += team)
            if constexpr (UNIT >= 4)
                __pipeline_memcpy_async(target + i, source + i, UNIT);
            else
                target[i] = source[i];
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

// The rows have the same offset within a unit of 16 bytes as `out`.
__device__ void store_rows(const uint8_t *rows, uint8_t *out, uint32_t bytes)
{
    const uint32_t skip = reinterpret_cast<uintptr_t>(out) % 16;
    const uint32_t head = skip == 0 ? 0 : 16 - skip < bytes ? 16 - skip : bytes;
    const uint32_t units = (bytes - head) / 16, tail = head + units * 16;
    for (uint32_t i = threadIdx.x; i < head; i += THREADS)
        out[i] = rows[i];
    for (uint32_t i = threadIdx.x; i < units; i += THREADS)
        reinterpret_cast<uint4 *>(out + head)[i] = reinterpret_cast<const uint4 *>(rows + head)[i];
    for (uint32_t i = tail + threadIdx.x; i < bytes; i += THREADS)
        out[i] = rows[i];
}

// Returns the offset of a pair of words. The last pair ends with the record.
__device__ __forceinline__ uint32_t pair_off(uint32_t pair, uint32_t bytes)
{
    const uint32_t last = bytes - GSI_RECORD_PAIR_BYTES, at = pair * GSI_RECORD_PAIR_BYTES;
    return at < last ? at : last;
}

// Sums gsi_mix_record of all rows: pairs of words are distributed to a power of two of lanes.
__device__ gsi_u128 mix_rows(const uint8_t *rows, uint32_t bytes, uint32_t n)
{
    constexpr uint32_t PAIR = GSI_RECORD_PAIR_BYTES;
    const uint32_t pairs = (bytes + PAIR - 1) / PAIR;
    uint32_t lanes = 1;
    while (lanes < 32 && lanes * 4 < pairs)
        lanes *= 2;
    const uint32_t lane = threadIdx.x % lanes;
    gsi_u128 total = 0;
    for (uint32_t begin = 0; begin < n; begin += THREADS / lanes) { // whole warps iterate together
        const uint32_t row = begin + threadIdx.x / lanes;
        uint64_t sum = 0;
        if (bytes < PAIR)
            sum = row < n ? gsi_mix_pair(rows + row * bytes, bytes, 1) : 0;
        else
            for (uint32_t pair = lane; pair < pairs && row < n; pair += lanes)
                sum += gsi_mix_pair(rows + row * bytes + pair_off(pair, bytes), PAIR, pair + 1);
        for (uint32_t distance = lanes / 2; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, distance);
        if (lane == 0 && row < n)
            total += bytes > GSI_RECORD_WORD_BYTES ? gsi_mix_u64(bytes + sum)
                                                   : gsi_mix_record(rows + row * bytes, bytes);
    }
    return total;
}

__device__ gsi_records_partial look_at_rows(const records_job &job, const uint8_t *rows,
                                            uint64_t first, uint32_t n)
{
    const gsi_record *const record = job.places.record;
    const uint32_t bytes = job.places.record_bytes, row = threadIdx.x;
    const uint8_t *const mine = rows + row * bytes;
    gsi_records_partial part = {};
    part.fingerprint = mix_rows(rows, bytes, n);
    if (row >= n)
        return part;
    if (job.is_ordered && first + row > 0) {
        const uint8_t *const before = row > 0 ? mine - bytes : record_of(job, first - 1);
        if (gsi_compare_keys(record, before, mine, 0, record->key_bytes).order > 0)
            part.disorder_inverted = ~(first + row);
    }
    if (job.first != nullptr) { // compares only bytes shared so far
        const uint32_t most = record->key_bytes - job.seen->unshared;
        part.unshared = record->key_bytes - gsi_compare_keys(record, job.first, mine, 0, most).at;
    }
    return part;
}

template <class Unit> __global__ void __launch_bounds__(THREADS) records_kernel(records_job job)
{
    GSI_DYNAMIC_SHARED(uint8_t, shared);
    __shared__ const uint8_t *from[THREADS];
    const uint32_t bytes = job.places.record_bytes, tile = tile_records(bytes);
    const uint64_t first = static_cast<uint64_t>(blockIdx.x) * tile;
    const uint32_t n = job.count - first < tile ? static_cast<uint32_t>(job.count - first) : tile;
    uint8_t *const rows = shared + (job.out != nullptr ? first * bytes % 16 : 0);
    if (threadIdx.x < n)
        from[threadIdx.x] = record_of(job, first + threadIdx.x);
    __syncthreads();
    copy_rows<Unit>(from, rows, bytes, n);
    __syncthreads();
    if (job.out != nullptr)
        store_rows(rows, job.out + first * bytes, n * bytes);
    if (job.seen == nullptr)
        return;
    const gsi_records_partial part = gsi_block_join(look_at_rows(job, rows, first, n));
    if (threadIdx.x == 0)
        gsi_seen_add(job.seen, part);
}

__global__ void __launch_bounds__(THREADS)
    tag_kernel(gsi_cuda_record_table places, const uint8_t *records, uint64_t n, uint64_t index,
               gsi_u128 *tags)
{
    const uint64_t i = static_cast<uint64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i >= n)
        return;
    const gsi_u128 key =
        gsi_key_for_tag(places.record, records + i * places.record_bytes, gsi_places_at(places));
    tags[i] = key << GSI_TAG_INDEX_BITS | (index + i);
}

__global__ void __launch_bounds__(THREADS)
    shift_kernel(const gsi_record *record, const uint8_t *element, uint32_t from, uint32_t to,
                 gsi_u128 *tags, uint64_t n)
{
    const uint64_t i = static_cast<uint64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i >= n)
        return;
    const uint32_t bytes = from - to < GSI_TAG_KEY_BYTES ? from - to : GSI_TAG_KEY_BYTES;
    const uint32_t kept_bits = 8 * (GSI_TAG_KEY_BYTES - bytes);
    const gsi_u128 front = gsi_key_for_tag(record, element, to) >> kept_bits << kept_bits;
    const gsi_u128 key = tags[i] >> GSI_TAG_INDEX_BITS >> (8 * bytes);
    tags[i] =
        (front | key) << GSI_TAG_INDEX_BITS | (static_cast<uint64_t>(tags[i]) & GSI_TAG_INDEX_MASK);
}

constexpr uint64_t NAT = UINT64_C(1) << 63;

// A field's description for a kernel.
struct number_field {
    uint32_t off, bytes, wide_bytes;
    gsi_part_kind part;
    bool is_big_endian, is_signed;
};

// Returns the number that is counted for a narrower one.
__device__ __forceinline__ uint64_t widen(const number_field &field, uint64_t number)
{
    if (field.part == GSI_PART_F16)
        return gsi_f32_of_f16(static_cast<uint16_t>(number));
    if (field.part == GSI_PART_BF16)
        return number << 16;
    const bool is_negative = field.is_signed && number >> (8 * field.bytes - 1) != 0;
    return is_negative ? number | UINT64_MAX << (8 * field.bytes) : number;
}

// Keeps the times that are not NaT, one per thread; a warp reserves places for its own times
// together.
__device__ __forceinline__ void keep_times(const number_field &field, const uint8_t *record,
                                           bool is_record, uint64_t *times,
                                           unsigned long long *kept)
{
    const uint64_t time =
        is_record ? gsi_load_number(record + field.off, 8, field.is_big_endian) : NAT;
    const unsigned keepers = __ballot_sync(0xffffffff, time != NAT);
    const uint32_t lane = threadIdx.x % 32;
    unsigned long long first = 0;
    if (lane == 0)
        first = atomicAdd(kept, static_cast<unsigned long long>(__popc(keepers)));
    first = __shfl_sync(0xffffffff, first, 0);
    if (time != NAT)
        times[first + __popc(keepers & ((1u << lane) - 1))] = time;
}

__global__ void __launch_bounds__(THREADS)
    numbers_kernel(number_field field, uint32_t record_bytes, const uint8_t *records, uint64_t n,
                   void *numbers, unsigned long long *kept)
{
    const uint64_t i = static_cast<uint64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (kept != nullptr) {
        keep_times(field, records + i * record_bytes, i < n, static_cast<uint64_t *>(numbers),
                   kept);
        return;
    }
    if (i >= n)
        return;
    const uint8_t *const at = records + i * record_bytes + field.off;
    if (field.wide_bytes == 16) {
        const uint64_t a = gsi_load_number(at, 8, field.is_big_endian);
        const uint64_t b = gsi_load_number(at + 8, 8, field.is_big_endian);
        static_cast<gsi_u128 *>(numbers)[i] = field.is_big_endian
                                                  ? static_cast<gsi_u128>(a) << 64 | b
                                                  : static_cast<gsi_u128>(b) << 64 | a;
        return;
    }
    uint64_t number = gsi_load_number(at, field.bytes, field.is_big_endian);
    if (field.bytes < field.wide_bytes)
        number = widen(field, number);
    if (field.wide_bytes == 8)
        static_cast<uint64_t *>(numbers)[i] = number;
    else
        static_cast<uint32_t *>(numbers)[i] = static_cast<uint32_t>(number);
}

__global__ void __launch_bounds__(THREADS)
    set_blocks_kernel(const uint8_t **blocks, uint64_t count, const uint8_t *first, uint64_t step)
{
    const uint64_t i = static_cast<uint64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i < count)
        blocks[i] = first + i * step;
}

// ---- launches ----

static uint32_t shared_bytes_of(uint32_t record_bytes)
{
    return tile_records(record_bytes) * record_bytes + 16; // rows may begin within a unit
}

template <class Unit> static cudaError_t prepare()
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(records_kernel<Unit>),
                                cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(shared_bytes_of(GSI_RECORD_BYTES_MAX)));
}

cudaError_t gsi_cuda_records_prepare(void)
{
    GSI_CUDA_TRY(prepare<uint8_t>());
    GSI_CUDA_TRY(prepare<uint32_t>());
    return prepare<uint4>();
}

static uint32_t blocks_of(uint64_t n, uint32_t each)
{
    return static_cast<uint32_t>((n + each - 1) / each);
}

static cudaError_t launch(const records_job &job, cudaStream_t stream)
{
    const uint32_t bytes = job.places.record_bytes;
    if (job.count == 0)
        return cudaSuccess;
    // Records of `places` are aligned; dense records have any address.
    const uintptr_t alignment =
        bytes | (job.tags == nullptr ? reinterpret_cast<uintptr_t>(job.records) : job.places.skew);
    return gsi_launch(alignment % 16 == 0  ? records_kernel<uint4>
                      : alignment % 4 == 0 ? records_kernel<uint32_t>
                                           : records_kernel<uint8_t>,
                      dim3(blocks_of(job.count, tile_records(bytes))), dim3(THREADS),
                      shared_bytes_of(bytes), stream, job);
}

static records_job dense_job(const gsi_record *record, uint32_t record_bytes,
                             const uint8_t *records, uint64_t n, gsi_records_seen *seen)
{
    records_job job = {};
    job.places.record = record;
    job.places.record_bytes = record_bytes;
    job.records = records;
    job.count = n;
    job.seen = seen;
    return job;
}

cudaError_t gsi_cuda_records_read(const gsi_record *record, uint32_t record_bytes,
                                  const uint8_t *records, uint64_t n, const uint8_t *first,
                                  gsi_records_seen *seen, cudaStream_t stream)
{
    records_job job = dense_job(record, record_bytes, records, n, seen);
    job.first = first;
    return launch(job, stream);
}

cudaError_t gsi_cuda_records_check(const gsi_record *record, uint32_t record_bytes,
                                   const uint8_t *records, uint64_t n, gsi_records_seen *seen,
                                   cudaStream_t stream)
{
    records_job job = dense_job(record, record_bytes, records, n, seen);
    job.is_ordered = true;
    GSI_CUDA_TRY(cudaMemsetAsync(seen, 0, sizeof *seen, stream));
    return launch(job, stream);
}

cudaError_t gsi_cuda_records_gather(const gsi_cuda_record_table *places, const gsi_u128 *tags,
                                    uint64_t n, uint8_t *out, gsi_records_seen *seen,
                                    cudaStream_t stream)
{
    records_job job = {};
    job.places = *places;
    job.tags = tags;
    job.count = n;
    job.out = out;
    job.is_ordered = true;
    job.seen = seen;
    if (seen != nullptr)
        GSI_CUDA_TRY(cudaMemsetAsync(seen, 0, sizeof *seen, stream));
    return launch(job, stream);
}

void gsi_cuda_records_join(const gsi_records_seen *seen, uint64_t count, gsi_digest *digest)
{
    const gsi_u128 had =
        static_cast<gsi_u128>(digest->fingerprint[1]) << 64 | digest->fingerprint[0];
    const gsi_u128 sum =
        had + (static_cast<gsi_u128>(seen->fingerprint[1]) << 64 | seen->fingerprint[0]);
    digest->fingerprint[0] = static_cast<uint64_t>(sum);
    digest->fingerprint[1] = static_cast<uint64_t>(sum >> 64);
    if (seen->disorder_inverted > 0 && digest->disorder_idx == UINT64_MAX)
        digest->disorder_idx = digest->count + ~seen->disorder_inverted;
    digest->count += count;
}

cudaError_t gsi_cuda_records_tag(const gsi_cuda_record_table *places, const uint8_t *records,
                                 uint64_t n, uint64_t index, gsi_u128 *tags, cudaStream_t stream)
{
    if (n == 0)
        return cudaSuccess;
    return gsi_launch(tag_kernel, dim3(blocks_of(n, THREADS)), dim3(THREADS), 0, stream, *places,
                      records, n, index, tags);
}

cudaError_t gsi_cuda_records_shift(const gsi_record *record, const uint8_t *element, uint32_t from,
                                   uint32_t to, gsi_u128 *tags, uint64_t n, cudaStream_t stream)
{
    if (n == 0)
        return cudaSuccess;
    return gsi_launch(shift_kernel, dim3(blocks_of(n, THREADS)), dim3(THREADS), 0, stream, record,
                      element, from, to, tags, n);
}

cudaError_t gsi_cuda_records_numbers(const gsi_field *field, uint32_t record_bytes,
                                     const uint8_t *records, uint64_t n, void *numbers,
                                     unsigned long long *kept, cudaStream_t stream)
{
    const number_field seen = {field->off,           field->bytes,
                               field->type->bytes,   field->number->part,
                               field->is_big_endian, field->type->kind == GSI_KEY_SIGNED};
    if (n == 0)
        return cudaSuccess;
    const cudaError_t error =
        kept != nullptr ? cudaMemsetAsync(kept, 0, sizeof *kept, stream) : cudaSuccess;
    if (error != cudaSuccess)
        return error;
    return gsi_launch(numbers_kernel, dim3(blocks_of(n, THREADS)), dim3(THREADS), 0, stream, seen,
                      record_bytes, records, n, numbers, kept);
}

cudaError_t gsi_cuda_places_set(const uint8_t **blocks, uint64_t block, uint64_t count,
                                const uint8_t *first, uint64_t step, cudaStream_t stream)
{
    if (count == 0)
        return cudaSuccess;
    return gsi_launch(set_blocks_kernel, dim3(blocks_of(count, THREADS)), dim3(THREADS), 0, stream,
                      blocks + block, count, first, step);
}
