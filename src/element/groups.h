/* groups.h: reduces each group of equal keys in a sorted stream to one entry, or keeps all elements
 * of groups that have several. An entry may have the number of elements appended. The stream is
 * read in pieces; a group may continue in the next piece.
 *
 *     pieces        a a a b c c | c c c d
 *     out           a b         | c, and d at the end
 *     with counts   a3 b1       | c5, and d1 at the end     (a count is a u64, little endian)
 *     singles       b           | and d at the end
 *     duplicates    a           | c
 *     repeated      a a a c     | c c c c
 *     with a fold   a b         | c, and d at the end; each with its fields folded, then wide sums
 *
 * The entry of a group is written when the group has ended. Elements are counted to check at the
 * end that each belongs to a group. */
#ifndef GSI_GROUPS_H
#define GSI_GROUPS_H

#include "base/choices.h"
#include "base/memory.h"
#include "element/fold/fold.h"
#include "element/layout.h"

/* Says which elements form a group, and what is written for it. */
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
    bool is_apart;                   /* the caller knows that no two elements have equal keys */
    uint64_t entry_bytes;            /* bytes of a group in the output */
    uint64_t least, most;            /* elements of a group that has an entry */
    const struct gsi_record *record; /* its keys make a group; NULL: numbers */
    struct gsi_record *own_record;   /* that one, if it is not the layout's */
    uint64_t count;                  /* of groups so far */
    uint64_t last_count;             /* of elements in the last one so far */
    uint64_t ended_count;            /* of elements in those before it */
    uint8_t *last;                   /* the element that stands for it */
    struct gsi_folder folder;        /* of that group, if has_fold */
    uint8_t *overflow; /* the element of the first group with a sum that does not fit */
};

/* gsi_groups_alloc: allocates groups from a bump allocator.
 * gsi_groups_restart: forgets all elements so far. */
void gsi_groups_alloc(struct gsi_groups *groups, const struct gsi_layout *layout,
                      const struct gsi_groups_rule *rule, struct gsi_bump *bump);
void gsi_groups_restart(struct gsi_groups *groups);

/* gsi_groups_entry_bytes: returns the bytes of a group in the output. */
uint64_t gsi_groups_entry_bytes(const struct gsi_layout *layout,
                                const struct gsi_groups_rule *rule);

/* gsi_groups_add: adds the next `n` raw elements of the stream. Returns the bytes written to `out`,
 * which has room for `n` entries and does not overlap the elements. */
size_t gsi_groups_add(struct gsi_groups *groups, const void *elements, size_t n, uint8_t *out);

/* gsi_groups_end: ends the stream and writes the entry of the last group, if it has one. Returns
 * its bytes. */
size_t gsi_groups_end(struct gsi_groups *groups, uint8_t *out);

/* A piece of the stream that a thread reads independently of the pieces before it:
 *
 *     a a | a b b c | c c | c d        first   a     c c   c
 *                                      rest    b2 c1       d1; the last of them is open
 *
 * The caller knows whether the piece continues the last group of the piece before it. So many
 * threads read pieces, and their results are joined in order. */
struct gsi_groups_batch {
    bool goes_on;            /* with the last group of the piece before it */
    struct gsi_groups first; /* the elements that continue that group, as a group of their own */
    struct gsi_groups rest;  /* groups that begin in the piece */
};

/* gsi_groups_batch_alloc: allocates a piece of the stream of `groups` from a bump allocator, to be
 * used again and again. */
void gsi_groups_batch_alloc(struct gsi_groups_batch *piece, const struct gsi_groups *groups,
                            struct gsi_bump *bump);

/* gsi_groups_batch_begin: begins an empty piece.
 * in    goes_on: it continues the last group of the piece before it
 *       is_apart: known before: no two of its elements have equal keys
 * gsi_groups_batch_add: adds its next `n` elements, and writes entries as gsi_groups_add does. Any
 * thread.
 * gsi_groups_join: joins the next piece in order. Writes the entry that belongs before those of the
 * piece, if there is one. Returns its bytes. */
void gsi_groups_batch_begin(struct gsi_groups_batch *piece, bool goes_on, bool is_apart);
size_t gsi_groups_batch_add(struct gsi_groups_batch *piece, const void *elements, size_t n,
                            uint8_t *out);
size_t gsi_groups_join(struct gsi_groups *groups, const struct gsi_groups_batch *piece,
                       uint8_t *out);

/* gsi_groups_is_equal: returns whether two elements belong to one group.
 * gsi_groups_are_of_keys: returns whether elements belong to one group exactly if their sort keys
 * are equal. With tags, or groups by the first keys, this is false. */
bool gsi_groups_is_equal(const struct gsi_groups *groups, const uint8_t *a, const uint8_t *b);
bool gsi_groups_are_of_keys(const struct gsi_groups *groups);

/* gsi_groups_are_whole: returns after the end whether all groups together have `count` elements. */
bool gsi_groups_are_whole(const struct gsi_groups *groups, uint64_t count);

/* gsi_groups_check_sums: checks that sums fit into their fields.
 * fails GS_E_INPUT: names the field and the key of the first group where one does not */
enum gs_status gsi_groups_check_sums(const struct gsi_groups *groups, struct gs_error *error);

#endif
