/* layout.h: what an element is in this job: its type, direction and the map to its sort key. */
#ifndef GSI_LAYOUT_H
#define GSI_LAYOUT_H

#include "format/key_order.h"
#include "format/key_type.h"

struct gsi_layout {
    const struct gsi_key_type *type;
    bool is_reversed;
    uint32_t element_bytes; /* as read and written */
    uint32_t key_bytes;     /* as sorted; equal to element_bytes for numbers */
    struct gsi_key_map map;
};

struct gsi_layout gsi_layout_make(const struct gsi_key_type *type, bool is_reversed);

#endif
