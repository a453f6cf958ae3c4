// SPDX-License-Identifier: Apache-2.0
// A rig that runs in this process, as a server of live access sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config/date.hpp"
#include "executive/capability/live/live_value.hpp"
#include "executive/capability/live/run_live.hpp"
#include "executive/run/rig_run.hpp"
#include "tests/executive/support/rig_files.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::executive::live_access_test {
namespace {

using namespace std::chrono_literals;
using config::Json;
using test::LoadedRig;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = LiveWrite::Kind;

const std::string kRig = R"(
rig: r
epoch: 2005-02-15T00:00:00+00:00
frame: { period: 1 ms }
frame_log: no
memory: { lock: no }
threads: { stuck_after: 60 s, main: { policy: other } }
models:
  source: { model: gain, library: ./libmodels.so, parameters: { k: 2 } }
  sink: { model: gain, library: ./libmodels.so }
  types: { model: types, library: ./libmodels.so }
connect:
  - { from: source.y, to: sink.u }
)";

class Watcher final : public RunObserver {
 public:
  std::promise<void> begun;
  void started(const RigRun&) override { begun.set_value(); }
  void tick(RigRun&, std::chrono::nanoseconds) override { std::this_thread::sleep_for(1ms); }
  void say(const std::string&) override {}
};

/// From before the first frame, in Pause, until it is stopped.
class LiveAccessTest : public ::testing::Test {
 protected:
  void start(const std::string& text = kRig, std::int64_t frames = INT64_MAX) {
    rig_ = std::make_unique<LoadedRig>(text);
    RunOptions options;
    options.folder = folder_.path();
    options.frames = frames;
    options.realtime = false;
    options.live = true;
    options.paused = true;
    run_ = std::make_unique<RigRun>(*rig_, options);
    auto begun = watcher_.begun.get_future();
    thread_ = std::thread([this] { run_->run(watcher_); });
    begun.wait();
    wait_for(State::pause);
  }
  void TearDown() override { stop(); }
  void stop() {
    if (!thread_.joinable()) return;
    run_->executive().request_stop("the test has seen enough");
    thread_.join();
  }
  /// It ends by itself.
  void join() { thread_.join(); }
  LiveRig& live() { return run_->find<RunLive>()->access(); }
  std::vector<std::string> forced() {
    std::vector<std::string> names;
    for (const LiveForce& force : live().forces()) names.push_back(force.name);
    return names;
  }
  void wait_for(State state) {
    while (live().state() != state) std::this_thread::sleep_for(1ms);
  }

  LiveRef ref(const std::string& name) {
    std::string problem;
    const auto found = live().find(name, problem);
    EXPECT_TRUE(found) << problem;
    return found.value_or(LiveRef{});
  }
  LiveWrite make(Kind kind, const std::string& name, double value = 0) {
    LiveWrite write{kind, ref(name), {}};
    if (kind == Kind::release) return write;
    write.bytes.resize(8);
    std::memcpy(write.bytes.data(), &value, 8);
    return write;
  }
  std::vector<std::string> write(std::vector<LiveWrite> writes, std::optional<std::int64_t> frame = {}) {
    return live().write({std::move(writes), frame, "tester"}, [this](const LiveDone& done) {
      done_ = done;
      answered_ = true;
    });
  }
  LiveDone written(std::vector<LiveWrite> writes, std::optional<std::int64_t> frame = {}) {
    answered_ = false;
    EXPECT_THAT(write(std::move(writes), frame), IsEmpty());
    while (!answered_) std::this_thread::sleep_for(100us);
    return done_;
  }
  LiveSnapshotPtr snapshot() {
    std::promise<LiveSnapshotPtr> promise;
    live().next_snapshot([&](LiveSnapshotPtr made) { promise.set_value(std::move(made)); });
    return promise.get_future().get();
  }
  double value(const LiveSnapshot& of, const std::string& name) {
    double value = 0;
    const LiveRef at = ref(name);
    std::memcpy(&value, of.bytes.data() + live().variables()[at.variable].offset + 8 * at.first, 8);
    return value;
  }
  /// Of a frame.
  std::string date(std::int64_t frame) {
    return config::print_date(live().facts().epoch_ns + frame * 1'000'000);
  }
  EpisodeEnd episode(EpisodeRequest request) {
    std::promise<EpisodeEnd> promise;
    live().episode(std::move(request), [&](const EpisodeEnd& end) { promise.set_value(end); });
    return promise.get_future().get();
  }
  static EpisodeInput in(const std::string& entity, const std::string& descriptor, Json value,
                         std::optional<std::string> date = {}) {
    EpisodeInput made;
    made.entity = entity;
    made.descriptor = descriptor;
    made.date = std::move(date);
    made.value = std::move(value);
    return made;
  }
  Json json(const LiveValue& value) {
    const Variable& variable = *live().variables()[value.ref.variable].variable;
    return value.bytes.empty() ? Json()
                               : to_json(variable, value.bytes.data(), value.ref.elements,
                                         variable.count > 0 && !value.ref.indexed);
  }
  std::vector<Json> journal() {
    std::vector<Json> lines;
    std::ifstream file(folder_.path() / "journal.jsonl");
    for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  tactus::test::TempDir folder_;
  std::unique_ptr<LoadedRig> rig_;
  Watcher watcher_;
  std::unique_ptr<RigRun> run_;
  std::thread thread_;
  LiveDone done_;
  std::atomic<bool> answered_{false};
};

TEST_F(LiveAccessTest, KnowsAllVariablesAndWhatMayBeDoneWithThem) {
  start();
  const auto rights = [&](const std::string& name) { return live().variables()[ref(name).variable]; };
  EXPECT_EQ(rights("source.u").rights, LiveRights::full);
  EXPECT_EQ(rights("sink.u").rights, LiveRights::force_only);
  EXPECT_THAT(rights("sink.u").reason, HasSubstr("is fed by 'source.y'"));
  EXPECT_EQ(rights("rt.work").rights, LiveRights::read_only);
  EXPECT_EQ(live().variables().front().variable->name, "source.k");
  EXPECT_EQ(live().variables().back().variable->name, "rt.last_late_frame");
  EXPECT_EQ(live().facts().rig, "r");
  std::string problem;
  tactus::test::Snapshot texts;
  const char* const rows[] = {"source.q",     "types.ds[3]",  "source.u[0]", "types.ds[", "types.ds[]",
                              "types.ds[-1]", "types.ds[1]x", "types.ds[1",  "",          "."};
  for (const char* const bad : rows) {
    EXPECT_FALSE(live().find(bad, problem)) << bad;
    texts.add(problem, bad);
  }
}

TEST_F(LiveAccessTest, AnswersWhileItStandsStillAndWhileItRuns) {
  start();
  EXPECT_EQ(snapshot()->frame, -1);
  EXPECT_EQ(snapshot()->rig.state, State::pause);
  const LiveDone done = written({make(Kind::set, "source.u", 3)});
  EXPECT_TRUE(done.applied);
  EXPECT_EQ(done.frame, 0);
  EXPECT_EQ(value(*snapshot(), "source.u"), 3) << "at once, in Pause too";
  ASSERT_EQ(live().command(Command::resume, 0, "tester"), "");
  LiveSnapshotPtr later = snapshot();
  while (later->frame < 10) later = snapshot();
  EXPECT_EQ(value(*later, "sink.y"), 6);
  EXPECT_EQ(later->sim_time_ns, later->frame * 1'000'000);
  EXPECT_EQ(later->rig.frames, later->frame + 1);
}

TEST_F(LiveAccessTest, WhoAsksBehindACommandIsNotShownThePauseBeforeIt) {
  start();
  for (std::int64_t k = 0; k < 100; ++k) {
    ASSERT_EQ(live().command(Command::step, 1, "tester"), "");
    EXPECT_EQ(snapshot()->frame, k);
    wait_for(State::pause);
  }
  ASSERT_EQ(live().command(Command::pause, 0, "tester"), "");
  EXPECT_EQ(snapshot()->frame, 99) << "it stays in Pause, and is seen";
}

TEST_F(LiveAccessTest, LivesOnHoweverMuchIsAskedWhileItStandsStill) {
  start();
  const std::int64_t before = snapshot()->rig.heartbeats;
  while (snapshot()->rig.heartbeats < before + 5) {
  }
}

TEST_F(LiveAccessTest, ReleasingAnArrayEndsTheForcesOfAllItsElements) {
  start();
  EXPECT_TRUE(written({make(Kind::force, "types.ds[0]", 1), make(Kind::force, "types.ds[1]", 2)}).applied);
  EXPECT_TRUE(written({make(Kind::release, "types.ds")}).applied);
  EXPECT_THAT(forced(), IsEmpty());
  const LiveDone done = written({make(Kind::set, "types.ds[0]", 3), make(Kind::set, "types.ds[1]", 4)});
  EXPECT_TRUE(done.applied) << done.problem;
}

TEST_F(LiveAccessTest, OneRequestReleasesAnArrayAndWritesAnElementThatWasForced) {
  start();
  EXPECT_TRUE(written({make(Kind::force, "types.ds[1]", 1)}).applied);
  const LiveDone done = written({make(Kind::release, "types.ds"), make(Kind::set, "types.ds[1]", 3)});
  EXPECT_TRUE(done.applied) << done.problem;
  EXPECT_THAT(forced(), IsEmpty());
  EXPECT_EQ(value(*snapshot(), "types.ds[1]"), 3);
}

TEST_F(LiveAccessTest, AnArrayIsNotWrittenWhileAnElementOfItStaysForced) {
  start();
  EXPECT_TRUE(written({make(Kind::force, "types.ds[0]", 1), make(Kind::force, "types.ds[1]", 2)}).applied);
  LiveWrite whole = make(Kind::set, "types.ds");
  whole.bytes.resize(sizeof(double) * ref("types.ds").elements);
  const LiveDone done = written({make(Kind::release, "types.ds[0]"), whole});
  EXPECT_FALSE(done.applied);
  EXPECT_THAT(done.problem, HasSubstr("'types.ds' is forced; release it first"));
  EXPECT_THAT(forced(), ElementsAre("types.ds[0]", "types.ds[1]")) << "nothing was changed";
}

TEST_F(LiveAccessTest, AnElementOfAnArrayThatIsForcedAsAWholeIsNotForcedOrReleasedAlone) {
  start();
  LiveWrite whole = make(Kind::force, "types.ds");
  whole.bytes.resize(sizeof(double) * ref("types.ds").elements);
  EXPECT_TRUE(written({whole}).applied);
  const auto refused = HasSubstr("'types.ds[1]' belongs to 'types.ds', which is forced as a whole");
  EXPECT_THAT(write({make(Kind::force, "types.ds[1]", 2)}), ElementsAre(refused));
  EXPECT_THAT(write({make(Kind::release, "types.ds[1]")}), ElementsAre(refused));
  EXPECT_THAT(forced(), ElementsAre("types.ds")) << "the other elements keep their force";
  EXPECT_TRUE(written({make(Kind::release, "types.ds"), make(Kind::force, "types.ds[1]", 2)}).applied);
  EXPECT_THAT(forced(), ElementsAre("types.ds[1]"));
  EXPECT_TRUE(written({whole}).applied) << "a whole array replaces its elements";
  EXPECT_THAT(forced(), ElementsAre("types.ds"));
}

TEST_F(LiveAccessTest, AnElementOfAnArrayThatAnActionForcesAsAWholeIsNotForcedOrReleasedAlone) {
  start(kRig + "commands:\n  - { at: 0 s, do: { force: { types.ds: [1 m, 2 m, 3 m] } } }\n");
  ASSERT_EQ(live().command(Command::step, 3, "tester"), "");
  while (snapshot()->frame < 2) {
  }
  const auto refused = HasSubstr("'types.ds[1]' belongs to 'types.ds', which is forced as a whole");
  for (const Kind kind : {Kind::release, Kind::force}) {
    const LiveDone done = written({make(kind, "types.ds[1]", 9)});
    EXPECT_FALSE(done.applied);
    EXPECT_THAT(done.problem, refused);
  }
  EXPECT_THAT(written({make(Kind::set, "types.ds[2]", 9)}).problem,
              HasSubstr("'types.ds[2]' is forced; release it first"))
      << "the other elements keep their force";
  EXPECT_TRUE(written({make(Kind::release, "types.ds[1]"), make(Kind::release, "types.ds")}).applied);
  EXPECT_TRUE(written({make(Kind::set, "types.ds[2]", 9)}).applied);
}

TEST_F(LiveAccessTest, TheLastFrameTakesAChangeAndTheOneAfterItDoesNot) {
  start(kRig, 10);
  EXPECT_THAT(write({make(Kind::set, "source.u", 1)}, 10),
              ElementsAre("frame 10 is never run: the run ends after frame 9"));
  EXPECT_THAT(write({make(Kind::set, "source.u", 1)}, 9), IsEmpty());
}

TEST_F(LiveAccessTest, RefusesWhatIsWrongAndNamesAllOfIt) {
  start();
  const auto problems = write(
      {make(Kind::set, "sink.u", 1), make(Kind::set, "rt.work", 1),
       make(Kind::set, "source.u", std::numeric_limits<double>::quiet_NaN()), make(Kind::set, "source.u", 1)},
      -5);
  tactus::test::Snapshot texts;
  texts.add(problems);
  texts.add(write({}));
  EXPECT_EQ(value(*snapshot(), "source.u"), 0);
}

TEST_F(LiveAccessTest, ForcesHoldUntilTheyAreReleasedAndAreListed) {
  start();
  EXPECT_TRUE(written({make(Kind::force, "sink.u", 5), make(Kind::force, "types.ds[1]", 1)}).applied);
  EXPECT_THAT(forced(), ElementsAre("sink.u", "types.ds[1]"));
  EXPECT_THAT(write({make(Kind::set, "types.ds[1]", 5)}),
              ElementsAre(HasSubstr("is forced; release it first")));
  ASSERT_EQ(live().command(Command::step, 10, "tester"), "");
  LiveSnapshotPtr after = snapshot();
  while (after->frame < 9) after = snapshot();
  EXPECT_EQ(value(*after, "sink.y"), 5);
  EXPECT_TRUE(written({make(Kind::release, "sink.u")}).applied);
  EXPECT_THAT(forced(), ElementsAre("types.ds[1]"));
  EXPECT_TRUE(written({LiveWrite{Kind::release_all, {}, {}}}).applied);
  EXPECT_THAT(forced(), IsEmpty());
}

TEST_F(LiveAccessTest, SaysWhoWritesAVariable) {
  start();
  const auto writer = [&](const std::string& name) { return live().writer_of(ref(name).variable); };
  using What = LiveWriter::What;
  EXPECT_EQ(writer("source.k").what, What::parameter);
  EXPECT_EQ(writer("sink.k").what, What::model);
  EXPECT_EQ(writer("sink.k").who, "sink");
  EXPECT_EQ(writer("sink.u").what, What::connection);
  EXPECT_EQ(writer("sink.u").who, "source.y");
  EXPECT_EQ(writer("rt.work").what, What::executive);
  EXPECT_TRUE(written({make(Kind::set, "source.k", 3), make(Kind::force, "sink.u", 5)}).applied);
  EXPECT_EQ(writer("source.k").what, What::set);
  EXPECT_EQ(writer("source.k").who, "tester");
  EXPECT_EQ(writer("source.k").frame, 0);
  EXPECT_EQ(writer("sink.u").what, What::force);
  EXPECT_EQ(writer("sink.u").who, "tester");
  const std::int64_t changed = live().forces_changed();
  EXPECT_TRUE(written({make(Kind::set, "source.k", 4)}).applied);
  EXPECT_EQ(live().forces_changed(), changed) << "a set is no force";
  EXPECT_TRUE(written({make(Kind::release, "sink.u")}).applied);
  EXPECT_GT(live().forces_changed(), changed);
  EXPECT_EQ(writer("sink.u").what, What::connection) << "as before";
}

TEST_F(LiveAccessTest, WhatWasSetBeforeAResetOrALoadIsNotSetAnyMore) {
  start();
  const auto writer = [&](const std::string& name) { return live().writer_of(ref(name).variable); };
  const auto restore = [&](const CommandCall& call) {
    std::promise<std::string> done;
    const auto then = [&](const std::string& failed) { done.set_value(failed); };
    while (!live().give_until_done(call, "tester", then).empty()) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(done.get_future().get(), "");
  };
  using What = LiveWriter::What;
  EXPECT_TRUE(written({make(Kind::set, "source.k", 3)}).applied);
  EXPECT_EQ(writer("source.k").what, What::set);
  restore({Command::reset});
  EXPECT_EQ(writer("source.k").what, What::parameter);
  ASSERT_EQ(live().give({Command::checkpoint, 0, "here"}, "tester"), "");
  EXPECT_TRUE(written({make(Kind::set, "source.k", 4)}).applied);
  restore({Command::load, 0, "here"});
  EXPECT_EQ(writer("source.k").what, What::checkpoint);
  EXPECT_EQ(writer("source.u").what, What::checkpoint) << "an input that nothing feeds";
  EXPECT_EQ(writer("sink.u").what, What::connection);
  EXPECT_EQ(writer("sink.y").what, What::model);
  EXPECT_TRUE(written({make(Kind::set, "source.k", 5)}).applied);
  EXPECT_EQ(writer("source.k").what, What::set);
  restore({Command::reset});
  EXPECT_EQ(writer("source.k").what, What::parameter);
  EXPECT_EQ(writer("source.u").what, What::model);
}

TEST_F(LiveAccessTest, ACheckpointInPauseDoesNotHaveWhatIsSetBehindIt) {
  start();
  for (int k = 0; k < 20; ++k) {
    EXPECT_TRUE(written({make(Kind::set, "source.k", 3)}).applied);
    const std::string name = "before-" + std::to_string(k);
    ASSERT_EQ(live().give({Command::checkpoint, 0, name}, "tester"), "");
    EXPECT_TRUE(written({make(Kind::set, "source.k", 4)}).applied);
    while (!std::filesystem::exists(folder_.path() / "checkpoints" / (name + ".tck")))
      std::this_thread::sleep_for(1ms);
    std::promise<std::string> done;
    ASSERT_EQ(live().give_until_done({Command::load, 0, name}, "tester",
                                     [&](const std::string& failed) { done.set_value(failed); }),
              "");
    ASSERT_EQ(done.get_future().get(), "");
    EXPECT_EQ(value(*snapshot(), "source.k"), 3) << k;
  }
}

TEST_F(LiveAccessTest, AForceIsKnownWithItsValueItsClientAndItsFrame) {
  start();
  EXPECT_TRUE(written({make(Kind::force, "types.ds[1]", 1.25)}).applied);
  const std::vector<LiveForce> forces = live().forces();
  ASSERT_EQ(forces.size(), 1U);
  EXPECT_EQ(forces[0].name, "types.ds[1]");
  EXPECT_EQ(forces[0].who, "tester");
  EXPECT_EQ(forces[0].frame, 0);
  double value = 0;
  std::memcpy(&value, forces[0].bytes.data(), 8);
  EXPECT_EQ(value, 1.25);
}

TEST_F(LiveAccessTest, SaysWhichCommandsWouldBeRefused) {
  start();
  using enum Command;
  EXPECT_THAT(live().command_problem(Command::pause), HasSubstr("in Pause already"));
  for (const Command command : {resume, step, run_until, reset, stop, checkpoint, load})
    EXPECT_EQ(live().command_problem(command), "") << name_of(command);
  ASSERT_EQ(live().command(resume, 0, "tester"), "");
  while (snapshot()->frame < 3) continue;
  EXPECT_EQ(live().command_problem(Command::pause), "");
  EXPECT_THAT(live().command_problem(resume), HasSubstr("not in Pause"));
  EXPECT_THAT(live().command_problem(load), HasSubstr("pause it first"));
  EXPECT_EQ(live().command_problem(stop), "");
}

TEST_F(LiveAccessTest, ARigWithoutCheckpointsRefusesThem) {
  start(kRig + "checkpoint: { enabled: no }\n");
  EXPECT_THAT(live().command_problem(Command::checkpoint), HasSubstr("enabled: no"));
  EXPECT_THAT(live().command_problem(Command::load), HasSubstr("enabled: no"));
  EXPECT_NE(live().command_problem(Command::reset), "");
  EXPECT_EQ(live().command_problem(Command::resume), "");
}

TEST_F(LiveAccessTest, TheJournalIsReadAsAList) {
  start();
  EXPECT_TRUE(written({make(Kind::set, "source.u", 3)}).applied);
  ASSERT_EQ(live().command(Command::step, 2, "tester"), "");
  while (snapshot()->frame < 1) continue;
  EXPECT_TRUE(written({make(Kind::force, "sink.u", 5)}).applied);
  const LiveEntries all = live().entries(LiveList::journal, 0, 100);
  ASSERT_EQ(all.entries.size(), 3U);
  EXPECT_EQ(all.last, live().last_entry(LiveList::journal));
  std::vector<Json> lines = journal();
  ASSERT_EQ(lines.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    Json entry = *all.entries[i];
    EXPECT_EQ(entry["n"], i + 1);
    entry.erase("n");
    EXPECT_EQ(entry, lines[i]) << "as the file has it";
  }
}

TEST_F(LiveAccessTest, TheLogIsReadAsAList) {
  start();
  const LiveEntries log = live().entries(LiveList::log, 0, 1000);
  ASSERT_FALSE(log.entries.empty());
  bool found = false;
  for (const auto& entry : log.entries) {
    EXPECT_TRUE(entry->at("level") == "info" || entry->at("level") == "warning");
    found = found || entry->at("text").get<std::string>().starts_with("rig r, not in real time");
  }
  EXPECT_TRUE(found);
}

/// Takes all rows that there are.
std::vector<LiveFrames::Row> drain(LiveFrames& frames, std::vector<double>& values) {
  std::vector<LiveFrames::Row> rows;
  for (auto row = frames.front(); row; row = frames.front()) {
    double value = 0;
    std::memcpy(&value, row->values, 8);
    values.push_back(value);
    rows.push_back(*row);
    frames.release();
  }
  return rows;
}

TEST_F(LiveAccessTest, EveryFrameIsFollowed) {
  start();
  EXPECT_TRUE(written({make(Kind::set, "source.u", 3)}).applied);
  std::string problem;
  const auto frames = live().follow({ref("rt.frame"), ref("sink.y")}, problem);
  ASSERT_NE(frames, nullptr) << problem;
  ASSERT_EQ(live().command(Command::step, 500, "tester"), "");
  while (snapshot()->frame < 499) continue;
  std::int64_t expected = 0;
  for (auto row = frames->front(); row; row = frames->front(), ++expected) {
    EXPECT_EQ(row->frame, expected);
    EXPECT_EQ(row->number, static_cast<std::uint64_t>(expected));
    std::int64_t frame = 0;
    double y = 0;
    std::memcpy(&frame, row->values, 8);
    std::memcpy(&y, row->values + 8, 8);
    EXPECT_EQ(frame, expected) << "rt.* are those of the frame itself";
    EXPECT_EQ(y, expected == 0 ? y : 6);
    frames->release();
  }
  EXPECT_EQ(expected, 500);
}

TEST_F(LiveAccessTest, AFollowerSeesThatTheRigWentBack) {
  start();
  std::string problem;
  const auto frames = live().follow({ref("source.y")}, problem);
  ASSERT_EQ(live().command(Command::step, 5, "tester"), "");
  while (snapshot()->frame < 4) continue;
  ASSERT_EQ(live().command(Command::reset, 0, "tester"), "");
  while (snapshot()->frame > 3) continue;
  ASSERT_EQ(live().command(Command::step, 2, "tester"), "");
  std::vector<std::int64_t> numbers;
  std::vector<double> values;
  while (numbers.size() < 7)
    for (const LiveFrames::Row& row : drain(*frames, values)) numbers.push_back(row.frame);
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 3, 4, 0, 1));
}

TEST_F(LiveAccessTest, SoManyFollowAtATime) {
  start();
  std::vector<std::unique_ptr<LiveFrames>> all;
  std::string problem;
  for (int i = 0; i < 8; ++i) {
    all.push_back(live().follow({ref("source.y")}, problem));
    ASSERT_NE(all.back(), nullptr) << problem;
  }
  EXPECT_EQ(live().follow({ref("source.y")}, problem), nullptr);
  EXPECT_THAT(problem, HasSubstr("8 streams of frames are open already"));
  all.pop_back();
  EXPECT_NE(live().follow({ref("source.y")}, problem), nullptr);
  stop();
  EXPECT_EQ(live().follow({ref("source.y")}, problem), nullptr);
  EXPECT_EQ(problem, "the run has ended");
}

TEST_F(LiveAccessTest, TheRunTellsOfItself) {
  start();
  const auto report = [&](LiveReport which) {
    std::promise<Json> promise;
    live().report(which, [&](Json made) { promise.set_value(std::move(made)); });
    return promise.get_future().get();
  };
  ASSERT_EQ(live().command(Command::step, 50, "tester"), "");
  while (snapshot()->frame < 49) continue;
  Json jobs = report(LiveReport::jobs);
  while (jobs["frame"] != 49) jobs = report(LiveReport::jobs);
  EXPECT_EQ(jobs["measured"], true);
  bool found = false;
  for (const Json& job : jobs["jobs"]) {
    if (job["name"] != "source.step") continue;
    found = true;
    EXPECT_EQ(job["calls"].get<std::int64_t>() * job["cycle_ns"].get<std::int64_t>(), 50'000'000);
    EXPECT_EQ(job["thread"], "main");
    EXPECT_GE(job["time_ns"]["max"], job["time_ns"]["p50"]);
  }
  EXPECT_TRUE(found) << jobs;
  const Json timing = report(LiveReport::timing);
  EXPECT_EQ(timing["work"]["count"], 50);
  std::int64_t counted = 0, end = INT64_MIN;
  for (const Json& bucket : timing["work"]["buckets"]) {
    EXPECT_GE(bucket[0].get<std::int64_t>(), end) << "ascending";
    end = bucket[1].get<std::int64_t>();
    EXPECT_LT(bucket[0].get<std::int64_t>(), end);
    counted += bucket[2].get<std::int64_t>();
  }
  EXPECT_EQ(counted, 50);
  EXPECT_EQ(timing["totals"]["frames_run"], 50);
  EXPECT_EQ(report(LiveReport::clock)["external"], Json());
  EXPECT_EQ(report(LiveReport::link)["linked"], false);
  EXPECT_EQ(report(LiveReport::drivers)["drivers"][0]["kind"], "clock");
  std::vector<std::string> names;
  const Json threads = report(LiveReport::threads);
  for (const Json& thread : threads["threads"]) names.push_back(thread["name"]);
  EXPECT_THAT(names, Contains("main"));
  const Json doctor = report(LiveReport::doctor);
  EXPECT_GT(doctor["facts"].size(), 5U);
  int facts = 0;
  for (const auto& [grade, count] : doctor["counts"].items()) facts += count.get<int>();
  EXPECT_EQ(facts, static_cast<int>(doctor["facts"].size()));
  stop();
  EXPECT_TRUE(report(LiveReport::timing).is_null()) << "the run is over";
}

TEST_F(LiveAccessTest, TheFlightRecorderIsRead) {
  start();
  const auto trace = [&](LiveTraceCall call) {
    std::promise<LiveTrace> promise;
    live().trace(call, [&](LiveTrace made) { promise.set_value(std::move(made)); });
    return promise.get_future().get();
  };
  EXPECT_EQ(trace({}).outcome, LiveTrace::Outcome::no_frame) << "none has ended";
  ASSERT_EQ(live().command(Command::step, 50, "tester"), "");
  while (snapshot()->frame < 49) continue;
  const LiveTrace some = trace({30, 5, 3, false});
  ASSERT_EQ(some.outcome, LiveTrace::Outcome::done) << some.problem;
  EXPECT_EQ(some.json["first"], 25);
  EXPECT_EQ(some.json["last"], 33);
  EXPECT_EQ(some.json["frames"].size(), 9U);
  EXPECT_FALSE(some.json["threads"][0]["jobs"].empty());
  EXPECT_EQ(trace({}).json["frame"], 49) << "the last one";
  EXPECT_EQ(trace({3, 100, 0, false}).json["first"], 0) << "as many as there are";
  const LiveTrace none = trace({50, 5, 3, false});
  EXPECT_EQ(none.outcome, LiveTrace::Outcome::no_frame);
  EXPECT_THAT(none.problem, HasSubstr("it holds frames 0 to 49"));
  const LiveTrace file = trace({30, 5, 3, true});
  EXPECT_GT(file.bytes.size(), 500U);
  stop();
  EXPECT_EQ(trace({}).outcome, LiveTrace::Outcome::no_recorder);
}

TEST_F(LiveAccessTest, WithoutAFlightRecorderThatIsSaid) {
  start(kRig + "flight_recorder: { enabled: no }\n");
  std::promise<LiveTrace> promise;
  live().trace({}, [&](LiveTrace made) { promise.set_value(std::move(made)); });
  const LiveTrace none = promise.get_future().get();
  EXPECT_EQ(none.outcome, LiveTrace::Outcome::no_recorder);
  EXPECT_THAT(none.problem, HasSubstr("flight_recorder: { enabled: no }"));
}

TEST_F(LiveAccessTest, OneFrameTakesSoMuchAndNoMore) {
  start();
  std::vector<LiveWrite> writes(1024, make(Kind::release, "sink.u"));
  writes.push_back(make(Kind::set, "source.u", 1));
  EXPECT_THAT(write(writes, 1000), ElementsAre(HasSubstr("one frame takes 1024 changes")));
  writes.pop_back();
  writes.back() = make(Kind::set, "source.u", 1);
  EXPECT_THAT(write(writes, 1000), IsEmpty());
  EXPECT_THAT(write({make(Kind::set, "source.u", 1)}, 1000), ElementsAre(HasSubstr("one frame takes")));
  EXPECT_THAT(write({make(Kind::set, "source.u", 1)}, 1001), IsEmpty());
}

TEST_F(LiveAccessTest, ThereIsAlwaysRoomToTakeTheHandsOff) {
  start();
  int sent = 0;
  while (sent < 2000 &&
         live().write({{make(Kind::set, "source.u", 1)}, 1'000'000 + sent, "tester"}, nullptr).empty())
    ++sent;
  EXPECT_EQ(sent, 960);
  EXPECT_THAT(
      write({make(Kind::set, "source.u", 1)}),
      ElementsAre(AllOf(HasSubstr("960 requests wait or hold a force already"), HasSubstr("release"))));
  EpisodeRequest empty;
  empty.stop = "2005-02-15T00:00:00.001Z";
  EXPECT_THAT(episode(empty).problems, IsEmpty()) << "it needs no room";
  answered_ = false;
  EXPECT_TRUE(written({LiveWrite{Kind::release_all, {}, {}}}).applied);
  EXPECT_TRUE(written({make(Kind::set, "source.u", 1)}).applied);
}

TEST_F(LiveAccessTest, AnEpisodeIsNotBegunByARigThatIsAboutToRun) {
  start();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(live().command(Command::step, 3, "tester"), "");
    EpisodeRequest request;
    request.in = {in("source", "u", 5)};
    request.stop = config::print_date(live().facts().epoch_ns + std::int64_t{i + 1} * 1'000'000'000);
    const EpisodeEnd end = episode(request);
    if (!end.problems.empty()) {  // nothing of it was done
      EXPECT_TRUE(end.conflict) << ::testing::PrintToString(end.problems);
    } else {  // all of it was
      EXPECT_EQ(end.frame, (i + 1) * 1000);
      EXPECT_EQ(value(*snapshot(), "source.u"), 5);
    }
    wait_for(State::pause);
    (void)written({make(Kind::set, "source.u", 0)});
  }
}

TEST_F(LiveAccessTest, AValueThatIsAskedForOftenIsKeptOnce) {
  start();
  EpisodeRequest request;
  request.stop = "2005-02-15T00:00:00.010Z";
  for (int i = 0; i < 5000; ++i) request.out.push_back({"types", i % 2 == 0 ? "ds" : "ds[1]", request.stop});
  const EpisodeEnd end = episode(request);
  ASSERT_THAT(end.problems, IsEmpty());
  EXPECT_EQ(json(end.out[4998]), (Json{0.0, 0.0, 0.0}));
  EXPECT_EQ(json(end.out[4999]), 0.0);
}

TEST_F(LiveAccessTest, ManyWrongNamesCostLittleAndAreNotAllListed) {
  start();
  EpisodeRequest request;
  for (int i = 0; i < 4096; ++i) request.in.push_back(in("source", "wrong" + std::to_string(i), 1));
  const EpisodeEnd end = episode(request);
  EXPECT_EQ(end.problems.size(), 101U);
  EXPECT_THAT(end.problems.back(), HasSubstr("maybe more"));
  EXPECT_THAT(end.problems.front(), HasSubstr("there are: source."));
}

TEST_F(LiveAccessTest, WhatIsSetInPauseCanBeReadAtOnceOnAnAsynchronousThreadToo) {
  std::string apart = kRig;
  apart.replace(
      apart.find("main: { policy: other } }"), 25,
      "main: { policy: other }, workers: { slow: { kind: asynchronous_must_finish, period: 4 ms, policy: "
      "other } } }");
  apart.replace(
      apart.find("  types:"), 0,
      "  other: { model: gain, library: ./libmodels.so, thread: slow, jobs: { step: { cycle: 4 ms }, "
      "control: { cycle: 4 ms } } }\n");
  start(apart);
  EXPECT_TRUE(written({make(Kind::set, "other.k", 7)}).applied);
  EXPECT_EQ(value(*snapshot(), "other.k"), 7);
}

TEST_F(LiveAccessTest, WithoutAJournalOnlyReleasesAreTaken) {
  std::filesystem::create_directory(folder_.path() / "journal.jsonl");  // nobody can write that
  start();
  (void)written({make(Kind::force, "sink.u", 1)});
  while (forced().empty()) std::this_thread::sleep_for(1ms);
  EXPECT_THAT(write({make(Kind::set, "source.u", 1)}), ElementsAre(HasSubstr("journal.jsonl")));
  EXPECT_TRUE(written({make(Kind::release, "sink.u")}).applied);
}

TEST_F(LiveAccessTest, KeepsAJournalOfEveryChangeAndOrder) {
  start();
  (void)written({make(Kind::force, "sink.u", 5)}, 3 - 3);
  ASSERT_EQ(live().command(Command::step, 7, "somebody"), "");
  stop();
  const std::vector<Json> lines = journal();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["frame"], 0);
  EXPECT_EQ(lines[0]["what"], "force");
  EXPECT_EQ(lines[0]["variable"], "sink.u");
  EXPECT_EQ(lines[0]["value"], 5.0);
  EXPECT_EQ(lines[0]["who"], "tester");
  EXPECT_EQ(lines[1]["what"], "step");
  EXPECT_EQ(lines[1]["frames"], 7);
  EXPECT_EQ(lines[1]["who"], "somebody");
  EXPECT_THAT(lines[1]["time"].get<std::string>(), HasSubstr("T"));
  EXPECT_EQ(run_->summary()["live"]["forced_at_end"][0], "sink.u");
}

TEST_F(LiveAccessTest, TheJournalIsOfABoundedSizeAndTheSummaryCountsWhatIsLeftOut) {
  start(kRig + "log: { max_journal: 64 KiB }\n");
  const std::string who(1000, 'x');
  for (int k = 0; k < 100; ++k) ASSERT_EQ(live().command(Command::pause, 0, who), "");
  EXPECT_TRUE(written({make(Kind::set, "source.u", 3)}).applied) << "it is done, but not written";
  stop();
  EXPECT_LE(std::filesystem::file_size(folder_.path() / "journal.jsonl"), 64U << 10);
  const Json summary = run_->summary()["live"];
  EXPECT_GT(summary["journal_lines_left_out"], 0);
  EXPECT_EQ(journal().size() + summary["journal_lines_left_out"].get<std::size_t>(), 101U);
  std::ifstream file(folder_.path() / "log.txt");
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  const std::size_t at = log.find("(journal.jsonl) has reached log.max_journal (65536 bytes)");
  ASSERT_NE(at, std::string::npos) << log;
  EXPECT_EQ(log.find("has reached log.max_journal", at + 30), std::string::npos) << "it is told once";
}

TEST_F(LiveAccessTest, ACheckpointIsLoadedWhileTheRigIsPaused) {
  start();
  const auto run_to = [&](std::int64_t frame) {
    EXPECT_EQ(live().command(Command::run_until, (frame + 1) * 1'000'000, "tester"), "");
    LiveSnapshotPtr at = snapshot();
    while (at->frame != frame || at->rig.state != State::pause) at = snapshot();
    return at;
  };
  (void)written({make(Kind::set, "source.u", 3)});
  (void)run_to(9);
  ASSERT_EQ(live().give({Command::checkpoint, 0, "here"}, "tester"), "");
  const std::filesystem::path file = folder_.path() / "checkpoints/here.tck";
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(1ms);
  (void)written({make(Kind::set, "source.u", 4)});
  EXPECT_EQ(value(*run_to(29), "sink.y"), 8);
  (void)written({make(Kind::force, "sink.u", 5)});
  while (forced().empty()) std::this_thread::sleep_for(1ms);
  ASSERT_EQ(live().give({Command::load, 0, "here"}, "tester"), "");
  LiveSnapshotPtr back = snapshot();
  while (back->frame != 9 || back->rig.state != State::pause) back = snapshot();
  EXPECT_EQ(value(*back, "source.u"), 3) << "what was set afterwards is gone";
  while (!forced().empty()) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(value(*run_to(29), "sink.y"), 6) << "and it goes on from there";
  EXPECT_EQ(journal().back()["what"], "run_until");
  stop();
  std::ifstream text(folder_.path() / "log.txt");
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(text), {}),
              HasSubstr("here.tck: the rig continues at frame 10"));
  const std::vector<Json> lines = journal();
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const Json& line) {
    return line["what"] == "load" && line["name"] == "here" && line["who"] == "tester";
  }));
}

TEST_F(LiveAccessTest, ACheckpointThatCannotBeLoadedIsRefusedAndNothingHappens) {
  start();
  const auto load = [&](const std::string& name) { return live().give({Command::load, 0, name}, ""); };
  EXPECT_THAT(load("none"), HasSubstr("none.tck"));
  for (const char* const name : {"", "../x", "/etc/passwd", ".hidden", "a b", "a\nb"})
    EXPECT_THAT(load(name), HasSubstr("is not a name of a checkpoint")) << name;
  std::filesystem::create_directories(folder_.path() / "checkpoints");
  std::ofstream(folder_.path() / "checkpoints/broken.tck") << "no checkpoint";
  EXPECT_NE(load("broken"), "");
  EXPECT_EQ(snapshot()->rig.state, State::pause);
  ASSERT_EQ(live().command(Command::resume, 0, ""), "");
  while (snapshot()->frame < 1) {
  }
  EXPECT_THAT(load("none"), HasSubstr("pause it first"));
}

TEST_F(LiveAccessTest, PausesAtASimulatedTimeBesideOtherCommands) {
  start();
  ASSERT_EQ(live().command(Command::pause, 20'000'000, ""), "");
  ASSERT_EQ(live().command(Command::pause, 10'000'000, ""), "");
  for (const std::int64_t frame : {9, 19}) {
    ASSERT_EQ(live().command(Command::resume, 0, ""), "");
    LiveSnapshotPtr at = snapshot();
    while (at->rig.state != State::pause || at->frame < frame) at = snapshot();
    EXPECT_EQ(at->frame, frame) << "each of them, in the order of their times";
  }
  EXPECT_THAT(live().command(Command::pause, 5'000'000, ""), HasSubstr("is past"));
  for (int k = 0; k < 16; ++k) EXPECT_EQ(live().command(Command::pause, 1'000'000'000'000 + k, ""), "");
  EXPECT_THAT(live().command(Command::pause, 1'000'000'000'000, ""), HasSubstr("too many pauses"));
}

TEST_F(LiveAccessTest, AStopMaySayTheExitStatus) {
  start();
  EXPECT_THAT(live().command(Command::stop, 256, ""), HasSubstr("outside 0 .. 255"));
  ASSERT_EQ(live().command(Command::stop, 7, "tester"), "");
  join();
  EXPECT_EQ(run_->exit_status(), 7);
  EXPECT_EQ(run_->end().outcome, Outcome::stopped);
  EXPECT_EQ(run_->summary()["exit_status"], 7);
}

TEST_F(LiveAccessTest, RecordingsAreSwitchedOffAndOn) {
  start(kRig + "record: { one: { variables: [source.y] }, two: { variables: [source.y] } }\n");
  const auto record = [&](const std::string& name, bool on) {
    return live().give({Command::record, on ? 1 : 0, name}, "");
  };
  EXPECT_THAT(record("three", false), HasSubstr("there is no recording 'three'; there are 'one', 'two'"));
  ASSERT_EQ(record("one", false), "");
  ASSERT_EQ(live().command(Command::step, 10, ""), "");
  while (snapshot()->frame < 9) {
  }
  ASSERT_EQ(record("", true), "");
  ASSERT_EQ(live().command(Command::step, 10, ""), "");
  while (snapshot()->frame < 19) {
  }
  stop();
  const Json recordings = run_->summary()["recordings"];
  EXPECT_EQ(recordings[0]["written"], 10);
  EXPECT_EQ(recordings[1]["written"], 20);
  EXPECT_EQ(recordings[0]["lost"], 0) << "what is switched off is not lost";
}

TEST_F(LiveAccessTest, RealTimeThatTheRunForbidsIsRefused) {
  start();  // as with --no-realtime
  EXPECT_THAT(live().command(Command::realtime, 1, ""), HasSubstr("--no-realtime"));
  EXPECT_EQ(live().command(Command::realtime, 0, ""), "");
}

TEST_F(LiveAccessTest, ASnapshotOfAMultipleIsNeverOfAnotherFrame) {
  start();
  const auto next = [&](std::int64_t every) {
    std::promise<LiveSnapshotPtr> promise;
    live().next_snapshot_of_multiple(every,
                                     [&](LiveSnapshotPtr made) { promise.set_value(std::move(made)); });
    return promise.get_future().get();
  };
  EXPECT_EQ(next(1000)->rig.state, State::pause) << "while time stands, at once";
  ASSERT_EQ(live().command(Command::resume, 0, ""), "");
  std::atomic<bool> enough{false};
  std::thread other([&] {  // wants every frame
    while (!enough) (void)snapshot();
  });
  std::int64_t before = -1;
  for (int k = 0; k < 50; ++k) {
    const LiveSnapshotPtr made = next(7);
    if (made->rig.state == State::pause) continue;
    EXPECT_EQ(made->frame % 7, 0);
    EXPECT_GT(made->frame, before);
    before = made->frame;
  }
  enough = true;
  other.join();
}

TEST_F(LiveAccessTest, ArraysOfTwoDimensionsAreSetReadRecordedAndLoaded) {
  std::string with_table = kRig;
  with_table.replace(
      with_table.find("  types:"), 0,
      "  table: { model: matrix, library: ./libmodels.so, parameters: { m: [[1, 0, 0], [0, 1, 0]] } }\n");
  with_table.replace(with_table.find("connect:\n") + 9, 0, "  - { from: source.y, to: 'table.u[0]' }\n");
  start(with_table + "record: { table: { variables: ['table.m[1][2]', table.cells] } }\n");
  EXPECT_TRUE(written({make(Kind::set, "table.m[1][2]", 7)}).applied);
  EXPECT_EQ(value(*snapshot(), "table.m[1][2]"), 7);
  EXPECT_EQ(value(*snapshot(), "table.m[0][2]"), 0);
  EXPECT_THAT(write({make(Kind::set, "table.m[0][1]", 101)}),
              ElementsAre(HasSubstr("'table.m[0][1]' 101 is outside")));
  (void)written({make(Kind::force, "table.m[0][0]", 2)});
  while (forced().empty()) std::this_thread::sleep_for(1ms);
  EXPECT_THAT(forced(), ElementsAre("table.m[0][0]"));
  ASSERT_EQ(live().give({Command::checkpoint, 0, "here"}, ""), "");
  while (!std::filesystem::exists(folder_.path() / "checkpoints/here.tck")) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(written({make(Kind::set, "table.m[1][2]", 9)}).applied);
  ASSERT_EQ(live().give({Command::load, 0, "here"}, ""), "");
  while (value(*snapshot(), "table.m[1][2]") != 7) std::this_thread::sleep_for(1ms);
  ASSERT_EQ(live().command(Command::step, 5, ""), "");
  while (snapshot()->frame < 4) {
  }
  stop();
  std::ifstream file(folder_.path() / "table.csv");
  std::string header;
  std::getline(file, header);
  EXPECT_THAT(header, HasSubstr("table.m[1][2] {--},table.cells[0][0] {--},table.cells[0][1] {--},"
                                "table.cells[1][0] {--},table.cells[1][1] {--}"));
  std::string problem;
  EXPECT_FALSE(live().find("table.m[1]", problem));
  EXPECT_THAT(problem, HasSubstr("has two dimensions; one element is written [1][0]"));
}

TEST_F(LiveAccessTest, RefusesOrdersThatCannotBe) {
  start();
  EXPECT_THAT(live().command(Command::step, 0, ""), HasSubstr("at least 1"));
  EXPECT_THAT(live().command(Command::run_until, -1, ""), HasSubstr("is past"));
  (void)written({make(Kind::set, "source.u", 3)});
  ASSERT_EQ(live().command(Command::reset, 0, ""), "");
  ASSERT_EQ(live().command(Command::stop, 0, ""), "");
  join();
  EXPECT_EQ(run_->end().outcome, Outcome::stopped);
  EXPECT_THAT(live().command(Command::pause, 0, ""), HasSubstr("has ended"));
  EXPECT_THAT(write({make(Kind::set, "source.u", 3)}), ElementsAre(HasSubstr("has ended")));
}

TEST_F(LiveAccessTest, AResetSetsBackWhereTheRigIsAndNotWhatItHasRun) {
  start();
  ASSERT_EQ(live().command(Command::step, 10, ""), "");
  while (snapshot()->rig.frames < 10) {
  }
  wait_for(State::pause);  // and stays in it: a rig that is reset while it stands still does not begin to run
  EXPECT_EQ(snapshot()->rig.frames_run, 10);
  ASSERT_EQ(live().command(Command::reset, 0, ""), "");
  while (snapshot()->rig.frames >= 10) {
  }
  EXPECT_GE(snapshot()->rig.frames_run, 10);
}

TEST_F(LiveAccessTest, EachNameThatIsProposedExists) {
  start();
  const std::set<std::string> models{"source", "sink", "types", "rt"};
  for (const char* const wrong : {"source.d", "sink.ds", "rt.y", "sourec.u", "sinc.y", "types.latte",
                                  "rt.latte", "tipes.gear", "nothing.u", "nothing.at_all", "source", "u",
                                  "sink.kk", "typse.ds", "source.y.y", "rt.", "soruce.late"}) {
    std::string problem;
    ASSERT_FALSE(live().find(wrong, problem)) << wrong;
    std::size_t proposed = 0;
    for (std::size_t at = problem.find("; "); at != std::string::npos;
         at = problem.find_first_of(",;", at + 1)) {
      std::string name = problem.substr(at + 2);
      for (const char* const words : {"did you mean '", "there are: "})
        if (name.starts_with(words)) name = name.substr(std::strlen(words));
      name = name.substr(0, name.find_first_of(",;'"));
      if (name == "..." || name.empty()) continue;
      std::string none;
      EXPECT_TRUE(live().find(name, none) || models.contains(name)) << wrong << ": " << problem;
      ++proposed;
    }
    EXPECT_GT(proposed, 0U) << wrong << ": " << problem;
  }
  std::string problem;
  EXPECT_FALSE(live().find("types.k", problem));
  EXPECT_EQ(problem.find("types.k'?"), std::string::npos)
      << "put together of a model and a variable of another";
}

TEST_F(LiveAccessTest, AResetIsAnsweredWhenTheNextEpisodeMayBegin) {
  start();
  const auto speed = [&](std::int64_t stop) {
    EpisodeRequest request;
    request.stop = date(stop);
    request.in = {in("source", "u", 3)};
    request.out = {{"sink", "y"}};
    return episode(std::move(request));
  };
  const EpisodeEnd first = speed(4);
  EXPECT_THAT(first.problems, IsEmpty());
  for (int k = 0; k < 20; ++k) {
    std::promise<std::string> done;
    ASSERT_EQ(live().give_until_done({Command::reset}, "tester",
                                     [&](const std::string& failed) { done.set_value(failed); }),
              "");
    ASSERT_EQ(done.get_future().get(), "");
    EXPECT_EQ(value(*snapshot(), "source.u"), 0) << "as before the first frame";
    const EpisodeEnd again = speed(4);
    ASSERT_THAT(again.problems, IsEmpty()) << "right behind the answer";
    EXPECT_EQ(again.frame, first.frame);
    ASSERT_EQ(again.out.size(), first.out.size());
    EXPECT_EQ(again.out[0].bytes, first.out[0].bytes);
  }
  EXPECT_EQ(run_->executive().restart().resets(), 20);
}

TEST_F(LiveAccessTest, OneResetAnswersAllThatAskedBeforeIt) {
  start();
  std::atomic<int> answers{0};
  for (int k = 0; k < 5; ++k)
    ASSERT_EQ(live().give_until_done({Command::reset}, "tester",
                                     [&](const std::string& failed) {
                                       EXPECT_EQ(failed, "");
                                       ++answers;
                                     }),
              "");
  while (answers < 5) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(live().state(), State::pause);
  EXPECT_THAT(episode({date(0)}).problems, IsEmpty()) << "none is still to come";
}

TEST_F(LiveAccessTest, AResetThatNeverComesIsAnsweredWhenTheRunEnds) {
  start();
  ASSERT_EQ(live().command(Command::stop, 0, ""), "");
  std::promise<std::string> done;
  const std::string refused = live().give_until_done(
      {Command::reset}, "tester", [&](const std::string& failed) { done.set_value(failed); });
  join();
  if (refused.empty()) {
    EXPECT_THAT(done.get_future().get(), HasSubstr("the run ended before it"));
  }
  EXPECT_THAT(live().give_until_done({Command::reset}, "tester", [](const std::string&) {}),
              HasSubstr("has ended"));
}

TEST_F(LiveAccessTest, ALoadIsAnsweredWhenTheCheckpointIsInPlace) {
  start();
  (void)written({make(Kind::set, "source.u", 3)});
  EXPECT_THAT(episode({date(3)}).problems, IsEmpty());
  ASSERT_EQ(live().give({Command::checkpoint, 0, "here"}, "tester"), "");
  while (!std::filesystem::exists(folder_.path() / "checkpoints/here.tck")) std::this_thread::sleep_for(1ms);
  for (int k = 0; k < 5; ++k) {
    (void)written({make(Kind::set, "source.u", 4)});
    EXPECT_THAT(episode({date(9)}).problems, IsEmpty());
    std::promise<std::string> done;
    ASSERT_EQ(live().give_until_done({Command::load, 0, "here"}, "tester",
                                     [&](const std::string& failed) { done.set_value(failed); }),
              "");
    ASSERT_EQ(done.get_future().get(), "");
    EXPECT_EQ(live().state(), State::pause);
    EXPECT_EQ(value(*snapshot(), "source.u"), 3);
    EXPECT_EQ(snapshot()->frame, 3);
  }
}

TEST_F(LiveAccessTest, WhoWaitsIsAnsweredWhenTheRunEnds) {
  start();
  std::promise<LiveDone> done;
  EXPECT_THAT(live().write({{make(Kind::set, "source.u", 3)}, 1'000'000'000, "tester"},
                           [&](const LiveDone& end) { done.set_value(end); }),
              IsEmpty());
  std::promise<EpisodeEnd> ended;
  live().episode({}, [&](const EpisodeEnd& end) { ended.set_value(end); });
  std::this_thread::sleep_for(5ms);
  stop();
  const LiveDone what = done.get_future().get();
  EXPECT_FALSE(what.applied);
  EXPECT_THAT(what.problem, HasSubstr("the run ended before it"));
  const EpisodeEnd end = ended.get_future().get();
  EXPECT_TRUE(end.ended);
  EXPECT_EQ(end.outcome, "stopped");
}

TEST_F(LiveAccessTest, RunsEpisodesUpToAndWithTheFrameOfTheStopDate) {
  start(kRig, 100);
  EpisodeRequest request;
  request.stop = "2005-02-15T00:00:00.010+00:00";
  request.in = {in("source", "u", 1), in("source", "u", 2, "2005-02-15T00:00:00.004Z")};
  request.out = {{"sink", "y"},
                 {"sink", "y", "2005-02-15T00:00:00.002Z"},
                 {"rt", "frame", "2005-02-15T00:00:00.005Z"},
                 {"types", "ds"}};
  EpisodeEnd end = episode(request);
  EXPECT_THAT(end.problems, IsEmpty());
  EXPECT_FALSE(end.ended);
  EXPECT_EQ(end.frame, 10);
  EXPECT_EQ(end.date, "2005-02-15T00:00:00.01+00:00");
  ASSERT_EQ(end.out.size(), 4U);
  EXPECT_EQ(json(end.out[0]), 4.0);
  EXPECT_EQ(json(end.out[1]), 2.0);
  EXPECT_EQ(json(end.out[2]), 5);
  EXPECT_EQ(json(end.out[3]), (Json{0.0, 0.0, 0.0}));
  EXPECT_EQ(live().state(), State::pause);
  end = episode({});  // to the end
  EXPECT_TRUE(end.ended);
  EXPECT_EQ(end.outcome, "completed");
  EXPECT_EQ(end.frame, 99);
  join();
}

TEST_F(LiveAccessTest, SaysAllThatIsWrongWithAnEpisodeBeforeAnythingRuns) {
  start(kRig, 100);
  EpisodeRequest first;
  first.stop = "2005-02-15T00:00:00.010Z";
  EXPECT_THAT(episode(first).problems, IsEmpty());
  EpisodeRequest request;
  request.stop = "2005-02-15T00:00:00.020Z";
  request.in = {in("source", "u", 1, "2005-02-15T00:00:00.0105Z"),
                in("source", "u", 1, "2005-02-15T00:00:00.005Z"),
                in("source", "u", 1, "2005-02-15T00:00:00.021Z"),
                in("nobody", "u", 1),
                in("source", "q", 1),
                in("source", "u", "a lot"),
                in("sink", "u", 1),
                in("types", "b", 1),
                in("types", "i8", 128),
                in("types", "ds", Json{1, 2}),
                in("source", "u", 1, "yesterday"),
                in("source", "u", 1, "2004-02-15T00:00:00Z")};
  request.out = {{"sink", "none"}, {"sink", "y", "2005-02-15T00:00:00.3Z"}};
  const EpisodeEnd end = episode(request);
  tactus::test::Snapshot texts;
  texts.add(end.problems);
  EXPECT_EQ(snapshot()->frame, 10) << "nothing has run";
  for (const char* const stop :
       {"2005-02-15T00:00:00.010Z", "2005-02-15T00:00:00.0001Z", "2005-02-15T00:00:00.0105Z",
        "2005-02-15T00:00:00.0115Z", "2005-02-15T00:00:00.1005Z", "2005-02-15T00:00:01Z", ""}) {
    EpisodeRequest bad;
    bad.stop = stop;
    texts.add(episode(bad).problems, stop);
  }
  EpisodeRequest to_the_end;
  to_the_end.stop = "2005-02-15T00:00:00.1Z";
  EXPECT_TRUE(episode(to_the_end).ended) << "the end of the run is a stop date, too";
  join();
}

TEST_F(LiveAccessTest, AnAsynchronousThreadTakesWhatHasNoDateWhereItMeetsTheFrames) {
  const std::string text = kRig + R"(
  - { from: source.y, to: other.u, delayed: yes }
)";
  std::string apart = text;
  apart.replace(apart.find("threads: {"), 0, "");
  apart.replace(apart.find("main: { policy: other } }"), 25,
                "main: { policy: other }, workers: { slow: { kind: asynchronous_must_finish, period: 4 ms, "
                "policy: other } } }");
  apart.replace(apart.find("  types:"), 0,
                "  other: { model: gain, library: ./libmodels.so, thread: slow, jobs: { step: { cycle: 4 ms "
                "}, control: { cycle: 4 ms } } }\n");
  start(apart);
  EpisodeRequest request;
  request.stop = "2005-02-15T00:00:00.001Z";
  EXPECT_THAT(episode(request).problems, IsEmpty());
  request.stop = "2005-02-15T00:00:00.010Z";
  request.in = {in("other", "k", 3)};
  request.out = {{"other", "k", "2005-02-15T00:00:00.003Z"}, {"other", "k"}};
  const EpisodeEnd end = episode(request);
  ASSERT_THAT(end.problems, IsEmpty());
  EXPECT_EQ(json(end.out[0]), 1.0);
  EXPECT_EQ(json(end.out[1]), 3.0);
  request.stop = "2005-02-15T00:00:00.020Z";
  request.out.clear();
  request.in = {in("other", "k", 3, "2005-02-15T00:00:00.013Z")};
  EXPECT_THAT(
      episode(request).problems,
      ElementsAre(HasSubstr("exchanges data with the frames only at multiples of 4; choose frame 16")));
}

TEST_F(LiveAccessTest, AnEpisodeEndsThoughSomebodyPausesAndResumesInBetween) {
  start();
  std::promise<EpisodeEnd> ended;
  EpisodeRequest request;
  request.stop = "2005-02-15T00:00:01.000Z";
  live().episode(request, [&](const EpisodeEnd& end) { ended.set_value(end); });
  auto future = ended.get_future();
  while (future.wait_for(0s) != std::future_status::ready) {
    (void)live().command(Command::pause, 0, "tester");
    (void)live().command(Command::resume, 0, "tester");
  }
  EXPECT_EQ(future.get().frame, 1000);
}

TEST_F(LiveAccessTest, AResetInTheMiddleEndsAnEpisodeAndSaysSo) {
  start();
  std::promise<EpisodeEnd> ended;
  live().episode({}, [&](const EpisodeEnd& end) { ended.set_value(end); });
  EXPECT_THAT(live().command(Command::reset, 0, "tester"), HasSubstr("an episode is under way"));
  while (snapshot()->frame < 0) {
  }
  run_->executive().request_reset();  // a model, a signal, the rig file
  EXPECT_THAT(ended.get_future().get().problems, ElementsAre(HasSubstr("was reset or restored")));
}

TEST_F(LiveAccessTest, ManyReadersSeeWholeFramesOnly) {
  start();
  ASSERT_EQ(live().command(Command::resume, 0, "tester"), "");
  std::atomic<int> torn{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&] {
      for (int n = 0; n < 50; ++n) {
        const LiveSnapshotPtr made = snapshot();
        if (made->frame < 0) continue;
        std::int64_t count = -1, frame = -1;
        std::memcpy(&count, made->bytes.data() + live().variables()[ref("sink.long_count").variable].offset,
                    8);
        std::memcpy(&frame, made->bytes.data() + live().variables()[ref("rt.frame").variable].offset, 8);
        torn += count != made->frame || frame != made->frame;
      }
    });
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace tactus::executive::live_access_test
