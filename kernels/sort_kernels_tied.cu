// sort_kernels_tied.cu: the kernels for tags of records in the order of whole keys.
#include "tied_tag.cuh"

#include "sort_kernels.cuh"

const gsi_sort_kernels gsi_sort_kernels_tied = GSI_SORT_KERNELS(gsi_tied_tag);
