/* sorter_outlet.c: what the writer is called with is pulled, or put into order (sorter_order.h). */
#include "embed/sorter.h"

#include "base/checked.h"

#include <string.h>

/* ---- the writer ---- */

static bool may_return(const struct gs_sorter *sorter)
{
    const struct gsi_outlet *outlet = &sorter->outlet;
    bool is_lent = outlet->lent_bytes > 0 && !sorter->is_closing;
    return outlet->piece == NULL || (sorter->is_stopped && !is_lent);
}

bool gsi_outlet_write(void *context, const void *data, size_t bytes, struct gs_error *error)
{
    struct gs_sorter *sorter = context;
    struct gsi_outlet *outlet = &sorter->outlet;
    pthread_mutex_lock(&sorter->lock);
    outlet->piece = data;
    outlet->bytes = bytes;
    outlet->taken = 0;
    pthread_cond_broadcast(&outlet->changed);
    while (!may_return(sorter) && outlet->way != GSI_OUTLET_ORDER)
        pthread_cond_wait(&outlet->changed, &sorter->lock);
    bool is_for_order = outlet->way == GSI_OUTLET_ORDER && !sorter->is_stopped;
    bool is_taken = outlet->piece == NULL || is_for_order;
    outlet->piece = NULL;
    pthread_mutex_unlock(&sorter->lock);
    if (is_for_order)
        return gsi_order_write(&sorter->order, data, bytes, error) == GS_OK;
    if (!is_taken)
        gsi_fail(error, GS_E_CANCELED, 0, "canceled");
    return is_taken;
}

/* ---- the program's threads ---- */

/* Ends what the last pull lent. */
static void give_back(struct gsi_outlet *outlet)
{
    outlet->taken += outlet->lent_bytes;
    outlet->lent_bytes = 0;
    if (outlet->piece == NULL || outlet->taken < outlet->bytes)
        return;
    outlet->piece = NULL;
    pthread_cond_broadcast(&outlet->changed);
}

/* Returns elements that are whole in the piece, or the one that began in the previous piece. NULL:
 * there are none left. */
static const uint8_t *next_elements(struct gs_sorter *sorter, uint64_t *bytes)
{
    struct gsi_outlet *outlet = &sorter->outlet;
    const uint8_t *at = outlet->piece + outlet->taken;
    size_t left = outlet->bytes - outlet->taken, whole = left - left % sorter->entry_bytes;
    if (outlet->split_bytes == 0 && whole > 0) {
        *bytes = outlet->lent_bytes = whole;
        return at;
    }
    size_t part = gsi_min_u64(sorter->entry_bytes - outlet->split_bytes, left);
    memcpy(outlet->split + outlet->split_bytes, at, part);
    outlet->split_bytes += (uint32_t)part;
    outlet->lent_bytes = part;
    if (outlet->split_bytes < sorter->entry_bytes) {
        give_back(outlet);
        return NULL;
    }
    outlet->split_bytes = 0;
    *bytes = sorter->entry_bytes;
    return outlet->split;
}

static enum gs_status pull(struct gs_sorter *sorter, const void **data, uint64_t *bytes,
                           struct gs_error *error)
{
    struct gsi_outlet *outlet = &sorter->outlet;
    outlet->way = GSI_OUTLET_PULL;
    give_back(outlet);
    while (*data == NULL) {
        while (outlet->piece == NULL && !sorter->is_ended)
            pthread_cond_wait(&outlet->changed, &sorter->lock);
        if (outlet->piece == NULL)
            return gsi_sorter_result(sorter, error);
        *data = next_elements(sorter, bytes);
    }
    return GS_OK;
}

static enum gs_status check(const struct gs_sorter *sorter, const char *name,
                            struct gs_error *error)
{
    if (sorter->is_ended && sorter->error.status != GS_OK)
        return gsi_sorter_result(sorter, error);
    return sorter->intake.is_finished
               ? GS_OK
               : gsi_fail(error, GS_E_USAGE, 0, "%s: call gs_sorter_finish first", name);
}

/* Until all is in order at last. */
static enum gs_status await_order(struct gs_sorter *sorter, const char *name,
                                  struct gs_error *error)
{
    struct gsi_outlet *outlet = &sorter->outlet;
    GSI_TRY(gsi_sorter_enter(sorter, error));
    enum gs_status status = check(sorter, name, error);
    if (status == GS_OK && outlet->way == GSI_OUTLET_PULL)
        status = gsi_fail(error, GS_E_USAGE, 0, "%s: must be called before gs_sorter_pull", name);
    if (status == GS_OK) {
        outlet->way = GSI_OUTLET_ORDER;
        pthread_cond_broadcast(&outlet->changed);
        while (!sorter->is_ended)
            pthread_cond_wait(&outlet->changed, &sorter->lock);
        status = gsi_sorter_result(sorter, error);
    }
    pthread_mutex_unlock(&sorter->lock);
    return status;
}

enum gs_status gs_sorter_pull(gs_sorter *sorter, const void **data, uint64_t *bytes,
                              struct gs_error *error)
{
    *data = NULL;
    *bytes = 0;
    GSI_TRY(gsi_sorter_enter(sorter, error));
    bool has_order = sorter->outlet.way == GSI_OUTLET_ORDER;
    enum gs_status status = check(sorter, "gs_sorter_pull", error);
    if (status == GS_OK && !has_order)
        status = pull(sorter, data, bytes, error);
    pthread_mutex_unlock(&sorter->lock);
    if (status != GS_OK || !has_order)
        return status;
    GSI_TRY(await_order(sorter, "gs_sorter_pull", error));
    return gsi_order_pull(&sorter->order, &sorter->order.whole, data, bytes, error);
}

enum gs_status gs_sorter_pull_part(gs_sorter *sorter, uint32_t i, uint32_t n, const void **data,
                                   uint64_t *bytes, struct gs_error *error)
{
    struct gsi_order_share *part = NULL;
    *data = NULL;
    *bytes = 0;
    GSI_TRY(await_order(sorter, "gs_sorter_pull_part", error));
    pthread_mutex_lock(&sorter->lock);
    enum gs_status status = gsi_order_share(&sorter->order, i, n, &part, error);
    pthread_mutex_unlock(&sorter->lock);
    return status == GS_OK ? gsi_order_pull(&sorter->order, part, data, bytes, error) : status;
}

enum gs_status gs_sorter_rank(gs_sorter *sorter, uint64_t rank, void *element,
                              struct gs_error *error)
{
    GSI_TRY(await_order(sorter, "gs_sorter_rank", error));
    return gsi_order_element_at(&sorter->order, rank, element, error);
}

enum gs_status gs_sorter_rank_of(gs_sorter *sorter, const void *element, uint64_t *below,
                                 uint64_t *not_above, struct gs_error *error)
{
    *below = *not_above = 0;
    GSI_TRY(await_order(sorter, "gs_sorter_rank_of", error));
    return gsi_order_rank_of(&sorter->order, element, below, not_above, error);
}
