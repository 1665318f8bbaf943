// emulated_bulk.h: declares emulated bulk copies, instead of kernels/common/bulk_copy.cuh.
//
// A load is done as late as its barrier allows: when the first thread waits for it. Until then the
// destination holds 0xA5. A store is done when its thread waits: what is in shared memory by then
// goes out. Builds that define GSI_HAS_BULK_COPY as 0 take kernels as they are without an engine.
#ifndef EMULATED_BULK_H
#define EMULATED_BULK_H

#include "emulated_device.h"

#ifndef GSI_HAS_BULK_COPY
#define GSI_HAS_BULK_COPY 1
#endif

struct gsi_bulk_barrier; // kernels/common/bulk_copy.cuh

void gsi_bulk_init(gsi_bulk_barrier *barrier);
void gsi_bulk_expect(gsi_bulk_barrier *barrier, uint32_t bytes, emulated_place place = {});
void gsi_bulk_begin(gsi_bulk_barrier *barrier, uint32_t bytes);
void gsi_bulk_load(void *shared, const void *global, uint32_t bytes, gsi_bulk_barrier *barrier,
                   emulated_place place = {});
void gsi_bulk_wait(gsi_bulk_barrier *barrier, emulated_place place = {});
void gsi_bulk_wait_turn(gsi_bulk_barrier *barrier, uint32_t parity, emulated_place place = {});
void gsi_bulk_publish();
void gsi_bulk_store(void *global, const void *shared, uint32_t bytes, emulated_place place = {});
void gsi_bulk_store_wait();

#endif
