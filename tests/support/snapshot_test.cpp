// SPDX-License-Identifier: Apache-2.0
#include "tests/support/snapshot.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace tactus::test::snapshot_test {
namespace {

TEST(Snapshot, HoldsWhatItsFileHas) {
  Snapshot texts;
  texts.add("a text");
  texts.add("of two\nlines", "with a heading");
  texts.add(std::vector<std::string>{"a list", "of two"}, "of lines");
}

TEST(Snapshot, FailsWhereATextDiffers) {
  if (std::getenv("TACTUS_WRITE_MESSAGES") != nullptr) GTEST_SKIP() << "this one would be written, too";
  EXPECT_NONFATAL_FAILURE(Snapshot().add("no file has it"), "where the new text is meant");
}

}  // namespace
}  // namespace tactus::test::snapshot_test
