/* journal.c: a hash before and after. */
#include "run/journal.h"

#include "io/file.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define XXH_STATIC_LINKING_ONLY /* a state on the stack */
#include <xxhash.h>

struct head {
    uint32_t type, zero;
    uint64_t bytes, hash;
};

#define HASHED_BYTES offsetof(struct head, hash)

_Static_assert(sizeof(struct head) == 24, "the head is on the disk as it is here");

bool gsi_journal_next(struct gsi_journal *journal, const uint8_t *file, uint64_t size,
                      struct gsi_journal_entry *entry)
{
    struct head head;
    uint64_t left = size - journal->end;
    if (journal->end > size || left < sizeof head)
        return false;
    const uint8_t *at = file + journal->end;
    memcpy(&head, at, sizeof head);
    if (head.bytes > left - sizeof head)
        return false;
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset_withSeed(&state, journal->chain);
    XXH3_64bits_update(&state, at, HASHED_BYTES);
    XXH3_64bits_update(&state, at + sizeof head, head.bytes);
    if (XXH3_64bits_digest(&state) != head.hash)
        return false;
    *entry = (struct gsi_journal_entry){
        .type = head.type, .data = at + sizeof head, .bytes = head.bytes};
    journal->end += sizeof head + head.bytes;
    journal->chain = head.hash;
    return true;
}

int gsi_journal_append(struct gsi_journal *journal, uint32_t type, const struct iovec *parts,
                       int count)
{
    XXH3_state_t state;
    struct head head = {.type = type};
    uint64_t off = journal->end + sizeof head;
    int refusal = 0;
    for (int i = 0; i < count; i++)
        head.bytes += parts[i].iov_len;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset_withSeed(&state, journal->chain);
    XXH3_64bits_update(&state, &head, HASHED_BYTES);
    if (ftruncate(journal->fd, (off_t)journal->end) != 0)
        return errno;
    for (int i = 0; i < count && refusal == 0; i++) {
        XXH3_64bits_update(&state, parts[i].iov_base, parts[i].iov_len);
        refusal = gsi_file_write(journal->fd, parts[i].iov_base, parts[i].iov_len, off);
        off += parts[i].iov_len;
    }
    head.hash = XXH3_64bits_digest(&state);
    if (refusal == 0)
        refusal = gsi_file_write(journal->fd, &head, sizeof head, journal->end);
    if (refusal == 0 && fdatasync(journal->fd) != 0)
        refusal = errno;
    if (refusal != 0)
        return refusal;
    journal->end = off;
    journal->chain = head.hash;
    return 0;
}
