/* carried.c: a tally a thread. */
#include "input/carried.h"

#include "element/element_ops.h"

static void lay_out(struct gsi_carried *carried, const struct gsi_carry *carry,
                    uint32_t thread_count, struct gsi_shelf *shelf)
{
    GSI_PLACE(shelf, carried->workers, thread_count);
    for (uint32_t i = 0; i < thread_count; i++) {
        void *tally = carry->input.ops->tally_place(&carry->input, shelf);
        if (carried->workers != NULL)
            carried->workers[i].tally = tally;
    }
}

struct gsi_shelf gsi_carried_plan(const struct gsi_carry *carry, uint32_t thread_count)
{
    struct gsi_carried carried = {0};
    struct gsi_shelf shelf = {0};
    if (carry != NULL && gsi_carry_is_tallied(carry))
        lay_out(&carried, carry, thread_count, &shelf);
    return shelf;
}

enum gs_status gsi_carried_open(struct gsi_carried *carried, const struct gsi_carry *carry,
                                uint32_t thread_count, const struct gsi_shelf *planned,
                                struct gsi_ledger *ledger, struct gs_error *error)
{
    *carried = (struct gsi_carried){.ledger = ledger};
    if (planned->used == 0)
        return GS_OK;
    carried->carry = carry;
    carried->worker_count = thread_count;
    carried->shelf = *planned;
    GSI_TRY(gsi_shelf_open(&carried->shelf, ledger, GSI_MEMORY_TABLES, error));
    lay_out(carried, carry, thread_count, &carried->shelf);
    return GS_OK;
}

void gsi_carried_open_device(struct gsi_carried *carried, const struct gsi_carry *carry,
                             const struct gsi_tally_report *of_device, uint64_t first)
{
    *carried = (struct gsi_carried){.carry = carry, .of_device = of_device, .first = first};
}

void gsi_carried_close(struct gsi_carried *carried)
{
    gsi_shelf_close(&carried->shelf, carried->ledger, GSI_MEMORY_TABLES);
    *carried = (struct gsi_carried){0};
}

void gsi_carried_add(struct gsi_carried *carried, uint32_t worker_idx, const uint8_t *elements,
                     size_t n, uint64_t first, const uint32_t *places)
{
    if (carried->carry == NULL || n == 0)
        return;
    struct gsi_carried_worker *worker = &carried->workers[worker_idx];
    carried->carry->input.ops->tally_add(worker->tally, elements, n);
    if (!gsi_carry_has_positions(carried->carry))
        return;
    worker->position_sum += (gsi_u128)first * n;
    if (places == NULL)
        worker->position_sum += (gsi_u128)n * (n - 1) / 2;
    for (size_t i = 0; places != NULL && i < n; i++)
        worker->position_sum += places[i];
}

struct gsi_tally_report gsi_carried_tally(struct gsi_carried *carried,
                                          struct gsi_tally_report *fields, gsi_u128 *position_sum)
{
    const struct gsi_element_ops *ops = carried->carry->input.ops;
    if (carried->of_device != NULL) { /* which has put those of the fields where they belong */
        const gsi_u128 n = carried->of_device->count;
        *position_sum = n * carried->first + n * (n - (n > 0)) / 2;
        return *carried->of_device;
    }
    struct gsi_carried_worker *all = &carried->workers[0];
    for (uint32_t i = 1; i < carried->worker_count; i++) {
        ops->tally_merge(all->tally, carried->workers[i].tally);
        ops->tally_clear(carried->workers[i].tally);
        all->position_sum += carried->workers[i].position_sum;
        carried->workers[i].position_sum = 0;
    }
    *position_sum = all->position_sum;
    return ops->tally_finish(all->tally, fields);
}
