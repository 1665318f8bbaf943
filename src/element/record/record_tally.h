/* record_tally.h: what is counted of records: how many, their fingerprint, and each field with
 * statistics as a stream of numbers of its own (tally.h); and the check of their order. */
#ifndef GSI_RECORD_TALLY_H
#define GSI_RECORD_TALLY_H

#include "element/record/record.h"
#include "element/tally/imprint.h"
#include "element/tally/tally.h"
#include "element/tally/tally_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Accumulator; one a thread, joined with merge. */
struct gsi_record_tally;

/* gsi_record_tally_place: as gsi_tally_place. */
struct gsi_record_tally *gsi_record_tally_place(const struct gsi_record *record,
                                                struct gsi_shelf *shelf);
void gsi_record_tally_clear(struct gsi_record_tally *tally);

/* gsi_record_field_layout: of the numbers that are counted of a field. */
struct gsi_layout gsi_record_field_layout(const struct gsi_record *record, uint32_t field_idx);

/* gsi_record_tally_add: count `n` records that lie one after the other. */
void gsi_record_tally_add(struct gsi_record_tally *tally, const void *elements, size_t n);
void gsi_record_tally_merge(struct gsi_record_tally *into, const struct gsi_record_tally *from);

/* gsi_record_tally_save: what was counted so far (tally.h), 1 + record->field_count entries:
 * saved[0] for the records, those behind it for the fields.
 * gsi_record_tally_add_saved: adds what was saved. */
void gsi_record_tally_save(const struct gsi_record_tally *tally, struct gsi_tally_saved *saved);
void gsi_record_tally_add_saved(struct gsi_record_tally *tally,
                                const struct gsi_tally_saved *saved);

/* gsi_record_field_finish: what was counted of a field of `count` records; those that were left out
 * are NaTs. */
struct gsi_tally_report gsi_record_field_finish(const struct gsi_tally *field, uint64_t count);

/* gsi_record_tally_finish: returns count and fingerprint so far; fills fields[record->field_count],
 * each with everything but a fingerprint. */
struct gsi_tally_report gsi_record_tally_finish(const struct gsi_record_tally *tally,
                                                struct gsi_tally_report *fields);

/* gsi_record_imprint_add: appends `n` records to the imprint of a piece: count, fingerprint, and
 * the first record whose key is below that of the one before it. Its keys are not filled in. In
 * memory `elements` follow what was added before. */
void gsi_record_imprint_add(const struct gsi_record *record, struct gsi_imprint *imprint,
                            const void *elements, size_t n);

/* gsi_record_imprint_join: append a piece whose first record is `first`; `last` is the record
 * before it, NULL: none. */
void gsi_record_imprint_join(const struct gsi_record *record, struct gsi_imprint *imprint,
                             const struct gsi_imprint *piece, const void *last, const void *first);

#ifdef __cplusplus
}
#endif
#endif
