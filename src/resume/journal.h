/* journal.h: entries, one after the other. Each is there whole or not at all, whenever the program
 * or the machine stops.
 *
 *     byte  0  type (u32)   4  zero   8  bytes that follow the head (u64)
 *          16  XXH3-64 of bytes 0 .. 15 and of what follows, seeded with that of the entry before
 *          24  what follows
 *
 * Little endian. An entry is appended once what it speaks of is on the disk, and is on the disk
 * itself before the next one is. So the journal ends where an entry cannot be read, and only what
 * entries from there on said is lost. Because of the seed, an entry left over from another journal
 * is no part of this one. */
#ifndef GSI_JOURNAL_H
#define GSI_JOURNAL_H

#include "base/status.h"

#include <sys/uio.h>

struct gsi_journal {
    int fd;         /* borrowed */
    uint64_t end;   /* where the next entry goes */
    uint64_t chain; /* hash of the last one; 0: none */
};

/* An entry's type, and where in the file the bytes are that follow its head. */
struct gsi_journal_entry {
    uint32_t type;
    uint64_t off, bytes;
};

/* gsi_journal_next: reads the entry at journal->end, and moves journal->end and chain behind it;
 * *is_there false: there is no further one. The file is read block by block, so it may have any
 * size. Returns 0, or an errno value: it cannot be read. */
int gsi_journal_next(struct gsi_journal *journal, struct gsi_journal_entry *entry, bool *is_there);

/* gsi_journal_may_be: returns in *may_be whether a file may be the rest of a new journal. A process
 * or a machine then stopped before the first entry was synced. Such a file begins with a whole
 * entry or a sector of zeros. Otherwise it begins with a head of zeros or of `first_type`,
 * and a version up to `newest`. Returns 0, or an errno value. */
int gsi_journal_may_be(int fd, uint32_t first_type, uint32_t newest, bool *may_be);

/* gsi_journal_append: appends an entry of `count` parts, one after the other, and syncs it. What
 * may be behind the end is cut off first. Returns 0, or an errno value. Any thread, one at a
 * time. */
int gsi_journal_append(struct gsi_journal *journal, uint32_t type, const struct iovec *parts,
                       int count);

#endif
