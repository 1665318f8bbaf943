/* type_note.c: notes what was assumed of the elements. */
#include "element/number_type.h"
#include "element/type_guess.h"
#include "job/job_report.h"
#include "job/spec/compile.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Returns how many bytes were copied of a file's first elements, even if only later ones are read.
 * We copy none of a stream, whose first elements may not be there yet, nor of compressed data. A
 * failure is left to the real read. */
static size_t copy_first(const struct gsi_inputs *inputs, uint8_t first[GSI_GUESS_BYTES])
{
    const struct gsi_input *input = &inputs->table[0];
    if (input->is_stream || input->array != NULL || input->fd < 0)
        return 0;
    uint64_t most = inputs->spec->has_region ? inputs->spec->region_bytes : UINT64_MAX;
    ssize_t bytes = pread(input->fd, first, (size_t)gsi_min_u64(GSI_GUESS_BYTES, most),
                          (off_t)(input->base_off - input->passed_bytes));
    return bytes < 0 ? 0 : (size_t)bytes;
}

/* Notes that u64 was assumed. The note is a warning if the elements look like a type of another
 * order. */
static void note_assumption(const struct gsi_job *job, const char *done)
{
    const struct gsi_listener *listener = &job->options->listener;
    const char *name = job->inputs.table[0].name;
    const size_t inputs = gsi_inputs_merged_count(&job->inputs);
    char more[32] = "";
    if (inputs > 1)
        snprintf(more, sizeof more, " and %zu more", inputs - 1);
    uint8_t first[GSI_GUESS_BYTES];
    char numbers[GSI_GUESS_TEXT_BYTES], guessed[GSI_GUESS_TEXT_BYTES];
    size_t bytes = copy_first(&job->inputs, first);
    struct gsi_type_guess guess = gsi_type_guess(first, bytes);
    gsi_type_guess_text(numbers, "u64", first, bytes);
    if (guess.type == NULL) {
        bool is_shown = numbers[0] != '\0';
        gsi_note(listener, "%s%s: %s as u64 by default%s%s%s; set the type with --type", name, more,
                 done, is_shown ? " (" : "", numbers, is_shown ? ")" : "");
        return;
    }
    gsi_type_guess_text(guessed, guess.type, first, bytes);
    const char *prefix = guess.is_time ? "" : GSI_WARNING;
    const char *quote = guess.is_time ? "'" : ""; /* for shells: it has brackets */
    gsi_note(listener,
             "%s%s%s: %s as u64 by default (%s), but the elements look like %s (%s); use "
             "--type=%s%s%s",
             prefix, name, more, done, numbers, guess.type, guessed, quote, guess.type, quote);
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
    if (word == NULL)
        note_assumption(job, done);
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
    for (size_t i = 0; i < gsi_inputs_merged_count(inputs) && is_empty; i++)
        is_empty = !may_hold(inputs, &inputs->table[i]);
    bool is_number = layout->number != NULL;
    if (is_number && !is_empty && inputs->formatted == NULL)
        note_type(job);
}
