// cuda_device_records.cc: sorts and merges records on the CUDA device. As on the CPU, their tags
// are sorted and merged instead, and a record is copied once, in the gather of a window.
//
// Integer records are counted here. They are converted to integers as they arrive, and from then on
// are treated as numbers (kernels/record/integer_records.cuh).
//
// Indexes of tags: run number p has [p << run_shift, (p + 1) << run_shift), in the order of the
// input. Fed runs have the feed's indexes, from 0 on. These are lower than the indexes of resident
// runs, which follow: a run has no more records in frames than in chunks.
//
// The GPU finds the bytes that all keys share while records arrive. The tags of a run are made
// after the bytes that are shared at that time, and no thread waits for that. The job's scope is
// lowered when the run is sorted. A merge shifts tags that were made after more bytes.
#include "kernels/device/cuda_device.h"

#include "plan/plan.h"
#include <string.h>

#include "element/key_scope.h"
#include "element/record/record_tags.h"
#include "element/record/record_tally.h"

// The number of records whose fields are counted in one step. For integer records this is a chunk:
// its numbers are no wider than the records and use the spare memory of its sort.
#define NUMBERS_BATCH (UINT64_C(1) << 17)

// First size of the table of places when the number of records is unknown.
#define STREAM_BLOCKS (UINT64_C(1) << 16)

static cudaStream_t compute_of(const gsi_cuda_device *device)
{
    return device->streams[GSI_CUDA_COMPUTE];
}

static const gsi_record *record_of(const gsi_cuda_device *device)
{
    return device->input.layout.record;
}

uint64_t gsi_cuda_records_overhead(const gsi_layout *layout)
{
    uint64_t bytes = layout->record->field_count > 0 ? NUMBERS_BATCH * 16 : 0;
    for (uint32_t i = 0; i < layout->record->field_count; i++) {
        const gsi_layout field = gsi_record_field_layout(layout, i);
        bytes += gsi_round_up_u64(gsi_cuda_tally_bytes(&field), 256);
    }
    return bytes;
}

uint64_t gsi_cuda_records_staging_bytes(const gsi_layout *layout)
{
    uint64_t bytes = sizeof(gsi_records_seen);
    for (uint32_t i = 0; i < layout->record->field_count; i++) {
        const gsi_layout field = gsi_record_field_layout(layout, i);
        bytes = gsi_max_u64(bytes, gsi_cuda_tally_bytes(&field));
    }
    return bytes;
}

// ---- beginning and end ----

static bool take_fields(gsi_cuda_device *device)
{
    const gsi_record *record = record_of(device);
    bool is_well = true;
    for (uint32_t i = 0; is_well && i < record->field_count; i++) {
        const gsi_layout layout = gsi_record_field_layout(&device->input.layout, i);
        gsi_cuda_tally **const tally = &device->records.fields[i];
        is_well = gsi_cuda_alloc(device, reinterpret_cast<uint8_t **>(tally),
                                 gsi_cuda_tally_bytes(&layout)) &&
                  gsi_cuda_check(device, gsi_cuda_tally_clear(&layout, *tally, compute_of(device)),
                                 "cannot clear memory");
    }
    return is_well;
}

static bool take_for_runs(gsi_cuda_device *device)
{
    gsi_cuda_records *records = &device->records;
    const gsi_plan *plan = device->config.plan;
    const uint32_t bytes = record_of(device)->bytes;
    records->chunk_shift = gsi_record_room_shift(bytes, plan->chunk_bytes);
    records->run_records = static_cast<uint64_t>(plan->chunks_per_run) << records->chunk_shift;
    records->run_shift = records->chunk_shift;
    while (UINT64_C(1) << records->run_shift < records->run_records)
        records->run_shift++;
    const uint64_t window_bytes = gsi_max_u64(plan->window_bytes, plan->frame_bytes);
    records->window_off = gsi_round_up_u64(
        (gsi_record_room(bytes, window_bytes) + GSI_CUDA_SLICES) * GSI_TAG_BYTES, 256);
    const uint64_t frame_room = gsi_record_room_power(bytes, plan->frame_bytes) * bytes;
    records->merge_block_room = STREAM_BLOCKS;
    if (plan->input_bytes != UINT64_MAX)
        records->merge_block_room = gsi_max_u64(1, gsi_ceil_div_u64(plan->input_bytes, frame_room) *
                                                       GSI_DEVICE_BLOCKS_A_FRAME);
    records->run_room = plan->device_runs + plan->host_runs;
    return gsi_cuda_alloc(device, &records->merge_blocks,
                          records->merge_block_room * sizeof *records->merge_blocks) &&
           gsi_cuda_alloc(device, &records->sort_blocks,
                          plan->chunks_per_run * sizeof *records->sort_blocks) &&
           gsi_cuda_alloc_pinned(device, &records->unshared_staging,
                                 records->run_room * sizeof *records->unshared_staging);
}

static bool take_for_tags(gsi_cuda_device *device)
{
    gsi_cuda_records *records = &device->records;
    const gsi_record *record = record_of(device);
    return gsi_cuda_check(device, gsi_cuda_records_prepare(), "cannot load the kernels") &&
           gsi_cuda_check(device, gsi_sort_kernels_16.prepare(), "cannot load the kernels") &&
           gsi_cuda_alloc(device, &records->record, sizeof *record) &&
           gsi_cuda_check(device,
                          cudaMemcpyAsync(records->record, record, sizeof *record,
                                          cudaMemcpyHostToDevice, compute_of(device)),
                          "cannot copy to the GPU") &&
           gsi_cuda_alloc(device, &records->first, record->bytes) &&
           (device->config.plan->device_runs == 0 || take_for_runs(device));
}

bool gsi_cuda_records_open(gsi_cuda_device *device)
{
    gsi_cuda_records *records = &device->records;
    return gsi_cuda_alloc(device, &records->seen, sizeof *records->seen) &&
           gsi_cuda_clear(device, records->seen, sizeof *records->seen) &&
           (record_of(device)->field_count == 0 ||
            gsi_cuda_alloc(device, reinterpret_cast<uint8_t **>(&records->numbers),
                           NUMBERS_BATCH * 16)) &&
           take_fields(device) &&
           (device->config.layout.form == GSI_FORM_KEYS || take_for_tags(device));
}

void gsi_cuda_records_close(gsi_cuda_device *device)
{
    gsi_cuda_records *records = &device->records;
    for (gsi_cuda_tally *field : records->fields)
        cudaFree(field);
    gsi_cuda_free({records->record, records->first, records->seen, records->numbers,
                   records->sort_blocks, records->merge_blocks});
    cudaFreeHost(records->unshared_staging);
}

// ---- input ----

// Returns the counter of the times in a batch that are not NaT. It is in memory after the numbers,
// which are half as wide as they may be.
static unsigned long long *kept_of(const gsi_cuda_device *device, const gsi_field *field)
{
    uint8_t *const numbers = static_cast<uint8_t *>(device->records.numbers);
    return field->number->part == GSI_PART_TIME
               ? reinterpret_cast<unsigned long long *>(numbers + NUMBERS_BATCH * 8)
               : nullptr;
}

static void count_fields(gsi_cuda_device *device, const uint8_t *at, uint64_t n)
{
    const gsi_record *record = record_of(device);
    const bool is_whole =
        device->input.layout.integer_map != nullptr && device->runs.open != nullptr;
    void *const numbers =
        is_whole ? device->runs.spare + device->runs.open->bytes : device->records.numbers;
    for (uint64_t done = 0, step; done < n; done += step) {
        step = is_whole ? n : gsi_min_u64(n - done, NUMBERS_BATCH);
        for (uint32_t i = 0; i < record->field_count; i++) {
            const gsi_layout layout = gsi_record_field_layout(&device->input.layout, i);
            unsigned long long *const kept = kept_of(device, &record->fields[i]);
            gsi_cuda_check(device,
                           gsi_cuda_records_numbers(&record->fields[i], record->bytes,
                                                    at + done * record->bytes, step, numbers, kept,
                                                    compute_of(device)),
                           "cannot count elements");
            gsi_cuda_check(device,
                           gsi_cuda_tally_add_lean(&layout, device->records.fields[i], numbers,
                                                   step, kept, compute_of(device)),
                           "cannot count elements");
        }
    }
}

// first: nullptr if shared bytes are not needed.
static void count(gsi_cuda_device *device, const uint8_t *at, uint64_t n, const uint8_t *first)
{
    gsi_cuda_records *records = &device->records;
    records->count += n;
    gsi_cuda_check(device,
                   gsi_cuda_records_read(records->record, record_of(device)->bytes, at, n, first,
                                         records->seen, compute_of(device)),
                   "cannot count elements");
    count_fields(device, at, n);
}

static void count_words(gsi_cuda_device *device, uint8_t *at, uint64_t n)
{
    gsi_cuda_records *records = &device->records;
    records->count += n;
    count_fields(device, at, n);
    gsi_cuda_check(device,
                   gsi_cuda_records_to_integers(device->input.layout.integer_map, at, n,
                                                records->seen, compute_of(device)),
                   "cannot count elements");
}

void gsi_cuda_records_put(gsi_cuda_device *device, const gsi_buffer *buffer, uint8_t *at)
{
    gsi_cuda_records *records = &device->records;
    if (device->config.layout.form == GSI_FORM_KEYS) {
        count_words(device, at, buffer->bytes / record_of(device)->bytes);
        return;
    }
    gsi_key_scope_begin(device->config.layout.scope, buffer->data);
    if (!records->has_first)
        gsi_cuda_check(device,
                       cudaMemcpyAsync(records->first, at, record_of(device)->bytes,
                                       cudaMemcpyDeviceToDevice, compute_of(device)),
                       "cannot copy on the GPU");
    records->has_first = true;
    count(device, at, buffer->bytes / record_of(device)->bytes, records->first);
}

void gsi_cuda_records_reduce(gsi_cuda_device *device, uint8_t *at, uint64_t n,
                             gsi_records_seen *seen)
{
    if (device->config.layout.form == GSI_FORM_KEYS) {
        count_words(device, at, n);
        return;
    }
    count(device, at, n, nullptr);
    if (seen != nullptr)
        gsi_cuda_check(device,
                       gsi_cuda_records_check(device->records.record, record_of(device)->bytes, at,
                                              n, seen, compute_of(device)),
                       "cannot check the order");
}

// Queues: enter `n` records at `at`, of which the first has index `index`, into a table.
static void set_places(gsi_cuda_device *device, const gsi_cuda_record_table *places,
                       const uint8_t **blocks, uint64_t index, const uint8_t *at, uint64_t n,
                       gsi_cuda_stream stream)
{
    const uint64_t block = (index >> places->shift) - places->first_block;
    const uint64_t blocks_of_n = gsi_ceil_div_u64(n, UINT64_C(1) << places->shift);
    gsi_cuda_check(device,
                   gsi_cuda_places_set(blocks, block, blocks_of_n, at,
                                       static_cast<uint64_t>(places->record_bytes) << places->shift,
                                       device->streams[stream]),
                   "cannot find records");
}

static gsi_cuda_record_table make_places(const gsi_cuda_device *device,
                                         const uint8_t *const *blocks, uint32_t shift)
{
    gsi_cuda_record_table places = {};
    places.record = device->records.record;
    places.record_bytes = record_of(device)->bytes;
    places.blocks = blocks;
    places.shift = shift;
    return places;
}

// Returns the table of one run, which is queued.
static gsi_cuda_record_table place_run(gsi_cuda_device *device, const gsi_run *run)
{
    gsi_cuda_records *records = &device->records;
    const uint64_t n = run->bytes / record_of(device)->bytes;
    gsi_cuda_record_table places = make_places(device, records->sort_blocks, records->chunk_shift);
    places.first_block = run->index >> places.shift;
    places.block_count = gsi_ceil_div_u64(n, UINT64_C(1) << places.shift);
    set_places(device, &places, records->sort_blocks, run->index, run->slot.keys, n,
               GSI_CUDA_COMPUTE);
    return places;
}

void gsi_cuda_records_sort(gsi_cuda_device *device, gsi_run *run)
{
    gsi_cuda_records *records = &device->records;
    const uint64_t n = run->bytes / record_of(device)->bytes;
    gsi_cuda_record_table places = place_run(device, run);
    places.unshared = &records->seen->unshared;
    gsi_cuda_check(device,
                   gsi_cuda_records_tag(&places, run->slot.keys, n, run->index,
                                        reinterpret_cast<gsi_u128 *>(run->slot.tags),
                                        compute_of(device)),
                   "cannot make tags");
    gsi_cuda_sort(device, &run->slot.tags, n, &places);
    run->unshared_idx = static_cast<uint32_t>(device->runs.sealed_count % records->run_room);
    uint32_t *const unshared = &records->unshared_staging[run->unshared_idx];
    gsi_cuda_check(device,
                   cudaMemcpyAsync(unshared, places.unshared, sizeof *unshared,
                                   cudaMemcpyDeviceToHost, compute_of(device)),
                   "cannot copy from the GPU");
}

// Records are gathered through the windows, like output. Their location is independent of the byte
// at which their tags were made.
void gsi_cuda_records_copy_out(gsi_cuda_device *device, const gsi_run *run, uint8_t *to)
{
    const gsi_cuda_record_table places = place_run(device, run);
    const uint32_t record_bytes = record_of(device)->bytes;
    const cudaStream_t out = device->streams[GSI_CUDA_OUT];
    const uint64_t n = run->bytes / record_bytes;
    const uint64_t most = gsi_record_room(record_bytes, device->config.plan->window_bytes);
    const gsi_u128 *tags = reinterpret_cast<const gsi_u128 *>(run->slot.tags);
    for (uint64_t done = 0, step; done < n && !device->has_failed; done += step) {
        const uint64_t place = device->windows.launched++ % GSI_CUDA_WINDOWS;
        step = gsi_min_u64(n - done, most);
        gsi_cuda_check(
            device, cudaStreamWaitEvent(compute_of(device), device->windows.copied_out[place], 0),
            "cannot wait for an event");
        gsi_cuda_check(device,
                       gsi_cuda_records_gather(&places, tags + done, step,
                                               device->windows.memory[place], nullptr,
                                               compute_of(device)),
                       "cannot gather records");
        gsi_cuda_order(device, GSI_CUDA_COMPUTE, GSI_CUDA_OUT);
        gsi_cuda_check(device,
                       cudaMemcpyAsync(to + done * record_bytes, device->windows.memory[place],
                                       step * record_bytes, cudaMemcpyDeviceToHost, out),
                       "cannot copy from the GPU");
        gsi_cuda_check(device, cudaEventRecord(device->windows.copied_out[place], out),
                       "cannot record an event");
    }
}

void gsi_cuda_records_sorted(gsi_cuda_device *device, gsi_run *run)
{
    const gsi_cuda_records *records = &device->records;
    run->tags_at = record_of(device)->key_bytes - records->unshared_staging[run->unshared_idx];
    gsi_key_scope_lower(device->config.layout.scope, run->tags_at);
}

// Returns whether all queued work, this one included, is done without an error.
static bool fetch(gsi_cuda_device *device, cudaError_t queued)
{
    return gsi_cuda_check(device, queued, "cannot fetch the counts") &&
           gsi_cuda_check(device, cudaStreamSynchronize(compute_of(device)),
                          "cannot fetch the counts");
}

void gsi_cuda_records_count(gsi_cuda_device *device, gsi_tally *const *fields, gsi_digest *seen)
{
    gsi_cuda_records *records = &device->records;
    void *const staging = device->staging.tally;
    for (uint32_t i = 0; i < record_of(device)->field_count; i++) {
        const gsi_layout layout = gsi_record_field_layout(&device->input.layout, i);
        if (fetch(device,
                  gsi_cuda_tally_fetch(&layout, records->fields[i], staging, compute_of(device))))
            gsi_cuda_tally_join(&layout, staging, fields[i]);
    }
    if (fetch(device, cudaMemcpyAsync(staging, records->seen, sizeof *records->seen,
                                      cudaMemcpyDeviceToHost, compute_of(device))))
        gsi_cuda_records_join(static_cast<const gsi_records_seen *>(staging), records->count, seen);
}

// ---- merges ----

// Computes the first index of the merge's records and the end of the last one.
static void find_indexes(const gsi_cuda_device *device, const gsi_merge_spec *spec, uint64_t *first,
                         uint64_t *end)
{
    *first = spec->fed_records > 0 ? 0 : UINT64_MAX;
    *end = spec->fed_records;
    for (uint32_t i = 0; i < spec->input_count; i++) {
        const gsi_run *run = spec->inputs[i].run;
        if (run == nullptr)
            continue;
        *first = gsi_min_u64(*first, run->index);
        *end = gsi_max_u64(*end, run->index + run->bytes / record_of(device)->bytes);
    }
    *first = gsi_min_u64(*first, *end);
}

// Clears the table on the GPU, with room for `count` entries, all null. The table of a stream
// grows.
static bool clear_blocks(gsi_cuda_device *device, uint64_t count)
{
    gsi_cuda_records *records = &device->records;
    if (count > records->merge_block_room) {
        records->merge_block_room = 0; // no window of an earlier merge is in flight
        cudaFree(records->merge_blocks);
        records->merge_blocks = nullptr;
        if (!gsi_cuda_alloc(device, &records->merge_blocks, count * sizeof(uint8_t *)))
            return false;
        records->merge_block_room = count;
    }
    return gsi_cuda_clear(device, records->merge_blocks, count * sizeof(uint8_t *));
}

static void shift_tags(gsi_cuda_device *device, gsi_run *run, uint32_t to)
{
    if (run->tags_at > to)
        gsi_cuda_check(
            device,
            gsi_cuda_records_shift(device->records.record, device->records.first, run->tags_at, to,
                                   reinterpret_cast<gsi_u128 *>(run->slot.tags),
                                   run->bytes / record_of(device)->bytes, compute_of(device)),
            "cannot shift tags");
    run->tags_at = to;
}

static bool has_host_run(const gsi_merge_spec *spec)
{
    for (uint32_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].run != nullptr && spec->inputs[i].run->host != nullptr)
            return true;
    return false;
}

enum gs_status gsi_cuda_records_begin(gsi_cuda_device *device, const gsi_merge_spec *spec,
                                      gsi_cuda_records_merge *merge, gs_error *error)
{
    const gsi_layout *layout = &device->config.layout;
    const bool is_fed = spec->fed_records > 0 || has_host_run(spec);
    const uint32_t shift =
        is_fed ? gsi_record_room_shift(layout->element_bytes, device->config.plan->frame_bytes)
               : device->records.chunk_shift;
    uint64_t first, end;
    find_indexes(device, spec, &first, &end);
    merge->places = make_places(device, nullptr, shift);
    merge->places.at = gsi_key_scope_shared(layout->scope);
    merge->places.first_block = first >> shift;
    merge->places.block_count = gsi_ceil_div_u64(end - first, UINT64_C(1) << shift);
    merge->kernels = gsi_ties_are_possible(layout->record, merge->places.at + GSI_TAG_KEY_BYTES)
                         ? &gsi_sort_kernels_tied
                         : &gsi_sort_kernels_16;
    merge->host_block_count = is_fed ? merge->places.block_count : 0;
    void *memory = nullptr;
    const enum gs_status status = gsi_memory_alloc(device->config.ledger, merge->host_block_count,
                                                   sizeof(uint8_t *), &memory, error);
    merge->host_places.record = layout->record;
    merge->host_places.blocks = static_cast<const uint8_t **>(memory);
    merge->host_places.first_block = merge->places.first_block;
    merge->host_places.shift = shift;
    if (status != GS_OK)
        return status;
    if (!clear_blocks(device, merge->places.block_count))
        return gsi_cuda_failure(device, error);
    merge->places.blocks = device->records.merge_blocks;
    for (uint32_t i = 0; i < spec->input_count; i++) {
        gsi_run *run = spec->inputs[i].run;
        if (run == nullptr || run->host != nullptr)
            continue;
        set_places(device, &merge->places, device->records.merge_blocks, run->index, run->slot.keys,
                   run->bytes / layout->element_bytes, GSI_CUDA_COMPUTE);
        shift_tags(device, run, merge->places.at);
    }
    return GS_OK;
}

void gsi_cuda_records_end(gsi_cuda_device *device, gsi_cuda_records_merge *merge)
{
    gsi_memory_free(device->config.ledger, merge->host_places.blocks, merge->host_block_count,
                    sizeof(uint8_t *));
}

const uint8_t *gsi_cuda_records_feed(gsi_cuda_device *device, gsi_cuda_records_merge *merge,
                                     const gsi_buffer *buffer)
{
    const cudaStream_t in = device->streams[GSI_CUDA_IN];
    const uint64_t n = buffer->bytes / merge->places.record_bytes;
    const uint64_t index = gsi_tag_index(buffer->tags[0]);
    const uint8_t *const host_tags = reinterpret_cast<const uint8_t *>(buffer->tags);
    uint8_t *const place = gsi_cuda_mirror(device, buffer);
    uint8_t *const tags = device->mirror + (host_tags - device->config.arena);
    gsi_cuda_check(device,
                   cudaMemcpyAsync(place, buffer->data, buffer->bytes, cudaMemcpyHostToDevice, in),
                   "cannot copy to the GPU");
    gsi_cuda_check(device,
                   cudaMemcpyAsync(tags, host_tags, n * GSI_TAG_BYTES, cudaMemcpyHostToDevice, in),
                   "cannot copy to the GPU");
    set_places(device, &merge->places, device->records.merge_blocks, index, place, n, GSI_CUDA_IN);
    merge->host_places
        .blocks[(index >> merge->host_places.shift) - merge->host_places.first_block] =
        buffer->data;
    return tags;
}

gsi_u128 gsi_cuda_records_upload(gsi_cuda_device *device, gsi_cuda_records_merge *merge,
                                 const uint8_t *records, uint64_t n, uint64_t index, uint8_t *to,
                                 uint8_t *tags)
{
    const cudaStream_t in = device->streams[GSI_CUDA_IN];
    gsi_record_table *host = &merge->host_places;
    const uint64_t record_bytes = record_of(device)->bytes, block_records = UINT64_C(1)
                                                                            << host->shift;
    gsi_cuda_check(device,
                   cudaMemcpyAsync(to, records, n * record_bytes, cudaMemcpyHostToDevice, in),
                   "cannot copy to the GPU");
    set_places(device, &merge->places, device->records.merge_blocks, index, to, n, GSI_CUDA_IN);
    gsi_cuda_check(
        device,
        gsi_cuda_records_tag(&merge->places, to, n, index, reinterpret_cast<gsi_u128 *>(tags), in),
        "cannot make tags");
    for (uint64_t i = 0; i < n; i += block_records)
        host->blocks[((index + i) >> host->shift) - host->first_block] = records + i * record_bytes;
    gsi_u128 last = 0;
    gsi_record_tags(record_of(device), records + (n - 1) * record_bytes, 1,
                    gsi_tag_choice_from(merge->places.at), index + n - 1, &last);
    return last;
}

const uint8_t *gsi_cuda_records_window(gsi_cuda_device *device, const gsi_cuda_records_merge *merge,
                                       const gsi_slice *slices, uint32_t count, uint8_t *window,
                                       gsi_records_seen *seen)
{
    const void *tags = slices[0].keys;
    uint8_t *const records = window + device->records.window_off;
    uint64_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += slices[i].count;
    if (count > 1) {
        gsi_cuda_window_merge(device, merge->kernels, slices, count, window, &merge->places);
        tags = window;
    }
    gsi_cuda_check(device,
                   gsi_cuda_records_gather(&merge->places, static_cast<const gsi_u128 *>(tags), n,
                                           records, seen, compute_of(device)),
                   "cannot gather records");
    return records;
}
