/* option_words.c: prints the options of gsort that may be repeated, with a +, and those whose
 * argument is a word, with the words:
 *
 *     --key +
 *     --device auto cpu cuda
 *
 * Part of the build: completions are made of it and of --help (make_docs.py). */
#include "gsort.h"

int main(void)
{
    const struct gs_option *option;
    for (size_t i = 0; (option = gs_option_at(i)) != NULL; i++) {
        bool is_repeatable = option->is_list && !option->is_once;
        if (option->is_hidden || option->place == GS_OPTION_OF_JOBS ||
            (option->choices == NULL && !is_repeatable))
            continue;
        printf("--%s%s", option->name, is_repeatable ? " +" : "");
        for (const struct gs_choice *choice = option->choices;
             choice != NULL && choice->word != NULL; choice++)
            printf(" %s", choice->word);
        putchar('\n');
    }
    return fflush(stdout) != 0;
}
