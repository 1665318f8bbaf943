# finish_debs.cmake: what cpack does not know of Debian; run by it when .debs are made.
#   - ldconfig runs by the trigger, once for all packages; scripts that call it are not wanted
#   - libgsort0 of several architectures can be installed at once
#   - xz's first level: with kernels, a fifth more bytes than by the sixth, in a quarter of the time (gsort-tools: 4.9 and
#     4.0 MB, 2.4 and 10.9 s)
foreach(deb IN LISTS CPACK_PACKAGE_FILES)
    set(tree ${CPACK_TEMPORARY_DIRECTORY}/finished)
    file(REMOVE_RECURSE ${tree})
    execute_process(COMMAND dpkg-deb -R ${deb} ${tree} COMMAND_ERROR_IS_FATAL ANY)
    if(deb MATCHES "/libgsort0_[^/]*$")
        file(REMOVE ${tree}/DEBIAN/postinst ${tree}/DEBIAN/postrm)
        file(READ ${tree}/DEBIAN/control control)
        string(STRIP "${control}" control)
        file(WRITE ${tree}/DEBIAN/control "${control}\nMulti-Arch: same\n")
    endif()
    execute_process(COMMAND dpkg-deb --root-owner-group -Zxz -z1 -b ${tree} ${deb} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
