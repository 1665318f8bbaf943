/* test_in_place.c: checks failures after the last write: a block device that is not synced, an
 * error at close, a nameless file that cannot get a name. The linker puts functions of this file
 * before the calls. Run: build/dev/tests/test_in_place */
#include "support/scratch.h"

#include "io/file.h"

#include <errno.h>

int __real_fstat64(int fd, struct stat *info);
int __wrap_fstat64(int fd, struct stat *info);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_linkat(int at, const char *path, int to_at, const char *to, int flags);
int __wrap_linkat(int at, const char *path, int to_at, const char *to, int flags);

static bool is_block_device, has_no_links;
static int sync_count, sync_refusal, close_refusal;

/* /dev/null is said to be a block device. */
int __wrap_fstat64(int fd, struct stat *info)
{
    int result = __real_fstat64(fd, info);
    if (result == 0 && is_block_device && S_ISCHR(info->st_mode))
        info->st_mode = (info->st_mode & ~(mode_t)S_IFMT) | S_IFBLK;
    return result;
}

int __wrap_fsync(int fd)
{
    sync_count++;
    errno = sync_refusal;
    if (is_block_device)
        return sync_refusal == 0 ? 0 : -1;
    return __real_fsync(fd);
}

int __wrap_close(int fd)
{
    int result = __real_close(fd);
    errno = close_refusal;
    return close_refusal != 0 ? -1 : result;
}

/* As it is without /proc and without CAP_DAC_READ_SEARCH. */
int __wrap_linkat(int at, const char *path, int to_at, const char *to, int flags)
{
    errno = ENOENT;
    return has_no_links ? -1 : __real_linkat(at, path, to_at, to, flags);
}

static void test_in_place__block_device__is_synced(void **state)
{
    (void)state;
    struct gsi_output output;
    struct gs_error error = {0};
    for (int by_name = 0; by_name < 2; by_name++) {
        int before = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
        if (!by_name)
            dup2(null, STDOUT_FILENO);
        for (int fails = 0; fails < 2; fails++) {
            sync_count = 0;
            sync_refusal = fails ? EIO : 0;
            enum gs_status opened = gsi_output_open(by_name ? "/dev/null" : "-", &output, &error);
            is_block_device = true;
            enum gs_status status = gsi_output_commit(&output, 0, &error);
            is_block_device = false;
            gsi_output_close(&output);
            if (fails)
                dup2(before, STDOUT_FILENO);
            assert_int_equal(opened, GS_OK);
            assert_int_equal(status, fails ? GS_E_IO : GS_OK);
            assert_int_equal(sync_count, 1);
        }
        assert_non_null(strstr(error.text, "cannot sync: Input/output error"));
        error = (struct gs_error){0};
        close(before);
        close(null);
    }
}

static void test_in_place__error_at_close__fails(void **state)
{
    (void)state;
    struct gsi_output output;
    struct gs_error error = {0};
    assert_int_equal(gsi_output_open("/dev/null", &output, NULL), GS_OK);
    close_refusal = EDQUOT;
    enum gs_status status = gsi_output_commit(&output, 0, &error);
    close_refusal = 0;
    gsi_output_close(&output);
    assert_int_equal(status, GS_E_SPACE);
    assert_int_equal(error.sys_errno, EDQUOT);
    assert_non_null(strstr(error.text, "'/dev/null': cannot write"));
}

/* Found out before the work: a temporary name from the beginning, and all is well at the end. */
static void test_in_place__no_links__a_hidden_name_does(void **state)
{
    (void)state;
    for (int has_target = 0; has_target < 2; has_target++) {
        struct gsi_output output;
        assert_true(!has_target || put("x", "old", 0640));
        has_no_links = true;
        assert_int_equal(gsi_output_open("x", &output, NULL), GS_OK);
        assert_int_equal(pwrite(output.fd, "new", 3, 0), 3);
        assert_int_equal(names_in("."), 1 + has_target);
        assert_int_equal(strncmp(output.temp_name, ".x.gsort-", 9), 0);
        assert_int_equal(gsi_output_commit(&output, 3, NULL), GS_OK);
        has_no_links = false;
        gsi_output_close(&output);
        assert_true(holds("x", "new"));
        assert_int_equal(names_in("."), 1);
        unlink("x");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_place__block_device__is_synced),
        cmocka_unit_test(test_in_place__error_at_close__fails),
        cmocka_unit_test_setup_teardown(test_in_place__no_links__a_hidden_name_does, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
