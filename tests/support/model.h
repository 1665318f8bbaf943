/* model.h: sorts slowly, for comparison with gsort. It has a comparison function for each type,
 * written from the documented order, and uses no key maps. */
#ifndef SUPPORT_MODEL_H
#define SUPPORT_MODEL_H

#include "support/support.h"

#include <math.h>

static const char *const model_types[] = {"u32", "i32", "f32", "u64", "i64", "f64", "u128", "i128"};
#define MODEL_TYPE_COUNT (sizeof model_types / sizeof model_types[0])

static inline size_t model_bytes(const char *type)
{
    return strstr(type, "128") != NULL ? 16 : strstr(type, "64") != NULL ? 8 : 4;
}

/* Models run on one thread: what compares is not watched by the thread sanitizer, under which it
 * takes most of a test. */
#define MODEL_FUNCTION __attribute__((no_sanitize_thread)) static inline

#define MODEL_COMPARE(name, T)                                            \
    MODEL_FUNCTION int model_compare_##name(const void *a, const void *b) \
    {                                                                     \
        T x, y;                                                           \
        memcpy(&x, a, sizeof x);                                          \
        memcpy(&y, b, sizeof y);                                          \
        return (x > y) - (x < y);                                         \
    }
MODEL_COMPARE(u32, uint32_t)
MODEL_COMPARE(i32, int32_t)
MODEL_COMPARE(u64, uint64_t)
MODEL_COMPARE(i64, int64_t)
__extension__ typedef unsigned __int128 model_u128;
__extension__ typedef __int128 model_i128;
MODEL_COMPARE(u128, model_u128)
MODEL_COMPARE(i128, model_i128)

/* Numbers by value, -0 before +0; then +NaN, then -NaN. NaNs of one sign by their bits: +NaN up,
 * -NaN with the larger payload first. */
#define MODEL_COMPARE_FLOAT(name, T, U)                                   \
    MODEL_FUNCTION int model_compare_##name(const void *a, const void *b) \
    {                                                                     \
        T x, y;                                                           \
        U i, j;                                                           \
        memcpy(&x, a, sizeof x);                                          \
        memcpy(&y, b, sizeof y);                                          \
        memcpy(&i, a, sizeof i);                                          \
        memcpy(&j, b, sizeof j);                                          \
        int x_class = isnan(x) ? 1 + (signbit(x) != 0) : 0;               \
        int y_class = isnan(y) ? 1 + (signbit(y) != 0) : 0;               \
        if (x_class != y_class)                                           \
            return x_class - y_class;                                     \
        if (x_class == 1)                                                 \
            return (i > j) - (i < j);                                     \
        if (x_class == 2)                                                 \
            return (i < j) - (i > j);                                     \
        if (x == 0 && y == 0)                                             \
            return (signbit(x) == 0) - (signbit(y) == 0);                 \
        return (x > y) - (x < y);                                         \
    }
MODEL_COMPARE_FLOAT(f32, float, uint32_t)
MODEL_COMPARE_FLOAT(f64, double, uint64_t)

typedef int (*model_compare)(const void *, const void *);

static inline model_compare model_compare_of(const char *type)
{
    static const model_compare by_type[] = {
        model_compare_u32, model_compare_i32, model_compare_f32,  model_compare_u64,
        model_compare_i64, model_compare_f64, model_compare_u128, model_compare_i128};
    for (size_t i = 0; i < sizeof by_type / sizeof by_type[0]; i++)
        if (strcmp(type, model_types[i]) == 0)
            /* cppcheck-suppress CastIntegerToAddressAtReturn ; these are functions */
            return by_type[i];
    return NULL;
}

/* Sort in place; equal elements have equal bits, so stability shows nowhere. */
static inline void model_sort(const char *type, bool is_reversed, uint8_t *data, size_t n)
{
    size_t bytes = model_bytes(type);
    qsort(data, n, bytes, model_compare_of(type));
    for (size_t i = 0; is_reversed && i < n / 2; i++) {
        uint8_t element[16];
        memcpy(element, data + i * bytes, bytes);
        memcpy(data + i * bytes, data + (n - 1 - i) * bytes, bytes);
        memcpy(data + (n - 1 - i) * bytes, element, bytes);
    }
}

/* Returns whether an element of a type of models, 4 or 8 bytes wide, is a NaN. */
MODEL_FUNCTION bool model_is_nan(const char *type, const uint8_t *element)
{
    float single;
    double wide;
    memcpy(&single, element, sizeof single);
    if (strcmp(type, "f32") == 0)
        return isnan(single);
    if (strcmp(type, "f64") != 0)
        return false;
    memcpy(&wide, element, sizeof wide);
    return isnan(wide);
}

/* --nan: sorted elements keep their order, but NaNs are `first`, or else last. */
static inline void model_place_nans(const char *type, bool first, uint8_t *data, size_t n)
{
    size_t bytes = model_bytes(type), put = 0;
    uint8_t *moved = (uint8_t *)malloc(n * bytes + 1);
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < n; i++)
            if (model_is_nan(type, data + i * bytes) == (first == (turn == 0)))
                memcpy(moved + put++ * bytes, data + i * bytes, bytes);
    memcpy(data, moved, n * bytes);
    free(moved);
}

/* Distributions of small test data, which turn `bits` random bits into elements of any type. */
enum model_shape {
    MODEL_UNIFORM,
    MODEL_EQUAL,
    MODEL_FEW,
    MODEL_SORTED,
    MODEL_REVERSE,
    MODEL_ORGAN_PIPE,
    MODEL_SAWTOOTH,
    MODEL_HIGH_BITS,
    MODEL_SPECIAL,
    MODEL_SHAPE_COUNT
};

/* Patterns at the edges of every type: zeros, ones, signs, infinities, NaNs of both signs. */
static inline uint64_t model_special(struct test_random *random, size_t bytes)
{
    static const uint64_t wide[] = {0,
                                    UINT64_MAX,
                                    (uint64_t)1 << 63,
                                    ((uint64_t)1 << 63) - 1,
                                    0x7ff0000000000000u,
                                    0xfff0000000000000u,
                                    0x7ff8000000000001u,
                                    0xfff8000000000000u,
                                    0x7ff0000000000001u,
                                    1};
    static const uint32_t narrow[] = {
        0,           UINT32_MAX,  0x80000000u, 0x7fffffffu, 0x7f800000u,
        0xff800000u, 0x7fc00001u, 0xffc00000u, 0x7f800001u, 1};
    size_t i = test_below(random, sizeof wide / sizeof wide[0]);
    return bytes == 4 ? narrow[i] : wide[i];
}

static inline uint64_t model_word(struct test_random *random, enum model_shape shape, size_t i,
                                  size_t n, size_t bytes)
{
    switch (shape) {
    case MODEL_EQUAL:
        return 42;
    case MODEL_FEW:
        return test_below(random, 7);
    case MODEL_SORTED:
        return i * 3;
    case MODEL_REVERSE:
        return (n - i) * 3;
    case MODEL_ORGAN_PIPE:
        return i < n / 2 ? i : n - i;
    case MODEL_SAWTOOTH:
        return i % 100;
    case MODEL_HIGH_BITS:
        return test_next(random) & (bytes == 4 ? 0xff000000u : 0xff00000000000000u);
    case MODEL_SPECIAL:
        return test_below(random, 2) ? model_special(random, bytes) : test_next(random);
    default:
        return test_next(random);
    }
}

static inline void model_fill(struct test_random *random, enum model_shape shape, const char *type,
                              uint8_t *data, size_t n)
{
    size_t bytes = model_bytes(type);
    for (size_t i = 0; i < n; i++) {
        uint64_t low = model_word(random, shape, i, n, bytes);
        memcpy(data + i * bytes, &low, bytes < 8 ? bytes : 8);
        if (bytes == 16) {
            uint64_t high = shape == MODEL_UNIFORM ? test_next(random) % 5 : low >> 1;
            memcpy(data + i * bytes + 8, &high, 8);
        }
    }
}

#endif
