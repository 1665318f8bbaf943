/* input_tally.c: what was read against what was folded, carried and sorted. */
#include "output/input_tally.h"

#include "element/tally/tally_report.h"

enum gs_status gsi_input_tally_of_folded(const struct gsi_target *target,
                                         struct gsi_pre_aggregate *pre_aggregate,
                                         struct gsi_tally_report *tally,
                                         struct gsi_tally_report *fields)
{
    const struct gsi_inputs *inputs = target->inputs;
    uint64_t sorted = tally->count, folded = gsi_pre_aggregate_count(pre_aggregate);
    uint64_t read = inputs->data_bytes / target->loop->layout->element_bytes;
    *tally = gsi_pre_aggregate_tally(pre_aggregate, fields);
    GSI_TRY(gsi_inputs_verify(inputs, tally));
    if (tally->count == sorted + folded && tally->count == read - inputs->filtered.left_count)
        return GS_OK;
    return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                    "'%s': of %llu records read, %llu were aggregated early and %llu sorted; %s; "
                    "check the memory of this machine",
                    target->output.name, (unsigned long long)read, (unsigned long long)folded,
                    (unsigned long long)sorted, gsi_target_left(target));
}

enum gs_status gsi_input_tally_of_payload(const struct gsi_target *target,
                                          struct gsi_payload_tally *payload_tally,
                                          const struct gsi_unique *unique,
                                          struct gsi_tally_report *tally,
                                          struct gsi_tally_report *fields)
{
    uint64_t sorted = tally->count;
    gsi_u128 position_sum;
    *tally = gsi_payload_tally_sum(payload_tally, fields, &position_sum);
    GSI_TRY(gsi_inputs_verify(target->inputs, tally));
    bool has_all = !target->spec->has_groups && !gsi_unique_is_full(unique);
    bool is_whole = target->inputs->carry->is_whole; /* the elements that were read are written */
    bool is_same = tally->count == sorted;
    if (has_all)
        is_same &= position_sum == unique->payload.position_sum;
    if (has_all && is_whole)
        is_same &= gsi_fingerprint(unique->digest.digest.fingerprint) ==
                   gsi_fingerprint(tally->fingerprint);
    if (is_same)
        return GS_OK;
    return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                    "'%s': the %s do not match the %llu elements read; %s; check the memory of "
                    "this machine",
                    target->output.name, is_whole ? "elements written" : "positions",
                    (unsigned long long)tally->count, gsi_target_left(target));
}
