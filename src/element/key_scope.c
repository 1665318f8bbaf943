/* key_scope.c: comparison with the first record. */
#include "element/key_scope.h"

#include "base/checked.h"

#include <string.h>

/* Records that are looked at before all others are: where keys are not alike, these show it. */
#define SAMPLES 64u

enum gs_status gsi_key_scope_open(struct gsi_key_scope *scope, const struct gsi_record *record,
                                  struct gsi_ledger *ledger, struct gs_error *error)
{
    *scope = (struct gsi_key_scope){.record = record, .shared = record->key_bytes};
    return GSI_NEW(ledger, scope->first, record->bytes, error);
}

void gsi_key_scope_close(struct gsi_key_scope *scope, struct gsi_ledger *ledger)
{
    if (scope->first != NULL)
        GSI_FREE(ledger, scope->first, scope->record->bytes);
    scope->first = NULL;
}

void gsi_key_scope_begin(struct gsi_key_scope *scope, const void *element)
{
    if (scope->has_first)
        return;
    memcpy(scope->first, element, scope->record->bytes);
    scope->has_first = true;
}

void gsi_key_scope_forget(struct gsi_key_scope *scope)
{
    atomic_store_explicit(&scope->shared, 0, memory_order_relaxed);
}

static uint32_t shared_by(const struct gsi_key_scope *scope, const uint8_t *elements, size_t n,
                          size_t step, uint32_t most)
{
    for (size_t i = 0; i < n && most > 0; i += step)
        most = gsi_record_shared(scope->record, scope->first, elements + i * scope->record->bytes,
                                 0, most);
    return most;
}

uint32_t gsi_key_scope_take(struct gsi_key_scope *scope, const void *elements, size_t n)
{
    uint32_t known = gsi_key_scope_shared(scope);
    uint32_t shared = shared_by(scope, elements, n, n / SAMPLES + 1, known);
    return gsi_key_scope_lower(scope, shared_by(scope, elements, n, 1, shared));
}

uint32_t gsi_key_scope_lower(struct gsi_key_scope *scope, uint32_t shared)
{
    uint32_t known = gsi_key_scope_shared(scope);
    while (shared < known && !atomic_compare_exchange_weak(&scope->shared, &known, shared))
        ;
    return (uint32_t)gsi_min_u64(shared, known);
}

uint32_t gsi_key_scope_shared(const struct gsi_key_scope *scope)
{
    return atomic_load_explicit(&scope->shared, memory_order_relaxed);
}
