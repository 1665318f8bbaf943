/* type_note.c: notes what was assumed of the elements. */
#include "element/number_type.h"
#include "job/job_report.h"
#include "job/spec/compile.h"

#include <stdio.h>
#include <string.h>

/* Returns true if a word in a name may mean `type`. */
static bool may_mean(const struct gsi_type_word *word, const char *type)
{
    const char *const others[] = {word->either, word->other};
    bool is_meant = word->type != NULL && gsi_type_goes_with(word->type, type);
    for (size_t i = 0; i < 2 && others[i] != NULL; i++)
        is_meant |=
            gsi_type_goes_with(gsi_type_word_find(others[i], strlen(others[i]))->type, type);
    return is_meant;
}

/* Notes the first input whose name contradicts --type. */
static void note_contradiction(const struct gsi_options *options, const char *type,
                               const char *done)
{
    for (size_t i = 0; i < options->input_count; i++) {
        const char *path = options->inputs[i];
        const struct gsi_type_word *word =
            strcmp(path, "-") == 0 ? NULL : gsi_type_word_of_file(path);
        if (word == NULL || may_mean(word, type))
            continue;
        gsi_note(&options->listener, "'%s': named as %s, but %s as %s because of --type", path,
                 word->word, done, type);
        return;
    }
}

static void note_type(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_listener *listener = &options->listener;
    const char *type = job->report->element.type, *word = job->report->element.type_word;
    const char *done = options->action == GS_LOOK    ? "shown"
                       : options->action == GS_FIND  ? "searched"
                       : options->action == GS_CHECK ? "checked"
                       : options->action == GS_STATS ? "read"
                                                     : "sorted";
    const struct gsi_type_word *known =
        word != NULL ? gsi_type_word_find(word, strlen(word)) : NULL;
    const size_t inputs = gsi_inputs_merged(&job->inputs);
    char more[32] = "";
    if (inputs > 1)
        snprintf(more, sizeof more, " and %zu more", inputs - 1);
    if (word == NULL)
        gsi_note(listener, "%s%s: %s as %s by default; set the type with --type",
                 job->inputs.table[0].name, more, done, type);
    else if (options->type != NULL)
        note_contradiction(options, type, done);
    else if (known != NULL && known->sense == GSI_SENSE_SMALL)
        gsi_note(listener,
                 "'%s' in a file name means %s, of 8 bits; for 8 bytes, as in NumPy, use --type %s",
                 word, known->either, known->other);
}

/* Returns whether there may be data in an input. A stream that was sniffed without a byte has
 * none. */
static bool may_hold(const struct gsi_inputs *inputs, const struct gsi_input *input)
{
    bool is_known = input->is_stream && input->is_sniffed && !inputs->spec->is_raw;
    if (!is_known || input->coding != GSI_CODING_NONE)
        return input->bytes > 0;
    return input->head_bytes > 0;
}

void gsi_spec_note(const struct gsi_job *job)
{
    const struct gsi_inputs *inputs = &job->inputs;
    const struct gsi_layout *layout = inputs->layout;
    bool is_empty = !inputs->is_cut;
    for (size_t i = 0; i < gsi_inputs_merged(inputs) && is_empty; i++)
        is_empty = !may_hold(inputs, &inputs->table[i]);
    bool is_number = layout->number != NULL;
    if (is_number && !is_empty && inputs->formatted == NULL)
        note_type(job);
}
