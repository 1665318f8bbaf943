/* small_array.c: fingerprint and to keys, sort, check, back to elements, tally: one pass after the
 * other, all in the cache. */
#include "job/strategy/small_array.h"

#include "base/clock.h"
#include "base/status.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "device/cpu/cpu_presorted.h"
#include "element/number_type.h"
#include "element/tally/digest.h"
#include "element/tally/tally_sums.h"
#include "job/job_report.h"
#include "loop/cancel.h"
#include "option/option_parse.h"
#include "output/stream_check.h"

#include <string.h>

/* With less memory than this it may be that such a sort is refused. */
#define MEMORY_ENOUGH_BYTES ((uint64_t)64 << 20)

/* Options that change nothing here, or what is done here. */
static const bool is_known[GSI_OPT_COUNT] = {
    [GSI_OPT_TYPE] = true,     [GSI_OPT_REVERSE] = true,    [GSI_OPT_RAW] = true,
    [GSI_OPT_MEMORY] = true,   [GSI_OPT_COMPRESS] = true,   [GSI_OPT_DEVICE] = true,
    [GSI_OPT_PARALLEL] = true, [GSI_OPT_BATCH_SIZE] = true,
};

/* The type that is asked for; NULL: none of elements, or something is wrong with it. */
static const struct gsi_key_type *type_of(const struct gsi_options *options,
                                          const struct gsi_type_word **word)
{
    *word = options->type != NULL ? gsi_type_word_find(options->type, strlen(options->type)) : NULL;
    bool is_plain = *word != NULL && (*word)->sense == GSI_SENSE_PLAIN;
    return is_plain ? gsi_key_type_find((*word)->type) : NULL;
}

bool gsi_small_array_is(const struct gsi_options *options, const struct gsi_features *features,
                        const struct gsi_array *array)
{
    const struct gsi_type_word *word;
    const struct gsi_key_type *type = type_of(options, &word);
    for (int i = 0; i < GSI_OPT_COUNT; i++)
        if (features->has[i] && !is_known[i])
            return false;
    return type != NULL && array->from == array->to && array->bytes > 0 &&
           array->bytes < GSI_SMALL_ARRAY_END_BYTES && array->bytes % type->bytes == 0 &&
           (uintptr_t)array->to % type->bytes == 0 && options->device != GSI_DEVICE_CUDA &&
           options->device_set == 0 && options->device_model == NULL &&
           (options->memory_bytes == 0 || options->memory_bytes >= MEMORY_ENOUGH_BYTES) &&
           gsi_cancel_is_own(options->cancel);
}

/* ---- the report ---- */

static void describe(const struct gsi_options *options, uint64_t bytes, struct gs_report *report)
{
    const struct gsi_type_word *word;
    const struct gsi_key_type *type = type_of(options, &word);
    memset(report, 0, sizeof *report);
    gsi_compress_text(GSI_COMPRESS_NONE, 0, report->runs.codec, sizeof report->runs.codec);
    report->element.type = type->name;
    report->element.type_source = "option";
    report->element.type_word = word->word;
    report->element.bytes = type->bytes;
    report->element.is_float = type->kind == GSI_KEY_FLOAT;
    report->element.is_signed = type->kind != GSI_KEY_UNSIGNED;
    report->element.is_reversed = options->reverse;
    report->plan = (struct gsi_plan){.input_bytes = bytes,
                                     .output_bytes = bytes,
                                     .memory_bytes = options->memory_bytes,
                                     .thread_count = 1,
                                     .run_count = 1,
                                     .is_in_place = true};
}

static void count_bytes(uint64_t bytes, struct gs_report *report)
{
    report->runs.count = 1;
    report->input.bytes = report->input.file_bytes = report->input.data_bytes = bytes;
    report->input.expected_bytes = UINT64_MAX;
    report->output.bytes = report->output.file_bytes = bytes;
    report->cost.bytes_read = report->cost.phases[GS_PHASE_READ].bytes_read = bytes;
    report->cost.bytes_written = report->cost.phases[GS_PHASE_WRITE].bytes_written = bytes;
}

/* ---- the sort ---- */

static enum gs_status verify(const char *name, const struct gsi_digest *digest,
                             const struct gsi_tally_report *tally, struct gs_error *error)
{
    if (digest->disorder_idx == UINT64_MAX && digest->count == tally->count &&
        gsi_fingerprint(digest->fingerprint) == gsi_fingerprint(tally->fingerprint))
        return GS_OK;
    return gsi_fail(error, GS_E_VERIFY, 0,
                    "'%s': the output is not the sorted input; what was written is wrong; do not "
                    "change it while it is sorted, or check the memory of this machine",
                    name);
}

static enum gs_status sort(const struct gsi_options *options, struct gsi_array *array,
                           struct gs_report *report, struct gs_error *error)
{
    const struct gsi_layout layout =
        gsi_layout_make(gsi_key_type_find(report->element.type), options->reverse);
    const size_t n = array->bytes / layout.element_bytes;
    uint64_t fingerprint[2] = {0, 0};
    struct gsi_digest digest = GSI_DIGEST_EMPTY;
    struct gsi_tally_sums tally;
    gsi_leaf_prepare(layout.key_bytes);
    array->is_written = true;
    gsi_fingerprint_add_map(&layout, fingerprint, array->to, n);
    gsi_sort_keys(layout.key_bytes, array->to, n, NULL);
    gsi_digest_add_unmap(&layout, &digest, array->to, n);
    gsi_tally_sums_clear(&tally);
    gsi_tally_sums_add_sorted(&layout, &tally, array->to, n);
    tally.fingerprint = gsi_fingerprint(fingerprint);
    report->tally = gsi_tally_sums_report(&layout, &tally);
    gsi_stream_check_tell_ends(&layout, array->to, array->to + (n - 1) * layout.element_bytes,
                               &report->ends);
    count_bytes(array->bytes, report);
    return verify(options->inputs[0], &digest, &report->tally, error);
}

enum gs_status gsi_small_array_sort(const struct gsi_options *options, struct gsi_array *array,
                                    struct gs_report *report, struct gs_error *error)
{
    uint64_t begin_ns = gsi_clock_ns();
    describe(options, array->bytes, report);
    if (gsi_cancel_is_set(options->cancel))
        return gsi_fail(error, GS_E_CANCELED, 0, "canceled");
    report->device.name = "cpu";
    enum gs_status status = sort(options, array, report, error);
    report->cost.ns = report->cost.phases[GS_PHASE_READ].ns = gsi_clock_ns() - begin_ns;
    return status;
}
