/* entry.c: a table of the types of entries. Sizes are checked before anything else is read. */
#include "resume/entry.h"

#include "base/checked.h"

#include <stddef.h>
#include <string.h>

/* An array after a head: which member of the head counts its elements, and their bytes. */
struct array {
    uint32_t at, bytes, unit;
};

#define HEAD(type) sizeof(struct gsi_resume_##type)
#define ARRAY(type, member, unit)                                      \
    {                                                                  \
        offsetof(struct gsi_resume_##type, member),                    \
            sizeof(((struct gsi_resume_##type *)NULL)->member), (unit) \
    }

static const struct {
    uint32_t head_bytes; /* 0: there is no such type */
    struct array arrays[GSI_RESUME_ARRAYS];
} types[] = {
    [GSI_RESUME_BEGIN] = {HEAD(begin), {ARRAY(begin, setting_bytes, 1)}},
    [GSI_RESUME_INPUTS] = {HEAD(inputs), {ARRAY(inputs, count, sizeof(struct gsi_resume_input))}},
    [GSI_RESUME_RUN] = {HEAD(run),
                        {ARRAY(run, tally_count, sizeof(struct gsi_tally_sums)),
                         ARRAY(run, first_bytes, 1),
                         ARRAY(run, frame_count, sizeof(struct gsi_frame_ref))}},
    [GSI_RESUME_COUNTS] = {HEAD(counts), {ARRAY(counts, value_count, sizeof(uint64_t))}},
    [GSI_RESUME_MERGED] = {HEAD(merged),
                           {ARRAY(merged, frame_count, sizeof(struct gsi_frame_ref))}},
    [GSI_RESUME_WRITTEN] = {HEAD(written),
                            {ARRAY(written, run_count, sizeof(uint64_t)),
                             ARRAY(written, last_bytes, 1), ARRAY(written, rest_bytes, 1)}},
    [GSI_RESUME_DONE] = {HEAD(done), {ARRAY(done, tally_count, sizeof(struct gsi_tally_sums))}}};

uint64_t gsi_resume_head_bytes(uint32_t type)
{
    return type < sizeof types / sizeof types[0] ? types[type].head_bytes : 0;
}

uint64_t gsi_resume_array_bytes(uint32_t type, const union gsi_resume_head *head, uint32_t idx)
{
    const struct array *array = &types[type].arrays[idx];
    uint64_t count = 0;
    memcpy(&count, (const char *)head + array->at, array->bytes); /* little endian */
    return gsi_mul_max_u64(count, array->unit);
}

bool gsi_resume_decode(const struct gsi_journal_entry *raw, struct gsi_resume_entry *entry)
{
    uint64_t at = gsi_resume_head_bytes(raw->type);
    if (at == 0 || raw->bytes < at)
        return false;
    for (uint32_t i = 0; i < GSI_RESUME_ARRAYS; i++) {
        uint64_t bytes = gsi_resume_array_bytes(raw->type, &entry->head, i);
        entry->arrays[i] = raw->off + at;
        if (bytes > raw->bytes - at)
            return false;
        at += bytes;
    }
    entry->type = (enum gsi_resume_type)raw->type;
    return at == raw->bytes;
}
