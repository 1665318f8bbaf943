/* values.c: parses --values, and opens its files. */
#include "input/values/values.h"

#include "base/checked.h"
#include "element/number_type.h"
#include "element/record/record.h"

#include <stdlib.h>
#include <string.h>

/* Finds ":BYTES=" in the text. Returns its colon; NULL: not found. */
static char *find_bytes(char *text, uint64_t *bytes, char **output)
{
    for (char *at = text; (at = strchr(at, ':')) != NULL; at++) {
        size_t digits = strspn(at + 1, "0123456789");
        if (digits == 0 || digits > 18 || at[1 + digits] != '=')
            continue;
        *bytes = strtoull(at + 1, output, 10);
        ++*output;
        return at;
    }
    return NULL;
}

/* Finds ":TYPE=", with the name of a type of numbers, in the text. Returns its colon; NULL: not
 * found. */
static char *find_type(char *text, const struct gsi_type_word **word, char **output)
{
    for (char *at = text; (at = strchr(at, ':')) != NULL; at++) {
        size_t length = strcspn(at + 1, "=");
        *word = at[1 + length] == '=' ? gsi_type_word_find(at + 1, length) : NULL;
        if (*word == NULL)
            continue;
        *output = at + 1 + length + 1;
        return at;
    }
    return NULL;
}

static enum gs_status parse(struct gsi_value_file *file, const char *text, uint32_t off,
                            struct gs_error *error)
{
    uint64_t bytes = 0;
    file->path = strdup(text);
    if (file->path == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate the names of --values");
    const struct gsi_type_word *word = NULL;
    char *colon = find_bytes(file->path, &bytes, &file->output);
    if (colon == NULL && (colon = find_type(file->path, &word, &file->output)) != NULL) {
        GSI_TRY(gsi_type_word_check(word, "values", text, error));
        bytes = gsi_field_of_number(word->type).bytes;
    }
    if (colon == NULL || colon == file->path || *file->output == '\0')
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "--values: '%s' is not FILE:BYTES=OUTPUT, such as prices.f64:8=prices.sorted", text);
    *colon = '\0';
    if (bytes == 0 || bytes > GSI_RECORD_BYTES_MAX || off + bytes > GSI_RECORD_BYTES_MAX)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--values: '%s': a key with its values can have at most %u bytes, and each "
                        "value at least 1",
                        text, GSI_RECORD_BYTES_MAX);
    file->bytes = (uint32_t)bytes;
    file->off = off;
    return GS_OK;
}

enum gs_status gsi_values_parse(struct gsi_values *values, const char *const *texts, size_t count,
                                uint32_t off, struct gs_error *error)
{
    if (count > GSI_VALUES_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--values: is given %zu times; the limit is %d",
                        count, GSI_VALUES_MAX);
    values->table = calloc(count, sizeof *values->table);
    if (values->table == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate the names of --values");
    for (size_t i = 0; i < count; i++) {
        struct gsi_value_file *file = &values->table[values->count++];
        file->input = (struct gsi_input){.fd = -1, .direct_fd = -1};
        GSI_TRY(parse(file, texts[i], off, error));
        off += file->bytes;
    }
    return GS_OK;
}

/* Checks that the file has as many values as there are keys. */
static enum gs_status check_length(const struct gsi_value_file *file, uint64_t all,
                                   struct gs_error *error)
{
    uint64_t bytes = file->input.bytes;
    if (bytes % file->bytes == 0 && bytes / file->bytes == all)
        return GS_OK;
    return gsi_fail(
        error, GS_E_INPUT, 0,
        "--values: '%s' has %llu bytes, but %llu keys with values of %u bytes need %llu bytes",
        file->path, (unsigned long long)bytes, (unsigned long long)all, file->bytes,
        (unsigned long long)gsi_mul_max_u64(all, file->bytes));
}

enum gs_status gsi_values_open(struct gsi_values *values, uint64_t first, uint64_t count,
                               uint64_t all, struct gs_error *error)
{
    for (uint32_t i = 0; i < values->count; i++) {
        struct gsi_value_file *file = &values->table[i];
        struct gsi_input *input = &file->input;
        GSI_TRY(gsi_input_open(file->path, input, error));
        if (input->is_stream)
            return gsi_fail(error, GS_E_USAGE, 0,
                            "--values: '%s' is a stream, whose length is unknown until it ends; "
                            "write it to a file",
                            file->path);
        GSI_TRY(check_length(file, all, error));
        input->is_sniffed = true;
        input->base_off += first * file->bytes;
        input->bytes = count * file->bytes;
        if (input->is_direct && gsi_input_is_cached(input))
            gsi_input_disable_direct(input);
    }
    return GS_OK;
}

void gsi_values_close(struct gsi_values *values)
{
    for (uint32_t i = 0; i < values->count; i++) {
        gsi_input_close(&values->table[i].input);
        free(values->table[i].path);
    }
    free(values->table);
    *values = (struct gsi_values){0};
}

uint64_t gsi_values_bytes(const struct gsi_values *values)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < values->count; i++)
        bytes += values->table[i].input.bytes;
    return bytes;
}
