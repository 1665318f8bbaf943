/* test_plan_edges.c: makes plans with numbers at the limits of 32, 63 and 64 bits in every field
 * that an option sets. Each plan is consistent, or is refused in one line that names an option;
 * none takes forever. Run: build/dev/tests/test_plan_edges */
#include "support/support.h"

#include "plan/plan.h"

#include <stddef.h>

#define MIB ((uint64_t)1 << 20)

static const uint64_t edges[] = {1,
                                 2,
                                 4095,
                                 4097,
                                 UINT32_MAX,
                                 (uint64_t)1 << 32,
                                 ((uint64_t)1 << 60) + 1,
                                 ((uint64_t)1 << 62) + 8,
                                 INT64_MAX,
                                 (uint64_t)1 << 63,
                                 UINT64_MAX - 8191,
                                 UINT64_MAX - 4096,
                                 UINT64_MAX - 7,
                                 UINT64_MAX - 1,
                                 UINT64_MAX};
#define EDGE_COUNT (sizeof edges / sizeof edges[0])

enum field {
    FIELD_INPUT,
    FIELD_MEMORY,
    FIELD_CHUNK,
    FIELD_WINDOW,
    FIELD_TOP,
    FIELD_DEVICE,
    FIELD_COUNT
};

static uint64_t *field_of(struct gsi_plan_request *request, enum field field)
{
    uint64_t *const fields[FIELD_COUNT] = {&request->input_bytes, &request->memory_bytes,
                                           &request->chunk_bytes, &request->window_bytes,
                                           &request->top_bytes,   &request->device_bytes};
    return fields[field];
}

/* Checks a plan: its buffers exist, within the given memory. */
static bool holds_together(const struct gsi_plan_request *request, const struct gsi_plan *plan)
{
    uint64_t windows = plan->window_count * plan->window_bytes;
    if (plan->window_bytes < 4096 || plan->window_count < 2 || plan->arena_bytes < windows ||
        plan->arena_bytes > request->memory_bytes || plan->chunk_bytes < 4096 ||
        plan->thread_count == 0 || plan->thread_count > request->thread_count)
        return false;
    if (request->is_reduction || plan->top_room > 0)
        return true;
    bool is_known = request->input_bytes != UINT64_MAX;
    bool has_runs =
        !is_known || request->is_merge ||
        plan->run_count >= request->input_bytes / plan->chunk_bytes / plan->chunks_per_run;
    bool has_room = plan->spilled_runs == 0 ||
                    (plan->fan_in >= 2 && plan->frame_bytes <= plan->window_bytes &&
                     (!is_known || plan->temp_bytes >= plan->spilled_bytes) &&
                     (plan->is_merge || !is_known || plan->space_bytes >= plan->output_bytes));
    return plan->frame_bytes >= 4096 && has_runs && has_room;
}

static void try_plan(const struct gsi_plan_request *request, const char *what)
{
    struct gsi_plan plan;
    struct gs_error error = {0};
    enum gs_status status = gsi_plan_make(request, &plan, &error);
    if (status != GS_OK) {
        bool is_clear = (status == GS_E_USAGE || status == GS_E_MEMORY || status == GS_E_INPUT) &&
                        strchr(error.text, '\n') == NULL && error.text[0] != '\0';
        if (!is_clear)
            test_fail("%s: status %d, '%s'", what, status, error.text);
        return;
    }
    if (!holds_together(request, &plan))
        test_fail("%s: input %llu, memory %llu, chunk %llu, window %llu, top %llu, device %llu: "
                  "chunk %llu x %u, windows %u x %llu, arena %llu, frame %llu, runs %llu",
                  what, (unsigned long long)request->input_bytes,
                  (unsigned long long)request->memory_bytes,
                  (unsigned long long)request->chunk_bytes,
                  (unsigned long long)request->window_bytes, (unsigned long long)request->top_bytes,
                  (unsigned long long)request->device_bytes, (unsigned long long)plan.chunk_bytes,
                  plan.chunks_per_run, plan.window_count, (unsigned long long)plan.window_bytes,
                  (unsigned long long)plan.arena_bytes, (unsigned long long)plan.frame_bytes,
                  (unsigned long long)plan.run_count);
}

/* Every kind of job with these sizes. */
static void try_kinds(struct gsi_plan_request request)
{
    static const uint32_t records[] = {0, 2, 100, 65536};
    uint64_t merged[] = {request.input_bytes, 8};
    request.merge_bytes = merged;
    for (size_t r = 0; r < 4; r++) {
        request.record_bytes = records[r];
        request.element_bytes = records[r] > 0 ? records[r] : 8;
        request.is_reduction = request.is_merge = request.spill_all = request.has_top = false;
        try_plan(&request, "sort");
        request.spill_all = request.keeps_runs = true;
        try_plan(&request, "sort that spills all");
        request.spill_all = request.keeps_runs = false;
        request.has_top = true;
        request.top_count = request.top_bytes / request.element_bytes;
        try_plan(&request, "top");
        request.top_count = request.top_bytes;
        try_plan(&request, "top, of which little is written");
        request.has_top = false;
        if (request.device_bytes > 0)
            continue; /* the following never get a device */
        request.is_merge = true;
        request.merge_count = 1 + (request.input_bytes < UINT64_MAX - 8);
        try_plan(&request, "merge");
        request.is_merge = false;
        request.is_reduction = true;
        try_plan(&request, "reduction");
    }
}

static struct gsi_plan_request request_of(uint64_t input_bytes)
{
    return (struct gsi_plan_request){.input_bytes = input_bytes,
                                     .memory_bytes = 512 * MIB,
                                     .thread_count = 2,
                                     .thread_bytes = MIB + 300000,
                                     .top_bytes = 800};
}

static void test_plan__each_field_at_each_edge__is_made_or_refused(void **state)
{
    (void)state;
    static const uint64_t inputs[] = {0, 8, 64 * MIB, 4096 * MIB, UINT64_MAX};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        for (int field = 0; field < FIELD_COUNT; field++)
            for (size_t e = 0; e < EDGE_COUNT; e++) {
                struct gsi_plan_request request = request_of(inputs[i]);
                *field_of(&request, field) = edges[e];
                try_kinds(request);
            }
}

static void test_plan__two_fields_at_edges__is_made_or_refused(void **state)
{
    (void)state;
    for (int first = 0; first < FIELD_COUNT; first++)
        for (int second = 0; second < first; second++)
            for (size_t e = 0; e < EDGE_COUNT * EDGE_COUNT; e++) {
                struct gsi_plan_request request = request_of(64 * MIB);
                *field_of(&request, first) = edges[e / EDGE_COUNT];
                *field_of(&request, second) = edges[e % EDGE_COUNT];
                try_kinds(request);
            }
}

static void test_plan__most_threads__are_as_many_as_memory_allows(void **state)
{
    (void)state;
    struct gsi_plan_request request = request_of(64 * MIB);
    struct gsi_plan plan;
    struct gs_error error = {0};
    request.thread_count = UINT32_MAX;
    assert_int_equal(gsi_plan_make(&request, &plan, &error), GS_OK);
    assert_true(plan.thread_count > 1);
    assert_true(plan.thread_count * request.thread_bytes <= request.memory_bytes / 2);
    assert_true((plan.thread_count + 1) * request.thread_bytes + 6 * MIB >
                request.memory_bytes / 2);
}

/* If there is a plan for some memory, there is one for more. */
static void try_memories(struct gsi_plan_request request)
{
    struct gsi_plan plan;
    uint64_t enough = 0;
    for (uint64_t memory = 9 * MIB; memory < (uint64_t)1 << 36; memory += memory / 7) {
        struct gs_error error = {0};
        request.memory_bytes = memory;
        if (gsi_plan_make(&request, &plan, &error) == GS_OK)
            enough = memory;
        else if (enough > 0)
            test_fail("input %llu, chunk %llu, record %u, %u threads, %s: %llu bytes are enough, "
                      "but: %s",
                      (unsigned long long)request.input_bytes,
                      (unsigned long long)request.chunk_bytes, request.record_bytes,
                      request.thread_count, request.spill_all ? "all spilled" : "as needed",
                      (unsigned long long)enough, error.text);
    }
}

static void test_plan__more_memory__is_enough_where_less_is(void **state)
{
    (void)state;
    static const uint64_t chunks[] = {0, 4096, 16384, 65536, 1 << 20};
    static const uint32_t records[] = {0, 1, 8, 24, 100}, threads[] = {1, 2, 16, 64};
    for (size_t c = 0; c < 5 * 5 * 4 * 4; c++) {
        struct gsi_plan_request request = request_of(c / 100 % 2 == 0 ? 32 * MIB : UINT64_MAX);
        request.spill_all = request.keeps_runs = c / 200 == 1;
        request.chunk_bytes = chunks[c % 5];
        request.record_bytes = records[c / 5 % 5];
        request.element_bytes = request.record_bytes > 0 ? request.record_bytes : 8;
        request.thread_count = threads[c / 25 % 4];
        try_memories(request);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__each_field_at_each_edge__is_made_or_refused),
        cmocka_unit_test(test_plan__two_fields_at_edges__is_made_or_refused),
        cmocka_unit_test(test_plan__most_threads__are_as_many_as_memory_allows),
        cmocka_unit_test(test_plan__more_memory__is_enough_where_less_is),
    };
    return cmocka_run_group_tests_name("plan_edges", tests, NULL, NULL);
}
