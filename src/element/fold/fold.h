/* fold.h: fields of records that are folded where records with equal keys become one: sums, minima
 * and maxima.
 *
 *     --sum 8:u32 --max 12:f64        key 1 | 3 | 0.5        key 1 | 7 | 2.5
 *                                     key 1 | 4 | 2.5   =>   key 2 | 9 | 1
 *                                     key 2 | 9 | 1
 *
 * - Sums are exact. Those of integers have to fit into the field; only the sum of all counts, not
 *   those on the way. Those of floats are rounded once, to nearest even, to the field's type; a
 *   finite sum has to stay finite. NaNs are left out; the sum of NaNs alone is NaN, positive and
 *   quiet, as is that of infinities of both signs. A sum of zero is -0 only if all numbers were.
 * - Minima and maxima are by the order of sorting (key_order.h), without NaNs and NaT. A group
 *   without other values keeps the field. Times have no sum.
 * - Wide sums stand behind the record, little endian: 8 bytes for up to 4, 16 for 8, 32 for 16, f64
 *   for floats. The field itself stays.
 * - A record that is alone stays as it is.
 *
 * Whatever leaves is added up: totals of sums, and extremes, over all groups have to be those of
 * the fields over all records, which tallies know (record_tally.h). */
#ifndef GSI_FOLD_H
#define GSI_FOLD_H

#include "base/choices.h"
#include "base/memory.h"
#include "element/key_order.h"
#include "element/record/record.h"
#include "element/tally/exact_sum.h"
#include "element/tally/tally_sums.h"

enum gsi_fold_kind { GSI_FOLD_SUM, GSI_FOLD_MIN, GSI_FOLD_MAX };

/* A folded field. `tally_idx` is that of the record's field with the same statistics. */
struct gsi_fold_field {
    struct gsi_field field;
    enum gsi_fold_kind kind;
    struct gsi_key_map map; /* ascending */
    uint32_t tally_idx;
    uint32_t wide_off, wide_bytes; /* behind the record; 0 bytes: it goes into the field */
};

/* Which fields are folded, and how; the rule of a job. */
struct gsi_fold {
    uint32_t record_bytes, count, float_count;
    uint32_t wide_bytes; /* of all wide sums together */
    bool changes_order;  /* a field is part of a key that makes no group */
    struct gsi_fold_field fields[GSI_FIELDS_MAX];
};

/* gsi_fold_add_field: one more field. Makes sure that the record's tallies have its statistics.
 * in    option: "sum", ..; text: OFF:TYPE, borrowed; key_count: of the keys that make a group; 0:
 *       all
 * fails GS_E_USAGE: no field, one too many, or one that overlaps a key or another folded field */
enum gs_status gsi_fold_add_field(struct gsi_fold *fold, struct gsi_record *record,
                                  uint32_t key_count, enum gsi_fold_kind kind, bool is_wide,
                                  const char *text, struct gs_error *error);

/* gsi_fold_kind_name: the option that asks for it. */
const char *gsi_fold_kind_name(enum gsi_fold_kind kind);

/* A two's complement number of 256 bits. */
struct gsi_wide {
    gsi_u128 low, high;
};

/* gsi_fold_may_join: whether records can be folded two by two: what is on the way then is in their
 * fields, which hold neither wide sums nor sums of floats that are not rounded, and by which
 * records are not ordered.
 * gsi_fold_is_nan: whether a record's field is a NaN or NaT.
 * gsi_fold_join: folds `record` into `first`. false: a sum does not fit; nothing was changed. */
bool gsi_fold_may_join(const struct gsi_fold *fold);
bool gsi_fold_is_nan(const struct gsi_fold_field *folded, const uint8_t *element);
bool gsi_fold_join(const struct gsi_fold *fold, uint8_t *first, const uint8_t *record);

/* What one field has become so far; of floats the sum is in `limbs`. */
struct gsi_fold_value {
    struct gsi_wide sum;
    uint64_t *limbs; /* GSI_EXACT_LIMBS; two's complement */
    uint64_t nans, positive_infinities, negative_infinities;
    bool has_number; /* a float that is no NaN was added */
    bool is_all_negative_zero;
    gsi_u128 key;        /* of the extreme */
    uint8_t extreme[16]; /* as it lies in the record */
    bool has_extreme;
};

/* The group that is being folded, and totals of those before it. */
struct gsi_folder {
    const struct gsi_fold *fold;
    struct gsi_fold_value *values, *totals; /* of each field */
    uint64_t count;                         /* of records in the group; 1: nothing was added */
    const struct gsi_fold_field *overflow;  /* the first field that a sum did not fit into */
};

/* gsi_folder_place: places a folder on a shelf.
 * gsi_folder_restart: nothing was folded yet. */
void gsi_folder_place(struct gsi_folder *folder, const struct gsi_fold *fold,
                      struct gsi_shelf *shelf);
void gsi_folder_restart(struct gsi_folder *folder);

/* gsi_folder_add: `n` more records of the group; `first` is the one that it began with, and is read
 * with the second one only.
 * gsi_folder_end: ends a group: `entry` is the record that stands for it, with room for wide sums
 * behind it, and gets the folded fields. A sum that does not fit is noted in folder->overflow. */
void gsi_folder_add(struct gsi_folder *folder, const uint8_t *first, const uint8_t *elements,
                    size_t n);
void gsi_folder_end(struct gsi_folder *folder, uint8_t *entry);

/* What was folded apart is put together, in the order of the stream:
 * gsi_folder_go_on: the group of `folder` has `count` records, and goes on with the `more_count` of
 * `more`'s. `first` and `more_first` are the one that each begins with, read if it is alone.
 * gsi_folder_follow: the group has ended; those of `next` follow, and the last of them goes on. */
void gsi_folder_go_on(struct gsi_folder *folder, const uint8_t *first, uint64_t count,
                      const struct gsi_folder *more, const uint8_t *more_first,
                      uint64_t more_count);
void gsi_folder_follow(struct gsi_folder *folder, const struct gsi_folder *next);

/* gsi_folder_differs: a field of which the groups' totals are not those of all records; NULL: none.
 * in    fields: statistics of the record's fields */
const struct gsi_fold_field *gsi_folder_differs(const struct gsi_folder *folder,
                                                const struct gsi_tally_report *fields);

#endif
