/* test_file.c: inputs of every kind, temporary files, free space.
 * Run: build/dev/tests/test_file */
#include "support/scratch.h"

#include "io/file.h"

#include <errno.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

static void test_input__regular_files__have_size_and_times(void **state)
{
    (void)state;
    const char *const texts[] = {"", "a", "some text"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct gsi_input input;
        struct stat info;
        char data[16] = {0};
        assert_true(put("x", texts[i], 0644) && stat("x", &info) == 0);
        assert_int_equal(gsi_input_open("x", &input, NULL), GS_OK);
        assert_string_equal(input.name, "x");
        assert_false(input.is_stream);
        assert_int_equal(input.base_off, 0);
        assert_int_equal(input.bytes, strlen(texts[i]));
        assert_int_equal(input.inode, info.st_ino);
        assert_int_equal(input.device_id, info.st_dev);
        assert_int_equal(input.mtime_ns, info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec);
        assert_int_equal(pread(input.fd, data, sizeof data, 0), strlen(texts[i]));
        assert_string_equal(data, texts[i]);
        assert_int_equal(fcntl(input.fd, F_GETFD), FD_CLOEXEC);
        if (input.direct_fd >= 0)
            assert_int_equal(fcntl(input.direct_fd, F_GETFD), FD_CLOEXEC);
        gsi_input_close(&input);
        gsi_input_close(&input);
    }
}

static void test_input__what_cannot_be_read__is_refused_by_name(void **state)
{
    (void)state;
    assert_int_equal(mkdir("dir", 0755), 0);
    assert_true(put("file", "x", 0644));
    const char *const paths[] = {"missing", "dir", "file/x", "no/such", "", "a\nb"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct gsi_input input;
        struct gs_error error = {0};
        assert_int_equal(gsi_input_open(paths[i], &input, &error), GS_E_INPUT);
        assert_null(strchr(error.text, '\n'));
        if (i < 5 && strstr(error.text, paths[i]) == NULL)
            test_fail("'%s' does not name '%s'", error.text, paths[i]);
        gsi_input_close(&input);
    }
}

static int read_where_forbidden(void *argument)
{
    (void)argument;
    struct gsi_input input;
    struct gs_error error = {0};
    CHECK(put("secret", "x", 0000));
    if (!become_nobody())
        return skip_because("no other user to be");
    CHECK(gsi_input_open("secret", &input, &error) == GS_E_INPUT);
    CHECK(error.sys_errno == EACCES && strstr(error.text, "secret") != NULL);
    return 0;
}

static void test_input__forbidden_file__is_refused(void **state)
{
    (void)state;
    run_in_child(read_where_forbidden, NULL);
}

static void test_input__fifos_and_devices__are_streams(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    int fifo = open("fifo", O_RDWR);
    const char *const paths[] = {"fifo", "/dev/null", "/dev/zero"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct gsi_input input;
        assert_int_equal(gsi_input_open(paths[i], &input, NULL), GS_OK);
        assert_true(input.is_stream);
        assert_true(input.bytes == UINT64_MAX);
        assert_int_equal(input.direct_fd, -1);
        assert_false(gsi_input_is_cached(&input));
        gsi_input_close(&input);
    }
    close(fifo);
}

static int read_stdin(void *argument)
{
    (void)argument;
    struct gsi_input input;
    struct gs_error error = {0};
    int fds[2], probe[2];
    CHECK(put("x", "0123456789", 0644));
    int file = open("x", O_RDONLY);
    CHECK(lseek(file, 4, SEEK_SET) == 4 && dup2(file, STDIN_FILENO) == STDIN_FILENO);
    CHECK(gsi_input_open("-", &input, NULL) == GS_OK);
    CHECK(!input.is_stream && input.base_off == 4 && input.bytes == 6 && input.fd > 2);
    CHECK(strcmp(input.name, "standard input") == 0);
    gsi_input_close(&input);
    CHECK(lseek(STDIN_FILENO, 20, SEEK_SET) == 20); /* after the end */
    CHECK(gsi_input_open("-", &input, NULL) == GS_OK && input.bytes == 0);
    gsi_input_close(&input);
    CHECK(pipe(fds) == 0 && dup2(fds[0], STDIN_FILENO) == STDIN_FILENO);
    CHECK(gsi_input_open("-", &input, NULL) == GS_OK && input.is_stream);
    CHECK(pipe(probe) == 0);
    if (fcntl(probe[0], F_SETPIPE_SZ, 1 << 20) >= 0) /* allowed to this user, here and now */
        CHECK(fcntl(input.fd, F_GETPIPE_SZ) >= 1 << 20);
    gsi_input_close(&input);
    CHECK(dup2(fds[1], STDIN_FILENO) == STDIN_FILENO);
    CHECK(gsi_input_open("-", &input, &error) == GS_E_INPUT);
    CHECK(strstr(error.text, "standard input") != NULL);
    close(STDIN_FILENO);
    CHECK(gsi_input_open("-", &input, NULL) == GS_E_INPUT);
    CHECK(gsi_input_open("x", &input, NULL) == GS_OK && input.bytes == 10);
    gsi_input_close(&input);
    return 0;
}

static void test_input__standard_input__begins_where_it_stands(void **state)
{
    (void)state;
    run_in_child(read_stdin, NULL);
}

static void test_input__zeroed__closes_nothing(void **state)
{
    (void)state;
    struct gsi_input input = {0};
    int before = fcntl(STDIN_FILENO, F_GETFD);
    gsi_input_close(&input);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), before);
}

static void test_input__closed_for_now__reopens_as_the_same_file_only(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        bool is_replaced;
    } rows[] = {{"untouched", NULL, false},
                {"longer", "0123456789a", false},
                {"another of that size", "abcdefghij", true},
                {"gone", NULL, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_input input;
        struct gs_error error = {0};
        char data[10];
        bool is_same = rows[i].text == NULL && !rows[i].is_replaced;
        assert_true(put("x", "0123456789", 0644));
        assert_int_equal(gsi_input_open("x", &input, NULL), GS_OK);
        gsi_input_close_for_now(&input);
        assert_int_equal(input.fd, -1);
        assert_int_equal(input.direct_fd, -1);
        if (rows[i].is_replaced)
            assert_int_equal(rename("x", "old"), 0); /* its inode stays taken */
        if (rows[i].text != NULL)
            assert_true(put("x", rows[i].text, 0644));
        enum gs_status status = gsi_input_reopen(&input, &error);
        if (status != (is_same ? GS_OK : GS_E_INPUT))
            test_fail("%s: status %d (%s)", rows[i].name, status, error.text);
        if (is_same) {
            assert_int_equal(pread(input.fd, data, sizeof data, 0), sizeof data);
            assert_int_equal(input.direct_fd >= 0, input.is_direct);
        }
        gsi_input_close(&input);
    }
}

static int close_stdin_for_now(void *argument)
{
    (void)argument;
    struct gsi_input input;
    CHECK(put("x", "0123456789", 0644));
    int file = open("x", O_RDONLY);
    CHECK(dup2(file, STDIN_FILENO) == STDIN_FILENO);
    CHECK(gsi_input_open("-", &input, NULL) == GS_OK);
    gsi_input_close_for_now(&input);
    CHECK(input.fd >= 0); /* its name would not open it again */
    gsi_input_close(&input);
    return 0;
}

static void test_input__standard_input__never_rests(void **state)
{
    (void)state;
    run_in_child(close_stdin_for_now, NULL);
}

static void test_input__page_cache__is_known(void **state)
{
    (void)state;
    const size_t bytes = 1 << 20;
    uint64_t range[2] = {0, 1}, pages[5];
    struct statfs fs;
    int fd = open("x", O_RDWR | O_CREAT, 0600);
    if (syscall(451, fd, range, pages, 0u) != 0)
        test_skip("no cachestat, which Linux has from 6.5 on");
    char *data = calloc(1, bytes);
    assert_int_equal(write(fd, data, bytes), bytes);
    struct gsi_input input;
    assert_int_equal(gsi_input_open("x", &input, NULL), GS_OK);
    assert_true(gsi_input_is_cached(&input));
    assert_int_equal(fstatfs(fd, &fs), 0);
    if (fs.f_type != TMPFS_MAGIC) {
        assert_int_equal(fsync(fd), 0);
        assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
        assert_false(gsi_input_is_cached(&input));
    } else {
        test_part_skipped("what has left the cache", "/tmp is a tmpfs");
    }
    gsi_input_close(&input);
    close(fd);
    free(data);
}

static void test_temp__opened__has_no_name_and_no_readers(void **state)
{
    (void)state;
    int fd;
    bool is_direct;
    struct stat info;
    assert_int_equal(gsi_temp_open(".", &fd, &is_direct, NULL), GS_OK);
    assert_int_equal(fstat(fd, &info), 0);
    assert_int_equal(info.st_nlink, 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(names_in("."), 0);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal((fcntl(fd, F_GETFL) & O_DIRECT) != 0, is_direct);
    char *data = aligned_alloc(GSI_DIRECT_ALIGN, GSI_DIRECT_ALIGN);
    memset(data, 7, GSI_DIRECT_ALIGN);
    assert_int_equal(pwrite(fd, data, GSI_DIRECT_ALIGN, GSI_DIRECT_ALIGN), GSI_DIRECT_ALIGN);
    assert_int_equal(pread(fd, data, GSI_DIRECT_ALIGN, 0), GSI_DIRECT_ALIGN);
    assert_int_equal(data[17], 0);
    free(data);
    close(fd);
}

static void test_temp__missing_directory__is_refused_by_name(void **state)
{
    (void)state;
    assert_true(put("file", "x", 0644));
    const char *const paths[] = {"missing", "file"};
    for (size_t i = 0; i < 2; i++) {
        int fd;
        bool is_direct;
        struct gs_error error = {0};
        assert_int_equal(gsi_temp_open(paths[i], &fd, &is_direct, &error), GS_E_IO);
        assert_int_equal(fd, -1);
        assert_non_null(strstr(error.text, paths[i]));
    }
}

static int make_temp_where_forbidden(void *argument)
{
    (void)argument;
    int fd;
    bool is_direct;
    struct gs_error error = {0};
    CHECK(mkdir("locked", 0555) == 0);
    if (!become_nobody())
        return skip_because("no other user to be");
    CHECK(gsi_temp_open("locked", &fd, &is_direct, &error) == GS_E_IO);
    CHECK(error.sys_errno == EACCES && strstr(error.text, "locked") != NULL);
    return 0;
}

static void test_temp__forbidden_directory__is_refused(void **state)
{
    (void)state;
    run_in_child(make_temp_where_forbidden, NULL);
}

/* tmpfs takes O_DIRECT and copies: the engine must know, to copy in parallel. */
static void test_temp__in_memory__is_not_direct(void **state)
{
    (void)state;
    struct statfs fs;
    int fd;
    bool is_direct;
    if (statfs("/dev/shm", &fs) != 0 || fs.f_type != TMPFS_MAGIC ||
        gsi_temp_open("/dev/shm", &fd, &is_direct, NULL) != GS_OK)
        test_skip("no tmpfs in /dev/shm to write to");
    assert_false(is_direct);
    close(fd);
}

static void test_space__directories__share_a_file_system_or_not(void **state)
{
    (void)state;
    uint64_t bytes, here, there;
    struct gs_error error = {0};
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(gsi_space_free(".", &bytes, &here, NULL), GS_OK);
    assert_true(bytes > 0);
    assert_int_equal(gsi_space_free("d", &bytes, &there, NULL), GS_OK);
    assert_int_equal(here, there);
    assert_int_equal(gsi_space_free("/proc", &bytes, &there, NULL), GS_OK);
    assert_int_not_equal(here, there);
    assert_int_equal(gsi_space_free("missing", &bytes, &there, &error), GS_E_IO);
    assert_non_null(strstr(error.text, "missing"));
}

/* A write that reaches the limit of a file's size moves what fits. The rest is refused when it is
 * requested, and only then. */
static int write_across_the_limit(void *argument)
{
    (void)argument;
    char data[1500] = {0};
    struct stat info;
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    int fd = open("x", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = 1000;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(gsi_file_write(fd, data, 1000, 0) == 0);
    CHECK(gsi_file_write(fd, data, sizeof data, 0) == EFBIG);
    CHECK(fstat(fd, &info) == 0 && info.st_size == 1000);
    close(fd);
    return 0;
}

static void test_file__short_write__is_gone_on_with(void **state)
{
    (void)state;
    run_in_child(write_across_the_limit, NULL);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_input__regular_files__have_size_and_times),
        IN_SCRATCH(test_input__what_cannot_be_read__is_refused_by_name),
        IN_SCRATCH(test_input__forbidden_file__is_refused),
        IN_SCRATCH(test_input__fifos_and_devices__are_streams),
        IN_SCRATCH(test_input__standard_input__begins_where_it_stands),
        IN_SCRATCH(test_input__zeroed__closes_nothing),
        IN_SCRATCH(test_input__closed_for_now__reopens_as_the_same_file_only),
        IN_SCRATCH(test_input__standard_input__never_rests),
        IN_SCRATCH(test_input__page_cache__is_known),
        IN_SCRATCH(test_temp__opened__has_no_name_and_no_readers),
        IN_SCRATCH(test_temp__missing_directory__is_refused_by_name),
        IN_SCRATCH(test_temp__forbidden_directory__is_refused),
        IN_SCRATCH(test_temp__in_memory__is_not_direct),
        IN_SCRATCH(test_file__short_write__is_gone_on_with),
        IN_SCRATCH(test_space__directories__share_a_file_system_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
