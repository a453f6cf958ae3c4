// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/model_declaration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tactus/model.hpp>

namespace tactus::executive::model_declaration_test {
namespace {

class Everything : public Model {
 public:
  void declare(Declare& d) override {
    d.parameter("mode", mode, "", "what it does", {{"off", 0}, {"on", 1}});
    d.input("u", u, "rad");
    d.output("y", y, "N m");
    d.state("x", x, "", "remembered");
    d.job<&Everything::step>("step", JobClass::scheduled, JobCycles::of(1'000'000, 3).at_phase(7));
    d.job<&Everything::step>("later", JobClass::sensor, kDynamic);
  }
  void step() {}
  std::uint8_t mode = 0;
  bool u = false;
  double y[3] = {};
  std::int64_t x = 0;
};

ModelInstance everything() {
  static Everything object;
  static const tactus_model model{TACTUS_ABI_VERSION,
                                  sizeof(tactus_model),
                                  "everything",
                                  "",
                                  nullptr,
                                  &tactus::detail::declare_model,
                                  nullptr};
  return {model, "it", static_cast<Model*>(&object)};
}

TEST(ModelDeclaration, HoldsAllThatAModelDeclares) {
  const ModelDeclaration read = decode(encode(everything()));
  ASSERT_EQ(read.variables.size(), 4U);
  EXPECT_EQ(read.variables[0].name, "mode");
  EXPECT_EQ(read.variables[0].about, "what it does");
  ASSERT_EQ(read.variables[0].labels.size(), 2U);
  EXPECT_EQ(read.variables[0].labels[1].name, "on");
  EXPECT_EQ(read.variables[0].labels[1].value, 1);
  EXPECT_TRUE(std::isnan(read.variables[0].low));
  EXPECT_EQ(read.variables[1].role, TACTUS_INPUT);
  EXPECT_EQ(read.variables[1].type, TACTUS_BOOL);
  EXPECT_EQ(read.variables[2].unit, "N m");
  EXPECT_EQ(read.variables[2].count, 3U);
  ASSERT_EQ(read.jobs.size(), 2U);
  EXPECT_EQ(read.jobs[0].cycle_num, 1'000'000);
  EXPECT_EQ(read.jobs[0].cycle_den, 3);
  EXPECT_EQ(read.jobs[0].phase, 7U);
  EXPECT_EQ(read.jobs[1].cycle_num, TACTUS_DYNAMIC);
}

TEST(ModelDeclaration, PlacesVariablesAlignedAndApart) {
  const ModelDeclaration read = decode(encode(everything()));
  std::size_t end = 0;
  for (const ModelDeclaration::Variable& variable : read.variables) {
    EXPECT_EQ(variable.offset % size_of(variable.type), 0U) << variable.name;
    EXPECT_GE(variable.offset, end) << variable.name;
    end = variable.offset + variable.bytes;
  }
  EXPECT_LE(end, read.bytes);
  EXPECT_EQ(read.bytes % 64, 0U);
}

TEST(ModelDeclaration, WhateverTheBytesItReadsNoFurther) {
  const std::string good = encode(everything());
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW((void)decode(std::string_view(good).substr(0, length)), std::runtime_error) << length;
  EXPECT_THROW((void)decode(good + "x"), std::runtime_error);
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bad = good;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes)
      bad[random() % bad.size()] = static_cast<char>(random());
    try {
      EXPECT_LE(decode(bad).bytes, ModelDeclaration::kMostBytes);
    } catch (const std::runtime_error&) {  // as it should
    }
  }
}

}  // namespace
}  // namespace tactus::executive::model_declaration_test
