/* key_scope.h: finds the bytes that differ among the keys of all records of a job so far. Keys are
 * normalised ones (record.h).
 *
 * Tags contain the first ten of these bytes, which distinguish as many keys as ten bytes can:
 *
 *     -k 0:u64 -k 8:u64         00 00 00 00 00 12 34 56 | 00 00 00 00 00 00 ab cd
 *     values below 2^24                        ^  ^  ^                    ^  ^  ^
 *
 * All keys agree in the bytes before and between them. So the chosen bytes have the order of whole
 * keys up to the last chosen byte. If fewer than ten bytes of a short key differ, equal tags mean
 * equal keys, and no records are compared. A byte counts as differing if it is 32 or more bytes
 * after the first one that differs.
 *
 * A scan of more records makes tags of bytes that all keys shared before, and compares them with a
 * tag of the first record. It tests no byte after the tenth that differs. So keys that differ from
 * their beginning on cost one block of records.
 *
 * More records can only add bytes. Then a merge shifts older tags (record_tags.h): a byte of a tag
 * stays, moves down, or moves out. Bytes that are new there are those of the first record.
 *
 * Frames have no tags. Tags are made when a frame is opened, of the bytes that are known then.
 *
 * A GPU and a journal only know how many leading bytes keys share. So does a merge of sorted
 * inputs, which reads their first and last keys. Then all later bytes count as differing. */
#ifndef GSI_KEY_SCOPE_H
#define GSI_KEY_SCOPE_H

#include "base/memory.h"
#include "element/record/record_tags.h"

struct gsi_key_scope;

#ifndef __cplusplus
#include <stdatomic.h>

struct gsi_key_scope {
    const struct gsi_record *record; /* borrowed */
    uint8_t *first;                  /* a copy of the job's first record */
    bool has_first;
    _Atomic struct gsi_tag_choice choice; /* so far */
};
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum gs_status gsi_key_scope_open(struct gsi_key_scope *scope, const struct gsi_record *record,
                                  struct gsi_ledger *ledger, struct gs_error *error);
void gsi_key_scope_close(struct gsi_key_scope *scope, struct gsi_ledger *ledger);

/* gsi_key_scope_begin: copies the first record; ignores later ones. Call it before scan. */
void gsi_key_scope_begin(struct gsi_key_scope *scope, const void *element);

/* gsi_key_scope_scan: compares `n` more records, which follow each other in memory, with the first
 * one. Returns the new choice. Any thread. */
struct gsi_tag_choice gsi_key_scope_scan(struct gsi_key_scope *scope, const void *elements,
                                         size_t n);

/* gsi_key_scope_lower: notes that other records share `shared` leading bytes with the first one, as
 * a caller found, and may differ in all later bytes. Any thread.
 * gsi_key_scope_forget: assumes that no bytes are shared. Call it instead of begin and scan. */
void gsi_key_scope_lower(struct gsi_key_scope *scope, uint32_t shared);
void gsi_key_scope_forget(struct gsi_key_scope *scope);

/* gsi_key_scope_choice: returns the choice of tags that are made now.
 * gsi_key_scope_shared: returns how many leading bytes all keys share. */
struct gsi_tag_choice gsi_key_scope_choice(const struct gsi_key_scope *scope);
uint32_t gsi_key_scope_shared(const struct gsi_key_scope *scope);

#ifdef __cplusplus
}
#endif
#endif
