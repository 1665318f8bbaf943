/* byte_order.c: the bytes of each number, back to front. */
#include "output/byte_order.h"

#include "base/assert.h"
#include "element/record/record.h"

#include <string.h>

static bool is_big_endian(const struct gsi_layout *layout)
{
    return layout->number != NULL && layout->record->keys[0].is_big_endian;
}

bool gsi_byte_order_differs(enum gsi_byte_order order, const struct gsi_layout *layout)
{
    bool is_big = order == GSI_ORDER_BIG;
    return order != GSI_ORDER_AS_READ && layout->element_bytes > 1 &&
           is_big != is_big_endian(layout);
}

#define TURN(bits)                                                   \
    static void turn_##bits(uint8_t *at, const uint8_t *end)         \
    {                                                                \
        for (uint##bits##_t number; at < end; at += sizeof number) { \
            memcpy(&number, at, sizeof number);                      \
            number = __builtin_bswap##bits(number);                  \
            memcpy(at, &number, sizeof number);                      \
        }                                                            \
    }
TURN(16)
TURN(32)
TURN(64)

static void turn_128(uint8_t *at, const uint8_t *end)
{
    for (uint64_t halves[2]; at < end; at += sizeof halves) {
        memcpy(halves, at, sizeof halves);
        const uint64_t turned[2] = {__builtin_bswap64(halves[1]), __builtin_bswap64(halves[0])};
        memcpy(at, turned, sizeof turned);
    }
}

void gsi_byte_order_turn(enum gsi_byte_order order, const struct gsi_layout *layout, void *elements,
                         uint64_t bytes)
{
    static void (*const turns[17])(uint8_t *, const uint8_t *) = {
        [2] = turn_16, [4] = turn_32, [8] = turn_64, [16] = turn_128};
    uint8_t *at = elements;
    if (!gsi_byte_order_differs(order, layout))
        return;
    GSI_ASSERT(bytes % layout->element_bytes == 0);
    turns[layout->element_bytes](at, at + bytes);
}
