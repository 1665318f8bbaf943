/* test_kept_dir.c: a directory that no other user can open. Run: build/dev/tests/test_kept_dir */
#include "support/scratch.h"

#include "resume/kept_dir.h"

static void expect_refused(const char *path, enum gs_status wanted, const char *what)
{
    struct gsi_kept_dir dir;
    struct gs_error error = {0};
    if (gsi_kept_dir_open(path, &dir, &error) != wanted || strstr(error.text, what) == NULL)
        test_fail("'%s': %s", path, error.text);
    assert_int_equal(dir.fd, -1);
}

static void test_kept_dir__new__is_the_owners_alone(void **state)
{
    (void)state;
    struct gsi_kept_dir dir;
    int fd;
    mode_t before = umask(0);
    assert_int_equal(gsi_kept_dir_open("new", &dir, NULL), GS_OK);
    assert_true(dir.is_new);
    assert_int_equal(gsi_kept_dir_file(&dir, "file", false, &fd, NULL), GS_OK);
    assert_int_equal(fd, -1);
    assert_int_equal(gsi_kept_dir_file(&dir, "file", true, &fd, NULL), GS_OK);
    umask(before);
    assert_int_equal(mode_of("new"), 0700);
    assert_int_equal(mode_of("new/file"), 0600);
    close(fd);
    assert_int_equal(gsi_kept_dir_sync(&dir, NULL), GS_OK);
    expect_refused("new", GS_E_USAGE, "another gsort is using this directory");
    gsi_kept_dir_close(&dir);
    assert_int_equal(gsi_kept_dir_open("new", &dir, NULL), GS_OK);
    assert_false(dir.is_new);
    assert_int_equal(gsi_kept_dir_file(&dir, "file", false, &fd, NULL), GS_OK);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(unlinkat(dir.fd, "file", 0), 0);
    assert_int_equal(names_in("new"), 0);
    gsi_kept_dir_close(&dir);
}

static void test_kept_dir__that_others_may_write_to__is_refused(void **state)
{
    (void)state;
    mkdir("open", 0755);
    chmod("open", 0777);
    expect_refused("open", GS_E_USAGE, "other users can write to it");
    chmod("open", 0775);
    expect_refused("open", GS_E_USAGE, "other users can write to it");
    mkdir("mine", 0700);
    assert_int_equal(symlink("mine", "link"), 0);
    expect_refused("link", GS_E_USAGE, "is a file or a symbolic link");
    put("file", "text", 0600);
    expect_refused("file", GS_E_USAGE, "is a file or a symbolic link");
    expect_refused("none/dir", GS_E_IO, "cannot create the directory");
}

static int with_foreign_directory(void *argument)
{
    (void)argument;
    struct gsi_kept_dir dir;
    struct gs_error error = {0};
    if (geteuid() != 0)
        return skip_because("no root");
    CHECK(mkdir("roots", 0755) == 0);
    CHECK(become_nobody());
    CHECK(gsi_kept_dir_open("roots", &dir, &error) == GS_E_USAGE);
    CHECK(strstr(error.text, "other users can write to it") != NULL);
    return 0;
}

static void test_kept_dir__somebody_elses__is_refused(void **state)
{
    (void)state;
    run_in_child(with_foreign_directory, NULL);
}

static void test_kept_dir__what_gsort_did_not_make__is_not_opened(void **state)
{
    (void)state;
    struct gsi_kept_dir dir;
    int fd;
    static const char *const names[] = {"link", "alone", "hard", "fifo", "dir"};
    put("precious", "text", 0600);
    put("lonely", "text", 0600); /* has no name but one: nothing but the link tells */
    assert_int_equal(gsi_kept_dir_open("kept", &dir, NULL), GS_OK);
    assert_int_equal(symlink("../precious", "kept/link"), 0);
    assert_int_equal(symlink("../lonely", "kept/alone"), 0);
    assert_int_equal(link("precious", "kept/hard"), 0);
    assert_int_equal(mkfifo("kept/fifo", 0600), 0);
    assert_int_equal(mkdir("kept/dir", 0700), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int is_made = 0; is_made < 2; is_made++) {
            struct gs_error error = {0};
            if (gsi_kept_dir_file(&dir, names[i], is_made, &fd, &error) == GS_OK || fd >= 0)
                test_fail("'%s' was opened", names[i]);
            assert_non_null(strstr(error.text, names[i]));
        }
    gsi_kept_dir_close(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_dir__new__is_the_owners_alone),
        cmocka_unit_test(test_kept_dir__that_others_may_write_to__is_refused),
        cmocka_unit_test(test_kept_dir__somebody_elses__is_refused),
        cmocka_unit_test(test_kept_dir__what_gsort_did_not_make__is_not_opened),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
