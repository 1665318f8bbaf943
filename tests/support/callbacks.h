/* callbacks.h: defines a reader that returns data from memory, and a writer that stores data in
 * memory. Both use random lengths and may fail on request. */
#ifndef SUPPORT_CALLBACKS_H
#define SUPPORT_CALLBACKS_H

#include "support/support.h"

#include "gsort.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

/* Never a failure: a `fail_at` of a source or drain. */
#define NEVER SIZE_MAX

struct source {
    const uint8_t *data;
    size_t bytes, off, most; /* in one call; 0: any number */
    size_t fail_at;          /* it fails there */
    bool is_silent;          /* without saying why */
    struct test_random random;
    atomic_int inside; /* calls under way */
    bool was_shared;   /* by two at a time */
    bool has_ended;    /* said so */
    bool was_asked_on; /* after the end */
};

static inline struct source source_make(const void *data, size_t bytes, size_t most)
{
    return (struct source){.data = (const uint8_t *)data,
                           .bytes = bytes,
                           .most = most,
                           .fail_at = NEVER,
                           .random = test_random_make(most)};
}

static inline size_t piece_of(struct test_random *random, size_t most, size_t bytes)
{
    size_t piece = most == 0 ? bytes : 1 + (size_t)test_below(random, most);
    return piece < bytes ? piece : bytes;
}

static inline int64_t source_read(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct source *source = (struct source *)context;
    source->was_shared |= atomic_fetch_add(&source->inside, 1) != 0;
    source->was_asked_on |= source->has_ended || bytes == 0;
    size_t piece = piece_of(&source->random, source->most, bytes);
    if (piece > source->bytes - source->off)
        piece = source->bytes - source->off;
    int64_t moved = (int64_t)piece;
    if (source->off + piece > source->fail_at) {
        moved = -1;
        if (!source->is_silent)
            gs_fail(error, GS_E_INPUT, ENODATA, "'feed': row %zu is bad", source->fail_at);
    } else if (piece > 0) {
        memcpy(data, source->data + source->off, piece);
        source->off += piece;
    }
    source->has_ended = moved == 0;
    atomic_fetch_sub(&source->inside, 1);
    return moved;
}

struct drain {
    uint8_t *data;
    size_t bytes, room, fail_at;
    bool is_silent;
    atomic_int inside;
    bool was_shared;
};

static inline bool drain_write(void *context, const void *data, size_t bytes,
                               struct gs_error *error)
{
    struct drain *drain = (struct drain *)context;
    drain->was_shared |= atomic_fetch_add(&drain->inside, 1) != 0;
    bool is_good = drain->bytes + bytes <= drain->fail_at;
    if (!is_good && !drain->is_silent)
        gs_fail(error, GS_E_SPACE, 0, "'drain': is full");
    is_good &= bytes <= drain->room - drain->bytes;
    if (is_good) {
        memcpy(drain->data + drain->bytes, data, bytes);
        drain->bytes += bytes;
    }
    atomic_fetch_sub(&drain->inside, 1);
    return is_good;
}

static inline struct drain drain_make(void *data, size_t room)
{
    return (struct drain){.data = (uint8_t *)data, .room = room, .fail_at = NEVER};
}

/* A door that a callback waits at until somebody opens it. */
struct door {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_open;
    int waiting, opened; /* how often */
};

#define DOOR                                                                   \
    {                                                                          \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER \
    }

static inline void door_wait(struct door *door)
{
    pthread_mutex_lock(&door->lock);
    door->waiting++;
    pthread_cond_broadcast(&door->changed);
    while (!door->is_open)
        pthread_cond_wait(&door->changed, &door->lock);
    pthread_mutex_unlock(&door->lock);
}

static inline void door_open(void *context)
{
    struct door *door = (struct door *)context;
    pthread_mutex_lock(&door->lock);
    door->is_open = true;
    door->opened++;
    pthread_cond_broadcast(&door->changed);
    pthread_mutex_unlock(&door->lock);
}

/* Until somebody waits there. */
static inline void door_await(struct door *door)
{
    pthread_mutex_lock(&door->lock);
    while (door->waiting == 0)
        pthread_cond_wait(&door->changed, &door->lock);
    pthread_mutex_unlock(&door->lock);
}

#endif
