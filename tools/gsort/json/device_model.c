/* device_model.c: a member of the object after the other, by a table. */
#include "device_model.h"

#include "common/tool.h"
#include "report_read.h"

#include <stddef.h>
#include <string.h>

enum kind { NAME, COUNT, BYTES, RATE, SECONDS };

static const struct member {
    const char *name;
    enum kind kind;
    size_t off; /* of the field */
    bool may_lack;
} members[] = {
    {"name", NAME, offsetof(struct gs_device_model, name), true},
    {"gpus", COUNT, offsetof(struct gs_device_model, gpus), false},
    {"memory", BYTES, offsetof(struct gs_device_model, memory), false},
    {"to_gpu", RATE, offsetof(struct gs_device_model, to_gpu), false},
    {"from_gpu", RATE, offsetof(struct gs_device_model, from_gpu), false},
    {"peer", RATE, offsetof(struct gs_device_model, peer),
     true}, /* of one GPU, or it is asked for */
    {"input", RATE, offsetof(struct gs_device_model, input), true},
    {"output", RATE, offsetof(struct gs_device_model, output), true},
    {"sort", RATE, offsetof(struct gs_device_model, sort), true},
    {"merge", RATE, offsetof(struct gs_device_model, merge), true},
    {"start_seconds", SECONDS, offsetof(struct gs_device_model, start_seconds), true},
};
#define MEMBER_COUNT (sizeof members / sizeof members[0])

static const struct member *find_member(const char *name)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        if (strcmp(members[i].name, name) == 0)
            return &members[i];
    return NULL;
}

/* A number, or a size as options have it. */
static bool number_of(const json_t *value, double *number)
{
    uint64_t bytes;
    if (json_is_string(value) && gs_size_parse(json_string_value(value), 0, &bytes))
        *number = (double)bytes;
    else if (json_is_number(value))
        *number = json_number_value(value);
    else
        return false;
    return true;
}

/* A whole number in the range of the field; what is more than a double holds exactly is no size. */
static bool whole_of(const json_t *value, double most, uint64_t *whole)
{
    double number;
    if (!number_of(value, &number) || !(number >= 0 && number <= most))
        return false;
    *whole = (uint64_t)number;
    return (double)*whole == number;
}

/* What goes into lines of reports. */
static bool is_a_name(const json_t *value, size_t most)
{
    const char *text = json_string_value(value);
    if (text == NULL || json_string_length(value) > most)
        return false;
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

/* false: the value is of another kind. */
static bool take_member(const struct member *member, const json_t *value,
                        struct gs_device_model *model)
{
    char *field = (char *)model + member->off;
    uint64_t whole;
    double number;
    if (member->kind == NAME) {
        if (!is_a_name(value, sizeof model->name - 1))
            return false;
        memcpy(field, json_string_value(value), json_string_length(value));
        return true;
    }
    if (member->kind == RATE || (member->kind == SECONDS && json_is_number(value))) {
        if (!number_of(value, &number))
            return false;
        memcpy(field, &number, sizeof number);
        return true;
    }
    if (member->kind == SECONDS ||
        !whole_of(value, member->kind == COUNT ? UINT32_MAX : 0x1p63, &whole))
        return false;
    if (member->kind == COUNT) {
        uint32_t count = (uint32_t)whole;
        memcpy(field, &count, sizeof count);
    } else {
        memcpy(field, &whole, sizeof whole);
    }
    return true;
}

static enum gs_status take_object(const char *path, json_t *object, struct gs_device_model *model,
                                  struct gs_error *error)
{
    static const char *const wanted[] = {
        [NAME] = "a name of at most 47 bytes",
        [COUNT] = "a whole number",
        [BYTES] = "a whole number of bytes, or a text like \"139G\"",
        [RATE] = "bytes a second: a number, or a text like \"55G\"",
        [SECONDS] = "a number"};
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        const struct member *member = find_member(name);
        if (member == NULL)
            return gs_fail(error, GS_E_USAGE, 0, "--device-model: '%s': there is no member '%s'",
                           path, name);
        if (!take_member(member, value, model))
            return gs_fail(error, GS_E_USAGE, 0, "--device-model: '%s': %s is not %s", path, name,
                           wanted[member->kind]);
    }
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        if (!members[i].may_lack && json_object_get(object, members[i].name) == NULL)
            return gs_fail(error, GS_E_USAGE, 0, "--device-model: '%s': %s is missing", path,
                           members[i].name);
    if (model->gpus > 1 && json_object_get(object, "peer") == NULL)
        return gs_fail(error, GS_E_USAGE, 0, "--device-model: '%s': peer is missing", path);
    return GS_OK;
}

enum gs_status device_model_read(const char *path, struct gs_device_model *model,
                                 struct gs_error *error)
{
    json_t *values = json_array(), *object;
    enum gs_status status;
    *model = (struct gs_device_model){0};
    if (values == NULL)
        return gs_fail(error, GS_E_MEMORY, 0, "memory: cannot hold the model");
    TRY_OR(reports_read(path, values, error), done);
    object = json_array_get(values, 0);
    if (json_array_size(values) != 1 || !json_is_object(object))
        status =
            gs_fail(error, GS_E_USAGE, 0, "--device-model: '%s': is not one JSON object", path);
    else
        status = take_object(path, object, model, error);
done:
    json_decref(values);
    return status;
}
