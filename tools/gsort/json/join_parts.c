/* join_parts.c: compares the reports of parts with each other, and looks at each seam. */
#include "join_parts.h"

#include "common/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const json_t *told_member(const struct told *told, const char *name)
{
    return report_member(told->report, name);
}

const json_t *told_member_of(const struct told *told, const char *object, const char *name)
{
    return report_member(told_member(told, object), name);
}

enum gs_status told_fail(const struct join *join, const struct told *told, const char *what)
{
    return gs_fail(join->error, GS_E_INPUT, 0, "'%s': not a report of gsort: %s", told->path, what);
}

static int by_number(const void *a, const void *b)
{
    const struct told *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

bool told_is_same(const json_t *a, const json_t *b)
{
    return a == b || (a != NULL && b != NULL && json_equal(a, b));
}

/* Inputs, elements, what was left out or made of them, and the order are those of the first part.
 * Unequal parts may be slices of their own. */
static enum gs_status check_kind(const struct join *join, const struct told *part)
{
    static const char *const names[] = {"type",  "element_bytes", "reverse",   "is_float", "keys",
                                        "where", "written",       "merge_set", "values"};
    static const char *const slices[] = {"range", "find"};
    const struct told *first = &join->parts[0];
    const char *other = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!told_is_same(told_member(part, names[i]), told_member(first, names[i])))
            other = names[i];
    for (size_t i = 0; i < sizeof slices / sizeof slices[0]; i++)
        if (!json_is_true(told_member_of(part, "part", "is_unequal")) &&
            !told_is_same(told_member(part, slices[i]), told_member(first, slices[i])))
            other = slices[i];
    if ((told_member(part, "unique_count") == NULL) != (told_member(first, "unique_count") == NULL))
        other = "unique_count";
    if (!told_is_same(told_member_of(part, "into", "file_bytes"),
                      told_member_of(first, "into", "file_bytes")))
        other = "into.file_bytes";
    if (other == NULL)
        return GS_OK;
    return gs_fail(join->error, GS_E_VERIFY, 0, "'%s': differs in '%s' from '%s'", part->path,
                   other, first->path);
}

/* Which elements belong to a part. Unequal ones, which end where a group does, follow each
 * other. */
static void find_share(const struct join *join, const struct told *part, uint64_t *first,
                       uint64_t *behind)
{
    __extension__ typedef unsigned __int128 wide;
    const struct told *before = part->number > 1 ? part - 1 : NULL;
    bool is_unequal = json_is_true(told_member_of(part, "part", "is_unequal"));
    *first = (uint64_t)((wide)join->all * (part->number - 1) / join->count_of);
    *behind = (uint64_t)((wide)join->all * part->number / join->count_of);
    if (is_unequal && before != NULL)
        *first = before->first + before->count + before->left_out;
    if (is_unequal && part->number < join->count_of)
        *behind = *first + part->count + part->left_out;
}

/* The elements that belong to it, at their place. */
static enum gs_status check_share(const struct join *join, const struct told *part)
{
    uint64_t first, behind, off, of, element_bytes;
    find_share(join, part, &first, &behind);
    if (part->first != first || part->count + part->left_out != behind - first)
        return gs_fail(join->error, GS_E_VERIFY, 0,
                       "'%s': part %" PRIu64 " has %" PRIu64 " elements starting at %" PRIu64
                       ", but needs %" PRIu64 " starting at %" PRIu64,
                       part->path, part->number, part->count + part->left_out, part->first,
                       behind - first, first);
    if (told_member(part, "into") == NULL)
        return GS_OK;
    if (!report_count(told_member_of(part, "into", "offset"), &off) ||
        !report_count(told_member_of(part, "into", "file_bytes"), &of) ||
        !report_count(told_member(part, "element_bytes"), &element_bytes))
        return told_fail(join, part, "it does not say which bytes of the file it wrote");
    if (off != of - (join->all - first) * element_bytes)
        return gs_fail(join->error, GS_E_VERIFY, 0,
                       "'%s': part %" PRIu64 " was written at byte %" PRIu64
                       " of its file, which is the wrong place",
                       part->path, part->number, off);
    return GS_OK;
}

/* Keys are as long as each other, and the order of their digits is that of the elements. A group is
 * in one part, as far as its key is known. */
static enum gs_status check_seam(const struct join *join, const struct told *part,
                                 const struct told *before)
{
    if (json_string_length(before->last_key) != json_string_length(part->first_key))
        return told_fail(join, part, "its keys differ in length from the keys of the other parts");
    int order = strcmp(json_string_value(before->last_key), json_string_value(part->first_key));
    bool is_known = json_string_length(part->first_key) < 2 * (size_t)GS_END_KEY_BYTES;
    if (order == 0 && is_known && told_member(part, "unique_count") != NULL)
        return gs_fail(join->error, GS_E_VERIFY, 0,
                       "'%s': part %" PRIu64 " begins with the last key of part %" PRIu64
                       ": both contain the same group",
                       part->path, part->number, before->number);
    if (order <= 0)
        return GS_OK;
    return gs_fail(join->error, GS_E_VERIFY, 0,
                   "'%s': part %" PRIu64 " begins before the end of part %" PRIu64
                   ": their inputs differ, or one is wrong",
                   part->path, part->number, before->number);
}

enum gs_status join_check_parts(struct join *join)
{
    const struct told *before = NULL;
    if (join->part_count == 0)
        return gs_fail(join->error, GS_E_INPUT, 0,
                       "--join-reports: none of these is a report of a part; make one with -m "
                       "--part I/N --stats=json");
    qsort(join->parts, join->part_count, sizeof *join->parts, by_number);
    for (size_t i = 0; i < join->part_count; i++) {
        const struct told *part = &join->parts[i];
        if (i > 0 && part->number == part[-1].number)
            return gs_fail(join->error, GS_E_VERIFY, 0,
                           "'%s': part %" PRIu64 " is also in '%s'; give one report per part",
                           part->path, part->number, part[-1].path);
        if (part->number != i + 1)
            break;
        TRY(check_kind(join, part));
        TRY(check_share(join, part));
        if (part->count > 0 && before != NULL)
            TRY(check_seam(join, part, before));
        before = part->count > 0 ? part : before;
    }
    for (size_t i = 0; i < join->count_of; i++)
        if (i >= join->part_count || join->parts[i].number != i + 1)
            return gs_fail(join->error, GS_E_VERIFY, 0,
                           "--join-reports: part %zu of %" PRIu64 " is missing", i + 1,
                           join->count_of);
    return GS_OK;
}
