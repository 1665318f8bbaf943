/* recorder_ops.h: --resume as the recorder of a job (merge/recorder.h). */
#ifndef GSI_RESUME_RECORDER_OPS_H
#define GSI_RESUME_RECORDER_OPS_H

#include "merge/recorder.h"

/* For the recorder that is the first member of struct gsi_resume. */
extern const struct gsi_recorder_ops gsi_resume_recorder_ops;

#endif
