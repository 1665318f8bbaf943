/* test_loop.c: the loop pumps its stages until all are done, passes the device's events to the
 * stage that accepts them, and sleeps only when nothing moves. It ends with the first failure.
 * Links pass a window on until one keeps it. Run: build/dev/tests/test_loop */
#include "support/support.h"

#include "loop/loop.h"

#define STEPS 5u

struct fixture {
    struct gs_error error;
    struct gsi_loop loop;
    struct gsi_engine engine;
    struct gsi_device device;
    uint32_t waits;  /* of the engine */
    uint32_t events; /* that the device has yet */
    bool is_broken;  /* its next event is a failure */
    bool is_idle;    /* nothing is under way that would end a sleep */
    bool is_busy;    /* but for the device */
    bool is_stuck;   /* there is no more */
    uint32_t taken;
    uint32_t made, used;   /* by the first stage, and of that by the second */
    uint32_t fails_at;     /* of what was made; 0: never */
    uint32_t used_at_fail; /* pumps of the second stage that followed */
};

static struct fixture fixture;

/* Each sleep ends with another piece for the first stage. */
static void wait_once(struct gsi_engine *engine, uint64_t timeout_ns)
{
    (void)engine;
    assert_true(timeout_ns == (fixture.is_idle && !fixture.is_busy ? 0 : UINT64_MAX));
    if (fixture.is_stuck) {
        assert_true(fixture.waits++ < STEPS);
        return;
    }
    assert_int_equal(fixture.used, fixture.made); /* else something could have moved */
    fixture.waits++;
    fixture.made++;
}

static bool reap(struct gsi_device *device, struct gsi_event *event)
{
    (void)device;
    *event = (struct gsi_event){.kind = GSI_EVENT_BUFFER};
    if (fixture.is_broken) {
        event->status = GS_E_DEVICE;
        event->failure = "it broke";
        fixture.is_broken = false;
        return true;
    }
    return fixture.events > 0 && fixture.events-- > 0;
}

static const struct gsi_engine_ops engine_ops = {.name = "none", .wait = wait_once};
static bool is_busy(const struct gsi_device *device)
{
    (void)device;
    return fixture.is_busy;
}

static const struct gsi_device_ops device_ops = {.name = "none", .reap = reap, .is_busy = is_busy};

static void take(void *context, const struct gsi_event *event)
{
    assert_ptr_equal(context, &fixture);
    assert_int_equal(event->status, GS_OK);
    fixture.taken++;
}

static bool make(void *context)
{
    (void)context;
    if (fixture.fails_at > 0 && fixture.made == fixture.fails_at)
        gsi_fail(&fixture.error, GS_E_INPUT, 0, "no more of it");
    return false;
}

static bool is_made(const void *context)
{
    (void)context;
    return fixture.made == STEPS;
}

static bool use(void *context)
{
    (void)context;
    fixture.used_at_fail += fixture.error.status != GS_OK;
    bool has_moved = fixture.used < fixture.made;
    fixture.used += has_moved;
    return has_moved;
}

static enum gs_status run(void)
{
    const struct gsi_stage stages[] = {{.context = &fixture, .pump = make, .is_done = is_made},
                                       {.context = &fixture, .accept = take, .pump = use}};
    fixture.engine.ops = &engine_ops;
    fixture.device.ops = &device_ops;
    fixture.loop = (struct gsi_loop){.error = &fixture.error,
                                     .engine = &fixture.engine,
                                     .device = &fixture.device,
                                     .io_pending = fixture.is_idle ? 0 : 1};
    return gsi_loop_run(&fixture.loop, stages, 2);
}

static void test_run__stages__pumped_until_all_are_done(void **state)
{
    (void)state;
    fixture = (struct fixture){.events = 3};
    assert_int_equal(run(), GS_OK);
    assert_int_equal(fixture.waits, STEPS);
    assert_int_equal(fixture.used, STEPS);
    assert_int_equal(fixture.taken, 3);
}

static void test_run__nothing_to_do__does_not_sleep(void **state)
{
    (void)state;
    fixture = (struct fixture){.made = STEPS, .used = STEPS};
    assert_int_equal(run(), GS_OK);
    assert_int_equal(fixture.waits, 0);
}

static void test_run__failure_of_a_stage__ends_it_at_once(void **state)
{
    (void)state;
    fixture = (struct fixture){.fails_at = 2};
    assert_int_equal(run(), GS_E_INPUT);
    assert_int_equal(fixture.used_at_fail, 0);
    assert_string_equal(fixture.error.text, "no more of it");
}

static void test_run__failure_of_the_device__ends_it(void **state)
{
    (void)state;
    fixture = (struct fixture){.events = 1, .is_broken = true};
    assert_int_equal(run(), GS_E_DEVICE);
    assert_int_equal(fixture.taken, 0);
    assert_string_equal(fixture.error.text, "it broke");
}

static void test_run__canceled__ends_before_it_sleeps(void **state)
{
    (void)state;
    gs_cancel *cancel = gs_cancel_create();
    assert_non_null(cancel);
    gs_cancel_now(cancel);
    fixture = (struct fixture){0};
    const struct gsi_stage stage = {.context = &fixture, .is_done = is_made};
    fixture.engine.ops = &engine_ops;
    fixture.loop =
        (struct gsi_loop){.error = &fixture.error, .engine = &fixture.engine, .cancel = cancel};
    assert_int_equal(gsi_loop_run(&fixture.loop, &stage, 1), GS_E_CANCELED);
    assert_int_equal(fixture.waits, 0);
    gs_cancel_free(cancel);
}

/* Nothing would ever wake it. */
static void test_run__nothing_under_way__fails_and_does_not_sleep(void **state)
{
    (void)state;
    fixture = (struct fixture){.is_idle = true, .is_stuck = true};
    assert_int_equal(run(), GS_E_INTERNAL);
    assert_int_equal(fixture.waits, 1); /* it looked once more */
    assert_non_null(strstr(fixture.error.text, "makes no progress while it reads"));
    assert_non_null(strstr(fixture.error.text, "please report"));
    /* Waiting for one thing is no different. */
    bool is_done = false;
    fixture.error = (struct gs_error){0};
    assert_int_equal(gsi_loop_wait_until(&fixture.loop, &is_done), GS_E_INTERNAL);
}

/* An event during its check counts as an event during its sleep. */
static void test_run__something_comes_when_it_looks_again__goes_on(void **state)
{
    (void)state;
    fixture = (struct fixture){.is_idle = true};
    assert_int_equal(run(), GS_OK);
    assert_int_equal(fixture.waits, STEPS);
}

static void test_run__device_is_busy__sleeps(void **state)
{
    (void)state;
    fixture = (struct fixture){.is_idle = true, .is_busy = true};
    assert_int_equal(run(), GS_OK);
    assert_int_equal(fixture.waits, STEPS);
}

static bool pass(void *context, struct gsi_buffer *window)
{
    window->bytes++;
    return context == NULL;
}

static void test_links__one_keeps_the_window__those_behind_it_do_not_see_it(void **state)
{
    (void)state;
    const struct gsi_link links[] = {{.accept = pass},
                                     {.accept = pass},
                                     {.context = &fixture, .accept = pass},
                                     {.accept = pass}};
    for (uint32_t count = 0; count <= 4; count++) {
        struct gsi_buffer window = {0};
        gsi_links_accept(links, count, &window);
        assert_int_equal(window.bytes, count < 3 ? count : 3);
    }
}

/* Half of a phase took 100 ns, so its other half does, and what later phases move takes as long by
 * their bytes. */
static void test_left__phases_to_come__count_by_their_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum gs_phase phase;
        uint64_t done, total, early;
        struct gsi_moves moves[GS_PHASE_COUNT];
        uint64_t want;
    } rows[] = {
        {"nothing done", GS_PHASE_READ, 0, 8, 0, {{8, 0}, {0, 0}, {0, 8}, {0, 0}}, 0},
        {"total not known", GS_PHASE_READ, 4, 0, 0, {{0, 0}}, 0},
        {"more than expected", GS_PHASE_READ, 9, 8, 0, {{8, 0}, {0, 0}, {0, 8}, {0, 0}}, 0},
        {"in memory", GS_PHASE_READ, 4, 8, 0, {{8, 0}, {0, 0}, {0, 8}, {0, 0}}, 300},
        {"spilled", GS_PHASE_READ, 4, 8, 0, {{8, 8}, {0, 0}, {8, 8}, {0, 0}}, 300},
        {"merged twice", GS_PHASE_READ, 4, 8, 0, {{8, 8}, {8, 8}, {8, 8}, {0, 0}}, 500},
        {"read back", GS_PHASE_READ, 4, 8, 0, {{8, 0}, {0, 0}, {0, 8}, {8, 0}}, 500},
        {"one pass", GS_PHASE_READ, 4, 8, 4, {{8, 8}, {0, 0}, {8, 8}, {0, 0}}, 100},
        {"partly", GS_PHASE_READ, 4, 8, 2, {{8, 8}, {0, 0}, {8, 8}, {0, 0}}, 200},
        {"merging", GS_PHASE_MERGE_RUNS, 4, 8, 0, {{8, 8}, {8, 8}, {8, 8}, {0, 0}}, 300},
        {"writing", GS_PHASE_WRITE, 4, 8, 0, {{8, 8}, {8, 8}, {8, 8}, {0, 0}}, 100},
        {"without a plan's bytes", GS_PHASE_WRITE, 4, 8, 0, {{0, 0}}, 100},
        {"the last", GS_PHASE_READ_BACK, 8, 8, 0, {{8, 0}, {0, 0}, {0, 8}, {8, 0}}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_plan plan = {.input_bytes = 8};
        memcpy(plan.moves, rows[i].moves, sizeof plan.moves);
        struct gsi_loop loop = {.plan = &plan,
                                .phase = rows[i].phase,
                                .done_bytes = rows[i].done,
                                .total_bytes = rows[i].total,
                                .early_bytes = rows[i].early};
        uint64_t left = gsi_loop_estimate_left_ns(&loop, 100);
        if (left != rows[i].want)
            test_fail("%s: %llu ns", rows[i].name, (unsigned long long)left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run__stages__pumped_until_all_are_done),
        cmocka_unit_test(test_run__nothing_to_do__does_not_sleep),
        cmocka_unit_test(test_run__failure_of_a_stage__ends_it_at_once),
        cmocka_unit_test(test_run__failure_of_the_device__ends_it),
        cmocka_unit_test(test_run__canceled__ends_before_it_sleeps),
        cmocka_unit_test(test_run__nothing_under_way__fails_and_does_not_sleep),
        cmocka_unit_test(test_run__something_comes_when_it_looks_again__goes_on),
        cmocka_unit_test(test_run__device_is_busy__sleeps),
        cmocka_unit_test(test_links__one_keeps_the_window__those_behind_it_do_not_see_it),
        cmocka_unit_test(test_left__phases_to_come__count_by_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
