/* names_parse.c: parses --fields. */
#include "element/record/record.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_BYTES_MAX ((size_t)1 << 20)

static enum gs_status check_name(const struct gsi_names *names, const char *name, const char *item,
                                 struct gs_error *error)
{
    bool is_name = name[0] != '\0' && !isdigit((unsigned char)name[0]);
    for (const char *at = name; *at != '\0'; at++)
        is_name = is_name && (isalnum((unsigned char)*at) || *at == '_') && (*at & 0x80) == 0;
    if (!is_name)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--fields: '%s': a name consists of letters, digits and '_', and does not "
                        "begin with a digit",
                        item);
    if (strlen(name) >= GSI_NAME_BYTES)
        return gsi_fail(error, GS_E_USAGE, 0, "--fields: '%s': a name has at most %u letters", item,
                        GSI_NAME_BYTES - 1);
    const struct gsi_name *known = gsi_names_find(names, name);
    if (known != NULL && known < names->table + names->header_count)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--fields: '%s': '%s' already has a field '%s'; choose another name", item,
                        names->file, known->text);
    if (known != NULL)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--fields: '%s': another field has the name '%s'; choose another name",
                        item, name);
    return names->count < names->header_count + GSI_NAMED_MAX
               ? GS_OK
               : gsi_fail(error, GS_E_USAGE, 0, "--fields: names more than %u fields",
                          GSI_NAMED_MAX);
}

/* Adds one NAME=OFF:TYPE. */
static enum gs_status add_item(struct gsi_names *names, const char *item, uint32_t record_bytes,
                               struct gs_error *error)
{
    const char *equals = strchr(item, '=');
    struct gsi_field field;
    if (equals == NULL)
        return gsi_names_fail_item(item, error);
    char *name = strndup(item, (size_t)(equals - item));
    if (name == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot read --fields");
    enum gs_status status = check_name(names, name, item, error);
    if (status == GS_OK)
        status = gsi_field_parse_item("fields", item, equals + 1, record_bytes, &field, error);
    if (status == GS_OK) {
        struct gsi_name *added = &names->table[names->count++];
        snprintf(added->text, sizeof added->text, "%s", name);
        gsi_field_place(&field, added->place);
        added->off = field.off;
        added->bytes = field.bytes;
    }
    free(name);
    return status;
}

/* Adds the items of one line, between commas. The line may change. */
static enum gs_status add_items(struct gsi_names *names, char *line, uint32_t record_bytes,
                                struct gs_error *error)
{
    for (char *item; (item = strsep(&line, ",")) != NULL;) {
        item += strspn(item, " \t\r");
        for (size_t length = strlen(item); length > 0 && strchr(" \t\r", item[length - 1]) != NULL;)
            item[--length] = '\0';
        GSI_TRY(add_item(names, item, record_bytes, error));
    }
    return GS_OK;
}

/* Puts the file and the line before the message of a failure. */
static enum gs_status fail_line(const char *path, unsigned line, struct gs_error *error)
{
    const char *option = "--fields: ";
    const struct gs_error failure = *error;
    if (failure.status != GS_E_USAGE)
        return failure.status;
    bool is_option = strncmp(failure.text, option, strlen(option)) == 0;
    *error = (struct gs_error){.status = GS_OK};
    return gsi_fail(error, GS_E_USAGE, 0, "%s'%s', line %u: %s", option, path, line,
                    failure.text + (is_option ? strlen(option) : 0));
}

/* Reads the file as text. It is opened several times, by each job that needs it, so a pipe is
 * refused. */
static enum gs_status read_file(const char *path, char *text, struct gs_error *error)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return gsi_fail(error, GS_E_INPUT, 0, "--fields: '%s' is not a regular file", path);
    FILE *file = fopen(path, "re");
    size_t bytes = file != NULL ? fread(text, 1, FILE_BYTES_MAX, file) : 0;
    int refusal = file == NULL || ferror(file) ? errno : 0;
    if (file != NULL)
        fclose(file);
    if (refusal != 0)
        return gsi_fail(error, GS_E_INPUT, refusal, "--fields: cannot read '%s'", path);
    text[bytes] = '\0';
    if (bytes == FILE_BYTES_MAX || strlen(text) < bytes)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "--fields: '%s' is not a list of NAME=OFF:TYPE, one or more per line",
                        path);
    return GS_OK;
}

static enum gs_status add_file(struct gsi_names *names, const char *path, uint32_t record_bytes,
                               struct gs_error *error)
{
    char *text = malloc(FILE_BYTES_MAX + 1), *at = text;
    if (text == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot read '%s'", path);
    enum gs_status status = read_file(path, text, error);
    unsigned number = 1;
    for (char *line; status == GS_OK && (line = strsep(&at, "\n")) != NULL; number++) {
        line[strcspn(line, "#")] = '\0';
        if (line[strspn(line, " \t\r")] == '\0')
            continue;
        status = add_items(names, line, record_bytes, error);
        if (status != GS_OK)
            status = fail_line(path, number, error);
    }
    free(text);
    return status;
}

enum gs_status gsi_names_add(struct gsi_names *names, const char *text, uint32_t record_bytes,
                             struct gs_error *error)
{
    if (text[0] == '@' && text[1] == '\0')
        return gsi_fail(error, GS_E_USAGE, 0, "--fields: '@' names no file; write @FILE");
    if (text[0] == '@')
        return add_file(names, text + 1, record_bytes, error);
    char *items = strdup(text);
    if (items == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot read --fields");
    enum gs_status status = add_items(names, items, record_bytes, error);
    free(items);
    return status;
}
