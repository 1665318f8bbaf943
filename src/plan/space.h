/* space.h: whether there is room for what a job writes, file system by file system. Pure.
 *
 * What a merge writes takes the place of what it has read (plan_predict.c), so on one file system
 * output and temporary files need little more than one of them; but on two the output needs its
 * own, however much the other has. Where the output's file system is one of several for temporary
 * files and too small for everything, they may take of it what the output leaves. */
#ifndef GSI_SPACE_H
#define GSI_SPACE_H

#include "base/report.h"
#include "base/status.h"

/* gsi_space_share: computes needed_bytes and temp_bytes of each file system from its free_bytes,
 * has_output and has_temp. The output is in one of them at most.
 * fails GS_E_SPACE: too little room, saying where, and how much is needed; everything is filled in
 *       all the same */
enum gs_status gsi_space_share(const struct gsi_plan *plan, struct gsi_space *spaces,
                               uint32_t count, struct gs_error *error);

#endif
