/* select_sample.h: a sample of files, and how precisely it tells ranks. */
#ifndef GSI_SELECT_SAMPLE_H
#define GSI_SELECT_SAMPLE_H

#include "base/assert.h"
#include "element/quantile/quantile.h"
#include "job/job.h"

/* 128 blocks tell well enough how much blocks differ; 4096 hold 2 M numbers of 8 bytes, and take as
 * long as reading some 100 to 700 MiB. */
#define GSI_SAMPLE_BLOCKS_MIN GSI_CONSTANT(128u, 4u)
#define GSI_SAMPLE_BLOCKS_MAX GSI_CONSTANT(4096u, 16u)

struct gsi_sample {
    const struct gsi_layout *layout; /* of the numbers */
    uint8_t *keys, *sorted;          /* in the order of the input; in order; both borrowed */
    size_t room, count;
    uint32_t *ends; /* of each block, in keys */
    size_t block_count;
};

/* gsi_sample_read: reads blocks from all over the inputs, none of which is a stream, and keeps the
 * keys that a scan would count, without NaNs.
 * in    sample: keys and sorted with room for as many
 *       blocks: so many, GSI_SAMPLE_BLOCKS_MAX at most; fewer if there is no room or data for them
 *       field: whose numbers are kept
 * gsi_sample_clear: also of zeroed ones. */
enum gs_status gsi_sample_read(struct gsi_sample *sample, uint64_t blocks, struct gsi_job *job,
                               const struct gsi_field *field);
void gsi_sample_clear(struct gsi_sample *sample, struct gsi_job *job);

/* gsi_sample_bracket: the bracket in which a quantile very likely is.
 * in    whole: the bracket of all keys, for ends that the sample cannot tell
 * out   share: of the sample that is inside it */
struct gsi_bracket gsi_sample_bracket(const struct gsi_sample *sample, struct gsi_quantile quantile,
                                      struct gsi_bracket whole, double *share);

#endif
