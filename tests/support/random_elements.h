/* random_elements.h: numbers or records, and what options say of them. */
#ifndef SUPPORT_RANDOM_ELEMENTS_H
#define SUPPORT_RANDOM_ELEMENTS_H

#include "report/number.h"
#include "support/record_model.h"

#include "base/report.h"

struct random_elements {
    struct record_model model; /* numbers: a record of one key, at byte 0 */
    bool is_record;
};

/* Makes `n` of them, of at most 40 bytes each. */
static inline void random_elements_make(struct random_elements *elements,
                                        struct test_random *random, uint8_t *data, size_t n)
{
    struct record_model *model = &elements->model;
    elements->is_record = test_below(random, 2) == 0;
    if (elements->is_record) {
        record_model_make(model, random, 12 + (uint32_t)test_below(random, 29));
        record_model_place_nans(model, random);
        record_fill(random, (enum record_shape)test_below(random, RECORD_SHAPE_COUNT), data, n,
                    model->bytes);
        return;
    }
    size_t type = 1 + test_below(random, RECORD_TYPE_COUNT - 1);
    const char *name = record_types[type].name;
    uint32_t bytes = record_types[type].bytes;
    bool is_big_endian = bytes > 1 && test_below(random, 4) == 0;
    *model = (struct record_model){.bytes = bytes, .key_count = 1};
    model->is_reversed = test_below(random, 3) == 0;
    model->keys[0] = record_key_make(0, name, bytes, is_big_endian, false);
    record_model_place_nans(model, random);
    if (model_compare_of(name) != NULL)
        model_fill(random, (enum model_shape)test_below(random, MODEL_SHAPE_COUNT), name, data, n);
    else
        record_fill(random, (enum record_shape)test_below(random, RECORD_SHAPE_COUNT), data, n,
                    bytes);
}

/* Type or length, keys and direction; texts are those of `elements`. */
static inline void random_elements_options(const struct random_elements *elements,
                                           struct gsi_options *options)
{
    const struct record_model *model = &elements->model;
    options->reverse = model->is_reversed;
    if (options->action != GS_STATS)
        options->nan_place = record_model_nan_place(model);
    options->type = elements->is_record ? NULL : model->keys[0].text + 2; /* behind "0:" */
    options->record_bytes = elements->is_record ? model->bytes : 0;
    options->keys = elements->is_record ? model->texts : NULL;
    options->key_count = elements->is_record ? model->key_count : 0;
}

/* How to look at what the elements of that job are. */
static inline struct gsi_options look_options(const struct gsi_options *options)
{
    return (struct gsi_options){.action = GS_LOOK,
                                .inputs = options->inputs,
                                .input_count = options->input_count,
                                .type = options->type,
                                .record_bytes = options->record_bytes,
                                .keys = options->keys,
                                .key_count = options->key_count};
}

/* The first key of an element, as text; `look` is what GS_LOOK says of them. */
static inline void random_elements_value(const struct random_elements *elements,
                                         const struct gs_report *look, const uint8_t *element,
                                         char text[96])
{
    const struct gsi_field_report whole = {.bytes = elements->model.bytes};
    const struct gsi_field_report *field = look->field_count > 0 ? &look->fields[0] : &whole;
    if (!elements->is_record && look->field_count == 0) {
        gsi_shown_element(look, element, text);
    } else if (!field->is_number) {
        strcpy(text, "0x");
        for (uint32_t i = 0; i < field->bytes; i++)
            sprintf(text + 2 + 2 * (size_t)i, "%02x", element[field->off + i]);
    } else {
        uint8_t value[16];
        gsi_shown_value(field, element, value);
        gsi_shown_text(field, value, text);
    }
}

/* Files [begin[i], begin[i + 1]) of elements; is_sorted: each by itself, by way of `room`. */
static inline void random_elements_write(const struct random_elements *elements, uint8_t *data,
                                         const size_t *begin, const char *const *names,
                                         size_t files, bool is_sorted, uint8_t *room)
{
    const size_t bytes = elements->model.bytes;
    for (size_t i = 0; i < files; i++) {
        size_t n = begin[i + 1] - begin[i];
        uint8_t *at = data + begin[i] * bytes;
        if (is_sorted) {
            record_model_sort(&elements->model, at, room, n);
            memcpy(at, room, n * bytes);
        }
        put_bytes(names[i], at, n * bytes);
    }
}

#endif
