/* groups.c: compaction without branches, as what is equal to what cannot be predicted: an element
 * is always stored, and the next one overwrites it unless it was new. One core of an EPYC (Zen 4,
 * not idle) does u32 at 3.5 GB/s, with counts at 2.3, all others at 5 to 10, records of 100 bytes
 * too: about as fast as two such cores merge. Many cores, or a GPU, merge faster: there pieces are
 * looked at side by side, where no count or fold goes on from one to the next. */
#include "element/groups.h"

#include "element/equal_keys.h"
#include "element/record/record.h"
#include "element/tally/tally_block.h"

#include <stdio.h>
#include <string.h>

#define COUNT_BYTES ((uint32_t)sizeof(uint64_t))
#define SAME_STEP   8u /* elements that are compared at once */

uint64_t gsi_groups_bytes(const struct gsi_layout *layout, const struct gsi_groups_rule *rule)
{
    return layout->element_bytes + (rule->key_count > 0 ? sizeof(struct gsi_record) : 0) +
           (rule->fold != NULL ? layout->element_bytes + gsi_folder_bytes(rule->fold) : 0);
}

/* How many elements a group must have for something to be put of it. */
static void limit(struct gsi_groups *groups, enum gsi_keep_choice keep)
{
    groups->least = keep == GSI_KEEP_DUPS || keep == GSI_KEEP_REPEATED ? 2 : 1;
    groups->most = keep == GSI_KEEP_SINGLES ? 1 : UINT64_MAX;
}

enum gs_status gsi_groups_init(struct gsi_groups *groups, const struct gsi_layout *layout,
                               const struct gsi_groups_rule *rule, struct gsi_ledger *ledger,
                               struct gs_error *error)
{
    *groups = (struct gsi_groups){.layout = layout,
                                  .ledger = ledger,
                                  .has_counts = rule->has_counts,
                                  .record = layout->record};
    limit(groups, rule->keep);
    groups->keeps_all = rule->keep == GSI_KEEP_REPEATED;
    groups->keeps_last =
        (rule->keep == GSI_KEEP_LAST || groups->keeps_all) && layout->record != NULL;
    groups->has_fold = rule->fold != NULL;
    groups->entry_bytes = gsi_groups_entry_bytes(layout, rule);
    groups->is_held = rule->has_counts || groups->keeps_last || groups->least > 1 ||
                      groups->most < UINT64_MAX || groups->has_fold;
    if (rule->key_count > 0) {
        GSI_TRY(GSI_NEW(ledger, groups->own_record, 1, error));
        gsi_record_first_keys(layout->record, rule->key_count, groups->own_record);
        groups->record = groups->own_record;
    }
    if (groups->has_fold) {
        GSI_TRY(GSI_NEW(ledger, groups->overflow, layout->element_bytes, error));
        GSI_TRY(gsi_folder_init(&groups->folder, rule->fold, ledger, error));
    }
    return GSI_NEW(ledger, groups->last, layout->element_bytes, error);
}

void gsi_groups_clear(struct gsi_groups *groups)
{
    if (groups->last != NULL)
        GSI_FREE(groups->ledger, groups->last, groups->layout->element_bytes);
    if (groups->overflow != NULL)
        GSI_FREE(groups->ledger, groups->overflow, groups->layout->element_bytes);
    gsi_folder_clear(&groups->folder);
    if (groups->own_record != NULL)
        GSI_FREE(groups->ledger, groups->own_record, 1);
    *groups = (struct gsi_groups){0};
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

/* Returns how many entries were put. */
GSI_INLINE size_t put_firsts(struct gsi_groups *groups, const void *elements, size_t n,
                             uint8_t *out, uint32_t bytes)
{
    gsi_u128 before = load(groups->last, 0, bytes);
    size_t put = 0;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 x = load(elements, i, bytes);
        memcpy(out + put * bytes, &x, bytes);
        put += x != before;
        before = x;
    }
    memcpy(groups->last, &before, bytes);
    groups->count += put;
    return put;
}

/* The same where groups are held back: an entry is stored again and again until its group has
 * ended, and stays if the group has as many elements as are wanted. Where all elements of a group
 * are put, one stays if another follows, too. */
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

/* The end of the elements that equal `x`, from i on. */
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

/* The same where groups are counted: a group is looked at as a whole. */
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

/* The same of elements none of which has the key of the one before it: each is a group. */
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
    for (size_t i = 0; puts_ones && i + 1 < n; i++) {
        memcpy(out, elements + i * bytes, bytes);
        memcpy(out + bytes, &one, count_bytes);
        out += bytes + count_bytes;
    }
    memcpy(groups->last, elements + (n - 1) * bytes, bytes);
    groups->last_count = 1;
    groups->ended_count += count + n - 1;
    groups->count += n;
    return (size_t)(out - begin) / (bytes + count_bytes);
}

GSI_INLINE bool are_apart(const struct gsi_groups *groups, const void *elements, size_t n,
                          uint32_t bytes)
{
    return n > 0 && memcmp(groups->last, elements, bytes) != 0 &&
           gsi_equal_keys_count(groups->layout, elements, n) == 0;
}

GSI_INLINE size_t add_numbers(struct gsi_groups *groups, const void *elements, size_t n,
                              uint8_t *out, uint32_t bytes)
{
    if (!groups->is_held)
        return put_firsts(groups, elements, n, out, bytes);
    if (are_apart(groups, elements, n, bytes))
        return groups->has_counts ? put_apart(groups, elements, n, out, bytes, COUNT_BYTES)
                                  : put_apart(groups, elements, n, out, bytes, 0);
    return groups->has_counts ? put_counted(groups, elements, n, out, bytes)
                              : put_ended(groups, elements, n, out, bytes);
}

/* ---- records ---- */

/* The folded fields of the group that ends. */
static void put_fold(struct gsi_groups *groups, uint8_t *entry)
{
    bool was_fine = groups->folder.overflow == NULL;
    groups->folder.count = groups->last_count;
    gsi_folder_end(&groups->folder, entry);
    if (was_fine && groups->folder.overflow != NULL)
        memcpy(groups->overflow, entry, groups->layout->element_bytes);
}

/* The group that `element` stands for has ended, or is not held back. Folded ones are put whether
 * they are wanted or not, for they count. */
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

/* The first record of a group is read with the second one only: `stands` is it then. */
static void add_to_fold(struct gsi_groups *groups, const uint8_t *stands, const uint8_t *element)
{
    groups->folder.count = groups->last_count - 1;
    gsi_folder_add(&groups->folder, stands, element);
}

static size_t add_records(struct gsi_groups *groups, const uint8_t *elements, size_t n,
                          uint8_t *out)
{
    const struct gsi_record *record = groups->record;
    const uint8_t *stands = groups->last;
    uint8_t *begin = out;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *element = elements + i * record->bytes;
        if (gsi_record_compare(record, stands, element, 0) == 0) {
            if (groups->keeps_all)
                out = (uint8_t *)memcpy(out, stands, record->bytes) + record->bytes;
            groups->last_count += groups->is_held;
            if (groups->has_fold)
                add_to_fold(groups, stands, element);
            stands = groups->keeps_last ? element : stands;
            continue;
        }
        out = put_entry(groups, groups->is_held ? stands : element, out);
        groups->ended_count += groups->last_count;
        groups->count++;
        groups->last_count = 1;
        stands = element;
    }
    if (stands != groups->last)
        memcpy(groups->last, stands, record->bytes);
    return (size_t)(out - begin);
}

/* ---- either ---- */

/* The first group of all has none before it. */
static size_t begin(struct gsi_groups *groups, const uint8_t *element, uint8_t *out)
{
    memcpy(groups->last, element, groups->layout->element_bytes);
    groups->count = groups->last_count = 1;
    return groups->is_held ? 0 : (size_t)(put_entry(groups, element, out) - out);
}

size_t gsi_groups_add(struct gsi_groups *groups, const void *elements, size_t n, uint8_t *out)
{
    const struct gsi_layout *layout = groups->layout;
    uint32_t bytes = layout->element_bytes;
    const uint8_t *at = elements;
    size_t put = 0;
    if (n > 0 && groups->count == 0) {
        put = begin(groups, at, out);
        at += bytes;
        n--;
    }
    if (layout->record != NULL)
        return put + add_records(groups, at, n, out + put);
    size_t entries = GSI_BY_WIDTH(bytes, add_numbers(groups, at, n, out + put, 4),
                                  add_numbers(groups, at, n, out + put, 8),
                                  add_numbers(groups, at, n, out + put, 16));
    return put + entries * groups->entry_bytes;
}

size_t gsi_groups_end(struct gsi_groups *groups, uint8_t *out)
{
    if (!groups->is_held || groups->count == 0)
        return 0;
    groups->ended_count += groups->last_count;
    return (size_t)(put_entry(groups, groups->last, out) - out);
}

/* ---- pieces, each on its own ---- */

bool gsi_groups_may_pick(const struct gsi_groups *groups)
{
    return !groups->has_counts && !groups->has_fold;
}

bool gsi_groups_are_of_keys(const struct gsi_groups *groups)
{
    const struct gsi_layout *layout = groups->layout;
    return !layout->has_tags && !layout->is_unverified && groups->own_record == NULL;
}

static bool is_equal(const struct gsi_groups *groups, const uint8_t *a, const uint8_t *b)
{
    return groups->record != NULL ? gsi_record_compare(groups->record, a, b, 0) == 0
                                  : memcmp(a, b, groups->layout->element_bytes) == 0;
}

bool gsi_groups_meet(struct gsi_groups *groups, const uint8_t *elements, size_t n)
{
    const uint32_t bytes = groups->layout->element_bytes;
    bool goes_on = groups->has_met && is_equal(groups, groups->last, elements);
    memcpy(groups->last, elements + (n - 1) * bytes, bytes);
    groups->has_met = true;
    return goes_on;
}

/* Which element is put: one that is the first of its group, or the last, or both or not, where that
 * matters; or each that has a neighbour in it. */
struct pick_rule {
    bool any_before, any_behind, behind, all;
};

static bool is_picked(struct pick_rule rule, bool before, bool behind)
{
    return rule.all ? before | behind
                    : (rule.any_before | !before) & (rule.any_behind | (behind == rule.behind));
}

GSI_INLINE size_t pick_numbers(struct gsi_groups_piece *piece, struct pick_rule rule,
                               uint8_t *elements, size_t n, uint32_t bytes)
{
    gsi_u128 x = load(elements, 0, bytes);
    bool before = piece->goes_on_before;
    size_t put = 0;
    uint64_t group_count = 0;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 next = i + 1 < n ? load(elements, i + 1, bytes) : x;
        bool behind = i + 1 < n ? next == x : piece->goes_on_behind;
        memcpy(elements + put * bytes, &x, bytes);
        put += is_picked(rule, before, behind);
        group_count += !before;
        before = behind;
        x = next;
    }
    piece->group_count = group_count;
    return put * bytes;
}

static size_t pick_records(const struct gsi_groups *groups, struct gsi_groups_piece *piece,
                           struct pick_rule rule, uint8_t *elements, size_t n)
{
    const size_t bytes = groups->layout->element_bytes;
    const uint8_t *element = elements;
    uint8_t *put = elements;
    bool before = piece->goes_on_before;
    for (size_t i = 0; i < n; i++, element += bytes) {
        bool behind =
            i + 1 < n ? is_equal(groups, element, element + bytes) : piece->goes_on_behind;
        if (is_picked(rule, before, behind)) {
            if (put != element)
                memcpy(put, element, bytes);
            put += bytes;
        }
        piece->group_count += !before;
        before = behind;
    }
    return (size_t)(put - elements);
}

/* All but the last element, which may have its like behind the piece, are put. */
static size_t pick_apart(struct gsi_groups_piece *piece, struct pick_rule rule, size_t n,
                         size_t bytes)
{
    piece->group_count = n;
    return (n - 1 + is_picked(rule, false, piece->goes_on_behind)) * bytes;
}

size_t gsi_groups_pick(const struct gsi_groups *groups, struct gsi_groups_piece *piece,
                       uint8_t *elements, size_t n)
{
    const struct pick_rule rule = {.any_before = groups->keeps_last,
                                   .any_behind = !groups->keeps_last && groups->least == 1 &&
                                                 groups->most > 1,
                                   .behind = groups->least > 1,
                                   .all = groups->keeps_all};
    piece->group_count = 0;
    if (piece->is_all_apart && !piece->goes_on_before && is_picked(rule, false, false))
        return pick_apart(piece, rule, n, groups->layout->element_bytes);
    if (groups->record != NULL)
        return pick_records(groups, piece, rule, elements, n);
    return GSI_BY_WIDTH(groups->layout->element_bytes, pick_numbers(piece, rule, elements, n, 4),
                        pick_numbers(piece, rule, elements, n, 8),
                        pick_numbers(piece, rule, elements, n, 16));
}

void gsi_groups_join(struct gsi_groups *groups, const struct gsi_groups_piece *piece, size_t n)
{
    groups->count += piece->group_count;
    groups->ended_count += n;
}

/* ---- at the end ---- */

bool gsi_groups_are_whole(const struct gsi_groups *groups, uint64_t count)
{
    return groups->is_held ? groups->ended_count == count : groups->count <= count;
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
                    "--sum: '%s': the sum of the records with the key %s does not fit into %s; %s",
                    folded->field.text, keys, folded->wide_bytes > 0 ? "its bytes" : "the field",
                    folded->wide_bytes > 0 ? "nothing wider is written"
                                           : "with :wide behind it a wider one is written");
}
