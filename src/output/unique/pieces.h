/* pieces.h: stands before the blocks of unique, and makes of windows what is written of them, on
 * all threads: a piece of a window at a time, each on its own.
 *
 *     windows, in order --a task a piece--> what is written of each --in order--> copier.h
 *
 * What pieces have to do with each other, groups that go on from one to the next, is seen to when
 * they are given (element/groups.h). So a group may go on through any number of windows, and is
 * counted and folded on all threads. */
#ifndef GSI_PIECES_H
#define GSI_PIECES_H

#include "element/groups.h"
#include "loop/reorder.h"
#include "output/target.h"

struct gsi_pieces {
    struct gsi_target *target;
    struct gsi_groups *groups;     /* borrowed; NULL: all elements are written */
    const struct gsi_carry *carry; /* what makes of an entry what is written; NULL: it is */
    uint64_t entry_bytes, written_bytes;
    struct gsi_buffers *windows; /* where windows go when they were looked at */
    bool is_imprinted;           /* what is written gets an imprint */
    bool has_repeats; /* imprints of windows count elements that are not the first of a group */
    bool is_enough;   /* what follows is not wanted */
    void *memory;     /* the buffers, then entries */
    uint64_t memory_bytes;
    struct gsi_buffers buffers;       /* what is written of a piece */
    struct gsi_groups_piece *grouped; /* of each, with groups */
    uint8_t *entries;                 /* a batch for each, if something else is written of them */
    uint8_t *last;                    /* with groups: the last element of those that have begun */
    bool has_last;
    struct gsi_buffer_list waiting;
    struct gsi_buffer *window; /* being cut, up to window_off */
    uint64_t window_off;
    struct gsi_reorder done;
    uint64_t begun_count; /* pieces */
    uint32_t working_count;
    gsi_u128 position_sum; /* with --argsort: of all pieces that were given */
};

/* gsi_pieces_plan: decides how many pieces there are, and how large, out of `memory_bytes` in all.
 * Returns what they take.
 * in    rule: NULL: all elements are written
 *       entry_bytes: of an element that stays, with counts and sums; written_bytes: of what is
 *       written of it */
uint64_t gsi_pieces_plan(const struct gsi_target *target, const struct gsi_groups_rule *rule,
                         uint64_t entry_bytes, uint64_t written_bytes, uint64_t memory_bytes,
                         struct gsi_output_plan *plan);

/* gsi_pieces_open: of a zeroed struct, in which target, groups, carry and the sizes are set.
 * fails GS_E_MEMORY */
enum gs_status gsi_pieces_open(struct gsi_pieces *pieces, struct gs_error *error);
void gsi_pieces_close(struct gsi_pieces *pieces); /* also zeroed ones */

/* gsi_pieces_restart: no window came yet; groups are as before. */
void gsi_pieces_restart(struct gsi_pieces *pieces);

/* gsi_pieces_take: the next window, in order.
 * gsi_pieces_end: no more windows come, and all that came were given: one more piece has the last
 * group, if there is one.
 * gsi_pieces_pump: begins a piece; false: none can be begun.
 * gsi_pieces_give: what is written of the next piece that is done, in order, which may be nothing.
 * It is to go back to the buffers. If asked for, its imprint is of that. NULL: it is not there yet.
 * gsi_pieces_cut: only the first `count` entries of what was given are wanted.
 * gsi_pieces_are_idle: all windows were looked at, and all pieces were given. */
void gsi_pieces_take(struct gsi_pieces *pieces, struct gsi_buffer *window);
void gsi_pieces_end(struct gsi_pieces *pieces);
bool gsi_pieces_pump(struct gsi_pieces *pieces);
struct gsi_buffer *gsi_pieces_give(struct gsi_pieces *pieces);
void gsi_pieces_cut(const struct gsi_pieces *pieces, struct gsi_buffer *piece, uint64_t count);
bool gsi_pieces_are_idle(const struct gsi_pieces *pieces);

#endif
