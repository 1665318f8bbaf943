/* part.c: part I of N is [n * (I - 1) / N, n * I / N) of the order of n elements, so that parts are
 * equal but for one element, and all of them are all. */
#include "merge/part.h"

#include "base/report.h"
#include "base/u128.h"
#include "input/range.h"
#include "merge/sorted_search.h"

/* `begin` and `end`: a cut each, with a number a file. */
static enum gs_status cut_inputs(struct gsi_inputs *inputs, struct gsi_search *search,
                                 uint64_t first, uint64_t behind, uint64_t *begin, uint64_t *end)
{
    GSI_TRY(gsi_search_open(search, inputs));
    GSI_TRY(gsi_search_cut(search, first, begin));
    GSI_TRY(gsi_search_cut(search, behind, end));
    for (size_t i = 0; i < inputs->count; i++)
        if (end[i] < begin[i])
            return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                            "'%s': is not sorted; find out where with --check",
                            inputs->table[i].name);
    for (size_t i = 0; i < inputs->count; i++)
        gsi_range_cut(inputs, &inputs->table[i], begin[i], end[i] - begin[i]);
    return GS_OK;
}

enum gs_status gsi_part_take(struct gsi_inputs *inputs, uint32_t number, uint32_t count,
                             struct gs_report *report)
{
    struct gsi_ledger *ledger = &inputs->loop->ledger;
    struct gsi_search search = {0};
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
    report->part_number = number;
    report->part_count = count;
    report->part_first = first;
    report->part_of = all;
    GSI_TRY(GSI_NEW(ledger, cuts, 2 * inputs->count, inputs->loop->error));
    enum gs_status status = cut_inputs(inputs, &search, first, behind, cuts, cuts + inputs->count);
    gsi_search_close(&search);
    GSI_FREE(ledger, cuts, 2 * inputs->count);
    return status;
}
