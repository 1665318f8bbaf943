/* stream_check.h: joins the digests of buffers in order: of windows of the output, or of chunks of
 * the input. It keeps the last element of each buffer and compares it with the first of the next
 * one. Digests of records with tags contain no keys (element/tally/digest.h). */
#ifndef GSI_STREAM_CHECK_H
#define GSI_STREAM_CHECK_H

#include "loop/loop.h"

/* The keys of the first and the last element that were sorted, if elements or one of each group
 * were written. They are bytes in whose order the elements are: sort keys, and normalised keys of
 * records. Only the first GS_END_KEY_BYTES are here. With --group, they are the keys of the group.
 */
struct gsi_ends_report {
    bool are_known;
    uint32_t key_bytes;
    uint8_t first_key[GS_END_KEY_BYTES], last_key[GS_END_KEY_BYTES];
};

struct gsi_stream_check {
    const struct gsi_layout *layout;
    struct gsi_ledger *ledger;
    struct gsi_digest digest; /* of all buffers so far */
    /* One element each, as it is stored in its buffer. The first disorder is between `before` and
     * `after`. Numbers may be keys here; records are always elements. */
    uint8_t *first, *last, *before, *after;
};

enum gs_status gsi_stream_check_init(struct gsi_stream_check *check,
                                     const struct gsi_layout *layout, struct gsi_ledger *ledger,
                                     struct gs_error *error);
void gsi_stream_check_clear(struct gsi_stream_check *check); /* also zeroed ones */

/* gsi_stream_check_join: adds the next buffer, which has its digest. */
void gsi_stream_check_join(struct gsi_stream_check *check, const struct gsi_buffer *next);

/* gsi_stream_check_link: gsi_stream_check_join as a link, which every window passes. */
struct gsi_link gsi_stream_check_link(struct gsi_stream_check *check);

/* gsi_stream_check_ends: puts the sort keys of the first and the last element into the report. The
 * buffers held elements, not keys.
 * gsi_stream_check_tell_ends: does the same for two given elements. */
void gsi_stream_check_ends(const struct gsi_stream_check *check, struct gsi_ends_report *ends);
void gsi_stream_check_tell_ends(const struct gsi_layout *layout, const void *first,
                                const void *last, struct gsi_ends_report *ends);

/* gsi_stream_check_is_equal: returns whether the first key of `next` equals the last one so far.
 * gsi_stream_check_is_below: returns whether it is below the last one so far. */
bool gsi_stream_check_is_equal(const struct gsi_stream_check *check, const struct gsi_buffer *next);
bool gsi_stream_check_is_below(const struct gsi_stream_check *check, const struct gsi_buffer *next);

/* gsi_stream_check_refuse_equal: makes `element`, whose key equals that of the element before it,
 * the first disorder. */
void gsi_stream_check_refuse_equal(struct gsi_stream_check *check, uint64_t element_idx,
                                   const void *element);

#endif
