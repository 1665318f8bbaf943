/* space.c: distributes the free space of file systems. */
#include "plan/space.h"

#include "base/checked.h"

static enum gs_status fail_too_little_space(const struct gsi_space *space, const char *what,
                                            uint64_t needed, struct gs_error *error)
{
    return gsi_fail_space(error, 0, space->directory, what, needed, space->free_bytes,
                          "choose another place");
}

/* Checks the file system that contains the output and temporary files; `has_others`: temporary
 * files may also use other file systems. */
static enum gs_status check_shared_file_system(const struct gsi_plan *plan, struct gsi_space *space,
                                               bool has_others, struct gs_error *error)
{
    uint64_t output = plan->output_bytes + plan->disk_step_bytes;
    space->temp_bytes = space->free_bytes;
    space->needed_bytes = plan->space_bytes;
    if (space->free_bytes >= plan->space_bytes)
        return GS_OK;
    if (!has_others)
        return fail_too_little_space(space, "the output together with spilled runs",
                                     plan->space_bytes, error);
    space->temp_bytes = space->free_bytes - gsi_min_u64(output, space->free_bytes);
    space->needed_bytes = output + gsi_min_u64(space->temp_bytes, plan->temp_bytes);
    return space->free_bytes >= output ? GS_OK
                                       : fail_too_little_space(space, "the output", output, error);
}

enum gs_status gsi_space_check(const struct gsi_plan *plan, struct gsi_space *spaces,
                               uint32_t count, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    const struct gsi_space *first_temp = NULL;
    uint64_t temp_bytes = 0, temp_count = 0;
    for (uint32_t i = 0; i < count; i++)
        temp_count += spaces[i].has_temp;
    for (uint32_t i = 0; i < count; i++) {
        struct gsi_space *space = &spaces[i];
        enum gs_status result = GS_OK;
        if (space->has_output && space->has_temp) {
            result = check_shared_file_system(plan, space, temp_count > 1, error);
        } else if (space->has_output) {
            space->needed_bytes = plan->output_bytes;
            if (space->free_bytes < space->needed_bytes)
                result = fail_too_little_space(space, "the output", space->needed_bytes, error);
        } else {
            space->temp_bytes = space->free_bytes;
            space->needed_bytes = temp_count > 1 ? gsi_min_u64(space->free_bytes, plan->temp_bytes)
                                                 : plan->temp_bytes;
        }
        status = status == GS_OK ? result : status;
        temp_bytes = gsi_add_max_u64(temp_bytes, space->temp_bytes);
        if (first_temp == NULL && space->has_temp)
            first_temp = space;
    }
    if (status != GS_OK || first_temp == NULL || temp_bytes >= plan->temp_bytes)
        return status;
    if (temp_count == 1)
        return fail_too_little_space(first_temp, "spilling runs", plan->temp_bytes, error);
    return gsi_fail_space(error, 0, first_temp->directory,
                          "spilling runs in all temporary directories", plan->temp_bytes,
                          temp_bytes, "name another directory with -T");
}
