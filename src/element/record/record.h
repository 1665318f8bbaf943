/* record.h: records of a fixed length with keys inside, and their order.
 *
 * The *normalised key* of a record is the concatenation, over its keys, of bytes whose
 * lexicographic order is the wanted one. A number gives the big-endian bytes of its sort key
 * (key_order.h); bytes give themselves. Where the order is descending they are complemented.
 *
 *     -k 4:u16:desc -k 0:b3     record        61 62 63 00 | 01 02 ..
 *                               normalised    fd fe | 61 62 63        (~0x0201, then "abc")
 *
 * So "bytes at, at + 1, .. of the key" has a meaning for any keys. Sorting asks for nothing else: a
 * tag takes a few of these bytes (record_tags.h), a comparison all from some place on. The
 * normalised key is never made as a whole. It is a list of parts; each is a field of the record and
 * how to read it. Pure. */
#ifndef GSI_RECORD_H
#define GSI_RECORD_H

#include "base/choices.h"
#include "base/status.h"
#include "element/key_order.h"
#include "element/number_type.h"
#include "element/record/element_report.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GSI_RECORD_BYTES_MIN  1u
#define GSI_RECORD_BYTES_MAX  65536u
#define GSI_RECORD_FIELDS_MAX GSI_FIELDS_MAX /* keys, and fields with statistics */
#define GSI_RECORD_PARTS_MAX \
    (3 * GSI_RECORD_FIELDS_MAX + 1) /* two a key, and what is between keys */

/* A piece of a record that was named in an option. */
struct gsi_field {
    uint32_t off, bytes;
    const struct gsi_number_type *number; /* NULL: bytes */
    const struct gsi_key_type *type;      /* of a number: how it is counted; NULL: bytes */
    bool is_big_endian, is_descending;
    const char *text; /* as given; borrowed */
};

/* gsi_field_is_same: the same bytes, read as the same number. */
static inline bool gsi_field_is_same(const struct gsi_field *a, const struct gsi_field *b)
{
    return a->off == b->off && a->bytes == b->bytes && gsi_number_is_like(a->number, b->number) &&
           a->is_big_endian == b->is_big_endian;
}

struct gsi_key_part {
    uint32_t at; /* place in the normalised key */
    uint32_t off, bytes;
    bool is_number; /* of 1, 2, 4 or 8 bytes; else bytes as they are, or complemented */
    bool is_big_endian;
    /* Of the number where it stands at the upper end of 64 bits, and so does its key; of bytes only
     * `invert` counts: all ones or all zeros. */
    struct gsi_key_map map;
};

struct gsi_record {
    uint32_t bytes;     /* of a record */
    uint32_t key_bytes; /* of the normalised key */
    uint32_t part_count, key_count, field_count;
    enum gsi_nan_place nan_place;
    bool ties_by_bytes; /* behind the keys the normalised key has all other bytes */
    struct gsi_key_part parts[GSI_RECORD_PARTS_MAX]; /* in the order of the normalised key */
    struct gsi_field keys[GSI_RECORD_FIELDS_MAX];
    struct gsi_field fields[GSI_RECORD_FIELDS_MAX]; /* to be counted */
};

/* gsi_record_make: from what --record, --key and --stats-of say; texts are borrowed. No key: the
 * whole record, as bytes. No field: the first key that is a number, if there is one.
 * in    bytes: of a record; is_reversed: every key the other way round
 * fails GS_E_USAGE: names option and text */
enum gs_status gsi_record_make(uint32_t bytes, const char *const *keys, size_t key_count,
                               const char *const *fields, size_t field_count, bool is_reversed,
                               struct gsi_record *record, struct gs_error *error);

/* gsi_record_place_nans: NaNs and NaTs of all keys come there; once, of a record that was made. */
void gsi_record_place_nans(struct gsi_record *record, enum gsi_nan_place place);

/* gsi_record_break_ties: all bytes that are in no key decide behind the keys, in their order.
 * gsi_record_group_keys: how many keys make a group of equal keys where `group_keys` were asked
 * for; 0: all that there is of the normalised key. */
void gsi_record_break_ties(struct gsi_record *record, bool is_reversed);
static inline uint32_t gsi_record_group_keys(const struct gsi_record *record, uint32_t group_keys)
{
    return record->ties_by_bytes && group_keys == 0 ? record->key_count : group_keys;
}

/* gsi_field_of_number: a number at the beginning of a record, by its name in number_type.h, which
 * is borrowed.
 * gsi_record_make_number: records of which it is the only key: numbers of a type that no device
 * sorts, or such with something behind them.
 * in    bytes: of a record, which holds the number */
struct gsi_field gsi_field_of_number(const char *name);
void gsi_record_make_number(uint32_t bytes, const char *name, bool is_reversed,
                            struct gsi_record *record);

/* gsi_order_word: whether `text` is ":desc" or ":asc", in any case, or ":descending" or
 * ":ascending". */
bool gsi_order_word(const char *text, bool *is_descending);

/* gsi_field_parse: OFF:TYPE, of a record; names `option` in a failure. `text` is borrowed.
 * fails GS_E_USAGE */
enum gs_status gsi_field_parse(const char *option, const char *text, uint32_t record_bytes,
                               struct gsi_field *field, struct gs_error *error);

/* gsi_bytes_parse: OFF:LEN, bytes of a record; names `option` in a failure.
 * fails GS_E_USAGE */
enum gs_status gsi_bytes_parse(const char *option, const char *text, uint32_t record_bytes,
                               uint32_t *off, uint32_t *bytes, struct gs_error *error);

/* gsi_record_first_keys: the same records, with only the first `key_count` of their keys.
 * limit  key_count <= record->key_count */
void gsi_record_first_keys(const struct gsi_record *record, uint32_t key_count,
                           struct gsi_record *first);

/* gsi_record_key: bytes [at, at + n) of the normalised key; zeros behind its end. */
void gsi_record_key(const struct gsi_record *record, const void *element, uint32_t at, uint32_t n,
                    uint8_t *key);

/* gsi_record_compare: compares two records by their normalised keys: negative, 0, positive. The
 * first `at` bytes are known to be equal. */
int gsi_record_compare(const struct gsi_record *record, const void *a, const void *b, uint32_t at);

/* gsi_record_shared: the first byte in which two normalised keys differ, but `most` at most. The
 * first `at` bytes are known to be equal.
 * limit  at <= most <= key_bytes */
uint32_t gsi_record_shared(const struct gsi_record *record, const void *a, const void *b,
                           uint32_t at, uint32_t most);

/* gsi_field_describe: a field for a report.
 * gsi_field_number: the value of a number in a record, as a little-endian element of field->type.
 * gsi_field_numbers: of `n` records that lie `step` bytes apart, without NaTs. Returns how many. */
struct gsi_field_report gsi_field_describe(const struct gsi_field *field);
void gsi_field_number(const struct gsi_field *field, const uint8_t *element, uint8_t *number);
size_t gsi_field_numbers(const struct gsi_field *field, const uint8_t *elements, uint32_t step,
                         size_t n, uint8_t *numbers);

/* gsi_field_text: a field's value as people read it: a decimal, text where bytes are printable,
 * else hexadecimal digits, cut off where they are many. Returns `text`. */
#define GSI_FIELD_VALUE_BYTES 48
const char *gsi_field_text(const struct gsi_field *field, const uint8_t *element,
                           char text[GSI_FIELD_VALUE_BYTES]);

/* gsi_part_word: the key of a part that is a number, at the lower end of 64 bits. Its big-endian
 * bytes are the part's bytes of the normalised key.
 * gsi_part_map: how a number becomes its key, both at the upper end of 64 bits; ascending. */
uint64_t gsi_part_word(const struct gsi_key_part *part, const uint8_t *element);
struct gsi_key_map gsi_part_map(const struct gsi_field *field);

#ifdef __cplusplus
}
#endif
#endif
