// old_glibc_start.c: starts a program by the version of __libc_start_main that glibc 2.28 has
// (old_glibc.sh), linked with --wrap. The old version accepts the arguments that today's start
// files pass. It runs no constructors, and these programs have none.
#ifdef __x86_64__
__asm__(".symver start_of_then, __libc_start_main@GLIBC_2.2.5");
#else
__asm__(".symver start_of_then, __libc_start_main@GLIBC_2.17");
#endif

typedef int run_called(int count, char **words, char **environment);
typedef void called(void);
int start_of_then(run_called *run, int count, char **words, called *begin, called *end,
                  called *unload, void *stack);
int __wrap___libc_start_main(run_called *run, int count, char **words, called *begin, called *end,
                             called *unload, void *stack);

int __wrap___libc_start_main(run_called *run, int count, char **words, called *begin, called *end,
                             called *unload, void *stack)
{
    return start_of_then(run, count, words, begin, end, unload, stack);
}
