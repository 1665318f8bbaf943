/* bench_plot.c: passes the report as JSON to Python's libgsort.plot, which draws it (--plot). */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Python with its stdin from `in`, which is closed here; below 0: /dev/null. Silent: it only says
 * whether it could. */
static pid_t start(char *const argv[], int in, bool is_silent)
{
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(in >= 0 ? in : null, STDIN_FILENO);
        if (is_silent)
            dup2(null, STDERR_FILENO);
        execvp(argv[0], argv);
        _exit(127);
    }
    if (in >= 0)
        close(in);
    return child;
}

static bool ends_well(pid_t child)
{
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool bench_plot_can(void)
{
    char *argv[] = {"python3", "-m", "libgsort.plot", "--can", NULL};
    return ends_well(start(argv, -1, true));
}

bool bench_plot_is_path(const char *path)
{
    size_t length = strlen(path);
    const char *end = length > 4 ? path + length - 4 : "";
    return strcmp(end, ".svg") == 0 || strcmp(end, ".png") == 0;
}

bool bench_plot(const struct bench_report *report, const char *command, const char *path)
{
    int ends[2];
    char *name = strdup(path);
    if (name == NULL || pipe2(ends, O_CLOEXEC) != 0) {
        perror("gsort-bench: --plot");
        free(name);
        return false;
    }
    signal(SIGPIPE, SIG_IGN); /* where Python ends early, it has said why */
    char *argv[] = {"python3", "-m", "libgsort.plot", "-", "--output", name, NULL};
    pid_t child = start(argv, ends[0], false);
    FILE *file = fdopen(ends[1], "w");
    if (file != NULL) {
        bench_print_to(file, report, command);
        fclose(file);
    } else {
        close(ends[1]);
    }
    free(name);
    return ends_well(child);
}
