// sort_kernels_4.cu: instantiates the kernels for keys of 4 bytes.
#include "kernels/sort/sort_kernels.cuh"

const gsi_sort_kernels gsi_sort_kernels_4 = gsi_sort_kernels_of<uint32_t>();
