/* inputs.h: describes the inputs of a job: their files and streams, the options for reading, and
 * what was read. */
#ifndef GSI_INPUTS_H
#define GSI_INPUTS_H

#include "base/checked.h"
#include "base/choices.h"
#include "element/entry/entry_map.h"
#include "element/filter/filter.h"
#include "element/fold/pre_aggregate.h"
#include "element/tally/tally_sums.h"
#include "input/zst/frames_reader.h"
#include "io/file.h"
#include "loop/loop.h"

#include <sys/stat.h>

struct gsi_input_report {
    uint64_t bytes;
    uint64_t file_bytes; /* sizes of the files, before decompression */
    bool is_direct;      /* all inputs are read by direct I/O */
    bool is_packed;      /* the first input is compressed by zstd */
    /* Offset of the first element in the first input: in the file, or in the decompressed data or
     * the stream. */
    uint64_t data_off;
    uint64_t data_bytes;     /* bytes of the first input's elements; UINT64_MAX: a stream, or
                              * compressed */
    uint64_t expected_bytes; /* the same according to its header; UINT64_MAX: unknown */
    char values[GSI_VALUES_MAX][GSI_VALUE_TEXT_BYTES]; /* texts of --values, shortened */
    size_t value_count;
    /* The conditions of --where, and the number and fingerprint of the elements that they drop.
     * Tallies do not count these elements. */
    char where[GSI_FIELDS_MAX][GSI_FIELD_TEXT_BYTES];
    size_t where_count;
    uint64_t left_out_count;
    uint64_t left_out_fingerprint[2];
};

struct gsi_payload_tally;
struct gsi_format;
struct gsi_formatted;
struct gsi_set_filter;
struct gsi_values;

/* The header of the output. Its length does not depend on the number of elements. */
struct gsi_header {
    uint8_t *data; /* from malloc */
    uint64_t bytes;
};

/* Options that determine the output's header. */
struct gsi_header_spec {
    const struct gsi_format *format; /* NULL: none */
    bool has_counts;                 /* a count follows each element */
    enum gsi_byte_order byte_order;
    const char *const *fields; /* fields of --out */
    size_t field_count;
};

/* Options for reading the inputs. job/spec sets them, and nothing changes them afterwards. */
struct gsi_inputs_spec {
    bool is_merge;         /* --merge: the inputs are sorted, and are merged */
    bool merges_first;     /* only the first input is merged, filtered by the others
                            * (merge/set_filter.h) */
    bool is_raw;           /* --raw: no format is detected */
    bool are_records;      /* --record: the elements are records */
    bool skips_streams;    /* do not read streams: only the plan or the type is requested */
    bool inspects_readers; /* but read the first bytes of inputs that are callbacks */
    bool may_end_early;    /* a merge may end before it has counted all that it read */
    uint64_t header_bytes, kept_header_bytes; /* --header: length in each input; length that the
                                               * output copies from the first */
    bool waits_for_header;                    /* the header is written before elements are read */
    bool drops_header, drops_tail;
    bool counts_later; /* ignore the number of elements in headers */
    bool has_region;
    uint64_t region_off, region_bytes;
    uint64_t first_position; /* position of the first element that is read */
};

/* Planned memory for reading, in addition to the job's buffers: for decompression, and of
 * stages. */
struct gsi_input_plan {
    bool is_shared; /* one reader decompresses all inputs; false: one per input, or none */
    struct gsi_frames_reader_plan unpack;
    struct gsi_bump payload;       /* input/source.h */
    struct gsi_bump payload_tally; /* input/payload/payload_tally.h */
    struct gsi_bump pre_aggregate; /* element/fold/pre_aggregate.h */
    struct gsi_bump sets;          /* merge/set_filter.h */
};

struct gsi_inputs {
    struct gsi_loop *loop;
    const struct gsi_inputs_spec *spec;
    struct gsi_input *table;
    size_t count, room;
    bool are_many;       /* there are too many inputs to open them all: each is open while it is
                          * read */
    bool is_cut;         /* only a part of the elements is read (--range, --part) */
    bool is_lent;        /* the input is an array, and buffers use its memory (reader.c) */
    bool has_stream;     /* a stream is among the inspected inputs */
    uint64_t bytes;      /* of all inputs' data; UINT64_MAX: unknown, because of a stream */
    uint64_t data_bytes; /* of elements that were read so far */
    const struct gsi_layout *layout; /* layout of elements as they are read; loop->layout: as they
                                      * are sorted */
    const struct gsi_entry_map *entry_map;   /* maps elements to the entries that are sorted; NULL:
                                              * elements are sorted */
    struct gsi_payload_tally *payload_tally; /* counts elements if entries are sorted */
    /* The tally of a device that makes entries itself (device/device.h); NULL: input/payload makes
     * them. */
    struct gsi_tally_report *device_tally;
    struct gsi_values *values;       /* files of --values; NULL: none */
    const struct gsi_filter *filter; /* --where: keeps some elements; NULL: all */
    struct gsi_set_filter *sets;     /* filters of --merge=SET; NULL: no such option */
    const struct gsi_fold *fold;     /* fields that are aggregated with --unique; NULL: none */
    struct gsi_pre_aggregate *pre_aggregate; /* aggregates groups while reading; NULL: no */
    struct gsi_filtered filtered;            /* counts of `filter` so far */
    struct gsi_header header;                /* copied from the first input, or made */
    struct gsi_header_spec head;             /* describes the header; set after the inputs were
                                       * inspected */
    struct gsi_formatted *formatted;         /* the first input's header; NULL: the inputs have no
                                       * format */
    struct gsi_frames_reader *unpack;        /* if plan->is_shared; otherwise NULL */
    const struct gsi_input_plan *plan;
};

/* gsi_inputs_measure: sets inputs->bytes to the sum of all inputs' data, which must be open.
 * fails GS_E_INPUT: an input does not contain whole elements, or the sum is too large */
enum gs_status gsi_inputs_measure(struct gsi_inputs *inputs);

/* gsi_inputs_merged_count: returns how many inputs a merge writes: all, or only the first. */
static inline size_t gsi_inputs_merged_count(const struct gsi_inputs *inputs)
{
    return inputs->spec->merges_first && inputs->count > 0 ? 1 : inputs->count;
}

/* gsi_inputs_contain: returns whether one of the inputs is this file. */
bool gsi_inputs_contain(const struct gsi_inputs *inputs, const struct stat *file);

/* gsi_inputs_check_whole: checks that the `bytes` of an input's data are whole elements.
 * fails GS_E_INPUT: they are not, or their number differs from the header */
enum gs_status gsi_inputs_check_whole(const struct gsi_inputs *inputs,
                                      const struct gsi_input *input, uint64_t bytes);

/* gsi_inputs_drop_tail: returns how many bytes follow the last whole element of an input with
 * `bytes` of data, if --drop-tail ignores them, and sends a note. Returns 0 without --drop-tail, or
 * if a header gives the number of elements. */
uint64_t gsi_inputs_drop_tail(const struct gsi_inputs *inputs, const struct gsi_input *input,
                              uint64_t bytes);

/* gsi_inputs_are_filtered: returns whether a filter drops elements while they are read.
 * gsi_inputs_are_changed: returns whether the output contains something else than the sorted
 * entries.
 * gsi_inputs_may_shrink: returns whether fewer elements may be sorted than are read. */
static inline bool gsi_inputs_are_filtered(const struct gsi_inputs *inputs)
{
    return inputs->filter != NULL || inputs->sets != NULL;
}
static inline bool gsi_inputs_are_changed(const struct gsi_inputs *inputs)
{
    return inputs->entry_map != NULL && gsi_entry_is_changed(inputs->entry_map);
}
static inline bool gsi_inputs_may_shrink(const struct gsi_inputs *inputs)
{
    return inputs->filter != NULL || inputs->pre_aggregate != NULL;
}

/* gsi_inputs_device_bytes: returns the size of the elements that the device gets. */
static inline uint32_t gsi_inputs_device_bytes(const struct gsi_inputs *inputs)
{
    return inputs->device_tally != NULL ? inputs->layout->element_bytes
                                        : inputs->loop->layout->element_bytes;
}

/* gsi_inputs_kept_bytes: returns the bytes of the entries that are sorted, after filters and
 * pre-aggregation.
 * gsi_inputs_verify: checks that the tally counts all elements that the filter kept. If only a part
 * of the inputs was read, it checks the number of elements.
 * fails GS_E_VERIFY */
uint64_t gsi_inputs_kept_bytes(const struct gsi_inputs *inputs);
enum gs_status gsi_inputs_verify(const struct gsi_inputs *inputs,
                                 const struct gsi_tally_report *tally);

/* gsi_zst_slots_fitting: returns how many zstd frames may be compressed or decompressed at the same
 * time, each in `slot_bytes`. Their memory is at most an eighth of memory_bytes, but at least one
 * slot. */
static inline uint32_t gsi_zst_slots_fitting(uint64_t slot_bytes, uint64_t memory_bytes,
                                             uint32_t thread_count)
{
    return (uint32_t)gsi_clamp_u64(memory_bytes / 8 / slot_bytes, 1, (uint64_t)thread_count + 2);
}

/* Reading only a part of the inputs: some elements (--range, --part), or some bytes of a file
 * (--region). The functions change base_off and bytes of the inputs, so all other code works as
 * usual. A part of a stream cannot be read, because streams are not seekable. */

/* --range: `count` elements from `first` on; `of`: elements in all inputs. */
struct gsi_range_report {
    bool is_given;
    uint64_t first, count, of;
};

/* gsi_range_select_bytes: limits an open input to the bytes of --region, instead of inspecting it.
 * fails GS_E_USAGE: the region ends after the end of the file */
enum gs_status gsi_range_select_bytes(const struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_range_cut: limits an input to its elements `first` to `first + count - 1`. */
void gsi_range_cut(struct gsi_inputs *inputs, struct gsi_input *input, uint64_t first,
                   uint64_t count);

/* gsi_range_select: limits the inputs to `count` elements from `first` on; UINT64_MAX: all further
 * elements. Call it after gsi_inputs_measure.
 * fails GS_E_USAGE: they have fewer elements */
enum gs_status gsi_range_select(struct gsi_inputs *inputs, uint64_t first, uint64_t count,
                                struct gsi_range_report *report);

#endif
