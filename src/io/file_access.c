/* file_access.c: copies permissions and attributes of a file to the file that replaces it.
 *
 *     replaced    owner and group, if this user may set them; its ACL, or else its mode; its
 *     attributes user.*; not security.*: a capability was granted to other content, and the
 *     kernel's policy sets labels
 *     new         the permissions of umask and the directory's default ACL
 *
 * If a file has an ACL, the group bits of its mode are the ACL's mask, a limit for all entries
 * except owner and others. Without the ACL, the same bits are the group's permissions, which may be
 * more than the group had. */
#include "io/file_parts.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACL_NAME "system.posix_acl_access"
#define USER     "user."

/* How often to read an attribute again that grew after its length was read. */
#define LENGTH_TRIES 100

/* Reads an attribute of the file `path`, or of `fd` if `path` is NULL. If `name` is NULL, reads the
 * list of attribute names. */
static ssize_t read_attribute(const char *path, int fd, const char *name, void *to, size_t size)
{
    if (name == NULL)
        return path != NULL ? llistxattr(path, to, size) : flistxattr(fd, to, size);
    return path != NULL ? lgetxattr(path, name, to, size) : fgetxattr(fd, name, to, size);
}

/* Does the same with memory from malloc, and appends a NUL. Returns 0, or an errno value. The
 * result is empty if there is no such attribute, or the file system has none. */
static int read_whole_attribute(const char *path, int fd, const char *name, struct gsi_bytes *all)
{
    for (int i = 0; i < LENGTH_TRIES; i++) {
        ssize_t bytes = read_attribute(path, fd, name, NULL, 0);
        if (bytes >= 0) {
            size_t size = (size_t)bytes + 1; /* a size of 0 would return the length only */
            gsi_bytes_clear(all);
            all->data = malloc(size + 1);
            if (all->data == NULL)
                return ENOMEM;
            bytes = read_attribute(path, fd, name, all->data, size);
        }
        if (bytes >= 0) {
            all->data[bytes] = '\0';
            all->count = (size_t)bytes;
            return 0;
        }
        if (errno != ERANGE)
            break;
    }
    int refusal = errno;
    gsi_bytes_clear(all);
    return refusal == ENODATA || refusal == EOPNOTSUPP || refusal == ENOSYS ? 0 : refusal;
}

void gsi_bytes_clear(struct gsi_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct gsi_bytes){0};
}

int gsi_access_acl(int fd, struct gsi_bytes *acl)
{
    return read_whole_attribute(NULL, fd, ACL_NAME, acl);
}

/* ---- the user's attributes ---- */

/* Returns the next user attribute in a list of names; NULL: there is none. */
static const char *next_user_attribute(const struct gsi_bytes *names, const char *at)
{
    const char *end = (const char *)names->data + names->count;
    at = at == NULL ? (const char *)names->data : at + strlen(at) + 1;
    while (at != NULL && at < end && strncmp(at, USER, strlen(USER)) != 0)
        at += strlen(at) + 1;
    return at != NULL && at < end ? at : NULL;
}

static bool contains_name(const struct gsi_bytes *names, const char *name)
{
    const char *at = NULL;
    while ((at = next_user_attribute(names, at)) != NULL)
        if (strcmp(at, name) == 0)
            return true;
    return false;
}

static enum gs_status fail_attribute(const struct gsi_output *output, const char *name, int refusal,
                                     struct gs_error *error)
{
    return gsi_fail(error, gsi_status_of_errno(refusal), refusal,
                    "'%s': cannot keep its extended attribute '%s'; remove the attribute, or "
                    "choose another output",
                    output->name, name);
}

/* Copies one attribute of the replaced file. Does not fail if this user may not read it
 * (EACCES). */
static enum gs_status copy_attribute(const struct gsi_output *output, const char *target,
                                     const char *name, struct gs_error *error)
{
    struct gsi_bytes value = {0};
    enum gs_status status = GS_OK;
    int refusal = read_whole_attribute(target, -1, name, &value);
    if (refusal == 0 && value.data != NULL &&
        fsetxattr(output->fd, name, value.data, value.count, 0) != 0)
        refusal = errno;
    if (refusal != 0 && refusal != EACCES)
        status = fail_attribute(output, name, refusal, error);
    gsi_bytes_clear(&value);
    return status;
}

/* Copies the user attributes of the replaced file, and removes all others. */
static enum gs_status copy_attributes(const struct gsi_output *output, const char *target,
                                      struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct gsi_bytes target_names = {0}, own_names = {0};
    const char *name = NULL;
    int refusal = read_whole_attribute(target, -1, NULL, &target_names);
    if (refusal == 0)
        refusal = read_whole_attribute(NULL, output->fd, NULL, &own_names);
    if (refusal != 0)
        GSI_TRY_OR(gsi_fail(error, gsi_status_of_errno(refusal), refusal,
                            "'%s': cannot read its extended attributes", output->name),
                   done);
    while ((name = next_user_attribute(&target_names, name)) != NULL)
        GSI_TRY_OR(copy_attribute(output, target, name, error), done);
    while ((name = next_user_attribute(&own_names, name)) != NULL)
        if (!contains_name(&target_names, name) && fremovexattr(output->fd, name) != 0 &&
            errno != ENODATA)
            GSI_TRY_OR(fail_attribute(output, name, errno, error), done);
done:
    gsi_bytes_clear(&target_names);
    gsi_bytes_clear(&own_names);
    return status;
}

/* ---- permissions ---- */

/* Returns the entries of an ACL in the kernel's format; NULL if it is empty or not valid. */
static struct posix_acl_xattr_entry *entries_of(const struct gsi_bytes *acl, size_t *count)
{
    size_t head = sizeof(struct posix_acl_xattr_header);
    *count = acl->count > head ? (acl->count - head) / sizeof(struct posix_acl_xattr_entry) : 0;
    return *count > 0 ? (struct posix_acl_xattr_entry *)(acl->data + head) : NULL;
}

/* Returns the permissions that all entries with one of these tags have in common; 07: no such
 * entries. */
static unsigned permissions_of(const struct gsi_bytes *acl, unsigned tags)
{
    size_t count;
    const struct posix_acl_xattr_entry *entries = entries_of(acl, &count);
    unsigned allowed = 07;
    for (size_t i = 0; i < count; i++)
        if ((le16toh(entries[i].e_tag) & tags) != 0)
            allowed &= le16toh(entries[i].e_perm);
    return allowed;
}

/* Returns a mode that grants no user more than the ACL did. Without the ACL, users that had an
 * entry have the permissions of the group or of others. */
static mode_t mode_within_acl(const struct gsi_bytes *acl)
{
    unsigned named = permissions_of(acl, ACL_USER | ACL_GROUP | ACL_MASK);
    return permissions_of(acl, ACL_USER_OBJ) << 6 |
           (permissions_of(acl, ACL_GROUP_OBJ) & named) << 3 |
           (permissions_of(acl, ACL_OTHER) & named);
}

/* Limits the owning group to the permissions of others, because the new file has another group. */
static void limit_group_to_others(struct gsi_bytes *acl)
{
    size_t count;
    struct posix_acl_xattr_entry *entries = entries_of(acl, &count);
    unsigned others = permissions_of(acl, ACL_OTHER);
    for (size_t i = 0; i < count; i++)
        if (le16toh(entries[i].e_tag) == ACL_GROUP_OBJ)
            entries[i].e_perm = htole16((uint16_t)(le16toh(entries[i].e_perm) & others));
}

/* Sets the ACL, or the mode if there is none. If the ACL cannot be set, sets a mode with fewer
 * permissions. If an ACL inherited from the directory cannot be removed, clears its mask. */
static void set_access(int fd, mode_t mode, const struct gsi_bytes *acl)
{
    if (acl->data != NULL) {
        if (fsetxattr(fd, ACL_NAME, acl->data, acl->count, 0) == 0)
            return;
        mode &= mode_within_acl(acl);
    }
    if (fremovexattr(fd, ACL_NAME) != 0 && errno != ENODATA && errno != EOPNOTSUPP &&
        errno != ENOSYS)
        mode &= 0707;
    (void)!fchmod(fd, mode);
}

/* Returns a path for reading the attributes of the replaced file, from malloc. Before Linux 6.13
 * these calls do not accept a directory's descriptor. */
static char *target_path(const struct gsi_output *output)
{
    char *path;
    if (asprintf(&path, "/proc/self/fd/%d/%s", output->dir_fd, output->target_name) < 0)
        return NULL;
    if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return path;
    free(path);
    return asprintf(&path, "%s/%s", output->directory, output->target_name) < 0 ? NULL : path;
}

enum gs_status gsi_access_check(const struct gsi_output *output, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct gsi_bytes acl = {0};
    char *target = target_path(output);
    if (target == NULL)
        return gsi_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot allocate a name");
    int refusal = read_whole_attribute(target, -1, ACL_NAME, &acl);
    if (refusal != 0)
        GSI_TRY_OR(gsi_fail(error, gsi_status_of_errno(refusal), refusal,
                            "'%s': cannot read its permissions", output->name),
                   done);
    GSI_TRY_OR(copy_attributes(output, target, error), done);
done:
    gsi_bytes_clear(&acl);
    free(target);
    return status;
}

enum gs_status gsi_access_copy(const struct gsi_output *output, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct gsi_bytes acl = {0};
    struct stat info;
    char *target = NULL;
    if (fstatat(output->dir_fd, output->target_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode)) {
        set_access(output->fd, output->new_mode, &output->new_acl);
        return GS_OK;
    }
    target = target_path(output);
    int refusal = target == NULL ? ENOMEM : read_whole_attribute(target, -1, ACL_NAME, &acl);
    if (refusal != 0)
        GSI_TRY_OR(gsi_fail(error, gsi_status_of_errno(refusal), refusal,
                            "'%s': cannot read its permissions", output->name),
                   done);
    GSI_TRY_OR(copy_attributes(output, target, error), done);
    mode_t mode = info.st_mode & 0777; /* without setuid bits */
    if (fchown(output->fd, info.st_uid, info.st_gid) != 0 &&
        fchown(output->fd, (uid_t)-1, info.st_gid) != 0) {
        mode &= 0707 | mode << 3;
        limit_group_to_others(&acl);
    }
    set_access(output->fd, mode, &acl);
done:
    gsi_bytes_clear(&acl);
    free(target);
    return status;
}
