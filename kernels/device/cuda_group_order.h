// cuda_group_order.h: which GPUs are neighbours in a group.
#ifndef GSI_CUDA_GROUP_ORDER_H
#define GSI_CUDA_GROUP_ORDER_H

#include <stdint.h>

// gsi_cuda_group_order: puts GPUs behind different PCIe switches first, then the second one of
// each, and so on; those of which nothing is known count as behind switches of their own. `sysfs`:
// "/sys".
void gsi_cuda_group_order(const char *sysfs, uint32_t *indices, uint32_t count);

#endif
