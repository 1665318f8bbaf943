/* find.c: finds the wanted range in each file by two binary searches. The first search finds the
 * first element of the range, the second one the first element after the range. The two searches
 * share their steps until they read an element of the range. From there each search continues in
 * growing steps, because the range may be short (J. L. Bentley and A. C. Yao, "An almost optimal
 * algorithm for unbounded searching", Inf. Process. Lett. 5(3), 1976). Values are parsed and
 * compared by conditions of --where. NaNs sort before or after all numbers.
 *
 * In a file that is not sorted, a search would find wrong elements. So it checks that each block
 * that it reads is sorted, and sorted with the nearest blocks read before and after it. The first
 * and the last block are always read. Blocks that are not read are not checked. */
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

/* The longest argument of --find; two digits may stand for a byte of a key. */
#define TEXT_MAX (2 * (size_t)GSI_RECORD_BYTES_MAX + 64)

/* Number of elements that are copied: two for each of the two searches, and one for comparisons. */
#define COPIES_MAX 5u

/* The factor by which steps grow after the two searches separate. A large factor is good for long
 * ranges, a small one for short ranges. */
#define STEP_FACTOR GSI_CONSTANT(16u, 2u)

struct find_state {
    struct gsi_search search;
    struct gsi_inputs *inputs;
    const char *given;               /* the argument of --find */
    struct gsi_side before_range;    /* contains the elements before the range */
    struct gsi_side not_after_range; /* contains those and the range itself */
    uint8_t *copies;                 /* memory for COPIES_MAX elements */
    char *text;                      /* copy of `given`, which contains low and high */
    const char *low, *high;          /* ends of the range; NULL: no limit */
};

/* ---- the search ---- */

/* An element that was read from a file, and its index. */
struct read_element {
    uint64_t idx; /* UINT64_MAX: there is none */
    uint8_t *element;
};

/* The elements [low, high) of a file that a search has not excluded yet, and the nearest elements
 * before and after them that were read. */
struct open_range {
    uint64_t low, high;
    struct read_element before, after;
};

static enum gs_status check_order(const struct find_state *find, size_t file, struct read_element a,
                                  struct read_element b)
{
    const struct gsi_input *input = &find->inputs->table[file];
    const struct gsi_layout *layout = find->inputs->loop->layout;
    bool is_number = layout->number != NULL;
    uint64_t passed = input->passed_bytes / layout->element_bytes;
    if (gsi_compare(layout, a.element, b.element) <= 0)
        return GS_OK;
    return gsi_fail(find->inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': is not sorted%s%s: element %llu is less than element %llu; sort it, or "
                    "give the order with --%s and --reverse",
                    input->name, is_number ? " as " : "", is_number ? gsi_layout_name(layout) : "",
                    (unsigned long long)(passed + b.idx), (unsigned long long)(passed + a.idx),
                    is_number ? "type" : "key");
}

/* Returns element `i` of the block of a file that was read last. */
static struct read_element block_element(const struct find_state *find, size_t file, uint64_t i)
{
    const struct gsi_search_file *at = &find->search.files[file];
    return (struct read_element){at->block_first + i,
                                 at->block + i * find->inputs->loop->layout->element_bytes};
}

static struct read_element last_block_element(const struct find_state *find, size_t file)
{
    return block_element(find, file, find->search.files[file].block_count - 1);
}

/* Reads element `idx`, and checks that its block is sorted, also with range->before and
 * range->after. */
static enum gs_status read_checked(struct find_state *find, size_t file,
                                   const struct open_range *range, uint64_t idx,
                                   const uint8_t **element)
{
    GSI_TRY(gsi_search_read(&find->search, file, idx, element));
    const struct read_element first = block_element(find, file, 0),
                              last = last_block_element(find, file);
    for (uint64_t i = 1; first.idx + i <= last.idx; i++)
        GSI_TRY(check_order(find, file, block_element(find, file, i - 1),
                            block_element(find, file, i)));
    if (range->before.idx < first.idx)
        GSI_TRY(check_order(find, file, range->before, first));
    if (range->after.idx != UINT64_MAX && range->after.idx > last.idx)
        GSI_TRY(check_order(find, file, last, range->after));
    return GS_OK;
}

static void copy_element(const struct find_state *find, struct read_element *copy,
                         struct read_element what)
{
    copy->idx = what.idx;
    memcpy(copy->element, what.element, find->inputs->loop->layout->element_bytes);
}

/* Reduces the range to the elements after `idx`, which was read last. continue_before reduces it to
 * the elements before `idx`. */
static void continue_after(const struct find_state *find, size_t file, struct open_range *range,
                           uint64_t idx)
{
    range->low = idx + 1;
    copy_element(find, &range->before, last_block_element(find, file));
}

static void continue_before(const struct find_state *find, size_t file, struct open_range *range,
                            uint64_t idx)
{
    range->high = idx;
    copy_element(find, &range->after, block_element(find, file, 0));
}

/* Reads the first and the last element of the range, and sets range->before and range->after. */
static enum gs_status read_ends(struct find_state *find, size_t file, struct open_range *range)
{
    const uint8_t *element;
    GSI_TRY(read_checked(find, file, range, range->low, &element));
    copy_element(find, &range->before, last_block_element(find, file));
    GSI_TRY(read_checked(find, file, range, range->high - 1, &element));
    copy_element(find, &range->after, block_element(find, file, 0));
    return GS_OK;
}

static bool condition_holds(const struct find_state *find, const struct gsi_side *side,
                            const uint8_t *element)
{
    return gsi_side_contains(side, element,
                             find->copies + (COPIES_MAX - 1) *
                                                (size_t)find->inputs->loop->layout->element_bytes);
}

/* The end of the range at which a search starts. */
enum range_end { START_LOW, START_HIGH };

/* Sets range->low to the index of the first element for which the condition is false. The steps
 * start at one end of the range and grow, but never pass the middle of the range. */
static enum gs_status find_first_false(struct find_state *find, size_t file,
                                       const struct gsi_side *side, struct open_range *range,
                                       enum range_end start)
{
    for (uint64_t step = 1; range->low < range->high; step = gsi_mul_max_u64(step, STEP_FACTOR)) {
        const uint64_t left = gsi_min_u64(step, (range->high - range->low + 1) / 2);
        const uint64_t at = start == START_LOW ? range->low + left - 1 : range->high - left;
        const uint8_t *element;
        GSI_TRY(read_checked(find, file, range, at, &element));
        const bool is_after = condition_holds(find, side, element);
        (is_after ? continue_after : continue_before)(find, file, range, at);
        if (is_after == (start == START_HIGH)) /* the element is within this step: bisect */
            step = UINT64_MAX;
    }
    return GS_OK;
}

/* Finds the wanted range of a file: elements *first to *end_idx - 1. */
static enum gs_status find_range(struct find_state *find, size_t file, uint64_t *first,
                                 uint64_t *end_idx)
{
    uint32_t bytes = find->inputs->loop->layout->element_bytes;
    uint8_t *memory = find->copies;
    struct open_range range = {.high = find->search.files[file].count,
                               .before = {UINT64_MAX, memory},
                               .after = {UINT64_MAX, memory + bytes}};
    struct open_range begin, end;
    uint64_t middle = 0;
    if (range.high > 0)
        GSI_TRY(read_ends(find, file, &range));
    for (bool is_found = false; range.low < range.high && !is_found;) {
        const uint8_t *element;
        middle = range.low + (range.high - range.low) / 2;
        GSI_TRY(read_checked(find, file, &range, middle, &element));
        if (condition_holds(find, &find->before_range, element))
            continue_after(find, file, &range, middle);
        else if (!condition_holds(find, &find->not_after_range, element))
            continue_before(find, file, &range, middle);
        else
            is_found = true;
    }
    begin = end = range;
    if (range.low < range.high) {
        begin.after.element = memory + 2 * (size_t)bytes;
        end.before.element = memory + 3 * (size_t)bytes;
        continue_before(find, file, &begin, middle);
        continue_after(find, file, &end, middle);
    }
    GSI_TRY(find_first_false(find, file, &find->before_range, &begin, START_HIGH));
    GSI_TRY(find_first_false(find, file, &find->not_after_range, &end, START_LOW));
    *first = begin.low;
    *end_idx = end.low;
    return GS_OK;
}

/* ---- the argument of --find ---- */

/* Returns the word for values of the key that are no numbers: "nan" or "nat"; NULL: its type has
 * none. */
static const char *nan_word(const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    const struct gsi_field *key = record->key_count > 0 ? &record->keys[0] : NULL;
    const struct gsi_key_type *type = key != NULL ? key->type : NULL;
    if (key != NULL && key->number != NULL && key->number->part == GSI_PART_TIME)
        return "nat";
    return type != NULL && type->kind == GSI_KEY_FLOAT ? "nan" : NULL;
}

/* Returns whether --find names NaN or NaT as a single value. */
static bool is_value_nan(const struct find_state *find)
{
    const char *value = find->low, *word = nan_word(find->inputs->loop->layout);
    if (value == NULL || value != find->high || word == NULL)
        return false;
    value += *value == '-' || *value == '+';
    return strncasecmp(value, word, 3) == 0;
}

/* Sets the conditions for all NaNs, whatever their bits. */
static enum gs_status set_conditions_of_nan(struct find_state *find)
{
    const struct gsi_inputs *inputs = find->inputs;
    bool lead = gsi_layout_nans_lead(inputs->loop->layout);
    find->not_after_range.is_inverted = !lead;
    return gsi_side_open(lead ? &find->not_after_range : &find->before_range, inputs, "find",
                         find->given, lead ? "==" : "!=", find->low);
}

/* Replaces an end without limit by the least or the greatest number, so that the range contains no
 * NaN. */
static void exclude_nans(struct find_state *find)
{
    const char *word = nan_word(find->inputs->loop->layout);
    bool is_float = word != NULL && strcmp(word, "nan") == 0;
    if (word != NULL && find->low == NULL)
        find->low = is_float ? "-inf" : "-9223372036854775807";
    if (word != NULL && find->high == NULL)
        find->high = is_float ? "inf" : "9223372036854775807";
}

static enum gs_status set_condition(const struct find_state *find, struct gsi_side *side,
                                    const char *value, bool includes_equal)
{
    side->is_inverted = includes_equal; /* if value is NULL, the condition is constant */
    return value == NULL ? GS_OK
                         : gsi_side_open_before(side, find->inputs, "find", find->given, value,
                                                includes_equal);
}

/* Fails if a hexadecimal value is shorter than the key, because gsort would have to guess the other
 * bytes. */
static enum gs_status check_hex_length(const struct find_state *find)
{
    const struct gsi_condition *condition = find->before_range.filter.conditions;
    const struct gsi_record *record = find->inputs->loop->layout->record;
    const char *value = find->low;
    if (value[0] != '0' || (value[1] | 0x20) != 'x' || condition->field.type != NULL ||
        condition->value_bytes == condition->field.bytes)
        return GS_OK;
    return gsi_fail(find->inputs->loop->error, GS_E_USAGE, 0,
                    "--find: '%s' gives %u of the %u bytes of the key; give all, or use -k "
                    "%u:b%u%s to find all keys that begin with these bytes",
                    value, condition->value_bytes, condition->field.bytes, condition->field.off,
                    condition->value_bytes,
                    record->key_count > 0 && record->keys[0].is_descending ? ":desc" : "");
}

static enum gs_status set_conditions(struct find_state *find)
{
    const struct gsi_inputs *inputs = find->inputs;
    bool descends = gsi_layout_falls(inputs->loop->layout);
    if (is_value_nan(find))
        return set_conditions_of_nan(find);
    exclude_nans(find);
    const char *first = descends ? find->high : find->low;
    const char *last = descends ? find->low : find->high;
    GSI_TRY(set_condition(find, &find->before_range, first, false));
    GSI_TRY(set_condition(find, &find->not_after_range, last, true));
    if (first == last)
        GSI_TRY(check_hex_length(find));
    if (first != NULL && last != NULL &&
        !gsi_side_has_more_values(&find->not_after_range, &find->before_range))
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--find: '%s': the end is below the beginning; write the lower value "
                        "first, also with --reverse",
                        find->given);
    return GS_OK;
}

/* Parses `given`, which is VALUE, LO..HI, LO.. or ..HI. */
static enum gs_status parse_bounds(struct find_state *find)
{
    const struct gsi_inputs *inputs = find->inputs;
    const char *given = find->given;
    bool is_long = strlen(given) > TEXT_MAX;
    find->text = is_long ? NULL : strdup(given);
    if (find->text == NULL && !is_long)
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0, "out of memory: cannot read --find");
    char *dots = is_long ? NULL : strstr(find->text, "..");
    find->low = find->high = find->text;
    if (dots != NULL) {
        *dots = '\0';
        find->low = dots > find->text ? find->text : NULL;
        find->high = dots[2] != '\0' ? dots + 2 : NULL;
    }
    if (is_long || *given == '\0' || (find->low == NULL && find->high == NULL))
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--find: '%s' is not VALUE, LO..HI, LO.. or ..HI", given);
    return GS_OK;
}

/* ---- all inputs ---- */

static uint64_t copies_bytes(const struct gsi_inputs *inputs)
{
    return COPIES_MAX * (uint64_t)inputs->loop->layout->element_bytes;
}

static enum gs_status cut_inputs(struct find_state *find, struct gsi_find_report *report)
{
    struct gsi_inputs *inputs = find->inputs;
    GSI_TRY(gsi_search_open(&find->search, inputs));
    GSI_TRY(
        GSI_NEW(&inputs->loop->ledger, find->copies, copies_bytes(inputs), inputs->loop->error));
    for (size_t i = 0; i < inputs->count; i++) {
        uint64_t first, end_idx;
        GSI_TRY(find_range(find, i, &first, &end_idx));
        gsi_range_cut(inputs, &inputs->table[i], first, end_idx - first);
        if (i == 0)
            report->first = inputs->table[0].passed_bytes / inputs->loop->layout->element_bytes;
        report->count += end_idx - first;
    }
    return GS_OK;
}

static enum gs_status open_find(struct find_state *find)
{
    enum gs_status status = parse_bounds(find);
    return status == GS_OK ? set_conditions(find) : status;
}

static void close_find(struct find_state *find)
{
    struct gsi_ledger *ledger = &find->inputs->loop->ledger;
    if (find->copies != NULL)
        GSI_FREE(ledger, find->copies, copies_bytes(find->inputs));
    gsi_search_close(&find->search);
    gsi_side_close(&find->before_range);
    gsi_side_close(&find->not_after_range);
    free(find->text);
}

enum gs_status gsi_find_apply(struct gsi_inputs *inputs, const char *given,
                              struct gsi_find_report *report)
{
    struct find_state find = {.inputs = inputs, .given = given};
    report->is_given = true;
    enum gs_status status = open_find(&find);
    if (status == GS_OK)
        status = cut_inputs(&find, report);
    close_find(&find);
    return status;
}

enum gs_status gsi_find_verify(struct gsi_inputs *inputs, const char *given, const uint8_t *first,
                               const uint8_t *last, bool *is_within)
{
    struct find_state find = {.inputs = inputs, .given = given};
    *is_within = true;
    if (given == NULL || inputs->entry_map != NULL)
        return GS_OK;
    enum gs_status status = open_find(&find);
    if (status == GS_OK)
        status =
            GSI_NEW(&inputs->loop->ledger, find.copies, copies_bytes(inputs), inputs->loop->error);
    if (status == GS_OK)
        *is_within = !gsi_side_contains(&find.before_range, first, find.copies) &&
                     gsi_side_contains(&find.not_after_range, last, find.copies);
    close_find(&find);
    return status;
}
