// emulated_sanitizers.h: defines gcc's macros for active sanitizers when clang compiles.
#ifndef EMULATED_SANITIZERS_H
#define EMULATED_SANITIZERS_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#endif
