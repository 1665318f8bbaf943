/* simulation.h: runs jobs of the library on one thread. tests/simulation has its own clock, I/O
 * engine and thread pools. One seed decides which transfer or task ends next, how long it took and
 * how many bytes a call moves. It decides which calls are interrupted and where one fault strikes.
 * So a run replays exactly, and its digest proves it.
 *
 *     sim_begin(&setup)
 *     gs_job_run(job, GS_SORT)      clock_gettime     time advances with events only
 *         |                         gsi_pool_*        tasks run while the owner waits, or earlier
 *         |                         gsi_engine_open   transfers move bytes of real files
 *         |                         gsi_feeder_*      merges get few buffers and wrong forecasts
 *     sim_end()                     digest, what each fault could have struck, what was left open
 *
 * The linker puts these functions before those of the library (gsort_simulate in
 * tests/CMakeLists.txt). So the library has no code for the simulation. Calls that no engine makes
 * (open, sync, rename) are real ones; tests/faults lets those fail.
 *
 * TigerBeetle's VOPR and FoundationDB's simulation work like this. From them: one source of
 * randomness, probabilities that each run draws anew, and real code under a simulated machine. */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "support/support.h"

#include <gsort.h>

/* One of these may strike once in a run. */
enum sim_fault {
    SIM_NO_FAULT,
    SIM_READ_FAILS,      /* EIO */
    SIM_WRITE_FAILS,     /* EIO */
    SIM_OUTPUT_IS_FULL,  /* ENOSPC */
    SIM_SPILL_IS_FULL,   /* ENOSPC: in a temporary file */
    SIM_IS_REFUSED,      /* EAGAIN: the kernel takes no transfer from then on */
    SIM_WRITES_NOTHING,  /* a write moves 0 bytes and gives no reason */
    SIM_INPUT_ENDS,      /* a read meets the end of a file too early */
    SIM_SPILL_ENDS,      /* the same in a temporary file */
    SIM_SPILL_READ_BIT,  /* a bit of a temporary file is read wrong */
    SIM_SPILL_WRITE_BIT, /* a bit of a temporary file is written wrong */
    SIM_SPILL_LOST,      /* a write to a temporary file is confirmed and not done */
    SIM_SPILL_ELSEWHERE, /* a read of a temporary file returns bytes of another place */
    SIM_OUTPUT_BIT,      /* a bit of the output is written wrong */
    SIM_OUTPUT_LOST,     /* a write to the output is confirmed and not done */
    SIM_CANCEL,          /* gs_cancel_now */
    SIM_KILL,            /* the process ends, with SIM_KILLED */
    SIM_CRASH,           /* the same, and a part of what was not synced is lost */
    SIM_FAULT_COUNT
};

#define SIM_KILLED 99

extern const char *const sim_fault_names[SIM_FAULT_COUNT];

struct sim_setup {
    uint64_t salt; /* of the seed, beside GS_TEST_SEED */
    enum sim_fault fault;
    uint64_t at; /* it strikes the event of this number, from 0, among those that it may strike */
    gs_cancel *cancel; /* for SIM_CANCEL */
};

struct sim_result {
    uint64_t digest; /* of all events in order, with their times and sizes */
    uint64_t events;
    uint64_t chances[SIM_FAULT_COUNT]; /* events that each fault may strike */
    bool has_struck;
    uint32_t left_open; /* engines and pools */
};

void sim_begin(const struct sim_setup *setup);
struct sim_result sim_end(void);

/* sim_draw: a number below `n`, for callbacks of the job. */
uint64_t sim_draw(uint64_t n);

#endif
