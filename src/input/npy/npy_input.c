/* npy_input.c: turns headers into inputs, elements and the output's header. */
#include "input/npy/npy_input.h"

#include "base/checked.h"
#include "element/type_names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DESC ":desc"

/* ---- inputs ---- */

static bool is_same_field(const struct gsi_npy_field *a, const struct gsi_npy_field *b)
{
    return strcmp(a->name, b->name) == 0 && a->off == b->off && a->bytes == b->bytes &&
           a->count == b->count && a->kind == b->kind && a->is_big_endian == b->is_big_endian &&
           strcmp(a->unit, b->unit) == 0 && a->is_inner == b->is_inner;
}

/* What the fields do not tell, arrays of structures, is compared as it is written. */
static bool is_same_type(const struct gsi_npy *a, const struct gsi_npy *b)
{
    bool has_inner = false;
    if (a->field_count != b->field_count || a->element_bytes != b->element_bytes ||
        a->columns != b->columns)
        return false;
    for (uint32_t i = 0; i < a->field_count; i++) {
        if (!is_same_field(&a->fields[i], &b->fields[i]))
            return false;
        has_inner |= a->fields[i].is_inner;
    }
    return !has_inner ||
           (a->descr_bytes == b->descr_bytes && memcmp(a->descr, b->descr, a->descr_bytes) == 0);
}

static enum gs_status keep_first(struct gsi_inputs *inputs, const struct gsi_npy *npy)
{
    inputs->npy = calloc(1, sizeof *inputs->npy + npy->descr_bytes);
    if (inputs->npy == NULL)
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0, "memory: cannot keep a .npy header");
    inputs->npy->npy = *npy;
    memcpy(inputs->npy->descr, npy->descr, npy->descr_bytes);
    inputs->npy->npy.descr = inputs->npy->descr;
    return GS_OK;
}

/* " in rows of 3", behind the type in a message. */
static const char *rows_text(const struct gsi_npy *npy, char text[32])
{
    text[0] = '\0';
    if (npy->columns > 0)
        snprintf(text, 32, " in rows of %u", npy->columns);
    return text;
}

static enum gs_status check_same(const struct gsi_inputs *inputs, const struct gsi_input *input,
                                 const struct gsi_npy *npy)
{
    const struct gsi_npy *first = &inputs->npy->npy;
    char rows[32], first_rows[32];
    if (is_same_type(npy, first))
        return GS_OK;
    return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': its elements are %.*s%s, those of '%s' %.*s%s", input->name,
                    (int)npy->descr_bytes, npy->descr, rows_text(npy, rows), inputs->table[0].name,
                    (int)first->descr_bytes, first->descr, rows_text(first, first_rows));
}

static enum gs_status check_plain(const struct gsi_inputs *inputs, const struct gsi_input *input)
{
    if (gsi_name_is_npy(input->path))
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': is named .npy, but has no such header; --raw sorts it as it is",
                        input->name);
    if (inputs->npy != NULL)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': is no .npy file, but '%s' is; sort them one by one", input->name,
                        inputs->table[0].name);
    return GS_OK;
}

enum gs_status gsi_npy_input_take(struct gsi_inputs *inputs, struct gsi_input *input,
                                  const uint8_t *data, size_t bytes)
{
    struct gsi_npy npy;
    if (!gsi_npy_begins(data, bytes))
        return check_plain(inputs, input);
    GSI_TRY(gsi_npy_read(data, bytes, input->name, &npy, inputs->loop->error));
    if (input == inputs->table)
        GSI_TRY(keep_first(inputs, &npy));
    else if (inputs->npy == NULL)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': is a .npy file, but '%s' is none; sort them one by one", input->name,
                        inputs->table[0].name);
    else
        GSI_TRY(check_same(inputs, input, &npy));
    if (!gsi_mul_u64(npy.count, npy.element_bytes, &input->expected_bytes) ||
        input->expected_bytes > INT64_MAX)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': says that it holds %llu elements", input->name,
                        (unsigned long long)npy.count);
    return gsi_input_skip(input, npy.header_bytes, inputs->loop->error);
}

/* ---- elements ---- */

/* A field as a type of a key; false: gsort knows no order of such. */
static bool type_text(const struct gsi_npy_field *field, char *text, size_t most)
{
    uint32_t bytes = field->bytes;
    char kind = field->kind == 'b' ? 'u' : field->kind == 'M' ? 'm' : field->kind;
    if (field->count != 1 || field->is_inner || bytes == 0)
        return false;
    if (kind == 'S' || kind == 'V') {
        snprintf(text, most, "b%u", bytes);
        return true;
    }
    const char *order = bytes == 1 ? "" : field->is_big_endian ? ">" : "<";
    snprintf(text, most, "%s%c%u", order, kind, bytes);
    const struct gsi_type_word *word =
        strchr("uifm", kind) != NULL ? gsi_type_word_find(text, strlen(text)) : NULL;
    if (word != NULL)
        snprintf(text, most, "%s", word->type);
    return word != NULL;
}

/* OFF:TYPE of a field, kept in `kept`; NULL: there is none. */
static const char *key_text(struct gsi_npy_input *kept, const struct gsi_npy_field *field,
                            bool is_descending)
{
    char type[16];
    char *text = kept->texts[kept->text_count];
    if (!type_text(field, type, sizeof type))
        return NULL;
    kept->text_count++;
    snprintf(text, GSI_NPY_KEY_BYTES, "%u:%s%s", field->off, type, is_descending ? DESC : "");
    return text;
}

/* NAME, NAME:asc, NAME:desc, or what is meant for gsi_record_make: OFF:TYPE. */
static enum gs_status resolve(struct gsi_inputs *inputs, const char *option, const char *given,
                              const char **text)
{
    struct gsi_npy_input *kept = inputs->npy;
    char name[GSI_NPY_NAME_BYTES];
    const struct gsi_npy_field *field = gsi_npy_field_find(&kept->npy, given);
    const char *order = field == NULL ? strrchr(given, ':') : NULL;
    size_t length = order != NULL ? (size_t)(order - given) : 0;
    bool is_descending = order != NULL && strcasecmp(order, DESC) == 0;
    bool is_ascending = order != NULL && strcasecmp(order, ":asc") == 0;
    if ((is_descending || is_ascending) && length > 0 && length < sizeof name) {
        memcpy(name, given, length);
        name[length] = '\0';
        field = gsi_npy_field_find(&kept->npy, name);
    }
    *text = given;
    if (field == NULL && given[0] >= '0' && given[0] <= '9')
        return GS_OK;
    if (field == NULL)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--%s: '%s' has no field '%s' to sort by (outer.inner names one in "
                        "another); it holds %.*s",
                        option, inputs->table[0].name, given, (int)kept->npy.descr_bytes,
                        kept->descr);
    *text = key_text(kept, field, is_descending);
    if (*text == NULL)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--%s: '%s' is no number that gsort sorts by; give %u:TYPE of a part of it",
                        option, given, field->off);
    return GS_OK;
}

static enum gs_status resolve_all(struct gsi_inputs *inputs, const char *option,
                                  const char *const **given, size_t count, const char **texts)
{
    if (count > GSI_FIELDS_MAX)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--%s: given %zu times; %d are the most", option, count, GSI_FIELDS_MAX);
    for (size_t i = 0; i < count; i++) {
        enum gs_status status = resolve(inputs, option, (*given)[i], &texts[i]);
        if (status != GS_OK)
            return status;
    }
    *given = texts;
    return GS_OK;
}

enum gs_status gsi_npy_input_field(struct gsi_inputs *inputs, const char *option, const char *given,
                                   const char **text)
{
    return resolve(inputs, option, given, text);
}

/* No key was given: by all fields, the first one first, as NumPy sorts. */
static enum gs_status take_all_fields(struct gsi_inputs *inputs, struct gsi_elements *elements)
{
    struct gsi_npy_input *kept = inputs->npy;
    size_t count = 0;
    for (uint32_t i = 0; i < kept->npy.field_count; i++) {
        const struct gsi_npy_field *field = &kept->npy.fields[i];
        if (kept->npy.is_structured && field->name[0] == '\0')
            continue; /* padding */
        const char *text = count < GSI_FIELDS_MAX ? key_text(kept, field, false) : NULL;
        if (text == NULL)
            return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                            "'%s': its elements are %.*s, %s; give a --key, or save another type",
                            inputs->table[0].name, (int)kept->npy.descr_bytes, kept->descr,
                            count < GSI_FIELDS_MAX ? "which gsort has no order for"
                                                   : "too many fields to sort by all");
        kept->keys[count] = text;
        kept->names[count++] = field->name[0] != '\0' ? field->name : text;
    }
    if (count == 0)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': its elements are %.*s, which has no field to sort by; give a --key",
                        inputs->table[0].name, (int)kept->npy.descr_bytes, kept->descr);
    elements->keys = kept->keys;
    elements->key_names = kept->names;
    elements->key_count = count;
    return GS_OK;
}

/* Elements that are no structures, and no bytes. */
static bool is_plain_number(const struct gsi_npy *npy, const char **type)
{
    char text[16];
    const struct gsi_type_word *found = !npy->is_structured && npy->field_count == 1 &&
                                                type_text(&npy->fields[0], text, sizeof text)
                                            ? gsi_type_word_find(text, strlen(text))
                                            : NULL;
    *type = found != NULL ? found->type : NULL;
    return found != NULL;
}

enum gs_status gsi_npy_input_elements(struct gsi_inputs *inputs, struct gsi_elements *elements)
{
    struct gsi_npy_input *kept = inputs->npy;
    const struct gsi_npy *npy = &kept->npy;
    const char *type, *name = inputs->table[0].name;
    bool is_number = is_plain_number(npy, &type);
    bool has_keys = elements->key_count > 0 || elements->field_count > 0;
    if (elements->type != NULL && (!is_number || strcmp(elements->type, type) != 0))
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--type %s: '%s' holds %.*s; leave --type out", elements->type, name,
                        (int)npy->descr_bytes, npy->descr);
    if (elements->record_bytes > 0 && elements->record_bytes != npy->element_bytes)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--record %u: the elements of '%s' have %u bytes; leave --record out",
                        elements->record_bytes, name, npy->element_bytes);
    elements->source = "npy header";
    if (is_number && !has_keys && elements->record_bytes == 0) {
        elements->type = type;
        return GS_OK;
    }
    if (npy->element_bytes < GSI_RECORD_BYTES_MIN || npy->element_bytes > GSI_RECORD_BYTES_MAX)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': its elements are %.*s; those of %u to %u bytes are sorted", name,
                        (int)npy->descr_bytes, npy->descr, GSI_RECORD_BYTES_MIN,
                        GSI_RECORD_BYTES_MAX);
    elements->type = NULL;
    elements->record_bytes = npy->element_bytes;
    GSI_TRY(
        resolve_all(inputs, "stats-of", &elements->fields, elements->field_count, kept->fields));
    if (elements->key_count > 0)
        GSI_TRY(resolve_all(inputs, "key", &elements->keys, elements->key_count, kept->keys));
    else
        GSI_TRY(take_all_fields(inputs, elements));
    return GS_OK;
}

/* ---- output ---- */

bool gsi_npy_input_is_output(const struct gsi_inputs *inputs)
{
    const char *name = inputs->options->output;
    bool has_header =
        inputs->npy != NULL && !inputs->options->drop_header && !inputs->options->merge_is_counted;
    return !inputs->options->raw && (has_header || (name != NULL && gsi_name_is_npy(name)));
}

/* Elements that came without a type of NumPy's: numbers as they are, others as bytes. */
static void make_descr(const struct gsi_layout *layout, char *descr, size_t most)
{
    static const char kinds[] = {['u'] = 'u', ['i'] = 'i', ['f'] = 'f', ['t'] = 'i', ['b'] = 'V'};
    const char *name = gsi_layout_name(layout);
    uint32_t bytes = layout->element_bytes;
    size_t length = strlen(name);
    bool is_record = layout->record != NULL && layout->number == NULL;
    if (is_record || bytes > 8)
        snprintf(descr, most, "'|V%u'", bytes);
    else
        snprintf(descr, most, "'%c%c%u'",
                 bytes == 1                ? '|'
                 : name[length - 1] == 'e' ? '>'
                                           : '<',
                 kinds[(unsigned char)name[0]], bytes);
}

#define COUNT_FIELD "count"

enum gs_status gsi_npy_input_check_counts(const struct gsi_inputs *inputs)
{
    size_t length = sizeof COUNT_FIELD - 1;
    for (uint32_t i = 0; inputs->npy != NULL && i < inputs->npy->npy.field_count; i++) {
        const char *name = inputs->npy->npy.fields[i].name;
        if (strncmp(name, COUNT_FIELD, length) == 0 &&
            (name[length] == '\0' || name[length] == '.'))
            return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                            "--count: '%s' has a field '" COUNT_FIELD "' already; leave it out",
                            inputs->table[0].name);
    }
    return GS_OK;
}

/* A count behind each element: one more field of a structure, which may end in a comma; or the
 * second one. */
static void add_count(const char *descr, size_t bytes, bool is_structured, uint32_t columns,
                      char *to, size_t most)
{
    static const char field[] = "('" COUNT_FIELD "', '<u8')]";
    if (columns > 0) {
        snprintf(to, most, "[('value', %.*s, (%u,)), %s", (int)bytes, descr, columns, field);
        return;
    }
    if (!is_structured) {
        snprintf(to, most, "[('value', %.*s), %s", (int)bytes, descr, field);
        return;
    }
    while (bytes > 0 && descr[bytes - 1] != ')' && descr[bytes - 1] != '[')
        bytes--;
    bool is_first = bytes == 0 || descr[bytes - 1] == '[';
    snprintf(to, most, "%.*s%s%s", (int)bytes, descr, is_first ? "" : ", ", field);
}

/* A field of --out as NumPy writes it: a part of an array, of text or of time stays bytes or an
 * integer. */
static size_t put_field(const struct gsi_npy_field *field, const char *name, uint32_t bytes,
                        char *descr, size_t most)
{
    char kind = field != NULL && field->count == 1 ? field->kind : 'V';
    kind = kind == 'm' || kind == 'M' ? 'i' : kind;
    bool has_order = strchr("uifcU", kind) != NULL && bytes > 1;
    char order = !has_order ? '|' : field->is_big_endian ? '>' : '<';
    size_t at = (size_t)snprintf(descr, most, "('");
    for (; *name != '\0' && at + 2 < most; name++) {
        if (*name == '\'' || *name == '\\')
            descr[at++] = '\\';
        descr[at++] = *name;
    }
    return at + (size_t)snprintf(descr + at, most - at, "', '%c%c%u')", order, kind,
                                 kind == 'U' ? bytes / 4 : bytes);
}

/* What a field takes in a header at most: a name, each letter of it escaped, and the rest. */
#define FIELD_BYTES (2 * GSI_NPY_NAME_BYTES + 32)

/* Fields of --out: a structure of them. */
static void make_fields(const struct gsi_inputs *inputs, char *descr)
{
    const struct gsi_options *options = inputs->options;
    char *at = descr;
    for (size_t i = 0; i < options->out_field_count; i++) {
        const char *name = options->out_fields[i];
        const struct gsi_npy_field *field =
            inputs->npy != NULL ? gsi_npy_field_find(&inputs->npy->npy, name) : NULL;
        *at++ = i > 0 ? ',' : '[';
        *at = ' ';
        at += i > 0;
        at += put_field(field, name, inputs->carry->out[i].bytes, at, FIELD_BYTES);
    }
    strcpy(at, "]");
}

/* Makes Latin-1 of UTF-8 where that has all its letters, as NumPy writes headers. Returns the
 * version that says so: 1, or else 3. */
static uint8_t encode(char *text)
{
    const unsigned char *from = (const unsigned char *)text;
    for (const unsigned char *at = from; *at != '\0'; at++)
        if (*at >= 0xc4)
            return 3;
    for (; *from != '\0'; text++) {
        bool is_two = *from >= 0x80;
        *text = (char)(is_two ? (from[0] & 3) << 6 | (from[1] & 0x3f) : from[0]);
        from += is_two ? 2 : 1;
    }
    *text = '\0';
    return 1;
}

/* What --out-order makes of it. */
static void put_order(const struct gsi_options *options, char *descr)
{
    if (options->out_order != GSI_ORDER_AS_READ && strchr("<>=", descr[1]) != NULL)
        descr[1] = options->out_order == GSI_ORDER_BIG ? '>' : '<';
}

/* The type of what is written of each element, where that is not the inputs'. */
static const char *make_type(const struct gsi_inputs *inputs, char *made, size_t most)
{
    if (gsi_inputs_are_changed(inputs) && gsi_carry_has_positions(inputs->carry))
        snprintf(made, most, "'<u%u'", inputs->carry->output_bytes);
    else if (gsi_inputs_are_changed(inputs))
        make_fields(inputs, made);
    else if (inputs->npy == NULL)
        make_descr(inputs->layout, made, most);
    else if (inputs->options->out_order != GSI_ORDER_AS_READ) /* of numbers, it is short */
        snprintf(made, most, "%.*s", (int)inputs->npy->npy.descr_bytes, inputs->npy->npy.descr);
    else
        return inputs->npy->npy.descr;
    put_order(inputs->options, made);
    return made;
}

static size_t type_bytes(const struct gsi_inputs *inputs)
{
    return 32 + inputs->options->out_field_count * (FIELD_BYTES + 2);
}

enum gs_status gsi_npy_input_put(struct gsi_inputs *inputs, uint64_t count)
{
    const struct gsi_npy *npy = inputs->npy != NULL ? &inputs->npy->npy : NULL;
    bool is_inputs = npy != NULL && !gsi_inputs_are_changed(inputs);
    char *made = malloc(type_bytes(inputs));
    if (made == NULL)
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0, "memory: cannot make a .npy header");
    const char *descr = make_type(inputs, made, type_bytes(inputs));
    uint8_t version = descr == made ? encode(made) : npy->version;
    uint32_t columns = is_inputs ? npy->columns : 0;
    size_t descr_bytes = is_inputs ? npy->descr_bytes : strlen(descr);
    bool is_structured = gsi_inputs_are_changed(inputs) ? !gsi_carry_has_positions(inputs->carry)
                                                        : npy != NULL && npy->is_structured;
    size_t most = descr_bytes + 512;
    char *counted = malloc(most);
    free(inputs->header.data);
    inputs->header.data = malloc(most);
    if (inputs->header.data == NULL || counted == NULL) {
        free(made);
        free(counted);
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0, "memory: cannot make a .npy header");
    }
    if (inputs->options->unique_counts) {
        add_count(descr, descr_bytes, is_structured, columns, counted, most);
        columns = 0;
        descr = counted;
        descr_bytes = strlen(counted);
    }
    inputs->header.bytes =
        gsi_npy_write(descr, descr_bytes, count, columns, version, inputs->header.data, most);
    free(made);
    free(counted);
    return GS_OK;
}
