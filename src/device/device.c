/* device.c: the devices of this build. */
#include "device/device.h"

#include "device/cpu_merge.h"

#include <stddef.h>

const struct gsi_device_ops *gsi_device_find(enum gs_device_choice choice)
{
    switch (choice) {
    case GS_DEVICE_AUTO:
    case GS_DEVICE_CPU:
        return &gsi_device_cpu;
    }
    return NULL;
}

uint64_t gsi_device_overhead(const struct gsi_layout *layout, uint32_t thread_count)
{
    return thread_count * (GSI_MERGE_SCRATCH_BYTES + gsi_tally_bytes(layout));
}
