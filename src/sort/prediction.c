/* prediction.c: sorts frame references by first key. */
#include "sort/prediction.h"

#include "format/tally.h"

#include <stdlib.h>

struct context {
    const struct gsi_layout *layout;
    const struct gsi_spilled_run *const *runs;
};

static int compare(const void *a, const void *b, void *context)
{
    const struct context *c = context;
    const struct gsi_predicted *x = a, *y = b;
    int by_key = gsi_key_compare(c->layout, c->runs[x->run_idx]->frames[x->frame_idx].first_key,
                                 c->runs[y->run_idx]->frames[y->frame_idx].first_key);
    if (by_key != 0)
        return by_key;
    if (x->run_idx != y->run_idx)
        return x->run_idx < y->run_idx ? -1 : 1;
    return (x->frame_idx > y->frame_idx) - (x->frame_idx < y->frame_idx);
}

void gsi_predict(const struct gsi_layout *layout, const struct gsi_spilled_run *const *runs,
                 uint32_t run_count, struct gsi_predicted *order)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < run_count; r++)
        for (uint64_t f = 0; f < runs[r]->frame_count; f++)
            order[count++] = (struct gsi_predicted){r, f};
    qsort_r(order, count, sizeof *order, compare, &(struct context){layout, runs});
}
