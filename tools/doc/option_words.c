/* option_words.c: prints, for each option of gsort whose argument is a word, the words that it may
 * be:
 *
 *     --device auto cpu cuda
 *
 * Part of the build: completions are made of it and of --help (make_docs.py). */
#include "gsort.h"

int main(void)
{
    const struct gs_option *option;
    for (size_t i = 0; (option = gs_option_at(i)) != NULL; i++) {
        if (option->choices == NULL || option->is_hidden)
            continue;
        printf("--%s", option->name);
        for (const struct gs_choice *choice = option->choices; choice->word != NULL; choice++)
            printf(" %s", choice->word);
        putchar('\n');
    }
    return fflush(stdout) != 0;
}
