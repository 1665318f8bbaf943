/* kept_dir.h: a directory for files that outlive the program. Nobody else can read or write the
 * files in it, and no other process of gsort uses it at the same time. */
#ifndef GSI_KEPT_DIR_H
#define GSI_KEPT_DIR_H

#include "base/status.h"

struct gsi_kept_dir {
    const char *path; /* borrowed */
    int fd;           /* locked; -1: not open */
    bool is_new;      /* gsi_kept_dir_open made it */
};

/* gsi_kept_dir_open: opens the directory, and makes it (0700) if it is not there.
 * fails GS_E_USAGE: it is no directory, somebody else's, others may write to it, or it is in use;
 *       GS_E_IO */
enum gs_status gsi_kept_dir_open(const char *path, struct gsi_kept_dir *dir,
                                 struct gs_error *error);
void gsi_kept_dir_close(struct gsi_kept_dir *dir); /* also zeroed ones */

/* gsi_kept_dir_file: opens a regular file in it for reading and writing; with `is_made`, makes it
 * (0600) if it is not there. *fd -1: it is not there.
 * fails GS_E_USAGE: it is a link, or somebody else's; GS_E_IO, GS_E_SPACE */
enum gs_status gsi_kept_dir_file(const struct gsi_kept_dir *dir, const char *name, bool is_made,
                                 int *fd, struct gs_error *error);

/* gsi_kept_dir_direct: a descriptor for direct I/O of the file `fd`, which is closed; or `fd`
 * itself where there is no direct I/O. */
int gsi_kept_dir_direct(int fd, bool *is_direct);

/* gsi_kept_dir_sync: syncs the directory, so that names made or removed are so on the disk, too. */
enum gs_status gsi_kept_dir_sync(const struct gsi_kept_dir *dir, struct gs_error *error);

/* gsi_kept_dir_remove: removes a file in it, if there is one. */
void gsi_kept_dir_remove(const struct gsi_kept_dir *dir, const char *name);

#endif
