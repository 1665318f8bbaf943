/* select.c: finds --quantiles and --histogram without a sort (--stats-only): exact, in few passes
 * over the files.
 *
 *     sample      small blocks from everywhere -> a bracket around each quantile, likely to hold it
 *     pass 1      tally; keys in brackets are kept, all others counted (quantile.h)
 *     pass 2, 3   better brackets, where a rank was outside or a bracket did not fit
 *
 * A pass is a scan of the inputs:
 *
 *     [device: tally, in pass 1] -> partial of a buffer -> counts, lists
 *
 * The width of a bracket is estimated: it follows how much neighbouring blocks of the sample
 * differ. So sorted, clustered and random data each get what they need. A wrong estimate costs a
 * pass, never exactness. The first pass finds the ends of bins, the next one counts them. Little
 * data have one bracket for all; so have streams, which are read once. A stream that does not fit
 * is refused. */
#include "job/strategy/strategy.h"

#include "device/cpu/cpu_leaf_sort.h"
#include "element/quantile/quantile.h"
#include "element/record/record_tally.h"
#include "input/scan.h"
#include "job/job_report.h"
#include "job/strategy/select_sample.h"
#include "output/ranks.h"
#include "plan/plan.h"

#include <string.h>

/* The least memory for lists, and the most by default: what brackets of a sample need of any
 * data. */
#define LEAST_BYTES GSI_CONSTANT((uint64_t)1 << 20, (uint64_t)16 << 10)
#define MOST_BYTES  GSI_CONSTANT((uint64_t)256 << 20, (uint64_t)64 << 10)

/* So few keys are kept all: sorting them takes less than a sample. */
#define FEW_BYTES GSI_CONSTANT((uint64_t)32 << 20, (uint64_t)32 << 10)

/* The sample has a page of each MiB. On a disk of 2.4 GB/s it takes a fifth of the time of reading
 * everything. */
#define SAMPLE_STEP_BYTES GSI_CONSTANT((uint64_t)1 << 20, (uint64_t)16 << 10)

/* Numbers of records that are extracted at a time. */
#define NUMBERS GSI_CONSTANT(1024, 64)

/* How far a bracket made of thinned out keys reaches, in square roots of their number: 4 standard
 * deviations at most. */
#define REACH 2

/* The result of a thread for one buffer. */
struct partial {
    struct gsi_bracket_counts counts[GSI_QUANTILES_MAX];
    uint64_t bins[GSI_BINS_MAX];
    size_t kept;
    uint8_t *keys;
};

struct select {
    struct gsi_job *job;
    const struct gsi_field *field; /* of records; NULL: numbers */
    struct gsi_layout layout;      /* of the numbers */
    struct gsi_bracket whole;      /* of all keys that are no NaNs */
    struct gsi_bump bump;
    uint8_t *memory; /* for lists, or for a sample */
    uint64_t memory_bytes;
    uint64_t seen;   /* elements of the pass */
    uint64_t count;  /* of numbers, once they were counted */
    bool is_binning; /* the pass that counts bins */
    struct gsi_histogram histogram;
    /* A bracket for each quantile that is not known yet. */
    struct gsi_bracket brackets[GSI_QUANTILES_MAX];
    struct gsi_bracket_counts counts[GSI_QUANTILES_MAX];
    struct gsi_bracket_list lists[GSI_QUANTILES_MAX];
    struct gsi_quantile quantiles[GSI_QUANTILES_MAX];
    size_t open[GSI_QUANTILES_MAX]; /* which quantiles these are */
    size_t open_count;
};

bool gsi_select_is(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    return options->action == GS_STATS &&
           (options->order_statistics.quantile_count > 0 || options->order_statistics.bins > 0);
}

/* Readers may promise how many bytes there are, and still give them once. */
static bool is_read_once(const struct gsi_job *job)
{
    return job->inputs.has_stream || job->inputs.bytes == UINT64_MAX;
}

/* Plans half of the memory that the smallest plan leaves free, but no more than the data need. */
struct gsi_bump gsi_select_plan(const struct gsi_job *job, uint64_t memory_bytes)
{
    struct gsi_bump bump = {0};
    if (!gsi_select_is(job))
        return bump;
    uint64_t least = GSI_PLAN_LEAST_BYTES + 2 * LEAST_BYTES;
    uint64_t bytes = memory_bytes > least ? (memory_bytes - least) / 2 : 0;
    uint64_t most = is_read_once(job) ? UINT64_MAX : MOST_BYTES;
    gsi_bump_alloc(&bump,
                   gsi_round_down_u64(gsi_clamp_u64(bytes, LEAST_BYTES, most), GSI_DIRECT_ALIGN), 1,
                   GSI_DIRECT_ALIGN);
    return bump;
}

/* ---- a pass ---- */

static void scan(const struct select *select, struct partial *partial, const void *numbers,
                 size_t n)
{
    if (select->is_binning)
        gsi_histogram_add(&select->histogram, numbers, n, partial->bins);
    if (select->open_count == 0)
        return;
    partial->kept += gsi_brackets_scan(&select->layout, numbers,
                                       partial->keys + partial->kept * select->layout.element_bytes,
                                       n, select->brackets, partial->counts, select->open_count);
}

/* Keys replace the tags of the records, or, without tags, the records themselves, because numbers
 * are no wider. */
static void scan_records(const struct select *select, struct partial *partial,
                         const uint8_t *records, size_t n)
{
    _Alignas(16) uint8_t numbers[16 * NUMBERS];
    const uint32_t step = select->job->loop.layout->element_bytes;
    for (size_t done = 0, part; done < n; done += part) {
        part = gsi_min_u64(n - done, NUMBERS);
        scan(select, partial, numbers,
             gsi_field_numbers(select->field, records + done * step, step, part, numbers));
    }
}

static void scan_buffer(void *context, struct gsi_buffer *buffer, void *result, uint32_t worker_idx)
{
    (void)worker_idx;
    const struct select *select = context;
    struct partial *partial = result;
    size_t n = buffer->bytes / select->job->loop.layout->element_bytes;
    memset(partial->counts, 0, select->open_count * sizeof partial->counts[0]);
    memset(partial->bins, 0, select->histogram.bins * sizeof partial->bins[0]);
    partial->kept = 0;
    partial->keys = buffer->tags != NULL ? (uint8_t *)buffer->tags : buffer->data;
    if (gsi_layout_is_native(select->job->loop.layout))
        scan(select, partial, buffer->data, n);
    else
        scan_records(select, partial, buffer->data, n);
}

static bool join(void *context, struct gsi_buffer *buffer, void *result)
{
    struct select *select = context;
    const struct partial *partial = result;
    for (size_t i = 0; i < select->open_count; i++) {
        select->counts[i].below += partial->counts[i].below;
        select->counts[i].at_low += partial->counts[i].at_low;
        select->counts[i].inside += partial->counts[i].inside;
        select->counts[i].at_high += partial->counts[i].at_high;
        if (partial->counts[i].inside > 0)
            gsi_bracket_list_add(&select->lists[i], &select->brackets[i], partial->keys,
                                 partial->kept);
    }
    for (uint32_t i = 0; select->is_binning && i < select->histogram.bins; i++)
        select->job->report->order_statistics.bins[i].count += partial->bins[i];
    select->seen += buffer->bytes / select->job->loop.layout->element_bytes;
    return true;
}

/* Divides the memory of all brackets into lists of equal length. */
static void share_lists(struct select *select)
{
    const uint32_t bytes = select->layout.element_bytes;
    size_t room = select->memory_bytes / gsi_max_u64(1, select->open_count) / bytes;
    for (size_t i = 0; i < select->open_count; i++) {
        select->counts[i] = (struct gsi_bracket_counts){0};
        select->lists[i] = (struct gsi_bracket_list){.keys = select->memory + i * room * bytes,
                                                     .key_bytes = bytes,
                                                     .room = room,
                                                     .stride = 1};
    }
}

/* Reads everything once, for all brackets. */
static enum gs_status run_pass(struct select *select, enum gsi_scan_device device)
{
    struct gsi_job *job = select->job;
    const struct gsi_scan pass = {.context = select,
                                  .device = device,
                                  .partial_bytes = sizeof(struct partial),
                                  .run = scan_buffer,
                                  .join = join};
    gsi_loop_begin_phase(&job->loop, GS_PHASE_READ, job->inputs.bytes);
    share_lists(select);
    job->inputs.data_bytes = 0;
    job->inputs.filtered = (struct gsi_filtered){0};
    select->seen = 0;
    job->report->order_statistics.passes++;
    return gsi_scan_run(&pass, &job->inputs, &job->arena.chunks);
}

/* ---- ranks ---- */

/* The key at a place of all, if it is known. */
static bool find_key(const struct select *select, size_t i, uint64_t place, gsi_u128 *key)
{
    const struct gsi_bracket_counts *counts = &select->counts[i];
    const struct gsi_bracket_list *list = &select->lists[i];
    if (place < counts->below)
        return false;
    place -= counts->below;
    *key = select->brackets[i].low;
    if (place < counts->at_low)
        return true;
    place -= counts->at_low;
    if (place < counts->inside && list->stride > 1)
        return false;
    if (place < counts->inside) {
        *key = gsi_bracket_key(list->keys, list->key_bytes, place);
        return true;
    }
    *key = select->brackets[i].high;
    return place - counts->inside < counts->at_high;
}

/* A better bracket for a place that is not known: what is above or below, or what the keys that
 * were thinned out tell. */
static struct gsi_bracket next_bracket(const struct select *select, size_t i, uint64_t place)
{
    const struct gsi_bracket_counts *counts = &select->counts[i];
    const struct gsi_bracket_list *list = &select->lists[i];
    struct gsi_bracket next = select->brackets[i];
    uint64_t low = counts->below + counts->at_low;
    if (place < counts->below)
        return (struct gsi_bracket){select->whole.low, next.low};
    if (place >= low + counts->inside)
        return (struct gsi_bracket){next.high, select->whole.high};
    uint64_t at = (place - low) / list->stride, reach = 2;
    while (reach * reach < (uint64_t)REACH * REACH * list->count)
        reach++;
    if (at > reach && at - reach < list->count)
        next.low = gsi_bracket_key(list->keys, list->key_bytes, at - reach);
    if (at + reach < list->count)
        next.high = gsi_bracket_key(list->keys, list->key_bytes, at + reach);
    return next;
}

static void set_value(const struct select *select, gsi_u128 key, uint8_t value[16])
{
    memset(value, 0, 16);
    gsi_key_to_element(&select->layout, &key, value);
}

/* Returns whether a quantile is known now. If not, its next bracket contains all candidates. */
static bool resolve(struct select *select, size_t i, struct gsi_bracket *next)
{
    struct gsi_quantile_report *quantile =
        &select->job->report->order_statistics.quantiles[select->open[i]];
    struct gsi_quantile wanted = select->quantiles[select->open[i]];
    double part;
    uint64_t low = gsi_quantile_between(wanted, select->count, &part);
    const uint64_t places[] = {gsi_quantile_nearest(wanted, select->count), low, low + (part > 0)};
    gsi_u128 keys[3];
    bool is_known = true;
    for (size_t k = 0; k < 3; k++) {
        if (find_key(select, i, places[k], &keys[k]))
            continue;
        struct gsi_bracket better = next_bracket(select, i, places[k]);
        next->low = is_known || better.low < next->low ? better.low : next->low;
        next->high = is_known || better.high > next->high ? better.high : next->high;
        is_known = false;
    }
    /* The other values that are known must be in the same bracket, so that they are found again. */
    for (size_t k = 0; k < 3 && !is_known; k++)
        if (find_key(select, i, places[k], &keys[k])) {
            next->low = keys[k] < next->low ? keys[k] : next->low;
            next->high = keys[k] > next->high ? keys[k] : next->high;
        }
    if (!is_known)
        return false;
    uint8_t low_value[16], high_value[16];
    quantile->rank = places[0] + 1;
    set_value(select, keys[0], quantile->value);
    set_value(select, keys[1], low_value);
    set_value(select, keys[2], high_value);
    quantile->between = gsi_quantile_mix(select->layout.type, low_value, high_value, part);
    quantile->between_time = gsi_quantile_time(wanted, select->count, low_value, high_value);
    return true;
}

/* Quantiles that are still not known keep a bracket. */
static enum gs_status resolve_all(struct select *select)
{
    struct gsi_job *job = select->job;
    size_t left = 0;
    for (size_t i = 0; i < select->open_count; i++)
        gsi_leaf_sort(select->layout.element_bytes, select->lists[i].keys, select->lists[i].count);
    for (size_t i = 0; i < select->open_count; i++) {
        struct gsi_bracket next;
        if (resolve(select, i, &next))
            continue;
        select->open[left] = select->open[i];
        select->brackets[left++] = next; /* those before it are done with */
    }
    select->open_count = left;
    if (left == 0 || !is_read_once(job))
        return GS_OK;
    const struct gsi_input *once = job->inputs.table;
    while (!once->is_stream)
        once++;
    return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                    "--quantiles: '%s' can be read only once and does not fit into --memory; raise "
                    "--memory, or sort to /dev/null",
                    once->name);
}

/* ---- the job ---- */

/* Computes the open brackets from a sample. Sets *blocks to the number of blocks that were read,
 * and *widest to the largest share of the sample in one bracket. */
static enum gs_status sample_brackets(struct select *select, uint64_t *blocks, double *widest)
{
    struct gsi_job *job = select->job;
    const uint32_t bytes = select->layout.element_bytes;
    size_t room = select->memory_bytes / 2 / bytes;
    struct gsi_sample sample = {.layout = &select->layout,
                                .keys = select->memory,
                                .sorted = select->memory + room * bytes,
                                .room = room};
    enum gs_status status = gsi_sample_read(&sample, *blocks, job, select->field);
    *blocks = sample.block_count;
    *widest = 0;
    for (size_t i = 0; i < select->open_count && status == GS_OK; i++) {
        double share;
        select->brackets[i] =
            gsi_sample_bracket(&sample, select->quantiles[i], select->whole, &share);
        *widest = share > *widest ? share : *widest;
    }
    gsi_sample_clear(&sample, job);
    return status;
}

/* Without a sample, one bracket contains every number. A sample is taken again, larger, if what is
 * in a bracket might not fit into its list, which would take one more pass. */
static enum gs_status first_brackets(struct select *select)
{
    struct gsi_job *job = select->job;
    const uint32_t bytes = select->layout.element_bytes;
    uint64_t numbers = job->inputs.bytes / job->loop.layout->element_bytes;
    uint64_t list = select->memory_bytes / bytes / gsi_max_u64(1, select->open_count);
    bool is_few = numbers <= gsi_min_u64(FEW_BYTES / bytes, list);
    for (size_t i = 0; i < select->open_count; i++)
        select->brackets[i] = select->whole;
    if (is_read_once(job) || is_few || select->open_count == 0)
        return GS_OK;
    uint64_t want = gsi_clamp_u64(job->inputs.bytes / SAMPLE_STEP_BYTES, GSI_SAMPLE_BLOCKS_MIN,
                                  GSI_SAMPLE_BLOCKS_MAX);
    for (;; want = gsi_min_u64(4 * want, GSI_SAMPLE_BLOCKS_MAX)) {
        uint64_t got = want;
        double widest;
        GSI_TRY(sample_brackets(select, &got, &widest));
        if (got < want || want == GSI_SAMPLE_BLOCKS_MAX ||
            widest * (double)numbers <= (double)list / 2)
            return GS_OK;
    }
}

static enum gs_status open_select(struct select *select, struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_record *record = job->loop.layout->record;
    *select = (struct select){.job = job, .open_count = options->order_statistics.quantile_count};
    select->field = gsi_ranks_field(record);
    select->layout = gsi_layout_make(select->field->type, false);
    const uint32_t bytes = select->layout.element_bytes;
    bool is_float = select->layout.type->kind == GSI_KEY_FLOAT;
    select->whole.high =
        is_float ? select->layout.map.nan_above : ~(gsi_u128)0 >> (128 - 8 * bytes);
    for (size_t i = 0; i < options->order_statistics.quantile_count; i++) {
        select->open[i] = i;
        GSI_TRY(gsi_quantile_parse(options->order_statistics.quantiles[i], &select->quantiles[i],
                                   job->loop.error));
    }
    select->bump = job->plan.select;
    select->memory_bytes = select->bump.bytes;
    GSI_TRY(gsi_bump_open(&select->bump, &job->loop.ledger, GSI_MEMORY_DATA, job->loop.error));
    select->memory = select->bump.base;
    gsi_leaf_prepare(bytes);
    return GS_OK;
}

static void close_select(struct select *select)
{
    struct gsi_job *job = select->job;
    gsi_bump_close(&select->bump, &job->loop.ledger, GSI_MEMORY_DATA);
}

/* Gets the tally from the device, and counts the numbers that have a rank: all but NaNs. */
static enum gs_status fetch_tally(struct select *select)
{
    struct gsi_job *job = select->job;
    struct gs_report *report = job->report;
    GSI_TRY(job->loop.device->ops->tally(job->loop.device, &report->tally, job->loop.error));
    GSI_TRY(gsi_inputs_verify(&job->inputs, &report->tally));
    const struct gsi_layout *layout = job->loop.layout;
    const struct gsi_tally_report *tally =
        gsi_record_tally_of(layout, select->field, &report->tally, report->field_tallies);
    select->count = tally->count - tally->nan_count;
    report->order_statistics.quantile_count = select->open_count;
    for (size_t i = 0; i < report->order_statistics.quantile_count; i++)
        gsi_shorten_name(report->order_statistics.quantiles[i].text,
                         sizeof report->order_statistics.quantiles[i].text,
                         job->options->order_statistics.quantiles[i]);
    if (select->count == 0)
        select->open_count = 0;
    report->order_statistics.has_no_bins =
        job->options->order_statistics.bins > 0 && select->count == 0;
    select->is_binning =
        job->options->order_statistics.bins > 0 && select->count > 0 &&
        gsi_histogram_make(&select->histogram, select->layout.type,
                           job->options->order_statistics.bins, tally->min, tally->max);
    report->order_statistics.bin_count = select->is_binning ? select->histogram.bins : 0;
    for (uint32_t i = 0; i < report->order_statistics.bin_count; i++)
        gsi_histogram_from(&select->histogram, i, report->order_statistics.bins[i].from);
    return GS_OK;
}

static enum gs_status find_all(struct select *select)
{
    struct gsi_job *job = select->job;
    GSI_TRY(first_brackets(select));
    GSI_TRY(run_pass(select, GSI_SCAN_COUNTS));
    GSI_TRY(fetch_tally(select));
    GSI_TRY(resolve_all(select));
    while (select->open_count > 0 || select->is_binning) {
        GSI_TRY(run_pass(select, GSI_SCAN_NO_DEVICE));
        select->is_binning = false;
        if (select->seen != job->report->tally.count)
            return gsi_fail(
                job->loop.error, GS_E_INPUT, 0,
                "'%s': changed while it was read: it had %llu elements, and now has %llu",
                job->inputs.table[0].name, (unsigned long long)job->report->tally.count,
                (unsigned long long)select->seen);
        GSI_TRY(resolve_all(select));
    }
    return GS_OK;
}

enum gs_status gsi_select(struct gsi_job *job)
{
    struct select select;
    enum gs_status status = open_select(&select, job);
    if (status == GS_OK)
        status = find_all(&select);
    close_select(&select);
    return status;
}
