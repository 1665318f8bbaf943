/* groups.h: one element of each group of equal keys in a sorted stream, or all of those that are
 * several, and, if asked for, how many elements the group has. The stream comes in pieces; a group
 * may go on in the next one.
 *
 *     pieces        a a a b c c | c c c d
 *     out           a b         | c, and d at the end
 *     with counts   a3 b1       | c5, and d1 at the end     (a count is a u64, little endian)
 *     singles       b           | and d at the end
 *     duplicates    a           | c
 *     repeated      a a a c     | c c c c
 *     with a fold   a b         | c, and d at the end; each with its fields folded, then wide sums
 *
 * What becomes of a group shows when it has ended, so that is when something is put of it. Elements
 * are counted, so that at the end all are known to belong to a group. */
#ifndef GSI_GROUPS_H
#define GSI_GROUPS_H

#include "base/choices.h"
#include "base/memory.h"
#include "element/fold/fold.h"
#include "element/layout.h"

/* What makes a group, and what is put of it. */
struct gsi_groups_rule {
    bool has_counts;
    enum gsi_keep_choice keep;
    uint32_t key_count;          /* of records: the first keys that are equal; 0: all */
    const struct gsi_fold *fold; /* fields of records that are folded; borrowed. NULL: none */
};

struct gsi_groups {
    const struct gsi_layout *layout; /* borrowed */
    bool has_counts;
    bool keeps_last; /* of its elements */
    bool keeps_all;  /* of its elements, if they are at least two */
    bool has_fold;
    bool is_apart;                   /* known before: no two elements that come have equal keys */
    uint64_t entry_bytes;            /* what a group takes in the output */
    uint64_t least, most;            /* elements of a group of which something is put */
    const struct gsi_record *record; /* its keys make a group; NULL: numbers */
    struct gsi_record *own_record;   /* that one, if it is not the layout's */
    uint64_t count;                  /* of groups so far */
    uint64_t last_count;             /* of elements in the last one so far */
    uint64_t ended_count;            /* of elements in those before it */
    uint8_t *last;                   /* the element that stands for it */
    struct gsi_folder folder;        /* of that group, if has_fold */
    uint8_t *overflow; /* the element of the first group with a sum that does not fit */
};

/* gsi_groups_place: places groups on a shelf.
 * gsi_groups_restart: nothing came yet. */
void gsi_groups_place(struct gsi_groups *groups, const struct gsi_layout *layout,
                      const struct gsi_groups_rule *rule, struct gsi_shelf *shelf);
void gsi_groups_restart(struct gsi_groups *groups);

/* gsi_groups_entry_bytes: what a group takes in the output. */
uint64_t gsi_groups_entry_bytes(const struct gsi_layout *layout,
                                const struct gsi_groups_rule *rule);

/* gsi_groups_add: the next `n` raw elements of the stream. Returns the bytes put at `out`, which
 * has room for `n` entries and lies elsewhere. */
size_t gsi_groups_add(struct gsi_groups *groups, const void *elements, size_t n, uint8_t *out);

/* gsi_groups_end: nothing follows; puts what was held back, an entry at most. Returns its bytes. */
size_t gsi_groups_end(struct gsi_groups *groups, uint8_t *out);

/* A piece of the stream that is looked at on its own, whatever became of those before it:
 *
 *     a a | a b b c | c c | c d        first   a     c c   c
 *                                      rest    b2 c1       d1; the last of them is open
 *
 * Whether it goes on with the last group of the piece before it is known by then. So many threads
 * look at pieces, and what each has found is joined in order. */
struct gsi_groups_piece {
    bool goes_on;            /* with the last group of the piece before it */
    struct gsi_groups first; /* what goes on, as a group of its own */
    struct gsi_groups rest;  /* groups that begin in the piece */
};

/* gsi_groups_piece_place: places a piece of the stream of `groups` on a shelf, to be used again and
 * again. */
void gsi_groups_piece_place(struct gsi_groups_piece *piece, const struct gsi_groups *groups,
                            struct gsi_shelf *shelf);

/* gsi_groups_piece_begin: nothing of the piece was looked at.
 * in    goes_on: with the last group of the piece before it; is_apart: known before: no two of its
 *       elements have equal keys
 * gsi_groups_piece_add: its next `n` elements, with their entries as in gsi_groups_add. Any thread.
 * gsi_groups_join: the next piece in order was looked at. Puts what is to come before its entries,
 * an entry at most. Returns its bytes. */
void gsi_groups_piece_begin(struct gsi_groups_piece *piece, bool goes_on, bool is_apart);
size_t gsi_groups_piece_add(struct gsi_groups_piece *piece, const void *elements, size_t n,
                            uint8_t *out);
size_t gsi_groups_join(struct gsi_groups *groups, const struct gsi_groups_piece *piece,
                       uint8_t *out);

/* gsi_groups_is_equal: whether two elements belong to a group.
 * gsi_groups_are_of_keys: whether elements do when their sort keys are equal; tags, and some keys
 * of several, tell less. */
bool gsi_groups_is_equal(const struct gsi_groups *groups, const uint8_t *a, const uint8_t *b);
bool gsi_groups_are_of_keys(const struct gsi_groups *groups);

/* gsi_groups_are_whole: after the end: whether the groups have `count` elements together. */
bool gsi_groups_are_whole(const struct gsi_groups *groups, uint64_t count);

/* gsi_groups_check_sums: checks that sums fit into their fields.
 * fails GS_E_INPUT: names the field and the key of the first group where one does not */
enum gs_status gsi_groups_check_sums(const struct gsi_groups *groups, struct gs_error *error);

#endif
