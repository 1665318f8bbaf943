/* npy.c: reads and writes headers of .npy files.
 *
 * The text of a header is a Python dictionary. A recursive-descent parser reads it, because types
 * can be nested. */
#include "input/npy/npy.h"

#include "base/checked.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* The reader's position in a header's text. */
struct literals {
    const char *at, *end;
    const char *problem; /* what is wrong with the text; NULL: nothing yet */
    bool is_latin1;      /* the text is Latin-1; else UTF-8 */
};

/* ---- Python literals ---- */

#define DEPTH_MAX         8u
#define ELEMENT_BYTES_MAX ((uint64_t)1 << 20)

static bool set_problem(struct literals *text, const char *problem)
{
    if (text->problem == NULL)
        text->problem = problem;
    return false;
}

static void skip_blanks(struct literals *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n' || *text->at == '\t'))
        text->at++;
}

/* The following functions skip blanks, and return whether the text continues as expected.
 * accept_char reads one character if it is `wanted`. */
static bool accept_char(struct literals *text, char wanted)
{
    skip_blanks(text);
    if (text->at == text->end || *text->at != wanted)
        return false;
    text->at++;
    return true;
}

/* Reads one character, which must be `wanted`; otherwise sets `problem`. */
static bool expect(struct literals *text, char wanted, const char *problem)
{
    return accept_char(text, wanted) || set_problem(text, problem);
}

static bool is_at_end(struct literals *text)
{
    skip_blanks(text);
    return text->at == text->end;
}

/* Reads '..' or "..", and converts it to UTF-8. Sets a problem if it contains a NUL or exceeds
 * `most` - 1 bytes. */
static bool read_string(struct literals *text, char *string, size_t most)
{
    size_t length = 0;
    skip_blanks(text);
    char quote = text->at < text->end ? *text->at : '\0';
    if (quote != '\'' && quote != '"')
        return set_problem(text, "a string is missing");
    for (text->at++; text->at < text->end && *text->at != quote; text->at++) {
        if (*text->at == '\\' || *text->at == '\n' || *text->at == '\0')
            return set_problem(text, "a name has unusual characters");
        unsigned char letter = (unsigned char)*text->at;
        bool is_two = text->is_latin1 && letter >= 0x80; /* it has two bytes in UTF-8 */
        if (length + 1 + is_two >= most)
            return set_problem(text, "a name is too long");
        if (is_two)
            string[length++] = (char)(0xc0 | letter >> 6);
        string[length++] = (char)(is_two ? 0x80 | (letter & 0x3f) : letter);
    }
    string[length] = '\0';
    for (int bytes; *string != '\0'; string += bytes)
        if ((bytes = gsi_utf8_bytes((const unsigned char *)string)) == 0)
            return set_problem(text, "a name is not UTF-8");
    return expect(text, quote, "a string has no end");
}

/* Reads a decimal number below 2^63. Python 2 wrote an L after it. */
static bool read_number(struct literals *text, uint64_t *number)
{
    skip_blanks(text);
    const char *begin = text->at;
    for (*number = 0; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++)
        if (!gsi_mul_u64(*number, 10, number) ||
            !gsi_add_u64(*number, (uint64_t)(*text->at - '0'), number) || *number > INT64_MAX)
            return set_problem(text, "a number is too large");
    if (text->at == begin)
        return set_problem(text, "a number is missing");
    if (text->at < text->end && *text->at == 'L')
        text->at++;
    return true;
}

/* Reads a name such as False, if it is `word`. */
static bool accept_word(struct literals *text, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return false;
    text->at += length;
    return true;
}

/* ---- types ---- */

/* Reads a unit such as [25s] at the end of a type code. */
static bool read_unit(const char *at, char *unit)
{
    size_t length = strlen(at);
    if (length < 3 || length - 2 >= GSI_SCHEMA_UNIT_BYTES || at[0] != '[' || at[length - 1] != ']')
        return false;
    memcpy(unit, at + 1, length - 2);
    unit[length - 2] = '\0';
    return true;
}

/* Parses a type code, such as '<f8', '|S10' or '<M8[ns]', into kind, bytes and unit. Codes without
 * < or > have the machine's byte order. */
static bool read_code(struct literals *text, const char *code, struct gsi_schema_field *field)
{
    static const char known[] = "<>|=";
    const char *kind = code + strspn(code, known);
    struct literals digits = {.at = kind + 1, .end = code + strlen(code)};
    uint64_t bytes;
    if (*kind == '\0' || kind - code > 1)
        return set_problem(text, "a type is not one of NumPy's");
    field->kind = *kind;
    field->is_big_endian = code[0] == '>';
    if (field->kind == 'O')
        return set_problem(text, "it holds Python objects, which only Python can read");
    if (strchr("uifbcSUVmM", field->kind) == NULL || !read_number(&digits, &bytes))
        return set_problem(text, "a type is not one of NumPy's");
    bool is_time = field->kind == 'm' || field->kind == 'M';
    if (digits.at != digits.end && !(is_time && read_unit(digits.at, field->unit)))
        return set_problem(text, "a type is not one of NumPy's");
    if (field->kind == 'U' && !gsi_mul_u64(bytes, 4, &bytes))
        return set_problem(text, "an element is too long");
    if (bytes > ELEMENT_BYTES_MAX)
        return set_problem(text, "an element is too long");
    field->bytes = (uint32_t)bytes;
    return true;
}

/* Appends a field to the structure. */
static bool add_field(struct literals *text, struct gsi_schema *npy,
                      const struct gsi_schema_field *field)
{
    uint64_t bytes;
    if (npy->field_count == GSI_NPY_FIELDS_MAX)
        return set_problem(text, "it has too many fields");
    if (!gsi_mul_u64(field->bytes, field->count, &bytes) ||
        bytes > ELEMENT_BYTES_MAX - npy->element_bytes)
        return set_problem(text, "an element is too long");
    npy->fields[npy->field_count] = *field;
    npy->fields[npy->field_count++].off = npy->element_bytes;
    npy->element_bytes += (uint32_t)bytes;
    return true;
}

/* Reads the shape of a field, 3 or (2, 3). Sets *count to its number of elements. */
static bool read_count(struct literals *text, uint32_t *count)
{
    uint64_t product = 1, extent;
    bool is_tuple = accept_char(text, '(');
    while (!is_tuple || !accept_char(text, ')')) {
        if (!read_number(text, &extent))
            return false;
        if (!gsi_mul_u64(product, extent, &product) || product > ELEMENT_BYTES_MAX)
            return set_problem(text, "an element is too long");
        if (is_tuple && accept_char(text, ','))
            continue;
        if (is_tuple && !expect(text, ')', "a shape has no end"))
            return false;
        break;
    }
    *count = (uint32_t)product;
    return true;
}

#define NAMES_MAX (2 * (GSI_NPY_FIELDS_MAX + DEPTH_MAX))

/* Names and titles of fields, as in the text. Names from `first` on belong to the structure that is
 * being read; earlier ones belong to the structures around it. */
struct names {
    uint32_t first, count;
    struct {
        const char *at;
        size_t bytes;
    } list[NAMES_MAX];
};

static bool read_fields(struct literals *text, struct gsi_schema *npy, struct names *names,
                        const char *prefix, uint32_t depth);

/* Reads a name or a title, which must differ from those of all other fields of the structure.
 * Padding has no name. */
static bool read_own_name(struct literals *text, struct names *names, char *own)
{
    skip_blanks(text);
    const char *begin = text->at + 1;
    if (!read_string(text, own, GSI_SCHEMA_NAME_BYTES))
        return false;
    size_t bytes = (size_t)(text->at - 1 - begin);
    if (bytes == 0)
        return true;
    for (uint32_t i = names->first; i < names->count; i++)
        if (names->list[i].bytes == bytes && memcmp(names->list[i].at, begin, bytes) == 0)
            return set_problem(text, "two of its fields have the same name");
    if (names->count == NAMES_MAX)
        return set_problem(text, "it has too many fields");
    names->list[names->count].at = begin;
    names->list[names->count++].bytes = bytes;
    return true;
}

/* Reads a field's name: 'name', or ('title', 'name'). */
static bool read_name(struct literals *text, struct names *names, const char *prefix, char *name)
{
    char own[GSI_SCHEMA_NAME_BYTES];
    bool has_title = accept_char(text, '(');
    if (!read_own_name(text, names, own))
        return false;
    if (has_title &&
        (!expect(text, ',', "a field has a title but no name") ||
         !read_own_name(text, names, own) || !expect(text, ')', "a field's name has no end")))
        return false;
    size_t length = own[0] != '\0' ? strlen(prefix) : 0;
    if (length + 1 + strlen(own) + 1 > GSI_SCHEMA_NAME_BYTES)
        return set_problem(text, "a name is too long");
    memcpy(name, prefix, length + 1);
    if (length > 0)
        name[length++] = '.';
    memcpy(name + length, own, strlen(own) + 1);
    return true;
}

/* Reads the fields of a nested structure. In an array of structures these fields have no names,
 * because names would be ambiguous; the array is one field of bytes. */
static bool read_inner(struct literals *text, struct gsi_schema *npy,
                       struct gsi_schema_field *field, struct names *names, uint32_t depth)
{
    uint32_t first = npy->field_count, off = npy->element_bytes;
    uint32_t outer_first = names->first, outer_count = names->count;
    names->first = names->count;
    if (!read_fields(text, npy, names, field->name, depth + 1))
        return false;
    names->first = outer_first;
    names->count = outer_count;
    if (!accept_char(text, ','))
        return true;
    field->kind = 'V';
    field->is_inner = true;
    field->bytes = npy->element_bytes - off;
    npy->field_count = first;
    npy->element_bytes = off;
    return read_count(text, &field->count) && add_field(text, npy, field);
}

/* Reads ('name', type) or ('name', type, shape). */
static bool read_field(struct literals *text, struct gsi_schema *npy, struct names *names,
                       const char *prefix, uint32_t depth)
{
    struct gsi_schema_field field = {.count = 1};
    char code[32];
    if (!expect(text, '(', "a field has no beginning") ||
        !read_name(text, names, prefix, field.name) || !expect(text, ',', "a field has no type"))
        return false;
    if (accept_char(text, '[')) {
        if (field.name[0] == '\0')
            return set_problem(text, "a structure in it has no name");
        if (!read_inner(text, npy, &field, names, depth))
            return false;
    } else if (!read_string(text, code, sizeof code) || !read_code(text, code, &field) ||
               (accept_char(text, ',') && !read_count(text, &field.count)) ||
               !add_field(text, npy, &field)) {
        return false;
    }
    if (field.name[0] == '\0' && field.kind != 'V')
        return set_problem(text, "a field has no name");
    return expect(text, ')', "a field has no end");
}

static bool read_fields(struct literals *text, struct gsi_schema *npy, struct names *names,
                        const char *prefix, uint32_t depth)
{
    if (depth == DEPTH_MAX)
        return set_problem(text, "its structures are nested too deeply");
    do {
        if (accept_char(text, ']'))
            return true;
        if (!read_field(text, npy, names, prefix, depth))
            return false;
    } while (accept_char(text, ','));
    return expect(text, ']', "the list of fields has no end");
}

/* Reads a type, simple or structured, into npy->fields and npy->element_bytes. */
static bool read_descr(struct literals *text, struct gsi_schema *npy)
{
    struct gsi_schema_field field = {.count = 1};
    struct names names;
    char code[32];
    names.first = names.count = 0;
    npy->field_count = 0;
    npy->element_bytes = 0;
    npy->is_structured = accept_char(text, '[');
    if (npy->is_structured)
        return read_fields(text, npy, &names, "", 0);
    return read_string(text, code, sizeof code) && read_code(text, code, &field) &&
           add_field(text, npy, &field);
}

/* ---- the header ---- */

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6u
#define ALIGNMENT   64u

/* NumPy pads headers for a count of this many digits, so that programs can append to arrays. */
#define COUNT_DIGITS 21

bool gsi_npy_begins(const uint8_t *data, size_t bytes)
{
    return bytes >= MAGIC_BYTES && memcmp(data, MAGIC, MAGIC_BYTES) == 0;
}

/* Returns the offset of the text. Version 1 has a length of 2 bytes, later versions of 4. */
static uint32_t text_off(uint8_t version)
{
    return MAGIC_BYTES + 2 + (version == 1 ? 2 : 4);
}

uint64_t gsi_npy_wanted(const uint8_t *data, size_t bytes)
{
    if (bytes < GSI_NPY_HEAD_BYTES)
        return GSI_NPY_HEAD_BYTES;
    uint8_t version = data[MAGIC_BYTES];
    uint64_t length = 0;
    for (uint32_t i = text_off(version); i-- > MAGIC_BYTES + 2;)
        length = length << 8 | data[i];
    return text_off(version) + length;
}

/* The shape of the array. */
struct shape {
    uint32_t dimensions;
    uint64_t columns; /* if there are two dimensions */
    bool is_fortran;
};

/* Reads a shape: (N,) has one dimension, (N, M) has two. */
static bool read_shape(struct literals *text, struct gsi_schema *npy, struct shape *shape)
{
    uint64_t extent;
    shape->dimensions = 0;
    if (!expect(text, '(', "its shape is not a tuple"))
        return false;
    while (!accept_char(text, ')')) {
        if (!read_number(text, &extent))
            return false;
        if (shape->dimensions++ == 0)
            npy->count = extent;
        shape->columns = extent;
        bool has_comma = accept_char(text, ',');
        if (!has_comma && shape->dimensions == 1 && accept_char(text, ')')) {
            text->problem = "its shape is a number in parentheses, not a tuple as (3,)";
            return false;
        }
        if (!has_comma)
            return expect(text, ')', "its shape has no end");
    }
    return true;
}

enum member { MEMBER_DESCR, MEMBER_ORDER, MEMBER_SHAPE, MEMBER_COUNT };

/* Reads an entry of the dictionary. *seen has a bit for each entry that was read. */
static bool read_member(struct literals *text, struct gsi_schema *npy, uint32_t *seen,
                        struct shape *shape)
{
    static const char *const names[MEMBER_COUNT] = {"descr", "fortran_order", "shape"};
    char name[16];
    uint32_t member = 0;
    if (!read_string(text, name, sizeof name))
        return false;
    while (member < MEMBER_COUNT && strcmp(name, names[member]) != 0)
        member++;
    if (member == MEMBER_COUNT || (*seen & 1u << member) != 0) {
        text->problem = "it has an unknown entry";
        return false;
    }
    *seen |= 1u << member;
    if (!expect(text, ':', "an entry has no value"))
        return false;
    if (member == MEMBER_SHAPE)
        return read_shape(text, npy, shape);
    if (member == MEMBER_ORDER) {
        shape->is_fortran = !accept_word(text, "False");
        if (!shape->is_fortran || accept_word(text, "True"))
            return true;
        text->problem = "fortran_order is neither True nor False";
        return false;
    }
    if (is_at_end(text)) /* only blanks follow */
        return expect(text, '[', "descr has no value");
    npy->descr = text->at;
    if (!read_descr(text, npy))
        return false;
    npy->descr_bytes = (uint32_t)(text->at - npy->descr);
    return true;
}

static bool read_dictionary(struct literals *text, struct gsi_schema *npy, struct shape *shape)
{
    uint32_t seen = 0;
    if (!expect(text, '{', "its header is not a dictionary"))
        return false;
    while (!accept_char(text, '}')) {
        if (!read_member(text, npy, &seen, shape))
            return false;
        if (!accept_char(text, ',')) {
            if (!expect(text, '}', "its dictionary has no end"))
                return false;
            break;
        }
    }
    if (!is_at_end(text))
        text->problem = "there is text after its dictionary";
    else if (seen != (1u << MEMBER_COUNT) - 1)
        text->problem = "descr, fortran_order or shape is missing";
    return text->problem == NULL;
}

static enum gs_status fail_header(const char *name, const char *problem, struct gs_error *error)
{
    return gsi_fail(error, GS_E_INPUT, 0,
                    "'%s': its .npy header cannot be used: %s (--raw sorts the file as it is)",
                    name, problem);
}

/* If the array has two dimensions, makes each row an element, and each column a field. */
static enum gs_status apply_shape(const char *name, const struct shape *shape,
                                  struct gsi_schema *npy, struct gs_error *error)
{
    const struct gsi_schema_field column = npy->fields[0];
    if (shape->dimensions == 1)
        return GS_OK;
    if (shape->dimensions != 2 || npy->is_structured || column.count != 1)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "'%s': the array has %u dimensions; gsort sorts arrays of one dimension, "
                        "and the rows of a table of numbers; save array.ravel()",
                        name, shape->dimensions);
    if (shape->columns < 1 || shape->columns > GSI_NPY_FIELDS_MAX)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "'%s': its rows have %" PRIu64
                        " columns; gsort sorts rows of 1 to %u columns",
                        name, shape->columns, GSI_NPY_FIELDS_MAX);
    if (shape->is_fortran && shape->columns > 1 && npy->count > 1)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "'%s': the array is stored by columns (Fortran order); save "
                        "numpy.ascontiguousarray(array)",
                        name);
    npy->columns = npy->field_count = (uint32_t)shape->columns;
    npy->element_bytes = column.bytes * npy->columns;
    for (uint32_t i = 0; npy->columns > 1 && i < npy->columns; i++) {
        npy->fields[i] = column;
        npy->fields[i].off = i * column.bytes;
        snprintf(npy->fields[i].name, sizeof npy->fields[i].name, "%u", i);
    }
    return GS_OK;
}

enum gs_status gsi_npy_read(const uint8_t *data, size_t bytes, const char *name,
                            struct gsi_schema *npy, struct gs_error *error)
{
    struct shape shape = {0};
    memset(npy, 0, sizeof *npy);
    if (!gsi_npy_begins(data, bytes) || bytes < GSI_NPY_HEAD_BYTES)
        return fail_header(name, "it is truncated", error);
    npy->version = data[MAGIC_BYTES];
    if (npy->version < 1 || npy->version > 3 || data[MAGIC_BYTES + 1] != 0)
        return fail_header(name, "its version is not one of 1.0, 2.0 and 3.0", error);
    uint64_t wanted = gsi_npy_wanted(data, bytes);
    if (wanted > GSI_NPY_HEADER_MAX)
        return fail_header(name, "it is too long", error);
    if (wanted > bytes)
        return fail_header(name, "it is truncated", error);
    npy->header_bytes = (uint32_t)wanted;
    /* Version 3 exists for names with letters that Latin-1 does not have. (NumPy, lib/format.py) */
    struct literals text = {.is_latin1 = npy->version < 3,
                            .at = (const char *)data + text_off(npy->version),
                            .end = (const char *)data + wanted};
    if (!read_dictionary(&text, npy, &shape))
        return fail_header(name, text.problem, error);
    GSI_TRY(apply_shape(name, &shape, npy, error));
    if (npy->element_bytes == 0)
        return fail_header(name, "its elements have 0 bytes", error);
    return GS_OK;
}

size_t gsi_npy_write(const char *descr, size_t descr_bytes, uint64_t count, uint32_t columns,
                     uint8_t version, uint8_t *header, size_t most)
{
    char digits[COUNT_DIGITS + 1], suffix[32] = ",), }";
    int digit_count = snprintf(digits, sizeof digits, "%" PRIu64, count);
    static const char prefix[] = "{'descr': ", middle[] = ", 'fortran_order': False, 'shape': (";
    if (columns > 0)
        snprintf(suffix, sizeof suffix, ", %u), }", columns);
    size_t text =
        sizeof prefix - 1 + descr_bytes + sizeof middle - 1 + (size_t)digit_count + strlen(suffix);
    size_t padded = text + (size_t)(COUNT_DIGITS - digit_count) + 1;
    uint32_t off = text_off(version);
    size_t whole = (off + padded) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
    if (version == 1 && whole - off > UINT16_MAX)
        return gsi_npy_write(descr, descr_bytes, count, columns, 2, header, most);
    if (whole > most)
        return 0;
    memset(header, ' ', whole);
    memcpy(header, MAGIC, MAGIC_BYTES);
    header[MAGIC_BYTES] = version;
    header[MAGIC_BYTES + 1] = 0;
    for (uint32_t i = MAGIC_BYTES + 2; i < off; i++)
        header[i] = (uint8_t)((whole - off) >> 8 * (i - MAGIC_BYTES - 2));
    snprintf((char *)header + off, whole - off, "%s%.*s%s%s%s", prefix, (int)descr_bytes, descr,
             middle, digits, suffix);
    header[off + text] = ' ';
    header[whole - 1] = '\n';
    return whole;
}
