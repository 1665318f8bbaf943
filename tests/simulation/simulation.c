/* simulation.c: implements the simulation's clock, randomness, events and faults. */
#include "simulation/simulated_disk.h"
#include "simulation/simulation_parts.h"

#include <stdio.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

const char *const sim_fault_names[SIM_FAULT_COUNT] = {
    "no fault",
    "a read fails",
    "a write fails",
    "no space for the output",
    "no space for temporary files",
    "transfers are refused",
    "a write moves nothing",
    "an input ends early",
    "a temporary file ends early",
    "a temporary file is read wrong",
    "a temporary file is written wrong",
    "a write to a temporary file is lost",
    "a temporary file is read elsewhere",
    "the output is written wrong",
    "a write to the output is lost",
    "canceled",
    "killed",
    "the power fails",
};

static struct {
    bool is_on, is_traced;
    struct sim_setup setup;
    struct sim_profile profile;
    struct test_random random;
    uint64_t now_ns;
    struct sim_result result;
} sim;

/* ---- randomness ---- */

uint64_t sim_draw(uint64_t n)
{
    return test_below(&sim.random, n);
}

bool sim_is_drawn(uint32_t of_1000)
{
    return of_1000 > 0 && sim_draw(1000) < of_1000;
}

const struct sim_profile *sim_profile(void)
{
    return &sim.profile;
}

/* Some runs are smooth, and in some every second call is short. */
static void draw_profile(void)
{
    static const uint32_t rates[] = {0, 0, 20, 100, 500};
    static const uint32_t depths[] = {1, 2, 4, 16, 64};
    static const uint64_t times[] = {1000, 50000, 3000000};
    sim.profile = (struct sim_profile){.shorts = rates[sim_draw(5)],
                                       .interrupted = rates[sim_draw(4)],
                                       .blocked = rates[sim_draw(4)],
                                       .refused_direct = rates[sim_draw(3)],
                                       .early = rates[sim_draw(5)],
                                       .more = rates[sim_draw(5)],
                                       .scarce = 250 * (uint32_t)sim_draw(5),
                                       .wrong = rates[sim_draw(5)],
                                       .depth = depths[sim_draw(5)],
                                       .usual_ns = times[sim_draw(3)],
                                       .slow_ns = 1000 * times[sim_draw(3)]};
}

/* ---- clock ---- */

uint64_t sim_now(void)
{
    return sim.now_ns;
}

uint64_t sim_due(void)
{
    uint64_t most = sim_draw(16) == 0 ? sim.profile.slow_ns : sim.profile.usual_ns;
    return sim.now_ns + 1 + sim_draw(most);
}

/* Reading the clock takes a moment. */
int __real_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
    if (!sim.is_on)
        return __real_clock_gettime(id, time);
    sim.now_ns += 1 + sim_draw(200);
    time->tv_sec = (time_t)(sim.now_ns / 1000000000u);
    time->tv_nsec = (long)(sim.now_ns % 1000000000u);
    return 0;
}

/* The library makes temporary names of them. */
ssize_t __real_getrandom(void *data, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *data, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *data, size_t bytes, unsigned flags)
{
    if (!sim.is_on)
        return __real_getrandom(data, bytes, flags);
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)data)[i] = (uint8_t)sim_draw(256);
    return (ssize_t)bytes;
}

/* ---- events ---- */

void sim_fail(const char *why)
{
    fprintf(stderr, "event %llu: %s\n", (unsigned long long)sim.result.events, why);
    abort();
}

static void mix(uint64_t value)
{
    sim.result.digest = (sim.result.digest ^ value) * 0x9e3779b97f4a7c15u;
    sim.result.digest ^= sim.result.digest >> 29;
}

void sim_note(const char *what, uint64_t a, uint64_t b, uint64_t c)
{
    sim.result.events++;
    mix(sim.now_ns);
    for (const char *byte = what; *byte != '\0'; byte++)
        mix((uint8_t)*byte);
    mix(a);
    mix(b);
    mix(c);
    if (sim.is_traced)
        fprintf(stderr, "%llu %12llu %s %lld %lld %lld\n", (unsigned long long)sim.result.events,
                (unsigned long long)sim.now_ns, what, (long long)a, (long long)b, (long long)c);
}

bool sim_strikes(enum sim_fault fault)
{
    uint64_t chance = sim.result.chances[fault]++;
    if (fault != sim.setup.fault || chance != sim.setup.at)
        return false;
    sim.result.has_struck = true;
    sim_note(sim_fault_names[fault], chance, 0, 0);
    return true;
}

void sim_misses(void)
{
    sim.result.has_struck = false;
}

void sim_meet_fate(void)
{
    if (!sim.is_on)
        return;
    if (sim_strikes(SIM_CRASH))
        disk_crash(SIM_KILLED);
    if (sim_strikes(SIM_KILL))
        _exit(SIM_KILLED);
    if (sim_strikes(SIM_CANCEL)) {
        gs_cancel_now(sim.setup.cancel);
        sim_engine_look();
    }
}

bool sim_step(uint64_t deadline)
{
    uint64_t transfer = sim_engine_due(), task = sim_pools_due();
    uint64_t due = transfer < task ? transfer : task;
    if (due == UINT64_MAX || due > deadline)
        return false;
    sim.now_ns = due > sim.now_ns ? due : sim.now_ns;
    sim_meet_fate();
    if (transfer < task)
        sim_engine_run();
    else
        sim_pools_run();
    return true;
}

void sim_sleep(uint64_t deadline)
{
    sim.now_ns = deadline > sim.now_ns ? deadline : sim.now_ns;
}

void sim_begin(const struct sim_setup *setup)
{
    memset(&sim, 0, sizeof sim);
    sim.setup = *setup;
    sim.random = test_random_make(setup->salt);
    sim.now_ns = 1000000000u + sim_draw(1000000000u);
    sim.is_traced = getenv("GS_TEST_TRACE") != NULL;
    draw_profile();
    sim.is_on = true;
}

struct sim_result sim_end(void)
{
    sim.is_on = false;
    sim.profile = (struct sim_profile){0};
    sim.result.left_open = sim_engine_count() + sim_pools_count();
    return sim.result;
}
