/* host_device.h: marks functions that run on the host and, if kernels include them, on a GPU. */
#ifndef GSI_HOST_DEVICE_H
#define GSI_HOST_DEVICE_H

#ifdef __CUDACC__
#define GSI_HOST_DEVICE __host__ __device__
#else
#define GSI_HOST_DEVICE
#endif

#endif
