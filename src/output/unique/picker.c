/* picker.c: a task a window. Everything but the tasks runs on the owner's thread. */
#include "output/unique/picker.h"

#include "base/assert.h"
#include "element/carry/carry.h"
#include "element/element_ops.h"

#include <string.h>

/* What is written of elements is made beside them, a batch at a time: on a thread's stack, in its
 * first-level cache. */
#define STAGED_BYTES ((size_t)16 << 10)

struct picked {
    struct gsi_picker *picker;
    struct gsi_groups_piece piece;
    uint64_t count; /* of elements */
    gsi_u128 position_sum;
};
GSI_HOLDER_STATE(picked_of, struct picked)

bool gsi_picker_may(const struct gsi_target *target, const struct gsi_groups *groups,
                    const struct gsi_carry *carry)
{
    const uint32_t bytes = target->loop->layout->element_bytes;
    return !target->options->has_top && (groups == NULL || gsi_groups_may_pick(groups)) &&
           (carry == NULL || (carry->output_bytes <= bytes && bytes <= STAGED_BYTES));
}

/* Returns the bytes of what is written of `n` elements, which begins where they do. */
static size_t put_carried(const struct gsi_carry *carry, struct picked *picked, uint8_t *elements,
                          size_t n)
{
    uint8_t staged[STAGED_BYTES];
    const size_t bytes = carry->carried_bytes, batch = STAGED_BYTES / bytes;
    uint8_t *const begin = elements, *to = elements;
    for (size_t step; n > 0; n -= step, elements += step * bytes) {
        step = n < batch ? n : batch;
        picked->position_sum += gsi_carry_put(carry, elements, step, bytes, staged);
        memcpy(to, staged, step * carry->output_bytes);
        to += step * carry->output_bytes;
    }
    return (size_t)(to - begin);
}

/* On a thread. */
static void pick(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    struct picked *picked = picked_of(window);
    const struct gsi_picker *picker = picked->picker;
    const struct gsi_layout *layout = picker->target->loop->layout;
    if (picker->groups != NULL) {
        picked->piece.is_all_apart = picker->has_repeats && window->imprint.repeat_count == 0;
        window->bytes =
            gsi_groups_pick(picker->groups, &picked->piece, window->data, picked->count);
    }
    size_t n = window->bytes / layout->element_bytes;
    if (picker->carry != NULL)
        window->bytes = put_carried(picker->carry, picked, window->data, n);
    window->imprint = GSI_IMPRINT_EMPTY;
    if (picker->is_imprinted && n > 0)
        layout->ops->imprint(layout, &window->imprint, window->data, n);
}

static void pick_done(struct gsi_task *task)
{
    struct gsi_buffer *window = gsi_buffer_of_task(task);
    struct gsi_picker *picker = picked_of(window)->picker;
    picker->working_count--;
    gsi_reorder_add(&picker->done, window);
}

static void begin(struct gsi_picker *picker, struct gsi_buffer *window, bool goes_on_behind)
{
    picked_of(window)->piece.goes_on_behind = goes_on_behind;
    picker->working_count++;
    window->task = (struct gsi_task){.run = pick, .done = pick_done, .is_urgent = true};
    gsi_pool_submit(picker->target->loop->pool, &window->task);
}

void gsi_picker_take(struct gsi_picker *picker, struct gsi_buffer *window)
{
    const uint32_t bytes = picker->target->loop->layout->element_bytes;
    struct picked *picked = picked_of(window);
    struct gsi_buffer *held = picker->held;
    *picked = (struct picked){.picker = picker, .count = window->bytes / bytes};
    GSI_ASSERT(picked->count > 0);
    if (picker->groups != NULL)
        picked->piece.goes_on_before = gsi_groups_meet(picker->groups, window->data, picked->count);
    window->turn_idx = picker->begun_count++;
    picker->held = NULL;
    if (held != NULL)
        begin(picker, held, picked->piece.goes_on_before);
    if (picker->needs_behind)
        picker->held = window;
    else
        begin(picker, window, false);
}

void gsi_picker_end(struct gsi_picker *picker)
{
    struct gsi_buffer *held = picker->held;
    picker->held = NULL;
    if (held != NULL)
        begin(picker, held, false);
}

struct gsi_buffer *gsi_picker_give(struct gsi_picker *picker)
{
    struct gsi_buffer *window = gsi_reorder_take(&picker->done);
    if (window == NULL)
        return NULL;
    const struct picked *picked = picked_of(window);
    if (picker->groups != NULL)
        gsi_groups_join(picker->groups, &picked->piece, picked->count);
    picker->position_sum += picked->position_sum;
    return window;
}

bool gsi_picker_is_idle(const struct gsi_picker *picker)
{
    return picker->working_count == 0 && picker->done.waiting == NULL;
}
