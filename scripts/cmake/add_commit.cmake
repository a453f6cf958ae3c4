# SPDX-License-Identifier: Apache-2.0
# tactus_add_commit(FILE): how commit.cpp is made, and made again when there is another commit.
function(tactus_add_commit file)
  set(script ${PROJECT_SOURCE_DIR}/scripts/cmake/commit.cmake)
  add_custom_command(
    OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${file} -DDEPFILE=${file}.d -P ${script}
    DEPENDS ${script}
    DEPFILE ${file}.d
    COMMENT "names the commit"
    VERBATIM)
  set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()
