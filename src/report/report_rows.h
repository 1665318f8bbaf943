/* report_rows.h: the table of a report's fields, in the order of its JSON. A row has the field's
 * name, its member of struct gs_report, and says when it is known. The JSON of reports and plans is
 * one walk over the table (json.c). A caller who asks for a field by its path gets what the
 * walk would print there (report_fields.c).
 *
 * Objects and lists have rows of their own. There are no lists in lists, so one index says where a
 * row is. Names are those of the manual's `--stats=json`. */
#ifndef GSI_REPORT_ROWS_H
#define GSI_REPORT_ROWS_H

#include "job/job_report.h"

enum gsi_row_kind {
    GSI_ROW_END = 0, /* after the last row of a table */

    /* One value each; `in` is the member. */
    GSI_ROW_COUNT,   /* an integer of 4 or 8 bytes */
    GSI_ROW_SIZE,    /* the same; the largest means that it is not known */
    GSI_ROW_FLAG,    /* bool */
    GSI_ROW_POINTER, /* const char *; NULL is not known */
    GSI_ROW_CHARS,   /* char[] */
    GSI_ROW_NOTE,    /* the same; an empty one is not known */
    GSI_ROW_TYPE,    /* the same as a pointer: name of a type */
    GSI_ROW_FIELD,   /* text of struct gsi_field_report */
    GSI_ROW_SECONDS, /* of nanoseconds */
    GSI_ROW_PRINT,   /* 128 bits, as 32 digits */
    GSI_ROW_HEX,     /* the same without leading zeros */
    GSI_ROW_END_KEY, /* as many bytes as end_key_bytes says, as digits */
    GSI_ROW_VALUE,   /* of the field that `of` says */
    GSI_ROW_SUM,     /* a tally's, of that field; null if the field has none */
    GSI_ROW_MEAN,    /* the same, of the tally */
    GSI_ROW_BETWEEN, /* the number between elements, of a quantile */
    GSI_ROW_DOUBLE,
    GSI_ROW_DEVIATION, /* of a variance */
    GSI_ROW_SET,       /* enum gsi_set */
    GSI_ROW_SCHEMA,    /* of no member */
    GSI_ROW_PHASE,     /* name of a phase; of no member */
    GSI_ROW_PREDICTED, /* all seconds of a prediction */

    GSI_ROW_OBJECT, /* of `rows` */
    GSI_ROW_LIST,   /* of objects of `rows`, or of values of kind `item` */
    GSI_ROW_ALSO    /* `rows` belong where this row is */
};

/* The field that a value belongs to, if it may belong to something else than elements. */
enum gsi_row_of { GSI_OF_ELEMENT = 0, GSI_OF_FIELD, GSI_OF_RANKS, GSI_OF_KEY };

/* A member of struct gs_report; `step`: bytes from one to the next of a list, 0 in none. */
struct gsi_row_member {
    uint32_t off, bytes, step;
};

struct gsi_report_row {
    const char *name; /* NULL: GSI_ROW_ALSO */
    enum gsi_row_kind kind, item;
    struct gsi_row_member in;
    enum gsi_row_of of;
    struct gsi_row_member
        known; /* as long as this member is 0, the row is null; of 0 bytes: none */
    struct gsi_row_member count; /* of a list; of 0 bytes: it has `most` */
    uint32_t most;               /* that a list has room for */
    bool is_set;                 /* gs_report_set sets it, and what is in it */
    bool (*is_there)(
        const struct gs_report *report); /* false: there is no such field; NULL: true */
    bool (*is_known)(const struct gs_report *report); /* false: the row is null, whatever else */
    const struct gsi_report_row *rows;
};

/* The fields of a report's JSON, those of a plan's, and all that there are. */
extern const struct gsi_report_row gsi_report_rows[], gsi_plan_rows[], gsi_all_rows[];

/* A report, and in a list the index in it. */
struct gsi_row_at {
    const struct gs_report *report;
    size_t idx;
};

/* gsi_row_is_there, gsi_row_is_known: false: no such field; null.
 * gsi_row_count: how long a list is.
 * gsi_row_member: returns the address of a member. */
bool gsi_row_is_there(const struct gsi_report_row *row, const struct gs_report *report);
bool gsi_row_is_known(const struct gsi_report_row *row, struct gsi_row_at at);
size_t gsi_row_count(const struct gsi_report_row *row, const struct gs_report *report);
const void *gsi_row_member(struct gsi_row_member member, struct gsi_row_at at);

/* The forms in which a value can be taken, beside its text. */
enum gsi_leaf_kind {
    GSI_LEAF_TEXT = 0,
    GSI_LEAF_WORD,    /* true, false: count is 1, 0 */
    GSI_LEAF_COUNT,   /* count */
    GSI_LEAF_SECONDS, /* count, of nanoseconds */
    GSI_LEAF_INTEGER, /* the text, which has any number of digits */
    GSI_LEAF_FLOAT,   /* number */
    GSI_LEAF_LENGTH   /* of a list, which has no text: count */
};

/* The number of these names, of what they mean and of their types, in the JSON's "schema". */
#define GSI_REPORT_SCHEMA 2

/* The number of the rules of GS_FORMAT_JSON_LINES; 1 is GS_FORMAT_JSON. */
#define GSI_JSON_LINES_VERSION 2

#define GSI_LEAF_BYTES (2 * GS_END_KEY_BYTES + 1)

struct gsi_leaf {
    enum gsi_leaf_kind kind;
    const char *text; /* NULL: null; else in the report, in `room`, or constant */
    uint64_t count;
    double number;
    char room[GSI_LEAF_BYTES];
};

/* gsi_leaf_read: the value of a row; in a list, that of the item at->idx. */
void gsi_leaf_read(const struct gsi_report_row *row, struct gsi_row_at at, struct gsi_leaf *leaf);

/* gsi_row_field: which field a value or a sum is of. */
struct gsi_field_report gsi_row_field(const struct gsi_report_row *row, struct gsi_row_at at);

/* The member that a path names. */
struct gsi_found {
    const struct gsi_report_row *row; /* NULL: there is no such field */
    struct gsi_row_at at;
    bool is_item;                      /* of a list of values, not the list */
    bool is_null;                      /* or what it is in */
    bool is_set;                       /* as of the row, or what it is in */
    const struct gsi_report_row *list; /* that it is in; NULL: none */
};

/* gsi_find: follows a path. If it `grows`, a list may be one longer than it is. */
struct gsi_found gsi_find(const struct gs_report *report, const char *path, bool grows);

/* gsi_leaf_find: the value at a path. Returns GS_INEXACT for an object. */
enum gs_found gsi_leaf_find(const struct gs_report *report, const char *path,
                            struct gsi_leaf *leaf);

#endif
