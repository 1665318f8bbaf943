/* job_report.h: the report of a job, which nests those of all stages. Programs see it by paths
 * (report/report_rows.h). */
#ifndef GSI_JOB_REPORT_H
#define GSI_JOB_REPORT_H

#include "element/record/element_report.h"
#include "input/inputs.h"
#include "job/strategy/check_counts.h"
#include "merge/find.h"
#include "merge/part.h"
#include "merge/presorted.h"
#include "merge/set_filter.h"
#include "output/ranks.h"
#include "output/target.h"
#include "plan/plan_model.h"
#include "plan/space.h"
#include "resume/resume.h"
#include "spill/spill.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --top, as asked for; there may be fewer. */
struct gsi_top_report {
    bool is_given;
    uint64_t count;
};

/* Set with GS_E_DISORDER. */
struct gsi_disorder_report {
    uint64_t index; /* of the element that is smaller than the one before it */
    uint64_t file_idx, file_element_idx;
    /* Both elements. For records: the first key that differs, from byte key.off on. */
    uint8_t before[16], after[16];
    struct gsi_field_report key;
};

/* Notes that a report keeps, the first ones; one that is longer loses its middle. */
#define GSI_NOTES_MAX  16
#define GSI_NOTE_BYTES 256

/* The messages that the listener got. */
struct gsi_notes_report {
    char texts[GSI_NOTES_MAX][GSI_NOTE_BYTES];
    size_t count;
};

/* The result of a job. May be copied. Each part is filled by the code beside its struct, whose
 * header is named here. */
struct gs_report {
    struct gsi_element_report element; /* element/record/element_report.h */
    struct gsi_tally_report tally;     /* for records: only count, fingerprint */
    struct gsi_tally_report field_tallies[GSI_FIELDS_MAX]; /* of element.fields */
    struct gsi_payload_report payload;                     /* element/entry/entry_map.h */
    struct gsi_input_report input;                         /* input/inputs.h */
    struct gsi_range_report range;                         /* input/inputs.h */
    struct gsi_find_report find;                           /* merge/find.h */
    struct gsi_part_report part;                           /* merge/part.h */
    struct gsi_set_report set;                             /* merge/set_filter.h */
    struct gsi_top_report top;
    struct gsi_device_report device;          /* device/device.h */
    struct gsi_engine_report engine;          /* io/engine.h */
    struct gsi_plan plan;                     /* plan/plan.h */
    struct gsi_space_report space;            /* plan/space.h */
    struct gsi_prediction prediction;         /* plan/plan_model.h */
    struct gsi_runs_report runs;              /* spill/spill.h */
    struct gsi_presorted_report presorted;    /* merge/presorted.h */
    struct gsi_one_pass_report one_pass;      /* output/target.h */
    struct gsi_output_report output;          /* output/target.h */
    struct gsi_into_report into;              /* output/target.h */
    struct gsi_split_report split;            /* output/target.h */
    struct gsi_groups_report groups;          /* output/target.h */
    struct gsi_ends_report ends;              /* output/stream_check.h */
    struct gsi_order_report order_statistics; /* output/ranks.h */
    struct gsi_check_report check;            /* job/strategy/check_counts.h */
    struct gsi_disorder_report disorder;
    struct gsi_resume_report resumed; /* resume/resume.h */
    struct gsi_cost_report cost;      /* loop/loop.h */
    struct gsi_notes_report notes;
    struct gsi_joined_sums *sums; /* of reports that were added up; the library's */
};

/* gsi_report_note: keeps what the listener was told, GSI_NOTES_MAX notes at most. */
static inline void gsi_report_note(struct gs_report *report, const char *text)
{
    if (report->notes.count < GSI_NOTES_MAX)
        gsi_shorten_name(report->notes.texts[report->notes.count++], GSI_NOTE_BYTES, text);
}

struct gsi_job;
struct gsi_delivery_report;

/* gsi_job_report: fills job->report. The job is over, well or not, and everything is still open. */
void gsi_job_report(struct gsi_job *job);

/* gsi_job_delivery_report: the parts that a delivery fills. */
struct gsi_delivery_report gsi_job_delivery_report(struct gsi_job *job);

#ifdef __cplusplus
}
#endif
#endif
