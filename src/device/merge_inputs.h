/* merge_inputs.h: tracks how far the inputs of a merge were read: sorted arrays in tie order,
 * complete from the start or fed in parts. It is bookkeeping for devices. It never reads a key of
 * an array, so the arrays may be in GPU memory.
 *
 *     inputs (tie order)      segments: sorted arrays; resident pieces, or buffers that were fed
 *       0 resident run   ->   [======] [=====]          every piece is a sequence of its own
 *       1 fed run        ->   [==]->[====]-> (bound)    one sequence, cut into buffers
 *                               ^ head: what earlier windows left
 *
 * While input r can be fed more, nothing after (bound[r], r) in the total order (key, input) may be
 * emitted: later keys may belong before it. The lowest of these bounds applies to all inputs; its
 * input is the one that is needed next.
 *
 * For records, slices hold tags, and a bound is the tag of the input's last record so far. */
#ifndef GSI_MERGE_INPUTS_H
#define GSI_MERGE_INPUTS_H

#include "device/device.h"
#include "device/merge_cut.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gsi_segment {
    struct gsi_slice left;     /* not yet pulled */
    uint32_t input_idx;        /* index of its input */
    struct gsi_buffer *buffer; /* fed; NULL: resident */
    uint64_t *taken;           /* pulled counts are added here; NULL: nowhere */
    uint64_t uses;             /* unfinished windows that took keys from it */
    struct gsi_segment *next;
};

struct gsi_merge_inputs {
    struct gsi_layout layout;
    struct gsi_ledger *ledger;
    uint32_t input_count, segment_count;
    struct gsi_merge_input_state *inputs;
    struct gsi_segment *segments, *free_segments;
    /* For tags of records: compares bounds. A bound is the last tag that was fed, so its buffer
     * stays until more is fed. NULL: bounds are keys. */
    int (*compare)(void *context, const void *a, const void *b);
    void *compare_context;
    /* Called for each fed buffer that is no longer read. */
    void (*release)(void *context, struct gsi_buffer *buffer);
    void *context;
};

/* The heads of all inputs: the keys that a window may use. */
struct gsi_merge_heads {
    struct gsi_slice *slices; /* borrowed: room for segment_count */
    struct gsi_segment **segments;
    uint32_t count;
    uint32_t bound_idx;   /* input whose bound applies; input_count: none, all may be emitted */
    const uint8_t *bound; /* NULL though bound_idx is an input: its bound is still unknown */
};

/* gsi_merge_inputs_init: makes room for `segment_count` segments at a time; resident inputs are
 * empty. */
enum gs_status gsi_merge_inputs_init(struct gsi_merge_inputs *inputs,
                                     const struct gsi_layout *layout, struct gsi_ledger *ledger,
                                     const struct gsi_merge_spec *spec, uint64_t segment_count,
                                     struct gs_error *error);
/* gsi_merge_inputs_clear: releases fed buffers and frees the tables; zeroed inputs are allowed. */
void gsi_merge_inputs_clear(struct gsi_merge_inputs *inputs);

/* gsi_merge_inputs_add_slice: adds a sorted array to a resident input. Counts pulled from it are
 * added to *taken, which may be NULL. */
void gsi_merge_inputs_add_slice(struct gsi_merge_inputs *inputs, uint32_t input_idx,
                                struct gsi_slice slice, uint64_t *taken);

/* gsi_merge_inputs_feed: adds the next keys of a fed input: the keys of `buffer`, at slice.keys.
 * `bound` is as in merge_feed. */
void gsi_merge_inputs_feed(struct gsi_merge_inputs *inputs, uint32_t input_idx,
                           struct gsi_slice slice, struct gsi_buffer *buffer, const void *bound);

/* gsi_merge_inputs_heads: returns the heads, with no more than `wanted` keys of each array, not yet
 * clipped to the bound. */
void gsi_merge_inputs_heads(const struct gsi_merge_inputs *inputs, uint64_t wanted,
                            struct gsi_merge_heads *heads);

/* gsi_merge_inputs_pop: removes `count` > 0 keys from a head for `uses` windows together. The keys
 * stay in place until all these windows are finished. Returns the removed slice. */
struct gsi_slice gsi_merge_inputs_pop(const struct gsi_merge_inputs *inputs,
                                      struct gsi_segment *segment, uint64_t count, uint64_t uses);

/* gsi_merge_inputs_done: reports that a window that used these segments is finished. */
void gsi_merge_inputs_done(struct gsi_merge_inputs *inputs, struct gsi_segment *const *segments,
                           uint32_t count);

#ifdef __cplusplus
}
#endif
#endif
