/* test_sweep.c: one input, sorted in every way there is: memory, codec, fan-in, threads, engine,
 * temporary directories, with everything spilled or not. The output is always the same bytes, and
 * memory stays below what was allowed. By default as many cases as it takes that every two values
 * of different axes meet, with fewer sizes of memory where programs take many times as long;
 * GS_SWEEP=all runs the whole product of 6144. Run: build/dev/tests/test_sweep */
#include "base/report.h"
#include "support/model.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#define ELEMENTS   2700001u /* 20.6 MiB, and no whole number of pages */
#define CANDIDATES 60       /* drawn for each case; the one with most new pairs is taken */
#define MIB        ((uint64_t)1 << 20)

enum axis { MEMORY, CODEC, FAN_IN, THREADS, ENGINE, DIRECTORIES, SPILL, AXIS_COUNT };
#define VALUES_MOST  8
#define FEW_MEMORIES 5 /* less than the input and more, and enough for all */

static const uint64_t memories[] = {16, 1024, 24, 64, 32, 17, 20, 256}; /* MiB */
static const struct {
    enum gsi_compress_choice way;
    uint32_t level;
} codecs[] = {{GSI_COMPRESS_NONE, 0},
              {GSI_COMPRESS_AUTO, 0},
              {GSI_COMPRESS_ZSTD, 1},
              {GSI_COMPRESS_ZSTD, 3},
              {GSI_COMPRESS_DELTAS, 0}};
static const uint32_t fan_ins[] = {0, 2, 3, 16};
static const uint32_t threads[] = {1, 2, 3, 8};
static const enum gsi_io_choice engines[] = {GSI_IO_AUTO, GSI_IO_THREADS};
static const char *const directories[] = {".", "/dev/shm", "other"};

static int value_counts[AXIS_COUNT] = {[MEMORY] = 8, [CODEC] = 5,       [FAN_IN] = 4, [THREADS] = 4,
                                       [ENGINE] = 2, [DIRECTORIES] = 3, [SPILL] = 2};

/* A case: one value of each axis. */
struct sweep_case {
    int value[AXIS_COUNT];
};

static uint64_t in[ELEMENTS], want[ELEMENTS], got[ELEMENTS];

static int compare_u64(const void *a, const void *b)
{
    return model_compare_u64(a, b);
}

/* Half of it close together, so that coding pays; many equal. */
static int make_input(void **state)
{
    if (scratch_setup(state) != 0 || mkdir("other", 0700) != 0)
        return -1;
    struct test_random random = test_random_make(0);
    for (size_t i = 0; i < ELEMENTS; i++)
        in[i] = i % 2 ? test_next(&random) : test_below(&random, 1000000);
    memcpy(want, in, sizeof in);
    qsort(want, ELEMENTS, sizeof want[0], compare_u64);
    put_bytes("in", in, sizeof in);
    return 0;
}

/* A second file system, without direct I/O. */
static bool has_memory;

/* Directories: the first ones of the list; one is on another file system, without direct I/O. */
static void run_case(const struct sweep_case *c)
{
    const int *value = c->value;
    const char *used[] = {directories[0], has_memory ? directories[1] : directories[2],
                          directories[2]};
    struct gsi_options options = {.inputs = (const char *[]){"in"},
                                  .input_count = 1,
                                  .output = "out",
                                  .type = "u64",
                                  .memory_bytes = memories[value[MEMORY]] * MIB,
                                  .compress = codecs[value[CODEC]].way,
                                  .compress_level = codecs[value[CODEC]].level,
                                  .fan_in = fan_ins[value[FAN_IN]],
                                  .thread_count = threads[value[THREADS]],
                                  .io = engines[value[ENGINE]],
                                  .device = GSI_DEVICE_CPU,
                                  .temp_dirs = used,
                                  .temp_dir_count = (size_t)value[DIRECTORIES] + 1,
                                  .spill_all = value[SPILL] != 0};
    struct gs_report report;
    struct gs_error error;
    char name[200];
    snprintf(name, sizeof name,
             "-S %lluM, codec %d level %u, fan-in %u, %u threads, engine %d, %zu directories, %s",
             (unsigned long long)memories[value[MEMORY]], (int)options.compress,
             options.compress_level, options.fan_in, options.thread_count, (int)options.io,
             options.temp_dir_count, options.spill_all ? "all spilled" : "what does not fit");
    if (gs_run(&options, &report, &error) != GS_OK)
        test_fail("%s: %s", name, error.text);
    memset(got, 0, sizeof got);
    if (get_bytes("out", got, sizeof got) != sizeof got || report.output_bytes != sizeof got ||
        memcmp(got, want, sizeof got) != 0)
        test_fail("%s: wrong output", name);
    if (report.memory_peak_bytes > options.memory_bytes)
        test_fail("%s: %llu bytes taken", name, (unsigned long long)report.memory_peak_bytes);
    bool must_spill = options.spill_all || options.memory_bytes < sizeof in;
    bool may_spill = options.spill_all || options.memory_bytes < 3 * sizeof in;
    if (report.spilled_runs > 0 ? !may_spill : must_spill)
        test_fail("%s: %llu runs spilled", name, (unsigned long long)report.spilled_runs);
}

/* Pairs of values of different axes that have met. */
static bool has_met[AXIS_COUNT][VALUES_MOST][AXIS_COUNT][VALUES_MOST];

/* New pairs in a case; `is_taken`: they have met now. */
static int new_pairs(const struct sweep_case *c, bool is_taken)
{
    int count = 0;
    for (int a = 0; a < AXIS_COUNT; a++)
        for (int b = 0; b < a; b++) {
            bool *met = &has_met[a][c->value[a]][b][c->value[b]];
            count += !*met;
            *met |= is_taken;
        }
    return count;
}

static int all_pairs(void)
{
    int count = 0;
    for (int a = 0; a < AXIS_COUNT; a++)
        for (int b = 0; b < a; b++)
            count += value_counts[a] * value_counts[b];
    return count;
}

static struct sweep_case draw_case(struct test_random *random)
{
    struct sweep_case best = {{0}};
    int best_pairs = -1;
    for (int i = 0; i < CANDIDATES; i++) {
        struct sweep_case candidate;
        for (int a = 0; a < AXIS_COUNT; a++)
            candidate.value[a] = (int)test_below(random, (uint64_t)value_counts[a]);
        int pairs = new_pairs(&candidate, false);
        if (pairs > best_pairs) {
            best = candidate;
            best_pairs = pairs;
        }
    }
    return best;
}

static void sweep_pairs(void)
{
    struct test_random random = test_random_make(1);
    for (int left = all_pairs(); left > 0;) {
        struct sweep_case c = draw_case(&random);
        int pairs = new_pairs(&c, true);
        left -= pairs;
        if (pairs > 0)
            run_case(&c);
    }
}

/* The next case of the product; false: that was the last. */
static bool advance(struct sweep_case *c)
{
    for (int a = 0; a < AXIS_COUNT; a++) {
        if (++c->value[a] < value_counts[a])
            return true;
        c->value[a] = 0;
    }
    return false;
}

static void test_sort__every_way__same_bytes(void **state)
{
    (void)state;
    const char *which = getenv("GS_SWEEP");
    has_memory = access(directories[1], W_OK | X_OK) == 0;
    if (!has_memory)
        test_part_skipped("a directory in memory", "no /dev/shm to write to");
    if (which == NULL || strcmp(which, "all") != 0) {
        if (test_is_small())
            value_counts[MEMORY] = FEW_MEMORIES;
        sweep_pairs();
        return;
    }
    struct sweep_case c = {{0}};
    do {
        run_case(&c);
    } while (advance(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sort__every_way__same_bytes, make_input,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
