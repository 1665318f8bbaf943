/* test_buffers.c: records of a chunk, which may begin anywhere in a page, have room for themselves
 * and their tags, and for direct I/O in whole pages. Inline records are not overwritten before they
 * have their tags. Run: build/dev/tests/test_buffers */
#include "support/support.h"

#include "loop/buffers.h"

#define MOST_BYTES ((uint64_t)4 << 20)

/* Checks a buffer whose first record begins `lead` bytes into its page. */
static void check_buffer(const struct gsi_buffer *buffer, uint32_t record, bool are_inline,
                         uint64_t lead)
{
    const uint8_t *end = buffer->memory + buffer->memory_bytes, *first = buffer->page + lead;
    const uint8_t *tags = (const uint8_t *)buffer->tags;
    const uint64_t n = buffer->capacity / record;
    const uint64_t pages = gsi_round_up_u64(lead + buffer->capacity, GSI_RECORD_PAGE_BYTES);
    assert_true(n > 0 && (uintptr_t)tags % 64 == 0 && buffer->page >= buffer->memory);
    assert_int_equal((uintptr_t)buffer->page % GSI_RECORD_PAGE_BYTES, 0);
    assert_true(tags >= buffer->memory && tags + n * GSI_TAG_BYTES <= end);
    if (!are_inline) {
        assert_true(buffer->page + pages <= tags);
        return;
    }
    assert_true(buffer->page + pages <= end);
    for (uint64_t i = 0; i < n; i++)
        assert_true(tags + (i + 1) * GSI_TAG_BYTES <= first + i * record);
}

static void check_chunks(uint8_t *memory, uint32_t record, bool are_inline, uint64_t n,
                         struct test_random *random)
{
    const uint32_t beside = are_inline ? 0 : record;
    const uint64_t chunk = gsi_record_room_bytes(beside, n), count = MOST_BYTES / chunk;
    const uint64_t rest = gsi_record_room_bytes(beside, 1 + test_below(random, n));
    const struct gsi_plan plan = {
        .chunk_bytes = chunk, .record_bytes = record, .are_inline = are_inline};
    struct gs_error error = {0};
    struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
    struct gsi_buffers chunks;
    assert_int_equal(gsi_buffers_init(&chunks, &ledger, memory,
                                      gsi_min_u64(count * chunk + rest, MOST_BYTES),
                                      gsi_shape_chunk(&plan), true, &error),
                     GS_OK);
    assert_int_equal(chunks.all[0].capacity, gsi_plan_chunk_capacity(&plan, chunk));
    assert_true(chunks.all[0].capacity >= n * record);
    for (uint32_t i = 0; i < chunks.count && i < 3; i++)
        if (chunks.all[i].memory_bytes > GSI_RECORD_SPARE_BYTES + GSI_TAG_BYTES) {
            check_buffer(&chunks.all[i], record, are_inline, 0);
            check_buffer(&chunks.all[i], record, are_inline, test_below(random, 4096));
            check_buffer(&chunks.all[i], record, are_inline, 4095);
        }
    gsi_buffers_clear(&chunks);
}

static void test_chunks__records_anywhere_in_a_page__have_room(void **state)
{
    (void)state;
    struct test_random random = test_random_make(0);
    uint8_t *memory = aligned_alloc(GSI_RECORD_PAGE_BYTES, MOST_BYTES);
    assert_non_null(memory);
    for (uint32_t record = 1; record <= 12; record++)
        for (uint64_t n = 1; n <= 65536; n *= 2) {
            check_chunks(memory, record, true, n, &random);
            check_chunks(memory, record, false, n, &random);
        }
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks__records_anywhere_in_a_page__have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
