# SPDX-License-Identifier: Apache-2.0
# The engines and benchmarks that reproduce published papers, and their tests, stand in folders of their own.
# These engines are taken by name alone, so a smaller program does without them: -DBURIN_PAPERS=OFF.
# modules.cmake gives the definition that their lines in match/engines.def and carver/bench/bench.def need.
file(GLOB_RECURSE papers_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/match/papers/* ${PROJECT_SOURCE_DIR}/carver/bench/papers/*
     ${PROJECT_SOURCE_DIR}/tests/match/papers/* ${PROJECT_SOURCE_DIR}/tests/carver/bench/papers/*)

# Takes them out of a list of sources, unless they are wanted.
macro(burin_without_papers list)
    if(NOT BURIN_PAPERS)
        list(REMOVE_ITEM ${list} ${papers_sources})
    endif()
endmacro()
