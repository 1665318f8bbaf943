# harden.cmake: gsort_hardening, flags that turn mistakes in memory into an end at once: checked copies of the C library, canaries,
# stacks that cannot jump over their guard page, jumps that land where jumps may, tables that are read-only once a program has
# started, and programs that lie elsewhere each time. Of each, what this compiler knows.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C CXX)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Level 3 sees sizes that are known when the program runs; compilers that know of none say so.
set(level 2)
if((CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
        OR (CMAKE_C_COMPILER_ID MATCHES "Clang" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 9))
    set(level 3)
endif()
# The C library checks in optimised code only. Compilers that define a level themselves are told first to forget it.
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
