/* gen_data.c: makes the elements of data sets: distributions make words, types turn words into
 * elements.
 *
 * A distribution fills a tile with one word per element. The tile is small enough to stay in the
 * first-level cache. The distribution's scale says how to read a word. One function per scale turns
 * the tile into elements of the set's type. So d distributions and t types need d + 4 functions,
 * and each loop is simple enough to vectorise. The loops of arithmetic on doubles are cloned for
 * wider vectors. The bits are the same, and 8 lanes are 5 times as fast as 2.
 *
 *     scale   a word is                                    so that an element of the type is
 *     RANGE   a 64-bit fraction of the type's whole range  its highest bits; floats: [-1e9, 1e9)
 *     NUMBER  a whole number                               that number
 *     REAL    a double around 0, within (-8, 8)            that number; integers: the middle of
 *                                                          the range + x / 8 of half the range
 *     BITS    the element itself (two words of 16 bytes)      the same
 *
 * Randomness is splitmix64 used as a counter: mix(key + i) for element i. */
#include "gen_data.h"

#include "gen_math.h"

#include <string.h>

#define TILE   1024 /* elements; 8 to 16 KiB of words */
#define SIGN64 ((uint64_t)1 << 63)

union tile {
    uint64_t words[2 * TILE];
    double reals[TILE];
};

enum scale { SCALE_RANGE, SCALE_NUMBER, SCALE_REAL, SCALE_BITS };

struct gen_distribution {
    const char *name, *text;
    enum scale scale;
    void (*fill)(const struct gen_set *set, uint64_t first, size_t n, union tile *tile);
};

GEN_INLINE uint64_t random_at(const struct gen_set *set, int stream, uint64_t i)
{
    return gen_mix(set->streams[stream] + i);
}

/* Returns a random number below `limit` <= 2^32, from the upper half of a random word. */
GEN_INLINE uint64_t random_below(uint64_t random, uint64_t limit)
{
    return (random >> 32) * limit >> 32;
}

/* ---- words ---- */

static void fill_uniform(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    for (size_t j = 0; j < n; j++)
        tile->words[j] = random_at(set, 0, first + j);
}

/* Returns fraction p of `count` sorted random fractions. There is one in each of `count` equal
 * intervals, so each is computed without the others. */
static inline uint64_t stratum(const struct gen_set *set, uint64_t p, uint64_t count,
                               uint64_t random_idx)
{
    uint64_t width = UINT64_MAX / count;
    return p * width + (uint64_t)((unsigned __int128)random_at(set, 0, random_idx) * width >> 64);
}

static void fill_sorted(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    for (size_t j = 0; j < n; j++)
        tile->words[j] = stratum(set, first + j, set->count, first + j);
}

static void fill_reverse(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    for (size_t j = 0; j < n; j++) {
        uint64_t p = set->count - 1 - (first + j);
        tile->words[j] = stratum(set, p, set->count, p);
    }
}

static void fill_nearly_sorted(const struct gen_set *set, uint64_t first, size_t n,
                               union tile *tile)
{
    fill_sorted(set, first, n, tile);
    for (size_t j = 0; j < n; j++) {
        uint64_t random = random_at(set, 1, first + j);
        if (random_below(random, 100) == 0)
            tile->words[j] = gen_mix(random);
    }
}

static void fill_few(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    for (size_t j = 0; j < n; j++)
        tile->words[j] = set->few[random_below(random_at(set, 0, first + j), GEN_FEW)];
}

static void fill_equal(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    (void)first;
    for (size_t j = 0; j < n; j++)
        tile->words[j] = set->few[0];
}

/* Even positions ascend, odd ones descend. */
static void fill_organ_pipe(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    uint64_t top = set->count / 2;
    for (size_t j = 0; j < n; j++) {
        uint64_t i = first + j;
        uint64_t p = i < set->count - top ? 2 * i : 2 * (set->count - 1 - i) + 1;
        tile->words[j] = stratum(set, p, set->count, p);
    }
}

#define TOOTH 10000 /* elements of one tooth of the saw */

static void fill_sawtooth(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    for (size_t j = 0; j < n; j++)
        tile->words[j] = stratum(set, (first + j) % TOOTH, TOOTH, first + j);
}

/* Box and Muller, "A note on the generation of random normal deviates", 1958. One half of a word
 * makes the radius, the other half the angle. The largest value is sqrt(-2 log 2^-33) = 6.8. */
GEN_SIMD_CLONES static void fill_normal(const struct gen_set *set, uint64_t first, size_t n,
                                        union tile *tile)
{
    for (size_t j = 0; j < n; j++) {
        uint64_t random = random_at(set, 0, first + j);
        double u = (gen_double_of_u52(random >> 32) + 0.5) * 0x1p-32;
        double v = gen_double_of_u52(random & UINT32_MAX) * 0x1p-31 - 1; /* half turns */
        /* cos(pi v) = sin(pi / 2 (1 - 2 |v|)) */
        double turn = 1 - 2 * gen_double_of(gen_bits_of(v) & ~SIGN64);
        tile->reals[j] = __builtin_sqrt(-2 * gen_log(u)) * gen_sin_quarter(turn);
    }
}

/* Zipf over the ranks 1 .. 2^24, probability in proportion to 1 / rank, by rejection-inversion with
 * h(x) = 1 / x and H(x) = log x. Source: Hörmann and Derflinger, "Rejection-inversion to generate
 * variates from monotone discrete distributions", ACM TOMACS 6(3), 1996. The first, cheap test
 * accepts all but about 2 %, so a loop without branches makes a tile of first proposals. */
#define ZIPF_RANKS 0x1p24
#define ZIPF_LOW   (-0x1.3066e09a033dap-1) /* H(1.5) - 1 */
#define ZIPF_HIGH  0x1.0a2b23fbbab73p+4    /* H(ZIPF_RANKS + 0.5) */
#define ZIPF_SURE  0x1.ef48111d211d0p-2    /* 2 - exp(H(2.5) - h(2)) */

GEN_INLINE double zipf_exponent(uint64_t random)
{
    return ZIPF_HIGH + gen_double_of_u52(random >> 12) * 0x1p-52 * (ZIPF_LOW - ZIPF_HIGH);
}

GEN_INLINE double zipf_rank(double x)
{
    double rank = x + 0x1p52 - 0x1p52; /* rounded */
    return rank < ZIPF_RANKS ? rank : ZIPF_RANKS;
}

GEN_SIMD_CLONES static void zipf_propose(const struct gen_set *set, uint64_t first, size_t n,
                                         union tile *tile)
{
    for (size_t j = 0; j < n; j++)
        tile->reals[j] = gen_exp(zipf_exponent(random_at(set, 0, first + j)));
}

static void fill_zipf(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    zipf_propose(set, first, n, tile);
    for (size_t j = 0; j < n; j++) {
        double x = tile->reals[j], rank = zipf_rank(x);
        uint64_t random = random_at(set, 0, first + j);
        while (rank - x > ZIPF_SURE && zipf_exponent(random) < gen_log(rank + 0.5) - 1 / rank) {
            random = gen_mix(random);
            x = gen_exp(zipf_exponent(random));
            rank = zipf_rank(x);
        }
        tile->words[j] = (uint64_t)rank;
    }
}

/* One event every microsecond since 2023-11-14 22:13:20 UTC, each up to 4 microseconds late, so
 * that neighbours may change places. 4-byte types cannot hold nanoseconds since 1970: they count
 * microseconds since the first event. */
#define EPOCH_NS    1700000000000000000u
#define EVENT_NS    1000
#define LATE_EVENTS 4

static void fill_timestamps(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    bool is_short = set->type.element_bytes == 4;
    uint64_t base = is_short ? 0 : EPOCH_NS, period = is_short ? 1 : EVENT_NS;
    for (size_t j = 0; j < n; j++) {
        uint64_t late = random_below(random_at(set, 0, first + j), period * LATE_EVENTS);
        tile->words[j] = base + (first + j) * period + late;
    }
}

#define F32_INFINITY 0x7f800000u
#define F64_INFINITY 0x7ff0000000000000u

/* Returns the element at a place in the order of all elements of a type, as the manual defines it.
 * Negative NaNs are the last; there are `sign - 1 - infinity` of them. `sign` is the highest bit
 * of the type. */
static uint64_t element_at(const struct gs_type *type, uint64_t place, uint64_t sign,
                           uint64_t infinity)
{
    if (!type->is_signed)
        return place;
    if (!type->is_float)
        return place ^ sign;
    uint64_t bits = ((place + (sign - 1 - infinity)) & (2 * sign - 1)) ^ sign;
    return (bits & sign) != 0 ? bits ^ (sign - 1) : bits;
}

/* The sort keys differ in their highest 16 bits only. */
static void fill_bits(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    for (size_t j = 0; j < n; j++) {
        uint64_t key = random_at(set, 0, first + j) >> 48;
        if (set->type.element_bytes == 4) {
            tile->words[j] = element_at(&set->type, key << 16, SIGN64 >> 32, F32_INFINITY);
        } else if (set->type.element_bytes == 8) {
            tile->words[j] = element_at(&set->type, key << 48, SIGN64, F64_INFINITY);
        } else {
            tile->words[2 * j] = 0;
            tile->words[2 * j + 1] = element_at(&set->type, key << 48, SIGN64, 0);
        }
    }
}

/* ---- specials: the edges of a type ---- */

static inline double range_double(uint64_t fraction)
{
    return (double)(int64_t)(fraction >> 11) * (2e9 * 0x1p-53) - 1e9;
}

/* Never returns the excluded end, although 1e9 is the nearest f32 to the largest fractions. */
static inline float range_float(uint64_t fraction)
{
    float x = (float)range_double(fraction);
    return x < 1e9f ? x : 999999936.0f;
}

/* Fills a table with the edge values of a type. Returns how many there are. `top` is the highest
 * bit of the type. */
static uint32_t integer_edges(uint64_t top, uint64_t *edges)
{
    const uint64_t table[] = {0, 1, 2 * top - 1, 2 * top - 2, top, top + 1, top - 1, top - 2};
    memcpy(edges, table, sizeof table);
    return sizeof table / sizeof table[0];
}

static uint32_t float_edges(uint64_t top, uint64_t infinity, uint64_t *edges)
{
    uint64_t least_normal = infinity & ~(infinity << 1);
    const uint64_t table[] = {
        0,                /* zero */
        1,                /* least subnormal */
        least_normal - 1, /* largest subnormal */
        least_normal,
        infinity - 1, /* largest normal */
        infinity,
        infinity + 1,                    /* signalling NaN, least payload */
        infinity | (top - infinity) / 2, /* quiet NaN, no payload: x86 makes it, with a sign */
        top - 1,                         /* quiet NaN, largest payload */
    };
    const uint32_t count = sizeof table / sizeof table[0];
    for (size_t e = 0; e < count; e++) {
        edges[2 * e] = table[e];
        edges[2 * e + 1] = table[e] | top;
    }
    return 2 * count;
}

/* Without a branch: on random data half of them would be mispredicted. */
static inline uint64_t choose(bool is_first, uint64_t first, uint64_t second)
{
    uint64_t mask = 0 - (uint64_t)is_first;
    return (first & mask) | (second & ~mask);
}

/* The first elements are the edges in order, so that even a short set has them all. Half of the
 * others are edges. One float in 16 is a NaN of random sign and payload. The rest are uniform. */
static uint64_t special_word(const struct gen_set *set, uint64_t i, uint64_t random)
{
    if (i < set->edge_count)
        return set->edges[i];
    uint64_t edge = set->edges[random_below(random, set->edge_count)];
    uint64_t other = gen_mix(random);
    if (set->type.is_float) {
        bool is_short = set->type.element_bytes == 4;
        uint64_t nan = is_short ? other >> 32 | F32_INFINITY | 1 : other | F64_INFINITY | 1;
        uint64_t number =
            is_short ? gen_bits_of_float(range_float(other)) : gen_bits_of(range_double(other));
        other = choose(other % 8 == 0, nan, number);
    }
    return choose(random % 2 == 0, edge, other);
}

static void fill_specials(const struct gen_set *set, uint64_t first, size_t n, union tile *tile)
{
    size_t words = set->type.element_bytes == 16 ? 2 : 1;
    for (size_t j = 0; j < n; j++)
        for (size_t w = 0; w < words; w++)
            tile->words[words * j + w] =
                special_word(set, first + j, random_at(set, (int)w, first + j));
}

/* ---- elements ---- */

static void store_range(const struct gen_set *set, const union tile *tile, size_t n, void *out)
{
    bool is_float = set->type.is_float;
    uint64_t sign = set->type.is_signed && !is_float ? SIGN64 : 0;
    if (set->type.element_bytes == 16) {
        for (size_t j = 0; j < n; j++) {
            ((uint64_t *)out)[2 * j] = gen_mix(tile->words[j]);
            ((uint64_t *)out)[2 * j + 1] = tile->words[j] ^ sign;
        }
    } else if (set->type.element_bytes == 8 && is_float) {
        for (size_t j = 0; j < n; j++)
            ((double *)out)[j] = range_double(tile->words[j]);
    } else if (set->type.element_bytes == 8) {
        for (size_t j = 0; j < n; j++)
            ((uint64_t *)out)[j] = tile->words[j] ^ sign;
    } else if (is_float) {
        for (size_t j = 0; j < n; j++)
            ((float *)out)[j] = range_float(tile->words[j]);
    } else {
        for (size_t j = 0; j < n; j++)
            ((uint32_t *)out)[j] = (uint32_t)((tile->words[j] ^ sign) >> 32);
    }
}

static void store_number(const struct gen_set *set, const union tile *tile, size_t n, void *out)
{
    bool is_float = set->type.is_float;
    if (set->type.element_bytes == 16) {
        for (size_t j = 0; j < n; j++) {
            ((uint64_t *)out)[2 * j] = tile->words[j];
            ((uint64_t *)out)[2 * j + 1] = set->type.is_signed ? 0 - (tile->words[j] >> 63) : 0;
        }
    } else if (set->type.element_bytes == 8 && is_float) {
        for (size_t j = 0; j < n; j++)
            ((double *)out)[j] = (double)(int64_t)tile->words[j];
    } else if (set->type.element_bytes == 8) {
        memcpy(out, tile->words, n * sizeof(uint64_t));
    } else if (is_float) {
        for (size_t j = 0; j < n; j++)
            ((float *)out)[j] = (float)(int64_t)tile->words[j];
    } else {
        for (size_t j = 0; j < n; j++)
            ((uint32_t *)out)[j] = (uint32_t)tile->words[j];
    }
}

static void store_real(const struct gen_set *set, union tile *tile, size_t n, void *out)
{
    if (!set->type.is_float) {
        for (size_t j = 0; j < n; j++)
            tile->words[j] = (uint64_t)(int64_t)(tile->reals[j] * 0x1p60) ^ SIGN64;
        store_range(set, tile, n, out);
    } else if (set->type.element_bytes == 8) {
        memcpy(out, tile->reals, n * sizeof(double));
    } else {
        for (size_t j = 0; j < n; j++)
            ((float *)out)[j] = (float)tile->reals[j];
    }
}

static void store_bits(const struct gen_set *set, const union tile *tile, size_t n, void *out)
{
    if (set->type.element_bytes != 4) {
        memcpy(out, tile->words, n * set->type.element_bytes);
        return;
    }
    for (size_t j = 0; j < n; j++)
        ((uint32_t *)out)[j] = (uint32_t)tile->words[j];
}

/* ---- sets ---- */

static const struct gen_distribution distributions[] = {
    {"uniform", "every value equally likely: all integers, floats in [-1e9, 1e9)", SCALE_RANGE,
     fill_uniform},
    {"normal", "bell curve: floats mean 0, deviation 1; integers 1/16 of the range", SCALE_REAL,
     fill_normal},
    {"zipf", "ranks 1 to 2^24, probability 1/rank", SCALE_NUMBER, fill_zipf},
    {"sorted", "uniform, already in order", SCALE_RANGE, fill_sorted},
    {"reverse", "uniform, in reverse order", SCALE_RANGE, fill_reverse},
    {"nearly-sorted", "sorted except for 1 % of the elements, which are uniform", SCALE_RANGE,
     fill_nearly_sorted},
    {"few", "100 different values", SCALE_RANGE, fill_few},
    {"equal", "one value", SCALE_RANGE, fill_equal},
    {"organ-pipe", "rising to the middle, then falling", SCALE_RANGE, fill_organ_pipe},
    {"sawtooth", "sorted runs of 10000 elements", SCALE_RANGE, fill_sawtooth},
    {"timestamps",
     "nanoseconds (4-byte types: microseconds), one event per microsecond, up to 4 late",
     SCALE_NUMBER, fill_timestamps},
    {"specials", "half edge values (extremes, NaNs, infinities, zeros, subnormals), half uniform",
     SCALE_BITS, fill_specials},
    {"bits", "sort keys that differ in their highest 16 bits only", SCALE_BITS, fill_bits},
};
#define DISTRIBUTION_COUNT (sizeof distributions / sizeof distributions[0])

const struct gen_distribution *gen_distribution_find(const char *name)
{
    for (size_t d = 0; d < DISTRIBUTION_COUNT; d++)
        if (strcmp(name, distributions[d].name) == 0)
            return &distributions[d];
    return NULL;
}

const char *gen_distribution_name(size_t idx)
{
    return idx < DISTRIBUTION_COUNT ? distributions[idx].name : NULL;
}

const char *gen_distribution_text(size_t idx)
{
    return idx < DISTRIBUTION_COUNT ? distributions[idx].text : NULL;
}

static bool is_big_endian(const struct gs_type *type)
{
    size_t length = strlen(type->name);
    return length > 2 && strcmp(type->name + length - 2, "be") == 0;
}

bool gen_type_is_known(const struct gs_type *type)
{
    size_t length = strlen(type->name) - (is_big_endian(type) ? 2 : 0);
    for (const char *at = GEN_TYPES; *at != '\0'; at += *at == ' ') {
        size_t known = strcspn(at, " ");
        if (known == length && memcmp(at, type->name, length) == 0)
            return true;
        at += known;
    }
    return false;
}

/* Makes the 4-byte elements whose highest bytes are elements of 1 or 2 bytes. */
static struct gs_type wide_type(const struct gs_type *type)
{
    struct gs_type wide = *type;
    if (type->element_bytes < 4)
        gs_type_find(type->is_float ? "f32" : type->is_signed ? "i32" : "u32", &wide);
    return wide;
}

static void turn_bytes(uint8_t *elements, size_t n, uint32_t bytes)
{
    for (size_t j = 0; j < n; j++, elements += bytes)
        for (uint32_t i = 0; i < bytes / 2; i++) {
            uint8_t byte = elements[i];
            elements[i] = elements[bytes - 1 - i];
            elements[bytes - 1 - i] = byte;
        }
}

/* Copies the highest bytes of 4-byte elements. */
static void narrow(uint32_t bytes, const uint32_t *wide, size_t n, uint8_t *out)
{
    for (size_t j = 0; j < n; j++) {
        uint32_t high = wide[j] >> (32 - 8 * bytes);
        memcpy(out + j * bytes, &high, bytes);
    }
}

struct gen_set gen_set_make(const struct gen_distribution *distribution, const struct gs_type *type,
                            uint64_t seed, uint64_t count)
{
    struct gen_set set = {
        .distribution = distribution,
        .type = wide_type(type),
        .element_bytes = type->element_bytes,
        .is_big_endian = is_big_endian(type),
        .count = count,
    };
    set.streams[0] = gen_mix(seed);
    set.streams[1] = gen_mix(set.streams[0]);
    for (size_t f = 0; f < GEN_FEW; f++)
        set.few[f] = random_at(&set, 1, f);
    bool is_short = set.type.element_bytes == 4;
    uint64_t top = is_short ? SIGN64 >> 32 : SIGN64;
    if (type->is_float)
        set.edge_count = float_edges(top, is_short ? F32_INFINITY : F64_INFINITY, set.edges);
    else
        set.edge_count = integer_edges(top, set.edges);
    return set;
}

void gen_fill(const struct gen_set *set, uint64_t first, size_t n, void *elements)
{
    union tile tile;
    uint32_t wide[TILE];
    bool is_narrow = set->element_bytes < set->type.element_bytes;
    uint8_t *at = elements;
    while (n > 0) {
        void *out = is_narrow ? (void *)wide : at;
        size_t tile_n = n < TILE ? n : TILE;
        set->distribution->fill(set, first, tile_n, &tile);
        switch (set->distribution->scale) {
        case SCALE_RANGE:
            store_range(set, &tile, tile_n, out);
            break;
        case SCALE_NUMBER:
            store_number(set, &tile, tile_n, out);
            break;
        case SCALE_REAL:
            store_real(set, &tile, tile_n, out);
            break;
        case SCALE_BITS:
            store_bits(set, &tile, tile_n, out);
            break;
        }
        first += tile_n;
        n -= tile_n;
        if (is_narrow)
            narrow(set->element_bytes, wide, tile_n, at);
        if (set->is_big_endian)
            turn_bytes(at, tile_n, set->element_bytes);
        at += tile_n * set->element_bytes;
    }
}
