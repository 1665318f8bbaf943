# prepare_debs.cmake: what Debian wants otherwise than other systems; run by cpack in the trees that .debs are made of.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/*.[13])
foreach(page IN LISTS pages)
    execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
# The folder that its zsh searches.
file(RENAME ${CPACK_TEMPORARY_DIRECTORY}/gsort-tools/usr/share/zsh/site-functions
    ${CPACK_TEMPORARY_DIRECTORY}/gsort-tools/usr/share/zsh/vendor-completions)
# As its own tools strip: also what compilers say of themselves, and what static libraries have for debuggers.
file(GLOB programs ${CPACK_TEMPORARY_DIRECTORY}/*/usr/bin/* ${CPACK_TEMPORARY_DIRECTORY}/*/usr/lib/*/*.so.*.*
    ${CPACK_TEMPORARY_DIRECTORY}/*/usr/lib/python3/dist-packages/libgsort/*.so)
file(GLOB libraries ${CPACK_TEMPORARY_DIRECTORY}/*/usr/lib/*/*.a)
set(strip ${CPACK_GSORT_STRIP} --remove-section=.comment --remove-section=.note)
execute_process(COMMAND ${strip} ${programs} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${strip} --strip-debug --enable-deterministic-archives ${libraries} COMMAND_ERROR_IS_FATAL ANY)
