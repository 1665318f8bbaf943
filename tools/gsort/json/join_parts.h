/* join_parts.h: the parts of one whole, as their reports tell of them. */
#ifndef GSORT_JOIN_PARTS_H
#define GSORT_JOIN_PARTS_H

#include "report_read.h"

/* A report of a part, or of what parts were made of. */
struct told {
    const char *path;
    const json_t *report;
    uint64_t number, first, count, left_out; /* of a part */
    const json_t *first_key, *last_key;      /* NULL: it is empty */
};

struct join {
    json_t *reports; /* an array for each input */
    struct told *parts, *others;
    size_t part_count, other_count;
    uint64_t schema;            /* that this program knows */
    uint64_t count_of, all;     /* parts, and elements, that there should be */
    gs_report *whole, *against; /* of all parts, and of all others, added up */
    json_t *told;               /* what `whole` says */
    struct gs_error *error;
};

/* told_member, told_member_of: a member of a report, and of an object in it; NULL: there is none.
 * told_is_same: two members say the same, or neither is there.
 * told_fail: fails with GS_E_INPUT: it is no report of gsort. */
const json_t *told_member(const struct told *told, const char *name);
const json_t *told_member_of(const struct told *told, const char *object, const char *name);
bool told_is_same(const json_t *a, const json_t *b);
enum gs_status told_fail(const struct join *join, const struct told *told, const char *what);

/* join_check_parts: sorts the parts by their numbers. Each must exist once and belong to the same
 * job. Its elements must be the right ones, at their position, and not less than the last one of
 * the part before.
 * fails GS_E_VERIFY: they are no whole; GS_E_INPUT: there is none, or a report says too little */
enum gs_status join_check_parts(struct join *join);

#endif
