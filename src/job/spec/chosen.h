/* chosen.h: what the elements of a job are, and what is sorted of them. */
#ifndef GSI_CHOSEN_H
#define GSI_CHOSEN_H

#include "element/key_scope.h"
#include "element/record/integer_record.h"
#include "input/inputs.h"
#include "input/values/values.h"

/* How elements are sorted. */
struct gsi_chosen {
    struct gsi_layout layout;
    struct gsi_record record;   /* with --record; layout points to it */
    struct gsi_key_scope scope; /* what the keys of records share; layout points to it */
    /* If records are integers, or are stored inside their tags; layout points to it. */
    struct gsi_integer_map integer_map;
    struct gsi_filter filter; /* with --where; inputs point to it */
    struct gsi_fold fold;     /* with --sum, --min or --max; inputs point to it */
    bool has_carry;           /* something else is sorted than elements */
    /* With --argsort, --out or --values (payload.h): how elements are read; the above is of
     * what is carried of them then, but for the filter. */
    struct gsi_carry carry;   /* inputs point to it */
    struct gsi_values values; /* with --values; inputs point to it */
    struct gsi_layout input_layout;
    struct gsi_record input_record;
};

#endif
