/* fuzz_files0.c: fuzzes lists of names for --files0-from. */
#include "fuzz/fuzz.h"

#include "gsort/files0.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz_file file = fuzz_file_make(data, bytes);
    struct files0 files;
    struct gs_error error = {0};
    enum gs_status status = files0_read(file.path, 4 << 20, &files, &error);
    FUZZ_CHECK(status == GS_OK || status == GS_E_INPUT);
    size_t all = 0;
    for (size_t i = 0; i < files.count && status == GS_OK; i++) {
        FUZZ_CHECK(files.names[i][0] != '\0');
        all += strlen(files.names[i]) + 1;
    }
    /* every byte is of a name, or ends one; the last one may miss its end */
    FUZZ_CHECK(status != GS_OK || all == bytes || all == bytes + 1);
    files0_clear(&files);
    fuzz_file_close(&file);
    return 0;
}
