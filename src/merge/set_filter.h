/* set_filter.h: applies set operations to sorted files (--merge=SET). How many elements with the
 * same key the other files have decides which elements of a file stay.
 *
 *     --merge=union      as many as the file with the most has: each file gives those that it has
 *                        more than any file before it
 *            =intersect  the first file gives as many as the file with the fewest has: its first
 *            =except     the first file gives as many as it has more than all others: its last
 *            =semi       the first file gives all, if another one has the key
 *            =anti       the first file gives all, if no other one has the key
 *            =xor        each file gives all, if no other one has the key
 *
 * As std::set_union, and SQL's INTERSECT ALL and EXCEPT ALL; a plain merge is its UNION ALL. With
 * --unique files are sets: then `except` is `anti`.
 *
 *     file 0   1 4 4 | 4 9 12      a piece of the file, as a merge reads it; its range in the other
 *     file 1   2 4 4 5 | 8 9       files is found by halves, and read from one end to the other
 *                  ------
 *
 * So pieces are filtered in any order, on any thread, and the elements that stay are merged as
 * ever. Together the ranges of all pieces are the whole other file, so a file that is not sorted is
 * noticed on the way. */
#ifndef GSI_SET_FILTER_H
#define GSI_SET_FILTER_H

#include "base/choices.h"
#include "base/memory.h"
#include "base/pool.h"
#include "input/inputs.h"
#include "merge/set_streams.h"

#include <pthread.h>

/* The report of a set operation. */
struct gsi_set_report {
    enum gsi_set operation;
    size_t unsorted_input; /* from 1 on; 0: none */
};

/* GSI_SET_FILES_MAX: files that a set operation takes, each of which is open and has a buffer a
 * thread. */
#define GSI_SET_FILES_MAX 64u

struct gsi_set_filter {
    struct gsi_inputs *inputs;
    enum gsi_set kind;
    uint64_t block_bytes; /* what is read of a file at a time */
    struct gsi_bump bump;
    struct gsi_set_work *works; /* of each thread */
    pthread_mutex_t lock;
    struct gs_error error; /* the first failure of a task */
    size_t unsorted;       /* the file that it found not to be sorted, from 1 on; 0: none */
    /* For each file that is a copy of a stream: the digest of what was written, and of what was
     * read. */
    struct gsi_set_digest written[GSI_SET_FILES_MAX], read[GSI_SET_FILES_MAX];
    /* Reads the other files if the first one is empty. */
    struct gsi_task task;
    uint64_t others_bytes;
    bool are_others_read;
};

/* gsi_set_filter_begin: checks the inputs, whose headers were read, and copies streams to files
 * (set_streams.h).
 * fails GS_E_USAGE: too many inputs; as set_streams.h
 * gsi_set_filter_start: call it after the inputs were measured. Their bytes are then only those of
 * merged inputs. `sets` outlives the inputs. All other calls do nothing if the job has no set
 * operation. */
enum gs_status gsi_set_filter_begin(struct gsi_set_filter *sets, struct gsi_inputs *inputs,
                                    const char *output, const char *temp_dir);
void gsi_set_filter_start(struct gsi_set_filter *sets, struct gsi_inputs *inputs,
                          enum gsi_set kind);

/* gsi_set_filter_looked_at: returns the bytes of the files that are compared, but not merged. */
uint64_t gsi_set_filter_looked_at(const struct gsi_set_filter *sets); /* also zeroed ones */

/* gsi_set_filter_plan: returns the bump allocator of the filter, if the job has `memory_bytes`.
 * gsi_set_filter_open: opens the bump allocator that was planned for the same memory and threads.
 * If the first file is empty, checks the order of the others, because no piece does.
 * fails GS_E_MEMORY; GS_E_INPUT: a file is not sorted; GS_E_CANCELED */
struct gsi_bump gsi_set_filter_plan(const struct gsi_set_filter *sets, uint64_t memory_bytes,
                                    uint32_t thread_count);
enum gs_status gsi_set_filter_open(struct gsi_set_filter *sets, uint64_t memory_bytes,
                                   uint32_t thread_count);
void gsi_set_filter_close(struct gsi_set_filter *sets); /* also zeroed ones */

/* gsi_set_filter_apply: runs on a thread: moves the elements that stay to the front of `n`
 * elements, which `input` has from `first` on. Counts them in *filtered. Returns how many stay; a
 * failure is in sets->error.
 * out   read_bytes: of the other files */
size_t gsi_set_filter_apply(struct gsi_set_filter *sets, uint32_t worker_idx,
                            const struct gsi_input *input, uint64_t first, uint8_t *elements,
                            size_t n, struct gsi_filtered *filtered, uint64_t *read_bytes);

/* gsi_set_filter_check: on the owner's thread.
 * fails with the first failure of a task
 * gsi_set_filter_verify: checks that copies of streams were read as they were written. Call it
 * after all merged files were read to their ends. NULL is allowed.
 * fails GS_E_CORRUPT */
enum gs_status gsi_set_filter_check(struct gsi_set_filter *sets, struct gs_error *error);
enum gs_status gsi_set_filter_verify(const struct gsi_set_filter *sets);

#endif
