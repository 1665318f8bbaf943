/* fuzz_fits.c: fuzzes headers of FITS. An accepted header has columns that fill its rows, and can
 * be changed to another count. */
#include "fuzz/fuzz.h"

#include "input/fits/fits.h"

static void check_fields(const struct gsi_schema *schema)
{
    uint64_t off = 0;
    FUZZ_CHECK(schema->field_count <= GSI_SCHEMA_FIELDS_MAX);
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct gsi_schema_field *field = &schema->fields[i];
        FUZZ_CHECK(field->off == off);
        off += (uint64_t)field->bytes * field->count;
        FUZZ_CHECK(memchr(field->name, '\0', sizeof field->name) != NULL);
    }
    FUZZ_CHECK(off == schema->element_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct gsi_schema schema, again;
    uint8_t *copy = fuzz_copy(data, bytes);
    struct gs_error error = {0};
    gsi_fits_wanted(copy, bytes);
    enum gs_status status = gsi_fits_read(copy, bytes, "fuzz", &schema, &error);
    FUZZ_CHECK(status == GS_OK || status == GS_E_INPUT);
    if (status == GS_OK) {
        FUZZ_CHECK(schema.header_bytes <= bytes && schema.header_bytes % GSI_FITS_BLOCK == 0);
        check_fields(&schema);
        gsi_fits_patch(copy, bytes, INT64_MAX);
        FUZZ_CHECK(gsi_fits_read(copy, bytes, "again", &again, &error) == GS_OK);
        FUZZ_CHECK(again.count == INT64_MAX && again.header_bytes == schema.header_bytes);
    }
    free(copy);
    return 0;
}
