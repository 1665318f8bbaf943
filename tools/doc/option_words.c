/* option_words.c: prints, for each option of gsort whose argument is a word, the words that it may be:
 *
 *     --device auto cpu cuda
 *
 * Part of the build: completions are made of it and of --help (make_docs.py). */
#include "gsort/option_table.h"

int main(void)
{
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct gs_choice *choices =
            option_rows[i].choices != NULL ? option_rows[i].choices() : NULL;
        if (choices == NULL)
            continue;
        printf("--%s", option_rows[i].name);
        for (; choices->word != NULL; choices++)
            printf(" %s", choices->word);
        putchar('\n');
    }
    return fflush(stdout) != 0;
}
