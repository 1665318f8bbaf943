/* program.c: sets the limits of a program's process. */
#include "common/program.h"

#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>

#define STACK_BYTES       ((size_t)8 << 20) /* Linux's default */
#define LEAST_STACK_BYTES ((size_t)1 << 20) /* a job uses up to a quarter of this */

struct program {
    int (*run)(int argc, char **argv);
    int argc;
    char **argv;
    int code;
};

static void *run_program(void *context)
{
    struct program *program = context;
    program->code = program->run(program->argc, program->argv);
    return NULL;
}

int program_thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
    pthread_attr_t attributes;
    int refusal = pthread_attr_init(&attributes);
    if (refusal != 0)
        return refusal;
    refusal = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (refusal == 0)
        refusal = pthread_create(thread, &attributes, run, context);
    pthread_attr_destroy(&attributes);
    return refusal;
}

int program_run(int (*run)(int argc, char **argv), int argc, char **argv)
{
    struct program program = {.run = run, .argc = argc, .argv = argv};
    struct rlimit limit;
    pthread_t thread;
    signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < LEAST_STACK_BYTES &&
        program_thread_start(&thread, run_program, &program) == 0)
        pthread_join(thread, NULL);
    else
        run_program(&program);
    return program.code;
}
