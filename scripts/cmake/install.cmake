# SPDX-License-Identifier: Apache-2.0
# What is installed, in three components, which are the Debian packages: "tactus" (the default), "dev" (to build
# models and programs) and "python". docs/packages.md says what is promised of it.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tactus)
install(EXPORT tactusTargets NAMESPACE tactus:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(scripts/cmake/tactusConfig.cmake.in ${PROJECT_BINARY_DIR}/tactusConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tactusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tactusConfig.cmake ${PROJECT_BINARY_DIR}/tactusConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# The same for pkg-config: tactus-model, tactus, and tactus-silkit where it was built.
function(tactus_pkgconfig name description flags libraries)
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.pc
    "prefix=\${pcfiledir}/${up}\n\nName: ${name}\nDescription: ${description}\nVersion: ${PROJECT_VERSION}\n"
    "Cflags: -I\${prefix}/include${flags}\nLibs: ${libraries}\n")
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()
tactus_pkgconfig(tactus-model "headers for models of tactus rigs (C++20 or C)" " -fvisibility=hidden" "-Wl,-Bsymbolic")
tactus_pkgconfig(tactus-driver "headers for drivers of tactus rigs (C++20 or C)" " -fvisibility=hidden" "-Wl,-Bsymbolic")
tactus_pkgconfig(tactus "runs tactus rigs in a program, in episodes" "" "-L\${prefix}/lib -ltactus")
if(TARGET silkit)
  tactus_pkgconfig(tactus-silkit "a participant of SIL Kit simulations" " -I\${prefix}/include/tactus/compatible"
                   "-L\${prefix}/lib -ltactus-silkit")
endif()

install(DIRECTORY config/rigs config/tests scripts/new DESTINATION share/tactus USE_SOURCE_PERMISSIONS)
# setup-bench finds the files it copies beside itself.
install(PROGRAMS scripts/setup-bench DESTINATION share/tactus)
foreach(kind systemd/tactus@.service:systemd/system udev/60-tactus.rules:udev/rules.d)
  string(REPLACE ":" ";" kind ${kind})
  list(POP_FRONT kind file place)
  get_filename_component(folder ${file} DIRECTORY)
  install(FILES scripts/${file} DESTINATION share/tactus/${folder})
  install(FILES scripts/${file} DESTINATION lib/${place})  # where the system looks, under /usr and /usr/local
endforeach()

# What the command says of itself: manual pages, completion, and the schema of rig files for editors.
set(pages ${PROJECT_BINARY_DIR}/pages)
if(NOT CMAKE_CROSSCOMPILING)
  install(CODE "
    file(REMOVE_RECURSE ${pages})
    file(MAKE_DIRECTORY ${pages})
    set(_tactus_command \"$<TARGET_FILE:tactus>\")
    execute_process(COMMAND \${_tactus_command} help --man ${pages}/man1 --docs \${CMAKE_INSTALL_PREFIX}/share/doc/tactus/docs
                    COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \${_tactus_command} help --completion bash OUTPUT_FILE ${pages}/tactus COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \${_tactus_command} help --completion zsh OUTPUT_FILE ${pages}/_tactus COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \${_tactus_command} help --completion fish OUTPUT_FILE ${pages}/tactus.fish COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \${_tactus_command} check --schema OUTPUT_FILE ${pages}/rig.schema.json COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY ${pages}/man1 DESTINATION share/man)
  install(FILES ${pages}/tactus DESTINATION share/bash-completion/completions)
  install(FILES ${pages}/_tactus DESTINATION share/zsh/vendor-completions)  # Debian's folder
  install(FILES ${pages}/tactus.fish DESTINATION share/fish/vendor_completions.d)
  install(FILES ${pages}/rig.schema.json DESTINATION share/tactus)
endif()

# The Python package: the modules of scripts/ under the names that they have there.
set(python_dir lib/python3/dist-packages)
configure_file(scripts/python/__init__.py.in ${PROJECT_BINARY_DIR}/python/__init__.py @ONLY)
configure_file(scripts/python/METADATA.in ${PROJECT_BINARY_DIR}/python/METADATA @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/python/__init__.py scripts/python/py.typed
        DESTINATION ${python_dir}/tactus COMPONENT python)
install(FILES scripts/tactus.py DESTINATION ${python_dir}/tactus RENAME recordings.py COMPONENT python)
install(FILES scripts/tactus_rows.py DESTINATION ${python_dir}/tactus RENAME rows.py COMPONENT python)
install(FILES scripts/tactus_client.py DESTINATION ${python_dir}/tactus RENAME client.py COMPONENT python)
foreach(module campaign process gym)
  install(FILES scripts/tactus_${module}.py DESTINATION ${python_dir}/tactus RENAME ${module}.py COMPONENT python)
endforeach()
install(FILES scripts/tactus_pytest.py DESTINATION ${python_dir}/tactus RENAME pytest_plugin.py COMPONENT python)
install(FILES scripts/python/entry_points.txt DESTINATION ${python_dir}/tactus-${PROJECT_VERSION}.dist-info
        COMPONENT python)
install(FILES ${PROJECT_BINARY_DIR}/python/METADATA DESTINATION ${python_dir}/tactus-${PROJECT_VERSION}.dist-info
        COMPONENT python)

# The documentation, as it lies in a checkout, but for the examples, which lie beside it.
install(FILES LICENSE README.md DESTINATION share/doc/tactus)
install(DIRECTORY config/examples DESTINATION share/doc/tactus)
install(DIRECTORY docs DESTINATION share/doc/tactus PATTERN examples.md EXCLUDE)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS docs/examples.md docs/CHANGELOG.md)
file(READ docs/examples.md page)
string(REPLACE "../config/examples/" "../examples/" page "${page}")
file(WRITE ${PROJECT_BINARY_DIR}/docs/examples.md "${page}")
install(FILES ${PROJECT_BINARY_DIR}/docs/examples.md DESTINATION share/doc/tactus/docs)

# What Debian wants of each package: who may copy it, and what changed.
set(TACTUS_MAINTAINER "" CACHE STRING "Who makes the packages: Name <address>. Default: DEBFULLNAME and DEBEMAIL, else git's user")
include(scripts/cmake/maintainer.cmake)
set(changes ${PROJECT_BINARY_DIR}/changes)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, if that is set
file(WRITE ${changes}/changelog.Debian "tactus (${PROJECT_VERSION}-${TACTUS_PACKAGE_RELEASE}) unstable; urgency=medium

  * What changed for users is in changelog.gz.

 -- ${tactus_maintainer}  ${date}
")
file(COPY_FILE ${PROJECT_SOURCE_DIR}/docs/CHANGELOG.md ${changes}/changelog)
foreach(name changelog changelog.Debian)
  file(ARCHIVE_CREATE OUTPUT ${changes}/${name}.gz PATHS ${changes}/${name} FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
endforeach()
foreach(package tactus:tactus dev:libtactus-dev python:python3-tactus)
  string(REPLACE ":" ";" package ${package})
  list(POP_FRONT package component name)
  install(FILES scripts/packaging/copyright ${changes}/changelog.gz ${changes}/changelog.Debian.gz
          DESTINATION share/doc/${name} COMPONENT ${component})
endforeach()
