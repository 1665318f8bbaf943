# prepare_debs.cmake: what Debian wants otherwise than other systems; run by cpack in the trees that .debs are made of.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/*.[13])
foreach(page IN LISTS pages)
    execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
# Where its zsh looks.
file(RENAME ${CPACK_TEMPORARY_DIRECTORY}/gsort-tools/usr/share/zsh/site-functions
    ${CPACK_TEMPORARY_DIRECTORY}/gsort-tools/usr/share/zsh/vendor-completions)
