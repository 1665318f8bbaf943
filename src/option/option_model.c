/* option_model.c: GPUs that need not be here, member by member (struct gsi_device_model). */
#include "option/option.h"

#include "base/status.h"
#include "base/text.h"
#include "option/options.h"

#include <math.h>
#include <string.h>

enum kind { NAME, COUNT, BYTES, RATE, SECONDS };

static const struct member {
    const char *name;
    enum kind kind;
    size_t off;
} members[] = {
    {"name", NAME, offsetof(struct gsi_device_model, name)},
    {"gpus", COUNT, offsetof(struct gsi_device_model, gpus)},
    {"memory", BYTES, offsetof(struct gsi_device_model, memory)},
    {"to_gpu", RATE, offsetof(struct gsi_device_model, to_gpu)},
    {"from_gpu", RATE, offsetof(struct gsi_device_model, from_gpu)},
    {"peer", RATE, offsetof(struct gsi_device_model, peer)},
    {"input", RATE, offsetof(struct gsi_device_model, input)},
    {"output", RATE, offsetof(struct gsi_device_model, output)},
    {"sort", RATE, offsetof(struct gsi_device_model, sort)},
    {"merge", RATE, offsetof(struct gsi_device_model, merge)},
    {"start_seconds", SECONDS, offsetof(struct gsi_device_model, start_seconds)},
};
#define MEMBER_COUNT (sizeof members / sizeof members[0])

static const char *const wanted[] = {[NAME] = "a name of at most 47 printable bytes",
                                     [COUNT] = "a whole number",
                                     [BYTES] = "a whole number of bytes, or a size like 139G",
                                     [RATE] = "a number of bytes per second, or a size like 55G",
                                     [SECONDS] = "a number"};

static const struct member *find_member(const char *name, size_t length)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        if (strlen(members[i].name) == length && strncmp(members[i].name, name, length) == 0)
            return &members[i];
    return NULL;
}

/* A number with a point in every locale. */
static bool take_number(const char *text, double *number)
{
    char *end;
    return gsi_parse_double(text, &end, number) && text[0] >= '0' && text[0] <= '9' &&
           *end == '\0' && isfinite(*number) && strpbrk(text, "xX") == NULL;
}

/* Texts that lines of reports contain. */
static bool take_name(const char *text, char *name, size_t most)
{
    if (strlen(text) > most)
        return false;
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return false;
    strcpy(name, text);
    return true;
}

static bool take_value(const struct member *member, const char *text,
                       struct gsi_device_model *model)
{
    char *field = (char *)model + member->off;
    uint64_t bytes;
    double number;
    if (member->kind == NAME)
        return take_name(text, field, sizeof model->name - 1);
    bool is_number = take_number(text, &number);
    if (!is_number && member->kind != SECONDS && gs_size_parse(text, 0, &bytes)) {
        number = (double)bytes;
        is_number = true;
    }
    if (!is_number)
        return false;
    if (member->kind == RATE || member->kind == SECONDS) {
        memcpy(field, &number, sizeof number);
        return true;
    }
    if (number > (member->kind == COUNT ? (double)UINT32_MAX : 0x1p63) || number != floor(number))
        return false;
    uint64_t whole = (uint64_t)number;
    uint32_t count = (uint32_t)whole;
    if (member->kind == COUNT)
        memcpy(field, &count, sizeof count);
    else
        memcpy(field, &whole, sizeof whole);
    return true;
}

enum gs_status gsi_option_apply_model(const char *text, struct gsi_device_model *model,
                                      struct gs_error *error)
{
    size_t length = strcspn(text, "=");
    const struct member *member = find_member(text, length);
    if (member == NULL || text[length] == '\0')
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--device-model: '%s': a device model has no member '%.*s'", text,
                        (int)length, text);
    if (!take_value(member, text + length + 1, model))
        return gsi_fail(error, GS_E_USAGE, 0, "--device-model: '%s': %s is not %s", text,
                        member->name, wanted[member->kind]);
    return GS_OK;
}
