/* test_access.c: a user who could not open a file cannot open its replacement: ACLs, modes and
 * attributes. The linker puts functions of this file before those that set and remove attributes.
 * Run: build/dev/tests/test_access */
#include "support/scratch.h"

#include "io/file.h"

#include <endian.h>
#include <errno.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sys/xattr.h>

#define ACCESS   "system.posix_acl_access"
#define DEFAULT  "system.posix_acl_default"
#define SOMEBODY 12345u
#define MOST     16

int __real_fsetxattr(int fd, const char *name, const void *value, size_t bytes, int flags);
int __wrap_fsetxattr(int fd, const char *name, const void *value, size_t bytes, int flags);
int __real_fremovexattr(int fd, const char *name);
int __wrap_fremovexattr(int fd, const char *name);

static const char *refused; /* attributes whose names begin so */
static int refusal;

static bool is_refused(const char *name)
{
    errno = refusal;
    return refused != NULL && strncmp(name, refused, strlen(refused)) == 0;
}

int __wrap_fsetxattr(int fd, const char *name, const void *value, size_t bytes, int flags)
{
    return is_refused(name) ? -1 : __real_fsetxattr(fd, name, value, bytes, flags);
}

int __wrap_fremovexattr(int fd, const char *name)
{
    return is_refused(name) ? -1 : __real_fremovexattr(fd, name);
}

struct acl {
    struct {
        uint32_t version;
        struct posix_acl_xattr_entry entries[MOST];
    } data;
    size_t bytes; /* 0: none */
};

/* Permissions of the owner, user SOMEBODY, the group, group SOMEBODY, the mask and others; 8: no
 * such entry. */
static struct acl acl_of(const char *digits)
{
    static const uint16_t tags[] = {ACL_USER_OBJ, ACL_USER, ACL_GROUP_OBJ,
                                    ACL_GROUP,    ACL_MASK, ACL_OTHER};
    struct acl acl = {.data.version = htole32(POSIX_ACL_XATTR_VERSION), .bytes = 4};
    struct posix_acl_xattr_entry *entry = acl.data.entries;
    for (int i = 0; i < 6; i++) {
        if (digits[i] == '8')
            continue;
        bool is_named = tags[i] == ACL_USER || tags[i] == ACL_GROUP;
        *entry++ = (struct posix_acl_xattr_entry){
            .e_tag = htole16(tags[i]),
            .e_perm = htole16((uint16_t)(digits[i] - '0')),
            .e_id = htole32(is_named ? SOMEBODY : (uint32_t)ACL_UNDEFINED_ID)};
        acl.bytes += sizeof *entry;
    }
    return acl;
}

/* Returns whether it could be set: not if the file system has no ACLs. */
static bool set(const char *path, const char *name, const char *digits)
{
    struct acl acl = acl_of(digits);
    return setxattr(path, name, &acl.data, acl.bytes, 0) == 0;
}

static struct acl read_acl(const char *path)
{
    struct acl acl = {0};
    ssize_t bytes = getxattr(path, ACCESS, &acl.data, sizeof acl.data);
    acl.bytes = bytes > 0 ? (size_t)bytes : 0;
    return acl;
}

static bool has_acl(const char *path, const struct acl *want)
{
    struct acl acl = read_acl(path);
    return acl.bytes == want->bytes && memcmp(&acl.data, &want->data, acl.bytes) == 0;
}

static bool has(const char *path, const char *digits)
{
    struct acl want = acl_of(digits);
    return has_acl(path, &want);
}

static void skip_without_acls(void)
{
    assert_true(put("probe", "", 0600));
    bool is_known = set("probe", ACCESS, "660060");
    unlink("probe");
    if (!is_known)
        test_skip("no ACLs in /tmp");
}

static enum gs_status produce(const char *path, struct gs_error *error)
{
    struct gsi_output output;
    enum gs_status status = gsi_output_open(path, &output, error);
    if (status == GS_OK)
        status =
            pwrite(output.fd, "new", 3, 0) == 3 ? gsi_output_commit(&output, 3, error) : GS_E_IO;
    gsi_output_close(&output);
    return status;
}

static void test_access__replaced_file_with_an_acl__keeps_it(void **state)
{
    (void)state;
    skip_without_acls();
    static const char *const rows[] = {"660060", "600064", "707707", "675441", "640860"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(put("x", "old", 0600) && set("x", ACCESS, rows[i]));
        mode_t mode = mode_of("x");
        assert_int_equal(produce("x", NULL), GS_OK);
        assert_true(holds("x", "new"));
        assert_int_equal(mode_of("x"), mode);
        if (!has("x", rows[i]))
            test_fail("%s: another ACL, or none", rows[i]);
        unlink("x");
    }
}

static void test_access__default_acl_of_the_directory__is_for_new_files_only(void **state)
{
    (void)state;
    skip_without_acls();
    mode_t before = umask(027);
    for (int kept = 0; kept < 2; kept++) {
        assert_int_equal(mkdir("d", 0777), 0);
        assert_int_equal(mkdir("d/kept", 0700), 0);
        assert_true(put("d/plain", "old", 0640) && put("d/with", "old", 0600));
        assert_true(set("d/with", ACCESS, "600060"));
        assert_true(set("d", DEFAULT, "777775") && set("d/kept", DEFAULT, "666666"));
        int fd = open("d/model", O_CREAT | O_WRONLY, 0666);
        assert_true(fd >= 0 && close(fd) == 0);
        struct acl model = read_acl("d/model");
        assert_int_not_equal(model.bytes, 0);
        static const char *const names[] = {"d/new", "d/plain", "d/with"};
        for (int i = 0; i < 3; i++) {
            struct gsi_output output;
            assert_int_equal(gsi_output_open(names[i], &output, NULL), GS_OK);
            int dir_fd = open("d/kept", O_PATH);
            if (kept)
                assert_int_equal(gsi_output_redirect(&output, dir_fd, "file",
                                                     openat(dir_fd, "file", O_CREAT | O_RDWR, 0600),
                                                     NULL),
                                 GS_OK);
            assert_int_equal(gsi_output_commit(&output, 0, NULL), GS_OK);
            gsi_output_close(&output);
            close(dir_fd);
        }
        assert_true(has_acl("d/new", &model));
        assert_int_equal(mode_of("d/new"), mode_of("d/model"));
        assert_int_equal(read_acl("d/plain").bytes, 0);
        assert_int_equal(mode_of("d/plain"), 0640);
        assert_true(has("d/with", "600060"));
        assert_int_equal(system("rm -r d"), 0);
    }
    umask(before);
}

/* The remaining permissions grant no user more than the ACL did. */
static void test_access__acl_cannot_be_kept__mode_gives_no_more(void **state)
{
    (void)state;
    skip_without_acls();
    static const struct {
        const char *acl;
        mode_t mode;
    } rows[] = {
        {"660060", 0600}, /* a group without rights, and a mask with them */
        {"666664", 0664}, /* no user had less than its mode says */
        {"644444", 0644},
        {"606666", 0600}, /* SOMEBODY had nothing, and may be of the group, or one of the others */
        {"666066", 0600}, /* a group had nothing */
        {"666646", 0644}, /* the mask took what the others have */
        {"686866", 0666},
    };
    refused = ACCESS;
    for (int is_no_space = 0; is_no_space < 2; is_no_space++) {
        refusal = is_no_space ? ENOSPC : EOPNOTSUPP;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            assert_true(put("x", "old", 0600) && set("x", ACCESS, rows[i].acl));
            assert_int_equal(produce("x", NULL), GS_OK);
            assert_int_equal(read_acl("x").bytes, 0);
            if (mode_of("x") != (rows[i].mode & (is_no_space ? 0707 : 0777)))
                test_fail("%s: mode %o", rows[i].acl, mode_of("x"));
            unlink("x");
        }
    }
    /* An ACL from the directory stays, and its mask is closed. */
    assert_int_equal(mkdir("d", 0755), 0);
    assert_true(put("d/x", "old", 0664) && set("d", DEFAULT, "777775"));
    assert_int_equal(produce("d/x", NULL), GS_OK);
    assert_int_equal(mode_of("d/x"), 0604);
    refused = NULL;
}

static int replace_in_foreign_group(void *argument)
{
    (void)argument;
    struct stat info;
    CHECK(chmod(".", 0777) == 0 && put("old", "x", 0664) && chown("old", 65534, 23456) == 0);
    CHECK(set("old", ACCESS, "676674"));
    if (!become_nobody())
        return skip_because("no other user to be");
    CHECK(produce("old", NULL) == GS_OK);
    CHECK(stat("old", &info) == 0 && info.st_gid == 65534);
    CHECK(has("old", "674674")); /* 65534 gets what everybody has, named ones what they had */
    return 0;
}

static void test_access__group_cannot_be_kept__gets_what_others_have(void **state)
{
    (void)state;
    skip_without_acls();
    if (geteuid() != 0)
        test_skip("no root");
    run_in_child(replace_in_foreign_group, NULL);
}

static bool has_attribute(const char *path, const char *name, const char *want)
{
    char value[4096];
    ssize_t bytes = getxattr(path, name, value, sizeof value);
    return bytes == (ssize_t)strlen(want) && memcmp(value, want, (size_t)bytes) == 0;
}

static void skip_without_attributes(void)
{
    assert_true(put("probe", "", 0600));
    bool is_known = setxattr("probe", "user.a", "", 0, 0) == 0;
    unlink("probe");
    if (!is_known)
        test_skip("no attributes in /tmp");
}

/* Attributes of the file when it is replaced. Only root can set security.capability. */
static void test_access__attributes__are_those_of_the_replaced_file(void **state)
{
    (void)state;
    static const uint8_t capability[20] = {1, 0, 0,
                                           2, 0, 4}; /* revision 2, effective: raw sockets */
    struct gsi_output output;
    char long_value[2001] = {0};
    skip_without_attributes();
    memset(long_value, 'v', 2000);
    assert_true(put("x", "old", 0644));
    assert_int_equal(setxattr("x", "user.empty", "", 0, 0), 0);
    assert_int_equal(setxattr("x", "user.long", long_value, 2000, 0), 0);
    assert_int_equal(setxattr("x", "user.early", "gone soon", 9, 0), 0);
    bool has_capability = setxattr("x", "security.capability", capability, 20, 0) == 0;
    assert_true(has_capability || geteuid() != 0);
    assert_int_equal(gsi_output_open("x", &output, NULL), GS_OK);
    assert_int_equal(removexattr("x", "user.early"), 0);
    assert_int_equal(setxattr("x", "user.late", "here", 4, 0), 0);
    assert_int_equal(gsi_output_commit(&output, 0, NULL), GS_OK);
    gsi_output_close(&output);
    assert_true(has_attribute("x", "user.empty", ""));
    assert_true(has_attribute("x", "user.long", long_value));
    assert_true(has_attribute("x", "user.late", "here"));
    assert_int_equal(getxattr("x", "user.early", NULL, 0), -1);
    assert_int_equal(getxattr("x", "security.capability", NULL, 0), -1);
}

static void test_access__attribute_cannot_be_kept__is_said_before_any_work(void **state)
{
    (void)state;
    struct gsi_output output;
    struct gs_error error = {0};
    skip_without_attributes();
    assert_true(put("x", "old", 0644) && setxattr("x", "user.a", "value", 5, 0) == 0);
    refused = "user.a";
    refusal = ENOSPC;
    assert_int_equal(gsi_output_open("x", &output, &error), GS_E_SPACE);
    refused = NULL;
    assert_non_null(strstr(error.text, "'x': cannot keep its extended attribute 'user.a'"));
    assert_int_equal(names_in("."), 1);
    assert_true(holds("x", "old"));
}

/* A file that is writable but not readable has attributes that are not readable either. */
static int replace_unreadable(void *argument)
{
    (void)argument;
    CHECK(chmod(".", 0777) == 0 && put("x", "old", 0622));
    CHECK(setxattr("x", "user.a", "value", 5, 0) == 0);
    if (!become_nobody())
        return skip_because("no other user to be");
    CHECK(produce("x", NULL) == GS_OK);
    CHECK(getxattr("x", "user.a", NULL, 0) == -1);
    return 0;
}

static void test_access__attributes_that_may_not_be_read__are_not_kept(void **state)
{
    (void)state;
    skip_without_attributes();
    if (geteuid() != 0)
        test_skip("no root");
    run_in_child(replace_unreadable, NULL);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_access__replaced_file_with_an_acl__keeps_it),
        IN_SCRATCH(test_access__default_acl_of_the_directory__is_for_new_files_only),
        IN_SCRATCH(test_access__acl_cannot_be_kept__mode_gives_no_more),
        IN_SCRATCH(test_access__group_cannot_be_kept__gets_what_others_have),
        IN_SCRATCH(test_access__attributes__are_those_of_the_replaced_file),
        IN_SCRATCH(test_access__attribute_cannot_be_kept__is_said_before_any_work),
        IN_SCRATCH(test_access__attributes_that_may_not_be_read__are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
