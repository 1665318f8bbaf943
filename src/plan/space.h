/* space.h: checks whether each file system has enough free space for the files of a job. Pure.
 *
 * A merge deletes its temporary files while it writes the output (plan_predict.c). So on one file
 * system both need little more space than one of them alone. On two file systems, each needs its
 * own space. If several directories for temporary files include the output's file system, they may
 * use the space that the output leaves there. */
#ifndef GSI_SPACE_H
#define GSI_SPACE_H

#include "base/status.h"
#include "plan/plan.h"

#define GSI_SPACES_MAX 16

/* A file system to which the job writes, identified by a directory in it. */
struct gsi_space {
    char directory[512];
    uint64_t file_system;  /* its id */
    uint64_t free_bytes;   /* before the job */
    uint64_t needed_bytes; /* for output and temporary files, at most */
    uint64_t temp_bytes;   /* part of free_bytes that temporary files may use */
    bool has_output, has_temp;
};

/* The file systems to which the job writes; filled only if the size of the input is known. */
struct gsi_space_report {
    struct gsi_space table[GSI_SPACES_MAX];
    uint32_t count;
    bool is_enough; /* every file system has enough free space */
};

/* gsi_space_check: computes needed_bytes and temp_bytes of each file system from its free_bytes,
 * has_output and has_temp. At most one of them has the output.
 * fails GS_E_SPACE: too little space; the error names the directory and the needed bytes; all
 *       members are set nevertheless */
enum gs_status gsi_space_check(const struct gsi_plan *plan, struct gsi_space *spaces,
                               uint32_t count, struct gs_error *error);

#endif
