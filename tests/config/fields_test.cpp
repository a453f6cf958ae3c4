// SPDX-License-Identifier: Apache-2.0
#include "config/fields.hpp"

#include <gtest/gtest.h>

#include <array>

#include "sample.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::config::sample::fields_test {
namespace {

struct Loaded {
  Rig rig;
  std::string problems;  ///< without the last line
};

Loaded load(const std::string& yaml) {
  Problems problems;
  Loaded result;
  result.rig = rig_fields().load(Document::from_text("rig.yaml", yaml), problems);
  const std::string text = problems.text();
  result.problems = text.substr(0, text.empty() ? 0 : text.rfind('\n'));
  return result;
}

/// With the keys that every rig needs in front, in two lines.
Loaded load_with(const std::string& yaml) { return load("period: 1 ms\nmodels: {m: {type: t}}\n" + yaml); }

TEST(Fields, LoadEveryKindOfMember) {
  const Loaded loaded = load(R"(
period: 60 Hz
realtime: yes
on_overrun: catch_up
margin: 20 us
max_catch_up: 5 frames
max_overrun: 1 ms
watchdog: 1 s
log_size: 64 KiB
level: 200
speed: 2x
load: 80 %
gain: -0.5
supply: 200 mV
limit: 60 rpm
title: yes, a title
label: b22
variables: [a.b, c.d]
notes: {who: me, why: "5"}
seed: 7
sleeper: {margin: 1 us, share: 7 %}
threads:
  main: {priority: 80, cpus: "0-1,3"}
  io:   {priority: 70, cpus: [2, 4-5], sleeper: {}}
models:
  motor: {type: dc_motor, parameters: {inertia: 0.02 kg m^2}, chip: /dev/gpiochip0, line: 17}
connect:
  - {from: motor.speed, to: drive.speed, delayed: on}
)");
  ASSERT_EQ(loaded.problems, "");
  const Rig& rig = loaded.rig;
  EXPECT_EQ(rig.period, Period(50'000'000, 3));
  EXPECT_TRUE(rig.realtime);
  EXPECT_EQ(rig.on_overrun, OnOverrun::catch_up);
  EXPECT_EQ(rig.margin, 20us);
  EXPECT_EQ(rig.max_catch_up, 5);
  EXPECT_EQ(rig.max_overrun, 1ms);
  EXPECT_EQ(rig.watchdog, 1s);
  EXPECT_EQ(rig.log_size, 65536);
  EXPECT_EQ(rig.level, 200);
  EXPECT_EQ(rig.speed, 2.0);
  EXPECT_EQ(rig.load, 0.8);
  EXPECT_EQ(rig.gain, -0.5);
  EXPECT_EQ(rig.supply, 0.2);
  EXPECT_DOUBLE_EQ(*rig.limit, 6.283185307179586);
  EXPECT_EQ(rig.title, "yes, a title");
  EXPECT_EQ(rig.label, "b22");
  EXPECT_EQ(rig.variables, (std::vector<std::string>{"a.b", "c.d"}));
  EXPECT_EQ(rig.notes.find("why")->text(), "5");
  EXPECT_EQ(rig.seed.value, 7);
  EXPECT_EQ(rig.sleeper, (Sleeper{Nanoseconds{1000}, 0.07}));
  ASSERT_EQ(rig.threads.size(), 2U);
  EXPECT_EQ(rig.threads[0].name, "main") << "in the order of the file";
  EXPECT_EQ(rig.threads[0].cpus, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(rig.threads[1].cpus, (std::vector<int>{2, 4, 5}));
  EXPECT_FALSE(rig.threads[0].sleeper);
  EXPECT_EQ(rig.threads[1].sleeper, Sleeper{});
  ASSERT_EQ(rig.models.size(), 1U);
  EXPECT_EQ(rig.models[0].parameters.find("inertia")->text(), "0.02 kg m^2");
  EXPECT_EQ(to_flow(rig.models[0].settings), "{chip: /dev/gpiochip0, line: 17}");
  EXPECT_EQ(rig.connect[0].from.value, "motor.speed");
  EXPECT_TRUE(rig.connect[0].delayed);
}

TEST(Fields, RememberWhereThingsStand) {
  const Rig rig =
      load_with("threads:\n  main: {priority: 80}\nconnect:\n  - from: a.b\n    to: c.d\nseed: 3\n").rig;
  EXPECT_EQ(rig.threads[0].where.place.text(), "rig.yaml:4:9");
  EXPECT_EQ(rig.threads[0].where.path, "threads.main");
  EXPECT_EQ(rig.connect[0].from.place.text(), "rig.yaml:6:11");
  EXPECT_EQ(rig.connect[0].to.path, "connect[0].to");
  EXPECT_EQ(rig.models[0].where.place.text(), "rig.yaml:2:13");
  EXPECT_EQ(rig.models[0].name.place.text(), "rig.yaml:2:10");
  EXPECT_EQ(rig.models[0].name.path, "models.m");
  EXPECT_EQ(rig.seed.place.text(), "rig.yaml:8:7");
  EXPECT_EQ(load_with("").rig.seed.path, "seed") << "where it would have stood";
}

TEST(Fields, AProblemIsARepairInstruction) {
  struct Row {
    const char* yaml;  ///< from line 3 on
    const char* expected;
    const char* why;
  };
  const Row rows[] = {
      {"threads: {main: {priority: 120}}", "rig.yaml:3:28: threads.main.priority: ", "out of range"},
      {"threads: {main: {priority: 1, prioritty: 3}}", "rig.yaml:3:31: threads.main.prioritty: unknown key",
       "a typing error"},
      {"threads: {main: {priority: 1, colour: 3}}", "rig.yaml:3:31: threads.main.colour: unknown key",
       "no such key"},
      {"threads:\n  main: {cpus: 3}", "rig.yaml:4:9: threads.main: missing key 'priority'",
       "a key is missing"},
      {"threads:\n  main:\n", "rig.yaml:4:3: threads.main: ", "an empty struct"},
      {"threads: {ma in: {priority: 1}}", "rig.yaml:3:11: threads.ma in: 'ma in'", "a bad name"},
      {"threads:\n  a: {priority: 1}\n  b: {priority: 2}\n  a: {priority: 3}",
       "rig.yaml:6:3: threads.a: ", "two of one name"},
      {"title: a\ntitle: b", "rig.yaml:4:1: title: ", "a key twice"},
      {"threads: [a]", "rig.yaml:3:10: threads: ", "a list for a map"},
      {"threads: x", "rig.yaml:3:10: threads: ", "text for a map"},
      {"connect: {a: b}", "rig.yaml:3:10: connect: ", "a map for a list"},
      {"connect: [{from: a, to: ''}]", "rig.yaml:3:25: connect[0].to: ''", "too short"},
      {"connect: [x]", "rig.yaml:3:11: connect[0]: ", "text for a struct"},
      {"max_overrun: 5", "rig.yaml:3:14: max_overrun: '5'", "no unit"},
      {"max_overrun:", "rig.yaml:3:1: max_overrun: ", "nothing"},
      {"max_overrun: ~", "rig.yaml:3:14: max_overrun: ", "an explicit nothing"},
      {"max_overrun: ''", "rig.yaml:3:14: max_overrun: ", "nothing in quotes"},
      {"max_overrun: -1 ms", "rig.yaml:3:14: max_overrun: '-1 ms'", "negative"},
      {"max_overrun: {a: b}", "rig.yaml:3:14: max_overrun: ", "a map for a time"},
      {"margin: 2 ms", "rig.yaml:3:9: margin: '2 ms'", "too long"},
      {"margin: guessed", "rig.yaml:3:9: margin: 'guessed'", "neither time nor word"},
      {"on_overrun: catchup", "rig.yaml:3:13: on_overrun: 'catchup'", "a word misspelt"},
      {"on_overrun:", "rig.yaml:3:1: on_overrun: ", "no word"},
      {"realtime: maybe", "rig.yaml:3:11: realtime: 'maybe'", "no bool"},
      {"level: 256", "rig.yaml:3:8: level: ", "what its type can hold"},
      {"level: '5'", "rig.yaml:3:8: level: '5'", "quoted"},
      {"level: 0x10", "rig.yaml:3:8: level: '0x10'", "hexadecimal"},
      {"level: 99999999999999999999", "rig.yaml:3:8: level: '99999999999999999999'", "overflow"},
      {"level: 5 apples", "rig.yaml:3:8: level: '5 apples'", "garbage behind"},
      {"gain: nan", "rig.yaml:3:7: gain: 'nan'", "not a number"},
      {"gain: .inf", "rig.yaml:3:7: gain: '.inf'", "infinite"},
      {"gain: 11", "rig.yaml:3:7: gain: ", "a real out of range"},
      {"max_catch_up: 0 frames", "rig.yaml:3:15: max_catch_up: ", "too few"},
      {"max_catch_up: 5 jobs", "rig.yaml:3:15: max_catch_up: '5 jobs'", "another"},
      {"log_size: 64", "rig.yaml:3:11: log_size: '64'", "bytes of what"},
      {"log_size: 1 B", "rig.yaml:3:11: log_size: ", "too small"},
      {"load: 80", "rig.yaml:3:7: load: '80'", "80 times?"},
      {"load: 120 %", "rig.yaml:3:7: load: ", "too much"},
      {"speed: 101x", "rig.yaml:3:8: speed: ", "too fast"},
      {"supply: 5 A", "rig.yaml:3:9: supply: '5 A'", "amperes"},
      {"supply: 230 V", "rig.yaml:3:9: supply: ", "too high"},
      {"label: B", "rig.yaml:3:8: label: 'B'", "the wrong letters"},
      {"variables: a.b", "rig.yaml:3:12: variables: ", "not a list"},
      {"variables: [a, [b]]", "rig.yaml:3:16: variables[1]: ", "a list in a list"},
      {"threads: {a: {priority: 1, cpus: [0, 0-1]}}", "rig.yaml:3:38: threads.a.cpus[1]: ", "twice"},
      {"threads: {a: {priority: 1, cpus: 3-1}}", "rig.yaml:3:34: threads.a.cpus: '3-1'", "backwards"},
      {"sleeper: {margin: 2 ms}", "rig.yaml:3:19: sleeper.margin: '2 ms'", "in a section"},
      {"sleeper:", "rig.yaml:3:1: sleeper: ", "an empty section"},
  };
  for (const Row& row : rows) EXPECT_TRUE(load_with(row.yaml).problems.starts_with(row.expected)) << row.why;
}

TEST(Fields, APeriodSaysWhatItCannotBe) {
  struct Row {
    const char* text;
    const char* expected;
  };
  const Row rows[] = {
      {"2 us", "'2 us' is faster than the fastest allowed, 10 us (of a frame)"},
      {"1 MHz", "'1 MHz' is faster than the fastest allowed, 10 us (of a frame)"},
      {"11 s", "'11 s' is slower than the slowest allowed, 10 s (of a frame)"},
      {"0 ms", "'0 ms' is zero; a period must be above zero"},
      {"1", "'1' has no unit; write for example '1 ms'"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(load("models: {m: {type: t}}\nperiod: " + std::string{row.text}).problems,
              std::string{"rig.yaml:2:9: period: "} + row.expected);
}

TEST(Fields, MissingKeysPointAtTheMapThatLacksThem) {
  tactus::test::Snapshot texts;
  texts.add(load("title: x").problems);
  texts.add(load("period: 1 ms\nmodels: {}").problems);
}

TEST(Fields, SayEveryProblemInOneGoAndKeepWhatIsRight) {
  tactus::test::Snapshot texts;
  const Loaded loaded = load(
      "period: 1\n"
      "titel: x\n"
      "threads:\n"
      "  main: {priority: 120, cpus: 3}\n"
      "  io: {priority: 70, cpu: 3}\n"
      "  main: {priority: 1}\n"
      "gain: 3\n"
      "level: high\n");
  texts.add(loaded.problems);
  EXPECT_EQ(loaded.rig.gain, 3.0);
  EXPECT_EQ(loaded.rig.level, 3) << "its default";
  ASSERT_EQ(loaded.rig.threads.size(), 2U);
  EXPECT_EQ(loaded.rig.threads[0].cpus, std::vector<int>{3}) << "what was right beside what was wrong";
}

TEST(Fields, FiftyThousandProblemsTakeNoTime) {
  std::string yaml;
  for (int i = 0; i < 45'000; ++i) yaml += "key" + std::to_string(i) + ": 1\n";
  Problems problems;
  (void)rig_fields().load(Document::from_text("t", yaml), problems);
  EXPECT_EQ(problems.count(), 45'002U);
}

TEST(Fields, WordsStandForValues) {
  EXPECT_EQ(load_with("margin: measured").rig.margin, std::nullopt);
  EXPECT_EQ(load_with("watchdog: off").rig.watchdog, Nanoseconds{0});
  EXPECT_EQ(load_with("max_overrun: for ever").rig.max_overrun, Nanoseconds::max());
  EXPECT_NE(load_with("max_overrun: 1e37 s").problems.find("the longest time there is"), std::string::npos);
  EXPECT_EQ(
      load_with("watchdog: 1 us").problems,
      "rig.yaml:3:11: watchdog: '1 us' is outside 1 ms .. 10 s (hardware watchdog); also allowed: 'off'");
}

TEST(Fields, ProblemsOfTheCommandLinePointThere) {
  tactus::test::Snapshot texts;
  Document document = Document::from_text("rig.yaml", "period: 1 ms\nmodels: {m: {type: t}}\n");
  Problems problems;
  EXPECT_TRUE(document.set("margin=5", problems));
  (void)rig_fields().load(document, problems);
  texts.add(problems.text());
}

TEST(Fields, APartOfADocumentIsLoadedUnderItsPath) {
  const Rig rig = load_with("").rig;
  Problems problems;
  const Node part = Document::from_text("rig.yaml", "a: {margin: 5}").root();
  const Sleeper sleeper = sleeper_fields().load(*part.find("a"), "models.m", problems);
  EXPECT_EQ(sleeper, Sleeper{});
  EXPECT_EQ(problems.sorted().at(0).path, "models.m.margin");
}

TEST(Fields, WriteAndLoadIsTheSameStruct) {
  Rig rig = load_with("").rig;
  const auto round_trip = [](const Rig& value) {
    const Loaded back = load(rig_fields().write(value));
    EXPECT_EQ(back.problems, "") << rig_fields().write(value);
    return back.rig;
  };
  EXPECT_EQ(round_trip(rig), rig) << "with all defaults";
  rig.period = Period{50'000'000, 2997};
  rig.realtime = true;
  rig.on_overrun = OnOverrun::stop;
  rig.margin = Nanoseconds{12'345};
  rig.max_catch_up = 7;
  rig.max_overrun = Nanoseconds{1};
  rig.watchdog = 2s;
  rig.log_size = 1025;
  rig.level = 0;
  rig.speed = 1.0 / 3;
  rig.load = 0.07;
  rig.gain = 0.1;
  rig.supply = 1.0 / 7;
  rig.limit = -0.3;
  rig.title = "yes";
  rig.variables = {"", "null", "a: b", "5", "- x", "ü\n"};
  rig.notes = Document::from_text("p", "{a b: '~', '<<': x}").root();
  rig.seed.value = 5;
  rig.sleeper = {Nanoseconds{999'999}, 0.123};
  rig.threads = {{"main", 99, {0, 1, 2, 7}, Sleeper{}, {}}, {"5", 1, {}, std::nullopt, {}}};
  rig.models.push_back({{"x-1", {}, {}},
                        "t",
                        Document::from_text("p", "a: [1, {b: ~}]\nc: 'x'").root(),
                        Document::from_text("p", "chip: 1").root(),
                        {}});
  rig.connect = {{{"a", {}, {}}, {"b", {}, {}}, true}};
  EXPECT_EQ(round_trip(rig), rig) << rig_fields().write(rig);
}

TEST(Fields, WriteEveryFieldSoThatARunIsSelfContained) {
  EXPECT_EQ(sleeper_fields().write(Sleeper{}), "margin: 50 us\nshare: 80 %\n");
  const std::string yaml = rig_fields().write(load_with("").rig);
  EXPECT_NE(yaml.find("margin: measured\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("max_overrun: for ever\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("watchdog: off\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("sleeper:\n  margin: 50 us\n"), std::string::npos) << yaml;
}

TEST(Fields, TheReferencePageHasATablePerSection) {
  const std::string page = rig_fields().reference("The rig file");
  const char* const parts[] = {
      "# The rig file\n\nEverything one file describes.\n\n| key | type | default | allowed | meaning |\n",
      "| `period` | period | required | 10 us .. 10 s | of a frame |\n",
      "| `on_overrun` | word | `skip` | `skip`: drop the missed slots; `catch_up`: run missed frames back ",
      "back to back; `stop`: stop the rig | what happens when a frame is late |\n",
      "| `margin` | time | `measured` | 0 s .. 1 ms; `measured`: found at the start | wake early by |\n",
      "| `max_overrun` | time | `for ever` | at least 0 s | longest overrun |\n",
      "| `supply` | quantity in V | `24 V` | 0 V .. 60 V | supply voltage |\n",
      "| `variables` | list of text | `[]` |  | recorded |\n",
      "| `threads` | map: thread → section |  |  | the real-time threads |\n",
      "\n## `threads.<thread>`\n\nOne real-time thread.\n",
      "\n## `threads.<thread>.sleeper`\n",
      "\n## `connect[]`\n",
      "| *other keys* | | | | what the driver knows |\n",
  };
  for (const char* part : parts) EXPECT_NE(page.find(part), std::string::npos) << part << page;
}

struct Limits {
  int low = 1;
  int high = 9;
};
struct Axis {
  bool enabled = true;
  Limits limits;
  std::array<int, 2> gains{3, 4};
};
struct NamedAxis : Axis {
  Origin origin;
  Located<std::string> label;
};

/// A struct derived from what somebody else is told, with values farther inside.
const Fields<NamedAxis>& axis_fields() {
  const auto second = [](auto& axis) -> auto& { return axis.gains[1]; };
  const auto high = [](auto& axis) -> auto& { return axis.limits.high; };
  static const Fields<NamedAxis> fields{
      "An axis",
      {located(&NamedAxis::origin), optional("label", &NamedAxis::label, "name"),
       optional("enabled", &NamedAxis::enabled, "on"),
       at<NamedAxis>("gain", second, range(0, 9), "second gain"),
       at<NamedAxis>("high", high, range(2, 9), "upper limit")}};
  return fields;
}

TEST(Fields, LeadIntoBasesMembersOfMembersAndElements) {
  tactus::test::Snapshot texts;
  Problems problems;
  const NamedAxis axis = axis_fields().load(
      Document::from_text("a.yaml", "{label: x, enabled: no, gain: 7, high: 5}"), problems);
  EXPECT_EQ(problems.text(), "");
  EXPECT_FALSE(axis.enabled);
  EXPECT_EQ(axis.gains, (std::array<int, 2>{3, 7}));
  EXPECT_EQ(axis.limits.low, 1);
  EXPECT_EQ(axis.limits.high, 5);
  texts.add(axis_fields().write(axis));
  EXPECT_EQ(axis_fields().section().keys[2].default_text, "4");

  const NamedAxis bad = axis_fields().load(Document::from_text("a.yaml", "{gain: 10, high: 1}"), problems);
  EXPECT_EQ(bad.gains[1], 4) << "what is wrong keeps its default";
  texts.add(problems.text());
}

}  // namespace
}  // namespace tactus::config::sample::fields_test
