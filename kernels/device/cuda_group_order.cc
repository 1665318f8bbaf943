// cuda_group_order.cc: orders GPUs by their PCIe switches. GPUs of one switch share its link to the
// host, so neighbours, which work at the same time, should have different switches. RMG sort (BTW
// 2023) measured on a DGX A100, host to host: GPUs 0 and 1 of one switch 12.5 GB/s, 0 and 2 22.7.
#include "kernels/device/cuda_group_order.h"

#include <cuda_runtime.h>

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The path of a device's directory names its ancestors: root port, ports of switches, device. Cuts
// the path above the ports of the nearest switch; returns false if it is not known.
//
//     /sys/devices/pci0000:00/0000:00:01.0/0000:02:00.0/0000:03:04.0/0000:05:00.0
//                             root port    switch       its port     GPU
static bool find_switch(const char *root, const char *bus_id, char (&path)[PATH_MAX])
{
    char link[PATH_MAX], id[32] = {};
    for (size_t i = 0; i + 1 < sizeof id && bus_id[i] != '\0'; i++) // sysfs uses lower case
        id[i] = static_cast<char>(tolower(static_cast<unsigned char>(bus_id[i])));
    const int length = snprintf(link, sizeof link, "%s/bus/pci/devices/%s", root, id);
    if (length < 0 || static_cast<size_t>(length) >= sizeof link || realpath(link, path) == nullptr)
        return false;
    for (int above = 0; above < 2; above++) {
        char *const slash = strrchr(path, '/');
        if (slash == nullptr)
            return false;
        *slash = '\0';
    }
    return true;
}

void gsi_cuda_group_order(const char *sysfs, uint32_t *indices, uint32_t count)
{
    struct place {
        uint32_t index, turn; // index of the GPU; its number within its switch
        bool is_known;
        char path[PATH_MAX];
    };
    place *const places = static_cast<place *>(calloc(count, sizeof(place)));
    for (uint32_t i = 0; places != nullptr && i < count; i++) {
        char bus_id[32] = "";
        places[i].index = indices[i];
        if (cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, static_cast<int>(indices[i])) ==
            cudaSuccess)
            places[i].is_known = find_switch(sysfs, bus_id, places[i].path);
        cudaGetLastError();
        for (uint32_t k = 0; k < i; k++)
            places[i].turn += places[i].is_known && places[k].is_known &&
                              strcmp(places[i].path, places[k].path) == 0;
    }
    uint32_t placed = 0;
    for (uint32_t turn = 0; places != nullptr && placed < count; turn++)
        for (uint32_t i = 0; i < count; i++)
            if (places[i].turn == turn)
                indices[placed++] = places[i].index;
    free(places);
}
