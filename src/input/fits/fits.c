/* fits.c: finds the first binary table of a FITS file, reads its columns, and changes its header to
 * another number of rows. A FITS file is a list of HDUs: headers with data. */
#include "input/fits/fits.h"

#include "base/checked.h"
#include "base/text.h"
#include "input/format/format.h"

#include <string.h>
#include <xxhash.h>

#define COLUMNS_MAX 999u

/* Lengths in a card: keyword, "= ", value, " / comment". */
#define KEYWORD 8u
#define VALUE   10u

/* ---- cards ---- */

bool gsi_fits_has_keyword(const uint8_t *card, const char *keyword)
{
    size_t length = strlen(keyword);
    for (size_t i = length; i < KEYWORD; i++)
        if (card[i] != ' ')
            return false;
    return memcmp(card, keyword, length) == 0;
}

uint32_t gsi_fits_index(const uint8_t *card, const char *stem)
{
    size_t at = strlen(stem);
    uint32_t value = 0;
    if (memcmp(card, stem, at) != 0 || card[at] == '0')
        return 0;
    for (; at < KEYWORD && card[at] != ' '; at++) {
        if (card[at] < '0' || card[at] > '9')
            return 0;
        value = value * 10 + (card[at] - '0');
    }
    return value <= 999 ? value : 0;
}

/* Returns the offset of a card's value; 0: it has none. */
static uint32_t value_at(const uint8_t *card)
{
    uint32_t at = VALUE;
    if (card[KEYWORD] != '=' || card[KEYWORD + 1] != ' ')
        return 0;
    while (at < GSI_FITS_CARD && card[at] == ' ')
        at++;
    return at < GSI_FITS_CARD ? at : 0;
}

bool gsi_fits_number(const uint8_t *card, uint64_t *value)
{
    uint32_t at = value_at(card), begin;
    *value = 0;
    if (at > 0 && card[at] == '+')
        at++;
    for (begin = at; at > 0 && at < GSI_FITS_CARD && card[at] >= '0' && card[at] <= '9'; at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, card[at] - '0', value))
            return false;
    return at > begin && (at == GSI_FITS_CARD || card[at] == ' ' || card[at] == '/');
}

bool gsi_fits_string(const uint8_t *card, char text[GSI_FITS_NAME_BYTES])
{
    uint32_t at = value_at(card), length = 0;
    if (at == 0 || card[at] != '\'')
        return false;
    for (at++; at < GSI_FITS_CARD; at++) {
        if (card[at] == '\'' && (at + 1 == GSI_FITS_CARD || card[at + 1] != '\''))
            break;
        at += card[at] == '\'';
        text[length++] = (char)card[at];
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
    return at < GSI_FITS_CARD;
}

double gsi_fits_real(const uint8_t *card)
{
    char text[GSI_FITS_CARD + 1];
    uint32_t at = value_at(card), length = 0;
    for (; at > 0 && at < GSI_FITS_CARD && card[at] != ' ' && card[at] != '/'; at++)
        text[length++] = card[at] == 'D' ? 'E' : (char)card[at];
    text[length] = '\0';
    double value = 0;
    char *end;
    return gsi_parse_double(text, &end, &value) ? value : 0;
}

bool gsi_fits_is_true(const uint8_t *card)
{
    uint32_t at = value_at(card);
    return at > 0 && card[at] == 'T';
}

/* ---- one header ---- */

/* Sets *end to the end of the header's last block. Returns false if `bytes` do not contain the
 * whole header. */
static bool find_end(const uint8_t *data, uint64_t bytes, uint64_t begin, uint64_t *end)
{
    for (uint64_t at = begin; at + GSI_FITS_CARD <= bytes; at += GSI_FITS_CARD)
        if (gsi_fits_has_keyword(data + at, "END")) {
            *end = begin + gsi_round_up_u64(at + GSI_FITS_CARD - begin, GSI_FITS_BLOCK);
            return *end <= bytes;
        }
    return false;
}

/* Returns the card of this keyword; NULL: there is none. */
static const uint8_t *find_card(const uint8_t *data, uint64_t begin, uint64_t end,
                                const char *keyword)
{
    for (; begin < end && !gsi_fits_has_keyword(data + begin, "END"); begin += GSI_FITS_CARD)
        if (gsi_fits_has_keyword(data + begin, keyword))
            return data + begin;
    return NULL;
}

static uint64_t find_number(const uint8_t *data, uint64_t begin, uint64_t end, const char *keyword,
                            uint64_t missing)
{
    uint64_t value;
    const uint8_t *card = find_card(data, begin, end, keyword);
    return card != NULL && gsi_fits_number(card, &value) ? value : missing;
}

static bool is_table(const uint8_t *data, uint64_t begin)
{
    char text[GSI_FITS_NAME_BYTES];
    return gsi_fits_has_keyword(data + begin, "XTENSION") && gsi_fits_string(data + begin, text) &&
           strcmp(text, "BINTABLE") == 0;
}

/* Returns how many bytes of data follow a header; UINT64_MAX: too many. */
static uint64_t data_bytes(const uint8_t *data, uint64_t begin, uint64_t end)
{
    const uint8_t *bits = find_card(data, begin, end, "BITPIX");
    const uint8_t *groups = find_card(data, begin, end, "GROUPS");
    uint64_t axes = find_number(data, begin, end, "NAXIS", 0), all = axes > 0;
    bool has_groups = groups != NULL && gsi_fits_is_true(groups);
    double width = bits != NULL ? gsi_fits_real(bits) : 8;
    for (uint64_t i = 1; i <= gsi_min_u64(axes, COLUMNS_MAX); i++) {
        char keyword[16];
        snprintf(keyword, sizeof keyword, "NAXIS%u", (unsigned)i);
        uint64_t extent = find_number(data, begin, end, keyword, 0);
        if (i > 1 || extent > 0 || !has_groups) /* the first axis of random groups is 0 */
            all = gsi_mul_max_u64(all, extent);
    }
    all = gsi_add_max_u64(all, find_number(data, begin, end, "PCOUNT", 0));
    all = gsi_mul_max_u64(all, find_number(data, begin, end, "GCOUNT", 1));
    width = width < 0 ? -width : width;
    return gsi_mul_max_u64(all, width <= 64 ? (uint64_t)width / 8 : UINT64_MAX);
}

enum table_search { TABLE_FOUND, TABLE_NEEDS_MORE, TABLE_NONE };

/* Searches for the header of the first binary table. `data` is the beginning of the file.
 * TABLE_NEEDS_MORE: more than *begin bytes are needed. */
static enum table_search find_table(const uint8_t *data, uint64_t bytes, uint64_t *begin,
                                    uint64_t *end)
{
    *begin = 0;
    while (*begin < GSI_SCHEMA_HEADER_MAX) {
        if (*begin + GSI_FITS_CARD > bytes)
            return TABLE_NEEDS_MORE;
        if (*begin > 0 && !gsi_fits_has_keyword(data + *begin, "XTENSION"))
            return TABLE_NONE; /* the next bytes are no HDU */
        if (!find_end(data, bytes, *begin, end))
            return TABLE_NEEDS_MORE;
        if (is_table(data, *begin))
            return TABLE_FOUND;
        uint64_t more = data_bytes(data, *begin, *end);
        if (more > GSI_SCHEMA_HEADER_MAX)
            return TABLE_NONE;
        *begin = *end + gsi_round_up_u64(more, GSI_FITS_BLOCK);
    }
    return TABLE_NONE;
}

uint64_t gsi_fits_wanted(const uint8_t *data, size_t bytes)
{
    uint64_t begin, end;
    if (bytes >= GSI_SCHEMA_HEADER_MAX || find_table(data, bytes, &begin, &end) != TABLE_NEEDS_MORE)
        return bytes;
    /* Read at least twice as many bytes, so that long headers are not searched too often. */
    return gsi_max_u64(2 * (uint64_t)bytes,
                       gsi_round_up_u64(gsi_max_u64(begin, bytes) + 1, GSI_FITS_BLOCK));
}

/* ---- columns ---- */

struct form {
    char code, kind; /* as in gsi_schema_field */
    uint8_t bytes;
};

static const struct form forms[] = {{'L', 'V', 1}, {'X', 'V', 1}, {'B', 'u', 1},  {'I', 'i', 2},
                                    {'J', 'i', 4}, {'K', 'i', 8}, {'A', 'S', 1},  {'E', 'f', 4},
                                    {'D', 'f', 8}, {'C', 'c', 8}, {'M', 'c', 16}, {'P', '?', 8},
                                    {'Q', '?', 16}};

/* Parses a TFORM value rT: r elements of type T. */
static bool read_form(const char *text, struct gsi_schema_field *field)
{
    uint64_t count = 0;
    const struct form *form = NULL;
    const char *at = text;
    while (*at == ' ')
        at++;
    const char *digits = at;
    for (; *at >= '0' && *at <= '9'; at++)
        count = gsi_min_u64(count * 10 + (uint64_t)(*at - '0'), UINT32_MAX);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (*at != '\0' && forms[i].code == *at)
            form = &forms[i];
    if (at == digits)
        count = 1;
    if (form == NULL || count > UINT16_MAX * (uint64_t)8)
        return false;
    field->kind = form->kind;
    field->bytes = form->bytes;
    field->count = (uint32_t)count;
    if (form->code == 'X')
        field->count = (field->count + 7) / 8;
    if (form->code == 'A' || form->code == 'X') { /* text, or bits in bytes: one element */
        field->bytes *= field->count;
        field->count = 1;
    }
    field->is_big_endian = field->bytes > 1;
    return true;
}

/* Reads a card that describes a column. Returns an error text, or NULL. */
static const char *read_card(const uint8_t *card, struct gsi_schema *schema, bool *has_form)
{
    static const char *const meanings[] = {"TUNIT", "TSCAL", "TZERO", "TNULL", "TDIM"};
    char text[GSI_FITS_NAME_BYTES];
    uint32_t i;
    if ((i = gsi_fits_index(card, "TFORM")) > 0 && i <= schema->field_count) {
        if (!gsi_fits_string(card, text) || !read_form(text, &schema->fields[i - 1]))
            return "a TFORM value is not valid in a binary table";
        has_form[i - 1] = true;
    }
    if ((i = gsi_fits_index(card, "TTYPE")) > 0 && i <= schema->field_count &&
        gsi_fits_string(card, text) && text[0] != '\0' && strlen(text) < GSI_SCHEMA_NAME_BYTES)
        strcpy(schema->fields[i - 1].name, text);
    for (size_t k = 0; k < sizeof meanings / sizeof meanings[0]; k++) {
        if ((i = gsi_fits_index(card, meanings[k])) == 0 || i > schema->field_count)
            continue;
        /* The hash includes the comment after the value. One program usually writes the same
         * comments. */
        schema->fields[i - 1].more += XXH3_64bits(card, GSI_FITS_CARD);
        if (k == 1 || k == 2)
            schema->fields[i - 1].is_scaled |= gsi_fits_real(card) != (k == 1 ? 1 : 0);
    }
    return NULL;
}

/* Marks columns that cannot be keys: their values decrease as the stored numbers increase. */
static void mark_falling(const uint8_t *card, struct gsi_schema *schema)
{
    uint32_t i = gsi_fits_index(card, "TSCAL");
    if (i > 0 && i <= schema->field_count && !(gsi_fits_real(card) > 0))
        schema->fields[i - 1].kind = '?';
}

/* Computes the offsets of all columns. Returns an error text, or NULL. */
static const char *set_offsets(struct gsi_schema *schema, const bool *has_form)
{
    uint64_t off = 0;
    for (uint32_t i = 0; i < schema->field_count; i++) {
        struct gsi_schema_field *field = &schema->fields[i];
        if (!has_form[i])
            return "a column has no TFORM";
        if (field->name[0] == '\0')
            snprintf(field->name, sizeof field->name, "col%u", i + 1);
        field->off = (uint32_t)off;
        off += (uint64_t)field->bytes * field->count;
        if (off > schema->element_bytes)
            break;
    }
    return off == schema->element_bytes
               ? NULL
               : "the widths of its columns do not add up to the row length (NAXIS1)";
}

static const char *read_columns(const uint8_t *data, uint64_t begin, uint64_t end,
                                struct gsi_schema *schema)
{
    bool has_form[COLUMNS_MAX] = {false};
    const char *problem = NULL;
    for (uint64_t at = begin; at < end && problem == NULL; at += GSI_FITS_CARD)
        problem = read_card(data + at, schema, has_form);
    for (uint64_t at = begin; at < end && problem == NULL; at += GSI_FITS_CARD)
        mark_falling(data + at, schema);
    return problem != NULL ? problem : set_offsets(schema, has_form);
}

/* Returns whether the value of a card is in the standard's columns, so that another value fits. */
static bool has_fixed_position(const uint8_t *card)
{
    return card != NULL && card[29] >= '0' && card[29] <= '9' &&
           (card[30] == ' ' || card[30] == '/');
}

static const char *read_table(const uint8_t *data, uint64_t begin, uint64_t end,
                              struct gsi_schema *schema)
{
    const uint8_t *compressed = find_card(data, begin, end, "ZTABLE"), *rows;
    const uint8_t *image = find_card(data, begin, end, "ZIMAGE");
    uint64_t row = find_number(data, begin, end, "NAXIS1", UINT64_MAX);
    uint64_t columns = find_number(data, begin, end, "TFIELDS", UINT64_MAX);
    if ((compressed != NULL && gsi_fits_is_true(compressed)) ||
        (image != NULL && gsi_fits_is_true(image)))
        return "its first table is compressed (ZTABLE, ZIMAGE); decompress it first: funpack FILE";
    if (find_number(data, begin, end, "BITPIX", 0) != 8 ||
        find_number(data, begin, end, "NAXIS", 0) != 2 ||
        find_number(data, begin, end, "GCOUNT", 1) != 1)
        return "BITPIX, NAXIS or GCOUNT does not have the value of a binary table";
    rows = find_card(data, begin, end, "NAXIS2");
    if (!has_fixed_position(rows) || !gsi_fits_number(rows, &schema->count) ||
        schema->count > INT64_MAX)
        return "NAXIS2 is missing, or not in columns 11 to 30";
    if (columns > COLUMNS_MAX)
        return "TFIELDS is missing or more than 999";
    if (row == 0 || row > UINT32_MAX)
        return "the row length (NAXIS1) is 0, missing, or more than 4294967295";
    schema->header_bytes = (uint32_t)end;
    schema->element_bytes = (uint32_t)row;
    schema->field_count = (uint32_t)columns;
    schema->heap_bytes = find_number(data, begin, end, "PCOUNT", 0);
    schema->pad_to = GSI_FITS_BLOCK;
    return read_columns(data, begin, end, schema);
}

enum gs_status gsi_fits_read(const uint8_t *data, size_t bytes, const char *name,
                             struct gsi_schema *schema, struct gs_error *error)
{
    uint64_t begin, end;
    memset(schema, 0, sizeof *schema);
    schema->is_structured = schema->ignores_case = true;
    enum table_search found = find_table(data, bytes, &begin, &end);
    const char *problem = found == TABLE_NEEDS_MORE
                              ? bytes >= GSI_SCHEMA_HEADER_MAX
                                    ? "it is longer than 16 MiB"
                                    : "it has no binary table, or ends before its end"
                          : found == TABLE_NONE ? "it has no binary table in its first 16 MiB"
                                                : read_table(data, begin, end, schema);
    if (problem == NULL)
        return GS_OK;
    return gsi_fail(error, GS_E_INPUT, 0,
                    "'%s': its FITS header cannot be used: %s (--raw sorts the file as it is)",
                    name, problem);
}

/* ---- another header ---- */

void gsi_fits_patch(uint8_t *header, uint64_t header_bytes, uint64_t count)
{
    uint64_t begin, end;
    char digits[32];
    if (find_table(header, header_bytes, &begin, &end) != TABLE_FOUND)
        return;
    for (uint64_t at = begin; at < end && !gsi_fits_has_keyword(header + at, "END");
         at += GSI_FITS_CARD) {
        uint8_t *card = header + at;
        if (gsi_fits_has_keyword(card, "CHECKSUM") || gsi_fits_has_keyword(card, "DATASUM"))
            memset(card, ' ', GSI_FITS_CARD);
        if (!gsi_fits_has_keyword(card, "NAXIS2"))
            continue;
        snprintf(digits, sizeof digits, "%20llu", (unsigned long long)count);
        memcpy(card + 10, digits, 20);
    }
}

/* ---- as a format ---- */

static enum gs_status make_header(struct gsi_inputs *inputs, uint64_t count)
{
    GSI_TRY(gsi_format_copy_header(inputs));
    gsi_fits_patch(inputs->header.data, inputs->header.bytes, count);
    return GS_OK;
}

static const char *const endings[] = {"fits", "fit", "fts", "FITS", "FIT", NULL};

const struct gsi_format gsi_fits_format = {.name = "a FITS file",
                                           .source = "FITS header",
                                           .endings = endings,
                                           .magic = "SIMPLE  =",
                                           .magic_bytes = 9,
                                           .wanted = gsi_fits_wanted,
                                           .read = gsi_fits_read,
                                           .make_header = make_header};
