/* resume_match.c: hashes of options, and samples of the inputs. */
#include "sort/resume_match.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* a state on the stack */
#include <xxhash.h>

/* Of an input so many blocks are looked at, at most, the first and the last among them. */
#define SAMPLES      16u
#define SAMPLE_BYTES 4096u

/* How far apart they are, at least. */
#define SAMPLE_STEP ((uint64_t)1 << 20)

/* With the NUL, so that neighbours stay apart. */
static void hash_text(XXH3_state_t *state, const char *text)
{
    text = text != NULL ? text : "";
    XXH3_64bits_update(state, text, strlen(text) + 1);
}

static void hash_texts(XXH3_state_t *state, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash_text(state, texts[i]);
    hash_text(state, "");
}

static uint64_t hash_options(const struct gsi_job *job)
{
    const struct gs_options *options = job->options;
    const uint64_t numbers[] = {
        options->reverse,     job->layout.element_bytes, options->header_bytes,
        options->raw,         options->memory_bytes,     options->thread_count,
        options->fan_in,      options->compress,         options->compress_level,
        options->chunk_bytes, options->window_bytes,     job->input_bytes,
        job->input_count};
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, numbers, sizeof numbers);
    hash_text(&state, job->layout.type->name);
    hash_texts(&state, job->report->keys, job->report->key_count);
    hash_texts(&state, options->stats_fields, options->stats_field_count);
    return XXH3_64bits_digest(&state);
}

static uint64_t hash_output(const struct gsi_output *output)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    hash_text(&state, output->directory);
    hash_text(&state, output->target_name);
    return XXH3_64bits_digest(&state);
}

/* Blocks at even distances. */
static enum gs_status sample(struct gsi_job *job, struct gsi_input *input,
                             struct gsi_resume_input *described)
{
    uint8_t block[SAMPLE_BYTES];
    uint64_t bytes = gsi_min_u64(SAMPLE_BYTES, input->bytes), last = input->bytes - bytes;
    uint64_t count = gsi_clamp_u64(last / SAMPLE_STEP + 1, 1, SAMPLES);
    bool rests = input->fd < 0;
    enum gs_status status = gsi_input_wake(input, job->error);
    if (status != GS_OK)
        return status;
    *described = (struct gsi_resume_input){.bytes = input->bytes, .mtime_ns = input->mtime_ns};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t off = count > 1 ? last / (count - 1) * i : last;
        status = gsi_input_read(input, block, bytes, off, job->error);
        if (status != GS_OK)
            return status;
        described->sample_hash = XXH3_64bits_withSeed(block, bytes, described->sample_hash);
    }
    if (rests)
        gsi_input_rest(input);
    return GS_OK;
}

enum gs_status gsi_resume_describe(struct gsi_job *job, struct gsi_resume_begin *begin,
                                   struct gsi_resume_input **inputs)
{
    enum gs_status status = GS_OK;
    const struct gs_plan *plan = &job->report->plan;
    *begin = (struct gsi_resume_begin){.version = GSI_RESUME_VERSION,
                                       .element_bytes = job->layout.element_bytes,
                                       .options_hash = hash_options(job),
                                       .output_hash = hash_output(&job->output),
                                       .memory_bytes = job->resume->begin.memory_bytes,
                                       .thread_count = job->resume->begin.thread_count,
                                       .fan_in = plan->fan_in,
                                       .chunk_bytes = plan->chunk_bytes,
                                       .frame_bytes = plan->frame_bytes,
                                       .input_count = job->input_count};
    if (inputs == NULL)
        return GS_OK;
    *inputs = calloc(gsi_max_u64(job->input_count, 1), sizeof **inputs);
    if (*inputs == NULL)
        return gsi_fail(job->error, GS_E_MEMORY, 0, "memory: cannot describe the inputs");
    for (size_t i = 0; i < job->input_count; i++)
        GSI_TRY(sample(job, &job->inputs[i], &(*inputs)[i]));
fail:
    return status;
}

enum gs_status gsi_resume_match(struct gsi_resume *resume, const struct gsi_resume_begin *begin,
                                const uint8_t *inputs)
{
    struct gsi_job *job = resume->job;
    struct gsi_resume_input now, then;
    for (size_t i = 0; i < job->input_count && i < begin->input_count; i++) {
        enum gs_status status = sample(job, &job->inputs[i], &now);
        if (status != GS_OK)
            return status;
        memcpy(&then, inputs + i * sizeof then, sizeof then);
        if (memcmp(&now, &then, sizeof now) != 0)
            return gsi_fail(job->error, GS_E_INPUT, 0,
                            "'%s': has changed since the sort in '%s' was begun; remove that "
                            "directory to begin anew",
                            job->inputs[i].name, resume->dir.path);
    }
    return GS_OK;
}
