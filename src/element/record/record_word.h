/* record_word.h: records that are one unsigned integer in disguise.
 *
 * The keys of a record of 4, 8 or 16 bytes that cover each of its bytes once make a normalised key
 * (record.h) that is the record's bytes in another order, with each number mapped to its sort key
 * (key_order.h). That is a bijection. So the record becomes a *word*, an integer of its width,
 * which is sorted and merged as any number is, and becomes the record again on its way out. Equal
 * keys are equal records, so nobody can tell in which order they come.
 *
 *     -R 8 -k 4:u32be -k 0:i32      record    f6 ff ff ff | 00 00 01 02       (-10, 0x102)
 *                                   word      0x00000102 7ffffff6
 *
 * Records of up to 12 bytes with other bytes beside their keys, or of other widths, *ride* in their
 * tags: the tag is a word of 16 bytes of all the record's bytes, with the index below the key, so
 * that equal keys keep the order of the input:
 *
 *     key | index | the other bytes
 *
 * Such tags are sorted and merged as all tags are, and hold the record, which nobody has to fetch
 * then. Pure; any thread. */
#ifndef GSI_RECORD_WORD_H
#define GSI_RECORD_WORD_H

#include "base/simd.h"
#include "element/key_order.h"
#include "element/record/record.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The widest records that ride: 32 bits are left to the index. */
#define GSI_RIDER_BYTES_MAX 12u

/* The most numbers of a word that are mapped: floats have two bytes at least. */
#define GSI_WORD_PARTS_MAX 8u

/* A number in a word whose sort key is more than its bits with some flipped. */
struct gsi_word_part {
    uint32_t half;          /* of a word of 16 bytes: 0, the lower one, or 1 */
    uint32_t shift, bits;   /* of the number in there */
    struct gsi_key_map map; /* of the number at the upper end of 64 bits */
};

/* gsi_word_part_map: eight bytes of a word, or its four, in which a number becomes its sort key, or
 * bits again. Host and device share it. */
GSI_HOST_DEVICE GSI_INLINE uint64_t gsi_word_part_map(const struct gsi_word_part *part,
                                                      uint64_t half, bool is_back)
{
    const uint32_t up = 64 - part->shift - part->bits;
    const uint64_t upper = UINT64_MAX << (64 - part->bits);
    uint64_t number = half << up & upper;
    uint64_t mapped =
        is_back ? gsi_bits_of_u64(part->map, number) : gsi_key_of_u64(part->map, number);
    return (half & ~(upper >> up)) | mapped >> up;
}

struct gsi_record_word {
    uint32_t element_bytes; /* of the record */
    uint32_t key_bytes;     /* of the word: 4, 8 or 16 */
    uint32_t index_bits;    /* of a rider; 0: there is no index */
    uint32_t index_shift;
    uint32_t part_count;
    /* Byte i of a block of 16 is byte from[i] of the records', then xor flip[i]; and back by `to`.
     * Indexes of 0x80 stand for zeros. Blocks hold several words of 4 or 8 bytes. */
    uint8_t from[16], to[16], flip[16];
    struct gsi_word_part parts[GSI_WORD_PARTS_MAX];
};

/* gsi_record_word_make: whether records are words.
 * gsi_record_rider_make: whether they ride in their tags. */
bool gsi_record_word_make(const struct gsi_record *record, struct gsi_record_word *word);
bool gsi_record_rider_make(const struct gsi_record *record, struct gsi_record_word *word);

/* gsi_words_of: the words of `n` records that lie one after the other. They may take the records'
 * place if they are as wide.
 * in    index: of a rider: of the first record; they count up
 * gsi_words_to: the records of `n` words. */
void gsi_words_of(const struct gsi_record_word *word, const void *elements, size_t n,
                  uint64_t index, void *words);
void gsi_words_to(const struct gsi_record_word *word, const void *words, size_t n, void *elements);

/* gsi_words_shuffle_in, _out: of that what vectors do: the order of bytes, and flips
 * (record_shuffle.cc). */
void gsi_words_shuffle_in(const struct gsi_record_word *word, const void *elements, size_t n,
                          void *words);
void gsi_words_shuffle_out(const struct gsi_record_word *word, const void *words, size_t n,
                           void *elements);

#ifdef __cplusplus
}
#endif
#endif
