/* las_format.c: LAS as a format. */
#include "input/las/las_format.h"

#include "input/las/las.h"

#include <stdlib.h>
#include <string.h>

static void tally(const struct gsi_schema *schema, void *of, const uint8_t *data, uint64_t bytes)
{
    gsi_las_tally(schema, of, data, bytes);
}

static enum gs_status put(struct gsi_inputs *inputs, uint64_t count)
{
    const struct gsi_formatted *from = inputs->formatted;
    GSI_TRY(gsi_format_copy_header(inputs));
    if (gsi_las_patch(inputs->header.data, &from->schema, count, from->tally))
        return GS_OK;
    return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                    "'%s': a LAS 1.%u file can have at most 4294967295 points, not %llu",
                    inputs->table[0].name, from->schema.version, (unsigned long long)count);
}

static const char *const endings[] = {"las", "LAS", NULL};

const struct gsi_format gsi_las_format = {.name = "a LAS file",
                                          .source = "LAS header",
                                          .endings = endings,
                                          .magic = "LASF",
                                          .magic_bytes = 4,
                                          .wanted = gsi_las_wanted,
                                          .read = gsi_las_read,
                                          .put = put,
                                          .tally = tally,
                                          .tally_bytes = sizeof(struct gsi_las_tally)};
