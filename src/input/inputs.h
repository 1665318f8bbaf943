/* inputs.h: describes the inputs of a job, in order, and everything known about them. */
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
    uint64_t file_bytes; /* as in the files: compressed or not */
    bool is_direct;      /* all reads are direct */
    bool is_packed;      /* the first one is compressed by zstd */
    /* The offset of the first input's first element: in the file, in its decompressed data, or from
     * a stream's position. */
    uint64_t data_off;
    uint64_t data_bytes;     /* from there on; UINT64_MAX: a stream, or compressed */
    uint64_t expected_bytes; /* according to its header; UINT64_MAX: it does not say */
    char values[GSI_VALUES_MAX][GSI_VALUE_TEXT_BYTES]; /* of the options, shortened to fit */
    size_t value_count;
    /* Elements that --where leaves out are in no tally. Their number and fingerprint: */
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

/* The beginning of the output. It has the same length for any number of elements. */
struct gsi_header {
    uint8_t *data; /* from malloc */
    uint64_t bytes;
};

/* The options that change the header's description of the elements. */
struct gsi_header_spec {
    const struct gsi_format *format; /* NULL: none */
    bool has_counts;                 /* a count follows each element */
    enum gsi_byte_order byte_order;
    const char *const *fields; /* of --out */
    size_t field_count;
};

/* The options that concern inputs. The job compiles them (job/spec/), and they do not change
 * afterwards. */
struct gsi_inputs_spec {
    bool is_merge;         /* they are sorted, and merged: */
    bool merges_first;     /* only the first one, filtered by the others (merge/set_filter.h) */
    bool is_raw;           /* no format is detected */
    bool are_records;      /* --record says so */
    bool skips_streams;    /* streams are not read: only the plan or the type is requested */
    bool inspects_readers; /* but readers of the program are: their beginning */
    bool may_end_early;    /* a merge may read more than it counts */
    uint64_t header_bytes, kept_header_bytes; /* of each input; of the first one, for the output */
    bool waits_for_header;                    /* it is written before anything else is read */
    bool drops_header, drops_tail;
    bool counts_later; /* headers do not say how many elements there are */
    bool has_region;
    uint64_t region_off, region_bytes;
    uint64_t first_position; /* of the first element that is read */
};

/* The plan of reading beside the arena: how inputs are decompressed, and the bump allocators of
 * stages. */
struct gsi_input_plan {
    bool is_shared; /* all inputs have one frames reader; false: each has one, or none has */
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
    bool are_many;       /* too many to be open at the same time: each is open while it is read */
    bool is_cut;         /* only a part of their elements is read (range.h) */
    bool is_lent;        /* an array whose memory buffers borrow (reader.c) */
    bool has_stream;     /* among the inspected inputs */
    uint64_t bytes;      /* of data; UINT64_MAX: a stream is among them */
    uint64_t data_bytes; /* of elements, read so far */
    const struct gsi_layout *layout; /* of elements as read; loop->layout: of sorted entries */
    const struct gsi_entry_map *entry_map;   /* the entries that are sorted instead; NULL: none */
    struct gsi_payload_tally *payload_tally; /* of elements whose entries are sorted */
    /* The tally of a device that makes entries itself (device/device.h); NULL: the source makes
     * entries. */
    struct gsi_tally_report *device_tally;
    struct gsi_values *values;       /* files of --values; NULL: none */
    const struct gsi_filter *filter; /* keeps some elements; NULL: all are kept */
    struct gsi_set_filter *sets;     /* filters with --merge=SET; NULL: no such option */
    const struct gsi_fold *fold;     /* fields that are aggregated with --unique; NULL: none */
    struct gsi_pre_aggregate *pre_aggregate; /* aggregates while reading; NULL: nothing does */
    struct gsi_filtered filtered;            /* by `filter`, so far */
    struct gsi_header header; /* copied from the first input, or made; as far as it is complete */
    struct gsi_header_spec head;      /* its contents, known after the inputs were inspected */
    struct gsi_formatted *formatted;  /* of inputs with a format; NULL: they have none */
    struct gsi_frames_reader *unpack; /* plan->is_shared; else NULL */
    const struct gsi_input_plan *plan;
};

/* gsi_inputs_measure: adds up the bytes of all inputs, which are open, in inputs->bytes.
 * fails GS_E_INPUT: an input does not contain whole elements, or all together have too many bytes
 */
enum gs_status gsi_inputs_measure(struct gsi_inputs *inputs);

/* gsi_inputs_merged_count: returns how many inputs, from the first on, are merged. */
static inline size_t gsi_inputs_merged_count(const struct gsi_inputs *inputs)
{
    return inputs->spec->merges_first && inputs->count > 0 ? 1 : inputs->count;
}

/* gsi_inputs_contain: returns whether one of them is this file. */
bool gsi_inputs_contain(const struct gsi_inputs *inputs, const struct stat *file);

/* gsi_inputs_check_whole: checks the `bytes` of data that `input` has.
 * fails GS_E_INPUT: they are not whole elements, or not as many as its header says */
enum gs_status gsi_inputs_check_whole(const struct gsi_inputs *inputs,
                                      const struct gsi_input *input, uint64_t bytes);

/* gsi_inputs_drop_tail: returns how many of the `bytes` of data in `input` to leave out. With
 * --drop-tail these are the bytes after the last whole element, and a note says how many. It
 * returns 0 without the option, or if a header gives the count. */
uint64_t gsi_inputs_drop_tail(const struct gsi_inputs *inputs, const struct gsi_input *input,
                              uint64_t bytes);

/* gsi_inputs_are_filtered: returns whether elements are left out while reading.
 * gsi_inputs_are_changed: returns whether the output has other contents than the sorted entries.
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

/* gsi_inputs_device_bytes: returns the bytes of an element as the device gets it. */
static inline uint32_t gsi_inputs_device_bytes(const struct gsi_inputs *inputs)
{
    return inputs->device_tally != NULL ? inputs->layout->element_bytes
                                        : inputs->loop->layout->element_bytes;
}

/* gsi_inputs_kept_bytes: returns the bytes of the entries that are sorted, of the elements that
 * were read.
 * gsi_inputs_verify: checks that the tally has all elements that were read, or all that the filter
 * kept. If only a part of the inputs was read, it checks their number.
 * fails GS_E_VERIFY */
uint64_t gsi_inputs_kept_bytes(const struct gsi_inputs *inputs);
enum gs_status gsi_inputs_verify(const struct gsi_inputs *inputs,
                                 const struct gsi_tally_report *tally);

/* gsi_zst_slots_fitting: returns how many zstd frames are compressed or decompressed at the same
 * time, each in a slot of `slot_bytes`. All slots together have at most an eighth of the memory,
 * but there is always one. */
static inline uint32_t gsi_zst_slots_fitting(uint64_t slot_bytes, uint64_t memory_bytes,
                                             uint32_t thread_count)
{
    return (uint32_t)gsi_clamp_u64(memory_bytes / 8 / slot_bytes, 1, (uint64_t)thread_count + 2);
}

/* Only a part of the inputs is read: elements (--range, and the slices of --part), or bytes of a
 * file (--region). The data of a file then begin later and end sooner (base_off, bytes). Code that
 * reads it needs not know that. A stream cannot be cut, because it is not seekable. */

/* --range: `count` elements, from `first` on, of all `of`. */
struct gsi_range_report {
    bool is_given;
    uint64_t first, count, of;
};

/* gsi_range_select_bytes: limits an open input, which was not inspected, to the bytes of --region.
 * fails GS_E_USAGE: the region ends after the end of the file */
enum gs_status gsi_range_select_bytes(const struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_range_cut: limits an input to its elements `first` to `first + count - 1`. */
void gsi_range_cut(struct gsi_inputs *inputs, struct gsi_input *input, uint64_t first,
                   uint64_t count);

/* gsi_range_select: limits the inputs, which were measured, to `count` elements from `first` on;
 * UINT64_MAX: all from there on.
 * fails GS_E_USAGE: they have fewer elements */
enum gs_status gsi_range_select(struct gsi_inputs *inputs, uint64_t first, uint64_t count,
                                struct gsi_range_report *report);

#endif
