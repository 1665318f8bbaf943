/* array.c: jobs on an array in memory: one that is read and, for a sort, written by callbacks. All
 * of it is read before the first window of the output is made, so it may be written to the same
 * place. */
#include "base/sized.h"
#include "embed/refuse.h"

#include <assert.h>
#include <stdio.h>

struct array {
    const uint8_t *from;
    uint8_t *to;
    uint64_t bytes, read_bytes, written_bytes;
};

static int64_t read_array(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct array *array = context;
    (void)error;
    uint64_t left = array->bytes - array->read_bytes;
    size_t piece = left < bytes ? (size_t)left : bytes;
    if (piece > 0)
        memcpy(data, array->from + array->read_bytes, piece);
    array->read_bytes += piece;
    return (int64_t)piece;
}

static bool write_array(void *context, const void *data, size_t bytes, struct gs_error *error)
{
    struct array *array = context;
    (void)error;
    assert(array->read_bytes == array->bytes && bytes <= array->bytes - array->written_bytes);
    memcpy(array->to + array->written_bytes, data, bytes);
    array->written_bytes += bytes;
    return true;
}

/* What became of the array is said behind what went wrong. */
static void tell_state(const struct array *array, struct gs_error *error)
{
    size_t length = strlen(error->text);
    if (array->written_bytes == 0)
        snprintf(error->text + length, sizeof error->text - length, "; the array is as it was");
    else
        snprintf(error->text + length, sizeof error->text - length,
                 "; the array's first %llu bytes were written over: elements of it are lost",
                 (unsigned long long)array->written_bytes);
}

static enum gs_status run(struct array *array, enum gs_action action,
                          const struct gs_options *options, size_t options_bytes,
                          struct gs_report *report, size_t report_bytes, struct gs_error *error)
{
    static const char *const names[] = {"array"};
    const struct gs_reader reader = {.read = read_array, .context = array, .bytes = array->bytes};
    const struct gs_writer writer = {.write = write_array, .context = array};
    struct gs_options all;
    struct gs_report whole = {0};
    struct gs_error first;
    if (error == NULL)
        error = &first;
    memset(error, 0, sizeof *error);
    if (!gsi_sized_take(&all, sizeof all, options, options_bytes))
        return gs_run_sized(options, options_bytes, report, report_bytes, error);
    enum gs_status status =
        gsi_embed_refuse(&all, action == GS_ACTION_SORT ? GSI_EMBED_SORT : GSI_EMBED_LOOK, error);
    all.action = action;
    all.inputs = names;
    all.input_count = 1;
    all.readers = &reader;
    all.writer = action == GS_ACTION_SORT ? &writer : NULL;
    all.raw = true;
    if (status == GS_OK)
        status = gs_run_sized(&all, sizeof all, &whole, sizeof whole, error);
    if (action == GS_ACTION_SORT) {
        whole.is_placed = array->written_bytes > 0;
        if (status != GS_OK)
            tell_state(array, error);
    }
    if (report != NULL)
        gsi_sized_give(report, report_bytes, &whole, sizeof whole);
    return status;
}

enum gs_status gs_sort_array_sized(void *data, uint64_t bytes, const struct gs_options *options,
                                   size_t options_bytes, struct gs_report *report,
                                   size_t report_bytes, struct gs_error *error)
{
    struct array array = {.from = data, .to = data, .bytes = bytes};
    return run(&array, GS_ACTION_SORT, options, options_bytes, report, report_bytes, error);
}

enum gs_status gs_stats_array_sized(const void *data, uint64_t bytes,
                                    const struct gs_options *options, size_t options_bytes,
                                    struct gs_report *report, size_t report_bytes,
                                    struct gs_error *error)
{
    struct array array = {.from = data, .bytes = bytes};
    return run(&array, GS_ACTION_STATS, options, options_bytes, report, report_bytes, error);
}

enum gs_status gs_check_array_sized(const void *data, uint64_t bytes,
                                    const struct gs_options *options, size_t options_bytes,
                                    struct gs_report *report, size_t report_bytes,
                                    struct gs_error *error)
{
    struct array array = {.from = data, .bytes = bytes};
    return run(&array, GS_ACTION_CHECK, options, options_bytes, report, report_bytes, error);
}
