# SPDX-License-Identifier: Apache-2.0
# Headers that are compiled once, of the tests, too.
set(tactus_precompiled <atomic> <chrono> <deque> <filesystem> <fstream> <functional>)

# What nearly every file includes, compiled once: a fifth of the time of a build. What is outside of frames is optimised
# for its size (-Os), which is another way to compile. To Clang it is also another way when a plug-in hides what it holds.
function(tactus_precompile name visibility)
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/scripts/cmake/precompiled.cpp)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET ${visibility})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_options(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE tactus_warnings nlohmann_json::nlohmann_json)
  target_precompile_headers(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/config/json.hpp
    <algorithm>
    ${tactus_precompiled}
    <map>
    <memory>
    <mutex>
    <optional>
    <set>
    <span>
    <sstream>
    <string>
    <thread>
    <variant>
    <vector>)
endfunction()

# What GCC searches for in whole functions, a fifth of its time; code outside of frames gets 2 % larger without.
set(tactus_unsearched -fno-tree-pre -fno-gcse -fno-tree-vrp -fno-tree-dominator-opts -fno-tree-slsr -fno-ivopts
  -fno-ipa-icf -fno-ipa-sra -fno-ipa-cp -fno-ipa-pure-const -fno-schedule-insns2 -fno-expensive-optimizations)

# How a target is compiled. With OUTSIDE_FRAMES, of code that no frame calls (it defines nothing TACTUS_RT), for its
# size: two thirds of what -O1 makes of it, in the same time. And more files at a time: GCC takes a third of a second for
# what is precompiled. What frames call keeps to few files at a time, since GCC inlines less in a larger whole.
function(tactus_compile name)
  set(precompiled precompiled)
  get_target_property(visibility ${name} CXX_VISIBILITY_PRESET)
  if(visibility STREQUAL hidden AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    string(APPEND precompiled _hidden)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL Release AND "OUTSIDE_FRAMES" IN_LIST ARGN)
    target_compile_options(${name} PRIVATE -Os "$<$<CXX_COMPILER_ID:GNU>:${tactus_unsearched}>")
    set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 72)
    string(APPEND precompiled _outside_frames)
  endif()
  target_precompile_headers(${name} REUSE_FROM ${precompiled})
endfunction()

# A library of this project: static, its headers a file set that is proven to compile alone. Neither is installed: what a
# user may link is a shared library (docs/packages.md).
#
#   tactus_library(rtsync [OUTSIDE_FRAMES] SOURCES a.cpp HEADERS a.hpp LINK PUBLIC|PRIVATE ...)
function(tactus_library name)
  cmake_parse_arguments(arg "OUTSIDE_FRAMES" "" "SOURCES;HEADERS;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  add_library(tactus::${name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME tactus-${name} VERIFY_INTERFACE_HEADER_SETS ON)
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PRIVATE tactus_warnings ${arg_LINK})
  tactus_compile(${name} ${ARGN})
endfunction()

# A folder of a library. Sources behind OUTSIDE_FRAMES go to its target LIBRARY_outside_frames.
#
#   tactus_folder(executive SOURCES a.cpp OUTSIDE_FRAMES b.cpp HEADERS a.hpp)
function(tactus_folder library)
  cmake_parse_arguments(arg "" "" "SOURCES;OUTSIDE_FRAMES;HEADERS" ${ARGN})
  target_sources(${library} PRIVATE ${arg_SOURCES})
  if(arg_OUTSIDE_FRAMES)
    target_sources(${library}_outside_frames PRIVATE ${arg_OUTSIDE_FRAMES})
  endif()
  target_sources(${library} PUBLIC FILE_SET HEADERS FILES ${arg_HEADERS})
endfunction()

# A list of exports names what a library may have; LLVM's linkers since 16 have to be told.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:--undefined-version TACTUS_MAY_EXPORT_WHAT_IS_NOT_THERE)

# What a program or a library exports: what scripts/cmake/WHICH.map lists, or the file WHICH. A sanitizer brings
# symbols of its own.
function(tactus_exports name which)
  if(NOT TACTUS_SANITIZE)
    set(map ${which})
    if(NOT IS_ABSOLUTE ${map})
      set(map ${PROJECT_SOURCE_DIR}/scripts/cmake/${which}.map)
    endif()
    target_link_options(${name} PRIVATE LINKER:--version-script=${map}
                        $<$<BOOL:${TACTUS_MAY_EXPORT_WHAT_IS_NOT_THERE}>:LINKER:--undefined-version>)
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${map})
  endif()
endfunction()

# What a part of a driver is linked with, whatever links the part: a plug-in takes this project's own libraries from
# lib/tactus/libtactus-private.so.VERSION, which all plug-ins share; a test has them in itself.
#
#   tactus_shared_by_plugins(VARIABLE executive CLI11::CLI11)
function(tactus_shared_by_plugins variable)
  set(shares $<BOOL:$<TARGET_PROPERTY:TACTUS_PLUGIN>>)
  set(libraries ${ARGN})
  list(TRANSFORM libraries REPLACE "^(rtsync|config|executive)$" "$<IF:${shares},tactus_private,\\1>")
  set(${variable} ${libraries} PARENT_SCOPE)
endfunction()

# A plug-in (models or a driver): a module that the executive loads by name from lib/tactus.
#
#   tactus_plugin(servo [OUTSIDE_FRAMES] SOURCES servo.cpp LINK ...)      -> lib/tactus/libservo.so
#
# With OWN_COPY, of a driver that most rigs load and that uses little of this project's libraries: a release has that
# little in the plug-in itself, which is loaded in a tenth of the time and memory of all that plug-ins share.
function(tactus_plugin name)
  cmake_parse_arguments(arg "OUTSIDE_FRAMES;OWN_COPY" "" "SOURCES;LINK" ${ARGN})
  set(shares ON)
  if(arg_OWN_COPY AND CMAKE_BUILD_TYPE STREQUAL Release)
    set(shares OFF)
  endif()
  add_library(plugin_${name} MODULE ${arg_SOURCES})
  file(REMOVE ${TACTUS_PLUGIN_DIR}/${name}.left-out)
  # The last place is a longer name of the first: the loader compares 16 bytes behind a `$`, which valgrind reports.
  set_target_properties(plugin_${name} PROPERTIES OUTPUT_NAME ${name} CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden
                        LIBRARY_OUTPUT_DIRECTORY ${TACTUS_PLUGIN_DIR} TACTUS_PLUGIN ${shares}
                        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;$ORIGIN/../tactus")
  tactus_exports(plugin_${name} plugin)
  target_link_libraries(plugin_${name} PRIVATE tactus::model $<BUILD_INTERFACE:tactus_warnings> ${arg_LINK})
  if(arg_LINK)  # a driver; a model includes little
    tactus_compile(plugin_${name} ${ARGN})
  endif()
  install(TARGETS plugin_${name} LIBRARY DESTINATION ${TACTUS_INSTALL_PLUGIN_DIR})
endfunction()

# Drivers that this build leaves out: the reason lies where their libraries would, for the executive to report.
#
#   tactus_left_out("it needs asio; install it ..." tactus-link-silkit ...)
function(tactus_left_out reason)
  foreach(name ${ARGN})
    message(STATUS "${name}: not built; ${reason}")
    file(REMOVE ${TACTUS_PLUGIN_DIR}/lib${name}.so)  # of an earlier configuration
    file(WRITE ${TACTUS_PLUGIN_DIR}/${name}.left-out "${reason}\n")
    install(FILES ${TACTUS_PLUGIN_DIR}/${name}.left-out DESTINATION ${TACTUS_INSTALL_PLUGIN_DIR})
  endforeach()
endfunction()

# What drivers of this build need of the machine that they run on: reported where the loader does not find it.
#
#   tactus_needs("libgpiod 2 (Debian 13: apt-get install libgpiod3)" tactus-clock-gpio ...)
function(tactus_needs what)
  foreach(name ${ARGN})
    file(WRITE ${TACTUS_PLUGIN_DIR}/${name}.needs "${what}\n")
    install(FILES ${TACTUS_PLUGIN_DIR}/${name}.needs DESTINATION ${TACTUS_INSTALL_PLUGIN_DIR})
  endforeach()
endfunction()

# A static library that is one part of a driver; nothing of it is seen outside of what it is linked into.
#
#   tactus_part(link_port [OUTSIDE_FRAMES] SOURCES port.cpp LINK executive)
#
function(tactus_part name)
  cmake_parse_arguments(arg "OUTSIDE_FRAMES" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  tactus_shared_by_plugins(arg_LINK ${arg_LINK})
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE tactus_warnings)
  tactus_compile(${name} ${ARGN})
endfunction()
