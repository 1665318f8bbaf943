/* bench_sorted.h: measures and checks one sort of files without a name (bench_sorted), and makes
 * the one file that most commands sort (bench_input). */
#ifndef BENCH_SORTED_H
#define BENCH_SORTED_H

#include "bench_raw.h"
#include "option/options.h"

#define BENCH_INPUTS_MAX 16u

struct bench_sorted {
    const struct bench_settings *settings;
    uint32_t input_count;
    int input_fds[BENCH_INPUTS_MAX];
    char input_paths[BENCH_INPUTS_MAX][32], *output_path;
};

/* bench_sorted_open: prepares sorts of `count` inputs, borrowed until close.
 * fails GS_E_IO: the output's name is taken; GS_E_USAGE: there is no such type */
enum gs_status bench_sorted_open(struct bench_sorted *sorted, const struct bench_settings *settings,
                                 const int *input_fds, uint32_t count, struct gs_error *error);
void bench_sorted_close(struct bench_sorted *sorted); /* also zeroed ones */

/* bench_sorted_run: runs options->action, except GS_EXPLAIN, and sets inputs, output, type (of
 * numbers) and threads. First it drops the inputs from the page cache. After the clock has stopped,
 * it checks and removes the output.
 * out   ns: of gsi_run
 * fails GS_E_VERIFY: the output is not in order, or not what was read */
enum gs_status bench_sorted_run(const struct bench_sorted *sorted, struct gsi_options *options,
                                struct gs_report *report, uint64_t *ns, struct gs_error *error);

/* bench_sorted_keep: sorts, and keeps the output as *fd, without a name; -1 after a failure. */
enum gs_status bench_sorted_keep(const struct bench_sorted *sorted, struct gsi_options *options,
                                 int *fd, struct gs_error *error);

/* bench_resident_memory: returns the memory for a sort of so many bytes in memory, with tags. This
 * is a quarter more and 64 MiB, but at most nearly all memory. */
uint64_t bench_resident_memory(uint64_t bytes);

/* bench_touch_memory: allocates so much memory, writes to each page, and frees it.
 * fails GS_E_MEMORY */
enum gs_status bench_touch_memory(uint64_t bytes, struct gs_error *error);

/* bench_space: fails GS_E_SPACE unless `file_count` files of settings->size_bytes have room. */
enum gs_status bench_space(const struct bench_settings *settings, uint32_t file_count,
                           struct gs_error *error);

/* One file without a name, in a directory with room for it, its runs and its output. */
struct bench_input {
    struct bench_raw raw;
    struct bench_sorted sorted; /* for bench_sorted_run */
    int fd;
};

/* bench_input_open: makes an empty file, which will have at most settings->size_bytes.
 * fails as bench_space, bench_raw_open and bench_sorted_open do; close it all the same */
enum gs_status bench_input_open(struct bench_input *input, const struct bench_settings *settings,
                                struct gs_error *error);
void bench_input_close(struct bench_input *input);

/* bench_input_fill: fills bytes [from, to) with random data (bench_raw_fill). */
enum gs_status bench_input_fill(struct bench_input *input, uint64_t from, uint64_t to,
                                struct gs_error *error);

/* bench_spilled_memory: returns the memory for a sort of `bytes` that spills:
 * settings->memory_bytes, or a quarter of the bytes. */
uint64_t bench_spilled_memory(const struct bench_settings *settings, uint64_t bytes);

#endif
