/* early_fold.c: tables of records by their keys, open addressing, a probe or two each. */
#include "element/fold/early_fold.h"

#include "base/checked.h"
#include "base/simd.h"
#include "element/record/record_mix.h"
#include "element/record/record_tally.h"

#include <string.h>

/* Tables of all threads together take this part of memory. A table is never more than half full, and
 * at 2 MiB holds 2^18 keys, which is about what a core's own cache can serve. */
#define TABLES_PART 16
#define TABLE_MOST  ((uint64_t)1 << 19) /* slots */
#define TABLE_LEAST ((uint64_t)1 << 12)
#define EMPTY       UINT32_MAX

/* Records that are looked up at a time. */
#define AHEAD 32

/* After a buffer of which more than 7 in 8 records stayed, so many are only tallied. */
#define IDLE_BUFFERS 15

struct gsi_early_worker {
    uint32_t *slots;     /* indexes of records */
    uint32_t slot_count; /* of the next table: as many as there is room for, or as were of use */
    struct gsi_record_tally *tally;
    uint32_t idle_count;
    uint64_t folded_count;
};

static uint32_t slots_for(uint64_t memory_bytes, uint32_t thread_count)
{
    uint64_t most = memory_bytes / TABLES_PART / ((uint64_t)thread_count + 1) / sizeof(uint32_t);
    uint64_t slots = TABLE_LEAST;
    while (2 * slots <= gsi_min_u64(most, TABLE_MOST))
        slots *= 2;
    return (uint32_t)slots;
}

uint64_t gsi_early_fold_bytes(const struct gsi_layout *layout, uint64_t memory_bytes,
                              uint32_t thread_count)
{
    uint64_t each = slots_for(memory_bytes, thread_count) * sizeof(uint32_t) +
                    sizeof(struct gsi_early_worker) + gsi_record_tally_bytes(layout->record);
    return ((uint64_t)thread_count + 1) * each + sizeof(struct gsi_record);
}

enum gs_status gsi_early_fold_open(struct gsi_early_fold *early, const struct gsi_fold *fold,
                                   const struct gsi_layout *layout, uint32_t key_count,
                                   enum gs_keep_choice keep, uint64_t memory_bytes,
                                   uint32_t thread_count, struct gsi_ledger *ledger,
                                   struct gs_error *error)
{
    *early = (struct gsi_early_fold){.fold = fold,
                                     .layout = layout,
                                     .ledger = ledger,
                                     .has_order = key_count > 0,
                                     .keeps_last = keep == GS_KEEP_LAST,
                                     .slot_count = slots_for(memory_bytes, thread_count),
                                     .worker_count = thread_count + 1};
    GSI_TRY(GSI_NEW(ledger, early->group, 1, error));
    gsi_record_first_keys(layout->record, key_count > 0 ? key_count : layout->record->key_count,
                          early->group);
    GSI_TRY(GSI_NEW(ledger, early->workers, early->worker_count, error));
    for (uint32_t i = 0; i < early->worker_count; i++) {
        struct gsi_early_worker *worker = &early->workers[i];
        worker->slot_count = early->slot_count;
        GSI_TRY(GSI_NEW(ledger, worker->slots, early->slot_count, error));
        GSI_TRY(gsi_memory_reserve(ledger, GS_MEMORY_TABLES, gsi_record_tally_bytes(layout->record),
                                   error));
        worker->tally = gsi_record_tally_create(layout->record);
        if (worker->tally == NULL) {
            gsi_memory_unreserve(ledger, GS_MEMORY_TABLES, gsi_record_tally_bytes(layout->record));
            return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate a tally");
        }
    }
    return GS_OK;
}

void gsi_early_fold_close(struct gsi_early_fold *early)
{
    for (uint32_t i = 0; early->workers != NULL && i < early->worker_count; i++) {
        struct gsi_early_worker *worker = &early->workers[i];
        if (worker->tally != NULL)
            gsi_memory_unreserve(early->ledger, GS_MEMORY_TABLES,
                                 gsi_record_tally_bytes(early->layout->record));
        gsi_record_tally_free(worker->tally);
        if (worker->slots != NULL)
            GSI_FREE(early->ledger, worker->slots, early->slot_count);
    }
    if (early->workers != NULL)
        GSI_FREE(early->ledger, early->workers, early->worker_count);
    if (early->group != NULL)
        GSI_FREE(early->ledger, early->group, 1);
    *early = (struct gsi_early_fold){0};
}

/* ---- a table ---- */

/* Of any alignment; `bytes` is a constant. */
GSI_INLINE uint64_t load_key(const uint8_t *at, uint32_t bytes)
{
    uint64_t key = 0;
    memcpy(&key, at, bytes);
    return key;
}

/* Records are looked up by one key of 4 or 8 bytes, which most are, or by any keys (0). */
GSI_INLINE uint64_t hash(const struct gsi_record *group, const uint8_t *record, uint32_t key_bytes)
{
    uint64_t sum = 0;
    if (key_bytes != 0)
        return gsi_mix_u64(load_key(record + group->keys[0].off, key_bytes));
    for (uint32_t i = 0; i < group->key_count; i++)
        sum = gsi_mix_u64(sum + gsi_mix_record(record + group->keys[i].off, group->keys[i].bytes));
    return sum;
}

/* Equal keys are equal bytes, for the map to sort keys is a bijection. */
GSI_INLINE bool is_same_group(const struct gsi_record *group, const uint8_t *a, const uint8_t *b,
                              uint32_t key_bytes)
{
    if (key_bytes != 0)
        return load_key(a + group->keys[0].off, key_bytes) ==
               load_key(b + group->keys[0].off, key_bytes);
    for (uint32_t i = 0; i < group->key_count; i++)
        if (memcmp(a + group->keys[i].off, b + group->keys[i].off, group->keys[i].bytes) != 0)
            return false;
    return true;
}

/* Whether `record`, which comes behind `first` in the input, is the one that stays. */
static bool stands(const struct gsi_early_fold *early, const uint8_t *first, const uint8_t *record)
{
    if (!early->has_order)
        return early->keeps_last;
    int order = gsi_record_compare(early->layout->record, record, first, 0);
    return early->keeps_last ? order >= 0 : order < 0;
}

/* Folds `record` into `first`; false: a sum would not fit. */
static bool join(const struct gsi_early_fold *early, uint8_t *first, uint8_t *record)
{
    if (!gsi_fold_join(early->fold, first, record))
        return false;
    if (stands(early, first, record)) { /* the fields are in `first` now */
        for (uint32_t i = 0; i < early->fold->count; i++) {
            const struct gsi_fold_field *folded = &early->fold->fields[i];
            const struct gsi_field *field = &folded->field;
            if (!gsi_fold_is_nan(folded, first)) /* of NaNs only, its own stays */
                memcpy(record + field->off, first + field->off, field->bytes);
        }
        memcpy(first, record, early->fold->record_bytes);
    }
    return true;
}

/* Where in the table the next `n` records begin to look. Tables and the records that they name are
 * in a farther cache, if in any: all are asked for before one is waited for. */
GSI_INLINE void look_ahead(const struct gsi_early_fold *early,
                           const struct gsi_early_worker *worker, const uint8_t *records, size_t i,
                           size_t n, uint32_t key_bytes, uint32_t places[AHEAD])
{
    const uint32_t bytes = early->fold->record_bytes, mask = worker->slot_count - 1;
    for (size_t k = 0; k < n; k++) {
        places[k] = (uint32_t)hash(early->group, records + (i + k) * bytes, key_bytes) & mask;
        __builtin_prefetch(&worker->slots[places[k]]);
    }
    for (size_t k = 0; k < n; k++) {
        uint32_t idx = worker->slots[places[k]];
        if (idx != EMPTY)
            __builtin_prefetch(records + (size_t)idx * bytes, 1);
    }
}

/* A table that is small stays in a nearer cache: so many slots for the next one that 2 in 5 would be
 * taken, at most; all of them if there was no room for some. */
static void resize(const struct gsi_early_fold *early, struct gsi_early_worker *worker, size_t room)
{
    uint64_t used = worker->slot_count / 2 - room;
    uint32_t slots = TABLE_LEAST;
    while (slots < early->slot_count && (room == 0 || 2 * (uint64_t)slots < 5 * used))
        slots *= 2;
    worker->slot_count = slots;
}

GSI_INLINE size_t fold_by(const struct gsi_early_fold *early, struct gsi_early_worker *worker,
                          uint8_t *records, size_t n, uint32_t key_bytes)
{
    const uint32_t bytes = early->fold->record_bytes, mask = worker->slot_count - 1;
    size_t kept = 0, room = worker->slot_count / 2;
    memset(worker->slots, 0xff, worker->slot_count * sizeof *worker->slots);
    uint32_t places[AHEAD];
    for (size_t i = 0; i < n; i++) {
        uint8_t *record = records + i * bytes, *to = records + kept * bytes, *first = NULL;
        if (i % AHEAD == 0)
            look_ahead(early, worker, records, i, gsi_min_u64(AHEAD, n - i), key_bytes, places);
        uint32_t at = places[i % AHEAD];
        for (; worker->slots[at] != EMPTY; at = (at + 1) & mask) {
            first = records + (size_t)worker->slots[at] * bytes;
            if (is_same_group(early->group, first, record, key_bytes))
                break;
        }
        if (worker->slots[at] != EMPTY) {
            if (join(early, first, record))
                continue;
            worker->slots[at] = (uint32_t)kept; /* what is folded follows each other in the input */
        } else if (room > 0) {
            worker->slots[at] = (uint32_t)kept;
            room--;
        }
        if (to != record)
            memcpy(to, record, bytes);
        kept++;
    }
    worker->folded_count += n - kept;
    resize(early, worker, room);
    return kept;
}

static size_t fold_all(const struct gsi_early_fold *early, struct gsi_early_worker *worker,
                       uint8_t *records, size_t n)
{
    uint32_t key_bytes = early->group->key_count == 1 ? early->group->keys[0].bytes : 0;
    if (key_bytes == 4)
        return fold_by(early, worker, records, n, 4);
    if (key_bytes == 8)
        return fold_by(early, worker, records, n, 8);
    return fold_by(early, worker, records, n, 0);
}

size_t gsi_early_fold_read(struct gsi_early_fold *early, uint32_t worker_idx, uint8_t *records,
                           size_t n)
{
    struct gsi_early_worker *worker = &early->workers[worker_idx];
    gsi_record_tally_add(worker->tally, records, n);
    if (worker->idle_count > 0) {
        worker->idle_count--;
        return n;
    }
    size_t kept = fold_all(early, worker, records, n);
    if (kept > n - n / 8)
        worker->idle_count = IDLE_BUFFERS;
    return kept;
}

size_t gsi_early_fold_again(struct gsi_early_fold *early, uint8_t *records, size_t n)
{
    return fold_all(early, &early->workers[early->worker_count - 1], records, n);
}

uint64_t gsi_early_fold_count(const struct gsi_early_fold *early)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < early->worker_count; i++)
        count += early->workers[i].folded_count;
    return count;
}

struct gs_tally gsi_early_fold_tally(struct gsi_early_fold *early, struct gs_tally *fields)
{
    struct gsi_record_tally *all = early->workers[0].tally;
    for (uint32_t i = 1; i < early->worker_count; i++) {
        gsi_record_tally_merge(all, early->workers[i].tally);
        gsi_record_tally_clear(early->workers[i].tally);
    }
    return gsi_record_tally_finish(all, fields);
}
