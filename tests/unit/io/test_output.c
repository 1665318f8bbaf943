/* test_output.c: outputs appear whole or not at all, with the right name, mode and size.
 * Run: build/dev/tests/test_output */
#include "support/refuse.h"
#include "support/scratch.h"

#include "io/file.h"

#include <errno.h>
#include <signal.h>
#include <sys/statvfs.h>

static bool write_text(struct gsi_output *output, const char *text)
{
    size_t length = strlen(text);
    ssize_t moved = output->kind == GSI_OUTPUT_STREAM
                        ? write(output->fd, text, length)
                        : pwrite(output->fd, text, length, (off_t)output->base_off);
    return moved == (ssize_t)length;
}

/* Open, write, commit, close. */
static enum gs_status produce(const char *path, const char *text, struct gs_error *error)
{
    struct gsi_output output;
    enum gs_status status = gsi_output_open(path, &output, error);
    if (status == GS_OK)
        status =
            write_text(&output, text) ? gsi_output_commit(&output, strlen(text), error) : GS_E_IO;
    gsi_output_close(&output);
    return status;
}

static void assert_line(const struct gs_error *error, const char *path)
{
    assert_int_not_equal(error->status, GS_OK);
    assert_null(strchr(error->text, '\n'));
    if (strstr(error->text, path) == NULL)
        test_fail("'%s' does not name '%s'", error->text, path);
}

static void test_output__new_file__gets_the_umask(void **state)
{
    (void)state;
    const struct {
        mode_t mask, mode;
    } rows[] = {{022, 0644}, {027, 0640}, {077, 0600}, {0, 0666}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mode_t before = umask(rows[i].mask);
        enum gs_status status = produce("new", "text", NULL);
        umask(before);
        assert_int_equal(status, GS_OK);
        assert_true(holds("new", "text"));
        assert_int_equal(mode_of("new"), rows[i].mode);
        assert_int_equal(names_in("."), 1);
        unlink("new");
    }
}

static void test_output__existing_file__is_replaced_and_keeps_its_mode(void **state)
{
    (void)state;
    const struct {
        mode_t before, after;
    } rows[] = {{0600, 0600}, {0644, 0644}, {0755, 0755}, {06755, 0755}, {0666, 0666}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_output output;
        struct stat info;
        assert_true(put("old", "what was there", rows[i].before));
        assert_int_equal(gsi_output_open("old", &output, NULL), GS_OK);
        assert_int_equal(output.kind, GSI_OUTPUT_ATOMIC);
        assert_true(write_text(&output, "new"));
        assert_int_equal(fstat(output.fd, &info), 0);
        assert_int_equal(info.st_mode & 07777, 0600);
        assert_int_equal(info.st_nlink, 0);
        assert_true(holds("old", "what was there"));
        assert_int_equal(gsi_output_commit(&output, 3, NULL), GS_OK);
        gsi_output_close(&output);
        assert_true(holds("old", "new"));
        assert_int_equal(mode_of("old"), rows[i].after);
        assert_int_equal(names_in("."), 1);
    }
}

static void test_output__owner_of_the_replaced_file__is_kept(void **state)
{
    (void)state;
    struct stat info;
    if (geteuid() != 0)
        test_skip("no root");
    assert_true(put("old", "x", 0640) && chown("old", 12345, 23456) == 0);
    assert_int_equal(produce("old", "y", NULL), GS_OK);
    assert_int_equal(stat("old", &info), 0);
    assert_int_equal(info.st_uid, 12345);
    assert_int_equal(info.st_gid, 23456);
    assert_int_equal(info.st_mode & 07777, 0640);
}

static int replace_in_foreign_group(void *argument)
{
    (void)argument;
    struct stat info;
    CHECK(chmod(".", 0777) == 0 && put("old", "x", 0664) && chown("old", 65534, 23456) == 0);
    if (!become_nobody())
        return skip_because("no other user to be");
    CHECK(produce("old", "y", NULL) == GS_OK);
    CHECK(stat("old", &info) == 0 && info.st_gid == 65534);
    CHECK((info.st_mode & 07777) == 0644); /* 65534 may not write what 23456 could */
    return 0;
}

static void test_output__group_cannot_be_kept__new_one_gets_no_more(void **state)
{
    (void)state;
    if (geteuid() != 0)
        test_skip("no root");
    run_in_child(replace_in_foreign_group, NULL);
}

static void test_output__discarded__leaves_nothing(void **state)
{
    (void)state;
    for (int has_target = 0; has_target < 2; has_target++) {
        struct gsi_output output;
        assert_true(!has_target || put("x", "old", 0644));
        assert_int_equal(gsi_output_open("x", &output, NULL), GS_OK);
        assert_int_equal(gsi_output_reserve(&output, 100000, NULL), GS_OK);
        assert_true(write_text(&output, "half"));
        gsi_output_close(&output);
        assert_int_equal(names_in("."), has_target);
        assert_true(!has_target || holds("x", "old"));
    }
}

static void test_output__killed__leaves_nothing(void **state)
{
    (void)state;
    int answer;
    assert_true(put("x", "old", 0644));
    pid_t child = fork();
    if (child == 0) {
        struct gsi_output output;
        if (gsi_output_open("x", &output, NULL) == GS_OK && write_text(&output, "half"))
            raise(SIGKILL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &answer, 0), child);
    assert_true(WIFSIGNALED(answer) && WTERMSIG(answer) == SIGKILL);
    assert_int_equal(names_in("."), 1);
    assert_true(holds("x", "old"));
}

static void test_output__symbolic_links__are_followed(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(mkdir("d/e", 0755), 0);
    assert_true(put("d/old", "old", 0640));
    const struct {
        const char *link, *points_to, *file;
    } rows[] = {{"to_old", "d/old", "d/old"},
                {"d/up", "../to_old", "d/old"},
                {"dangling", "d/new", "d/new"},
                {"d/e/chain", "../../chain2", "d/e/new"},
                {"chain2", "d/e/new", "d/e/new"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(symlink(rows[i].points_to, rows[i].link), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stat info;
        assert_int_equal(produce(rows[i].link, rows[i].link, NULL), GS_OK);
        assert_int_equal(lstat(rows[i].link, &info), 0);
        assert_true(S_ISLNK(info.st_mode));
        assert_int_equal(lstat(rows[i].file, &info), 0);
        assert_true(S_ISREG(info.st_mode));
        assert_true(holds(rows[i].file, rows[i].link));
    }
    assert_int_equal(mode_of("d/old"), 0640);
    assert_int_equal(names_in("d"), 4);
    struct gs_error error = {0};
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(produce("loop", "x", &error), GS_E_IO);
    assert_line(&error, "loop");
}

static void test_output__devices_and_fifos__are_written_in_place(void **state)
{
    (void)state;
    char data[8];
    struct stat info;
    struct gsi_output output;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    assert_int_equal(produce("fifo", "through", NULL), GS_OK);
    assert_int_equal(read(reader, data, sizeof data), 7);
    assert_memory_equal(data, "through", 7);
    close(reader);
    assert_int_equal(lstat("fifo", &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    const char *const devices[] = {"/dev/null", "/dev/full"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gsi_output_open(devices[i], &output, NULL), GS_OK);
        assert_int_equal(output.kind, GSI_OUTPUT_STREAM);
        assert_int_equal(gsi_output_reserve(&output, UINT64_MAX, NULL), GS_OK);
        assert_true(write_text(&output, "x") == (i == 0));
        assert_int_equal(gsi_output_commit(&output, 1, NULL), GS_OK);
        gsi_output_close(&output);
        assert_int_equal(lstat(devices[i], &info), 0);
        assert_true(S_ISCHR(info.st_mode));
    }
}

static void test_output__impossible_targets__are_refused_by_name(void **state)
{
    (void)state;
    assert_int_equal(mkdir("dir", 0755), 0);
    assert_true(put("file", "old", 0644));
    const char *const paths[] = {"dir", "dir/", ".", "..", "/", "missing/x", "missing/", "file/x"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct gs_error error = {0};
        if (produce(paths[i], "x", &error) != GS_E_IO)
            test_fail("'%s' was taken", paths[i]);
        assert_line(&error, paths[i]);
    }
    struct gs_error error = {0};
    assert_int_equal(produce("", "x", &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "its name is empty"));
    error = (struct gs_error){0};
    assert_int_equal(produce("no\nsuch/x", "x", &error), GS_E_IO);
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(names_in("."), 2);
    assert_true(holds("file", "old"));
}

static int write_where_forbidden(void *argument)
{
    (void)argument;
    CHECK(mkdir("locked", 0755) == 0 && mkdir("sticky", 0755) == 0);
    CHECK(put("locked/file", "old", 0666) && put("readonly", "old", 0444));
    CHECK(put("sticky/file", "old", 0666) && chmod("sticky", 01777) == 0);
    if (geteuid() != 0)
        CHECK(chmod("locked", 0555) == 0);
    bool is_other = geteuid() == 0;
    if (!become_nobody())
        return skip_because("no other user to be");
    const char *const paths[] = {"locked/new", "locked/file", "readonly", "sticky/file"};
    for (size_t i = 0; i < (is_other ? 4 : 3); i++) {
        struct gs_error error = {0};
        struct gsi_output output;
        CHECK(gsi_output_open(paths[i], &output, &error) == GS_E_IO);
        CHECK(strstr(error.text, paths[i]) != NULL && strchr(error.text, '\n') == NULL);
        CHECK(error.sys_errno == (i == 3 ? EPERM : EACCES));
    }
    return 0;
}

static void test_output__forbidden_targets__are_refused_before_any_work(void **state)
{
    (void)state;
    run_in_child(write_where_forbidden, NULL);
}

static void test_output__target_is_an_input__input_reads_on(void **state)
{
    (void)state;
    struct gsi_input input;
    char data[16];
    assert_true(put("x", "before", 0644));
    assert_int_equal(gsi_input_open("x", &input, NULL), GS_OK);
    assert_int_equal(produce("x", "after", NULL), GS_OK);
    assert_int_equal(pread(input.fd, data, sizeof data, 0), 6);
    assert_memory_equal(data, "before", 6);
    gsi_input_close(&input);
    assert_true(holds("x", "after"));
}

static void test_output__target_appears_meanwhile__is_replaced(void **state)
{
    (void)state;
    struct gsi_output output;
    assert_int_equal(gsi_output_open("x", &output, NULL), GS_OK);
    assert_true(write_text(&output, "ours"));
    assert_true(put("x", "theirs", 0604));
    assert_int_equal(gsi_output_commit(&output, 4, NULL), GS_OK);
    gsi_output_close(&output);
    assert_true(holds("x", "ours"));
    assert_int_equal(mode_of("x"), 0604);
    assert_int_equal(names_in("."), 1);
}

static void test_output__target_becomes_a_directory__fails_and_leaves_nothing(void **state)
{
    (void)state;
    struct gsi_output output;
    struct gs_error error = {0};
    assert_int_equal(gsi_output_open("x", &output, NULL), GS_OK);
    assert_int_equal(mkdir("x", 0755), 0);
    assert_int_equal(gsi_output_commit(&output, 0, &error), GS_E_IO);
    assert_line(&error, "x");
    gsi_output_close(&output);
    assert_int_equal(names_in("."), 1);
}

static void test_output__direct_blocks__are_cut_to_size(void **state)
{
    (void)state;
    struct gsi_output output;
    struct stat info;
    char *block = aligned_alloc(GSI_DIRECT_ALIGN, 2 * GSI_DIRECT_ALIGN);
    memset(block, 'a', 2 * GSI_DIRECT_ALIGN);
    assert_int_equal(gsi_output_open("x", &output, NULL), GS_OK);
    assert_int_equal(gsi_output_reserve(&output, 2 * GSI_DIRECT_ALIGN, NULL), GS_OK);
    assert_int_equal(fstat(output.fd, &info), 0);
    assert_true(info.st_blocks >= 16 || info.st_size == 0); /* size 0: cannot reserve */
    int fd = output.direct_fd >= 0 ? output.direct_fd : output.fd;
    assert_int_equal(pwrite(fd, block, 2 * GSI_DIRECT_ALIGN, 0), 2 * GSI_DIRECT_ALIGN);
    assert_int_equal(gsi_output_commit(&output, 5000, NULL), GS_OK);
    gsi_output_close(&output);
    assert_int_equal(stat("x", &info), 0);
    assert_int_equal(info.st_size, 5000);
    free(block);
}

static void test_output__no_room__is_said_with_numbers(void **state)
{
    (void)state;
    struct gsi_output output;
    struct statvfs space;
    struct gs_error error = {0};
    assert_int_equal(statvfs(".", &space), 0);
    uint64_t needed = space.f_bavail * space.f_frsize * 2 + ((uint64_t)1 << 30);
    char number[24];
    assert_int_equal(gsi_output_open("x", &output, NULL), GS_OK);
    assert_int_equal(gsi_output_reserve(&output, needed, &error), GS_E_SPACE);
    assert_line(&error, "x");
    snprintf(number, sizeof number, "%llu", (unsigned long long)needed);
    assert_non_null(strstr(error.text, number));
    assert_non_null(strstr(error.text, "free"));
    error = (struct gs_error){0};
    assert_int_equal(gsi_output_reserve(&output, UINT64_MAX, &error), GS_E_IO);
    assert_int_equal(error.sys_errno, EFBIG);
    assert_int_equal(gsi_output_reserve(&output, 0, NULL), GS_OK);
    gsi_output_close(&output);
    assert_int_equal(names_in("."), 0);
}

/* File systems without O_TMPFILE (NFS, FAT): a hidden name, gone in the end. */
static int write_without_tmpfile(void *argument)
{
    (void)argument;
    struct gsi_output output;
    if (!test_refuse(SYS_openat, 2, O_TMPFILE & ~O_DIRECTORY, EOPNOTSUPP))
        return skip_because("no seccomp filters");
    for (int has_target = 0; has_target < 2; has_target++) {
        CHECK(!has_target || put("x", "old", 0751));
        CHECK(gsi_output_open("x", &output, NULL) == GS_OK);
        CHECK(strncmp(output.temp_name, ".x.gsort-", 9) == 0 && strlen(output.temp_name) == 15);
        CHECK(mode_of(output.temp_name) == 0600 && names_in(".") == 1 + has_target);
        gsi_output_close(&output);
        CHECK(names_in(".") == has_target);
        umask(026);
        CHECK(produce("x", "new", NULL) == GS_OK);
        CHECK(holds("x", "new") && names_in(".") == 1);
        CHECK(mode_of("x") == (has_target ? 0751 : 0640));
        CHECK(unlink("x") == 0);
    }
    char long_name[256] = {0};
    memset(long_name, 'n', 255);
    CHECK(produce(long_name, "new", NULL) == GS_OK && names_in(".") == 1);
    int fd;
    bool is_direct;
    CHECK(gsi_temp_open(".", &fd, &is_direct, NULL) == GS_OK && names_in(".") == 1);
    return 0;
}

static void test_output__no_nameless_files__a_hidden_name_does(void **state)
{
    (void)state;
    run_in_child(write_without_tmpfile, NULL);
}

static int write_to_stdout(void *argument)
{
    (void)argument;
    struct gsi_output output;
    int fds[2], probe[2], file = open("out", O_RDWR | O_CREAT, 0644);
    CHECK(write(file, "head:", 5) == 5 && dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
    CHECK(gsi_output_open("-", &output, NULL) == GS_OK);
    CHECK(output.kind == GSI_OUTPUT_SHARED && output.base_off == 5 && output.path == NULL);
    CHECK(strcmp(output.name, "standard output") == 0);
    CHECK(gsi_output_reserve(&output, 10, NULL) == GS_OK);
    CHECK(write_text(&output, "body") && gsi_output_commit(&output, 4, NULL) == GS_OK);
    gsi_output_close(&output);
    CHECK(write(STDOUT_FILENO, ":tail", 5) == 5 && holds("out", "head:body:tail"));
    CHECK(fcntl(file, F_SETFL, O_APPEND) == 0);
    CHECK(gsi_output_open(NULL, &output, NULL) == GS_OK && output.kind == GSI_OUTPUT_STREAM);
    gsi_output_close(&output);
    CHECK(pipe(fds) == 0 && dup2(fds[1], STDOUT_FILENO) == STDOUT_FILENO);
    CHECK(gsi_output_open("-", &output, NULL) == GS_OK && output.kind == GSI_OUTPUT_STREAM);
    CHECK(pipe(probe) == 0);
    if (fcntl(probe[0], F_SETPIPE_SZ, 1 << 20) >= 0) /* allowed to this user, here and now */
        CHECK(fcntl(output.fd, F_GETPIPE_SZ) >= 1 << 20);
    gsi_output_close(&output);
    CHECK(dup2(fds[0], STDOUT_FILENO) == STDOUT_FILENO);
    struct gs_error error = {0};
    CHECK(gsi_output_open("-", &output, &error) == GS_E_IO);
    CHECK(strstr(error.text, "standard output") != NULL);
    close(STDOUT_FILENO);
    CHECK(gsi_output_open("-", &output, NULL) == GS_E_IO);
    return 0;
}

static int close_in_child(void *argument)
{
    gs_output *output;
    int status;
    (void)argument;
    if (!test_refuse(SYS_openat, 2, O_TMPFILE & ~O_DIRECTORY, EOPNOTSUPP))
        return skip_because("no seccomp filters");
    CHECK(gs_output_open("x", &output, NULL) == GS_OK && names_in(".") == 1);
    CHECK(gs_output_write(output, "text", 4, 0, NULL) == GS_OK);
    pid_t child = fork();
    if (child == 0) {
        gs_output_close(output);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(gs_output_commit(output, 4, NULL) == GS_OK && holds("x", "text"));
    gs_output_close(output);
    return names_in(".") == 1 ? 0 : __LINE__;
}

static void test_output__closed_in_a_child_of_fork__is_the_parents(void **state)
{
    (void)state;
    run_in_child(close_in_child, NULL);
}

static void test_output__standard_output__is_shared_or_a_stream(void **state)
{
    (void)state;
    run_in_child(write_to_stdout, NULL);
}

static void test_output__zeroed__closes_nothing(void **state)
{
    (void)state;
    struct gsi_output output = {0};
    int fd = dup(STDIN_FILENO); /* whatever it is, or EBADF both times */
    gsi_output_close(&output);
    assert_int_equal(fd >= 0, fcntl(STDIN_FILENO, F_GETFD) >= 0);
    gsi_output_close(&output);
    if (fd >= 0)
        close(fd);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_output__new_file__gets_the_umask),
        IN_SCRATCH(test_output__existing_file__is_replaced_and_keeps_its_mode),
        IN_SCRATCH(test_output__owner_of_the_replaced_file__is_kept),
        IN_SCRATCH(test_output__group_cannot_be_kept__new_one_gets_no_more),
        IN_SCRATCH(test_output__discarded__leaves_nothing),
        IN_SCRATCH(test_output__killed__leaves_nothing),
        IN_SCRATCH(test_output__symbolic_links__are_followed),
        IN_SCRATCH(test_output__devices_and_fifos__are_written_in_place),
        IN_SCRATCH(test_output__impossible_targets__are_refused_by_name),
        IN_SCRATCH(test_output__forbidden_targets__are_refused_before_any_work),
        IN_SCRATCH(test_output__target_is_an_input__input_reads_on),
        IN_SCRATCH(test_output__target_appears_meanwhile__is_replaced),
        IN_SCRATCH(test_output__target_becomes_a_directory__fails_and_leaves_nothing),
        IN_SCRATCH(test_output__direct_blocks__are_cut_to_size),
        IN_SCRATCH(test_output__no_room__is_said_with_numbers),
        IN_SCRATCH(test_output__no_nameless_files__a_hidden_name_does),
        IN_SCRATCH(test_output__closed_in_a_child_of_fork__is_the_parents),
        IN_SCRATCH(test_output__standard_output__is_shared_or_a_stream),
        IN_SCRATCH(test_output__zeroed__closes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
