/* run_list.c: implements the list of runs as a table that doubles when it is full. */
#include "loop/run_list.h"

#include <string.h>

static void free_spilled(struct gsi_run_list *list, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        if (gsi_run_is_spilled(&list->entries[i]))
            gsi_spilled_run_clear(list->ledger, &list->entries[i].spilled);
}

void gsi_run_list_clear(struct gsi_run_list *list)
{
    free_spilled(list, 0, list->count);
    GSI_FREE(list->ledger, list->entries, list->capacity);
    *list = (struct gsi_run_list){0};
}

enum gs_status gsi_run_list_reserve(struct gsi_run_list *list, struct gs_error *error)
{
    if (list->count < list->capacity)
        return GS_OK;
    uint32_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
    struct gsi_run_entry *entries;
    GSI_TRY(GSI_NEW(list->ledger, entries, capacity, error));
    if (list->count > 0)
        memcpy(entries, list->entries, list->count * sizeof *list->entries);
    GSI_FREE(list->ledger, list->entries, list->capacity);
    list->entries = entries;
    list->capacity = capacity;
    return GS_OK;
}

enum gs_status gsi_run_list_append(struct gsi_run_list *list, const struct gsi_run_entry *entry,
                                   struct gs_error *error)
{
    enum gs_status status = gsi_run_list_reserve(list, error);
    if (status == GS_OK)
        list->entries[list->count++] = *entry;
    return status;
}

void gsi_run_list_replace(struct gsi_run_list *list, uint32_t first, uint32_t count,
                          const struct gsi_spilled_run *merged)
{
    free_spilled(list, first, count);
    list->entries[first] =
        (struct gsi_run_entry){.key_count = merged->key_count, .spilled = *merged};
    memmove(&list->entries[first + 1], &list->entries[first + count],
            (list->count - first - count) * sizeof *list->entries);
    list->count -= count - 1;
}

void gsi_run_list_remove(struct gsi_run_list *list, uint32_t idx)
{
    list->count--;
    memmove(&list->entries[idx], &list->entries[idx + 1],
            (list->count - idx) * sizeof *list->entries);
}

void gsi_run_list_remove_empty(struct gsi_run_list *list)
{
    uint32_t new_count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        struct gsi_run_entry *entry = &list->entries[i];
        if (gsi_run_is_spilled(entry) && entry->key_count == 0)
            gsi_spilled_run_clear(list->ledger, &entry->spilled);
        else
            list->entries[new_count++] = *entry;
    }
    list->count = new_count;
}

uint64_t gsi_run_first_frame(const struct gsi_run_entry *entry, uint32_t *written)
{
    const struct gsi_spilled_run *run = &entry->spilled;
    uint64_t left = entry->written_count, idx = 0;
    while (left > 0 && idx + 1 < run->frame_count && left >= run->frames[idx].count)
        left -= run->frames[idx++].count;
    *written = (uint32_t)left;
    return idx;
}

uint64_t gsi_run_list_count_keys(const struct gsi_run_list *list, uint32_t first, uint32_t count)
{
    uint64_t keys = 0;
    for (uint32_t i = first; i < first + count; i++) {
        if (list->entries[i].key_count == UINT64_MAX)
            return UINT64_MAX;
        keys += list->entries[i].key_count;
    }
    return keys;
}

uint32_t gsi_run_list_fed_count(const struct gsi_run_list *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        count += list->entries[i].resident == NULL;
    return count;
}
