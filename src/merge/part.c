/* part.c: finds the elements of part I of N in each input. The output of a merge has n
 * elements; part I has elements [n (I - 1) / N, n I / N). Lengths of parts differ by at most one
 * element.
 *
 * A merge orders elements by key, then by file, then by index in the file. The cut at rank r is the
 * number of elements of each file among the first r elements of the output. The cut is first found
 * for samples, every 2^n-th element of each file. The next step corrects the cut for every
 * 2^(n-1)-th element, and so on (P. J. Varman et al., "Merging multiple lists on
 * hierarchical-memory multiprocessors", J. Parallel Distrib. Comput. 12(2), 1991):
 *
 *      file 0   1 4 4 9 12      rank 5; every 4th element:  {4, 0}
 *      file 1   2 3 5 8                 every 2nd element:  {2, 2}
 *                                     all elements:  {3, 2}    1 2 3 4 4 | 5 8 9 12
 *
 * So a cut of k files with n elements each reads about 2 k log2(n) elements. */
#include "merge/part.h"

#include "base/checked.h"
#include "base/u128.h"
#include "element/compare.h"
#include "input/inputs.h"
#include "merge/sorted_search.h"

#include <string.h>

/* ---- the cut ---- */

/* Samples are every `step`-th element of each file. A file has infinitely many samples after its
 * end, which sort after all others. For each file, `samples` contains the last sample before the
 * cut and the first sample after it. */
struct cut_state {
    struct gsi_search search;
    uint64_t *cut, step;
    uint8_t *samples;
    bool *is_known; /* for each of `samples`: it was read */
};

static uint8_t *sample_of(const struct cut_state *c, size_t file, bool is_next)
{
    return c->samples + (2 * file + is_next) * c->search.inputs->loop->layout->element_bytes;
}

static uint64_t samples_bytes(const struct gsi_inputs *inputs)
{
    return gsi_mul_max_u64(inputs->count, 2 * (uint64_t)inputs->loop->layout->element_bytes);
}

/* Returns the index in its file of the sample before the cut, or after it (is_next). */
static uint64_t sample_idx(const struct cut_state *c, size_t file, bool is_next)
{
    return is_next ? c->cut[file] + c->step - 1 : c->cut[file] - 1;
}

static bool is_past_end(const struct cut_state *c, size_t file, bool is_next)
{
    return sample_idx(c, file, is_next) >= c->search.files[file].count;
}

/* Reads a sample, if it is not known yet. */
static enum gs_status read_sample(struct cut_state *c, size_t file, bool is_next)
{
    bool *is_known = &c->is_known[2 * file + is_next];
    const uint8_t *element;
    if (*is_known || (!is_next && c->cut[file] == 0) || is_past_end(c, file, is_next))
        return GS_OK;
    GSI_TRY(gsi_search_read(&c->search, file, sample_idx(c, file, is_next), &element));
    memcpy(sample_of(c, file, is_next), element, c->search.inputs->loop->layout->element_bytes);
    *is_known = true;
    return GS_OK;
}

/* Returns whether a sample of file `a` sorts before a sample of file `b`. */
static bool precedes(const struct cut_state *c, size_t a, bool a_is_next, size_t b, bool b_is_next)
{
    bool is_lower = a < b || (a == b && !a_is_next); /* by file, then by index */
    bool a_is_past = is_past_end(c, a, a_is_next), b_is_past = is_past_end(c, b, b_is_next);
    if (a_is_past || b_is_past)
        return a_is_past == b_is_past ? is_lower : b_is_past;
    int order = gsi_compare(c->search.inputs->loop->layout, sample_of(c, a, a_is_next),
                            sample_of(c, b, b_is_next));
    return order != 0 ? order < 0 : is_lower;
}

/* Finds the sample nearest to the cut: the greatest one before it, or the least one after it
 * (is_next). Sets *file to its file, or to the number of files if there is no such sample. */
static enum gs_status find_nearest_sample(struct cut_state *c, bool is_next, size_t *file)
{
    size_t count = c->search.inputs->count;
    *file = count;
    for (size_t i = 0; i < count; i++) {
        GSI_TRY(read_sample(c, i, is_next));
        if (!is_next && c->cut[i] == 0)
            continue;
        if (*file == count || precedes(c, i, is_next, *file, is_next) == is_next)
            *file = i;
    }
    return GS_OK;
}

/* Moves the cut of a file by one sample to the right, or to the left. */
static void move_cut(const struct cut_state *c, size_t file, bool is_right)
{
    bool *is_known = &c->is_known[2 * file];
    is_known[!is_right] = is_known[is_right];
    is_known[is_right] = false;
    if (is_known[!is_right])
        memcpy(sample_of(c, file, !is_right), sample_of(c, file, is_right),
               c->search.inputs->loop->layout->element_bytes);
    c->cut[file] += is_right ? c->step : -c->step;
}

/* Moves the cut until the right number of samples are before it, and none of them sorts after a
 * sample after the cut. If the files are sorted, this needs about one move per file. */
static enum gs_status adjust_cut(struct cut_state *c, uint64_t rank)
{
    size_t count = c->search.inputs->count, last = 0, next = 0;
    uint64_t wanted_count = rank / c->step, before_count = 0,
             max_moves = 64 * ((uint64_t)count + 16);
    for (size_t i = 0; i < count; i++)
        before_count += c->cut[i] / c->step;
    for (uint64_t moves = 0; moves < max_moves; moves++) {
        GSI_TRY(find_nearest_sample(c, false, &last));
        GSI_TRY(find_nearest_sample(c, true, &next));
        if (before_count == wanted_count && (last == count || precedes(c, last, false, next, true)))
            return GS_OK;
        if (before_count == wanted_count && last == next)
            break;
        if (before_count >= wanted_count)
            move_cut(c, last, false);
        if (before_count <= wanted_count)
            move_cut(c, next, true);
        before_count = before_count < wanted_count   ? before_count + 1
                       : before_count > wanted_count ? before_count - 1
                                                     : before_count;
    }
    last = last < count ? last : 0;
    return gsi_fail(c->search.inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': is not sorted; find out where with --check",
                    c->search.inputs->table[last].name);
}

/* Sets cut[i] to the number of elements of file i before `rank`; their sum is `rank`, at most the
 * number of all elements. */
static enum gs_status find_cut(struct cut_state *c, uint64_t rank, uint64_t *cut)
{
    size_t count = c->search.inputs->count;
    uint64_t most = 0;
    c->cut = cut;
    for (size_t i = 0; i < count; i++) {
        most = gsi_max_u64(most, c->search.files[i].count);
        cut[i] = 0;
        c->is_known[2 * i] = false;
    }
    for (c->step = 1; c->step <= most / 2;)
        c->step *= 2;
    for (; c->step > 0; c->step /= 2) {
        for (size_t i = 0; i < count; i++)
            c->is_known[2 * i + 1] = false;
        GSI_TRY(adjust_cut(c, rank));
    }
    return GS_OK;
}

/* Restricts each input to the elements between the cuts at ranks `first` and `end_rank`. `begin`
 * and `end`: memory for these cuts. */
static enum gs_status cut_inputs(struct gsi_inputs *inputs, struct cut_state *c, uint64_t first,
                                 uint64_t end_rank, uint64_t *begin, uint64_t *end)
{
    GSI_TRY(gsi_search_open(&c->search, inputs));
    GSI_TRY(GSI_NEW(&inputs->loop->ledger, c->is_known, 2 * inputs->count, inputs->loop->error));
    GSI_TRY(GSI_NEW(&inputs->loop->ledger, c->samples, samples_bytes(inputs), inputs->loop->error));
    GSI_TRY(find_cut(c, first, begin));
    GSI_TRY(find_cut(c, end_rank, end));
    for (size_t i = 0; i < inputs->count; i++)
        if (end[i] < begin[i])
            return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                            "'%s': is not sorted; find out where with --check",
                            inputs->table[i].name);
    for (size_t i = 0; i < inputs->count; i++)
        gsi_range_cut(inputs, &inputs->table[i], begin[i], end[i] - begin[i]);
    return GS_OK;
}

enum gs_status gsi_part_apply(struct gsi_inputs *inputs, uint32_t number, uint32_t count,
                              struct gsi_part_report *report)
{
    struct gsi_ledger *ledger = &inputs->loop->ledger;
    struct cut_state c = {0};
    uint64_t *cuts;
    if (count == 0 && number == 0)
        return GS_OK;
    if (number < 1 || number > count)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--part: there is no part %u of %u; parts are numbered from 1 to %u",
                        number, count, count);
    uint64_t all = inputs->bytes / inputs->loop->layout->element_bytes;
    uint64_t first = gsi_part_begin(all, number - 1, count);
    uint64_t end_rank = gsi_part_begin(all, number, count);
    report->number = number;
    report->count = count;
    report->first = first;
    report->of = all;
    GSI_TRY(GSI_NEW(ledger, cuts, 2 * inputs->count, inputs->loop->error));
    enum gs_status status = cut_inputs(inputs, &c, first, end_rank, cuts, cuts + inputs->count);
    gsi_search_close(&c.search);
    GSI_FREE(ledger, c.is_known, 2 * inputs->count);
    GSI_FREE(ledger, c.samples, samples_bytes(inputs));
    GSI_FREE(ledger, cuts, 2 * inputs->count);
    return status;
}
