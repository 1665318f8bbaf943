/* type_names.c: the table of words, and where a file's name ends in one. */
#include "element/type_names.h"

#include "element/number_type.h"

#include <string.h>
#include <strings.h>

#define BY_LANGUAGE "is 4 bytes in some languages and 8 in others"

static const struct gsi_type_word words[] = {
    {"u8", "u8", GSI_SENSE_SMALL, NULL},
    {"i8", "i8", GSI_SENSE_SMALL, NULL},
    {"uint8", "u8", GSI_SENSE_PLAIN, NULL},
    {"uint8_t", "u8", GSI_SENSE_PLAIN, NULL},
    {"u1", "u8", GSI_SENSE_PLAIN, NULL},
    {"bool", "u8", GSI_SENSE_PLAIN, NULL},
    {"int8", "i8", GSI_SENSE_PLAIN, NULL},
    {"int8_t", "i8", GSI_SENSE_PLAIN, NULL},
    {"i1", "i8", GSI_SENSE_PLAIN, NULL},
    {"u16", "u16", GSI_SENSE_PLAIN, NULL},
    {"uint16", "u16", GSI_SENSE_PLAIN, NULL},
    {"uint16_t", "u16", GSI_SENSE_PLAIN, NULL},
    {"u2", "u16", GSI_SENSE_PLAIN, NULL},
    {"<u2", "u16", GSI_SENSE_PLAIN, NULL},
    {"i16", "i16", GSI_SENSE_PLAIN, NULL},
    {"int16", "i16", GSI_SENSE_PLAIN, NULL},
    {"int16_t", "i16", GSI_SENSE_PLAIN, NULL},
    {"i2", "i16", GSI_SENSE_PLAIN, NULL},
    {"<i2", "i16", GSI_SENSE_PLAIN, NULL},
    {"f16", "f16", GSI_SENSE_PLAIN, NULL},
    {"float16", "f16", GSI_SENSE_PLAIN, NULL},
    {"half", "f16", GSI_SENSE_PLAIN, NULL},
    {"f2", "f16", GSI_SENSE_PLAIN, NULL},
    {"<f2", "f16", GSI_SENSE_PLAIN, NULL},
    {"bf16", "bf16", GSI_SENSE_PLAIN, NULL},
    {"bfloat16", "bf16", GSI_SENSE_PLAIN, NULL},
    {"u32", "u32", GSI_SENSE_PLAIN, NULL},
    {"uint32", "u32", GSI_SENSE_PLAIN, NULL},
    {"uint32_t", "u32", GSI_SENSE_PLAIN, NULL},
    {"u4", "u32", GSI_SENSE_PLAIN, NULL},
    {"<u4", "u32", GSI_SENSE_PLAIN, NULL},
    {"i32", "i32", GSI_SENSE_PLAIN, NULL},
    {"int32", "i32", GSI_SENSE_PLAIN, NULL},
    {"int32_t", "i32", GSI_SENSE_PLAIN, NULL},
    {"i4", "i32", GSI_SENSE_PLAIN, NULL},
    {"<i4", "i32", GSI_SENSE_PLAIN, NULL},
    {"f32", "f32", GSI_SENSE_PLAIN, NULL},
    {"float32", "f32", GSI_SENSE_PLAIN, NULL},
    {"f4", "f32", GSI_SENSE_PLAIN, NULL},
    {"<f4", "f32", GSI_SENSE_PLAIN, NULL},
    {"u64", "u64", GSI_SENSE_PLAIN, NULL},
    {"uint64", "u64", GSI_SENSE_PLAIN, NULL},
    {"uint64_t", "u64", GSI_SENSE_PLAIN, NULL},
    {"<u8", "u64", GSI_SENSE_PLAIN, NULL},
    {"i64", "i64", GSI_SENSE_PLAIN, NULL},
    {"int64", "i64", GSI_SENSE_PLAIN, NULL},
    {"int64_t", "i64", GSI_SENSE_PLAIN, NULL},
    {"<i8", "i64", GSI_SENSE_PLAIN, NULL},
    {"f64", "f64", GSI_SENSE_PLAIN, NULL},
    {"float64", "f64", GSI_SENSE_PLAIN, NULL},
    {"double", "f64", GSI_SENSE_PLAIN, NULL},
    {"f8", "f64", GSI_SENSE_PLAIN, NULL},
    {"<f8", "f64", GSI_SENSE_PLAIN, NULL},
    {"time64", "time64", GSI_SENSE_PLAIN, NULL},
    {"datetime64", "time64", GSI_SENSE_PLAIN, NULL},
    {"timedelta64", "time64", GSI_SENSE_PLAIN, NULL},
    {"<m8", "time64", GSI_SENSE_PLAIN, NULL},
    {"u128", "u128", GSI_SENSE_PLAIN, NULL},
    {"uint128", "u128", GSI_SENSE_PLAIN, NULL},
    {"uint128_t", "u128", GSI_SENSE_PLAIN, NULL},
    {"i128", "i128", GSI_SENSE_PLAIN, NULL},
    {"int128", "i128", GSI_SENSE_PLAIN, NULL},
    {"int128_t", "i128", GSI_SENSE_PLAIN, NULL},
    {"u16be", "u16be", GSI_SENSE_PLAIN, NULL},
    {">u2", "u16be", GSI_SENSE_PLAIN, NULL},
    {"i16be", "i16be", GSI_SENSE_PLAIN, NULL},
    {">i2", "i16be", GSI_SENSE_PLAIN, NULL},
    {"f16be", "f16be", GSI_SENSE_PLAIN, NULL},
    {">f2", "f16be", GSI_SENSE_PLAIN, NULL},
    {"u32be", "u32be", GSI_SENSE_PLAIN, NULL},
    {">u4", "u32be", GSI_SENSE_PLAIN, NULL},
    {"i32be", "i32be", GSI_SENSE_PLAIN, NULL},
    {">i4", "i32be", GSI_SENSE_PLAIN, NULL},
    {"f32be", "f32be", GSI_SENSE_PLAIN, NULL},
    {">f4", "f32be", GSI_SENSE_PLAIN, NULL},
    {"u64be", "u64be", GSI_SENSE_PLAIN, NULL},
    {">u8", "u64be", GSI_SENSE_PLAIN, NULL},
    {"i64be", "i64be", GSI_SENSE_PLAIN, NULL},
    {">i8", "i64be", GSI_SENSE_PLAIN, NULL},
    {"f64be", "f64be", GSI_SENSE_PLAIN, NULL},
    {">f8", "f64be", GSI_SENSE_PLAIN, NULL},
    {"time64be", "time64be", GSI_SENSE_PLAIN, NULL},
    {">m8", "time64be", GSI_SENSE_PLAIN, NULL},
    {"bf16be", "bf16be", GSI_SENSE_PLAIN, NULL},
    {"u128be", "u128be", GSI_SENSE_PLAIN, NULL},
    {"i128be", "i128be", GSI_SENSE_PLAIN, NULL},
    {"float", NULL, GSI_SENSE_UNSURE, BY_LANGUAGE "; --type f32 or --type f64 says which"},
    {"int", NULL, GSI_SENSE_UNSURE, BY_LANGUAGE "; --type i32 or --type i64 says which"},
    {"uint", NULL, GSI_SENSE_UNSURE, BY_LANGUAGE "; --type u32 or --type u64 says which"},
    {"f128", NULL, GSI_SENSE_UNSORTED, "is no type that gsort has an order for"},
    {"float128", NULL, GSI_SENSE_UNSORTED, "is no type that gsort has an order for"},
};

/* Extensions that tell nothing of what is in a file. */
static const char *const neutral[] = {"bin", "binary", "dat", "data", "raw", "sorted", "out"};

static const struct gsi_type_word *find(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == length && strncasecmp(words[i].word, text, length) == 0)
            return &words[i];
    return NULL;
}

const struct gsi_type_word *gsi_type_word_find(const char *text)
{
    return find(text, strlen(text));
}

static bool is_neutral(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof neutral / sizeof neutral[0]; i++)
        if (strlen(neutral[i]) == length && strncasecmp(neutral[i], text, length) == 0)
            return true;
    return false;
}

/* Where the last part of a name of `length` bytes begins, behind one of `separators`; 0: it has no
 * such parts. */
static size_t last_part(const char *name, size_t length, const char *separators)
{
    while (length > 0 && strchr(separators, name[length - 1]) == NULL)
        length--;
    return length;
}

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
    bool is_short = length - found < 3;
    if (is_short && (found == 0 || name[found - 1] != '.'))
        return NULL;
    return find(name + found, length - found);
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
    return describe(gsi_type_word_find(word), type);
}

bool gs_type_of_file(const char *path, struct gs_type *type)
{
    return describe(gsi_type_word_of_file(path), type);
}

enum gs_status gsi_type_word_check(const struct gsi_type_word *word, const char *path,
                                   struct gs_error *error)
{
    if (word->type != NULL)
        return GS_OK;
    if (path == NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "--type: '%s' %s", word->word, word->advice);
    return gsi_fail(error, GS_E_USAGE, 0, "'%s': is named '%s', which %s", path, word->word,
                    word->advice);
}
