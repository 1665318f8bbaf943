# gsort_install_library(SHARED LIBDIR LIBRARY DEV [EXCLUDE_FROM_ALL]): installs a shared library, and what programs are built with:
# gsort.h, gsort.hpp, libgsort.a, report.schema.json, pkg-config's gsort, find_package(gsort).
#   SHARED         the target that is libgsort.so
#   LIBDIR         where libraries go, relative to the prefix
#   LIBRARY, DEV   the components: what runs, what programs are built with
#   EXCLUDE_FROM_ALL   for packages only, which go to other machines
# Each place has its own gsort.pc and CMake files, which find the prefix by their own path, so that an installed tree
# may be moved.
include(CMakePackageConfigHelpers)
function(gsort_install_library shared libdir library dev)
    set(package ${libdir}/cmake/gsort)
    set(made ${PROJECT_BINARY_DIR}/src/${dev})
    # Static linking: the C++ library, threads and, with kernels, the CUDA runtime, which is in no package. Its path on
    # this machine is of use on this machine only.
    set(libs_private "-lstdc++ -lm -pthread")
    if(TARGET gsort_cuda)
        set(gsort_has_cuda ON)
        if(NOT "EXCLUDE_FROM_ALL" IN_LIST ARGN)
            string(APPEND libs_private " -L${CUDAToolkit_LIBRARY_DIR}")
        endif()
        string(APPEND libs_private " -lcudart_static -ldl -lrt")
    endif()
    file(RELATIVE_PATH up /${libdir}/pkgconfig /)
    string(REGEX REPLACE "/$" "" up ${up})
    set(source ${PROJECT_SOURCE_DIR}/src)
    configure_file(${source}/gsort.pc.in ${made}/gsort.pc @ONLY)
    configure_package_config_file(${source}/gsortConfig.cmake.in ${made}/gsortConfig.cmake INSTALL_DESTINATION ${package})
    write_basic_package_version_file(${made}/gsortConfigVersion.cmake COMPATIBILITY SameMajorVersion)

    install(TARGETS ${shared} EXPORT ${dev}Shared
        LIBRARY DESTINATION ${libdir} COMPONENT ${library} NAMELINK_COMPONENT ${dev} ${ARGN})
    install(TARGETS gsort_core EXPORT ${dev}Static ARCHIVE DESTINATION ${libdir} COMPONENT ${dev} ${ARGN})
    install(FILES ${source}/gsort.h ${source}/gsort.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${dev} ${ARGN})
    install(FILES ${source}/report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/gsort COMPONENT ${dev} ${ARGN})
    install(FILES ${made}/gsort.pc DESTINATION ${libdir}/pkgconfig COMPONENT ${dev} ${ARGN})
    install(FILES ${made}/gsortConfig.cmake ${made}/gsortConfigVersion.cmake DESTINATION ${package} COMPONENT ${dev} ${ARGN})
    foreach(kind Shared Static)
        install(EXPORT ${dev}${kind} FILE gsort${kind}.cmake NAMESPACE gsort:: DESTINATION ${package} COMPONENT ${dev} ${ARGN})
    endforeach()
endfunction()
