/* foreign.c: recognises formats by a table of their first bytes (magic numbers), and text by its
 * characters. */
#include "input/foreign.h"

#include "base/checked.h"

#include <string.h>

#define MAGIC_BYTES 16u

/* How many bytes to check for text. */
#define TEXT_BYTES ((size_t)4096)

/* Text below TEXT_SHORT_BYTES must consist of words and numbers, because a few bytes could be
 * characters by chance. Inputs below TEXT_MIN_BYTES are not recognised as text. */
#define TEXT_MIN_BYTES   8u
#define TEXT_SHORT_BYTES 64u

struct magic {
    const char *format;
    const char *advice;
    size_t bytes; /* length of the magic number in `data` */
    uint8_t data[MAGIC_BYTES];
    /* Returns whether the file's first `wanted` bytes are possible in this format. NULL: the magic
     * number suffices. */
    bool (*is_plausible)(const uint8_t *data);
    size_t wanted;
};

/* Checks a gzip header (RFC 1952): no reserved flags, a compression level and a system that
 * exist. */
static bool is_plausible_gzip(const uint8_t *data)
{
    return (data[3] & 0xe0) == 0 && (data[8] == 0 || data[8] == 2 || data[8] == 4) &&
           (data[9] <= 13 || data[9] == 255);
}

/* Checks for the magic number of a bzip2 block (pi), or of the end of an empty file. */
static bool is_plausible_bzip2(const uint8_t *data)
{
    static const uint8_t block[] = {0x31, 0x41, 0x59, 0x26, 0x53, 0x59};
    static const uint8_t end[] = {0x17, 0x72, 0x45, 0x38, 0x50, 0x90};
    return data[3] >= '1' && data[3] <= '9' &&
           (memcmp(data + 4, block, sizeof block) == 0 || memcmp(data + 4, end, sizeof end) == 0);
}

/* Checks an lz4 header: version 1, no reserved bits, a block size that exists. */
static bool is_plausible_lz4(const uint8_t *data)
{
    return (data[4] & 0xc2) == 0x40 && (data[5] & 0x8f) == 0 && (data[5] >> 4) >= 4;
}

/* Checks the first entry of a zip archive: version and method exist, and the name has a plausible
 * length. */
static bool is_plausible_zip(const uint8_t *data)
{
    unsigned version = data[4], method = data[8] | (unsigned)data[9] << 8;
    unsigned length = data[26] | (unsigned)data[27] << 8;
    return version <= 63 && data[5] <= 20 && method <= 99 && length > 0 && length <= 1024;
}

static bool is_plausible_npz(const uint8_t *data)
{
    unsigned length = data[26];
    return is_plausible_zip(data) && data[27] == 0 && length > 4 && length <= 64 &&
           memcmp(data + 30 + length - 4, ".npy", 4) == 0;
}

/* Checks the header of a Parquet page or of the metadata: its first field is a number. */
static bool is_plausible_parquet(const uint8_t *data)
{
    return data[4] == 0x15;
}

#define UNPACK(command) "decompress it first: " command " FILE | gsort -t TYPE"
#define NUMBERS         "write its numbers as plain binary or as .npy first"
#define RECIPE          "recipes/csv-and-parquet.md"
#define COLUMNS         "convert it with DuckDB or pyarrow, as in " RECIPE

static const struct magic magics[] = {
    {"gzip", UNPACK("gzip -dc"), 3, {0x1f, 0x8b, 8}, is_plausible_gzip, 10},
    {"xz", UNPACK("xz -dc"), 7, {0xfd, '7', 'z', 'X', 'Z', 0, 0}, NULL, 7},
    {"bzip2", UNPACK("bzip2 -dc"), 3, {'B', 'Z', 'h'}, is_plausible_bzip2, 10},
    {"lz4", UNPACK("lz4 -dc"), 4, {4, 0x22, 0x4d, 0x18}, is_plausible_lz4, 6},
    {"NumPy's .npz",
     "write its arrays as .npy with numpy.save",
     4,
     {'P', 'K', 3, 4},
     is_plausible_npz,
     30 + 64},
    {"zip", UNPACK("unzip -p"), 4, {'P', 'K', 3, 4}, is_plausible_zip, 30},
    {"7z", UNPACK("7z x -so"), 6, {'7', 'z', 0xbc, 0xaf, 0x27, 0x1c}, NULL, 6},
    {"Parquet", COLUMNS, 4, {'P', 'A', 'R', '1'}, is_plausible_parquet, 5},
    {"Arrow IPC", COLUMNS, 8, {'A', 'R', 'R', 'O', 'W', '1', 0, 0}, NULL, 8},
    {"HDF5", NUMBERS, 8, {0x89, 'H', 'D', 'F', 13, 10, 26, 10}, NULL, 8},
    {"SQLite",
     "sort in SQL, with ORDER BY",
     16,
     {'S', 'Q', 'L', 'i', 't', 'e', ' ', 'f', 'o', 'r', 'm', 'a', 't', ' ', '3', 0},
     NULL,
     16},
};

static bool has_magic_prefix(const struct magic *magic, const uint8_t *data, size_t bytes)
{
    return memcmp(data, magic->data, gsi_min_u64(bytes, magic->bytes)) == 0;
}

static const struct magic *find_magic(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        const struct magic *magic = &magics[i];
        if (bytes >= magic->wanted && has_magic_prefix(magic, data, bytes) &&
            (magic->is_plausible == NULL || magic->is_plausible(data)))
            return magic;
    }
    return NULL;
}

/* Returns how many bytes the character at `at` has: printable ASCII, a blank, the end of a line, or
 * UTF-8; 0: it is not a character. An incomplete character at the end counts as one. */
static size_t character_bytes(const uint8_t *at, size_t left)
{
    if (*at < 0x80)
        return (*at >= 0x20 && *at < 0x7f) || *at == '\t' || *at == '\n' || *at == '\r' ? 1 : 0;
    size_t bytes = *at >= 0xc2 && *at <= 0xdf ? 2 : *at >= 0xe0 && *at <= 0xef ? 3 : 4;
    if (*at < 0xc2 || *at > 0xf4)
        return 0;
    for (size_t i = 1; i < bytes && i < left; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return gsi_min_u64(bytes, left);
}

/* Returns whether all bytes are characters. */
static bool are_characters(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0, step; i < bytes; i += step)
        if ((step = character_bytes(data + i, bytes - i)) == 0)
            return false;
    return true;
}

/* Returns whether a letter is printable ASCII, a blank or the end of a line. */
static bool is_ascii(unsigned letter)
{
    uint8_t byte = (uint8_t)letter;
    return letter < 0x80 && character_bytes(&byte, 1) == 1;
}

/* Returns whether a letter is usual in words and numbers. */
static bool is_word_letter(unsigned letter)
{
    bool is_letter = (letter | 0x20) >= 'a' && (letter | 0x20) <= 'z';
    bool is_digit = letter >= '0' && letter <= '9';
    return is_letter || is_digit ||
           (letter > 0 && letter < 0x80 && strchr(" -+.,:;_\t\r\n", (int)letter) != NULL);
}

/* Returns whether the bytes are text in a code with one byte per letter, such as Latin-1. It has no
 * control characters, and three of four letters are usual in words. Binary numbers are not, except
 * for a few by chance. */
static bool are_single_byte_text(const uint8_t *data, size_t bytes)
{
    size_t words = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (data[i] < 0x80 && !is_ascii(data[i]))
            return false;
        words += is_word_letter(data[i]);
    }
    return bytes < TEXT_SHORT_BYTES || words >= bytes - bytes / 4;
}

/* Returns whether the bytes are UTF-16 text in the given byte order. Without a byte order mark,
 * only letters of Latin-1 are accepted. */
static bool are_utf16_text(const uint8_t *data, size_t bytes, bool is_big_endian, bool needs_line)
{
    size_t words = 0, count = bytes / 2;
    bool has_mark = false, has_line = false;
    for (size_t i = 0; i < count; i++) {
        unsigned unit = data[2 * i + !is_big_endian] * 256u + data[2 * i + is_big_endian];
        bool is_mark = i == 0 && unit == 0xfeff;
        has_mark |= is_mark;
        if (unit < 0xa0 ? !is_ascii(unit) : unit >= (has_mark ? 0xfffeu : 0x100u))
            return false;
        words += is_mark || is_word_letter(unit);
        has_line |= unit == '\n';
    }
    if (bytes < TEXT_SHORT_BYTES)
        return true;
    return (has_line || !needs_line) && (has_mark || words >= count - count / 4);
}

/* Returns whether the bytes may be text in any code. `is_all`: no more bytes will be inspected. */
static bool may_be_text(const uint8_t *data, size_t bytes, bool is_all)
{
    return are_characters(data, bytes) || are_single_byte_text(data, bytes) ||
           are_utf16_text(data, bytes, false, is_all) || are_utf16_text(data, bytes, true, is_all);
}

/* Returns whether all bytes are usual in words and numbers. */
static bool are_words(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!is_word_letter(data[i]))
            return false;
    return true;
}

/* Returns whether the bytes are lines of text. */
static bool is_text(const uint8_t *data, size_t bytes, bool is_whole)
{
    if (bytes < TEXT_MIN_BYTES || memchr(data, '\n', bytes) == NULL)
        return false;
    if (bytes < TEXT_SHORT_BYTES)
        return is_whole && data[bytes - 1] == '\n' && are_words(data, bytes);
    return may_be_text(data, bytes, true);
}

size_t gsi_foreign_wanted(const uint8_t *data, size_t bytes)
{
    size_t wanted = 4;
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (has_magic_prefix(&magics[i], data, bytes) && magics[i].wanted > wanted && bytes >= 3)
            wanted = magics[i].wanted;
    if (bytes >= 4 && may_be_text(data, bytes, false))
        wanted = gsi_clamp_u64(2 * (uint64_t)bytes, TEXT_SHORT_BYTES, TEXT_BYTES);
    return wanted;
}

enum gs_status gsi_foreign_check(const struct gsi_beginning *beginning, const char *name,
                                 struct gs_error *error)
{
    const struct magic *magic = find_magic(beginning->data, beginning->bytes);
    if (magic != NULL)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "'%s': looks like %s; %s (--raw sorts the file as it is)", name,
                        magic->format, magic->advice);
    if (!beginning->may_be_text && is_text(beginning->data, beginning->bytes, beginning->is_whole))
        return gsi_fail(
            error, GS_E_INPUT, 0,
            "'%s': looks like text, use sort(1); gsort sorts binary numbers, and " RECIPE
            " converts CSV files to them (--raw sorts the file as it is)",
            name);
    return GS_OK;
}
