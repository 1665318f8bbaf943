/* scan.h: reads inputs once, without sorting. A task works on each buffer. The results of all
 * buffers are joined in the order of the inputs.
 *
 *     free buffers -> source -> [device: count] -> task -> [device: digest] -> in order -> join
 *          ^                                                                                 |
 *          '---------------------------------------------------------------------------------'
 *
 * The user of a scan provides the task's function. The result of a task is called a *partial*.
 * Statistics, checks, --top and order statistics use scans. */
#ifndef GSI_SCAN_H
#define GSI_SCAN_H

#include "input/source.h"

/* Work of the device on each buffer, in addition to the task (device/device.h: reduce). */
enum gsi_scan_device {
    GSI_SCAN_NO_DEVICE,
    GSI_SCAN_COUNTS,  /* the device counts elements, before the task */
    GSI_SCAN_DIGESTS, /* the device counts keys and computes their digest, after the task has turned
                       * elements into keys */
};

struct gsi_scan {
    void *context;
    enum gsi_scan_device device;
    /* Bytes of a partial; 0: the functions get NULL. Each buffer has one partial, which is zeroed
     * once, before the scan. */
    size_t partial_bytes;
    /* place: is called first, on the owner's thread, in the order of the inputs. May be NULL.
     * begin: is called before the task, on the owner's thread, in any order. May be NULL.
     * run: the task, on any thread, in any order. NULL: no task.
     * join: is called last, on the owner's thread, in the order of the inputs; then the buffer is
     * free. If it returns false, it is called again later. May be NULL. */
    void (*place)(void *context, const struct gsi_buffer *buffer, void *partial);
    void (*begin)(void *context, struct gsi_buffer *buffer, void *partial);
    void (*run)(void *context, struct gsi_buffer *buffer, void *partial, uint32_t worker_idx);
    bool (*join)(void *context, struct gsi_buffer *buffer, void *partial);
};

/* gsi_scan_run: runs a scan in free buffers of `buffers`. When it returns, no transfer or task is
 * in progress.
 * fails GS_E_MEMORY; or with the first failure of the source, the device or a function of `scan` */
enum gs_status gsi_scan_run(const struct gsi_scan *scan, struct gsi_inputs *inputs,
                            struct gsi_buffers *buffers);

#endif
