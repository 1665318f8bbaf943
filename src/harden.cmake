# harden.cmake: defines gsort_hardening, flags that end a program at once when it uses memory wrongly. They ask for checked calls
# of the C library, stack canaries, probes of the stack's guard page, and checked targets of jumps. They also ask for tables that
# are read-only after the start, and for random addresses. Flags that the compiler does not know are left out.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C CXX)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Level 3 also checks sizes that are known only at run time. Other compilers warn about it, so they get level 2.
set(level 2)
if((CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
        OR (CMAKE_C_COMPILER_ID MATCHES "Clang" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 9))
    set(level 3)
endif()
# The C library checks in optimised code only. -U first removes a level that the compiler defines itself.
set(hardening $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=${level}>)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "GSORT_HAS${flag}" has)
    check_c_compiler_flag(-Werror\ ${flag} ${has})
    if(${has})
        list(APPEND hardening ${flag})
    endif()
endforeach()
add_library(gsort_hardening INTERFACE)
target_compile_options(gsort_hardening INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:${hardening}>")
foreach(flag relro now)
    check_linker_flag(C -Wl,-z,${flag} GSORT_LINKS_${flag})
    if(GSORT_LINKS_${flag})
        target_link_options(gsort_hardening INTERFACE -Wl,-z,${flag})
    endif()
endforeach()
target_link_libraries(gsort_flags INTERFACE gsort_hardening)
