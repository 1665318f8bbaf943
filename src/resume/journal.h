/* journal.h: appends entries to a file and reads them. Each entry is there whole or not at all,
 * whenever the program or the machine stops.
 *
 *     byte  0  type (u32)   4  zero   8  bytes of the content (u64)
 *          16  XXH3-64 of bytes 0 .. 15 and of the content, seeded with the previous entry's
 *          24  content
 *
 * Little endian. An entry is appended after the data that it describes are on the disk. It is
 * synced before the next one is appended. So the journal ends at the first entry that cannot be
 * read, and a stop loses only entries from there on. The seed excludes entries that are left over
 * from another journal. */
#ifndef GSI_JOURNAL_H
#define GSI_JOURNAL_H

#include "base/status.h"

#include <sys/uio.h>

struct gsi_journal {
    int fd;         /* borrowed */
    uint64_t end;   /* where the next entry goes */
    uint64_t chain; /* hash of the last entry; 0: none */
};

/* An entry's type, and the place of its content in the file. */
struct gsi_journal_entry {
    uint32_t type;
    uint64_t off, bytes;
};

/* gsi_journal_next: reads the entry at journal->end, and moves journal->end and chain past it.
 * *is_there is false if no whole entry follows. The file is read block by block, so it may have any
 * size. Returns 0, or an errno value if the file cannot be read. */
int gsi_journal_next(struct gsi_journal *journal, struct gsi_journal_entry *entry, bool *is_there);

/* gsi_journal_may_be: returns in *may_be whether a file may be the rest of a new journal. A process
 * or a machine then stopped before the first entry was synced. Such a file begins with a whole
 * entry or a sector of zeros. Otherwise it begins with a head of zeros or of `first_type`,
 * and a version up to `newest`. Returns 0, or an errno value. */
int gsi_journal_may_be(int fd, uint32_t first_type, uint32_t newest, bool *may_be);

/* gsi_journal_append: cuts the file at journal->end, appends an entry of `count` parts, and syncs
 * it. Returns 0, or an errno value. Any thread, one at a time. */
int gsi_journal_append(struct gsi_journal *journal, uint32_t type, const struct iovec *parts,
                       int count);

#endif
