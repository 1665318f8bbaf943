/* npy_format.c: implements the format .npy, and makes the output's header. */
#include "input/format/format.h"

#include "base/checked.h"
#include "input/npy/npy.h"

#include <stdlib.h>
#include <string.h>

/* NumPy's kinds of types, indexed by the first letter of gsort's types. 'b' also stands for bf16,
 * so its kind is V. */
static const char kinds[] = {['u'] = 'u', ['i'] = 'i', ['f'] = 'f', ['t'] = 'i', ['b'] = 'V'};

/* Makes the NumPy type of elements without a .npy header: a number of up to 8 bytes, or bytes. */
static void make_descr(const struct gsi_layout *layout, char *descr, size_t most)
{
    const char *name = gsi_layout_name(layout);
    uint32_t bytes = layout->element_bytes;
    size_t length = strlen(name);
    bool is_record = layout->number == NULL;
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

static enum gs_status check_counts(const struct gsi_inputs *inputs)
{
    size_t length = sizeof COUNT_FIELD - 1;
    bool has_fields = inputs->head.has_counts && inputs->formatted != NULL;
    for (uint32_t i = 0; has_fields && i < inputs->formatted->schema.field_count; i++) {
        const char *name = inputs->formatted->schema.fields[i].name;
        if (strncmp(name, COUNT_FIELD, length) == 0 &&
            (name[length] == '\0' || name[length] == '.'))
            return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                            "--count: '%s' has a field '" COUNT_FIELD "' already; leave it out",
                            inputs->table[0].name);
    }
    return GS_OK;
}

/* Makes the type of elements with a count after each: appends a field to a structure, or makes a
 * structure of value and count. */
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

/* Writes the type of a field of --out as NumPy does. Fields that are arrays are written as bytes,
 * and times as integers. Returns its length. */
static size_t write_field(const struct gsi_schema_field *field, const char *name, uint32_t bytes,
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

/* Returns the most bytes of a field in a header: its name, with each letter escaped, and its
 * type. */
static size_t field_bytes(const char *name)
{
    return 2 * strlen(name) + 32;
}

/* Returns the header's field of this name. If --fields gives the name, makes a field in
 * `made_field` and returns it. NULL: no such field. */
static const struct gsi_schema_field *find_field(const struct gsi_inputs *inputs, const char *text,
                                                 struct gsi_schema_field *made_field)
{
    const struct gsi_names *names = inputs->layout->record->names;
    const struct gsi_name *name = gsi_names_find(names, text);
    struct gsi_field field;
    if (inputs->formatted != NULL && (name == NULL || name < names->table + names->header_count))
        return gsi_schema_field_find(&inputs->formatted->schema, text);
    if (name == NULL || gsi_field_parse("", name->place, UINT32_MAX, NULL, &field, NULL) != GS_OK)
        return NULL;
    bool is_number = field.number != NULL && field.bytes <= 8;
    *made_field = (struct gsi_schema_field){
        .count = 1,
        .kind = is_number ? kinds[(unsigned char)field.number->name[0]] : 'V',
        .is_big_endian = field.is_big_endian};
    return made_field;
}

/* Makes the type of a structure with the fields of --out. */
static void make_fields(const struct gsi_inputs *inputs, char *descr)
{
    char *at = descr;
    for (size_t i = 0; i < inputs->head.field_count; i++) {
        const char *name = inputs->head.fields[i];
        struct gsi_schema_field made_field;
        const struct gsi_schema_field *field = find_field(inputs, name, &made_field);
        *at++ = i > 0 ? ',' : '[';
        *at = ' ';
        at += i > 0;
        at += write_field(field, name, inputs->entry_map->out[i].bytes, at, field_bytes(name));
    }
    strcpy(at, "]");
}

/* Converts UTF-8 to Latin-1 if Latin-1 has all letters, as NumPy does in headers. Returns the
 * header version: 1 for Latin-1, 3 for UTF-8. */
static uint8_t encode_latin1(char *text)
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

/* Applies --out-order to a type: changes 'f8' to '>f8'. Bytes have no order. */
static void apply_order(enum gsi_byte_order order, char *descr)
{
    if (strchr("uifbcSUVmM", descr[1]) != NULL) {
        memmove(descr + 2, descr + 1, strlen(descr));
        descr[1] = '=';
    }
    bool are_bytes = descr[2] == 'V' || descr[strlen(descr) - 2] == '1';
    const char *orders = are_bytes ? "<>=" : "<>=|";
    if (order != GSI_ORDER_AS_READ && strchr(orders, descr[1]) != NULL)
        descr[1] = order == GSI_ORDER_BIG ? '>' : '<';
}

/* Returns whether the output does not consist of whole elements. */
static bool is_changed(const struct gsi_inputs *inputs)
{
    const bool is_whole = inputs->entry_map != NULL && inputs->entry_map->is_whole;
    return gsi_inputs_are_changed(inputs) && !(is_whole && inputs->head.field_count == 0);
}

/* Returns the type of the output's elements: `made`, or the text of the input's header if the type
 * is the same. */
static const char *make_type(const struct gsi_inputs *inputs, char *made, size_t most)
{
    if (is_changed(inputs) && gsi_entry_has_positions(inputs->entry_map))
        snprintf(made, most, "'<u%u'", inputs->entry_map->output_bytes);
    else if (is_changed(inputs))
        make_fields(inputs, made);
    else if (inputs->formatted == NULL)
        make_descr(inputs->layout, made, most);
    else if (inputs->head.byte_order != GSI_ORDER_AS_READ) /* only numbers have an order, and their
                                                            * type is short */
        snprintf(made, most, "%.*s", (int)inputs->formatted->schema.descr_bytes,
                 inputs->formatted->schema.descr);
    else
        return inputs->formatted->schema.descr;
    apply_order(inputs->head.byte_order, made);
    return made;
}

static size_t type_bytes(const struct gsi_inputs *inputs)
{
    size_t bytes = 32;
    for (size_t i = 0; i < inputs->head.field_count; i++)
        bytes += field_bytes(inputs->head.fields[i]) + 2;
    return bytes;
}

static enum gs_status make_header(struct gsi_inputs *inputs, uint64_t count)
{
    const struct gsi_schema *npy = inputs->formatted != NULL ? &inputs->formatted->schema : NULL;
    bool is_inputs = npy != NULL && !is_changed(inputs);
    char *made = malloc(type_bytes(inputs));
    if (made == NULL)
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate a .npy header");
    const char *descr = make_type(inputs, made, type_bytes(inputs));
    uint8_t version = descr == made ? encode_latin1(made) : npy->version;
    uint32_t columns = is_inputs ? npy->columns : 0;
    size_t descr_bytes = descr == made ? strlen(made) : npy->descr_bytes;
    bool is_structured = is_changed(inputs) ? !gsi_entry_has_positions(inputs->entry_map)
                                            : npy != NULL && npy->is_structured;
    size_t most = descr_bytes + 512;
    char *counted = malloc(most);
    free(inputs->header.data);
    inputs->header.data = malloc(most);
    if (inputs->header.data == NULL || counted == NULL) {
        free(made);
        free(counted);
        return gsi_fail(inputs->loop->error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate a .npy header");
    }
    if (inputs->head.has_counts) {
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

/* Returns how many bytes the header has, at most what gsi_npy_read accepts. */
static uint64_t header_bytes_wanted(const uint8_t *data, size_t bytes)
{
    return gsi_min_u64(gsi_npy_wanted(data, bytes), GSI_NPY_HEADER_MAX);
}

static const char *const endings[] = {"npy", NULL};

const struct gsi_format gsi_npy_format = {.name = "a .npy file",
                                          .source = "npy header",
                                          .endings = endings,
                                          .magic = "\x93NUMPY",
                                          .magic_bytes = 6,
                                          .is_plain = true,
                                          .wanted = header_bytes_wanted,
                                          .read = gsi_npy_read,
                                          .check = check_counts,
                                          .make_header = make_header};
