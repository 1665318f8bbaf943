// cpu_level.cc: implements GS_TEST_CPU=v1, v2, v3, v4. Builds with tests then run as on a processor
// of that level of x86-64 (v2: SSE4.2, v3: AVX2, v4: AVX-512). So one machine tests and measures
// each path.
//
// Two functions choose among instruction sets: Highway, which takes a mask of targets to leave out,
// and clones of GCC (base/simd.h), whose resolvers run while the program is loaded. They ask
// libgcc, whose call this one replaces (-Wl,--wrap). No library can be called as early: the
// environment is read from /proc by system calls.
#include <asm/unistd.h>
#include <fcntl.h>
#include <hwy/targets.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

// Bits of libgcc's third word of features, by which clones are chosen (cpuinfo.h of GCC 12).
enum { HAS_V2 = 1, HAS_V3 = 2, HAS_V4 = 4 };

extern "C" {
__attribute__((visibility("hidden"))) extern unsigned __cpu_features2[];
int __real___cpu_indicator_init(void);
int __wrap___cpu_indicator_init(void);
}

// Returns the features that the level of this name lacks; 0: none, or there is no such level.
static unsigned lacks(char name)
{
    switch (name) {
    case '1':
        return HAS_V2 | HAS_V3 | HAS_V4;
    case '2':
        return HAS_V3 | HAS_V4;
    case '3':
        return HAS_V4;
    default:
        return 0;
    }
}

static long call(long number, long first, long second, long third)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}

// Returns the digit after this name in the environment, or 0.
__attribute__((no_stack_protector)) static char level_in_environment()
{
    static const char name[] = "GS_TEST_CPU=v";
    char bytes[512];
    char digit = 0;
    const long file =
        call(__NR_open, reinterpret_cast<long>("/proc/self/environ"), O_RDONLY | O_CLOEXEC, 0);
    size_t known = 0; // bytes of the name that were there; past it: no more
    while (file >= 0) {
        const long n = call(__NR_read, file, reinterpret_cast<long>(bytes), sizeof bytes);
        for (long i = 0; i < n; i++) {
            if (known == sizeof name - 1)
                digit = bytes[i];
            if (bytes[i] == 0)
                known = 0;
            else if (known < sizeof name - 1 && bytes[i] == name[known])
                known++;
            else
                known = sizeof name;
        }
        if (n <= 0)
            break;
    }
    if (file >= 0)
        (void)call(__NR_close, file, 0, 0);
    return digit;
}

__attribute__((no_stack_protector)) int __wrap___cpu_indicator_init(void)
{
    static bool is_done;
    const int status = __real___cpu_indicator_init();
    if (!is_done)
        __cpu_features2[2] &= ~lacks(level_in_environment());
    is_done = true;
    return status;
}

__attribute__((constructor)) static void leave_out_targets()
{
    static const char said[] = "GS_TEST_CPU: not v1, v2, v3 or v4\n";
    const char *level = getenv("GS_TEST_CPU");
    if (level == nullptr)
        return;
    if (level[0] != 'v' || level[1] < '1' || level[1] > '4' || level[2] != '\0') {
        (void)!write(STDERR_FILENO, said, sizeof said - 1);
        _exit(2);
    }
    // Better targets have lower bits, which later Highways have more of.
    const unsigned without = lacks(level[1]);
    hwy::DisableTargets((without & HAS_V2) != 0   ? 2 * HWY_SSSE3 - 1
                        : (without & HAS_V3) != 0 ? HWY_SSE4 - 1
                        : (without & HAS_V4) != 0 ? HWY_AVX2 - 1
                                                  : 0);
}
