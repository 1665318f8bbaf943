/* first_n.c: lets windows pass up to a number of bytes.
 *
 * It stands between the merge and the sink, because only there is it known what is written: a link
 * between them may drop elements. Windows that were pulled meanwhile are merged for nothing; they
 * are few, whatever the input. */
#include "output/first_n.h"

#include "element/element_ops.h"

/* The imprint of a window of which less is left. */
static void imprint_again(const struct gsi_layout *layout, struct gsi_buffer *window)
{
    size_t n = window->bytes / layout->element_bytes;
    window->imprint = GSI_IMPRINT_EMPTY;
    layout->ops->imprint(layout, &window->imprint, window->data, n);
}

static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_first_n *first_n = context;
    if (first_n->left_bytes == 0) { /* with --top 0 it is the first window */
        gsi_merger_stop(first_n->merger);
        gsi_buffers_give(first_n->merger->windows, window);
        return false;
    }
    if (window->bytes > first_n->left_bytes) {
        window->bytes = first_n->left_bytes;
        imprint_again(first_n->merger->loop->layout, window);
    }
    first_n->left_bytes -= window->bytes;
    if (first_n->left_bytes == 0)
        gsi_merger_stop(first_n->merger);
    return true;
}

struct gsi_link gsi_first_n_link(struct gsi_first_n *first_n)
{
    return (struct gsi_link){.context = first_n, .take = take};
}
