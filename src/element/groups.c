/* groups.c: drops equal neighbours without branches, because branches on them cannot be predicted.
 * Each element is stored, and the next one overwrites it unless it has a new key. One core is about
 * as fast as two cores that merge. Many cores, or a GPU, merge faster, so threads work on pieces of
 * a window in parallel. */
#include "element/groups.h"

#include "element/compare.h"
#include "element/tally/tally_block.h"

#include <stdio.h>
#include <string.h>

#define COUNT_BYTES ((uint32_t)sizeof(uint64_t))
#define SAME_STEP   8u /* elements that are compared at once */

/* Sets how many elements a group must have to get an entry. */
static void limit(struct gsi_groups *groups, enum gsi_keep_choice keep)
{
    groups->least = keep == GSI_KEEP_DUPS || keep == GSI_KEEP_REPEATED ? 2 : 1;
    groups->most = keep == GSI_KEEP_SINGLES ? 1 : UINT64_MAX;
}

/* Places the entry of the last group, which the next elements may belong to. */
static void place_last(struct gsi_groups *groups, const struct gsi_fold *fold,
                       struct gsi_bump *bump)
{
    const uint32_t bytes = groups->layout->element_bytes;
    GSI_BUMP_ALLOC(bump, groups->last, bytes);
    if (!groups->has_fold)
        return;
    GSI_BUMP_ALLOC(bump, groups->overflow, bytes);
    gsi_folder_alloc(&groups->folder, fold, bump);
}

void gsi_groups_alloc(struct gsi_groups *groups, const struct gsi_layout *layout,
                      const struct gsi_groups_rule *rule, struct gsi_bump *bump)
{
    *groups = (struct gsi_groups){.layout = layout,
                                  .has_counts = rule->has_counts,
                                  .has_fold = rule->fold != NULL,
                                  .entry_bytes = gsi_groups_entry_bytes(layout, rule),
                                  .record = gsi_layout_is_native(layout) ? NULL : layout->record};
    limit(groups, rule->keep);
    groups->keeps_all = rule->keep == GSI_KEEP_REPEATED;
    groups->keeps_last =
        (rule->keep == GSI_KEEP_LAST || groups->keeps_all) && groups->record != NULL;
    if (rule->key_count > 0)
        GSI_BUMP_ALLOC(bump, groups->own_record, 1);
    if (groups->own_record != NULL) {
        gsi_record_first_keys(layout->record, rule->key_count, groups->own_record);
        groups->record = groups->own_record;
    }
    place_last(groups, rule->fold, bump);
}

void gsi_groups_restart(struct gsi_groups *groups)
{
    groups->count = groups->last_count = groups->ended_count = 0;
    if (groups->has_fold)
        gsi_folder_restart(&groups->folder);
}

uint64_t gsi_groups_entry_bytes(const struct gsi_layout *layout, const struct gsi_groups_rule *rule)
{
    return layout->element_bytes + (rule->fold != NULL ? rule->fold->wide_bytes : 0) +
           (rule->has_counts ? COUNT_BYTES : 0);
}

/* ---- numbers; `bytes` is a constant in each clone, so the wide arithmetic goes away ---- */

GSI_INLINE gsi_u128 load(const void *elements, size_t i, uint32_t bytes)
{
    return GSI_BY_WIDTH(bytes, gsi_block_load(elements, i, 4), gsi_block_load(elements, i, 8),
                        gsi_block_load_u128(elements, i));
}

/* Returns whether every group has an entry, without its count. */
static bool puts_each(const struct gsi_groups *groups)
{
    return !groups->has_counts && !groups->keeps_all && groups->least == 1 &&
           groups->most == UINT64_MAX;
}

/* Returns how many entries were written. An entry is overwritten until its group has ended. */
GSI_INLINE size_t put_each(struct gsi_groups *groups, const void *elements, size_t n, uint8_t *out,
                           uint32_t bytes)
{
    gsi_u128 before = load(groups->last, 0, bytes);
    size_t put = 0, ended = 0; /* elements before the last group that begins here */
    for (size_t i = 0; i < n; i++) {
        gsi_u128 x = load(elements, i, bytes);
        memcpy(out + put * bytes, &before, bytes);
        put += x != before;
        ended = x != before ? i : ended;
        before = x;
    }
    memcpy(groups->last, &before, bytes);
    groups->ended_count += put > 0 ? groups->last_count + ended : 0;
    groups->last_count = put > 0 ? n - ended : groups->last_count + n;
    groups->count += put;
    return put;
}

/* Does the same, but keeps an entry only if its group has the wanted number of elements. If all
 * elements of a group are kept, an element also stays if another one follows. */
GSI_INLINE size_t put_ended(struct gsi_groups *groups, const void *elements, size_t n, uint8_t *out,
                            uint32_t bytes)
{
    gsi_u128 before = load(groups->last, 0, bytes);
    uint64_t count = groups->last_count, ended = 0;
    uint64_t least = groups->least, most = groups->most;
    const bool keeps_all = groups->keeps_all;
    size_t put = 0, new_count = 0;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 x = load(elements, i, bytes);
        bool is_new = x != before;
        memcpy(out + put * bytes, &before, bytes);
        put += (is_new & (count >= least) & (count <= most)) | (keeps_all & !is_new);
        new_count += is_new;
        ended += is_new ? count : 0;
        count = is_new ? 1 : count + 1;
        before = x;
    }
    memcpy(groups->last, &before, bytes);
    groups->last_count = count;
    groups->ended_count += ended;
    groups->count += new_count;
    return put;
}

/* Returns the index after the elements that equal `x`, from i on. */
GSI_INLINE size_t same_end(const void *elements, size_t i, size_t n, gsi_u128 x, uint32_t bytes)
{
    for (;; i += SAME_STEP) {
        gsi_u128 differs = 0;
        for (size_t k = i; i + SAME_STEP <= n && k < i + SAME_STEP; k++)
            differs |= load(elements, k, bytes) ^ x;
        if (differs != 0 || i + SAME_STEP > n)
            break;
    }
    while (i < n && load(elements, i, bytes) == x)
        i++;
    return i;
}

/* Does the same with counts: finds the end of each group, then writes its entry. */
GSI_INLINE size_t put_counted(struct gsi_groups *groups, const void *elements, size_t n,
                              uint8_t *out, uint32_t bytes)
{
    gsi_u128 before = load(groups->last, 0, bytes);
    uint64_t count = groups->last_count;
    size_t put = 0;
    for (size_t i = 0, end; i < n; i = end) {
        gsi_u128 x = load(elements, i, bytes);
        end = i + 1;
        if (x == before) {
            end = same_end(elements, i, n, x, bytes);
            count += end - i;
            continue;
        }
        memcpy(out + put * (bytes + COUNT_BYTES), &before, bytes);
        memcpy(out + put * (bytes + COUNT_BYTES) + bytes, &count, COUNT_BYTES);
        put += (count >= groups->least) & (count <= groups->most);
        groups->ended_count += count;
        groups->count++;
        before = x;
        count = 1;
    }
    memcpy(groups->last, &before, bytes);
    groups->last_count = count;
    return put;
}

/* Does the same if no two neighbours have equal keys: each element is a group. */
GSI_INLINE size_t put_apart(struct gsi_groups *groups, const uint8_t *elements, size_t n,
                            uint8_t *out, uint32_t bytes, uint32_t count_bytes)
{
    const uint64_t one = 1, count = groups->last_count;
    const bool puts_ones = groups->least <= one && one <= groups->most;
    uint8_t *const begin = out;
    if (count >= groups->least && count <= groups->most) {
        memcpy(out, groups->last, bytes);
        memcpy(out + bytes, &count, count_bytes);
        out += bytes + count_bytes;
    }
    if (puts_ones && count_bytes == 0)
        out = (uint8_t *)memcpy(out, elements, (n - 1) * bytes) + (n - 1) * bytes;
    for (size_t i = 0; puts_ones && count_bytes > 0 && i + 1 < n; i++) {
        memcpy(out, elements + i * bytes, bytes);
        memcpy(out + bytes, &one, count_bytes);
        out += bytes + count_bytes;
    }
    memcpy(groups->last, elements + (n - 1) * bytes, bytes);
    groups->last_count = 1;
    groups->ended_count += count + n - 1;
    groups->count += n;
    return (size_t)(out - begin);
}

static struct gsi_keyed keyed_view(const struct gsi_groups *groups, const void *elements, size_t n)
{
    const uint32_t bytes = groups->layout->element_bytes;
    return (struct gsi_keyed){elements, n, bytes, bytes, groups->record};
}

/* With counts it pays to check first whether any two neighbours are equal. */
GSI_INLINE bool are_apart(const struct gsi_groups *groups, const void *elements, size_t n,
                          uint32_t bytes)
{
    const struct gsi_keyed keyed = keyed_view(groups, elements, n);
    return n > 0 && memcmp(groups->last, elements, bytes) != 0 &&
           (groups->is_apart || (!puts_each(groups) && gsi_equal_keys_count(&keyed) == 0));
}

/* Returns the bytes of the entries. */
GSI_INLINE size_t add_numbers(struct gsi_groups *groups, const void *elements, size_t n,
                              uint8_t *out, uint32_t bytes)
{
    if (are_apart(groups, elements, n, bytes))
        return groups->has_counts ? put_apart(groups, elements, n, out, bytes, COUNT_BYTES)
                                  : put_apart(groups, elements, n, out, bytes, 0);
    size_t put = groups->has_counts  ? put_counted(groups, elements, n, out, bytes)
                 : puts_each(groups) ? put_each(groups, elements, n, out, bytes)
                                     : put_ended(groups, elements, n, out, bytes);
    return put * groups->entry_bytes;
}

/* ---- records ---- */

/* Writes the folded fields of the group that ends. */
static void put_fold(struct gsi_groups *groups, uint8_t *entry)
{
    bool was_fine = groups->folder.overflow == NULL;
    groups->folder.count = groups->last_count;
    gsi_folder_end(&groups->folder, entry);
    if (was_fine && groups->folder.overflow != NULL)
        memcpy(groups->overflow, entry, groups->layout->element_bytes);
}

/* Ends the group of `element` and writes its entry. A folded group is written even if it is not
 * wanted, because the state of the folder counts it. */
static uint8_t *put_entry(struct gsi_groups *groups, const uint8_t *element, uint8_t *out)
{
    bool is_wanted = groups->last_count >= groups->least && groups->last_count <= groups->most;
    if (!is_wanted && !groups->has_fold)
        return out;
    memcpy(out, element, groups->layout->element_bytes);
    if (groups->has_fold)
        put_fold(groups, out);
    if (groups->has_counts)
        memcpy(out + groups->entry_bytes - COUNT_BYTES, &groups->last_count, COUNT_BYTES);
    return out + (is_wanted ? groups->entry_bytes : 0);
}

/* Adds `n` more records to the last group, whose entry so far is `stands`. The first record of a
 * group is folded only when the second one arrives; `stands` is the first record then. */
static uint8_t *go_on(struct gsi_groups *groups, const uint8_t *stands, const uint8_t *elements,
                      size_t n, uint8_t *out)
{
    const size_t bytes = groups->record->bytes;
    if (groups->keeps_all) { /* all but the last one, which is the entry from now on */
        memcpy(out, stands, bytes);
        memcpy(out + bytes, elements, (n - 1) * bytes);
        out += n * bytes;
    }
    if (groups->has_fold) {
        groups->folder.count = groups->last_count;
        gsi_folder_add(&groups->folder, stands, elements, n);
    }
    groups->last_count += n;
    return out;
}

/* Finds the end of each group, then writes its entry. */
GSI_INLINE size_t put_groups(struct gsi_groups *groups, const uint8_t *elements, size_t n,
                             uint8_t *out, uint32_t word_bytes)
{
    const struct gsi_record *record = groups->record;
    const size_t bytes = record->bytes;
    const uint8_t *stands = groups->last, *const end = elements + n * bytes;
    uint8_t *const begin = out;
    for (const uint8_t *at = elements, *next; at < end; at = next) {
        next = at;
        while (next < end && gsi_record_is_equal(record, stands, next, word_bytes))
            next += bytes;
        if (next > at) {
            out = go_on(groups, stands, at, (size_t)(next - at) / bytes, out);
            stands = groups->keeps_last ? next - bytes : stands;
            continue;
        }
        out = put_entry(groups, stands, out);
        groups->ended_count += groups->last_count;
        groups->count++;
        groups->last_count = 1;
        stands = at;
        next += bytes;
    }
    if (stands != groups->last)
        memcpy(groups->last, stands, bytes);
    return (size_t)(out - begin);
}

static size_t add_records(struct gsi_groups *groups, const uint8_t *elements, size_t n,
                          uint8_t *out)
{
    const uint32_t bytes = groups->record->bytes;
    if (groups->is_apart && !groups->has_fold && are_apart(groups, elements, n, bytes))
        return put_apart(groups, elements, n, out, bytes, groups->has_counts ? COUNT_BYTES : 0);
    return GSI_BY_RECORD_WORD(groups->record, put_groups, groups, elements, n, out);
}

/* ---- numbers and records ---- */

size_t gsi_groups_add(struct gsi_groups *groups, const void *elements, size_t n, uint8_t *out)
{
    const uint32_t bytes = groups->layout->element_bytes;
    const uint8_t *at = elements;
    if (n > 0 && groups->count == 0) { /* the first group of all has none before it */
        memcpy(groups->last, at, bytes);
        groups->count = groups->last_count = 1;
        at += bytes;
        n--;
    }
    if (groups->record != NULL)
        return add_records(groups, at, n, out);
    return GSI_BY_WIDTH(bytes, add_numbers(groups, at, n, out, 4),
                        add_numbers(groups, at, n, out, 8), add_numbers(groups, at, n, out, 16));
}

size_t gsi_groups_end(struct gsi_groups *groups, uint8_t *out)
{
    if (groups->count == 0)
        return 0;
    groups->ended_count += groups->last_count;
    return (size_t)(put_entry(groups, groups->last, out) - out);
}

/* ---- pieces, each on its own ---- */

static void place_part(struct gsi_groups *part, const struct gsi_groups *groups,
                       struct gsi_bump *bump)
{
    *part = *groups;
    part->own_record = NULL; /* `record` is borrowed */
    place_last(part, groups->folder.fold, bump);
}

void gsi_groups_batch_alloc(struct gsi_groups_batch *piece, const struct gsi_groups *groups,
                            struct gsi_bump *bump)
{
    *piece = (struct gsi_groups_batch){0};
    place_part(&piece->first, groups, bump);
    place_part(&piece->rest, groups, bump);
}

void gsi_groups_batch_begin(struct gsi_groups_batch *piece, bool goes_on, bool is_apart)
{
    piece->goes_on = goes_on;
    piece->rest.is_apart = is_apart;
    gsi_groups_restart(&piece->first);
    gsi_groups_restart(&piece->rest);
}

bool gsi_groups_is_equal(const struct gsi_groups *groups, const uint8_t *a, const uint8_t *b)
{
    const struct gsi_keyed keyed = keyed_view(groups, NULL, 0);
    return gsi_keyed_is_equal(&keyed, a, b);
}

bool gsi_groups_are_of_keys(const struct gsi_groups *groups)
{
    const struct gsi_layout *layout = groups->layout;
    return layout->form == GSI_FORM_KEYS && groups->own_record == NULL;
}

/* If all elements of a group are kept, also writes the last one of `first` when no more follow. The
 * group has an earlier element, so it is large enough. */
size_t gsi_groups_batch_add(struct gsi_groups_batch *piece, const void *elements, size_t n,
                            uint8_t *out)
{
    struct gsi_groups *first = &piece->first, *rest = &piece->rest;
    const size_t bytes = first->layout->element_bytes;
    size_t same = 0, put = 0;
    if (n > 0 && piece->goes_on && rest->count == 0) {
        struct gsi_keyed keyed = keyed_view(first, elements, n);
        if (first->count == 0 || gsi_keyed_is_equal(&keyed, first->last, elements))
            same = gsi_equal_keys_end(&keyed, 0);
        put = gsi_groups_add(first, elements, same, out);
        if (same < n && first->keeps_all) {
            memcpy(out + put, first->last, bytes);
            put += bytes;
        }
    }
    return put +
           gsi_groups_add(rest, (const uint8_t *)elements + same * bytes, n - same, out + put);
}

/* The last group continues. */
static uint8_t *join_first(struct gsi_groups *groups, const struct gsi_groups *first, uint8_t *out)
{
    const uint32_t bytes = groups->layout->element_bytes;
    if (groups->keeps_all)
        out = (uint8_t *)memcpy(out, groups->last, bytes) + bytes;
    if (groups->has_fold)
        gsi_folder_go_on(&groups->folder, groups->last, groups->last_count, &first->folder,
                         first->last, first->last_count);
    groups->last_count += first->last_count;
    if (groups->keeps_last)
        memcpy(groups->last, first->last, bytes);
    return out;
}

/* It has ended, and others follow. */
static uint8_t *join_rest(struct gsi_groups *groups, const struct gsi_groups *rest, bool is_put,
                          uint8_t *out)
{
    const uint32_t bytes = groups->layout->element_bytes;
    if (groups->count > 0 && !is_put)
        out = put_entry(groups, groups->last, out);
    if (groups->has_fold && groups->folder.overflow == NULL && rest->folder.overflow != NULL)
        memcpy(groups->overflow, rest->overflow, bytes);
    if (groups->has_fold)
        gsi_folder_follow(&groups->folder, &rest->folder);
    groups->ended_count += groups->last_count + rest->ended_count;
    groups->count += rest->count;
    groups->last_count = rest->last_count;
    memcpy(groups->last, rest->last, bytes);
    return out;
}

size_t gsi_groups_join(struct gsi_groups *groups, const struct gsi_groups_batch *piece,
                       uint8_t *out)
{
    const bool goes_on = piece->first.count > 0;
    uint8_t *end = out;
    if (goes_on)
        end = join_first(groups, &piece->first, end);
    if (piece->rest.count > 0)
        end = join_rest(groups, &piece->rest, goes_on && groups->keeps_all, end);
    return (size_t)(end - out);
}

/* ---- at the end ---- */

bool gsi_groups_are_whole(const struct gsi_groups *groups, uint64_t count)
{
    return groups->ended_count == count;
}

enum gs_status gsi_groups_check_sums(const struct gsi_groups *groups, struct gs_error *error)
{
    const struct gsi_fold_field *folded = groups->folder.overflow;
    char value[GSI_FIELD_VALUE_BYTES], keys[3 * GSI_FIELD_VALUE_BYTES] = "";
    size_t length = 0;
    if (folded == NULL)
        return GS_OK;
    for (uint32_t i = 0; i < groups->record->key_count && length < sizeof keys; i++)
        length +=
            (size_t)snprintf(keys + length, sizeof keys - length, "%s%s", i > 0 ? ", " : "",
                             gsi_field_text(&groups->record->keys[i], groups->overflow, value));
    return gsi_fail(error, GS_E_INPUT, 0,
                    "--sum: '%s': the sum of the records with the key %s does not fit into the "
                    "%sfield; %s",
                    folded->field.text, keys, folded->wide_bytes > 0 ? "wide " : "",
                    folded->wide_bytes > 0 ? "no field is wider"
                                           : "append :wide to write a wider one");
}
