/* fuzz_size.c: fuzzes sizes as users write them: a text that ends with NUL. */
#include "fuzz/fuzz.h"

#include "gsort.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *text = fuzz_text(data, bytes);
    uint64_t size = 12345, part = 12345;
    if (!gs_size_parse(text, 0, &size))
        FUZZ_CHECK(size == 12345);
    else /* without a whole there is no percentage; with one the rest means the same */
        FUZZ_CHECK(gs_size_parse(text, 1000, &part) && part == size);
    if (!gs_size_parse(text, 1000, &part))
        FUZZ_CHECK(part == 12345);
    free(text);
    return 0;
}
