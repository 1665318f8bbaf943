/* stage.h: the parts that a phase of a job is made of, as data: who takes what, and who is done.
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
    /* An event of the device; one stage of a loop at most takes them. */
    void (*take)(void *context, const struct gsi_event *event);
    /* Do what can be done now; whether anything moved. */
    bool (*pump)(void *context);
    /* Nothing is under way in it, and nothing is to come. */
    bool (*is_done)(const void *context);
};

/* A part of the way of windows. */
struct gsi_link {
    void *context;
    /* The next window, in order; whether it goes on to the next link: else the window was kept, or
     * given back to its set. */
    bool (*take)(void *context, struct gsi_buffer *window);
};

/* gsi_links_take: a window passes `count` links. */
static inline void gsi_links_take(const struct gsi_link *links, uint32_t count,
                                  struct gsi_buffer *window)
{
    for (uint32_t i = 0; i < count && links[i].take(links[i].context, window); i++)
        ;
}

#endif
