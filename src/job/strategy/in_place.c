/* in_place.c: splits the array into pieces, until each is small enough for one thread:
 *
 *     [ elements                              ]   1. split, on all threads: fingerprint, to keys
 *     [ keys below the pivot | others         ]   2. and so on; on more threads if it is large
 *     [ piece   | piece      | piece  | piece ]   3. a thread each: sort; then, a part that is in
 *     [ elements                              ]      the cache: check, fingerprint, tally, back
 *
 * All keys of a piece are below all keys of the next one, so nothing is merged. Sorted pieces are
 * in their final place, and are delivered in order once all are sorted.
 *
 * All state but the inside of a task belongs to the owner's thread. All steps need the table of
 * pieces, so they are in one file. */
#include "job/strategy/strategy.h"

#include "base/assert.h"
#include "base/checked.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "device/cpu/cpu_partition.h"
#include "device/cpu/cpu_presorted.h"
#include "device/cpu/cpu_wide_sort.h"
#include "element/tally/digest.h"
#include "element/tally/tally_sums.h"
#include "io/array.h"
#include "job/job_report.h"
#include "loop/loop.h"
#include "output/verify.h"
#include "plan/plan.h"

#include <string.h>

/* A thread is worth its start for as much. */
#define THREAD_MIN_BYTES (GSI_SMALL_ARRAY_END_BYTES / 2)

/* Pieces a thread, so that none waits long for the last; each time they are halved costs 0.4 ns a
 * key more than if VQSort did it. And one is not larger than what is sorted in half a second, for a
 * cancel has to wait for that. */
#define PIECES_A_THREAD 4
#define PIECE_MIN_BYTES THREAD_MIN_BYTES
#define PIECE_MAX_BYTES GSI_CONSTANT((uint64_t)256 << 20, (uint64_t)64 << 10)

/* The median of so many keys has the rank n / 2, give or take n / 32. */
#define SAMPLE_KEYS 255

/* At most so many of these rise, or fall, if there is an order: a quarter of those that do so by
 * chance. */
#define FEW_KEYS (SAMPLE_KEYS / 8)

/* A larger file that is mapped is read once and written once, because the machine may keep only a
 * part of it in memory. */
#define MAPPED_MAX_BYTES ((uint64_t)16 << 20)

/* The bytes of sorted keys that are processed at a time. They fit in the first-level cache for all
 * steps. */
#define PART_BYTES ((size_t)16 << 10)

enum piece_state { PIECE_RAW, PIECE_KEYS, PIECE_DONE };

struct worker;

struct piece {
    struct in_place *sort;
    uint64_t begin, count;
    gsi_u128 least, most; /* no key is below or above these */
    enum piece_state state;
    uint32_t working_count; /* tasks that split it, each with a worker */
    struct worker *workers; /* of these */
    struct gsi_partition split;
    struct gsi_digest digest; /* once it is done */
    struct piece *next;       /* in the array */
    struct piece *next_waiting;
};

struct worker {
    struct gsi_task task;
    struct in_place *sort;
    struct piece *piece;
    struct worker *next;         /* of the piece, or free */
    uint64_t fingerprint[2];     /* of elements, before the map to keys */
    struct gsi_tally_sums tally; /* of keys, at the map to elements */
    struct gsi_partition_worker split;
};

struct in_place {
    struct gsi_job *job;
    struct gsi_loop *loop;
    const struct gsi_layout *layout;
    uint8_t *elements;
    uint64_t count, piece_keys;
    uint32_t thread_count, worker_count, working_count;
    uint64_t piece_room, piece_count, splitting_count; /* each split adds one */
    struct piece *pieces;                              /* the first one begins the array */
    struct piece *waiting, **last_waiting;
    struct worker *workers, *free_workers; /* the last one is in no list: what blocks leave over */
    uint64_t workers_bytes;
    uint8_t *scratch; /* of keys of 16 bytes: GSI_WIDE_SORT_BYTES for each thread of the pool */
    uint64_t scratch_bytes;
    atomic_bool stop;
    struct gsi_delivery delivery;
};

/* Returns whether runs that rise or fall are many times as long as in random data: among sampled
 * elements few fall, or few rise. A partition would undo their order, where a merge has little left
 * to do (device/cpu/cpu_presorted.h). */
static bool has_order(const struct gsi_job *job)
{
    const struct gsi_layout *layout = &job->chosen.layout;
    const uint32_t bytes = layout->key_bytes;
    uint64_t count = job->array->bytes / bytes;
    uint32_t rises = 0, falls = 0;
    uint8_t keys[2][16];
    gsi_element_to_key(layout, job->array->from, keys[0]);
    for (uint64_t i = 1; i < SAMPLE_KEYS; i++) {
        uint64_t at = gsi_part_begin(count, i, SAMPLE_KEYS);
        gsi_element_to_key(layout, job->array->from + at * bytes, keys[i % 2]);
        int order = gsi_key_compare(layout, keys[(i + 1) % 2], keys[i % 2]);
        rises += order < 0;
        falls += order > 0;
    }
    return rises < FEW_KEYS || falls < FEW_KEYS;
}

/* Returns whether the array is all that is read, and the output, too. */
static bool is_whole_array(const struct gsi_job *job)
{
    const struct gsi_array *array = job->array;
    const struct gsi_input *input = &job->inputs.table[0];
    return array != NULL && array->from == array->to && array->bytes > 0 &&
           input->bytes == array->bytes && input->base_off == 0 &&
           (uintptr_t)array->from % job->chosen.layout.align_bytes == 0;
}

/* Returns whether elements are numbers that are written as they were read, all of them. */
static bool are_plain_numbers(const struct gsi_job *job)
{
    const struct gsi_layout *layout = &job->chosen.layout;
    return gsi_layout_is_native(layout) && !layout->has_moments && job->inputs.entry_map == NULL &&
           !gsi_inputs_may_shrink(&job->inputs) && job->plan.sizes.top_room == 0;
}

/* Returns whether a sort with chunks would be no faster, and no option asks for chunks. */
static bool pays(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_plan *plan = &job->plan.sizes;
    return plan->device_bytes == 0 && plan->spilled_runs == 0 && options->chunk_bytes == 0 &&
           options->window_bytes == 0 &&
           (job->array->bytes <= MAPPED_MAX_BYTES || !gsi_array_is_mapped(job->array)) &&
           !has_order(job);
}

bool gsi_in_place_is(const struct gsi_job *job)
{
    return is_whole_array(job) && are_plain_numbers(job) && pays(job);
}

static uint8_t *keys_of(const struct piece *piece)
{
    return piece->sort->elements + piece->begin * piece->sort->layout->key_bytes;
}

/* ---- on threads ---- */

static void prepare(void *context, void *elements, size_t n)
{
    struct worker *worker = context;
    gsi_fingerprint_add_map(worker->sort->layout, worker->fingerprint, elements, n);
}

static void split(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct worker *worker = GSI_CONTAINER_OF(task, struct worker, task);
    gsi_partition_run(&worker->piece->split, &worker->split);
}

/* Maps sorted keys to elements. */
static void finish_keys(const struct gsi_layout *layout, struct gsi_digest *digest,
                        struct gsi_tally_sums *tally, uint8_t *keys, uint64_t n)
{
    const size_t part = PART_BYTES / layout->key_bytes;
    *digest = GSI_DIGEST_EMPTY;
    for (size_t step; n > 0; n -= step, keys += step * layout->key_bytes) {
        step = gsi_min_u64(part, n);
        gsi_digest_add_unmap(layout, digest, keys, step);
        gsi_tally_sums_add_sorted(layout, tally, keys, step);
    }
}

static void finish(struct gsi_task *task, uint32_t worker_idx)
{
    struct worker *worker = GSI_CONTAINER_OF(task, struct worker, task);
    struct piece *piece = worker->piece;
    const struct gsi_layout *layout = worker->sort->layout;
    uint8_t *keys = keys_of(piece), *scratch = worker->sort->scratch;
    if (atomic_load(&worker->sort->stop))
        return;
    if (scratch != NULL)
        scratch += worker_idx * GSI_WIDE_SORT_BYTES;
    if (piece->state == PIECE_RAW)
        prepare(worker, keys, piece->count);
    if (piece->least != piece->most)
        gsi_sort_keys(layout->key_bytes, keys, piece->count, scratch);
    finish_keys(layout, &piece->digest, &worker->tally, keys, piece->count);
    piece->state = PIECE_DONE;
}

/* ---- pieces ---- */

static void wait_in_line(struct in_place *sort, struct piece *piece)
{
    piece->next_waiting = NULL;
    *sort->last_waiting = piece;
    sort->last_waiting = &piece->next_waiting;
}

static void give_worker(struct worker *worker)
{
    struct in_place *sort = worker->sort;
    worker->piece = NULL;
    worker->next = sort->free_workers;
    sort->free_workers = worker;
    sort->working_count--;
}

static struct worker *submit(struct piece *piece, void (*run)(struct gsi_task *, uint32_t),
                             void (*done)(struct gsi_task *))
{
    struct in_place *sort = piece->sort;
    struct worker *worker = sort->free_workers;
    sort->free_workers = worker->next;
    sort->working_count++;
    worker->piece = piece;
    worker->task = (struct gsi_task){.run = run, .done = done};
    return worker;
}

/* Samples keys of the piece, in order. */
static void take_sample(const struct piece *piece, uint8_t *sample)
{
    const struct gsi_layout *layout = piece->sort->layout;
    const uint32_t bytes = layout->key_bytes;
    for (uint64_t i = 0; i < SAMPLE_KEYS; i++) {
        const uint8_t *key = keys_of(piece) + gsi_mix_u64(i) % piece->count * bytes;
        if (piece->state == PIECE_RAW)
            gsi_element_to_key(layout, key, sample + i * bytes);
        else
            memcpy(sample + i * bytes, key, bytes);
    }
    gsi_leaf_sort(bytes, sample, SAMPLE_KEYS);
}

/* Returns the median, but never the least possible key, because no key is below it. */
static gsi_u128 choose_pivot(const struct piece *piece)
{
    _Alignas(16) uint8_t sample[SAMPLE_KEYS * 16];
    uint32_t bytes = piece->sort->layout->key_bytes;
    gsi_u128 pivot = 0;
    take_sample(piece, sample);
    memcpy(&pivot, sample + (size_t)(SAMPLE_KEYS / 2) * bytes, bytes);
    return pivot == piece->least ? pivot + 1 : pivot;
}

/* ---- splits ---- */

/* All blocks are partitioned: replaces the piece by two. */
static void become_two(struct piece *piece, struct gsi_partition_worker *const *workers,
                       uint32_t count)
{
    struct in_place *sort = piece->sort;
    struct worker *rest = &sort->workers[sort->worker_count];
    gsi_u128 pivot = 0;
    gsi_partition_worker_begin(&rest->split, rest);
    memcpy(&pivot, piece->split.pivot, sort->layout->key_bytes);
    uint64_t below = gsi_partition_end(&piece->split, workers, count, &rest->split);
    struct piece *others = &sort->pieces[sort->piece_count++];
    *others = (struct piece){.sort = sort,
                             .begin = piece->begin + below,
                             .count = piece->count - below,
                             .least = pivot,
                             .most = piece->most,
                             .state = PIECE_KEYS,
                             .next = piece->next};
    piece->count = below;
    piece->most = pivot - 1;
    piece->state = PIECE_KEYS;
    piece->next = others;
    wait_in_line(sort, piece);
    wait_in_line(sort, others);
}

/* The piece is not split. Elements that were mapped to keys are mapped back. */
static void stay_one(struct piece *piece, struct gsi_partition_worker *const *workers,
                     uint32_t count)
{
    const struct gsi_layout *layout = piece->sort->layout;
    uint64_t begin, end;
    gsi_partition_restore(&piece->split, workers, count, &begin, &end);
    if (piece->state != PIECE_RAW)
        return;
    gsi_keys_to_elements(layout, keys_of(piece), begin);
    gsi_keys_to_elements(layout, keys_of(piece) + end * layout->key_bytes, piece->count - end);
}

static void end_split(struct piece *piece)
{
    struct in_place *sort = piece->sort;
    struct gsi_partition_worker *workers[GSI_THREADS_MAX];
    uint32_t count = 0;
    for (struct worker *worker = piece->workers; worker != NULL; worker = worker->next)
        workers[count++] = &worker->split;
    (atomic_load(&sort->stop) ? stay_one : become_two)(piece, workers, count);
    for (struct worker *worker = piece->workers, *next; worker != NULL; worker = next) {
        next = worker->next;
        give_worker(worker);
    }
    piece->workers = NULL;
    sort->splitting_count--;
}

static void split_done(struct gsi_task *task)
{
    struct worker *worker = GSI_CONTAINER_OF(task, struct worker, task);
    struct piece *piece = worker->piece;
    if (--piece->working_count == 0)
        end_split(piece);
}

/* As many threads as its part of the array. */
static void start_split(struct piece *piece)
{
    struct in_place *sort = piece->sort;
    uint64_t threads = (uint64_t)((gsi_u128)piece->count * sort->thread_count / sort->count);
    gsi_u128 pivot = choose_pivot(piece);
    sort->splitting_count++;
    gsi_partition_begin(&piece->split, sort->layout->key_bytes, keys_of(piece), piece->count,
                        &pivot);
    piece->split.prepare = piece->state == PIECE_RAW ? prepare : NULL;
    piece->split.stop = &sort->stop;
    while (sort->free_workers != NULL && piece->working_count < gsi_max_u64(threads, 1)) {
        struct worker *worker = submit(piece, split, split_done);
        worker->next = piece->workers;
        piece->workers = worker;
        piece->working_count++;
        gsi_partition_worker_begin(&worker->split, worker);
    }
    for (struct worker *worker = piece->workers; worker != NULL; worker = worker->next)
        gsi_pool_submit(sort->loop->pool, &worker->task);
}

/* ---- the stage ---- */

static void finish_done(struct gsi_task *task)
{
    struct worker *worker = GSI_CONTAINER_OF(task, struct worker, task);
    struct in_place *sort = worker->sort;
    sort->loop->done_bytes += worker->piece->count * sort->layout->element_bytes;
    give_worker(worker);
}

static bool is_for_one(const struct piece *piece)
{
    const struct in_place *sort = piece->sort;
    return piece->count <= sort->piece_keys || piece->least == piece->most ||
           sort->piece_count + sort->splitting_count >= sort->piece_room;
}

static bool pump(void *context)
{
    struct in_place *sort = context;
    bool has_moved = false;
    while (sort->waiting != NULL && sort->free_workers != NULL) {
        struct piece *piece = sort->waiting;
        if ((sort->waiting = piece->next_waiting) == NULL)
            sort->last_waiting = &sort->waiting;
        if (is_for_one(piece))
            gsi_pool_submit(sort->loop->pool, &submit(piece, finish, finish_done)->task);
        else
            start_split(piece);
        has_moved = true;
    }
    return has_moved;
}

static bool is_done(const void *context)
{
    const struct in_place *sort = context;
    return sort->waiting == NULL && sort->working_count == 0;
}

/* ---- output ---- */

static enum gs_status deliver(struct in_place *sort)
{
    struct gsi_delivery *delivery = &sort->delivery;
    struct gsi_loop *loop = sort->loop;
    struct gsi_buffer window = {0}; /* the sink returns it when it has read it */
    const struct gsi_stage stage = gsi_delivery_stage(delivery);
    GSI_TRY(gsi_delivery_start(delivery));
    for (const struct piece *piece = sort->pieces; piece != NULL; piece = piece->next) {
        window.data = window.memory = keys_of(piece);
        window.bytes = window.capacity = piece->count * sort->layout->element_bytes;
        window.digest = piece->digest;
        if (window.bytes > 0)
            gsi_delivery_accept(delivery, &window);
        loop->done_bytes += window.bytes;
    }
    gsi_delivery_end(delivery);
    enum gs_status status = gsi_loop_run(loop, &stage, 1);
    delivery->windows = (struct gsi_buffers){0};
    return status;
}

static void join_tallies(struct in_place *sort)
{
    struct gsi_tally_sums all;
    gsi_u128 fingerprint = 0;
    gsi_tally_sums_clear(&all);
    for (uint32_t i = 0; i <= sort->worker_count; i++) {
        gsi_tally_sums_join(&all, &sort->workers[i].tally);
        fingerprint += gsi_fingerprint(sort->workers[i].fingerprint);
    }
    all.fingerprint = fingerprint; /* of elements, before the map to keys */
    all.count = sort->count;
    sort->job->report->tally = gsi_tally_sums_report(sort->layout, &all);
}

/* The array holds the elements that it held before, in order. */
static enum gs_status verify(struct in_place *sort)
{
    const struct gsi_verification verification = {.delivery = &sort->delivery,
                                                  .tally = &sort->job->report->tally,
                                                  .fields = sort->job->report->field_tallies,
                                                  .most_count = UINT64_MAX,
                                                  .cause =
                                                      "do not change it while it is sorted, or "};
    return gsi_verify(&verification);
}

/* ---- begin and end ---- */

static enum gs_status open_sort(struct in_place *sort)
{
    struct gsi_job *job = sort->job;
    struct gsi_ledger *ledger = &job->loop.ledger;
    void *memory;
    uint64_t bytes = job->array->bytes;
    uint32_t key_bytes = sort->layout->key_bytes;
    sort->elements = job->array->to;
    sort->count = bytes / key_bytes;
    sort->thread_count = (uint32_t)gsi_clamp_u64(job->plan.sizes.thread_count, 1,
                                                 gsi_max_u64(bytes / THREAD_MIN_BYTES, 1));
    sort->piece_keys = gsi_clamp_u64(bytes / (sort->thread_count * (uint64_t)PIECES_A_THREAD),
                                     PIECE_MIN_BYTES, PIECE_MAX_BYTES) /
                       key_bytes;
    /* Twice as many as there would be if all splits were even. */
    sort->piece_room = 8 + 4 * (sort->count / sort->piece_keys + 1);
    sort->worker_count = sort->thread_count > 1 ? 2 * sort->thread_count : 1;
    sort->last_waiting = &sort->waiting;
    gsi_leaf_prepare(key_bytes);
    GSI_TRY(GSI_NEW(ledger, sort->pieces, sort->piece_room, job->loop.error));
    sort->workers_bytes = (sort->worker_count + 1) * sizeof *sort->workers;
    GSI_TRY(
        gsi_memory_map(ledger, GSI_MEMORY_SCRATCH, sort->workers_bytes, &memory, job->loop.error));
    sort->workers = memory;
    if (key_bytes == 16) {
        sort->scratch_bytes = gsi_pool_thread_count(sort->loop->pool) * GSI_WIDE_SORT_BYTES;
        GSI_TRY(gsi_memory_map(ledger, GSI_MEMORY_SCRATCH, sort->scratch_bytes, &memory,
                               job->loop.error));
        sort->scratch = memory;
    }
    for (uint32_t i = 0; i <= sort->worker_count; i++) {
        struct worker *worker = &sort->workers[i];
        worker->sort = sort;
        gsi_tally_sums_clear(&worker->tally);
        if (i == sort->worker_count)
            break;
        worker->next = sort->free_workers;
        sort->free_workers = worker;
    }
    return gsi_delivery_open(&sort->delivery, &job->target, gsi_job_delivery_report(job), true);
}

static void close_sort(struct in_place *sort)
{
    struct gsi_ledger *ledger = &sort->loop->ledger;
    gsi_delivery_clear(&sort->delivery);
    GSI_FREE(ledger, sort->pieces, sort->piece_room);
    gsi_memory_unmap(ledger, GSI_MEMORY_SCRATCH, sort->scratch, sort->scratch_bytes);
    gsi_memory_unmap(ledger, GSI_MEMORY_SCRATCH, sort->workers, sort->workers_bytes);
}

/* After a failure, maps all keys back to elements. */
static void restore(struct in_place *sort)
{
    atomic_store(&sort->stop, true);
    gsi_loop_drain(sort->loop);
    for (struct piece *piece = sort->pieces; piece != NULL; piece = piece->next)
        if (piece->state == PIECE_KEYS)
            gsi_keys_to_elements(sort->layout, keys_of(piece), piece->count);
    sort->job->array->is_whole = true;
}

static enum gs_status sort_pieces(struct in_place *sort)
{
    struct gsi_loop *loop = sort->loop;
    const struct gsi_stage stage = {.context = sort, .pump = pump, .is_done = is_done};
    const gsi_u128 most = ~(gsi_u128)0 >> (128 - 8 * sort->layout->key_bytes);
    gsi_loop_begin_phase(loop, GS_PHASE_READ, sort->job->array->bytes);
    if (gsi_cancel_is_set(loop->cancel))
        return gsi_fail(loop->error, GS_E_CANCELED, 0, "canceled");
    sort->pieces[sort->piece_count++] =
        (struct piece){.sort = sort, .count = sort->count, .most = most, .state = PIECE_RAW};
    wait_in_line(sort, &sort->pieces[0]);
    sort->job->array->is_written = true;
    gsi_loop_phase_counts(loop)->bytes_read += sort->job->array->bytes;
    enum gs_status status = gsi_loop_run(loop, &stage, 1);
    if (status != GS_OK)
        restore(sort);
    return status;
}

static enum gs_status sort_all(struct in_place *sort)
{
    struct gsi_job *job = sort->job;
    GSI_TRY(open_sort(sort));
    GSI_TRY(sort_pieces(sort));
    join_tallies(sort);
    GSI_TRY(deliver(sort));
    GSI_TRY(verify(sort));
    gsi_stream_check_ends(&sort->delivery.check, &job->report->ends);
    return gsi_job_commit(job, &sort->delivery, NULL);
}

/* Reports a plan without chunks, windows and runs. */
static void report_plan(struct gsi_job *job)
{
    struct gsi_plan *plan = &job->report->plan;
    *plan = (struct gsi_plan){.input_bytes = plan->input_bytes,
                              .output_bytes = plan->output_bytes,
                              .memory_bytes = plan->memory_bytes,
                              .thread_count = plan->thread_count,
                              .run_count = 1,
                              .is_in_place = true};
    job->report->device.name = job->device.ops->name;
}

enum gs_status gsi_in_place(struct gsi_job *job)
{
    struct in_place sort = {.job = job, .loop = &job->loop, .layout = job->loop.layout};
    report_plan(job);
    job->run_count = 1;
    enum gs_status status = sort_all(&sort);
    close_sort(&sort);
    return status;
}
