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

/* A job may be anything, or what another process can do again, or what --resume allows. */
enum job_range { JOB_ANY, JOB_AGAIN, JOB_RESUMES };

enum job_set { JOB_ALL, JOB_UNION, JOB_INTERSECT, JOB_EXCEPT, JOB_SEMI, JOB_ANTI };

enum job_verb { JOB_SORT, JOB_ARGSORT, JOB_UNIQUE, JOB_TOP, JOB_MERGE, JOB_CHECK, JOB_VERB_COUNT };

struct simulated_job {
    uint64_t number;
    enum job_verb verb;
    struct record_model model;
    bool is_record, is_unique, has_counts, has_top, has_where, verifies, is_in_place, resumes;
    bool has_reader, has_writer, has_pipe; /* the first input is one */
    bool has_packed_inputs, is_packed, is_npy, has_sum, has_values;
    enum job_set set;
    uint32_t parts;       /* files of a split; 0: one */
    uint32_t sum_off;     /* of the byte that is summed */
    uint32_t value_bytes; /* of a companion file's values */
    uint32_t keep, group_keys, index_bytes, where_off, where_value;
    uint64_t top;
    size_t n, files, ends[JOB_FILES]; /* elements; where those of each file end */
    size_t wanted_bytes, counted;     /* elements that --where keeps */
    enum gs_status wanted;            /* without a fault */
    /* The options as names and values. */
    uint32_t option_count;
    struct {
        char name[24], value[64];
    } options[JOB_OPTIONS];
};

/* job_make: draws the job of a number and models its output.
 * job_write_inputs: writes its files, and removes all outputs.
 * job_ask: sets all its options in `job`, and fills the pipe that it reads.
 * job_end: closes that pipe.
 * job_text: the job as a command. In static memory.
 * job_is_wanted: whether its outputs, or what the writer received, have the wanted bytes.
 * job_output: the name of its i-th output; NULL: there is none. If one is an input, it is the only
 *     output. */
void job_make(struct simulated_job *job, uint64_t number, enum job_range range);
void job_write_inputs(const struct simulated_job *job);
void job_ask(const struct simulated_job *job, gs_job *asked);
void job_end(const struct simulated_job *job);
const char *job_text(const struct simulated_job *job);
bool job_is_wanted(const struct simulated_job *job);
const char *job_output(const struct simulated_job *job, uint32_t i);

/* The bytes of the first input. */
bool job_has_first_input(const struct simulated_job *job);

#endif
