/* option_other.c: options that set more than one member. */
#include "option/option_parse.h"

#include "base/status.h"
#include "option/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum gs_status gsi_apply_merge(struct gsi_options *options, const char *text,
                               struct gs_error *error)
{
    int value;
    uint32_t unused;
    GSI_TRY(gsi_parse_word("merge", text, gsi_choices_of_set, &value, &unused, error));
    options->merge = true;
    options->merge_set = (enum gsi_set)value;
    return GS_OK;
}

/* Copies the text before `mark`. Returns false if it is too long or there is no `mark`. */
static bool take_front(const char *text, char mark, char front[32])
{
    size_t length = strcspn(text, (const char[]){mark, '\0'});
    if (text[length] != mark || length >= 32)
        return false;
    memcpy(front, text, length);
    front[length] = '\0';
    return true;
}

/* Parses FROM:COUNT, or FROM: up to the end, which is UINT64_MAX. */
static bool parse_slice(const char *text, bool (*parse)(const char *text, uint64_t *number),
                        uint64_t *from, uint64_t *count)
{
    char front[32];
    *count = UINT64_MAX;
    if (!take_front(text, ':', front) || !parse(front, from))
        return false;
    const char *back = text + strlen(front) + 1;
    return *back == '\0' || (parse(back, count) && *count < UINT64_MAX);
}

enum gs_status gsi_apply_region(struct gsi_options *options, const char *text,
                                struct gs_error *error)
{
    options->has_region = true;
    if (parse_slice(text, gsi_byte_count_parse, &options->region_off, &options->region_bytes))
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--region: '%s' is not OFFSET:BYTES, such as 512:4096, or 1M: up to the end",
                    text);
}

enum gs_status gsi_apply_range(struct gsi_options *options, const char *text,
                               struct gs_error *error)
{
    options->has_range = true;
    if (parse_slice(text, gs_count_parse, &options->range_first, &options->range_count))
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--range: '%s' is not FIRST:COUNT, such as 0:1000, or 64K: up to the end",
                    text);
}

enum gs_status gsi_apply_part(struct gsi_options *options, const char *text, struct gs_error *error)
{
    char front[32];
    uint32_t *count = &options->part_count;
    if (take_front(text, '/', front) &&
        gsi_parse_number("part", text + strlen(front) + 1, 1, UINT32_MAX, count, NULL) == GS_OK &&
        gsi_parse_number("part", front, 1, *count, &options->part_number, NULL) == GS_OK)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0, "--part: '%s' is not I/N with I from 1 to N, such as 2/4",
                    text);
}

bool gsi_sum_is_wide(const char *text, size_t *bytes)
{
    static const char word[] = ":wide";
    size_t length = strlen(text), behind = sizeof word - 1;
    bool is_wide = length > behind && strcasecmp(text + length - behind, word) == 0;
    *bytes = length - (is_wide ? behind : 0);
    return is_wide;
}

enum gs_status gsi_apply_into(struct gsi_options *options, const char *text, struct gs_error *error)
{
    (void)error;
    options->into = true;
    options->output = text;
    return GS_OK;
}

/* For u64, the default, index_bytes stays 0. */
enum gs_status gsi_apply_argsort(struct gsi_options *options, const char *text,
                                 struct gs_error *error)
{
    int bytes;
    uint32_t unused;
    GSI_TRY(gsi_parse_word("argsort", text, gsi_choices_of_index, &bytes, &unused, error));
    options->argsort = true;
    options->index_bytes = bytes == (int)sizeof(uint64_t) ? 0 : (uint32_t)bytes;
    return GS_OK;
}

static enum gs_status take_count(const char *name, const char *text, struct gsi_options *options,
                                 struct gs_error *error)
{
    options->has_top = true;
    if (gs_count_parse(text, &options->top_count))
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--%s: '%s' is not a count like 1000 or 64K (powers of 1000)", name, text);
}

enum gs_status gsi_apply_top(struct gsi_options *options, const char *text, struct gs_error *error)
{
    return take_count("top", text, options, error);
}

enum gs_status gsi_apply_shuffle(struct gsi_options *options, const char *text,
                                 struct gs_error *error)
{
    char *end = NULL;
    options->is_shuffled = true;
    options->has_seed = strcmp(text, "random") != 0;
    errno = 0;
    options->seed = options->has_seed ? strtoull(text, &end, 10) : 0;
    if (!options->has_seed || (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0))
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--shuffle: '%s' is not a seed, an integer from 0 to 18446744073709551615",
                    text);
}

enum gs_status gsi_apply_sample(struct gsi_options *options, const char *text,
                                struct gs_error *error)
{
    options->is_sample = options->is_shuffled = true;
    return take_count("sample", text, options, error);
}

/* A share is of the memory that is available now; more than all of it counts as more than this
 * machine has. */
enum gs_status gsi_apply_memory(struct gsi_options *options, const char *text,
                                struct gs_error *error)
{
    uint64_t available = gs_memory_available();
    options->memory_is_share = strchr(text, '%') != NULL;
    if (gs_size_parse(text, available, &options->memory_bytes) && options->memory_bytes > 0) {
        if (options->memory_is_share && options->memory_bytes > available)
            options->memory_bytes = UINT64_MAX;
        return GS_OK;
    }
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--memory: '%s' is not a size like 512M or 4G or 25%% (powers of 1024)", text);
}

/* GPUs by their numbers, as bits: "all", "0,2". */
static enum gs_status take_gpus(const char *text, uint64_t *gpus, struct gs_error *error)
{
    *gpus = strcmp(text, "all") == 0 ? UINT64_MAX : 0;
    for (const char *at = text; *gpus != UINT64_MAX; at++) {
        char *end;
        unsigned long number = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || number > 63 || (*end != ',' && *end != '\0'))
            return gsi_fail(
                error, GS_E_USAGE, 0,
                "--device: '%s' is not 'all' or a list of GPU numbers from 0 to 63, such as 0,2",
                text);
        *gpus |= UINT64_C(1) << number;
        at = end;
        if (*at == '\0')
            break;
    }
    return GS_OK;
}

enum gs_status gsi_apply_device(struct gsi_options *options, const char *text,
                                struct gs_error *error)
{
    int value;
    const char *list = strncmp(text, "cuda:", 5) == 0 ? text + 5 : "";
    if (strcmp(list, "all") == 0 || strchr(list, ',') != NULL) {
        options->device = GSI_DEVICE_CUDA;
        return take_gpus(list, &options->device_set, error);
    }
    GSI_TRY(gsi_parse_word("device", text, gsi_choices_of_device, &value, &options->device_index,
                           error));
    options->device = (enum gsi_device_word)value;
    return GS_OK;
}
