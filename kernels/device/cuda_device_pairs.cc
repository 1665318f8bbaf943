// cuda_device_pairs.cc: makes pairs of keys and positions (element/entry/entry_map.h) on the GPU.
//
// Elements arrive, pairs are made on the GPU, and only positions are copied out, so no pair crosses
// the link.
//
//   chunk buffer --in-----> slot of the open run ..> compute: tally, to keys
//                           slot                 ..> compute: pairs, into the spare, tally of these
//   seal                    the two swap         ..> compute: sort, as of any numbers
//
//   slots, mirror ..> compute: merge, digest, of pairs
//   window        ..> compute: positions, into what trees go by; the two swap --out--> host
//
// So runs and merges, wherever they take place, are those of pairs. Only sorts use the spare, and
// only merges use the memory of trees. All of them run on the compute stream, so memory that swaps
// in there is used only after they are done.
#include "kernels/device/cuda_device.h"

#include "kernels/array/array_kernels.cuh"

#include <utility>

static cudaStream_t compute_of(const gsi_cuda_device *device)
{
    return device->streams[GSI_CUDA_COMPUTE];
}

void gsi_cuda_input_begin(gsi_cuda_device *device)
{
    const gsi_device_config *config = &device->config;
    device->input.layout = config->layout;
    if (config->entry_map == nullptr)
        return;
    device->input.layout = config->entry_map->input;
    gsi_layout_use_integers(&device->input.layout, &device->input.integer_map, UINT32_MAX);
    device->input.next_position = config->first_position;
}

void gsi_cuda_pairs_put(gsi_cuda_device *device, const uint8_t *keys, uint64_t n)
{
    const gsi_layout *layout = &device->config.layout;
    uint8_t *const to = device->runs.spare + device->runs.open->bytes;
    const gsi_pairs pairs = {to, layout->key_bytes, device->config.entry_map->position_bits,
                             device->input.next_position};
    gsi_cuda_check(device,
                   gsi_array_pairs(keys, device->input.layout.key_bytes, gsi_key_turn(), n, pairs,
                                   compute_of(device)),
                   "cannot add positions");
    gsi_cuda_check(device,
                   gsi_cuda_tally_add(layout, device->tally, to, n, false, compute_of(device)),
                   "cannot count elements");
    device->input.next_position += n;
}

void gsi_cuda_pairs_seal(gsi_cuda_device *device, gsi_run *run)
{
    std::swap(run->slot.keys, device->runs.spare);
}

void gsi_cuda_pairs_to_positions(gsi_cuda_device *device, uint8_t **window, uint64_t n)
{
    const gsi_entry_map *entry_map = device->config.entry_map;
    gsi_cuda_check(device,
                   gsi_array_places(*window, device->config.layout.key_bytes,
                                    entry_map->position_bits, n, device->windows.temp,
                                    entry_map->output_bytes, compute_of(device)),
                   "cannot take positions");
    std::swap(*window, device->windows.temp);
}
