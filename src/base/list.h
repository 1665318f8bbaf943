/* list.h: lists that are first in, first out, linked through a member `next` of what is in them. */
#ifndef GSI_LIST_H
#define GSI_LIST_H

#include <stddef.h>

/* GSI_LIST: makes `struct list` of elements of a type, and for it
 *
 *     list_init   before use: `tail` points into the list, which therefore is not copied
 *     list_push   adds an element behind the others
 *     list_pop    takes the first element out; NULL: there is none */
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

#endif
