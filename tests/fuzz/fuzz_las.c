/* fuzz_las.c: fuzzes headers of LAS. An accepted header has its fields within its points, and can
 * be changed to other counts. */
#include "fuzz/fuzz.h"

#include "input/las/las.h"

static void check_fields(const struct gsi_schema *schema)
{
    FUZZ_CHECK(schema->field_count <= GSI_SCHEMA_FIELDS_MAX && schema->element_bytes > 0);
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct gsi_schema_field *field = &schema->fields[i];
        FUZZ_CHECK((uint64_t)field->off + (uint64_t)field->bytes * field->count <=
                   schema->element_bytes);
        FUZZ_CHECK(memchr(field->name, '\0', sizeof field->name) != NULL);
    }
}

static void check_patched(uint8_t *header, size_t bytes, const struct gsi_schema *schema)
{
    static struct gsi_schema again;
    static uint8_t points[3 * 65536];
    struct gsi_las_tally tally = {0};
    struct gs_error error = {0};
    gsi_las_tally(schema, &tally, points, 1);
    gsi_las_tally(schema, &tally, points + 1, 3 * (uint64_t)schema->element_bytes - 1);
    FUZZ_CHECK(tally.count == 3 && tally.returns[0] == 3 && tally.begun_bytes == 0);
    FUZZ_CHECK(gsi_las_patch(header, schema, 3, &tally));
    FUZZ_CHECK(gsi_las_read(header, bytes, "again", &again, &error) == GS_OK);
    FUZZ_CHECK(again.count == 3 && again.element_bytes == schema->element_bytes &&
               again.field_count == schema->field_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct gsi_schema schema;
    uint8_t *copy = fuzz_copy(data, bytes);
    struct gs_error error = {0};
    FUZZ_CHECK(gsi_las_wanted(copy, bytes) >= GSI_LAS_HEADER_BYTES);
    enum gs_status status = gsi_las_read(copy, bytes, "fuzz", &schema, &error);
    FUZZ_CHECK(status == GS_OK || status == GS_E_INPUT);
    if (status == GS_OK) {
        FUZZ_CHECK(schema.header_bytes <= bytes);
        check_fields(&schema);
        check_patched(copy, bytes, &schema);
    }
    free(copy);
    return 0;
}
