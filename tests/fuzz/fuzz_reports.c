/* fuzz_reports.c: fuzzes reports for --join-reports. */
#include "fuzz/fuzz.h"

#include "gsort/json/join_reports.h"
#include "gsort/json/report_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz_file file = fuzz_file_make(data, bytes);
    const char *paths[] = {file.path};
    struct command_line line = {.inputs = paths, .input_count = 1};
    struct gs_error error = {0};
    char *text = NULL;
    size_t text_bytes = 0;
    FILE *out = open_memstream(&text, &text_bytes);
    FUZZ_CHECK(out != NULL);
    enum gs_status status = join_reports(&line, out, &error);
    FUZZ_CHECK(status == GS_OK || status == GS_E_INPUT || status == GS_E_VERIFY);
    fclose(out);
    FUZZ_CHECK((text_bytes > 0) == (status == GS_OK));
    /* what it prints is a report, too, though of no part */
    if (status == GS_OK) {
        json_t *report = json_loadb(text, text_bytes, JSON_REJECT_DUPLICATES, NULL);
        FUZZ_CHECK(json_is_object(report));
        json_decref(report);
    }
    free(text);
    fuzz_file_close(&file);
    return 0;
}
