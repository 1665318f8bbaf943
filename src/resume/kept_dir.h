/* kept_dir.h: opens a directory for files that outlive the program. Other users cannot read or
 * write the files in it, and only one process of gsort uses it at a time. */
#ifndef GSI_KEPT_DIR_H
#define GSI_KEPT_DIR_H

#include "base/status.h"

struct gsi_kept_dir {
    const char *path; /* borrowed */
    int fd;           /* locked; -1: not open */
    bool is_new;      /* gsi_kept_dir_open created it */
};

/* gsi_kept_dir_open: opens and locks the directory, and creates it (0700) if it does not exist.
 * fails GS_E_USAGE: it is no directory, another user owns it or may write to it, or another process
 *       has locked it; GS_E_IO */
enum gs_status gsi_kept_dir_open(const char *path, struct gsi_kept_dir *dir,
                                 struct gs_error *error);
void gsi_kept_dir_close(struct gsi_kept_dir *dir); /* also zeroed ones */

/* gsi_kept_dir_file: opens a regular file in it for reading and writing. A missing file is created
 * (0600) with `is_made`; otherwise *fd is -1.
 * fails GS_E_USAGE: it is a link, or another user's; GS_E_IO, GS_E_SPACE */
enum gs_status gsi_kept_dir_file(const struct gsi_kept_dir *dir, const char *name, bool is_made,
                                 int *fd, struct gs_error *error);

/* gsi_kept_dir_sync: syncs the directory: names that were created or removed. */
enum gs_status gsi_kept_dir_sync(const struct gsi_kept_dir *dir, struct gs_error *error);

#endif
