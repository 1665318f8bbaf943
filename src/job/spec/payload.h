/* payload.h: determines what is sorted instead of elements, where the output is not of elements. */
#ifndef GSI_PAYLOAD_H
#define GSI_PAYLOAD_H

#include "job/job.h"

/* gsi_spec_payload: with --argsort, --out or --values, makes *chosen describe what is sorted
 * instead of its elements; chosen->carry says how to get there. The inputs were measured.
 * fails GS_E_USAGE: positions that do not fit, or fields that are not there */
enum gs_status gsi_spec_payload(const struct gsi_job *job, struct gsi_chosen *chosen);

#endif
