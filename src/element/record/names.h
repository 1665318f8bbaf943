/* names.h: names of fields of records. They are in a header (input/format/fields.h), or --fields
 * gives them. An option that takes OFF:TYPE also takes a name (record_parse.c).
 *
 *     --fields id=0:u64,price=8:f64     then  -k price:desc  means  -k 8:f64:desc
 */
#ifndef GSI_NAMES_H
#define GSI_NAMES_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSI_NAME_BYTES       64u
#define GSI_NAME_PLACE_BYTES 32u
#define GSI_NAMES_TEXT_BYTES 512u
#define GSI_NAMED_MAX        1000u /* names that --fields gives */

struct gsi_name {
    char text[GSI_NAME_BYTES];
    char place[GSI_NAME_PLACE_BYTES]; /* OFF:TYPE; "": gsort cannot sort by the field */
    uint32_t off, bytes;              /* all of the field */
    bool is_scaled; /* the stored number has another order of magnitude than the value: only a key
                       may have this name */
};

struct gsi_names {
    const char *file; /* whose header has names, for messages; NULL: no header has */
    bool ignores_case;
    char fields[GSI_NAMES_TEXT_BYTES]; /* of the header, for messages */
    /* First those of the header, then those of --fields. */
    uint32_t header_count, count;
    struct gsi_name *table;
};

/* gsi_names_open: makes room for the names of a header, and for those of --fields if that is given
 * text_count > 0 times.
 * fails GS_E_MEMORY */
enum gs_status gsi_names_open(struct gsi_names *names, uint32_t header_count, size_t text_count,
                              struct gs_error *error);
void gsi_names_close(struct gsi_names *names);

/* gsi_names_find: returns what has this name; or, if `text` is the place of one of the names, the
 * name of this place; else NULL. `names` may be NULL. */
const struct gsi_name *gsi_names_find(const struct gsi_names *names, const char *text);

/* gsi_order_word: returns whether `text` is ":desc", ":asc", ":descending" or ":ascending", in
 * upper or lower case. */
bool gsi_order_word(const char *text, bool *is_descending);

/* gsi_names_text_bytes: returns how many bytes of the text of a key are its name or OFF:TYPE. The
 * rest is a direction like ":desc". */
size_t gsi_names_text_bytes(const struct gsi_names *names, const char *text);

/* gsi_names_text: lists names for messages, as far as they fit. Returns `text`.
 * gsi_names_fail_unknown: fails because no field has the name that `option` uses.
 * gsi_names_fail_item: fails because an item of --fields is no NAME=OFF:TYPE. */
const char *gsi_names_text(const struct gsi_names *names, char text[GSI_NAMES_TEXT_BYTES]);
enum gs_status gsi_names_fail_unknown(const struct gsi_names *names, const char *option,
                                      const char *text, struct gs_error *error);
enum gs_status gsi_names_fail_item(const char *item, struct gs_error *error);

#endif
