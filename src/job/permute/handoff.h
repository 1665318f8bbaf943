/* handoff.h: passes bytes from one thread to another without a buffer of its own: the writer waits
 * until the reader has copied all of its bytes.
 *
 *     writer   write(a b c d) .......... returns     write(e f) ...
 *     reader              read(2): a b   read(2): c d            read(4): e f
 */
#ifndef GSI_HANDOFF_H
#define GSI_HANDOFF_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gsi_handoff {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const uint8_t *data; /* of the writer, */
    size_t bytes;        /* that are not copied yet */
    bool is_ended;       /* nothing follows */
};

void gsi_handoff_open(struct gsi_handoff *handoff);
void gsi_handoff_close(struct gsi_handoff *handoff); /* no thread uses it any more */

/* gsi_handoff_write: waits until all bytes are read. Returns false if it was ended before that.
 * gsi_handoff_read: waits for bytes, and copies at most `most`. Returns how many; 0: it has ended.
 * gsi_handoff_end: ends it, from either side: calls that wait return. Data of a writer that waits
 * are lost.
 * gsi_handoff_is_ended: returns whether it was ended.
 * gsi_handoff_is_ready: returns whether a read would not wait. */
bool gsi_handoff_write(struct gsi_handoff *handoff, const void *data, size_t bytes);
size_t gsi_handoff_read(struct gsi_handoff *handoff, void *to, size_t most);
void gsi_handoff_end(struct gsi_handoff *handoff);
bool gsi_handoff_is_ended(struct gsi_handoff *handoff);
bool gsi_handoff_is_ready(struct gsi_handoff *handoff);

#endif
