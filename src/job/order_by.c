/* order_by.c: divides the options between two jobs, finds the columns, and joins both results. */
#include "job/order_by.h"

#include "base/clock.h"
#include "base/pool.h"
#include "input/format/fields.h"
#include "input/header.h"
#include "job/run.h"
#include "job/spec/spec.h"
#include "job/steps.h"
#include "output/write_flow/write_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

/* The options of the output are those of the second job. */
static void divide(const struct gsi_options *options, struct gsi_order_by *order_by)
{
    static const unsigned char of_result[] = {GSI_OPT_TOP, GSI_OPT_SPLIT, GSI_OPT_SPLIT_AT,
                                              GSI_OPT_ZSTD, GSI_OPT_VERIFY};
    struct gsi_options *groups = &order_by->groups;
    *groups = *options;
    groups->has_top = groups->verify_read = false;
    groups->top_count = groups->output_zstd_level = groups->split_count = 0;
    groups->split_value_count = 0;
    for (size_t i = 0; i < sizeof of_result; i++)
        order_by->is_given[of_result[i]] = false;
    struct gsi_options *result = &order_by->result;
    *result = gsi_spec_of_part(options);
    result->reads_groups = true;
    result->header_bytes = options->drop_header ? 0 : options->header_bytes;
    result->nan_place = options->nan_place;
    result->has_top = options->has_top;
    result->top_count = options->top_count;
    result->output = options->output;
    result->writer = options->writer;
    result->output_zstd_level = gsi_spec_asked_level(options);
    result->verify_read = options->verify_read;
    result->split_values = options->split_values;
    result->split_value_count = options->split_value_count;
    result->split_count = options->split_count;
}

/* Temporary files of both jobs are beside the output by default. */
static enum gs_status find_directory(struct gsi_order_by *order_by, struct gs_error *error)
{
    struct gsi_options *groups = &order_by->groups;
    struct gsi_output located;
    enum gs_status status = GS_OK;
    if (groups->temp_dir_count > 0 || groups->writer != NULL)
        return GS_OK;
    GSI_TRY(gsi_output_locate(groups->output, &located, error));
    if (located.directory != NULL) {
        order_by->directory = strdup(located.directory);
        groups->temp_dirs = (const char *const *)&order_by->directory;
        groups->temp_dir_count = 1;
        if (order_by->directory == NULL)
            status = gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a name");
    }
    gsi_output_close(&located);
    return status;
}

enum gs_status gsi_order_by_open(const struct gsi_options *options,
                                 const bool is_given[GSI_OPT_COUNT], struct gsi_order_by **out,
                                 struct gs_error *error)
{
    struct gsi_features features;
    struct gsi_order_by *order_by = calloc(1, sizeof *order_by);
    *out = order_by;
    if (order_by == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a job");
    gsi_pipe_open(&order_by->pipe);
    if (is_given != NULL)
        memcpy(order_by->is_given, is_given, sizeof order_by->is_given);
    divide(options, order_by);
    GSI_TRY(gsi_conflicts_begin(&features, &order_by->groups, gsi_verb_of(options->action),
                                is_given != NULL ? order_by->is_given : NULL, error));
    GSI_TRY(find_directory(order_by, error));
    order_by->writer = gsi_pipe_writer(&order_by->pipe);
    order_by->groups.writer = &order_by->writer;
    return GS_OK;
}

/* ---- columns ---- */

/* "count", or "count#2" if a field has this name. */
static void add_count(struct gsi_element_report *columns, struct gsi_field_report *count,
                      uint64_t entry_bytes)
{
    unsigned number = 1;
    *count = (struct gsi_field_report){.text = "count", .type = "u64", .bytes = sizeof(uint64_t)};
    count->off = (uint32_t)(entry_bytes - sizeof(uint64_t));
    for (size_t i = 0; i < columns->field_count; i++)
        if (strcmp(columns->fields[i].text, count->text) == 0) {
            snprintf(count->text, sizeof count->text, "count#%u", ++number);
            i = (size_t)-1; /* this name may be one, too */
        }
}

/* Describes the columns that --print shows. Those that are too many for it have no name here. */
static void find_columns(const struct gsi_job *job)
{
    const struct gsi_layout *layout = job->inputs.layout;
    struct gsi_order_by *order_by = job->order_by;
    struct gsi_element_report *columns = &order_by->columns;
    order_by->entry_bytes = gsi_write_flow_written_bytes(&job->target);
    if (layout->number != NULL) {
        struct gsi_field value = layout->record->keys[0];
        value.text = "value";
        columns->fields[columns->field_count++] = gsi_field_describe(&value);
    } else if (gsi_record_columns(&job->inputs, layout->record, &job->chosen.fold, columns) !=
               GS_OK) {
        *job->loop.error = (struct gs_error){.status = GS_OK};
    }
    if (job->options->unique_counts)
        add_count(columns, &order_by->count, order_by->entry_bytes);
}

static const struct gsi_field_report *find_column(const struct gsi_order_by *order_by,
                                                  const char *name, size_t bytes)
{
    const struct gsi_element_report *columns = &order_by->columns;
    for (size_t i = 0; i <= columns->field_count; i++) {
        const struct gsi_field_report *column =
            i < columns->field_count ? &columns->fields[i] : &order_by->count;
        if (strlen(column->text) == bytes && bytes > 0 && memcmp(column->text, name, bytes) == 0)
            return column;
    }
    return NULL;
}

static enum gs_status fail_unknown(const struct gsi_job *job, const char *name)
{
    const struct gsi_order_by *order_by = job->order_by;
    char known[GSI_NAMES_TEXT_BYTES] = "";
    for (size_t i = 0, at = 0; i <= order_by->columns.field_count && at < sizeof known; i++) {
        const char *text = i < order_by->columns.field_count ? order_by->columns.fields[i].text
                                                             : order_by->count.text;
        if (text[0] != '\0')
            at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i > 0 ? ", " : "", text);
    }
    return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                    "--order-by: groups have no column '%s'; their columns are %s", name, known);
}

/* ---- keys ---- */

static enum gs_status add_key(const struct gsi_job *job, const char *text, uint32_t off,
                              const char *type, bool is_descending)
{
    struct gsi_order_by *order_by = job->order_by;
    if (order_by->key_count == GSI_FIELDS_MAX)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0, "--order-by: more than %d columns",
                        GSI_FIELDS_MAX);
    char *key = order_by->texts[order_by->key_count];
    int bytes = snprintf(key, sizeof order_by->texts[0], "%u:%s", off, type);
    for (size_t i = 0; i < order_by->key_count; i++)
        if (strncmp(order_by->keys[i], key, (size_t)bytes) == 0 &&
            (order_by->keys[i][bytes] == '\0' || order_by->keys[i][bytes] == ':'))
            return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                            "--order-by: '%s' is given twice: the first one decides; leave the "
                            "second one out",
                            text);
    if (is_descending)
        strcpy(key + bytes, ":desc");
    order_by->keys[order_by->key_count++] = key;
    return GS_OK;
}

/* The upper half of a sum of 32 bytes decides first. It has the sign. */
static enum gs_status add_wide(const struct gsi_job *job, const char *text,
                               const struct gsi_field_report *column, bool is_descending)
{
    GSI_TRY(
        add_key(job, text, column->off + 16, column->is_signed ? "i128" : "u128", is_descending));
    return add_key(job, text, column->off, "u128", is_descending);
}

static enum gs_status add_column(const struct gsi_job *job, const char *text,
                                 const struct gsi_field_report *column, bool is_descending)
{
    char type[GSI_NAME_PLACE_BYTES];
    if (column->type != NULL)
        snprintf(type, sizeof type, "%s%s", column->type, column->is_big_endian ? "be" : "");
    else if (column->is_number)
        return add_wide(job, text, column, is_descending);
    else
        snprintf(type, sizeof type, "b%u", column->bytes);
    return add_key(job, text, column->off, type, is_descending);
}

/* A column, another field that has a name, or OFF:TYPE. */
static enum gs_status choose_column(const struct gsi_job *job, const char *text)
{
    const struct gsi_order_by *order_by = job->order_by;
    const struct gsi_names *names = &job->chosen.names;
    const struct gsi_field_report *column = find_column(order_by, text, strlen(text));
    const char *order = column == NULL ? strrchr(text, ':') : NULL;
    bool is_descending = false;
    struct gsi_field field;
    char name[GSI_FIELD_TEXT_BYTES];
    if (order == NULL || gsi_names_find(names, text) != NULL ||
        !gsi_order_word(order, &is_descending))
        order = text + strlen(text);
    if (column == NULL)
        column = find_column(order_by, text, (size_t)(order - text));
    if (column != NULL)
        return add_column(job, text, column, is_descending);
    snprintf(name, sizeof name, "%.*s", (int)(order - text), text);
    if ((name[0] < '0' || name[0] > '9') && gsi_names_find(names, name) == NULL)
        return fail_unknown(job, name);
    GSI_TRY(gsi_field_parse("order-by", name, (uint32_t)order_by->entry_bytes, names, &field,
                            job->loop.error));
    const struct gsi_field_report described = gsi_field_describe(&field);
    return add_column(job, text, &described, is_descending);
}

/* ---- the second job ---- */

static void take_note(void *context, const char *text)
{
    struct gsi_order_by *order_by = context;
    gsi_report_note(&order_by->report, text);
}

/* The program is called on its own thread. */
static void hold_progress(void *context, const struct gs_progress *progress)
{
    struct gsi_order_by *order_by = context;
    pthread_mutex_lock(&order_by->pipe.lock);
    order_by->progress = *progress;
    order_by->has_progress = true;
    pthread_cond_broadcast(&order_by->pipe.changed);
    pthread_mutex_unlock(&order_by->pipe.lock);
}

static void complete(const struct gsi_job *job)
{
    static const char *const names[] = {"groups"};
    struct gsi_order_by *order_by = job->order_by;
    struct gsi_options *result = &order_by->result;
    order_by->reader = gsi_pipe_reader(&order_by->pipe);
    result->inputs = names;
    result->readers = &order_by->reader;
    result->raw = job->inputs.head.format == NULL;
    result->record_bytes = result->raw ? (uint32_t)order_by->entry_bytes : 0;
    result->keys = order_by->keys;
    result->key_count = order_by->key_count;
    result->memory_bytes = gsi_job_memory_shares(job->options) * job->budget.memory_bytes;
    result->listener = (struct gsi_listener){take_note, order_by};
    result->progress = job->options->progress != NULL ? hold_progress : NULL;
    result->progress_context = order_by;
}

static void *run_result(void *context)
{
    struct gsi_order_by *order_by = context;
    enum gs_status status =
        gsi_job_run(&order_by->result, NULL, &order_by->report, &order_by->error);
    order_by->error.status = status;
    gsi_pipe_end_reader(&order_by->pipe, status);
    return NULL;
}

/* The second job reads a header before it opens its output. So it gets one now, without the number
 * of groups. */
static enum gs_status pass_header(struct gsi_job *job)
{
    struct gsi_inputs *inputs = &job->inputs;
    struct gs_error unheard = {.status = GS_OK};
    if (inputs->head.format == NULL)
        return GS_OK;
    GSI_TRY(gsi_header_make(inputs, 0));
    gsi_pipe_write(&job->order_by->pipe, inputs->header.data, inputs->header.bytes, &unheard);
    inputs->head.format = NULL;
    inputs->header.bytes = 0;
    return GS_OK;
}

enum gs_status gsi_order_by_begin(struct gsi_job *job)
{
    struct gsi_order_by *order_by = job->order_by;
    if (order_by == NULL)
        return GS_OK;
    find_columns(job);
    for (size_t i = 0; i < job->options->order_by_count; i++)
        GSI_TRY(choose_column(job, job->options->order_by[i]));
    if (order_by->entry_bytes > GSI_RECORD_BYTES_MAX)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "--order-by: groups of %llu bytes are too long, the limit is %u",
                        (unsigned long long)order_by->entry_bytes, GSI_RECORD_BYTES_MAX);
    complete(job);
    int refusal = gsi_thread_start(&order_by->thread, run_result, order_by);
    if (refusal != 0)
        return gsi_fail(job->loop.error, GS_E_MEMORY, refusal,
                        "out of memory: cannot start a thread for --order-by");
    order_by->has_thread = true;
    GSI_TRY(pass_header(job));
    gsi_pipe_await_reader(&order_by->pipe);
    if (order_by->pipe.reader_status != GS_OK)
        *job->loop.error = order_by->error;
    return order_by->pipe.reader_status;
}

/* ---- the end ---- */

/* Waits for the second job. */
static void await_result(struct gsi_order_by *order_by)
{
    const struct gsi_options *groups = &order_by->groups;
    struct gsi_pipe *pipe = &order_by->pipe;
    pthread_mutex_lock(&pipe->lock);
    order_by->has_progress = false; /* it waited for groups until now */
    while (!pipe->is_reader_done) {
        const struct gs_progress progress = order_by->progress;
        if (!order_by->has_progress) {
            pthread_cond_wait(&pipe->changed, &pipe->lock);
            continue;
        }
        order_by->has_progress = false;
        pthread_mutex_unlock(&pipe->lock);
        groups->progress(groups->progress_context, &progress);
        pthread_mutex_lock(&pipe->lock);
    }
    pthread_mutex_unlock(&pipe->lock);
    pthread_join(order_by->thread, NULL);
    for (size_t i = 0; i < order_by->report.notes.count; i++)
        gsi_note(&groups->listener, "%s", order_by->report.notes.texts[i]);
}

/* Between reading the input and writing the output, both jobs merge and sort groups. */
static void join_phases(struct gsi_phase_report *phases, const struct gsi_phase_report *more)
{
    struct gsi_phase_report *between = &phases[GS_PHASE_MERGE_RUNS];
    between->ns += phases[GS_PHASE_WRITE].ns + more[GS_PHASE_MERGE_RUNS].ns;
    between->io_busy_ns += phases[GS_PHASE_WRITE].io_busy_ns + more[GS_PHASE_READ].io_busy_ns +
                           more[GS_PHASE_MERGE_RUNS].io_busy_ns;
    between->bytes_read += phases[GS_PHASE_WRITE].bytes_read + more[GS_PHASE_MERGE_RUNS].bytes_read;
    between->bytes_written +=
        more[GS_PHASE_READ].bytes_written + more[GS_PHASE_MERGE_RUNS].bytes_written;
    phases[GS_PHASE_WRITE] = more[GS_PHASE_WRITE];
    phases[GS_PHASE_READ_BACK] = more[GS_PHASE_READ_BACK];
}

static void join_runs(struct gsi_runs_report *runs, const struct gsi_runs_report *more)
{
    runs->count += more->count;
    runs->spilled_count += more->spilled_count;
    runs->spilled_bytes += more->spilled_bytes;
    runs->coded_count += more->coded_count;
    runs->coded_bytes += more->coded_bytes;
    runs->temp_bytes += more->temp_bytes;
    runs->merge_passes += more->merge_passes;
}

/* The report is the first job's, with the output of the second one and the cost of both. */
static void join_reports(struct gs_report *report, const struct gs_report *result)
{
    struct gsi_cost_report *cost = &report->cost;
    report->output = result->output;
    report->top = result->top;
    report->split = result->split;
    report->ends = result->ends;
    if (result->element.bytes > 0)
        report->groups.written_count = result->output.bytes / result->element.bytes;
    report->plan.memory_bytes += result->plan.memory_bytes;
    join_runs(&report->runs, &result->runs);
    join_phases(cost->phases, result->cost.phases);
    cost->bytes_read = cost->bytes_written = 0;
    for (int i = 0; i < GS_PHASE_COUNT; i++) {
        cost->bytes_read += cost->phases[i].bytes_read;
        cost->bytes_written += cost->phases[i].bytes_written;
    }
    cost->memory_peak_bytes += result->cost.memory_peak_bytes;
    for (int i = 0; i < GSI_MEMORY_PART_COUNT; i++)
        cost->memory_parts[i] += result->cost.memory_parts[i];
}

/* Returns whether the second job's failure is the first one: that of the first job followed from
 * it, or there is none. */
static bool has_failed_first(enum gs_status groups, enum gs_status result)
{
    return result != GS_OK &&
           (groups == GS_OK || (groups == GS_E_CANCELED && result != GS_E_CANCELED));
}

enum gs_status gsi_order_by_end(struct gsi_order_by *order_by, enum gs_status status,
                                struct gs_report *report, struct gs_error *error)
{
    const uint64_t begin_ns = gsi_clock_ns();
    if (order_by == NULL)
        return status;
    if (order_by->has_thread) {
        gsi_pipe_end_writer(&order_by->pipe, status);
        await_result(order_by);
        join_reports(report, &order_by->report);
        report->cost.ns += gsi_clock_ns() - begin_ns;
    }
    if (has_failed_first(status, order_by->error.status)) {
        *error = order_by->error;
        status = order_by->error.status;
    }
    gsi_pipe_close(&order_by->pipe);
    free(order_by->directory);
    free(order_by);
    return status;
}
