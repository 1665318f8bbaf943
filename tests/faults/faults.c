/* faults.c: decides which call fails, counts calls, and finds descriptors that a process leaves
 * open. */
#include "faults.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_DESCRIPTOR_LEFT 97 /* or told nonsense */
#define DESCRIPTORS          1024

static const char *const names[FAULT_COUNT] = {
#define FAULT_NAME(kind, name) [kind] = name,
    FAULT_LIST(FAULT_NAME)
#undef FAULT_NAME
};

struct fault {
    int kind;
    unsigned long call; /* that fails */
    bool is_from_then_on;
    int signal; /* instead of a failure; 0: none */
};

static struct fault chosen[2];
static size_t chosen_count; /* 0 before main and at exit */
static atomic_ulong calls[FAULT_COUNT], fired;
static bool was_open[DESCRIPTORS], is_event[DESCRIPTORS];

bool fault_now(enum fault_kind kind)
{
    unsigned long call = atomic_fetch_add(&calls[kind], 1) + 1;
    bool fails = false;
    for (size_t i = 0; i < chosen_count; i++) {
        const struct fault *fault = &chosen[i];
        if (fault->kind != (int)kind || call < fault->call ||
            (call > fault->call && !fault->is_from_then_on))
            continue;
        atomic_fetch_add(&fired, i == chosen_count - 1);
        if (fault->signal != 0)
            kill(getpid(), fault->signal);
        fails |= fault->signal == 0;
    }
    return fails;
}

bool fault_is_direct(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_DIRECT) != 0;
}

size_t fault_short_bytes(int fd, size_t bytes)
{
    if (!fault_is_direct(fd))
        return bytes < 2 ? bytes : bytes / 2 | 1;
    return bytes < 8192 ? bytes : bytes / 8192 * 4096;
}

void fault_note_event(int fd)
{
    if (fd >= 0 && fd < DESCRIPTORS)
        is_event[fd] = true;
}

bool fault_is_event(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS && is_event[fd];
}

static void write_report(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        _exit(EXIT_DESCRIPTOR_LEFT);
    fprintf(file, "fired %lu\n", atomic_load(&fired));
    for (int kind = 0; kind < FAULT_COUNT; kind++)
        fprintf(file, "%s %lu\n", names[kind], atomic_load(&calls[kind]));
    fclose(file);
}

static void end(void)
{
    bool is_left = false;
    chosen_count = 0;
    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++) {
        if (was_open[fd] || fcntl(fd, F_GETFD) < 0)
            continue;
        is_left = true;
        dprintf(STDERR_FILENO, "gsort-faults: descriptor %d is left open\n", fd);
    }
    const char *path = getenv("GSORT_FAULTS_REPORT");
    if (path != NULL)
        write_report(path);
    if (is_left)
        _exit(EXIT_DESCRIPTOR_LEFT);
}

static int kind_of(const char *name, size_t length)
{
    for (int kind = 0; kind < FAULT_COUNT; kind++)
        if (strlen(names[kind]) == length && memcmp(names[kind], name, length) == 0)
            return kind;
    return -1;
}

/* Parses "KIND:N", "KIND:N+", "KIND:N=SIGNAL" or "KIND:N+=SIGNAL". Returns where it ends; NULL: it
 * is none of these. */
static const char *parse_one(const char *text, struct fault *fault)
{
    size_t length = strcspn(text, ":");
    char *end;
    fault->kind = kind_of(text, length);
    if (fault->kind < 0 || text[length] == '\0')
        return NULL;
    fault->call = strtoul(text + length + 1, &end, 10);
    if (*end == '+') {
        fault->is_from_then_on = true;
        end++;
    }
    if (*end == '=')
        fault->signal = (int)strtol(end + 1, &end, 10);
    return fault->call > 0 && (*end == '\0' || *end == ',') ? end : NULL;
}

static bool parse(const char *text)
{
    size_t count = 0;
    while (text != NULL && *text != '\0' && count < sizeof chosen / sizeof chosen[0]) {
        text = parse_one(text, &chosen[count++]);
        text += text != NULL && *text == ',';
    }
    chosen_count = text != NULL && *text == '\0' ? count : 0;
    return chosen_count > 0;
}

static void begin(void)
{
    const char *text = getenv("GSORT_FAULTS");
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        was_open[fd] = fcntl(fd, F_GETFD) >= 0;
    for (int kind = 0; kind < FAULT_COUNT; kind++)
        atomic_store(&calls[kind], 0);
    atexit(end);
    if (text != NULL && !parse(text)) {
        dprintf(STDERR_FILENO, "gsort-faults: GSORT_FAULTS: '%s' is none\n", text);
        _exit(EXIT_DESCRIPTOR_LEFT);
    }
}

/* Calls of a static library before that (CUDA's runtime registers its kernels) are not the
 * program's. */
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);
int __wrap_main(int argc, char **argv)
{
    begin();
    return __real_main(argc, argv);
}
