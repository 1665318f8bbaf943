/* groups.h: one element of each group of equal keys in a sorted stream, or all of those that are
 * several, and, if asked for, how many elements the group has. The stream comes in pieces; a group
 * may go on in the next one.
 *
 *     pieces        a a a b c c | c c c d
 *     out           a b c       | d
 *     with counts   a3 b1       | c5, and d1 at the end     (a count is a u64, little endian)
 *     singles       b           | and d at the end
 *     duplicates    a           | c
 *     repeated      a a a c     | c c c c
 *     with a fold   a b         | c, and d at the end; each with its fields folded, then wide sums
 *
 * What becomes of a group shows when it has ended, but for its first element. Whatever is left out
 * is counted, so that at the end all elements are known to belong to a group. */
#ifndef GSI_GROUPS_H
#define GSI_GROUPS_H

#include "base/memory.h"
#include "base/options.h"
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
    struct gsi_ledger *ledger;
    bool has_counts;
    bool is_held;                    /* what is put of a group is put when it has ended */
    bool keeps_last;                 /* of its elements */
    bool keeps_all;                  /* of its elements, if they are at least two */
    uint64_t entry_bytes;            /* what a group takes in the output */
    uint64_t least, most;            /* elements of a group of which something is put */
    const struct gsi_record *record; /* its keys make a group; NULL: numbers */
    struct gsi_record *own_record;   /* that one, if it is not the layout's */
    uint64_t count;                  /* of groups so far */
    uint64_t last_count;             /* of elements in the last one so far, if is_held */
    uint64_t ended_count;            /* of elements in those before it, if is_held */
    uint8_t *last;                   /* the element that stands for it */
    bool has_met;                    /* there is a last element */
    struct gsi_folder folder;        /* of that group, if has_fold */
    bool has_fold;
    uint8_t *overflow; /* the element of the first group with a sum that does not fit */
};

/* gsi_groups_bytes: the memory that it takes. */
uint64_t gsi_groups_bytes(const struct gsi_layout *layout, const struct gsi_groups_rule *rule);
enum gs_status gsi_groups_init(struct gsi_groups *groups, const struct gsi_layout *layout,
                               const struct gsi_groups_rule *rule, struct gsi_ledger *ledger,
                               struct gs_error *error);
void gsi_groups_clear(struct gsi_groups *groups); /* also zeroed ones */

/* gsi_groups_entry_bytes: what a group takes in the output. */
uint64_t gsi_groups_entry_bytes(const struct gsi_layout *layout,
                                const struct gsi_groups_rule *rule);

/* gsi_groups_add: the next `n` raw elements of the stream. Returns the bytes put at `out`, which
 * has room for `n` entries and lies elsewhere. */
size_t gsi_groups_add(struct gsi_groups *groups, const void *elements, size_t n, uint8_t *out);

/* gsi_groups_end: nothing follows; puts what was held back, an entry at most. Returns its bytes. */
size_t gsi_groups_end(struct gsi_groups *groups, uint8_t *out);

/* What a piece of the stream has to do with its neighbours, and how many groups begin in it. */
struct gsi_groups_piece {
    bool goes_on_before; /* its first element has the key of the one before it */
    bool goes_on_behind; /* its last element has the key of the one behind it */
    bool is_all_apart;   /* known before: no two of its elements have equal keys */
    uint64_t group_count;
};

/* gsi_groups_may_pick: whether what is put of a group are elements of it, as they are. Then pieces
 * may be looked at each on its own, and are joined in order:
 *
 * gsi_groups_are_of_keys: whether elements are in a group when their sort keys are equal; tags, and
 * some keys of several, tell less.
 *
 * gsi_groups_meet: the next piece begins with this element, and ends with the last one of `n`.
 * Returns whether it goes on with the last group.
 * gsi_groups_pick: moves the elements that are put to the front of the piece. Returns their bytes.
 * Pure; any thread.
 * gsi_groups_join: a piece of `n` elements was looked at. */
bool gsi_groups_may_pick(const struct gsi_groups *groups);
bool gsi_groups_are_of_keys(const struct gsi_groups *groups);
bool gsi_groups_meet(struct gsi_groups *groups, const uint8_t *elements, size_t n);
size_t gsi_groups_pick(const struct gsi_groups *groups, struct gsi_groups_piece *piece,
                       uint8_t *elements, size_t n);
void gsi_groups_join(struct gsi_groups *groups, const struct gsi_groups_piece *piece, size_t n);

/* gsi_groups_are_whole: after the end: whether the groups have `count` elements together, as far as
 * they were counted. */
bool gsi_groups_are_whole(const struct gsi_groups *groups, uint64_t count);

/* gsi_groups_check_sums: checks that sums fit into their fields.
 * fails GS_E_INPUT: names the field and the key of the first group where one does not */
enum gs_status gsi_groups_check_sums(const struct gsi_groups *groups, struct gs_error *error);

#endif
