/* cancel.h: the inside of gs_cancel. */
#ifndef GSI_CANCEL_H
#define GSI_CANCEL_H

#include "io/engine.h"

/* Both take NULL: a job that cannot be cancelled. */
bool gsi_cancel_is_set(const gs_cancel *cancel);

/* gsi_cancel_watch: gs_cancel_now makes a wait of the engine return, from now on until either is
 * gone. Before the engine's first wait. */
void gsi_cancel_watch(const gs_cancel *cancel, struct gsi_engine *engine);

#endif
