// gpu_array.cc: sorts arrays in device memory (device/gpu_array.h): for each kind of array it
// checks the arguments, lays out the scratch memory and queues the kernels. Nothing waits for the
// GPU.
#include "device/gpu_array.h"

#include "base/checked.h"
#include "device/record_ties.h"
#include "element/record/record_tags.h"

#include "kernels/array/array_kernels.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/record/records.cuh"
#include "kernels/sort/sort_kernels.h"

#include <cuda_runtime.h>

#include <stddef.h>

// Members of the scratch memory begin at multiples of this.
constexpr uint64_t ALIGN_BYTES = 256;

namespace
{

// Lays out the scratch memory: each `take` returns the next member's address. Without memory it
// only adds the sizes.
struct layout {
    uint8_t *memory;
    uint64_t bytes;

    uint8_t *take(uint64_t wanted)
    {
        uint8_t *const place = memory != nullptr ? memory + bytes : nullptr;
        bytes += gsi_round_up_u64(wanted, ALIGN_BYTES);
        return place;
    }
};

enum kind { COUNTED, NUMBERS, CARRIED, TAGGED };

// The members of the scratch memory for an array.
struct work {
    enum kind kind;
    const gsi_sort_kernels *kernels; // COUNTED: nullptr
    uint32_t key_bytes;              // of the sorted keys
    uint8_t *counts, *keys, *spare, *sort_scratch;
    // For records.
    gsi_record *record;
    const uint8_t **block;
    gsi_records_seen *seen; // nullptr: tags are made from the key's first bytes
    uint8_t *gathered;
    uint64_t bytes; // of all members
};

} // namespace

static uint32_t element_bytes(const gsi_gpu_array *array)
{
    return array->record->bytes;
}

static enum kind kind_of(const gsi_gpu_array *array)
{
    const uint32_t bytes = element_bytes(array);
    if (!array->is_numbers)
        return TAGGED;
    if (array->positions == nullptr)
        return bytes < 4 ? COUNTED : NUMBERS;
    return bytes == 8 || (bytes < 8 && array->count <= UINT64_C(1) << 32) ? CARRIED : TAGGED;
}

static const gsi_sort_kernels *kernels_of(const gsi_gpu_array *array, enum kind kind)
{
    const uint32_t bytes = element_bytes(array);
    switch (kind) {
    case COUNTED:
        return nullptr;
    case NUMBERS:
        return bytes == 4   ? &gsi_sort_kernels_4
               : bytes == 8 ? &gsi_sort_kernels_8
                            : &gsi_sort_kernels_16;
    case CARRIED:
        return bytes < 8 ? &gsi_sort_kernels_8 : &gsi_sort_kernels_16;
    case TAGGED:
        break;
    }
    return gsi_ties_are_possible(array->record, GSI_TAG_KEY_BYTES) ? &gsi_sort_kernels_tied
                                                                   : &gsi_sort_kernels_16;
}

// Records no longer than a tag are gathered to the memory that the tags do not use.
static work lay_out(const gsi_gpu_array *array, uint8_t *memory)
{
    struct layout layout = {memory, 0};
    work work = {};
    work.kind = kind_of(array);
    work.kernels = kernels_of(array, work.kind);
    if (work.kind == COUNTED) {
        work.counts = layout.take(gsi_array_count_bytes());
        work.bytes = layout.bytes;
        return work;
    }
    work.key_bytes = work.kernels->key_bytes;
    const uint64_t bytes = array->count * work.key_bytes;
    if (work.kind == NUMBERS)
        work.keys = static_cast<uint8_t *>(array->data);
    else if (work.kind == CARRIED && array->position_bytes == work.key_bytes)
        work.keys = static_cast<uint8_t *>(array->positions);
    else
        work.keys = layout.take(bytes);
    work.spare = layout.take(bytes);
    work.sort_scratch = layout.take(work.kernels->chunk_scratch_bytes(array->count));
    if (work.kind == TAGGED) {
        work.record = reinterpret_cast<gsi_record *>(layout.take(sizeof(gsi_record)));
        work.block = reinterpret_cast<const uint8_t **>(layout.take(sizeof *work.block));
        if (work.kernels == &gsi_sort_kernels_tied)
            work.seen = reinterpret_cast<gsi_records_seen *>(layout.take(sizeof *work.seen));
        work.gathered = work.spare;
        if (array->positions == nullptr && element_bytes(array) > work.key_bytes)
            work.gathered = layout.take(array->count * element_bytes(array));
    }
    work.bytes = layout.bytes;
    return work;
}

static uint64_t scratch_bytes(const gsi_gpu_array *array)
{
    return array->count == 0 ? 0 : lay_out(array, nullptr).bytes + ALIGN_BYTES;
}

// ---- sorts ----

static gsi_key_turn turn_of(const gsi_gpu_array *array)
{
    return {array->map, array->is_big_endian, true, true};
}

static cudaError_t write_places(const gsi_gpu_array *array, const work &work, uint32_t place_bits,
                                cudaStream_t stream)
{
    return gsi_array_places(work.keys, work.key_bytes, place_bits, array->count, array->positions,
                            array->position_bytes, stream);
}

static cudaError_t sort_pairs(const gsi_gpu_array *array, const work &work, cudaStream_t stream)
{
    const gsi_pairs pairs = {work.keys, work.key_bytes, 4 * work.key_bytes, 0};
    GSI_CUDA_TRY(gsi_array_pairs(array->data, element_bytes(array), turn_of(array), array->count,
                                 pairs, stream));
    GSI_CUDA_TRY(work.kernels->sort_in_place(work.keys, work.spare, array->count, work.sort_scratch,
                                             nullptr, nullptr, stream));
    return write_places(array, work, pairs.place_bits, stream);
}

// If keys are longer than a tag holds, their shared leading bytes are skipped; only the GPU knows
// how many.
static cudaError_t make_tags(const gsi_gpu_array *array, const work &work,
                             gsi_cuda_record_table *places, cudaStream_t stream)
{
    const uint8_t *const data = static_cast<const uint8_t *>(array->data);
    *places = {};
    places->record = work.record;
    places->blocks = work.block;
    places->block_count = 1;
    places->record_bytes = element_bytes(array);
    places->shift = GSI_TAG_INDEX_BITS; // all records are one block
    places->end = array->count;
    places->skew = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data) % 16);
    const gsi_record *const record = array->record; // kernels read its key parts
    GSI_CUDA_TRY(gsi_array_put(
        record, offsetof(gsi_record, parts) + record->part_count * sizeof *record->parts,
        work.record, stream));
    GSI_CUDA_TRY(gsi_cuda_places_set(work.block, 0, 1, data, 0, stream));
    if (work.seen != nullptr) {
        GSI_CUDA_TRY(cudaMemsetAsync(work.seen, 0, sizeof *work.seen, stream));
        GSI_CUDA_TRY(gsi_cuda_records_read(work.record, element_bytes(array), data, array->count,
                                           data, work.seen, stream));
        places->unshared = &work.seen->unshared;
    }
    return gsi_cuda_records_tag(places, data, array->count, 0,
                                reinterpret_cast<gsi_u128 *>(work.keys), stream);
}

static cudaError_t sort_tagged(const gsi_gpu_array *array, const work &work, cudaStream_t stream)
{
    gsi_cuda_record_table places;
    GSI_CUDA_TRY(gsi_cuda_records_prepare());
    GSI_CUDA_TRY(make_tags(array, work, &places, stream));
    GSI_CUDA_TRY(work.kernels->sort_in_place(work.keys, work.spare, array->count, work.sort_scratch,
                                             nullptr, &places, stream));
    if (array->positions != nullptr)
        return write_places(array, work, GSI_TAG_INDEX_BITS, stream);
    GSI_CUDA_TRY(gsi_cuda_records_gather(&places, reinterpret_cast<const gsi_u128 *>(work.keys),
                                         array->count, work.gathered, nullptr, stream));
    return cudaMemcpyAsync(array->data, work.gathered, array->count * element_bytes(array),
                           cudaMemcpyDeviceToDevice, stream);
}

static cudaError_t queue(const gsi_gpu_array *array, const work &work, cudaStream_t stream)
{
    const gsi_key_turn turn = turn_of(array);
    if (work.kernels != nullptr)
        GSI_CUDA_TRY(work.kernels->prepare());
    switch (work.kind) {
    case COUNTED:
        return gsi_array_count_sort(array->data, element_bytes(array), turn, array->count,
                                    work.counts, stream);
    case NUMBERS:
        return work.kernels->sort_in_place(work.keys, work.spare, array->count, work.sort_scratch,
                                           &turn, nullptr, stream);
    case CARRIED:
        return sort_pairs(array, work, stream);
    case TAGGED:
        break;
    }
    return sort_tagged(array, work, stream);
}

// ---- calls ----

static enum gs_status fail(gs_error *error, cudaError_t code, const char *what)
{
    cudaGetLastError();
    return gsi_fail(error, GS_E_DEVICE, 0, "%s: %s", what, cudaGetErrorString(code));
}

// Checks both ends of memory that kernels will use; the first call sets *device.
static enum gs_status check_memory(const char *what, const void *memory, uint64_t bytes,
                                   int *device, gs_error *error)
{
    const uint8_t *const ends[] = {static_cast<const uint8_t *>(memory),
                                   static_cast<const uint8_t *>(memory) + bytes - 1};
    for (const uint8_t *end : ends) {
        cudaPointerAttributes found = {};
        const cudaError_t code = cudaPointerGetAttributes(&found, end);
        if (code != cudaSuccess && code != cudaErrorInvalidValue)
            return fail(error, code,
                        "the GPU's driver cannot tell where the array is; check that it is still "
                        "allocated");
        cudaGetLastError();
        if (code != cudaSuccess ||
            (found.type != cudaMemoryTypeDevice && found.type != cudaMemoryTypeManaged))
            return gsi_fail(error, GS_E_USAGE, 0,
                            "%s: %s not in the memory of a GPU; for other memory use "
                            "gs_job_sort_array or gs_job_argsort_array",
                            what, end == ends[0] ? "it is" : "its end is");
        if (*device >= 0 && found.device != *device)
            return gsi_fail(error, GS_E_USAGE, 0,
                            "%s: it is in the memory of GPU %d, but the array is in that of GPU %d",
                            what, found.device, *device);
        *device = found.device;
    }
    return GS_OK;
}

static enum gs_status check_array(const gsi_gpu_array *array, uint64_t needed, int *device,
                                  gs_error *error)
{
    if (array->is_numbers && reinterpret_cast<uintptr_t>(array->data) % element_bytes(array) != 0)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "the array: must be aligned to the size of its numbers, %u bytes",
                        element_bytes(array));
    GSI_TRY(
        check_memory("the array", array->data, array->count * element_bytes(array), device, error));
    if (array->positions != nullptr) {
        if (reinterpret_cast<uintptr_t>(array->positions) % array->position_bytes != 0)
            return gsi_fail(error, GS_E_USAGE, 0, "the positions: must be aligned to %u bytes",
                            array->position_bytes);
        GSI_TRY(check_memory("the positions", array->positions,
                             array->count * array->position_bytes, device, error));
    }
    if (array->scratch == nullptr)
        return GS_OK;
    if (array->scratch_bytes < needed)
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "the scratch: needs %llu bytes, but has %llu; gs_cuda_scratch_bytes returns the number",
            static_cast<unsigned long long>(needed),
            static_cast<unsigned long long>(array->scratch_bytes));
    return check_memory("the scratch", array->scratch, needed, device, error);
}

// Queues the sort with the array's GPU current.
static enum gs_status sort_there(const gsi_gpu_array *array, uint64_t needed, gs_error *error)
{
    const cudaStream_t stream = static_cast<cudaStream_t>(array->stream);
    void *scratch = array->scratch;
    cudaError_t code = cudaSuccess;
    if (scratch == nullptr)
        code = cudaMallocAsync(&scratch, needed, stream);
    if (code != cudaSuccess)
        return fail(error, code, "cannot allocate scratch on the GPU");
    const uint64_t address = reinterpret_cast<uintptr_t>(scratch);
    uint8_t *const aligned =
        static_cast<uint8_t *>(scratch) + (gsi_round_up_u64(address, ALIGN_BYTES) - address);
    code = queue(array, lay_out(array, aligned), stream);
    if (array->scratch == nullptr) {
        const cudaError_t freed = cudaFreeAsync(scratch, stream);
        code = code != cudaSuccess ? code : freed;
    }
    return code == cudaSuccess ? GS_OK : fail(error, code, "the sort cannot be queued on the GPU");
}

static enum gs_status sort(const gsi_gpu_array *array, gs_error *error)
{
    int device = -1, before = 0;
    if (array->count == 0)
        return GS_OK;
    const uint64_t needed = scratch_bytes(array);
    GSI_TRY(check_array(array, needed, &device, error));
    cudaError_t code = cudaGetDevice(&before);
    if (code == cudaSuccess && before != device)
        code = cudaSetDevice(device);
    if (code != cudaSuccess)
        return fail(error, code, "the array's GPU cannot be used");
    const enum gs_status status = sort_there(array, needed, error);
    if (before != device)
        cudaSetDevice(before);
    return status;
}

const gsi_gpu_array_ops gsi_gpu_array_cuda = {scratch_bytes, sort};
