/* checkpoint_ops.h: --resume as the checkpoint of a job (merge/checkpoint.h). */
#ifndef GSI_RESUME_CHECKPOINT_OPS_H
#define GSI_RESUME_CHECKPOINT_OPS_H

#include "merge/checkpoint.h"

/* For the checkpoint that is the first member of struct gsi_resume. */
extern const struct gsi_checkpoint_ops gsi_resume_checkpoint_ops;

#endif
