/* test_spill_damage.c: runs whole sorts whose temporary files are damaged on the way to disk. The
 * damage is a bit, the rest of a frame, a whole frame, or two exchanged ones. Each sort ends with
 * GS_E_CORRUPT, says where, and leaves no output. The linker puts a function of this file before
 * the one that submits transfers. Run: build/dev/tests/test_spill_damage */
#include "job/job_report.h"
#include "support/scratch.h"
#include "support/struct_jobs.h"

#include "loop/loop.h"
#include "run/frame.h"

#define ELEMENTS 200000u

void __real_gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io);
void __wrap_gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io);

enum damage { FLIPPED, CUT_SHORT, NOT_WRITTEN, OF_ANOTHER, DAMAGE_COUNT };

static enum damage damage;
static uint32_t damage_at;    /* byte of the frame */
static uint32_t record_bytes; /* 0: numbers */
static int frames_left;       /* until the one to damage; below 0: none is */
static uint8_t *kept;         /* the frame before it */
static size_t kept_bytes;

static void do_damage(uint8_t *frame, size_t bytes)
{
    switch (damage) {
    case FLIPPED:
        frame[damage_at] ^= 0x10;
        break;
    case CUT_SHORT:
        memset(frame + damage_at, 0, bytes - damage_at);
        break;
    case NOT_WRITTEN:
        memset(frame, 0, bytes);
        break;
    default:
        memcpy(frame, kept, bytes < kept_bytes ? bytes : kept_bytes);
    }
}

static void keep(const uint8_t *frame, size_t bytes)
{
    free(kept);
    kept = malloc(bytes);
    kept_bytes = kept != NULL ? bytes : 0;
    if (kept != NULL)
        memcpy(kept, frame, bytes);
}

void __wrap_gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io)
{
    if (io->op == GSI_IO_WRITE && memcmp(io->data, "gsF", 3) == 0) {
        if (frames_left == 0)
            do_damage(io->data, io->bytes);
        else if (frames_left > 0)
            keep(io->data, io->bytes);
        frames_left -= frames_left >= 0;
    }
    __real_gsi_loop_submit(loop, io);
}

static enum gs_status sort(enum gsi_compress_choice compress, uint32_t fan_in,
                           struct gs_report *report, struct gs_error *error)
{
    const char *inputs[] = {"in"};
    struct gsi_options options = {.inputs = inputs,
                                  .input_count = 1,
                                  .output = "out",
                                  .record_bytes = record_bytes,
                                  .device = GSI_DEVICE_CPU,
                                  .memory_bytes = 64u << 20,
                                  .thread_count = 2,
                                  .fan_in = fan_in,
                                  .compress = compress,
                                  .chunk_bytes = 65536,
                                  .window_bytes = 32768,
                                  .spill_all = true};
    return gs_run(&options, report, error);
}

/* Chooses an early frame, a frame of runs that are merged before the end, and a late one. */
static void check_damage(enum gsi_compress_choice compress)
{
    static const int frames[] = {1, 7, 40};
    struct gs_report report;
    for (size_t f = 0; f < sizeof frames / sizeof frames[0]; f++) {
        struct gs_error error = {0};
        frames_left = frames[f];
        enum gs_status status = sort(compress, f == 1 ? 4 : 0, &report, &error);
        if (status != GS_E_CORRUPT || strstr(error.text, "temporary file in '/tmp/") == NULL ||
            strstr(error.text, "at byte ") == NULL)
            test_fail("compress %d, damage %d, byte %u of frame %d: status %d, '%s'", (int)compress,
                      (int)damage, damage_at, frames[f], (int)status, error.text);
        assert_int_equal(gs_status_exit_code(status), 4);
        assert_int_equal(names_in("."), 1);
    }
}

static void test_sort__damaged_frame__is_found(void **state)
{
    (void)state;
    static const uint32_t places[] = {
        0, 4, 8, 12, 20, 50, 60, GSI_FRAME_HEADER_BYTES, GSI_FRAME_HEADER_BYTES + 1000};
    put_random("in", ELEMENTS, 40);
    for (unsigned compress = GSI_COMPRESS_NONE; compress < GSI_COMPRESS_COUNT; compress++) {
        for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
            /* Damages any place with some codec, and places after the header with each codec. */
            bool is_left_out = p + 1 < sizeof places / sizeof places[0] && (p + compress) % 3 != 0;
            if (test_is_small() && is_left_out)
                continue;
            damage_at = places[p];
            damage = FLIPPED;
            check_damage((enum gsi_compress_choice)compress);
            damage = CUT_SHORT;
            check_damage((enum gsi_compress_choice)compress);
        }
        for (damage = NOT_WRITTEN; damage < DAMAGE_COUNT; damage++)
            check_damage((enum gsi_compress_choice)compress);
    }
    free(kept);
    kept = NULL;
}

static void test_sort__damaged_frame_of_records__is_found(void **state)
{
    record_bytes = 40;
    test_sort__damaged_frame__is_found(state);
    record_bytes = 0;
}

/* The same sorts succeed without damage, and the coded one spills less. */
static void test_sort__no_damage__is_good_and_small(void **state)
{
    (void)state;
    struct gs_report raw, coded;
    struct gs_error error = {0};
    frames_left = -1;
    put_random("in", ELEMENTS, 40);
    assert_int_equal(sort(GSI_COMPRESS_NONE, 0, &raw, &error), GS_OK);
    assert_int_equal(sort(GSI_COMPRESS_ZSTD, 0, &coded, &error), GS_OK);
    assert_string_equal(raw.runs.codec, "none");
    assert_string_equal(coded.runs.codec, "zstd:1");
    assert_int_equal(raw.runs.coded_count, 0);
    assert_int_equal(coded.runs.coded_count, coded.runs.spilled_count);
    assert_int_equal(raw.runs.spilled_bytes, coded.runs.spilled_bytes);
    assert_true(raw.runs.coded_bytes >= raw.runs.spilled_bytes);
    assert_true(coded.runs.coded_bytes < coded.runs.spilled_bytes / 4 * 3);
    assert_true(coded.cost.bytes_written < raw.cost.bytes_written - raw.runs.spilled_bytes / 4);
    assert_memory_equal(raw.tally.fingerprint, coded.tally.fingerprint, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sort__damaged_frame__is_found, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(test_sort__damaged_frame_of_records__is_found,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_sort__no_damage__is_good_and_small, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
