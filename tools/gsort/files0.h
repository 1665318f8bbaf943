/* files0.h: names of inputs from a file, as sort(1) --files0-from reads them. */
#ifndef GSORT_FILES0_H
#define GSORT_FILES0_H

#include "gsort.h"

/* The names, and the text that contains them; zeroed: none. */
struct files0 {
    char *text;
    const char **names;
    size_t count;
};

/* files0_read: the names in `path` ("-": standard input), each ended by a NUL, or the last one by
 * the end of the file. Clear also after a failure.
 * in    most_bytes: of memory, for all of it
 * fails GS_E_INPUT: unreadable, no name, an empty one, or "-" in standard input itself;
 *       GS_E_USAGE: they take more than most_bytes */
enum gs_status files0_read(const char *path, uint64_t most_bytes, struct files0 *files,
                           struct gs_error *error);
void files0_clear(struct files0 *files);

#endif
