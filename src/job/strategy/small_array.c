/* small_array.c: sorts numbers as keys, and everything else by words of a key and an index, one
 * pass after the other, all in the cache.
 *
 *     numbers              elements --> keys ----> sorted keys ----> elements
 *     records, positions   elements --> words ---> sorted words ---> copy in order --> elements
 *                                       key|index                    '-> indexes ---> positions
 *
 * Words have 4, 8 or 16 bytes: the fewest that contain the key and the index. Words of 16 bytes are
 * tags (element/record/record_tags.h), for which records with longer keys are compared.
 *
 * The copy is verified before anything is written. Fields are tallied in it, where a key's numbers
 * are sorted already: sorted floats need no table of bins. */
#include "job/strategy/strategy.h"

#include "base/checked.h"
#include "base/simd.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "device/cpu/cpu_presorted.h"
#include "device/cpu/cpu_wide_sort.h"
#include "device/record_ties.h"
#include "element/key_scope.h"
#include "element/number_type.h"
#include "element/record/record_mix.h"
#include "element/record/record_tally.h"
#include "element/tally/digest.h"
#include "element/tally/tally_sums.h"
#include "io/array.h"
#include "job/job_report.h"
#include "loop/loop.h"
#include "output/stream_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A whole job decides whether less memory is enough. */
#define MEMORY_ENOUGH_BYTES ((uint64_t)64 << 20)

/* Memory beside an element and its copy, which fill the cache together: a word, a position, and a
 * number. */
#define WORK_BYTES 24

/* Fewer words of 16 bytes are sorted as fast without scratch. */
#define SCRATCH_LEAST 256

/* Options that change nothing here, or what is done here. */
static const bool is_known[GSI_OPT_COUNT] = {
    [GSI_OPT_INPUT] = true,  [GSI_OPT_TYPE] = true,     [GSI_OPT_RECORD] = true,
    [GSI_OPT_KEY] = true,    [GSI_OPT_REVERSE] = true,  [GSI_OPT_NAN] = true,
    [GSI_OPT_TIES] = true,   [GSI_OPT_STATS_OF] = true, [GSI_OPT_ARGSORT] = true,
    [GSI_OPT_RAW] = true,    [GSI_OPT_MEMORY] = true,   [GSI_OPT_COMPRESS] = true,
    [GSI_OPT_DEVICE] = true, [GSI_OPT_PARALLEL] = true, [GSI_OPT_BATCH_SIZE] = true,
};

struct small {
    struct gsi_job *job;
    struct gsi_array *array;
    const struct gsi_layout *layout; /* of the elements */
    size_t n;
    uint64_t fingerprint[2]; /* of the elements as they were read */
    struct gsi_bump bump;
    gsi_u128 *words;
    uint32_t *order;  /* positions of the elements, in order */
    uint8_t *copy;    /* elements in order */
    uint8_t *numbers; /* of a field */
    uint8_t *scratch; /* to sort words of 16 bytes; NULL: there are too few */
};

/* ---- which arrays ---- */

/* The size of the elements. 0: it is not known, or something is wrong. is_number: they are native
 * numbers. */
static uint32_t element_bytes(const struct gsi_options *options, bool *is_number)
{
    bool is_big_endian;
    const char *type = options->type;
    *is_number = false;
    if (options->record_bytes > 0)
        return type == NULL ? options->record_bytes : 0;
    const struct gsi_type_word *word = type != NULL ? gsi_type_word_find(type, strlen(type)) : NULL;
    if (word == NULL || word->sense != GSI_SENSE_PLAIN)
        return 0;
    *is_number = gsi_key_type_find(word->type) != NULL;
    return gsi_number_type_find(word->type, strlen(word->type), &is_big_endian)->bytes;
}

/* Returns whether the array is aligned, and small for the way in which it is sorted. */
static bool is_small(const struct gsi_options *options, const struct gsi_array *array)
{
    bool is_number;
    const uint32_t bytes = element_bytes(options, &is_number);
    if (bytes == 0 || array->bytes % bytes != 0 || array->bytes >= GSI_SMALL_ARRAY_END_BYTES ||
        (is_number && (uintptr_t)array->from % bytes != 0))
        return false;
    bool is_in_place = is_number && !options->argsort;
    return is_in_place || array->bytes / bytes * (bytes + WORK_BYTES) < GSI_SMALL_ARRAY_END_BYTES;
}

bool gsi_small_array_is(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    if (job->array == NULL || options->action != GS_SORT)
        return false;
    for (int i = 0; i < GSI_OPT_COUNT; i++)
        if (job->features.has[i] && !is_known[i])
            return false;
    return is_small(options, job->array) && options->device != GSI_DEVICE_CUDA &&
           options->device_set == 0 && options->device_model == NULL &&
           (options->memory_bytes == 0 || options->memory_bytes >= MEMORY_ENOUGH_BYTES) &&
           gsi_cancel_is_of_this_process(options->cancel);
}

/* ---- memory ---- */

static uint32_t number_bytes(const struct gsi_record *record)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < record->field_count; i++)
        bytes = gsi_max_u32(bytes, record->fields[i].type->bytes);
    return bytes;
}

static void lay_out(struct small *small, struct gsi_bump *bump)
{
    GSI_BUMP_ALLOC(bump, small->words, small->n);
    small->copy = gsi_bump_alloc(bump, small->n, small->layout->element_bytes, 64);
    small->numbers = gsi_bump_alloc(bump, small->n, number_bytes(small->layout->record), 64);
    GSI_BUMP_ALLOC(bump, small->order, small->n);
    if (small->n >= SCRATCH_LEAST)
        small->scratch = gsi_bump_alloc(bump, GSI_WIDE_SORT_BYTES, 1, 64);
}

/* Without gsi_bump_open, which maps and clears memory. */
static enum gs_status open_memory(struct small *small)
{
    struct gsi_loop *loop = &small->job->loop;
    struct gsi_bump *bump = &small->bump;
    lay_out(small, bump);
    GSI_TRY(gsi_memory_reserve(&loop->ledger, GSI_MEMORY_SCRATCH, bump->bytes, loop->error));
    bump->base = aligned_alloc(64, gsi_round_up_u64(bump->used + 1, 64));
    if (bump->base == NULL) {
        gsi_memory_unreserve(&loop->ledger, GSI_MEMORY_SCRATCH, bump->bytes);
        return gsi_fail(loop->error, GS_E_MEMORY, ENOMEM,
                        "out of memory: cannot allocate %llu bytes",
                        (unsigned long long)bump->used);
    }
    lay_out(small, bump);
    return GS_OK;
}

static void close_memory(struct small *small)
{
    free(small->bump.base);
    gsi_memory_unreserve(&small->job->loop.ledger, GSI_MEMORY_SCRATCH, small->bump.bytes);
}

/* ---- words ---- */

static void sort_keys(uint32_t key_bytes, void *keys, size_t n, void *scratch)
{
    gsi_leaf_prepare(key_bytes);
    gsi_sort_keys(key_bytes, keys, n, scratch);
}

/* Sorts words of 4 bytes, made of tags whose index is `bits` long. */
static void sort_words_32(gsi_u128 *tags, size_t n, uint32_t bits, uint32_t *order)
{
    const gsi_lane_u64 *halves = (const gsi_lane_u64 *)tags;
    gsi_lane_u32 *words = (gsi_lane_u32 *)tags;
    for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)(halves[2 * i + 1] >> 32 | i);
    sort_keys(sizeof *words, tags, n, NULL);
    for (size_t i = 0; i < n; i++)
        order[i] = words[i] & (((uint32_t)1 << bits) - 1);
}

static void sort_words_64(gsi_u128 *tags, size_t n, uint32_t bits, uint32_t *order)
{
    gsi_lane_u64 *words = (gsi_lane_u64 *)tags;
    for (size_t i = 0; i < n; i++)
        words[i] = words[2 * i + 1] | i;
    sort_keys(sizeof *words, tags, n, NULL);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)(words[i] & (((uint64_t)1 << bits) - 1));
}

static void sort_tags(const struct small *small, uint32_t end)
{
    const struct gsi_record *record = small->layout->record;
    const struct gsi_record_table places = {
        .record = record, .blocks = (const uint8_t *[]){small->array->from}, .shift = 32};
    sort_keys(GSI_TAG_BYTES, small->words, small->n, small->scratch);
    if (gsi_ties_are_possible(record, end))
        gsi_ties_sort(&places, small->words, small->n, end);
    for (size_t i = 0; i < small->n; i++)
        small->order[i] = (uint32_t)gsi_tag_index(small->words[i]);
}

/* Finds the order of the elements by words. */
static enum gs_status find_order(const struct small *small)
{
    const struct gsi_record *record = small->layout->record;
    const uint8_t *elements = small->array->from;
    const size_t n = small->n;
    struct gsi_key_scope scope;
    GSI_TRY(gsi_key_scope_open(&scope, record, NULL, small->job->loop.error));
    gsi_key_scope_begin(&scope, elements);
    const struct gsi_tag_choice choice = gsi_key_scope_scan(&scope, elements, n);
    gsi_key_scope_close(&scope, NULL);
    const uint32_t bits = gsi_max_u32(1, gsi_index_bits(n));
    uint32_t places[GSI_TAG_KEY_BYTES], key_bits = 0;
    gsi_tag_choice_places(choice, places);
    for (uint32_t i = 0; i < GSI_TAG_KEY_BYTES; i++)
        key_bits += places[i] < record->key_bytes ? 8 : 0;
    gsi_record_tags(record, elements, n, choice, 0, small->words);
    if (key_bits + bits <= 32)
        sort_words_32(small->words, n, bits, small->order);
    else if (key_bits + bits <= 64)
        sort_words_64(small->words, n, bits, small->order);
    else
        sort_tags(small, gsi_tag_choice_end(choice));
    return GS_OK;
}

/* `bytes` is a constant at most calls. */
GSI_INLINE void gather_wide(const uint8_t *from, uint32_t bytes, const uint32_t *order, size_t n,
                            uint8_t *to)
{
    for (size_t i = 0; i < n; i++, to += bytes)
        memcpy(to, from + (size_t)order[i] * bytes, bytes);
}

#define GATHER_CASE(bytes)                      \
    case bytes:                                 \
        gather_wide(from, bytes, order, n, to); \
        break;

static void gather(const uint8_t *from, uint32_t bytes, const uint32_t *order, size_t n,
                   uint8_t *to)
{
    switch (bytes) {
        GATHER_CASE(1)
        GATHER_CASE(2)
        GATHER_CASE(4)
        GATHER_CASE(8)
        GATHER_CASE(12)
        GATHER_CASE(16)
        GATHER_CASE(24)
        GATHER_CASE(32)
    default:
        gather_wide(from, bytes, order, n, to);
    }
}

/* ---- the report ---- */

static void report_plan(struct small *small, uint64_t written_bytes, bool is_in_place)
{
    struct gsi_job *job = small->job;
    const uint64_t bytes = small->array->bytes;
    job->run_count = 1;
    job->report->device.name = "cpu";
    job->report->plan = (struct gsi_plan){.input_bytes = bytes,
                                          .output_bytes = written_bytes,
                                          .memory_bytes = job->options->memory_bytes,
                                          .thread_count = 1,
                                          .run_count = 1,
                                          .is_in_place = is_in_place};
    job->loop.phases[GS_PHASE_READ].bytes_read = bytes;
    job->loop.phases[GS_PHASE_WRITE].bytes_written = written_bytes;
    job->target.bytes = job->target.file_bytes = written_bytes;
}

/* Tallies a field of the copy. Sorts its numbers, which most often are in order. */
static struct gsi_tally_report tally_field(const struct small *small, uint32_t field_idx)
{
    const struct gsi_record *record = small->layout->record;
    const struct gsi_layout numbers = gsi_record_field_layout(small->layout, field_idx);
    struct gsi_tally_sums sums;
    size_t n = gsi_field_numbers(&record->fields[field_idx], small->copy, record->bytes, small->n,
                                 small->numbers);
    uint64_t fingerprint[2] = {0, 0};
    gsi_fingerprint_add_map(&numbers, fingerprint, small->numbers, n);
    sort_keys(numbers.key_bytes, small->numbers, n, NULL);
    gsi_keys_to_elements(&numbers, small->numbers, n);
    gsi_tally_sums_clear(&sums);
    gsi_tally_sums_add_sorted(&numbers, &sums, small->numbers, n);
    sums.fingerprint = gsi_fingerprint(fingerprint);
    struct gsi_tally_report report = gsi_tally_sums_report(&numbers, &sums);
    report.nan_count += small->n - n;
    report.count = small->n;
    return report;
}

static void tally_numbers(const struct small *small, const uint64_t fingerprint[2],
                          const uint8_t *sorted)
{
    struct gsi_tally_sums sums;
    gsi_tally_sums_clear(&sums);
    gsi_tally_sums_add_sorted(small->layout, &sums, sorted, small->n);
    sums.fingerprint = gsi_fingerprint(fingerprint);
    small->job->report->tally = gsi_tally_sums_report(small->layout, &sums);
}

static void tally_elements(const struct small *small)
{
    struct gs_report *report = small->job->report;
    const uint64_t *fingerprint = small->fingerprint;
    if (gsi_layout_is_native(small->layout)) {
        tally_numbers(small, fingerprint, small->copy);
        return;
    }
    report->tally = (struct gsi_tally_report){.count = small->n,
                                              .fingerprint = {fingerprint[0], fingerprint[1]}};
    for (uint32_t i = 0; i < small->layout->record->field_count; i++)
        report->field_tallies[i] = tally_field(small, i);
}

static void report_ends(const struct small *small, const uint8_t *sorted)
{
    const uint8_t *last = sorted + (small->n - 1) * small->layout->element_bytes;
    gsi_stream_check_tell_ends(small->layout, sorted, last, &small->job->report->ends);
}

/* ---- the sorts ---- */

static enum gs_status refuse(const struct small *small)
{
    return gsi_fail(small->job->loop.error, GS_E_VERIFY, 0,
                    "'%s': the output is not the sorted input; %sdo not change it while it is "
                    "sorted, or check the memory of this machine",
                    small->job->options->inputs[0],
                    small->array->is_written ? "what was written is wrong; " : "");
}

/* Sorts native numbers where they are. */
static enum gs_status sort_numbers(const struct small *small)
{
    const struct gsi_layout *layout = small->layout;
    uint8_t *numbers = small->array->to;
    const size_t n = small->n;
    uint64_t fingerprint[2] = {0, 0};
    struct gsi_digest digest = GSI_DIGEST_EMPTY;
    small->array->is_written = n > 0;
    gsi_fingerprint_add_map(layout, fingerprint, numbers, n);
    sort_keys(layout->key_bytes, numbers, n, NULL);
    gsi_digest_add_unmap(layout, &digest, numbers, n);
    tally_numbers(small, fingerprint, numbers);
    if (n > 0)
        report_ends(small, numbers);
    return digest.disorder_idx == UINT64_MAX && digest.count == n &&
                   gsi_fingerprint(digest.fingerprint) == gsi_fingerprint(fingerprint)
               ? GS_OK
               : refuse(small);
}

static void take_fingerprint(struct small *small)
{
    const struct gsi_layout *layout = small->layout;
    const uint8_t *elements = small->array->from;
    struct gsi_digest digest = GSI_DIGEST_EMPTY;
    if (gsi_layout_is_native(layout))
        gsi_digest_add_mapped(layout, &digest, elements, small->n);
    else
        gsi_fingerprint_add(digest.fingerprint,
                            gsi_mix_records(elements, small->n, layout->element_bytes));
    memcpy(small->fingerprint, digest.fingerprint, sizeof small->fingerprint);
}

/* Returns whether the copy has the elements in order, and all positions are there. */
static bool is_sorted(const struct small *small)
{
    struct gsi_digest digest = GSI_DIGEST_EMPTY;
    uint64_t sum = 0;
    for (size_t i = 0; i < small->n; i++)
        sum += small->order[i];
    if (gsi_layout_is_native(small->layout))
        gsi_digest_add_mapped(small->layout, &digest, small->copy, small->n);
    else
        gsi_record_digest_add(small->layout->record, &digest, small->copy, small->n);
    return digest.disorder_idx == UINT64_MAX && sum == small->n * (small->n - 1) / 2 &&
           gsi_fingerprint(digest.fingerprint) == gsi_fingerprint(small->fingerprint);
}

/* Writes the elements in order, or their positions. */
static void write_out(const struct small *small)
{
    struct gsi_array *array = small->array;
    array->is_written = true;
    if (array->to == array->from) {
        memcpy(array->to, small->copy, array->bytes);
        report_ends(small, small->copy);
        return;
    }
    for (size_t i = 0; i < small->n; i++) {
        const uint64_t position = small->order[i];
        memcpy(array->to + i * sizeof position, &position, sizeof position);
    }
}

/* Sorts a copy. */
static enum gs_status sort_elements(struct small *small)
{
    take_fingerprint(small);
    if (small->n > 0) {
        GSI_TRY(find_order(small));
        gather(small->array->from, small->layout->element_bytes, small->order, small->n,
               small->copy);
        if (!is_sorted(small))
            return refuse(small);
        write_out(small);
    }
    tally_elements(small);
    return GS_OK;
}

enum gs_status gsi_small_array(struct gsi_job *job)
{
    struct small small = {.job = job,
                          .array = job->array,
                          .layout = job->inputs.layout,
                          .n = job->array->bytes / job->inputs.layout->element_bytes};
    const bool has_positions = job->inputs.entry_map != NULL;
    const bool is_in_place = gsi_layout_is_native(small.layout) && !has_positions;
    gsi_loop_begin_phase(&job->loop, GS_PHASE_READ, job->array->bytes);
    report_plan(&small, has_positions ? small.n * sizeof(uint64_t) : job->array->bytes,
                is_in_place);
    if (is_in_place)
        return sort_numbers(&small);
    GSI_TRY(open_memory(&small));
    enum gs_status status = sort_elements(&small);
    close_memory(&small);
    return status;
}
