/* fuzz_manifest.c: the record that --resume goes on from: entries whose checksums are right,
 * whatever they say; and files that are none. First byte: which; then a type of entry, and it. */
#include "fuzz/fuzz.h"

#include "sort/resume_entry.h"

/* The arrays are as long as the head says: read them to their ends. */
static uint64_t touch(const struct gsi_resume_entry *entry, const uint8_t *end)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < 3; i++)
        FUZZ_CHECK(entry->parts[i] <= end);
    for (const uint8_t *at = entry->parts[0]; at < end; at++)
        sum += *at;
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz_bytes from = {data, bytes};
    struct gsi_resume_entry entry;
    struct gsi_journal_entry raw;
    struct gsi_journal journal = {.fd = -1};
    bool is_entry = fuzz_take(&from, 1) & 1;
    volatile uint64_t seen = 0;
    if (is_entry) {
        raw.type = (uint32_t)fuzz_take(&from, 1);
        raw.data = from.data;
        raw.bytes = from.bytes;
        if (gsi_resume_decode(&raw, &entry))
            seen = touch(&entry, from.data + from.bytes);
        return 0;
    }
    while (gsi_journal_next(&journal, from.data, from.bytes, &raw)) {
        FUZZ_CHECK(raw.data + raw.bytes <= from.data + from.bytes);
        if (gsi_resume_decode(&raw, &entry))
            seen += touch(&entry, raw.data + raw.bytes);
    }
    (void)seen;
    return 0;
}
