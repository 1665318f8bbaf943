/* fold.h: computes sums, minima and maxima of fields when records with equal keys are reduced to
 * one record. "Fold" means to compute such an aggregate.
 *
 *     --sum 8:u32 --max 12:f64        key 1 | 3 | 0.5        key 1 | 7 | 2.5
 *                                     key 1 | 4 | 2.5   =>   key 2 | 9 | 1
 *                                     key 2 | 9 | 1
 *
 * - Sums are exact. The sum of integers has to fit into the field; only the final sum counts, not
 *   sums on the way. The sum of floats is rounded once, to nearest even, to the field's type; a
 *   finite sum has to stay finite. NaNs are left out. The sum is a positive quiet NaN if there are
 *   only NaNs, or infinities of both signs. A sum of zero is -0 only if all numbers were -0.
 * - Minima and maxima are by the order of sorting (key_order.h), without NaNs and NaT. A group
 *   without other values keeps the field. Times have no sum.
 * - Wide sums follow the record, little endian: 8 bytes for fields of up to 4, 16 for 8, 32 for 16,
 *   f64 for floats. The field itself stays.
 * - A record without others of its key stays as it is.
 *
 * All written values are added up. The totals of sums and extremes over all groups must equal those
 * of the fields over all records, which tallies compute (record_tally.h). */
#ifndef GSI_FOLD_H
#define GSI_FOLD_H

#include "base/choices.h"
#include "base/memory.h"
#include "element/key_order.h"
#include "element/record/record.h"
#include "element/tally/exact_sum.h"
#include "element/tally/tally_sums.h"

enum gsi_fold_kind { GSI_FOLD_SUM, GSI_FOLD_MIN, GSI_FOLD_MAX };

/* A folded field. `tally_idx` is the index of the record's field with the same statistics. */
struct gsi_fold_field {
    struct gsi_field field;
    enum gsi_fold_kind kind;
    struct gsi_key_map map; /* ascending */
    uint32_t tally_idx;
    uint32_t wide_off, wide_bytes; /* after the record; 0 bytes: the sum replaces the field */
};

/* Lists the fields that a job folds, and says how. */
struct gsi_fold {
    uint32_t record_bytes, count, float_count;
    uint32_t wide_bytes; /* of all wide sums together */
    bool changes_order;  /* a field is part of a key that does not define groups */
    struct gsi_fold_field fields[GSI_FIELDS_MAX];
};

/* gsi_fold_add_field: adds a field. Makes sure that the record's tallies have its statistics.
 * in    option: "sum", ..; text: OFF:TYPE, borrowed; key_count: how many keys define a group; 0:
 *       all
 * fails GS_E_USAGE: no field, one too many, or one that overlaps a key or another folded field */
enum gs_status gsi_fold_add_field(struct gsi_fold *fold, struct gsi_record *record,
                                  uint32_t key_count, enum gsi_fold_kind kind, bool is_wide,
                                  const char *text, struct gs_error *error);

/* gsi_fold_kind_name: returns the option that asks for it. */
const char *gsi_fold_kind_name(enum gsi_fold_kind kind);

/* A two's complement number of 256 bits. */
struct gsi_wide {
    gsi_u128 low, high;
};

/* gsi_fold_may_join: returns whether records can be folded two by two. Their fields then hold the
 * results so far. So there may be no wide sums, and no sums of floats, which are rounded only once.
 * Folded fields may not be part of the order.
 * gsi_fold_is_nan: returns whether a record's field is a NaN or NaT.
 * gsi_fold_join: folds `record` into `first`. Returns false if a sum does not fit; then nothing was
 * changed. */
bool gsi_fold_may_join(const struct gsi_fold *fold);
bool gsi_fold_is_nan(const struct gsi_fold_field *folded, const uint8_t *element);
bool gsi_fold_join(const struct gsi_fold *fold, uint8_t *first, const uint8_t *record);

/* The result for one field so far. The sum of floats is in `limbs`. */
struct gsi_fold_value {
    struct gsi_wide sum;
    uint64_t *limbs; /* GSI_EXACT_LIMBS; two's complement */
    uint64_t nans, positive_infinities, negative_infinities;
    bool has_number; /* a float other than NaN was added */
    bool is_all_negative_zero;
    gsi_u128 key;        /* of the extreme */
    uint8_t extreme[16]; /* with the bytes that the record has */
    bool has_extreme;
};

/* The group that is being folded, and the totals of the groups before it. */
struct gsi_folder {
    const struct gsi_fold *fold;
    struct gsi_fold_value *values, *totals; /* of each field */
    uint64_t count;                         /* records in the group; 1: nothing was added */
    const struct gsi_fold_field *overflow;  /* the first field that is too small for its sum */
};

/* gsi_folder_alloc: allocates a folder from a bump allocator.
 * gsi_folder_restart: forgets all groups and totals. */
void gsi_folder_alloc(struct gsi_folder *folder, const struct gsi_fold *fold,
                      struct gsi_bump *bump);
void gsi_folder_restart(struct gsi_folder *folder);

/* gsi_folder_add: adds `n` more records to the group. `first` is the group's first record; it is
 * read only when the second one is added.
 * gsi_folder_end: ends a group, and writes the folded fields to `entry`. This is the record that
 * represents the group, with room for wide sums after it. If a sum does not fit, sets
 * folder->overflow. */
void gsi_folder_add(struct gsi_folder *folder, const uint8_t *first, const uint8_t *elements,
                    size_t n);
void gsi_folder_end(struct gsi_folder *folder, uint8_t *entry);

/* These join the results of several threads, in the order of the stream:
 * gsi_folder_go_on: continues the group of `folder`, which has `count` records, with the
 * `more_count` records of `more`. `first` and `more_first` are their first records; each is read if
 * there is no second one.
 * gsi_folder_follow: ends the group. The groups of `next` follow, and the last one of them is
 * open. */
void gsi_folder_go_on(struct gsi_folder *folder, const uint8_t *first, uint64_t count,
                      const struct gsi_folder *more, const uint8_t *more_first,
                      uint64_t more_count);
void gsi_folder_follow(struct gsi_folder *folder, const struct gsi_folder *next);

/* gsi_folder_differs: returns a field whose total over all groups differs from the total over all
 * records; NULL: none.
 * in    fields: statistics of the record's fields */
const struct gsi_fold_field *gsi_folder_differs(const struct gsi_folder *folder,
                                                const struct gsi_tally_report *fields);

#endif
