/* file_parts.h: declares functions that inputs, outputs and temporary files share. Used by
 * src/io/file_*.c only. */
#ifndef GSI_FILE_PARTS_H
#define GSI_FILE_PARTS_H

#include "io/file.h"

#include <sys/types.h>

/* With 2^30 names even a second try is rare: if this many are in use, something else is wrong. */
#define GSI_NAME_TRIES 100

#define GSI_TEMP_NAME_BYTES sizeof((struct gsi_output *)0)->temp_name

/* gsi_direct_open: opens the file of `fd` again with O_DIRECT. Returns -1 if that is refused, needs
 * more than GSI_DIRECT_ALIGN, or is not really direct.
 * in    access: O_RDONLY, O_WRONLY or O_RDWR */
int gsi_direct_open(int fd, int access);

/* gsi_nameless_open: creates a file in a directory, open for reading and writing. Returns its
 * descriptor, or a negative errno.
 * in    base: stem of the temporary name, used if the file system has no nameless files
 * out   name: that name, for the caller to unlink; empty: nameless */
int gsi_nameless_open(int dir_fd, const char *base, mode_t mode, char name[GSI_TEMP_NAME_BYTES]);

/* gsi_named_open: does the same, always with a temporary name. */
int gsi_named_open(int dir_fd, const char *base, mode_t mode, char name[GSI_TEMP_NAME_BYTES]);

/* gsi_temp_name: writes ".BASE.gsort-XXXXXX", different at each call, at most 63 bytes. */
void gsi_temp_name(const char *base, char name[GSI_TEMP_NAME_BYTES]);

/* gsi_output_fail: reports a failed operation on an output, with the reason in errno.
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

/* gsi_access_check: checks before any work whether the target's attributes can be kept.
 * fails GS_E_IO, GS_E_SPACE, GS_E_MEMORY; one line says what cannot be kept */
enum gs_status gsi_access_check(const struct gsi_output *output, struct gs_error *error);

/* gsi_access_copy: copies the target's owner, group, ACL or mode, and the user's attributes to the
 * new file. Without a target, it applies what was noted in `output`. If permissions cannot be kept,
 * everybody gets fewer, never more. It fails as gsi_access_check does. */
enum gs_status gsi_access_copy(const struct gsi_output *output, struct gs_error *error);

/* gsi_pipe_enlarge: enlarges a pipe to 1 MiB, if allowed; does nothing to other files. */
void gsi_pipe_enlarge(int fd);

#endif
