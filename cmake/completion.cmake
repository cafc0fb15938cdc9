# SPDX-License-Identifier: Apache-2.0
# The scripts of `burin completion`, where the shells look for those of installed programs.
set(completion_bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions/burin)
set(completion_fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/burin.fish)
foreach(shell bash zsh fish)
    set(script ${PROJECT_BINARY_DIR}/completion/burin.${shell})
    add_custom_command(OUTPUT ${script} DEPENDS burin VERBATIM
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completion
        COMMAND $<TARGET_FILE:burin> completion ${shell} > ${script})
    list(APPEND completion_scripts ${script})
    if(shell STREQUAL "zsh")
        continue()
    endif()
    get_filename_component(folder ${completion_${shell}} DIRECTORY)
    get_filename_component(name ${completion_${shell}} NAME)
    install(FILES ${script} DESTINATION ${folder} RENAME ${name})
endforeach()
add_custom_target(completion ALL DEPENDS ${completion_scripts})
# Debian's zsh looks below /usr for those of packages, and elsewhere, as zsh itself does, in site-functions: which it is, is known when
# it is installed.
install(CODE "
    set(folder site-functions)
    if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\" AND EXISTS /etc/debian_version)
        set(folder vendor-completions)
    endif()
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\" TYPE FILE RENAME _burin
         FILES \"${PROJECT_BINARY_DIR}/completion/burin.zsh\")")
