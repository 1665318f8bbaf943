// emulated_fiber.h: declares fibers: stacks on which code runs, and the switch between them.
//
// Any OS thread may resume a fiber; the sanitizers are informed of each switch.
#ifndef EMULATED_FIBER_H
#define EMULATED_FIBER_H

#include <cstddef>

struct emulated_fiber {
    void *stack_pointer; // while it does not run
    void *stack;
    size_t stack_bytes;
    void *asan_stack, *tsan_fiber;
};

// emulated_fiber_make: makes a fiber whose first switch calls `entry`. This must first call
// emulated_fiber_arrive and must not return. Aborts without memory. Fibers are never freed.
void emulated_fiber_make(emulated_fiber *fiber, void (*entry)());

// emulated_fiber_adopt: makes `fiber` represent the caller's stack. Repeat it when another OS
// thread calls.
void emulated_fiber_adopt(emulated_fiber *fiber);

// emulated_fiber_switch: runs `to`. Returns when a fiber switches to `from`, the running one.
void emulated_fiber_switch(emulated_fiber *from, emulated_fiber *to);
void emulated_fiber_arrive();

#endif
