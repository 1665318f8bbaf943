/* verify.c: compares the counts and fingerprints before and after elements are moved. */
#include "output/verify.h"

#include "element/tally/tally_sums.h"

/* 2: every record that was read is either folded or sorted. */
static enum gs_status verify_folded(const struct gsi_verification *v)
{
    const struct gsi_target *target = v->delivery->target;
    const struct gsi_inputs *inputs = target->inputs;
    struct gsi_tally_report *tally = v->tally;
    uint64_t sorted = tally->count, folded = gsi_pre_aggregate_count(v->pre_aggregate);
    uint64_t read = inputs->data_bytes / target->loop->layout->element_bytes;
    *tally = gsi_pre_aggregate_tally(v->pre_aggregate, v->fields);
    if (tally->count == sorted + folded && tally->count == read - inputs->filtered.left_count)
        return GS_OK;
    return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                    "'%s': of %llu records read, %llu were aggregated early and %llu sorted; %s; "
                    "check the memory of this machine",
                    target->output.name, (unsigned long long)read, (unsigned long long)folded,
                    (unsigned long long)sorted, gsi_target_describe_left(target));
}

/* 3: checks that windows are in order, and contain all sorted elements. */
static enum gs_status verify_sorted(const struct gsi_verification *v)
{
    const struct gsi_delivery *delivery = v->delivery;
    const struct gsi_target *target = delivery->target;
    const struct gsi_digest *out = &delivery->check.digest;
    const struct gsi_tally_report *in = v->tally;
    const bool is_cut =
        gsi_write_flow_is_full(&delivery->write_flow); /* no more groups were wanted */
    if (out->disorder_idx != UINT64_MAX)
        return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                        "'%s': element %llu of the output is less than its predecessor; %s; check "
                        "the memory of this machine",
                        target->output.name, (unsigned long long)out->disorder_idx,
                        gsi_target_describe_left(target));
    bool is_same = out->count + v->dropped.count == in->count &&
                   (v->is_of_elements ||
                    gsi_fingerprint(out->fingerprint) + gsi_fingerprint(v->dropped.fingerprint) ==
                        gsi_fingerprint(in->fingerprint));
    if (is_cut || (in->count > v->most_count ? out->count == v->most_count : is_same))
        return GS_OK;
    return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                    "'%s': the output does not match the input (%llu of %llu elements, "
                    "fingerprints differ); %s; %scheck the memory of this machine",
                    target->output.name, (unsigned long long)out->count,
                    (unsigned long long)in->count, gsi_target_describe_left(target), v->cause);
}

/* 4: checks that the output contains every sorted entry with a payload. */
static enum gs_status verify_payload(const struct gsi_verification *v)
{
    const struct gsi_target *target = v->delivery->target;
    const struct gsi_write_flow *write_flow = &v->delivery->write_flow;
    struct gsi_tally_report *tally = v->tally;
    uint64_t sorted = tally->count;
    gsi_u128 position_sum = 0;
    if (!v->is_of_elements)
        *tally = gsi_payload_tally_sum(&v->delivery->payload_tally, v->fields, &position_sum);
    bool has_all = !target->spec->has_groups && !gsi_write_flow_is_full(write_flow);
    bool is_whole =
        target->inputs->entry_map->is_whole; /* the elements that were read are written */
    bool is_same = tally->count == sorted;
    if (has_all)
        is_same &= position_sum == write_flow->payload.position_sum;
    if (has_all && is_whole)
        is_same &= gsi_fingerprint(write_flow->digest.digest.fingerprint) ==
                   gsi_fingerprint(tally->fingerprint);
    if (is_same)
        return GS_OK;
    return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                    "'%s': the %s do not match the %llu elements read; %s; check the memory of "
                    "this machine",
                    target->output.name, is_whole ? "elements written" : "positions",
                    (unsigned long long)tally->count, gsi_target_describe_left(target));
}

enum gs_status gsi_verify(const struct gsi_verification *v)
{
    const struct gsi_inputs *inputs = v->delivery->target->inputs;
    const uint64_t sorted_count = v->tally->count - v->dropped.count;
    GSI_TRY(verify_sorted(v));
    if (v->pre_aggregate != NULL)
        GSI_TRY(verify_folded(v));
    if (v->delivery->payload_tally.entry_map != NULL || v->is_of_elements)
        GSI_TRY(verify_payload(v));
    GSI_TRY(gsi_inputs_verify(inputs, v->tally)); /* 1: the tally is of what was read by now */
    return gsi_write_flow_verify(&v->delivery->write_flow, sorted_count, v->fields);
}
