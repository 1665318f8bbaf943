# cpack_config.cmake: what each kind of package holds; cpack reads it once a generator.
if(CPACK_GENERATOR STREQUAL "TZST")
    set(CPACK_PACKAGE_FILE_NAME gsort-${CPACK_PACKAGE_VERSION}-linux-${CPACK_GSORT_PROCESSOR})
    set(CPACK_COMPONENTS_ALL tar-library tar-tools tar-dev tools-doc dev-doc)
    set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
    set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
    return()
endif()

set(synopsis "out-of-core merge sort for huge binary files")
set(what "gsort sorts binary files of any size, larger than memory too, at the speed of
the disk, and checks its own result: integers, floating point numbers, and
records of a fixed length by any keys, packed by zstd or as NumPy's arrays.
.
This package holds")

# gsort_deb(NAME SECTION PART HOLDS COMPONENT...)
macro(gsort_deb name section part holds)
    foreach(component ${ARGN})
        string(TOUPPER ${component} upper)
        list(APPEND CPACK_COMPONENTS_ALL ${component})
        set(CPACK_COMPONENT_${upper}_GROUP ${name})
    endforeach()
    string(TOUPPER ${name} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${synopsis} (${part})\n${what} ${holds}")
endmacro()

set(CPACK_COMPONENTS_ALL "")
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE none) # finish_debs.cmake does it
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CPACK_PACKAGE_CONTACT}")
set(CPACK_DEBIAN_PACKAGE_SOURCE gsort)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/prepare_debs.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/finish_debs.cmake)

gsort_deb(gsort-tools utils programs "the program gsort, gsort-gen, which makes test data,
and gsort-bench, which measures." tools tools-doc gsort-tools-doc)
set(CPACK_DEBIAN_GSORT-TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_GSORT-TOOLS_PACKAGE_CONFLICTS gsort) # another program, /usr/bin/gsort too

gsort_deb(libgsort0 libs library "the shared library." deb-library libgsort0-doc)
set(CPACK_DEBIAN_LIBGSORT0_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBGSORT0_PACKAGE_CONTROL_EXTRA ${CPACK_GSORT_DEBIAN_FILES}/shlibs ${CPACK_GSORT_DEBIAN_FILES}/symbols
    ${CPACK_GSORT_DEBIAN_FILES}/triggers)

gsort_deb(libgsort-dev libdevel development "what programs are built with: gsort.h and, for C++,
gsort.hpp, the static library, files for pkg-config and CMake,
and a manual page." deb-dev dev-doc libgsort-dev-doc)
set(CPACK_DEBIAN_LIBGSORT-DEV_PACKAGE_DEPENDS "libgsort0 (= ${CPACK_PACKAGE_VERSION}), libhwy-dev (>= 1.0.3), liburing-dev (>= 2.3), \
libxxhash-dev (>= 0.8), libzstd-dev (>= 1.4), zlib1g-dev (>= 1:1.2.9)")

gsort_deb(python3-libgsort python "Python" "the module libgsort for Python 3: arrays of NumPy and files." deb-python python3-libgsort-doc)
set(CPACK_DEBIAN_PYTHON3-LIBGSORT_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON3-LIBGSORT_PACKAGE_DEPENDS "libgsort0 (>= ${CPACK_PACKAGE_VERSION}), python3 (>= 3.9), python3-numpy (>= 1:1.21)")
set(CPACK_DEBIAN_PYTHON3-LIBGSORT_PACKAGE_SUGGESTS "python3-matplotlib, python3-tqdm")
set(CPACK_DEBIAN_PYTHON3-LIBGSORT_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/postinst ${CMAKE_CURRENT_LIST_DIR}/prerm)
