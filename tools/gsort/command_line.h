/* command_line.h: what a command line says. */
#ifndef GSORT_COMMAND_LINE_H
#define GSORT_COMMAND_LINE_H

#include "files0.h"
#include "option_refuse.h"
#include "option_table.h"
#include "option_values.h"

struct command_line {
    struct gs_options options;
    /* What options points to. */
    const char **inputs, **temp_dirs, **keys, **stats_fields, **where, **sum_fields;
    const char **min_fields, **max_fields, **values;
    struct option_list quantiles, out_fields, split_values;
    const char *into_path;  /* of --into: options.output, too */
    const char *model_path; /* NULL: no GPUs are described */
    struct gs_device_model model;
    const char *files0_path; /* NULL: inputs are arguments */
    struct files0 files0;
    char typed[OPTION_TYPED_BYTES]; /* the option that is being parsed */
    enum stats_format stats;        /* also where something else asks for a report */
    enum progress_mode progress;
    bool is_quiet, is_verbose, check_quietly;
    uint64_t head_count, tail_count; /* GS_ACTION_LOOK: elements to print; what was not given: 0 */
    bool prints_json, joins_reports;
    bool is_given[OPT_COUNT];
    bool wants_help, wants_daily_help, wants_version; /* daily: -h */
};

#endif
