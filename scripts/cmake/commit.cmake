# SPDX-License-Identifier: Apache-2.0
# Writes a source that names the commit that SOURCE stands at. Run by each build in which git or a file of ours changed:
#
#   cmake -DSOURCE=DIR -DOUT=commit.cpp -DDEPFILE=commit.d -P commit.cmake
#
# "-dirty": a file that goes into the build is not as committed. A tarball, or a folder in a repository of somebody
# else, has no commit. The source is written only when that changes; DEPFILE lists what it depends on.
cmake_policy(SET CMP0007 NEW)  # empty list elements count
set(built_from rtsync config executive drivers scripts/cmake CMakeLists.txt CMakePresets.json)

# git(VARIABLE ARGUMENT...): its output, and STATUS.
function(git variable)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env GIT_OPTIONAL_LOCKS=0 git -c safe.directory=* -c core.quotePath=off ${ARGN}
                  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE said ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE status)
  set(${variable} "${said}" PARENT_SCOPE)
  set(STATUS "${status}" PARENT_SCOPE)
endfunction()

set(commit "no commit")
set(depends ${CMAKE_CURRENT_LIST_FILE})  # a depfile without any is ignored
git(top rev-parse --show-toplevel)
get_filename_component(source ${SOURCE} REALPATH)
if(STATUS EQUAL 0 AND top STREQUAL source)
  git(hash rev-parse --short=12 HEAD)
  if(STATUS EQUAL 0)
    set(commit "commit ${hash}")
    git(unused diff --quiet HEAD -- ${built_from})
    if(NOT STATUS EQUAL 0)
      string(APPEND commit "-dirty")
    endif()
  endif()
  # Each commit, checkout and reset changes one of the first.
  git(branch symbolic-ref -q HEAD)
  foreach(name logs/HEAD HEAD packed-refs ${branch})
    git(path rev-parse --path-format=absolute --git-path ${name})
    if(EXISTS "${path}" OR name STREQUAL branch)
      list(APPEND depends ${path})
    endif()
  endforeach()
  git(files ls-files -- ${built_from})
  string(REPLACE "\n" ";" files "${files}")
  list(TRANSFORM files PREPEND ${SOURCE}/)
  list(APPEND depends ${files})
endif()

set(text "// Made by scripts/cmake/commit.cmake.\n#include \"executive/app/built_from.hpp\"\n
const char* const tactus::app::kCommit = \"${commit}\";\n")
set(found "")
if(EXISTS ${OUT})
  file(READ ${OUT} found)
endif()
if(NOT text STREQUAL found)
  file(WRITE ${OUT} "${text}")
endif()

set(lines "${OUT}:")
foreach(path ${depends})
  while(NOT EXISTS "${path}")  # its folder changes when it comes; a dependency that is missing is never up to date
    get_filename_component(path "${path}" DIRECTORY)
  endwhile()
  string(REPLACE " " "\\ " path "${path}")
  string(APPEND lines " \\\n  ${path}")
endforeach()
file(WRITE ${DEPFILE} "${lines}\n")
