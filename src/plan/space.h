/* space.h: checks whether there is room for the files of a job, per file system. Pure.
 *
 * A merge releases the disk of its input while it writes (plan_predict.c). So output and temporary
 * files on one file system need little more room than one of them alone. On two file systems the
 * output needs its own room. If temporary files may also be in the output's file system, they get
 * what the output leaves. */
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

/* The file systems to which the job writes: for an input of known size, as planned. */
struct gsi_space_report {
    struct gsi_space table[GSI_SPACES_MAX];
    uint32_t count;
    bool is_enough; /* all have as much as they need */
};

/* gsi_space_share: computes needed_bytes and temp_bytes of each file system from its free_bytes,
 * has_output and has_temp. At most one of them has the output.
 * fails GS_E_SPACE: too little room; the error names the place and the needed size; everything is
 *       filled in all the same */
enum gs_status gsi_space_share(const struct gsi_plan *plan, struct gsi_space *spaces,
                               uint32_t count, struct gs_error *error);

#endif
