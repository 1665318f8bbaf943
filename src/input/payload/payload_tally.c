/* payload_tally.c: tallies elements per thread, and adds up all threads' tallies. */
#include "input/payload/payload_tally.h"

#include "element/record/record_tally.h"

static void lay_out(struct gsi_payload_tally *payload, const struct gsi_entry_map *entry_map,
                    uint32_t thread_count, struct gsi_bump *bump)
{
    GSI_BUMP_ALLOC(bump, payload->workers, thread_count);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct gsi_record_tally *tally = gsi_record_tally_alloc(&entry_map->input, bump);
        if (payload->workers != NULL)
            payload->workers[i].tally = tally;
    }
}

struct gsi_bump gsi_payload_tally_plan(const struct gsi_entry_map *entry_map, uint32_t thread_count)
{
    struct gsi_payload_tally payload = {0};
    struct gsi_bump bump = {0};
    if (entry_map != NULL && gsi_entry_is_tallied(entry_map))
        lay_out(&payload, entry_map, thread_count, &bump);
    return bump;
}

enum gs_status gsi_payload_tally_open(struct gsi_payload_tally *payload,
                                      const struct gsi_entry_map *entry_map, uint32_t thread_count,
                                      const struct gsi_bump *planned, struct gsi_ledger *ledger,
                                      struct gs_error *error)
{
    *payload = (struct gsi_payload_tally){.ledger = ledger};
    if (planned->used == 0)
        return GS_OK;
    payload->entry_map = entry_map;
    payload->worker_count = thread_count;
    payload->bump = *planned;
    GSI_TRY(gsi_bump_open(&payload->bump, ledger, GSI_MEMORY_TABLES, error));
    lay_out(payload, entry_map, thread_count, &payload->bump);
    return GS_OK;
}

void gsi_payload_tally_open_device(struct gsi_payload_tally *payload,
                                   const struct gsi_entry_map *entry_map,
                                   const struct gsi_tally_report *of_device, uint64_t first)
{
    *payload =
        (struct gsi_payload_tally){.entry_map = entry_map, .of_device = of_device, .first = first};
}

void gsi_payload_tally_close(struct gsi_payload_tally *payload)
{
    gsi_bump_close(&payload->bump, payload->ledger, GSI_MEMORY_TABLES);
    *payload = (struct gsi_payload_tally){0};
}

void gsi_payload_tally_add(struct gsi_payload_tally *payload, uint32_t worker_idx,
                           const uint8_t *elements, size_t n, uint64_t first,
                           const uint32_t *indexes)
{
    if (payload->entry_map == NULL || n == 0)
        return;
    struct gsi_payload_tally_worker *worker = &payload->workers[worker_idx];
    gsi_record_tally_add(worker->tally, elements, n);
    if (!gsi_entry_has_positions(payload->entry_map))
        return;
    worker->position_sum += (gsi_u128)first * n;
    if (indexes == NULL)
        worker->position_sum += (gsi_u128)n * (n - 1) / 2;
    for (size_t i = 0; indexes != NULL && i < n; i++)
        worker->position_sum += indexes[i];
}

struct gsi_tally_report gsi_payload_tally_sum(struct gsi_payload_tally *payload,
                                              struct gsi_tally_report *fields,
                                              gsi_u128 *position_sum)
{
    if (payload->of_device != NULL) { /* the device has already stored the tallies of fields */
        const gsi_u128 n = payload->of_device->count;
        *position_sum = n * payload->first + n * (n - (n > 0)) / 2;
        return *payload->of_device;
    }
    struct gsi_payload_tally_worker *all = &payload->workers[0];
    for (uint32_t i = 1; i < payload->worker_count; i++) {
        gsi_record_tally_merge(all->tally, payload->workers[i].tally);
        gsi_record_tally_clear(payload->workers[i].tally);
        all->position_sum += payload->workers[i].position_sum;
        payload->workers[i].position_sum = 0;
    }
    *position_sum = all->position_sum;
    return gsi_record_tally_finish(all->tally, fields);
}
