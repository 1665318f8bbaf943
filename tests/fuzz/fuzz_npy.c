/* fuzz_npy.c: fuzzes headers of .npy files. An accepted header can be written again, and is then
 * read the same. */
#include "fuzz/fuzz.h"

#include "input/npy/npy.h"

static void check_fields(const struct gsi_schema *npy)
{
    FUZZ_CHECK(npy->field_count <= GSI_NPY_FIELDS_MAX && npy->element_bytes > 0);
    for (uint32_t i = 0; i < npy->field_count; i++) {
        const struct gsi_schema_field *field = &npy->fields[i];
        FUZZ_CHECK((uint64_t)field->off + (uint64_t)field->bytes * field->count <=
                   npy->element_bytes);
        FUZZ_CHECK(memchr(field->name, '\0', sizeof field->name) != NULL);
    }
}

static void check_written(const struct gsi_schema *npy)
{
    static uint8_t header[65536];
    struct gsi_schema again;
    struct gs_error error = {0};
    size_t bytes = gsi_npy_write(npy->descr, npy->descr_bytes, npy->count, npy->columns,
                                 npy->version, header, sizeof header);
    if (bytes == 0 || gsi_npy_wanted(header, bytes) != bytes)
        return; /* longer than a header may be */
    FUZZ_CHECK(gsi_npy_read(header, bytes, "again", &again, &error) == GS_OK);
    FUZZ_CHECK(again.count == npy->count && again.element_bytes == npy->element_bytes &&
               again.field_count == npy->field_count && again.header_bytes == bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint8_t *copy = fuzz_copy(data, bytes);
    struct gsi_schema npy;
    struct gs_error error = {0};
    if (gsi_npy_begins(copy, bytes))
        FUZZ_CHECK(gsi_npy_wanted(copy, bytes) > 0);
    enum gs_status status = gsi_npy_read(copy, bytes, "fuzz", &npy, &error);
    FUZZ_CHECK(status == GS_OK || status == GS_E_INPUT);
    if (status == GS_OK) {
        FUZZ_CHECK(npy.header_bytes <= bytes);
        check_fields(&npy);
        check_written(&npy);
    }
    free(copy);
    return 0;
}
