/* sink.h: writes windows of raw elements to the output.
 *
 * Windows of records rarely end where pages do. So the sink keeps the end of a window that does not
 * fill a page. It copies this end to before the data of the next window, and writes both together.
 * So everything but the end can be written directly. */
#ifndef GSI_SINK_H
#define GSI_SINK_H

#include "output/target.h"

struct gsi_sink {
    struct gsi_target *target;
    struct gsi_buffers *windows; /* written windows, or compressed frames, go back there */
    struct gsi_io header_io;     /* writes the header */
    uint64_t bytes;              /* handed over so far */
    uint64_t total_bytes;        /* that will be */
    uint64_t packed_bytes;       /* made of them, if the output is compressed */
    uint32_t pending;
    uint64_t started;        /* windows whose writing was started */
    uint64_t marked;         /* of these, those before the mark */
    uint32_t marked_pending; /* of these, those that are being written */
    bool is_paged;           /* records, written directly from windows of the merge */
    uint8_t rest[GSI_DIRECT_ALIGN];
    uint32_t rest_bytes;
    struct gsi_io rest_io;
    struct gsi_buffer_list waiting; /* for a stream: windows, until others are written */
};

/* gsi_sink_init: windows have at most `total_bytes` together; UINT64_MAX: not known. */
void gsi_sink_init(struct gsi_sink *sink, struct gsi_target *target, struct gsi_buffers *windows,
                   uint64_t total_bytes);

/* gsi_sink_accept: accepts the next window in output order. Its data stay until the next event, and
 * it returns to the set of windows after it was written. Windows of records may have any length;
 * other windows, but the last, are a multiple of GSI_DIRECT_ALIGN long. */
void gsi_sink_accept(struct gsi_sink *sink, struct gsi_buffer *window);

/* gsi_sink_finish: writes the rest, and the header of a file. Call it after the last window, when
 * idle.
 * gsi_sink_pump: compresses what can be compressed now. Returns whether anything moved.
 * gsi_sink_is_idle: returns whether everything so far is written. */
void gsi_sink_finish(struct gsi_sink *sink);
bool gsi_sink_pump(struct gsi_sink *sink);
bool gsi_sink_is_idle(const struct gsi_sink *sink);

/* gsi_sink_restore: continues, after init, the output of another process, which has accepted
 * `bytes`. The last of them are `rest`; the others are in the output file.
 * out   is_there: whether the file has them
 * fails GS_E_IO, GS_E_SPACE */
enum gs_status gsi_sink_restore(struct gsi_sink *sink, uint64_t bytes, const void *rest,
                                uint32_t rest_bytes, bool *is_there);

/* gsi_sink_mark: sets a mark after the last window that was taken.
 * gsi_sink_mark_is_written: returns whether the windows before the mark are written, except
 * sink->rest as it was then. Files only. */
void gsi_sink_mark(struct gsi_sink *sink);
bool gsi_sink_mark_is_written(const struct gsi_sink *sink);

/* gsi_sink_place: returns memory of the output, an array (io/array.h) or a mapped file
 * (memory_file.h), where windows can be made. All windows have `bytes` together. NULL: there is no
 * such memory, windows are not written there unchanged or aligned, or the device cannot access
 * it. */
struct gsi_output_memory gsi_sink_place(const struct gsi_target *target, uint64_t bytes);

/* gsi_sink_data_off: returns the offset of the first window in the output. */
uint64_t gsi_sink_data_off(const struct gsi_target *target);

/* gsi_sink_file_bytes: returns how many bytes the output has now, with the header. */
uint64_t gsi_sink_file_bytes(const struct gsi_sink *sink);

#endif
