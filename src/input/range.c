/* range.c: cuts elements out of inputs, which are one list. */
#include "input/range.h"

#include "base/checked.h"

enum gs_status gsi_range_region(const struct gsi_inputs *inputs, struct gsi_input *input)
{
    uint64_t off = inputs->spec->region_off, bytes = inputs->spec->region_bytes;
    if (bytes == UINT64_MAX && off <= input->bytes)
        bytes = input->bytes - off;
    if (off > input->bytes || bytes > input->bytes - off)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--region: ends after the end of '%s', which has %llu bytes", input->name,
                        (unsigned long long)input->bytes);
    input->base_off += off;
    input->bytes = bytes;
    return GS_OK;
}

void gsi_range_cut(struct gsi_inputs *inputs, struct gsi_input *input, uint64_t first,
                   uint64_t count)
{
    uint32_t element = inputs->layout->element_bytes;
    inputs->bytes -= input->bytes - count * element;
    input->passed_bytes += first * element;
    input->base_off += first * element;
    input->bytes = count * element;
    inputs->is_cut = true;
}

enum gs_status gsi_range_take(struct gsi_inputs *inputs, uint64_t first, uint64_t count,
                              struct gsi_range_report *report)
{
    uint32_t element = inputs->layout->element_bytes;
    uint64_t all = inputs->bytes / element;
    if (count == UINT64_MAX && first <= all)
        count = all - first;
    if (first > all || count > all - first)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--range: ends after the last element; there are %llu",
                        (unsigned long long)all);
    report->is_given = true;
    report->first = first;
    report->count = count;
    report->of = all;
    for (size_t i = 0; i < inputs->count; i++) {
        struct gsi_input *input = &inputs->table[i];
        uint64_t here = input->bytes / element, skipped = gsi_min_u64(first, here);
        uint64_t taken = gsi_min_u64(count, here - skipped);
        gsi_range_cut(inputs, input, skipped, taken);
        first -= skipped;
        count -= taken;
    }
    return GS_OK;
}
