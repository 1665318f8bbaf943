/* ranks.c: copies elements from windows by their places in the output. */
#include "output/ranks.h"

#include "base/assert.h"
#include "element/compare.h"
#include "element/record/record_tally.h"
#include "element/width.h"

#include <string.h>

const struct gsi_field *gsi_ranks_field(const struct gsi_record *record)
{
    for (uint32_t i = 0; i < record->field_count; i++)
        if (gsi_field_is_same(&record->fields[i], &record->keys[0]))
            return &record->fields[i];
    return record->field_count > 0 ? &record->fields[0] : NULL;
}

static bool has_counted_key(const struct gsi_record *record)
{
    const struct gsi_field *field = gsi_ranks_field(record);
    return field != NULL && gsi_field_is_same(field, &record->keys[0]);
}

static const char *asked_statistic(const struct gsi_order_statistics *asked)
{
    return asked->quantile_count > 0 ? "quantiles"
           : asked->bins > 0         ? "histogram"
           : asked->distinct         ? "distinct"
                                     : "mode";
}

enum gs_status gsi_ranks_check(const struct gsi_order_statistics *asked, bool is_sort,
                               const struct gsi_layout *layout, struct gs_error *error)
{
    const struct gsi_record *record = layout->record;
    struct gsi_quantile quantile;
    if (!gsi_ranks_wanted(asked))
        return GS_OK;
    if (asked->quantile_count > GSI_QUANTILES_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--quantiles: %zu quantiles exceed the limit of %d",
                        asked->quantile_count, GSI_QUANTILES_MAX);
    for (size_t i = 0; i < asked->quantile_count; i++)
        GSI_TRY(gsi_quantile_parse(asked->quantiles[i], &quantile, error));
    if (asked->bins > GSI_BINS_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--histogram: %u bins exceed the limit of %d",
                        asked->bins, GSI_BINS_MAX);
    if (!is_sort && record->field_count == 0)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: needs a field that is a number; name one with --stats-of",
                        asked_statistic(asked));
    if (!is_sort)
        return GS_OK;
    if (record->key_count == 0 || record->keys[0].type == NULL)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: describes the first key, which must be a number",
                        asked_statistic(asked));
    if (!has_counted_key(record))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: describes the first key; name it with --stats-of, too",
                        asked_statistic(asked));
    return GS_OK;
}

/* Returns whether digests count elements whose first key equals the previous one's. Tags are never
 * equal, because they have an index. */
static bool has_repeats(const struct gsi_layout *layout)
{
    return layout->form == GSI_FORM_KEYS && layout->record->keys[0].bytes == layout->element_bytes;
}

void gsi_ranks_begin(struct gsi_ranks *ranks, const struct gsi_order_statistics *asked,
                     const struct gsi_layout *layout, const struct gsi_tally_report *tally,
                     const struct gsi_tally_report *fields, struct gsi_order_report *report)
{
    const struct gsi_record *record = layout->record;
    *ranks = (struct gsi_ranks){.layout = layout,
                                .key = &record->keys[0],
                                .type = record->keys[0].type,
                                .report = report,
                                .is_wanted = gsi_ranks_wanted(asked),
                                .has_groups = asked->distinct || asked->mode,
                                .has_repeats = has_repeats(layout)};
    if (!ranks->is_wanted)
        return;
    tally = gsi_record_tally_of(layout, gsi_ranks_field(record), tally, fields);
    ranks->is_descending = gsi_layout_falls(layout);
    ranks->count = tally->count - tally->nan_count;
    ranks->first = gsi_layout_nans_lead(layout) ? tally->nan_count : 0;
    report->has_no_bins = asked->bins > 0 && ranks->count == 0;
    if (asked->bins > 0 && ranks->count > 0 &&
        gsi_histogram_make(&ranks->histogram, ranks->type, asked->bins, tally->min, tally->max))
        report->bin_count = asked->bins;
    report->quantile_count = asked->quantile_count;
    for (size_t i = 0; i < report->quantile_count; i++) {
        struct gsi_rank_positions *places = &ranks->places[i];
        struct gsi_quantile_report *quantile = &report->quantiles[i];
        gsi_shorten_name(quantile->text, sizeof quantile->text, asked->quantiles[i]);
        if (ranks->count == 0)
            continue;
        gsi_quantile_parse(asked->quantiles[i], &ranks->quantiles[i], NULL); /* was checked */
        quantile->rank = gsi_quantile_nearest(ranks->quantiles[i], ranks->count);
        places->nearest = quantile->rank++;
        places->low = gsi_quantile_between(ranks->quantiles[i], ranks->count, &places->part);
        places->high = places->low + (places->part > 0);
        uint64_t *all[] = {&places->nearest, &places->low, &places->high};
        for (size_t k = 0; k < 3; k++)
            *all[k] = ranks->first + (ranks->is_descending ? ranks->count - 1 - *all[k] : *all[k]);
    }
}

/* Copies the value of an element, which is its first key. */
static void value_at(const struct gsi_ranks *ranks, const uint8_t *element, uint8_t value[16])
{
    memset(value, 0, 16);
    gsi_field_number(ranks->key, element, value);
}

/* ---- groups of equal values ---- */

/* Elements whose value is that of the one before them. The digest of a whole window has them
 * counted, unless a value is less than a sort key. */
static uint64_t count_equal(const struct gsi_ranks *ranks, const struct gsi_keyed *values,
                            const struct gsi_digest *digest)
{
    return digest->count == values->n && ranks->has_repeats ? digest->repeat_count
                                                            : gsi_equal_keys_count(values);
}

/* A group of `count` elements has ended. If several groups are the longest, the first one
 * counts. */
static void update_mode(struct gsi_ranks *ranks, const uint8_t *value, uint64_t count)
{
    struct gsi_order_report *report = ranks->report;
    if (count <= report->mode_count)
        return;
    report->mode_count = count;
    memcpy(report->mode_value, value, sizeof report->mode_value);
}

/* A group is longer than the longest so far only if an element equals the one that many places
 * after it. Then as many elements equal their predecessor. */
static void add_groups(struct gsi_ranks *ranks, const uint8_t *elements, size_t n,
                       const struct gsi_digest *digest)
{
    uint32_t step = ranks->layout->element_bytes;
    const struct gsi_keyed values = {elements + ranks->key->off, n, step, ranks->key->bytes, NULL};
    uint8_t value[16];
    value_at(ranks, elements, value);
    bool goes_on = ranks->group_count > 0 && memcmp(value, ranks->last, sizeof value) == 0;
    size_t end = gsi_equal_keys_end(&values, 0);
    uint64_t equal_count = count_equal(ranks, &values, digest);
    ranks->report->distinct_count += n - equal_count - goes_on;
    if (!goes_on)
        update_mode(ranks, ranks->last, ranks->group_count);
    ranks->group_count = goes_on ? ranks->group_count + end : end;
    memcpy(ranks->last, value, sizeof value);
    if (end == n)
        return;
    update_mode(ranks, ranks->last, ranks->group_count);
    size_t begun = end, at;
    while (equal_count >= ranks->report->mode_count &&
           (at = gsi_equal_keys_find(&values, begun, ranks->report->mode_count)) < n) {
        begun = gsi_equal_keys_end(&values, at);
        value_at(ranks, elements + at * step, value);
        update_mode(ranks, value, begun - at);
    }
    /* The last group may continue in the next window. */
    value_at(ranks, elements + (n - 1) * step, ranks->last);
    ranks->group_count = n - gsi_equal_keys_begin(&values, end, n - 1);
}

/* ---- bins ---- */

/* Returns whether element `at` precedes the wanted border in the order of the output. */
static bool is_before_border(const struct gsi_ranks *ranks, const uint8_t *elements, size_t at)
{
    uint8_t value[16];
    gsi_u128 key = 0;
    value_at(ranks, elements + at * ranks->layout->element_bytes, value);
    gsi_element_to_key(&ranks->histogram.layout, value, &key);
    return ranks->is_descending
               ? gsi_histogram_reaches(&ranks->histogram,
                                       ranks->report->bin_count - 1 - ranks->border, key)
               : !gsi_histogram_reaches(&ranks->histogram, ranks->border + 1, key);
}

/* Elements before a border belong to the bins on that side. A window contains some borders; a
 * binary search finds each. `seen` numbers have passed before it. */
static void add_bins(struct gsi_ranks *ranks, const uint8_t *elements, size_t n, uint64_t seen)
{
    struct gsi_order_report *report = ranks->report;
    size_t low = 0;
    while (ranks->border + 1 < report->bin_count && !is_before_border(ranks, elements, n - 1)) {
        for (size_t high = n - 1; low < high;) {
            size_t middle = low + (high - low) / 2;
            bool is_before = is_before_border(ranks, elements, middle);
            low = is_before ? middle + 1 : low;
            high = is_before ? high : middle;
        }
        report->bins[ranks->border++].count = seen + low;
    }
}

/* Computes bins, in ascending order, from the counts at the borders. */
static void end_bins(struct gsi_ranks *ranks)
{
    struct gsi_order_report *report = ranks->report;
    const uint32_t bins = report->bin_count;
    for (; bins > 0 && ranks->border < bins; ranks->border++)
        report->bins[ranks->border].count = ranks->count;
    for (uint32_t i = bins; i-- > 1;)
        report->bins[i].count -= report->bins[i - 1].count;
    for (uint32_t i = 0; ranks->is_descending && i < bins / 2; i++) {
        uint64_t count = report->bins[i].count;
        report->bins[i].count = report->bins[bins - 1 - i].count;
        report->bins[bins - 1 - i].count = count;
    }
    for (uint32_t i = 0; i < bins; i++)
        gsi_histogram_from(&ranks->histogram, i, report->bins[i].from);
}

/* ---- windows ---- */

static void take_value(const struct gsi_ranks *ranks, const struct gsi_buffer *window,
                       uint64_t place, uint8_t value[16])
{
    uint32_t bytes = ranks->layout->element_bytes;
    if (place >= ranks->seen && place - ranks->seen < window->bytes / bytes)
        value_at(ranks, window->data + (place - ranks->seen) * bytes, value);
}

static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_ranks *ranks = context;
    uint32_t bytes = ranks->layout->element_bytes;
    uint64_t n = window->bytes / bytes, end = ranks->first + ranks->count;
    for (size_t i = 0; ranks->count > 0 && i < ranks->report->quantile_count; i++) {
        struct gsi_rank_positions *places = &ranks->places[i];
        take_value(ranks, window, places->nearest, ranks->report->quantiles[i].value);
        take_value(ranks, window, places->low, places->low_value);
        take_value(ranks, window, places->high, places->high_value);
    }
    uint64_t from = gsi_max_u64(ranks->first, ranks->seen);
    uint64_t to = gsi_min_u64(end, ranks->seen + n);
    if (from < to)
        add_bins(ranks, window->data + (from - ranks->seen) * bytes, to - from,
                 from - ranks->first);
    if (ranks->has_groups && from < to)
        add_groups(ranks, window->data + (from - ranks->seen) * bytes, to - from, &window->digest);
    ranks->seen += n;
    return true;
}

struct gsi_link gsi_ranks_link(struct gsi_ranks *ranks)
{
    return (struct gsi_link){.context = ranks, .accept = take};
}

void gsi_ranks_end(struct gsi_ranks *ranks)
{
    struct gsi_order_report *report = ranks->report;
    if (!ranks->is_wanted)
        return;
    update_mode(ranks, ranks->last, ranks->group_count);
    report->has_groups = ranks->has_groups;
    end_bins(ranks);
    for (size_t i = 0; ranks->count > 0 && i < report->quantile_count; i++) {
        const struct gsi_rank_positions *places = &ranks->places[i];
        struct gsi_quantile_report *quantile = &report->quantiles[i];
        quantile->between =
            gsi_quantile_mix(ranks->type, places->low_value, places->high_value, places->part);
        quantile->between_time = gsi_quantile_time(ranks->quantiles[i], ranks->count,
                                                   places->low_value, places->high_value);
    }
}
