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

/* gsi_temp_name: ".BASE.gsort-XXXXXX", another at each call, at most 63 bytes. */
void gsi_temp_name(const char *base, char name[GSI_TEMP_NAME_BYTES]);

/* gsi_pipe_widen: let a pipe hold 1 MiB, where allowed; anything else stays as it is. */
void gsi_pipe_widen(int fd);

#endif
