/* stage.h: the parts of a phase, as data: stages, which the loop pumps, and links, which windows
 * pass.
 *
 *     stages   source, device, merger, ..   each pumps until nothing moves; the loop sleeps when
 *                                           none does, and ends when all are done (loop.h)
 *     links    first K, check, unique, ..   each window of a merge passes them one after the other
 */
#ifndef GSI_STAGE_H
#define GSI_STAGE_H

#include "device/device.h"

/* A part of a phase. Each call may be NULL; failures are recorded in loop->error. */
struct gsi_stage {
    void *context;
    /* Takes an event of the device. At most one stage of a loop has this call. */
    void (*take)(void *context, const struct gsi_event *event);
    /* Does what can be done now. Returns whether anything moved. */
    bool (*pump)(void *context);
    /* Returns whether nothing is under way in the stage, and nothing more is expected. */
    bool (*is_done)(const void *context);
    /* The parts of an output (output/delivery.h) have these, too.
     * take_window: takes the next window, in order.
     * end: called once, when the stage is done and has all windows. It passes on what the stage
     * held back, as it is pumped. */
    bool (*take_window)(void *context, struct gsi_buffer *window); /* as that of a link: false */
    void (*end)(void *context);
};

/* One station on the way of a merge's windows to the output. */
struct gsi_link {
    void *context;
    /* Takes the next window, in order. Returns whether the next link gets it, too; if not, this
     * link kept it or gave it back to its set. */
    bool (*take)(void *context, struct gsi_buffer *window);
};

/* gsi_links_take: passes a window through `count` links. */
static inline void gsi_links_take(const struct gsi_link *links, uint32_t count,
                                  struct gsi_buffer *window)
{
    for (uint32_t i = 0; i < count && links[i].take(links[i].context, window); i++)
        ;
}

#endif
