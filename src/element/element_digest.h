/* element_digest.h: computes the digests of elements of any form (layout.h), and joins them.
 *
 * Digests of sort keys contain the first and the last key of their piece, which decide whether two
 * pieces are in order. Digests of records with tags contain no keys, so the caller keeps the first
 * and the last element of each piece. All calls are pure, for any thread. */
#ifndef GSI_ELEMENT_DIGEST_H
#define GSI_ELEMENT_DIGEST_H

#include "element/record/record.h"
#include "element/tally/digest.h"

#ifdef __cplusplus
extern "C" {
#endif

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
