/* tally.h: count, extremes, exact sum and fingerprint of a stream of elements, and the two passes
 * over elements that the pipeline makes: in (raw elements become sort keys) and out (sort keys
 * become raw elements again).
 *
 * Accumulators are plain integers, so adding them is associative and commutative: whatever the
 * chunking and the number of threads, the result has the same bits. One accumulator per thread;
 * gsi_tally_merge joins them. Source of the float sum: R. Neal, "Fast exact summation using small
 * and large superaccumulators", 2015, section 3 (one bin per sign and exponent, carried into one
 * long fixed-point number at the end). */
#ifndef GSI_TALLY_H
#define GSI_TALLY_H

#include "base/u128.h"
#include "format/exact_sum.h"
#include "format/layout.h"
#include "gsort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Accumulator; gsi_tally_create makes an empty one. */
struct gsi_tally;

/* NULL on no memory.  gsi_tally_bytes: for the ledger. */
struct gsi_tally *gsi_tally_create(const struct gsi_layout *layout);
void gsi_tally_free(struct gsi_tally *tally);
size_t gsi_tally_bytes(const struct gsi_layout *layout);

/* gsi_tally_clear: make it an empty one again. */
void gsi_tally_clear(struct gsi_tally *tally);

/* gsi_tally_add: count `n` raw elements; any alignment of the element's own size.
 * limit  fewer than 2^32 elements a call; fewer than 2^64 in all */
void gsi_tally_add(struct gsi_tally *tally, const void *elements, size_t n);

/* gsi_tally_add_map: the same, and turn the elements into sort keys in place. */
void gsi_tally_add_map(struct gsi_tally *tally, void *elements, size_t n);

/* gsi_tally_merge: into += from; both of the same layout. */
void gsi_tally_merge(struct gsi_tally *into, const struct gsi_tally *from);

/* What was counted elsewhere, such as on a GPU, as plain integers. Extremes are ascending keys; a
 * NaN is never the maximum, and the minimum only where there are no numbers. Limb i of a float sum
 * is a two's complement multiple of 2^(32 i) smallest positive doubles; NaNs and infinities are
 * left out. */
struct gsi_tally_parts {
    uint64_t count;
    uint64_t nans, positive_infinities, negative_infinities, negative_zeros;
    gsi_u128 fingerprint;
    gsi_u128 sum[2];   /* integers: of ascending keys; 16 bytes: of their low and high words */
    gsi_u128 min, max; /* min > max: no element */
    const gsi_u128 *limbs;
    size_t limb_count;
};

/* gsi_tally_add_parts: add what `parts` counted, of elements of the same layout. */
void gsi_tally_add_parts(struct gsi_tally *tally, const struct gsi_tally_parts *parts);

/* An accumulator as it is kept in a file, between runs of the program. */
struct gsi_tally_saved {
    uint64_t count;
    uint64_t nans, positive_infinities, negative_infinities, negative_zeros;
    uint64_t is_negative; /* the sum of floats: sign, and magnitude (exact_sum.h) */
    gsi_u128 fingerprint, sum[2], min, max;
    uint64_t limbs[GSI_EXACT_LIMBS];
};

/* gsi_tally_save: what was counted so far.  gsi_tally_add_saved: add what was counted then. */
void gsi_tally_save(const struct gsi_tally *tally, struct gsi_tally_saved *saved);
void gsi_tally_add_saved(struct gsi_tally *tally, const struct gsi_tally_saved *saved);

/* gsi_tally_finish: the result so far; `tally` can go on. */
struct gs_tally gsi_tally_finish(const struct gsi_tally *tally);

/* What the way out checks: fingerprint of the raw elements and order of the keys, for one piece.
 * Pieces are joined in output order with gsi_imprint_join. */
struct gsi_imprint {
    uint64_t count;
    uint64_t fingerprint[2];
    uint8_t first_key[16], last_key[16]; /* valid if count > 0 */
    uint64_t
        disorder_idx; /* first element whose key is below its predecessor's; UINT64_MAX: none */
    uint8_t before_key[16], after_key[16]; /* these two keys, if there is a disorder */
};

#define GSI_IMPRINT_EMPTY ((struct gsi_imprint){.disorder_idx = UINT64_MAX})

/* gsi_imprint_add: append `n` elements, given as sort keys, to the imprint.
 * gsi_imprint_add_unmap: the same, and turn the keys into raw elements in place.
 * gsi_imprint_add_elements: append `n` raw elements, which stay as they are.
 * gsi_imprint_join: append a whole piece. */
void gsi_imprint_add(const struct gsi_layout *layout, struct gsi_imprint *imprint, const void *keys,
                     size_t n);
void gsi_imprint_add_unmap(const struct gsi_layout *layout, struct gsi_imprint *imprint, void *keys,
                           size_t n);
void gsi_imprint_add_elements(const struct gsi_layout *layout, struct gsi_imprint *imprint,
                              const void *elements, size_t n);
void gsi_imprint_join(const struct gsi_layout *layout, struct gsi_imprint *imprint,
                      const struct gsi_imprint *piece);

/* Comparison of two sort keys of layout->key_bytes: negative, 0, positive. */
int gsi_key_compare(const struct gsi_layout *layout, const void *a, const void *b);

/* The raw element of a sort key, and back. */
void gsi_key_to_element(const struct gsi_layout *layout, const void *key, void *element);
void gsi_element_to_key(const struct gsi_layout *layout, const void *element, void *key);

#ifdef __cplusplus
}
#endif
#endif
