/* job_set.c: stores the options of a job as texts, and parses them when a run begins. */
#include "api/handle.h"

#include "base/status.h"
#include "option/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gs_job *gs_job_create(void)
{
    return calloc(1, sizeof(gs_job));
}

static void free_texts(struct gsi_given_texts *given)
{
    for (size_t i = 0; i < given->count; i++)
        free(given->list[i]);
    free(given->list);
    free(given->text);
    *given = (struct gsi_given_texts){0};
}

static void free_options(struct gs_job *job)
{
    for (size_t i = 0; i < GSI_OPT_COUNT; i++)
        free_texts(&job->given[i]);
    free(job->readers);
}

void gs_job_free(gs_job *job)
{
    if (job == NULL)
        return;
    free_options(job);
    gs_report_free(job->report);
    free(job);
}

void gs_job_reset(gs_job *job)
{
    if (job == NULL || job->is_running)
        return;
    free_options(job);
    *job = (struct gs_job){.report = job->report};
}

/* ---- calls that set an option ---- */

/* Clears the failure of the last call. Fails while a run is in progress. */
static enum gs_status clear_last_error(struct gs_job *job)
{
    if (job == NULL)
        return GS_E_MEMORY;
    if (job->is_running)
        return GS_E_USAGE;
    job->error = (struct gs_error){0};
    return GS_OK;
}

/* Stores the first failure of all calls; the next run fails with it. */
static enum gs_status keep_first_failure(struct gs_job *job, enum gs_status status)
{
    if (status != GS_OK && job->set_error.status == GS_OK)
        job->set_error = job->error;
    return status;
}

static enum gs_status fail_memory(struct gs_job *job)
{
    return gsi_fail(&job->error, GS_E_MEMORY, 0, "out of memory: cannot hold the options of a job");
}

static enum gs_status find_option(struct gs_job *job, const char *name, enum gsi_option_id *id)
{
    *id = gsi_option_id(name);
    if (*id == GSI_OPT_COUNT)
        return gsi_fail(&job->error, GS_E_USAGE, 0, "'%s': libgsort %s has no such option", name,
                        gs_version());
    if (gsi_option_rows[*id].kind == GSI_KIND_PROGRAM)
        return gsi_fail(&job->error, GS_E_USAGE, 0,
                        "--%s: only the program gsort has this option, a job does not", name);
    return GS_OK;
}

/* Enlarges the table of readers to the capacity of the list of inputs. */
static enum gs_status grow_readers(struct gs_job *job)
{
    size_t capacity = job->given[GSI_OPT_INPUT].capacity;
    if (capacity <= job->reader_capacity)
        return GS_OK;
    struct gs_reader *readers = reallocarray(job->readers, capacity, sizeof *readers);
    if (readers == NULL)
        return fail_memory(job);
    memset(readers + job->reader_capacity, 0, (capacity - job->reader_capacity) * sizeof *readers);
    job->readers = readers;
    job->reader_capacity = capacity;
    return GS_OK;
}

static void free_readers(struct gs_job *job)
{
    free(job->readers);
    job->readers = NULL;
    job->reader_capacity = 0;
}

static enum gs_status append_text(struct gs_job *job, enum gsi_option_id id, const char *text)
{
    struct gsi_given_texts *given = &job->given[id];
    if (gsi_option_rows[id].kind == GSI_KIND_MODEL)
        GSI_TRY(gsi_option_apply_model(text, &job->model, &job->error));
    if (given->count == given->capacity) {
        size_t capacity = given->capacity > 0 ? 2 * given->capacity : 4;
        char **list = reallocarray(given->list, capacity, sizeof *list);
        if (list == NULL)
            return fail_memory(job);
        given->list = list;
        given->capacity = capacity;
    }
    if (id == GSI_OPT_INPUT && job->readers != NULL)
        GSI_TRY(grow_readers(job));
    if ((given->list[given->count] = strdup(text)) == NULL)
        return fail_memory(job);
    given->count++;
    return GS_OK;
}

/* Stores a text. Parses it first, so that this call fails if the text is wrong. */
static enum gs_status set_single_text(struct gs_job *job, enum gsi_option_id id, const char *text)
{
    struct gsi_options tried = {0};
    const char *alone = gsi_option_rows[id].option.alone;
    if (alone != NULL && strcmp(text, "true") == 0)
        text = alone;
    else if (alone != NULL && strcmp(text, "false") == 0)
        return GS_OK;
    GSI_TRY(gsi_option_apply(id, text, &tried, &job->error));
    job->given[id].text = strdup(text);
    return job->given[id].text != NULL ? GS_OK : fail_memory(job);
}

static enum gs_status set_option(struct gs_job *job, const char *name, const char *value)
{
    enum gsi_option_id id;
    GSI_TRY(find_option(job, name, &id));
    struct gsi_given_texts before = job->given[id];
    job->given[id] = (struct gsi_given_texts){0};
    enum gs_status status = value == NULL                        ? GS_OK
                            : gsi_option_rows[id].option.is_list ? append_text(job, id, value)
                                                                 : set_single_text(job, id, value);
    if (status == GS_OK) {
        free_texts(&before);
        if (id == GSI_OPT_INPUT)
            free_readers(job);
        if (id == GSI_OPT_OUTPUT)
            job->writer = (struct gs_writer){0};
    } else {
        free_texts(&job->given[id]);
        job->given[id] = before;
    }
    return status;
}

enum gs_status gs_job_set(gs_job *job, const char *name, const char *value)
{
    GSI_TRY(clear_last_error(job));
    return keep_first_failure(job, set_option(job, name, value));
}

enum gs_status gs_job_set_u64(gs_job *job, const char *name, uint64_t value)
{
    char text[24];
    enum gsi_option_id id = gsi_option_id(name);
    const struct gs_option *option = gs_option_at(id);
    bool is_word = option != NULL && option->alone != NULL && value < 2;
    bool is_number = is_word && gsi_option_rows[id].kind == GSI_KIND_NUMBER;
    snprintf(text, sizeof text, "%" PRIu64, value);
    return gs_job_set(job, name, !is_word || is_number ? text : value == 1 ? "true" : "false");
}

static enum gs_status add_to_list(struct gs_job *job, const char *name, const char *value)
{
    enum gsi_option_id id;
    GSI_TRY(find_option(job, name, &id));
    if (!gsi_option_rows[id].option.is_list)
        return gsi_fail(&job->error, GS_E_USAGE, 0, "--%s: is not a list; use gs_job_set", name);
    return append_text(job, id, value);
}

enum gs_status gs_job_add(gs_job *job, const char *name, const char *value)
{
    GSI_TRY(clear_last_error(job));
    return keep_first_failure(job, add_to_list(job, name, value));
}

/* ---- callbacks of the program ---- */

static enum gs_status add_reader(struct gs_job *job, const char *name,
                                 const struct gs_reader *reader)
{
    struct gsi_given_texts *inputs = &job->given[GSI_OPT_INPUT];
    GSI_TRY(append_text(job, GSI_OPT_INPUT, name));
    if (grow_readers(job) != GS_OK) {
        free(inputs->list[--inputs->count]);
        return GS_E_MEMORY;
    }
    job->readers[inputs->count - 1] = *reader;
    return GS_OK;
}

enum gs_status gs_job_add_reader(gs_job *job, const char *name, const struct gs_reader *reader)
{
    GSI_TRY(clear_last_error(job));
    return keep_first_failure(job, add_reader(job, name, reader));
}

enum gs_status gs_job_set_writer(gs_job *job, const char *name, const struct gs_writer *writer)
{
    GSI_TRY(gs_job_set(job, "output", name));
    job->writer = *writer;
    return GS_OK;
}

enum gs_status gs_job_set_progress(
    gs_job *job, void (*progress)(void *context, const struct gs_progress *progress), void *context)
{
    GSI_TRY(clear_last_error(job));
    job->progress = progress;
    job->progress_context = context;
    return GS_OK;
}

enum gs_status gs_job_set_note(gs_job *job, void (*note)(void *context, const char *text),
                               void *context)
{
    GSI_TRY(clear_last_error(job));
    job->note = note;
    job->note_context = context;
    return GS_OK;
}

enum gs_status gs_job_set_cancel(gs_job *job, gs_cancel *cancel)
{
    GSI_TRY(clear_last_error(job));
    job->cancel = cancel;
    return GS_OK;
}

/* ---- the options of a run ---- */

static enum gs_status apply_device_models(struct gs_job *job, const struct gsi_given_texts *given,
                                          struct gsi_options *options, struct gs_error *error)
{
    job->model = (struct gsi_device_model){0};
    for (size_t i = 0; i < given->count; i++)
        GSI_TRY(gsi_option_apply_model(given->list[i], &job->model, error));
    options->device_model = given->count > 0 ? &job->model : NULL;
    return GS_OK;
}

static enum gs_status apply_option(struct gs_job *job, enum gsi_option_id id,
                                   struct gsi_options *options, struct gs_error *error)
{
    const struct gsi_option_row *row = &gsi_option_rows[id];
    const struct gsi_given_texts *given = &job->given[id];
    char *members = (char *)options;
    if (given->text != NULL)
        return gsi_option_apply(id, given->text, options, error);
    if (row->kind == GSI_KIND_MODEL)
        return apply_device_models(job, given, options, error);
    if (given->count > 0) {
        memcpy(members + row->off, &given->list, sizeof given->list);
        memcpy(members + row->more, &given->count, sizeof given->count);
    }
    return GS_OK;
}

enum gs_status gsi_job_options(struct gs_job *job, enum gs_action action,
                               struct gsi_options *options, bool is_given[GSI_OPT_COUNT],
                               struct gs_error *error)
{
    *options = (struct gsi_options){.action = action,
                                    .readers = job->readers,
                                    .writer = job->writer.write != NULL ? &job->writer : NULL,
                                    .progress = job->progress,
                                    .progress_context = job->progress_context,
                                    .listener = {job->note, job->note_context},
                                    .cancel = job->cancel};
    for (int i = 0; i < GSI_OPT_COUNT; i++) {
        is_given[i] = job->given[i].text != NULL || job->given[i].count > 0;
        GSI_TRY(apply_option(job, (enum gsi_option_id)i, options, error));
    }
    return GS_OK;
}
