/* refuse.h: makes the kernel refuse a system call, as container runtimes do. It cannot be undone:
 * for forked children only. */
#ifndef REFUSE_H
#define REFUSE_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* From now on system call `number` fails with `sys_errno` where its argument `arg` has a bit of
 * `mask` (mask 0: always). False if filters are not allowed here. */
static inline bool test_refuse(long number, unsigned arg, uint32_t mask, int sys_errno)
{
    uint32_t arg_off = (uint32_t)(offsetof(struct seccomp_data, args) + 8 * arg);
    uint32_t refusal = SECCOMP_RET_ERRNO | ((uint32_t)sys_errno & SECCOMP_RET_DATA);
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, arg_off),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, mask, 0, mask == 0 ? 0 : 1),
        BPF_STMT(BPF_RET | BPF_K, refusal),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#endif
