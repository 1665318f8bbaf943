/* set_filter.c: a piece and its ranges in the other files, group by group. */
#include "merge/set_filter.h"

#include "base/checked.h"
#include "element/compare.h"
#include "element/filter/filter.h"
#include "element/tally/tally_block.h"
#include "merge/set_streams.h"

#include <string.h>

/* Blocks of all threads and files together take this part of memory. */
#define BLOCKS_PART  32
#define BLOCKS_LEAST ((uint64_t)4 << 10)
#define BLOCKS_MOST  ((uint64_t)256 << 10)

/* Elements that a thread has room for: one that is looked for, the one before it in a file, the first
 * of the next piece, and the key of the group. */
#define ELEMENTS 4

static const struct gs_choice choices[] = {{.word = "all", .value = GS_SET_NONE},
                                           {.word = "union", .value = GS_SET_UNION},
                                           {.word = "intersect", .value = GS_SET_INTERSECT},
                                           {.word = "except", .value = GS_SET_EXCEPT},
                                           {.word = "semi", .value = GS_SET_SEMI},
                                           {.word = "anti", .value = GS_SET_ANTI},
                                           {.word = NULL}};

const struct gs_choice *gs_set_choices(void)
{
    return choices;
}

/* Where a thread is in another file. */
struct cursor {
    const struct gsi_input *file;
    uint64_t count, next;              /* elements */
    uint64_t block_first, block_count; /* of the block that is in memory */
    uint8_t *block;
    uint64_t equal; /* elements with the key of the group */
};

/* A piece that is being filtered. */
struct pass {
    struct gsi_set_filter *sets;
    struct gs_error *error;
    const struct gsi_input *file;             /* of the piece */
    struct cursor cursors[GSI_SET_FILES_MAX]; /* those it is compared with */
    size_t cursor_count;
    uint8_t *element; /* room for ELEMENTS */
    uint64_t read_bytes;
    /* What stays. */
    uint8_t *from, *to;
    uint8_t keep[GSI_BLOCK_ELEMENTS];
    size_t keep_count;
    struct gsi_filtered *filtered;
};

static uint32_t element_bytes(const struct gsi_set_filter *sets)
{
    return sets->inputs->layout->element_bytes;
}

/* ---- begin and end ---- */

static const char *refused_by(const struct gsi_inputs *inputs)
{
    const struct gs_options *options = inputs->options;
    return options->where_count > 0       ? "--where; filter the files first"
           : options->has_range           ? "--range"
           : options->part_count > 0      ? "--part"
           : options->find != NULL        ? "--find"
           : options->out_field_count > 0 ? "--out"
                                          : NULL;
}

static enum gs_status check_input(const struct gsi_inputs *inputs, const struct gsi_input *input)
{
    struct gs_error *error = inputs->loop->error;
    if (input->coding != GSI_CODING_NONE)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--merge=SET: '%s' is packed, and cannot be read at any place; unpack it "
                        "into a pipe: zstd -dc FILE",
                        input->name);
    if (input->is_stream && inputs->options->action == GS_ACTION_EXPLAIN)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--explain: '%s' is copied to a file first, and a plan has to know how "
                        "long that is",
                        input->name);
    return GS_OK;
}

enum gs_status gsi_set_filter_begin(struct gsi_inputs *inputs)
{
    struct gs_error *error = inputs->loop->error;
    const struct gs_options *options = inputs->options;
    if (options->merge_set == GS_SET_NONE)
        return GS_OK;
    const char *other = refused_by(inputs);
    if (!options->merge || options->action == GS_ACTION_CHECK || options->action == GS_ACTION_STATS)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--merge=SET: is for a merge, which writes something");
    if (other != NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "--merge=SET: does not go with %s", other);
    if (inputs->count > GSI_SET_FILES_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--merge=SET: takes %u files at most, not %zu",
                        GSI_SET_FILES_MAX, inputs->count);
    for (size_t i = 0; i < inputs->count; i++)
        GSI_TRY(check_input(inputs, &inputs->table[i]));
    return gsi_set_streams_copy(inputs);
}

void gsi_set_filter_take(struct gsi_set_filter *sets, struct gsi_inputs *inputs)
{
    const struct gs_options *options = inputs->options;
    if (options->merge_set == GS_SET_NONE)
        return;
    *sets = (struct gsi_set_filter){.inputs = inputs,
                                    .kind = options->merge_set,
                                    .files = inputs->table,
                                    .count = inputs->count};
    pthread_mutex_init(&sets->lock, NULL);
    inputs->sets = sets;
    if (options->unique && sets->kind == GS_SET_EXCEPT)
        sets->kind = GS_SET_ANTI;
    for (size_t i = 1; sets->kind != GS_SET_UNION && i < sets->count; i++)
        inputs->bytes -= inputs->table[i].bytes;
    inputs->count = sets->kind == GS_SET_UNION ? sets->count : 1;
}

static uint64_t block_bytes(const struct gsi_set_filter *sets, uint64_t memory_bytes,
                            uint32_t thread_count)
{
    uint64_t bytes = memory_bytes / BLOCKS_PART / thread_count / sets->count;
    bytes = gsi_clamp_u64(bytes, BLOCKS_LEAST, BLOCKS_MOST);
    return gsi_max_u64(bytes, element_bytes(sets)) / element_bytes(sets) * element_bytes(sets);
}

/* Of a thread: a block a file, and elements that are compared. */
static uint64_t worker_bytes(const struct gsi_set_filter *sets, uint64_t block)
{
    uint64_t elements = ELEMENTS * (uint64_t)element_bytes(sets);
    return gsi_round_up_u64(sizeof(struct pass) + sets->count * block + elements, 64);
}

uint64_t gsi_set_filter_bytes(const struct gsi_set_filter *sets, uint64_t memory_bytes,
                              uint32_t thread_count)
{
    if (sets == NULL)
        return 0;
    return thread_count * worker_bytes(sets, block_bytes(sets, memory_bytes, thread_count));
}

enum gs_status gsi_set_filter_open(struct gsi_set_filter *sets, uint64_t memory_bytes,
                                   uint32_t thread_count)
{
    struct gsi_loop *loop = sets->inputs->loop;
    sets->block_bytes = block_bytes(sets, memory_bytes, thread_count);
    sets->memory_bytes = thread_count * worker_bytes(sets, sets->block_bytes);
    return GSI_NEW(&loop->ledger, sets->memory, sets->memory_bytes, loop->error);
}

void gsi_set_filter_close(struct gsi_set_filter *sets)
{
    if (sets->inputs == NULL)
        return;
    if (sets->memory != NULL)
        GSI_FREE(&sets->inputs->loop->ledger, sets->memory, sets->memory_bytes);
    for (size_t i = sets->inputs->count; i < sets->count; i++)
        gsi_input_close(&sets->files[i]);
    pthread_mutex_destroy(&sets->lock);
    *sets = (struct gsi_set_filter){0};
}

/* ---- elements of files ---- */

static enum gs_status read_elements(struct pass *pass, const struct gsi_input *file, uint64_t idx,
                                    uint64_t count, uint8_t *to)
{
    uint64_t bytes = element_bytes(pass->sets);
    pass->read_bytes += count * bytes;
    return gsi_input_read(file, to, count * bytes, idx * bytes, pass->error);
}

static int compare(const struct pass *pass, const void *a, const void *b)
{
    return gsi_compare(pass->sets->inputs->layout, a, b);
}

static enum gs_status fail_order(struct pass *pass, const struct gsi_input *file, uint64_t idx)
{
    return gsi_fail(pass->error, GS_E_INPUT, 0,
                    "'%s': not sorted: element %llu is below the one before it; sort it first",
                    file->name, (unsigned long long)idx);
}

/* The first element that is not below `key`. */
static enum gs_status find(struct pass *pass, const struct gsi_input *file, const uint8_t *key,
                           uint64_t *idx)
{
    uint8_t *probe = pass->element;
    uint64_t low = 0, high = file->bytes / element_bytes(pass->sets);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        GSI_TRY(read_elements(pass, file, middle, 1, probe));
        if (compare(pass, probe, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *idx = low;
    return GS_OK;
}

/* The next element of another file; NULL: there is none. */
static enum gs_status look(struct pass *pass, struct cursor *cursor, const uint8_t **element)
{
    uint64_t bytes = element_bytes(pass->sets), idx = cursor->next;
    *element = NULL;
    if (idx == cursor->count)
        return GS_OK;
    if (idx < cursor->block_first || idx - cursor->block_first >= cursor->block_count) {
        uint64_t count = gsi_min_u64(pass->sets->block_bytes / bytes, cursor->count - idx);
        GSI_TRY(read_elements(pass, cursor->file, idx, count, cursor->block));
        cursor->block_first = idx;
        cursor->block_count = count;
    }
    *element = cursor->block + (idx - cursor->block_first) * bytes;
    return GS_OK;
}

/* Past the element that was looked at, which the next one must not be below. */
static enum gs_status step(struct pass *pass, struct cursor *cursor, const uint8_t *element)
{
    uint8_t *before = pass->element + element_bytes(pass->sets);
    const uint8_t *next;
    memcpy(before, element, element_bytes(pass->sets));
    cursor->next++;
    GSI_TRY(look(pass, cursor, &next));
    if (next != NULL && compare(pass, next, before) < 0)
        return fail_order(pass, cursor->file, cursor->next);
    return GS_OK;
}

/* ---- a piece ---- */

/* To the first element of another file that is not below the piece; it must be in order there, too. */
static enum gs_status place_cursor(struct pass *pass, struct cursor *cursor, uint64_t first,
                                   const uint8_t *key)
{
    uint8_t *before = pass->element;
    const uint8_t *next;
    cursor->next = 0;
    if (first > 0)
        GSI_TRY(find(pass, cursor->file, key, &cursor->next));
    GSI_TRY(look(pass, cursor, &next));
    if (cursor->next == 0 || next == NULL)
        return GS_OK;
    GSI_TRY(read_elements(pass, cursor->file, cursor->next - 1, 1, before));
    return compare(pass, next, before) < 0 ? fail_order(pass, cursor->file, cursor->next) : GS_OK;
}

/* Counts elements with the key of the group, which is `key`, in another file. */
static enum gs_status count_equal(struct pass *pass, struct cursor *cursor, const uint8_t *key)
{
    const uint8_t *element;
    cursor->equal = 0;
    for (;;) {
        GSI_TRY(look(pass, cursor, &element));
        int order = element != NULL ? compare(pass, element, key) : 1;
        if (order > 0)
            return GS_OK;
        cursor->equal += order == 0;
        GSI_TRY(step(pass, cursor, element));
    }
}

/* From which element of a group to which one they stay, counted in their file. */
static void decide(const struct pass *pass, uint64_t *from, uint64_t *to)
{
    uint64_t all = 0, most = 0, fewest = UINT64_MAX;
    for (size_t i = 0; i < pass->cursor_count; i++) {
        uint64_t equal = pass->cursors[i].equal;
        all += equal;
        most = gsi_max_u64(most, equal);
        fewest = gsi_min_u64(fewest, equal);
    }
    *from = 0;
    *to = UINT64_MAX;
    switch (pass->sets->kind) {
    case GS_SET_UNION:
        *from = most;
        break;
    case GS_SET_INTERSECT:
        *to = fewest;
        break;
    case GS_SET_EXCEPT:
        *from = all;
        break;
    case GS_SET_SEMI:
        *to = all > 0 ? UINT64_MAX : 0;
        break;
    default:
        *to = all > 0 ? 0 : UINT64_MAX;
    }
}

static void move_kept(struct pass *pass)
{
    const struct gsi_layout *layout = pass->sets->inputs->layout;
    size_t bytes = layout->element_bytes;
    size_t kept =
        gsi_filter_move(layout, pass->to, pass->from, pass->keep_count, pass->keep, pass->filtered);
    pass->from += pass->keep_count * bytes;
    pass->to += kept * bytes;
    pass->keep_count = 0;
}

static void decide_element(struct pass *pass, bool is_kept)
{
    pass->keep[pass->keep_count++] = is_kept;
    if (pass->keep_count == gsi_filter_block(pass->sets->inputs->layout))
        move_kept(pass);
}

/* How many elements of the piece's own file have its first key and lie before it. */
static enum gs_status count_before(struct pass *pass, uint64_t first, const uint8_t *key,
                                   uint64_t *count)
{
    uint8_t *before = pass->element;
    uint64_t begin;
    *count = 0;
    if (first == 0)
        return GS_OK;
    GSI_TRY(read_elements(pass, pass->file, first - 1, 1, before));
    int order = compare(pass, before, key);
    if (order > 0)
        return fail_order(pass, pass->file, first);
    if (order < 0)
        return GS_OK;
    GSI_TRY(find(pass, pass->file, key, &begin));
    *count = first - begin;
    return GS_OK;
}

/* The rest of other files' ranges: up to where those of the next piece begin. */
static enum gs_status finish_ranges(struct pass *pass, uint64_t behind)
{
    const uint8_t *element;
    uint8_t *next = pass->element + 2 * (size_t)element_bytes(pass->sets);
    bool is_last = behind == pass->file->bytes / element_bytes(pass->sets);
    if (!is_last)
        GSI_TRY(read_elements(pass, pass->file, behind, 1, next));
    for (size_t i = 0; i < pass->cursor_count; i++) {
        struct cursor *cursor = &pass->cursors[i];
        uint64_t end = cursor->count;
        if (!is_last)
            GSI_TRY(find(pass, cursor->file, next, &end));
        while (cursor->next < end) {
            GSI_TRY(look(pass, cursor, &element));
            GSI_TRY(step(pass, cursor, element));
        }
    }
    return GS_OK;
}

static enum gs_status filter_piece(struct pass *pass, uint64_t first, const uint8_t *elements,
                                   size_t n)
{
    const uint32_t bytes = element_bytes(pass->sets);
    uint8_t *key = pass->element + 3 * (size_t)bytes;
    uint64_t of_group, from, to;
    for (size_t i = 0; i < pass->cursor_count; i++)
        GSI_TRY(place_cursor(pass, &pass->cursors[i], first, elements));
    GSI_TRY(count_before(pass, first, elements, &of_group));
    for (size_t i = 0; i < n; of_group = 0) {
        int order = 0;
        memcpy(key, elements + i * bytes, bytes); /* what stays may be moved there */
        for (size_t k = 0; k < pass->cursor_count; k++)
            GSI_TRY(count_equal(pass, &pass->cursors[k], key));
        decide(pass, &from, &to);
        for (; i < n && order == 0; order = i < n ? compare(pass, elements + i * bytes, key) : 1) {
            decide_element(pass, of_group >= from && of_group < to);
            of_group++;
            i++;
        }
        if (order < 0)
            return fail_order(pass, pass->file, first + i);
    }
    move_kept(pass);
    return finish_ranges(pass, first + n);
}

/* The thread's pass, at the beginning of its memory; blocks and elements follow. */
static struct pass *begin_pass(struct gsi_set_filter *sets, uint32_t worker_idx,
                               const struct gsi_input *input)
{
    uint8_t *memory = sets->memory + worker_idx * worker_bytes(sets, sets->block_bytes);
    struct pass *pass = (struct pass *)(void *)memory;
    uint8_t *blocks = memory + sizeof *pass;
    *pass = (struct pass){
        .sets = sets, .file = input, .element = blocks + sets->count * sets->block_bytes};
    size_t begin = sets->kind == GS_SET_UNION ? 0 : 1;
    size_t end = sets->kind == GS_SET_UNION ? (size_t)(input - sets->files) : sets->count;
    for (size_t i = begin; i < end; i++)
        pass->cursors[pass->cursor_count++] =
            (struct cursor){.file = &sets->files[i],
                            .count = sets->files[i].bytes / element_bytes(sets),
                            .block = blocks + i * sets->block_bytes};
    return pass;
}

size_t gsi_set_filter_apply(struct gsi_set_filter *sets, uint32_t worker_idx,
                            const struct gsi_input *input, uint64_t first, uint8_t *elements,
                            size_t n, struct gsi_filtered *filtered, uint64_t *read_bytes)
{
    struct gs_error error = {0};
    struct pass *pass = begin_pass(sets, worker_idx, input);
    *read_bytes = 0;
    if (n == 0)
        return 0;
    pass->error = &error;
    pass->from = pass->to = elements;
    pass->filtered = filtered;
    if (filter_piece(pass, first, elements, n) != GS_OK) {
        pthread_mutex_lock(&sets->lock);
        if (sets->error.status == GS_OK)
            sets->error = error;
        pthread_mutex_unlock(&sets->lock);
        return 0;
    }
    *read_bytes = pass->read_bytes;
    return (size_t)(pass->to - elements) / element_bytes(sets);
}

enum gs_status gsi_set_filter_check(struct gsi_set_filter *sets, struct gs_error *error)
{
    pthread_mutex_lock(&sets->lock);
    if (sets->error.status != GS_OK && error->status == GS_OK)
        *error = sets->error;
    pthread_mutex_unlock(&sets->lock);
    return error->status;
}
