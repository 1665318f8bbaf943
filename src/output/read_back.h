/* read_back.h: reads the output back from the disk before the file gets its name (--verify=read).
 *
 *     output file -> scan: digests, joined in order -> the same as what was handed over?
 *
 * The output of the merge is verified anyway (verify.h). This finds later errors: in windows that
 * wait to be written, on the way to the disk, and on the disk. */
#ifndef GSI_READ_BACK_H
#define GSI_READ_BACK_H

#include "output/target.h"
#include "plan/plan.h"

/* gsi_read_back_plan: adds what is read back to what the plan says is read. */
void gsi_read_back_plan(const struct gsi_target *target, struct gsi_plan *plan);

/* gsi_read_back: reads the output back and compares it, if that was asked for. Everything is
 * written and nothing is in flight.
 * in    windows: all free, borrowed
 *       wanted: digest of the elements that were handed over; its order does not count
 * fails GS_E_VERIFY: the file holds something else, or not in order; GS_E_IO */
enum gs_status gsi_read_back(struct gsi_target *target, struct gsi_buffers *windows,
                             const struct gsi_digest *wanted);

/* gsi_read_back_kept: does the same for a plain file that another process wrote, on this thread,
 * without a plan and windows. The target knows the file's length.
 * in    fd: of that file, borrowed
 *       is_placed: whether it has the output's name already
 * fails GS_E_VERIFY, GS_E_IO; GS_E_MEMORY; GS_E_CANCELED */
enum gs_status gsi_read_back_kept(struct gsi_target *target, int fd, bool is_placed,
                                  const struct gsi_digest *wanted);

#endif
