// sort_kernels_8.cu: instantiates the kernels for keys of 8 bytes.
#include "kernels/sort/sort_kernels.cuh"

const gsi_sort_kernels gsi_sort_kernels_8 = gsi_sort_kernels_of<uint64_t>();
