/* record.h: describes records of a fixed length with keys inside, and orders them.
 *
 * The *normalised key* of a record is the concatenation, over its keys, of bytes whose
 * lexicographic order is the wanted one. A number gives the big-endian bytes of its sort key
 * (key_order.h); bytes give themselves. If the order is descending, the bytes are complemented.
 *
 *     -k 4:u16:desc -k 0:b3     record        61 62 63 00 | 01 02 ..
 *                               normalised    fd fe | 61 62 63        (~0x0201, then "abc")
 *
 * So any keys can be sorted as one string of bytes. A tag contains a few of these bytes
 * (record_tags.h), and a comparison reads all bytes after a given one. The normalised key is never
 * made as a whole. It is a list of parts; each part names a field of the record and says how to
 * read it. Pure. */
#ifndef GSI_RECORD_H
#define GSI_RECORD_H

#include "base/choices.h"
#include "base/status.h"
#include "element/key_order.h"
#include "element/number_type.h"
#include "element/record/element_report.h"
#include "element/record/names.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GSI_RECORD_BYTES_MIN  1u
#define GSI_RECORD_BYTES_MAX  65536u
#define GSI_RECORD_FIELDS_MAX GSI_FIELDS_MAX /* keys, and fields with statistics */
#define GSI_RECORD_PARTS_MAX \
    (3 * GSI_RECORD_FIELDS_MAX + 1) /* two per key, and the bytes between keys */

/* A part of a record that an option names. */
struct gsi_field {
    uint32_t off, bytes;
    const struct gsi_number_type *number; /* NULL: bytes */
    const struct gsi_key_type *type;      /* as which a number is counted; NULL: bytes */
    bool is_big_endian, is_descending;
    const char *text;            /* as given; borrowed */
    const struct gsi_name *name; /* NULL: it was given as OFF:TYPE */
};

/* gsi_field_is_same: returns whether two fields are the same bytes, read as the same number. */
static inline bool gsi_field_is_same(const struct gsi_field *a, const struct gsi_field *b)
{
    return a->off == b->off && a->bytes == b->bytes && gsi_number_is_like(a->number, b->number) &&
           a->is_big_endian == b->is_big_endian;
}

struct gsi_key_part {
    uint32_t at; /* place in the normalised key */
    uint32_t off, bytes;
    bool is_number; /* of 1, 2, 4 or 8 bytes; else bytes, unchanged or complemented */
    bool is_big_endian;
    /* Maps the number in the upper bits of a 64-bit word to its key in the upper bits. For bytes
     * only `invert` matters: all ones or all zeros. */
    struct gsi_key_map map;
};

struct gsi_record {
    uint32_t bytes;                /* of a record */
    uint32_t key_bytes;            /* of the normalised key */
    const struct gsi_names *names; /* of its fields; NULL: they have none */
    uint32_t part_count, key_count, field_count;
    enum gsi_nan_place nan_place;
    bool ties_by_bytes; /* after the keys, the normalised key contains all other bytes */
    struct gsi_key_part parts[GSI_RECORD_PARTS_MAX]; /* in the order of the normalised key */
    struct gsi_field keys[GSI_RECORD_FIELDS_MAX];
    struct gsi_field fields[GSI_RECORD_FIELDS_MAX]; /* to be counted */
};

/* gsi_record_make: makes a record from the values of --record, --key and --stats-of, which are
 * borrowed. Without keys, the whole record is the key, as bytes. Without fields, the first key that
 * is a number gets statistics.
 * in    bytes: of a record; is_reversed: reverses the order of every key
 * fails GS_E_USAGE: names option and text */
enum gs_status gsi_record_make(uint32_t bytes, const char *const *keys, size_t key_count,
                               const char *const *fields, size_t field_count, bool is_reversed,
                               struct gsi_record *record, struct gs_error *error);

/* gsi_record_make_named: as gsi_record_make, and keys and fields may be given by names, which are
 * borrowed. */
enum gs_status gsi_record_make_named(uint32_t bytes, const struct gsi_names *names,
                                     const char *const *keys, size_t key_count,
                                     const char *const *fields, size_t field_count,
                                     bool is_reversed, struct gsi_record *record,
                                     struct gs_error *error);

/* gsi_record_place_nans: puts NaNs and NaTs of all keys first or last. Call it once, after
 * gsi_record_make. */
void gsi_record_place_nans(struct gsi_record *record, enum gsi_nan_place place);

/* gsi_record_break_ties: appends all bytes that are in no key to the normalised key, in the order
 * of the record. Then these bytes order records with equal keys.
 * gsi_record_group_keys: returns how many keys define a group, if the option says `group_keys`; 0:
 * the whole normalised key. */
void gsi_record_break_ties(struct gsi_record *record, bool is_reversed);
static inline uint32_t gsi_record_group_keys(const struct gsi_record *record, uint32_t group_keys)
{
    return record->ties_by_bytes && group_keys == 0 ? record->key_count : group_keys;
}

/* gsi_field_of_number: returns the field of a number at the beginning of a record. Its name is one
 * of number_type.h, and is borrowed.
 * gsi_record_make_number: makes a record whose only key is this number. So numbers are sorted that
 * no device sorts, or numbers with a payload after them.
 * in    bytes: of a record, at least those of the number */
struct gsi_field gsi_field_of_number(const char *name);
void gsi_record_make_number(uint32_t bytes, const char *name, bool is_reversed,
                            struct gsi_record *record);

/* gsi_names_add: adds the names of one --fields: NAME=OFF:TYPE,.. or @FILE, a file of such items
 * between commas and ends of lines, with comments after '#'.
 * fails GS_E_USAGE: an item is wrong, or its field is not inside the record, or its name exists;
 *       GS_E_INPUT: the file cannot be read; GS_E_MEMORY */
enum gs_status gsi_names_add(struct gsi_names *names, const char *text, uint32_t record_bytes,
                             struct gs_error *error);

/* gsi_field_parse: parses OFF:TYPE, or a name, of a record. A failure names `option`. `text` is
 * borrowed.
 * gsi_field_parse_item: parses OFF:TYPE, which is a part of the text `item`; a failure shows that.
 * in    names: may be NULL
 * fails GS_E_USAGE */
enum gs_status gsi_field_parse(const char *option, const char *text, uint32_t record_bytes,
                               const struct gsi_names *names, struct gsi_field *field,
                               struct gs_error *error);
enum gs_status gsi_field_parse_item(const char *option, const char *item, const char *text,
                                    uint32_t record_bytes, struct gsi_field *field,
                                    struct gs_error *error);

/* gsi_field_place: writes a field as OFF:TYPE. */
void gsi_field_place(const struct gsi_field *field, char place[GSI_NAME_PLACE_BYTES]);

/* gsi_bytes_parse: parses OFF:LEN, bytes of a record; messages name `option`.
 * fails GS_E_USAGE */
enum gs_status gsi_bytes_parse(const char *option, const char *text, uint32_t record_bytes,
                               uint32_t *off, uint32_t *bytes, struct gs_error *error);

/* gsi_record_first_keys: copies the description of a record, with only its first `key_count` keys.
 * limit  key_count <= record->key_count */
void gsi_record_first_keys(const struct gsi_record *record, uint32_t key_count,
                           struct gsi_record *first);

/* gsi_record_key: copies bytes [at, at + n) of the normalised key, with zeros after its end. */
void gsi_record_key(const struct gsi_record *record, const void *element, uint32_t at, uint32_t n,
                    uint8_t *key);

/* gsi_record_compare: compares two records by their normalised keys: negative, 0, positive. The
 * first `at` bytes are known to be equal. */
int gsi_record_compare(const struct gsi_record *record, const void *a, const void *b, uint32_t at);

/* gsi_record_shared: returns the index of the first byte in which two normalised keys differ, but
 * at most `most`. The first `at` bytes are known to be equal.
 * limit  at <= most <= key_bytes */
uint32_t gsi_record_shared(const struct gsi_record *record, const void *a, const void *b,
                           uint32_t at, uint32_t most);

/* gsi_field_describe: describes a field for a report.
 * gsi_field_number: copies a number of a record, as a little-endian element of field->type.
 * gsi_field_numbers: copies the numbers of `n` records that are `step` bytes apart, without NaTs.
 * Returns how many. */
struct gsi_field_report gsi_field_describe(const struct gsi_field *field);
void gsi_field_number(const struct gsi_field *field, const uint8_t *element, uint8_t *number);
size_t gsi_field_numbers(const struct gsi_field *field, const uint8_t *elements, uint32_t step,
                         size_t n, uint8_t *numbers);

/* gsi_field_text: writes a field's value for people: a decimal; text if all bytes are printable;
 * else hexadecimal digits, cut off if there are many. Returns `text`. */
#define GSI_FIELD_VALUE_BYTES 48
const char *gsi_field_text(const struct gsi_field *field, const uint8_t *element,
                           char text[GSI_FIELD_VALUE_BYTES]);

/* gsi_key_part_bits: returns the key of a part that is a number, in the lower bits of a 64-bit
 * word. Its big-endian bytes are the part's bytes of the normalised key.
 * gsi_field_key_map: returns the ascending map from a number to its key, both in the upper bits of
 * a 64-bit word. */
uint64_t gsi_key_part_bits(const struct gsi_key_part *part, const uint8_t *element);
struct gsi_key_map gsi_field_key_map(const struct gsi_field *field);

#ifdef __cplusplus
}
#endif
#endif
