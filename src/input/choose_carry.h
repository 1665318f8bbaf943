/* choose_carry.h: what is sorted in the elements' stead, where the output is not of elements. */
#ifndef GSI_CHOOSE_CARRY_H
#define GSI_CHOOSE_CARRY_H

#include "input/choose.h"

/* gsi_choose_carry: after gsi_choose_elements, once it is known how many elements there are: with
 * --argsort or --out, *chosen becomes what is sorted, and inputs->carry says how to get there.
 * fails GS_E_USAGE: positions that do not fit, fields that are not there */
enum gs_status gsi_choose_carry(struct gsi_inputs *inputs, struct gs_report *report,
                                struct gsi_chosen *chosen);

#endif
