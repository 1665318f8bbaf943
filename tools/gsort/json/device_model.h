/* device_model.h: --device-model=FILE: GPUs that need not be here, as JSON. */
#ifndef GSORT_DEVICE_MODEL_H
#define GSORT_DEVICE_MODEL_H

#include "gsort.h"

/* device_model_read: turns each member of the object in the file at `path` ("-": standard input)
 * into an element NAME=VALUE of the job's option.
 * fails GS_E_USAGE, GS_E_INPUT, GS_E_MEMORY */
enum gs_status device_model_read(const char *path, gs_job *job, struct gs_error *error);

#endif
