/* test_space.c: what is needed of each file system, and when there is too little. Run:
 * build/dev/tests/test_space */
#include "support/support.h"

#include "plan/plan.h"
#include "plan/space.h"

/* 1000 of input and output, 1020 of runs, 1090 together at most. */
static const struct gsi_plan plan = {
    .output_bytes = 1000, .temp_bytes = 1020, .space_bytes = 1090, .disk_step_bytes = 10};

enum { NONE = 0, OUTPUT = 1, TEMP = 2, BOTH = 3 };

static const struct {
    const char *name;
    enum gs_status want;
    struct {
        int use;
        uint64_t free, needed, temp;
    } spaces[3];
} rows[] = {
    {"one for all", GS_OK, {{BOTH, 1090, 1090, 1090}}},
    {"one for all, too small", GS_E_SPACE, {{BOTH, 1089, 1090, 1089}}},
    {"output to a pipe", GS_OK, {{TEMP, 1020, 1020, 1020}}},
    {"output to a pipe, too small", GS_E_SPACE, {{TEMP, 1019, 1020, 1019}}},
    {"nothing spilled", GS_OK, {{OUTPUT, 1000, 1000, 0}}},
    {"nothing spilled, too small", GS_E_SPACE, {{OUTPUT, 999, 1000, 0}}},
    {"one each", GS_OK, {{OUTPUT, 1000, 1000, 0}, {TEMP, 1020, 1020, 1020}}},
    {"one each, output too small", GS_E_SPACE, {{OUTPUT, 999, 1000, 0}, {TEMP, 5000, 1020, 5000}}},
    {"one each, temp too small", GS_E_SPACE, {{OUTPUT, 5000, 1000, 0}, {TEMP, 1019, 1020, 1019}}},
    {"two for runs", GS_OK, {{TEMP, 500, 500, 500}, {TEMP, 520, 520, 520}}},
    {"two for runs, too small", GS_E_SPACE, {{TEMP, 500, 500, 500}, {TEMP, 519, 519, 519}}},
    {"two for runs, one with the output", GS_OK, {{BOTH, 2000, 1090, 2000}, {TEMP, 9, 9, 9}}},
    {"two for runs, one with no more than the output",
     GS_OK,
     {{BOTH, 1010, 1010, 0}, {TEMP, 1020, 1020, 1020}}},
    {"two for runs, one with a little more than the output",
     GS_OK,
     {{BOTH, 1060, 1060, 50}, {TEMP, 970, 970, 970}}},
    {"two for runs, together too small",
     GS_E_SPACE,
     {{BOTH, 1060, 1060, 50}, {TEMP, 969, 969, 969}}},
    {"two for runs, no room for the output",
     GS_E_SPACE,
     {{BOTH, 1009, 1010, 0}, {TEMP, 5000, 1020, 5000}}},
    {"more than can be counted",
     GS_OK,
     {{TEMP, UINT64_MAX, 1020, UINT64_MAX}, {TEMP, UINT64_MAX, 1020, UINT64_MAX}}},
};

static void test_space__shares__by_file_system(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_space spaces[3] = {0};
        struct gs_error error = {0};
        uint32_t count = 0;
        for (; count < 3 && rows[i].spaces[count].use != NONE; count++) {
            snprintf(spaces[count].directory, sizeof spaces[count].directory, "d%u", count);
            spaces[count].free_bytes = rows[i].spaces[count].free;
            spaces[count].has_output = rows[i].spaces[count].use & OUTPUT;
            spaces[count].has_temp = rows[i].spaces[count].use & TEMP;
        }
        struct gsi_plan of = plan;
        if (!spaces[0].has_temp && count == 1)
            of.temp_bytes = 0;
        enum gs_status status = gsi_space_check(&of, spaces, count, &error);
        if (status != rows[i].want || (status != GS_OK && strstr(error.text, "'d") == NULL))
            test_fail("%s: status %d, '%s'", rows[i].name, (int)status, error.text);
        for (uint32_t s = 0; s < count; s++)
            if (spaces[s].needed_bytes != rows[i].spaces[s].needed ||
                spaces[s].temp_bytes != rows[i].spaces[s].temp)
                test_fail("%s: file system %u: needed %llu, for runs %llu", rows[i].name, s,
                          (unsigned long long)spaces[s].needed_bytes,
                          (unsigned long long)spaces[s].temp_bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_space__shares__by_file_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
