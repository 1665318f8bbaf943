/* bench_input.h: the input of a bench of sorts: one file without a name, in a directory that has
 * room for it, for the runs of a sort and for its output. */
#ifndef BENCH_INPUT_H
#define BENCH_INPUT_H

#include "bench_raw.h"
#include "bench_sorted.h"

struct bench_input {
    struct bench_raw raw;
    struct bench_sorted sorted; /* by bench_sorted_run */
    int fd;
};

/* bench_input_open: an empty file; settings->size_bytes is the most it will hold.
 * fails as bench_space, bench_raw_open and bench_sorted_open do; close it all the same */
enum gs_status bench_input_open(struct bench_input *input, const struct bench_settings *settings,
                                struct gs_error *error);
void bench_input_close(struct bench_input *input);

/* bench_input_fill: bytes [from, to) become random data (bench_raw_fill). */
enum gs_status bench_input_fill(struct bench_input *input, uint64_t from, uint64_t to,
                                struct gs_error *error);

/* bench_spilled_memory: the memory for a sort of `bytes` that spills: settings->memory_bytes, or a
 * quarter of the bytes. */
uint64_t bench_spilled_memory(const struct bench_settings *settings, uint64_t bytes);

#endif
