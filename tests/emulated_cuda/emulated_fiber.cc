// emulated_fiber.cc: switches between fibers in assembly language. swapcontext() would make a
// system call each time, and a launch of a thousand blocks switches a million times.
#include "emulated_fiber.h"
#include "emulated_sanitizers.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
constexpr size_t STACK_BYTES = 256 << 10; // the sanitizer's frames are larger
#else
constexpr size_t STACK_BYTES = 64 << 10;
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

constexpr size_t GUARD_BYTES = 64 << 10; // below a stack, inaccessible

static emulated_fiber *running, *previous;

// emulated_switch: save the registers that calls preserve and leave the stack pointer in *save;
// take those at `load`.
// first_frame: what a switch to a stack that ends at `top` takes, so that it begins `entry`.
extern "C" void emulated_switch(void **save, void *load);

#if defined(__x86_64__)
asm(R"(
    .text
    .type emulated_switch, @function
emulated_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulated_switch, .-emulated_switch
)");

static void *first_frame(unsigned char *top, void (*entry)())
{
    void **frame = reinterpret_cast<void **>(top) - 8; // six registers, entry, no way back
    memset(frame, 0, 8 * sizeof *frame);
    frame[6] = reinterpret_cast<void *>(entry);
    return frame;
}
#elif defined(__aarch64__)
asm(R"(
    .text
    .type emulated_switch, %function
emulated_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size emulated_switch, .-emulated_switch
)");

static void *first_frame(unsigned char *top, void (*entry)())
{
    void **frame = reinterpret_cast<void **>(top) - 20;
    memset(frame, 0, 20 * sizeof *frame);
    frame[11] = reinterpret_cast<void *>(entry); // x30
    return frame;
}
#else
#error "emulated_switch: not written for this processor"
#endif

void emulated_fiber_make(emulated_fiber *fiber, void (*entry)())
{
    void *memory = mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, GUARD_BYTES, PROT_NONE) != 0) {
        perror("emulated CUDA: a thread's stack");
        abort();
    }
    unsigned char *bottom = static_cast<unsigned char *>(memory) + GUARD_BYTES;
    *fiber = {first_frame(bottom + STACK_BYTES, entry), bottom, STACK_BYTES, nullptr, nullptr};
#if defined(__SANITIZE_THREAD__)
    fiber->tsan_fiber = __tsan_create_fiber(0);
#endif
}

void emulated_fiber_adopt(emulated_fiber *fiber)
{
    *fiber = {};
#if defined(__SANITIZE_THREAD__)
    fiber->tsan_fiber = __tsan_get_current_fiber();
#endif
}

void emulated_fiber_switch(emulated_fiber *from, emulated_fiber *to)
{
    if (from == to)
        return;
    previous = from;
    running = to;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&from->asan_stack, to->stack, to->stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(to->tsan_fiber, 0);
#endif
    emulated_switch(&from->stack_pointer, to->stack_pointer);
    emulated_fiber_arrive();
}

void emulated_fiber_arrive()
{
#if defined(__SANITIZE_ADDRESS__)
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(running->asan_stack, &bottom, &bytes);
    previous->stack = const_cast<void *>(bottom); // news if it was adopted
    previous->stack_bytes = bytes;
#endif
}
