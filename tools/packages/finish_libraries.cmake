# finish_libraries.cmake: what cpack does not know of Debian's libraries; run by it when .debs are made.
#   - ldconfig runs by the trigger, once for all packages; scripts that call it are not wanted
#   - libgsort0 of several architectures can be installed at once
foreach(deb IN LISTS CPACK_PACKAGE_FILES)
    if(deb MATCHES "/libgsort0_[^/]*$")
        set(tree ${CPACK_TEMPORARY_DIRECTORY}/finished)
        file(REMOVE_RECURSE ${tree})
        execute_process(COMMAND dpkg-deb -R ${deb} ${tree} COMMAND_ERROR_IS_FATAL ANY)
        file(REMOVE ${tree}/DEBIAN/postinst ${tree}/DEBIAN/postrm)
        file(READ ${tree}/DEBIAN/control control)
        string(STRIP "${control}" control)
        file(WRITE ${tree}/DEBIAN/control "${control}\nMulti-Arch: same\n")
        execute_process(COMMAND dpkg-deb --root-owner-group -Zxz -b ${tree} ${deb} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    endif()
endforeach()
