/* container_of.h: from a pointer to a member to the struct that holds it. */
#ifndef GSI_CONTAINER_OF_H
#define GSI_CONTAINER_OF_H

#include <stddef.h>
#include <stdint.h>

/* GSI_CONTAINER_OF: the `type` whose `member` is at `pointer`. */
#define GSI_CONTAINER_OF(pointer, type, member) \
    ((type *)(void *)((uint8_t *)(pointer)-offsetof(type, member)))

#endif
