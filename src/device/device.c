/* device.c: finds the devices of this build. */
#include "device/device.h"

#include "base/choices.h"
#include "device/cpu/cpu_merge.h"
#include "element/record/record_tally.h"

#include <stddef.h>

/* A build without CUDA uses the CUDA device if something else links it in: tests do. */
#ifndef GSORT_HAVE_CUDA
#pragma weak gsi_device_cuda
#pragma weak gsi_device_cuda_group
#endif

static const struct gsi_device_ops *const devices[] = {
    [GSI_DEVICE_CPU] = &gsi_device_cpu, [GSI_DEVICE_CUDA] = &gsi_device_cuda};

const struct gsi_device_ops *gsi_device_find(enum gsi_device_word choice)
{
    size_t best = sizeof devices / sizeof devices[0];
    if (choice != GSI_DEVICE_AUTO)
        return choice < best ? devices[choice] : NULL;
    do
        best--;
    while (devices[best] == NULL);
    return devices[best];
}

const struct gsi_device_ops *gsi_device_find_group(enum gsi_device_word choice)
{
    return choice == GSI_DEVICE_CPU ? &gsi_device_cpu : &gsi_device_cuda_group;
}

uint64_t gsi_device_overhead(const struct gsi_layout *layout, uint32_t thread_count)
{
    struct gsi_bump bump = {0};
    gsi_record_tally_alloc(layout, &bump);
    return thread_count * (GSI_MERGE_SCRATCH_BYTES + bump.bytes);
}
