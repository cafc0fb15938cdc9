# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where besides the program, and with it what a package has: man pages, completion, documentation, and
# all that lies in share/, in the same places.
include(GNUInstallDirs)
include(cmake/completion.cmake)

# Documents lie below the name of the package, which tells what is built in.
set(BURIN_PACKAGE burin)
if(BURIN_HAVE_CUDA)
    set(BURIN_PACKAGE burin-cuda)
endif()
foreach(dir CMAKE_INSTALL_DOCDIR CMAKE_INSTALL_FULL_DOCDIR)
    string(REGEX REPLACE "/doc/${PROJECT_NAME}$" "/doc/${BURIN_PACKAGE}" ${dir} "${${dir}}")
endforeach()

# The man page of the tree has a section a command; installed are a page a command and one of what they have in common.
find_program(GZIP gzip REQUIRED)
file(STRINGS carver/cli/commands.def lines REGEX "^COMMAND\\(")
string(REGEX REPLACE "COMMAND\\(([a-z]+)\\)" "burin-\\1" pages "${lines}")
list(TRANSFORM pages PREPEND ${PROJECT_BINARY_DIR}/man/)
list(APPEND pages ${PROJECT_BINARY_DIR}/man/burin ${PROJECT_BINARY_DIR}/man/burin-help)
list(TRANSFORM pages APPEND .1)
set(packed_pages ${pages})
list(TRANSFORM packed_pages APPEND .gz)
add_custom_command(OUTPUT ${packed_pages} VERBATIM
    DEPENDS burin ${PROJECT_SOURCE_DIR}/tools/man.sh ${PROJECT_SOURCE_DIR}/docs/reference/burin.1
    COMMAND bash ${PROJECT_SOURCE_DIR}/tools/man.sh ${PROJECT_SOURCE_DIR}/docs/reference/burin.1 $<TARGET_FILE:burin>
            ${PROJECT_BINARY_DIR}/man ${CMAKE_INSTALL_FULL_DOCDIR}
    COMMAND ${GZIP} -9nf ${pages})
add_custom_target(man ALL DEPENDS ${packed_pages})
set(photorec_page ${PROJECT_BINARY_DIR}/man/burin-photorec.1.gz)
add_custom_command(OUTPUT ${photorec_page} VERBATIM DEPENDS docs/reference/burin-photorec.1
    COMMAND ${GZIP} -9nc ${PROJECT_SOURCE_DIR}/docs/reference/burin-photorec.1 > ${photorec_page})
add_custom_target(man_photorec ALL DEPENDS ${photorec_page})
install(FILES ${packed_pages} ${photorec_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# The date of what is built is that of its commit: two builds of it are equal.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
    set(BURIN_EPOCH $ENV{SOURCE_DATE_EPOCH})
elseif(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} log -1 --format=%ct OUTPUT_VARIABLE BURIN_EPOCH
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT BURIN_EPOCH)
    set(BURIN_EPOCH 0)
endif()

set(documents ${PROJECT_BINARY_DIR}/doc)
set(ENV{SOURCE_DATE_EPOCH} ${BURIN_EPOCH})
string(TIMESTAMP BURIN_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(BURIN_MAINTAINER "burin maintainers <maintainers@burin.invalid>" CACHE STRING "who answers for a package that is built here")
configure_file(cmake/package/changelog.Debian.in ${documents}/changelog.Debian @ONLY)
configure_file(CHANGELOG.md ${documents}/changelog COPYONLY)
add_custom_command(OUTPUT ${documents}/changelog.gz ${documents}/changelog.Debian.gz VERBATIM
    DEPENDS ${documents}/changelog ${documents}/changelog.Debian
    COMMAND ${GZIP} -9nkf ${documents}/changelog ${documents}/changelog.Debian)
add_custom_target(documents ALL DEPENDS ${documents}/changelog.gz)
install(FILES ${documents}/changelog.gz ${documents}/changelog.Debian.gz cmake/package/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(PROGRAMS bin/burin-photorec DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY docs/reference DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md)
install(DIRECTORY share/doc/burin/ DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS)
install(DIRECTORY share/burin DESTINATION ${CMAKE_INSTALL_DATADIR} USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE)
install(FILES share/systemd/burin-audit@.service share/systemd/burin-audit@.timer DESTINATION lib/systemd/system)
set(BURIN_PYTHON_DIR lib/python3/dist-packages CACHE STRING "where Python's module burin_case goes, below the prefix")
install(FILES python/burin_case.py DESTINATION ${BURIN_PYTHON_DIR})
