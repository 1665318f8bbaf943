/* carry.h: what of an element is carried through the sort, where that is not the element as it was
 * read.
 *
 *     as read           carried                        as written
 *     element           key, position                  position            --argsort
 *     a b c d e f       b c e                          e b                 --out: what sort or
 *                                                                          output need of a record
 *     element           element, values of other files the same            --values
 *     element           random key, element            element             --shuffle
 *
 * A key and a position are one number, position below, if both fit into 64 or 128 bits; then equal
 * keys are in the order of the input without more ado, and the number sorts as fast as any. Keys
 * that are longer, or that --unique has to find equal, are records: the normalised key (record.h),
 * then the position. In both the order is in the key, so they are sorted upwards, whatever the
 * options say. */
#ifndef GSI_CARRY_H
#define GSI_CARRY_H

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

enum gsi_carry_kind { GSI_CARRY_NUMBER, GSI_CARRY_KEY, GSI_CARRY_FIELDS, GSI_CARRY_JOINED };

/* Keys, of two parts each, statistics, folds and the output name as many fields each; a merge needs
 * the whole element, too. */
#define GSI_CARRY_PIECES_MAX (5u * GSI_FIELDS_MAX + 1)

/* Bytes that are copied from one place to another. */
struct gsi_carry_piece {
    uint32_t from, to, bytes;
};

struct gsi_carry {
    enum gsi_carry_kind kind;
    struct gsi_layout input; /* of elements as read; what it points to is borrowed */
    uint32_t carried_bytes, output_bytes;
    bool is_shuffled; /* a random key (shuffle.h) comes first, or takes the place of the sort key */
    uint64_t seed;
    bool is_whole;          /* the payload of a random key is the whole element, which is written */
    uint32_t key_bytes;     /* of a normalised key */
    uint32_t position_bits; /* GSI_CARRY_NUMBER */
    uint32_t in_count, out_count;                        /* GSI_CARRY_FIELDS */
    struct gsi_carry_piece in[GSI_CARRY_PIECES_MAX];     /* of the element, carried */
    struct gsi_carry_piece out[GSI_FIELDS_MAX];          /* of what is carried, written */
    struct gsi_carry_piece needed[GSI_CARRY_PIECES_MAX]; /* while pieces are added */
    uint32_t needed_count;
};

/* gsi_carry_positions: keys and positions.
 * in    most: there are fewer positions than this; UINT64_MAX: nobody knows
 *       has_groups: equal keys have to be found; index_bytes: of a position in the output, 4 or 8
 * fails GS_E_USAGE: keys are too long to have a position behind them */
enum gs_status gsi_carry_positions(struct gsi_carry *carry, const struct gsi_layout *input,
                                   uint64_t most, bool has_groups, uint32_t index_bytes,
                                   struct gs_error *error);

/* gsi_carry_shuffle: makes what is carried begin with a random key of `seed`. Positions get the
 * random key instead of their element's. Call it after gsi_carry_positions or gsi_carry_joined, but
 * directly after gsi_carry_fields.
 * gsi_carry_element_off: where the element, or its first field, is in what is carried. */
void gsi_carry_shuffle(struct gsi_carry *carry, uint64_t seed);
static inline uint32_t gsi_carry_element_off(const struct gsi_carry *carry)
{
    return carry->is_shuffled ? sizeof(uint64_t) : 0;
}

/* gsi_carry_fields: begins an empty list of fields of records.
 * gsi_carry_need: bytes that are needed until the output.
 * gsi_carry_write_field: the next bytes of the output, which are needed, too.
 * gsi_carry_lay_out: ends the list, and decides where each byte is carried; all of the record, if
 * `is_whole`.
 * limit  as many calls of each as GSI_FIELDS_MAX and GSI_CARRY_PIECES_MAX say
 * gsi_carry_place: where the byte at `off` of the record is carried, which is needed. */
void gsi_carry_fields(struct gsi_carry *carry, const struct gsi_layout *input);
void gsi_carry_need(struct gsi_carry *carry, uint32_t off, uint32_t bytes);
void gsi_carry_write_field(struct gsi_carry *carry, uint32_t off, uint32_t bytes);
void gsi_carry_lay_out(struct gsi_carry *carry, bool is_whole);
uint32_t gsi_carry_place(const struct gsi_carry *carry, uint32_t off);

/* gsi_carry_take: puts what is carried of `n` elements at `to`, which lies elsewhere.
 * in    first: position of the first one; places: of each, added to that; NULL: one by one
 *       rank: how many elements come before them after --where, for random keys
 * gsi_carry_put: puts what is written of `n` of those, which lie `stride` bytes apart, at `to`;
 * what is behind each of them (counts, wide sums) follows. Returns the sum of all positions.
 * Pure; any thread. */
void gsi_carry_take(const struct gsi_carry *carry, const uint8_t *elements, size_t n,
                    uint64_t first, const uint32_t *places, uint64_t rank, uint8_t *to);
gsi_u128 gsi_carry_put(const struct gsi_carry *carry, const uint8_t *carried, size_t n,
                       uint64_t stride, uint8_t *to);

/* gsi_carry_copy: what gsi_carry_put does, of `n` positions that a device has put as they are
 * written. */
gsi_u128 gsi_carry_copy(const struct gsi_carry *carry, const uint8_t *positions, size_t n,
                        uint8_t *to);

/* gsi_carry_suits_device: whether a device with memory of its own can make what is carried of
 * elements, and positions of that again: of numbers, and of records that are words. */
bool gsi_carry_suits_device(const struct gsi_carry *carry);

/* gsi_carry_fits: whether positions of so many elements, from 0 on, fit into 4 or 8 bytes. */
bool gsi_carry_fits(uint64_t count, uint32_t index_bytes);

/* gsi_carry_has_positions: whether positions are written.
 * gsi_carry_is_changed: whether something else is written than what is carried.
 * gsi_carry_is_tallied: whether elements are tallied as they are read, for what is sorted is
 * something else than what the report tells of. */
static inline bool gsi_carry_has_positions(const struct gsi_carry *carry)
{
    return carry->kind == GSI_CARRY_NUMBER || carry->kind == GSI_CARRY_KEY;
}
static inline bool gsi_carry_is_changed(const struct gsi_carry *carry)
{
    return carry->kind != GSI_CARRY_JOINED;
}
static inline bool gsi_carry_is_tallied(const struct gsi_carry *carry)
{
    return carry->kind != GSI_CARRY_FIELDS || carry->is_shuffled ||
           carry->carried_bytes < carry->input.element_bytes;
}

/* gsi_carry_joined: elements with `value_bytes` behind each, which somebody else puts there. */
void gsi_carry_joined(struct gsi_carry *carry, const struct gsi_layout *input,
                      uint32_t value_bytes);

#ifdef __cplusplus
}
#endif
#endif
