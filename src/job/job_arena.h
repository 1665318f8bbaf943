/* job_arena.h: opens the arena of a job and the device that sorts in it. */
#ifndef GSI_JOB_ARENA_H
#define GSI_JOB_ARENA_H

#include "job/job.h"

/* gsi_job_open_device: maps the arena and opens the device as planned, if the strategy needs them.
 * If a GPU has too little memory, plans again with less of it, and at last without it.
 * gsi_job_close_device: releases both and reports what the device did. */
enum gs_status gsi_job_open_device(struct gsi_job *job);
void gsi_job_close_device(struct gsi_job *job);

/* gsi_job_wake: wakes the loop of a job, on any thread.
 * in    job: a struct gsi_job */
void gsi_job_wake(void *job);

#endif
