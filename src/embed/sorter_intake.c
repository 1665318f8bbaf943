/* sorter_intake.c: pushes and reservations fill the buffers that the reader is called with. */
#include "embed/sorter.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- the reader ---- */

/* Returns whether the reader may return. It waits for lent memory, unless the program gave it
 * up. */
static bool is_room_done(const struct gs_sorter *sorter)
{
    const struct gsi_intake *intake = &sorter->intake;
    if (sorter->is_stopped)
        return intake->copying == 0 && intake->lent == 0;
    return intake->filled_bytes == intake->room_bytes ||
           (intake->is_finished &&
            intake->room_off + intake->filled_bytes == intake->claimed_bytes);
}

int64_t gsi_intake_read(void *context, void *data, size_t bytes, struct gs_error *error)
{
    struct gs_sorter *sorter = context;
    struct gsi_intake *intake = &sorter->intake;
    pthread_mutex_lock(&sorter->lock);
    sorter->has_begun = true;
    intake->room = data;
    intake->room_bytes = bytes;
    intake->filled_bytes = 0;
    pthread_cond_broadcast(&intake->has_room);
    while (!is_room_done(sorter))
        pthread_cond_wait(&intake->is_filled, &sorter->lock);
    int64_t filled = (int64_t)intake->filled_bytes;
    intake->room = NULL;
    intake->room_off += intake->filled_bytes;
    if (sorter->is_stopped) {
        gsi_fail(error, GS_E_CANCELED, 0, "canceled");
        filled = -1;
    }
    pthread_mutex_unlock(&sorter->lock);
    return filled;
}

/* ---- the program's threads; all with the lock ---- */

static bool has_room_at(const struct gs_sorter *sorter, uint64_t off)
{
    const struct gsi_intake *intake = &sorter->intake;
    return intake->room != NULL && !sorter->is_stopped &&
           off < intake->room_off + intake->room_bytes;
}

/* Waits for the buffer that holds byte `off` of the stream. A sort that ended without failure needs
 * no more (--top 0): further elements are accepted and dropped. */
static enum gs_status await_room(struct gs_sorter *sorter, uint64_t off, struct gs_error *error)
{
    while (!has_room_at(sorter, off) && !sorter->is_ended) {
        if (sorter->is_stopped && sorter->intake.lends != NULL)
            return gsi_sorter_result(sorter, error);
        pthread_cond_wait(&sorter->intake.has_room, &sorter->lock);
    }
    return sorter->is_ended ? gsi_sorter_result(sorter, error) : GS_OK;
}

static void fill(struct gs_sorter *sorter, uint64_t bytes)
{
    sorter->intake.filled_bytes += bytes;
    if (is_room_done(sorter))
        pthread_cond_signal(&sorter->intake.is_filled);
}

/* Copies bytes to their place in the stream, which is [off, off + bytes). */
static enum gs_status copy_in(struct gs_sorter *sorter, const uint8_t *data, uint64_t off,
                              uint64_t bytes, struct gs_error *error)
{
    struct gsi_intake *intake = &sorter->intake;
    while (bytes > 0) {
        GSI_TRY(await_room(sorter, off, error));
        if (sorter->is_ended)
            return GS_OK;
        uint64_t at = off - intake->room_off;
        uint64_t piece = gsi_min_u64(bytes, intake->room_bytes - at);
        uint8_t *room = intake->room + at;
        intake->copying++;
        pthread_mutex_unlock(&sorter->lock);
        memcpy(room, data, piece);
        pthread_mutex_lock(&sorter->lock);
        intake->copying--;
        fill(sorter, piece);
        data += piece;
        off += piece;
        bytes -= piece;
    }
    return GS_OK;
}

static enum gs_status fail_finished(const char *name, struct gs_error *error)
{
    return gsi_fail(error, GS_E_USAGE, 0, "%s: must be called before gs_sorter_finish", name);
}

static enum gs_status check(const struct gs_sorter *sorter, const char *name, uint64_t bytes,
                            struct gs_error *error)
{
    if (sorter->is_ended && sorter->error.status != GS_OK)
        return gsi_sorter_result(sorter, error);
    if (sorter->intake.is_finished)
        return fail_finished(name, error);
    if (bytes % sorter->element_bytes != 0)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "%s: %llu bytes are not a multiple of the element size, %u bytes", name,
                        (unsigned long long)bytes, sorter->element_bytes);
    return GS_OK;
}

enum gs_status gs_sorter_push(gs_sorter *sorter, const void *data, uint64_t bytes,
                              struct gs_error *error)
{
    GSI_TRY(gsi_sorter_enter(sorter, error));
    enum gs_status status = check(sorter, "gs_sorter_push", bytes, error);
    if (status == GS_OK) {
        uint64_t off = sorter->intake.claimed_bytes;
        sorter->intake.claimed_bytes += bytes;
        status = copy_in(sorter, data, off, bytes, error);
    }
    pthread_mutex_unlock(&sorter->lock);
    return status;
}

/* ---- reservations ---- */

/* At the next place of the stream: as much as there is in the buffer, or one element apart. */
static enum gs_status lend(struct gs_sorter *sorter, uint64_t bytes, struct gsi_lend **out,
                           struct gs_error *error)
{
    struct gsi_intake *intake = &sorter->intake;
    uint64_t element = sorter->element_bytes, off, left = 0;
    do {
        off = intake->claimed_bytes; /* others may claim while this one waits */
        GSI_TRY(await_room(sorter, off, error));
    } while (off != intake->claimed_bytes);
    if (intake->is_finished) /* while this one waited */
        return fail_finished("gs_sorter_reserve", error);
    if (!sorter->is_ended)
        left = gsi_min_u64(bytes, intake->room_off + intake->room_bytes - off) / element * element;
    bool is_apart = left == 0;
    struct gsi_lend *one = malloc(sizeof *one + (is_apart ? element : 0));
    if (one == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a reservation");
    *one = (struct gsi_lend){.next = intake->lends,
                             .data = is_apart ? (uint8_t *)(one + 1)
                                              : intake->room + (off - intake->room_off),
                             .off = off,
                             .bytes = is_apart ? element : left,
                             .is_apart = is_apart};
    intake->lends = one;
    intake->claimed_bytes += one->bytes;
    intake->lent += !is_apart;
    *out = one;
    return GS_OK;
}

enum gs_status gs_sorter_reserve(gs_sorter *sorter, uint64_t bytes, void **data, uint64_t *reserved,
                                 struct gs_error *error)
{
    struct gsi_lend *one = NULL;
    *data = NULL;
    *reserved = 0;
    GSI_TRY(gsi_sorter_enter(sorter, error));
    uint64_t whole = bytes - bytes % sorter->element_bytes;
    enum gs_status status = check(sorter, "gs_sorter_reserve", whole, error);
    if (status == GS_OK && whole == 0)
        status = gsi_fail(error, GS_E_USAGE, 0,
                          "gs_sorter_reserve: %llu bytes are too few for an element of %u",
                          (unsigned long long)bytes, sorter->element_bytes);
    if (status == GS_OK)
        status = lend(sorter, whole, &one, error);
    pthread_mutex_unlock(&sorter->lock);
    if (one != NULL) {
        *data = one->data;
        *reserved = one->bytes;
    }
    return status;
}

/* Returns the unused end of a reservation to the stream, if nothing was claimed after it. */
static enum gs_status shorten(struct gs_sorter *sorter, struct gsi_lend *one, uint64_t bytes,
                              struct gs_error *error)
{
    if (bytes == one->bytes)
        return GS_OK;
    if (bytes > one->bytes || sorter->intake.claimed_bytes != one->off + one->bytes)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "gs_sorter_commit: %llu bytes instead of the %llu reserved; committing "
                        "fewer is possible only before the next push or reservation",
                        (unsigned long long)bytes, (unsigned long long)one->bytes);
    sorter->intake.claimed_bytes -= one->bytes - bytes;
    return GS_OK;
}

static enum gs_status commit(struct gs_sorter *sorter, const uint8_t *data, uint64_t bytes,
                             struct gs_error *error)
{
    struct gsi_intake *intake = &sorter->intake;
    struct gsi_lend **at = &intake->lends;
    while (*at != NULL && (*at)->data != data)
        at = &(*at)->next;
    struct gsi_lend *one = *at;
    if (one == NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "gs_sorter_commit: the pointer is not a reservation");
    if (bytes % sorter->element_bytes != 0)
        return check(sorter, "gs_sorter_commit", bytes, error);
    GSI_TRY(shorten(sorter, one, bytes, error));
    *at = one->next;
    enum gs_status status = GS_OK;
    if (one->is_apart) {
        status = copy_in(sorter, one->data, one->off, bytes, error);
    } else {
        intake->lent--;
        fill(sorter, bytes);
        if (sorter->is_stopped)
            status = await_room(sorter, one->off, error); /* and fails as it did */
    }
    free(one);
    return status;
}

enum gs_status gs_sorter_commit(gs_sorter *sorter, void *data, uint64_t bytes,
                                struct gs_error *error)
{
    GSI_TRY(gsi_sorter_enter(sorter, error));
    enum gs_status status = commit(sorter, data, bytes, error);
    pthread_mutex_unlock(&sorter->lock);
    return status;
}

void gsi_intake_forget(struct gs_sorter *sorter)
{
    struct gsi_intake *intake = &sorter->intake;
    while (intake->lends != NULL) {
        struct gsi_lend *one = intake->lends;
        intake->lends = one->next;
        free(one);
    }
    intake->lent = 0;
}

enum gs_status gs_sorter_finish(gs_sorter *sorter, struct gs_error *error)
{
    GSI_TRY(gsi_sorter_enter(sorter, error));
    enum gs_status status = GS_OK;
    if (sorter->intake.lends != NULL)
        status =
            gsi_fail(error, GS_E_USAGE, 0, "gs_sorter_finish: a reservation was not committed");
    else if (sorter->is_ended)
        status = gsi_sorter_result(sorter, error);
    if (status == GS_OK) {
        sorter->intake.is_finished = true;
        pthread_cond_signal(&sorter->intake.is_filled);
    }
    pthread_mutex_unlock(&sorter->lock);
    return status;
}
