// cuda_device_cut.cc: cuts the windows of a merge of the CUDA device.
//
// Computes the exact co-rank of all runs, for many windows at once, on a stream of its own.
#include "kernels/device/cuda_device.h"
#include "kernels/device/cuda_merge.h"

#include <string.h>

// The parts of a run are looked up for so many windows, so that as many can be cut at once.
#define WINDOWS_AHEAD 16

// Lists the heads as chains for the GPU; heads that are adjacent in memory form one part. Returns
// the number of parts, or UINT64_MAX if there are more parts or chains than the tables hold.
static uint64_t list_chains(gsi_merge *merge)
{
    gsi_cuda_device *device = merge->device;
    const gsi_merge_heads *heads = &merge->heads;
    const uint32_t key_bytes = merge->kernels->key_bytes;
    gsi_chain *chain = merge->chains;
    const uint8_t *end = nullptr; // of the previous part
    uint32_t parts = 0;
    merge->chain_count = 0;
    for (uint32_t i = 0; i < heads->count; i++) {
        const gsi_slice *slice = &heads->slices[i];
        const bool is_new =
            i == 0 || heads->segments[i]->input_idx != heads->segments[i - 1]->input_idx;
        if (is_new && merge->chain_count == GSI_CUDA_SLICES)
            return UINT64_MAX;
        if (is_new) {
            merge->chain_heads[merge->chain_count] = i;
            chain = &merge->chains[merge->chain_count++];
            *chain = {0, parts, 0};
        }
        if (is_new || slice->keys != end) {
            if (parts == GSI_CUDA_PARTS)
                return UINT64_MAX;
            device->staging.part_copies[parts++] = {slice->keys, chain->key_count};
            chain->count++;
        }
        chain->key_count += slice->count;
        end = static_cast<const uint8_t *>(slice->keys) + slice->count * key_bytes;
    }
    merge->chain_heads[merge->chain_count] = heads->count;
    return parts;
}

static uint64_t keys_of_chains(const gsi_merge *merge)
{
    uint64_t keys = 0;
    for (uint32_t c = 0; c < merge->chain_count; c++)
        keys += merge->chains[c].key_count;
    return keys;
}

// Returns the number of chains whose keys equal to the bound may be written. A bound of records is
// one of the records, so all chains count.
static uint32_t chains_to_bound(const gsi_merge *merge)
{
    const gsi_merge_heads *heads = &merge->heads;
    uint32_t count = 0;
    while (count < merge->chain_count &&
           (merge->device->config.layout.form != GSI_FORM_KEYS ||
            heads->segments[merge->chain_heads[count]]->input_idx <= heads->bound_idx))
        count++;
    return count;
}

// Queues the cuts of `windows` windows and waits for them. No copy of the runtime is used, because
// it would wait for queued frames and windows. The chains are copied to the table after their
// parts.
static bool cut(gsi_merge *merge, uint64_t wanted, uint32_t windows, uint64_t parts)
{
    gsi_cuda_device *device = merge->device;
    const uint32_t count = merge->chain_count;
    static_assert(sizeof(gsi_chain) == sizeof(gsi_part), "a table holds both");
    memcpy(&device->staging.part_copies[parts], merge->chains, count * sizeof *merge->chains);
    const uint64_t words = (parts + count) * sizeof(gsi_part) / sizeof(uint64_t);
    return gsi_cuda_check(device,
                          merge->kernels->copy_words(device->staging.parts,
                                                     device->staging.part_copies, words,
                                                     device->cut_stream),
                          "cannot copy to the GPU") &&
           gsi_cuda_check(device,
                          merge->kernels->cut_windows(
                              reinterpret_cast<const gsi_chain *>(&device->staging.parts[parts]),
                              count, device->staging.parts, merge->heads.bound,
                              chains_to_bound(merge), wanted, windows, device->staging.cuts,
                              device->staging.totals, &merge->records.places, device->cut_stream),
                          "cannot cut a window") &&
           gsi_cuda_check(device, cudaStreamSynchronize(device->cut_stream), "cannot cut a window");
}

bool gsi_cuda_cut_batch(gsi_merge *merge, uint64_t wanted)
{
    gsi_cuda_device *device = merge->device;
    gsi_merge_heads *heads = &merge->heads;
    const uint64_t most = wanted > UINT64_MAX / WINDOWS_AHEAD ? wanted : wanted * WINDOWS_AHEAD;
    gsi_merge_inputs_heads(&merge->inputs, merge->is_fed ? most : UINT64_MAX, heads);
    merge->window_keys = wanted;
    merge->has_news = false;
    merge->news_keys = 0;
    merge->short_keys = 0;
    merge->batch_idx = 0;
    merge->batch_count = 0;
    merge->total = 0;
    merge->is_all_cut = true;
    const bool is_bound = heads->bound_idx < merge->inputs.input_count;
    if (heads->count == 0 || (is_bound && heads->bound == nullptr))
        return true;
    const uint64_t parts = list_chains(merge);
    if (parts == UINT64_MAX)
        return gsi_cuda_check(device, cudaErrorInvalidValue,
                              "too many blocks to merge at once; lower --batch-size");
    const uint64_t keys = keys_of_chains(merge);
    if (merge->chain_count == 1 && !is_bound) { // nothing to cut
        merge->total = keys;
        merge->batch_count = 1;
        merge->is_all_cut = keys <= wanted;
        device->staging.cuts[0] = gsi_min_u64(wanted, keys);
        return true;
    }
    uint64_t windows = gsi_min_u64(GSI_CUDA_CUT_WINDOWS, GSI_CUDA_CUT_ENTRIES / merge->chain_count);
    windows = gsi_min_u64(windows, gsi_ceil_div_u64(keys, wanted));
    // Keys further ahead were left out of the heads.
    windows = merge->is_fed ? gsi_min_u64(windows, WINDOWS_AHEAD) : windows;
    if (!cut(merge, wanted, static_cast<uint32_t>(windows), parts))
        return false;
    merge->total = device->staging.totals[0];
    // The last window may be short if no keys can follow.
    const uint64_t there =
        is_bound ? merge->total / wanted : gsi_ceil_div_u64(merge->total, wanted);
    merge->batch_count = static_cast<uint32_t>(gsi_min_u64(windows, there));
    merge->is_all_cut = there < windows;
    merge->short_keys = is_bound ? (there + 1) * wanted - merge->total : 0;
    return true;
}
