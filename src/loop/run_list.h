/* run_list.h: the runs of a job in the order of the input, which is their tie order. */
#ifndef GSI_RUN_LIST_H
#define GSI_RUN_LIST_H

#include "device/device.h"
#include "io/file.h"
#include "run/store.h"

/* A part of an input's data. */
struct gsi_extent {
    struct gsi_input *input;
    uint64_t off, bytes; /* UINT64_MAX: all of a stream */
};

/* A run: resident in the device, in an input that is in order there, or spilled. */
struct gsi_run_entry {
    struct gsi_run *resident; /* NULL: not resident */
    bool is_sorted;           /* resident: the device reported it (event RUN) */
    bool is_extent;           /* in an input; */
    bool is_presorted;        /* whose order was found while it was read */
    bool has_first;           /* extents of numbers: the first sort key is known */
    uint64_t key_count;       /* those to be merged; UINT64_MAX: not known, for a stream */
    uint64_t written_count;   /* spilled: keys before those, which the output already contains */
    uint64_t read_off; /* resident: of its first byte in all that was read, if it was in order */
    union {
        struct gsi_spilled_run spilled; /* neither resident nor an extent */
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

/* gsi_run_list_reserve: makes room for one more run, so that the next append cannot fail. */
enum gs_status gsi_run_list_reserve(struct gsi_run_list *list, struct gs_error *error);

enum gs_status gsi_run_list_append(struct gsi_run_list *list, const struct gsi_run_entry *entry,
                                   struct gs_error *error);

/* gsi_run_list_replace: puts `merged` in the place of `count` entries from `first` on, and forgets
 * their spilled runs. */
void gsi_run_list_replace(struct gsi_run_list *list, uint32_t first, uint32_t count,
                          const struct gsi_spilled_run *merged);

/* gsi_run_list_remove: leaves out an entry whose keys another one has taken. */
void gsi_run_list_remove(struct gsi_run_list *list, uint32_t idx);

/* gsi_run_list_remove_empty: leaves out spilled runs without keys; merging empty streams makes such. */
void gsi_run_list_remove_empty(struct gsi_run_list *list);

/* gsi_run_is_spilled: whether a run is neither in the device nor an input. */
static inline bool gsi_run_is_spilled(const struct gsi_run_entry *entry)
{
    return entry->resident == NULL && !entry->is_extent;
}

/* gsi_run_first_frame: returns the frame at which the merge of a spilled run begins; *written is how many
 * of its keys the output already contains. These are all keys of the last frame if the output
 * contains the whole run. */
uint64_t gsi_run_first_frame(const struct gsi_run_entry *entry, uint32_t *written);

/* gsi_run_list_count_keys: the keys of `count` entries from `first` on; UINT64_MAX: not known. */
uint64_t gsi_run_list_count_keys(const struct gsi_run_list *list, uint32_t first, uint32_t count);

/* gsi_run_list_fed_count: how many entries are not resident: a merge gets them through
 * merge_feed. */
uint32_t gsi_run_list_fed_count(const struct gsi_run_list *list);

#endif
