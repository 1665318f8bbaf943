/* payload.c: --argsort, --out and --values. */
#include "job/spec/compile.h"

#include "base/checked.h"
#include "element/entry/shuffle.h"
#include "input/format/format.h"
#include "job/job_report.h"

#include <stdio.h>
#include <string.h>

static enum gs_status check_numbers(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    struct gs_error *error = job->loop.error;
    if (options->index_bytes != 0 && options->index_bytes != 4 && options->index_bytes != 8)
        return gsi_fail(error, GS_E_USAGE, 0, "--index: positions have 4 or 8 bytes, not %u",
                        options->index_bytes);
    if (options->out_field_count > GSI_FIELDS_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--out: names %zu fields; the limit is %d",
                        options->out_field_count, GSI_FIELDS_MAX);
    return GS_OK;
}

/* ---- positions ---- */

/* Describes entries: normalised keys, which are bytes, followed by a position. */
static void describe_keys(const struct gsi_entry_map *entry_map, struct gsi_record *record)
{
    const struct gsi_record *from = entry_map->input.record;
    *record = (struct gsi_record){.bytes = entry_map->entry_bytes};
    const uint32_t count = from->key_count;
    for (uint32_t i = 0; i < count || i == 0; i++) {
        uint32_t bytes = count > 0 ? from->keys[i].bytes : entry_map->key_bytes;
        struct gsi_key_part part = {
            .at = record->key_bytes, .off = record->key_bytes, .bytes = bytes};
        record->parts[record->part_count++] = part;
        if (count > 0)
            record->keys[record->key_count++] = (struct gsi_field){
                .off = record->key_bytes, .bytes = bytes, .text = from->keys[i].text};
        record->key_bytes += bytes;
    }
}

/* Checks that all positions fit, as far as this is known now. */
static enum gs_status check_index(const struct gsi_job *job, uint64_t most)
{
    if (most == UINT64_MAX || gsi_entry_positions_fit(most, job->options->index_bytes == 4 ? 4 : 8))
        return GS_OK;
    return gsi_fail(
        job->loop.error, GS_E_USAGE, 0,
        "--index u32: positions go up to %llu, which exceeds 4294967295; use --index u64",
        (unsigned long long)most - 1);
}

static enum gs_status choose_positions(const struct gsi_job *job, struct gsi_chosen *chosen,
                                       const struct gsi_payload_report *report)
{
    const struct gsi_options *options = job->options;
    uint64_t most = UINT64_MAX;
    if (job->inputs.bytes != UINT64_MAX)
        most = job->inputs.spec->first_position +
               job->inputs.bytes / chosen->input_layout.element_bytes;
    GSI_TRY(check_index(job, most));
    GSI_TRY(gsi_entry_positions(&chosen->entry_map, &chosen->input_layout, most, options->unique,
                                options->index_bytes == 4 ? 4 : 8, job->loop.error));
    if (options->is_shuffled)
        gsi_entry_shuffle(&chosen->entry_map, report->seed);
    if (chosen->entry_map.kind == GSI_ENTRY_KEY) {
        describe_keys(&chosen->entry_map, &chosen->record);
        return GS_OK;
    }
    const char *type = chosen->entry_map.entry_bytes == 8 ? "u64" : "u128";
    chosen->record = (struct gsi_record){.bytes = 0};
    chosen->layout = gsi_layout_make(gsi_key_type_find(type), false);
    chosen->layout.is_only_counted = true; /* the elements of the input are tallied instead */
    return GS_OK;
}

/* ---- fields ---- */

/* OFF:LEN, or the name of a field. */
static enum gs_status find_field(const struct gsi_job *job, const char *text, uint32_t *off,
                                 uint32_t *bytes)
{
    const struct gsi_names *names = &job->chosen.names;
    const struct gsi_name *name = gsi_names_find(names, text);
    bool is_place = names->count == 0 || (text[0] >= '0' && text[0] <= '9') || text[0] == '\0';
    if (name == NULL)
        return is_place ? gsi_bytes_parse("out", text, job->chosen.input_layout.element_bytes, off,
                                          bytes, job->loop.error)
                        : gsi_names_fail_unknown(names, "out", text, job->loop.error);
    *off = name->off;
    *bytes = name->bytes;
    return *bytes > 0 ? GS_OK
                      : gsi_fail(job->loop.error, GS_E_USAGE, 0,
                                 "--out: '%s' has no bytes; leave it out", text);
}

/* The fields of a .npy file have names of their own. */
static enum gs_status check_names(const struct gsi_job *job)
{
    const char *const *fields = job->options->out_fields;
    for (size_t i = 1; job->inputs.head.format != NULL && i < job->options->out_field_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(fields[i], fields[k]) == 0)
                return gsi_fail(
                    job->loop.error, GS_E_USAGE, 0,
                    "--out: '%s' is named twice, but fields of a .npy file have different names",
                    fields[i]);
    return GS_OK;
}

static void need_all(struct gsi_entry_map *entry_map, const struct gsi_chosen *chosen)
{
    const struct gsi_record *record = &chosen->input_record;
    for (uint32_t i = 0; i < record->part_count; i++)
        gsi_entry_need(entry_map, record->parts[i].off, record->parts[i].bytes);
    for (uint32_t i = 0; i < record->field_count; i++)
        gsi_entry_need(entry_map, record->fields[i].off, record->fields[i].bytes);
    for (uint32_t i = 0; i < chosen->fold.count; i++)
        gsi_entry_need(entry_map, chosen->fold.fields[i].field.off,
                       chosen->fold.fields[i].field.bytes);
}

/* Changes every place in a record to its place in an entry. */
static void move_places(const struct gsi_entry_map *entry_map, struct gsi_chosen *chosen)
{
    struct gsi_record *record = &chosen->record;
    record->bytes = entry_map->entry_bytes;
    for (uint32_t i = 0; i < record->part_count; i++)
        record->parts[i].off = gsi_entry_offset_of(entry_map, record->parts[i].off);
    for (uint32_t i = 0; i < record->key_count; i++)
        record->keys[i].off = gsi_entry_offset_of(entry_map, record->keys[i].off);
    for (uint32_t i = 0; i < record->field_count; i++)
        record->fields[i].off = gsi_entry_offset_of(entry_map, record->fields[i].off);
    for (uint32_t i = 0; i < chosen->fold.count; i++) {
        struct gsi_fold_field *folded = &chosen->fold.fields[i];
        folded->field.off = gsi_entry_offset_of(entry_map, folded->field.off);
        if (folded->wide_bytes > 0)
            folded->wide_off -= chosen->fold.record_bytes - entry_map->entry_bytes;
    }
    if (chosen->fold.count > 0)
        chosen->fold.record_bytes = entry_map->entry_bytes;
}

/* Checks that folded fields are written. Sums that follow the record always are. */
static enum gs_status check_folds(const struct gsi_job *job, const struct gsi_fold *fold)
{
    for (uint32_t i = 0; i < fold->count; i++) {
        const struct gsi_fold_field *folded = &fold->fields[i];
        bool is_written = folded->wide_bytes > 0;
        for (size_t k = 0; k < job->options->out_field_count; k++) {
            uint32_t off, bytes;
            GSI_TRY(find_field(job, job->options->out_fields[k], &off, &bytes));
            is_written |=
                off < folded->field.off + folded->field.bytes && folded->field.off < off + bytes;
        }
        if (!is_written)
            return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                            "--%s: '%s' is not among the fields that --out writes; add it there, "
                            "or leave this option out",
                            gsi_fold_kind_name(folded->kind), folded->field.text);
    }
    return GS_OK;
}

static enum gs_status add_fields(const struct gsi_job *job, struct gsi_entry_map *entry_map,
                                 struct gsi_payload_report *report)
{
    const struct gsi_options *options = job->options;
    uint64_t all = 0;
    GSI_TRY(check_names(job));
    for (size_t i = 0; i < options->out_field_count; i++) {
        uint32_t off, bytes;
        GSI_TRY(find_field(job, options->out_fields[i], &off, &bytes));
        all += bytes;
        if (all > GSI_RECORD_BYTES_MAX)
            return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                            "--out: the fields have more than %u bytes in total",
                            GSI_RECORD_BYTES_MAX);
        gsi_entry_write_field(entry_map, off, bytes);
        gsi_shorten_name(report->fields[i], sizeof report->fields[i], options->out_fields[i]);
    }
    report->field_count = options->out_field_count;
    return GS_OK;
}

static enum gs_status choose_fields(const struct gsi_job *job, struct gsi_chosen *chosen,
                                    struct gsi_payload_report *report)
{
    const struct gsi_options *options = job->options;
    struct gsi_entry_map *entry_map = &chosen->entry_map;
    gsi_entry_fields(entry_map, &chosen->input_layout);
    need_all(entry_map, chosen);
    GSI_TRY(add_fields(job, entry_map, report));
    GSI_TRY(check_folds(job, &chosen->fold));
    gsi_entry_lay_out(entry_map, options->merge);
    move_places(entry_map, chosen);
    return GS_OK;
}

/* ---- random order ---- */

/* Fails if elements are too long for a random key before them. */
static enum gs_status check_room(const struct gsi_job *job, const struct gsi_entry_map *entry_map)
{
    if (entry_map->entry_bytes <= GSI_RECORD_BYTES_MAX)
        return GS_OK;
    return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                    "--shuffle: elements of %u bytes are too long, the limit is %u bytes",
                    entry_map->entry_bytes - (uint32_t)sizeof(uint64_t),
                    GSI_RECORD_BYTES_MAX - (uint32_t)sizeof(uint64_t));
}

/* Records that begin with their random key. Those of 16 bytes are integers if their keys cover all
 * bytes, which changes no order, as random keys are never equal. */
static enum gs_status describe_shuffled(const struct gsi_job *job, struct gsi_chosen *chosen)
{
    const uint32_t bytes = chosen->entry_map.entry_bytes;
    GSI_TRY(check_room(job, &chosen->entry_map));
    gsi_record_make_number(bytes, "u64", false, &chosen->record);
    if (bytes == 16)
        gsi_record_break_ties(&chosen->record, false);
    chosen->record.field_count = 0; /* elements are tallied as they are read */
    return GS_OK;
}

static enum gs_status choose_shuffled(const struct gsi_job *job, struct gsi_chosen *chosen,
                                      struct gsi_payload_report *report)
{
    struct gsi_entry_map *entry_map = &chosen->entry_map;
    gsi_entry_fields(entry_map, &chosen->input_layout);
    gsi_entry_shuffle(entry_map, report->seed);
    if (job->options->out_field_count > 0)
        GSI_TRY(add_fields(job, entry_map, report));
    else
        gsi_entry_write_field(entry_map, 0, chosen->input_layout.element_bytes);
    gsi_entry_lay_out(entry_map, false);
    return describe_shuffled(job, chosen);
}

/* ---- values ---- */

/* Records that start with the elements, whose keys they keep. */
static enum gs_status choose_joined(const struct gsi_job *job, struct gsi_chosen *chosen,
                                    struct gs_report *report)
{
    const struct gsi_options *options = job->options;
    const struct gsi_layout *keys = &chosen->input_layout;
    struct gs_error *error = job->loop.error;
    uint64_t count = job->inputs.bytes / keys->element_bytes;
    uint32_t bytes = 0;
    GSI_TRY(gsi_values_parse(&chosen->values, options->values, options->value_count,
                             keys->element_bytes, error));
    for (uint32_t i = 0; i < chosen->values.count; i++)
        bytes += chosen->values.table[i].bytes;
    gsi_entry_joined(&chosen->entry_map, keys, bytes);
    if (options->is_shuffled) {
        gsi_entry_shuffle(&chosen->entry_map, report->payload.seed);
        GSI_TRY(describe_shuffled(job, chosen));
    } else {
        chosen->record = *keys->record;
    }
    chosen->record.bytes = chosen->entry_map.entry_bytes;
    chosen->record.field_count = 0; /* they are tallied as they are read */
    for (size_t i = 0; i < options->value_count; i++)
        gsi_shorten_name(report->input.values[i], sizeof report->input.values[i],
                         options->values[i]);
    report->input.value_count = options->value_count;
    return gsi_values_open(&chosen->values, options->has_range ? report->range.first : 0, count,
                           options->has_range ? report->range.of : count, error);
}

enum gs_status gsi_spec_payload(const struct gsi_job *job, struct gsi_chosen *chosen,
                                struct gs_report *report)
{
    const struct gsi_options *options = job->options;
    GSI_TRY(check_numbers(job));
    if (!options->argsort && options->out_field_count == 0 && options->value_count == 0 &&
        !options->is_shuffled)
        return GS_OK;
    report->payload.is_shuffled = options->is_shuffled;
    if (options->is_shuffled)
        report->payload.seed = options->has_seed ? options->seed : gsi_shuffle_draw();
    chosen->input_record = *chosen->layout.record;
    chosen->input_layout = chosen->layout;
    chosen->input_layout.record = &chosen->input_record;
    GSI_TRY(options->argsort           ? choose_positions(job, chosen, &report->payload)
            : options->value_count > 0 ? choose_joined(job, chosen, report)
            : options->is_shuffled     ? choose_shuffled(job, chosen, &report->payload)
                                       : choose_fields(job, chosen, &report->payload));
    gsi_key_scope_close(&chosen->scope, NULL);
    if (chosen->record.bytes > 0) {
        GSI_TRY(gsi_key_scope_open(&chosen->scope, &chosen->record, NULL, job->loop.error));
        chosen->layout = gsi_layout_make_records(&chosen->record, &chosen->scope,
                                                 options->reverse &&
                                                     !gsi_entry_has_positions(&chosen->entry_map));
        chosen->layout.has_moments = chosen->input_layout.has_moments;
    }
    chosen->has_entries = true;
    report->payload.has_positions = options->argsort;
    report->payload.written_bytes =
        gsi_entry_is_changed(&chosen->entry_map) && !chosen->entry_map.is_whole
            ? chosen->entry_map.output_bytes
            : 0;
    report->payload.sorted_bytes = chosen->entry_map.entry_bytes;
    return GS_OK;
}
