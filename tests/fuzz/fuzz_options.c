/* fuzz_options.c: fuzzes command lines, with one argument per line. fuzz_files0.c fuzzes
 * lists of file names. This program opens no files: one of them might be a terminal, and reading it
 * would wait. */
#include "fuzz/fuzz.h"

#include "gsort/command_line.h"

#define ARGUMENTS_MAX 64

enum gs_status __wrap_files0_read(const char *path, uint64_t most_bytes, struct files0 *files,
                                  struct gs_error *error);
enum gs_status __wrap_device_model_read(const char *path, gs_job *job, struct gs_error *error);

enum gs_status __wrap_files0_read(const char *path, uint64_t most_bytes, struct files0 *files,
                                  struct gs_error *error)
{
    (void)path, (void)most_bytes, (void)error;
    *files = (struct files0){0};
    return GS_OK;
}

enum gs_status __wrap_device_model_read(const char *path, gs_job *job, struct gs_error *error)
{
    (void)path, (void)job, (void)error;
    return GS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes), *argv[ARGUMENTS_MAX + 2] = {(char[]){"gsort"}};
    int argc = 1;
    struct command_line line;
    struct gs_error error = {0};
    for (char *at = text, *end; at != NULL && argc <= ARGUMENTS_MAX; at = end) {
        if ((end = strchr(at, '\n')) != NULL)
            *end++ = '\0';
        argv[argc++] = at;
    }
    enum gs_status status = command_line_parse(argc, argv, &line, &error);
    FUZZ_CHECK(status == GS_OK || status == GS_E_USAGE);
    FUZZ_CHECK(status == error.status && (status == GS_OK) == (error.text[0] == '\0'));
    FUZZ_CHECK(strlen(error.text) < sizeof error.text);
    FUZZ_CHECK(line.input_count <= (size_t)argc);
    command_line_clear(&line);
    free(text);
    return 0;
}
