/* journal.c: reads and appends entries, which are chained by their hashes. */
#include "resume/journal.h"

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

/* The content of an entry is read in blocks of this size to compute its hash. */
#define BLOCK_BYTES 16384u

/* A disk writes a sector whole or not at all. */
#define SECTOR_BYTES 512u

/* Hashes `bytes` from `off` on. *is_whole is false if the file ends before. */
static int hash_file(XXH3_state_t *state, int fd, uint64_t off, uint64_t bytes, bool *is_whole)
{
    uint8_t block[BLOCK_BYTES];
    *is_whole = true;
    while (bytes > 0 && *is_whole) {
        uint64_t wanted = bytes < sizeof block ? bytes : sizeof block;
        int64_t moved = gsi_file_read(fd, block, wanted, off);
        if (moved < 0)
            return errno;
        XXH3_64bits_update(state, block, (size_t)moved);
        *is_whole = (uint64_t)moved == wanted;
        off += wanted;
        bytes -= wanted;
    }
    return 0;
}

int gsi_journal_next(struct gsi_journal *journal, struct gsi_journal_entry *entry, bool *is_there)
{
    struct head head;
    XXH3_state_t state;
    uint64_t off = journal->end + sizeof head;
    int64_t moved = gsi_file_read(journal->fd, &head, sizeof head, journal->end);
    *is_there = moved == (int64_t)sizeof head && head.bytes <= INT64_MAX - off;
    if (!*is_there)
        return moved < 0 ? errno : 0;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset_withSeed(&state, journal->chain);
    XXH3_64bits_update(&state, &head, HASHED_BYTES);
    int refusal = hash_file(&state, journal->fd, off, head.bytes, is_there);
    *is_there = refusal == 0 && *is_there && XXH3_64bits_digest(&state) == head.hash;
    if (!*is_there)
        return refusal;
    *entry = (struct gsi_journal_entry){.type = head.type, .off = off, .bytes = head.bytes};
    journal->end = off + head.bytes;
    journal->chain = head.hash;
    return 0;
}

int gsi_journal_may_be(int fd, uint32_t first_type, uint32_t newest, bool *may_be)
{
    static const uint8_t zeros[SECTOR_BYTES];
    uint8_t sector[SECTOR_BYTES] = {0};
    struct head head;
    uint32_t version;
    struct gsi_journal journal = {.fd = fd};
    struct gsi_journal_entry entry;
    int64_t moved = gsi_file_read(fd, sector, sizeof sector, 0);
    if (moved < 0)
        return errno;
    memcpy(&head, sector, sizeof head);
    memcpy(&version, sector + sizeof head, sizeof version);
    /* The head is written last, but a power failure may keep it and lose the rest. */
    bool is_head =
        memcmp(&head, zeros, sizeof head) == 0 || (head.type == first_type && head.zero == 0);
    *may_be =
        memcmp(sector, zeros, sizeof sector) == 0 || (is_head && version > 0 && version <= newest);
    return *may_be ? 0 : gsi_journal_next(&journal, &entry, may_be);
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
