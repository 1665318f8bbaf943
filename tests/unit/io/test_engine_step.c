/* test_engine_step.c: what follows an attempt to move bytes, whichever engine made it.
 * Run: build/dev/tests/test_engine_step */
#include "support/support.h"

#include "io/engine_parts.h"
#include "io/file.h"

#include <errno.h>
#include <unistd.h>

static void test_step__result__says_what_follows(void **state)
{
    (void)state;
    static const struct {
        enum gsi_io_op op;
        size_t moved;   /* before, of 10000 */
        ssize_t result; /* of the call */
        enum gsi_io_step step;
        size_t moved_then;
        int sys_errno;
    } rows[] = {
        {GSI_IO_WRITE, 0, 10000, GSI_STEP_FINISHED, 10000, 0},
        {GSI_IO_READ, 0, 10000, GSI_STEP_FINISHED, 10000, 0},
        {GSI_IO_WRITE, 0, 4096, GSI_STEP_AGAIN, 4096, 0},
        {GSI_IO_READ, 0, 9999, GSI_STEP_AGAIN, 9999, 0},
        {GSI_IO_WRITE, 4096, 1, GSI_STEP_AGAIN, 4097, 0},
        {GSI_IO_WRITE, 4096, 5904, GSI_STEP_FINISHED, 10000, 0},
        {GSI_IO_WRITE, 4096, -EINTR, GSI_STEP_AGAIN, 4096, 0},
        {GSI_IO_READ, 4096, -EAGAIN, GSI_STEP_BLOCKED, 4096, 0},
        {GSI_IO_WRITE, 4096, -ENOSPC, GSI_STEP_FINISHED, 4096, ENOSPC},
        {GSI_IO_READ, 4096, -EIO, GSI_STEP_FINISHED, 4096, EIO},
        {GSI_IO_READ, 4096, 0, GSI_STEP_FINISHED, 4096, 0},       /* the end of the file */
        {GSI_IO_WRITE, 4096, 0, GSI_STEP_FINISHED, 4096, EIO},    /* no reason given */
        {GSI_IO_READ, 4097, -EINVAL, GSI_STEP_FINISHED, 4097, 0}, /* direct, after the end */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_io io = {
            .op = rows[i].op, .fd = STDERR_FILENO, .bytes = 10000, .moved = rows[i].moved};
        enum gsi_io_step step = gsi_io_step(&io, rows[i].result);
        if (step != rows[i].step || io.moved != rows[i].moved_then ||
            io.sys_errno != rows[i].sys_errno)
            test_fail("row %zu: step %d, moved %zu, errno %d", i, (int)step, io.moved,
                      io.sys_errno);
    }
}

/* Direct I/O may be refused when it is used: the transfer is tried once more, and is refused for
 * good then. */
static void test_step__refused_as_wrong__is_tried_once_more(void **state)
{
    (void)state;
    static const enum gsi_io_op ops[] = {GSI_IO_READ, GSI_IO_WRITE};
    for (size_t i = 0; i < 2; i++) {
        struct gsi_io io = {.op = ops[i], .fd = STDERR_FILENO, .bytes = 10000};
        assert_int_equal(gsi_io_step(&io, -EINVAL), GSI_STEP_AGAIN);
        assert_int_equal(io.sys_errno, 0);
        assert_int_equal(gsi_io_step(&io, -EINVAL), GSI_STEP_FINISHED);
        assert_int_equal(io.sys_errno, EINVAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step__result__says_what_follows),
        cmocka_unit_test(test_step__refused_as_wrong__is_tried_once_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
