# gsort_install_licenses(DESTINATION COMPONENT PACKAGE...): installs the licences of included libraries, as Debian's packages have
# them. If NVIDIA's runtime is included, it also installs NVIDIA's notice.
function(gsort_install_licenses destination component)
    foreach(package IN LISTS ARGN)
        foreach(folder ${package} ${package}t64) # a suffix that some have from Debian 13 on
            if(EXISTS /usr/share/doc/${folder}/copyright)
                install(FILES /usr/share/doc/${folder}/copyright DESTINATION ${destination} RENAME ${package}.txt
                    COMPONENT ${component} EXCLUDE_FROM_ALL)
            endif()
        endforeach()
    endforeach()
    if(EXISTS /usr/share/common-licenses/Apache-2.0) # which that of Highway names
        install(FILES /usr/share/common-licenses/Apache-2.0 DESTINATION ${destination} RENAME Apache-2.0.txt
            COMPONENT ${component} EXCLUDE_FROM_ALL)
    endif()
    if(TARGET gsort_cuda)
        file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/cuda-runtime.txt "The CUDA runtime of NVIDIA (cudart_static) is inside, under the terms "
            "of the CUDA Toolkit,\nwhich allow programs to be given away with it.\n")
        install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cuda-runtime.txt DESTINATION ${destination} COMPONENT ${component} EXCLUDE_FROM_ALL)
    endif()
endfunction()
