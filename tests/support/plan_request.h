/* plan_request.h: makes requests for plans, and plans from them that have to exist. */
#ifndef PLAN_REQUEST_H
#define PLAN_REQUEST_H

#include "support/support.h"

#include "plan/plan.h"

#define GIB ((uint64_t)1 << 30)
#define MIB ((uint64_t)1 << 20)

/* Sorting n bytes on a device needs n / 64 bytes of scratch memory. */
#define DEVICE_SCRATCH_PART 64

static inline struct gsi_plan_request request_of(uint64_t input_bytes, uint64_t memory_bytes,
                                                 uint32_t threads)
{
    return (struct gsi_plan_request){.input_bytes = input_bytes,
                                     .memory_bytes = memory_bytes,
                                     .thread_count = threads,
                                     .thread_bytes = MIB + 300000};
}

static inline void fail_plan(const struct gsi_plan_request *request, const char *why)
{
    test_fail("input %llu, memory %llu, %u threads, device %llu (%u), chunk %llu, window %llu, "
              "fan-in %u, spill all %d: %s",
              (unsigned long long)request->input_bytes, (unsigned long long)request->memory_bytes,
              request->thread_count, (unsigned long long)request->device_bytes,
              request->device_count, (unsigned long long)request->chunk_bytes,
              (unsigned long long)request->window_bytes, request->fan_in, request->spill_all, why);
}

static inline struct gsi_plan plan_of(const struct gsi_plan_request *request)
{
    struct gsi_plan plan;
    struct gs_error error = {0};
    if (gsi_plan_make(request, &plan, &error) != GS_OK)
        fail_plan(request, error.text);
    return plan;
}

#endif
