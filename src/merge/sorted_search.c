/* sorted_search.c: looks at elements of files, and the cut at a rank. */
#include "merge/sorted_search.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/compare.h"

#include <string.h>

/* What is read of a file at once: a page, which is what the disk is asked for in any case. */
#define BLOCK_BYTES 4096u

/* With more files each has a block of one element. */
#define BLOCK_FILES_MAX GSI_CONSTANT(1024u, 2u)

enum gs_status gsi_search_open(struct gsi_search *search, struct gsi_inputs *inputs)
{
    struct gsi_ledger *ledger = &inputs->loop->ledger;
    uint32_t element = inputs->loop->layout->element_bytes;
    *search = (struct gsi_search){.inputs = inputs, .block_elements = 1};
    if (inputs->count <= BLOCK_FILES_MAX)
        search->block_elements = gsi_max_u64(BLOCK_BYTES / element, 1);
    search->blocks_bytes = gsi_mul_max_u64(inputs->count, search->block_elements * element);
    search->ends_bytes = gsi_mul_max_u64(inputs->count, 2 * (uint64_t)element);
    GSI_TRY(GSI_NEW(ledger, search->files, inputs->count, inputs->loop->error));
    GSI_TRY(GSI_NEW(ledger, search->blocks, search->blocks_bytes, inputs->loop->error));
    GSI_TRY(GSI_NEW(ledger, search->ends, search->ends_bytes, inputs->loop->error));
    for (size_t i = 0; i < inputs->count; i++) {
        search->files[i].count = inputs->table[i].bytes / element;
        search->files[i].block = search->blocks + i * search->block_elements * element;
    }
    return GS_OK;
}

void gsi_search_close(struct gsi_search *search)
{
    if (search->inputs == NULL)
        return;
    struct gsi_ledger *ledger = &search->inputs->loop->ledger;
    GSI_FREE(ledger, search->files, search->inputs->count);
    GSI_FREE(ledger, search->blocks, search->blocks_bytes);
    GSI_FREE(ledger, search->ends, search->ends_bytes);
    *search = (struct gsi_search){0};
}

enum gs_status gsi_search_at(struct gsi_search *search, size_t file, uint64_t idx,
                             const uint8_t **element)
{
    struct gsi_search_file *at = &search->files[file];
    struct gsi_inputs *inputs = search->inputs;
    struct gsi_input *input = &inputs->table[file];
    uint32_t bytes = inputs->loop->layout->element_bytes;
    if (idx < at->block_first || idx - at->block_first >= at->block_count) {
        at->block_first = idx / search->block_elements * search->block_elements;
        at->block_count = 0;
        uint64_t count = gsi_min_u64(search->block_elements, at->count - at->block_first);
        GSI_TRY(gsi_input_reopen(input, inputs->loop->error));
        GSI_TRY(gsi_input_read(input, at->block, count * bytes, at->block_first * bytes,
                               inputs->loop->error));
        if (inputs->are_many)
            gsi_input_close_for_now(input);
        gsi_loop_now(inputs->loop)->bytes_read += count * bytes;
        at->block_count = count;
    }
    *element = at->block + (idx - at->block_first) * bytes;
    return GS_OK;
}

/* ---- the cut ---- */

/* Every `step`-th element of each file, and behind its end any number that come after all others.
 * `last` is the sample before a file's cut, `next` the one behind it. */
struct cutting {
    struct gsi_search *search;
    uint64_t *cut, step;
};

static uint8_t *end_of(const struct gsi_search *search, size_t file, bool is_next)
{
    return search->ends + (2 * file + is_next) * search->inputs->loop->layout->element_bytes;
}

/* Where the sample before or behind the cut is. */
static uint64_t place_of(const struct cutting *c, size_t file, bool is_next)
{
    return is_next ? c->cut[file] + c->step - 1 : c->cut[file] - 1;
}

static bool is_behind_all(const struct cutting *c, size_t file, bool is_next)
{
    return place_of(c, file, is_next) >= c->search->files[file].count;
}

/* Reads a sample, if it is not known. */
static enum gs_status look(const struct cutting *c, size_t file, bool is_next)
{
    struct gsi_search_file *at = &c->search->files[file];
    bool *is_known = is_next ? &at->has_next : &at->has_last;
    const uint8_t *element;
    if (*is_known || (!is_next && c->cut[file] == 0) || is_behind_all(c, file, is_next))
        return GS_OK;
    GSI_TRY(gsi_search_at(c->search, file, place_of(c, file, is_next), &element));
    memcpy(end_of(c->search, file, is_next), element,
           c->search->inputs->loop->layout->element_bytes);
    *is_known = true;
    return GS_OK;
}

/* Whether a sample of file `a` comes before one of file `b`. */
static bool comes_before(const struct cutting *c, size_t a, bool a_is_next, size_t b,
                         bool b_is_next)
{
    bool is_lower = a < b || (a == b && !a_is_next); /* by file, then by place */
    bool a_behind = is_behind_all(c, a, a_is_next), b_behind = is_behind_all(c, b, b_is_next);
    if (a_behind || b_behind)
        return a_behind == b_behind ? is_lower : b_behind;
    int way = gsi_compare(c->search->inputs->loop->layout, end_of(c->search, a, a_is_next),
                          end_of(c->search, b, b_is_next));
    return way != 0 ? way < 0 : is_lower;
}

/* The file whose sample before the cut is the greatest, or whose sample behind it is the least. The
 * count of files: there is none. */
static enum gs_status find_end(const struct cutting *c, bool is_next, size_t *file)
{
    size_t count = c->search->inputs->count;
    *file = count;
    for (size_t i = 0; i < count; i++) {
        GSI_TRY(look(c, i, is_next));
        if (!is_next && c->cut[i] == 0)
            continue;
        if (*file == count || comes_before(c, i, is_next, *file, is_next) == is_next)
            *file = i;
    }
    return GS_OK;
}

static void move(const struct cutting *c, size_t file, bool is_right)
{
    struct gsi_search_file *at = &c->search->files[file];
    bool is_known = is_right ? at->has_next : at->has_last;
    if (is_known) /* what was behind the cut is before it now, or the other way round */
        memcpy(end_of(c->search, file, !is_right), end_of(c->search, file, is_right),
               c->search->inputs->loop->layout->element_bytes);
    at->has_last = is_right && is_known;
    at->has_next = !is_right && is_known;
    c->cut[file] += is_right ? c->step : -c->step;
}

/* Moves the cut until as many samples as there should be lie before it, and none of them comes
 * after one behind it. Where the files are sorted that takes about as many moves as there are
 * files. */
static enum gs_status cut_samples(const struct cutting *c, uint64_t rank)
{
    size_t count = c->search->inputs->count, last = 0, next = 0;
    uint64_t wanted = rank / c->step, taken = 0, most = 64 * ((uint64_t)count + 16);
    for (size_t i = 0; i < count; i++)
        taken += c->cut[i] / c->step;
    for (uint64_t moves = 0; moves < most; moves++) {
        GSI_TRY(find_end(c, false, &last));
        GSI_TRY(find_end(c, true, &next));
        if (taken == wanted && (last == count || comes_before(c, last, false, next, true)))
            return GS_OK;
        if (taken == wanted && last == next)
            break;
        if (taken >= wanted)
            move(c, last, false);
        if (taken <= wanted)
            move(c, next, true);
        taken = taken < wanted ? taken + 1 : taken > wanted ? taken - 1 : taken;
    }
    last = last < count ? last : 0;
    return gsi_fail(c->search->inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': is not sorted; find out where with --check",
                    c->search->inputs->table[last].name);
}

enum gs_status gsi_search_cut(struct gsi_search *search, uint64_t rank, uint64_t *cut)
{
    size_t count = search->inputs->count;
    uint64_t most = 0, step = 1;
    for (size_t i = 0; i < count; i++) {
        most = gsi_max_u64(most, search->files[i].count);
        cut[i] = 0;
        search->files[i].has_last = false;
    }
    while (step <= most / 2)
        step *= 2;
    for (; step > 0; step /= 2) {
        struct cutting c = {search, cut, step};
        for (size_t i = 0; i < count; i++)
            search->files[i].has_next = false;
        GSI_TRY(cut_samples(&c, rank));
    }
    return GS_OK;
}
