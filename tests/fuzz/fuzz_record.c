/* fuzz_record.c: fuzzes keys of records, one key per line: "OFF:TYPE[:desc]". The first byte is the
 * record's length, the second says whether all is reversed. Accepted keys compare records in a
 * total order that agrees with the normalised key. */
#include "fuzz/fuzz.h"

#include "element/record/record.h"

#define KEYS_MAX 70

static void check_order(const struct gsi_record *record)
{
    uint8_t a[256], b[256], key_a[64], key_b[64];
    for (uint32_t i = 0; i < record->bytes; i++) {
        a[i] = (uint8_t)(i * 37);
        b[i] = i % 5 == 0 ? 0xff : a[i];
    }
    uint32_t n = record->key_bytes < sizeof key_a ? record->key_bytes : sizeof key_a;
    gsi_record_key(record, a, 0, n, key_a);
    gsi_record_key(record, b, 0, n, key_b);
    int by_key = memcmp(key_a, key_b, n), by_record = gsi_record_compare(record, a, b, 0);
    if (by_key != 0 || n == record->key_bytes)
        FUZZ_CHECK((by_key > 0) == (by_record > 0) && (by_key < 0) == (by_record < 0));
    int back = gsi_record_compare(record, b, a, 0);
    FUZZ_CHECK((by_record > 0) == (back < 0) && (by_record < 0) == (back > 0));
    FUZZ_CHECK(gsi_record_compare(record, a, a, 0) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz_bytes from = {data, bytes};
    uint32_t record_bytes = (uint32_t)fuzz_take(&from, 1) + 1;
    bool is_reversed = fuzz_take(&from, 1) & 1;
    char *text = fuzz_text(from.data, from.bytes);
    const char *keys[KEYS_MAX];
    size_t count = 0;
    for (char *at = text, *end; at != NULL && *at != '\0' && count < KEYS_MAX; at = end) {
        if ((end = strchr(at, '\n')) != NULL)
            *end++ = '\0';
        keys[count++] = at;
    }
    struct gsi_record record;
    struct gs_error error = {0};
    enum gs_status status =
        gsi_record_make(record_bytes, keys, count, keys, count > 0, is_reversed, &record, &error);
    FUZZ_CHECK(status == GS_OK || status == GS_E_USAGE);
    if (status == GS_OK) {
        for (uint32_t i = 0; i < record.key_count; i++)
            FUZZ_CHECK((uint64_t)record.keys[i].off + record.keys[i].bytes <= record.bytes);
        check_order(&record);
    }
    free(text);
    return 0;
}
