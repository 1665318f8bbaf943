/* key_scope.h: counts the leading bytes that the keys of all records of a job have in common so
 * far. Keys are normalised ones (record.h).
 *
 * Tags begin after these bytes, so that ten bytes distinguish as many keys as possible. `shared`
 * only falls as more records are seen. Tags that skipped more bytes are then shifted
 * (record_tags.h); the first record has the missing bytes. */
#ifndef GSI_KEY_SCOPE_H
#define GSI_KEY_SCOPE_H

#include "base/memory.h"
#include "element/record/record.h"

struct gsi_key_scope;

#ifndef __cplusplus
#include <stdatomic.h>

struct gsi_key_scope {
    const struct gsi_record *record; /* borrowed */
    uint8_t *first;                  /* a copy of the job's first record */
    bool has_first;
    _Atomic uint32_t shared;
};
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum gs_status gsi_key_scope_open(struct gsi_key_scope *scope, const struct gsi_record *record,
                                  struct gsi_ledger *ledger, struct gs_error *error);
void gsi_key_scope_close(struct gsi_key_scope *scope, struct gsi_ledger *ledger);

/* gsi_key_scope_begin: copies the first record; ignores later ones. Call it before take. */
void gsi_key_scope_begin(struct gsi_key_scope *scope, const void *element);

/* gsi_key_scope_scan: compares `n` more records, which follow each other in memory, with the first
 * one. Returns how many bytes are shared now. Any thread. */
uint32_t gsi_key_scope_scan(struct gsi_key_scope *scope, const void *elements, size_t n);

/* gsi_key_scope_forget: assumes that no bytes are shared. Call it instead of begin and take. */
void gsi_key_scope_forget(struct gsi_key_scope *scope);

/* gsi_key_scope_lower: notes that other records share `shared` bytes with the first one, as a
 * caller found. Returns how many bytes are shared now. Any thread. */
uint32_t gsi_key_scope_lower(struct gsi_key_scope *scope, uint32_t shared);

uint32_t gsi_key_scope_shared(const struct gsi_key_scope *scope);

#ifdef __cplusplus
}
#endif
#endif
