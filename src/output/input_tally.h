/* input_tally.h: the tally of what was read, where something else is sorted in its stead: what is
 * left of folded elements, or positions, or a part of each record. The report tells of the inputs,
 * so their tally takes the place of the tally of what was sorted; both must agree. */
#ifndef GSI_INPUT_TALLY_H
#define GSI_INPUT_TALLY_H

#include "input/payload/payload_tally.h"
#include "output/unique/unique.h"

/* gsi_input_tally_of_folded: elements were folded as they were read. Every element that was read is
 * either folded or sorted.
 * gsi_input_tally_of_payload: positions or parts of records were sorted. Every position that went
 * into the sort has come out of it.
 * in    tally: of what was sorted
 * out   tally, fields: of what was read
 * fails GS_E_VERIFY */
enum gs_status gsi_input_tally_of_folded(const struct gsi_target *target,
                                         struct gsi_pre_aggregate *pre_aggregate,
                                         struct gsi_tally_report *tally,
                                         struct gsi_tally_report *fields);
enum gs_status gsi_input_tally_of_payload(const struct gsi_target *target,
                                          struct gsi_payload_tally *payload_tally,
                                          const struct gsi_unique *unique,
                                          struct gsi_tally_report *tally,
                                          struct gsi_tally_report *fields);

#endif
