/* record_equal.h: whether records have equal keys, which takes less than to say how they are
 * ordered: equal keys are equal bytes, for the map to sort keys is a bijection. */
#ifndef GSI_RECORD_EQUAL_H
#define GSI_RECORD_EQUAL_H

#include "base/simd.h"
#include "element/record/record.h"

#include <string.h>

/* gsi_record_word_bytes: of the only key, where that has 4 or 8 bytes, as most have; else 0.
 * GSI_BY_RECORD_WORD: calls `function` with the given arguments and that number, a constant. */
static inline uint32_t gsi_record_word_bytes(const struct gsi_record *record)
{
    uint32_t bytes = record->key_count == 1 && !record->ties_by_bytes ? record->keys[0].bytes : 0;
    return bytes == 4 || bytes == 8 ? bytes : 0;
}
#define GSI_BY_RECORD_WORD(record, function, ...)                    \
    (gsi_record_word_bytes(record) == 4   ? function(__VA_ARGS__, 4) \
     : gsi_record_word_bytes(record) == 8 ? function(__VA_ARGS__, 8) \
                                          : function(__VA_ARGS__, 0))

/* gsi_record_word: returns the only key as an unsigned integer of the machine. `word_bytes` is a
 * constant, and not 0. */
GSI_INLINE uint64_t gsi_record_word(const struct gsi_record *record, const uint8_t *element,
                                    uint32_t word_bytes)
{
    uint64_t word = 0;
    memcpy(&word, element + record->keys[0].off, word_bytes);
    return word;
}

/* gsi_record_is_equal: whether all that orders them is equal; `word_bytes` is a constant. */
GSI_INLINE bool gsi_record_is_equal(const struct gsi_record *record, const uint8_t *a,
                                    const uint8_t *b, uint32_t word_bytes)
{
    if (word_bytes == 0)
        return gsi_record_compare(record, a, b, 0) == 0;
    return gsi_record_word(record, a, word_bytes) == gsi_record_word(record, b, word_bytes);
}

#endif
