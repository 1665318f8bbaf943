/* list.h: defines first-in, first-out lists, linked through a member `next` of their elements.
 * GSI_CONTAINER_OF converts a pointer to a member into a pointer to its struct. */
#ifndef GSI_LIST_H
#define GSI_LIST_H

#include <stddef.h>
#include <stdint.h>

/* GSI_LIST: defines `struct list` of elements of a type, and the functions
 *
 *     list_init   initialises a list; `tail` points into the list, so do not copy the list
 *     list_push   appends an element
 *     list_pop    removes and returns the first element; NULL: there is none */
#define GSI_LIST(list, element)                                    \
    struct list {                                                  \
        element *head, **tail;                                     \
    };                                                             \
    static inline void list##_init(struct list *all)               \
    {                                                              \
        all->head = NULL;                                          \
        all->tail = &all->head;                                    \
    }                                                              \
    static inline void list##_push(struct list *all, element *one) \
    {                                                              \
        one->next = NULL;                                          \
        *all->tail = one;                                          \
        all->tail = &one->next;                                    \
    }                                                              \
    static inline element *list##_pop(struct list *all)            \
    {                                                              \
        element *one = all->head;                                  \
        if (one != NULL && (all->head = one->next) == NULL)        \
            all->tail = &all->head;                                \
        return one;                                                \
    }

/* GSI_CONTAINER_OF: returns the `type` whose `member` is at `pointer`. */
#define GSI_CONTAINER_OF(pointer, type, member) \
    ((type *)(void *)((uint8_t *)(pointer)-offsetof(type, member)))

#endif
