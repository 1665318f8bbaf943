/* pre_aggregate.c: keeps hash tables of records by their keys. They use open addressing; a search
 * takes one or two probes. */
#include "element/fold/pre_aggregate.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/compare.h"
#include "element/record/record_mix.h"
#include "element/record/record_tally.h"

#include <string.h>

/* The tables of all threads together take this part of memory. A table is never more than half
 * full. One of 2 MiB holds 2^18 keys, about as many as a core's own cache can serve. */
#define TABLES_PART 16
#define TABLE_MOST  GSI_CONSTANT((uint64_t)1 << 19, (uint64_t)1 << 8) /* slots */
#define TABLE_LEAST GSI_CONSTANT((uint64_t)1 << 12, (uint64_t)1 << 5)
#define EMPTY       UINT32_MAX
_Static_assert(TABLE_LEAST <= TABLE_MOST && TABLE_MOST < EMPTY, "slots hold indexes of records");

/* Records that are looked up at a time. */
#define AHEAD ((size_t)16)

/* If more than 7 in 8 records of a buffer stay, so many next buffers are only tallied. If it
 * happens with held records, so many next buffers are folded without them. */
#define IDLE_BUFFERS GSI_CONSTANT(15, 2)

/* A thread holds a buffer if there are so many buffers per thread. */
#define HOLD_BUFFERS GSI_CONSTANT(4, 1)

struct gsi_pre_aggregate_worker {
    uint32_t *slots;     /* indexes of records */
    uint32_t slot_count; /* slots of the next table: as many as fit, or as were useful */
    struct gsi_record_tally *tally;
    uint32_t idle_count;
    uint64_t folded_count;
    struct gsi_pre_aggregate_batch held; /* without an owner: none */
    uint32_t apart_count;                /* so many next buffers are folded without held records */
    bool is_listed;                      /* the table contains the held records */
};

static uint32_t slots_for(uint64_t memory_bytes, uint32_t thread_count)
{
    uint64_t most = memory_bytes / TABLES_PART / ((uint64_t)thread_count + 1) / sizeof(uint32_t);
    uint64_t slots = TABLE_LEAST;
    while (2 * slots <= gsi_min_u64(most, TABLE_MOST))
        slots *= 2;
    return (uint32_t)slots;
}

static void lay_out(struct gsi_pre_aggregate *pre_aggregate, const struct gsi_layout *layout,
                    uint64_t memory_bytes, uint32_t thread_count, struct gsi_bump *bump)
{
    pre_aggregate->slot_count = slots_for(memory_bytes, thread_count);
    pre_aggregate->worker_count = thread_count + 1;
    GSI_BUMP_ALLOC(bump, pre_aggregate->group, 1);
    GSI_BUMP_ALLOC(bump, pre_aggregate->workers, pre_aggregate->worker_count);
    for (uint32_t i = 0; i < pre_aggregate->worker_count; i++) {
        struct gsi_pre_aggregate_worker worker = {.slot_count = pre_aggregate->slot_count};
        GSI_BUMP_ALLOC(bump, worker.slots, pre_aggregate->slot_count);
        worker.tally = gsi_record_tally_alloc(layout, bump);
        if (pre_aggregate->workers != NULL)
            pre_aggregate->workers[i] = worker;
    }
}

struct gsi_bump gsi_pre_aggregate_plan(const struct gsi_layout *layout, uint64_t memory_bytes,
                                       uint32_t thread_count)
{
    struct gsi_pre_aggregate pre_aggregate;
    struct gsi_bump bump = {0};
    lay_out(&pre_aggregate, layout, memory_bytes, thread_count, &bump);
    return bump;
}

/* Returns whether each byte is part of a key that defines groups, or of a folded integer. */
static bool is_without_order(const struct gsi_fold *fold, const struct gsi_record *group)
{
    for (uint32_t at = 0, next; at < fold->record_bytes; at = next) {
        next = at;
        for (uint32_t i = 0; i < group->key_count; i++)
            if (group->keys[i].off <= at)
                next = gsi_max_u32(next, group->keys[i].off + group->keys[i].bytes);
        for (uint32_t i = 0; i < fold->count; i++) {
            const struct gsi_field *field = &fold->fields[i].field;
            if (field->type->kind == GSI_KEY_FLOAT)
                return false;
            if (field->off <= at)
                next = gsi_max_u32(next, field->off + field->bytes);
        }
        if (next == at)
            return false;
    }
    return true;
}

enum gs_status gsi_pre_aggregate_open(struct gsi_pre_aggregate *pre_aggregate,
                                      const struct gsi_fold *fold, const struct gsi_layout *layout,
                                      uint32_t key_count, enum gsi_keep_choice keep,
                                      uint64_t memory_bytes, uint32_t thread_count,
                                      const struct gsi_bump *planned, struct gsi_ledger *ledger,
                                      struct gs_error *error)
{
    *pre_aggregate = (struct gsi_pre_aggregate){.fold = fold,
                                                .layout = layout,
                                                .ledger = ledger,
                                                .bump = *planned,
                                                .has_order = key_count > 0,
                                                .keeps_last = keep == GSI_KEEP_LAST};
    GSI_TRY(gsi_bump_open(&pre_aggregate->bump, ledger, GSI_MEMORY_TABLES, error));
    lay_out(pre_aggregate, layout, memory_bytes, thread_count, &pre_aggregate->bump);
    gsi_record_first_keys(layout->record, key_count > 0 ? key_count : layout->record->key_count,
                          pre_aggregate->group);
    pre_aggregate->may_hold = is_without_order(fold, pre_aggregate->group);
    return GS_OK;
}

void gsi_pre_aggregate_close(struct gsi_pre_aggregate *pre_aggregate)
{
    gsi_bump_close(&pre_aggregate->bump, pre_aggregate->ledger, GSI_MEMORY_TABLES);
    *pre_aggregate = (struct gsi_pre_aggregate){0};
}

/* ---- a table ---- */

/* Records are looked up by one key of 4 or 8 bytes, as in most jobs, or by any keys (0). */
GSI_INLINE uint64_t hash(const struct gsi_record *group, const uint8_t *record, uint32_t key_bytes)
{
    uint64_t sum = 0;
    if (key_bytes != 0)
        return gsi_mix_u64(gsi_record_word(group, record, key_bytes));
    for (uint32_t i = 0; i < group->key_count; i++)
        sum = gsi_mix_u64(sum + gsi_mix_record(record + group->keys[i].off, group->keys[i].bytes));
    return sum;
}

/* Returns whether `record`, which follows `first` in the input, is the one that stays. */
static bool stands(const struct gsi_pre_aggregate *pre_aggregate, const uint8_t *first,
                   const uint8_t *record)
{
    if (!pre_aggregate->has_order)
        return pre_aggregate->keeps_last;
    int order = gsi_record_compare(pre_aggregate->layout->record, record, first, 0);
    return pre_aggregate->keeps_last ? order >= 0 : order < 0;
}

/* Folds `record` into `first`; false: a sum would not fit. */
static bool join(const struct gsi_pre_aggregate *pre_aggregate, uint8_t *first, uint8_t *record)
{
    if (!gsi_fold_join(pre_aggregate->fold, first, record))
        return false;
    if (stands(pre_aggregate, first, record)) { /* the fields are in `first` now */
        for (uint32_t i = 0; i < pre_aggregate->fold->count; i++) {
            const struct gsi_fold_field *folded = &pre_aggregate->fold->fields[i];
            const struct gsi_field *field = &folded->field;
            if (!gsi_fold_is_nan(folded, first)) /* if all are NaNs, its own stays */
                memcpy(record + field->off, first + field->off, field->bytes);
        }
        memcpy(first, record, pre_aggregate->fold->record_bytes);
    }
    return true;
}

/* Hashes of records that look_ahead has prefetched, by their index. */
struct ahead {
    const uint8_t *records, *listed; /* records that are looked up, and records in the table */
    size_t n;
    uint32_t hashes[4 * AHEAD];
};

GSI_INLINE uint32_t *hash_of(struct ahead *ahead, size_t i)
{
    return &ahead->hashes[i % (4 * AHEAD)];
}

/* Tables and their records are in an outer cache at best. So slots are prefetched two steps before
 * they are needed, and records one step. */
GSI_INLINE void look_ahead(const struct gsi_pre_aggregate *pre_aggregate,
                           const struct gsi_pre_aggregate_worker *worker, struct ahead *ahead,
                           size_t at, uint32_t key_bytes)
{
    const uint32_t bytes = pre_aggregate->fold->record_bytes, mask = worker->slot_count - 1;
    size_t i = at == 0 ? 0 : at + 2 * AHEAD;
    for (; i < gsi_min_u64(ahead->n, at + 3 * AHEAD); i++) {
        uint32_t mixed =
            (uint32_t)hash(pre_aggregate->group, ahead->records + i * bytes, key_bytes);
        *hash_of(ahead, i) = mixed;
        __builtin_prefetch(&worker->slots[mixed & mask]);
    }
    i = at == 0 ? 0 : at + AHEAD;
    for (; i < gsi_min_u64(ahead->n, at + 2 * AHEAD); i++) {
        uint32_t idx = worker->slots[*hash_of(ahead, i) & mask];
        if (idx != EMPTY)
            __builtin_prefetch(ahead->listed + (size_t)idx * bytes, 1);
    }
}

static void clear_table(struct gsi_pre_aggregate_worker *worker, uint32_t slot_count)
{
    worker->slot_count = slot_count;
    memset(worker->slots, 0xff, slot_count * sizeof *worker->slots);
}

/* ---- a buffer without held records ---- */

/* Chooses the slots of the next table. A small table stays in an inner cache, so at most 2 in 5
 * slots would have been taken. If some keys found no room, it gets all slots. */
static void resize(const struct gsi_pre_aggregate *pre_aggregate,
                   struct gsi_pre_aggregate_worker *worker, size_t room)
{
    uint64_t used = worker->slot_count / 2 - room;
    uint32_t slots = TABLE_LEAST;
    while (slots < pre_aggregate->slot_count && (room == 0 || 2 * (uint64_t)slots < 5 * used))
        slots *= 2;
    worker->slot_count = slots;
}

/* Returns the slot of a record with the same key, or the free slot where the search ended. */
GSI_INLINE uint32_t find(const struct gsi_pre_aggregate *pre_aggregate,
                         const struct gsi_pre_aggregate_worker *worker, const uint8_t *records,
                         const uint8_t *record, uint32_t mixed, uint32_t key_bytes)
{
    const uint32_t bytes = pre_aggregate->fold->record_bytes, mask = worker->slot_count - 1;
    uint32_t at = mixed & mask;
    for (; worker->slots[at] != EMPTY; at = (at + 1) & mask)
        if (gsi_record_is_equal(pre_aggregate->group, records + (size_t)worker->slots[at] * bytes,
                                record, key_bytes))
            break;
    return at;
}

GSI_INLINE size_t fold_by(const struct gsi_pre_aggregate *pre_aggregate,
                          struct gsi_pre_aggregate_worker *worker, uint8_t *records, size_t n,
                          uint32_t key_bytes)
{
    const uint32_t bytes = pre_aggregate->fold->record_bytes;
    size_t kept = 0, room = worker->slot_count / 2;
    clear_table(worker, worker->slot_count);
    struct ahead ahead = {.records = records, .listed = records, .n = n};
    for (size_t i = 0; i < n; i++) {
        uint8_t *record = records + i * bytes, *to = records + kept * bytes;
        if (i % AHEAD == 0)
            look_ahead(pre_aggregate, worker, &ahead, i, key_bytes);
        uint32_t at = find(pre_aggregate, worker, records, record, *hash_of(&ahead, i), key_bytes);
        if (worker->slots[at] != EMPTY) {
            if (join(pre_aggregate, records + (size_t)worker->slots[at] * bytes, record))
                continue;
            worker->slots[at] = (uint32_t)kept; /* folded records follow each other in the input */
        } else if (room > 0) {
            worker->slots[at] = (uint32_t)kept;
            room--;
        }
        if (to != record)
            memcpy(to, record, bytes);
        kept++;
    }
    worker->folded_count += n - kept;
    resize(pre_aggregate, worker, room);
    return kept;
}

/* ---- held records ---- */

/* Makes the table of the held records, twice as large as it has to be. */
GSI_INLINE void list_by(const struct gsi_pre_aggregate *pre_aggregate,
                        struct gsi_pre_aggregate_worker *worker, uint32_t key_bytes)
{
    const uint32_t bytes = pre_aggregate->fold->record_bytes;
    const struct gsi_pre_aggregate_batch *held = &worker->held;
    uint32_t slots = TABLE_LEAST;
    while (slots < pre_aggregate->slot_count && slots < 4 * (held->count + AHEAD))
        slots *= 2;
    clear_table(worker, slots);
    for (size_t i = 0; i < held->count && i < slots / 2; i++) {
        const uint8_t *record = held->records + i * bytes;
        uint32_t mixed = (uint32_t)hash(pre_aggregate->group, record, key_bytes);
        uint32_t at = find(pre_aggregate, worker, held->records, record, mixed, key_bytes);
        worker->slots[at] = (uint32_t)i; /* if sums did not fit: the last one of equal records */
    }
    worker->is_listed = true;
}

/* Folds a batch into the held records. Records that find no room there stay. */
GSI_INLINE size_t fold_into(const struct gsi_pre_aggregate *pre_aggregate,
                            struct gsi_pre_aggregate_worker *worker, uint8_t *records, size_t n,
                            uint32_t key_bytes)
{
    const uint32_t bytes = pre_aggregate->fold->record_bytes;
    struct gsi_pre_aggregate_batch *held = &worker->held;
    size_t left = 0, added = 0;
    struct ahead ahead = {.records = records, .listed = held->records, .n = n};
    for (size_t i = 0; i < n; i++) {
        uint8_t *record = records + i * bytes;
        if (i % AHEAD == 0) {
            if (!worker->is_listed || (worker->slot_count < pre_aggregate->slot_count &&
                                       2 * (held->count + AHEAD) > worker->slot_count))
                list_by(pre_aggregate, worker, key_bytes);
            look_ahead(pre_aggregate, worker, &ahead, i, key_bytes);
        }
        uint32_t at =
            find(pre_aggregate, worker, held->records, record, *hash_of(&ahead, i), key_bytes);
        bool is_there = worker->slots[at] != EMPTY;
        if (is_there && gsi_fold_join(pre_aggregate->fold,
                                      held->records + (size_t)worker->slots[at] * bytes, record))
            continue;
        if (!is_there && held->count < held->room && held->count < worker->slot_count / 2) {
            worker->slots[at] = (uint32_t)held->count;
            memcpy(held->records + held->count++ * bytes, record, bytes);
            added++;
            continue;
        }
        if (left < i)
            memcpy(records + left * bytes, record, bytes);
        left++;
    }
    worker->folded_count += n - left - added;
    return left;
}

/* ---- by the width of the key ---- */

static size_t fold_all(const struct gsi_pre_aggregate *pre_aggregate,
                       struct gsi_pre_aggregate_worker *worker, uint8_t *records, size_t n)
{
    worker->is_listed = false;
    return GSI_BY_RECORD_WORD(pre_aggregate->group, fold_by, pre_aggregate, worker, records, n);
}

static size_t fold_into_held(const struct gsi_pre_aggregate *pre_aggregate,
                             struct gsi_pre_aggregate_worker *worker, uint8_t *records, size_t n)
{
    return GSI_BY_RECORD_WORD(pre_aggregate->group, fold_into, pre_aggregate, worker, records, n);
}

static bool is_poor(size_t left, size_t n)
{
    return left > n - n / 8;
}

/* Folds the records of a buffer into each other. Pauses folding if that leaves too many. */
static size_t fold_apart(const struct gsi_pre_aggregate *pre_aggregate,
                         struct gsi_pre_aggregate_worker *worker, uint8_t *records, size_t n)
{
    size_t kept = fold_all(pre_aggregate, worker, records, n);
    if (is_poor(kept, n))
        worker->idle_count = IDLE_BUFFERS;
    return kept;
}

static size_t fold_read(const struct gsi_pre_aggregate *pre_aggregate,
                        struct gsi_pre_aggregate_worker *worker, uint8_t *records, size_t n)
{
    gsi_record_tally_add(worker->tally, records, n);
    if (worker->idle_count == 0)
        return fold_apart(pre_aggregate, worker, records, n);
    worker->idle_count--;
    return n;
}

size_t gsi_pre_aggregate_again(struct gsi_pre_aggregate *pre_aggregate, uint8_t *records, size_t n)
{
    return fold_all(pre_aggregate, &pre_aggregate->workers[pre_aggregate->worker_count - 1],
                    records, n);
}

void gsi_pre_aggregate_begin(struct gsi_pre_aggregate *pre_aggregate, uint64_t buffer_count)
{
    pre_aggregate->holds = pre_aggregate->may_hold &&
                           buffer_count >= HOLD_BUFFERS * (uint64_t)pre_aggregate->worker_count;
}

uint32_t gsi_pre_aggregate_held(const struct gsi_pre_aggregate *pre_aggregate)
{
    return pre_aggregate->holds ? pre_aggregate->worker_count : 0;
}

bool gsi_pre_aggregate_is_holding(const struct gsi_pre_aggregate *pre_aggregate)
{
    for (uint32_t i = 0; i < pre_aggregate->worker_count; i++)
        if (pre_aggregate->workers[i].held.owner != NULL)
            return true;
    return false;
}

bool gsi_pre_aggregate_pop(struct gsi_pre_aggregate *pre_aggregate, uint32_t worker_idx,
                           struct gsi_pre_aggregate_batch *batch)
{
    struct gsi_pre_aggregate_worker *worker = &pre_aggregate->workers[worker_idx];
    size_t n = batch->count;
    if (worker->held.owner != NULL && worker->idle_count + worker->apart_count == 0) {
        gsi_record_tally_add(worker->tally, batch->records, n);
        batch->count = fold_into_held(pre_aggregate, worker, batch->records, n);
        if (is_poor(batch->count, n)) {
            worker->apart_count = IDLE_BUFFERS;
            batch->count = fold_apart(pre_aggregate, worker, batch->records, batch->count);
        }
        return true;
    }
    worker->apart_count -= worker->apart_count > 0;
    batch->count = fold_read(pre_aggregate, worker, batch->records, n);
    if (!pre_aggregate->holds || worker->held.owner != NULL)
        return true;
    worker->held = *batch;
    return false;
}

bool gsi_pre_aggregate_release(struct gsi_pre_aggregate *pre_aggregate,
                               struct gsi_pre_aggregate_batch *batch)
{
    for (uint32_t i = 0; i < pre_aggregate->worker_count; i++) {
        *batch = pre_aggregate->workers[i].held;
        pre_aggregate->workers[i].held.owner = NULL;
        if (batch->owner != NULL)
            return true;
    }
    return false;
}

uint64_t gsi_pre_aggregate_count(const struct gsi_pre_aggregate *pre_aggregate)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < pre_aggregate->worker_count; i++)
        count += pre_aggregate->workers[i].folded_count;
    return count;
}

struct gsi_tally_report gsi_pre_aggregate_tally(struct gsi_pre_aggregate *pre_aggregate,
                                                struct gsi_tally_report *fields)
{
    struct gsi_record_tally *all = pre_aggregate->workers[0].tally;
    for (uint32_t i = 1; i < pre_aggregate->worker_count; i++) {
        gsi_record_tally_merge(all, pre_aggregate->workers[i].tally);
        gsi_record_tally_clear(pre_aggregate->workers[i].tally);
    }
    return gsi_record_tally_finish(all, fields);
}
