/* file_parts.h: what inputs, outputs and temporary files do alike. Used by src/io/file_*.c only. */
#ifndef GSI_FILE_PARTS_H
#define GSI_FILE_PARTS_H

#include "io/file.h"

#include <sys/types.h>

/* Of 2^30 names even the second try is rare: this many in use mean that something else is wrong. */
#define GSI_NAME_TRIES 100

#define GSI_TEMP_NAME_BYTES sizeof((struct gsi_output *)0)->temp_name

/* gsi_direct_open: the file behind `fd` opened again with O_DIRECT; -1 where that is refused, needs
 * more than GSI_DIRECT_ALIGN, or only pretends to be direct.
 * in    access: O_RDONLY, O_WRONLY or O_RDWR */
int gsi_direct_open(int fd, int access);

/* gsi_nameless_open: a new file in a directory, open for reading and writing; negative errno if
 * refused.
 * in    base: what a temporary name is made from where the file system has no nameless files
 * out   name: that name, for the caller to unlink; empty: nameless */
int gsi_nameless_open(int dir_fd, const char *base, mode_t mode, char name[GSI_TEMP_NAME_BYTES]);

/* gsi_named_open: the same with a temporary name, wherever it is. */
int gsi_named_open(int dir_fd, const char *base, mode_t mode, char name[GSI_TEMP_NAME_BYTES]);

/* gsi_temp_name: ".BASE.gsort-XXXXXX", another at each call, at most 63 bytes. */
void gsi_temp_name(const char *base, char name[GSI_TEMP_NAME_BYTES]);

/* gsi_output_fail: what could not be done with an output, for the reason in errno.
 * gsi_output_closed: an output that is not open yet.
 * gsi_output_resolve: sets output->directory and target_name.
 * in    has_target: there is such a file
 * fails GS_E_USAGE: an empty name; GS_E_IO */
enum gs_status gsi_output_fail(const struct gsi_output *output, const char *what,
                               struct gs_error *error);
struct gsi_output gsi_output_closed(const char *path);
enum gs_status gsi_output_resolve(struct gsi_output *output, bool has_target,
                                  struct gs_error *error);

void gsi_bytes_clear(struct gsi_bytes *bytes); /* also zeroed ones */

/* gsi_access_acl: the ACL of an open file, or none. Returns 0, or an errno value. */
int gsi_access_acl(int fd, struct gsi_bytes *acl);

/* gsi_access_check: whether what the target has beside its data can be kept, before any work.
 * fails GS_E_IO, GS_E_SPACE, GS_E_MEMORY; one line says what cannot */
enum gs_status gsi_access_check(const struct gsi_output *output, struct gs_error *error);

/* gsi_access_adopt: gives the new file what the target has: owner, group, ACL or mode, the user's
 * attributes; without a target, what was noted in `output`. Where permissions cannot be kept,
 * everybody gets fewer, never more. It fails as gsi_access_check does. */
enum gs_status gsi_access_adopt(const struct gsi_output *output, struct gs_error *error);

/* gsi_pipe_widen: let a pipe hold 1 MiB, where allowed; anything else stays as it is. */
void gsi_pipe_widen(int fd);

#endif
