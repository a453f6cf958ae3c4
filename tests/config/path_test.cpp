// SPDX-License-Identifier: Apache-2.0
#include "config/path.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace tactus::config::path_test {
namespace {

TEST(Path, IsTakenApartFromTheFront) {
  std::string_view path = "models.motor.jobs[2][10]";
  EXPECT_EQ(take_key(path), "models");
  EXPECT_EQ(path, ".motor.jobs[2][10]");
  path.remove_prefix(1);
  EXPECT_EQ(take_key(path), "motor");
  path.remove_prefix(1);
  EXPECT_EQ(take_key(path), "jobs");
  EXPECT_EQ(take_index(path), 2U);
  EXPECT_EQ(take_index(path), 10U);
  EXPECT_EQ(path, "");
  EXPECT_EQ(take_key(path), "");
  EXPECT_EQ(take_index(path), std::nullopt);
}

TEST(Path, AnIndexIsADecimalNumberWithoutSignInBrackets) {
  for (const char* const text : {"[]", "[", "[1", "[x]", "[-1]", "[+1]", "[ 1]", "[1 ]", "[0x1]", "1]",
                                 "a[1]", "[99999999999999999999]"}) {
    std::string_view path = text;
    EXPECT_EQ(take_index(path), std::nullopt) << text;
    EXPECT_EQ(path, text) << "nothing is taken";
  }
}

TEST(Path, NamesAVariableWithoutItsIndices) {
  EXPECT_EQ(without_indices("motor.speed[1][0]"), "motor.speed");
  EXPECT_EQ(without_indices("motor.speed"), "motor.speed");
  EXPECT_EQ(without_indices("[1]"), "");
}

}  // namespace
}  // namespace tactus::config::path_test
