/* sorted_reader.c: brings pieces of sorted files into a merge. Which file is read next, what of a
 * piece is kept, and its order change one set of counters of each file: so it is long. */
#include "merge/sorted_reader.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/element_ops.h"
#include "element/key_scope.h"
#include "element/record/record_room.h"
#include "input/file_reader.h"
#include "loop/reorder.h"
#include "merge/set_filter.h"
#include "plan/plan.h"
#include "plan/plan_room.h"

#include <string.h>

/* Files that are read at a time, where there are too many to be open all at once: as many transfers
 * as reach the limit of a disk (input/source.c), two descriptors each. */
#define BUSY_FILES_MAX GSI_CONSTANT(16u, 3u)

/* What is known about a piece. */
struct state {
    bool is_checked;
    struct gsi_filtered kept;
    uint64_t other_bytes; /* that filtering read */
};

GSI_HOLDER_STATE(state_of, struct state)

struct gsi_sorted_file {
    struct gsi_file_reader reader; /* first: of its buffers the holder is the file */
    struct gsi_sorted_reader *sorted;
    uint32_t idx;                      /* of the reader's files */
    uint32_t input_idx;                /* of the merge */
    uint64_t first_index;              /* records: in tags, of its first one */
    uint64_t frame_count;              /* records: pieces that there are indexes for */
    uint64_t started_count, fed_count; /* pieces */
    uint64_t joined_count; /* with a filter: pieces that were started and went into others */
    uint64_t made_count;   /* and pieces made of them, with what is kept */
    struct gsi_reorder filtered;
    struct gsi_buffer *open;    /* what is kept so far; NULL: nothing */
    uint64_t element_count;     /* fed */
    uint32_t held_count;        /* buffers: being read, being checked, or the merge's */
    struct gsi_reorder checked; /* not those before them */
    uint8_t last_key[16];       /* of what was fed; */
    const uint8_t *last_record; /* in a buffer that the merge keeps until more is fed */
    gsi_u128 last_place, span;  /* of the piece fed last: where it ends, and how far it reaches */
};

/* The list of runs may have room for twice as many. */
static_assert(2 * sizeof(struct gsi_run_entry) + sizeof(struct gsi_sorted_file) +
                      sizeof(struct gsi_merge_input) + sizeof(uint64_t) + GSI_DEVICE_INPUT_BYTES <=
                  GSI_PLAN_RUN_TABLE_BYTES,
              "the plan reckons with as much");

static uint64_t coming_count(const struct gsi_sorted_file *file)
{
    return file->started_count - file->joined_count - file->fed_count;
}

static uint32_t index_shift(const struct gsi_sorted_reader *sorted)
{
    const struct gsi_plan *plan = sorted->inputs->loop->plan;
    return gsi_record_room_shift(plan->record_bytes, plan->frame_bytes);
}

uint64_t gsi_sorted_reader_frames(const struct gsi_plan *plan, const struct gsi_input *input)
{
    return input->is_stream
               ? plan->stream_frames
               : gsi_ceil_div_u64(input->bytes, gsi_plan_frame_room(plan, plan->frame_bytes));
}

/* ---- order ---- */

/* A key as a number with room above it for some spans. */
static gsi_u128 place_of_key(const struct gsi_layout *layout, const uint8_t *key)
{
    gsi_u128 place = 0;
    memcpy(&place, key, layout->key_bytes);
    return layout->key_bytes == sizeof place ? place >> 16 : place;
}

/* The first element that is below the one before it; UINT64_MAX: there is none in this piece. */
static uint64_t find_disorder(const struct gsi_sorted_file *file, const struct gsi_buffer *piece)
{
    const struct gsi_layout *layout = file->reader.inputs->loop->layout;
    const struct gsi_imprint *imprint = &piece->imprint;
    bool has_last = file->element_count > 0;
    if (has_last && layout->ops->compare_ends(layout, file->last_key, file->last_record, imprint,
                                              piece->data) > 0)
        return file->element_count;
    return imprint->disorder_idx == UINT64_MAX ? UINT64_MAX
                                               : file->element_count + imprint->disorder_idx;
}

/* Tags are made behind what the first and the last record of every file share, which is then shared
 * by all between them (sorted_inputs.h). So a record that does not share it comes after the last
 * one of its file. */
static bool is_in_scope(const struct gsi_layout *layout, const uint8_t *element)
{
    uint32_t shared = gsi_key_scope_shared(layout->scope);
    return gsi_record_shared(layout->record, layout->scope->first, element, 0, shared) == shared;
}

/* What one pass has written was filtered before. */
static bool is_filtered(const struct gsi_file_reader *reader)
{
    return gsi_inputs_filter(reader->inputs) && !reader->input->is_temporary;
}

static bool check_piece(const struct gsi_sorted_file *file, const struct gsi_buffer *piece)
{
    struct gsi_loop *loop = file->reader.inputs->loop;
    const struct gsi_layout *layout = loop->layout;
    const char *name = file->reader.input->name;
    uint64_t disorder = find_disorder(file, piece);
    uint64_t last = file->element_count + piece->bytes / layout->element_bytes - 1;
    bool has_filter = is_filtered(&file->reader);
    const char *of = has_filter ? " of the kept ones" : "";
    uint64_t passed = has_filter ? 0 : file->reader.input->passed_bytes / layout->element_bytes;
    if (disorder != UINT64_MAX && file->reader.input->is_temporary)
        gsi_fail(loop->error, GS_E_CORRUPT, 0,
                 "'%s': its elements are no longer sorted when they are read again; check the disk "
                 "and the memory",
                 name);
    else if (disorder != UINT64_MAX && file->reader.input->is_stretch)
        gsi_fail(loop->error, GS_E_INPUT, 0,
                 "'%s': changed while it was sorted: element %llu is now less than its "
                 "predecessor; do not change the inputs while they are sorted",
                 name, (unsigned long long)(passed + disorder));
    else if (disorder != UINT64_MAX)
        gsi_fail(loop->error, GS_E_INPUT, 0,
                 "'%s': is not sorted: element %llu%s is less than its predecessor; sort the file, "
                 "or leave --merge out",
                 name, (unsigned long long)(passed + disorder), of);
    else if (layout->scope != NULL &&
             !is_in_scope(layout, piece->data + piece->bytes - layout->element_bytes))
        gsi_fail(loop->error, GS_E_INPUT, 0,
                 "'%s': is not sorted: its last element is less than element %llu%s; sort the "
                 "file, or leave --merge out",
                 name, (unsigned long long)(passed + last), of);
    return !gsi_loop_has_failed(loop);
}

/* ---- feeding ---- */

/* What the next piece is compared with, and what is forecast from. */
static void remember_piece(struct gsi_sorted_file *file, const struct gsi_buffer *piece)
{
    const struct gsi_layout *layout = file->reader.inputs->loop->layout;
    const struct gsi_imprint *imprint = &piece->imprint;
    uint64_t n = piece->bytes / layout->element_bytes;
    gsi_u128 first;
    if (piece->tags != NULL) {
        first = gsi_tag_key(piece->tags[0]);
        file->last_place = gsi_tag_key(piece->tags[n - 1]);
        file->last_record = piece->data + piece->bytes - layout->element_bytes;
    } else {
        first = place_of_key(layout, imprint->first_key);
        file->last_place = place_of_key(layout, imprint->last_key);
        memcpy(file->last_key, imprint->last_key, sizeof file->last_key);
    }
    file->span = file->last_place - first;
    file->element_count += n;
}

/* The next piece, if it is in order. An empty one ends a stream. */
static void feed_piece(struct gsi_sorted_file *file, struct gsi_buffer *piece)
{
    struct gsi_sorted_reader *sorted = file->sorted;
    if (piece->bytes > 0) {
        if (!check_piece(file, piece))
            return;
        remember_piece(file, piece);
    }
    sorted->starved_file = sorted->file_count;
    sorted->begun_count += file->fed_count++ == 0;
    sorted->fed_count++;
    sorted->coming_count--;
    bool is_last = file->reader.is_end && coming_count(file) == 0;
    sorted->inputs->loop->device->ops->merge_feed(sorted->merge, file->input_idx, piece,
                                                  is_last ? NULL : file->last_key);
}

/* A piece is in memory, and known to be in order or not. Threads may be done with a later one
 * first. */
static void take_checked(struct gsi_sorted_file *file, struct gsi_buffer *piece)
{
    state_of(piece)->is_checked = true;
    gsi_reorder_add(&file->checked, piece);
    while (!gsi_loop_has_failed(file->reader.inputs->loop) &&
           (piece = gsi_reorder_take(&file->checked)) != NULL)
        feed_piece(file, piece);
}

/* Pieces come back in order. Only whole blocks are given back, so one that two pieces share goes
 * with the later one. */
static void release_disk(const struct gsi_file_reader *reader, const struct gsi_buffer *piece)
{
    const struct gsi_input *input = reader->input;
    uint64_t begin = input->base_off + piece->turn_idx * reader->piece_bytes;
    uint64_t end = gsi_round_down_u64(begin + piece->bytes, GSI_DIRECT_ALIGN);
    begin = gsi_round_down_u64(begin, GSI_DIRECT_ALIGN);
    if (end > begin)
        gsi_file_release(input->fd, begin, end - begin);
}

static void give_piece(struct gsi_sorted_file *file, struct gsi_buffer *piece)
{
    struct gsi_sorted_reader *sorted = file->sorted;
    if (file->reader.input->is_temporary)
        release_disk(&file->reader, piece);
    sorted->extra_count -= file->held_count-- > GSI_PLAN_OWN_FRAMES;
    gsi_buffers_give(sorted->buffers, piece);
}

void gsi_sorted_reader_take(struct gsi_sorted_reader *sorted, struct gsi_buffer *buffer)
{
    (void)sorted;
    struct gsi_sorted_file *file = buffer->holder;
    if (state_of(buffer)->is_checked)
        give_piece(file, buffer);
    else
        take_checked(file, buffer);
}

/* ---- reading ---- */

static void make_tags(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *piece = gsi_buffer_of_task(task);
    const struct gsi_sorted_file *file = piece->holder;
    const struct gsi_layout *layout = file->reader.inputs->loop->layout;
    gsi_layout_tags(layout, piece->data, piece->bytes / layout->element_bytes,
                    gsi_key_scope_shared(layout->scope),
                    file->first_index + (piece->turn_idx << index_shift(file->sorted)),
                    piece->tags);
}

static void tags_done(struct gsi_task *task)
{
    struct gsi_buffer *piece = gsi_buffer_of_task(task);
    const struct gsi_sorted_file *file = piece->holder;
    struct gsi_device *device = file->reader.inputs->loop->device;
    device->ops->reduce(device, piece, true);
}

/* A piece as the merge will see it. */
static void check(struct gsi_sorted_file *file, struct gsi_buffer *piece)
{
    struct gsi_file_reader *reader = &file->reader;
    struct gsi_loop *loop = reader->inputs->loop;
    if (piece->bytes == 0) {
        take_checked(file, piece);
    } else if (piece->tags == NULL) {
        loop->device->ops->reduce(loop->device, piece, true);
    } else if (piece->turn_idx == file->frame_count) {
        gsi_fail(loop->error, GS_E_MEMORY, 0,
                 "'%s': this stream of records is too long for --memory (%llu bytes can be "
                 "merged); raise --memory, or %s",
                 reader->input->name, (unsigned long long)(file->frame_count * reader->piece_bytes),
                 reader->unpack != NULL ? "decompress it first" : "merge from a file");
    } else {
        piece->task = (struct gsi_task){.run = make_tags, .done = tags_done};
        gsi_pool_submit(loop->pool, &piece->task);
    }
}

/* ---- filtering ---- */

static void keep(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_buffer *piece = gsi_buffer_of_task(task);
    const struct gsi_sorted_file *file = piece->holder;
    const struct gsi_inputs *inputs = file->reader.inputs;
    const uint32_t element = inputs->layout->element_bytes;
    struct gsi_filtered *kept = &state_of(piece)->kept;
    size_t n = piece->bytes / element;
    uint64_t first = piece->turn_idx * (file->reader.piece_bytes / element);
    if (inputs->filter != NULL)
        n = gsi_filter_apply(inputs->filter, piece->data, n, NULL, kept);
    if (inputs->sets != NULL)
        n = gsi_set_filter_apply(inputs->sets, worker_idx, file->reader.input, first, piece->data,
                                 n, kept, &state_of(piece)->other_bytes);
    piece->bytes = element * n;
}

/* Nothing of a file is coming but what waits in its open piece. */
static bool is_waiting(const struct gsi_sorted_file *file)
{
    return coming_count(file) == (file->open != NULL) && !file->reader.is_end;
}

/* The open piece is as full as it gets. */
static void close_open(struct gsi_sorted_file *file)
{
    struct gsi_buffer *piece = file->open;
    file->open = NULL;
    file->sorted->open_count--;
    piece->turn_idx = file->made_count++;
    check(file, piece);
}

static void open_piece(struct gsi_sorted_file *file, struct gsi_buffer *piece)
{
    file->open = piece;
    file->sorted->open_count++;
}

/* What is kept of a piece goes into the open one; what has no room there is the next open one. */
static void join_piece(struct gsi_sorted_file *file, struct gsi_buffer *piece)
{
    const uint64_t full = file->reader.piece_bytes;
    if (file->open == NULL) {
        open_piece(file, piece);
    } else {
        struct gsi_buffer *open = file->open;
        uint64_t moved = gsi_min_u64(piece->bytes, full - open->bytes);
        memcpy(open->data + open->bytes, piece->data, moved);
        open->bytes += moved;
        piece->bytes -= moved;
        if (piece->bytes == 0) {
            file->joined_count++;
            file->sorted->coming_count--;
            give_piece(file, piece);
            if (file->sorted->starved_file == file->idx && is_waiting(file))
                file->sorted->needed_file = file->idx; /* the merge did not get what it waits for */
        } else {
            memmove(piece->data, piece->data + moved, piece->bytes);
            close_open(file);
            open_piece(file, piece);
        }
    }
    bool is_last = file->reader.is_end && file->filtered.next == file->started_count;
    if (is_last || file->open->bytes == full)
        close_open(file);
}

static void keep_done(struct gsi_task *task)
{
    struct gsi_buffer *piece = gsi_buffer_of_task(task);
    struct gsi_sorted_file *file = piece->holder;
    struct gsi_inputs *inputs = file->reader.inputs;
    gsi_filtered_add(&inputs->filtered, &state_of(piece)->kept);
    gsi_loop_now(inputs->loop)->bytes_read += state_of(piece)->other_bytes;
    if (inputs->sets != NULL && gsi_set_filter_check(inputs->sets, inputs->loop->error) != GS_OK)
        return;
    gsi_reorder_add(&file->filtered, piece);
    while (!gsi_loop_has_failed(file->reader.inputs->loop) &&
           (piece = gsi_reorder_take(&file->filtered)) != NULL)
        join_piece(file, piece);
}

static void piece_read(struct gsi_file_reader *reader, struct gsi_buffer *piece)
{
    struct gsi_sorted_file *file = (struct gsi_sorted_file *)reader;
    file->sorted->busy_count -= !reader->input->is_stream && reader->reading_count == 0;
    if (!is_filtered(reader)) {
        check(file, piece);
        return;
    }
    state_of(piece)->kept = (struct gsi_filtered){0};
    state_of(piece)->other_bytes = 0;
    piece->task = (struct gsi_task){.run = keep, .done = keep_done, .is_urgent = true};
    gsi_pool_submit(reader->inputs->loop->pool, &piece->task);
}

/* ---- which file ---- */

static bool can_read(const struct gsi_sorted_file *file)
{
    const struct gsi_file_reader *reader = &file->reader;
    if (reader->is_end || (reader->input->is_stream && reader->reading_count > 0))
        return false;
    return reader->input->is_stream || reader->reading_count > 0 || !reader->inputs->are_many ||
           file->sorted->busy_count < BUSY_FILES_MAX;
}

/* Where what was started of a file will end. */
static gsi_u128 forecast(const struct gsi_sorted_file *file)
{
    return file->last_place + file->span * coming_count(file);
}

/* Files with fewer buffers than are their own come first, the one with the fewest; then the lowest
 * forecast. */
static bool comes_before(const struct gsi_sorted_file *a, const struct gsi_sorted_file *b)
{
    uint64_t a_held = gsi_min_u64(a->held_count, GSI_PLAN_OWN_FRAMES);
    uint64_t b_held = gsi_min_u64(b->held_count, GSI_PLAN_OWN_FRAMES);
    return a_held != b_held ? a_held < b_held : forecast(a) < forecast(b);
}

/* The file to be read next; NULL: none can or may be. */
static struct gsi_sorted_file *choose_file(const struct gsi_sorted_reader *sorted)
{
    struct gsi_sorted_file *best = NULL;
    /* Of a file alone none is needed: of what is read of it nothing may be kept for long. */
    bool has_forecasts = sorted->file_count == 1 || sorted->begun_count == sorted->file_count;
    if (sorted->needed_file < sorted->file_count) {
        struct gsi_sorted_file *needed = &sorted->files[sorted->needed_file];
        return can_read(needed) ? needed : NULL;
    }
    for (uint32_t i = 0; i < sorted->file_count; i++) {
        struct gsi_sorted_file *file = &sorted->files[i];
        bool is_extra = file->held_count >= GSI_PLAN_OWN_FRAMES;
        if (is_extra && (sorted->extra_count >= sorted->spare_count || !has_forecasts))
            continue;
        if (can_read(file) && (best == NULL || comes_before(file, best)))
            best = file;
    }
    return best;
}

static void start_piece(struct gsi_sorted_reader *sorted, struct gsi_sorted_file *file)
{
    struct gsi_buffer *buffer = gsi_buffers_take(sorted->buffers);
    buffer->turn_idx = file->started_count++;
    state_of(buffer)->is_checked = false;
    sorted->coming_count++;
    sorted->extra_count += ++file->held_count > GSI_PLAN_OWN_FRAMES;
    sorted->busy_count += !file->reader.input->is_stream && file->reader.reading_count == 0;
    sorted->needed_file = sorted->file_count;
    gsi_file_reader_start(&file->reader, buffer);
}

bool gsi_sorted_reader_pump(struct gsi_sorted_reader *sorted)
{
    bool has_moved = false;
    struct gsi_sorted_file *file;
    while (!sorted->is_stopped && sorted->buffers->free_count > 0 &&
           !gsi_loop_has_failed(sorted->inputs->loop) && (file = choose_file(sorted)) != NULL) {
        start_piece(sorted, file);
        has_moved = true;
    }
    return has_moved;
}

bool gsi_sorted_reader_need(struct gsi_sorted_reader *sorted, uint32_t input_idx)
{
    for (uint32_t i = 0; i < sorted->file_count; i++) {
        const struct gsi_sorted_file *file = &sorted->files[i];
        if (file->input_idx != input_idx)
            continue;
        sorted->starved_file = i;
        if (is_waiting(file)) {
            sorted->needed_file = i;
            return true;
        }
    }
    return false;
}

/* ---- begin and end ---- */

void gsi_sorted_reader_clear(struct gsi_sorted_reader *sorted)
{
    if (sorted->inputs == NULL)
        return;
    for (uint32_t i = 0; sorted->files != NULL && i < sorted->file_count; i++)
        gsi_frames_reader_close(sorted->files[i].reader.unpack);
    GSI_FREE(&sorted->inputs->loop->ledger, sorted->files, sorted->file_count);
    *sorted = (struct gsi_sorted_reader){0};
}

enum gs_status gsi_sorted_reader_init(struct gsi_sorted_reader *sorted, struct gsi_inputs *inputs,
                                      struct gsi_buffers *buffers,
                                      const struct gsi_run_entry *entries,
                                      const uint64_t *first_indexes, uint32_t count)
{
    uint32_t file_count = 0, added = 0;
    for (uint32_t i = 0; i < count; i++)
        file_count += entries[i].file != NULL;
    *sorted = (struct gsi_sorted_reader){.inputs = inputs,
                                         .buffers = buffers,
                                         .file_count = file_count,
                                         .needed_file = file_count,
                                         .starved_file = file_count};
    enum gs_status status =
        GSI_NEW(&inputs->loop->ledger, sorted->files, file_count, inputs->loop->error);
    if (status != GS_OK)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].file == NULL)
            continue;
        struct gsi_sorted_file *file = &sorted->files[added];
        file->idx = added++;
        gsi_file_reader_init(&file->reader, inputs, entries[i].file, piece_read);
        file->sorted = sorted;
        file->input_idx = i;
        file->first_index = first_indexes[i];
        file->frame_count = gsi_sorted_reader_frames(inputs->loop->plan, entries[i].file);
        if (entries[i].file->coding != GSI_CODING_NONE)
            GSI_TRY(
                gsi_frames_reader_open(&file->reader.unpack, inputs->loop, &inputs->plan->unpack));
    }
    uint64_t reserved = gsi_plan_fed_frames(inputs->loop->plan, file_count);
    sorted->spare_count = buffers->count > reserved ? buffers->count - reserved : 0;
    return GS_OK;
}

bool gsi_sorted_reader_is_idle(const struct gsi_sorted_reader *sorted)
{
    if (sorted->coming_count > sorted->open_count)
        return false;
    for (uint32_t i = 0; i < sorted->file_count; i++)
        if (!gsi_frames_reader_is_idle(sorted->files[i].reader.unpack))
            return false;
    return true;
}
