/* array.c: jobs on an array in memory (io/array.h). A sort writes to it, or positions beside it
 * (element/carry/carry.h). */
#include "base/sized.h"
#include "job/run.h"
#include "option/together.h"

#include <stdio.h>

/* What became of the array is said behind what went wrong. */
static void tell_state(const struct gsi_array *array, struct gs_error *error)
{
    size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "%s",
             array->is_written ? "; the array was being written over: elements of it are lost"
                               : "; the array is as it was");
}

static enum gs_status run(struct gsi_array *array, enum gs_action action, bool is_argsort,
                          const struct gs_options *options, size_t options_bytes,
                          struct gs_report *report, size_t report_bytes, struct gs_error *error)
{
    static const char *const names[] = {"array"};
    struct gs_options all;
    struct gs_report whole = {0};
    struct gs_error first;
    if (error == NULL)
        error = &first;
    memset(error, 0, sizeof *error);
    if (!gsi_sized_take(&all, sizeof all, options, options_bytes))
        return gs_run_sized(options, options_bytes, report, report_bytes, error);
    struct gsi_together together;
    unsigned verbs =
        gsi_together_verb(action) | (action == GS_ACTION_SORT ? GSI_VERB_ARRAY : GSI_VERB_SCAN);
    enum gs_status status = gsi_together_begin(&together, &all, verbs, NULL, error);
    all.action = action;
    all.argsort = is_argsort;
    all.inputs = names;
    all.input_count = 1;
    all.raw = true;
    if (status == GS_OK)
        status = gsi_run_array(&all, array, &whole, error);
    if (action == GS_ACTION_SORT) {
        whole.is_placed = array->is_written;
        if (status != GS_OK && !is_argsort)
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
    struct gsi_array array = {.from = data, .to = data, .bytes = bytes};
    return run(&array, GS_ACTION_SORT, false, options, options_bytes, report, report_bytes, error);
}

enum gs_status gs_stats_array_sized(const void *data, uint64_t bytes,
                                    const struct gs_options *options, size_t options_bytes,
                                    struct gs_report *report, size_t report_bytes,
                                    struct gs_error *error)
{
    struct gsi_array array = {.from = data, .bytes = bytes};
    return run(&array, GS_ACTION_STATS, false, options, options_bytes, report, report_bytes, error);
}

enum gs_status gs_check_array_sized(const void *data, uint64_t bytes,
                                    const struct gs_options *options, size_t options_bytes,
                                    struct gs_report *report, size_t report_bytes,
                                    struct gs_error *error)
{
    struct gsi_array array = {.from = data, .bytes = bytes};
    return run(&array, GS_ACTION_CHECK, false, options, options_bytes, report, report_bytes, error);
}

enum gs_status gs_argsort_array_sized(const void *data, uint64_t bytes,
                                      const struct gs_options *options, size_t options_bytes,
                                      uint64_t *positions, struct gs_report *report,
                                      size_t report_bytes, struct gs_error *error)
{
    struct gsi_array array = {.from = data, .to = (uint8_t *)positions, .bytes = bytes};
    return run(&array, GS_ACTION_SORT, true, options, options_bytes, report, report_bytes, error);
}
