/* test_flow.c: compares flows of random operators, batches, blocks and orders of completion with a
 * loop over all entries. Operators observe, map and wait, hold an entry back, shrink windows and
 * hold them, and write larger and smaller entries. Some cases end blocks where an output file ends,
 * let a second flow read the same windows, end early, or fail. Tasks end on threads, or on a
 * simulated pool in any order. Run: build/dev/tests/test_flow */
#include "support/support.h"

#include "base/checked.h"
#include "loop/flow.h"

#include <semaphore.h>

#define JOBS         4000u
#define ENTRIES_MOST 400u
#define ENTRY_MOST   40u
#define BUFFERS_MOST 6u
#define UNIT_MOST    ((size_t)1 << 12)
#define BATCHES_MOST 100u /* at a time */
#define TASKS_MOST   (3 * BATCHES_MOST)
#define FACTOR       0x9e3779b97f4a7c15u

static struct test_random chance;

static uint64_t below(uint64_t n)
{
    return test_below(&chance, n);
}

/* ---- entries ---- */

/* The first 8 bytes of an entry are a value, and all others follow from it. */
static uint64_t value_at(const uint8_t *entry)
{
    uint64_t value;
    memcpy(&value, entry, sizeof value);
    return value;
}

static void put_entry(uint8_t *entry, uint64_t value, uint64_t bytes)
{
    memcpy(entry, &value, sizeof value);
    for (uint64_t i = sizeof value; i < bytes; i++)
        entry[i] = (uint8_t)(value * FACTOR >> 56 ^ i);
}

static void check_entry(const uint8_t *entry, uint64_t bytes)
{
    uint8_t want[ENTRY_MOST];
    put_entry(want, value_at(entry), bytes);
    if (memcmp(entry, want, bytes) != 0) { /* on any thread */
        fprintf(stderr, "an entry is damaged\n");
        abort();
    }
}

/* ---- operators ---- */

/* A filter removes multiples. A grouper makes one entry of each group of equal values. Both hold
 * back the last entry. A shrinker removes multiples in place. A folder removes values that equal
 * the previous one: in each window, and often again in a finished block (rework). */
enum what { OBSERVER, MAPPER, FILTER, GROUPER, SHRINKER, FOLDER };

/* The results of a batch, or of all batches that were joined. */
struct part {
    uint64_t hash, power;            /* an observer's: of all values, in order */
    uint64_t first, first_count;     /* of the group that the batch continues */
    bool is_first;                   /* no other value was seen yet */
    bool has_open;                   /* the last entry is not put yet: */
    uint64_t open_value, open_count; /* its value, and how many entries it has */
};

struct op {
    enum what what;
    uint64_t in_bytes, out_bytes, modulus;
    bool holds; /* some windows */
    bool waits; /* for entries to be ready: */
    uint64_t ready_count;
    struct part parts[BATCHES_MOST + 1], all;
    bool has_begun; /* batches, the last of which ended with the value `begun` */
    uint64_t begun;
    uint64_t join_count, fails_at; /* the join that fails; 0: none */
    bool failed_ahead;             /* it was of an entry ahead */
    struct gs_error *error;
};

static uint64_t made_of(const struct op *op, uint64_t value, uint64_t count)
{
    return op->what == GROUPER ? value * FACTOR + count : value;
}

static void begin(void *context, const struct gsi_batch *batch)
{
    struct op *op = context;
    struct part *part = &op->parts[batch->idx];
    *part = (struct part){.power = 1};
    assert_true(!op->waits || batch->count <= op->ready_count);
    if (op->what != GROUPER)
        return;
    part->first = value_at(batch->entries);
    part->is_first = op->has_begun && part->first == op->begun;
    op->has_begun = true;
    op->begun = value_at(batch->entries + (batch->count - 1) * op->in_bytes);
}

static uint64_t put_open(const struct op *op, const struct part *part, uint8_t *out)
{
    if (part->has_open)
        put_entry(out, made_of(op, part->open_value, part->open_count), op->out_bytes);
    return part->has_open;
}

static uint64_t run_one(const struct op *op, struct part *part, uint64_t value, uint8_t *out)
{
    if (op->what == OBSERVER) {
        part->hash = part->hash * FACTOR + value;
        part->power *= FACTOR;
        return 0;
    }
    if (op->what == MAPPER) {
        put_entry(out, value * op->modulus + 1, op->out_bytes);
        return 1;
    }
    if ((op->what == FILTER || op->what == SHRINKER) && value % op->modulus == 0)
        return 0;
    if (op->what == SHRINKER || op->what == FOLDER) {
        bool is_left = op->what == SHRINKER || !part->has_open || part->open_value != value;
        part->has_open = true;
        part->open_value = value;
        if (is_left)
            put_entry(out, value, op->out_bytes);
        return is_left;
    }
    part->is_first = part->is_first && value == part->first;
    part->first_count += part->is_first;
    if (part->is_first)
        return 0;
    if (op->what == GROUPER && part->has_open && part->open_value == value) {
        part->open_count++;
        return 0;
    }
    uint64_t put = put_open(op, part, out);
    part->has_open = true;
    part->open_value = value;
    part->open_count = 1;
    return put;
}

static uint64_t run(void *context, const struct gsi_batch *batch, const uint8_t *in, uint64_t n,
                    uint8_t *out)
{
    struct op *op = context;
    uint64_t made = 0;
    for (uint64_t i = 0; i < n; i++) {
        check_entry(in + i * op->in_bytes, op->in_bytes);
        made += run_one(op, &op->parts[batch->idx], value_at(in + i * op->in_bytes),
                        out + made * op->out_bytes);
    }
    return made;
}

static bool hold(struct gsi_buffer *window);

static uint64_t join(void *context, const struct gsi_batch *batch, uint8_t *ahead)
{
    struct op *op = context;
    struct part *all = &op->all;
    const struct part *part = &op->parts[batch->idx];
    uint64_t put = 0;
    /* After a failure no batch is joined, except the one that failed at the entry after its
     * last. */
    assert_true(op->fails_at == 0 || op->join_count < op->fails_at + op->failed_ahead);
    op->failed_ahead = batch->window == NULL && op->join_count + 1 == op->fails_at;
    if (++op->join_count == op->fails_at)
        gsi_fail(op->error, GS_E_INPUT, 0, "it broke");
    if (op->what == SHRINKER || op->what == FOLDER)
        return op->holds && hold(batch->window);
    all->hash = all->hash * part->power + part->hash;
    all->open_count += part->first_count;
    if (part->has_open) {
        put = put_open(op, all, ahead);
        all->has_open = true;
        all->open_value = part->open_value;
        all->open_count = part->open_count;
    }
    return put;
}

/* On any thread. */
static uint64_t rework(void *context, uint8_t *entries, uint64_t n)
{
    const struct op *op = context;
    struct part part = {.power = 1};
    uint64_t left = 0;
    for (uint64_t i = 0; i < n; i++)
        left += run_one(op, &part, value_at(entries + i * op->in_bytes),
                        entries + left * op->out_bytes);
    return left;
}

static uint64_t ready(void *context, const struct gsi_buffer *window, uint64_t first, uint64_t n)
{
    struct op *op = context;
    assert_true(n > 0 && (first + n) * op->in_bytes <= window->bytes);
    return op->ready_count = below(n + 1);
}

static uint64_t flush(void *context, uint8_t *out)
{
    const struct op *op = context;
    return put_open(op, &op->all, out);
}

/* ---- a pool that ends tasks in any order ---- */

static struct gsi_pool *const simulated = (struct gsi_pool *)&chance; /* never read */
static struct gsi_task *tasks[TASKS_MOST];
static bool were_run[TASKS_MOST];
static size_t task_count;

void __real_gsi_pool_submit(struct gsi_pool *pool, struct gsi_task *task);
void __wrap_gsi_pool_submit(struct gsi_pool *pool, struct gsi_task *task);

void __wrap_gsi_pool_submit(struct gsi_pool *pool, struct gsi_task *task)
{
    if (pool != simulated) {
        __real_gsi_pool_submit(pool, task);
        return;
    }
    assert_true(task_count < TASKS_MOST);
    were_run[task_count] = false;
    tasks[task_count++] = task;
}

/* Runs a waiting task, or ends one that has run. */
static void step_simulated(void)
{
    size_t i = below(task_count);
    if (!were_run[i]) {
        tasks[i]->run(tasks[i], 0);
        were_run[i] = true;
        return;
    }
    struct gsi_task *task = tasks[i];
    tasks[i] = tasks[--task_count];
    were_run[i] = were_run[task_count];
    task->done(task);
}

/* ---- a job ---- */

struct set {
    uint8_t memory[BUFFERS_MOST * UNIT_MOST];
    struct gsi_buffers buffers;
};

static struct job {
    struct gs_error error;
    struct gsi_loop loop;
    struct gsi_flow flow, copier; /* the latter copies all windows, after the first flow */
    struct op ops[GSI_OPERATORS_MAX];
    struct set windows, blocks, copies;
    struct gsi_bump bump; /* of the tasks of both flows */
    uint8_t room_memory[BATCHES_MOST * UNIT_MOST], scratch[BATCHES_MOST * UNIT_MOST];
    struct gsi_buffers staging;
    struct gsi_buffer_list writing; /* blocks that were taken */
    uint64_t values[ENTRIES_MOST];  /* of the entries in all windows */
    uint64_t count, fed;
    uint64_t in_bytes, out_bytes; /* of an entry */
    uint8_t got[(ENTRIES_MOST + 1) * ENTRY_MOST];
    uint64_t got_bytes, lent_bytes;
    uint8_t copied[ENTRIES_MOST * ENTRY_MOST];
    uint64_t copied_bytes;
    bool is_short; /* a block was not full: the last one */
    bool has_folder, held_any;
    struct gsi_buffer_list held;  /* windows */
    bool are_whole[BATCHES_MOST]; /* windows that are full, and stay so */
    uint64_t last_bytes; /* of the last window that was taken as a block; 0: there is none */
    uint64_t cut_bytes;  /* blocks are cut where files of so many bytes end; 0: they are not */
    uint64_t file_end;   /* of the current file */
    sem_t *wakes;        /* of threads */
} job;

static void make_set(struct set *set, uint32_t count, size_t unit_bytes)
{
    assert_true(unit_bytes <= UNIT_MOST && count <= BUFFERS_MOST);
    assert_int_equal(gsi_buffers_init(&set->buffers, NULL, set->memory, count * unit_bytes,
                                      (struct gsi_buffer_shape){.unit_bytes = unit_bytes}, false,
                                      &job.error),
                     GS_OK);
}

/* Without staging buffers, blocks have whole entries. */
static uint64_t room_of(const struct gsi_buffer *block)
{
    return block->capacity - (job.flow.staging == NULL ? block->capacity % job.out_bytes : 0);
}

static struct gsi_buffer *lend_block(void *context, uint64_t off)
{
    assert_ptr_equal(context, &job);
    struct gsi_buffer *block = below(4) > 0 ? gsi_buffers_pop(&job.blocks.buffers) : NULL;
    if (block == NULL)
        return NULL;
    assert_int_equal(off, job.lent_bytes);
    job.lent_bytes += room_of(block);
    return block;
}

static bool hold(struct gsi_buffer *window)
{
    if (below(4) > 0)
        return false;
    gsi_buffer_list_push(&job.held, window);
    job.held_any = true;
    return true;
}

static bool only_shrinks(void)
{
    return job.flow.operators.count > 0 && job.ops[job.flow.operators.count - 1].what >= SHRINKER;
}

/* turn_idx has the place of a window among all that were fed. */
static uint64_t bytes_before_cut(void *context, const struct gsi_buffer *window, uint64_t off)
{
    assert_ptr_equal(context, &job);
    uint64_t place = window->turn_idx + off;
    assert_int_equal(place, gsi_flow_bytes(&job.flow));
    assert_true(place <= job.file_end);
    return gsi_min_u64(window->bytes - off, job.file_end - place);
}

/* Begins the next file, or lets the flow wait for it. */
static void begin_file(void)
{
    if (job.cut_bytes == 0 || !gsi_flow_is_cut(&job.flow) || below(3) == 0)
        return;
    assert_int_equal(job.got_bytes, job.file_end);
    job.file_end += job.cut_bytes;
}

/* A window of a flow that only shrinks: empty, or a block. Any two blocks have more than one full
 * block. */
static void accept_window(void *context, struct gsi_buffer *window)
{
    const size_t idx = (size_t)(window - job.windows.buffers.all);
    assert_ptr_equal(context, &job);
    assert_true(window->bytes > 0 || !job.are_whole[idx]);
    assert_true(window->bytes == 0 || job.last_bytes == 0 ||
                job.last_bytes + window->bytes > window->capacity);
    assert_true(job.got_bytes + window->bytes <= sizeof job.got);
    job.last_bytes = window->bytes > 0 ? window->bytes : job.last_bytes;
    memcpy(job.got + job.got_bytes, window->data, window->bytes);
    job.got_bytes += window->bytes;
    gsi_buffers_return(&job.windows.buffers, window);
}

static void take_block(void *context, struct gsi_buffer *block)
{
    assert_ptr_equal(context, &job);
    assert_false(job.is_short);
    assert_true(block->bytes > 0 && job.got_bytes + block->bytes <= sizeof job.got);
    job.is_short = block->bytes < room_of(block);
    if (job.cut_bytes > 0 && job.got_bytes + block->bytes == job.file_end)
        job.is_short = false;
    job.lent_bytes -= room_of(block) - block->bytes;
    assert_true(!job.is_short || job.flow.is_ended);
    memcpy(job.got + job.got_bytes, block->data, block->bytes);
    job.got_bytes += block->bytes;
    gsi_buffer_list_push(&job.writing, block);
}

static void take_copy(void *context, struct gsi_buffer *block)
{
    assert_ptr_equal(context, &job);
    assert_true(job.copied_bytes + block->bytes <= sizeof job.copied);
    memcpy(job.copied + job.copied_bytes, block->data, block->bytes);
    job.copied_bytes += block->bytes;
    gsi_buffers_return(&job.copies.buffers, block);
}

static void write_some(void)
{
    struct gsi_buffer *block;
    while (below(3) > 0 && (block = gsi_buffer_list_pop(&job.writing)) != NULL) {
        memset(block->data, 0xee, block->capacity);
        gsi_buffers_return(&job.blocks.buffers, block);
    }
}

/* Feeds a window of random length, which may be empty, if one is free. */
static void feed(void)
{
    const uint64_t bytes = job.in_bytes;
    struct gsi_buffer *window;
    if (job.fed == job.count || (window = gsi_buffers_pop(&job.windows.buffers)) == NULL)
        return;
    memset(window->data, 0xdd, window->capacity);
    uint64_t n = gsi_min_u64(below(window->capacity / bytes + 1), job.count - job.fed);
    bool *is_whole = &job.are_whole[window - job.windows.buffers.all];
    *is_whole = n * bytes == window->capacity && !job.has_folder;
    for (uint64_t i = 0; i < n; i++) {
        put_entry(window->data + i * bytes, job.values[job.fed + i], bytes);
        for (uint32_t k = 0; k < job.flow.operators.count; k++)
            *is_whole &=
                job.ops[k].what != SHRINKER || job.values[job.fed + i] % job.ops[k].modulus;
    }
    window->bytes = n * bytes;
    window->turn_idx = job.fed * bytes;
    job.fed += n;
    gsi_flow_accept(&job.flow, window);
}

/* ---- the model ---- */

/* Computes the output of all values, as many as are wanted, and the hash that each observer
 * finds. */
static uint64_t model(const struct op *ops, uint32_t op_count, uint64_t most, uint64_t *values,
                      uint64_t n, uint64_t hashes[])
{
    for (uint32_t i = 0; i < op_count; i++) {
        const struct op *op = &ops[i];
        uint64_t made = 0, same;
        hashes[i] = 0;
        if (i == job.flow.operators.last + 1)
            n = gsi_min_u64(n, most);
        for (uint64_t at = 0; at < n; at += same) {
            same = 1;
            while (op->what == GROUPER && at + same < n && values[at + same] == values[at])
                same++;
            if (op->what == OBSERVER)
                hashes[i] = hashes[i] * FACTOR + values[at];
            if ((op->what == FILTER || op->what == SHRINKER) && values[at] % op->modulus == 0)
                continue;
            values[made++] =
                op->what == MAPPER ? values[at] * op->modulus + 1 : made_of(op, values[at], same);
        }
        n = made;
    }
    return gsi_min_u64(n, most);
}

/* ---- a run ---- */

static void wake(void *context)
{
    sem_post(context);
}

/* Ends some tasks; `is_last`: all running ones. */
static void let_tasks_end(bool is_last)
{
    if (job.loop.pool == simulated) {
        for (uint64_t n = is_last ? UINT64_MAX : below(6); n > 0 && task_count > 0; n--)
            step_simulated();
        return;
    }
    while (gsi_pool_reap(job.loop.pool) == 0 && gsi_pool_pending(job.loop.pool) > 0)
        sem_wait(job.wakes);
    while (is_last && gsi_pool_pending(job.loop.pool) > 0)
        gsi_pool_reap(job.loop.pool);
}

static bool has_failed(void)
{
    return job.error.status != GS_OK;
}

/* Runs the flow until all entries, or enough of them, are read and written. */
static void run_flow(void)
{
    struct gsi_flow *flow = &job.flow, *flows[] = {flow, &job.copier};
    const size_t count = flow->next != NULL ? 2 : 1;
    for (size_t i = 0; i < count; i++)
        gsi_flow_begin(flows[i]);
    for (uint64_t steps = 0; !has_failed(); steps++) {
        if (steps > 1000000)
            test_fail("the flow is stuck");
        if (below(3) > 0 && !flow->is_ended && !flow->is_enough)
            feed();
        for (size_t i = 0; i < count; i++)
            gsi_flow_pump(flows[i]);
        begin_file();
        if (gsi_flow_is_idle(flow) && gsi_flow_is_idle(flows[count - 1])) {
            if (flow->is_ended || !only_shrinks())
                assert_int_equal(job.windows.buffers.free_count, job.windows.buffers.count);
            assert_int_equal(job.staging.free_count, job.staging.count);
            if (flow->is_ended)
                break;
            /* Returns held windows when all others are read, or when no other window is free. */
            bool is_last = job.fed == job.count || job.windows.buffers.free_count == 0;
            if (is_last && job.held.head != NULL) {
                gsi_flow_return(flow, gsi_buffer_list_pop(&job.held));
                continue;
            }
            for (size_t i = 0; i < count && (flow->is_enough || job.fed == job.count); i++)
                gsi_flow_end(flows[i]);
        }
        let_tasks_end(false);
        write_some();
    }
    let_tasks_end(true);
}

static int compare_values(const void *a, const void *b)
{
    const uint64_t x = value_at(a), y = value_at(b);
    return (x > y) - (x < y);
}

/* Held windows have no order, and the number of removed values depends on which windows meet. */
static uint64_t fold_values(uint64_t *values, uint64_t n)
{
    uint64_t left = 0;
    for (uint64_t i = 0; i < n; i++)
        if (left == 0 || values[left - 1] != values[i])
            values[left++] = values[i];
    return left;
}

static void check_shrunk(void)
{
    static uint64_t values[ENTRIES_MOST], got[ENTRIES_MOST];
    uint64_t n = job.count, hashes[GSI_OPERATORS_MAX], bytes = job.in_bytes;
    uint64_t got_count = job.got_bytes / bytes;
    memcpy(values, job.values, sizeof values);
    n = model(job.ops, job.flow.operators.count, UINT64_MAX, values, n, hashes);
    assert_true(got_count <= n);
    for (uint64_t i = 0; i < got_count; i++) {
        check_entry(job.got + i * bytes, bytes);
        got[i] = value_at(job.got + i * bytes);
    }
    if (job.held_any)
        qsort(got, got_count, sizeof got[0], compare_values);
    if (job.has_folder) {
        n = fold_values(values, n);
        got_count = fold_values(got, got_count);
    }
    if (!has_failed())
        assert_int_equal(got_count, n);
    if (!has_failed() || !job.held_any)
        assert_memory_equal(values, got, got_count * sizeof got[0]);
}

static void check_output(uint64_t most)
{
    if (only_shrinks()) {
        check_shrunk();
        return;
    }
    const struct gsi_flow *flow = &job.flow;
    const uint64_t bytes = job.out_bytes;
    uint64_t values[ENTRIES_MOST], hashes[GSI_OPERATORS_MAX];
    memcpy(values, job.values, sizeof values);
    uint64_t n = model(job.ops, flow->operators.count, most, values, job.count, hashes);
    if (!has_failed()) {
        assert_int_equal(job.got_bytes, n * bytes);
        assert_int_equal(flow->count, flow->operators.count > 0 ? n : 0);
        assert_int_equal(flow->is_enough, n == most);
        assert_int_equal(job.copied_bytes, flow->next != NULL ? job.fed * job.in_bytes : 0);
    }
    for (uint64_t i = 0; i < job.copied_bytes / job.in_bytes; i++) {
        check_entry(job.copied + i * job.in_bytes, job.in_bytes);
        assert_int_equal(value_at(job.copied + i * job.in_bytes), job.values[i]);
    }
    assert_true(job.got_bytes <= n * bytes);
    for (uint64_t i = 0; i < n; i++) {
        uint8_t want[ENTRY_MOST];
        uint64_t left = job.got_bytes > i * bytes ? job.got_bytes - i * bytes : 0;
        put_entry(want, values[i], bytes);
        assert_memory_equal(want, job.got + i * bytes, gsi_min_u64(bytes, left));
    }
    for (uint32_t i = 0; i < flow->operators.count && !has_failed(); i++)
        if (job.ops[i].what == OBSERVER && (i > flow->operators.last || !flow->is_enough))
            assert_int_equal(job.ops[i].all.hash, hashes[i]);
}

/* ---- random jobs ---- */

static uint64_t draw_bytes(void)
{
    return 8 + below(ENTRY_MOST - 8 + 1);
}

static void add_op(enum what what, uint64_t *bytes)
{
    static const enum gsi_operator_kind kinds[] = {GSI_OBSERVE, GSI_MAP,    GSI_MAKE,
                                                   GSI_MAKE,    GSI_SHRINK, GSI_SHRINK};
    const bool is_in_place = what == SHRINKER || what == FOLDER;
    uint32_t idx = job.flow.operators.count++;
    struct op *op = &job.ops[idx];
    *op = (struct op){.what = what,
                      .in_bytes = *bytes,
                      .out_bytes = what == OBSERVER ? 0
                                   : is_in_place    ? *bytes
                                                    : draw_bytes(),
                      .modulus = 1 + below(4),
                      .all.power = 1,
                      .error = &job.error};
    if (what != OBSERVER)
        *bytes = op->out_bytes;
    job.flow.operators.all[idx] = (struct gsi_operator){.context = op,
                                                        .kind = kinds[what],
                                                        .in_bytes = op->in_bytes,
                                                        .out_bytes = op->out_bytes,
                                                        .begin = begin,
                                                        .run = run,
                                                        .join = join,
                                                        .flush = flush};
    if (what == FOLDER && below(4) > 0)
        job.flow.operators.all[idx].rework = rework;
    job.has_folder |= what == FOLDER;
}

static bool has_only_maps(void)
{
    bool is_map = job.flow.operators.count > 0 && !only_shrinks();
    for (uint32_t i = 0; i < job.flow.operators.count; i++)
        is_map = is_map && job.ops[i].what != FILTER && job.ops[i].what != GROUPER;
    return is_map;
}

/* Returns the bytes of an entry that goes out. */
static uint64_t draw_ops(void)
{
    static const enum what chains[][GSI_OPERATORS_MAX + 1] = {
        /* how many, and which */
        {0},
        {1, MAPPER},
        {1, FILTER},
        {1, GROUPER},
        {2, OBSERVER, MAPPER},
        {2, MAPPER, OBSERVER},
        {2, FILTER, MAPPER},
        {2, GROUPER, MAPPER},
        {2, GROUPER, OBSERVER},
        {3, FILTER, MAPPER, OBSERVER},
        {3, GROUPER, MAPPER, OBSERVER},
        {3, FILTER, OBSERVER, MAPPER},
        {3, OBSERVER, MAPPER, OBSERVER},
        {3, OBSERVER, GROUPER, OBSERVER},
        {1, SHRINKER},
        {1, FOLDER},
        {2, SHRINKER, SHRINKER},
        {2, SHRINKER, FOLDER},
        {2, SHRINKER, MAPPER},
        {3, SHRINKER, SHRINKER, MAPPER},
        {3, SHRINKER, MAPPER, OBSERVER},
        {3, SHRINKER, OBSERVER, MAPPER},
    };
    const enum what *chain = chains[below(sizeof chains / sizeof chains[0])];
    uint64_t bytes = draw_bytes();
    job.in_bytes = bytes;
    job.flow.operators.count = 0;
    for (uint32_t i = 1; i <= (uint32_t)chain[0]; i++)
        add_op(chain[i], &bytes);
    for (uint32_t i = 0; has_only_maps() && i < job.flow.operators.count; i++)
        if (job.ops[i].what == MAPPER && below(3) == 0) {
            job.flow.operators.all[i].ready = ready;
            job.ops[i].waits = true;
        }
    if (chain[0] > 0 && below(6) == 0)
        job.ops[below(job.flow.operators.count)].fails_at = 1 + below(8);
    return bytes;
}

static void draw_values(void)
{
    uint64_t different = 1 + below(6), value = below(100);
    job.count = below(4) == 0 ? below(4) : below(ENTRIES_MOST + 1);
    for (uint64_t i = 0; i < job.count; i++) {
        job.values[i] = value;
        value += below(different) == 0;
    }
}

/* Both flows and their tasks. */
static void place_flows(uint32_t batches, uint32_t copies)
{
    for (int i = 0; i < 2; i++) {
        gsi_flow_alloc(&job.flow, batches, copies, &job.bump);
        gsi_flow_alloc(&job.copier, 0, copies, &job.bump);
        if (i == 0)
            assert_int_equal(gsi_bump_open(&job.bump, NULL, GSI_MEMORY_TABLES, &job.error), GS_OK);
    }
}

static void draw_job(uint64_t idx)
{
    test_case("job %llu", (unsigned long long)idx);
    memset(&job, 0, sizeof job);
    const uint32_t batches = 1 + (uint32_t)below(below(3) == 0 ? BATCHES_MOST : 6);
    place_flows(batches, 1 + (uint32_t)below(BATCHES_MOST));
    uint64_t out = draw_ops(), room = 2 * out + below(12 * out);
    job.out_bytes = out;
    draw_values();
    bool are_cut = below(2) == 0, is_map = has_only_maps(); /* blocks: between entries only */
    uint64_t window = only_shrinks() && are_cut ? job.in_bytes * (1 + below(20)) : 40 + below(600);
    make_set(&job.windows, 2 + (uint32_t)below(BUFFERS_MOST - 1), window);
    make_set(&job.blocks, 1 + (uint32_t)below(BUFFERS_MOST),
             is_map && !are_cut ? out + below(200) : 1 + below(200));
    make_set(&job.copies, 1 + (uint32_t)below(BUFFERS_MOST), 1 + below(200));
    assert_int_equal(
        gsi_buffers_init(&job.staging, NULL, job.room_memory, (1 + below(batches)) * room,
                         (struct gsi_buffer_shape){.unit_bytes = room}, false, &job.error),
        GS_OK);
    gsi_buffer_list_init(&job.writing);
    gsi_buffer_list_init(&job.held);
    job.loop.error = &job.error;
    struct gsi_flow *flow = &job.flow;
    flow->loop = &job.loop;
    flow->receiver =
        (struct gsi_receiver){.context = &job, .block = lend_block, .accept = take_block};
    flow->windows = &job.windows.buffers;
    flow->staging = (is_map && !are_cut) || only_shrinks() ? NULL : &job.staging;
    flow->operators.scratch = job.scratch;
    flow->operators.scratch_bytes = ENTRY_MOST * (1 + below(5));
    flow->most = below(3) == 0 ? below(job.count + 2) : UINT64_MAX;
    flow->next = below(3) == 0 && job.ops[0].what != SHRINKER ? &job.copier : NULL;
    job.copier = (struct gsi_flow){
        .loop = &job.loop,
        .copies = job.copier.copies,
        .receiver = {.context = &job, .blocks = &job.copies.buffers, .accept = take_copy},
        .windows = &job.windows.buffers,
        .most = UINT64_MAX};
    if (only_shrinks()) {
        flow->receiver.accept = accept_window;
        flow->windows = NULL;
        flow->next = NULL;
        flow->most = UINT64_MAX;
        job.ops[flow->operators.count - 1].holds = below(3) == 0;
    }
    if (flow->operators.count > 0)
        return;
    flow->most = UINT64_MAX;
    flow->receiver.bytes_before_cut = below(2) == 0 ? bytes_before_cut : NULL;
    job.cut_bytes = flow->receiver.bytes_before_cut != NULL ? 1 + below(600) : 0;
}

static void clear_job(void)
{
    gsi_buffers_clear(&job.windows.buffers);
    gsi_buffers_clear(&job.blocks.buffers);
    gsi_buffers_clear(&job.copies.buffers);
    gsi_buffers_clear(&job.staging);
    gsi_bump_close(&job.bump, NULL, GSI_MEMORY_TABLES);
}

/* An idle flow that begins again gives the same result. */
static void run_job(void)
{
    const uint64_t runs = 1 + below(2);
    for (uint64_t i = 0; i < runs && !has_failed(); i++) {
        struct gsi_buffer *block;
        while ((block = gsi_buffer_list_pop(&job.writing)) != NULL)
            gsi_buffers_return(&job.blocks.buffers, block);
        for (uint32_t k = 0; k < job.flow.operators.count; k++) {
            job.ops[k].all = (struct part){.power = 1};
            job.ops[k].has_begun = false;
        }
        job.fed = job.got_bytes = job.lent_bytes = job.copied_bytes = 0;
        job.file_end = job.cut_bytes;
        job.is_short = job.held_any = false;
        job.last_bytes = 0;
        run_flow();
        check_output(job.flow.most);
    }
}

static void test_flow__any_order_of_completion(void **state)
{
    (void)state;
    chance = test_random_make(1);
    for (uint64_t i = 0; i < test_number("GS_TEST_JOBS", JOBS); i++) {
        draw_job(i);
        job.loop.pool = simulated;
        task_count = 0;
        run_job();
        clear_job();
    }
}

static void test_flow__any_threads(void **state)
{
    (void)state;
    chance = test_random_make(2);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct gs_error error = {0};
        struct gsi_pool *pool;
        sem_t wakes;
        sem_init(&wakes, 0, 0);
        assert_int_equal(gsi_pool_create(threads, wake, &wakes, &pool, &error), GS_OK);
        for (uint64_t i = 0; i < test_number("GS_TEST_JOBS", JOBS) / 16; i++) {
            draw_job(i);
            job.loop.pool = pool;
            job.wakes = &wakes;
            run_job();
            clear_job();
        }
        gsi_pool_free(pool);
        sem_destroy(&wakes);
    }
}

/* Each of 64 threads shrinks a window, while the windows before it are not done. */
static void test_flow__64_threads__each_has_a_window(void **state)
{
    const uint32_t threads = 64, batches = gsi_flow_batches(threads);
    const size_t bytes = 8 * sizeof(uint64_t);
    (void)state;
    chance = test_random_make(3);
    memset(&job, 0, sizeof job);
    assert_in_range(batches, threads, BATCHES_MOST);
    place_flows(batches, batches);
    job.loop = (struct gsi_loop){.error = &job.error, .pool = simulated};
    job.flow.loop = &job.loop;
    job.flow.most = UINT64_MAX;
    job.flow.receiver = (struct gsi_receiver){.context = &job, .accept = accept_window};
    job.in_bytes = sizeof(uint64_t);
    add_op(SHRINKER, &job.in_bytes);
    assert_int_equal(
        gsi_buffers_init(&job.windows.buffers, NULL, job.windows.memory, BATCHES_MOST * bytes,
                         (struct gsi_buffer_shape){.unit_bytes = bytes}, false, &job.error),
        GS_OK);
    task_count = 0;
    gsi_flow_begin(&job.flow);
    for (job.count = ENTRIES_MOST; job.fed < job.count && job.windows.buffers.free_count > 0;)
        feed();
    gsi_flow_pump(&job.flow);
    assert_in_range(task_count, threads, batches);
    while (!gsi_flow_is_idle(&job.flow)) {
        let_tasks_end(true);
        gsi_flow_pump(&job.flow);
    }
    gsi_flow_end(&job.flow);
    gsi_flow_pump(&job.flow);
    assert_int_equal(job.windows.buffers.free_count, job.windows.buffers.count);
    check_output(job.flow.most);
    clear_job();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow__any_order_of_completion),
        cmocka_unit_test(test_flow__any_threads),
        cmocka_unit_test(test_flow__64_threads__each_has_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
