/* named_type.c: finds types in names of files, and compares them. */
#include "input/named/named_type.h"

#include <string.h>

static const struct gsi_type_word *type_word_of(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0 ? NULL : gsi_type_word_of_file(path);
}

static bool has_unit(const struct gsi_type_word *word)
{
    return strchr(word->type, '[') != NULL;
}

/* Returns " and N more" for a message that names the first of several inputs. */
static const char *count_others(size_t input_count, char text[32])
{
    text[0] = '\0';
    if (input_count > 1)
        snprintf(text, 32, " and %zu more", input_count - 1);
    return text;
}

enum gs_status gsi_named_type_check_output(const char *output, const char *type, const char *input,
                                           struct gs_error *error)
{
    const struct gsi_type_word *word = type_word_of(output);
    if (word == NULL || word->sense == GSI_SENSE_UNSURE)
        return GS_OK;
    if (type != NULL && word->type != NULL && gsi_type_goes_with(word->type, type))
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "'%s': this name says %s, but '%s' contains %s; choose another name%s", output,
                    word->word, input, type != NULL ? type : "records",
                    type != NULL ? ", or give the type with --type" : "");
}

/* Checks that the word at the end of a name stands for exactly one type. */
static enum gs_status check_word(const struct gsi_type_word *word, const char *path,
                                 struct gs_error *error)
{
    if (word->type != NULL)
        return GS_OK;
    if (word->either == NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "'%s': its name ends in '%s', which %s", path,
                        word->word, word->trouble);
    return gsi_fail(error, GS_E_USAGE, 0,
                    "'%s': its name ends in '%s', which %s; give --type %s or --type %s", path,
                    word->word, word->trouble, word->either, word->other);
}

enum gs_status gsi_named_type_find(const char *const *inputs, size_t input_count,
                                   const char *output, struct gsi_named_type *named,
                                   struct gs_error *error)
{
    *named = (struct gsi_named_type){0};
    for (size_t i = 0; i < input_count; i++) {
        const struct gsi_type_word *word = type_word_of(inputs[i]);
        if (word == NULL)
            continue;
        GSI_TRY(check_word(word, inputs[i], error));
        if (named->word != NULL && !gsi_type_goes_with(word->type, named->word->type))
            return gsi_fail(error, GS_E_USAGE, 0,
                            "'%s': this name says %s, but '%s' says %s; sort the files one by one, "
                            "or give one type with --type",
                            inputs[i], word->word, named->path, named->word->word);
        if (named->word == NULL || (has_unit(word) && !has_unit(named->word)))
            *named = (struct gsi_named_type){.word = word, .path = inputs[i]};
    }
    if (named->word != NULL)
        return gsi_named_type_check_output(output, named->word->type, named->path, error);
    named->word = type_word_of(output);
    named->path = output;
    named->is_output = true;
    return named->word != NULL ? check_word(named->word, output, error) : GS_OK;
}

enum gs_status gsi_named_type_fail_unknown(const char *input, size_t input_count,
                                           struct gs_error *error)
{
    char more[32];
    return gsi_fail(error, GS_E_USAGE, 0,
                    "'%s'%s: the type of the elements is unknown, and --strict assumes none; give "
                    "-t TYPE, or -R N for records",
                    input, count_others(input_count, more));
}
