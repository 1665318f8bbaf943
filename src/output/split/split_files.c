/* split_files.c: makes names from a pattern. The pattern may be any text, so it is never passed to
 * printf. */
#include "output/split/split_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Digits of a number, at most. */
#define WIDTH_MAX 20

/* The place and form of the number. */
struct conversion {
    const char *begin, *end;
    int width;
    bool has_zeros;
};

/* Reads the text after a percent sign; false: no number. */
static bool take_conversion(const char *at, struct conversion *conversion)
{
    *conversion = (struct conversion){.begin = at - 1, .has_zeros = *at == '0'};
    while (*at >= '0' && *at <= '9' && conversion->width <= WIDTH_MAX)
        conversion->width = 10 * conversion->width + (*at++ - '0');
    conversion->end = at + 1;
    return *at == 'd' && conversion->width <= WIDTH_MAX;
}

/* Finds the only conversion of a pattern. Returns false if there is none, several, or another
 * one. */
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
    return gsi_fail(error, GS_E_USAGE, 0,
                    "'%s': is not a pattern for the names of several files; write one %%d or %%03d "
                    "after the last /, and %%%% for a percent sign",
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

/* The path of a number, at `to`, for which there is room. Returns where the number begins. */
static char *put_path(char *to, const char *pattern, uint32_t number)
{
    struct conversion conversion = {0};
    (void)find_conversion(pattern, &conversion); /* gsi_split_pattern_check did */
    char *begin = put_plain(to, pattern, conversion.begin);
    const char *format = conversion.has_zeros ? "%0*u" : "%*u";
    to = begin + sprintf(begin, format, conversion.width, number);
    *put_plain(to, conversion.end, pattern + strlen(pattern)) = '\0';
    return begin;
}

/* Returns the path of a file's number, from malloc and with room for any number; NULL: no
 * memory. */
static char *make_path(const char *pattern, uint32_t number)
{
    char *path = malloc(strlen(pattern) + WIDTH_MAX + 2);
    if (path != NULL)
        put_path(path, pattern, number);
    return path;
}

/* ---- files after the last one ---- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The least number above `count` in a name of the pattern; 0: there is none.
 * in    path: from make_path, overwritten
 * fails with errno */
static uint32_t least_above(DIR *directory, const char *pattern, uint32_t count, char *path)
{
    size_t number_at = (size_t)(put_path(path, pattern, count) - name_of(path));
    uint32_t least = 0;
    for (const struct dirent *entry; (errno = 0, entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        if (strlen(name) <= number_at)
            continue;
        unsigned long number = strtoul(name + number_at, NULL, 10);
        if (number <= count || number > UINT32_MAX || (least > 0 && number > least))
            continue;
        put_path(path, pattern, (uint32_t)number);
        if (strcmp(name_of(path), name) == 0)
            least = (uint32_t)number;
    }
    return least;
}

/* Refuses files after the last one. A program that reads files by their pattern would take them for
 * a part of the output.
 * in    path: of any file, from make_path; overwritten */
static enum gs_status check_behind(const char *pattern, uint32_t count, char *path,
                                   struct gs_error *error)
{
    char *folder;
    if (asprintf(&folder, "%.*s.", (int)(name_of(path) - path), path) < 0)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a name");
    DIR *directory = opendir(folder);
    uint32_t number = directory != NULL ? least_above(directory, pattern, count, path) : 0;
    int sys_errno = errno;
    enum gs_status status = GS_OK;
    /* A pattern does not find files that this user cannot list. */
    if (sys_errno != 0 && (directory != NULL || sys_errno != EACCES))
        status = gsi_fail(error, GS_E_IO, sys_errno, "'%s': cannot list this directory", folder);
    if (number > 0) {
        put_path(path, pattern, number);
        status = gsi_fail(error, GS_E_USAGE, 0,
                          "'%s': exists and would continue the %u files of the output; remove it "
                          "and its successors, or choose another pattern",
                          path, count);
    }
    if (directory != NULL)
        closedir(directory);
    free(folder);
    return status;
}

/* ---- all files ---- */

enum gs_status gsi_split_files_room(struct gsi_split_files *files, uint32_t count,
                                    struct gs_error *error)
{
    files->table = calloc(count, sizeof *files->table);
    return files->table != NULL
               ? GS_OK
               : gsi_fail(error, GS_E_MEMORY, 0,
                          "out of memory: cannot allocate the names of %u files", count);
}

/* Takes the path over. */
static enum gs_status add(struct gsi_split_files *files, char *path, const char *option,
                          struct gs_error *error)
{
    struct gsi_split_file *file = &files->table[files->count];
    file->path = path;
    if (path == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a name");
    files->count++;
    GSI_TRY(gsi_output_open(path, &file->output, error));
    return file->output.kind == GSI_OUTPUT_ATOMIC
               ? GS_OK
               : gsi_fail(error, GS_E_USAGE, 0, "'%s': is not a regular file; %s", path, option);
}

enum gs_status gsi_split_files_add(struct gsi_split_files *files, const char *path,
                                   const char *option, struct gs_error *error)
{
    return add(files, strdup(path), option, error);
}

static bool is_same_directory(const struct gsi_output *a, const struct gsi_output *b)
{
    struct stat of_a, of_b;
    return fstat(a->dir_fd, &of_a) == 0 && fstat(b->dir_fd, &of_b) == 0 &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

static bool is_same_file(const struct gsi_output *a, const struct gsi_output *b)
{
    return strcmp(a->target_name, b->target_name) == 0 && is_same_directory(a, b);
}

uint32_t gsi_split_files_twice(const struct gsi_split_files *files, bool by_pattern)
{
    for (uint32_t i = 0; i < files->count; i++) {
        const struct gsi_split_file *file = &files->table[i];
        if (by_pattern && strcmp(file->output.target_name, name_of(file->path)) == 0)
            continue;
        for (uint32_t k = 0; k < (by_pattern ? files->count : i); k++)
            if (k != i && is_same_file(&file->output, &files->table[k].output))
                return i;
    }
    return files->count;
}

enum gs_status gsi_split_files_open(struct gsi_split_files *files, const char *pattern,
                                    uint32_t count, struct gs_error *error)
{
    GSI_TRY(gsi_split_files_room(files, count, error));
    for (uint32_t i = 0; i < count; i++)
        GSI_TRY(
            add(files, make_path(pattern, i + 1), "--split and --split-at need such files", error));
    uint32_t twice = gsi_split_files_twice(files, true);
    if (twice < count)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "'%s': is a link to another file of the pattern; remove it",
                        files->table[twice].path);
    char *path = make_path(pattern, count);
    if (path == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a name");
    enum gs_status status = check_behind(pattern, count, path, error);
    free(path);
    return status;
}

/* Links may lead to other directories. Neighbors in the same one need one sync. */
static enum gs_status sync_directories(const struct gsi_split_files *files, struct gs_error *error)
{
    for (uint32_t i = 0; i < files->count; i++) {
        const struct gsi_output *output = &files->table[i].output;
        if (i == 0 || !is_same_directory(output, &files->table[i - 1].output))
            GSI_TRY(gsi_output_sync_dir(output, error));
    }
    return GS_OK;
}

/* The new files may replace the inputs, so a power cut must not leave some of them without a name.
 * All have temporary names on the disk before the first one replaces a file. */
static enum gs_status name_all(struct gsi_split_files *files, struct gs_error *error)
{
    struct stat info;
    bool has_old = false;
    for (uint32_t i = 0; i < files->count && !has_old; i++) {
        const struct gsi_output *output = &files->table[i].output;
        has_old = fstatat(output->dir_fd, output->target_name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    }
    for (uint32_t i = 0; i < files->count && has_old; i++)
        GSI_TRY(gsi_output_ensure_name(&files->table[i].output, error));
    return has_old ? sync_directories(files, error) : GS_OK;
}

/* `count` files are in their places, and the next one cannot be put there. */
static void keep_others(struct gsi_split_files *files, uint32_t count, struct gs_error *error)
{
    size_t length = strlen(error->text);
    const bool are_named = files->table[count].output.temp_name[0] != '\0' && count > 0;
    snprintf(error->text + length, sizeof error->text - length,
             "; %u of %u files have their names%s", count, files->count,
             are_named ? ", the others are named .NAME.gsort-*" : "");
    for (uint32_t i = count; i < files->count && are_named; i++)
        files->table[i].output.temp_name[0] = '\0';
}

enum gs_status gsi_split_files_commit(struct gsi_split_files *files, bool *is_placed,
                                      struct gs_error *error)
{
    for (uint32_t i = 0; i < files->count; i++)
        GSI_TRY(gsi_output_seal(&files->table[i].output, files->table[i].file_bytes, error));
    GSI_TRY(name_all(files, error));
    for (uint32_t i = 0; i < files->count; i++) {
        struct gsi_output *output = &files->table[i].output;
        enum gs_status status = GS_OK;
        if (i > 0 && i + 1 == files->count && output->temp_name[0] != '\0')
            status = sync_directories(files, error);
        if (status == GS_OK)
            status = gsi_output_rename(output, error);
        if (status != GS_OK) {
            keep_others(files, i, error);
            return status;
        }
        *is_placed = true;
    }
    return sync_directories(files, error);
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
