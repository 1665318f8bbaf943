/* simulated_job.h: draws small random jobs for the simulation and models their output. A job is a
 * list of options by name, so that it can be printed as a command. */
#ifndef SIMULATED_JOB_H
#define SIMULATED_JOB_H

#include "support/record_model.h"
#include "support/scratch.h"

#include <gsort.h>

#define JOB_MOST       20000u
#define JOB_MOST_BYTES ((size_t)800000)
#define JOB_FILES      5u
#define JOB_OPTIONS    40u

enum job_verb { JOB_SORT, JOB_ARGSORT, JOB_UNIQUE, JOB_TOP, JOB_MERGE, JOB_CHECK, JOB_VERB_COUNT };

struct simulated_job {
    uint64_t number;
    enum job_verb verb;
    struct record_model model;
    bool is_record, is_unique, has_counts, has_top, has_where, verifies, is_in_place, resumes;
    bool has_reader, has_writer;
    uint32_t keep, group_keys, index_bytes, where_off, where_value;
    uint64_t top;
    size_t n, files, ends[JOB_FILES]; /* elements; where those of each file end */
    size_t wanted_bytes;
    enum gs_status wanted; /* without a fault */
    /* The options as names and values. */
    uint32_t option_count;
    struct {
        char name[24], value[64];
    } options[JOB_OPTIONS];
};

/* job_make: draws the job of a number and models its output.
 * job_write_inputs: writes its files.
 * job_ask: sets all its options in `job`.
 * job_text: the job as a command. In static memory.
 * job_is_wanted: whether `out`, or what the writer received, has the wanted bytes.
 * job_output: the name of its output; NULL: it has none, or a writer */
void job_make(struct simulated_job *job, uint64_t number, bool resumes);
void job_write_inputs(const struct simulated_job *job);
void job_ask(const struct simulated_job *job, gs_job *asked);
const char *job_text(const struct simulated_job *job);
bool job_is_wanted(const struct simulated_job *job);
const char *job_output(const struct simulated_job *job);

/* The bytes of the first input. */
bool job_has_first_input(const struct simulated_job *job);

#endif
