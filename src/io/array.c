/* array.c: makes inputs and outputs of arrays, and checks their memory. */
#include "io/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gsi_input gsi_array_input(const struct gsi_array *array, const char *name)
{
    return (struct gsi_input){.path = name,
                              .name = name,
                              .fd = GSI_FD_NO_FILE,
                              .direct_fd = -1,
                              .bytes = array->bytes,
                              .file_bytes = array->bytes,
                              .expected_bytes = UINT64_MAX,
                              .array = array};
}

struct gsi_output gsi_array_output(struct gsi_array *array, const char *name)
{
    return (struct gsi_output){.kind = GSI_OUTPUT_ARRAY,
                               .name = name,
                               .fd = GSI_FD_NO_FILE,
                               .direct_fd = -1,
                               .dir_fd = -1,
                               .kept_dir_fd = -1,
                               .array = array};
}

bool gsi_array_overlaps(const struct gsi_array *array, uint64_t bytes)
{
    const uintptr_t from = (uintptr_t)array->from, to = (uintptr_t)array->to;
    return to >= from ? to - from < array->bytes : from - to < bytes;
}

/* A line of /proc/self/maps: BEGIN-END RIGHTS OFFSET MAJOR:MINOR INODE NAME */
struct mapping {
    uint64_t begin, end, inode;
};

static struct mapping parse_mapping(const char *line)
{
    struct mapping mapping = {0};
    char *at;
    mapping.begin = strtoull(line, &at, 16);
    if (*at != '-')
        return mapping;
    mapping.end = strtoull(at + 1, &at, 16);
    for (int i = 0; i < 3 && at != NULL; i++)
        at = strchr(at + 1, ' ');
    mapping.inode = at != NULL ? strtoull(at, NULL, 10) : 0;
    return mapping;
}

bool gsi_array_is_mapped(const struct gsi_array *array)
{
    char line[256]; /* lines with long names are read in several parts */
    bool is_whole = true, is_mapped = false;
    FILE *file = fopen("/proc/self/maps", "re");
    if (file == NULL)
        return false;
    while (!is_mapped && fgets(line, sizeof line, file) != NULL) {
        struct mapping mapping = is_whole ? parse_mapping(line) : (struct mapping){0};
        is_whole = strchr(line, '\n') != NULL;
        is_mapped = mapping.inode != 0 && (uintptr_t)array->to < mapping.end &&
                    (uintptr_t)array->to + array->bytes > mapping.begin;
    }
    fclose(file);
    return is_mapped;
}
