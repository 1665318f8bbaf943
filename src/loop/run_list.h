/* run_list.h: lists the sorted runs of a job in the order of the input. Equal keys of different
 * runs are written in this order. */
#ifndef GSI_RUN_LIST_H
#define GSI_RUN_LIST_H

#include "device/device.h"
#include "io/file.h"
#include "run/store.h"

/* A part of an input's data. */
struct gsi_extent {
    struct gsi_input *input;
    uint64_t off, bytes; /* UINT64_MAX: up to the end of a stream */
};

/* A run is sorted data in one of three places: resident in the device's memory; in a part of an
 * input that is already in order (an extent); or spilled to temporary files. */
struct gsi_run_entry {
    struct gsi_run *resident; /* NULL: not resident */
    bool is_sorted;           /* resident: the device has reported that it is sorted (event RUN) */
    bool is_extent;           /* the run is a part of an input */
    bool is_presorted;        /* an extent, whose order was found while it was read */
    bool has_first;           /* an extent of numbers: first_key is set */
    uint64_t key_count;       /* keys that must still be merged; UINT64_MAX: unknown, a stream */
    uint64_t written_count;   /* spilled: the first keys, which an interrupted job has already
                               * written */
    uint64_t read_off; /* resident: offset of its first byte in the input, if the input was in order
                        * there */
    union {
        struct gsi_spilled_run spilled; /* of a spilled run */
        struct {
            struct gsi_extent extent;
            uint8_t first_key[16];
        };
    };
};

struct gsi_run_list {
    struct gsi_ledger *ledger;
    struct gsi_run_entry *entries;
    uint32_t count, capacity;
};

void gsi_run_list_clear(struct gsi_run_list *list);

/* gsi_run_list_reserve: enlarges the table for one more run, so that the next gsi_run_list_append
 * cannot fail. */
enum gs_status gsi_run_list_reserve(struct gsi_run_list *list, struct gs_error *error);

enum gs_status gsi_run_list_append(struct gsi_run_list *list, const struct gsi_run_entry *entry,
                                   struct gs_error *error);

/* gsi_run_list_replace: replaces `count` entries from `first` on by `merged`, and frees what
 * describes their spilled runs. */
void gsi_run_list_replace(struct gsi_run_list *list, uint32_t first, uint32_t count,
                          const struct gsi_spilled_run *merged);

/* gsi_run_list_remove: removes an entry, after its keys were added to another one. */
void gsi_run_list_remove(struct gsi_run_list *list, uint32_t idx);

/* gsi_run_list_remove_empty: removes spilled runs without keys. A merge of empty streams makes such
 * runs. */
void gsi_run_list_remove_empty(struct gsi_run_list *list);

/* gsi_run_is_spilled: returns whether a run is in temporary files. */
static inline bool gsi_run_is_spilled(const struct gsi_run_entry *entry)
{
    return entry->resident == NULL && !entry->is_extent;
}

/* gsi_run_first_frame: returns the frame of a spilled run at which the merge begins, after the keys
 * that an interrupted job has already written. Sets *written to how many keys of this frame are
 * written. If the whole run is written, it returns the last frame. */
uint64_t gsi_run_first_frame(const struct gsi_run_entry *entry, uint32_t *written);

/* gsi_run_list_count_keys: returns the number of keys in `count` entries from `first` on;
 * UINT64_MAX: unknown. */
uint64_t gsi_run_list_count_keys(const struct gsi_run_list *list, uint32_t first, uint32_t count);

/* gsi_run_list_fed_count: returns how many runs are not resident. A merge must read these from
 * files (merge/feed). */
uint32_t gsi_run_list_fed_count(const struct gsi_run_list *list);

#endif
