/* device.c: the devices of this build. */
#include "device/device.h"

#include "device/cpu/cpu_merge.h"
#include "element/element_ops.h"

#include <stddef.h>

/* A build without CUDA finds the device if something else brings it: tests do. */
#ifndef GSORT_HAVE_CUDA
#pragma weak gsi_device_cuda
#endif

const struct gsi_device_ops *gsi_device_find(enum gs_device_choice choice)
{
    const struct gsi_device_ops *cuda = &gsi_device_cuda;
    switch (choice) {
    case GS_DEVICE_AUTO:
        return cuda != NULL ? cuda : &gsi_device_cpu;
    case GS_DEVICE_CPU:
        return &gsi_device_cpu;
    case GS_DEVICE_CUDA:
        return cuda;
    }
    return NULL;
}

uint64_t gsi_device_overhead(const struct gsi_layout *layout, uint32_t thread_count)
{
    return thread_count * (GSI_MERGE_SCRATCH_BYTES + layout->ops->tally_bytes(layout));
}
