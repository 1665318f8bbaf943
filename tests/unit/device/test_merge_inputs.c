/* test_merge_inputs.c: checks when fed buffers are returned. Run: build/dev/tests/test_merge_inputs
 */
#include "support/support.h"

#include "device/merge_inputs.h"

static uint32_t released_count;

static void release(void *context, struct gsi_buffer *buffer)
{
    (void)context, (void)buffer;
    released_count++;
}

static int compare_words(void *context, const void *a, const void *b)
{
    (void)context;
    return memcmp(a, b, 16);
}

/* Takes all of the input's head as one window, which is finished at once. */
static void consume(struct gsi_merge_inputs *inputs)
{
    struct gsi_slice slices[4];
    struct gsi_segment *segments[4];
    struct gsi_merge_heads heads = {.slices = slices, .segments = segments};
    gsi_merge_inputs_heads(inputs, 100, &heads);
    for (uint32_t i = 0; i < heads.count; i++)
        gsi_merge_inputs_pop(inputs, heads.segments[i], heads.slices[i].count, 1);
    gsi_merge_inputs_done(inputs, segments, heads.count);
}

/* Keys are bounds themselves: what was read is free. Tags as bounds stand for records that were
 * there, so the last buffer stays until there is another one, or nothing follows. */
static void test_merge_inputs__consumed_buffer__kept_only_as_a_bound(void **state)
{
    (void)state;
    gsi_u128 keys[4] = {1, 2, 3, 4};
    struct gsi_layout layout = gsi_layout_make(gsi_key_type_find("u128"), false);
    struct gsi_merge_input input = {0};
    struct gsi_merge_spec spec = {.inputs = &input, .input_count = 1, .fed_buffers = 3};
    for (int has_tags = 0; has_tags < 2; has_tags++) {
        struct gsi_merge_inputs inputs = {.release = release,
                                          .compare = has_tags ? compare_words : NULL};
        struct gsi_buffer buffers[3];
        struct gs_error error = {0};
        released_count = 0;
        assert_int_equal(gsi_merge_inputs_init(&inputs, &layout, NULL, &spec, 3, &error), GS_OK);
        for (uint32_t fed = 0; fed < 3; fed++) {
            struct gsi_slice slice = {&keys[fed], 1};
            gsi_merge_inputs_feed(&inputs, 0, slice, &buffers[fed], fed < 2 ? &keys[fed] : NULL);
            assert_int_equal(released_count, fed);
            consume(&inputs);
            assert_int_equal(released_count, has_tags && fed < 2 ? fed : fed + 1);
        }
        gsi_merge_inputs_clear(&inputs);
        assert_int_equal(released_count, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge_inputs__consumed_buffer__kept_only_as_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
