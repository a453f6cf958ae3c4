# SPDX-License-Identifier: Apache-2.0
# A library that does what no library should.
add_library(link_fake_silkit MODULE
  ${CMAKE_CURRENT_LIST_DIR}/fake/fake_silkit.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fake/script.cpp)
target_compile_features(link_fake_silkit PRIVATE cxx_std_20)
target_include_directories(link_fake_silkit PRIVATE ${PROJECT_SOURCE_DIR}
                           ${PROJECT_SOURCE_DIR}/drivers/silkit/include)
target_link_libraries(link_fake_silkit PRIVATE tactus_warnings Threads::Threads)

target_compile_definitions(link_participant_test PRIVATE LINK_SILKIT_LIBRARY="$<TARGET_FILE:silkit>"
                           LINK_FAKE_LIBRARY="$<TARGET_FILE:link_fake_silkit>")
target_link_libraries(link_participant_test PRIVATE rtsync ${CMAKE_DL_LIBS})
add_dependencies(link_participant_test silkit link_fake_silkit)
