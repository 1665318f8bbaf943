/* report_file.c: what a report must not be written over, and how it is written. */
#include "report_file.h"

#include "common/tool.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- other files ---- */

/* True if an allocation failed. Then the results of the calls below mean nothing. */
static bool lacks_memory;

static void *allocated(void *memory)
{
    lacks_memory = lacks_memory || memory == NULL;
    return memory;
}

/* More links are a circle. */
#define LINKS_MAX 40

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool stat_directory(const char *path, struct stat *info)
{
    char *directory = allocated(strndup(path, (size_t)(base_of(path) - path)));
    bool is_there = directory != NULL && stat(directory[0] != '\0' ? directory : ".", info) == 0;
    free(directory);
    return is_there;
}

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Resolves a path, whether the file exists or not; from malloc. */
static char *follow(const char *path)
{
    char *at = allocated(strdup(path)), link[PATH_MAX];
    for (int i = 0; at != NULL && i < LINKS_MAX; i++) {
        ssize_t length = readlink(at, link, sizeof link - 1);
        char *next;
        if (length < 0)
            break;
        link[length] = '\0';
        int folder = link[0] == '/' ? 0 : (int)(base_of(at) - at);
        if (asprintf(&next, "%.*s%s", folder, at, link) < 0)
            next = NULL;
        free(at);
        at = allocated(next);
    }
    return at;
}

/* Returns whether both are one file, or will be. Devices such as /dev/null accept several outputs.
 */
static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    bool has_a = stat(a, &of_a) == 0, has_b = stat(b, &of_b) == 0;
    if (has_a || has_b)
        return has_a && has_b && is_same_inode(&of_a, &of_b) && !S_ISCHR(of_a.st_mode);
    char *to_a = follow(a), *to_b = follow(b);
    bool is_same = to_a != NULL && to_b != NULL && strcmp(base_of(to_a), base_of(to_b)) == 0 &&
                   stat_directory(to_a, &of_a) && stat_directory(to_b, &of_b) &&
                   is_same_inode(&of_a, &of_b);
    free(to_a);
    free(to_b);
    return is_same;
}

/* A pattern of names (out.%03d): the text before and after the number, with each %% as one
 * character. */
struct name_pattern {
    char *folder, *before, *after; /* the folder with its last slash, or empty */
};

/* Up to `end`, with each %% as one; from malloc. */
static char *plain_of(const char *from, const char *end)
{
    char *plain = allocated(malloc((size_t)(end - from) + 1)), *to = plain;
    while (plain != NULL && from < end) {
        from += *from == '%' && from + 1 < end;
        *to++ = *from++;
    }
    if (plain != NULL)
        *to = '\0';
    return plain;
}

/* false: it has no number, or there is no memory; free what is there. */
static bool read_pattern(const char *pattern, struct name_pattern *parts)
{
    const char *base = base_of(pattern), *number = base, *behind;
    *parts = (struct name_pattern){0};
    while ((number = strchr(number, '%')) != NULL && number[1] == '%')
        number += 2;
    behind = number != NULL ? strchr(number, 'd') : NULL;
    if (behind == NULL)
        return false;
    parts->folder = plain_of(pattern, base);
    parts->before = plain_of(base, number);
    parts->after = plain_of(behind + 1, pattern + strlen(pattern));
    return parts->folder != NULL && parts->before != NULL && parts->after != NULL;
}

static bool is_name_of_pattern(const char *base, const struct name_pattern *pattern)
{
    size_t all = strlen(base), before = strlen(pattern->before), after = strlen(pattern->after);
    return all > before + after && strncmp(base, pattern->before, before) == 0 &&
           strcmp(base + all - after, pattern->after) == 0;
}

/* A file of the pattern that is there may be a link. */
static bool is_link_of_pattern(const char *path, const struct name_pattern *pattern)
{
    bool is_one = false;
    char name[PATH_MAX];
    DIR *directory = opendir(pattern->folder[0] != '\0' ? pattern->folder : ".");
    for (struct dirent *entry;
         !is_one && directory != NULL && (entry = readdir(directory)) != NULL;) {
        snprintf(name, sizeof name, "%s%s", pattern->folder, entry->d_name);
        is_one = is_name_of_pattern(entry->d_name, pattern) && is_same_file(path, name);
    }
    if (directory != NULL)
        closedir(directory);
    return is_one;
}

/* One of the files that a pattern names. */
static bool is_of_pattern(const char *path, const char *pattern)
{
    char *target = follow(path);
    struct name_pattern parts;
    struct stat of_path, of_pattern;
    bool is_one = false;
    if (read_pattern(pattern, &parts) && target != NULL)
        is_one =
            (is_name_of_pattern(base_of(target), &parts) && stat_directory(target, &of_path) &&
             stat_directory(parts.folder, &of_pattern) && is_same_inode(&of_path, &of_pattern)) ||
            is_link_of_pattern(target, &parts);
    free(target);
    free(parts.folder);
    free(parts.before);
    free(parts.after);
    return is_one;
}

/* FILE, or OUT, of one of --values, "FILE:BYTES=OUT", wherever its colon is. */
static bool is_of_values(const struct command_line *line, const char *path, bool is_out)
{
    bool is_one = false;
    for (size_t i = 0; i < line->value_count; i++) {
        const char *values = line->values[i], *at = strchr(values, ':');
        for (; at != NULL && !is_one; at = strchr(at + 1, ':')) {
            const char *out = strchr(at, '=');
            char *file = allocated(strndup(values, (size_t)(at - values)));
            if (is_out)
                is_one = out != NULL && is_same_file(path, out + 1);
            else
                is_one = file != NULL && is_same_file(path, file);
            free(file);
        }
    }
    return is_one;
}

/* "-" is standard input. */
static bool is_file_read(const char *given, const char *path)
{
    return strcmp(given, "-") == 0 ? command_line_is_standard(path, STDIN_FILENO)
                                   : is_same_file(path, given);
}

static bool is_read(const struct command_line *line, const char *path)
{
    static const char *const names[] = {"files0-from", "device-model"};
    bool is_one = line->input_count == 0 && command_line_is_standard(path, STDIN_FILENO);
    for (size_t i = 0; i < line->input_count && !is_one; i++)
        is_one = is_file_read(line->inputs[i], path);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *given = command_line_given(line, names[i]);
        is_one = is_one || (given != NULL && is_file_read(given, path));
    }
    return is_one || is_of_values(line, path, false);
}

static bool is_written(const struct command_line *line, const char *path)
{
    const char *output = command_line_output(line);
    bool is_one = line->action == GS_SORT && command_line_writes_stdout(line) &&
                  command_line_is_standard(path, STDOUT_FILENO);
    if (output != NULL)
        is_one =
            is_one || is_same_file(path, output) || (line->is_split && is_of_pattern(path, output));
    return is_one || is_of_values(line, path, true);
}

/* ---- the file ---- */

enum gs_status report_file_open(const struct command_line *line, gs_output **file,
                                struct gs_error *error)
{
    const char *path = line->report_path;
    *file = NULL;
    if (path == NULL)
        return GS_OK;
    lacks_memory = false;
    const char *done = is_read(line, path) ? "read" : is_written(line, path) ? "written" : NULL;
    if (lacks_memory)
        return gs_fail(error, GS_E_MEMORY, 0, "out of memory: cannot compare '%s' with other files",
                       path);
    if (done != NULL)
        return gs_fail(error, GS_E_USAGE, 0,
                       "--stats: '%s' is also %s by this command; give the report another name",
                       path, done);
    return gs_output_open(path, file, error);
}

enum gs_status report_file_write(gs_output *file, const gs_report *report, enum gs_format format,
                                 struct gs_error *error)
{
    char *text = gs_report_string(report, format);
    if (text == NULL)
        return gs_fail(error, GS_E_MEMORY, 0, "out of memory: cannot hold the report");
    enum gs_status status = gs_output_write(file, text, strlen(text), 0, error);
    if (status == GS_OK)
        status = gs_output_commit(file, strlen(text), error);
    gs_string_free(text);
    return status;
}
