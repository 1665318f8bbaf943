/* array.c: what stands for an array among files. */
#include "io/array.h"

struct gsi_input gsi_array_input(const struct gsi_array *array, const char *name)
{
    return (struct gsi_input){.path = name,
                              .name = name,
                              .fd = GSI_FD_NO_FILE,
                              .direct_fd = -1,
                              .bytes = array->bytes,
                              .file_bytes = array->bytes,
                              .expected_bytes = UINT64_MAX,
                              .array = array};
}

struct gsi_output gsi_array_output(struct gsi_array *array, const char *name)
{
    return (struct gsi_output){.kind = GSI_OUTPUT_ARRAY,
                               .name = name,
                               .fd = GSI_FD_NO_FILE,
                               .direct_fd = -1,
                               .dir_fd = -1,
                               .kept_dir_fd = -1,
                               .array = array};
}
