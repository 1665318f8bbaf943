/* scan.h: reads all inputs once. A task works on each buffer, and its results are joined with those
 * of the buffers before it.
 *
 *     free buffers -> source -> [device: count] -> task -> [device: digest] -> in order -> join
 *          ^                                                                                 |
 *          '---------------------------------------------------------------------------------'
 *
 * The caller defines what the task does with a buffer, and how it is joined. */
#ifndef GSI_SCAN_H
#define GSI_SCAN_H

#include "input/source.h"

/* The device's work on a buffer in addition to the task (device/device.h: reduce). */
enum gsi_scan_device {
    GSI_SCAN_NO_DEVICE,
    GSI_SCAN_COUNTS,  /* tallies it, before the task */
    GSI_SCAN_DIGESTS, /* tallies and digests it, after the task, and turns elements into keys */
};

struct gsi_scan {
    void *context;
    enum gsi_scan_device device;
    /* begin: is called on the owner's thread, before the task. NULL: nothing to do.
     * run: is the task, on any thread and in any order. NULL: there is no task.
     * join: is called on the owner's thread, in the order of reading; then the buffer is free.
     * Returns false if it cannot join the buffer now; it is called again after the next event.
     * NULL: nothing to join. */
    void (*begin)(void *context, struct gsi_buffer *buffer);
    void (*run)(void *context, struct gsi_buffer *buffer, uint32_t worker_idx);
    bool (*join)(void *context, struct gsi_buffer *buffer);
};

/* gsi_scan_run: reads into free buffers of `buffers` until everything is joined. Nothing is in
 * flight when it returns, even after a failure.
 * fails with the first failure of the source, the device or a function of `scan` */
enum gs_status gsi_scan_run(const struct gsi_scan *scan, struct gsi_inputs *inputs,
                            struct gsi_buffers *buffers);

#endif
