/* find.c: two binary searches a file, each for the first element for which a condition is not true
 * any more. Conditions are those of --where, so that values are read and compared as there. NaNs come
 * behind all numbers, in descending order before them. */
#include "merge/find.h"

#include "input/range.h"
#include "merge/sorted_search.h"
#include "merge/value_side.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The longest --find; a byte of a key may be two digits. */
#define TEXT_MAX (2 * (size_t)GSI_RECORD_BYTES_MAX + 64)

struct finding {
    struct gsi_search search;
    struct gsi_inputs *inputs;
    struct gsi_side before, not_after; /* the first one, and the last one */
    char *text;                        /* cut up into */
    const char *low, *high;            /* values; NULL: open */
};

static enum gs_status find_place(struct finding *finding, const struct gsi_side *side, size_t file,
                                 uint64_t *place)
{
    uint64_t low = 0, high = finding->search.files[file].count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const uint8_t *element;
        GSI_TRY(gsi_search_at(&finding->search, file, middle, &element));
        if (gsi_side_has(side, element, finding->search.ends)) /* of one element at least */
            low = middle + 1;
        else
            high = middle;
    }
    *place = low;
    return GS_OK;
}

/* ---- what is asked for ---- */

/* The word for what is like no number among the elements; NULL: there is no such. */
static const char *nan_word(const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    const struct gsi_field *key = record != NULL && record->key_count > 0 ? &record->keys[0] : NULL;
    const struct gsi_key_type *type = record == NULL ? layout->type
                                      : key != NULL  ? key->type
                                                     : NULL;
    if (key != NULL && key->number != NULL && key->number->part == GSI_PART_TIME)
        return "nat";
    return type != NULL && type->kind == GSI_KEY_FLOAT ? "nan" : NULL;
}

/* Whether the value is a NaN, which is like no number but is found. */
static bool is_nan(const struct finding *finding)
{
    const char *value = finding->low, *word = nan_word(finding->inputs->loop->layout);
    if (value == NULL || value != finding->high || word == NULL)
        return false;
    value += *value == '-' || *value == '+';
    return strncasecmp(value, word, 3) == 0;
}

static enum gs_status set_side(const struct finding *finding, struct gsi_side *side, const char *op,
                               const char *value, bool is_inverted)
{
    side->is_inverted = is_inverted;
    return gsi_side_open(side, finding->inputs, "find", finding->inputs->options->find, op, value);
}

static enum gs_status set_sides(struct finding *finding)
{
    const struct gsi_inputs *inputs = finding->inputs;
    struct gsi_side *before = &finding->before, *not_after = &finding->not_after;
    bool descends = gsi_layout_falls(inputs->loop->layout);
    not_after->is_inverted = true;
    if (is_nan(finding))
        return descends ? set_side(finding, not_after, "==", finding->low, false)
                        : set_side(finding, before, "!=", finding->low, false);
    const char *word = nan_word(inputs->loop->layout);
    if (finding->high == NULL && word != NULL)
        finding->high = strcmp(word, "nan") == 0 ? "inf" : "9223372036854775807";
    struct gsi_side *low = descends ? not_after : before, *high = descends ? before : not_after;
    if (finding->low != NULL)
        GSI_TRY(set_side(finding, low, "<", finding->low, descends));
    if (finding->high != NULL)
        GSI_TRY(set_side(finding, high, "<=", finding->high, descends));
    return GS_OK;
}

/* VALUE, LO..HI, LO.. or ..HI. */
static enum gs_status take_text(struct finding *finding)
{
    const struct gsi_inputs *inputs = finding->inputs;
    const char *given = inputs->options->find;
    bool is_long = strlen(given) > TEXT_MAX;
    finding->text = is_long ? NULL : strdup(given);
    if (finding->text == NULL && !is_long)
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0, "memory: cannot read --find");
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

static enum gs_status check(const struct gsi_inputs *inputs)
{
    const struct gs_options *options = inputs->options;
    struct gs_error *error = inputs->loop->error;
    bool sorts = options->action == GS_ACTION_SORT || options->action == GS_ACTION_EXPLAIN;
    if (sorts && !options->merge)
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "--find: needs --merge; only in sorted inputs it is known where values are");
    if (options->action == GS_ACTION_FIND && inputs->count > 1)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--find: says places in one file; '%s' is another; -o FILE merges what is "
                        "found in all",
                        inputs->table[1].name);
    return gsi_range_check(inputs, "--find");
}

/* ---- cut out ---- */

static enum gs_status cut_inputs(struct finding *finding, struct gs_report *report)
{
    struct gsi_inputs *inputs = finding->inputs;
    GSI_TRY(gsi_search_open(&finding->search, inputs));
    for (size_t i = 0; i < inputs->count; i++) {
        uint64_t first, behind;
        GSI_TRY(find_place(finding, &finding->before, i, &first));
        GSI_TRY(find_place(finding, &finding->not_after, i, &behind));
        uint64_t count = behind > first ? behind - first : 0;
        gsi_range_cut(inputs, &inputs->table[i], first, count);
        if (i == 0)
            report->find_first =
                inputs->table[0].passed_bytes / inputs->loop->layout->element_bytes;
        report->find_count += count;
    }
    return GS_OK;
}

enum gs_status gsi_find_take(struct gsi_inputs *inputs, struct gs_report *report)
{
    struct finding finding = {.inputs = inputs};
    const char *given = inputs->options->find;
    if (given == NULL && inputs->options->action != GS_ACTION_FIND)
        return GS_OK;
    if (given == NULL)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0, "gs_options.find: find what?");
    GSI_TRY(check(inputs));
    report->has_find = true;
    enum gs_status status = take_text(&finding);
    if (status == GS_OK)
        status = set_sides(&finding);
    if (status == GS_OK)
        status = cut_inputs(&finding, report);
    gsi_search_close(&finding.search);
    gsi_filter_close(&finding.before.filter);
    gsi_filter_close(&finding.not_after.filter);
    free(finding.text);
    return status;
}
