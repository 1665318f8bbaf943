/* key_scope.c: compares each record with the first record. */
#include "element/key_scope.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "element/record/record_tags.h"

#include <string.h>

/* So many records are compared before all others; if keys are not alike, these show it. */
#define SAMPLES 64u

/* So many keys have their first bytes made at once. */
#define BLOCK GSI_CONSTANT(256u, 16u)

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
                          size_t step, uint32_t at, uint32_t most)
{
    for (size_t i = 0; i < n && most > at; i += step)
        most = gsi_record_shared(scope->record, scope->first, elements + i * scope->record->bytes,
                                 at, most);
    return most;
}

/* Bits in which all tags agree are zero here. */
GSI_SIMD_CLONES static void join_differences(const gsi_u128 *tags, size_t n,
                                             uint64_t differences[2])
{
    const gsi_lane_u64 *words = (const gsi_lane_u64 *)(const void *)tags;
    const uint64_t low = words[0], high = words[1];
    uint64_t of_low = 0, of_high = 0;
    for (size_t i = 1; i < n; i++) {
        of_low |= words[2 * i] ^ low;
        of_high |= words[2 * i + 1] ^ high;
    }
    differences[0] = of_low;
    differences[1] = of_high;
}

/* Does the same for all elements: makes the first bytes of all keys of a block at once. */
static uint32_t shared_by_all(const struct gsi_key_scope *scope, const uint8_t *elements, size_t n,
                              uint32_t most)
{
    gsi_u128 tags[1 + BLOCK];
    uint64_t differences[2];
    gsi_record_tags(scope->record, scope->first, 1, 0, 0, tags);
    for (size_t step; n > 0 && most > 0; n -= step, elements += step * scope->record->bytes) {
        step = gsi_min_u64(n, BLOCK);
        gsi_record_tags(scope->record, elements, step, 0, 0, tags + 1);
        join_differences(tags, 1 + step, differences);
        differences[0] &= ~GSI_TAG_INDEX_MASK;
        if (differences[1] != 0)
            most = gsi_min_u32(most, (uint32_t)__builtin_clzll(differences[1]) / 8);
        else if (differences[0] != 0)
            most = gsi_min_u32(most, 8 + (uint32_t)__builtin_clzll(differences[0]) / 8);
        most = shared_by(scope, elements, step, 1, GSI_TAG_KEY_BYTES, most);
    }
    return most;
}

uint32_t gsi_key_scope_scan(struct gsi_key_scope *scope, const void *elements, size_t n)
{
    uint32_t known = gsi_key_scope_shared(scope);
    uint32_t shared = shared_by(scope, elements, n, n / SAMPLES + 1, 0, known);
    return gsi_key_scope_lower(scope, shared_by_all(scope, elements, n, shared));
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
