/* npy_read.c: reads the frame around a header's text, and the dictionary in the text. */
#include "input/npy/npy.h"

#include "input/npy/npy_text.h"

#include <inttypes.h>
#include <string.h>

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6u
#define ALIGNMENT   64u

/* NumPy leaves room for the count to grow to as many digits, so that arrays can be appended to. */
#define COUNT_DIGITS 21

bool gsi_npy_begins(const uint8_t *data, size_t bytes)
{
    return bytes >= MAGIC_BYTES && memcmp(data, MAGIC, MAGIC_BYTES) == 0;
}

/* Where the text begins: version 1 has a length of 2 bytes, later ones of 4. */
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

/* What the dictionary says of the shape. */
struct shape {
    uint32_t dimensions;
    uint64_t columns; /* of two */
    bool is_fortran;
};

/* (N,): one dimension; (N, M): two. */
static bool read_shape(struct gsi_npy_text *text, struct gsi_schema *npy, struct shape *shape)
{
    uint64_t extent;
    shape->dimensions = 0;
    if (!gsi_npy_expect(text, '(', "its shape is not a tuple"))
        return false;
    while (!gsi_npy_take(text, ')')) {
        if (!gsi_npy_number(text, &extent))
            return false;
        if (shape->dimensions++ == 0)
            npy->count = extent;
        shape->columns = extent;
        bool has_comma = gsi_npy_take(text, ',');
        if (!has_comma && shape->dimensions == 1 && gsi_npy_take(text, ')')) {
            text->problem = "its shape is a number in parentheses, not a tuple as (3,)";
            return false;
        }
        if (!has_comma)
            return gsi_npy_expect(text, ')', "its shape has no end");
    }
    return true;
}

enum member { MEMBER_DESCR, MEMBER_ORDER, MEMBER_SHAPE, MEMBER_COUNT };

/* One member of the dictionary; *seen has a bit for each. */
static bool read_member(struct gsi_npy_text *text, struct gsi_schema *npy, uint32_t *seen,
                        struct shape *shape)
{
    static const char *const names[MEMBER_COUNT] = {"descr", "fortran_order", "shape"};
    char name[16];
    uint32_t member = 0;
    if (!gsi_npy_string(text, name, sizeof name))
        return false;
    while (member < MEMBER_COUNT && strcmp(name, names[member]) != 0)
        member++;
    if (member == MEMBER_COUNT || (*seen & 1u << member) != 0) {
        text->problem = "it has an unknown entry";
        return false;
    }
    *seen |= 1u << member;
    if (!gsi_npy_expect(text, ':', "an entry has no value"))
        return false;
    if (member == MEMBER_SHAPE)
        return read_shape(text, npy, shape);
    if (member == MEMBER_ORDER) {
        shape->is_fortran = !gsi_npy_word(text, "False");
        if (!shape->is_fortran || gsi_npy_word(text, "True"))
            return true;
        text->problem = "fortran_order is neither True nor False";
        return false;
    }
    if (gsi_npy_is_end(text)) /* blanks are no part of it */
        return gsi_npy_expect(text, '[', "descr has no value");
    npy->descr = text->at;
    if (!gsi_npy_descr(text, npy))
        return false;
    npy->descr_bytes = (uint32_t)(text->at - npy->descr);
    return true;
}

static bool read_dictionary(struct gsi_npy_text *text, struct gsi_schema *npy, struct shape *shape)
{
    uint32_t seen = 0;
    if (!gsi_npy_expect(text, '{', "its header is not a dictionary"))
        return false;
    while (!gsi_npy_take(text, '}')) {
        if (!read_member(text, npy, &seen, shape))
            return false;
        if (!gsi_npy_take(text, ',')) {
            if (!gsi_npy_expect(text, '}', "its dictionary has no end"))
                return false;
            break;
        }
    }
    if (!gsi_npy_is_end(text))
        text->problem = "there is text after its dictionary";
    else if (seen != (1u << MEMBER_COUNT) - 1)
        text->problem = "descr, fortran_order or shape is missing";
    return text->problem == NULL;
}

static enum gs_status refuse(const char *name, const char *problem, struct gs_error *error)
{
    return gsi_fail(error, GS_E_INPUT, 0,
                    "'%s': its .npy header cannot be used: %s (--raw sorts the file as it is)",
                    name, problem);
}

/* The rows of a table of numbers are elements, their columns fields; one dimension has only one
 * order. */
static enum gs_status take_shape(const char *name, const struct shape *shape,
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
        return refuse(name, "it is truncated", error);
    npy->version = data[MAGIC_BYTES];
    if (npy->version < 1 || npy->version > 3 || data[MAGIC_BYTES + 1] != 0)
        return refuse(name, "its version is not one of 1.0, 2.0 and 3.0", error);
    uint64_t wanted = gsi_npy_wanted(data, bytes);
    if (wanted > GSI_NPY_HEADER_MAX)
        return refuse(name, "it is too long", error);
    if (wanted > bytes)
        return refuse(name, "it is truncated", error);
    npy->header_bytes = (uint32_t)wanted;
    /* Version 3 is there for names that Latin-1 has no letters for. (NumPy, lib/format.py) */
    struct gsi_npy_text text = {.is_latin1 = npy->version < 3,
                                .at = (const char *)data + text_off(npy->version),
                                .end = (const char *)data + wanted};
    if (!read_dictionary(&text, npy, &shape))
        return refuse(name, text.problem, error);
    GSI_TRY(take_shape(name, &shape, npy, error));
    if (npy->element_bytes == 0)
        return refuse(name, "its elements have 0 bytes", error);
    return GS_OK;
}

size_t gsi_npy_write(const char *descr, size_t descr_bytes, uint64_t count, uint32_t columns,
                     uint8_t version, uint8_t *header, size_t most)
{
    char digits[COUNT_DIGITS + 1], behind[32] = ",), }";
    int digit_count = snprintf(digits, sizeof digits, "%" PRIu64, count);
    static const char before[] = "{'descr': ", between[] = ", 'fortran_order': False, 'shape': (";
    if (columns > 0)
        snprintf(behind, sizeof behind, ", %u), }", columns);
    size_t text =
        sizeof before - 1 + descr_bytes + sizeof between - 1 + (size_t)digit_count + strlen(behind);
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
    snprintf((char *)header + off, whole - off, "%s%.*s%s%s%s", before, (int)descr_bytes, descr,
             between, digits, behind);
    header[off + text] = ' ';
    header[whole - 1] = '\n';
    return whole;
}
