/* option_rows.c: the table of options, one row each, in the order of help. DESCRIBED_name is what
 * help and manual say of an option: options.cmake makes it of the entry in options.md. */
#include "option/option.h"

#include "base/choices.h"
#include "option/option_parse.h"
#include "option_words.h"

#include <stddef.h>
#include <string.h>

/* ---- words ---- */

const struct gs_choice gsi_choices_of_device[] = {{.word = "auto", .value = GSI_DEVICE_AUTO},
                                                  {.word = "cpu", .value = GSI_DEVICE_CPU},
                                                  {"cuda", GSI_DEVICE_CUDA, 0, 1023},
                                                  {.word = NULL}};
const struct gs_choice gsi_choices_of_io[] = {{.word = "auto", .value = GSI_IO_AUTO},
                                              {.word = "uring", .value = GSI_IO_URING},
                                              {.word = "threads", .value = GSI_IO_THREADS},
                                              {.word = NULL}};
#define CODEC(name, word, number, levels) {#word, GSI_COMPRESS_##name, (levels) > 0, levels},
const struct gs_choice gsi_choices_of_compress[] = {{.word = "auto", .value = GSI_COMPRESS_AUTO},
                                                    {.word = "none", .value = GSI_COMPRESS_NONE},
                                                    GSI_CODECS(CODEC){.word = NULL}};
const struct gs_choice gsi_choices_of_set[] = {{.word = "all", .value = GSI_SET_NONE},
                                               {.word = "union", .value = GSI_SET_UNION},
                                               {.word = "intersect", .value = GSI_SET_INTERSECT},
                                               {.word = "except", .value = GSI_SET_EXCEPT},
                                               {.word = "semi", .value = GSI_SET_SEMI},
                                               {.word = "anti", .value = GSI_SET_ANTI},
                                               {.word = "xor", .value = GSI_SET_XOR},
                                               {.word = NULL}};
const struct gs_choice gsi_choices_of_keep[] = {
    {.word = "first", .value = GSI_KEEP_FIRST},       {.word = "last", .value = GSI_KEEP_LAST},
    {.word = "singles", .value = GSI_KEEP_SINGLES},   {.word = "dups", .value = GSI_KEEP_DUPS},
    {.word = "repeated", .value = GSI_KEEP_REPEATED}, {.word = NULL}};
static const struct gs_choice choices_of_ties[] = {
    {.word = "input", .value = false}, {.word = "bytes", .value = true}, {.word = NULL}};
static const struct gs_choice choices_of_nan[] = {{.word = "first", .value = GSI_NAN_FIRST},
                                                  {.word = "last", .value = GSI_NAN_LAST},
                                                  {.word = NULL}};
static const struct gs_choice choices_of_out_order[] = {
    {.word = "little", .value = GSI_ORDER_LITTLE},
    {.word = "big", .value = GSI_ORDER_BIG},
    {.word = NULL}};
const struct gs_choice gsi_choices_of_spill[] = {
    {.word = "auto", .value = false}, {.word = "always", .value = true}, {.word = NULL}};
const struct gs_choice gsi_choices_of_verify[] = {
    {.word = "stream", .value = false}, {.word = "read", .value = true}, {.word = NULL}};
const struct gs_choice gsi_choices_of_index[] = {
    {.word = "u64", .value = 8}, {.word = "u32", .value = 4}, {.word = NULL}};
/* Options of the program use these: enum stats_format, enum progress_mode. */
static const struct gs_choice choices_of_stats[] = {{.word = "text", .value = 1},
                                                    {.word = "json", .value = 2},
                                                    {.word = "none", .value = 0},
                                                    {.word = NULL}};
static const struct gs_choice choices_of_check[] = {{.word = "diagnose-first", .value = 0},
                                                    {.word = "quiet", .value = 1},
                                                    {.word = "silent", .value = 1},
                                                    {.word = NULL}};
static const struct gs_choice choices_of_print[] = {{.word = "text", .value = 0},
                                                    {.word = "header", .value = 2},
                                                    {.word = "csv", .value = 3},
                                                    {.word = "json", .value = 1},
                                                    {.word = NULL}};
static const struct gs_choice choices_of_help[] = {HELP_WORDS};
#define MERGE_KERNEL(name, text) {.word = "merge=" text, .value = GSI_MERGE_##name},
static const struct gs_choice choices_of_tune[] = {GSI_MERGE_KERNELS(MERGE_KERNEL){.word = NULL}};
static const struct gs_choice choices_of_progress[] = {{.word = "auto", .value = 0},
                                                       {.word = "always", .value = 1},
                                                       {.word = "never", .value = 2},
                                                       {.word = NULL}};

/* ---- rows ---- */

#define SORT   GSI_VERB_SORT
#define STATS  GSI_VERB_STATS
#define CHECK  GSI_VERB_CHECK
#define FIND   GSI_VERB_FIND
#define LOOK   GSI_VERB_LOOK
#define ARRAY  GSI_VERB_ARRAY
#define SCAN   GSI_VERB_SCAN
#define SORTER GSI_VERB_SORTER
#define GPU    GSI_VERB_GPU_ARRAY
/* The verbs of all jobs, and all verbs that need to know the type of elements. */
#define JOBS     (SORT | STATS | CHECK | ARRAY | SCAN | SORTER)
#define ELEMENTS (JOBS | FIND | LOOK | GPU)

#define AT(member) \
    .off = offsetof(struct gsi_options, member), .bytes = sizeof(((struct gsi_options *)0)->member)
#define FLAG(member)              .kind = GSI_KIND_FLAG, AT(member)
#define SIZE(member, low)         .kind = GSI_KIND_SIZE, AT(member), .least = low
#define TEXT(member)              .kind = GSI_KIND_TEXT, AT(member)
#define NUMBER(member, low, high) .kind = GSI_KIND_NUMBER, AT(member), .least = low, .most = high
#define LIST(member, count)       .kind = GSI_KIND_LIST, AT(member), NUMBERED(count)
#define CHOICE(member)            .kind = GSI_KIND_CHOICE, AT(member)
#define NUMBERED(member)          .more = offsetof(struct gsi_options, member)
#define OTHER(member, function)   .kind = GSI_KIND_OTHER, AT(member), .apply = function
#define MODEL(member)             .kind = GSI_KIND_MODEL, AT(member)
#define PROGRAM                   .kind = GSI_KIND_PROGRAM

_Static_assert(WORDS_COUNT == GSI_OPT_COUNT, "options.md has one entry for each option");

const struct gsi_option_row gsi_option_rows[GSI_OPT_COUNT] = {
    [GSI_OPT_TYPE] = {{"type", 't', "T", DESCRIBED_type}, TEXT(type), .verbs = ELEMENTS},
    [GSI_OPT_RECORD] = {{"record", 'R', "N", DESCRIBED_record},
                        NUMBER(record_bytes, 1, 65536),
                        .verbs = ELEMENTS},
    [GSI_OPT_FIELDS] = {{"fields", 0, "NAME=OFF:TYPE,..", DESCRIBED_fields, .is_list = true},
                        LIST(names, name_count),
                        .verbs = ELEMENTS},
    [GSI_OPT_KEY] = {{"key", 'k', "OFF:TYPE[:desc]", DESCRIBED_key, .is_list = true},
                     LIST(keys, key_count),
                     .verbs = ELEMENTS},
    [GSI_OPT_WHERE] = {{"where", 0, "OFF:TYPE<op>VALUE", DESCRIBED_where, .is_list = true},
                       LIST(where, where_count),
                       .verbs = SORT | STATS | SCAN},
    [GSI_OPT_REVERSE] = {{"reverse", 'r', NULL, DESCRIBED_reverse, .alone = "true"},
                         FLAG(reverse),
                         .verbs = SORT | CHECK | FIND | ARRAY | SCAN | SORTER | GPU},
    [GSI_OPT_NAN] = {{"nan", 0, "WHERE", DESCRIBED_nan, .choices = choices_of_nan},
                     CHOICE(nan_place),
                     .verbs = SORT | CHECK | FIND | ARRAY | SCAN | SORTER},
    [GSI_OPT_TIES] = {{"ties", 0, "HOW", DESCRIBED_ties, .choices = choices_of_ties},
                      CHOICE(ties_by_bytes),
                      .verbs = SORT | CHECK | ARRAY | SCAN | SORTER | GPU},
    [GSI_OPT_STABLE] = {{"stable", 's', NULL, DESCRIBED_stable, .alone = "true", .is_hidden = true,
                         .place = GS_OPTION_OF_PROGRAM},
                        PROGRAM},
    [GSI_OPT_MERGE] = {{"merge", 'm', "[=SET]", DESCRIBED_merge, .alone = "all",
                        .choices = gsi_choices_of_set},
                       OTHER(merge, gsi_apply_merge),
                       .verbs = SORT},
    [GSI_OPT_FILES0_FROM] = {{"files0-from", 0, "F", DESCRIBED_files0_from,
                              .place = GS_OPTION_OF_PROGRAM},
                             PROGRAM},
    [GSI_OPT_HEADER] = {{"header", 0, "N", DESCRIBED_header},
                        SIZE(header_bytes, 0),
                        .is_place = true,
                        .verbs = SORT | STATS | CHECK | FIND | LOOK},
    [GSI_OPT_DROP_HEADER] = {{"drop-header", 0, NULL, DESCRIBED_drop_header, .alone = "true"},
                             FLAG(drop_header),
                             .verbs = SORT},
    [GSI_OPT_DROP_TAIL] = {{"drop-tail", 0, NULL, DESCRIBED_drop_tail, .alone = "true"},
                           FLAG(drop_tail),
                           .verbs = SORT | STATS | CHECK | FIND | LOOK},
    [GSI_OPT_REGION] = {{"region", 0, "OFFSET:BYTES", DESCRIBED_region},
                        OTHER(has_region, gsi_apply_region),
                        .verbs = SORT | STATS | CHECK | FIND | LOOK},
    [GSI_OPT_RANGE] = {{"range", 0, "FIRST:COUNT", DESCRIBED_range},
                       OTHER(has_range, gsi_apply_range),
                       .verbs = SORT | STATS | CHECK | FIND},
    [GSI_OPT_PART] = {{"part", 0, "I/N", DESCRIBED_part},
                      OTHER(part_count, gsi_apply_part),
                      .verbs = SORT},
    [GSI_OPT_FIND] = {{"find", 0, "VALUE", DESCRIBED_find},
                      TEXT(find),
                      .verbs = SORT | STATS | CHECK | FIND},
    [GSI_OPT_RAW] = {{"raw", 0, NULL, DESCRIBED_raw, .alone = "true"},
                     FLAG(raw),
                     .verbs = ELEMENTS},
    [GSI_OPT_STRICT] = {{"strict", 0, NULL, DESCRIBED_strict, .alone = "true"},
                        FLAG(strict),
                        .verbs = SORT | STATS | CHECK | FIND | LOOK},
    [GSI_OPT_OUTPUT] = {{"output", 'o', "FILE", DESCRIBED_output}, TEXT(output), .verbs = SORT},
    [GSI_OPT_INTO] = {{"into", 0, "FILE", DESCRIBED_into},
                      OTHER(into, gsi_apply_into),
                      .verbs = SORT},
    [GSI_OPT_SPLIT] = {{"split", 0, "N", DESCRIBED_split},
                       NUMBER(split_count, 1, GSI_SPLIT_MAX),
                       .verbs = SORT},
    [GSI_OPT_SPLIT_AT] = {{"split-at", 0, "V[,V]...", DESCRIBED_split_at, .is_list = true,
                           .is_split = true, .is_once = true},
                          LIST(split_values, split_value_count),
                          .verbs = SORT},
    [GSI_OPT_UNIQUE] = {{"unique", 'u', NULL, DESCRIBED_unique, .alone = "true"},
                        FLAG(unique),
                        .verbs = SORT | CHECK | SCAN | SORTER},
    [GSI_OPT_COUNT_GROUPS] = {{"count", 0, NULL, DESCRIBED_count, .alone = "true"},
                              FLAG(unique_counts),
                              .verbs = SORT | SORTER},
    [GSI_OPT_KEEP] = {{"keep", 0, "WHICH", DESCRIBED_keep, .choices = gsi_choices_of_keep},
                      CHOICE(unique_keep),
                      .verbs = SORT | SORTER},
    [GSI_OPT_GROUP] = {{"group", 0, "N", DESCRIBED_group},
                       NUMBER(group_keys, 1, GSI_FIELDS_MAX),
                       .verbs = SORT | CHECK | SORTER | LOOK},
    [GSI_OPT_SUM] = {{"sum", 0, "OFF:TYPE[:wide]", DESCRIBED_sum, .is_list = true},
                     LIST(sum_fields, sum_field_count),
                     .verbs = SORT | SORTER | LOOK},
    [GSI_OPT_MIN] = {{"min", 0, "OFF:TYPE", DESCRIBED_min, .is_list = true},
                     LIST(min_fields, min_field_count),
                     .verbs = SORT | SORTER | LOOK},
    [GSI_OPT_MAX] = {{"max", 0, "OFF:TYPE", DESCRIBED_max, .is_list = true},
                     LIST(max_fields, max_field_count),
                     .verbs = SORT | SORTER | LOOK},
    [GSI_OPT_SUM_WIDE] = {{"sum-wide", 0, NULL, DESCRIBED_sum_wide, .alone = "true",
                           .is_hidden = true},
                          FLAG(sum_wide),
                          .verbs = SORT | LOOK},
    [GSI_OPT_ORDER_BY] = {{"order-by", 0, "COLUMN,..", DESCRIBED_order_by, .is_list = true,
                           .is_split = true, .is_once = true},
                          LIST(order_by, order_by_count),
                          .verbs = SORT},
    [GSI_OPT_OUT] = {{"out", 0, "OFF:LEN,..", DESCRIBED_out, .is_list = true, .is_split = true,
                      .is_once = true},
                     LIST(out_fields, out_field_count),
                     .verbs = SORT},
    [GSI_OPT_OUT_ORDER] = {{"out-order", 0, "ORDER", DESCRIBED_out_order,
                            .choices = choices_of_out_order},
                           CHOICE(out_order),
                           .verbs = SORT},
    [GSI_OPT_VALUES] = {{"values", 0, "FILE:BYTES=OUT", DESCRIBED_values, .is_list = true},
                        LIST(values, value_count),
                        .verbs = SORT},
    [GSI_OPT_ARGSORT] = {{"argsort", 0, "[=T]", DESCRIBED_argsort, .alone = "u64",
                          .choices = gsi_choices_of_index},
                         OTHER(argsort, gsi_apply_argsort),
                         .verbs = SORT | GPU},
    [GSI_OPT_INDEX] = {{"index", 0, "T", DESCRIBED_index, .choices = gsi_choices_of_index,
                        .is_hidden = true},
                       CHOICE(index_bytes),
                       .verbs = SORT},
    [GSI_OPT_TOP] = {{"top", 0, "K", DESCRIBED_top},
                     OTHER(has_top, gsi_apply_top),
                     .verbs = SORT | SORTER},
    [GSI_OPT_SHUFFLE] = {{"shuffle", 0, "[=SEED]", DESCRIBED_shuffle, .alone = "random"},
                         OTHER(is_shuffled, gsi_apply_shuffle),
                         .verbs = SORT},
    [GSI_OPT_SAMPLE] = {{"sample", 0, "K", DESCRIBED_sample},
                        OTHER(is_sample, gsi_apply_sample),
                        .verbs = SORT},
    [GSI_OPT_PERMUTE] = {{"permute", 0, "POSITIONS", DESCRIBED_permute},
                         TEXT(permute),
                         .verbs = SORT},
    [GSI_OPT_ZSTD] = {{"zstd", 0, "[=LEVEL]", DESCRIBED_zstd, .alone = "1"},
                      NUMBER(output_zstd_level, 1, GSI_ZSTD_LEVEL_MAX),
                      .verbs = SORT},
    [GSI_OPT_VERIFY] = {{"verify", 0, "HOW", DESCRIBED_verify, .choices = gsi_choices_of_verify},
                        CHOICE(verify_read),
                        .verbs = SORT},
    [GSI_OPT_MEMORY] = {{"memory", 'S', "SIZE", DESCRIBED_memory},
                        OTHER(memory_bytes, gsi_apply_memory),
                        .verbs = SORT | STATS | CHECK | FIND | ARRAY | SCAN | SORTER},
    [GSI_OPT_TEMP_DIR] = {{"temporary-directory", 'T', "DIR", DESCRIBED_temporary_directory,
                           .alias = "temp", .is_list = true},
                          LIST(temp_dirs, temp_dir_count),
                          .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_RESUME] = {{"resume", 0, "DIR", DESCRIBED_resume}, TEXT(resume_dir), .verbs = SORT},
    [GSI_OPT_COMPRESS] = {{"compress", 0, "C", DESCRIBED_compress,
                           .choices = gsi_choices_of_compress},
                          CHOICE(compress),
                          NUMBERED(compress_level),
                          .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_SPILL] = {{"spill", 0, "WHEN", DESCRIBED_spill, .choices = gsi_choices_of_spill},
                       CHOICE(spill_all),
                       .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_DEVICE] = {{"device", 0, "D", DESCRIBED_device, .choices = gsi_choices_of_device},
                        OTHER(device, gsi_apply_device),
                        .verbs = JOBS},
    [GSI_OPT_DEVICE_MEMORY] = {{"device-memory", 0, "SIZE", DESCRIBED_device_memory},
                               SIZE(device_memory_bytes, 1),
                               .verbs = JOBS},
    [GSI_OPT_DEVICE_MODEL] = {{"device-model", 0, "FILE", DESCRIBED_device_model, .is_once = true,
                               .is_list = true},
                              MODEL(device_model),
                              .verbs = SORT},
    [GSI_OPT_CHECK] = {{"check", 'c', "[=HOW]", DESCRIBED_check, .alone = "diagnose-first",
                        .choices = choices_of_check, .place = GS_OPTION_OF_PROGRAM},
                       PROGRAM},
    [GSI_OPT_CHECK_QUIET] = {{"check-quiet", 'C', NULL, DESCRIBED_check_quiet, .alone = "true",
                              .is_hidden = true, .place = GS_OPTION_OF_PROGRAM},
                             PROGRAM},
    [GSI_OPT_HEAD] = {{"head", 0, "N", DESCRIBED_head, .place = GS_OPTION_OF_PROGRAM}, PROGRAM},
    [GSI_OPT_TAIL] = {{"tail", 0, "N", DESCRIBED_tail, .place = GS_OPTION_OF_PROGRAM}, PROGRAM},
    [GSI_OPT_PRINT] = {{"print", 0, "[=HOW]", DESCRIBED_print, .alone = "text",
                        .choices = choices_of_print, .place = GS_OPTION_OF_PROGRAM},
                       PROGRAM},
    [GSI_OPT_JSON] = {{"json", 0, NULL, DESCRIBED_json, .alone = "true", .is_hidden = true,
                       .place = GS_OPTION_OF_PROGRAM},
                      PROGRAM},
    [GSI_OPT_STATS] = {{"stats", 0, "[=F[:FILE]]", DESCRIBED_stats, .alone = "text",
                        .choices = choices_of_stats, .place = GS_OPTION_OF_PROGRAM},
                       PROGRAM},
    [GSI_OPT_STATS_ONLY] = {{"stats-only", 0, NULL, DESCRIBED_stats_only, .alone = "true",
                             .place = GS_OPTION_OF_PROGRAM},
                            PROGRAM},
    [GSI_OPT_STATS_OF] = {{"stats-of", 0, "OFF:TYPE", DESCRIBED_stats_of, .is_list = true},
                          LIST(stats_fields, stats_field_count),
                          .verbs = JOBS},
    [GSI_OPT_JOIN_REPORTS] = {{"join-reports", 0, NULL, DESCRIBED_join_reports, .alone = "true",
                               .place = GS_OPTION_OF_PROGRAM},
                              PROGRAM},
    [GSI_OPT_QUANTILES] = {{"quantiles", 0, "P[,P]...", DESCRIBED_quantiles, .is_list = true,
                            .is_split = true, .is_once = true},
                           LIST(order_statistics.quantiles, order_statistics.quantile_count),
                           .verbs = SORT | STATS | SCAN},
    [GSI_OPT_HISTOGRAM] = {{"histogram", 0, "N", DESCRIBED_histogram},
                           NUMBER(order_statistics.bins, 1, GSI_BINS_MAX),
                           .verbs = SORT | STATS | SCAN},
    [GSI_OPT_DISTINCT] = {{"distinct", 0, NULL, DESCRIBED_distinct, .alone = "true"},
                          FLAG(order_statistics.distinct),
                          .verbs = SORT},
    [GSI_OPT_MODE] = {{"mode", 0, NULL, DESCRIBED_mode, .alone = "true"},
                      FLAG(order_statistics.mode),
                      .verbs = SORT},
    [GSI_OPT_VARIANCE] = {{"variance", 0, NULL, DESCRIBED_variance, .alone = "true"},
                          FLAG(variance),
                          .verbs = SORT | STATS | CHECK | ARRAY | SCAN},
    [GSI_OPT_EXPLAIN] = {{"explain", 0, NULL, DESCRIBED_explain, .alone = "true",
                          .place = GS_OPTION_OF_PROGRAM},
                         PROGRAM},
    [GSI_OPT_PROGRESS] = {{"progress", 0, "WHEN", DESCRIBED_progress,
                           .choices = choices_of_progress, .place = GS_OPTION_OF_PROGRAM},
                          PROGRAM},
    [GSI_OPT_QUIET] = {{"quiet", 'q', NULL, DESCRIBED_quiet, .alone = "true",
                        .place = GS_OPTION_OF_PROGRAM},
                       PROGRAM},
    [GSI_OPT_VERBOSE] = {{"verbose", 'v', NULL, DESCRIBED_verbose, .alone = "true",
                          .place = GS_OPTION_OF_PROGRAM},
                         PROGRAM},
    [GSI_OPT_HELP] = {{"help", 'h', "[=TOPIC]", DESCRIBED_help, .alone = "everyday",
                       .choices = choices_of_help, .place = GS_OPTION_OF_PROGRAM},
                      PROGRAM},
    [GSI_OPT_VERSION] = {{"version", 'V', NULL, DESCRIBED_version, .alone = "true",
                          .place = GS_OPTION_OF_PROGRAM},
                         PROGRAM},
    [GSI_OPT_PARALLEL] = {{"parallel", 0, "N", DESCRIBED_parallel, .alias = "threads"},
                          NUMBER(thread_count, 1, GSI_THREADS_MAX),
                          .verbs = JOBS},
    [GSI_OPT_BATCH_SIZE] = {{"batch-size", 0, "N", DESCRIBED_batch_size},
                            NUMBER(fan_in, 2, GSI_FAN_IN_MAX),
                            .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_IO] = {{"io", 0, "E", DESCRIBED_io, .choices = gsi_choices_of_io},
                    CHOICE(io),
                    .verbs = JOBS},
    [GSI_OPT_CHUNK] = {{"chunk", 0, "SIZE", DESCRIBED_chunk},
                       SIZE(chunk_bytes, 1),
                       .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_WINDOW] = {{"window", 0, "SIZE", DESCRIBED_window},
                        SIZE(window_bytes, 1),
                        .verbs = JOBS},
    [GSI_OPT_TUNE] = {{"tune", 0, "WHAT", DESCRIBED_tune, .choices = choices_of_tune},
                      CHOICE(merge_kernel),
                      .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_INPUT] = {{"input", 0, "FILE", DESCRIBED_input, .is_list = true,
                        .place = GS_OPTION_OF_JOBS},
                       LIST(inputs, input_count),
                       .verbs = SORT | STATS | CHECK | FIND | LOOK},
};

static bool is_called(const struct gs_option *option, const char *name)
{
    return strcmp(option->name, name) == 0 ||
           (option->alias != NULL && strcmp(option->alias, name) == 0);
}

enum gsi_option_id gsi_option_id(const char *name)
{
    enum gsi_option_id id = 0;
    while (id < GSI_OPT_COUNT && !is_called(&gsi_option_rows[id].option, name))
        id++;
    return id;
}

const struct gs_option *gs_option_at(size_t i)
{
    return i < GSI_OPT_COUNT ? &gsi_option_rows[i].option : NULL;
}

const struct gs_option *gs_option_find(const char *name)
{
    return gs_option_at(gsi_option_id(name));
}
