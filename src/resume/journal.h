/* journal.h: entries, one after the other, that are there whole or not at all, whenever the
 * program or the machine stops.
 *
 *     byte  0  type (u32)   4  zero   8  bytes that follow the head (u64)
 *          16  XXH3-64 of bytes 0 .. 15 and of what follows, seeded with that of the entry before
 *          24  what follows
 *
 * Little endian. An entry is appended once what it speaks of is on the disk, and is on the disk
 * itself before the next one is. So what cannot be read is the end, and all that is lost is what
 * the entries from there on said. The seed makes an entry that was left from another journal no
 * part of this one. */
#ifndef GSI_JOURNAL_H
#define GSI_JOURNAL_H

#include "base/status.h"

#include <sys/uio.h>

struct gsi_journal {
    int fd;         /* borrowed */
    uint64_t end;   /* where the next entry goes */
    uint64_t chain; /* hash of the last one; 0: none */
};

/* Where in the file the bytes are that follow the head. */
struct gsi_journal_entry {
    uint32_t type;
    uint64_t off, bytes;
};

/* gsi_journal_next: the entry at journal->end, and journal->end and chain moved behind it;
 * *is_there false: there is no further one. The file is read piece by piece, so it may be of any
 * size. 0, or an errno value: it cannot be read. */
int gsi_journal_next(struct gsi_journal *journal, struct gsi_journal_entry *entry, bool *is_there);

/* gsi_journal_append: an entry that consists of `count` parts, one after the other; synced. What
 * may be behind the end is cut off first. 0, or an errno value; any thread, one at a time. */
int gsi_journal_append(struct gsi_journal *journal, uint32_t type, const struct iovec *parts,
                       int count);

#endif
