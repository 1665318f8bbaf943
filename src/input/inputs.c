/* inputs.c: computes and checks the sizes of inputs, and limits inputs to a part. */
#include "input/inputs.h"

#include "base/checked.h"

#include <sys/stat.h>

/* Returns the bytes of an input's data; UINT64_MAX: unknown. The size of a stream is known if the
 * program promised it. It counts as unknown for compressed streams, merges and --drop-tail. */
static uint64_t known_bytes(const struct gsi_inputs *inputs, const struct gsi_input *input)
{
    if (!input->is_stream)
        return input->bytes;
    if (input->promised_bytes == 0 || !input->is_sniffed || input->coding != GSI_CODING_NONE ||
        inputs->spec->is_merge || inputs->spec->drops_tail)
        return UINT64_MAX;
    return input->promised_bytes - gsi_min_u64(input->promised_bytes, input->skip_bytes);
}

enum gs_status gsi_inputs_measure(struct gsi_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct gsi_input *input = &inputs->table[i];
        uint64_t bytes = known_bytes(inputs, input);
        if (bytes == UINT64_MAX) {
            inputs->bytes = UINT64_MAX;
            continue;
        }
        bytes -= gsi_inputs_drop_tail(inputs, input, bytes);
        input->bytes = bytes;
        GSI_TRY(gsi_inputs_check_whole(inputs, input, bytes));
        if (inputs->bytes != UINT64_MAX && !gsi_add_u64(inputs->bytes, bytes, &inputs->bytes))
            return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                            "'%s': the inputs up to here have more than 2^64 bytes", input->name);
    }
    return GS_OK;
}

bool gsi_inputs_contain(const struct gsi_inputs *inputs, const struct stat *file)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gsi_input *input = &inputs->table[i];
        struct stat info;
        if (input->device_id == file->st_dev && input->inode == file->st_ino)
            return true;
        if (S_ISBLK(file->st_mode) && fstat(input->fd, &info) == 0 && S_ISBLK(info.st_mode) &&
            info.st_rdev == file->st_rdev) /* the same device under another name */
            return true;
    }
    return false;
}

enum gs_status gsi_inputs_check_whole(const struct gsi_inputs *inputs,
                                      const struct gsi_input *input, uint64_t bytes)
{
    const struct gsi_layout *layout = inputs->layout;
    struct gs_error *error = inputs->loop->error;
    if (input->expected_bytes != UINT64_MAX && bytes != input->expected_bytes)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "'%s': %llu bytes follow its header, but the header promises %llu",
                        input->name, (unsigned long long)bytes,
                        (unsigned long long)input->expected_bytes);
    if (bytes % layout->element_bytes == 0)
        return GS_OK;
    bool is_record = layout->number == NULL;
    uint64_t left = bytes % layout->element_bytes;
    return gsi_fail(
        error, GS_E_INPUT, 0,
        "'%s': %llu byte%s left over after %llu %s of %u bytes%s%s; is the file truncated, is "
        "there a header (--header=%llu), or is it another --%s? --drop-tail ignores them",
        input->name, (unsigned long long)left, left == 1 ? " is" : "s are",
        (unsigned long long)(bytes / layout->element_bytes), is_record ? "records" : "elements",
        layout->element_bytes, is_record ? "" : ", ", is_record ? "" : gsi_layout_name(layout),
        (unsigned long long)(inputs->spec->header_bytes + left), is_record ? "record" : "type");
}

uint64_t gsi_inputs_drop_tail(const struct gsi_inputs *inputs, const struct gsi_input *input,
                              uint64_t bytes)
{
    uint32_t element = inputs->layout->element_bytes;
    uint64_t left = bytes % element;
    if (!inputs->spec->drops_tail || input->expected_bytes != UINT64_MAX || left == 0)
        return 0;
    gsi_note(&inputs->loop->listener, "'%s': %llu byte%s left out, after %llu elements of %u bytes",
             input->name, (unsigned long long)left, left == 1 ? " is" : "s are",
             (unsigned long long)(bytes / element), element);
    return left;
}

uint64_t gsi_inputs_kept_bytes(const struct gsi_inputs *inputs)
{
    if (inputs->entry_map != NULL && inputs->data_bytes != UINT64_MAX)
        return (inputs->data_bytes / inputs->layout->element_bytes - inputs->filtered.left_count) *
               inputs->entry_map->entry_bytes;
    uint64_t folded =
        inputs->pre_aggregate != NULL ? gsi_pre_aggregate_count(inputs->pre_aggregate) : 0;
    return inputs->data_bytes -
           (inputs->filtered.left_count + folded) * inputs->layout->element_bytes;
}

/* Checks the number of elements if only a part of the inputs was read. No other check would notice
 * an error. */
static enum gs_status verify_cut(const struct gsi_inputs *inputs,
                                 const struct gsi_tally_report *tally)
{
    uint64_t wanted = inputs->bytes / inputs->layout->element_bytes;
    if (!inputs->is_cut || tally->count == wanted)
        return GS_OK;
    return gsi_fail(inputs->loop->error, GS_E_VERIFY, 0,
                    "%llu elements should have been read, but %llu were counted; check the memory "
                    "of this machine",
                    (unsigned long long)wanted, (unsigned long long)tally->count);
}

enum gs_status gsi_inputs_verify(const struct gsi_inputs *inputs,
                                 const struct gsi_tally_report *tally)
{
    const struct gsi_filtered *filtered = &inputs->filtered;
    uint64_t read = inputs->data_bytes / inputs->layout->element_bytes;
    /* A merge that ended early has read more elements than it counted. */
    if (inputs->spec->may_end_early)
        return GS_OK;
    if (!gsi_inputs_are_filtered(inputs))
        return verify_cut(inputs, tally);
    if (inputs->data_bytes == UINT64_MAX)
        read = filtered->kept_count + filtered->left_count;
    if (read == filtered->kept_count + filtered->left_count &&
        tally->count == filtered->kept_count &&
        tally->fingerprint[0] == (uint64_t)filtered->kept_mix &&
        tally->fingerprint[1] == (uint64_t)(filtered->kept_mix >> 64))
        return GS_OK;
    return gsi_fail(inputs->loop->error, GS_E_VERIFY, 0,
                    "--%s: of %llu elements %llu were kept and %llu dropped, but %llu were "
                    "counted, or their fingerprint differs; check the memory of this machine",
                    inputs->sets != NULL ? "merge" : "where", (unsigned long long)read,
                    (unsigned long long)filtered->kept_count,
                    (unsigned long long)filtered->left_count, (unsigned long long)tally->count);
}

/* ---- a part of the inputs ---- */

enum gs_status gsi_range_select_bytes(const struct gsi_inputs *inputs, struct gsi_input *input)
{
    uint64_t off = inputs->spec->region_off, bytes = inputs->spec->region_bytes;
    if (bytes == UINT64_MAX && off <= input->bytes)
        bytes = input->bytes - off;
    if (off > input->bytes || bytes > input->bytes - off)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--region: ends after the end of '%s', which has %llu bytes", input->name,
                        (unsigned long long)input->bytes);
    input->base_off += off;
    input->bytes = bytes;
    return GS_OK;
}

void gsi_range_cut(struct gsi_inputs *inputs, struct gsi_input *input, uint64_t first,
                   uint64_t count)
{
    uint32_t element = inputs->layout->element_bytes;
    inputs->bytes -= input->bytes - count * element;
    input->passed_bytes += first * element;
    input->base_off += first * element;
    input->bytes = count * element;
    inputs->is_cut = true;
}

enum gs_status gsi_range_select(struct gsi_inputs *inputs, uint64_t first, uint64_t count,
                                struct gsi_range_report *report)
{
    uint32_t element = inputs->layout->element_bytes;
    uint64_t all = inputs->bytes / element;
    if (count == UINT64_MAX && first <= all)
        count = all - first;
    if (first > all || count > all - first)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--range: ends after the last element; there are %llu",
                        (unsigned long long)all);
    report->is_given = true;
    report->first = first;
    report->count = count;
    report->of = all;
    for (size_t i = 0; i < inputs->count; i++) {
        struct gsi_input *input = &inputs->table[i];
        uint64_t here = input->bytes / element, skipped = gsi_min_u64(first, here);
        uint64_t taken = gsi_min_u64(count, here - skipped);
        gsi_range_cut(inputs, input, skipped, taken);
        first -= skipped;
        count -= taken;
    }
    return GS_OK;
}
