/* json.h: a small writer of JSON, which keeps track of commas and indentation. Keys are gsort's own
 * and need no escapes; NULL in arrays. */
#ifndef GSI_JSON_H
#define GSI_JSON_H

#include <stdbool.h>
#include <stdio.h>

struct gsi_json {
    FILE *file;
    int depth;
    bool has_member; /* in the innermost object or array */
};

void gsi_json_open(struct gsi_json *json, const char *key, char bracket);
void gsi_json_close(struct gsi_json *json, char bracket);

/* gsi_json_quote: `length` bytes of a text, between quotes. Names of files and keys may be any
 * bytes:
 *                 each that is no UTF-8 becomes U+FFFD, as in other programs. Bytes behind the text
 *                 are never looked at.
 * gsi_json_string: a whole text; NULL is written as null.
 * gsi_json_word: a number, true or false, as it is. */
void gsi_json_quote(FILE *file, const char *text, size_t length);
void gsi_json_string(struct gsi_json *json, const char *key, const char *text);
void gsi_json_word(struct gsi_json *json, const char *key, const char *text);

#endif
