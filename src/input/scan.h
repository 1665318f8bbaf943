/* scan.h: reads everything of some inputs once; each buffer is worked on by a task, and joined to
 * what is known of those before it.
 *
 *     free buffers -> source -> [device: count] -> task -> [device: digest] -> in order -> join
 *          ^                                                                                 |
 *          '---------------------------------------------------------------------------------'
 *
 * Who scans says what the task does with a buffer, and how it is joined. */
#ifndef GSI_SCAN_H
#define GSI_SCAN_H

#include "input/source.h"

/* What the device does with a buffer beside the task (device/device.h: reduce). */
enum gsi_scan_device {
    GSI_SCAN_NO_DEVICE,
    GSI_SCAN_COUNTS,  /* its tally, before the task */
    GSI_SCAN_DIGESTS, /* its tally and digest, after the task: elements become keys */
};

struct gsi_scan {
    void *context;
    enum gsi_scan_device device;
    /* begin: on the owner's thread, before the task. NULL: there is nothing to do.
     * run: the task, on any thread and in any order. NULL: there is none.
     * join: on the owner's thread, in order of reading; then the buffer is free. Returns false if
     * it cannot be joined now: the same one comes again after the next event. NULL: nothing is
     * joined. */
    void (*begin)(void *context, struct gsi_buffer *buffer);
    void (*run)(void *context, struct gsi_buffer *buffer, uint32_t worker_idx);
    bool (*join)(void *context, struct gsi_buffer *buffer);
};

/* gsi_scan_run: reads into free buffers of `buffers`, until everything is joined. Nothing is in
 * flight then, nor after a failure.
 * fails with the first failure that the source, the device or a call of `scan` recorded */
enum gs_status gsi_scan_run(const struct gsi_scan *scan, struct gsi_inputs *inputs,
                            struct gsi_buffers *buffers);

#endif
