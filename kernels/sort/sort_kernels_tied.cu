// sort_kernels_tied.cu: instantiates the kernels for tags of records in the order of whole keys.
#include "kernels/record/tied_tag.cuh"

#include "kernels/sort/sort_kernels.cuh"

const gsi_sort_kernels gsi_sort_kernels_tied = gsi_sort_kernels_of<gsi_tied_tag>();
