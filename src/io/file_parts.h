/* file_parts.h: declares functions that inputs, outputs and temporary files share. Only
 * src/io/file_*.c and output_part.c include it. */
#ifndef GSI_FILE_PARTS_H
#define GSI_FILE_PARTS_H

#include "io/file.h"

#include <sys/types.h>

/* How many temporary names to try. There are 2^30 names, so even a second try is rare. */
#define GSI_NAME_TRIES 100

#define GSI_TEMP_NAME_BYTES sizeof((struct gsi_output *)0)->temp_name

/* gsi_direct_open: opens the file of `fd` again with O_DIRECT. Returns -1 if direct I/O is
 * impossible, or needs a larger alignment than GSI_DIRECT_ALIGN.
 * in    access: O_RDONLY, O_WRONLY or O_RDWR */
int gsi_direct_open(int fd, int access);

/* gsi_nameless_open: creates a file without a name in a directory. Returns its descriptor for
 * reading and writing, or a negative errno. If the file system has no nameless files, the file has
 * a temporary name.
 * in    base: part of the temporary name
 * out   name: the temporary name, which the caller must unlink; empty: nameless */
int gsi_nameless_open(int dir_fd, const char *base, mode_t mode, char name[GSI_TEMP_NAME_BYTES]);

/* gsi_named_open: creates a file that always has a temporary name. */
int gsi_named_open(int dir_fd, const char *base, mode_t mode, char name[GSI_TEMP_NAME_BYTES]);

/* gsi_temp_name: makes a random name ".BASE.gsort-XXXXXX" of at most 63 bytes. */
void gsi_temp_name(const char *base, char name[GSI_TEMP_NAME_BYTES]);

/* gsi_output_fail: fails with the message `what` and the reason in errno.
 * gsi_output_closed: returns an output that is not open yet.
 * gsi_output_resolve: sets output->directory and target_name.
 * in    has_target: the file exists
 * fails GS_E_USAGE: an empty name; GS_E_IO */
enum gs_status gsi_output_fail(const struct gsi_output *output, const char *what,
                               struct gs_error *error);
struct gsi_output gsi_output_closed(const char *path);
enum gs_status gsi_output_resolve(struct gsi_output *output, bool has_target,
                                  struct gs_error *error);

void gsi_bytes_clear(struct gsi_bytes *bytes); /* also accepts zeroed ones */

/* gsi_access_acl: copies the ACL of an open file, if it has one. Returns 0, or an errno value. */
int gsi_access_acl(int fd, struct gsi_bytes *acl);

/* gsi_access_check: checks whether the user's attributes of the replaced file can be copied.
 * fails GS_E_IO, GS_E_SPACE, GS_E_MEMORY */
enum gs_status gsi_access_check(const struct gsi_output *output, struct gs_error *error);

/* gsi_access_copy: copies owner, group, ACL or mode, and user attributes of the replaced file to
 * the new file. If no file is replaced, sets output->new_mode and new_acl. If permissions cannot be
 * copied, all users get fewer, never more. It fails as gsi_access_check does. */
enum gs_status gsi_access_copy(const struct gsi_output *output, struct gs_error *error);

/* gsi_pipe_enlarge: enlarges the buffer of a pipe to 1 MiB, if allowed; does nothing for other
 * files. */
void gsi_pipe_enlarge(int fd);

#endif
