/* gsort.h: out-of-core sort of huge binary files; all that libgsort exports. For C++20 there is
 * gsort.hpp over it.
 *
 *     gs_job *job = gs_job_create();
 *     gs_job_add(job, "input", "x.f64");
 *     gs_job_set(job, "output", "sorted.f64");
 *     if (gs_job_run(job, GS_SORT) != GS_OK)
 *         fprintf(stderr, "%s\n", gs_job_error(job)->text);
 *     gs_job_free(job);
 *
 * Threads: any thread may make any call. Jobs may run at the same time, because calls share nothing
 * but their arguments. Only one call at a time may use a job, a report, an error or an output,
 * unless its comment allows more. A run uses threads of its own. Callbacks run on the thread that
 * made the call, except those that read and write, which may run on any thread. If the program has
 * made a GPU current on the calling thread and uses it, the GPU stays current in callbacks and
 * after the call.
 * Ownership: the library borrows an argument until the call returns. A callback borrows its
 * arguments until it returns. The library owns what it returns as const (`const char *`, a list of
 * choices), and keeps it while it is loaded, unless a comment says less. The caller passes the
 * result of a _create or _open to its _free or _close, which accepts NULL.
 * Errors: calls that can fail return a status, or NULL or false as their comment says. `error` may
 * be NULL. Otherwise set it to zeros first: calls do not overwrite a failure that it holds. Only
 * the calls of a gs_sorter do.
 * Units: sizes and offsets are bytes, counts are elements, and times in reports are seconds.
 * Side effects: the library prints only into a FILE that it is given. It never exits and never
 * changes signal handlers. A job blocks SIGXFSZ on its thread while it runs, so that a write past
 * `ulimit -f` fails the job and does not end the process. It uses up to 256 KiB of stack.
 *
 * Versions: programs compiled with this header run with every later libgsort.so.0. Options and
 * fields of reports have names, so that new ones need no other header; structs do not grow. The
 * page "Promises" of the manual lists what stays until 2.0.
 */
#ifndef GSORT_H
#define GSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The version of this header. gs_version() returns the version of the library. */
#define GS_VERSION_MAJOR 1
#define GS_VERSION_MINOR 0
#define GS_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

#define GS_API __attribute__((visibility("default")))

/* Statuses: enum name, fixed value, exit code of the program, meaning. */
#define GS_STATUS_LIST(X)                                       \
    X(GS_OK, 0, 0, "done")                                      \
    X(GS_E_DISORDER, -1, 1, "the input is not sorted")          \
    X(GS_E_USAGE, -2, 2, "an option is wrong")                  \
    X(GS_E_INPUT, -3, 2, "the input cannot be used")            \
    X(GS_E_IO, -4, 3, "a file could not be read or written")    \
    X(GS_E_SPACE, -5, 3, "no space left on a file system")      \
    X(GS_E_MEMORY, -6, 3, "out of memory")                      \
    X(GS_E_DEVICE, -7, 3, "the GPU cannot be used")             \
    X(GS_E_CORRUPT, -8, 4, "temporary data are damaged")        \
    X(GS_E_VERIFY, -9, 4, "the output is not the sorted input") \
    X(GS_E_CANCELED, -10, 3, "canceled")                        \
    X(GS_E_INTERNAL, -11, 4, "a bug in gsort")

enum gs_status {
#define GS_STATUS_ENUM(name, value, exit_code, text) name = value,
    GS_STATUS_LIST(GS_STATUS_ENUM)
#undef GS_STATUS_ENUM
};

/* gs_status_text: returns one sentence, never NULL.
 * gs_status_exit_code: returns the code with which a program should exit. */
GS_API const char *gs_status_text(enum gs_status status);
GS_API int gs_status_exit_code(enum gs_status status);

/* The first failure of a call. `text` is one line: where, what, what to do. */
struct gs_error {
    enum gs_status status;
    int sys_errno;   /* 0: not a system error */
    char text[1024]; /* no newline; empty while status is GS_OK */
};

/* gs_fail: records a failure in `error`, as the library does, and returns `status`. Callbacks and
 * programs report their own failures with it.
 * in    sys_errno: an errno value, whose text is appended, or 0
 *       format: as in printf. The text is made one line of UTF-8: '?' replaces control characters
 *       and bytes that are not UTF-8, and a very long name between quotes is shortened in the
 *       middle */
GS_API enum gs_status gs_fail(struct gs_error *error, enum gs_status status, int sys_errno,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

enum gs_action {
    GS_SORT = 0,
    GS_STATS,    /* aggregates only; with "merge", of the merged result */
    GS_CHECK,    /* aggregates and order; GS_E_DISORDER at the first disorder */
    GS_EXPLAIN,  /* the plan of a sort, in the report; sorts and writes nothing */
    GS_LOOK,     /* finds only the type of the elements and where they begin */
    GS_FIND,     /* finds only the position of "find" in a sorted file */
    GS_CHECK_ALL /* GS_CHECK that continues after disorder, and counts duplicates */
};

/* A word that users type for a choice. If number_max is not 0, "WORD:N" is allowed, too: N, from
 * number_min to number_max, is a GPU or a compression level. A list ends with a word that is
 * NULL. */
struct gs_choice {
    const char *word;
    int value;
    uint32_t number_min, number_max;
};

enum gs_phase {
    GS_PHASE_READ = 0,
    GS_PHASE_MERGE_RUNS,
    GS_PHASE_WRITE,
    GS_PHASE_READ_BACK, /* with verify_read */
    GS_PHASE_COUNT
};

/* The progress of a job: bytes of input (read, merge) or of output (write). */
struct gs_progress {
    enum gs_phase phase;
    uint64_t bytes_done, bytes_total; /* total 0: unknown (a stream) */
    uint64_t elapsed_ns;              /* since the job began */
    uint64_t phase_ns;                /* since this phase began */
    uint64_t left_ns;                 /* until the job ends, at this pace; 0: unknown */
};

/* gs_reader: an input that a callback provides. It may hold everything that a pipe may hold, such
 * as compressed data or a .npy file.
 * read: writes up to `bytes` bytes at `data` and returns how many. 0 means the end; the library
 *       does not call it again. A negative result means failure, described by gs_fail in `error`,
 *       or else GS_E_IO. GS_LOOK calls it, too, for the first bytes
 * bytes: the size of the whole input, or 0 if it is unknown, as for a pipe. The job is planned for
 *        this size, and fails with GS_E_INPUT if the input is shorter
 * stop: called at most once, on the calling thread, before, during or after a call of `read`, when
 *       a job that failed or was canceled needs no more data. A `read` that waits should then
 *       return any value. NULL: the job ends only after `read` has returned
 * Threads: the library calls `read` on its own threads, one call at a time. It may wait as long as
 * it likes; work that needs no more data continues meanwhile. */
struct gs_reader {
    int64_t (*read)(void *context, void *data, size_t bytes, struct gs_error *error);
    void (*stop)(void *context);
    void *context;
    uint64_t bytes;
};

/* gs_writer: an output that a callback receives, in order, block by block, as a pipe does. Only a
 * job that returns GS_OK has written everything and verified it.
 * write: consumes all `bytes` bytes at `data`, which belong to the library again when it returns.
 *        Returns false if it failed, as gs_fail describes in `error`, or else with GS_E_IO
 * stop: as in gs_reader; a `write` that waits should return
 * Threads: as in gs_reader. */
struct gs_writer {
    bool (*write)(void *context, const void *data, size_t bytes, struct gs_error *error);
    void (*stop)(void *context);
    void *context;
};

/* gs_cancel: lets another thread or a signal handler stop jobs, both running ones and those that
 * start later. It cannot be undone.
 *
 *     gs_cancel *cancel = gs_cancel_create();
 *     gs_job *job = gs_job_create();
 *     gs_job_add(job, "input", "x.f64");
 *     gs_job_set_cancel(job, cancel);
 *     gs_cancel_now(cancel);
 *     if (gs_job_run(job, GS_STATS) != GS_E_CANCELED)
 *         return 1;
 *     gs_job_free(job);
 *     gs_cancel_free(cancel);
 *
 * gs_cancel_create: returns NULL if no memory or no file descriptor is left.
 * gs_cancel_free: call it after the jobs have ended, and after the last gs_cancel_now.
 * gs_cancel_now: async-signal-safe. Any number of threads may call it at any time, also while a job
 * ends or after it.
 * A cancel belongs to the process that created it. In a child of fork gs_cancel_now does nothing,
 * and jobs refuse the cancel. */
typedef struct gs_cancel gs_cancel;
GS_API gs_cancel *gs_cancel_create(void);
GS_API void gs_cancel_free(gs_cancel *cancel);
GS_API void gs_cancel_now(gs_cancel *cancel);

/* gs_job: a job, described by the names of the program's options, and its result.
 *
 *     gs_job *job = gs_job_create();
 *     gs_job_add(job, "input", "x.f64");
 *     gs_job_set(job, "type", "f32");
 *     gs_job_set(job, "memory", "64M");
 *     if (gs_job_run(job, GS_STATS) != GS_OK)
 *         fprintf(stderr, "%s\n", gs_job_error(job)->text);
 *     gs_job_free(job);
 *
 * gs_job_create: returns NULL if there is no memory. The other calls accept NULL for a job and fail
 *       with GS_E_MEMORY.
 * gs_job_set: sets an option to a text. For a list, the text replaces all elements. NULL removes
 *       the option. An option without an argument takes "true" or "false", and so does one whose
 *       argument is optional ("merge", "zstd").
 * gs_job_set_u64: sets an option to a number: bytes, a count, or 0 and 1 for "false" and "true".
 * gs_job_add: appends an element to a list, such as "input" or "key". The library does not split
 * it.
 * gs_job_add_reader: appends an input that a callback provides. Its name is used in messages and
 *       for its type.
 * gs_job_set_writer: sends the output to a callback. The name of the output decides about
 *       compression.
 * gs_job_set_progress: `progress` is called a few times per second on the thread that runs the job.
 * gs_job_set_note: `note` is called with lines that are worth knowing although nothing failed. A
 *       line that begins with "warning: " says that the result may be wrong. It should be shown
 *       even where notes are hidden.
 * gs_job_set_cancel: gs_cancel_now stops a run through `cancel`. NULL removes it.
 * out   the library copies texts and structs of callbacks, and borrows contexts and `cancel` until
 *       the run returns
 * fails GS_E_USAGE: there is no such option, the value is not of its kind, or a run is under way;
 *       GS_E_MEMORY. A call that failed has set nothing, and gs_job_run repeats its failure until
 *       gs_job_reset. The calls read neither files nor other options
 *
 * gs_job_run: does `action` from start to end. All settings stay for the next run.
 * fails with any status; then no temporary file is left, and an existing output is unchanged
 *
 * gs_job_error: returns the first failure of the last call, valid until the next call. While a run
 *       is under way, in another thread or around a callback, it returns GS_E_USAGE.
 * gs_job_report: returns the report on the last run, as far as it went, or NULL if there was none.
 *       The report is valid until the next run or gs_job_free.
 * gs_job_take_report: the same, but the caller owns the report and calls gs_report_free.
 * gs_job_reset: removes all settings. */
typedef struct gs_job gs_job;
typedef struct gs_report gs_report;
GS_API gs_job *gs_job_create(void);
GS_API void gs_job_free(gs_job *job);
GS_API void gs_job_reset(gs_job *job);
GS_API enum gs_status gs_job_set(gs_job *job, const char *name, const char *value);
GS_API enum gs_status gs_job_set_u64(gs_job *job, const char *name, uint64_t value);
GS_API enum gs_status gs_job_add(gs_job *job, const char *name, const char *value);
GS_API enum gs_status gs_job_add_reader(gs_job *job, const char *name,
                                        const struct gs_reader *reader);
GS_API enum gs_status gs_job_set_writer(gs_job *job, const char *name,
                                        const struct gs_writer *writer);
GS_API enum gs_status gs_job_set_progress(gs_job *job,
                                          void (*progress)(void *context,
                                                           const struct gs_progress *progress),
                                          void *context);
GS_API enum gs_status gs_job_set_note(gs_job *job, void (*note)(void *context, const char *text),
                                      void *context);
GS_API enum gs_status gs_job_set_cancel(gs_job *job, gs_cancel *cancel);
GS_API enum gs_status gs_job_run(gs_job *job, enum gs_action action);
GS_API const struct gs_error *gs_job_error(const gs_job *job);
GS_API const gs_report *gs_job_report(const gs_job *job);
GS_API gs_report *gs_job_take_report(gs_job *job);

/* Jobs on an array in memory, `bytes` long, at any address. The library reads it like a file of
 * that size with "raw". "memory" limits what a job uses in addition to the array.
 *
 * On the CPU a sort moves numbers within the array under four conditions. They are aligned to their
 * size. The array is not larger than "memory". It does not consist of presorted ranges. From 16 MiB
 * on it is not in a mapped file. Any other array is copied into "memory",
 * sorted there and merged back. A GPU reads and writes an array of numbers in place if the memory
 * is pinned (cudaHostAlloc, cudaHostRegister) and fits on the GPU.
 * The calling thread sorts small arrays and finds their positions itself, and opens nothing.
 * Numbers in place have less than 1 MiB. All other elements, and positions, have less with 24 bytes
 * more for each element. Only "type", "record", "key", "reverse", "nan", "ties", "stats-of",
 * "memory" and options without effect there are set.
 * gs_job_sort_array: sorts the array in place, with all threads. Records with equal keys keep their
 *       order. If the array is copied, the library writes to it only after it has read all of it,
 *       and spills what does not fit into memory.
 * gs_job_stats_array, gs_job_check_array: like GS_STATS and GS_CHECK.
 * gs_job_argsort_array: computes the order and leaves the array unchanged: positions[0] is the
 *       position, from 0, of the first element in order. Equal elements keep their order. Each
 *       element takes as much memory as its key and position together (written.sorted_bytes in the
 *       report). That is 8 bytes for up to 2^32 numbers of 4 bytes, otherwise 16; 16 for numbers of
 *       8 bytes; 24 for numbers of 16 bytes. For records it is the keys and 8 bytes, or 16 if both
 *       fit
 * in    job: has no inputs, no output and no options that concern only these. It has "type" or
 *       "record", because no name tells the type
 *       data: nobody else accesses it until the call returns
 * out   positions: one for each element, outside the array; the library writes to it only after it
 *       has read all of the array
 *       gs_job_report: is_placed tells whether the array, or positions, were written to. If a sort
 *       fails, the text of gs_job_error says what the array holds: the old elements; all elements
 *       in another order, as after canceling a sort within the array; or, if a copied array was
 *       being written, sorted elements among old ones, so that some are lost
 * fails like gs_job_run; GS_E_USAGE: an option is for files only
 *
 *     double numbers[] = {3, -1, 2};
 *     uint64_t positions[3];
 *     gs_job *job = gs_job_create();
 *     gs_job_set(job, "type", "f64");
 *     if (gs_job_argsort_array(job, numbers, sizeof numbers, positions) != GS_OK ||
 *         gs_job_sort_array(job, numbers, sizeof numbers) != GS_OK)
 *         fprintf(stderr, "%s\n", gs_job_error(job)->text);
 *     gs_job_free(job);
 *     if (positions[0] != 1 || numbers[0] != -1)
 *         return 1;
 */
GS_API enum gs_status gs_job_sort_array(gs_job *job, void *data, uint64_t bytes);
GS_API enum gs_status gs_job_stats_array(gs_job *job, const void *data, uint64_t bytes);
GS_API enum gs_status gs_job_check_array(gs_job *job, const void *data, uint64_t bytes);
GS_API enum gs_status gs_job_argsort_array(gs_job *job, const void *data, uint64_t bytes,
                                           uint64_t *positions);

/* Jobs on an array of `bytes` in the memory of an NVIDIA GPU, as cudaMalloc returns it. A call
 * queues the work on a stream of that GPU and returns; elements stay on the GPU. Numbers are
 * aligned to their size; records may have any address. The result has the same bytes as
 * gs_job_sort_array's.
 * gs_cuda_sort: sorts the array in place. Records with equal keys keep their order.
 * gs_cuda_argsort: computes the order and leaves the array unchanged. Equal elements keep their
 *       order. Positions are u64, or u32 if "argsort" is "u32".
 * gs_cuda_scratch_bytes: returns in *scratch_bytes how much memory a call needs in addition to the
 *       array and the positions. A sort of numbers of 1 and 2 bytes needs 512 KiB; of 4 to 16 bytes
 *       1.01 times the array; of records 32 bytes each, and the array once more if a record has
 *       more than 16 bytes. An argsort of numbers of up to 4 bytes needs 8 bytes each, or 16 with
 *       positions of u32, and 32 for all other elements
 * in    job: has "type", or "record" and "key". "reverse" and "ties" may be set, no other option
 *       stream: a cudaStream_t or CUstream; NULL is the default stream. Later work on the stream
 *       finds the array sorted. Until then nobody else accesses array, positions or scratch
 *       scratch: memory of that GPU, at any address. NULL: the call allocates it from the GPU's
 *       pool (cudaMallocAsync) and frees it on the stream; cudaMemPoolAttrReleaseThreshold limits
 *       what the pool keeps
 * out   positions: as many as elements, on that GPU, outside the array
 *       scratch_bytes: unchanged if the call fails
 * fails GS_E_USAGE: the memory is not on a GPU, is on another one, or is not aligned; the scratch
 *       is too small; an option has no meaning here. GS_E_DEVICE: CUDA failed, or this library was
 *       built without it. Nothing was changed then, unless the line begins with "the sort cannot be
 *       queued". Later failures on the GPU are errors of the stream */
GS_API enum gs_status gs_cuda_sort(gs_job *job, void *data, uint64_t bytes, void *stream,
                                   void *scratch, uint64_t scratch_bytes);
GS_API enum gs_status gs_cuda_argsort(gs_job *job, const void *data, uint64_t bytes,
                                      void *positions, void *stream, void *scratch,
                                      uint64_t scratch_bytes);
GS_API enum gs_status gs_cuda_scratch_bytes(gs_job *job, uint64_t bytes, bool is_argsort,
                                            uint64_t *scratch_bytes);

/* gs_sorter: sorts elements that a program pushes and pulls in any amounts, within its memory. It
 * spills what does not fit. Its own threads sort while the program pushes.
 *
 *     gs_job *job = gs_job_create();
 *     gs_job_set(job, "type", "u64");
 *     gs_job_set(job, "memory", "64M");
 *     struct gs_error error;
 *     gs_sorter *sorter = gs_sorter_open(job, &error);
 *     gs_job_free(job);
 *     if (sorter == NULL)
 *         return 1;
 *     const uint64_t numbers[] = {3, 1, 2};
 *     gs_sorter_push(sorter, numbers, sizeof numbers, NULL);
 *     gs_sorter_finish(sorter, NULL);
 *     const void *data;
 *     uint64_t bytes, first = 0;
 *     while (gs_sorter_pull(sorter, &data, &bytes, &error) == GS_OK && bytes > 0)
 *         first = first == 0 ? *(const uint64_t *)data : first;
 *     gs_sorter_close(sorter);
 *     if (error.status != GS_OK || first != 1)
 *         return 1;
 *
 * After a failure of the sort itself (a full disk, a cancel), every later call fails in the same
 * way. Then only gs_sorter_close is left to call.
 *
 * gs_sorter_open: starts a sort. Returns NULL if it fails.
 * in    job: as for gs_job_sort_array; "top" and "unique" are allowed, too. The sorter copies the
 *       settings, but borrows `cancel` and the contexts until close. Callbacks run on a thread of
 *       the sorter
 * fails like gs_job_run
 *
 * gs_sorter_push: copies whole elements, `bytes` long, into the sort. Waits while earlier elements
 * fill the memory. Any number of threads may push and reserve at once. Elements with equal keys are
 * sorted in the order of these calls.
 * gs_sorter_reserve: lends room in the sorter's own memory, instead of a push, for at least one
 * element and at most `bytes`. The sort may wait for the commit, so the caller must not wait for
 * anything that waits for this sorter.
 * gs_sorter_commit: says that the first `bytes` bytes of the room at `data` hold whole elements. It
 * is the whole room, or less, if nothing was pushed or reserved since.
 * gs_sorter_finish: says that everything was pushed.
 * fails GS_E_USAGE: not whole elements; after gs_sorter_finish; or with the failure of the sort
 *
 * gs_sorter_pull: after finish, lends the next elements in order until the next pull or close.
 * *bytes is 0 at the end. Only then the sort is verified: no element was lost, changed or out of
 * order. With "count" each element is followed by its count. One thread at a time may pull.
 * fails GS_E_USAGE: before gs_sorter_finish; or with the failure of the sort
 *
 * gs_sorter_pull_part: pulls from part i of n equal parts, i from 0: the elements
 * [count * i / n, count * (i + 1) / n). Each part may have a thread of its own, and uses 1 MiB of
 * memory while it is read. All calls use the same n.
 * gs_sorter_rank: copies the element that has `rank` others before it; with "count" its count, too.
 * gs_sorter_rank_of: computes how many elements are below `element` (*below), and how many are not
 * above it (*not_above).
 * These three calls need random access. So the first of them writes the whole order to an unnamed
 * file in the first temporary directory, and waits until it is verified. The file costs one
 * more pass and as much disk space again. Each read of the file is verified by a checksum. The
 * calls fail after gs_sorter_pull; a pull after them begins at the first element. Any number of
 * threads may make these calls at once.
 * fails GS_E_USAGE: before finish, after a pull, no such part or rank; GS_E_CORRUPT: the file is
 *       damaged; GS_E_SPACE, GS_E_IO, GS_E_MEMORY; or with the failure of the sort
 *
 * gs_sorter_report: returns a report, which the caller frees by gs_report_free, after the sort is
 * over: after a pull of 0 bytes, a part, a rank or a failure. NULL: GS_E_USAGE before, GS_E_MEMORY.
 * gs_sorter_cancel: like gs_cancel_now for this sorter and everything else with its cancel.
 * gs_sorter_close: ends the sort at any point and removes its temporary files. No other call may be
 * under way or follow. Lent memory belongs to the sorter again.
 *
 * A sorter belongs to the process that opened it. In a child of fork calls fail with GS_E_USAGE;
 * gs_sorter_cancel and gs_sorter_close do nothing there, and the parent's sort continues. */
typedef struct gs_sorter gs_sorter;
GS_API gs_sorter *gs_sorter_open(gs_job *job, struct gs_error *error);
GS_API enum gs_status gs_sorter_push(gs_sorter *sorter, const void *data, uint64_t bytes,
                                     struct gs_error *error);
GS_API enum gs_status gs_sorter_reserve(gs_sorter *sorter, uint64_t bytes, void **data,
                                        uint64_t *reserved, struct gs_error *error);
GS_API enum gs_status gs_sorter_commit(gs_sorter *sorter, void *data, uint64_t bytes,
                                       struct gs_error *error);
GS_API enum gs_status gs_sorter_finish(gs_sorter *sorter, struct gs_error *error);
GS_API enum gs_status gs_sorter_pull(gs_sorter *sorter, const void **data, uint64_t *bytes,
                                     struct gs_error *error);
GS_API enum gs_status gs_sorter_pull_part(gs_sorter *sorter, uint32_t i, uint32_t n,
                                          const void **data, uint64_t *bytes,
                                          struct gs_error *error);
GS_API enum gs_status gs_sorter_rank(gs_sorter *sorter, uint64_t rank, void *element,
                                     struct gs_error *error);
GS_API enum gs_status gs_sorter_rank_of(gs_sorter *sorter, const void *element, uint64_t *below,
                                        uint64_t *not_above, struct gs_error *error);
GS_API gs_report *gs_sorter_report(gs_sorter *sorter, struct gs_error *error);
GS_API void gs_sorter_cancel(gs_sorter *sorter);
GS_API void gs_sorter_close(gs_sorter *sorter);

/* Prints a report for people (text) or programs (JSON, which the manual describes). Numbers are
 * exact and have a decimal point in every locale. JSON is one object and a newline. The plan
 * formats are for GS_EXPLAIN. GS_FORMAT_PLAN_JSON holds the type, the plan and `spaces`, the file
 * systems that the job writes to.
 * gs_report_print: prints to a FILE. ferror tells whether that failed.
 * gs_report_string: returns the text, or NULL if there is no memory.
 * gs_string_free: frees such a text. */
enum gs_format {
    GS_FORMAT_TEXT = 0,
    GS_FORMAT_JSON,
    GS_FORMAT_PLAN_TEXT,
    GS_FORMAT_PLAN_JSON,
    GS_FORMAT_CSV,       /* of elements only */
    GS_FORMAT_JSON_LINES /* of elements only */
};
GS_API void gs_report_print(const gs_report *report, FILE *file, enum gs_format format);
GS_API char *gs_report_string(const gs_report *report, enum gs_format format);
GS_API void gs_string_free(char *text);

/* gs_report_print_element: prints an element of the report's job as a line of text: a number; or
 * the fields of a record with tabs between them, or its bytes in hexadecimal if it has no fields.
 * With GS_FORMAT_JSON it prints a string or an object of strings. GS_FORMAT_JSON_LINES prints
 * numbers instead where readers lose no digit: integers up to 2^53 and finite floats. GS_FORMAT_CSV
 * prints a line as in RFC 4180 that ends in LF. A NULL element prints a line of names, one for each
 * column. */
GS_API void gs_report_print_element(const gs_report *report, FILE *file, const void *element,
                                    enum gs_format format);

/* Reads a field of a report or of its plan by its path in their JSON: "tally.count",
 * "quantiles[0].value".
 * gs_report_u64: reads an integer. true is 1, false is 0, and a list is its length.
 * gs_report_f64: reads a double, exact or rounded once to nearest even.
 * gs_report_text: reads the JSON text of a field, without quotes and escapes; numbers are exact.
 * `bytes` is the room at `text`, its closing 0 included; GS_REPORT_TEXT_BYTES are enough.
 * in    report: NULL has no fields
 * out   value, text: unchanged unless GS_FOUND is returned
 *
 *     double mean;
 *     gs_job *job = gs_job_create();
 *     gs_job_add(job, "input", "x.f64");
 *     if (gs_job_run(job, GS_STATS) == GS_OK &&
 *         gs_report_f64(gs_job_report(job), "tally.mean", &mean) == GS_NULL)
 *         gs_report_print(gs_job_report(job), stdout, GS_FORMAT_TEXT);
 *     gs_job_free(job);
 */
enum gs_found {
    GS_FOUND = 0, /* the value was stored */
    GS_NULL,      /* the value is null: unknown or absent */
    GS_NO_FIELD,  /* a report has no such field, or the list is shorter */
    GS_INEXACT    /* the value is not such a number, or does not fit as text */
};
#define GS_REPORT_TEXT_BYTES 512
#define GS_END_KEY_BYTES     128 /* of first_key and last_key; longer keys are cut */
GS_API enum gs_found gs_report_u64(const gs_report *report, const char *path, uint64_t *value);
GS_API enum gs_found gs_report_f64(const gs_report *report, const char *path, double *value);
GS_API enum gs_found gs_report_text(const gs_report *report, const char *path, char *text,
                                    size_t bytes);

/* Adds up reports of parts: of jobs, or of JSON that jobs printed elsewhere.
 * gs_report_create: returns an empty report, or NULL if there is no memory.
 * gs_report_set: sets the field at a path to a text, as gs_report_text returns it; NULL is null.
 * Set fields that describe values before the values, in the order of the JSON (type, element_bytes,
 * is_float, is_signed; field and is_float in fields). Lists grow by their next item. Returns
 * GS_NO_FIELD if a report has no such field or it does not add up. Returns GS_INEXACT if no report
 * has such a text there. The field is invalid then.
 * gs_report_add: adds tallies, sizes and left_out of `part` to `whole`. Fields that only one of
 * them has are removed. Sums of floats are sums of rounded ones, rounded once; mean and variance do
 * not add up.
 * fails GS_E_INPUT: the elements differ, a field has no name, or there are more than 2^64 elements.
 *       `whole` is invalid then. GS_E_MEMORY
 *
 *     gs_report *whole = gs_report_create(), *part = gs_report_create();
 *     gs_report_set(part, "tally.count", "7");
 *     if (gs_report_add(whole, part, NULL) != GS_OK || gs_report_add(whole, part, NULL) != GS_OK)
 *         return 1;
 *     gs_report_print(whole, stdout, GS_FORMAT_JSON);
 *     gs_report_free(part);
 *     gs_report_free(whole);
 */
GS_API gs_report *gs_report_create(void);
GS_API void gs_report_free(gs_report *report);
GS_API enum gs_found gs_report_set(gs_report *report, const char *path, const char *text);
GS_API enum gs_status gs_report_add(gs_report *whole, const gs_report *part,
                                    struct gs_error *error);

/* gs_version: returns the version of the library: "1.0.0".
 * gs_version_text: prints version, devices and I/O engines of this build, the instruction set in
 * use, and the schemas of reports and JSON lines. */
GS_API const char *gs_version(void);
GS_API void gs_version_text(FILE *file);

/* gs_progress_draw: draws one line on a terminal, over the previous one.
 * gs_progress_erase: removes the line.
 * Both flush and ignore failures. */
GS_API void gs_progress_draw(FILE *file, const struct gs_progress *progress);
GS_API void gs_progress_erase(FILE *file);

/* Parses sizes and counts as users write them. Returns false, and leaves the number unchanged, if
 * the text is not one, negative or too large.
 * gs_size_parse: "4096", "1e6", "64K", "1.5G", "16MiB", "200Mb", "10%": bytes. K M G T P E, with
 * optional B or iB, in upper or lower case, are powers of 1024. A percentage is of `whole`; if
 * `whole` is 0, percentages are refused.
 * gs_count_parse: "1000", "1e6", "10K", "1.5M": a whole number; units are powers of 1000. */
GS_API bool gs_size_parse(const char *text, uint64_t whole, uint64_t *bytes);
GS_API bool gs_count_parse(const char *text, uint64_t *count);

/* A type of numbers. */
struct gs_type {
    const char *name; /* "uint8", "u32", "f64": one word a type */
    uint32_t element_bytes;
    bool is_float, is_signed;
};

/* Finds types by their common names: f64, float64, double, <f8. Returns false, and leaves *type
 * unchanged, for other names.
 * gs_type_find: finds a word, in upper or lower case. u8 and i8 are refused, because they mean 8
 * bits to some and 8 bytes to NumPy; uint8 and uint64 are clear.
 * gs_type_of_file: finds the type at the end of a file's name: x.f64, books_200M_uint64, x.u32.bin,
 * x.f64.zst. x.u8 means uint8.
 *
 *     struct gs_type type;
 *     uint64_t bytes;
 *     if (gs_type_of_file("x.f64.zst", &type) && gs_size_parse("1.5M", 0, &bytes))
 *         printf("%s: %zu elements\n", type.name, (size_t)(bytes / type.element_bytes));
 */
GS_API bool gs_type_find(const char *word, struct gs_type *type);
GS_API bool gs_type_of_file(const char *path, struct gs_type *type);

/* Resources that this process may use now, by machine, control groups and rlimits.
 * gs_memory_available: returns how many bytes the process could use.
 * gs_memory_ceiling: returns the limit in bytes of a job with this "memory"; 0: without "memory".
 * gs_processor_count: returns at least 1. */
GS_API uint64_t gs_memory_available(void);
GS_API uint64_t gs_memory_ceiling(uint64_t bytes);
GS_API uint32_t gs_processor_count(void);

/* An option of jobs and of the program gsort. Help, manual pages and bindings are made from
 * these. */
enum gs_option_place { GS_OPTION_OF_BOTH = 0, GS_OPTION_OF_PROGRAM, GS_OPTION_OF_JOBS };
struct gs_option {
    const char *name;     /* "memory" */
    char letter;          /* 'S'; 0: none */
    const char *argument; /* "SIZE"; "[=LEVEL]": optional on a command line; NULL: none */
    const char *group;    /* its heading in help */
    const char *help;     /* plain text, in lines of at most 47 columns */
    const char *manual;   /* the same text in Markdown, with links into the manual */
    const char *daily;    /* a short line for an everyday option, or NULL */
    const char *alone;    /* its value without an argument; NULL: it needs one */
    const char *alias;    /* another name with the same meaning, or NULL */
    const struct gs_choice *choices; /* the words that it may be; NULL: another kind of value */
    enum gs_option_place place;
    bool is_list;           /* may be repeated, except on a command line with is_once */
    bool is_split, is_once; /* a command line splits it at commas; accepts one list */
    bool is_hidden;         /* an old spelling of another option, not in help */
};

/* gs_option_at: returns the i-th option, from 0, or NULL if there are fewer.
 * gs_option_find: returns the option of this name, or NULL if this library has none. */
GS_API const struct gs_option *gs_option_at(size_t i);
GS_API const struct gs_option *gs_option_find(const char *name);

/* gs_output: writes an output as jobs do, for programs that make their own data. A file appears
 * under its name whole or not at all. Pipes and devices receive the bytes at once.
 * gs_output_open: checks whether `path` can be written. NULL or "-" is standard output. Waits for
 * the reader of a FIFO. *output is NULL if it fails.
 * gs_output_is_file: returns whether it is a file. Several threads may write to a file at once, at
 * any offsets.
 * gs_output_reserve: reserves disk space for `bytes` now, if the file system can.
 * gs_output_write: writes to offset `off` of a file, and in order to anything else. Whole pages of
 * 4096 bytes from aligned memory bypass the page cache if possible.
 * gs_output_commit: truncates the file to `bytes`, syncs it and puts it in its place.
 * gs_output_close: frees the output, and removes the file if it was not committed. In a child of
 * fork the file remains the parent's.
 * fails GS_E_IO, GS_E_SPACE, GS_E_MEMORY; GS_E_USAGE: the path is empty
 *
 *     gs_output *output;
 *     struct gs_error error = {0};
 *     if (gs_output_open("y.u64", &output, &error) != GS_OK)
 *         return 1;
 *     const uint64_t numbers[] = {3, 1, 2};
 *     if (gs_output_write(output, numbers, sizeof numbers, 0, &error) != GS_OK ||
 *         gs_output_commit(output, sizeof numbers, &error) != GS_OK)
 *         fprintf(stderr, "%s\n", error.text);
 *     gs_output_close(output);
 */
typedef struct gs_output gs_output;
GS_API enum gs_status gs_output_open(const char *path, gs_output **output, struct gs_error *error);
GS_API bool gs_output_is_file(const gs_output *output);
GS_API enum gs_status gs_output_reserve(gs_output *output, uint64_t bytes, struct gs_error *error);
GS_API enum gs_status gs_output_write(gs_output *output, const void *data, size_t bytes,
                                      uint64_t off, struct gs_error *error);
GS_API enum gs_status gs_output_commit(gs_output *output, uint64_t bytes, struct gs_error *error);
GS_API void gs_output_close(gs_output *output);

#ifdef __cplusplus
}
#endif
#endif
