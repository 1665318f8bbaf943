/* value_side.c: makes conditions of --where from a value, and compares them. */
#include "merge/value_side.h"

#include "input/format/fields.h"
#include "input/format/format.h"

#include <stdlib.h>
#include <string.h>

/* Writes the first key as a field in the syntax of --where. */
static void field_text(const struct gsi_record *record, char text[GSI_NAME_PLACE_BYTES])
{
    if (record->key_count == 0)
        snprintf(text, GSI_NAME_PLACE_BYTES, "0:b%u", record->bytes);
    else
        gsi_field_place(&record->keys[0], text);
}

/* Fails if the key is stored with a scale or an offset, because the stored numbers are compared. */
static enum gs_status check_stored(const struct gsi_inputs *inputs, const char *option)
{
    const struct gsi_name *key = inputs->loop->layout->record->keys[0].name;
    if (key == NULL || !key->is_scaled)
        return GS_OK;
    return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                    "--%s: the key is stored with a scale or an offset; use -k %s to compare the "
                    "stored numbers",
                    option, key->place);
}

enum gs_status gsi_side_open(struct gsi_side *side, const struct gsi_inputs *inputs,
                             const char *option, const char *given, const char *op,
                             const char *value)
{
    const struct gsi_layout *layout = inputs->loop->layout;
    struct gs_error *error = inputs->loop->error;
    size_t most = strlen(value) + 8;
    char field[GSI_NAME_PLACE_BYTES];
    bool has_field = layout->number == NULL;
    if (has_field)
        GSI_TRY(check_stored(inputs, option));
    if (has_field)
        field_text(layout->record, field);
    GSI_TRY(gsi_filter_open(&side->filter, layout, option, 1, most, error));
    char *comparison = malloc(most);
    if (comparison == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot read --%s", option);
    snprintf(comparison, most, "%s%s", op, value);
    enum gs_status status =
        gsi_filter_add(&side->filter, given, has_field ? field : NULL, comparison, error);
    free(comparison);
    return status;
}

/* A condition is never true for NaNs. So if NaNs sort first, the condition is the opposite one, and
 * is_inverted is set. */
enum gs_status gsi_side_open_before(struct gsi_side *side, const struct gsi_inputs *inputs,
                                    const char *option, const char *given, const char *value,
                                    bool includes_equal)
{
    static const char *const ops[2][2] = {{"<", "<="}, {">=", ">"}};
    const struct gsi_layout *layout = inputs->loop->layout;
    bool falls = gsi_layout_falls(layout), is_above;
    side->is_inverted = gsi_layout_nans_lead(layout);
    is_above = falls != side->is_inverted;
    return gsi_side_open(side, inputs, option, given, ops[is_above][includes_equal != falls],
                         value);
}

void gsi_side_close(struct gsi_side *side)
{
    gsi_filter_close(&side->filter);
}

bool gsi_side_contains(const struct gsi_side *side, const uint8_t *element, uint8_t *copy)
{
    struct gsi_filtered filtered = {0};
    if (side->filter.condition_count == 0)
        return side->is_inverted;
    memcpy(copy, element, side->filter.layout.element_bytes);
    return (gsi_filter_apply(&side->filter, copy, 1, NULL, &filtered) == 1) != side->is_inverted;
}

bool gsi_side_has_more_values(const struct gsi_side *side, const struct gsi_side *other)
{
    bool is_inverted = side->is_inverted;
    const struct gsi_condition *a = (is_inverted ? side : other)->filter.conditions;
    const struct gsi_condition *b = (is_inverted ? other : side)->filter.conditions;
    if (a->field.type != NULL) /* is_outside: no number of the type is on this side */
        return !b->is_outside && (a->is_outside || b->span > a->span);
    uint32_t common = gsi_min_u32(a->value_bytes, b->value_bytes);
    int order = memcmp(a->value, b->value, common);
    for (uint32_t i = common; order == 0 && i < b->value_bytes; i++)
        order = -(b->value[i] != 0); /* the shorter value is continued by zeros */
    for (uint32_t i = common; order == 0 && i < a->value_bytes; i++)
        order = a->value[i] != 0;
    order = b->takes_above ? -order : order;
    return order < 0 || (order == 0 && b->takes_equal && !a->takes_equal);
}
