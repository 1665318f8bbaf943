// deltas.cc: encodes and decodes blocks of differences (deltas.h draws a block). Loops over a block
// are simple, so that the compiler vectorises them. The encoder combines the unary codes of eight
// differences into one word. The decoder looks up the positions of ones in each byte in a table (as
// D. Lemire's decoders of bitsets do).
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
static_assert(2 * BLOCK <= 256, "the difference of two positions modulo 256 is their distance");
constexpr uint32_t HEADER_BYTES = 2, HEADER_SAME = 0xffff;
constexpr uint32_t HEADER_MASK = 1u << 14, HEADER_OUTLIERS = 1u << 15;

// Values are written to any bit position as 64-bit words that begin at a byte. Shifted by up to 7
// bits, such a word contains values of at most this many bits.
constexpr uint32_t PART_BITS = 56;

// An outlier is a difference that is at least 2^6 to 2^7 times the mean. For u64 an outlier needs 9
// bytes. In unary it would need at least 64 zeros. It would also raise the mean, so that all other
// differences would need at least half a bit more.
constexpr uint32_t OUTLIER_BITS = 6;
constexpr uint32_t OUTLIERS_ENOUGH = 12; // with this many, the search for more ends

// The type of differences in memory: 8 bytes for keys of 4 and 8 bytes, else 16.
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

GSI_INLINE uint32_t trailing_zeros(uint64_t x) // of x > 0
{
    return static_cast<uint32_t>(__builtin_ctzll(x));
}

GSI_INLINE uint32_t trailing_zeros(gsi_u128 x)
{
    const uint64_t low = static_cast<uint64_t>(x);
    return low != 0 ? trailing_zeros(low) : 64 + trailing_zeros(static_cast<uint64_t>(x >> 64));
}

GSI_INLINE uint64_t read_word(const uint8_t *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

GSI_INLINE void write_word(uint8_t *to, uint64_t word)
{
    memcpy(to, &word, sizeof word);
}

GSI_INLINE uint64_t low_mask(uint32_t bits) // bits < 64
{
    return (static_cast<uint64_t>(1) << bits) - 1;
}

// Low bits are written in parts of at most PART_BITS, lowest part first. Returns the number of bits
// in the next part if `left` bits are not written yet.
GSI_INLINE uint32_t next_part_bits(uint32_t left)
{
    return left < PART_BITS ? left : PART_BITS;
}

GSI_INLINE uint32_t packed_bytes(uint32_t n, uint32_t bits)
{
    return (n * bits + 7) / 8;
}

// ---- values of a fixed number of bits: eight values need `bits` bytes ----

// Writes values[n] with `bits` <= PART_BITS bits each. Zeros follow them in memory, up to a
// multiple of 8 values. Returns the end of the written bytes.
GSI_INLINE uint8_t *pack(const uint64_t *values, uint32_t n, uint32_t bits, uint8_t *to)
{
    uint8_t *group = to;
    for (uint32_t i = 0; i < n; i += 8, group += bits) {
        uint64_t partial_byte = 0; // bits of the previous value in the current byte
        for (uint32_t j = 0; j < 8; j++) {
            const uint32_t bit = j * bits;
            const uint64_t word = values[i + j] << bit % 8 | partial_byte;
            write_word(group + bit / 8, word);
            partial_byte = word >> (bit % 8 + bits) / 8 * 8;
        }
    }
    return to + packed_bytes(n, bits);
}

GSI_INLINE void unpack(const uint8_t *from, uint32_t n, uint32_t bits, uint64_t *values)
{
    const uint64_t mask = low_mask(bits);
    for (uint32_t i = 0; i < n; i += 8, from += bits)
        for (uint32_t j = 0; j < 8; j++)
            values[i + j] = read_word(from + j * bits / 8) >> j * bits % 8 & mask;
}

// ---- unary codes: zeros and a one ----

// For each value of a byte: the positions of its ones, in one byte each, and the number of ones.
struct one_positions {
    uint64_t positions[256];
    uint8_t count[256];
};

constexpr one_positions make_one_positions()
{
    one_positions ones = {};
    for (uint32_t byte = 0; byte < 256; byte++)
        for (uint32_t bit = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                ones.positions[byte] |= static_cast<uint64_t>(bit) << 8 * ones.count[byte]++;
    return ones;
}

constexpr one_positions ones = make_one_positions();

// Finds the positions, modulo 256, of the first n ones from byte `from` on, and reads no byte from
// *end on. Moves *end to the byte after the last one read. Returns how many ones it found, at most
// n + 7. Up to 8 more bytes of `positions` are written.
GSI_INLINE uint32_t find_one_positions(const uint8_t *from, const uint8_t **end, uint32_t n,
                                       uint8_t *positions)
{
    uint32_t found = 0;
    uint64_t before = 0;
    while (found < n && from < *end) {
        const uint8_t byte = *from++;
        write_word(positions + found, ones.positions[byte] + before);
        found += ones.count[byte];
        before = (before + 0x0808080808080808) & 0xf8f8f8f8f8f8f8f8;
    }
    *end = from;
    return found;
}

// State of a writer of consecutive bits.
struct bits_out {
    uint8_t *to;
    uint64_t word;   // bits that do not yet fill a byte
    uint32_t filled; // < 8
};

GSI_INLINE void append_bits(bits_out *out, uint64_t bits, uint32_t count) // count <= PART_BITS
{
    out->word |= bits << out->filled;
    write_word(out->to, out->word);
    out->filled += count;
    out->to += out->filled / 8;
    out->word >>= out->filled / 8 * 8;
    out->filled %= 8;
}

GSI_INLINE void append_unary(bits_out *out, uint32_t zeros)
{
    for (; zeros >= PART_BITS; zeros -= PART_BITS)
        append_bits(out, 0, PART_BITS);
    append_bits(out, static_cast<uint64_t>(1) << zeros, zeros + 1);
}

GSI_INLINE uint8_t *write_unary(const uint8_t *zeros, uint32_t n, uint8_t *to)
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
            append_bits(&out, bits, count);
        else
            for (uint32_t j = 0; j < 8; j++)
                append_unary(&out, zeros[i + j]);
    }
    for (; i < n; i++)
        append_unary(&out, zeros[i]);
    return out.to + (out.filled > 0);
}

// ---- a block ----

// Returns the best number of low bits for n differences whose sum is `sum`: the logarithm of their
// mean.
template <typename Word> GSI_INLINE uint32_t best_low_bits(Word sum, uint32_t n)
{
    const uint32_t length = bit_length(sum), n_length = bit_length(static_cast<uint64_t>(n));
    if (sum < n)
        return 0;
    const uint32_t bits = length - n_length;
    return static_cast<Word>(n) << bits <= sum ? bits : bits - 1;
}

// The differences in a block while it is encoded.
template <typename Word> struct block {
    Word delta[BLOCK + 8]; // followed by zeros
    Word any_bits, sum;    // bitwise or, and sum, of all differences
    uint32_t count, zero_count;
};

// Writes outliers to `to`, and replaces them by zeros in the block. Removing outliers lowers the
// mean, so other differences may then be outliers, and the search is repeated. Returns the end of
// the written bytes.
template <typename Key, typename Word>
GSI_INLINE uint8_t *move_outliers(block<Word> *block, uint32_t low_bits, uint8_t *to)
{
    uint8_t *count = to++;
    *count = 0;
    while (bit_length(block->any_bits) > low_bits + OUTLIER_BITS && *count < OUTLIERS_ENOUGH) {
        block->any_bits = 0;
        for (uint32_t i = 0; i < BLOCK; i++) {
            if (bit_length(block->delta[i]) > low_bits + OUTLIER_BITS) {
                const Key outlier = static_cast<Key>(block->delta[i]);
                *to++ = static_cast<uint8_t>(i);
                memcpy(to, &outlier, sizeof outlier);
                to += sizeof outlier;
                ++*count;
                block->zero_count++;
                block->sum -= block->delta[i];
                block->delta[i] = 0;
            }
            block->any_bits |= block->delta[i];
        }
        if (block->any_bits == 0)
            break;
        low_bits = best_low_bits(block->sum, BLOCK - block->zero_count);
    }
    return to;
}

// Removes differences that are zero from the block, and writes the mask of the others. Returns the
// end of the written bytes.
template <typename Word> GSI_INLINE uint8_t *remove_zeros(block<Word> *block, uint8_t *to)
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

GSI_INLINE uint8_t *write_header(uint32_t header, uint8_t *to)
{
    to[0] = static_cast<uint8_t>(header);
    to[1] = static_cast<uint8_t>(header >> 8);
    return to + HEADER_BYTES;
}

// Writes the low bits of all differences, and then the upper bits in unary. Returns the end of the
// written bytes.
template <typename Word>
GSI_INLINE uint8_t *write_values(const block<Word> *block, uint32_t shift, uint32_t low_bits,
                                 uint8_t *to)
{
    uint64_t part[BLOCK + 8];
    uint8_t high[BLOCK + 8];
    const uint32_t n = (block->count + 7) / 8 * 8;
    for (uint32_t done = 0; done < low_bits; done += PART_BITS) {
        const uint32_t bits = next_part_bits(low_bits - done);
        for (uint32_t i = 0; i < n; i++)
            part[i] = static_cast<uint64_t>(block->delta[i] >> shift >> done) & low_mask(bits);
        to = pack(part, block->count, bits, to);
    }
    for (uint32_t i = 0; i < n; i++)
        high[i] = static_cast<uint8_t>(block->delta[i] >> shift >> low_bits);
    return write_unary(high, block->count, to);
}

// Encodes a block: the differences of keys[1 .. BLOCK] to their previous keys. Returns the end of
// the written bytes, or NULL if the keys are not sorted.
template <typename Key> GSI_INLINE uint8_t *encode_block(const Key *keys, uint8_t *to)
{
    using Word = typename word_of<Key>::type;
    block<Word> block;
    Word descents = 0, zeros = 0; // as wide as keys, so that the loops are vectorised
    block.any_bits = 0;
    for (uint32_t i = 0; i < BLOCK; i++)
        block.delta[i] = static_cast<Key>(keys[i + 1] - keys[i]);
    for (uint32_t i = 0; i < BLOCK; i++)
        descents += keys[i + 1] < keys[i];
    for (uint32_t i = 0; i < BLOCK; i++)
        block.any_bits |= block.delta[i];
    for (uint32_t i = 0; i < BLOCK; i++)
        zeros += block.delta[i] == 0;
    if (descents > 0)
        return nullptr;
    if (block.any_bits == 0)
        return write_header(HEADER_SAME, to);
    uint8_t *at = to + HEADER_BYTES;
    block.sum = keys[BLOCK] - keys[0];
    block.count = BLOCK;
    block.zero_count = static_cast<uint32_t>(zeros);
    uint32_t low_bits = best_low_bits(block.sum, BLOCK - block.zero_count);
    const bool has_outliers = bit_length(block.any_bits) > low_bits + OUTLIER_BITS;
    if (has_outliers)
        at = move_outliers<Key>(&block, low_bits, at);
    const uint32_t shift = block.any_bits == 0 ? 0 : trailing_zeros(block.any_bits);
    block.sum >>= shift;
    low_bits = block.any_bits == 0 ? 0 : best_low_bits(block.sum, BLOCK - block.zero_count);
    const bool has_mask = block.zero_count * (low_bits + 1) > BLOCK;
    if (has_mask)
        at = remove_zeros(&block, at);
    else
        low_bits = best_low_bits(block.sum, BLOCK);
    write_header(low_bits | shift << 7 | (has_mask ? HEADER_MASK : 0) |
                     (has_outliers ? HEADER_OUTLIERS : 0),
                 to);
    return write_values(&block, shift, low_bits, at);
}

// Reads low bits and unary codes of n differences. Returns the end of the read bytes, or NULL if
// there are too few bytes.
template <typename Word>
GSI_INLINE const uint8_t *read_values(const uint8_t *from, const uint8_t *end, uint32_t n,
                                      uint32_t shift, uint32_t low_bits, Word *delta)
{
    uint64_t part[BLOCK + 8];
    uint8_t positions[BLOCK + 17];
    for (uint32_t i = 0; i < n; i++)
        delta[i] = 0;
    for (uint32_t done = 0; done < low_bits; done += PART_BITS) {
        const uint32_t bits = next_part_bits(low_bits - done);
        if (static_cast<size_t>(end - from) < packed_bytes(n, bits))
            return nullptr;
        unpack(from, n, bits, part);
        from += packed_bytes(n, bits);
        for (uint32_t i = 0; i < n; i++)
            delta[i] |= static_cast<Word>(part[i]) << done;
    }
    positions[0] = UINT8_MAX; // so that the first one has position + 1 zeros before it
    if (find_one_positions(from, &end, n, positions + 1) != n)
        return nullptr;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t high = static_cast<uint8_t>(positions[i + 1] - positions[i] - 1);
        delta[i] = (static_cast<Word>(high) << low_bits | delta[i]) << shift;
    }
    return end;
}

// Decodes a block: computes keys[1 .. BLOCK] from keys[0] and the differences. Returns the end of
// the block, or NULL if the block is damaged.
template <typename Key>
GSI_INLINE const uint8_t *decode_block(const uint8_t *from, const uint8_t *end, Key *keys)
{
    using Word = typename word_of<Key>::type;
    Word delta[BLOCK + 8], all[BLOCK];
    Word *deltas = delta;
    if (end - from < static_cast<ptrdiff_t>(HEADER_BYTES))
        return nullptr;
    const uint32_t header = from[0] | static_cast<uint32_t>(from[1]) << 8;
    const uint32_t low_bits = header & 127, shift = header >> 7 & 127;
    from += HEADER_BYTES;
    if (header == HEADER_SAME) {
        for (uint32_t i = 0; i < BLOCK; i++)
            keys[i + 1] = keys[0];
        return from;
    }
    if (low_bits >= 8 * sizeof(Word) || shift >= 8 * sizeof(Key))
        return nullptr;
    const uint8_t *outlier = from;
    uint32_t outlier_count = 0;
    if (header & HEADER_OUTLIERS) {
        outlier_count = from < end ? *from++ : UINT8_MAX;
        outlier = from;
        if (static_cast<size_t>(end - from) < outlier_count * (1 + sizeof(Key)))
            return nullptr;
        from += outlier_count * (1 + sizeof(Key));
    }
    if (header & HEADER_MASK) {
        uint8_t positions[BLOCK + 8];
        const uint8_t *mask_end = from + MASK_BYTES;
        if (end - from < static_cast<ptrdiff_t>(MASK_BYTES))
            return nullptr;
        const uint32_t n = find_one_positions(from, &mask_end, BLOCK + 1, positions);
        from = read_values(from + MASK_BYTES, end, n, shift, low_bits, delta);
        memset(all, 0, sizeof all);
        for (uint32_t i = 0; from != nullptr && i < n; i++)
            all[positions[i]] = delta[i];
        deltas = all;
    } else {
        from = read_values(from, end, BLOCK, shift, low_bits, delta);
    }
    for (; from != nullptr && outlier_count > 0; outlier_count--, outlier += 1 + sizeof(Key)) {
        Key value;
        memcpy(&value, outlier + 1, sizeof value);
        if (*outlier >= BLOCK)
            return nullptr;
        deltas[*outlier] = value;
    }
    for (uint32_t i = 0; from != nullptr && i < BLOCK; i++)
        keys[i + 1] = static_cast<Key>(keys[i] + deltas[i]);
    return from;
}

// ---- frames: keys are copied to and from an array of one block. The last block may be short, and
// the memory of a frame has no type. ----

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

#define DEFINE_CODERS(bytes, Key)                                                              \
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

DEFINE_CODERS(4, uint32_t)
DEFINE_CODERS(8, uint64_t)
DEFINE_CODERS(16, gsi_u128)

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
