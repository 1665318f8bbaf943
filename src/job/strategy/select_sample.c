/* select_sample.c: reads small blocks, one in each of as many equal parts of the data. */
#include "job/strategy/select_sample.h"

#include "device/cpu/cpu_leaf_sort.h"
#include "loop/loop.h"

#include <math.h>
#include <string.h>

#define BLOCK_BYTES 4096u

/* So many standard deviations on both sides: a rank is outside once in 2000 times. */
#define DEVIATIONS 3.5

/* The same numbers for each run. */
static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return gsi_mix_u64(*state);
}

/* `n` elements from element `first` of all inputs on, or as many as the input has that holds it. */
static enum gs_status read_block(struct gsi_job *job, uint64_t first, uint64_t *n, uint8_t *to)
{
    const uint32_t element = job->loop.layout->element_bytes;
    struct gsi_input *input = job->inputs.table;
    uint64_t off = first * element;
    for (; off >= input->bytes; input++)
        off -= input->bytes;
    *n = gsi_min_u64(*n, (input->bytes - off) / element);
    GSI_TRY(gsi_input_reopen(input, job->loop.error));
    GSI_TRY(gsi_input_read(input, to, *n * element, off, job->loop.error));
    if (job->inputs.are_many)
        gsi_input_close_for_now(input);
    return GS_OK;
}

/* Keys of a block's numbers that are kept and no NaNs. */
static void take_block(struct gsi_sample *sample, const struct gsi_job *job,
                       const struct gsi_field *field, uint8_t *elements, uint64_t n)
{
    const uint32_t bytes = sample->layout->element_bytes;
    struct gsi_filtered unheard = {0};
    if (job->inputs.filter != NULL)
        n = gsi_filter_apply(job->inputs.filter, elements, n, NULL, &unheard);
    for (uint64_t i = 0; i < n && sample->count < sample->room; i++) {
        uint8_t number[16] = {0};
        uint8_t *key = sample->keys + sample->count * bytes;
        const uint8_t *at = elements + i * job->loop.layout->element_bytes;
        if (gsi_field_numbers(field, at, 0, 1, number) == 0)
            continue;
        gsi_element_to_key(sample->layout, number, key);
        bool is_float = sample->layout->type->kind == GSI_KEY_FLOAT;
        if (!is_float || gsi_bracket_key(key, bytes, 0) <= sample->layout->map.nan_above)
            sample->count++;
    }
    sample->ends[sample->block_count++] = (uint32_t)sample->count;
}

enum gs_status gsi_sample_read(struct gsi_sample *sample, uint64_t blocks, struct gsi_job *job,
                               const struct gsi_field *field)
{
    enum gs_status status = GS_OK;
    const uint32_t element = job->loop.layout->element_bytes;
    const uint64_t all = job->inputs.bytes / element, most = gsi_max_u64(1, BLOCK_BYTES / element);
    blocks = gsi_clamp_u64(gsi_min_u64(sample->room, all) / most, 1, blocks);
    uint64_t random = 0;
    uint8_t *block = NULL;
    GSI_TRY(GSI_NEW(&job->loop.ledger, sample->ends, GSI_SAMPLE_BLOCKS_MAX, job->loop.error));
    GSI_TRY(GSI_NEW(&job->loop.ledger, block, most * element, job->loop.error));
    for (uint64_t i = 0; i < blocks && status == GS_OK; i++) {
        uint64_t n = most, part = all / blocks;
        uint64_t first = (uint64_t)((gsi_u128)all * i / blocks) + next_random(&random) % part;
        if (gsi_cancel_is_set(job->loop.cancel))
            status = gsi_fail(job->loop.error, GS_E_CANCELED, 0, "canceled");
        if (status == GS_OK)
            status = read_block(job, first, &n, block);
        if (status == GS_OK)
            take_block(sample, job, field, block, n);
    }
    GSI_FREE(&job->loop.ledger, block, most * element);
    memcpy(sample->sorted, sample->keys, sample->count * sample->layout->element_bytes);
    gsi_leaf_prepare(sample->layout->element_bytes);
    gsi_leaf_sort(sample->layout->element_bytes, sample->sorted, sample->count);
    return status;
}

void gsi_sample_clear(struct gsi_sample *sample, struct gsi_job *job)
{
    GSI_FREE(&job->loop.ledger, sample->ends, GSI_SAMPLE_BLOCKS_MAX);
    *sample = (struct gsi_sample){0};
}

/* The standard deviation of how many keys of a sample are below one, from how much neighbouring
 * blocks differ (the estimator of collapsed strata: Cochran, "Sampling Techniques", 5A.12); or of
 * how many are not above it, where that is more: of few values a rank may be that of the next. */
static double deviation(const struct gsi_sample *sample, gsi_u128 key)
{
    const uint32_t bytes = sample->layout->element_bytes;
    double squares = 0, squares_up_to = 0;
    int64_t before = 0, before_up_to = 0;
    for (size_t block = 0, i = 0; block < sample->block_count; block++) {
        int64_t below = 0, up_to = 0;
        for (; i < sample->ends[block]; i++) {
            gsi_u128 other = gsi_bracket_key(sample->keys, bytes, i);
            below += other < key;
            up_to += other <= key;
        }
        if (block % 2 == 1) {
            squares += (double)((below - before) * (below - before));
            squares_up_to += (double)((up_to - before_up_to) * (up_to - before_up_to));
        }
        before = below;
        before_up_to = up_to;
    }
    return sqrt(fmax(squares, squares_up_to));
}

struct gsi_bracket gsi_sample_bracket(const struct gsi_sample *sample, struct gsi_quantile quantile,
                                      struct gsi_bracket whole, double *share)
{
    const uint32_t bytes = sample->layout->element_bytes;
    *share = 1;
    if (sample->count == 0)
        return whole;
    uint64_t place = gsi_quantile_nearest(quantile, sample->count);
    double reach =
        DEVIATIONS * deviation(sample, gsi_bracket_key(sample->sorted, bytes, place)) + 2;
    uint64_t side = reach < (double)sample->count ? (uint64_t)reach : sample->count;
    uint64_t begin = 0, end = sample->count;
    struct gsi_bracket found = whole;
    if (place > side) {
        begin = place - side;
        found.low = gsi_bracket_key(sample->sorted, bytes, begin);
    }
    if (place + side < sample->count) {
        end = place + side + 1;
        found.high = gsi_bracket_key(sample->sorted, bytes, end - 1);
    }
    while (begin < end && gsi_bracket_key(sample->sorted, bytes, begin) == found.low)
        begin++;
    while (begin < end && gsi_bracket_key(sample->sorted, bytes, end - 1) == found.high)
        end--;
    *share = (double)(end - begin) / (double)sample->count;
    return found;
}
