/* scan.h: reads some inputs once. A task works on each buffer, and its result is joined to those of
 * the buffers before it, in the order of the inputs.
 *
 *     free buffers -> source -> [device: count] -> task -> [device: digest] -> in order -> join
 *          ^                                                                                 |
 *          '---------------------------------------------------------------------------------'
 *
 * The user says what the task does. Its result for one buffer is a *partial*, which has memory of
 * its own. Statistics, checks, the first elements and order statistics use scans. */
#ifndef GSI_SCAN_H
#define GSI_SCAN_H

#include "input/source.h"

/* The work of the device on a buffer, in addition to the task (device/device.h: reduce). */
enum gsi_scan_device {
    GSI_SCAN_NO_DEVICE,
    GSI_SCAN_COUNTS,  /* adds to its tally, before the task */
    GSI_SCAN_DIGESTS, /* adds to its tally and makes a digest, after the task, which turns
                          elements into keys */
};

struct gsi_scan {
    void *context;
    enum gsi_scan_device device;
    /* Bytes of a partial; 0: none, and the calls get NULL. A buffer keeps its partial: it is zeroed
     * before the scan, and not between two uses. */
    size_t partial_bytes;
    /* place: on the owner's thread, before all else, in the order of the inputs. NULL: nothing to
     * do.
     * begin: on the owner's thread, before the task. The device may have changed the order. NULL:
     * nothing to do.
     * run: the task, on any thread and in any order. NULL: there is none.
     * join: on the owner's thread, in the order of the inputs; then the buffer is free. Returns
     * false if it cannot be joined now: the call is repeated after the next event. NULL: nothing is
     * joined. */
    void (*place)(void *context, const struct gsi_buffer *buffer, void *partial);
    void (*begin)(void *context, struct gsi_buffer *buffer, void *partial);
    void (*run)(void *context, struct gsi_buffer *buffer, void *partial, uint32_t worker_idx);
    bool (*join)(void *context, struct gsi_buffer *buffer, void *partial);
};

/* gsi_scan_run: reads into free buffers of `buffers`, until everything is joined. Then, and after a
 * failure, nothing is in flight.
 * fails GS_E_MEMORY; or as the source, the device or a call of `scan` did first */
enum gs_status gsi_scan_run(const struct gsi_scan *scan, struct gsi_inputs *inputs,
                            struct gsi_buffers *buffers);

#endif
