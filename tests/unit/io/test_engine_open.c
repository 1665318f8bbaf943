/* test_engine_open.c: which engine a job gets, and engines on kernels that refuse a part.
 * Run: build/dev/tests/test_engine_open */
#include "base/choices.h"
#include "support/refuse.h"
#include "support/transfer.h"

#include <errno.h>
#include <sys/uio.h>
#include <sys/wait.h>

/* The result of gsi_engine_open in a child whose kernel refuses io_uring. */
struct opened {
    bool is_filtered;
    enum gs_status status, error_status;
    int sys_errno;
    char name[16], note[128], text[1024];
};

static struct opened open_refused(enum gsi_io_choice choice, int sys_errno)
{
    int fds[2];
    struct opened opened = {0};
    assert_int_equal(pipe(fds), 0);
    pid_t child = fork();
    if (child == 0) {
        struct gsi_engine *engine;
        struct gs_error error = {0};
        opened.is_filtered = test_refuse(SYS_io_uring_setup, 0, 0, sys_errno);
        opened.status =
            gsi_engine_open(choice, DEPTH, &engine, opened.note, sizeof opened.note, &error);
        if (opened.status == GS_OK)
            snprintf(opened.name, sizeof opened.name, "%s", engine->ops->name);
        opened.error_status = error.status;
        opened.sys_errno = error.sys_errno;
        memcpy(opened.text, error.text, sizeof opened.text);
        gsi_engine_close(engine);
        _exit(write(fds[1], &opened, sizeof opened) != sizeof opened);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &opened, sizeof opened), sizeof opened);
    close(fds[0]);
    waitpid(child, NULL, 0);
    if (!opened.is_filtered)
        test_skip("no seccomp filters");
    return opened;
}

static void test_engine_open__io_uring_refused__falls_back_or_says_so(void **state)
{
    (void)state;
    const int refusals[] = {EPERM, ENOSYS, ENOMEM};
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct opened opened = open_refused(GSI_IO_AUTO, refusals[i]);
        char note[128];
        snprintf(note, sizeof note, "io_uring refused: %s", strerror(refusals[i]));
        assert_int_equal(opened.status, GS_OK);
        assert_int_equal(opened.error_status, GS_OK);
        assert_string_equal(opened.name, "threads");
        assert_string_equal(opened.note, note);

        opened = open_refused(GSI_IO_URING, refusals[i]);
        assert_int_equal(opened.status, GS_E_IO);
        assert_int_equal(opened.error_status, GS_E_IO);
        assert_int_equal(opened.sys_errno, refusals[i]);
        assert_non_null(strstr(opened.text, "--io threads"));
        assert_null(strchr(opened.text, '\n'));

        opened = open_refused(GSI_IO_THREADS, refusals[i]);
        assert_int_equal(opened.status, GS_OK);
        assert_string_equal(opened.name, "threads");
        assert_string_equal(opened.note, "");
    }
}

/* Pipes before Linux 6.4 know no RWF_NOWAIT: the thread engine writes them in small pieces. Runs in
 * a child, which answers 0 (good), 1 (bad) or 2 (no filters here). */
static int move_without_nowait(void)
{
    struct gsi_engine *engine;
    struct transfer transfers[2];
    uint8_t *written = malloc(PIPE_BYTES), *read = calloc(1, PIPE_BYTES);
    int fds[2], full[2];
    if (!test_refuse(SYS_preadv2, 5, RWF_NOWAIT, EOPNOTSUPP) ||
        !test_refuse(SYS_pwritev2, 5, RWF_NOWAIT, EOPNOTSUPP))
        return 2;
    if (pipe(fds) != 0 || pipe(full) != 0 || gsi_engine_threads.open(DEPTH, &engine, NULL) != GS_OK)
        return 1;
    memset(written, 0x5a, PIPE_BYTES);
    start(engine, &transfers[0], GSI_IO_READ, fds[0], read, PIPE_BYTES, GSI_IO_STREAM);
    start(engine, &transfers[1], GSI_IO_WRITE, fds[1], written, PIPE_BYTES, GSI_IO_STREAM);
    while (transfers[0].done_count + transfers[1].done_count < 2)
        gsi_engine_wait(engine, UINT64_MAX);
    bool is_good = memcmp(written, read, PIPE_BYTES) == 0;
    start(engine, &transfers[0], GSI_IO_WRITE, full[1], written, PIPE_BYTES, GSI_IO_STREAM);
    wait_until_full(engine, full[1]);
    gsi_engine_cancel(engine);
    while (transfers[0].done_count == 0)
        gsi_engine_wait(engine, UINT64_MAX);
    is_good = is_good && transfers[0].io.sys_errno == ECANCELED;
    gsi_engine_close(engine);
    free(written);
    free(read);
    return is_good ? 0 : 1;
}

static void test_engine_threads__pipes_without_nowait__still_move_and_cancel(void **state)
{
    (void)state;
    int answer;
    pid_t child = fork();
    if (child == 0)
        _exit(move_without_nowait());
    assert_int_equal(waitpid(child, &answer, 0), child);
    assert_true(WIFEXITED(answer));
    if (WEXITSTATUS(answer) == 2)
        test_skip("no seccomp filters");
    assert_int_equal(WEXITSTATUS(answer), 0);
}

static void test_engine_open__odd_depths__are_made_good(void **state)
{
    (void)state;
    const uint32_t depths[] = {0, 1, 3, 4096, UINT32_MAX};
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++)
        for (enum gsi_io_choice choice = GSI_IO_AUTO; choice <= GSI_IO_THREADS; choice += 2) {
            struct gsi_engine *engine;
            struct transfer transfer;
            char note[128], byte = 1;
            int fd = scratch_file();
            assert_int_equal(gsi_engine_open(choice, depths[i], &engine, note, sizeof note, NULL),
                             GS_OK);
            start(engine, &transfer, GSI_IO_WRITE, fd, &byte, 1, 0);
            finish(engine, &transfer, 1);
            assert_int_equal(transfer.io.moved, 1);
            gsi_engine_close(engine);
            close(fd);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engine_open__io_uring_refused__falls_back_or_says_so),
        cmocka_unit_test(test_engine_threads__pipes_without_nowait__still_move_and_cancel),
        cmocka_unit_test(test_engine_open__odd_depths__are_made_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
