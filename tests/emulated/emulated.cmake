# SPDX-License-Identifier: Apache-2.0
# Unit tests of a cross build (preset arm64): each program is one ctest, with the label arm64, and runs in the emulator
# of the toolchain file. To list tests, and to start a program for each, would take longer than the tests.

# Whole rigs, scripts and what is Python: they start the programs of the build, which this machine cannot.
set(TACTUS_NOT_EMULATED rig scripts docs install vm)

# Optimized, as users have it: only then may a compiler fuse what must not be (Integrator.HasTheSameBitsOnEveryProcessor).
set_source_files_properties(${PROJECT_SOURCE_DIR}/executive/integration/integrator.cpp TARGET_DIRECTORY executive
                            PROPERTIES COMPILE_OPTIONS -O2 SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)

# left_out.txt names what the emulator has not: `PROGRAM  TEST  REASON`, a test as GoogleTest's filter takes it.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/left_out.txt)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/left_out.txt TACTUS_LEFT_OUT REGEX "^[^#]")

function(tactus_emulated_test name)
  target_compile_definitions(${name} PRIVATE TACTUS_EMULATED=1)
  set(left_out ":*Nightly*")
  foreach(line IN LISTS TACTUS_LEFT_OUT)
    if(line MATCHES "^${name}[ ]+([^ ]+)[ ]+[^ ]")
      string(APPEND left_out ":${CMAKE_MATCH_1}")
    endif()
  endforeach()
  if(left_out STREQUAL ":*Nightly*:*")
    return()
  endif()
  string(REGEX REPLACE "^:" "--gtest_filter=-" left_out "${left_out}")
  tactus_entry(arm64.${name} LIMIT 2400 LABELS arm64
               COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${name}> --gtest_brief=1 ${left_out})
endfunction()
