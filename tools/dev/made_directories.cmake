# made_directories.cmake: the first step of an install; writes down which directories it is about to make, for uninstall.cmake.
# RECORD: the file; DIRECTORIES: those of the install rules, relative to the prefix. Both are set by the rule (CMakeLists.txt).
foreach(directory IN LISTS DIRECTORIES)
    cmake_path(ABSOLUTE_PATH directory BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
    while(NOT directory STREQUAL "/" AND NOT EXISTS "$ENV{DESTDIR}${directory}")
        list(APPEND made "${directory}")
        cmake_path(GET directory PARENT_PATH directory)
    endwhile()
endforeach()
if(EXISTS "${RECORD}") # of an install before this one
    file(STRINGS "${RECORD}" before)
endif()
set(made ${before} ${made})
list(REMOVE_DUPLICATES made)
list(JOIN made "\n" lines)
file(WRITE "${RECORD}" "${lines}\n")
