// SPDX-License-Identifier: Apache-2.0
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

TEST(VariablePath, HasAColumnInTwoDimensions) {
  const auto path = VariablePath::parse("a.b[1][2]");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->name, "a.b");
  EXPECT_EQ(path->index, 1U);
  EXPECT_EQ(path->column, 2U);
}

TEST(VariablePath, NamesAnElementInMemory) {
  Variable scalar, line, table;
  line.count = 6;
  table.count = 6;
  table.columns = 3;
  struct Row {
    const Variable& variable;
    std::string_view text;
    std::optional<std::uint32_t> element;
    std::string_view problem;
  };
  for (const Row& row : {
           Row{scalar, "a.b", 0, ""},
           Row{scalar, "a.b[0]", std::nullopt, "is not an array"},
           Row{line, "a.b", 0, ""},
           Row{line, "a.b[5]", 5, ""},
           Row{line, "a.b[6]", std::nullopt, "has no such element; the index is one of 0 .. 5"},
           Row{line, "a.b[1][0]", std::nullopt, "has one dimension; one element is written [1]"},
           Row{table, "a.b", 0, ""},
           Row{table, "a.b[0][2]", 2, ""},
           Row{table, "a.b[1][0]", 3, ""},
           Row{table, "a.b[1]", std::nullopt, "has two dimensions; one element is written [1][0]"},
           Row{table, "a.b[2][0]", std::nullopt, "has no such element; the index is one of 0 .. 1"},
           Row{table, "a.b[1][3]", std::nullopt, "has no such element; the second index is one of 0 .. 2"},
       }) {
    std::string problem;
    EXPECT_EQ(VariablePath::parse(row.text)->element_of(row.variable, problem), row.element) << row.text;
    EXPECT_EQ(problem, row.problem) << row.text;
  }
  EXPECT_EQ(index_text(scalar, 0), "");
  EXPECT_EQ(index_text(line, 5), "[5]");
  EXPECT_EQ(index_text(table, 5), "[1][2]");
}

TEST(VariablePath, RefusesWhatIsNoIndex) {
  for (const std::string_view text : {"[",
                                      "[]",
                                      "a.b[",
                                      "a.b[]",
                                      "a.b[1",
                                      "a.b[1]]",
                                      "a.b[1] ",
                                      "a.b[ 1]",
                                      "a.b[-1]",
                                      "a.b[+1]",
                                      "a.b[1.0]",
                                      "a.b[0x1]",
                                      "a.b[x]",
                                      "a.b[4294967296]",
                                      "a.b[99999999999]",
                                      "a.b[1][2][3]",
                                      "a.b[1][]",
                                      "a.b[1]x[2]",
                                      "a.b[[1]]",
                                      "a.b[1]c"})
    EXPECT_FALSE(VariablePath::parse(text).has_value()) << text;
}

}  // namespace
}  // namespace tactus::executive::variable_path_test
