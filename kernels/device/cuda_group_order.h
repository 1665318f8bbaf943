// cuda_group_order.h: declares the function that decides which GPUs are neighbours in a group.
#ifndef GSI_CUDA_GROUP_ORDER_H
#define GSI_CUDA_GROUP_ORDER_H

#include <stdint.h>

// gsi_cuda_group_order: reorders `indices`: first one GPU of each PCIe switch, then the second GPU
// of each switch, and so on. A GPU whose switch is unknown counts as having a switch of its own.
// `sysfs`: "/sys".
void gsi_cuda_group_order(const char *sysfs, uint32_t *indices, uint32_t count);

#endif
