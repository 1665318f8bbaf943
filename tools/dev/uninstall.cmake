# uninstall.cmake: removes what `cmake --install` of this build put in place last, and nothing else.
#   cmake -DBUILD=DIR -P uninstall.cmake     the target `uninstall` does it
# $DESTDIR is before every name, as it was then. Directories that an install made go when they are empty; those that were there
# stay.
set(manifest "${BUILD}/install_manifest.txt")
set(record "${BUILD}/install_directories.txt")
if(NOT EXISTS "${manifest}")
    message(FATAL_ERROR "'${manifest}': there is none: nothing was installed from this build")
endif()
file(STRINGS "${manifest}" files)
foreach(file IN LISTS files)
    set(file "$ENV{DESTDIR}${file}")
    if(EXISTS "${file}" OR IS_SYMLINK "${file}")
        file(REMOVE "${file}")
        if(EXISTS "${file}" OR IS_SYMLINK "${file}")
            message(FATAL_ERROR "'${file}': cannot be removed; run this as the user who installed it")
        endif()
        message(STATUS "Removed: ${file}")
    endif()
endforeach()

if(EXISTS "${record}")
    file(STRINGS "${record}" directories)
endif()
list(SORT directories ORDER DESCENDING) # what is inside before what it is in
foreach(directory IN LISTS directories)
    set(directory "$ENV{DESTDIR}${directory}")
    # rmdir itself, as it takes nothing away that is not empty.
    execute_process(COMMAND rmdir -- "${directory}" RESULT_VARIABLE failed ERROR_QUIET)
    if(failed EQUAL 0)
        message(STATUS "Removed: ${directory}")
    endif()
endforeach()
file(REMOVE "${manifest}" "${record}")
