/* json.h: a small writer of JSON, which keeps track of commas and indentation. Keys are gsort's own
 * and need no escapes; NULL in arrays. */
#ifndef GSI_JSON_H
#define GSI_JSON_H

#include "gsort.h"

struct gsi_json {
    FILE *file;
    int depth;
    bool has_member; /* in the innermost object or array */
};

void gsi_json_open(struct gsi_json *json, const char *key, char bracket);
void gsi_json_close(struct gsi_json *json, char bracket);

/* gsi_json_open_known: begins an object; false: it is not known, and null is all there is. */
bool gsi_json_open_known(struct gsi_json *json, const char *key, bool is_known);

/* gsi_json_string: NULL becomes null. Names of files and keys may be any bytes: those that are no
 * UTF-8 become U+FFFD each, as they do in other programs. */
void gsi_json_string(struct gsi_json *json, const char *key, const char *text);
void gsi_json_bool(struct gsi_json *json, const char *key, bool value);

/* gsi_json_integer: above 2^53 as a string: a reader's doubles would not be exact. */
void gsi_json_integer(struct gsi_json *json, const char *key, uint64_t value);
/* gsi_json_known: null, if it is not known. */
void gsi_json_known(struct gsi_json *json, const char *key, uint64_t value, bool is_known);

/* gsi_json_seconds: all digits, from an integer: exact, and no locale has a part in it. */
void gsi_json_seconds(struct gsi_json *json, const char *key, uint64_t ns);

/* gsi_json_value, gsi_json_double: as strings, null if they are not known. */
void gsi_json_value(struct gsi_json *json, const char *key, const struct gs_field *field,
                    const uint8_t value[16], bool is_known);
void gsi_json_double(struct gsi_json *json, const char *key, double value, bool is_known);

#endif
