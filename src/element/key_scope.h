/* key_scope.h: the leading bytes of the normalised key that all records of a job share so far.
 *
 * Tags are made behind them, so that ten bytes tell as much as they can. `shared` only falls, as
 * more records are seen; what was made behind more bytes is shifted (record_tags.h), since the
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

/* gsi_key_scope_begin: the first record, before any call of take; others are ignored. */
void gsi_key_scope_begin(struct gsi_key_scope *scope, const void *element);

/* gsi_key_scope_take: `n` more records, one after the other; what is shared now. Any thread. */
uint32_t gsi_key_scope_take(struct gsi_key_scope *scope, const void *elements, size_t n);

/* gsi_key_scope_forget: nothing is known to be shared; instead of begin and take. */
void gsi_key_scope_forget(struct gsi_key_scope *scope);

/* gsi_key_scope_lower: somebody else looked at more records, which share `shared` bytes with the
 * first one; what is shared now. Any thread. */
uint32_t gsi_key_scope_lower(struct gsi_key_scope *scope, uint32_t shared);

uint32_t gsi_key_scope_shared(const struct gsi_key_scope *scope);

#ifdef __cplusplus
}
#endif
#endif
