/* by_sorts.c: permutes elements that do not fit into memory, by two sorts.
 *
 *     positions  2 0 0 3     elements  a b c d
 *
 *     pairs of a position and its index            2,0  0,1  0,2  3,3
 *     sorted by position                           0,1  0,2  2,0  3,3
 *     beside a scan of the elements, in order      1 a  2 a  0 c  3 d
 *     sorted by index                              0 c  1 a  2 a  3 d
 *     output                                       c a a d
 *
 * A pair is one number, of 8 bytes if that is enough. An entry of the second sort is one, too, if
 * it has 8 or 16 bytes: the index is then in the upper bits. The entries that a window gets must
 * have the indexes of its elements, so the output is verified completely.
 *
 * The first sort ends before the second one merges, but their shares of memory are fixed. If
 * positions are nearly in order, both sorts take less time, but they spill as much. Their inputs
 * and outputs are streams, so nothing can be merged from its place or written in one pass.
 *
 * Rejected: gather from one part of the elements after the other, each as large as memory, and take
 * elements from these results in turn. This moves fewer bytes. But it needs temporary files of its
 * own, and several levels if there is little memory. */
#include "job/permute/permute.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/record/record.h"
#include "input/scan.h"
#include "job/permute/inner_sort.h"
#include "loop/loop.h"

/* Bytes of pairs and entries that are passed on at a time, and positions that are read. */
#define PAIRS_BYTES   GSI_CONSTANT((uint64_t)64 << 10, (uint64_t)1 << 10)
#define ENTRIES_BYTES GSI_CONSTANT((uint64_t)256 << 10, (uint64_t)64 << 10)
#define PART          ((uint64_t)4096)

/* The first sort gets so much of the memory, or what keeps all of its pairs in memory, with this
 * much besides. */
#define PAIRS_PART      3
#define SORT_MORE_BYTES ((uint64_t)10 << 20)
#define SORT_MORE_PART  8

/* The least memory for a sort, and some more. */
#define SORT_LEAST_BYTES ((uint64_t)5 << 20)

struct pair {
    uint64_t position, idx;
};

/* How pairs and entries are stored. */
struct shapes {
    uint32_t pair_bytes, index_bits; /* of pairs of 8 bytes: the index is in the lowest bits */
    uint32_t element_bytes, index_bytes, entry_bytes;
    uint32_t element_off, index_off; /* in an entry */
    const char *key;                 /* of entries; NULL: they are numbers */
};

struct by_sorts {
    struct gsi_permute *permute;
    const struct gsi_positions *positions;
    struct gsi_loop *loop;
    struct shapes shapes;
    uint64_t element_count;            /* UINT64_MAX: not known before they are read */
    uint64_t made_count, joined_count; /* pairs */
    uint64_t seen_count;               /* elements */
    uint8_t *pairs, *entries;
    uint64_t pair_off, pair_end, entries_bytes;
    struct gsi_inner_sort by_position, by_index;
    /* Windows get their entries in order. */
    pthread_mutex_t turn;
    pthread_cond_t turned;
    uint64_t next_idx;
    bool is_cut; /* the second sort ended too early */
    struct gsi_bump bump;
};

/* ---- plan ---- */

/* Entries of 16 bytes are sorted faster than those of 12. */
static struct shapes shapes_of(uint32_t element_bytes, uint64_t element_count, uint64_t count)
{
    const uint32_t bits = gsi_index_bits(count);
    bool is_narrow = element_count != UINT64_MAX && bits + gsi_index_bits(element_count) <= 64;
    bool is_short = bits <= 32 && element_bytes != sizeof(uint64_t);
    struct shapes shapes = {.pair_bytes = is_narrow ? 8 : 16,
                            .index_bits = bits,
                            .element_bytes = element_bytes,
                            .index_bytes = is_short ? sizeof(uint32_t) : sizeof(uint64_t)};
    shapes.entry_bytes = element_bytes + shapes.index_bytes;
    if (shapes.entry_bytes == 8 || shapes.entry_bytes == 16) {
        shapes.index_off = element_bytes;
    } else {
        shapes.key = is_short ? "0:u32" : "0:u64";
        shapes.element_off = shapes.index_bytes;
    }
    return shapes;
}

static uint64_t count_elements(const struct gsi_job *job)
{
    return job->inputs.bytes == UINT64_MAX ? UINT64_MAX
                                           : job->inputs.bytes / job->chosen.layout.element_bytes;
}

static void lay_out(struct by_sorts *sorts, struct gsi_bump *bump)
{
    GSI_BUMP_ALLOC(bump, sorts->pairs, PAIRS_BYTES);
    GSI_BUMP_ALLOC(bump, sorts->entries, ENTRIES_BYTES);
}

/* Memory in which nothing is spilled. */
static uint64_t whole_bytes(uint64_t count, uint64_t bytes)
{
    uint64_t all = gsi_mul_max_u64(count, bytes);
    return gsi_add_max_u64(all, all / SORT_MORE_PART + SORT_MORE_BYTES);
}

void gsi_by_sorts_plan(const struct gsi_job *job, uint64_t memory_bytes,
                       struct gsi_permute_plan *plan)
{
    const uint64_t count = job->positions.count;
    const struct shapes shapes =
        shapes_of(job->chosen.layout.element_bytes, count_elements(job), count);
    const uint64_t tag_bytes = shapes.key != NULL ? GSI_TAG_BYTES : 0;
    const uint64_t most = gsi_max_u64(memory_bytes, 2 * SORT_LEAST_BYTES);
    struct by_sorts sorts = {.made_count = 0};
    plan->pair_memory = gsi_max_u64(
        SORT_LEAST_BYTES, gsi_min_u64(most / PAIRS_PART, whole_bytes(count, shapes.pair_bytes)));
    plan->entry_memory =
        gsi_min_u64(most - plan->pair_memory, whole_bytes(count, shapes.entry_bytes + tag_bytes));
    lay_out(&sorts, &plan->bump);
}

/* ---- pairs: sorted by position ---- */

/* Reads positions, and makes pairs. Called by the first sort, on a thread of its own. */
static int64_t read_pairs(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct by_sorts *sorts = context;
    const struct shapes *shapes = &sorts->shapes;
    const uint64_t first = sorts->made_count;
    uint64_t positions[PART];
    size_t good, n = gsi_min_u64(gsi_min_u64(bytes / shapes->pair_bytes, PART),
                                 sorts->positions->count - first);
    uint64_t *to = data;
    GSI_ASSERT(bytes >= shapes->pair_bytes && (uintptr_t)data % sizeof *to == 0);
    if (gsi_positions_read(sorts->positions, first, n, sorts->element_count, positions, &good,
                           error) != GS_OK)
        return -1;
    for (size_t i = 0; i < n && shapes->pair_bytes == 8; i++)
        to[i] = positions[i] << shapes->index_bits | (first + i);
    for (size_t i = 0; i < n && shapes->pair_bytes == 16; i++) {
        to[2 * i] = first + i;
        to[2 * i + 1] = positions[i];
    }
    sorts->made_count += n;
    return (int64_t)(n * shapes->pair_bytes);
}

/* Copies exactly so many bytes; returns fewer only at the end. */
static size_t read_whole(struct gsi_pipe *from, uint8_t *to, size_t bytes)
{
    struct gs_error unheard = {0};
    size_t done = 0;
    int64_t part = 1;
    for (; done < bytes && part > 0; done += part > 0 ? (size_t)part : 0)
        part = gsi_pipe_read(from, to + done, bytes - done, &unheard);
    return done;
}

/* Returns whether there is another pair, which is then in *pair. */
static bool see_pair(struct by_sorts *sorts, struct pair *pair)
{
    const struct shapes *shapes = &sorts->shapes;
    uint64_t words[2];
    if (sorts->pair_off == sorts->pair_end) {
        uint64_t left = (sorts->positions->count - sorts->joined_count) * shapes->pair_bytes;
        sorts->pair_off = 0;
        sorts->pair_end =
            read_whole(&sorts->by_position.out, sorts->pairs, gsi_min_u64(left, PAIRS_BYTES));
        if (sorts->pair_end == 0)
            return false;
    }
    memcpy(words, sorts->pairs + sorts->pair_off, shapes->pair_bytes);
    if (shapes->pair_bytes == 16) {
        *pair = (struct pair){.position = words[1], .idx = words[0]};
        return true;
    }
    pair->position = words[0] >> shapes->index_bits;
    pair->idx = words[0] - (pair->position << shapes->index_bits);
    return true;
}

/* ---- entries: sorted by index ---- */

static bool pass_entries(struct by_sorts *sorts)
{
    struct gs_error unheard = {0};
    bool is_passed =
        sorts->entries_bytes == 0 ||
        gsi_pipe_write(&sorts->by_index.in, sorts->entries, sorts->entries_bytes, &unheard);
    sorts->entries_bytes = 0;
    return is_passed;
}

static bool put_entry(struct by_sorts *sorts, uint64_t idx, const uint8_t *element)
{
    const struct shapes *shapes = &sorts->shapes;
    uint8_t *entry = sorts->entries + sorts->entries_bytes;
    if (shapes->index_bytes == sizeof idx)
        memcpy(entry + shapes->index_off, &idx, sizeof idx);
    else
        memcpy(entry + shapes->index_off, &(uint32_t){(uint32_t)idx}, sizeof(uint32_t));
    gsi_permute_copy(entry + shapes->element_off, element, shapes->element_bytes);
    sorts->entries_bytes += shapes->entry_bytes;
    return sorts->entries_bytes + shapes->entry_bytes <= ENTRIES_BYTES || pass_entries(sorts);
}

/* Makes entries of all pairs whose elements are in the buffer. Both sorts work meanwhile. */
static bool join(void *context, struct gsi_buffer *buffer, void *partial)
{
    (void)partial;
    struct by_sorts *sorts = context;
    const uint32_t bytes = sorts->shapes.element_bytes;
    const uint64_t first = sorts->seen_count;
    struct pair pair;
    bool has_pair, is_put = true;
    sorts->seen_count += buffer->bytes / bytes;
    while ((has_pair = see_pair(sorts, &pair)) && is_put && pair.position < sorts->seen_count) {
        is_put = put_entry(sorts, pair.idx, buffer->data + (pair.position - first) * bytes);
        sorts->pair_off += sorts->shapes.pair_bytes;
        sorts->joined_count++;
    }
    /* A sort that has failed fails the job; the loop finds that. */
    if (!has_pair && sorts->joined_count < sorts->positions->count)
        (void)gsi_inner_sort_stop(&sorts->by_position, sorts->permute->job);
    else if (!is_put)
        (void)gsi_inner_sort_stop(&sorts->by_index, sorts->permute->job);
    return true;
}

static enum gs_status start(struct by_sorts *sorts)
{
    struct gsi_job *job = sorts->permute->job;
    const struct gsi_permute_plan *plan = &job->plan.permute;
    const struct shapes *shapes = &sorts->shapes;
    const uint64_t count = sorts->positions->count;
    if (shapes->entry_bytes > GSI_RECORD_BYTES_MAX)
        return gsi_fail(sorts->loop->error, GS_E_USAGE, 0,
                        "--permute: elements of %u bytes are too long for a sort, the limit is %u "
                        "bytes; raise --memory, so that all elements fit",
                        shapes->element_bytes, GSI_RECORD_BYTES_MAX - shapes->index_bytes);
    GSI_TRY(gsi_inner_sort_start(&sorts->by_position, job, sorts->positions->path,
                                 shapes->pair_bytes, NULL, count * shapes->pair_bytes,
                                 plan->pair_memory, read_pairs, sorts));
    GSI_TRY(gsi_inner_sort_start(&sorts->by_index, job, "elements with indexes",
                                 shapes->entry_bytes, shapes->key, count * shapes->entry_bytes,
                                 plan->entry_memory, NULL, NULL));
    return gsi_inner_sort_wait(&sorts->by_position, job);
}

/* Reads all elements, and makes all entries. */
static enum gs_status join_all(struct by_sorts *sorts)
{
    struct gsi_job *job = sorts->permute->job;
    const struct gsi_scan scan = {.context = sorts, .device = GSI_SCAN_COUNTS, .join = join};
    struct pair pair;
    GSI_TRY(gsi_scan_run(&scan, &job->inputs, &job->arena.chunks));
    if (see_pair(sorts, &pair))
        return gsi_positions_refuse(sorts->positions, pair.idx, pair.position, sorts->seen_count,
                                    sorts->loop->error);
    bool is_passed = pass_entries(sorts);
    GSI_TRY(gsi_inner_sort_stop(&sorts->by_position, job));
    if (!is_passed)
        GSI_TRY(gsi_inner_sort_stop(&sorts->by_index, job));
    gsi_pipe_end_writer(&sorts->by_index.in, GS_OK);
    return gsi_inner_sort_wait(&sorts->by_index, job);
}

/* ---- the output ---- */

static uint64_t index_of(const struct shapes *shapes, const uint8_t *entry)
{
    uint32_t narrow;
    uint64_t wide;
    memcpy(&narrow, entry + shapes->index_off, sizeof narrow);
    if (shapes->index_bytes == sizeof narrow)
        return narrow;
    memcpy(&wide, entry + shapes->index_off, sizeof wide);
    return wide;
}

/* Copies the elements of the next entries, whose indexes begin with `first`. Returns how many. */
static uint64_t take_elements(struct by_sorts *sorts, uint8_t *to, uint64_t first, uint64_t n)
{
    const struct shapes *shapes = &sorts->shapes;
    uint64_t part = gsi_min_u64(n, ENTRIES_BYTES / shapes->entry_bytes), done = 0;
    const uint8_t *entry = sorts->entries;
    uint64_t bytes = part * shapes->entry_bytes;
    sorts->is_cut |= read_whole(&sorts->by_index.out, sorts->entries, bytes) < bytes;
    for (; !sorts->is_cut && done < part && index_of(shapes, entry) == first + done; done++) {
        gsi_permute_copy(to + done * shapes->element_bytes, entry + shapes->element_off,
                         shapes->element_bytes);
        entry += shapes->entry_bytes;
    }
    return done;
}

/* Windows begin to be filled in order, so the next one is always among those that wait here. */
static enum gs_status fill(void *way, uint8_t *to, uint64_t first, uint64_t n, uint64_t *good,
                           struct gs_error *error)
{
    struct by_sorts *sorts = way;
    pthread_mutex_lock(&sorts->turn);
    while (sorts->next_idx != first)
        pthread_cond_wait(&sorts->turned, &sorts->turn);
    for (uint64_t part = 1; *good < n && part > 0; *good += part)
        part = take_elements(sorts, to + *good * sorts->shapes.element_bytes, first + *good,
                             n - *good);
    sorts->next_idx += n;
    pthread_cond_broadcast(&sorts->turned);
    pthread_mutex_unlock(&sorts->turn);
    if (*good == n)
        return GS_OK;
    return gsi_fail(error, GS_E_VERIFY, 0,
                    "--permute: the sort by index has no element %llu where it belongs; check the "
                    "memory of this machine",
                    (unsigned long long)(first + *good));
}

static enum gs_status run(struct by_sorts *sorts)
{
    GSI_TRY(start(sorts));
    GSI_TRY(join_all(sorts));
    return gsi_permute_write(sorts->permute, fill, sorts);
}

enum gs_status gsi_by_sorts(struct gsi_permute *permute)
{
    struct gsi_job *job = permute->job;
    struct gsi_loop *loop = &job->loop;
    const uint64_t elements = count_elements(job);
    struct by_sorts sorts = {
        .permute = permute,
        .positions = permute->positions,
        .loop = loop,
        .element_count = elements,
        .shapes = shapes_of(permute->element_bytes, elements, permute->positions->count),
        .bump = job->plan.permute.bump};
    GSI_TRY(gsi_bump_open(&sorts.bump, &loop->ledger, GSI_MEMORY_DATA, loop->error));
    lay_out(&sorts, &sorts.bump);
    pthread_mutex_init(&sorts.turn, NULL);
    pthread_cond_init(&sorts.turned, NULL);
    enum gs_status status = run(&sorts);
    const struct gs_error error = *loop->error;
    if (sorts.is_cut) /* the failure of the sort explains it */
        *loop->error = (struct gs_error){0};
    (void)gsi_inner_sort_stop(&sorts.by_position, job);
    if (gsi_inner_sort_stop(&sorts.by_index, job) == GS_OK)
        *loop->error = error;
    loop->phases[GS_PHASE_MERGE_RUNS].bytes_read += sorts.made_count * sorts.positions->bytes;
    pthread_cond_destroy(&sorts.turned);
    pthread_mutex_destroy(&sorts.turn);
    gsi_bump_close(&sorts.bump, &loop->ledger, GSI_MEMORY_DATA);
    return loop->error->status != GS_OK ? loop->error->status : status;
}
