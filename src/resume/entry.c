/* entry.c: checks sizes before anything else is looked at. */
#include "resume/entry.h"

#include "base/checked.h"

/* What follows a head: up to three arrays. */
struct arrays {
    uint64_t count[3], unit[3];
};

uint64_t gsi_resume_head_bytes(uint32_t type)
{
    switch (type) {
    case GSI_RESUME_BEGIN:
        return sizeof(struct gsi_resume_begin);
    case GSI_RESUME_INPUTS:
        return sizeof(struct gsi_resume_inputs);
    case GSI_RESUME_COUNTS:
        return sizeof(struct gsi_resume_counts);
    case GSI_RESUME_RUN:
        return sizeof(struct gsi_resume_run);
    case GSI_RESUME_MERGED:
        return sizeof(struct gsi_resume_merged);
    case GSI_RESUME_WRITTEN:
        return sizeof(struct gsi_resume_written);
    case GSI_RESUME_DONE:
        return sizeof(struct gsi_resume_done);
    default:
        return 0;
    }
}

static struct arrays arrays_of(const struct gsi_resume_entry *entry)
{
    const uint64_t tally = sizeof(struct gsi_tally_sums), frame = sizeof(struct gsi_frame_ref);
    switch (entry->type) {
    case GSI_RESUME_BEGIN:
        return (struct arrays){{entry->head.begin.setting_bytes}, {1}};
    case GSI_RESUME_INPUTS:
        return (struct arrays){{entry->head.inputs.count}, {sizeof(struct gsi_resume_input)}};
    case GSI_RESUME_RUN:
        return (struct arrays){
            {entry->head.run.tally_count, entry->head.run.first_bytes, entry->head.run.frame_count},
            {tally, 1, frame}};
    case GSI_RESUME_COUNTS:
        return (struct arrays){{entry->head.counts.value_count}, {sizeof(uint64_t)}};
    case GSI_RESUME_MERGED:
        return (struct arrays){{entry->head.merged.frame_count}, {frame}};
    case GSI_RESUME_WRITTEN:
        return (struct arrays){{entry->head.written.run_count, entry->head.written.last_bytes,
                                entry->head.written.rest_bytes},
                               {sizeof(uint64_t), 1, 1}};
    default:
        return (struct arrays){{entry->head.done.tally_count}, {tally}};
    }
}

bool gsi_resume_decode(const struct gsi_journal_entry *raw, struct gsi_resume_entry *entry)
{
    uint64_t at = gsi_resume_head_bytes(raw->type), bytes;
    if (at == 0 || raw->bytes < at)
        return false;
    entry->type = (enum gsi_resume_type)raw->type;
    struct arrays arrays = arrays_of(entry);
    for (size_t i = 0; i < 3; i++) {
        entry->parts[i] = raw->off + at;
        if (!gsi_mul_u64(arrays.count[i], arrays.unit[i], &bytes) || bytes > raw->bytes - at)
            return false;
        at += bytes;
    }
    return at == raw->bytes;
}
