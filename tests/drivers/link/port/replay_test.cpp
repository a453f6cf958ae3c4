// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "config/text.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/link/port/port_fixture.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::link::replay_test {
namespace {

using test::TempDir;
using ::testing::HasSubstr;

/// Counts what a replay asks of its rig.
struct Commands final : executive::LinkCommands {
  std::vector<std::string> stops;
  void request_stop(const char* reason) TACTUS_RT override { stops.emplace_back(reason); }
  void request_abort(const char*) TACTUS_RT override { ADD_FAILURE(); }
  void set_peer_pause(bool) TACTUS_RT override { ADD_FAILURE(); }
};

/// link.csv as the recording of link.* writes it.
struct Csv {
  std::string text = "sys.exec.out.time {s}";

  explicit Csv(const std::deque<executive::Variable>& variables) {
    for (const executive::Variable& each : variables)
      for (std::size_t i = 0; i < each.elements(); ++i)
        text += "," + each.name + (each.count > 0 ? "[" + std::to_string(i) + "]" : "") + " {" +
                (each.unit_text.empty() ? "--" : each.unit_text) + "}";
    text += '\n';
  }
  /// A time in ns, and the values by now.
  void row(std::int64_t ns, const std::deque<executive::Variable>& variables) {
    char seconds[40];
    (void)std::snprintf(seconds, sizeof seconds, "%lld.%09lld", static_cast<long long>(ns / 1'000'000'000),
                        static_cast<long long>(ns % 1'000'000'000));
    text += seconds;
    for (const executive::Variable& each : variables)
      for (std::size_t i = 0; i < each.elements(); ++i) {
        text += ',';
        executive::append_value(text, each.type,
                                static_cast<const std::byte*>(each.data) + i * executive::size_of(each.type));
      }
    text += '\n';
  }
};

/// Two subscriptions: a double, and a group of an array and an integer.
void subscribe(PortFixture& fixture) {
  fixture.subscribe("a").on_late = OnLate::extrapolate;
  fixture.subscribe("group",
                    {fixture.variable("m.force", TACTUS_DOUBLE, 2), fixture.variable("m.n", TACTUS_INT64)});
}

executive::FrameStart frame(std::int64_t k) { return {k, {}, {}, Nanoseconds{0}}; }

/// Frames 3 .. 62 of a linked rig with late grants, and what it recorded.
struct Recorded {
  TempDir folder;
  PortFixture fixture;
  std::vector<std::vector<std::uint64_t>> inputs;
  std::string text;

  Recorded() {
    subscribe(fixture);
    fixture.frame = rtsync::Period{kMs, 3};
    fixture.set_up(3, 5 * kMs);
    Csv csv(fixture.port->variables());
    std::mt19937 engine(5);
    std::uniform_real_distribution<double> any(-1e3, 1e3);
    fixture.grant(0);
    for (std::int64_t k = 3; k < 63; ++k) {
      fixture.message(0, 5 * kMs + fixture.frame.times(k - 4).count(), {any(engine)});
      if (k % 4 == 0) fixture.message(1, kNoStamp, {any(engine), any(engine), any(engine)});
      if (k % 10 < 6) fixture.grant(k - 3);
      fixture.run();
      csv.row(fixture.frame.times(k).count(), fixture.port->variables());
      inputs.push_back(bits(fixture));
    }
    text = csv.text;
    folder.write("link.csv", text);
  }
  static std::vector<std::uint64_t> bits(const PortFixture& fixture) {
    std::vector<std::uint64_t> all;
    for (const std::vector<std::uint64_t>& each : fixture.memory)
      all.insert(all.end(), each.begin(), each.end());
    return all;
  }
};

TEST(Replay, GivesTheSameInputsAndRecordsTheSameAgain) {
  const Recorded recorded;
  PortFixture fixture;
  subscribe(fixture);
  fixture.settings.record = true;
  fixture.frame = recorded.fixture.frame;
  const auto replay = make_replay(fixture.settings, fixture.frame, fixture.signals, recorded.folder.path());
  Commands commands;
  replay->join(commands, {}, 3);
  replay->ready();
  EXPECT_EQ(replay->mode(), LinkMode::free);
  EXPECT_TRUE(replay->records());
  EXPECT_EQ(replay->status(), "replay");
  EXPECT_EQ(replay->inputs().size(), 3U);
  EXPECT_THAT(replay->take_log_lines(), ::testing::ElementsAre(HasSubstr("replay of 60 frames from ")));
  EXPECT_TRUE(replay->take_log_lines().empty());
  EXPECT_TRUE(replay->threads().empty());
  Csv csv(replay->variables());
  replay->frames().start(3);
  for (std::int64_t k = 3; k < 63; ++k) {
    ASSERT_TRUE(replay->frames().may_begin(k, true));
    ASSERT_TRUE(replay->frames().wait(k, false, {}));
    ASSERT_TRUE(commands.stops.empty()) << "before frame " << k;
    ASSERT_EQ(replay->frames().begin_frame(frame(k)), executive::LinkVerdict::go_on);
    ASSERT_EQ(Recorded::bits(fixture), recorded.inputs[static_cast<std::size_t>(k - 3)]) << "frame " << k;
    csv.row(fixture.frame.times(k).count(), replay->variables());
    replay->frames().end_frame(k);
  }
  EXPECT_THAT(commands.stops, ::testing::ElementsAre("the replayed record ends here")) << "in the last frame";
  EXPECT_EQ(csv.text, recorded.text);
  replay->leave({});
  EXPECT_EQ(replay->summary(false).dump(),
            "{\"replay\":\"" + recorded.folder.path().string() + "\",\"frames\":60}");
}

TEST(Replay, IsRefusedToARunThatBeginsElsewhere) {
  const Recorded recorded;
  PortFixture fixture;
  subscribe(fixture);
  const auto replay =
      make_replay(fixture.settings, recorded.fixture.frame, fixture.signals, recorded.folder.path());
  Commands commands;
  EXPECT_THROW(replay->join(commands, {}, 0), executive::DeviceError);
}

TEST(Replay, OfOtherFramesStopsAtOnceAndTouchesNothing) {
  const Recorded recorded;
  PortFixture fixture;
  subscribe(fixture);
  const auto replay =
      make_replay(fixture.settings, recorded.fixture.frame, fixture.signals, recorded.folder.path());
  Commands commands;
  replay->join(commands, {}, 3);
  for (const std::int64_t k : {0, 2, 63, 1000})
    EXPECT_EQ(replay->frames().begin_frame(frame(k)), executive::LinkVerdict::go_on);
  EXPECT_THAT(
      commands.stops,
      ::testing::ElementsAre("the replayed record begins at frame 3", "the replayed record begins at frame 3",
                             "the replayed record ends here", "the replayed record ends here"));
  for (const std::uint64_t each : Recorded::bits(fixture)) EXPECT_EQ(each, 0U);
  EXPECT_EQ(replay->summary(false)["frames"], 0);
}

TEST(Replay, SaysWhatIsWrongWithARecord) {
  PortFixture fixture;
  fixture.subscribe("a", {fixture.variable("m.on", TACTUS_BOOL), fixture.variable("m.n", TACTUS_INT8)});
  fixture.set_up();
  const std::string header = Csv(fixture.port->variables()).text;
  const std::string zeros = ",0,0,0,0,0,0,0,0,0,0,0,0,0,0";  // between link.frame and m.on
  const auto row = [&](const std::string& time, const std::string& k, const std::string& values) {
    return time + "," + k + zeros + values + "\n";
  };
  const std::string good = header + row("0", "0", ",1,-7");
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::logic_error("the test itself: there is no " + from);
    return text.replace(at, from.size(), to);
  };
  tactus::test::Snapshot texts;
  const struct {
    const char* why;
    std::string text;
    bool good = false;
  } rows[] = {
      {"good", good, true},
      {"two good ones", good + row("0.001", "1", ",0,127"), true},
      {"nothing", ""},
      {"only a header", header},
      {"cut off in the header", header.substr(0, 50)},
      {"cut off in the last line", good.substr(0, good.size() - 1)},
      {"some other file", "a,b\n1,2\n"},
      {"another column", with(good, "link.slot {ns}", "link.slit {ns}")},
      {"another unit", with(good, "link.slot {ns}", "link.slot {s}")},
      {"too few columns", with(good, ",link.a.m.n {m}", "")},
      {"too many columns", with(good, "\n", ",link.b.m.x {--}\n")},
      {"an empty line", good + "\n"},
      {"time: a word", header + row("x", "0", ",1,1")},
      {"time: negative", header + row("-1", "0", ",1,1")},
      {"time: two dots", header + row("0.0.1", "0", ",1,1")},
      {"time: nothing behind the dot", header + row("1.", "0", ",1,1")},
      {"time: nothing before the dot", header + row(".1", "0", ",1,1")},
      {"time: too fine", header + row("0.0000000001", "0", ",1,1")},
      {"time: too large", header + row("99999999999", "0", ",1,1")},
      {"another period", good + row("0.002", "1", ",1,1")},
      {"a bool that is none", header + row("0", "0", ",2,1")},
      {"an integer that is too large", header + row("0", "0", ",1,128")},
      {"an integer with a rest", header + row("0", "0", ",1,1x")},
      {"an integer with a space", header + row("0", "0", ",1, 1")},
      {"a line end of another system", header + row("0", "0", ",1,1\r")},
      {"no number at all", header + row("0", "0", ",1,")},
      {"too few values", header + row("0", "0", ",1")},
      {"too many values", header + row("0", "0", ",1,1,1")},
      {"a frame before all", header + row("0", "-1", ",1,1")},
      {"a lost frame", good + row("0.002", "2", ",1,1")},
      {"a frame twice", good + row("0", "0", ",1,1")},
  };
  for (const auto& each : rows) {
    const TempDir folder;
    folder.write("link.csv", each.text);
    std::string said;
    try {
      (void)make_replay(fixture.settings, fixture.frame, fixture.signals, folder.path());
    } catch (const std::runtime_error& error) {
      said = error.what();
    }
    const std::string file = (folder / "link.csv").string();
    ASSERT_EQ(said.starts_with(file), !each.good) << each.why << ": " << said;
    if (!each.good) texts.add(config::one_line(said.substr(file.size())), each.why);
  }
}

TEST(Replay, OfAFolderWithoutARecordSaysHowToGetOne) {
  PortFixture fixture;
  const TempDir folder;
  try {
    (void)make_replay(fixture.settings, fixture.frame, fixture.signals, folder.path());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("No such file or directory; a run has one with `record: yes`"));
  }
  EXPECT_TRUE(std::filesystem::create_directory(folder / "link.csv"));
  EXPECT_THROW((void)make_replay(fixture.settings, fixture.frame, fixture.signals, folder.path()),
               std::runtime_error);
}

TEST(Replay, KeepsEveryBitOfEveryType) {
  const tactus_type types[] = {TACTUS_BOOL,   TACTUS_INT8,  TACTUS_UINT8,  TACTUS_INT16,
                               TACTUS_UINT16, TACTUS_INT32, TACTUS_UINT32, TACTUS_INT64,
                               TACTUS_UINT64, TACTUS_FLOAT, TACTUS_DOUBLE};
  std::mt19937_64 engine(7);
  for (int turn = 0; turn < 50; ++turn) {
    PortFixture fixture;
    std::vector<executive::VariableRef> refs;
    for (const tactus_type type : types)
      refs.push_back(fixture.variable(std::string("m.") + std::string(executive::name_of(type)), type));
    fixture.subscribe("all", refs);
    fixture.set_up();
    for (std::size_t i = 0; i < refs.size(); ++i) {
      std::uint64_t bits = engine();
      if (types[i] == TACTUS_BOOL) bits &= 1;
      if (types[i] == TACTUS_FLOAT) bits &= ~std::uint64_t{0x4000'0000};  // finite
      if (types[i] == TACTUS_DOUBLE) bits &= ~(std::uint64_t{1} << 62);
      std::memcpy(refs[i].data(), &bits, executive::size_of(types[i]));
    }
    fixture.run();
    Csv csv(fixture.port->variables());
    csv.row(0, fixture.port->variables());
    const TempDir folder;
    folder.write("link.csv", csv.text);
    const auto before = Recorded::bits(fixture);
    const auto replay = make_replay(fixture.settings, fixture.frame, fixture.signals, folder.path());
    for (std::vector<std::uint64_t>& each : fixture.memory) std::ranges::fill(each, 0U);
    Commands commands;
    replay->join(commands, {}, 0);
    (void)replay->frames().begin_frame(frame(0));
    ASSERT_EQ(Recorded::bits(fixture), before);
  }
}

TEST(ReplayRt, NeverTouchesTheHeap) {
  if (!rtsync::HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  const Recorded recorded;
  PortFixture fixture;
  subscribe(fixture);
  const auto replay =
      make_replay(fixture.settings, recorded.fixture.frame, fixture.signals, recorded.folder.path());
  const rtsync::HeapWatch heap;
  for (std::int64_t k = 0; k < 70; ++k) {
    (void)replay->frames().begin_frame(frame(k));
    replay->frames().end_frame(k);
  }
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::drivers::link::replay_test
