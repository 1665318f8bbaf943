/* npy_text.c: reads by recursive descent; types nest, but not deep. */
#include "input/npy/npy_text.h"

#include "base/checked.h"
#include "base/utf8.h"

#include <string.h>

#define DEPTH_MAX         8u
#define ELEMENT_BYTES_MAX ((uint64_t)1 << 20)

static bool fail(struct gsi_npy_text *text, const char *problem)
{
    if (text->problem == NULL)
        text->problem = problem;
    return false;
}

static void skip_blanks(struct gsi_npy_text *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n' || *text->at == '\t'))
        text->at++;
}

bool gsi_npy_take(struct gsi_npy_text *text, char wanted)
{
    skip_blanks(text);
    if (text->at == text->end || *text->at != wanted)
        return false;
    text->at++;
    return true;
}

bool gsi_npy_expect(struct gsi_npy_text *text, char wanted, const char *problem)
{
    return gsi_npy_take(text, wanted) || fail(text, problem);
}

bool gsi_npy_is_end(struct gsi_npy_text *text)
{
    skip_blanks(text);
    return text->at == text->end;
}

bool gsi_npy_string(struct gsi_npy_text *text, char *string, size_t most)
{
    size_t length = 0;
    skip_blanks(text);
    char quote = text->at < text->end ? *text->at : '\0';
    if (quote != '\'' && quote != '"')
        return fail(text, "a string is missing");
    for (text->at++; text->at < text->end && *text->at != quote; text->at++) {
        if (*text->at == '\\' || *text->at == '\n' || *text->at == '\0')
            return fail(text, "a name has unusual characters");
        unsigned char letter = (unsigned char)*text->at;
        bool is_two = text->is_latin1 && letter >= 0x80; /* bytes in UTF-8 */
        if (length + 1 + is_two >= most)
            return fail(text, "a name is too long");
        if (is_two)
            string[length++] = (char)(0xc0 | letter >> 6);
        string[length++] = (char)(is_two ? 0x80 | (letter & 0x3f) : letter);
    }
    string[length] = '\0';
    for (int bytes; *string != '\0'; string += bytes)
        if ((bytes = gsi_utf8_bytes((const unsigned char *)string)) == 0)
            return fail(text, "a name is not UTF-8");
    return gsi_npy_expect(text, quote, "a string has no end");
}

bool gsi_npy_number(struct gsi_npy_text *text, uint64_t *number)
{
    skip_blanks(text);
    const char *begin = text->at;
    for (*number = 0; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++)
        if (!gsi_mul_u64(*number, 10, number) ||
            !gsi_add_u64(*number, (uint64_t)(*text->at - '0'), number) || *number > INT64_MAX)
            return fail(text, "a number is too large");
    if (text->at == begin)
        return fail(text, "a number is missing");
    if (text->at < text->end && *text->at == 'L')
        text->at++;
    return true;
}

bool gsi_npy_word(struct gsi_npy_text *text, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return false;
    text->at += length;
    return true;
}

/* ---- types ---- */

/* [25s], to the end of a code. */
static bool read_unit(const char *at, char *unit)
{
    size_t length = strlen(at);
    if (length < 3 || length - 2 >= GSI_SCHEMA_UNIT_BYTES || at[0] != '[' || at[length - 1] != ']')
        return false;
    memcpy(unit, at + 1, length - 2);
    unit[length - 2] = '\0';
    return true;
}

/* '<f8', '|S10', '<M8[ns]': kind, bytes and unit. 'f8' is in the order of the machine. */
static bool read_code(struct gsi_npy_text *text, const char *code, struct gsi_schema_field *field)
{
    static const char known[] = "<>|=";
    const char *kind = code + strspn(code, known);
    struct gsi_npy_text digits = {.at = kind + 1, .end = code + strlen(code)};
    uint64_t bytes;
    if (*kind == '\0' || kind - code > 1)
        return fail(text, "a type is not one of NumPy's");
    field->kind = *kind;
    field->is_big_endian = code[0] == '>';
    if (field->kind == 'O')
        return fail(text, "it holds Python objects, which only Python can read");
    if (strchr("uifbcSUVmM", field->kind) == NULL || !gsi_npy_number(&digits, &bytes))
        return fail(text, "a type is not one of NumPy's");
    bool is_time = field->kind == 'm' || field->kind == 'M';
    if (digits.at != digits.end && !(is_time && read_unit(digits.at, field->unit)))
        return fail(text, "a type is not one of NumPy's");
    if (field->kind == 'U' && !gsi_mul_u64(bytes, 4, &bytes))
        return fail(text, "an element is too long");
    if (bytes > ELEMENT_BYTES_MAX)
        return fail(text, "an element is too long");
    field->bytes = (uint32_t)bytes;
    return true;
}

/* A field's place is where the last one ended. */
static bool add_field(struct gsi_npy_text *text, struct gsi_schema *npy,
                      const struct gsi_schema_field *field)
{
    uint64_t bytes;
    if (npy->field_count == GSI_NPY_FIELDS_MAX)
        return fail(text, "it has too many fields");
    if (!gsi_mul_u64(field->bytes, field->count, &bytes) ||
        bytes > ELEMENT_BYTES_MAX - npy->element_bytes)
        return fail(text, "an element is too long");
    npy->fields[npy->field_count] = *field;
    npy->fields[npy->field_count++].off = npy->element_bytes;
    npy->element_bytes += (uint32_t)bytes;
    return true;
}

/* 3, or (2, 3): how many elements that are. */
static bool read_count(struct gsi_npy_text *text, uint32_t *count)
{
    uint64_t product = 1, extent;
    bool is_tuple = gsi_npy_take(text, '(');
    while (!is_tuple || !gsi_npy_take(text, ')')) {
        if (!gsi_npy_number(text, &extent))
            return false;
        if (!gsi_mul_u64(product, extent, &product) || product > ELEMENT_BYTES_MAX)
            return fail(text, "an element is too long");
        if (is_tuple && gsi_npy_take(text, ','))
            continue;
        if (is_tuple && !gsi_npy_expect(text, ')', "a shape has no end"))
            return false;
        break;
    }
    *count = (uint32_t)product;
    return true;
}

#define NAMES_MAX (2 * (GSI_NPY_FIELDS_MAX + DEPTH_MAX))

/* Names and titles, as they are in the text: from `first` on those of the list of fields that is
 * read, before them those of the lists that it is in. */
struct names {
    uint32_t first, count;
    struct {
        const char *at;
        size_t bytes;
    } list[NAMES_MAX];
};

static bool read_fields(struct gsi_npy_text *text, struct gsi_schema *npy, struct names *names,
                        const char *prefix, uint32_t depth);

/* A name or a title that no other field of the list has; padding has none. */
static bool read_own_name(struct gsi_npy_text *text, struct names *names, char *own)
{
    skip_blanks(text);
    const char *begin = text->at + 1;
    if (!gsi_npy_string(text, own, GSI_SCHEMA_NAME_BYTES))
        return false;
    size_t bytes = (size_t)(text->at - 1 - begin);
    if (bytes == 0)
        return true;
    for (uint32_t i = names->first; i < names->count; i++)
        if (names->list[i].bytes == bytes && memcmp(names->list[i].at, begin, bytes) == 0)
            return fail(text, "two of its fields have the same name");
    if (names->count == NAMES_MAX)
        return fail(text, "it has too many fields");
    names->list[names->count].at = begin;
    names->list[names->count++].bytes = bytes;
    return true;
}

/* A field's name: 'name', or ('title', 'name'). */
static bool read_name(struct gsi_npy_text *text, struct names *names, const char *prefix,
                      char *name)
{
    char own[GSI_SCHEMA_NAME_BYTES];
    bool has_title = gsi_npy_take(text, '(');
    if (!read_own_name(text, names, own))
        return false;
    if (has_title && (!gsi_npy_expect(text, ',', "a field has a title but no name") ||
                      !read_own_name(text, names, own) ||
                      !gsi_npy_expect(text, ')', "a field's name has no end")))
        return false;
    size_t length = own[0] != '\0' ? strlen(prefix) : 0;
    if (length + 1 + strlen(own) + 1 > GSI_SCHEMA_NAME_BYTES)
        return fail(text, "a name is too long");
    memcpy(name, prefix, length + 1);
    if (length > 0)
        name[length++] = '.';
    memcpy(name + length, own, strlen(own) + 1);
    return true;
}

/* Fields in a field keep their own types; in an array of such fields they have no names (which one
 * would be meant?), and it is bytes. */
static bool read_inner(struct gsi_npy_text *text, struct gsi_schema *npy,
                       struct gsi_schema_field *field, struct names *names, uint32_t depth)
{
    uint32_t first = npy->field_count, off = npy->element_bytes;
    uint32_t outer_first = names->first, outer_count = names->count;
    names->first = names->count;
    if (!read_fields(text, npy, names, field->name, depth + 1))
        return false;
    names->first = outer_first;
    names->count = outer_count;
    if (!gsi_npy_take(text, ','))
        return true;
    field->kind = 'V';
    field->is_inner = true;
    field->bytes = npy->element_bytes - off;
    npy->field_count = first;
    npy->element_bytes = off;
    return read_count(text, &field->count) && add_field(text, npy, field);
}

/* ('name', type) or ('name', type, shape) */
static bool read_field(struct gsi_npy_text *text, struct gsi_schema *npy, struct names *names,
                       const char *prefix, uint32_t depth)
{
    struct gsi_schema_field field = {.count = 1};
    char code[32];
    if (!gsi_npy_expect(text, '(', "a field has no beginning") ||
        !read_name(text, names, prefix, field.name) ||
        !gsi_npy_expect(text, ',', "a field has no type"))
        return false;
    if (gsi_npy_take(text, '[')) {
        if (field.name[0] == '\0')
            return fail(text, "a structure in it has no name");
        if (!read_inner(text, npy, &field, names, depth))
            return false;
    } else if (!gsi_npy_string(text, code, sizeof code) || !read_code(text, code, &field) ||
               (gsi_npy_take(text, ',') && !read_count(text, &field.count)) ||
               !add_field(text, npy, &field)) {
        return false;
    }
    if (field.name[0] == '\0' && field.kind != 'V')
        return fail(text, "a field has no name");
    return gsi_npy_expect(text, ')', "a field has no end");
}

static bool read_fields(struct gsi_npy_text *text, struct gsi_schema *npy, struct names *names,
                        const char *prefix, uint32_t depth)
{
    if (depth == DEPTH_MAX)
        return fail(text, "its structures are nested too deeply");
    do {
        if (gsi_npy_take(text, ']'))
            return true;
        if (!read_field(text, npy, names, prefix, depth))
            return false;
    } while (gsi_npy_take(text, ','));
    return gsi_npy_expect(text, ']', "the list of fields has no end");
}

bool gsi_npy_descr(struct gsi_npy_text *text, struct gsi_schema *npy)
{
    struct gsi_schema_field field = {.count = 1};
    struct names names;
    char code[32];
    names.first = names.count = 0;
    npy->field_count = 0;
    npy->element_bytes = 0;
    npy->is_structured = gsi_npy_take(text, '[');
    if (npy->is_structured)
        return read_fields(text, npy, &names, "", 0);
    return gsi_npy_string(text, code, sizeof code) && read_code(text, code, &field) &&
           add_field(text, npy, &field);
}
