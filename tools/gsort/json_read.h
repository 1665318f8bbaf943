/* json_read.h: reads JSON, such as reports, into a tree. */
#ifndef GSORT_JSON_READ_H
#define GSORT_JSON_READ_H

#include "gsort.h"

enum json_kind { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_WORD };

/* A value. Texts lie in the document: a string's without escapes, a number or a word (true, false, null)
 * as it was written. */
struct json_value {
    enum json_kind kind;
    const char *name, *text; /* the name of an object's member; NULL: it has none */
    size_t name_bytes, text_bytes;
    size_t first, next; /* values inside, and beside; 0: there are none */
};

/* One or more values after each other, in the list that begins with `first`. Begin with zeros. */
struct json_document {
    char *text;
    struct json_value *values; /* the one at 0 is none */
    size_t count, room, first;
};

/* json_read: reads `path`, or standard input if that is "-".
 * fails GS_E_INPUT: unreadable, or no JSON: says at which byte; GS_E_MEMORY */
enum gs_status json_read(const char *path, struct json_document *document, struct gs_error *error);

/* json_parse: the same of a text from malloc, which is the document's then. */
enum gs_status json_parse(const char *path, char *text, size_t bytes,
                          struct json_document *document, struct gs_error *error);
void json_clear(struct json_document *document); /* also after a failure */

/* json_member: a member of an object; NULL: there is none, or it is null. */
const struct json_value *json_member(const struct json_document *document,
                                     const struct json_value *object, const char *name);

/* json_is: whether a string is `text`. */
bool json_is(const struct json_value *value, const char *text);

/* json_count: an integer from 0 to 2^64 - 1, as a number or a string. false: it is none. */
bool json_count(const struct json_value *value, uint64_t *count);

#endif
