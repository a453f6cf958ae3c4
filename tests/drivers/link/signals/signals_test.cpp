// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/signals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>

#include "config/document.hpp"
#include "executive/model/variable_path.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::link::signals_test {
namespace {

using executive::Variable;
using executive::VariableRef;
using ::testing::HasSubstr;

class SignalsTest : public testing::Test {
 protected:
  SignalsTest() {
    add("ctl.setpoint", TACTUS_INPUT, TACTUS_DOUBLE, 0, "mm");
    variables_.back().low = -10;
    variables_.back().high = 10;
    add("ctl.force", TACTUS_INPUT, TACTUS_FLOAT, 3, "N");
    add("ctl.enable", TACTUS_INPUT, TACTUS_BOOL, 0, "");
    add("ctl.mode", TACTUS_INPUT, TACTUS_INT32, 0, "");
    variables_.back().labels = {{"idle", 0}, {"servo", 5}};
    add("plant.position", TACTUS_OUTPUT, TACTUS_DOUBLE, 0, "mm");
    add("plant.modes", TACTUS_STATE, TACTUS_DOUBLE, 4, "");
    add("plant.mass", TACTUS_PARAMETER, TACTUS_DOUBLE, 0, "kg");
    context_.rig = "servo";
    context_.frame = rtsync::Period{1'000'000, 1};
    context_.find = [this](const config::Located<std::string>& name) { return find(name); };
  }

  Signals bound(const std::string& text) {
    settings_ = link_fields().load(config::Document::from_text("rig.yaml", text).root(), "link", problems_);
    return bind(settings_, "link", context_, problems_);
  }
  Signals good(const std::string& text) {
    Signals signals = bound(text);
    EXPECT_TRUE(problems_.empty()) << problems_.text();
    return signals;
  }
  std::string problems_of(const std::string& text) {
    problems_ = {};
    (void)bound(text);
    return problems_.text();
  }
  const Variable& variable(const std::string& name) {
    for (const Variable& one : variables_)
      if (one.name == name) return one;
    throw std::out_of_range(name);
  }

  executive::LinkContext context_;

 private:
  void add(const char* name, tactus_role role, tactus_type type, std::uint32_t count, const char* unit) {
    Variable& made = variables_.emplace_back();
    made.name = name;
    made.role = role;
    made.type = type;
    made.count = count;
    made.data = memory_.emplace_back().data();
    made.unit_text = unit;
    made.unit = config::Unit::parse(unit);
  }
  /// As a rig does it.
  std::optional<VariableRef> find(const config::Located<std::string>& name) {
    const auto path = executive::VariablePath::parse(name.value);
    VariableRef ref;
    if (path && path->index) ref.first = *path->index;
    ref.indexed = path && path->index;
    for (const Variable& one : variables_) {
      if (!path || one.name != path->name) continue;
      ref.variable = &one;
      ref.elements = ref.indexed ? 1 : static_cast<std::uint32_t>(one.elements());
      return ref;
    }
    problems_.add(name.place, name.path, "'" + name.value + "' is not there");
    return std::nullopt;
  }

  std::deque<Variable> variables_;
  std::deque<std::array<std::byte, 64>> memory_;
  LinkSettings settings_;
  config::Problems problems_;
};

template <class T>
T at(const std::vector<std::byte>& block, std::size_t offset) {
  T value;
  std::memcpy(&value, block.data() + offset, sizeof value);
  return value;
}

TEST_F(SignalsTest, ASingleVariableIsABareMessage) {
  const Signals signals = good("publish: { position: { variable: plant.position, history: yes } }");
  ASSERT_EQ(signals.publications.size(), 1U);
  const Publication& position = signals.publications[0];
  EXPECT_EQ(position.name, "position");
  EXPECT_EQ(position.topic, "position") << "the entry's name";
  EXPECT_EQ(position.media_type, "application/vnd.vector.silkit.data; protocolVersion=1");
  EXPECT_TRUE(position.history);
  EXPECT_FALSE(position.layout.group);
  EXPECT_EQ(position.layout.bytes, 8U);
  ASSERT_EQ(position.layout.elements.size(), 1U);
  EXPECT_EQ(position.layout.elements[0].name, "plant.position");
  EXPECT_EQ(position.sources, (std::vector<const void*>{variable("plant.position").data}));
}

TEST_F(SignalsTest, AGroupStandsInARowWithoutGaps) {
  const Signals signals = good(R"(
subscribe:
  commands:
    variables: [ctl.enable, ctl.setpoint, "ctl.force[1]", ctl.mode]
    max_age: 10 ms
    at_max_age: freeze
)");
  const Subscription& commands = signals.subscriptions.at(0);
  EXPECT_TRUE(commands.layout.group);
  ASSERT_EQ(commands.layout.elements.size(), 4U);
  EXPECT_EQ(commands.layout.elements[1].offset, 1U);
  EXPECT_EQ(commands.layout.elements[1].low, -10);
  EXPECT_EQ(commands.layout.elements[1].high, 10);
  EXPECT_EQ(commands.layout.elements[2].offset, 9U);
  EXPECT_EQ(commands.layout.elements[2].name, "ctl.force[1]");
  EXPECT_FALSE(commands.layout.elements[2].array) << "one element is a bare value";
  EXPECT_EQ(commands.layout.elements[3].offset, 13U);
  EXPECT_EQ(commands.layout.bytes, 17U);
  EXPECT_EQ(commands.variables.size(), 4U);
  EXPECT_EQ(commands.max_age, std::chrono::milliseconds{10});
  EXPECT_EQ(commands.at_max_age, AtMaxAge::freeze);
  EXPECT_TRUE(commands.default_block.empty());
}

TEST_F(SignalsTest, AGroupOfOneIsStillAGroupAndAnArrayOfAnyLengthAnArray) {
  const Signals signals =
      good("publish: { a: { variables: [plant.position] }, b: { variable: plant.modes } }");
  EXPECT_TRUE(signals.publications.at(0).layout.group);
  EXPECT_FALSE(signals.publications.at(1).layout.group);
  EXPECT_TRUE(signals.publications.at(1).layout.elements.at(0).array);
  EXPECT_EQ(signals.publications.at(1).layout.elements.at(0).elements, 4U);
}

TEST_F(SignalsTest, APublicationMayReadEveryRole) {
  good("publish: { a: { variables: [ctl.setpoint, plant.position, plant.modes, plant.mass] } }");
}

TEST_F(SignalsTest, TopicsMayBeSharedAndEncodingsHaveTheirMediaTypes) {
  const Signals signals = good(R"(
publish:
  a: { topic: Same, variable: plant.position, encoding: json }
  b: { topic: Same, variable: plant.position, encoding: raw, labels: [{ key: k, value: v }] }
  c: { topic: Same, variable: plant.position, encoding: raw, media_type: application/x-servo }
)");
  EXPECT_EQ(signals.publications.at(0).topic, "Same");
  EXPECT_EQ(signals.publications.at(0).media_type, "application/json");
  EXPECT_EQ(signals.publications.at(1).topic, "Same");
  EXPECT_EQ(signals.publications.at(1).media_type, "application/octet-stream");
  EXPECT_EQ(signals.publications.at(1).labels,
            (std::vector<LabelSettings>{{"k", "v", LabelKind::mandatory}}));
  EXPECT_EQ(signals.publications.at(2).media_type, "application/x-servo");
}

TEST_F(SignalsTest, TheSizesAreThoseOfAllAndOfTheLargestBlock) {
  EXPECT_EQ(Signals{}.bytes_out(), 0U);
  EXPECT_EQ(Signals{}.largest_in(), 0U);
  const Signals signals = good(R"(
publish: { a: { variable: plant.position }, b: { variable: plant.modes } }
subscribe: { c: { variable: ctl.force, max_age: never }, d: { variable: ctl.enable, max_age: never } }
)");
  EXPECT_EQ(signals.bytes_out(), 40U);
  EXPECT_EQ(signals.largest_in(), 12U);
}

TEST_F(SignalsTest, DefaultsAreReadInTheUnitOfTheirVariable) {
  const Signals signals = good(R"(
subscribe:
  a: { variable: ctl.setpoint, default: 0.5 cm, on_late: default, max_age: never }
  b:
    variables: [ctl.enable, ctl.force, ctl.mode]
    default: { ctl.mode: servo, ctl.enable: yes, ctl.force: [1 N, 2 N, -3 kN] }
    max_age: 1 s
    at_max_age: default
)");
  EXPECT_EQ(at<double>(signals.subscriptions.at(0).default_block, 0), 5.0);
  EXPECT_EQ(signals.subscriptions.at(0).on_late, OnLate::default_value);
  const std::vector<std::byte>& block = signals.subscriptions.at(1).default_block;
  ASSERT_EQ(block.size(), 17U);
  EXPECT_EQ(at<std::uint8_t>(block, 0), 1);
  EXPECT_EQ(at<float>(block, 1), 1.0F);
  EXPECT_EQ(at<float>(block, 9), -3000.0F);
  EXPECT_EQ(at<std::int32_t>(block, 13), 5);
}

TEST_F(SignalsTest, OneElementOfAnArrayHasADefaultOfItsOwn) {
  const Signals signals =
      good("subscribe: { a: { variable: 'ctl.force[2]', default: 7 N, max_age: never } }");
  EXPECT_EQ(at<float>(signals.subscriptions.at(0).default_block, 0), 7.0F);
}

TEST_F(SignalsTest, OnLateIsTheLinksUnlessTheSubscriptionHasItsOwn) {
  const Signals signals = good(R"(
on_late: extrapolate
subscribe:
  a: { variable: ctl.setpoint, max_age: never }
  b: { variable: ctl.enable, on_late: hold, max_age: never }
)");
  EXPECT_EQ(signals.subscriptions.at(0).on_late, OnLate::extrapolate);
  EXPECT_EQ(signals.subscriptions.at(1).on_late, OnLate::hold);
}

TEST_F(SignalsTest, ComplaintsNameThePlaceAndWhatToDo) {
  tactus::test::Snapshot texts;
  const char* const rows[] = {
      "publish: { a: {} }",
      "publish: { a: { variable: plant.position, variables: [plant.modes] } }",
      "publish: { a: { variable: plant.speed } }",
      "publish: { a: { variables: [plant.position, plant.position] } }",
      "subscribe: { a: { variable: plant.position, max_age: never } }",
      "subscribe: { a: { variable: plant.mass, max_age: never } }",
      "subscribe: { a: { variable: ctl.force, max_age: never }, b: { variable: 'ctl.force[1]', max_age: "
      "never } }",
      "subscribe: { a: { variable: ctl.setpoint, on_late: default, max_age: never } }",
      "on_late: default\nsubscribe: { a: { variables: [ctl.setpoint, ctl.mode], max_age: never } }",
      "subscribe: { a: { variable: ctl.enable, max_age: 1 s, at_max_age: default } }",
      "subscribe: { a: { variable: ctl.setpoint, default: 11 mm, max_age: never } }",
      "subscribe: { a: { variable: ctl.setpoint, default: 1 N, max_age: never } }",
      "subscribe: { a: { variable: ctl.force, default: [1 N], max_age: never } }",
      "subscribe: { a: { variables: [ctl.setpoint], default: 1 mm, max_age: never } }",
      "subscribe: { a: { variables: [ctl.setpoint, ctl.enable], default: { ctl.setpoint: 1 mm }, max_age: "
      "never } }",
      "subscribe: { a: { variables: [ctl.setpoint], default: { ctl.setpont: 1 mm }, max_age: never } }",
      "subscribe: { a: { variable: ctl.enable, on_late: extrapolate, max_age: never } }",
      "on_late: extrapolate\nsubscribe: { a: { variable: ctl.mode, max_age: never } }"};
  for (const char* const text : rows) texts.add(problems_of(text), text);
}

TEST_F(SignalsTest, EverythingWrongIsSaidAtOnce) {
  tactus::test::Snapshot().add(problems_of(R"(
publish:
  a: {}
  b: { variable: plant.speed }
subscribe:
  c: { variable: plant.position, max_age: never }
  d: { variable: ctl.enable, on_late: extrapolate, max_age: never }
  e: { variable: ctl.enable, default: maybe, max_age: never }
)"));
}

TEST_F(SignalsTest, AVariableThatIsNotThereIsComplainedOfOnce) {
  EXPECT_THAT(
      problems_of("subscribe: { a: { variables: [ctl.nothing, ctl.enable], on_late: default, max_age: never, "
                  "default: { ctl.nothing: 1, ctl.enable: no } } }"),
      HasSubstr("1 problem;"));
}

}  // namespace
}  // namespace tactus::drivers::link::signals_test
