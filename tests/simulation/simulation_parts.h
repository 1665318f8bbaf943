/* simulation_parts.h: declares what the parts of the simulation share. Used by tests/simulation
 * only. */
#ifndef SIMULATION_PARTS_H
#define SIMULATION_PARTS_H

#include "simulation/simulation.h"

#include "io/engine.h"

/* The files of a job, by where they are: temporary files are in the directory `t` or `r`. */
enum sim_file { SIM_INPUT, SIM_OUTPUT, SIM_SPILL, SIM_STREAM };

/* Probabilities of a run, in 1000, and times. */
struct sim_profile {
    uint32_t shorts, interrupted, blocked, refused_direct; /* of each call that moves bytes */
    uint32_t early;                                        /* a task ends before the owner waits */
    uint32_t more;                                         /* one wait takes another event */
    uint32_t scarce;            /* a merge gets as few buffers as it may have, or some more */
    uint32_t wrong;             /* a forecast of which block a merge needs next */
    uint32_t depth;             /* transfers in flight */
    uint64_t usual_ns, slow_ns; /* how long an event takes; 1 in 16 is slow */
};

const struct sim_profile *sim_profile(void);

/* sim_is_drawn: true in so many of 1000 cases.
 * sim_due: the time when something ends that begins now. */
bool sim_is_drawn(uint32_t of_1000);
uint64_t sim_due(void);
uint64_t sim_now(void);

/* sim_note: adds an event to the trace. */
void sim_note(const char *what, uint64_t a, uint64_t b, uint64_t c);

/* sim_strikes: counts a chance of a fault. Returns true if this is the one that it strikes.
 * sim_misses: nothing went wrong after all. */
bool sim_strikes(enum sim_fault fault);
void sim_misses(void);

/* sim_meet_fate: ends or cancels the job, if this is the time for it. */
void sim_meet_fate(void);

/* sim_step: runs the next event that is due until `deadline`. Returns false if there is none.
 * sim_sleep: lets time pass until then. */
bool sim_step(uint64_t deadline);
void sim_sleep(uint64_t deadline);

/* sim_fail: the simulation cannot continue: says why, with the seed, and aborts. */
__attribute__((noreturn)) void sim_fail(const char *why);

/* sim_engine_due, sim_pools_due: the time of the next event. UINT64_MAX: there is none.
 * sim_engine_run, sim_pools_run: runs that event.
 * sim_engine_look: wakes the engine if the descriptor that it watches is readable.
 * sim_engine_count, sim_pools_count: how many are open. */
uint64_t sim_engine_due(void);
void sim_engine_run(void);
void sim_engine_look(void);
uint32_t sim_engine_count(void);
uint64_t sim_pools_due(void);
void sim_pools_run(void);
uint32_t sim_pools_count(void);

#endif
