/* digest.h: computes count, fingerprint and order of a stream of elements on the way out, where
 * sort keys are mapped to raw elements again. The fingerprint is the one of a tally (tally.h).
 *
 *     thread 1: gsi_digest_add(piece 1) --.
 *     thread 2: gsi_digest_add(piece 2) --+--> gsi_digest_join, in the order of the output
 *
 * Digests of sort keys contain the first and the last key of their piece, which decide whether two
 * pieces are in order. Digests of records with tags contain no keys, so the caller keeps the first
 * and the last element of each piece. All calls are pure, for any thread. */
#ifndef GSI_DIGEST_H
#define GSI_DIGEST_H

#include "base/u128.h"
#include "element/layout.h"
#include "element/record/record.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fingerprint of the raw elements of one piece, and the order of its keys.
 * Pieces are joined in output order with gsi_digest_join. */
struct gsi_digest {
    uint64_t count;
    uint64_t fingerprint[2];
    uint8_t first_key[16], last_key[16]; /* valid if count > 0 */
    uint64_t
        disorder_idx; /* first element whose key is below its predecessor's; UINT64_MAX: none */
    uint8_t before_key[16], after_key[16]; /* these two keys, if there is a disorder */
    uint64_t
        repeat_count; /* keys that are equal to the one before them; not of records with tags */
};

/* gsi_fingerprint: returns a fingerprint as one number; its low word is the first one.
 * gsi_fingerprint_add: adds `x` to it, modulo 2^128. */
static inline gsi_u128 gsi_fingerprint(const uint64_t words[2])
{
    return (gsi_u128)words[1] << 64 | words[0];
}

static inline void gsi_fingerprint_add(uint64_t words[2], gsi_u128 x)
{
    const gsi_u128 sum = gsi_fingerprint(words) + x;
    words[0] = (uint64_t)sum;
    words[1] = (uint64_t)(sum >> 64);
}

#define GSI_DIGEST_EMPTY ((struct gsi_digest){.disorder_idx = UINT64_MAX})

/* Digests of sort keys (GSI_FORM_KEYS):
 * gsi_digest_add: adds `n` sort keys.
 * gsi_digest_add_unmap: adds `n` sort keys, and replaces them by their elements.
 * gsi_digest_add_mapped: adds the sort keys of `n` elements, which stay as they are.
 * gsi_digest_join_keys: appends a whole piece. */
void gsi_digest_add(const struct gsi_layout *layout, struct gsi_digest *digest, const void *keys,
                    size_t n);
void gsi_digest_add_unmap(const struct gsi_layout *layout, struct gsi_digest *digest, void *keys,
                          size_t n);
void gsi_digest_add_mapped(const struct gsi_layout *layout, struct gsi_digest *digest,
                           const void *elements, size_t n);
void gsi_digest_join_keys(const struct gsi_layout *layout, struct gsi_digest *digest,
                          const struct gsi_digest *piece);

/* gsi_fingerprint_add_map: adds the fingerprint of `n` raw elements, and replaces them by their
 * sort keys.
 */
void gsi_fingerprint_add_map(const struct gsi_layout *layout, uint64_t fingerprint[2],
                             void *elements, size_t n);

/* gsi_keys_drops: returns how many of `n` sort keys of 4, 8 or 16 bytes are below the key before
 * them. */
uint64_t gsi_keys_drops(uint32_t key_bytes, const void *keys, size_t n);

/* Compares two sort keys of layout->key_bytes: returns a negative number, 0 or a positive one. */
int gsi_key_compare(const struct gsi_layout *layout, const void *a, const void *b);

/* These map a sort key to its raw element, and back. gsi_elements_to_keys, gsi_keys_to_elements:
 * map `n` of them, in place or to other memory. */
void gsi_key_to_element(const struct gsi_layout *layout, const void *key, void *element);
void gsi_element_to_key(const struct gsi_layout *layout, const void *element, void *key);
void gsi_elements_to_keys(const struct gsi_layout *layout, const void *elements, size_t n,
                          void *keys);
void gsi_keys_to_elements(const struct gsi_layout *layout, void *keys, size_t n);

/* gsi_digest_add_elements: adds `n` raw elements. In memory they follow the elements that were
 * added before. */
void gsi_digest_add_elements(const struct gsi_layout *layout, struct gsi_digest *digest,
                             const void *elements, size_t n);

/* gsi_digest_join: appends a whole piece.
 * in    last, first: used with tags: the element before the piece (NULL: none), and its first one
 * gsi_digest_compare_ends: compares the last key before a piece with its first one: negative, 0,
 * positive.
 * in    last_key, piece: used for sort keys
 *       last, first: elements, used with tags */
void gsi_digest_join(const struct gsi_layout *layout, struct gsi_digest *digest,
                     const struct gsi_digest *piece, const void *last, const void *first);
int gsi_digest_compare_ends(const struct gsi_layout *layout, const uint8_t *last_key,
                            const void *last, const struct gsi_digest *piece, const void *first);

/* gsi_compare_ends: compares two sort keys, or with tags two elements: negative, 0, positive. */
int gsi_compare_ends(const struct gsi_layout *layout, const uint8_t *last, const uint8_t *first);

/* gsi_record_digest_add: adds `n` records with tags: their count, their fingerprint, and the first
 * record whose key is less than the key of the record before it. */
void gsi_record_digest_add(const struct gsi_record *record, struct gsi_digest *digest,
                           const void *elements, size_t n);

/* gsi_record_digest_join: appends a piece whose first record is `first`. `last` is the record
 * before it, or NULL. */
void gsi_record_digest_join(const struct gsi_record *record, struct gsi_digest *digest,
                            const struct gsi_digest *piece, const void *last, const void *first);

#ifdef __cplusplus
}
#endif
#endif
