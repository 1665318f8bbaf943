/* split_files.h: the files of --split and --split-at. Each is an output like any other, but has no
 * name until all of them are right. */
#ifndef GSI_SPLIT_FILES_H
#define GSI_SPLIT_FILES_H

#include "io/file.h"

struct gsi_split_file {
    char *path; /* from malloc */
    struct gsi_output output;
    /* Sizes, once everything is written. */
    uint64_t count, file_bytes; /* elements, or what --unique makes of them; of the file */
};

struct gsi_split_files {
    struct gsi_split_file *table; /* from malloc */
    uint32_t count;
};

/* gsi_split_pattern_check: checks that a pattern has one %d, %5d or %05d in its last component. It
 * is replaced by the number of a file, from 1 on; %% is a percent sign.
 * fails GS_E_USAGE: it has not */
enum gs_status gsi_split_pattern_check(const char *pattern, struct gs_error *error);

/* gsi_split_files_room: makes room for `count` files.
 * gsi_split_files_add: adds a file, while there is room.
 * in    option: who writes such files, for messages: "--split writes"
 * fails GS_E_MEMORY; as gsi_split_files_open */
enum gs_status gsi_split_files_room(struct gsi_split_files *files, uint32_t count,
                                    struct gs_error *error);
enum gs_status gsi_split_files_add(struct gsi_split_files *files, const char *path,
                                   const char *option, struct gs_error *error);

/* gsi_split_files_twice: returns the number of a file that is the same as another one;
 * files->count: there is none.
 * in    by_pattern: paths differ in the last component, so only links can lead to the same file */
uint32_t gsi_split_files_twice(const struct gsi_split_files *files, bool by_pattern);

/* gsi_split_files_open: opens `count` outputs, after that check.
 * fails GS_E_USAGE: one is no regular file, or two are the same; there is a file of the pattern
 *       with a higher number, which would stay; as gsi_output_open */
enum gs_status gsi_split_files_open(struct gsi_split_files *files, const char *pattern,
                                    uint32_t count, struct gs_error *error);

/* gsi_split_files_commit: syncs all files after they were written, then gives one after another its
 * name.
 * out   is_placed: at least one has taken its place
 * fails GS_E_IO, GS_E_SPACE: says how many are in their places */
enum gs_status gsi_split_files_commit(struct gsi_split_files *files, bool *is_placed,
                                      struct gs_error *error);
void gsi_split_files_close(struct gsi_split_files *files); /* also zeroed ones */

#endif
