/* number_type.c: makes tables of the types and of their names from number_rows.h, looks types up,
 * and converts floats to 16 bits. */
#include "element/number_type.h"

#include "element/number_rows.h"
#include "element/width.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- types of elements ---- */

#define ELEMENT(name, bytes, kind, part) {name, GSI_WIDTH(bytes), GSI_KEY_##kind},

const struct gsi_key_type gsi_key_types[] = {
    GSI_NUMBER_ROWS(ELEMENT, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW)};
const size_t gsi_key_type_count = sizeof gsi_key_types / sizeof gsi_key_types[0];

#undef ELEMENT

const struct gsi_key_type *gsi_key_type_find(const char *name)
{
    for (size_t i = 0; i < gsi_key_type_count; i++)
        if (strcmp(name, gsi_key_types[i].name) == 0)
            return &gsi_key_types[i];
    return NULL;
}

#define ZST_SUFFIX ".zst"

bool gsi_name_is_zst(const char *path)
{
    size_t length = strlen(path), suffix = sizeof ZST_SUFFIX - 1;
    return length > suffix && strcmp(path + length - suffix, ZST_SUFFIX) == 0;
}

/* Returns whether a name of `length` bytes ends in `separator` and `word`. */
static bool ends_in(const char *name, size_t length, char separator, const char *word)
{
    size_t word_length = strlen(word);
    return length > word_length && name[length - word_length - 1] == separator &&
           memcmp(name + length - word_length, word, word_length) == 0;
}

const char *gsi_name_base(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    *length = strlen(name) - (gsi_name_is_zst(name) ? sizeof ZST_SUFFIX - 1 : 0);
    return name;
}

bool gsi_name_ends(const char *path, const char *word)
{
    size_t length;
    const char *name = gsi_name_base(path, &length);
    return ends_in(name, length, '.', word);
}

/* ---- types of numbers ---- */

#define NUMBER(name, bytes, part, counted_as) \
    {name, bytes, GSI_PART_##part, counted_as, GSI_UNIT_NONE},
#define ELEMENT(name, bytes, kind, part) NUMBER(name, bytes, part, name)
#define BYTE(name, part, counted_as)     NUMBER(name, 1, part, counted_as)
#define WORD(unit)                       "time64[" #unit "]"
#define TIME(unit)                       {WORD(unit), 8, GSI_PART_TIME, "i64", GSI_UNIT_##unit},
#define NAME(name, ...)                  " " name

static const struct gsi_number_type numbers[] = {
    GSI_NUMBER_ROWS(ELEMENT, NUMBER, BYTE, TIME, GSI_NO_ROW, GSI_NO_ROW)};

const char *const gsi_number_names =
    &GSI_NUMBER_ROWS(NAME, NAME, NAME, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW)[1];

#undef NUMBER
#undef ELEMENT
#undef BYTE
#undef WORD
#undef TIME
#undef NAME

const struct gsi_number_type *gsi_number_type_find(const char *name, size_t length,
                                                   bool *is_big_endian)
{
    *is_big_endian = length > 2 && memcmp(name + length - 2, "be", 2) == 0;
    length -= *is_big_endian ? 2 : 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strlen(numbers[i].name) == length && memcmp(name, numbers[i].name, length) == 0)
            return &numbers[i];
    return NULL;
}

/* ---- floats of 16 bits ---- */

#define F16_DIGITS      11 /* of the significand, with the leading one */
#define BF16_DIGITS     8
#define F16_LEAST_BITS  -24 /* the exponent of the least number */
#define BF16_LEAST_BITS -133

/* Returns the nearest number of so many digits that is a multiple of 2^least. Only rint rounds, to
 * even, for any size. */
static double round_to(double x, int digits, int least)
{
    int exponent;
    frexp(x, &exponent);
    int unit = exponent - digits > least ? exponent - digits : least;
    return ldexp(rint(ldexp(x, -unit)), unit);
}

/* Returns the bits of a float of 4 bytes, which holds x exactly. */
static uint32_t bits_of(double x)
{
    float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

uint16_t gsi_bf16_of_f64(double x)
{
    if (isnan(x))
        return 0x7fc0;
    if (isinf(x))
        return x < 0 ? 0xff80 : 0x7f80;
    return (uint16_t)(bits_of(round_to(x, BF16_DIGITS, BF16_LEAST_BITS)) >> 16);
}

uint16_t gsi_f16_of_f64(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x))
        return 0x7e00;
    double near = fabs(isinf(x) ? x : round_to(x, F16_DIGITS, F16_LEAST_BITS));
    if (near > 65504)
        return sign | 0x7c00;
    if (near < 0x1p-14)
        return sign | (uint16_t)ldexp(near, -F16_LEAST_BITS);
    return sign | (uint16_t)((bits_of(near) >> 13) - ((127 - 15) << 10));
}

/* ---- names ---- */

#define BY_LANGUAGE "means 4 bytes in some languages and 8 bytes in others"
#define BY_NUMPY    "means 8 bits, but 8 bytes in NumPy"
#define PLAIN       GSI_SENSE_PLAIN, NULL, NULL, NULL
#define NO_ORDER    GSI_SENSE_UNSORTED, "is not a type that gsort can sort", NULL, NULL

#define SIZED(name, ...)     {name, name, PLAIN}, {name "be", name "be", PLAIN},
#define BYTE(name, ...)      {name, name, PLAIN}, {name "be", name, PLAIN},
#define NUMPY(name, letters) {"<" letters, name, PLAIN}, {">" letters, name "be", PLAIN},
#define ALSO(name, word)     {word, name, PLAIN},
#define TIME(unit)                                     \
    ALSO("time64[" #unit "]", "time64[" #unit "]")     \
    ALSO("time64[" #unit "]", "datetime64[" #unit "]") \
    ALSO("time64[" #unit "]", "<M8[" #unit "]")        \
    ALSO("time64[" #unit "]be", ">M8[" #unit "]")      \
    ALSO("time64[" #unit "]be", "time64be[" #unit "]") \
    ALSO("time64[" #unit "]be", "time64[" #unit "]be")

static const struct gsi_type_word words[] = {
    {"u8", "uint8", GSI_SENSE_SMALL, BY_NUMPY, "uint8", "uint64"},
    {"i8", "int8", GSI_SENSE_SMALL, BY_NUMPY, "int8", "int64"},
    {"float", NULL, GSI_SENSE_UNSURE, BY_LANGUAGE, "f32", "f64"},
    {"int", NULL, GSI_SENSE_UNSURE, BY_LANGUAGE, "i32", "i64"},
    {"uint", NULL, GSI_SENSE_UNSURE, BY_LANGUAGE, "u32", "u64"},
    {"f128", NULL, NO_ORDER},
    {"float128", NULL, NO_ORDER},
    GSI_NUMBER_ROWS(SIZED, SIZED, BYTE, TIME, NUMPY, ALSO)};

const char *const gsi_time_words = "times are written time64[UNIT], with the unit D, h, m, s, ms, "
                                   "us or ns, or time64 without a unit";

/* Extensions that say nothing about a file's contents. */
static const char *const neutral[] = {"bin", "binary", "dat", "data", "raw", "sorted", "out"};

const struct gsi_type_word *gsi_type_word_find(const char *text, size_t length)
{
    bool has_unit = memchr(text, '[', length) != NULL; /* an M is no m, and <M8 no <m8 */
    int (*const compare)(const char *, const char *, size_t) = has_unit ? strncmp : strncasecmp;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == length && compare(words[i].word, text, length) == 0)
            return &words[i];
    return NULL;
}

static bool is_neutral(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof neutral / sizeof neutral[0]; i++)
        if (strlen(neutral[i]) == length && strncasecmp(neutral[i], text, length) == 0)
            return true;
    return false;
}

/* Returns where the last part of a name of `length` bytes begins, after one of `separators`; 0:
 * there is no separator. */
static size_t last_part(const char *name, size_t length, const char *separators)
{
    while (length > 0 && strchr(separators, name[length - 1]) == NULL)
        length--;
    return length;
}

/* A whole name that is shorter (f4, i8) does not name a type. */
#define WHOLE_NAME_MIN 3

const struct gsi_type_word *gsi_type_word_of_file(const char *path)
{
    size_t length;
    const char *name = gsi_name_base(path, &length);
    size_t part = last_part(name, length, ".");
    while (part > 1 && is_neutral(name + part, length - part)) {
        length = part - 1;
        part = last_part(name, length, ".");
    }
    size_t found = last_part(name, length, "._-");
    /* uint32_t has an underscore of its own. */
    if (found > 1 && length - found == 1 && (name[found] | 0x20) == 't' && name[found - 1] == '_')
        found = last_part(name, found - 1, "._-");
    if (found == 0 && length < WHOLE_NAME_MIN)
        return NULL;
    return gsi_type_word_find(name + found, length - found);
}

bool gsi_type_goes_with(const char *a, const char *b)
{
    bool is_big_a, is_big_b;
    return gsi_number_is_like(gsi_number_type_find(a, strlen(a), &is_big_a),
                              gsi_number_type_find(b, strlen(b), &is_big_b)) &&
           is_big_a == is_big_b;
}

static bool describe(const struct gsi_type_word *word, struct gs_type *type)
{
    if (word == NULL || word->type == NULL)
        return false;
    bool is_big_endian;
    const struct gsi_number_type *found =
        gsi_number_type_find(word->type, strlen(word->type), &is_big_endian);
    enum gsi_key_kind kind = gsi_key_type_find(found->counted_as)->kind;
    *type = (struct gs_type){.name = word->type,
                             .element_bytes = found->bytes,
                             .is_float = kind == GSI_KEY_FLOAT,
                             .is_signed = kind != GSI_KEY_UNSIGNED};
    return true;
}

bool gs_type_find(const char *word, struct gs_type *type)
{
    const struct gsi_type_word *found = gsi_type_word_find(word, strlen(word));
    return found != NULL && found->sense == GSI_SENSE_PLAIN && describe(found, type);
}

bool gs_type_of_file(const char *path, struct gs_type *type)
{
    return describe(gsi_type_word_of_file(path), type);
}

enum gs_status gsi_type_word_check(const struct gsi_type_word *word, const char *option,
                                   const char *text, struct gs_error *error)
{
    if (word->sense == GSI_SENSE_PLAIN)
        return GS_OK;
    if (word->either == NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' %s", option, text, word->trouble);
    return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' %s; write %s or %s", option, text,
                    word->trouble, word->either, word->other);
}

/* Returns whether one slip makes `b` of the first `length` letters of `a`. A slip is a letter that
 * is missing, added or wrong, or two letters that are swapped. */
static bool is_one_slip(const char *a, size_t length, const char *b)
{
    size_t b_length = strlen(b), same = 0, tail = 0;
    size_t shorter = length < b_length ? length : b_length;
    while (same < shorter && (a[same] | 0x20) == (b[same] | 0x20))
        same++;
    while (tail < shorter - same &&
           (a[length - 1 - tail] | 0x20) == (b[b_length - 1 - tail] | 0x20))
        tail++;
    size_t a_rest = length - same - tail, b_rest = b_length - same - tail;
    bool is_swapped = a_rest == 2 && b_rest == 2 && (a[same] | 0x20) == (b[same + 1] | 0x20) &&
                      (a[same + 1] | 0x20) == (b[same] | 0x20);
    return (a_rest <= 1 && b_rest <= 1) || is_swapped;
}

/* Too many types are one slip away from shorter words. */
#define SLIP_LETTERS_MIN 4

const char *gsi_type_word_near(const char *text, size_t length, char hint[GSI_TYPE_HINT_BYTES])
{
    const struct gsi_type_word *word = words, *end = words + sizeof words / sizeof words[0];
    while (word < end && !is_one_slip(text, length, word->word))
        word++;
    hint[0] = '\0';
    if (length < SLIP_LETTERS_MIN || word == end || word->sense == GSI_SENSE_UNSORTED)
        return hint;
    if (word->sense == GSI_SENSE_PLAIN)
        snprintf(hint, GSI_TYPE_HINT_BYTES, " (did you mean %s?)", word->word);
    else
        snprintf(hint, GSI_TYPE_HINT_BYTES, " (did you mean %s or %s?)", word->either, word->other);
    return hint;
}

enum gs_status gsi_type_word_of_option(const char *given, const struct gsi_type_word **word,
                                       struct gs_error *error)
{
    char hint[GSI_TYPE_HINT_BYTES];
    *word = gsi_type_word_find(given, strlen(given));
    if (*word == NULL && strchr(given, '[') != NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "--type: there is no type '%s'; %s", given,
                        gsi_time_words);
    if (*word == NULL)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--type: there is no type '%s'%s; types are %s; append be for big endian",
                        given, gsi_type_word_near(given, strlen(given), hint), gsi_number_names);
    return gsi_type_word_check(*word, "type", given, error);
}
