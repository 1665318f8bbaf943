/* device_model.h: --device-model: GPUs described in JSON. */
#ifndef GSORT_DEVICE_MODEL_H
#define GSORT_DEVICE_MODEL_H

#include "gsort.h"

/* device_model_read: reads an object whose members are the fields of struct gs_device_model. Rates
 * and memory are numbers of bytes, or texts like "139G"; whether they make sense is the library's.
 * in    path: "-" is standard input
 * fails GS_E_INPUT: unreadable or no JSON; GS_E_USAGE: not such an object; GS_E_MEMORY */
enum gs_status device_model_read(const char *path, struct gs_device_model *model,
                                 struct gs_error *error);

#endif
