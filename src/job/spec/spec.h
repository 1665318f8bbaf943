/* spec.h: compiles what is asked of inputs and output from the options and what was found out about
 * the inputs. */
#ifndef GSI_SPEC_H
#define GSI_SPEC_H

#include "element/key_scope.h"
#include "element/record/integer_record.h"
#include "input/format/format.h"
#include "input/inputs.h"
#include "input/values/values.h"
#include "option/options.h"
#include "output/target.h"

/* How elements are sorted. */
struct gsi_chosen {
    struct gsi_layout layout;
    struct gsi_names names;     /* of fields of records; records point to it */
    struct gsi_record record;   /* with --record; layout points to it */
    struct gsi_key_scope scope; /* what the keys of records share; layout points to it */
    /* If records are integers, or are stored inside their tags; layout points to it. */
    struct gsi_integer_map integer_map;
    struct gsi_filter filter; /* with --where; inputs point to it */
    struct gsi_fold fold;     /* with --sum, --min or --max; inputs point to it */
    bool has_entries;         /* something else is sorted than elements */
    /* With --argsort, --out or --values (payload.h): how elements are read; everything above except
     * the filter describes entries then. */
    struct gsi_entry_map entry_map; /* inputs point to it */
    struct gsi_values values;       /* with --values; inputs point to it */
    struct gsi_layout input_layout;
    struct gsi_record input_record;
};

/* gsi_spec_is_split: whether the output is several files.
 * gsi_spec_asked_level: the level of zstd at which the output is packed; 0: it is plain.
 * gsi_spec_pack_level: the level at which this job packs it; 0 with --order-by, whose second job
 * does that. */
bool gsi_spec_is_split(const struct gsi_options *options);
uint32_t gsi_spec_asked_level(const struct gsi_options *options);
uint32_t gsi_spec_pack_level(const struct gsi_options *options);

/* gsi_spec_of_part: returns the options of a sort that does a part of a job, on the CPU. They are
 * those options of the job that concern its resources; none concern its elements or its output. */
struct gsi_options gsi_spec_of_part(const struct gsi_options *options);

/* gsi_spec_keeps_elements: whether the elements that --unique writes are as they were read. Then
 * --unique can be applied again to these and others, with the same result. */
bool gsi_spec_keeps_elements(const struct gsi_options *options);

/* gsi_spec_of_inputs: what is asked of the inputs.
 * gsi_spec_of_head: what the header of the output says. The inputs' headers were read. */
struct gsi_inputs_spec gsi_spec_of_inputs(const struct gsi_options *options);
struct gsi_header_spec gsi_spec_of_head(const struct gsi_options *options,
                                        const struct gsi_formatted *formatted);

/* gsi_spec_of_output: what is asked of the output: elements and payload are chosen. Borrows from
 * both. */
struct gsi_output_spec gsi_spec_of_output(const struct gsi_options *options,
                                          const struct gsi_chosen *chosen);

#endif
