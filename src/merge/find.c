/* find.c: makes two binary searches in each file, each for the first element for which a condition
 * is false. They share their steps until one sees an element of the range. From there each
 * continues in growing steps, because few elements may be in the range (J. L. Bentley and A. C.
 * Yao, "An almost optimal algorithm for unbounded searching", Inf. Process. Lett. 5(3), 1976).
 * Conditions are those of --where, so values are parsed and compared as they are there. NaNs sort
 * before or after all numbers.
 *
 * In a file that is not sorted the search may find nothing, or other elements. So all elements of
 * the blocks that it reads must be in order, and in order with the nearest blocks read on either
 * side. The ends of the file must be in order, too. The rest of a file is not checked. */
#include "merge/find.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/compare.h"
#include "input/inputs.h"
#include "merge/sorted_search.h"
#include "merge/value_side.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The longest --find; a byte of a key may be two digits. */
#define TEXT_MAX (2 * (size_t)GSI_RECORD_BYTES_MAX + 64)

/* Elements seen before and after the rest of a file, the same two where the searches separate, and
 * a copy. */
#define SEEN_MAX 5u

/* The factor by which steps grow after the searches separate. Large ranges cost a fourth of their
 * bisection more. */
#define STEP_FACTOR GSI_CONSTANT(16u, 2u)

struct finding {
    struct gsi_search search;
    struct gsi_inputs *inputs;
    const char *given;                 /* the value of --find */
    struct gsi_side before, not_after; /* the first one, and the last one */
    uint8_t *seen;                     /* elements that were seen: SEEN_MAX */
    char *text;                        /* cut up into */
    const char *low, *high;            /* values; NULL: open */
};

/* ---- the search ---- */

/* An element that was seen. */
struct seen {
    uint64_t idx; /* UINT64_MAX: there is none */
    uint8_t *element;
};

/* The rest of a file that is still searched, and the nearest elements on either side that were
 * seen. */
struct rest {
    uint64_t low, high;
    struct seen before, behind;
};

static enum gs_status check_order(const struct finding *finding, size_t file, struct seen a,
                                  struct seen b)
{
    const struct gsi_input *input = &finding->inputs->table[file];
    const struct gsi_layout *layout = finding->inputs->loop->layout;
    bool is_number = layout->number != NULL;
    uint64_t passed = input->passed_bytes / layout->element_bytes;
    if (gsi_compare(layout, a.element, b.element) <= 0)
        return GS_OK;
    return gsi_fail(finding->inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': is not sorted%s%s: element %llu is less than element %llu; sort it, or "
                    "give the order with --%s and --reverse",
                    input->name, is_number ? " as " : "", is_number ? gsi_layout_name(layout) : "",
                    (unsigned long long)(passed + b.idx), (unsigned long long)(passed + a.idx),
                    is_number ? "type" : "key");
}

/* Element `i` of the block that was read last. */
static struct seen seen_at(const struct finding *finding, size_t file, uint64_t i)
{
    const struct gsi_search_file *at = &finding->search.files[file];
    return (struct seen){at->block_first + i,
                         at->block + i * finding->inputs->loop->layout->element_bytes};
}

static struct seen seen_last(const struct finding *finding, size_t file)
{
    return seen_at(finding, file, finding->search.files[file].block_count - 1);
}

/* Reads element `idx`, which is in the rest. */
static enum gs_status look(struct finding *finding, size_t file, const struct rest *rest,
                           uint64_t idx, const uint8_t **element)
{
    GSI_TRY(gsi_search_at(&finding->search, file, idx, element));
    const struct seen first = seen_at(finding, file, 0), last = seen_last(finding, file);
    for (uint64_t i = 1; first.idx + i <= last.idx; i++)
        GSI_TRY(
            check_order(finding, file, seen_at(finding, file, i - 1), seen_at(finding, file, i)));
    if (rest->before.idx < first.idx)
        GSI_TRY(check_order(finding, file, rest->before, first));
    if (rest->behind.idx != UINT64_MAX && rest->behind.idx > last.idx)
        GSI_TRY(check_order(finding, file, last, rest->behind));
    return GS_OK;
}

static void remember(const struct finding *finding, struct seen *seen, struct seen what)
{
    seen->idx = what.idx;
    memcpy(seen->element, what.element, finding->inputs->loop->layout->element_bytes);
}

/* Reduces the rest to the elements after `idx`, which was read; or to those before it. */
static void go_behind(const struct finding *finding, size_t file, struct rest *rest, uint64_t idx)
{
    rest->low = idx + 1;
    remember(finding, &rest->before, seen_last(finding, file));
}

static void go_before(const struct finding *finding, size_t file, struct rest *rest, uint64_t idx)
{
    rest->high = idx;
    remember(finding, &rest->behind, seen_at(finding, file, 0));
}

/* Reads both ends of the rest, which are its bounds. */
static enum gs_status look_at_ends(struct finding *finding, size_t file, struct rest *rest)
{
    const uint8_t *element;
    GSI_TRY(look(finding, file, rest, rest->low, &element));
    remember(finding, &rest->before, seen_last(finding, file));
    GSI_TRY(look(finding, file, rest, rest->high - 1, &element));
    remember(finding, &rest->behind, seen_at(finding, file, 0));
    return GS_OK;
}

static bool has(const struct finding *finding, const struct gsi_side *side, const uint8_t *element)
{
    return gsi_side_has(side, element,
                        finding->seen +
                            (SEEN_MAX - 1) * (size_t)finding->inputs->loop->layout->element_bytes);
}

enum near { NEAR_LOW, NEAR_HIGH };

/* Searches until nothing is left: rest->low is then the first element for which the condition is
 * false. Starts at one end of the rest, in growing steps, but never passes the middle. */
static enum gs_status find_place(struct finding *finding, size_t file, const struct gsi_side *side,
                                 struct rest *rest, enum near near)
{
    for (uint64_t step = 1; rest->low < rest->high; step = gsi_mul_max_u64(step, STEP_FACTOR)) {
        const uint64_t left = gsi_min_u64(step, (rest->high - rest->low + 1) / 2);
        const uint64_t at = near == NEAR_LOW ? rest->low + left - 1 : rest->high - left;
        const uint8_t *element;
        GSI_TRY(look(finding, file, rest, at, &element));
        const bool is_behind = has(finding, side, element);
        (is_behind ? go_behind : go_before)(finding, file, rest, at);
        if (is_behind == (near == NEAR_HIGH)) /* it is in this step */
            step = UINT64_MAX;
    }
    return GS_OK;
}

/* Finds the range: elements `*first` to `*behind - 1`. */
static enum gs_status find_places(struct finding *finding, size_t file, uint64_t *first,
                                  uint64_t *behind)
{
    uint32_t bytes = finding->inputs->loop->layout->element_bytes;
    uint8_t *room = finding->seen;
    struct rest rest = {.high = finding->search.files[file].count,
                        .before = {UINT64_MAX, room},
                        .behind = {UINT64_MAX, room + bytes}};
    struct rest begin, end;
    uint64_t middle = 0;
    if (rest.high > 0)
        GSI_TRY(look_at_ends(finding, file, &rest));
    for (bool is_found = false; rest.low < rest.high && !is_found;) {
        const uint8_t *element;
        middle = rest.low + (rest.high - rest.low) / 2;
        GSI_TRY(look(finding, file, &rest, middle, &element));
        if (has(finding, &finding->before, element))
            go_behind(finding, file, &rest, middle);
        else if (!has(finding, &finding->not_after, element))
            go_before(finding, file, &rest, middle);
        else
            is_found = true;
    }
    begin = end = rest;
    if (rest.low < rest.high) {
        begin.behind.element = room + 2 * (size_t)bytes;
        end.before.element = room + 3 * (size_t)bytes;
        go_before(finding, file, &begin, middle);
        go_behind(finding, file, &end, middle);
    }
    GSI_TRY(find_place(finding, file, &finding->before, &begin, NEAR_HIGH));
    GSI_TRY(find_place(finding, file, &finding->not_after, &end, NEAR_LOW));
    *first = begin.low;
    *behind = end.low;
    return GS_OK;
}

/* ---- what is asked for ---- */

/* The word for what is like no number among the elements; NULL: there is no such. */
static const char *nan_word(const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    const struct gsi_field *key = record->key_count > 0 ? &record->keys[0] : NULL;
    const struct gsi_key_type *type = key != NULL ? key->type : NULL;
    if (key != NULL && key->number != NULL && key->number->part == GSI_PART_TIME)
        return "nat";
    return type != NULL && type->kind == GSI_KEY_FLOAT ? "nan" : NULL;
}

/* Returns whether the value is a NaN. It equals no number, but can be found. */
static bool is_nan(const struct finding *finding)
{
    const char *value = finding->low, *word = nan_word(finding->inputs->loop->layout);
    if (value == NULL || value != finding->high || word == NULL)
        return false;
    value += *value == '-' || *value == '+';
    return strncasecmp(value, word, 3) == 0;
}

/* Finds all NaNs, whatever their bits. */
static enum gs_status set_sides_of_nan(struct finding *finding)
{
    const struct gsi_inputs *inputs = finding->inputs;
    bool lead = gsi_layout_nans_lead(inputs->loop->layout);
    finding->not_after.is_inverted = !lead;
    return gsi_side_open(lead ? &finding->not_after : &finding->before, inputs, "find",
                         finding->given, lead ? "==" : "!=", finding->low);
}

/* An open end of a range is the last number, if NaNs sort after it. */
static void close_ends(struct finding *finding)
{
    const char *word = nan_word(finding->inputs->loop->layout);
    bool is_float = word != NULL && strcmp(word, "nan") == 0;
    if (word != NULL && finding->low == NULL)
        finding->low = is_float ? "-inf" : "-9223372036854775807";
    if (word != NULL && finding->high == NULL)
        finding->high = is_float ? "inf" : "9223372036854775807";
}

static enum gs_status set_side(const struct finding *finding, struct gsi_side *side,
                               const char *value, bool is_behind)
{
    side->is_inverted = is_behind; /* without a value it holds for all, or none */
    return value == NULL ? GS_OK
                         : gsi_side_open_before(side, finding->inputs, "find", finding->given,
                                                value, is_behind);
}

/* Refuses a hexadecimal value that is shorter than the key. Zeros after it would be a guess. */
static enum gs_status check_whole(const struct finding *finding)
{
    const struct gsi_condition *condition = finding->before.filter.conditions;
    const struct gsi_record *record = finding->inputs->loop->layout->record;
    const char *value = finding->low;
    if (value[0] != '0' || (value[1] | 0x20) != 'x' || condition->field.type != NULL ||
        condition->value_bytes == condition->field.bytes)
        return GS_OK;
    return gsi_fail(finding->inputs->loop->error, GS_E_USAGE, 0,
                    "--find: '%s' gives %u of the %u bytes of the key; give all, or use -k "
                    "%u:b%u%s to find all keys that begin with these bytes",
                    value, condition->value_bytes, condition->field.bytes, condition->field.off,
                    condition->value_bytes,
                    record->key_count > 0 && record->keys[0].is_descending ? ":desc" : "");
}

static enum gs_status set_sides(struct finding *finding)
{
    const struct gsi_inputs *inputs = finding->inputs;
    bool descends = gsi_layout_falls(inputs->loop->layout);
    if (is_nan(finding))
        return set_sides_of_nan(finding);
    close_ends(finding);
    const char *first = descends ? finding->high : finding->low;
    const char *last = descends ? finding->low : finding->high;
    GSI_TRY(set_side(finding, &finding->before, first, false));
    GSI_TRY(set_side(finding, &finding->not_after, last, true));
    if (first == last)
        GSI_TRY(check_whole(finding));
    if (first != NULL && last != NULL && !gsi_side_is_wider(&finding->not_after, &finding->before))
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--find: '%s': the end is below the beginning; write the lower value "
                        "first, also with --reverse",
                        finding->given);
    return GS_OK;
}

/* Parses VALUE, LO..HI, LO.. or ..HI. */
static enum gs_status parse_bounds(struct finding *finding)
{
    const struct gsi_inputs *inputs = finding->inputs;
    const char *given = finding->given;
    bool is_long = strlen(given) > TEXT_MAX;
    finding->text = is_long ? NULL : strdup(given);
    if (finding->text == NULL && !is_long)
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0, "out of memory: cannot read --find");
    char *dots = is_long ? NULL : strstr(finding->text, "..");
    finding->low = finding->high = finding->text;
    if (dots != NULL) {
        *dots = '\0';
        finding->low = dots > finding->text ? finding->text : NULL;
        finding->high = dots[2] != '\0' ? dots + 2 : NULL;
    }
    if (is_long || *given == '\0' || (finding->low == NULL && finding->high == NULL))
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--find: '%s' is not VALUE, LO..HI, LO.. or ..HI", given);
    return GS_OK;
}

/* ---- cut out ---- */

static uint64_t seen_bytes(const struct gsi_inputs *inputs)
{
    return SEEN_MAX * (uint64_t)inputs->loop->layout->element_bytes;
}

static enum gs_status cut_inputs(struct finding *finding, struct gsi_find_report *report)
{
    struct gsi_inputs *inputs = finding->inputs;
    GSI_TRY(gsi_search_open(&finding->search, inputs));
    GSI_TRY(GSI_NEW(&inputs->loop->ledger, finding->seen, seen_bytes(inputs), inputs->loop->error));
    for (size_t i = 0; i < inputs->count; i++) {
        uint64_t first, behind;
        GSI_TRY(find_places(finding, i, &first, &behind));
        gsi_range_cut(inputs, &inputs->table[i], first, behind - first);
        if (i == 0)
            report->first = inputs->table[0].passed_bytes / inputs->loop->layout->element_bytes;
        report->count += behind - first;
    }
    return GS_OK;
}

static enum gs_status open_finding(struct finding *finding)
{
    enum gs_status status = parse_bounds(finding);
    return status == GS_OK ? set_sides(finding) : status;
}

static void close_finding(struct finding *finding)
{
    struct gsi_ledger *ledger = &finding->inputs->loop->ledger;
    if (finding->seen != NULL)
        GSI_FREE(ledger, finding->seen, seen_bytes(finding->inputs));
    gsi_search_close(&finding->search);
    gsi_side_close(&finding->before);
    gsi_side_close(&finding->not_after);
    free(finding->text);
}

enum gs_status gsi_find_apply(struct gsi_inputs *inputs, const char *given,
                              struct gsi_find_report *report)
{
    struct finding finding = {.inputs = inputs, .given = given};
    report->is_given = true;
    enum gs_status status = open_finding(&finding);
    if (status == GS_OK)
        status = cut_inputs(&finding, report);
    close_finding(&finding);
    return status;
}

enum gs_status gsi_find_verify(struct gsi_inputs *inputs, const char *given, const uint8_t *first,
                               const uint8_t *last, bool *is_within)
{
    struct finding finding = {.inputs = inputs, .given = given};
    *is_within = true;
    if (given == NULL || inputs->entry_map != NULL)
        return GS_OK;
    enum gs_status status = open_finding(&finding);
    if (status == GS_OK)
        status =
            GSI_NEW(&inputs->loop->ledger, finding.seen, seen_bytes(inputs), inputs->loop->error);
    if (status == GS_OK)
        *is_within = !gsi_side_has(&finding.before, first, finding.seen) &&
                     gsi_side_has(&finding.not_after, last, finding.seen);
    close_finding(&finding);
    return status;
}
