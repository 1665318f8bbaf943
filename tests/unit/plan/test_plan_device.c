/* test_plan_device.c: checks the promises that every plan for a device with memory of its own
 * keeps, over a sweep of sizes and memories. Run: build/dev/tests/test_plan_device */
#include "support/plan_request.h"

#include "base/checked.h"
#include "plan/plan_rings.h"

/* Most pieces that the device cuts a window out of. */
#define DEVICE_SLICES_MAX 1024

/* No plan of an input spills anything if the input fits with this much around it: runs are a 16th
 * each, or 64 MiB; a spare one, scratch, and what roundings add; windows and tables. */
static bool must_be_resident(const struct gsi_plan_request *request, const struct gsi_plan *plan)
{
    uint64_t bytes = request->input_bytes;
    if (request->spill_all || request->record_bytes > 0 || bytes > (uint64_t)1 << 60 ||
        request->device_count > 1)
        return false;
    uint64_t run = bytes / 16 + 64 * MIB + plan->chunk_bytes;
    return bytes + 3 * run + 4 * (plan->window_bytes + 16384) + 8 * MIB <= request->device_bytes;
}

static void check_device_promises(const struct gsi_plan_request *request,
                                  const struct gsi_plan *plan)
{
    uint64_t windows = plan->window_count * plan->window_bytes;
    uint64_t ring = plan->arena_bytes - windows, runs = plan->device_runs;
    uint64_t count = gsi_max_u64(1, request->device_count);
    struct gsi_plan member =
        gsi_plan_for_one_device(plan); /* of several devices that work as one */
    const char *broken = NULL;
#define PROMISE(condition)                  \
    do {                                    \
        if (broken == NULL && !(condition)) \
            broken = #condition;            \
    } while (0)
    PROMISE(plan->arena_bytes + plan->host_bytes <= request->memory_bytes);
    PROMISE(plan->input_bytes == 0 || (ring > 0 && ring % plan->chunk_bytes == 0));
    PROMISE(plan->window_count >= 2 && plan->window_bytes % 4096 == 0);
    PROMISE(plan->chunk_bytes % 4096 == 0 && plan->frame_bytes % 4096 == 0);
    PROMISE(plan->frame_bytes > 0 && plan->frame_bytes <= plan->window_bytes);
    PROMISE(plan->device_bytes <= request->device_bytes);
    PROMISE(plan->device_run_bytes == plan->chunks_per_run * plan->chunk_bytes);
    PROMISE(gsi_plan_run_capacity(plan) <= plan->device_run_bytes);
    if (request->record_bytes > 0) /* with a tag each */
        PROMISE(gsi_plan_run_capacity(plan) / request->record_bytes * GSI_TAG_BYTES <=
                plan->device_run_bytes - gsi_plan_run_capacity(plan));
    PROMISE(count * member.chunks_per_run == plan->chunks_per_run);
    PROMISE((runs + 1) * member.device_run_bytes + member.device_run_bytes / DEVICE_SCRATCH_PART +
                plan->device_mirror_bytes + 4 * plan->window_bytes <=
            plan->device_bytes);
    PROMISE(plan->spilled_runs == 0 || !must_be_resident(request, plan));
    PROMISE(
        plan->host_runs == 0 ||
        (runs + request->lacks_peer_access > GSI_PLAN_TRANSFER_SLOTS &&
         member.host_bytes >= plan->host_runs * gsi_plan_run_capacity(&member) &&
         (runs + plan->host_runs) * count <= DEVICE_SLICES_MAX &&
         gsi_plan_ring_pieces(&member, plan->host_runs * count, gsi_plan_free_run_slots(plan)) >=
             gsi_plan_least_ring_pieces(plan)));
    PROMISE(!request->lacks_peer_access || plan->host_runs == plan->run_count);
    if (request->input_bytes != UINT64_MAX) {
        PROMISE(plan->run_count * gsi_plan_run_capacity(plan) >= request->input_bytes);
        PROMISE(plan->spilled_runs <= plan->run_count);
        PROMISE(plan->run_count - plan->spilled_runs <= gsi_plan_most_kept_runs(plan));
        PROMISE(plan->spilled_runs == 0 || plan->temp_bytes >= plan->spilled_bytes);
        PROMISE(plan->host_runs == 0 || !request->spill_all);
        PROMISE(!request->spill_all || plan->spilled_runs == plan->run_count);
    }
    if (plan->spilled_runs > 0) {
        uint64_t inputs = gsi_min_u64(plan->spilled_runs, plan->fan_in);
        uint64_t resident = request->input_bytes == UINT64_MAX
                                ? gsi_plan_most_kept_runs(plan)
                                : plan->run_count - plan->spilled_runs;
        PROMISE(plan->fan_in >= 2 && runs >= 2);
        PROMISE(plan->device_mirror_bytes == ring);
        PROMISE(inputs <= gsi_plan_runs_at_once(plan, ring / plan->chunk_bytes));
        PROMISE(inputs + resident * count <= DEVICE_SLICES_MAX);
    }
#undef PROMISE
    if (broken != NULL)
        fail_plan(request, broken);
}

static struct gsi_plan_request random_device_request(struct test_random *random)
{
    uint64_t input = test_below(random, (uint64_t)1 << (1 + test_below(random, 50))) / 8 * 8;
    uint64_t memory = 16 * MIB + test_below(random, (uint64_t)1 << (24 + test_below(random, 16)));
    struct gsi_plan_request request = request_of(test_below(random, 10) == 0 ? UINT64_MAX : input,
                                                 memory, 1 + (uint32_t)test_below(random, 64));
    request.device_bytes = gsi_min_u64(
        141 * GIB, 64 * MIB + test_below(random, (uint64_t)1 << (20 + test_below(random, 18))));
    request.device_scratch_part = DEVICE_SCRATCH_PART;
    request.device_count = test_below(random, 2) == 0 ? 0 : 1 + (uint32_t)test_below(random, 16);
    request.lacks_peer_access = request.device_count > 1 && test_below(random, 4) == 0;
    request.spill_all = test_below(random, 4) == 0;
    if (test_below(random, 4) == 0)
        request.fan_in = 2 + (uint32_t)test_below(random, 2000);
    if (test_below(random, 4) == 0)
        request.chunk_bytes = 4096 << test_below(random, 14);
    if (test_below(random, 4) == 0)
        request.window_bytes = 4096 << test_below(random, 12);
    if (test_below(random, 3) == 0) {
        request.record_bytes = 2 + (uint32_t)test_below(random, 65535 >> test_below(random, 16));
        request.device_fixed_bytes = test_below(random, 10 * MIB);
        if (request.input_bytes != UINT64_MAX)
            request.input_bytes -= request.input_bytes % request.record_bytes;
    }
    return request;
}

/* A window of many runs takes their launches, whatever its length: little memory of a GPU goes into
 * few long runs and long windows. */
static void test_device_plan__little_device_memory__long_windows(void **state)
{
    (void)state;
    static const struct {
        uint64_t device_bytes, window_least, runs_most;
    } rows[] = {
        {GIB, 2 * MIB, 144},
        {2 * GIB, 8 * MIB, 72},
        {4 * GIB, 16 * MIB, 64},
        {8 * GIB, 16 * MIB, 64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_plan_request request = request_of(32 * GIB, 64 * GIB, 16);
        request.device_bytes = rows[i].device_bytes;
        request.device_scratch_part = DEVICE_SCRATCH_PART;
        const struct gsi_plan plan = plan_of(&request);
        if (plan.window_bytes < rows[i].window_least || plan.run_count > rows[i].runs_most ||
            plan.host_runs == 0)
            test_fail("%llu MiB on the device: windows of %llu KiB, %llu runs",
                      (unsigned long long)(rows[i].device_bytes / MIB),
                      (unsigned long long)(plan.window_bytes >> 10),
                      (unsigned long long)plan.run_count);
    }
}

static void test_device_plan__any_size__keeps_its_promises(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    uint64_t resident = 0, spilled = 0;
    for (int i = 0; i < 50000; i++) {
        struct gsi_plan_request request = random_device_request(&random);
        struct gsi_plan plan;
        struct gs_error error = {0};
        enum gs_status status = gsi_plan_make(&request, &plan, &error);
        if (status != GS_OK) {
            if ((status != GS_E_USAGE && status != GS_E_MEMORY) || error.text[0] == '\0' ||
                strchr(error.text, '\n') != NULL)
                fail_plan(&request, error.text);
            continue;
        }
        check_device_promises(&request, &plan);
        resident += plan.spilled_runs == 0;
        spilled += plan.spilled_runs > 0;
    }
    assert_true(resident > 5000 && spilled > 5000);
}

/* Without options, memory for the tables of so much input is all that is needed. */
static void test_device_plan__ordinary_machine__never_fails(void **state)
{
    (void)state;
    uint64_t plan_count = 0;
    for (uint64_t device = GIB; device <= 141 * GIB; device += device / 3)
        for (uint64_t memory = 256 * MIB; memory <= 1024 * GIB; memory *= 2)
            for (uint64_t input = 8; input <= 1000 * memory; input *= 4) {
                struct gsi_plan_request request = request_of(input, memory, 16);
                request.device_bytes = device;
                request.device_scratch_part = DEVICE_SCRATCH_PART;
                request.spill_all = plan_count++ % 2 == 0;
                /* of records, a device needs to know where those of each frame are */
                bool has_records = plan_count % 3 == 0 && input / 16384 <= device;
                request.record_bytes = has_records ? 100 : 0;
                const struct gsi_plan plan = plan_of(&request);
                check_device_promises(&request, &plan);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_plan__little_device_memory__long_windows),
        cmocka_unit_test(test_device_plan__any_size__keeps_its_promises),
        cmocka_unit_test(test_device_plan__ordinary_machine__never_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
