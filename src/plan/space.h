/* space.h: whether there is room for what a job writes, file system by file system. Pure.
 *
 * A merge gives the disk of its input back while it writes (plan_predict.c). So output and
 * temporary files on one file system need little more room than one of them alone. On two file
 * systems the output needs its own room. Where temporary files may also lie in the output's file
 * system, they get what the output leaves. */
#ifndef GSI_SPACE_H
#define GSI_SPACE_H

#include "base/status.h"
#include "plan/plan.h"

#define GSI_SPACES_MAX 16

/* A file system that the job writes to, by a directory in it. */
struct gsi_space {
    char directory[512];
    uint64_t file_system;  /* its id */
    uint64_t free_bytes;   /* before the job */
    uint64_t needed_bytes; /* for output and temporary files, at most */
    uint64_t temp_bytes;   /* of free_bytes, what temporary files may take */
    bool has_output, has_temp;
};

/* The file systems that the job writes to: for an input of known size, as planned. */
struct gsi_space_report {
    struct gsi_space table[GSI_SPACES_MAX];
    uint32_t count;
    bool is_enough; /* all have what they need */
};

/* gsi_space_share: computes needed_bytes and temp_bytes of each file system from its free_bytes,
 * has_output and has_temp. The output is in one of them at most.
 * fails GS_E_SPACE: too little room, saying where, and how much is needed; everything is filled in
 *       all the same */
enum gs_status gsi_space_share(const struct gsi_plan *plan, struct gsi_space *spaces,
                               uint32_t count, struct gs_error *error);

#endif
