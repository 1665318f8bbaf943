/* bench_sorted.h: one gs_run over a file without a name, measured and then checked. */
#ifndef BENCH_SORTED_H
#define BENCH_SORTED_H

#include "bench.h"

struct bench_sorted {
    const struct bench_settings *settings;
    int input_fd;
    char input_path[32], *output_path;
};

/* bench_sorted_open: `input_fd` is borrowed until close.
 * fails GS_E_IO: the output's name is taken; GS_E_USAGE: there is no such type */
enum gs_status bench_sorted_open(struct bench_sorted *sorted, const struct bench_settings *settings,
                                 int input_fd, struct gs_error *error);
void bench_sorted_close(struct bench_sorted *sorted); /* also zeroed ones */

/* bench_sorted_run: options->action, GS_ACTION_SORT or GS_ACTION_STATS; inputs, output, type (of
 * numbers) and threads are filled in. The input leaves the page cache before, and the output is
 * checked, and gone, after the clock has stopped. out   ns: of gs_run fails GS_E_VERIFY: the output
 * is not in order, or not what was read */
enum gs_status bench_sorted_run(const struct bench_sorted *sorted, struct gs_options *options,
                                struct gs_report *report, uint64_t *ns, struct gs_error *error);

/* bench_space: fails GS_E_SPACE unless `file_count` files of settings->size_bytes have room. */
enum gs_status bench_space(const struct bench_settings *settings, uint32_t file_count,
                           struct gs_error *error);

#endif
