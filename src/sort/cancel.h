/* cancel.h: the inside of gs_cancel. */
#ifndef GSI_CANCEL_H
#define GSI_CANCEL_H

#include "io/engine.h"

/* All take NULL: a job that cannot be cancelled. */
bool gsi_cancel_is_set(const gs_cancel *cancel);

/* gsi_cancel_attach: the engine that gs_cancel_now wakes; NULL: none any more. */
void gsi_cancel_attach(gs_cancel *cancel, struct gsi_engine *engine);

#endif
