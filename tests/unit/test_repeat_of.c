/* test_repeat_of.c: fails as its first argument says; test_repeat.py reads what it prints. */
#include "support/support.h"

#include "support/struct_jobs.h"

static const char *way;

static void *crash(void *unused)
{
    (void)unused;
    raise(SIGSEGV);
    return NULL;
}

static void test_way__first__passes(void **state)
{
    (void)state;
    test_case("of the first");
}

static void test_way__second__fails(void **state)
{
    static const char *const keys[] = {"0:u32:desc", "a name"}, *const inputs[] = {"in", "i n"};
    const struct gsi_options options = {.inputs = inputs,
                                        .input_count = 2,
                                        .output = "out",
                                        .record_bytes = 24,
                                        .keys = keys,
                                        .key_count = 2,
                                        .reverse = true,
                                        .memory_bytes = 1 << 20,
                                        .has_top = true,
                                        .top_count = 7,
                                        .merge = true,
                                        .merge_set = GSI_SET_EXCEPT,
                                        .io = GSI_IO_THREADS,
                                        .compress = GSI_COMPRESS_ZSTD,
                                        .compress_level = 3,
                                        .spill_all = true,
                                        .device = GSI_DEVICE_CPU};
    pthread_t thread;
    (void)state;
    test_case("number %d", 17);
    show_job("", &options);
    if (strcmp(way, "assert") == 0)
        assert_true(way == NULL);
    if (strcmp(way, "equal") == 0)
        assert_int_equal(strlen(way), 1 << 20);
    if (strcmp(way, "signed") == 0)
        assert_int_equal(-1, 1);
    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "thread") == 0 && pthread_create(&thread, NULL, crash, NULL) == 0)
        pthread_join(thread, NULL);
    if (strcmp(way, "hang") == 0)
        pause();
    if (strcmp(way, "skip") == 0)
        test_skip("no reason");
}

static void test_way__third__passes(void **state)
{
    (void)state;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_way__first__passes),
        cmocka_unit_test(test_way__second__fails),
        cmocka_unit_test(test_way__third__passes),
    };
    way = argc > 1 ? argv[1] : "pass";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
