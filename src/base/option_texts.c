/* option_texts.c: a field of gsi_options that is a list of texts has a row here. */
#include "base/option_texts.h"

#include "base/options.h"
#include <string.h>

void gsi_option_texts(struct gsi_options *options, struct gsi_text_list lists[GSI_TEXT_LISTS])
{
    const struct gsi_text_list all[GSI_TEXT_LISTS] = {
        {&options->inputs, options->input_count},
        {&options->keys, options->key_count},
        {&options->stats_fields, options->stats_field_count},
        {&options->temp_dirs, options->temp_dir_count},
        {&options->where, options->where_count},
        {&options->quantiles, options->quantile_count},
        {&options->sum_fields, options->sum_field_count},
        {&options->min_fields, options->min_field_count},
        {&options->max_fields, options->max_field_count},
        {&options->out_fields, options->out_field_count},

        {&options->split_values, options->split_value_count},
        {&options->values, options->value_count}};
    memcpy(lists, all, sizeof all);
}

uint64_t gsi_texts_bytes(const char *const *texts, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += sizeof *texts + strlen(texts[i]) + 1;
    return bytes;
}
