/* gen_data.h: makes the elements of a data set.
 *
 * Element i of a set is a pure function of distribution, type, seed, i and the set's length. So any
 * thread may make any part of any set, in any order.
 *
 *     struct gen_set set = gen_set_make(gen_distribution_find("zipf"), type, seed, count);
 *     gen_fill(&set, first, n, buffer);                        elements first .. first + n - 1  */
#ifndef GEN_DATA_H
#define GEN_DATA_H

#include "gsort.h"

#include <stddef.h>
#include <stdint.h>

#define GEN_FEW   100 /* distinct values of "few" */
#define GEN_EDGES 18  /* most edge values of a type */

struct gen_distribution;

/* GEN_TYPES: all types except f16; also big endian. */
#define GEN_TYPES "uint8 int8 u16 i16 bf16 u32 i32 f32 u64 i64 f64 u128 i128 time64"

/* gen_type_is_known: returns whether a type is one of them. */
bool gen_type_is_known(const struct gs_type *type);

struct gen_set {
    const struct gen_distribution *distribution;
    struct gs_type type;    /* of 4 bytes at least, little endian */
    uint32_t element_bytes; /* 1 or 2: the highest bytes of these are the elements */
    bool is_big_endian;
    uint64_t count;
    uint64_t streams[2];       /* keys of independent random sequences */
    uint64_t few[GEN_FEW];     /* values of "few"; "equal" uses the first one */
    uint64_t edges[GEN_EDGES]; /* values of "specials" */
    uint32_t edge_count;
};

/* gen_distribution_find: finds a distribution by its name; NULL: there is none.
 * gen_distribution_name, _text: return name and description of distribution `idx`, for lists; NULL
 * after the last one. */
const struct gen_distribution *gen_distribution_find(const char *name);
const char *gen_distribution_name(size_t idx);
const char *gen_distribution_text(size_t idx);

struct gen_set gen_set_make(const struct gen_distribution *distribution, const struct gs_type *type,
                            uint64_t seed, uint64_t count);

/* gen_fill: writes elements `first` .. `first + n - 1` to `elements`, aligned to the element's
 * size.
 * limit  first + n <= set->count */
void gen_fill(const struct gen_set *set, uint64_t first, size_t n, void *elements);

#endif
