# debian.cmake: what only .debs have: Debian's own files, libraries in its place for them, the module for Python.
set(debian ${made}/debian)
set(debs gsort-tools libgsort0 libgsort-dev python3-libgsort)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of $SOURCE_DATE_EPOCH, where that is set
set(debian_files ${debian}/changelog.gz ${debian}/copyright ${debian}/shlibs ${debian}/symbols ${debian}/triggers
    ${debian}/egg-info)
add_custom_command(OUTPUT ${debian_files} VERBATIM
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/debian_files.py ${PROJECT_VERSION} ${GSORT_MAINTAINER} ${date}
        $<BOOL:$<TARGET_EXISTS:gsort_cuda>> ${debian}
    DEPENDS debian_files.py ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/src/libgsort.map)
foreach(deb ${debs})
    install(FILES ${debian}/changelog.gz ${debian}/copyright DESTINATION share/doc/${deb} COMPONENT ${deb}-doc
        EXCLUDE_FROM_ALL)
endforeach()
set(python ${PROJECT_SOURCE_DIR}/tools/python)
install(DIRECTORY ${python}/libgsort DESTINATION lib/python3/dist-packages COMPONENT deb-python EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN *.py PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(TARGETS gsort_arrow LIBRARY DESTINATION lib/python3/dist-packages/libgsort COMPONENT deb-python EXCLUDE_FROM_ALL)
install(FILES ${debian}/egg-info DESTINATION lib/python3/dist-packages RENAME libgsort-${PROJECT_VERSION}.egg-info
    COMPONENT deb-python EXCLUDE_FROM_ALL)
install(FILES ${python}/README.md DESTINATION share/doc/python3-libgsort COMPONENT deb-python EXCLUDE_FROM_ALL)
set(multiarch lib/${CMAKE_LIBRARY_ARCHITECTURE})
gsort_install_library(gsort_shared ${multiarch} deb-library deb-dev EXCLUDE_FROM_ALL)
