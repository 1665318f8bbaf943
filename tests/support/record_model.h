/* record_model.h: makes records with random keys, and compares them. Each key is read as its type
 * and compared by the functions of model.h, without normalised keys or tags. */
#ifndef SUPPORT_RECORD_MODEL_H
#define SUPPORT_RECORD_MODEL_H

#include "base/choices.h"
#include "support/model.h"

#define RECORD_KEYS_MAX 6

enum record_kind { RECORD_BYTES, RECORD_NUMBER, RECORD_TIME, RECORD_F16, RECORD_BF16 };

struct record_key {
    uint32_t off, bytes;
    char type[8]; /* without be; "b" for bytes */
    bool is_big_endian, is_descending;
    char text[40]; /* as --key takes it */
    /* The properties of the type, found once, because millions of records are compared under a
     * sanitizer. */
    enum record_kind kind;
    bool is_signed;         /* a short integer */
    const char *value_type; /* of record_value */
    model_compare compare;
};

struct record_model {
    uint32_t bytes, key_count;
    bool is_reversed, has_ties_by_bytes;
    bool has_nan_place, nans_first;          /* --nan */
    struct record_key keys[RECORD_KEYS_MAX]; /* none: the whole record */
    const char *texts[RECORD_KEYS_MAX];
};

static inline struct record_key record_key_make(uint32_t off, const char *type, uint32_t bytes,
                                                bool is_big_endian, bool is_descending)
{
    struct record_key key = {
        .off = off, .bytes = bytes, .is_big_endian = is_big_endian, .is_descending = is_descending};
    strcpy(key.type, type);
    if (strcmp(type, "b") == 0)
        snprintf(key.text, sizeof key.text, "%u:b%u", off, bytes);
    else
        snprintf(key.text, sizeof key.text, "%u:%s%s", off, type, is_big_endian ? "be" : "");
    if (is_descending)
        strcat(key.text, ":desc");
    key.kind = strcmp(type, "b") == 0        ? RECORD_BYTES
               : strcmp(type, "time64") == 0 ? RECORD_TIME
               : strcmp(type, "f16") == 0    ? RECORD_F16
               : strcmp(type, "bf16") == 0   ? RECORD_BF16
                                             : RECORD_NUMBER;
    key.is_signed = key.kind == RECORD_NUMBER && type[0] == 'i';
    key.value_type = key.is_signed ? "i32" : "u32";
    if (key.kind != RECORD_NUMBER)
        key.value_type = key.kind == RECORD_BYTES ? "b" : key.kind == RECORD_TIME ? "u64" : "f32";
    for (size_t i = 0; i < MODEL_TYPE_COUNT; i++) /* of 4 bytes and more */
        if (strcmp(type, model_types[i]) == 0)
            key.value_type = model_types[i];
    key.compare = key.kind == RECORD_BYTES ? NULL : model_compare_of(key.value_type);
    return key;
}

static const struct {
    const char *name;
    uint32_t bytes;
} record_types[] = {{"b", 0},     {"uint8", 1}, {"int8", 1}, {"u16", 2},   {"i16", 2}, {"u32", 4},
                    {"i32", 4},   {"f32", 4},   {"u64", 8},  {"i64", 8},   {"f64", 8}, {"u128", 16},
                    {"i128", 16}, {"f16", 2},   {"bf16", 2}, {"time64", 8}};
#define RECORD_TYPE_COUNT (sizeof record_types / sizeof record_types[0])

/* Returns true if an earlier key has the same field, which gsort refuses. */
static inline bool record_model_has(const struct record_model *model, const struct record_key *key)
{
    for (uint32_t i = 0; i < model->key_count; i++) {
        const struct record_key *other = &model->keys[i];
        if (other->off == key->off && other->bytes == key->bytes &&
            strcmp(other->type, key->type) == 0 &&
            (other->is_big_endian == key->is_big_endian || key->bytes == 1))
            return true;
    }
    return false;
}

/* A random list of keys, often none, that fit the record. */
static inline void record_model_make(struct record_model *model, struct test_random *random,
                                     uint32_t bytes)
{
    *model = (struct record_model){.bytes = bytes, .is_reversed = test_below(random, 3) == 0};
    uint32_t wanted = (uint32_t)test_below(random, 5);
    while (model->key_count < wanted) {
        size_t type = test_below(random, RECORD_TYPE_COUNT);
        uint32_t width = record_types[type].bytes;
        if (width == 0)
            width = 1 + (uint32_t)test_below(random, test_below(random, 2) ? bytes
                                                     : bytes < 12          ? bytes
                                                                           : 12);
        if (width > bytes)
            continue;
        struct record_key *key = &model->keys[model->key_count];
        *key = record_key_make((uint32_t)test_below(random, bytes - width + 1),
                               record_types[type].name, width,
                               type > 0 && test_below(random, 2) == 0, test_below(random, 3) == 0);
        if (record_model_has(model, key))
            return;
        model->texts[model->key_count++] = key->text;
    }
}

/* The f32 with the value of 16 bits of IEEE's half, as its digits and its exponent say. */
MODEL_FUNCTION void record_half(uint16_t bits, uint8_t value[16])
{
    float x = ldexpf((float)(bits & 0x3ff) + (bits & 0x7c00 ? 1024.0f : 0),
                     (bits >> 10 & 0x1f ? bits >> 10 & 0x1f : 1) - 25);
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    if ((bits & 0x7c00) == 0x7c00)
        word = 0x7f800000u | (uint32_t)(bits & 0x3ff) << 13;
    word |= (uint32_t)(bits & 0x8000) << 16;
    memcpy(value, &word, sizeof word);
}

/* A number, little endian. */
MODEL_FUNCTION void record_number(const struct record_key *key, const uint8_t *record,
                                  uint8_t number[16])
{
    memset(number, 0, 16);
    for (uint32_t i = 0; i < key->bytes; i++)
        number[i] = record[key->off + (key->is_big_endian ? key->bytes - 1 - i : i)];
}

/* A key as a little-endian element of a type of model.h. Shorter numbers are widened; times begin
 * at 0, and NaT is the greatest. */
MODEL_FUNCTION const char *record_value(const struct record_key *key, const uint8_t *record,
                                        uint8_t value[16])
{
    uint8_t bytes[16];
    record_number(key, record, bytes);
    memcpy(value, bytes, 16);
    if (key->kind == RECORD_TIME) {
        int64_t time;
        memcpy(&time, value, sizeof time);
        uint64_t place = time == INT64_MIN ? UINT64_MAX : (uint64_t)time + INT64_MAX;
        memcpy(value, &place, sizeof place);
    } else if (key->kind == RECORD_F16) {
        memset(value, 0, 16);
        record_half((uint16_t)(bytes[0] | bytes[1] << 8), value);
    } else if (key->kind == RECORD_BF16) {
        memset(value, 0, 16);
        memcpy(value + 2, bytes, 2);
    } else if (key->bytes < 4 && key->is_signed && (bytes[key->bytes - 1] & 0x80) != 0) {
        for (uint32_t i = key->bytes; i < 4; i++)
            value[i] = 0xff;
    }
    return key->value_type;
}

/* A NaN or a NaT. */
MODEL_FUNCTION bool record_is_nan(const struct record_key *key, const uint8_t *value)
{
    uint64_t place;
    memcpy(&place, value, sizeof place);
    return key->kind == RECORD_TIME ? place == UINT64_MAX : model_is_nan(key->value_type, value);
}

/* Two values of a key in the wanted order, whatever is reversed. */
MODEL_FUNCTION int record_key_compare(const struct record_model *model,
                                      const struct record_key *key, const uint8_t *a,
                                      const uint8_t *b)
{
    uint8_t x[16], y[16];
    bool falls = key->is_descending != model->is_reversed;
    if (key->kind == RECORD_BYTES)
        return falls ? memcmp(b + key->off, a + key->off, key->bytes)
                     : memcmp(a + key->off, b + key->off, key->bytes);
    record_value(key, a, x);
    record_value(key, b, y);
    if (model->has_nan_place && record_is_nan(key, x) != record_is_nan(key, y))
        return record_is_nan(key, x) == model->nans_first ? -1 : 1;
    int order = key->compare(x, y);
    return falls ? -order : order;
}

MODEL_FUNCTION int record_model_compare(const struct record_model *model, const uint8_t *a,
                                        const uint8_t *b)
{
    int order = 0;
    if (model->key_count == 0)
        order = model->is_reversed ? memcmp(b, a, model->bytes) : memcmp(a, b, model->bytes);
    for (uint32_t i = 0; i < model->key_count && order == 0; i++)
        order = record_key_compare(model, &model->keys[i], a, b);
    return order;
}

/* A random --nan, mostly none; what else is made of `random` does not depend on it. */
static inline void record_model_place_nans(struct record_model *model,
                                           const struct test_random *random)
{
    struct test_random own = *random;
    model->has_nan_place = test_below(&own, 3) == 0;
    model->nans_first = test_below(&own, 2) == 0;
}

/* As the options have it: enum gsi_nan_place. */
static inline enum gsi_nan_place record_model_nan_place(const struct record_model *model)
{
    return !model->has_nan_place ? GSI_NAN_WITH_ORDER
           : model->nans_first   ? GSI_NAN_FIRST
                                 : GSI_NAN_LAST;
}

/* Returns whether a byte is a part of any key. */
MODEL_FUNCTION bool record_model_has_in_key(const struct record_model *model, uint32_t at)
{
    for (uint32_t i = 0; i < model->key_count; i++)
        if (at >= model->keys[i].off && at - model->keys[i].off < model->keys[i].bytes)
            return true;
    return model->key_count == 0;
}

/* By the keys, and then as the ties are ordered; 0: the order of the input decides. */
MODEL_FUNCTION int record_model_place(const struct record_model *model, const uint8_t *a,
                                      const uint8_t *b)
{
    int order = record_model_compare(model, a, b);
    for (uint32_t at = 0; order == 0 && model->has_ties_by_bytes && at < model->bytes; at++)
        if (!record_model_has_in_key(model, at))
            order = model->is_reversed ? b[at] - a[at] : a[at] - b[at];
    return order;
}

struct record_order {
    const struct record_model *model;
    const uint8_t *records;
};

MODEL_FUNCTION int record_order_compare(const void *a, const void *b, void *context)
{
    const struct record_order *order = (const struct record_order *)context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b, bytes = order->model->bytes;
    int place = record_model_place(order->model, order->records + (size_t)x * bytes,
                                   order->records + (size_t)y * bytes);
    return place != 0 ? place : (x > y) - (x < y);
}

/* Where `n` records stand in order, those with equal keys in that of the input; the caller frees
 * it. */
static inline uint32_t *record_model_order(const struct record_model *model, const uint8_t *in,
                                           size_t n)
{
    struct record_order context = {model, in};
    uint32_t *order = (uint32_t *)malloc(n * sizeof *order + 1);
    assert_non_null(order);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, record_order_compare, &context);
    return order;
}

static inline void record_model_sort(const struct record_model *model, const uint8_t *in,
                                     uint8_t *out, size_t n)
{
    uint32_t *order = record_model_order(model, in, n);
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * model->bytes, in + (size_t)order[i] * model->bytes, model->bytes);
    free(order);
}

/* How alike the records are: from random bytes to ones that share all but a few. */
enum record_shape {
    RECORD_RANDOM,
    RECORD_EQUAL,   /* all the same */
    RECORD_FEW,     /* bytes of two values */
    RECORD_PREFIX,  /* all bytes the same but the last two */
    RECORD_GROUPS,  /* a few beginnings, then two values a byte */
    RECORD_SPECIAL, /* zeros and ones, so that floats are NaNs and zeros */
    RECORD_LATE,    /* a third of the bytes is the same, each other one up to some record */
    RECORD_SHAPE_COUNT
};

static inline void record_fill(struct test_random *random, enum record_shape shape, uint8_t *data,
                               size_t n, uint32_t bytes)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t *record = data + i * bytes;
        uint64_t group = test_below(random, 5);
        for (uint32_t b = 0; b < bytes; b++) {
            uint64_t dice = test_next(random) >> 20;
            switch (shape) {
            case RECORD_EQUAL:
                record[b] = (uint8_t)(b * 7);
                break;
            case RECORD_FEW:
                record[b] = (uint8_t)(dice % 2 * 255);
                break;
            case RECORD_PREFIX:
                record[b] = b + 2 < bytes ? (uint8_t)b : (uint8_t)dice;
                break;
            case RECORD_GROUPS:
                record[b] = b < bytes / 2 ? (uint8_t)(group * 50) : (uint8_t)(dice % 2);
                break;
            case RECORD_SPECIAL:
                record[b] = dice % 3 == 0   ? 0
                            : dice % 3 == 1 ? 0xff
                                            : (uint8_t)(0x7f + dice / 3 % 2);
                break;
            case RECORD_LATE:
                record[b] = b % 3 == 1 || i < n * (b * 5 % 8) / 8 ? (uint8_t)b : (uint8_t)dice;
                break;
            default:
                record[b] = (uint8_t)dice;
            }
        }
    }
}

#endif
