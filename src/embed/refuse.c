#include "embed/refuse.h"

enum gs_status gsi_embed_refuse(const struct gs_options *options, enum gsi_embed kind,
                                struct gs_error *error)
{
    bool is_in_place = kind == GSI_EMBED_SORT, is_array = kind != GSI_EMBED_SORTER;
    const struct {
        const char *name;
        bool is_given;
    } rows[] = {{"action", options->action != GS_ACTION_SORT},
                {"inputs", options->inputs != NULL || options->input_count > 0},
                {"readers", options->readers != NULL},
                {"output", options->output != NULL},
                {"writer", options->writer != NULL},
                {"merge", options->merge},
                {"has_top", is_array && options->has_top},
                {"header_bytes", options->header_bytes > 0},
                {"drop_tail", options->drop_tail},
                {"has_range", options->has_range},
                {"find", options->find != NULL},
                {"into", options->into},
                {"split_count", options->split_count > 0},
                {"split_values", options->split_value_count > 0},
                {"part_count", options->part_count > 0},
                {"where", kind != GSI_EMBED_LOOK && options->where_count > 0},
                {"quantiles", kind != GSI_EMBED_LOOK && options->quantile_count > 0},
                {"histogram_bins", kind != GSI_EMBED_LOOK && options->histogram_bins > 0},
                {"distinct", kind != GSI_EMBED_LOOK && options->distinct},
                {"variance", kind == GSI_EMBED_SORTER && options->variance},
                {"mode", kind != GSI_EMBED_LOOK && options->mode},
                {"unique", is_in_place && options->unique},
                {"sum_wide", options->sum_wide},
                {"argsort", options->argsort},
                {"index_bytes", options->index_bytes > 0},
                {"out_fields", options->out_field_count > 0},
                {"values", options->value_count > 0},
                {"output_zstd_level", options->output_zstd_level > 0},
                {"resume_dir", options->resume_dir != NULL},
                {"verify_read", options->verify_read}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].is_given)
            return gs_fail(error, GS_E_USAGE, 0, "gs_options.%s: %s goes without it", rows[i].name,
                           is_array ? "an array" : "a sorter");
    if (options->type == NULL && options->record_bytes == 0)
        return gs_fail(error, GS_E_USAGE, 0,
                       "gs_options.type: %s has no name that says what the elements are; give it, "
                       "or record_bytes",
                       is_array ? "an array" : "a sorter");
    return GS_OK;
}
