/* files0.c: the whole file is read first; names point into it. */
#include "files0.h"

#include "common/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GROWTH_BYTES ((size_t)64 << 10) /* also what there is always room for */

/* Memory that a name and the table of inputs take for each input, and the rest of the process. */
#define INPUT_BYTES ((uint64_t)1 << 10)
#define OTHER_BYTES ((uint64_t)16 << 20)

/* Names an amount that is enough, where the file has an end. */
static enum gs_status too_large(FILE *file, const char *name, uint64_t most_bytes,
                                struct gs_error *error)
{
    struct stat info;
    char buffer[4096];
    uint64_t bytes = 0, names = 1, enough;
    if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode))
        return gs_fail(error, GS_E_USAGE, 0,
                       "--memory: %llu bytes are too few for the names in '%s'; raise it",
                       (unsigned long long)most_bytes, name);
    rewind(file);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0; bytes += n)
        for (size_t i = 0; i < n; i++)
            names += buffer[i] == '\0';
    enough = 4 * bytes + names * INPUT_BYTES + OTHER_BYTES;
    return gs_fail(
        error, GS_E_USAGE, 0,
        "--memory: %llu bytes are too few for the %llu names in '%s'; %llu MiB are enough",
        (unsigned long long)most_bytes, (unsigned long long)(names - 1), name,
        (unsigned long long)((enough >> 20) + 1));
}

/* Reads a whole file, and appends a NUL. */
static enum gs_status read_text(FILE *file, const char *name, uint64_t most_bytes,
                                struct files0 *files, size_t *bytes, struct gs_error *error)
{
    size_t capacity = 0;
    *bytes = 0;
    while (!feof(file) && !ferror(file)) {
        if (capacity - *bytes < 2) {
            if (capacity >= most_bytes)
                return too_large(file, name, most_bytes, error);
            capacity = (size_t)min_u64(capacity + capacity / 2 + GROWTH_BYTES,
                                       max_u64(most_bytes, GROWTH_BYTES));
            char *grown = realloc(files->text, capacity);
            if (grown == NULL)
                return gs_fail(error, GS_E_MEMORY, ENOMEM,
                               "out of memory: cannot hold the names in '%s'", name);
            files->text = grown;
        }
        *bytes += fread(files->text + *bytes, 1, capacity - *bytes - 1, file);
    }
    files->text[*bytes] = '\0';
    return ferror(file) ? gs_fail(error, GS_E_INPUT, errno, "'%s': cannot read", name) : GS_OK;
}

static enum gs_status split(FILE *file, const char *name, bool is_stdin, uint64_t most_bytes,
                            size_t bytes, struct files0 *files, struct gs_error *error)
{
    size_t most = 1;
    for (size_t i = 0; i < bytes; i++)
        most += files->text[i] == '\0';
    if (bytes + most * sizeof *files->names > max_u64(most_bytes, GROWTH_BYTES))
        return too_large(file, name, most_bytes, error);
    files->names = calloc(most, sizeof *files->names);
    if (files->names == NULL)
        return gs_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot hold the names in '%s'",
                       name);
    for (const char *at = files->text, *end = at + bytes; at < end; at += strlen(at) + 1) {
        files->names[files->count++] = at;
        if (*at == '\0')
            return gs_fail(error, GS_E_INPUT, 0, "'%s': name %zu is empty", name, files->count);
        if (is_stdin && strcmp(at, "-") == 0)
            return gs_fail(error, GS_E_INPUT, 0,
                           "'%s': name %zu is '-', but standard input already holds the names",
                           name, files->count);
    }
    return files->count > 0 ? GS_OK : gs_fail(error, GS_E_INPUT, 0, "'%s': holds no names", name);
}

enum gs_status files0_read(const char *path, uint64_t most_bytes, struct files0 *files,
                           struct gs_error *error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    size_t bytes;
    *files = (struct files0){0};
    FILE *file = is_stdin ? stdin : fopen(path, "rbe");
    if (file == NULL)
        return gs_fail(error, GS_E_INPUT, errno, "'%s': cannot open", name);
    enum gs_status status = read_text(file, name, most_bytes, files, &bytes, error);
    if (status == GS_OK)
        status = split(file, name, is_stdin, most_bytes, bytes, files, error);
    if (!is_stdin)
        fclose(file);
    return status;
}

void files0_clear(struct files0 *files)
{
    free(files->text);
    free(files->names);
    *files = (struct files0){0};
}
