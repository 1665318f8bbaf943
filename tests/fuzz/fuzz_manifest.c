/* fuzz_manifest.c: fuzzes the journal of --resume: entries whose checksums are right, whatever they
 * say, and files that are no journals. First byte: which; then a type of entry, and it. */
#include "fuzz/fuzz.h"

#include "io/file.h"
#include "resume/entry.h"

#include <sys/mman.h>
#include <unistd.h>

/* An entry is the head, then the arrays, one after the other: none of them ends after it. */
static void check(const struct gsi_journal_entry *raw, const struct gsi_resume_entry *entry)
{
    uint64_t at = raw->off + gsi_resume_head_bytes(raw->type), end = raw->off + raw->bytes;
    for (size_t i = 0; i < 3; i++) {
        FUZZ_CHECK(entry->arrays[i] >= at && entry->arrays[i] <= end);
        at = entry->arrays[i];
    }
}

static void decode(const struct gsi_journal_entry *raw, const uint8_t *data)
{
    struct gsi_resume_entry entry = {0};
    uint64_t head = gsi_resume_head_bytes(raw->type);
    memcpy(&entry.head, data, raw->bytes < head ? raw->bytes : head);
    if (gsi_resume_decode(raw, &entry))
        check(raw, &entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static int fd = -1;
    struct fuzz_bytes from = {data, bytes};
    struct gsi_journal_entry raw;
    bool is_entry = fuzz_take(&from, 1) & 1, is_there;
    if (is_entry) {
        raw.type = (uint32_t)fuzz_take(&from, 1);
        raw.off = 24;
        raw.bytes = from.bytes;
        decode(&raw, from.data);
        return 0;
    }
    if (fd < 0)
        fd = memfd_create("manifest", MFD_CLOEXEC);
    FUZZ_CHECK(ftruncate(fd, 0) == 0 && gsi_file_write(fd, from.data, from.bytes, 0) == 0);
    struct gsi_journal journal = {.fd = fd};
    for (;;) {
        FUZZ_CHECK(gsi_journal_next(&journal, &raw, &is_there) == 0);
        if (!is_there)
            return 0;
        FUZZ_CHECK(raw.off + raw.bytes <= from.bytes);
        decode(&raw, from.data + raw.off);
    }
}
