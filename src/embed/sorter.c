/* sorter.c: the life of a sorter: its options, its thread, its end. */
#include "embed/sorter.h"

#include "api/handle.h"
#include "base/pool.h"
#include "base/process.h"
#include "embed/embed.h"
#include "job/run.h"
#include "option/conflicts.h"
#include "option/option_parse.h"
#include "option/options.h"

#include <stdlib.h>
#include <string.h>

/* ---- options of its own ---- */

/* Copies a list to *at, pointers first. */
static const char *const *copy_texts(const char *const *texts, size_t count, char **at)
{
    const char **copy = (const char **)(void *)*at;
    *at += count * sizeof *texts;
    for (size_t i = 0; i < count; i++) {
        size_t bytes = strlen(texts[i]) + 1;
        memcpy(*at, texts[i], bytes);
        copy[i] = *at;
        *at += bytes;
    }
    return copy;
}

static size_t aligned(size_t bytes)
{
    return (bytes + sizeof(char *) - 1) / sizeof(char *) * sizeof(char *);
}

static enum gs_status own_texts(struct gs_sorter *sorter, struct gs_error *error)
{
    struct gsi_options *options = &sorter->options;
    struct gsi_text_list lists[GSI_OPT_COUNT];
    size_t list_count = gsi_option_texts(options, lists);
    size_t bytes = options->type != NULL ? strlen(options->type) + 1 : 1;
    for (size_t i = 0; i < list_count; i++)
        bytes = aligned(bytes) + gsi_texts_bytes(*lists[i].texts, lists[i].count);
    sorter->texts = malloc(bytes);
    if (sorter->texts == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate %zu bytes", bytes);
    char *at = sorter->texts;
    if (options->type != NULL) {
        strcpy(at, options->type);
        options->type = at;
        at += strlen(at) + 1;
    }
    for (size_t i = 0; i < list_count; i++) {
        at = sorter->texts + aligned((size_t)(at - sorter->texts));
        *lists[i].texts = copy_texts(*lists[i].texts, lists[i].count, &at);
    }
    return GS_OK;
}

/* ---- the job ---- */

static void stop(void *context)
{
    struct gs_sorter *sorter = context;
    pthread_mutex_lock(&sorter->lock);
    sorter->is_stopped = true;
    pthread_cond_broadcast(&sorter->intake.has_room);
    pthread_cond_broadcast(&sorter->intake.is_filled);
    pthread_cond_broadcast(&sorter->outlet.changed);
    pthread_mutex_unlock(&sorter->lock);
}

static void take_note(void *context, const char *text)
{
    struct gs_sorter *sorter = context;
    gsi_report_note(&sorter->report, text);
    const struct gsi_listener *listener = &sorter->options.listener;
    if (listener->note != NULL)
        listener->note(listener->context, text);
}

static void *run_job(void *context)
{
    static const char *const names[] = {"sorter"};
    struct gs_sorter *sorter = context;
    sorter->reader = (struct gs_reader){.read = gsi_intake_read, .stop = stop, .context = sorter};
    sorter->writer = (struct gs_writer){.write = gsi_outlet_write, .stop = stop, .context = sorter};
    struct gsi_options options = sorter->options;
    options.inputs = names;
    options.input_count = 1;
    options.readers = &sorter->reader;
    options.writer = &sorter->writer;
    options.raw = true;
    options.listener = (struct gsi_listener){take_note, sorter};
    enum gs_status status = gsi_job_run(&options, NULL, &sorter->report, &sorter->error);
    if (status == GS_OK)
        status = gsi_order_end_writing(&sorter->order, &sorter->error);
    pthread_mutex_lock(&sorter->lock);
    sorter->error.status = status;
    sorter->is_ended = true;
    pthread_mutex_unlock(&sorter->lock);
    stop(sorter);
    return NULL;
}

enum gs_status gsi_sorter_enter(struct gs_sorter *sorter, struct gs_error *error)
{
    if (error != NULL)
        memset(error, 0, sizeof *error);
    if (sorter->process != gsi_process_id())
        return gsi_fail(error, GS_E_USAGE, 0,
                        "the sorter was opened by another process, and this one was forked from "
                        "it; open a new sorter here");
    pthread_mutex_lock(&sorter->lock);
    return GS_OK;
}

enum gs_status gsi_sorter_result(const struct gs_sorter *sorter, struct gs_error *error)
{
    if (!sorter->is_ended)
        return gsi_fail(
            error, GS_E_CANCELED, 0,
            "the sort has failed; commit all reservations, then the next call returns the reason");
    if (sorter->error.status != GS_OK && error != NULL && error->status == GS_OK)
        *error = sorter->error;
    return sorter->error.status;
}

/* Numbers that jobs sort as records of one key are such here, too. */
static void find_number(struct gs_sorter *sorter, const struct gs_type *type)
{
    bool is_reversed = sorter->options.reverse;
    const struct gsi_key_type *key_type = gsi_key_type_find(type->name);
    if (key_type != NULL) {
        sorter->layout = gsi_layout_make(key_type, is_reversed);
        gsi_layout_place_nans(&sorter->layout, sorter->options.nan_place);
        return;
    }
    gsi_record_make_number(type->element_bytes, type->name, is_reversed, &sorter->record);
    gsi_record_place_nans(&sorter->record, sorter->options.nan_place);
    sorter->layout = gsi_layout_make_records(&sorter->record, NULL, is_reversed);
    sorter->layout.number = type->name;
}

/* Determines the layout of elements. The run has checked the options. */
static enum gs_status find_layout(struct gs_sorter *sorter, struct gs_error *error)
{
    const struct gsi_options *options = &sorter->options;
    struct gs_type type = {.name = "u64"};
    if (options->record_bytes > 0) {
        GSI_TRY(gsi_names_open(&sorter->names, 0, options->name_count, error));
        for (size_t i = 0; i < options->name_count; i++)
            GSI_TRY(gsi_names_add(&sorter->names, options->names[i], options->record_bytes, error));
        GSI_TRY(gsi_record_make_named(options->record_bytes, &sorter->names, options->keys,
                                      options->key_count, options->stats_fields,
                                      options->stats_field_count, options->reverse, &sorter->record,
                                      error));
        gsi_record_place_nans(&sorter->record, options->nan_place);
        if (options->ties_by_bytes)
            gsi_record_break_ties(&sorter->record, options->reverse);
        sorter->layout = gsi_layout_make_records(&sorter->record, NULL, options->reverse);
    } else {
        if (options->type != NULL)
            gs_type_find(options->type, &type);
        find_number(sorter, &type);
    }
    sorter->element_bytes = sorter->layout.element_bytes;
    sorter->entry_bytes =
        sorter->element_bytes + (options->unique_counts ? (uint32_t)sizeof(uint64_t) : 0);
    sorter->outlet.split = malloc(sorter->entry_bytes);
    if (sorter->outlet.split == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate an element");
    gsi_order_init(&sorter->order, &sorter->layout, sorter->entry_bytes,
                   options->temp_dir_count > 0 ? options->temp_dirs[0] : NULL);
    return GS_OK;
}

/* Waits until the job wants elements, or is over. */
static enum gs_status begin(struct gs_sorter *sorter, struct gs_error *error)
{
    int refusal = gsi_thread_start(&sorter->thread, run_job, sorter);
    if (refusal != 0)
        return gsi_fail(error, GS_E_MEMORY, refusal,
                        "out of memory: cannot start a thread for a sorter");
    sorter->has_thread = true;
    pthread_mutex_lock(&sorter->lock);
    while (!sorter->has_begun && !sorter->is_ended)
        pthread_cond_wait(&sorter->intake.has_room, &sorter->lock);
    enum gs_status status = sorter->is_ended ? gsi_sorter_result(sorter, error) : GS_OK;
    if (status == GS_OK)
        status = find_layout(sorter, error);
    pthread_mutex_unlock(&sorter->lock);
    return status;
}

enum gs_status gsi_sorter_open(const struct gsi_options *options,
                               const bool is_given[GSI_OPT_COUNT], gs_sorter **out,
                               struct gs_error *error)
{
    *out = NULL;
    struct gs_sorter *sorter = calloc(1, sizeof *sorter);
    if (sorter == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a sorter");
    sorter->process = gsi_process_id();
    pthread_mutex_init(&sorter->lock, NULL);
    pthread_cond_init(&sorter->intake.has_room, NULL);
    pthread_cond_init(&sorter->intake.is_filled, NULL);
    pthread_cond_init(&sorter->outlet.changed, NULL);
    enum gs_status status = GS_OK;
    sorter->options = *options;
    struct gsi_features features;
    GSI_TRY_OR(gsi_conflicts_begin(&features, &sorter->options, GSI_VERB_SORT | GSI_VERB_SORTER,
                                   is_given, error),
               fail);
    GSI_TRY_OR(own_texts(sorter, error), fail);
    if (sorter->options.cancel == NULL)
        sorter->options.cancel = sorter->cancel = gs_cancel_create();
    if (sorter->options.cancel == NULL)
        GSI_TRY_OR(gsi_fail(error, GS_E_MEMORY, 0,
                            "out of memory: cannot allocate the cancel of a sorter"),
                   fail);
    GSI_TRY_OR(begin(sorter, error), fail);
    *out = sorter;
    return GS_OK;
fail:
    gs_sorter_close(sorter);
    return status;
}

void gs_sorter_cancel(gs_sorter *sorter)
{
    gs_cancel_now(sorter->options.cancel);
}

/* A child of fork leaves all to its parent: it could not wait for a thread that it has not. */
void gs_sorter_close(gs_sorter *sorter)
{
    if (sorter == NULL || sorter->process != gsi_process_id())
        return;
    if (sorter->has_thread) {
        pthread_mutex_lock(&sorter->lock);
        sorter->is_closing = true;
        gsi_intake_forget(sorter);
        pthread_mutex_unlock(&sorter->lock);
        stop(sorter);
        pthread_join(sorter->thread, NULL);
    }
    gsi_order_close(&sorter->order);
    gsi_names_close(&sorter->names);
    gs_cancel_free(sorter->cancel);
    pthread_cond_destroy(&sorter->outlet.changed);
    pthread_cond_destroy(&sorter->intake.is_filled);
    pthread_cond_destroy(&sorter->intake.has_room);
    pthread_mutex_destroy(&sorter->lock);
    free(sorter->outlet.split);
    free(sorter->texts);
    free(sorter);
}

const struct gs_report *gsi_sorter_told(gs_sorter *sorter, struct gs_error *error)
{
    if (gsi_sorter_enter(sorter, error) != GS_OK)
        return NULL;
    bool is_ended = sorter->is_ended;
    pthread_mutex_unlock(&sorter->lock);
    if (!is_ended)
        gsi_fail(error, GS_E_USAGE, 0,
                 "gs_sorter_report: the sort has not ended; pull until 0 bytes are returned");
    return is_ended ? &sorter->report : NULL;
}

gs_report *gs_sorter_report(gs_sorter *sorter, struct gs_error *error)
{
    const struct gs_report *told = gsi_sorter_told(sorter, error);
    gs_report *report = told != NULL ? malloc(sizeof *report) : NULL;
    if (report != NULL)
        memcpy(report, told, sizeof *report);
    else if (told != NULL)
        gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a report");
    return report;
}

static enum gs_status open_sorter(void *context, struct gsi_options *options,
                                  const bool is_given[GSI_OPT_COUNT], struct gs_report *report,
                                  struct gs_error *error)
{
    (void)report;
    return gsi_sorter_open(options, is_given, context, error);
}

gs_sorter *gs_sorter_open(gs_job *job, struct gs_error *error)
{
    gs_sorter *sorter = NULL;
    enum gs_status status = gsi_job_run_work(job, GS_SORT, open_sorter, &sorter);
    if (error != NULL) {
        *error = *gs_job_error(job);
        error->status = status;
    }
    return sorter;
}
