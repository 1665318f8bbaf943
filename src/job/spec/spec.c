/* spec.c: compiles the options that concern inputs and output. */
#include "job/spec/spec.h"

#include "element/number_type.h"
#include "output/ranks.h"

static bool is_wanted(const struct gsi_options *options)
{
    return options->action == GS_SORT || options->action == GS_EXPLAIN;
}

/* Returns whether a set operation writes elements of the first file only. */
static bool merges_first(enum gsi_set set)
{
    return set != GSI_SET_NONE && set != GSI_SET_UNION && set != GSI_SET_XOR;
}

struct gsi_inputs_spec gsi_spec_of_inputs(const struct gsi_options *options)
{
    const bool skips_streams = options->action == GS_EXPLAIN || options->action == GS_LOOK;
    const uint64_t kept = options->drop_header ? 0 : options->header_bytes;
    return (struct gsi_inputs_spec){
        .is_merge = options->merge,
        .merges_first = merges_first(options->merge_set),
        .is_raw = options->raw,
        .are_records = options->record_bytes > 0,
        .skips_streams = skips_streams,
        .inspects_readers = options->action == GS_LOOK,
        .may_end_early = options->merge && options->has_top,
        .header_bytes = options->header_bytes,
        .kept_header_bytes = kept,
        .waits_for_header = options->merge && options->action == GS_SORT && kept > 0,
        .drops_header = options->drop_header,
        .drops_tail = options->drop_tail,
        .counts_later = options->reads_groups,
        .has_region = options->has_region,
        .region_off = options->region_off,
        .region_bytes = options->region_bytes,
        .first_position = options->has_range ? options->range_first : 0};
}

/* The format of the output; NULL: none. */
static const struct gsi_format *format_of(const struct gsi_options *options,
                                          const struct gsi_formatted *formatted)
{
    const char *ending;
    if (options->raw)
        return NULL;
    if (formatted != NULL && !options->drop_header && !options->merge_is_counted)
        return formatted->format;
    const struct gsi_format *named =
        options->output != NULL ? gsi_format_named(options->output, &ending) : NULL;
    return named != NULL && named->is_plain ? named : NULL;
}

struct gsi_header_spec gsi_spec_of_head(const struct gsi_options *options,
                                        const struct gsi_formatted *formatted)
{
    return (struct gsi_header_spec){.format = format_of(options, formatted),
                                    .has_counts = options->unique_counts,
                                    .byte_order = options->out_order,
                                    .fields = options->out_fields,
                                    .field_count = options->out_field_count};
}

bool gsi_spec_is_split(const struct gsi_options *options)
{
    return options->split_count > 0 || options->split_value_count > 0 || options->value_count > 0;
}

uint32_t gsi_spec_asked_level(const struct gsi_options *options)
{
    if (!is_wanted(options))
        return 0;
    if (options->output_zstd_level > 0)
        return options->output_zstd_level;
    return !options->raw && options->output != NULL && gsi_name_is_zst(options->output) ? 1 : 0;
}

uint32_t gsi_spec_pack_level(const struct gsi_options *options)
{
    return options->order_by_count > 0 ? 0 : gsi_spec_asked_level(options);
}

struct gsi_options gsi_spec_of_part(const struct gsi_options *options)
{
    return (struct gsi_options){.action = GS_SORT,
                                .raw = true,
                                .input_count = 1,
                                .thread_count = options->thread_count,
                                .fan_in = options->fan_in,
                                .temp_dirs = options->temp_dirs,
                                .temp_dir_count = options->temp_dir_count,
                                .compress = options->compress,
                                .compress_level = options->compress_level,
                                .io = options->io,
                                .chunk_bytes = options->chunk_bytes,
                                .window_bytes = options->window_bytes,
                                .spill_all = options->spill_all,
                                .device = GSI_DEVICE_CPU,
                                .cancel = options->cancel};
}

/* Returns whether one element of each group is written, and its bytes do not decide which. Its
 * fields may be folded. */
static bool keeps_one(const struct gsi_options *options)
{
    return !options->unique_counts && !options->ties_by_bytes &&
           (options->unique_keep == GSI_KEEP_FIRST || options->unique_keep == GSI_KEEP_LAST);
}

bool gsi_spec_keeps_elements(const struct gsi_options *options)
{
    return keeps_one(options) && options->sum_field_count == 0 && options->min_field_count == 0 &&
           options->max_field_count == 0;
}

/* Returns false if something has to see each record after the sort. */
static bool may_pre_aggregate(const struct gsi_options *options, const struct gsi_chosen *chosen)
{
    return is_wanted(options) && options->unique && !chosen->has_entries &&
           chosen->fold.count > 0 && gsi_fold_may_join(&chosen->fold) && keeps_one(options) &&
           !options->merge && !gsi_ranks_wanted(&options->order_statistics);
}

static uint32_t group_key_bytes(const struct gsi_options *options, const struct gsi_record *record)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; options->unique && i < record->key_count; i++)
        if (i < options->group_keys)
            bytes += record->keys[i].bytes;
    return bytes;
}

struct gsi_output_spec gsi_spec_of_output(const struct gsi_options *options,
                                          const struct gsi_chosen *chosen)
{
    const struct gsi_record *record = chosen->layout.record;
    struct gsi_output_spec spec = {
        .is_wanted = is_wanted(options),
        .name = options->output,
        .pack_level = gsi_spec_pack_level(options),
        .byte_order = options->out_order,
        .is_read_back = options->verify_read,
        .most_count = options->has_top ? options->top_count : UINT64_MAX,
        .statistics = &options->order_statistics,
        .is_split = gsi_spec_is_split(options),
        .split_count = options->split_count,
        .has_groups = options->unique,
        .may_pre_aggregate = may_pre_aggregate(options, chosen),
        .groups = {.has_counts = options->unique_counts,
                   .keep = options->unique_keep,
                   .key_count = gsi_record_group_keys(record, options->group_keys),
                   .fold = chosen->fold.count > 0 ? &chosen->fold : NULL},
        .group_key_bytes = group_key_bytes(options, record)};
    if (options->split_value_count > 0) {
        spec.split_count = (uint32_t)options->split_value_count + 1;
        spec.split_values = options->split_values;
    }
    return spec;
}
