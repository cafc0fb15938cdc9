# SPDX-License-Identifier: Apache-2.0
# The scripts of `burin completion`, where the shells look for those of installed programs.
include(GNUInstallDirs)
set(completion_bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions/burin)
set(completion_zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_burin)
set(completion_fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/burin.fish)
foreach(shell bash zsh fish)
    set(script ${PROJECT_BINARY_DIR}/completion/burin.${shell})
    add_custom_command(OUTPUT ${script} DEPENDS burin VERBATIM
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completion
        COMMAND $<TARGET_FILE:burin> completion ${shell} > ${script})
    list(APPEND completion_scripts ${script})
    get_filename_component(folder ${completion_${shell}} DIRECTORY)
    get_filename_component(name ${completion_${shell}} NAME)
    install(FILES ${script} DESTINATION ${folder} RENAME ${name})
endforeach()
add_custom_target(completion ALL DEPENDS ${completion_scripts})
