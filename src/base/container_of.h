/* container_of.h: converts a pointer to a member into a pointer to its struct. */
#ifndef GSI_CONTAINER_OF_H
#define GSI_CONTAINER_OF_H

#include <stddef.h>
#include <stdint.h>

/* GSI_CONTAINER_OF: returns the `type` whose `member` is at `pointer`. */
#define GSI_CONTAINER_OF(pointer, type, member) \
    ((type *)(void *)((uint8_t *)(pointer)-offsetof(type, member)))

#endif
