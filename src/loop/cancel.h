/* cancel.h: the inside of gs_cancel. */
#ifndef GSI_CANCEL_H
#define GSI_CANCEL_H

#include "io/engine.h"

/* For all calls, NULL is a job that cannot be cancelled. */

/* gsi_cancel_is_set: whether gs_cancel_now was called.
 * gsi_cancel_is_own: returns whether this process made it. */
bool gsi_cancel_is_set(const gs_cancel *cancel);
bool gsi_cancel_is_own(const gs_cancel *cancel);

/* gsi_cancel_watch: from now on, gs_cancel_now makes the engine's wait return, as long as both
 * exist. Call it before the engine's first wait.
 * fails GS_E_USAGE: it is another process's */
enum gs_status gsi_cancel_watch(const gs_cancel *cancel, struct gsi_engine *engine,
                                struct gs_error *error);

#endif
