# find_package(tactus) for users of an installed tactus: tactus::model is what a model needs.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tactus)
install(EXPORT tactusTargets NAMESPACE tactus:: DESTINATION ${package_dir})
configure_package_config_file(scripts/cmake/tactusConfig.cmake.in ${PROJECT_BINARY_DIR}/tactusConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tactusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tactusConfig.cmake ${PROJECT_BINARY_DIR}/tactusConfigVersion.cmake
        DESTINATION ${package_dir})
install(DIRECTORY config/rigs DESTINATION share/tactus OPTIONAL)
# setup-bench finds the files it copies beside itself.
install(PROGRAMS scripts/setup-bench DESTINATION share/tactus)
install(FILES scripts/systemd/tactus@.service DESTINATION share/tactus/systemd)
install(FILES scripts/udev/60-tactus.rules DESTINATION share/tactus/udev)
install(FILES LICENSE DESTINATION share/doc/tactus)
