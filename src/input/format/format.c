/* format.c: what all formats do alike. */
#include "input/format/format.h"

#include "base/checked.h"
#include "element/key_type.h"

#include <stdlib.h>
#include <string.h>

/* ---- recognising ---- */

static bool begins_as(const struct gsi_format *format, const uint8_t *data, size_t bytes)
{
    return memcmp(data, format->magic, gsi_min_u64(bytes, format->magic_bytes)) == 0;
}

const struct gsi_format *gsi_format_find(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; gsi_formats[i] != NULL; i++)
        if (bytes >= gsi_formats[i]->magic_bytes && begins_as(gsi_formats[i], data, bytes))
            return gsi_formats[i];
    return NULL;
}

/* What a magic may begin with is looked at, whatever there is. */
#define LEAST_BYTES 4u

size_t gsi_format_wanted(const uint8_t *data, size_t bytes)
{
    if (bytes < LEAST_BYTES)
        return LEAST_BYTES;
    for (size_t i = 0; gsi_formats[i] != NULL; i++) {
        const struct gsi_format *format = gsi_formats[i];
        if (begins_as(format, data, bytes))
            return bytes < format->magic_bytes
                       ? format->magic_bytes
                       : gsi_min_u64(format->wanted(data, bytes), GSI_SCHEMA_HEADER_MAX);
    }
    return 0;
}

/* The format that a name promises by its *ending; NULL: none. */
static const struct gsi_format *find_named(const char *path, const char **ending)
{
    for (size_t i = 0; gsi_formats[i] != NULL; i++)
        for (const char *const *word = gsi_formats[i]->endings; *word != NULL; word++)
            if (gsi_name_ends(path, *word)) {
                *ending = *word;
                return gsi_formats[i];
            }
    return NULL;
}

/* ---- inputs ---- */

static enum gs_status keep_first(struct gsi_inputs *inputs, const struct gsi_format *format,
                                 const struct gsi_schema *schema, const uint8_t *data)
{
    struct gsi_formatted *kept = calloc(1, sizeof *kept + schema->header_bytes);
    if (kept != NULL)
        kept->tally = calloc(1, gsi_max_u64(format->tally_bytes, 1));
    if (kept == NULL || kept->tally == NULL) {
        free(kept);
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0, "memory: cannot keep a header");
    }
    kept->format = format;
    kept->schema = *schema;
    memcpy(kept->header, data, schema->header_bytes);
    if (schema->descr != NULL)
        kept->schema.descr = (const char *)kept->header + (schema->descr - (const char *)data);
    inputs->formatted = kept;
    return GS_OK;
}

static enum gs_status check_same(const struct gsi_inputs *inputs, const struct gsi_input *input,
                                 const struct gsi_schema *schema)
{
    const struct gsi_schema *first = &inputs->formatted->schema;
    const char *differs = gsi_schema_differs(first, schema);
    char text[GSI_SCHEMA_TEXT_BYTES], first_text[GSI_SCHEMA_TEXT_BYTES];
    if (differs == NULL)
        return GS_OK;
    return gsi_fail(inputs->loop->error, GS_E_INPUT, 0, "'%s': %s %s, those of '%s' %s",
                    input->name, differs, gsi_schema_say(schema, text), inputs->table[0].name,
                    gsi_schema_say(first, first_text));
}

static enum gs_status fail_mixed(const struct gsi_inputs *inputs, const struct gsi_input *input,
                                 const struct gsi_format *format)
{
    const struct gsi_format *first = inputs->formatted != NULL ? inputs->formatted->format : NULL;
    if (first == NULL)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': is %s, but '%s' is none; sort them one by one", input->name,
                        format->name, inputs->table[0].name);
    return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': is no%s, but '%s' is; sort them one by one", input->name,
                    strchr(first->name, ' '), inputs->table[0].name);
}

static enum gs_status check_plain(const struct gsi_inputs *inputs, const struct gsi_input *input)
{
    const char *ending;
    if (find_named(input->path, &ending) != NULL)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': is named .%s, but has no such header; --raw sorts it as it is",
                        input->name, ending);
    return inputs->formatted != NULL ? fail_mixed(inputs, input, NULL) : GS_OK;
}

/* The elements of an input of this format, which was read into `schema`. */
static enum gs_status take_schema(struct gsi_inputs *inputs, struct gsi_input *input,
                                  const struct gsi_format *format, const uint8_t *data,
                                  const struct gsi_schema *schema)
{
    if (input == inputs->table)
        GSI_TRY(keep_first(inputs, format, schema, data));
    else if (inputs->formatted == NULL || inputs->formatted->format != format)
        return fail_mixed(inputs, input, format);
    else
        GSI_TRY(check_same(inputs, input, schema));
    if (!gsi_mul_u64(schema->count, schema->element_bytes, &input->expected_bytes) ||
        input->expected_bytes > INT64_MAX)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': says that it holds %llu elements", input->name,
                        (unsigned long long)schema->count);
    return gsi_input_skip(input, schema->header_bytes, inputs->loop->error);
}

enum gs_status gsi_format_take(struct gsi_inputs *inputs, struct gsi_input *input,
                               const uint8_t *data, size_t bytes)
{
    const struct gsi_format *format = gsi_format_find(data, bytes);
    struct gs_error *error = inputs->loop->error;
    if (format == NULL)
        return check_plain(inputs, input);
    struct gsi_schema *schema = malloc(sizeof *schema);
    if (schema == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot read the header of '%s'",
                        input->name);
    enum gs_status status = format->read(data, bytes, input->name, schema, error);
    if (status == GS_OK)
        status = take_schema(inputs, input, format, data, schema);
    free(schema);
    return status;
}

void gsi_format_close(struct gsi_inputs *inputs)
{
    if (inputs->formatted != NULL)
        free(inputs->formatted->tally);
    free(inputs->formatted);
}

/* ---- output ---- */

const struct gsi_format *gsi_format_of_output(const struct gsi_inputs *inputs)
{
    const char *name = inputs->options->output, *ending;
    if (inputs->options->raw)
        return NULL;
    bool is_kept = !inputs->options->drop_header && !inputs->options->merge_is_counted;
    if (inputs->formatted != NULL && is_kept)
        return inputs->formatted->format;
    return name != NULL ? find_named(name, &ending) : NULL;
}

enum gs_status gsi_format_check(const struct gsi_inputs *inputs)
{
    const struct gsi_format *format = gsi_format_of_output(inputs);
    return format != NULL && format->check != NULL ? format->check(inputs) : GS_OK;
}

enum gs_status gsi_format_put(struct gsi_inputs *inputs, uint64_t count)
{
    const struct gsi_format *format = gsi_format_of_output(inputs);
    return format != NULL ? format->put(inputs, count) : GS_OK;
}
