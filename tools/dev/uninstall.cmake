# uninstall.cmake: removes what `cmake --install` of this build put in place last, and nothing else.
#   cmake -DMANIFEST=BUILD/install_manifest.txt -P uninstall.cmake     the target `uninstall` does it
# $DESTDIR is before every name, as it was then. Directories stay: others may use them.
if(NOT EXISTS "${MANIFEST}")
    message(FATAL_ERROR "'${MANIFEST}': there is none: nothing was installed from this build")
endif()
file(STRINGS "${MANIFEST}" files)
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
file(REMOVE "${MANIFEST}")
