/* simulated_feeder.c: lets merges run with the fewest buffers that they may have, and with wrong
 * forecasts of which block is needed next. Both may cost time, but a merge must not get stuck
 * (merge/feed/feeder.h). */
#include "simulation/simulation_parts.h"

#include "merge/feed/feeder.h"
#include "merge/feed/frame_feed.h"

static struct gsi_buffers *scarce;  /* buffers of the merge under way */
static struct gsi_buffer *withheld; /* those that it does not get */

enum gs_status __real_gsi_feeder_begin(struct gsi_feeder *feeder, struct gsi_spill *spill,
                                       struct gsi_inputs *inputs, struct gsi_buffers *buffers,
                                       const struct gsi_run_entry *entries, uint32_t count,
                                       const uint64_t *first_indexes);
enum gs_status __wrap_gsi_feeder_begin(struct gsi_feeder *feeder, struct gsi_spill *spill,
                                       struct gsi_inputs *inputs, struct gsi_buffers *buffers,
                                       const struct gsi_run_entry *entries, uint32_t count,
                                       const uint64_t *first_indexes);
enum gs_status __wrap_gsi_feeder_begin(struct gsi_feeder *feeder, struct gsi_spill *spill,
                                       struct gsi_inputs *inputs, struct gsi_buffers *buffers,
                                       const struct gsi_run_entry *entries, uint32_t count,
                                       const uint64_t *first_indexes)
{
    enum gs_status status =
        __real_gsi_feeder_begin(feeder, spill, inputs, buffers, entries, count, first_indexes);
    if (status != GS_OK || !sim_is_drawn(sim_profile()->scarce))
        return status;
    uint64_t spare = feeder->feed.unreserved_count;
    uint64_t withheld_count = sim_draw(2) == 0 ? spare : sim_draw(spare + 1);
    feeder->feed.unreserved_count -= withheld_count;
    if (feeder->feed.max_in_use < UINT64_MAX)
        feeder->feed.max_in_use += withheld_count;
    scarce = buffers;
    for (uint64_t i = 0; i < withheld_count; i++) {
        struct gsi_buffer *buffer = gsi_buffers_pop(buffers);
        buffer->next = withheld;
        withheld = buffer;
    }
    return status;
}

void __real_gsi_feeder_clear(struct gsi_feeder *feeder);
void __wrap_gsi_feeder_clear(struct gsi_feeder *feeder);
void __wrap_gsi_feeder_clear(struct gsi_feeder *feeder)
{
    for (struct gsi_buffer *buffer; feeder->runs != NULL && (buffer = withheld) != NULL;) {
        withheld = buffer->next;
        gsi_buffers_return(scarce, buffer);
    }
    __real_gsi_feeder_clear(feeder);
}

static gsi_u128 maybe_wrong(gsi_u128 place)
{
    return sim_is_drawn(sim_profile()->wrong) ? (gsi_u128)sim_draw(UINT64_MAX) << sim_draw(65)
                                              : place;
}

gsi_u128 __real_gsi_feed_number_of_key(const struct gsi_layout *layout, const void *key);
gsi_u128 __wrap_gsi_feed_number_of_key(const struct gsi_layout *layout, const void *key);
gsi_u128 __wrap_gsi_feed_number_of_key(const struct gsi_layout *layout, const void *key)
{
    return maybe_wrong(__real_gsi_feed_number_of_key(layout, key));
}

gsi_u128 __real_gsi_feed_number_of_record(const struct gsi_layout *layout, const void *record);
gsi_u128 __wrap_gsi_feed_number_of_record(const struct gsi_layout *layout, const void *record);
gsi_u128 __wrap_gsi_feed_number_of_record(const struct gsi_layout *layout, const void *record)
{
    return maybe_wrong(__real_gsi_feed_number_of_record(layout, record));
}
