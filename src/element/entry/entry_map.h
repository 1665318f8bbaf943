/* entry_map.h: maps elements to entries, which are sorted instead of them, and entries to what is
 * written.
 *
 *     as read           entry                          as written
 *     element           key, position                  position            --argsort
 *     a b c d e f       b c e                          e b                 --out: what sort or
 *                                                                          output need of a record
 *     element           element, values of other files the same            --values
 *     element           random key, element            element             --shuffle
 *
 * A key and its position are one number if both fit into 64 or 128 bits; the position is in the low
 * bits. Equal keys then keep the order of the input, and the number sorts like any number. If keys
 * are longer, or --unique has to compare them, the entry is a record: the normalised key
 * (record.h), then the position. In both cases the key includes the direction, so entries are
 * always sorted in ascending order. */
#ifndef GSI_ENTRY_MAP_H
#define GSI_ENTRY_MAP_H

#include "base/choices.h"
#include "base/u128.h"
#include "element/layout.h"
#include "element/record/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Describes the output if positions or fields are written instead of elements, and a shuffle. */
struct gsi_payload_report {
    char fields[GSI_FIELDS_MAX][GSI_FIELD_TEXT_BYTES];
    size_t field_count;
    uint32_t written_bytes; /* of each element; 0: elements are written */
    uint32_t sorted_bytes;  /* of each element; the plan and runs.spilled_bytes count these */
    bool has_positions;
    bool is_shuffled;
    uint64_t seed; /* of the shuffle: as given, or as drawn */
};

enum gsi_entry_kind { GSI_ENTRY_NUMBER, GSI_ENTRY_KEY, GSI_ENTRY_FIELDS, GSI_ENTRY_JOINED };

/* Keys (of two parts each), statistics, folded fields and the output name up to GSI_FIELDS_MAX
 * fields each. A merge also needs the whole element. */
#define GSI_ENTRY_RANGES_MAX (5u * GSI_FIELDS_MAX + 1)

/* Bytes that are copied from one place to another. */
struct gsi_entry_range {
    uint32_t from, to, bytes;
};

struct gsi_entry_map {
    enum gsi_entry_kind kind;
    struct gsi_layout input; /* of elements as read; what it points to is borrowed */
    uint32_t entry_bytes, output_bytes;
    bool is_shuffled; /* a random key (shuffle.h) precedes the entry, or replaces its sort key */
    uint64_t seed;
    bool is_whole;          /* the payload of a random key is the whole element, which is written */
    uint32_t key_bytes;     /* of a normalised key */
    uint32_t position_bits; /* GSI_ENTRY_NUMBER */
    uint32_t in_count, out_count;                        /* GSI_ENTRY_FIELDS */
    struct gsi_entry_range in[GSI_ENTRY_RANGES_MAX];     /* from an element to its entry */
    struct gsi_entry_range out[GSI_FIELDS_MAX];          /* from an entry to the output */
    struct gsi_entry_range needed[GSI_ENTRY_RANGES_MAX]; /* while pieces are added */
    uint32_t needed_count;
};

/* gsi_entry_positions: makes entries of keys and positions.
 * in    most: there are fewer positions than this; UINT64_MAX: unknown; has_groups: equal keys have
 *       to be found; index_bytes: of a position in the output, 4 or 8
 * fails GS_E_USAGE: keys are too long to have a position after them */
enum gs_status gsi_entry_positions(struct gsi_entry_map *entry_map, const struct gsi_layout *input,
                                   uint64_t most, bool has_groups, uint32_t index_bytes,
                                   struct gs_error *error);

/* gsi_entry_shuffle: makes entries begin with a random key of `seed`. Positions get the random key
 * instead of their element's. Call it after gsi_entry_positions or gsi_entry_joined, but directly
 * after gsi_entry_fields.
 * gsi_entry_element_off: returns where the element, or its first field, is in an entry. */
void gsi_entry_shuffle(struct gsi_entry_map *entry_map, uint64_t seed);
static inline uint32_t gsi_entry_element_off(const struct gsi_entry_map *entry_map)
{
    return entry_map->is_shuffled ? sizeof(uint64_t) : 0;
}

/* gsi_entry_fields: begins an empty list of fields of records.
 * gsi_entry_need: adds bytes that are needed until the output.
 * gsi_entry_write_field: adds the next bytes of the output, which are needed, too.
 * gsi_entry_lay_out: ends the list, and decides the place of each byte in an entry. With
 * `is_whole`, an entry contains the whole record. limit  as many calls of each as GSI_FIELDS_MAX
 * and GSI_ENTRY_RANGES_MAX say
 * gsi_entry_offset_of: returns the place in an entry of the needed byte at `off` of the record. */
void gsi_entry_fields(struct gsi_entry_map *entry_map, const struct gsi_layout *input);
void gsi_entry_need(struct gsi_entry_map *entry_map, uint32_t off, uint32_t bytes);
void gsi_entry_write_field(struct gsi_entry_map *entry_map, uint32_t off, uint32_t bytes);
void gsi_entry_lay_out(struct gsi_entry_map *entry_map, bool is_whole);
uint32_t gsi_entry_offset_of(const struct gsi_entry_map *entry_map, uint32_t off);

/* gsi_entry_make: makes entries of `n` elements at `to`, in other memory.
 * in    first: position of the first element; places: of each element, added to `first`; NULL: 0,
 *       1, 2, ..; rank: for random keys, how many elements that --where kept precede these
 * gsi_entry_write: writes the wanted bytes of `n` entries, which are `stride` bytes apart, to `to`.
 * Counts and wide sums after an entry are copied, too. Returns the sum of all positions. Pure; any
 * thread. */
void gsi_entry_make(const struct gsi_entry_map *entry_map, const uint8_t *elements, size_t n,
                    uint64_t first, const uint32_t *places, uint64_t rank, uint8_t *to);
gsi_u128 gsi_entry_write(const struct gsi_entry_map *entry_map, const uint8_t *entries, size_t n,
                         uint64_t stride, uint8_t *to);

/* gsi_entry_write_positions: does the same for `n` positions that a device has already made as they
 * are written. */
gsi_u128 gsi_entry_write_positions(const struct gsi_entry_map *entry_map, const uint8_t *positions,
                                   size_t n, uint8_t *to);

/* gsi_entry_suits_device: returns whether a device with memory of its own can make entries of
 * elements, and positions of entries: for numbers, and records that are integers. */
bool gsi_entry_suits_device(const struct gsi_entry_map *entry_map);

/* gsi_entry_positions_fit: returns whether positions of so many elements, from 0 on, fit into 4 or
 * 8 bytes. */
bool gsi_entry_positions_fit(uint64_t count, uint32_t index_bytes);

/* gsi_entry_has_positions: returns whether positions are written.
 * gsi_entry_is_changed: returns whether written entries differ from sorted ones.
 * gsi_entry_is_tallied: returns whether elements are tallied as they are read, because entries do
 * not contain all that the report describes. */
static inline bool gsi_entry_has_positions(const struct gsi_entry_map *entry_map)
{
    return entry_map->kind == GSI_ENTRY_NUMBER || entry_map->kind == GSI_ENTRY_KEY;
}
static inline bool gsi_entry_is_changed(const struct gsi_entry_map *entry_map)
{
    return entry_map->kind != GSI_ENTRY_JOINED;
}
static inline bool gsi_entry_is_tallied(const struct gsi_entry_map *entry_map)
{
    return entry_map->kind != GSI_ENTRY_FIELDS || entry_map->is_shuffled ||
           entry_map->entry_bytes < entry_map->input.element_bytes;
}

/* gsi_entry_joined: makes entries of an element followed by `value_bytes`, which the caller
 * copies. */
void gsi_entry_joined(struct gsi_entry_map *entry_map, const struct gsi_layout *input,
                      uint32_t value_bytes);

#ifdef __cplusplus
}
#endif
#endif
