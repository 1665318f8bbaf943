/* gpu_array.c: jobs on an array in the memory of a GPU (device/gpu_array.h): what options mean for
 * it. */
#include "device/gpu_array.h"
#include "api/handle.h"
#include "base/status.h"
#include "element/number_type.h"
#include "job/job_report.h"
#include "option/conflicts.h"

#include <string.h>

/* A build without CUDA finds it if something else brings it: tests do. */
#ifndef GSORT_HAVE_CUDA
#pragma weak gsi_gpu_array_cuda
#endif

/* No GPU has as much memory; sizes that are made of such have no overflow. */
#define MOST_BYTES ((uint64_t)1 << 48)

/* A call of the program. */
struct gpu_call {
    struct gsi_gpu_array array;
    uint64_t bytes;
    bool is_argsort;
    uint64_t *needed; /* how much scratch is asked for; NULL: it is sorted */
};

/* A map of keys at the upper end of 64 bits as one of `bytes`. */
static struct gsi_key_map map_of(const struct gsi_field *field, uint32_t bytes, bool is_reversed)
{
    struct gsi_key_map map = gsi_field_key_map(field);
    const uint32_t shift = bytes == 4 ? 32 : 0;
    map.flip >>= shift;
    map.sign >>= shift;
    map.shift >>= shift;
    map.invert = !is_reversed ? 0 : bytes < 4 ? ~(UINT64_MAX >> 8 * bytes) : UINT64_MAX >> shift;
    return map;
}

static enum gs_status choose_numbers(const struct gsi_options *options, struct gpu_call *call,
                                     struct gsi_record *record, struct gs_report *report,
                                     struct gs_error *error)
{
    const struct gsi_type_word *word;
    GSI_TRY(gsi_type_word_of_option(options->type, &word, error));
    const struct gsi_field field = gsi_field_of_number(word->type);
    gsi_record_make_number(field.bytes, word->type, options->reverse, record);
    call->array.is_numbers = true;
    call->array.is_big_endian = field.is_big_endian;
    call->array.map = map_of(&field, field.bytes, options->reverse);
    report->element.type = word->type;
    report->element.type_word = word->word;
    report->element.is_float = field.type->kind == GSI_KEY_FLOAT;
    report->element.is_signed = field.type->kind != GSI_KEY_UNSIGNED;
    return GS_OK;
}

static enum gs_status choose_records(const struct gsi_options *options, struct gsi_record *record,
                                     struct gs_report *report, struct gs_error *error)
{
    struct gsi_names names;
    enum gs_status status = gsi_names_open(&names, 0, options->name_count, error);
    for (size_t i = 0; i < options->name_count && status == GS_OK; i++)
        status = gsi_names_add(&names, options->names[i], options->record_bytes, error);
    if (status == GS_OK)
        status =
            gsi_record_make_named(options->record_bytes, &names, options->keys, options->key_count,
                                  NULL, 0, options->reverse, record, error);
    gsi_names_close(&names); /* the GPU needs none */
    if (status == GS_OK && options->ties_by_bytes)
        gsi_record_break_ties(record, options->reverse);
    report->element.type = "record";
    return status;
}

static enum gs_status choose(const struct gsi_options *options, struct gpu_call *call,
                             struct gsi_record *record, struct gs_report *report,
                             struct gs_error *error)
{
    GSI_TRY(options->record_bytes > 0 ? choose_records(options, record, report, error)
                                      : choose_numbers(options, call, record, report, error));
    call->array.record = record;
    call->array.count = call->bytes / record->bytes;
    report->element.type_source = "option";
    report->element.bytes = record->bytes;
    report->element.is_reversed = options->reverse;
    report->input.bytes = report->output.bytes = call->bytes;
    report->device.name = "cuda";
    if (call->bytes % record->bytes != 0)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "the array: %llu bytes are not a multiple of the element size, %u bytes",
                        (unsigned long long)call->bytes, record->bytes);
    if (call->bytes > MOST_BYTES)
        return gsi_fail(error, GS_E_USAGE, 0, "the array: %llu bytes are more than any GPU has",
                        (unsigned long long)call->bytes);
    return GS_OK;
}

static enum gs_status choose_positions(const struct gsi_options *options, struct gpu_call *call,
                                       struct gs_error *error)
{
    struct gsi_gpu_array *array = &call->array;
    if (!call->is_argsort)
        return options->argsort ? gsi_fail(error, GS_E_USAGE, 0,
                                           "--argsort cannot be used with gs_cuda_sort; use "
                                           "gs_cuda_argsort to write positions")
                                : GS_OK;
    array->position_bytes = options->index_bytes == 4 ? 4 : 8;
    if (array->position_bytes == 4 && array->count > (uint64_t)1 << 32)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--argsort=u32: the array has %llu elements, and positions of so many need "
                        "--argsort=u64",
                        (unsigned long long)array->count);
    const uint8_t *data = array->data, *positions = array->positions;
    if (call->needed == NULL && positions == NULL && array->count > 0)
        return gsi_fail(error, GS_E_USAGE, 0, "the positions: the pointer is NULL");
    const bool is_apart =
        positions + array->count * array->position_bytes <= data || data + call->bytes <= positions;
    if (call->needed == NULL && array->count > 0 && !is_apart)
        return gsi_fail(error, GS_E_USAGE, 0, "the positions: their memory overlaps the array");
    return GS_OK;
}

static enum gs_status run(void *context, struct gsi_options *options,
                          const bool is_given[GSI_OPT_COUNT], struct gs_report *report,
                          struct gs_error *error)
{
    struct gpu_call *call = context;
    struct gsi_record record;
    struct gsi_features features;
    const struct gsi_gpu_array_ops *ops = &gsi_gpu_array_cuda;
    GSI_TRY(gsi_conflicts_begin(&features, options, GSI_VERB_SORT | GSI_VERB_GPU_ARRAY, is_given,
                                error));
    GSI_TRY(gsi_conflicts_check(
        &features, options->record_bytes > 0 ? GSI_PROPERTY_RECORDS : GSI_PROPERTY_NUMBERS, NULL,
        error));
    GSI_TRY(choose(options, call, &record, report, error));
    GSI_TRY(choose_positions(options, call, error));
    if (ops == NULL)
        return gsi_fail(error, GS_E_DEVICE, 0,
                        "this libgsort was built without CUDA and cannot use a GPU's memory; build "
                        "it on a machine with nvcc");
    if (call->needed != NULL) {
        if (call->is_argsort) /* anywhere: only that there are some counts */
            call->array.positions = &record;
        *call->needed = ops->scratch_bytes(&call->array);
        return GS_OK;
    }
    GSI_TRY(ops->sort(&call->array, error));
    report->output.is_placed = true;
    return GS_OK;
}

enum gs_status gs_cuda_sort(gs_job *job, void *data, uint64_t bytes, void *stream, void *scratch,
                            uint64_t scratch_bytes)
{
    struct gpu_call call = {.array = {.data = data,
                                      .stream = stream,
                                      .scratch = scratch,
                                      .scratch_bytes = scratch_bytes},
                            .bytes = bytes};
    return gsi_job_run_work(job, GS_SORT, run, &call);
}

enum gs_status gs_cuda_argsort(gs_job *job, const void *data, uint64_t bytes, void *positions,
                               void *stream, void *scratch, uint64_t scratch_bytes)
{
    struct gpu_call call = {.array = {.data = (void *)data,
                                      .positions = positions,
                                      .stream = stream,
                                      .scratch = scratch,
                                      .scratch_bytes = scratch_bytes},
                            .bytes = bytes,
                            .is_argsort = true};
    return gsi_job_run_work(job, GS_SORT, run, &call);
}

enum gs_status gs_cuda_scratch_bytes(gs_job *job, uint64_t bytes, bool is_argsort,
                                     uint64_t *scratch_bytes)
{
    struct gpu_call call = {.bytes = bytes, .is_argsort = is_argsort, .needed = scratch_bytes};
    return gsi_job_run_work(job, GS_SORT, run, &call);
}
