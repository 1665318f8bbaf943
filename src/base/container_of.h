/* container_of.h: a member of a struct tells which struct it is in. */
#ifndef GSI_CONTAINER_OF_H
#define GSI_CONTAINER_OF_H

#include <stddef.h>
#include <stdint.h>

/* GSI_CONTAINER_OF: the `type` whose `member` is at `pointer`. */
#define GSI_CONTAINER_OF(pointer, type, member) \
    ((type *)(void *)((uint8_t *)(pointer)-offsetof(type, member)))

#endif
