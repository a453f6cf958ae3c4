#include "executive/model/variable_path.hpp"

#include <gtest/gtest.h>

namespace tactus::executive::variable_path_test {
namespace {

TEST(VariablePath, IsANameWithAnIndexOrWithout) {
  struct Row {
    std::string_view text;
    std::string_view name;
    std::optional<std::uint32_t> index;
  };
  const Row rows[] = {
      {"motor.speed", "motor.speed", std::nullopt},
      {"axis.force[2]", "axis.force", 2U},
      {"axis.force[0]", "axis.force", 0U},
      {"axis.force[007]", "axis.force", 7U},
      {"a.b[4294967295]", "a.b", 4294967295U},
      {"clock.faults.late", "clock.faults.late", std::nullopt},
      {"", "", std::nullopt},
      {"[1]", "", 1U},
      {"a.b]", "a.b]", std::nullopt},
  };
  for (const Row& row : rows) {
    const auto path = VariablePath::parse(row.text);
    ASSERT_TRUE(path.has_value()) << row.text;
    EXPECT_EQ(path->name, row.name) << row.text;
    EXPECT_EQ(path->index, row.index) << row.text;
  }
}

TEST(VariablePath, RefusesWhatIsNoIndex) {
  for (const std::string_view text :
       {"[", "[]", "a.b[", "a.b[]", "a.b[1", "a.b[1]]", "a.b[1] ", "a.b[ 1]", "a.b[-1]", "a.b[+1]",
        "a.b[1.0]", "a.b[0x1]", "a.b[x]", "a.b[4294967296]", "a.b[99999999999]", "a.b[1][2]", "a.b[[1]]",
        "a.b[1]c"})
    EXPECT_FALSE(VariablePath::parse(text).has_value()) << text;
}

}  // namespace
}  // namespace tactus::executive::variable_path_test
