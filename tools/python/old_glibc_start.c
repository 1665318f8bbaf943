// How a program starts, by the version of glibc 2.28 (old_glibc.sh), linked with
// --wrap=__libc_start_main. What start files of today hand over, that takes, too: it has no
// constructors to run for a program without any.
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
