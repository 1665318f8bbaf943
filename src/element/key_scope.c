/* key_scope.c: compares the bytes that all keys share with those of more keys. */
#include "element/key_scope.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"

#include <string.h>

/* So many keys are compared at once. */
#define BLOCK GSI_CONSTANT(256u, 16u)

enum gs_status gsi_key_scope_open(struct gsi_key_scope *scope, const struct gsi_record *record,
                                  struct gsi_ledger *ledger, struct gs_error *error)
{
    *scope = (struct gsi_key_scope){.record = record};
    atomic_init(&scope->choice, ((struct gsi_tag_choice){record->key_bytes, 0}));
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

/* Returns the choice from the bytes of two choices. */
static struct gsi_tag_choice join(struct gsi_tag_choice a, struct gsi_tag_choice b)
{
    const uint32_t at = gsi_min_u32(a.at, b.at);
    const uint64_t x = a.at - at < GSI_CHOICE_BITS ? (uint64_t)a.bits << (a.at - at) : 0;
    const uint64_t y = b.at - at < GSI_CHOICE_BITS ? (uint64_t)b.bits << (b.at - at) : 0;
    return (struct gsi_tag_choice){at, (uint32_t)(x | y)};
}

/* Adds those of the `tested` bytes in which any of up to BLOCK records differs from the first
 * one. */
static struct gsi_tag_choice test(const struct gsi_key_scope *scope, const uint8_t *elements,
                                  size_t n, struct gsi_tag_choice tested,
                                  struct gsi_tag_choice choice)
{
    gsi_u128 tags[1 + BLOCK];
    uint64_t differences[2];
    uint32_t places[GSI_TAG_KEY_BYTES];
    gsi_record_tags(scope->record, scope->first, 1, tested, 0, tags);
    gsi_record_tags(scope->record, elements, n, tested, 0, tags + 1);
    join_differences(tags, 1 + n, differences);
    gsi_tag_choice_places(tested, places);
    for (uint32_t i = 0; i < GSI_TAG_KEY_BYTES; i++)
        if ((differences[i < 8] >> (56 - 8 * (i % 8)) & 0xff) != 0)
            choice = join(choice, (struct gsi_tag_choice){places[i], 1});
    return choice;
}

/* Tests the bytes before the choice, then those between its bytes, ten at a time. The bytes after
 * the first ten are tested record by record, because few keys share so many. */
static struct gsi_tag_choice scan_block(const struct gsi_key_scope *scope, const uint8_t *elements,
                                        size_t n, struct gsi_tag_choice choice)
{
    const struct gsi_record *record = scope->record;
    if (choice.at > 0)
        choice = test(scope, elements, n, gsi_tag_choice_from(0), choice);
    for (size_t i = 0; i < n && choice.at > GSI_TAG_KEY_BYTES; i++) {
        uint32_t shared = gsi_record_shared(record, scope->first, elements + i * record->bytes,
                                            GSI_TAG_KEY_BYTES, choice.at);
        choice = join(choice, (struct gsi_tag_choice){shared, 1});
    }
    for (uint32_t untested = UINT32_MAX;;) {
        const uint32_t end = gsi_min_u32(gsi_tag_choice_end(choice), record->key_bytes);
        const uint32_t span = gsi_min_u32(end - choice.at, GSI_CHOICE_BITS);
        untested &= ~choice.bits & (uint32_t)(((uint64_t)1 << span) - 1);
        if (untested == 0)
            return choice;
        choice = test(scope, elements, n, (struct gsi_tag_choice){choice.at, untested}, choice);
        for (uint32_t i = 0; i < GSI_TAG_KEY_BYTES; i++)
            untested &= untested - 1;
    }
}

/* Returns the new choice. */
static struct gsi_tag_choice add(struct gsi_key_scope *scope, struct gsi_tag_choice choice)
{
    struct gsi_tag_choice known = gsi_key_scope_choice(scope);
    while (!atomic_compare_exchange_weak(&scope->choice, &known, join(known, choice)))
        ;
    return join(known, choice);
}

/* Backwards, because the last records of data that are nearly in order differ most from the first
 * one. */
struct gsi_tag_choice gsi_key_scope_scan(struct gsi_key_scope *scope, const void *elements,
                                         size_t n)
{
    struct gsi_tag_choice choice = gsi_key_scope_choice(scope);
    for (size_t end = n, step; end > 0; end -= step) {
        step = gsi_min_u64(end, BLOCK);
        choice = scan_block(scope, (const uint8_t *)elements + (end - step) * scope->record->bytes,
                            step, choice);
    }
    return add(scope, choice);
}

void gsi_key_scope_lower(struct gsi_key_scope *scope, uint32_t shared)
{
    add(scope, gsi_tag_choice_from(shared));
}

void gsi_key_scope_forget(struct gsi_key_scope *scope)
{
    gsi_key_scope_lower(scope, 0);
}

struct gsi_tag_choice gsi_key_scope_choice(const struct gsi_key_scope *scope)
{
    return atomic_load_explicit(&scope->choice, memory_order_relaxed);
}

uint32_t gsi_key_scope_shared(const struct gsi_key_scope *scope)
{
    return gsi_key_scope_choice(scope).at;
}
