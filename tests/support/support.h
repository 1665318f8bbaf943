/* support.h: contains what every test needs: cmocka, a seeded generator, scratch directories. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" { /* which cmocka.h leaves to us */
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

/* tests/count.py reads standard output line by line, and others write between the lines. */
__attribute__((constructor)) static inline void test_print_lines(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Returns a number from the environment, such as GS_TEST_JOBS. */
static inline uint64_t test_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

/* Random numbers of a test: xorshift64*, seeded by GS_TEST_SEED or a fixed number, so that a
 * failure replays (repeat.h). tools/test.sh sets another seed each day. */
static inline uint64_t test_seed(void)
{
    return test_number("GS_TEST_SEED", 0x5eed);
}

#include "support/repeat.h"

/* End the test: the machine lacks what it needs. tests/count.py counts it, with the reason, and CI
 * fails unless tests/may_skip.txt has a line for that; cmocka's own skip() tells no reason. Only on
 * the test's thread. */
#undef skip
#define test_skip(...)               \
    do {                             \
        print_message("skipped: ");  \
        print_message(__VA_ARGS__);  \
        print_message("\n");         \
        test_running.is_over = true; \
        _skip(__FILE__, __LINE__);   \
    } while (0)

/* Continues the test without a part; this is counted, too. */
static inline void test_part_skipped(const char *part, const char *reason)
{
    print_message("skipped %s: %s\n", part, reason);
}

struct test_random {
    uint64_t state;
};

static inline struct test_random test_random_make(uint64_t salt)
{
    return (struct test_random){(test_seed() + salt) * 0x9e3779b97f4a7c15u | 1};
}

static inline uint64_t test_next(struct test_random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * 0x2545f4914f6cdd1du;
}

static inline uint64_t test_below(struct test_random *random, uint64_t n)
{
    return test_next(random) % n;
}

/* Programs take many times as long here (sanitizers; CMake sets it): a part of the lengths,
 * types and combinations will do, as the release build does all. */
static inline bool test_is_small(void)
{
    const char *text = getenv("GS_TEST_SMALL");
    return text != NULL && strcmp(text, "1") == 0;
}

/* Compare integers. A failure prints decimal numbers, where cmocka prints hexadecimal ones. */
static inline void test_compare(uintmax_t a, uintmax_t b, bool are_equal, const char *texts,
                                const char *file, int line)
{
    if ((a == b) == are_equal)
        return;
    print_error("%s: %ju and %ju", texts, a, b);
    if ((a | b) >> 63 != 0)
        print_error(", as signed numbers %jd and %jd", (intmax_t)a, (intmax_t)b);
    print_error("\n");
    _fail(file, line);
}

#undef assert_int_equal
#undef assert_int_not_equal
#define assert_int_equal(a, b) \
    test_compare((uintmax_t)(a), (uintmax_t)(b), true, #a " == " #b, __FILE__, __LINE__)
#define assert_int_not_equal(a, b) \
    test_compare((uintmax_t)(a), (uintmax_t)(b), false, #a " != " #b, __FILE__, __LINE__)

/* Fail with the row's name. */
#define test_fail(...)                \
    do {                              \
        fprintf(stderr, __VA_ARGS__); \
        fputc('\n', stderr);          \
        fail();                       \
    } while (0)

#endif
