/* permute.h: --permute: writes element POSITIONS[i] of the inputs as element i of the output.
 *
 *     the inputs fit into memory    gather.c     reads them; then threads fill windows of the
 *                                                output, each element from its place
 *     they do not                   by_sorts.c   two sorts between reading and writing
 *
 * Both ways scan the inputs once, and then fill windows (output/delivery.h). So this is a strategy
 * like any other (job/strategy/strategy.h), and it has all that inputs and outputs can do. */
#ifndef GSI_PERMUTE_H
#define GSI_PERMUTE_H

#include "job/job.h"
#include "output/delivery.h"

#include <pthread.h>
#include <string.h>

/* gsi_permute_is: returns whether a job is a permutation.
 * gsi_permute_plan: plans one for `memory_bytes` in all, which other stages leave; zeros for other
 * jobs.
 * gsi_permute_own_bytes: returns how much of it is not for windows.
 * gsi_permute: runs it.
 * fails GS_E_INPUT: a position is too large; as a sort */
bool gsi_permute_is(const struct gsi_job *job);
struct gsi_permute_plan gsi_permute_plan(const struct gsi_job *job, uint64_t memory_bytes);
uint64_t gsi_permute_own_bytes(const struct gsi_permute_plan *plan);
enum gs_status gsi_permute(struct gsi_job *job);

/* ---- for the two ways ---- */

/* Makes elements `first` to `first + n - 1` of the output at `to`, on any thread. Sets *good to how
 * many precede the first that cannot be made, and then fails. */
typedef enum gs_status gsi_permute_fill(void *way, uint8_t *to, uint64_t first, uint64_t n,
                                        uint64_t *good, struct gs_error *error);

struct gsi_permute {
    struct gsi_job *job;
    const struct gsi_positions *positions;
    uint32_t element_bytes;
    struct gsi_delivery delivery;
    gsi_permute_fill *fill;
    void *way;
    uint64_t accepted_count; /* elements of the output */
    /* The failure of a task at the lowest index. */
    pthread_mutex_t lock;
    bool has_failed;
    uint64_t failed_idx; /* of the element that could not be made */
    struct gs_error error;
};

/* gsi_permute_write: writes the output, whose elements `fill` makes. Everything has been read. */
enum gs_status gsi_permute_write(struct gsi_permute *permute, gsi_permute_fill *fill, void *way);

/* gsi_permute_copy: copies one element. Frequent lengths are constants for the compiler. */
static inline void gsi_permute_copy(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, bytes);
}

/* gsi_gather: permutes elements that are all in memory (gather.c).
 * gsi_gather_plan: plans its memory, for all elements.
 * gsi_by_sorts: permutes by sorts (by_sorts.c).
 * gsi_by_sorts_plan: plans its memory, and shares out `memory_bytes` for the sorts. */
enum gs_status gsi_gather(struct gsi_permute *permute);
void gsi_gather_plan(uint64_t bytes, struct gsi_permute_plan *plan);
enum gs_status gsi_by_sorts(struct gsi_permute *permute);
void gsi_by_sorts_plan(const struct gsi_job *job, uint64_t memory_bytes,
                       struct gsi_permute_plan *plan);

#endif
