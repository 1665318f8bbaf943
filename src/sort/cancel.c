/* cancel.c: a flag and the engine to wake; both atomic, because signal handlers come here. */
#include "sort/cancel.h"

#include <stdatomic.h>
#include <stdlib.h>

struct gs_cancel {
    atomic_bool is_set;
    struct gsi_engine *_Atomic engine;
};

gs_cancel *gs_cancel_create(void)
{
    return calloc(1, sizeof(gs_cancel));
}

void gs_cancel_free(gs_cancel *cancel)
{
    free(cancel);
}

void gs_cancel_now(gs_cancel *cancel)
{
    atomic_store(&cancel->is_set, true);
    struct gsi_engine *engine = atomic_load(&cancel->engine);
    if (engine != NULL)
        gsi_engine_wake(engine);
}

bool gsi_cancel_is_set(const gs_cancel *cancel)
{
    return cancel != NULL && atomic_load(&cancel->is_set);
}

void gsi_cancel_attach(gs_cancel *cancel, struct gsi_engine *engine)
{
    if (cancel != NULL)
        atomic_store(&cancel->engine, engine);
}
