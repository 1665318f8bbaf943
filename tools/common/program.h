/* program.h: sets limits of the process for gsort and gsort-gen. A library must not change
 * these. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <pthread.h>

/* program_run: runs `run` with the arguments of main and returns what it returns. A write past
 * `ulimit -f` fails, instead of ending the process. Where `ulimit -s` is too small for a job, `run`
 * runs on a thread that has a larger stack. */
int program_run(int (*run)(int argc, char **argv), int argc, char **argv);

/* program_thread_start: pthread_create with a stack that `ulimit -s` does not make smaller. */
int program_thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
