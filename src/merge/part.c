/* part.c: computes the cuts of part I of N. In the order of n elements this part is [n (I - 1) / N,
 * n I / N). Lengths of parts differ by at most one element. All parts together contain all
 * elements.
 *
 * The files make one order: by key, then by file, then by place, as a merge writes them. The cut at
 * a rank says how many elements of each file precede that position of the order. It is found for
 * every 2^n-th element of the files first, then for every 2^(n-1)-th, and so on to all of them; the
 * cut of one step is nearly that of the next (P. J. Varman et al., "Merging multiple lists on
 * hierarchical-memory multiprocessors", J. Parallel Distrib. Comput. 12(2), 1991):
 *
 *      file 0   1 4 4 9 12      rank 5, by 4:  {4, 0}      4 5 .. | none left of it
 *      file 1   2 3 5 8               by 2:  {2, 2}      the second elements are 4 and 3
 *                                     by 1:  {3, 2}      1 2 3 4 4 | 5 8 9 12
 *
 * So a cut among k files of n elements takes about 2 k log2(n) looks. */
#include "merge/part.h"

#include "base/checked.h"
#include "base/u128.h"
#include "element/compare.h"
#include "input/inputs.h"
#include "merge/sorted_search.h"

#include <string.h>

/* ---- the cut ---- */

/* Samples are every `step`-th element of each file. A file has any number of them after its end,
 * and they sort after all others. Two samples of each file are kept: the last one before its cut,
 * and the next one. */
struct cutting {
    struct gsi_search search;
    uint64_t *cut, step;
    uint8_t *samples;
    bool *is_known; /* of `samples` */
};

static uint8_t *sample_of(const struct cutting *c, size_t file, bool is_next)
{
    return c->samples + (2 * file + is_next) * c->search.inputs->loop->layout->element_bytes;
}

static uint64_t samples_bytes(const struct gsi_inputs *inputs)
{
    return gsi_mul_max_u64(inputs->count, 2 * (uint64_t)inputs->loop->layout->element_bytes);
}

/* Returns the index of the sample before or after the cut. */
static uint64_t place_of(const struct cutting *c, size_t file, bool is_next)
{
    return is_next ? c->cut[file] + c->step - 1 : c->cut[file] - 1;
}

static bool is_behind_all(const struct cutting *c, size_t file, bool is_next)
{
    return place_of(c, file, is_next) >= c->search.files[file].count;
}

/* Reads a sample, if it is not known. */
static enum gs_status look(struct cutting *c, size_t file, bool is_next)
{
    bool *is_known = &c->is_known[2 * file + is_next];
    const uint8_t *element;
    if (*is_known || (!is_next && c->cut[file] == 0) || is_behind_all(c, file, is_next))
        return GS_OK;
    GSI_TRY(gsi_search_at(&c->search, file, place_of(c, file, is_next), &element));
    memcpy(sample_of(c, file, is_next), element, c->search.inputs->loop->layout->element_bytes);
    *is_known = true;
    return GS_OK;
}

/* Returns whether a sample of file `a` precedes one of file `b`. */
static bool comes_before(const struct cutting *c, size_t a, bool a_is_next, size_t b,
                         bool b_is_next)
{
    bool is_lower = a < b || (a == b && !a_is_next); /* by file, then by place */
    bool a_behind = is_behind_all(c, a, a_is_next), b_behind = is_behind_all(c, b, b_is_next);
    if (a_behind || b_behind)
        return a_behind == b_behind ? is_lower : b_behind;
    int way = gsi_compare(c->search.inputs->loop->layout, sample_of(c, a, a_is_next),
                          sample_of(c, b, b_is_next));
    return way != 0 ? way < 0 : is_lower;
}

/* Returns the file whose sample before the cut is the greatest, or whose sample after it is the
 * least. The count of files: there is none. */
static enum gs_status find_end(struct cutting *c, bool is_next, size_t *file)
{
    size_t count = c->search.inputs->count;
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

/* The sample that was after the cut is before it now, or the other way round. */
static void move(const struct cutting *c, size_t file, bool is_right)
{
    bool *is_known = &c->is_known[2 * file];
    is_known[!is_right] = is_known[is_right];
    is_known[is_right] = false;
    if (is_known[!is_right])
        memcpy(sample_of(c, file, !is_right), sample_of(c, file, is_right),
               c->search.inputs->loop->layout->element_bytes);
    c->cut[file] += is_right ? c->step : -c->step;
}

/* Moves the cut until the wanted number of samples precedes it, and none of them is greater than a
 * sample after it. If the files are sorted, that takes about one move per file. */
static enum gs_status cut_samples(struct cutting *c, uint64_t rank)
{
    size_t count = c->search.inputs->count, last = 0, next = 0;
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
    return gsi_fail(c->search.inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': is not sorted; find out where with --check",
                    c->search.inputs->table[last].name);
}

/* The cut at `rank`, which is no more than there are elements: a number a file; they add up to
 * `rank`. */
static enum gs_status cut_at(struct cutting *c, uint64_t rank, uint64_t *cut)
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
        GSI_TRY(cut_samples(c, rank));
    }
    return GS_OK;
}

/* `begin` and `end`: a cut each, with a number a file. */
static enum gs_status cut_inputs(struct gsi_inputs *inputs, struct cutting *c, uint64_t first,
                                 uint64_t behind, uint64_t *begin, uint64_t *end)
{
    GSI_TRY(gsi_search_open(&c->search, inputs));
    GSI_TRY(GSI_NEW(&inputs->loop->ledger, c->is_known, 2 * inputs->count, inputs->loop->error));
    GSI_TRY(GSI_NEW(&inputs->loop->ledger, c->samples, samples_bytes(inputs), inputs->loop->error));
    GSI_TRY(cut_at(c, first, begin));
    GSI_TRY(cut_at(c, behind, end));
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
    struct cutting c = {0};
    uint64_t *cuts;
    if (count == 0 && number == 0)
        return GS_OK;
    if (number < 1 || number > count)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--part: there is no part %u of %u; parts are numbered from 1 to %u",
                        number, count, count);
    uint64_t all = inputs->bytes / inputs->loop->layout->element_bytes;
    uint64_t first = gsi_part_begin(all, number - 1, count);
    uint64_t behind = gsi_part_begin(all, number, count);
    report->number = number;
    report->count = count;
    report->first = first;
    report->of = all;
    GSI_TRY(GSI_NEW(ledger, cuts, 2 * inputs->count, inputs->loop->error));
    enum gs_status status = cut_inputs(inputs, &c, first, behind, cuts, cuts + inputs->count);
    gsi_search_close(&c.search);
    GSI_FREE(ledger, c.is_known, 2 * inputs->count);
    GSI_FREE(ledger, c.samples, samples_bytes(inputs));
    GSI_FREE(ledger, cuts, 2 * inputs->count);
    return status;
}
