/* bench_input.c: the file that is sorted, and what it is made and read by. */
#include "bench_input.h"

#include <unistd.h>

#define FILES_MOST 3u /* at one time: input, runs, output */

enum gs_status bench_input_open(struct bench_input *input, const struct bench_settings *settings,
                                struct gs_error *error)
{
    *input = (struct bench_input){.fd = -1};
    GSI_TRY(bench_space(settings, FILES_MOST, error));
    GSI_TRY(bench_raw_open(&input->raw, settings->directory, error));
    GSI_TRY(bench_raw_create(&input->raw, &input->fd, error));
    return bench_sorted_open(&input->sorted, settings, &input->fd, 1, error);
}

void bench_input_close(struct bench_input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    bench_sorted_close(&input->sorted);
    bench_raw_close(&input->raw);
}

enum gs_status bench_input_fill(struct bench_input *input, uint64_t from, uint64_t to,
                                struct gs_error *error)
{
    return bench_raw_fill(&input->raw, input->fd, &(struct bench_fill){0}, from, to, error);
}

uint64_t bench_spilled_memory(const struct bench_settings *settings, uint64_t bytes)
{
    return settings->memory_bytes > 0 ? settings->memory_bytes : bytes / 4;
}
