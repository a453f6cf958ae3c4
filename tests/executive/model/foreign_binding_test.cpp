// SPDX-License-Identifier: Apache-2.0
#include "executive/model/foreign_binding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "executive/model/model_instance.hpp"
#include "executive/model/model_library.hpp"

namespace tactus::executive::foreign_binding_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

fs::path file_of(const std::string& name) { return fs::path(TEST_LIBRARIES) / ("lib" + name + ".so"); }

/// The outputs of a model whose only job was called once.
std::pair<double, double> outputs_of(const ModelLibrary& library) {
  ModelInstance instance(*library.models()[0], "m");
  const tactus_call call{0, 0, 0};
  EXPECT_EQ(instance.jobs()[0].run(instance.self(), &call), 0);
  const auto value = [&](const char* name) {
    return *static_cast<const double*>(instance.find_variable(name)->data);
  };
  return {value("gain"), value("table")};
}

TEST(ForeignBinding, TwoReleasesOfAModelComputeWithTheirOwnHeaders) {
  const ModelLibrary one(file_of("release_1"));
  const ModelLibrary two(file_of("release_2"));
  EXPECT_EQ(outputs_of(one), std::pair(1.0, 10.0));
  EXPECT_EQ(outputs_of(two), std::pair(2.0, 20.0));
}

/// What is said of a library; "" when nothing.
std::string complaint(const fs::path& file) {
  try {
    const ModelLibrary library(file);
  } catch (const LibraryError& error) {
    return error.what();
  }
  return "";
}

TEST(ForeignBinding, AReleaseThatWouldComputeWithTheOthersGainIsRefused) {
  const ModelLibrary one(file_of("unique_1"));
  EXPECT_EQ(complaint(file_of("unique_1")), "") << "the same file twice is one library";
  EXPECT_EQ(complaint(file_of("unique_2")),
            file_of("unique_2").string() + ": its symbol 'calibration_gain' is replaced by that of " +
                file_of("unique_1").string() +
                ": compile it with -fvisibility=hidden, with GCC also with -fno-gnu-unique, and link it with "
                "-Wl,-Bsymbolic, as CMake's target tactus::model does");
}

TEST(ForeignBinding, AReleaseThatWouldComputeWithTheOthersThreadLocalVariableIsRefused) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "the compiler takes thread-local variables by descriptors here";
#endif
  const ModelLibrary one(file_of("unique_thread_1"));
  EXPECT_THAT(complaint(file_of("unique_thread_2")),
              HasSubstr(": its symbol 'calibration_rate' is replaced by that of " +
                        file_of("unique_thread_1").string()));
}

TEST(SharedDependency, OfAnotherVersionAndTheSameNameIsRefused) {
  const std::string folder = fs::path(TEST_LIBRARIES).string();
  {
    const ModelLibrary one(file_of("table_user_1"));
    EXPECT_EQ(complaint(file_of("table_user_1")), "") << "the same library may be shared";
    EXPECT_EQ(
        complaint(file_of("table_user_2")),
        file_of("table_user_2").string() + " needs libtables.so.1 and has " + folder +
            "/tables_2/libtables.so.1, but the process has " + folder +
            "/tables_1/libtables.so.1 under that name already, so that 'table_gain' would come from the "
            "latter: "
            "give one of the two another SONAME, link it statically and hidden, or write `isolated: yes` "
            "for one of the models");
  }
  EXPECT_EQ(complaint(file_of("table_user_2")), "") << "alone";
}

TEST(ForeignBinding, ANameThatTheProcessHasAlreadyIsRefused) {
  EXPECT_THAT(complaint(file_of("mathematics")), HasSubstr("its symbol 'y0' is replaced by that of "));
}

TEST(ForeignBinding, WhatTheLanguageBringsIsTheSameForAll) {
  struct Row {
    const char* symbol;
    bool language;
    const char* why;
  };
  const Row rows[] = {
      {"_ZNSt6vectorIdSaIdEE9push_backERKd", true, "std::vector<double>::push_back(double const&)"},
      {"_ZZNSt19_Sp_make_shared_tag5_S_tiEvE5__tag", true, "a static of the standard library"},
      {"_ZN9__gnu_cxx27__verbose_terminate_handlerEv", true, "of libstdc++"},
      {"_Znwm", true, "operator new(unsigned long)"},
      {"__gxx_personality_v0", true, "a reserved name"},
      {"_Unwind_Resume", true, "a reserved name"},
      {"_ZNSt6vectorIN5calib4GainESaIS1_EE9push_backERKS1_", false, "std::vector<calib::Gain>::push_back"},
      {"_ZN5calib4gainE", false, "calib::gain"},
      {"_ZGVZN5calib5tableEvE1t", false, "guard variable for calib::table()::t"},
      {"_ZN3fmt2v96vprintEv", false, "fmt::v9::vprint()"},
      {"y0", false, "of a C library, or of a user"},
      {"_step", false, "a name of C that a user may have"},
      {"_ZNSt16nested_exceptionD1Ev", true, "a destructor"},
      {"_ZGTtNSt16invalid_argumentD1Ev", true, "transaction clone, of a library that has libstdc++ in it"},
      {"_ZTIDn", true, "typeinfo for decltype(nullptr)"},
      {"_ZN4gainD1Ev", false, "a destructor of a user"},
  };
  for (const Row& row : rows) EXPECT_EQ(belongs_to_the_language(row.symbol), row.language) << row.why;
}

}  // namespace
}  // namespace tactus::executive::foreign_binding_test
