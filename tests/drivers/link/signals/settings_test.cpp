// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "config/document.hpp"

namespace tactus::drivers::link::settings_test {
namespace {

using config::Node;
using rtsync::Period;
using ::testing::HasSubstr;

LinkSettings loaded(const std::string& text) {
  config::Problems problems;
  LinkSettings settings = link_fields().load(config::Document::from_text("link.yaml", text), problems);
  EXPECT_TRUE(problems.empty()) << problems.text() << text;
  return settings;
}

std::string problems_of(const std::string& text) {
  config::Problems problems;
  (void)link_fields().load(config::Document::from_text("link.yaml", text), problems);
  return problems.text();
}

TEST(LinkSettings, AnEmptySectionIsThePacedBuiltinCoordinatedLink) {
  const LinkSettings settings = loaded("{}");
  EXPECT_EQ(settings, LinkSettings{});
  EXPECT_EQ(settings.library, "builtin");
  EXPECT_EQ(settings.mode, LinkMode::paced);
  EXPECT_EQ(settings.at_maximum, Action::terminate);
}

TEST(LinkSettings, EveryKeyFindsItsMember) {
  const LinkSettings settings = loaded(R"(
library: /opt/silkit/lib/libSilKit.so
registry: silkit://rig-host:8501/cell
configuration: silkit.yaml
participant: Servo
operation: autonomous
mode: follow
step: 5 ms
delivery: timestamp
start_timeout: 30 s
on_peer_pause: keep_running
on_late: extrapolate
max_late: 20 ms
max_consecutive_late: 10 steps
at_maximum: degrade
queue: 256 messages
record: yes
publish:
  position: { variable: plant.position, history: yes, labels: [{ key: cell, value: "7", kind: optional }] }
subscribe:
  commands:
    topic: Commands
    media_type: text/plain
    encoding: json
    variables: [controller.setpoint, controller.enable]
    on_late: default
    default: { controller.setpoint: 1 mm, controller.enable: no }
    max_age: 100 ms
    at_max_age: freeze
)");
  EXPECT_EQ(settings.library, "/opt/silkit/lib/libSilKit.so");
  EXPECT_EQ(settings.registry, "silkit://rig-host:8501/cell");
  EXPECT_EQ(settings.configuration, "silkit.yaml");
  EXPECT_EQ(settings.participant, "Servo");
  EXPECT_EQ(settings.operation, Operation::autonomous);
  EXPECT_EQ(settings.mode, LinkMode::follow);
  EXPECT_EQ(settings.step, (Period{5'000'000, 1}));
  EXPECT_EQ(settings.delivery, Delivery::timestamp);
  EXPECT_EQ(settings.start_timeout, std::chrono::seconds{30});
  EXPECT_EQ(settings.on_peer_pause, OnPeerPause::keep_running);
  EXPECT_EQ(settings.on_late, OnLate::extrapolate);
  EXPECT_EQ(settings.max_late, std::chrono::milliseconds{20});
  EXPECT_EQ(settings.max_consecutive_late, 10);
  EXPECT_EQ(settings.at_maximum, Action::degrade);
  EXPECT_EQ(settings.queue, 256);
  EXPECT_TRUE(settings.record);
  ASSERT_EQ(settings.publish.size(), 1U);
  const PublishSettings& position = settings.publish[0];
  EXPECT_EQ(position.name, "position");
  EXPECT_EQ(position.origin.path, "publish.position");
  EXPECT_EQ(position.origin.place.line, 19);
  EXPECT_EQ(position.variable->value, "plant.position");
  EXPECT_EQ(position.labels, (std::vector<LabelSettings>{{"cell", "7", LabelKind::optional}}));
  EXPECT_TRUE(position.history);
  EXPECT_EQ(position.encoding, Encoding::serdes);
  ASSERT_EQ(settings.subscribe.size(), 1U);
  const SubscribeSettings& commands = settings.subscribe[0];
  EXPECT_EQ(commands.topic, "Commands");
  EXPECT_EQ(commands.media_type, "text/plain");
  EXPECT_EQ(commands.encoding, Encoding::json);
  ASSERT_EQ(commands.variables.size(), 2U);
  EXPECT_EQ(commands.variables[1].value, "controller.enable");
  EXPECT_EQ(commands.variables[1].path, "subscribe.commands.variables[1]");
  EXPECT_EQ(commands.on_late, OnLate::default_value);
  EXPECT_EQ(commands.default_values.find("controller.setpoint")->text(), "1 mm");
  EXPECT_EQ(commands.max_age, std::chrono::milliseconds{100});
  EXPECT_EQ(commands.at_max_age, AtMaxAge::freeze);
}

TEST(LinkSettings, WordsStandForNothing) {
  EXPECT_EQ(
      loaded("configuration: none\nparticipant: rig\nstep: frame\ndelivery: auto\nstart_timeout: forever\n"
             "max_late: off\nmax_consecutive_late: off"),
      LinkSettings{});
  const LinkSettings settings =
      loaded("subscribe: { x: { variable: a.b, max_age: never, on_late: link, at_max_age: hold } }");
  EXPECT_EQ(settings.subscribe[0].max_age, std::nullopt);
  EXPECT_EQ(settings.subscribe[0].on_late, std::nullopt);
}

TEST(LinkSettings, AnAgeLimitHasToBeDeclared) {
  EXPECT_THAT(problems_of("subscribe: { x: { variable: a.b } }"),
              HasSubstr("link.yaml:1:17: subscribe.x: missing key 'max_age'"));
}

TEST(LinkSettings, ComplaintsSayWhatIsAllowed) {
  EXPECT_THAT(problems_of("queue: 8"), HasSubstr("8 is outside 16 .. 65536"));
  EXPECT_THAT(problems_of("registry: localhost"), HasSubstr("silkit://HOST:PORT"));
  EXPECT_THAT(problems_of("mode: pacd"), HasSubstr("did you mean 'paced'?"));
  EXPECT_THAT(problems_of("max_late: 5"), HasSubstr("max_late"));
  EXPECT_THAT(problems_of("publish: { x: { variabel: a.b } }"), HasSubstr("did you mean 'variable'?"));
  EXPECT_THAT(problems_of("publish: { x: { labels: [{ key: a }] } }"),
              HasSubstr("publish.x.labels[0]: missing key 'value'"));
}

TEST(LinkSettings, TheReferenceSaysWhatEveryKeyMeans) {
  const std::string page = link_fields().reference("link");
  for (const config::KeyShape& key : link_fields().section().keys) {
    EXPECT_THAT(page, HasSubstr(key.key));
    EXPECT_FALSE(key.meaning.empty()) << key.key;
  }
}

TEST(LinkSettings, IntakeFollowsTheModeUnlessItIsSaid) {
  LinkSettings settings;
  EXPECT_EQ(delivery_of(settings), Delivery::timestamp);
  settings.mode = LinkMode::free;
  EXPECT_EQ(delivery_of(settings), Delivery::timestamp);
  settings.mode = LinkMode::follow;
  EXPECT_EQ(delivery_of(settings), Delivery::next_step);
  settings.delivery = Delivery::timestamp;
  EXPECT_EQ(delivery_of(settings), Delivery::timestamp);
}

/// Settings with everything set at random, within what a file may say.
class RandomSettings {
 public:
  explicit RandomSettings(std::uint64_t seed) : engine_(seed) {}

  LinkSettings make() {
    LinkSettings s;
    if (maybe()) s.library = text();
    if (maybe()) s.registry = "silkit://" + name() + ":8500";
    if (maybe()) s.configuration = text();
    if (maybe()) s.participant = text();
    s.operation = static_cast<Operation>(below(2));
    s.mode = static_cast<LinkMode>(below(3));
    if (maybe()) s.step = Period{1 + below(1'000'000'000), 1 + below(7)};
    if (maybe()) s.delivery = static_cast<Delivery>(below(2));
    if (maybe()) s.start_timeout = duration(1'000'000);
    s.on_peer_pause = static_cast<OnPeerPause>(below(2));
    s.on_late = static_cast<OnLate>(below(3));
    if (maybe()) s.max_late = duration(1);
    if (maybe()) s.max_consecutive_late = 1 + below(1'000'000'000'000);
    s.at_maximum = static_cast<Action>(1 + below(3));
    s.queue = 16 + below(65'521);
    s.record = maybe();
    for (std::int64_t i = below(4); i > 0; --i) {
      PublishSettings publish;
      fill(publish);
      publish.history = maybe();
      s.publish.push_back(publish);
    }
    for (std::int64_t i = below(4); i > 0; --i) {
      SubscribeSettings subscribe;
      fill(subscribe);
      if (maybe()) subscribe.on_late = static_cast<OnLate>(below(3));
      if (maybe()) subscribe.default_values = some_default();
      if (maybe()) subscribe.max_age = duration(1);
      subscribe.at_max_age = static_cast<AtMaxAge>(below(5));
      s.subscribe.push_back(subscribe);
    }
    return s;
  }

 private:
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n));
  }
  bool maybe() { return below(2) == 0; }
  Nanoseconds duration(std::int64_t low) {
    return below(8) == 0 ? Nanoseconds::max() : Nanoseconds{low + below(1'000'000'000'000'000)};
  }
  std::string name() { return "a-Z_9" + std::to_string(++names_); }
  /// Text that YAML could take for something else.
  std::string text() {
    constexpr const char* kOdd[] = {"yes", "1e3", "~",   "null", "a.b[2]", "- x", "x: y", "#no", " blank ",
                                    "'q'", "\"",  "ü µ", "a\tb", "*star",  "&x",  "!t",   "[",   "{}"};
    return kOdd[below(std::size(kOdd))];
  }
  Node some_default() {
    if (maybe()) return Node::scalar("12 mV");
    if (maybe()) return Node::list({Node::scalar("1"), Node::scalar("-2 N")});
    return Node::map({{"a.b", {}, Node::scalar("yes")}, {"c.d[1]", {}, Node::list({Node::scalar("0")})}});
  }
  void fill(SignalSettings& signal) {
    signal.name = name();
    if (maybe()) signal.topic = text();
    if (maybe()) signal.media_type = text();
    signal.encoding = static_cast<Encoding>(below(3));
    for (std::int64_t i = below(3); i > 0; --i)
      signal.labels.push_back({text(), maybe() ? "" : text(), static_cast<LabelKind>(below(2))});
    if (maybe()) signal.variable = config::Located<std::string>{text(), {}, {}};
    for (std::int64_t i = below(3); i > 0; --i) signal.variables.push_back({text(), {}, {}});
  }

  std::mt19937_64 engine_;
  int names_ = 0;
};

TEST(LinkSettings, WhatIsWrittenReadsBackEqual) {
  RandomSettings random{20261120};
  for (int i = 0; i < 300; ++i) {
    const LinkSettings settings = random.make();
    const std::string text = link_fields().write(settings);
    const LinkSettings again = loaded(text);
    ASSERT_EQ(again, settings) << text;
    ASSERT_EQ(link_fields().write(again), text);
  }
}

}  // namespace
}  // namespace tactus::drivers::link::settings_test
