/* record_tally.h: counts elements, computes their fingerprint, and tallies each field with
 * statistics as a stream of numbers of its own (tally.h).
 *
 * A native number is its only field. The tally of this field is then the tally of the elements. */
#ifndef GSI_RECORD_TALLY_H
#define GSI_RECORD_TALLY_H

#include "element/record/record.h"
#include "element/tally/tally.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Accumulator; one a thread, joined with merge. */
struct gsi_record_tally;

/* gsi_record_tally_alloc: allocates an accumulator from a bump allocator, as gsi_tally_alloc
 * does. */
struct gsi_record_tally *gsi_record_tally_alloc(const struct gsi_layout *layout,
                                                struct gsi_bump *bump);
void gsi_record_tally_clear(struct gsi_record_tally *tally);

/* gsi_record_field_layout: returns the layout of the numbers of a field. */
struct gsi_layout gsi_record_field_layout(const struct gsi_layout *layout, uint32_t field_idx);

/* gsi_record_tally_add: adds `n` elements that follow each other in memory.
 * gsi_record_tally_add_map: does the same, and replaces them by their sort keys.
 * limit  add_map: GSI_FORM_KEYS */
void gsi_record_tally_add(struct gsi_record_tally *tally, const void *elements, size_t n);
void gsi_record_tally_add_map(const struct gsi_layout *layout, struct gsi_record_tally *tally,
                              void *elements, size_t n);

/* gsi_record_tally_before_sort: replaces `n` elements by their sort keys, which the caller then
 * sorts in place. Counts all that is not cheaper to count afterwards.
 * gsi_record_tally_after_sort: counts the rest: the sorted floats (tally_sums.h). */
void gsi_record_tally_before_sort(const struct gsi_layout *layout, struct gsi_record_tally *tally,
                                  void *elements, size_t n);
void gsi_record_tally_after_sort(const struct gsi_layout *layout, struct gsi_record_tally *tally,
                                 const void *keys, size_t n);

void gsi_record_tally_merge(struct gsi_record_tally *into, const struct gsi_record_tally *from);

/* gsi_record_tally_save: stores the tally (tally.h): saved[0] for the elements, the next ones for
 * the fields of records.
 * gsi_record_tally_saved_count: returns the number of these entries.
 * gsi_record_tally_add_saved: adds a stored tally. */
uint32_t gsi_record_tally_saved_count(const struct gsi_layout *layout);
void gsi_record_tally_save(const struct gsi_record_tally *tally, struct gsi_tally_sums *saved);
void gsi_record_tally_add_saved(struct gsi_record_tally *tally, const struct gsi_tally_sums *saved);

/* gsi_record_field_finish: returns the tally of a field of `count` records; values that were left
 * out are NaTs. */
struct gsi_tally_report gsi_record_field_finish(const struct gsi_tally *field, uint64_t count);

/* gsi_record_tally_finish: returns the tally of the elements. For records this is their count and
 * fingerprint; fills fields[record->field_count], each without a fingerprint. */
struct gsi_tally_report gsi_record_tally_finish(const struct gsi_record_tally *tally,
                                                struct gsi_tally_report *fields);

/* gsi_record_tally_of: returns the tally of a field, which gsi_record_tally_finish returned or
 * stored. */
static inline const struct gsi_tally_report *
gsi_record_tally_of(const struct gsi_layout *layout, const struct gsi_field *field,
                    const struct gsi_tally_report *elements, const struct gsi_tally_report *fields)
{
    return gsi_layout_is_native(layout) ? elements : &fields[field - layout->record->fields];
}

#ifdef __cplusplus
}
#endif
#endif
