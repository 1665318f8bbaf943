/* key_scope.h: the leading bytes of the normalised key that all records of a job share so far.
 *
 * Tags begin behind these bytes, so that ten bytes tell as much as they can. `shared` only falls as
 * more records are seen. Tags that were made further behind are then shifted (record_tags.h): the
 * bytes between are those of the first record. */
#ifndef GSI_KEY_SCOPE_H
#define GSI_KEY_SCOPE_H

#include "base/memory.h"
#include "element/record/record.h"

struct gsi_key_scope;

#ifndef __cplusplus
#include <stdatomic.h>

struct gsi_key_scope {
    const struct gsi_record *record; /* borrowed */
    uint8_t *first;                  /* a record: the first of the job */
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

/* gsi_key_scope_begin: takes the first record, before any call of take; ignores later ones. */
void gsi_key_scope_begin(struct gsi_key_scope *scope, const void *element);

/* gsi_key_scope_take: looks at `n` more records that lie one after the other. Returns what is
 * shared now. Any thread. */
uint32_t gsi_key_scope_take(struct gsi_key_scope *scope, const void *elements, size_t n);

/* gsi_key_scope_forget: nothing is known to be shared; called in place of begin and take. */
void gsi_key_scope_forget(struct gsi_key_scope *scope);

/* gsi_key_scope_lower: notes that more records, which somebody else looked at, share `shared` bytes
 * with the first one. Returns what is shared now. Any thread. */
uint32_t gsi_key_scope_lower(struct gsi_key_scope *scope, uint32_t shared);

uint32_t gsi_key_scope_shared(const struct gsi_key_scope *scope);

#ifdef __cplusplus
}
#endif
#endif
