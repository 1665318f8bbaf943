/* faults.h: makes calls fail on demand. In gsort-faults, the linker (--wrap) replaces calls of the
 * C library and of liburing by the functions of this folder. The sources of gsort do not know of
 * it.
 *
 *     GSORT_FAULTS=KIND:N      the N-th call of that kind fails, from 1 on
 *     GSORT_FAULTS=KIND:N+     that one and all after it
 *     GSORT_FAULTS=KIND:N=SIG  before the N-th call the process gets the signal of that number
 *     GSORT_FAULTS=KIND:N+=SIG before that one and all after it
 *     GSORT_FAULTS=ONE,OTHER   both
 *     GSORT_FAULTS_REPORT=FILE at exit: a line "fired COUNT", then for each kind "KIND CALLS"
 *
 * A process that exits with more open descriptors than at its start prints that, and its exit code
 * is 97. Calls inside libraries are not counted, nor are calls on event descriptors, which cannot
 * fail. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Enum name, its name outside, what a call of that kind then does. */
#define FAULT_LIST(X)                                                                     \
    X(FAULT_MEMORY, "memory")         /* malloc and its kin, mmap: ENOMEM */              \
    X(FAULT_OPEN, "open")             /* open, dup, eventfd: EMFILE */                    \
    X(FAULT_ASK, "ask")               /* stat and its kin, lseek, realpath: EIO */        \
    X(FAULT_ADVICE, "advice")         /* madvise, punched holes, pipe sizes: EINVAL */    \
    X(FAULT_SPACE, "space")           /* fallocate, ftruncate: ENOSPC */                  \
    X(FAULT_READ, "read")             /* EIO */                                           \
    X(FAULT_WRITE, "write")           /* EIO */                                           \
    X(FAULT_FULL, "full")             /* writes: ENOSPC */                                \
    X(FAULT_SYNC, "sync")             /* fsync: EIO */                                    \
    X(FAULT_PLACE, "place")           /* linkat, renameat, fchmod, fchown: EPERM */       \
    X(FAULT_RING, "ring")             /* io_uring: set up EPERM, submit EAGAIN */         \
    X(FAULT_THREAD, "thread")         /* pthread_create: EAGAIN */                        \
    X(FAULT_SHORT_READ, "short-read") /* half of it, or one byte */                       \
    X(FAULT_SHORT_WRITE, "short-write")                                                   \
    X(FAULT_EMPTY_READ, "empty-read")   /* nothing, in the middle of a file */            \
    X(FAULT_EMPTY_WRITE, "empty-write") /* nothing, and no reason */                      \
    X(FAULT_AGAIN, "again")             /* EINTR, ECANCELED: nothing moved */             \
    X(FAULT_REFUSED, "refused")         /* O_TMPFILE, O_DIRECT (also later), fallocate */ \
    X(FAULT_LATE, "late")               /* the result arrives after later ones */

enum fault_kind {
#define FAULT_ENUM(kind, name) kind,
    FAULT_LIST(FAULT_ENUM)
#undef FAULT_ENUM
        FAULT_COUNT
};

/* fault_now: count one call of `kind`; whether it is to fail. Any thread. */
bool fault_now(enum fault_kind kind);

/* Returns whether a descriptor does direct I/O now. */
bool fault_is_direct(int fd);

/* How much a short transfer of `bytes` on `fd` moves: `bytes` if it cannot be short, because it is
 * a direct one of one block. */
size_t fault_short_bytes(int fd, size_t bytes);

/* An event descriptor: reads and writes on it are not counted. Owner's thread. */
void fault_note_event(int fd);
bool fault_is_event(int fd);

#endif
