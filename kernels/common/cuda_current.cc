// cuda_current.cc: restores the GPU that was current on the calling thread.
#include "kernels/common/cuda_current.h"

#include <cuda_runtime.h>

#include <dlfcn.h>

// Only the driver knows whether the GPU is in use. The runtime has loaded the driver.
static bool is_in_use(int device)
{
    void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (driver == nullptr)
        return true;
    unsigned flags = 0;
    int is_active = 1;
    const auto state = reinterpret_cast<int (*)(int, unsigned *, int *)>(
        dlsym(driver, "cuDevicePrimaryCtxGetState"));
    const bool is_known = state != nullptr && state(device, &flags, &is_active) == 0;
    dlclose(driver);
    return !is_known || is_active != 0;
}

gsi_cuda_current::gsi_cuda_current()
{
    if (cudaGetDevice(&before) != cudaSuccess)
        before = -1;
}

gsi_cuda_current::~gsi_cuda_current()
{
    int now = before;
    if (before >= 0 && cudaGetDevice(&now) == cudaSuccess && now != before && is_in_use(before))
        cudaSetDevice(before);
    cudaGetLastError();
}
