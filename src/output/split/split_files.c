/* split_files.c: names by a pattern, which is never a format of printf's: it may come from anywhere. */
#include "output/split/split_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits of a number, at most. */
#define WIDTH_MAX 20

/* Where the number stands, and how. */
struct conversion {
    const char *begin, *end;
    int width;
    bool has_zeros;
};

/* What follows a percent sign; false: no number. */
static bool take_conversion(const char *at, struct conversion *conversion)
{
    *conversion = (struct conversion){.begin = at - 1, .has_zeros = *at == '0'};
    while (*at >= '0' && *at <= '9' && conversion->width <= WIDTH_MAX)
        conversion->width = 10 * conversion->width + (*at++ - '0');
    conversion->end = at + 1;
    return *at == 'd' && conversion->width <= WIDTH_MAX;
}

/* The only conversion of a pattern; false: there is none, several, or another one. */
static bool find_conversion(const char *pattern, struct conversion *conversion)
{
    bool is_found = false;
    for (const char *at = pattern; (at = strchr(at, '%')) != NULL;) {
        bool is_number = at[1] != '%';
        if (is_number && (is_found || !take_conversion(at + 1, conversion)))
            return false;
        is_found = is_found || is_number;
        at = is_number ? conversion->end : at + 2;
    }
    return is_found;
}

enum gs_status gsi_split_pattern_check(const char *pattern, struct gs_error *error)
{
    struct conversion conversion;
    if (find_conversion(pattern, &conversion) && strchr(conversion.end, '/') == NULL)
        return GS_OK;
    return gsi_fail(
        error, GS_E_USAGE, 0,
        "'%s': is no pattern for the names of several files; it takes one %%d or %%03d, "
        "behind the last /, and %%%% for a percent sign",
        pattern);
}

/* Copies what is no conversion, with each %% as one. */
static char *put_plain(char *to, const char *from, const char *end)
{
    while (from < end) {
        from += *from == '%';
        *to++ = *from++;
    }
    return to;
}

/* From malloc; NULL: no memory. */
static char *make_path(const char *pattern, uint32_t number)
{
    struct conversion conversion;
    char *path = malloc(strlen(pattern) + WIDTH_MAX + 2), *to = path;
    if (path == NULL || !find_conversion(pattern, &conversion))
        return path;
    to = put_plain(to, pattern, conversion.begin);
    to += sprintf(to, conversion.has_zeros ? "%0*u" : "%*u", conversion.width, number);
    *put_plain(to, conversion.end, pattern + strlen(pattern)) = '\0';
    return path;
}

enum gs_status gsi_split_files_room(struct gsi_split_files *files, uint32_t count,
                                    struct gs_error *error)
{
    files->table = calloc(count, sizeof *files->table);
    return files->table != NULL ? GS_OK
                                : gsi_fail(error, GS_E_MEMORY, 0,
                                           "memory: cannot hold the names of %u files", count);
}

/* Takes the path over. */
static enum gs_status add(struct gsi_split_files *files, char *path, const char *option,
                          struct gs_error *error)
{
    struct gsi_split_file *file = &files->table[files->count];
    file->path = path;
    if (path == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot hold a name");
    files->count++;
    GSI_TRY(gsi_output_open(path, &file->output, error));
    return file->output.kind == GSI_OUTPUT_ATOMIC
               ? GS_OK
               : gsi_fail(error, GS_E_USAGE, 0, "'%s': is no regular file; %s such", path, option);
}

enum gs_status gsi_split_files_add(struct gsi_split_files *files, const char *path,
                                   const char *option, struct gs_error *error)
{
    return add(files, strdup(path), option, error);
}

enum gs_status gsi_split_files_open(struct gsi_split_files *files, const char *pattern,
                                    uint32_t count, struct gs_error *error)
{
    GSI_TRY(gsi_split_files_room(files, count, error));
    for (uint32_t i = 0; i < count; i++)
        GSI_TRY(add(files, make_path(pattern, i + 1), "--split and --split-at write", error));
    return GS_OK;
}

enum gs_status gsi_split_files_place(struct gsi_split_files *files, bool *is_placed,
                                     struct gs_error *error)
{
    enum gs_status status = GS_OK;
    for (uint32_t i = 0; i < files->count; i++)
        GSI_TRY(gsi_output_seal(&files->table[i].output, files->table[i].file_bytes, error));
    for (uint32_t i = 0; i < files->count; i++) {
        struct gsi_split_file *file = &files->table[i];
        status = gsi_output_place(&file->output, error);
        if (status == GS_OK) {
            *is_placed = true;
            continue;
        }
        size_t length = strlen(error->text);
        snprintf(error->text + length, sizeof error->text - length,
                 "; %u of %u files are in their places", i, files->count);
        return status;
    }
    for (uint32_t i = 0; i < files->count; i++) /* links may lead to other directories */
        GSI_TRY(gsi_output_sync_dir(&files->table[i].output, error));
    return GS_OK;
}

void gsi_split_files_close(struct gsi_split_files *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        gsi_output_close(&files->table[i].output);
        free(files->table[i].path);
    }
    free(files->table);
    *files = (struct gsi_split_files){0};
}
