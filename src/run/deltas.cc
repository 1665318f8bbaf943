// deltas.cc: encodes and decodes blocks of differences. Loops over a block are plain, for the
// compiler to vectorise. Bit positions are found without branches, except for the words of a block.
// The encoder combines the ones of eight values into a word. A table gives the positions of the
// ones in a byte (as in D. Lemire's decoders of bitsets).
#include "run/deltas.h"

#include "base/simd.h"
#include "base/u128.h"
#include "element/width.h"

#include <cstring>

namespace
{

constexpr uint32_t BLOCK = GSI_DELTAS_BLOCK;
constexpr uint32_t MASK_BYTES = BLOCK / 8;
static_assert(BLOCK % 8 == 0, "eight differences are packed at a time");
static_assert(2 * BLOCK <= 256, "places of ones, modulo 256, tell how far apart they are");
constexpr uint32_t HEAD_BYTES = 2, HEAD_SAME = 0xffff;
constexpr uint32_t HEAD_MASK = 1u << 14, HEAD_FAR = 1u << 15;

// A word that is shifted to its bit in a byte has room for this many bits.
constexpr uint32_t PART_BITS = 56;

// A difference is far if it is at least 2^6 to 2^7 times the mean. Removing it costs 9 bytes for
// u64. It saves at least half a bit for each other difference, and some 64 zeros of its own. So at
// most 4 passes are needed.
constexpr uint32_t FAR_BITS = 6;
constexpr uint32_t FAR_ENOUGH = 12; // no more passes after this many

// Differences are words of 8 bytes; for wide keys, of 16.
template <typename Key> struct word_of {
    using type = uint64_t;
};
template <> struct word_of<gsi_u128> {
    using type = gsi_u128;
};

GSI_INLINE uint32_t bit_length(uint64_t x)
{
    return x == 0 ? 0 : 64 - static_cast<uint32_t>(__builtin_clzll(x));
}

GSI_INLINE uint32_t bit_length(gsi_u128 x)
{
    const uint64_t high = static_cast<uint64_t>(x >> 64);
    return high != 0 ? 64 + bit_length(high) : bit_length(static_cast<uint64_t>(x));
}

GSI_INLINE uint32_t zeros_below(uint64_t x) // of x > 0
{
    return static_cast<uint32_t>(__builtin_ctzll(x));
}

GSI_INLINE uint32_t zeros_below(gsi_u128 x)
{
    const uint64_t low = static_cast<uint64_t>(x);
    return low != 0 ? zeros_below(low) : 64 + zeros_below(static_cast<uint64_t>(x >> 64));
}

GSI_INLINE uint64_t get_word(const uint8_t *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

GSI_INLINE void put_word(uint8_t *to, uint64_t word)
{
    memcpy(to, &word, sizeof word);
}

GSI_INLINE uint64_t low_mask(uint32_t bits) // bits < 64
{
    return (static_cast<uint64_t>(1) << bits) - 1;
}

// Low bits are packed in parts, from the lowest on. Returns the bits of the next part if `left` are
// left.
GSI_INLINE uint32_t part_bits(uint32_t left)
{
    return left < PART_BITS ? left : PART_BITS;
}

GSI_INLINE uint32_t packed_bytes(uint32_t n, uint32_t bits)
{
    return (n * bits + 7) / 8;
}

// ---- fixed widths: eight values need `bits` bytes ----

// values[n .. ] up to a multiple of 8 are zeros; bits <= PART_BITS.
GSI_INLINE uint8_t *pack(const uint64_t *values, uint32_t n, uint32_t bits, uint8_t *to)
{
    uint8_t *group = to;
    for (uint32_t i = 0; i < n; i += 8, group += bits) {
        uint64_t begun = 0; // bits of the previous value in the current byte
        for (uint32_t j = 0; j < 8; j++) {
            const uint32_t bit = j * bits;
            const uint64_t word = values[i + j] << bit % 8 | begun;
            put_word(group + bit / 8, word);
            begun = word >> (bit % 8 + bits) / 8 * 8;
        }
    }
    return to + packed_bytes(n, bits);
}

GSI_INLINE void unpack(const uint8_t *from, uint32_t n, uint32_t bits, uint64_t *values)
{
    const uint64_t mask = low_mask(bits);
    for (uint32_t i = 0; i < n; i += 8, from += bits)
        for (uint32_t j = 0; j < 8; j++)
            values[i + j] = get_word(from + j * bits / 8) >> j * bits % 8 & mask;
}

// ---- ones ----

// The positions of the ones in each byte value, one byte each, and their number.
struct ones_of_bytes {
    uint64_t places[256];
    uint8_t count[256];
};

constexpr ones_of_bytes make_ones()
{
    ones_of_bytes ones = {};
    for (uint32_t byte = 0; byte < 256; byte++)
        for (uint32_t bit = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                ones.places[byte] |= static_cast<uint64_t>(bit) << 8 * ones.count[byte]++;
    return ones;
}

constexpr ones_of_bytes ones = make_ones();

// Finds the positions, modulo 256, of the ones from `from` on, until there are n or `end` is
// reached. Moves *end to the byte after the last one read. Returns how many were found, at most n +
// 7; up to 8 more bytes are written.
GSI_INLINE uint32_t find_ones(const uint8_t *from, const uint8_t **end, uint32_t n, uint8_t *places)
{
    uint32_t found = 0;
    uint64_t before = 0;
    while (found < n && from < *end) {
        const uint8_t byte = *from++;
        put_word(places + found, ones.places[byte] + before);
        found += ones.count[byte];
        before = (before + 0x0808080808080808) & 0xf8f8f8f8f8f8f8f8;
    }
    *end = from;
    return found;
}

// A writer of consecutive bits.
struct bits_out {
    uint8_t *to;
    uint64_t word;   // bits that do not yet fill a byte
    uint32_t filled; // < 8
};

GSI_INLINE void append(bits_out *out, uint64_t bits, uint32_t count) // count <= PART_BITS
{
    out->word |= bits << out->filled;
    put_word(out->to, out->word);
    out->filled += count;
    out->to += out->filled / 8;
    out->word >>= out->filled / 8 * 8;
    out->filled %= 8;
}

GSI_INLINE void append_one(bits_out *out, uint32_t zeros)
{
    for (; zeros >= PART_BITS; zeros -= PART_BITS)
        append(out, 0, PART_BITS);
    append(out, static_cast<uint64_t>(1) << zeros, zeros + 1);
}

GSI_INLINE uint8_t *put_ones(const uint8_t *zeros, uint32_t n, uint8_t *to)
{
    bits_out out = {to, 0, 0};
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t bits = 0;
        uint32_t count = 0;
        for (uint32_t j = 0; j < 8; j++) {
            count += zeros[i + j];
            bits |= static_cast<uint64_t>(1) << count++ % 64;
        }
        if (count <= PART_BITS)
            append(&out, bits, count);
        else
            for (uint32_t j = 0; j < 8; j++)
                append_one(&out, zeros[i + j]);
    }
    for (; i < n; i++)
        append_one(&out, zeros[i]);
    return out.to + (out.filled > 0);
}

// ---- a block ----

// Returns the best number of low bits for n differences with the total `sum`: the logarithm of
// their mean.
template <typename Word> GSI_INLINE uint32_t best_low_bits(Word sum, uint32_t n)
{
    const uint32_t length = bit_length(sum), n_length = bit_length(static_cast<uint64_t>(n));
    if (sum < n)
        return 0;
    const uint32_t bits = length - n_length;
    return static_cast<Word>(n) << bits <= sum ? bits : bits - 1;
}

// The differences of a block.
template <typename Word> struct block {
    Word delta[BLOCK + 8]; // followed by zeros
    Word any, sum;         // all or-ed together, and added
    uint32_t count, zeros;
};

// Moves the far differences to `to`.
template <typename Key, typename Word>
GSI_INLINE uint8_t *take_out_far(block<Word> *block, uint32_t low_bits, uint8_t *to)
{
    uint8_t *count = to++;
    *count = 0;
    while (bit_length(block->any) > low_bits + FAR_BITS && *count < FAR_ENOUGH) {
        block->any = 0;
        for (uint32_t i = 0; i < BLOCK; i++) {
            if (bit_length(block->delta[i]) > low_bits + FAR_BITS) {
                const Key far = static_cast<Key>(block->delta[i]);
                *to++ = static_cast<uint8_t>(i);
                memcpy(to, &far, sizeof far);
                to += sizeof far;
                ++*count;
                block->zeros++;
                block->sum -= block->delta[i];
                block->delta[i] = 0;
            }
            block->any |= block->delta[i];
        }
        if (block->any == 0)
            break;
        low_bits = best_low_bits(block->sum, BLOCK - block->zeros);
    }
    return to;
}

// Removes differences that are zero, and writes the mask of the others.
template <typename Word> GSI_INLINE uint8_t *take_out_zeros(block<Word> *block, uint8_t *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < BLOCK; i += 8, to++) {
        uint32_t mask = 0;
        for (uint32_t j = 0; j < 8; j++) {
            const Word delta = block->delta[i + j];
            mask |= static_cast<uint32_t>(delta != 0) << j;
            block->delta[count] = delta;
            count += delta != 0;
        }
        *to = static_cast<uint8_t>(mask);
    }
    memset(block->delta + count, 0, 8 * sizeof *block->delta);
    block->count = count;
    return to;
}

GSI_INLINE uint8_t *put_head(uint32_t head, uint8_t *to)
{
    to[0] = static_cast<uint8_t>(head);
    to[1] = static_cast<uint8_t>(head >> 8);
    return to + HEAD_BYTES;
}

// Writes low bits and ones.
template <typename Word>
GSI_INLINE uint8_t *put_values(const block<Word> *block, uint32_t shift, uint32_t low_bits,
                               uint8_t *to)
{
    uint64_t part[BLOCK + 8];
    uint8_t high[BLOCK + 8];
    const uint32_t n = (block->count + 7) / 8 * 8;
    for (uint32_t done = 0; done < low_bits; done += PART_BITS) {
        const uint32_t bits = part_bits(low_bits - done);
        for (uint32_t i = 0; i < n; i++)
            part[i] = static_cast<uint64_t>(block->delta[i] >> shift >> done) & low_mask(bits);
        to = pack(part, block->count, bits, to);
    }
    for (uint32_t i = 0; i < n; i++)
        high[i] = static_cast<uint8_t>(block->delta[i] >> shift >> low_bits);
    return put_ones(high, block->count, to);
}

// Encodes the block of keys[1 .. BLOCK], which follow keys[0]. Returns its end, or NULL if keys do
// not ascend.
template <typename Key> GSI_INLINE uint8_t *encode_block(const Key *keys, uint8_t *to)
{
    using Word = typename word_of<Key>::type;
    block<Word> block;
    Word falls = 0, zeros = 0; // as wide as keys, for vectors
    block.any = 0;
    for (uint32_t i = 0; i < BLOCK; i++)
        block.delta[i] = static_cast<Key>(keys[i + 1] - keys[i]);
    for (uint32_t i = 0; i < BLOCK; i++)
        falls += keys[i + 1] < keys[i];
    for (uint32_t i = 0; i < BLOCK; i++)
        block.any |= block.delta[i];
    for (uint32_t i = 0; i < BLOCK; i++)
        zeros += block.delta[i] == 0;
    if (falls > 0)
        return nullptr;
    if (block.any == 0)
        return put_head(HEAD_SAME, to);
    uint8_t *at = to + HEAD_BYTES;
    block.sum = keys[BLOCK] - keys[0];
    block.count = BLOCK;
    block.zeros = static_cast<uint32_t>(zeros);
    uint32_t low_bits = best_low_bits(block.sum, BLOCK - block.zeros);
    const bool has_far = bit_length(block.any) > low_bits + FAR_BITS;
    if (has_far)
        at = take_out_far<Key>(&block, low_bits, at);
    const uint32_t shift = block.any == 0 ? 0 : zeros_below(block.any);
    block.sum >>= shift;
    low_bits = block.any == 0 ? 0 : best_low_bits(block.sum, BLOCK - block.zeros);
    const bool has_mask = block.zeros * (low_bits + 1) > BLOCK;
    if (has_mask)
        at = take_out_zeros(&block, at);
    else
        low_bits = best_low_bits(block.sum, BLOCK);
    put_head(low_bits | shift << 7 | (has_mask ? HEAD_MASK : 0) | (has_far ? HEAD_FAR : 0), to);
    return put_values(&block, shift, low_bits, at);
}

// Reads low bits and ones of n differences.
template <typename Word>
GSI_INLINE const uint8_t *get_values(const uint8_t *from, const uint8_t *end, uint32_t n,
                                     uint32_t shift, uint32_t low_bits, Word *delta)
{
    uint64_t part[BLOCK + 8];
    uint8_t places[BLOCK + 17];
    for (uint32_t i = 0; i < n; i++)
        delta[i] = 0;
    for (uint32_t done = 0; done < low_bits; done += PART_BITS) {
        const uint32_t bits = part_bits(low_bits - done);
        if (static_cast<size_t>(end - from) < packed_bytes(n, bits))
            return nullptr;
        unpack(from, n, bits, part);
        from += packed_bytes(n, bits);
        for (uint32_t i = 0; i < n; i++)
            delta[i] |= static_cast<Word>(part[i]) << done;
    }
    places[0] = UINT8_MAX; // before the first position
    if (find_ones(from, &end, n, places + 1) != n)
        return nullptr;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t high = static_cast<uint8_t>(places[i + 1] - places[i] - 1);
        delta[i] = (static_cast<Word>(high) << low_bits | delta[i]) << shift;
    }
    return end;
}

// Decodes keys[1 .. BLOCK], which follow keys[0]. Returns the end of the block, or NULL if it is
// damaged.
template <typename Key>
GSI_INLINE const uint8_t *decode_block(const uint8_t *from, const uint8_t *end, Key *keys)
{
    using Word = typename word_of<Key>::type;
    Word delta[BLOCK + 8], all[BLOCK];
    Word *deltas = delta;
    if (end - from < static_cast<ptrdiff_t>(HEAD_BYTES))
        return nullptr;
    const uint32_t head = from[0] | static_cast<uint32_t>(from[1]) << 8;
    const uint32_t low_bits = head & 127, shift = head >> 7 & 127;
    from += HEAD_BYTES;
    if (head == HEAD_SAME) {
        for (uint32_t i = 0; i < BLOCK; i++)
            keys[i + 1] = keys[0];
        return from;
    }
    if (low_bits >= 8 * sizeof(Word) || shift >= 8 * sizeof(Key))
        return nullptr;
    const uint8_t *far = from;
    uint32_t far_count = 0;
    if (head & HEAD_FAR) {
        far_count = from < end ? *from++ : UINT8_MAX;
        far = from;
        if (static_cast<size_t>(end - from) < far_count * (1 + sizeof(Key)))
            return nullptr;
        from += far_count * (1 + sizeof(Key));
    }
    if (head & HEAD_MASK) {
        uint8_t places[BLOCK + 8];
        const uint8_t *mask_end = from + MASK_BYTES;
        if (end - from < static_cast<ptrdiff_t>(MASK_BYTES))
            return nullptr;
        const uint32_t n = find_ones(from, &mask_end, BLOCK + 1, places);
        from = get_values(from + MASK_BYTES, end, n, shift, low_bits, delta);
        memset(all, 0, sizeof all);
        for (uint32_t i = 0; from != nullptr && i < n; i++)
            all[places[i]] = delta[i];
        deltas = all;
    } else {
        from = get_values(from, end, BLOCK, shift, low_bits, delta);
    }
    for (; from != nullptr && far_count > 0; far_count--, far += 1 + sizeof(Key)) {
        Key value;
        memcpy(&value, far + 1, sizeof value);
        if (*far >= BLOCK)
            return nullptr;
        deltas[*far] = value;
    }
    for (uint32_t i = 0; from != nullptr && i < BLOCK; i++)
        keys[i + 1] = static_cast<Key>(keys[i] + deltas[i]);
    return from;
}

// ---- frames: blocks are copied, because a frame's memory has no type and the last may be short
// ----

template <typename Key>
GSI_INLINE size_t encode(const void *from, size_t n, uint8_t *to, size_t most)
{
    const uint8_t *keys = static_cast<const uint8_t *>(from);
    uint8_t *at = to;
    Key block[1 + BLOCK] = {0};
    memcpy(block, keys, n > 0 ? sizeof *block : 0);
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t count = n - i;
        if (count >= BLOCK) {
            memcpy(block + 1, keys + i * sizeof *block, BLOCK * sizeof *block);
        } else {
            memcpy(block + 1, keys + i * sizeof *block, count * sizeof *block);
            for (size_t j = count; j < BLOCK; j++)
                block[1 + j] = block[j];
        }
        at = encode_block<Key>(block, at);
        if (at == nullptr || static_cast<size_t>(at - to) > most)
            return 0;
        block[0] = block[BLOCK];
    }
    return static_cast<size_t>(at - to);
}

template <typename Key>
GSI_INLINE bool decode(const uint8_t *from, size_t bytes, const uint8_t *first_key, size_t n,
                       void *to)
{
    const uint8_t *end = from + bytes;
    uint8_t *keys = static_cast<uint8_t *>(to);
    Key block[1 + BLOCK];
    memcpy(block, first_key, sizeof *block); // little endian, as everywhere
    for (size_t i = 0; i < n; i += BLOCK) {
        from = decode_block<Key>(from, end, block);
        if (from == nullptr)
            return false;
        if (n - i >= BLOCK)
            memcpy(keys + i * sizeof *block, block + 1, BLOCK * sizeof *block);
        else
            memcpy(keys + i * sizeof *block, block + 1, (n - i) * sizeof *block);
        block[0] = block[BLOCK];
    }
    return from == end;
}

} // namespace

#define CODE_WIDTH(bytes, Key)                                                                 \
    GSI_SIMD_CLONES static size_t encode_##bytes(const void *keys, size_t n, uint8_t *to,      \
                                                 size_t most)                                  \
    {                                                                                          \
        return encode<Key>(keys, n, to, most);                                                 \
    }                                                                                          \
    GSI_SIMD_CLONES static bool decode_##bytes(const uint8_t *from, size_t coded,              \
                                               const uint8_t *first_key, size_t n, void *keys) \
    {                                                                                          \
        return decode<Key>(from, coded, first_key, n, keys);                                   \
    }

CODE_WIDTH(4, uint32_t)
CODE_WIDTH(8, uint64_t)
CODE_WIDTH(16, gsi_u128)

size_t gsi_deltas_encode(uint32_t key_bytes, const void *keys, size_t n, uint8_t *to, size_t most)
{
    return GSI_BY_WIDTH(key_bytes, encode_4(keys, n, to, most), encode_8(keys, n, to, most),
                        encode_16(keys, n, to, most));
}

bool gsi_deltas_decode(uint32_t key_bytes, const uint8_t *from, size_t bytes,
                       const uint8_t *first_key, void *keys, size_t n)
{
    return GSI_BY_WIDTH(key_bytes, decode_4(from, bytes, first_key, n, keys),
                        decode_8(from, bytes, first_key, n, keys),
                        decode_16(from, bytes, first_key, n, keys));
}
