// sort_kernels_16.cu: instantiates the kernels for keys of 16 bytes.
#include "kernels/sort/sort_kernels.cuh"

const gsi_sort_kernels gsi_sort_kernels_16 = gsi_sort_kernels_of<gsi_u128>();
