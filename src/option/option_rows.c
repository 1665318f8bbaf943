/* option_rows.c: the table of options. All that there is to say of an option is its row, in the
 * order of help; so it is as long as there are options. */
#include "option/option.h"

#include "base/report.h"
#include "option/option_take.h"

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
const struct gs_choice gsi_choices_of_compress[] = {
    {.word = "auto", .value = GSI_COMPRESS_AUTO},
    {.word = "none", .value = GSI_COMPRESS_NONE},
    {.word = "deltas", .value = GSI_COMPRESS_DELTAS},
    {"zstd", GSI_COMPRESS_ZSTD, 1, GSI_ZSTD_LEVEL_MAX},
    {.word = NULL}};
const struct gs_choice gsi_choices_of_set[] = {{.word = "all", .value = GSI_SET_NONE},
                                               {.word = "union", .value = GSI_SET_UNION},
                                               {.word = "intersect", .value = GSI_SET_INTERSECT},
                                               {.word = "except", .value = GSI_SET_EXCEPT},
                                               {.word = "semi", .value = GSI_SET_SEMI},
                                               {.word = "anti", .value = GSI_SET_ANTI},
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
/* Of the program: enum stats_format, enum progress_mode. */
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
                                                    {.word = "json", .value = 1},
                                                    {.word = NULL}};
static const struct gs_choice choices_of_help[] = {{.word = "usual", .value = 0},
                                                   {.word = "tuning", .value = 1},
                                                   {.word = "all", .value = 2},
                                                   {.word = "markdown", .value = 3},
                                                   {.word = NULL}};
static const struct gs_choice choices_of_tune[] = {{.word = "merge=tiles", .value = false},
                                                   {.word = "merge=circular", .value = true},
                                                   {.word = NULL}};
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
/* What every job has, and what needs to know what elements are. */
#define JOBS     (SORT | STATS | CHECK | ARRAY | SCAN | SORTER)
#define ELEMENTS (JOBS | FIND | LOOK | GPU)

#define GROUP_SORT   "What to sort"
#define GROUP_WRITE  "What to write"
#define GROUP_MEMORY "Memory and disk"
#define GROUP_DEVICE "Device"
#define GROUP_REPORT "Reports"
#define GROUP_TUNING "Tuning"

#define AT(member) \
    .off = offsetof(struct gsi_options, member), .bytes = sizeof(((struct gsi_options *)0)->member)
#define FLAG(member)              .kind = GSI_KIND_FLAG, AT(member)
#define SIZE(member, low)         .kind = GSI_KIND_SIZE, AT(member), .least = low
#define TEXT(member)              .kind = GSI_KIND_TEXT, AT(member)
#define NUMBER(member, low, high) .kind = GSI_KIND_NUMBER, AT(member), .least = low, .most = high
#define LIST(member, count)       .kind = GSI_KIND_LIST, AT(member), NUMBERED(count)
#define CHOICE(member)            .kind = GSI_KIND_CHOICE, AT(member)
#define NUMBERED(member)          .more = offsetof(struct gsi_options, member)
#define OTHER(member, function)   .kind = GSI_KIND_OTHER, AT(member), .take = function
#define MODEL(member)             .kind = GSI_KIND_MODEL, AT(member)
#define PROGRAM                   .kind = GSI_KIND_PROGRAM

/* As in element/number_rows.h; tests/cli/options/help.sh compares them. */
#define TYPES        "uint8 int8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64"
#define TYPES_BEYOND "u128 i128 time64"

const struct gsi_option_row gsi_option_rows[GSI_OPT_COUNT] = {
    [GSI_OPT_TYPE] =
        {{"type", 't', "T", GROUP_SORT,
          "elements: " TYPES "\n" TYPES_BEYOND ", each with be behind it if big endian;\n"
          "default from the name (x.f64, books_200M_uint64), else u64",
          .daily = "uint8 i16 f16 u32 u64 f64 ..; default by name",
          .manual = "Elements are `" TYPES " " TYPES_BEYOND "`, each with `be` behind it if big "
                    "endian. The default comes from the `.npy` header or the file's "
                    "[name](#formats) (`x.f64`, `x.f64.zst`, `books_200M_uint64`); else it is "
                    "`u64`. Times may have [a unit](#order): `time64[ms]`."},
         TEXT(type),
         .verbs = ELEMENTS},
    [GSI_OPT_RECORD] = {{"record", 'R', "N", GROUP_SORT,
                         "elements are records of N bytes, 1 to 65536",
                         .daily = "records of N bytes",
                         .manual = "Elements are [records](#records) of N bytes, 1 to 65536."},
                        NUMBER(record_bytes, 1, 65536),
                        .verbs = ELEMENTS},
    [GSI_OPT_KEY] =
        {{"key", 'k', "OFF:TYPE[:desc]", GROUP_SORT,
          "key in the record, repeatable, the first decides first: a\n"
          "type as in -t, or bN: N bytes; default all bytes;\n"
          "of a .npy file also NAME[:desc], default all fields",
          .daily = "by the key at byte OFF; repeatable", .is_list = true,
          .manual = "A key begins at byte OFF of the record. TYPE is as with `-t`, or `bN`: N bytes"
                    " in lexicographic order. The option may be given 64 times; the first key "
                    "decides first; keys may overlap. Without any, the whole record is the key, as "
                    "bytes. Of a `.npy` file the key may also be NAME or NAME`:desc`, and the "
                    "default is all fields."},
         LIST(keys, key_count),
         .verbs = ELEMENTS},
    [GSI_OPT_WHERE] =
        {{"where", 0, "OFF:TYPE<op>VALUE", GROUP_SORT,
          "only elements for which this is true, repeatable, all have\n"
          "to be; op is == != < <= > or >=, TYPE as in -k; of numbers\n"
          "<op>VALUE, of a .npy file also NAME<op>VALUE",
          .daily = "only those for which it is true: 8:u32>5", .is_list = true,
          .manual = "Only elements for which this is true [go on](#where); it may be given 64 "
                    "times, and all have to be. The operator is `==`, `!=`, `<`, `<=`, `>` or `>=`;"
                    " TYPE is as with `-k`. Of numbers it is `<op>VALUE`, of a `.npy` file also "
                    "`NAME<op>VALUE`."},
         LIST(where, where_count),
         .verbs = SORT | STATS | SCAN},
    [GSI_OPT_REVERSE] = {{"reverse", 'r', NULL, GROUP_SORT, "largest first",
                          .daily = "largest first", .alone = "true",
                          .manual =
                              "The largest comes first. Records with equal keys keep their order."},
                         FLAG(reverse),
                         .verbs = SORT | CHECK | FIND | ARRAY | SCAN | SORTER | GPU},
    [GSI_OPT_NAN] = {{"nan", 0, "WHERE", GROUP_SORT,
                      "NaNs and NaTs come last or first in either direction; else\n"
                      "they are last, and with -r first",
                      .choices = choices_of_nan,
                      .manual =
                          "NaNs, and NaTs of times, come `last` or `first`, [whatever the "
                          "direction](#order) of the sort or of a key. Else they come behind the "
                          "largest number: last, and in descending order first."},
                     CHOICE(nan_place),
                     .verbs = SORT | CHECK | FIND | ARRAY | SCAN | SORTER},
    [GSI_OPT_TIES] =
        {{"ties", 0, "HOW", GROUP_SORT,
          "input (default): records with equal keys keep their order;\n"
          "bytes: all their other bytes decide",
          .choices = choices_of_ties,
          .manual =
              "Records with equal keys keep the order of the `input` (default), or come in the "
              "order of [all their other `bytes`](#ties): then the output does not depend on "
              "the order of the input."},
         CHOICE(ties_by_bytes),
         .verbs = SORT | CHECK | ARRAY | SCAN | SORTER | GPU},
    [GSI_OPT_MERGE] =
        {{"merge", 'm', "[=SET]", GROUP_SORT,
          "merge inputs that are sorted already, which is checked; SET\n"
          "says what stays: all (default), union, intersect, except,\n"
          "semi or anti",
          .daily = "merge inputs that are sorted already", .alone = "all",
          .choices = gsi_choices_of_set,
          .manual = "The inputs are sorted already, in this order and type; they are "
                    "[merged](#merge). SET says [which elements stay](#sets): `all` (default), "
                    "`union`, `intersect`, `except`, `semi` or `anti`."},
         OTHER(merge, gsi_take_merge),
         .verbs = SORT},
    [GSI_OPT_FILES0_FROM] =
        {{"files0-from", 0, "F", GROUP_SORT,
          "the inputs are named in F (- is standard input), each name\n"
          "ended by a NUL byte",
          .place = GS_OPTION_OF_PROGRAM,
          .manual = "The inputs are named in the file F (`-` is standard input). Each name is ended"
                    " by a NUL byte, as `find -print0` writes them."},
         PROGRAM},
    [GSI_OPT_HEADER] =
        {{"header", 0, "N", GROUP_SORT,
          "every input begins with a header of N bytes (1M at most);\n"
          "that of the first one is copied to the output",
          .manual = "Every input begins with a header of N bytes, 1M at most, which is not sorted. "
                    "The header of the first input is copied to the output."},
         SIZE(header_bytes, 0),
         .is_place = true,
         .verbs = SORT | STATS | CHECK | FIND | LOOK},
    [GSI_OPT_DROP_HEADER] =
        {{"drop-header", 0, NULL, GROUP_SORT,
          "do not write a header: neither that of --header nor that of\na .npy file",
          .alone = "true",
          .manual =
              "No header is written: neither that of `--header` nor that of a `.npy` file, of "
              "which plain data are written."},
         FLAG(drop_header),
         .verbs = SORT},
    [GSI_OPT_DROP_TAIL] =
        {{"drop-tail", 0, NULL, GROUP_SORT,
          "leave out bytes behind the last whole element, and say so", .alone = "true",
          .manual = "Bytes behind the last whole element of an input are left out, and a line says "
                    "how many; else they are an error."},
         FLAG(drop_tail),
         .verbs = SORT | STATS | CHECK | FIND | LOOK},
    [GSI_OPT_REGION] =
        {{"region", 0, "OFFSET:BYTES", GROUP_SORT,
          "only BYTES bytes of the file, from byte OFFSET on; without\n"
          "BYTES all from there on; nothing else of it is read",
          .manual = "Only BYTES bytes of the file, from byte OFFSET on, the first being 0; without "
                    "BYTES, all from there on. Nothing else of it is read or copied, and no format "
                    "is recognised in there. One that ends behind the file is refused."},
         OTHER(has_region, gsi_take_region),
         .verbs = SORT | STATS | CHECK | FIND | LOOK},
    [GSI_OPT_RANGE] =
        {{"range", 0, "FIRST:COUNT", GROUP_SORT,
          "only COUNT elements of the files, from number FIRST on; the\n"
          "first is 0; without COUNT all from there on",
          .manual = "Only COUNT elements of the inputs, which are files and one list, from number "
                    "FIRST on; the first is 0. Without COUNT, all from there on. One that ends "
                    "behind the inputs is refused. Of sorted files it goes with `-m`."},
         OTHER(has_range, gsi_take_range),
         .verbs = SORT | STATS | CHECK | FIND},
    [GSI_OPT_PART] =
        {{"part", 0, "I/N", GROUP_SORT,
          "with -m, only part I of N equal parts of the output, read\n"
          "from its place in each file",
          .manual = "With `-m`: only [part I of N](#parts) equal parts of the output, from 1/N to "
                    "N/N."},
         OTHER(part_count, gsi_take_part),
         .verbs = SORT},
    [GSI_OPT_FIND] =
        {{"find", 0, "VALUE", GROUP_SORT,
          "print where VALUE, or LO..HI, is in the sorted FILE, as\n"
          "FIRST:COUNT; with -o write what is there, of all files; of\n"
          "records by the first key; either end may be left out",
          .manual = "Prints [where](#find) VALUE is in a sorted file, or all from one to another as"
                    " LO..HI; with `-o` writes these elements of sorted files."},
         TEXT(find),
         .verbs = SORT | STATS | CHECK | FIND},
    [GSI_OPT_RAW] =
        {{"raw", 0, NULL, GROUP_SORT,
          "recognise no format: sort the bytes of .zst, .npy, text and\n"
          "other files as they are, and write them so",
          .alone = "true",
          .manual = "No format is recognised: the bytes of `.zst` and `.npy` files, of text, gzip "
                    "and others are sorted as they are, and written so, whatever the output's "
                    "name; `--zstd` packs it."},
         FLAG(raw),
         .verbs = ELEMENTS},
    [GSI_OPT_STRICT] =
        {{"strict", 0, NULL, GROUP_SORT,
          "fail where neither -t nor a name nor a format says what\n"
          "elements are, instead of taking them for u64",
          .alone = "true",
          .manual = "Where neither `-t` nor `-R` nor a name nor a format says what elements are, "
                    "gsort ends with exit status 2, also for an empty file, instead of taking them "
                    "for `u64`. Scripts and cron jobs should give it."},
         FLAG(strict),
         .verbs = SORT | STATS | CHECK | FIND | LOOK},
    [GSI_OPT_OUTPUT] =
        {{"output", 'o', "FILE", GROUP_WRITE, "write to FILE, whole or not at all; may be an input",
          .daily = "write to FILE, whole or not at all",
          .manual = "The output appears whole or not at all. It is written without a name, synced, "
                    "then put in the place of FILE, which may be an input."},
         TEXT(output),
         .verbs = SORT},
    [GSI_OPT_INTO] =
        {{"into", 0, "FILE", GROUP_WRITE,
          "with -m: write the part at its place in FILE, which has room\n"
          "for all parts; the first job makes it",
          .manual = "With `-m`: what is merged, a part or all, is written [at its place](#into) in "
                    "FILE, which has room for all parts. The first job makes FILE; what others "
                    "wrote there stays."},
         OTHER(into, gsi_take_into),
         .verbs = SORT},
    [GSI_OPT_SPLIT] =
        {{"split", 0, "N", GROUP_WRITE,
          "write N files of equally many elements, numbered from 1 on;\n"
          "-o is a pattern for their names, as out.%03d",
          .manual = "N files of [equally many elements](#split), but for one, are written instead "
                    "of one; `-o` is a pattern for their names, as `out.%03d`."},
         NUMBER(split_count, 1, GSI_SPLIT_MAX),
         .verbs = SORT},
    [GSI_OPT_SPLIT_AT] =
        {{"split-at", 0, "V[,V]...", GROUP_WRITE,
          "the same by values, of records by the first key: each file\n"
          "but the first begins at a value",
          .is_list = true,
          .is_split = true, .is_once = true,
          .manual = "The same by values, of records by the first key: a file up to each, and one "
                    "for the rest."},
         LIST(split_values, split_value_count),
         .verbs = SORT},
    [GSI_OPT_UNIQUE] =
        {{"unique", 'u', NULL, GROUP_WRITE,
          "of elements with equal keys write only the first; with -c\n"
          "they are disorder, too",
          .daily = "only the first of elements with equal keys", .alone = "true",
          .manual = "Of elements with [equal keys](#unique) only one is written: the first, if "
                    "`--keep` says nothing else. With `-c` they are disorder, too."},
         FLAG(unique),
         .verbs = SORT | CHECK | SCAN | SORTER},
    [GSI_OPT_COUNT_GROUPS] =
        {{"count", 0, NULL, GROUP_WRITE,
          "with -u: write behind each element how many had its key, as\n"
          "a u64, little endian",
          .alone = "true",
          .manual = "With `-u`: behind each element stands how many had its key, a u64, little "
                    "endian."},
         FLAG(unique_counts),
         .verbs = SORT | SORTER},
    [GSI_OPT_KEEP] =
        {{"keep", 0, "WHICH", GROUP_WRITE,
          "with -u, of elements with equal keys write: first, last,\n"
          "singles (those alone), dups (the first of several) or\n"
          "repeated (all of several)",
          .choices = gsi_choices_of_keep,
          .manual = "With `-u`: of each [group](#unique) of equal keys the `first` (default) or the"
                    " `last` is written; or only what is alone (`singles`); or the first of those "
                    "that are several (`dups`), or all of these (`repeated`)."},
         CHOICE(unique_keep),
         .verbs = SORT | SORTER},
    [GSI_OPT_GROUP] =
        {{"group", 0, "N", GROUP_WRITE,
          "with -u: records are equal if their first N keys are; all\n"
          "keys decide which is first and last",
          .manual = "With `-u`: records are equal if the first N of their keys are. All keys make "
                    "the order, in which first and last are meant. It goes with `-c -u`, too."},
         NUMBER(group_keys, 1, GSI_FIELDS_MAX),
         .verbs = SORT | CHECK | SORTER},
    [GSI_OPT_SUM] =
        {{"sum", 0, "OFF:TYPE[:wide]", GROUP_WRITE,
          "with -u: this field becomes its exact sum over all with that\n"
          "key; repeatable; wide: the sum stands behind the record, in 8\n"
          "bytes for up to 4, else twice as many, floats as f64",
          .is_list = true,
          .manual = "With `-u`: in the record that is written this field is its sum over the group "
                    "([folds](#folds)). With `:wide` the field stays as it is, and the sum stands "
                    "behind the record in a wider field. The option may be repeated."},
         LIST(sum_fields, sum_field_count),
         .verbs = SORT | SORTER},
    [GSI_OPT_MIN] = {{"min", 0, "OFF:TYPE", GROUP_WRITE, "the same with the minimum; repeatable",
                      .is_list = true, .manual = "The same with the minimum."},
                     LIST(min_fields, min_field_count),
                     .verbs = SORT | SORTER},
    [GSI_OPT_MAX] = {{"max", 0, "OFF:TYPE", GROUP_WRITE, "the same with the maximum; repeatable",
                      .is_list = true, .manual = "The same with the maximum."},
                     LIST(max_fields, max_field_count),
                     .verbs = SORT | SORTER},
    [GSI_OPT_SUM_WIDE] = {{"sum-wide", 0, NULL, GROUP_WRITE, "as :wide behind each --sum",
                           .alone = "true", .is_hidden = true},
                          FLAG(sum_wide),
                          .verbs = SORT},
    [GSI_OPT_OUT] =
        {{"out", 0, "OFF:LEN,..", GROUP_WRITE,
          "write only these bytes of each record, in this order; of a\n"
          ".npy file also NAME",
          .is_list = true, .is_split = true, .is_once = true,
          .manual = "Writes only these bytes of each record, in this order; of `.npy` files also "
                    "fields by NAME. [What nobody needs](#positions-and-fields) is dropped as it is"
                    " read."},
         LIST(out_fields, out_field_count),
         .verbs = SORT},
    [GSI_OPT_OUT_ORDER] =
        {{"out-order", 0, "ORDER", GROUP_WRITE,
          "write the numbers little or big endian, whatever they were",
          .choices = choices_of_out_order,
          .manual = "The same numbers are written `little` or `big` endian, [whatever they "
                    "were](#order-of-bytes). Of records each field would need it: they are "
                    "refused."},
         CHOICE(out_order),
         .verbs = SORT},
    [GSI_OPT_VALUES] =
        {{"values", 0, "FILE:BYTES=OUT", GROUP_WRITE,
          "move elements of BYTES bytes of another file along with the\n"
          "keys, one with each, and write them to OUT; repeatable",
          .is_list = true,
          .manual = "Moves the elements of [another file](#values-of-other-files), of BYTES bytes, "
                    "along with the keys, one with each, and writes them to OUT; repeatable, up to "
                    "16 times."},
         LIST(values, value_count),
         .verbs = SORT},
    [GSI_OPT_ARGSORT] =
        {{"argsort", 0, "[=T]", GROUP_WRITE,
          "write positions in place of elements: where each one was in\n"
          "the inputs, counted through all from 0, as u64 (default) or\n"
          "u32",
          .alone = "u64",
          .choices = gsi_choices_of_index,
          .manual = "Writes [positions](#positions-and-fields) in place of elements, as `u64` "
                    "(default) or `u32`."},
         OTHER(argsort, gsi_take_argsort),
         .verbs = SORT | GPU},
    [GSI_OPT_INDEX] = {{"index", 0, "T", GROUP_WRITE, "as --argsort=T, beside it",
                        .choices = gsi_choices_of_index, .is_hidden = true},
                       CHOICE(index_bytes),
                       .verbs = SORT},
    [GSI_OPT_TOP] =
        {{"top", 0, "K", GROUP_WRITE,
          "write only the first K elements (K M G: powers of 1000), in\n"
          "order; the rest is not sorted, if these fit into memory",
          .daily = "only the first K elements",
          .manual = "Only the [first K elements](#top) are written, in order. With `-r` they are "
                    "the largest."},
         OTHER(has_top, gsi_take_top),
         .verbs = SORT | SORTER},
    [GSI_OPT_ZSTD] =
        {{"zstd", 0, "[=LEVEL]", GROUP_WRITE,
          "pack the output by zstd, LEVEL from 1 (default) to 19; it is\n"
          "packed anyway if its name ends in .zst",
          .alone = "1",
          .manual = "The output is packed by zstd, at level 1 (default) to 19. It is packed anyway "
                    "if its name ends in `.zst`."},
         NUMBER(output_zstd_level, 1, GSI_ZSTD_LEVEL_MAX),
         .verbs = SORT},
    [GSI_OPT_VERIFY] =
        {{"verify", 0, "HOW", GROUP_WRITE,
          "stream (default): what goes to the output; read: also what the\n"
          "disk holds, before it takes the output's place",
          .choices = gsi_choices_of_verify,
          .manual = "`stream` (default) verifies what goes to the output. `read` also reads the "
                    "file back from the disk before it takes its place."},
         CHOICE(verify_read),
         .verbs = SORT},
    [GSI_OPT_MEMORY] =
        {{"memory", 'S', "SIZE", GROUP_MEMORY,
          "ceiling for the whole process; default half of what machine,\n"
          "cgroup and rlimit allow; SIZE is bytes, K M G T P E (powers\n"
          "of 1024) or %",
          .daily = "use at most SIZE of memory: 500M, 2G, 25%",
          .manual = "The ceiling for the whole process; also a percentage of what there is. The "
                    "default is half of what the machine, the control group and the rlimit allow; "
                    "more than all of that is not taken."},
         OTHER(memory_bytes, gsi_take_memory),
         .verbs = SORT | STATS | CHECK | FIND | ARRAY | SCAN | SORTER},
    [GSI_OPT_TEMP_DIR] =
        {{"temporary-directory", 'T', "DIR", GROUP_MEMORY,
          "where runs are spilled, repeatable; default the output's\n"
          "directory, for standard output $TMPDIR or /tmp",
          .alias = "temp",
          .is_list = true,
          .manual = "Runs are spilled here. The option may be repeated: several directories are "
                    "used together, the faster ones more, full ones not. The default is the "
                    "output's directory; for standard output it is `$TMPDIR` or `/tmp`."},
         LIST(temp_dirs, temp_dir_count),
         .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_RESUME] =
        {{"resume", 0, "DIR", GROUP_MEMORY,
          "keep what is done in DIR, so that the same command goes on\n"
          "after a kill; takes room for all runs beside the output",
          .manual = "What is done is kept in DIR until all is, so that the same command [goes "
                    "on](#resume) after a kill or a power cut."},
         TEXT(resume_dir),
         .verbs = SORT},
    [GSI_OPT_COMPRESS] =
        {{"compress", 0, "C", GROUP_MEMORY,
          "spilled runs: auto (what is faster, as measured), none, deltas\n"
          "or zstd[:LEVEL], LEVEL from 1 (default) to 19",
          .choices = gsi_choices_of_compress,
          .manual = "How spilled runs are stored. `none`: as they are. `deltas`: numbers as "
                    "differences, in few bits; records by `zstd`. `zstd` or `zstd:LEVEL`: packed "
                    "by zstd at level 1 (default) to 19, numbers as byte planes of differences, "
                    "records as byte planes where that is smaller. "
                    "`auto` (default) measures disk and codec, and chooses run by run between "
                    "`none` and `deltas`, of records and on a GPU `zstd`."},
         CHOICE(compress),
         NUMBERED(compress_level),
         .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_SPILL] =
        {{"spill", 0, "WHEN", GROUP_MEMORY, "auto (default): what does not fit; always: every run",
          .choices = gsi_choices_of_spill,
          .manual = "`auto` (default) keeps in memory what fits. `always` keeps nothing there."},
         CHOICE(spill_all),
         .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_DEVICE] =
        {{"device", 0, "D", GROUP_DEVICE,
          "where to sort: auto (a GPU for large files, where there is\n"
          "one), cpu, cuda, cuda:N, cuda:0,2 or cuda:all",
          .choices = gsi_choices_of_device,
          .manual = "`cpu`, `cuda` or `cuda:N` for the GPU of number N; `cuda:0,2` or `cuda:all` "
                    "for several as one, whose memory is added up: those that can read each other's"
                    " memory, without those with less than half of the largest one's. Where none "
                    "can, and the first cannot hold all, numbers that `--memory` holds are sorted "
                    "by all of them through host memory, which is slower; anything else is sorted "
                    "by the first (the report says why). `auto` (default) takes a GPU if there is "
                    "one and the input has at least 2 GiB, and all GPUs if one cannot hold what is "
                    "sorted and all can, or if it is an array of at least 32 GiB in pinned memory, "
                    "for their links add up. Several are taken so that neighbours are behind "
                    "different PCIe switches; one of them that cannot begin is left out, and the "
                    "report says so. If the GPU has too little memory, the work is done in smaller "
                    "pieces, then on the CPU. Where a GPU is there and the CPU is taken, "
                    "`--explain` says why, and about how long that takes."},
         OTHER(device, gsi_take_device),
         .verbs = JOBS},
    [GSI_OPT_DEVICE_MEMORY] =
        {{"device-memory", 0, "SIZE", GROUP_DEVICE, "take at most SIZE of a GPU's memory",
          .manual = "At most SIZE of the GPU's memory is taken, of several GPUs of each one's. The "
                    "default is 95 % of what is free."},
         SIZE(device_memory_bytes, 1),
         .verbs = JOBS},
    [GSI_OPT_DEVICE_MODEL] =
        {{"device-model", 0, "FILE", GROUP_DEVICE,
          "with --explain: plan for the GPUs that FILE describes (JSON)\n"
          "and say how long they would take; none has to be here",
          .is_once = true, .is_list = true,
          .manual = "With `--explain`: the plan is for the GPUs that FILE "
                    "[describes](#planning-for-gpus), and has the time that they would take. None "
                    "has to be here."},
         MODEL(device_model),
         .verbs = SORT},
    [GSI_OPT_CHECK] =
        {{"check", 'c', "[=HOW]", GROUP_REPORT,
          "sort nothing; report the first disorder, exit 1; quiet (or\n-C): say nothing of it",
          .daily = "sort nothing; report the first disorder, exit 1", .alone = "diagnose-first",
          .choices = choices_of_check, .place = GS_OPTION_OF_PROGRAM,
          .manual = "Nothing is sorted. The first [disorder](#check) is reported, and the exit "
                    "status is 1. `--check=quiet` and `-C` say nothing of it."},
         PROGRAM},
    [GSI_OPT_CHECK_QUIET] = {{"check-quiet", 'C', NULL, GROUP_REPORT,
                              "as -c, without a word about it", .alone = "true", .is_hidden = true,
                              .place = GS_OPTION_OF_PROGRAM},
                             PROGRAM},
    [GSI_OPT_HEAD] = {{"head", 0, "N", GROUP_REPORT,
                       "print the first N elements of a file as text, of records\n"
                       "the fields of -k or of the .npy header, else bytes",
                       .daily = "print the first N elements as text", .place = GS_OPTION_OF_PROGRAM,
                       .manual = "The first N elements of one file are [printed as text](#print)."},
                      PROGRAM},
    [GSI_OPT_TAIL] = {{"tail", 0, "N", GROUP_REPORT, "the same of the last N, alone or with --head",
                       .place = GS_OPTION_OF_PROGRAM,
                       .manual =
                           "The last N elements are printed, alone or behind those of `--head`."},
                      PROGRAM},
    [GSI_OPT_PRINT] =
        {{"print", 0, "[=HOW]", GROUP_REPORT,
          "print what would be written: text (default), header: names\n"
          "above it, or json: lines of JSON; with --head or --tail how\n"
          "they print",
          .alone = "text", .choices = choices_of_print, .place = GS_OPTION_OF_PROGRAM,
          .manual = "What would be written is [printed](#print) on standard output instead, an "
                    "element a line: as `text` (default), as `header`, text below a line of names, "
                    "or as `json`, where each line is a JSON value. With `--head` and `--tail` it "
                    "says how they print."},
         PROGRAM},
    [GSI_OPT_JSON] = {{"json", 0, NULL, GROUP_REPORT, "with --head or --tail: as JSON lines",
                       .alone = "true", .is_hidden = true, .place = GS_OPTION_OF_PROGRAM},
                      PROGRAM},
    [GSI_OPT_STATS] =
        {{"stats", 0, "[=F[:FILE]]", GROUP_REPORT,
          "report aggregates and rates: text (default), json or none;\n"
          "to FILE; else to standard error, json to standard output if\n"
          "that is free",
          .daily = "report count, min, max, exact sum and rates", .alone = "text",
          .choices = choices_of_stats, .place = GS_OPTION_OF_PROGRAM,
          .manual =
              "The report, as `text` (default) or [`json`](#json), is written to FILE, whole or "
              "not at all. Without FILE it goes to standard error; JSON goes to standard output "
              "if no data go there. With `none` there is no report. Options for what is in "
              "a report (`--stats-of`, `--quantiles`, `--histogram`, `--distinct`, `--mode`, "
              "`--variance`) ask for the report, too."},
         PROGRAM},
    [GSI_OPT_STATS_ONLY] =
        {{"stats-only", 0, NULL, GROUP_REPORT, "only the report; sort and write nothing",
          .daily = "only the report; sort and write nothing", .alone = "true",
          .place = GS_OPTION_OF_PROGRAM,
          .manual = "The inputs are read once and reported; nothing is sorted or written. With "
                    "`-m`, what would be written is reported, as [how many stay](#sets)."},
         PROGRAM},
    [GSI_OPT_STATS_OF] =
        {{"stats-of", 0, "OFF:TYPE", GROUP_REPORT,
          "field of the record to report aggregates of, repeatable;\n"
          "default the first key that is a number",
          .is_list = true,
          .manual = "Minimum, maximum and sum of this field of the record are reported. The option "
                    "may be repeated. The default is the first key that is a number."},
         LIST(stats_fields, stats_field_count),
         .verbs = JOBS},
    [GSI_OPT_JOIN_REPORTS] =
        {{"join-reports", 0, NULL, GROUP_REPORT,
          "FILEs are JSON reports: check that the parts (--part) are one\n"
          "whole, made of what the other reports are of, and print a\n"
          "report of it; exit 4 if not",
          .alone = "true", .place = GS_OPTION_OF_PROGRAM,
          .manual =
              "The files are JSON reports: those of all [parts](#into), and of what the parts "
              "were made of. The parts have to be one whole, of which a report is printed; "
              "else the exit status is 4."},
         PROGRAM},
    [GSI_OPT_QUANTILES] =
        {{"quantiles", 0, "P[,P]...", GROUP_REPORT,
          "report exact quantiles: decimals from 0 to 1, or median;\n"
          "of records those of the first key",
          .is_list = true, .is_split = true, .is_once = true,
          .manual = "Exact [quantiles](#quantiles) are reported: P is a decimal from 0 to 1, or "
                    "`median`; 64 at most."},
         LIST(quantiles, quantile_count),
         .verbs = SORT | STATS | SCAN},
    [GSI_OPT_HISTOGRAM] = {{"histogram", 0, "N", GROUP_REPORT,
                            "report how many values are in each of N bins of equal width",
                            .manual =
                                "How many values are in each of N bins of equal width is reported, "
                                "[exactly](#quantiles); 1024 at most."},
                           NUMBER(histogram_bins, 1, GSI_BINS_MAX),
                           .verbs = SORT | STATS | SCAN},
    [GSI_OPT_DISTINCT] = {{"distinct", 0, NULL, GROUP_REPORT, "report how many values differ",
                           .alone = "true",
                           .manual = "The report says how many values [differ](#quantiles)."},
                          FLAG(distinct),
                          .verbs = SORT},
    [GSI_OPT_MODE] = {{"mode", 0, NULL, GROUP_REPORT, "report the most frequent value",
                       .alone = "true",
                       .manual =
                           "The report has the most frequent value, and how often it is there."},
                      FLAG(mode),
                      .verbs = SORT},
    [GSI_OPT_VARIANCE] = {{"variance", 0, NULL, GROUP_REPORT,
                           "report mean, variance and standard deviation, from exact sums",
                           .alone = "true",
                           .manual =
                               "The report has mean, variance and standard deviation, from [exact "
                               "sums](#sums)."},
                          FLAG(variance),
                          .verbs = SORT | STATS | CHECK | ARRAY | SCAN},
    [GSI_OPT_EXPLAIN] =
        {{"explain", 0, NULL, GROUP_REPORT, "print the plan and its reasons, and stop",
          .alone = "true", .place = GS_OPTION_OF_PROGRAM,
          .manual =
              "The plan is printed (an object with `--stats=json`): runs, passes, memory, disk "
              "space, how many bytes go where, and the rate that a minute or an hour would "
              "need. Nothing is done."},
         PROGRAM},
    [GSI_OPT_PROGRESS] =
        {{"progress", 0, "WHEN", GROUP_REPORT, "auto (on a terminal), always or never",
          .choices = choices_of_progress, .place = GS_OPTION_OF_PROGRAM,
          .manual = "A line on a terminal shows the phase, its rate, and the time that is left of "
                    "the whole job: `auto` (default), `always` or `never`."},
         PROGRAM},
    [GSI_OPT_QUIET] =
        {{"quiet", 'q', NULL, GROUP_REPORT, "no notes and no progress", .alone = "true",
          .place = GS_OPTION_OF_PROGRAM,
          .manual = "There are no notes and no progress. A report that is asked for is there."},
         PROGRAM},
    [GSI_OPT_VERBOSE] = {{"verbose", 'v', NULL, GROUP_REPORT, "report, and how the work was done",
                          .alone = "true", .place = GS_OPTION_OF_PROGRAM,
                          .manual = "There is a report, and how the work was done."},
                         PROGRAM},
    [GSI_OPT_HELP] =
        {{"help", 'h', "[=WHAT]", GROUP_REPORT,
          "this text; -h is a short one; tuning: options that only tune\n"
          "how the work is done; all: both",
          .daily = "this text; --help names every option", .alone = "usual",
          .choices = choices_of_help, .place = GS_OPTION_OF_PROGRAM,
          .manual =
              "`-h` names the options of every day, `--help` all but those that only tune how "
              "the work is done, `--help=tuning` these, and `--help=all` all."},
         PROGRAM},
    [GSI_OPT_VERSION] = {{"version", 'V', NULL, GROUP_REPORT,
                          "version and what this build contains", .alone = "true",
                          .place = GS_OPTION_OF_PROGRAM, .manual = "Version, devices, engines."},
                         PROGRAM},
    [GSI_OPT_PARALLEL] =
        {{"parallel", 0, "N", GROUP_TUNING, "threads that sort and merge; default all processors",
          .alias = "threads",
          .manual = "N threads sort and merge. The default is all processors, as affinity and the "
                    "control group's quota allow."},
         NUMBER(thread_count, 1, GSI_THREADS_MAX),
         .verbs = JOBS},
    [GSI_OPT_BATCH_SIZE] = {{"batch-size", 0, "N", GROUP_TUNING,
                             "merge at most N spilled runs at once",
                             .manual = "At most N spilled runs are merged at once."},
                            NUMBER(fan_in, 2, GSI_FAN_IN_MAX),
                            .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_IO] =
        {{"io", 0, "E", GROUP_TUNING, "I/O engine: auto, uring or threads",
          .choices = gsi_choices_of_io,
          .manual = "The I/O engine: `uring`, `threads`, or `auto` (default), which takes io_uring "
                    "where the system allows it."},
         CHOICE(io),
         .verbs = JOBS},
    [GSI_OPT_CHUNK] =
        {{"chunk", 0, "SIZE", GROUP_TUNING, "sort SIZE bytes in one piece; default by memory",
          .manual = "SIZE bytes are sorted in one piece. The default follows from the memory."},
         SIZE(chunk_bytes, 1),
         .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_WINDOW] =
        {{"window", 0, "SIZE", GROUP_TUNING,
          "merge and write SIZE bytes in one piece; default by memory",
          .manual = "SIZE bytes are merged in one piece, 1G at most. The default follows from the "
                    "memory."},
         SIZE(window_bytes, 1),
         .verbs = JOBS},
    [GSI_OPT_TUNE] =
        {{"tune", 0, "WHAT", GROUP_TUNING,
          "how a GPU merges two runs: merge=tiles (default), or\n"
          "merge=circular, by circular buffers in shared memory",
          .choices = choices_of_tune,
          .manual = "How a GPU (`--device=cuda`) merges two runs: by tiles, `merge=tiles` "
                    "(default), or by circular buffers in shared memory, `merge=circular`, for "
                    "which it has to have compute capability 9.0. Merges of more runs at once go "
                    "by tiles. The report says how many merges were circular. Tiles are faster on "
                    "an H100; `gsort-bench kernels` compares them."},
         CHOICE(merge_is_circular),
         .verbs = SORT | ARRAY | SORTER},
    [GSI_OPT_INPUT] = {{"input", 0, "FILE", GROUP_SORT,
                        "a file to read; - is standard input, and so is none", .is_list = true,
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
