/* read_order.c: a merge of the runs' frames by first key, through a heap of the next frame of each
 * run.
 *
 *     order   [ predicted, in order | ............ | heap, its top the last entry ]
 *
 * The heap lies in the part of `order` that is not yet needed: frames not yet predicted are never
 * fewer than runs that still have some. So a prediction takes no memory of its own, and costs
 * frames * log(runs). */
#include "spill/read_order.h"

#include "element/key_scope.h"
#include "element/tally/imprint.h"
#include "element/tally/tally.h"

#include <string.h>

struct heap {
    const struct gsi_layout *layout;
    const struct gsi_spilled_run *const *runs;
    struct gsi_ordered_frame *top; /* node i is top[-i]; its children are 2i + 1 and 2i + 2 */
    uint64_t count;
};

static const struct gsi_frame_ref *frame_of(const struct heap *heap,
                                            const struct gsi_ordered_frame *at)
{
    return &heap->runs[at->run_idx]->frames[at->frame_idx];
}

/* Sixteen bytes of the normalised key of a frame's first record, from `at` on: what lies before
 * those that the frame names is shared by all records. */
static void key_from(const struct gsi_layout *layout, const struct gsi_frame_ref *ref, uint32_t at,
                     uint8_t key[16])
{
    uint32_t shared = ref->key_off - at < 16 ? ref->key_off - at : 16;
    gsi_record_key(layout->record, layout->scope->first, at, shared, key);
    memcpy(key + shared, ref->first_key, 16 - shared);
}

static int compare_first(const struct gsi_layout *layout, const struct gsi_frame_ref *x,
                         const struct gsi_frame_ref *y)
{
    uint8_t a[16], b[16];
    if (!layout->has_tags)
        return gsi_key_compare(layout, x->first_key, y->first_key);
    uint32_t at = x->key_off < y->key_off ? x->key_off : y->key_off;
    key_from(layout, x, at, a);
    key_from(layout, y, at, b);
    return memcmp(a, b, sizeof a);
}

/* Whether node a comes before node b; frames of one run are never in the heap together. */
static bool is_before(const struct heap *heap, uint64_t a, uint64_t b)
{
    const struct gsi_ordered_frame *x = heap->top - a, *y = heap->top - b;
    if (heap->layout->has_tags && (x->frame_idx == 0) != (y->frame_idx == 0))
        return x->frame_idx == 0; /* nothing is known of a run before its first frame is there */
    int by_key = compare_first(heap->layout, frame_of(heap, x), frame_of(heap, y));
    return by_key != 0 ? by_key < 0 : x->run_idx < y->run_idx;
}

static void sift_down(struct heap *heap, uint64_t node)
{
    for (uint64_t child; (child = 2 * node + 1) < heap->count; node = child) {
        if (child + 1 < heap->count && is_before(heap, child + 1, child))
            child++;
        if (!is_before(heap, child, node))
            return;
        struct gsi_ordered_frame moved = heap->top[-(int64_t)node];
        heap->top[-(int64_t)node] = heap->top[-(int64_t)child];
        heap->top[-(int64_t)child] = moved;
    }
}

static struct gsi_ordered_frame pop(struct heap *heap)
{
    struct gsi_ordered_frame next = *heap->top;
    if (next.frame_idx + 1 < heap->runs[next.run_idx]->frame_count)
        heap->top->frame_idx++;
    else
        *heap->top = heap->top[-(int64_t)--heap->count];
    sift_down(heap, 0);
    return next;
}

void gsi_read_order_make(const struct gsi_layout *layout, const struct gsi_spilled_run *const *runs,
                         uint32_t run_count, struct gsi_ordered_frame *order)
{
    uint64_t frame_count = 0;
    for (uint32_t r = 0; r < run_count; r++)
        frame_count += runs[r]->frame_count;
    if (frame_count == 0)
        return;
    struct heap heap = {.layout = layout, .runs = runs, .top = &order[frame_count - 1]};
    for (uint32_t r = 0; r < run_count; r++)
        if (runs[r]->frame_count > 0)
            heap.top[-(int64_t)heap.count++] = (struct gsi_ordered_frame){r, 0};
    for (uint64_t node = heap.count / 2; node-- > 0;)
        sift_down(&heap, node);
    for (uint64_t i = 0; i < frame_count; i++)
        order[i] = pop(&heap);
}
