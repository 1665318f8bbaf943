/* scratch.h: makes a directory for one test and small files in it, and runs checks in a forked
 * child. There they may change the user, standard streams and system call filters. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "support/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child tells its parent which line was not true, or why it was skipped. */
#define SKIPPED (-1)
struct scratch_answer {
    int line;
    char reason[120];
};
static struct scratch_answer *scratch_answer;

/* In a body: `return skip_because("no root");` where the machine lacks what it needs. */
static inline int skip_because(const char *reason)
{
    snprintf(scratch_answer->reason, sizeof scratch_answer->reason, "%s", reason);
    return SKIPPED;
}

/* In a body: end it with the line that is not true. */
#define CHECK(condition)     \
    do {                     \
        if (!(condition))    \
            return __LINE__; \
    } while (0)

/* cmocka fixtures: *state is the directory's path, which is also the working directory.
 * scratch_setup_in_memory: on a file system in memory, where there is one: for many small jobs,
 * whose syncs would take most of the time. */
static inline int scratch_setup_at(void **state, const char *parent)
{
    char path[64];
    snprintf(path, sizeof path, "%s/gsort-test.XXXXXX", parent);
    if (mkdtemp(path) == NULL || chdir(path) != 0)
        return -1;
    *state = strdup(path);
    return chmod(path, 0755);
}

static inline int scratch_setup(void **state)
{
    return scratch_setup_at(state, "/tmp");
}

static inline int scratch_setup_in_memory(void **state)
{
    return scratch_setup_at(state, access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
}

static inline int scratch_teardown(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", (const char *)*state,
             (const char *)*state);
    free(*state);
    return chdir("/") != 0 || system(command) != 0;
}

/* The teardown of tests that leave no more than `in` and `out`: that nothing else is left is part
 * of the test. */
static inline int scratch_teardown_empty(void **state)
{
    char *path = (char *)*state;
    unlink("in");
    unlink("out");
    bool is_gone = chdir("/") == 0 && rmdir(path) == 0;
    if (!is_gone)
        fprintf(stderr, "%s: something was left behind\n", path);
    free(path);
    return is_gone ? 0 : -1;
}

/* Run `body` in a child; fails the test with the line it returns. */
static inline void run_in_child(int (*body)(void *argument), void *argument)
{
    int status;
    scratch_answer = (struct scratch_answer *)mmap(
        NULL, sizeof *scratch_answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0) {
        scratch_answer->line = body(argument);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    struct scratch_answer answer = *scratch_answer;
    munmap(scratch_answer, sizeof *scratch_answer);
    assert_int_equal(status, 0);
    if (answer.line == SKIPPED)
        test_skip("%s", answer.reason);
    if (answer.line != 0)
        test_fail("the check in line %d", answer.line);
}

/* Lose root's powers over files; false if there is no other user to be. */
static inline bool become_nobody(void)
{
    return geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
}

static inline bool put(const char *path, const char *text, mode_t mode)
{
    size_t length = strlen(text);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool is_good = fd >= 0 && write(fd, text, length) == (ssize_t)length && fchmod(fd, mode) == 0;
    if (fd >= 0)
        close(fd);
    return is_good;
}

/* A whole file of binary data.  get_bytes returns its length, `most` at most. */
static inline void put_bytes(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static inline size_t get_bytes(const char *path, void *data, size_t most)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t bytes = fread(data, 1, most, file);
    fclose(file);
    return bytes;
}

/* A file of `count` random numbers of 8 bytes, below 2^bits. */
static inline void put_random(const char *path, size_t count, unsigned bits)
{
    struct test_random random = test_random_make(0);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (size_t i = 0; i < count; i++) {
        uint64_t element = test_next(&random) >> (64 - bits);
        assert_int_equal(fwrite(&element, sizeof element, 1, file), 1);
    }
    assert_int_equal(fclose(file), 0);
}

static inline bool holds(const char *path, const char *text)
{
    char data[256];
    int fd = open(path, O_RDONLY);
    ssize_t length = fd >= 0 ? read(fd, data, sizeof data) : -1;
    if (fd >= 0)
        close(fd);
    return length == (ssize_t)strlen(text) && memcmp(data, text, strlen(text)) == 0;
}

static inline mode_t mode_of(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 ? info.st_mode & 07777 : (mode_t)-1;
}

/* Names in a directory, hidden ones too. */
static inline int names_in(const char *path)
{
    int count = -2; /* . and .. */
    DIR *directory = opendir(path);
    if (directory == NULL)
        return -1;
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

#endif
