/* help.h: prints the texts of --help and -h, from the library's table of options. */
#ifndef GSORT_HELP_H
#define GSORT_HELP_H

#include "command_line.h"

/* A word that --help takes, with a line about it; the last one has no word. */
struct help_topic {
    const char *word, *about;
};
extern const struct help_topic help_topics[];

/* The topics of an option: " usual inputs "; the last one has no name. */
struct help_option {
    const char *name, *topics;
};
extern const struct help_option help_options[];

/* help_print: prints the text of --help, --help=TOPIC or -h, whichever the line has. */
void help_print(const struct command_line *line, FILE *out);

#endif
