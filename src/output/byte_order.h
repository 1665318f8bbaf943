/* byte_order.h: writes numbers in another byte order than the input's (--out-order).
 *
 * The sink reverses the bytes of each number, after everything that reads elements. So the order,
 * the fingerprint, ranks, groups and splits belong to the numbers as they were read. Elements that
 * are read back are reversed again before they are checked. */
#ifndef GSI_BYTE_ORDER_H
#define GSI_BYTE_ORDER_H

#include "base/choices.h"
#include "element/layout.h"

/* gsi_byte_order_differs: returns whether numbers are written in another byte order than they are
 * read. */
bool gsi_byte_order_differs(enum gsi_byte_order order, const struct gsi_layout *layout);

/* gsi_byte_order_turn: reverses the bytes of whole elements if the byte orders differ. */
void gsi_byte_order_turn(enum gsi_byte_order order, const struct gsi_layout *layout, void *elements,
                         uint64_t bytes);

#endif
