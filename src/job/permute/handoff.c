/* handoff.c: one lock, and one condition for both sides. */
#include "job/permute/handoff.h"

#include "base/checked.h"

#include <string.h>

void gsi_handoff_open(struct gsi_handoff *handoff)
{
    *handoff = (struct gsi_handoff){.bytes = 0};
    pthread_mutex_init(&handoff->lock, NULL);
    pthread_cond_init(&handoff->changed, NULL);
}

void gsi_handoff_close(struct gsi_handoff *handoff)
{
    pthread_cond_destroy(&handoff->changed);
    pthread_mutex_destroy(&handoff->lock);
}

bool gsi_handoff_write(struct gsi_handoff *handoff, const void *data, size_t bytes)
{
    pthread_mutex_lock(&handoff->lock);
    handoff->data = data;
    handoff->bytes = bytes;
    pthread_cond_signal(&handoff->changed);
    while (handoff->bytes > 0 && !handoff->is_ended)
        pthread_cond_wait(&handoff->changed, &handoff->lock);
    bool is_read = handoff->bytes == 0;
    pthread_mutex_unlock(&handoff->lock);
    return is_read;
}

size_t gsi_handoff_read(struct gsi_handoff *handoff, void *to, size_t most)
{
    pthread_mutex_lock(&handoff->lock);
    while (handoff->bytes == 0 && !handoff->is_ended)
        pthread_cond_wait(&handoff->changed, &handoff->lock);
    size_t bytes = handoff->is_ended ? 0 : gsi_min_u64(most, handoff->bytes);
    if (bytes > 0) {
        memcpy(to, handoff->data, bytes);
        handoff->data += bytes;
        handoff->bytes -= bytes;
        if (handoff->bytes == 0)
            pthread_cond_signal(&handoff->changed);
    }
    pthread_mutex_unlock(&handoff->lock);
    return bytes;
}

void gsi_handoff_end(struct gsi_handoff *handoff)
{
    pthread_mutex_lock(&handoff->lock);
    handoff->is_ended = true;
    pthread_cond_broadcast(&handoff->changed);
    pthread_mutex_unlock(&handoff->lock);
}

bool gsi_handoff_is_ended(struct gsi_handoff *handoff)
{
    pthread_mutex_lock(&handoff->lock);
    bool is_ended = handoff->is_ended;
    pthread_mutex_unlock(&handoff->lock);
    return is_ended;
}

bool gsi_handoff_is_ready(struct gsi_handoff *handoff)
{
    pthread_mutex_lock(&handoff->lock);
    bool is_ready = handoff->bytes > 0 || handoff->is_ended;
    pthread_mutex_unlock(&handoff->lock);
    return is_ready;
}
