/* first_n.c: windows up to a number of bytes.
 *
 * It stands behind the merge and before the sink, because only there is it known what is written: a
 * stage between may drop elements. Windows that were pulled meanwhile are merged for nothing; they
 * are a few, whatever the input. */
#include "output/first_n.h"

#include "base/checked.h"
#include "element/element_ops.h"

struct gsi_first_n gsi_first_n_make(struct gsi_merger *merger, uint64_t bytes,
                                    void (*deliver)(void *context, struct gsi_buffer *window),
                                    void *context)
{
    return (struct gsi_first_n){
        .merger = merger, .left_bytes = bytes, .deliver = deliver, .context = context};
}

void gsi_first_n_begin(struct gsi_first_n *limit)
{
    if (limit->left_bytes == 0)
        gsi_merger_stop(limit->merger);
}

/* The imprint of a window of which less is left. */
static void imprint_again(const struct gsi_layout *layout, struct gsi_buffer *window)
{
    size_t n = window->bytes / layout->element_bytes;
    window->imprint = GSI_IMPRINT_EMPTY;
    layout->ops->imprint(layout, &window->imprint, window->data, n);
}

void gsi_first_n_take(void *context, struct gsi_buffer *window)
{
    struct gsi_first_n *limit = context;
    if (limit->left_bytes == 0) {
        gsi_buffers_give(limit->merger->windows, window);
        return;
    }
    if (window->bytes > limit->left_bytes) {
        window->bytes = limit->left_bytes;
        imprint_again(&limit->merger->job->layout, window);
    }
    limit->left_bytes -= window->bytes;
    if (limit->left_bytes == 0)
        gsi_merger_stop(limit->merger);
    limit->deliver(limit->context, window);
}
