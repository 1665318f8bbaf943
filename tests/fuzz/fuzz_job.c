/* fuzz_job.c: fuzzes whole small jobs with a file in memory: plain, zstd frames or .npy. The first
 * byte chooses the verb, the second the elements. */
#include "fuzz/fuzz.h"

#include "job/job_report.h"
#include "support/struct_jobs.h"

static void choose_elements(uint64_t choice, struct gsi_options *options)
{
    static const char *const types[] = {NULL, "u32", "f32", "u64", "f64", "u128"};
    static const char *const keys[] = {"1:u16be:desc", "0:b3", "4:f32"};
    if (choice % 8 < 6) {
        options->type = types[choice % 8];
        return;
    }
    options->record_bytes = 9;
    options->keys = keys;
    options->key_count = choice / 8 % 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz_bytes from = {data, bytes};
    uint64_t choice = fuzz_take(&from, 1);
    struct gsi_options options = {.device = GSI_DEVICE_CPU,
                                  .io = GSI_IO_THREADS,
                                  .memory_bytes = 24u << 20,
                                  .thread_count = 1,
                                  .chunk_bytes = 65536,
                                  .window_bytes = 16384,
                                  .output = "/dev/null"};
    choose_elements(fuzz_take(&from, 1), &options);
    options.action = choice % 4 == 1 ? GS_STATS : choice % 4 == 2 ? GS_CHECK : GS_SORT;
    options.reverse = choice & 4;
    options.raw = choice & 8;
    options.unique = (choice & 16) && options.action == GS_SORT;
    options.merge = (choice & 32) && options.action == GS_SORT;
    options.has_top = (choice & 64) && options.action == GS_SORT && !options.unique;
    options.top_count = 3;
    options.header_bytes = choice & 128 ? 5 : 0;
    if (options.merge)
        options.chunk_bytes = 0;
    struct fuzz_file file = fuzz_file_make(from.data, from.bytes);
    const char *inputs[] = {file.path};
    options.inputs = inputs;
    options.input_count = 1;
    struct gs_report report;
    struct gs_error error;
    enum gs_status status = gs_run(&options, &report, &error);
    FUZZ_CHECK(status == GS_OK || status == GS_E_INPUT || status == GS_E_USAGE ||
               (status == GS_E_DISORDER && options.action == GS_CHECK));
    FUZZ_CHECK(status == error.status && (status == GS_OK || error.text[0] != '\0'));
    fuzz_file_close(&file);
    return 0;
}
