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
 * Threads: any thread may make any call, and jobs may run at the same time, for calls share nothing
 * but their arguments. A job, a report, an error or an output is used by one call at a time, unless
 * its comment allows more. A run has threads of its own. Callbacks come from the thread that made
 * the call, but those that read and write may come from any. A GPU that the calling thread has made
 * current, and that the program uses, is so in callbacks and behind the call.
 * Ownership: an argument is borrowed until the call returns; what a callback is given, until the
 * callback returns. What is returned as const (`const char *`, a list of choices) is the library's
 * and stays as long as it is loaded, unless its comment says less. What a _create or _open returns
 * is given back by its _free or _close, which takes NULL.
 * Errors: calls that can fail return a status, or NULL or false as their comment says. `error` may
 * be NULL: nobody wants to know. Else it is begun with zeros, for a failure that it holds stays;
 * the calls of a gs_sorter set it anew.
 * Units: sizes and offsets are bytes, counts are elements, and times of reports are seconds.
 * Side effects: the library prints only into a FILE that it is given. It never exits and never
 * touches signal handlers. A job blocks SIGXFSZ on its thread while it runs, so that a write past
 * `ulimit -f` fails the job and does not end the process. It uses up to 256 KiB of stack.
 *
 * Versions: what is compiled with this header runs with every later libgsort.so.0. Options and
 * fields of reports have names, so that new ones need no other header; structs do not grow. What
 * else stays as it is before 2.0: the manual, "What stays".
 */
#ifndef GSORT_H
#define GSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The version of this header; gs_version() is that of the library. */
#define GS_VERSION_MAJOR 1
#define GS_VERSION_MINOR 0
#define GS_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

#define GS_API __attribute__((visibility("default")))

/* Statuses: enum name, pinned value, exit code of the program, what it means. */
#define GS_STATUS_LIST(X)                                                     \
    X(GS_OK, 0, 0, "done")                                                    \
    X(GS_E_DISORDER, -1, 1, "the input is not sorted")                        \
    X(GS_E_USAGE, -2, 2, "an option is wrong")                                \
    X(GS_E_INPUT, -3, 2, "the input is not what was asked for")               \
    X(GS_E_IO, -4, 3, "a file could not be read or written")                  \
    X(GS_E_SPACE, -5, 3, "no space left on a file system")                    \
    X(GS_E_MEMORY, -6, 3, "out of memory")                                    \
    X(GS_E_DEVICE, -7, 3, "the sorting device failed")                        \
    X(GS_E_CORRUPT, -8, 4, "temporary data came back damaged")                \
    X(GS_E_VERIFY, -9, 4, "the output does not hold what was read, in order") \
    X(GS_E_CANCELED, -10, 3, "canceled")                                      \
    X(GS_E_INTERNAL, -11, 4, "a fault of gsort's own")

enum gs_status {
#define GS_STATUS_ENUM(name, value, exit_code, text) name = value,
    GS_STATUS_LIST(GS_STATUS_ENUM)
#undef GS_STATUS_ENUM
};

/* gs_status_text: one sentence, never NULL.
 * gs_status_exit_code: the code that a program should exit with. */
GS_API const char *gs_status_text(enum gs_status status);
GS_API int gs_status_exit_code(enum gs_status status);

/* The first failure of a call. `text` is one line: where, what, what to do. */
struct gs_error {
    enum gs_status status;
    int sys_errno;   /* 0: not a system error */
    char text[1024]; /* no newline; empty while status is GS_OK */
};

/* gs_fail: records a failure as the library does, for callbacks and programs that report theirs in
 * the same way, and returns its status.
 * in    sys_errno: an errno value, whose text is appended, or 0
 *       format: as in printf. The text becomes one line of UTF-8: control characters and bytes that
 *       are not UTF-8 become '?', and too long a name between quotes is shortened in its middle */
GS_API enum gs_status gs_fail(struct gs_error *error, enum gs_status status, int sys_errno,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

enum gs_action {
    GS_SORT = 0,
    GS_STATS,    /* aggregates only; with "merge" those of what it would write */
    GS_CHECK,    /* aggregates and order; GS_E_DISORDER at the first disorder */
    GS_EXPLAIN,  /* the plan of a sort, in the report; nothing is sorted or written */
    GS_LOOK,     /* only find out what the elements are and where they begin */
    GS_FIND,     /* only find the place, in a sorted file, of what "find" says */
    GS_CHECK_ALL /* GS_CHECK that reads on behind disorder, and counts duplicates */
};

/* The words that users have for these choices. Where number_max is not 0, "WORD:N" is allowed, too:
 * N, from number_min to number_max, is a device_index or compress_level. A list ends with a word
 * that is NULL. */
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

/* gs_reader: an input that a callback gives. It may be whatever a pipe may be: packed, a .npy file.
 * read: puts up to `bytes` bytes at `data`. Returns how many; 0: that was the end, and it is not
 *       called again; below 0: it failed, as gs_fail says in `error`, or else with GS_E_IO.
 *       GS_LOOK calls it, too, for the first bytes
 * bytes: how many it gives in all. The job is planned as for a file of that size, and fails with
 *        GS_E_INPUT if they are fewer. 0: not known, as of a pipe
 * stop: called at most once, from the calling thread, before, while or after `read` is called,
 *       when a job that failed or was canceled wants no more: a `read` that waits should return
 *       then, with anything. NULL: the job's end waits until `read` returns
 * Threads: `read` is called from the library's threads, and never by two at a time. It may wait for
 * as long as it likes; what needs no more data goes on meanwhile. */
struct gs_reader {
    int64_t (*read)(void *context, void *data, size_t bytes, struct gs_error *error);
    void (*stop)(void *context);
    void *context;
    uint64_t bytes;
};

/* gs_writer: an output that goes to a callback, in pieces, in order, as into a pipe. Only a job
 * that ends with GS_OK has written all, and has found it right.
 * write: takes all of `bytes` bytes at `data`, which is the library's again when it returns. false:
 *        it failed, as gs_fail says in `error`, or else with GS_E_IO
 * stop: as of a reader; a `write` that waits should return
 * Threads: as a reader's. */
struct gs_writer {
    bool (*write)(void *context, const void *data, size_t bytes, struct gs_error *error);
    void (*stop)(void *context);
    void *context;
};

/* gs_cancel: lets another thread or a signal handler stop jobs: those that run, and those that
 * begin later. It cannot be undone.
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
 * gs_cancel_create: takes a descriptor. NULL: no memory or no descriptor is left.
 * gs_cancel_free: after its jobs have ended, and after the last gs_cancel_now.
 * gs_cancel_now: async-signal-safe; any number of threads may call it at any time, also while a job
 * ends or after it.
 * A cancel is that of the process that made it: in a child of fork gs_cancel_now does nothing, and
 * jobs refuse it. */
typedef struct gs_cancel gs_cancel;
GS_API gs_cancel *gs_cancel_create(void);
GS_API void gs_cancel_free(gs_cancel *cancel);
GS_API void gs_cancel_now(gs_cancel *cancel);

/* gs_job: what is asked of gsort, by the names of the program's options, and what became of it.
 *
 *     gs_job *job = gs_job_create();
 *     gs_job_add(job, "input", "x.f64");
 *     gs_job_set(job, "type", "f32");
 *     gs_job_set(job, "memory", "64M");
 *     if (gs_job_run(job, GS_STATS) != GS_OK)
 *         fprintf(stderr, "%s\n", gs_job_error(job)->text);
 *     gs_job_free(job);
 *
 * gs_job_create: NULL: no memory. The other calls take NULL for a job, and fail with GS_E_MEMORY.
 * gs_job_set: gives an option a value, as text; of a list it becomes the only element. NULL: as if
 *       it was never given. An option without an argument takes "true" or "false", and so does one
 *       whose argument may be left out ("merge", "zstd").
 * gs_job_set_u64: the same with a number: bytes, a count, or 0 and 1 for "false" and "true".
 * gs_job_add: appends an element to a list, such as "input" or "key"; nothing in it is split.
 * gs_job_add_reader: an input that a callback gives, under a name for messages and for its type.
 * gs_job_set_writer: a callback takes what would go to the output of this name, which says how to
 *       pack.
 * gs_job_set_progress: `progress` is called a few times a second from the calling thread of a run.
 * gs_job_set_note: `note` is called with lines that are worth knowing though nothing failed.
 * gs_job_set_cancel: gs_cancel_now stops a run through it; NULL: nobody can.
 * out   texts and structs of callbacks are copied; contexts and `cancel` are borrowed until the run
 *       returns
 * fails GS_E_USAGE: no such option, not a value of its kind, or a run is under way; GS_E_MEMORY.
 *       What failed was not set, and gs_job_run says so again, until gs_job_reset. Neither files
 *       nor other options are looked at
 *
 * gs_job_run: does `action` from start to end. What was given stays for the next run, and may be
 *       changed.
 * fails with any status; nothing is left behind then, and an existing output is untouched
 *
 * gs_job_error: the first failure of the last call; it stays until the next one. While a run is
 *       under way, in another thread or around a callback: GS_E_USAGE, which says so.
 * gs_job_report: what became of the last run, as far as it came; NULL: there was none. It stays
 *       until the next run, or until gs_job_free.
 * gs_job_take_report: the same, which is then the caller's: gs_report_free.
 * gs_job_reset: forgets all that was given. */
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

/* Jobs on an array in memory, `bytes` long, at any address, read as a file of that size with "raw".
 * "memory" does not count the array: it is for what a job takes beside it.
 *
 * A sort on the CPU moves numbers within the array, if they are aligned to their size, the array is
 * no larger than "memory", it is not made of sorted pieces, and, from 16 MiB on, it does not lie in
 * a mapped file. Any other array is copied into "memory", sorted there and merged back.
 * Less than 1 MiB of numbers is sorted on the calling thread, and nothing is opened for it, if no
 * options are set but "type", "reverse", "memory" and those that change nothing there. A GPU reads
 * and writes an array of numbers where it is, if that memory is pinned (cudaHostAlloc,
 * cudaHostRegister) and there is room on the GPU.
 * gs_job_sort_array: sorts it in its place, with all threads; records with equal keys keep their
 *       order. Where it is copied it is written to only after all of it was read, and what does not
 *       fit into memory is spilled.
 * gs_job_stats_array, gs_job_check_array: as GS_STATS and GS_CHECK.
 * gs_job_argsort_array: its order; the array stays as it is: positions[0] is the place, from 0 on,
 *       of the element that comes first. Equal elements keep their order. Each element takes as
 *       much memory as its key and its place, which written.sorted_bytes of the report tells: 8
 *       bytes for up to 2^32 numbers of 4 bytes, else 16; 16 for numbers of 8, 24 for numbers of
 *       16; of records the keys and 8 more, or 16 if both fit
 * in    job: without inputs, output and what is for them alone; with "type" or "record", for there
 *       is no name that says what elements are
 *       data: nobody else touches it until the call returns
 * out   positions: `bytes` / size of an element of them, in no memory of the array; written to only
 *       after all of it was read
 *       gs_job_report: is_placed: the array, or positions, were written to. Where a sort fails, the
 *       text of gs_job_error says what the array holds: what it held; all of its elements in
 *       another order, as after a cancel of a sort within the array; or, if a copied array was
 *       being written, sorted elements among old ones, so that some are lost
 * fails as gs_job_run; GS_E_USAGE: an option is for files only
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

/* Jobs on an array of `bytes` in the memory of an NVIDIA GPU, as cudaMalloc gives it. A call queues
 * the work on a stream of that GPU and returns; no element comes to the host. Numbers are aligned
 * to their size; records lie at any address. The result has the bytes of gs_job_sort_array's.
 * gs_cuda_sort: sorts it in its place; records with equal keys keep their order.
 * gs_cuda_argsort: its order; the array stays as it is. Equal elements keep their order. Positions
 *       are u64, or u32 if "argsort" is "u32".
 * gs_cuda_scratch_bytes: how much memory either of them needs beside the array and the positions.
 *       Numbers of 1 and 2 bytes: 512 KiB; of 4 to 16 bytes: the array once more, and a hundredth;
 *       records: 32 bytes each, and those of more than 16 bytes once more. An order: of numbers of
 *       up to 4 bytes 8 bytes each, 16 with positions of u32; of all else 32
 * in    job: with "type", or "record" and "key"; "reverse" and "ties" may be set, no other option
 *       stream: a cudaStream_t, or CUstream; NULL: the default stream. What is queued there later
 *       finds the array sorted; until then nobody else touches array, positions or scratch
 *       scratch: memory of that GPU, at any address. NULL: it is taken from the GPU's pool
 *       (cudaMallocAsync) and given back on the stream; cudaMemPoolAttrReleaseThreshold says how
 *       much of it the pool keeps
 * out   positions: as many as elements, on that GPU, in no memory of the array
 *       scratch_bytes: as they were, if it fails
 * fails GS_E_USAGE: memory is on no GPU, on another one, or not aligned; the scratch is too small;
 *       an option has no meaning here. GS_E_DEVICE: CUDA says no, or this library was built without
 *       it. Nothing was changed then, unless the line begins with "the sort cannot be queued".
 *       What goes wrong on the GPU later shows as an error of the stream */
GS_API enum gs_status gs_cuda_sort(gs_job *job, void *data, uint64_t bytes, void *stream,
                                   void *scratch, uint64_t scratch_bytes);
GS_API enum gs_status gs_cuda_argsort(gs_job *job, const void *data, uint64_t bytes,
                                      void *positions, void *stream, void *scratch,
                                      uint64_t scratch_bytes);
GS_API enum gs_status gs_cuda_scratch_bytes(gs_job *job, uint64_t bytes, bool is_argsort,
                                            uint64_t *scratch_bytes);

/* gs_sorter: a sort that a program feeds and reads, in any amounts, within its memory; what does
 * not fit there is spilled. Sorting goes on, on threads of its own, while elements come.
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
 * A call that fails with what became of the sort (a full disk, a cancel) says so again each time;
 * then there is nothing left but gs_sorter_close.
 *
 * gs_sorter_open: begins a sort; NULL: it failed.
 * in    job: as for gs_job_sort_array, with "top" and "unique", too; what it was told is copied,
 *       but `cancel` and the contexts are borrowed until close. Callbacks come from a thread of the
 *       sorter
 * fails as gs_job_run
 *
 * gs_sorter_push: copies whole elements, `bytes` long, into the sort; waits while it is busy with
 * what came before. Any number of threads may push and reserve at once; elements with equal keys
 * come out in the order in which these calls were made.
 * gs_sorter_reserve: instead of a push, lends room in the sorter's own memory for whole elements:
 * at most `bytes`, and at least one element. Until the commit the sort may wait for it, so the
 * caller must not wait for whatever waits for this sorter.
 * gs_sorter_commit: what was reserved at `data` is filled with `bytes` bytes of whole elements: all
 * that was reserved, or less, if nothing was pushed or reserved since.
 * gs_sorter_finish: all was pushed.
 * fails GS_E_USAGE: no whole elements; after gs_sorter_finish; with what became of the sort
 *
 * gs_sorter_pull: after finish: lends the next elements in order until the next pull or close.
 * *bytes is 0 at the end, and only then all is known to be right: no element was lost, changed or
 * out of order. With "count" each element has its count behind it. One thread at a time.
 * fails GS_E_USAGE: before gs_sorter_finish; with what became of the sort
 *
 * gs_sorter_pull_part: the same of the i-th of n equal parts of the order, i from 0 on: part i is
 * [count * i / n, count * (i + 1) / n). Each part may have a thread of its own and takes 1 MiB of
 * memory while it is read; n is the same in all calls.
 * gs_sorter_rank: copies the element that has `rank` others before it, from 0 on; with "count" its
 * count, too.
 * gs_sorter_rank_of: how many elements are below `element` (*below), and how many are not above it
 * (*not_above).
 * These three calls read any place. So the first of them puts the whole order into an unnamed file
 * in the first temporary directory, which costs one more pass over it and as much disk again; it
 * waits until all is written and found right. What comes out of the file is compared with a
 * checksum each time. After gs_sorter_pull it is too late for them; a pull after them begins at the
 * first element. Any number of threads may make these calls at once.
 * fails GS_E_USAGE: before finish, after a pull, no such part or rank; GS_E_CORRUPT: the file came
 *       back damaged; GS_E_SPACE, GS_E_IO, GS_E_MEMORY; with what became of the sort
 *
 * gs_sorter_report: a report of its own, once the sort is over: after a pull of 0 bytes, a part, a
 * rank or a failure; the caller's: gs_report_free. NULL: GS_E_USAGE before, GS_E_MEMORY.
 * gs_sorter_cancel: gs_cancel_now for this sorter, and for whatever else has its cancel.
 * gs_sorter_close: ends and forgets the sort, at any point; nothing is left behind. No other call
 * is under way or follows, and what was lent is the sorter's again.
 *
 * A sorter is that of the process that opened it. In a child of fork calls fail with GS_E_USAGE;
 * gs_sorter_cancel and gs_sorter_close do nothing there, and the parent's sort goes on. */
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

/* What a report says, for people (text) and for programs (JSON, as the manual has it). Numbers are
 * exact and have a decimal point in every locale. JSON is one object and a newline. A plan is for
 * GS_EXPLAIN: in words, or what a report's JSON says of type and plan, and `spaces`, the file
 * systems that are written to.
 * gs_report_print: into a FILE; ferror says whether it could be written.
 * gs_report_string: as a string, for callers without a FILE. NULL: no memory.
 * gs_string_free: gives such a text back. */
enum gs_format { GS_FORMAT_TEXT = 0, GS_FORMAT_JSON, GS_FORMAT_PLAN_TEXT, GS_FORMAT_PLAN_JSON };
GS_API void gs_report_print(const gs_report *report, FILE *file, enum gs_format format);
GS_API char *gs_report_string(const gs_report *report, enum gs_format format);
GS_API void gs_string_free(char *text);

/* gs_report_print_element: an element of the report's job, in a line of text: a number; of a record
 * its fields with tabs between them, or its bytes in hexadecimal, if it has none. GS_FORMAT_JSON: a
 * string, or an object of strings. NULL for an element: a line of names, one for each column. */
GS_API void gs_report_print_element(const gs_report *report, FILE *file, const void *element,
                                    enum gs_format format);

/* A field of a report or of its plan by its path in their JSON: "tally.count",
 * "quantiles[0].value".
 * gs_report_u64: as an integer: true is 1, false is 0, and a list is as many as it has.
 * gs_report_f64: as a double: exact, or rounded once to nearest even.
 * gs_report_text: as JSON has it, without quotes and escapes; numbers, too, exactly. `bytes` is the
 * room at `text`, with the 0 that ends it; GS_REPORT_TEXT_BYTES are enough.
 * in    report: NULL has no fields
 * out   value, text: as they were, unless GS_FOUND is returned
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
    GS_FOUND = 0, /* there it is */
    GS_NULL,      /* null: it is not known, or there is nothing that it would be of */
    GS_NO_FIELD,  /* a report has no such field, or the list is not that long */
    GS_INEXACT    /* there is one, but it is no such number, or has no room as text */
};
#define GS_REPORT_TEXT_BYTES 512
#define GS_END_KEY_BYTES     128 /* of first_key and last_key; of longer ones so much is there */
GS_API enum gs_found gs_report_u64(const gs_report *report, const char *path, uint64_t *value);
GS_API enum gs_found gs_report_f64(const gs_report *report, const char *path, double *value);
GS_API enum gs_found gs_report_text(const gs_report *report, const char *path, char *text,
                                    size_t bytes);

/* Reports of parts, added up: of jobs, or of JSON that jobs printed elsewhere.
 * gs_report_create: an empty one. NULL: no memory.
 * gs_report_set: sets the field at a path to a text, as gs_report_text gets it; NULL is null.
 * Fields that say what values are come before the values, as in JSON (type, element_bytes,
 * is_float, is_signed; field and is_float of fields); lists grow by their next item. GS_NO_FIELD: a
 * report has no such field, or it does not add up. GS_INEXACT: no report has such a text there; the
 * field is then of no use.
 * gs_report_add: adds tallies, sizes and left_out of `part` to `whole`. Only fields stay that both
 * have. Sums of floats are sums of rounded ones, rounded once; mean and variance do not add up.
 * fails GS_E_INPUT: of other elements, of a field without a name, or more than 2^64 elements:
 *       `whole` is of no use then; GS_E_MEMORY
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

/* gs_version: of the library: "1.0.0".
 * gs_version_text: version, devices and engines of this build, and the instruction set in use. */
GS_API const char *gs_version(void);
GS_API void gs_version_text(FILE *file);

/* gs_progress_draw: draws one line on a terminal, over the one drawn before.
 * gs_progress_erase: takes the line away.
 * Both flush; what cannot be written is lost. */
GS_API void gs_progress_draw(FILE *file, const struct gs_progress *progress);
GS_API void gs_progress_erase(FILE *file);

/* Sizes and counts as users write them. false: it is none, negative or too large; the number stays
 * as it was.
 * gs_size_parse: "4096", "1e6", "64K", "1.5G", "16MiB", "200Mb", "10%": bytes; K M G T P E, with
 * optional B or iB, in any case, are powers of 1024. A percentage is of `whole`; 0 refuses it.
 * gs_count_parse: "1000", "1e6", "10K", "1.5M": a whole number; units are powers of 1000. */
GS_API bool gs_size_parse(const char *text, uint64_t whole, uint64_t *bytes);
GS_API bool gs_count_parse(const char *text, uint64_t *count);

/* A type of numbers. */
struct gs_type {
    const char *name; /* "uint8", "u32", "f64": one word a type */
    uint32_t element_bytes;
    bool is_float, is_signed;
};

/* Types by the names that people have for them: f64, float64, double, <f8. false: that is no type
 * of elements; *type stays as it was.
 * gs_type_find: a word, in upper or lower case; not u8 and i8, which are 8 bits to some and 8 bytes
 * to NumPy: uint8 and uint64 are clear.
 * gs_type_of_file: what a file's name says: x.f64, books_200M_uint64, x.u32.bin, x.f64.zst; x.u8
 * says uint8.
 *
 *     struct gs_type type;
 *     uint64_t bytes;
 *     if (gs_type_of_file("x.f64.zst", &type) && gs_size_parse("1.5M", 0, &bytes))
 *         printf("%s: %zu elements\n", type.name, (size_t)(bytes / type.element_bytes));
 */
GS_API bool gs_type_find(const char *word, struct gs_type *type);
GS_API bool gs_type_of_file(const char *path, struct gs_type *type);

/* What this process may use now, by machine, control groups and rlimits.
 * gs_memory_available: bytes that it could take.
 * gs_memory_ceiling: bytes that a job with this "memory" keeps to; 0: "memory" is not given.
 * gs_processor_count: at least 1. */
GS_API uint64_t gs_memory_available(void);
GS_API uint64_t gs_memory_ceiling(uint64_t bytes);
GS_API uint32_t gs_processor_count(void);

/* An option, of jobs and of the program gsort. Help, manual pages and bindings are made of
 * these. */
enum gs_option_place { GS_OPTION_OF_BOTH = 0, GS_OPTION_OF_PROGRAM, GS_OPTION_OF_JOBS };
struct gs_option {
    const char *name;     /* "memory" */
    char letter;          /* 'S'; 0: none */
    const char *argument; /* "SIZE"; "[=LEVEL]": may be left out on a command line; NULL: none */
    const char *group;    /* its heading in help */
    const char *help;     /* plain text, in lines of at most 47 columns */
    const char *manual;   /* the same text in Markdown, with links into the manual */
    const char *daily;    /* a line for those who use it every day; NULL: nobody does */
    const char *alone;    /* what it means without an argument; NULL: it needs one */
    const char *alias;    /* another name that means the same; NULL: there is none */
    const struct gs_choice *choices; /* the words that it may be; NULL: it is something else */
    enum gs_option_place place;
    bool is_list;           /* may be given again, but on a command line with is_once */
    bool is_split, is_once; /* a command line splits it at commas, takes one list of all */
    bool is_hidden;         /* from help: an old spelling of something else */
};

/* gs_option_at: the i-th option, from 0 on; NULL: there are fewer.
 * gs_option_find: by its name; NULL: this library has no such option. */
GS_API const struct gs_option *gs_option_at(size_t i);
GS_API const struct gs_option *gs_option_find(const char *name);

/* gs_output: an output as jobs make it, for programs that write what they have made. A file
 * appears under its name whole or not at all; into a pipe or a device bytes go as they come.
 * gs_output_open: finds out whether `path` can be written; NULL or "-" is standard output. Waits
 * for the reader of a FIFO. *output is NULL if it fails.
 * gs_output_is_file: whether it is a file: its pieces may be written in any order, by several
 * threads at once.
 * gs_output_reserve: takes disk for `bytes` now, where the file system can.
 * gs_output_write: writes to offset `off` of a file; what is no file is written in order. Whole
 * pages of 4096 bytes, from memory that is aligned so, go past the page cache where they can.
 * gs_output_commit: cuts the file to `bytes`, syncs it and puts it in its place.
 * gs_output_close: gives it back, and removes what was not committed. In a child of fork the file
 * stays the parent's.
 * fails GS_E_IO, GS_E_SPACE, GS_E_MEMORY; GS_E_USAGE: an empty path
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
