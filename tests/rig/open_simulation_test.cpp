// SPDX-License-Identifier: Apache-2.0
/// Whole rigs run in this process, in one go and in episodes.
#include "executive/embed/open_simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include "config/date.hpp"
#include "rig_command.hpp"

namespace tactus::executive {

void PrintTo(const EpisodeEnd& end, std::ostream* out) {
  *out << "frame " << end.frame << " of " << end.date << (end.ended ? ", ended " : "") << end.outcome << " "
       << end.reason;
}

namespace test {
namespace {

using namespace std::chrono_literals;
using tactus::test::Arguments;
using tactus::test::example;
using tactus::test::kTimeout;
using tactus::test::read_file;
using tactus::test::summary_of;
using tactus::test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kEpoch = 1'893'456'000'000'000'000;  // 2030-01-01T00:00:00Z
const Arguments kEpochSetting{"epoch=2030-01-01T00:00:00Z"};
constexpr std::int64_t kMillisecond = 1'000'000;

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// As fast as it can, with all that a machine may be late forgiven.
SimulationOptions fast(const TempDir& dir, const std::string& out, Arguments set = {}) {
  SimulationOptions options;
  options.realtime = false;
  options.out = (dir / out).string();
  options.set = kEpochSetting + Arguments{"threads.stuck_after=30 s"} + std::move(set);
  return options;
}

SimulationOptions frames(SimulationOptions options, std::int64_t count) {
  options.frames = count;
  return options;
}

/// Of frame k, for frames of so long.
std::string date_of(std::int64_t frame, std::int64_t period = kMillisecond) {
  return config::print_date(kEpoch + frame * period);
}

EpisodeInput input(const std::string& entity, const std::string& descriptor, config::Json value,
                   std::optional<std::string> date = {}) {
  EpisodeInput made;
  made.entity = entity;
  made.descriptor = descriptor;
  made.date = std::move(date);
  made.value = std::move(value);
  return made;
}

EpisodeOutput output(const std::string& entity, const std::string& descriptor,
                     std::optional<std::string> date = {}) {
  EpisodeOutput made;
  made.entity = entity;
  made.descriptor = descriptor;
  made.date = std::move(date);
  return made;
}

std::vector<std::string> problems_of(OpenSimulation& simulation, const std::optional<std::string>& stop,
                                     const std::vector<EpisodeInput>& in = {},
                                     std::vector<EpisodeOutput> out = {}) {
  try {
    (void)simulation.run_open(stop, in, out);
  } catch (const EpisodeError& error) {
    std::string all;
    for (const std::string& problem : error.problems()) all += (all.empty() ? "" : "\n") + problem;
    EXPECT_EQ(all, error.what());
    return error.problems();
  }
  return {};
}

template <class Error, class Does>
std::string what_of(Does does) {
  try {
    does();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// Until it holds; false at the time limit.
template <class Holds>
bool soon(Holds holds) {
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

TEST(OpenSimulation, GoesOnFromACheckpointBetweenTwoEpisodes) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"), fast(dir, "out", {"checkpoint.every=100 ms"}));
  const auto angle_at = [&](std::int64_t frame) {
    std::vector<EpisodeOutput> out{output("motor", "angle")};
    const EpisodeEnd end = simulation.run_open(date_of(frame), {}, out);
    EXPECT_EQ(end.frame, frame);
    return out[0].number();
  };
  (void)angle_at(150);
  const double first = angle_at(400);
  const std::filesystem::path file = simulation.folder() / "checkpoints/frame-100.tck";
  ASSERT_TRUE(soon([&] { return std::filesystem::exists(file); }));
  simulation.load_checkpoint("frame-100");
  EXPECT_EQ(angle_at(400), first) << "the same frames again";
  EXPECT_THAT(what_of<EpisodeError>([&] { simulation.load_checkpoint("none"); }), HasSubstr("none.tck"));
  EXPECT_THAT(what_of<EpisodeError>([&] { simulation.load_checkpoint("../x"); }),
              HasSubstr("'../x' is not a name of a checkpoint"));
  (void)angle_at(500);
}

TEST(OpenSimulation, BeginsAgainAfterAReset) {
  const TempDir dir;
  OpenSimulation simulation(example("supervised"), fast(dir, "out"));
  const auto angle_at = [&](std::int64_t frame) {
    std::vector<EpisodeOutput> out{output("encoder", "angle")};
    const EpisodeEnd end =
        simulation.run_open(date_of(frame), std::vector{input("controller", "position_reference", 1.0)}, out);
    EXPECT_EQ(end.frame, frame);
    return out[0].number();
  };
  simulation.reset();  // before the first episode, too
  const double first = angle_at(100);
  EXPECT_NE(first, 0);
  for (int k = 0; k < 5; ++k) {
    simulation.reset();
    EXPECT_EQ(simulation.state(), State::pause);
    EXPECT_EQ(angle_at(100), first) << "the same frames again, from frame 0";
  }
  simulation.stop();
  EXPECT_THAT(what_of<EpisodeError>([&] { simulation.reset(); }), HasSubstr("stopped by the program"));
  EXPECT_THAT(what_of<SimulationError>([&] { simulation.reset(); }), HasSubstr("the run is over"));
  EXPECT_EQ(summary_of(dir / "out")["resets"], 6);
}

#ifdef TACTUS_WITH_HTTP
TEST(OpenSimulation, ARigThatAnotherClientHasResumedIsNotTakenBack) {
  const TempDir dir;
  OpenSimulation simulation(
      example("servo"), fast(dir, "out", {"until=for ever", "record.motion.every=1 s", "live={ http: {} }"}));
  (void)simulation.run_open(date_of(4));
  const auto tell = [&](const std::string& command) {
    const tactus::test::Finished done = run(tactus::test::tactus({command, "out"}, dir.path()));
    ASSERT_EQ(done.status, 0) << done;
  };
  tell("resume");
  ASSERT_TRUE(soon([&] { return simulation.state() != State::pause; }));
  EXPECT_THAT(what_of<EpisodeError>([&] { simulation.reset(); }),
              HasSubstr("; a reset begins in Pause: pause it first"));
  EXPECT_THAT(what_of<EpisodeError>([&] { simulation.load_checkpoint("none"); }),
              HasSubstr("; a load begins in Pause: pause it first"));
  tell("pause");
  ASSERT_TRUE(soon([&] { return simulation.state() == State::pause; }));
  simulation.reset();
  EXPECT_EQ(simulation.run_open(date_of(4)).frame, 4);
}
#endif

// Simulation

TEST(Simulation, RunsARigAsTheCommandDoes) {
  const TempDir dir;
  Simulation simulation(example("servo"), frames(fast(dir, "here"), 300));
  EXPECT_EQ(simulation.state(), State::connect);
  EXPECT_FALSE(simulation.over());
  const RunEnd end = simulation.run();
  EXPECT_EQ(end.outcome, Outcome::completed) << end.reason;
  EXPECT_EQ(end.frames, 300);
  EXPECT_EQ(simulation.exit_status(), 0);
  EXPECT_EQ(simulation.state(), State::disconnect);
  EXPECT_TRUE(simulation.over());
  EXPECT_EQ(simulation.folder(), dir / "here");

  const tactus::test::Finished command = run(tactus::test::run_rig(
      "servo", {"--no-realtime", "--frames", "300", "--set", kEpochSetting[0], "--out", "there"},
      dir.path()));
  ASSERT_EQ(command.status, 0) << command;
  EXPECT_EQ(read_file(dir / "here/motion.csv"), read_file(dir / "there/motion.csv"));
  EXPECT_EQ(summary_of(dir / "here")["frames"]["run"], summary_of(dir / "there")["frames"]["run"]);
  EXPECT_EQ(summary_of(dir / "here")["outcome"], "completed");
}

TEST(Simulation, WritesNothingToTheTerminal) {
  const TempDir dir;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  {
    Simulation simulation(example("overrun"), frames(fast(dir, "out"), 50));
    (void)simulation.run();
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Simulation, IsRunOnce) {
  const TempDir dir;
  Simulation simulation(example("servo"), frames(fast(dir, "out"), 5));
  (void)simulation.run();
  EXPECT_THAT(what_of<SimulationError>([&] { (void)simulation.run(); }),
              HasSubstr("the run is over: completed after 5 frames"));
}

TEST(Simulation, AllThatIsWrongWithAFileIsSaidAndNothingIsLeft) {
  const TempDir dir;
  const std::string why = what_of<config::ConfigError>([&] {
    const Simulation simulation(example("servo"),
                                fast(dir, "out", {"frame.period=fast", "models.motor.model=mootor"}));
  });
  EXPECT_THAT(why, HasSubstr("frame.period"));
  EXPECT_THAT(why, HasSubstr("2 problems; nothing was started."));
  EXPECT_FALSE(std::filesystem::exists(dir / "out"));
}

TEST(Simulation, TheWordsOfAnOptionAreThoseOfAProgram) {
  const TempDir dir;
  SimulationOptions options = fast(dir, "out");
  options.until = "ten";
  EXPECT_THAT(what_of<config::ConfigError>([&] { const Simulation simulation(example("servo"), options); }),
              HasSubstr("write for example until 10s"));
  (void)dir.write("out/mine", "text");
  options.until = "10 ms";
  Simulation simulation(example("servo"), options);
  EXPECT_THAT(what_of<config::ConfigError>([&] { (void)simulation.run(); }),
              HasSubstr("the folder is not empty"));
  EXPECT_EQ(read_file(dir / "out/mine"), "text");
  EXPECT_EQ(simulation.end().outcome, Outcome::failed) << "not completed: nothing has run";
  EXPECT_THAT(simulation.end().reason, HasSubstr("the folder is not empty"));
  EXPECT_THAT(what_of<SimulationError>([&] { (void)simulation.run(); }), HasSubstr("could not be started"));
}

TEST(Simulation, AStopFromAnotherThreadEndsItInOrder) {
  const TempDir dir;
  Simulation simulation(example("servo"), fast(dir, "out", {"until=for ever", "record.motion.every=1 s"}));
  std::thread other([&] {
    EXPECT_TRUE(soon([&] { return simulation.state() > State::start; }));
    simulation.stop();
  });
  const RunEnd end = simulation.run();
  other.join();
  EXPECT_EQ(end.outcome, Outcome::stopped);
  EXPECT_EQ(end.reason, "stopped by the program");
  EXPECT_EQ(simulation.exit_status(), 0);
}

TEST(Simulation, AStopThatComesBeforeTheRunEndsItAtItsBeginning) {
  const TempDir dir;
  Simulation simulation(example("servo"), fast(dir, "out", {"until=for ever"}));
  simulation.stop();
  const RunEnd end = simulation.run();
  EXPECT_EQ(end.outcome, Outcome::stopped);
  EXPECT_LE(end.frames, 1);
}

TEST(Simulation, AnAbortIsNoGoodEnd) {
  const TempDir dir;
  Simulation simulation(example("servo"), fast(dir, "out", {"until=for ever", "record.motion.every=1 s"}));
  std::thread other([&] {
    EXPECT_TRUE(soon([&] { return simulation.state() > State::start; }));
    simulation.abort();
  });
  const RunEnd end = simulation.run();
  other.join();
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_EQ(simulation.exit_status(), 1);
}

TEST(Simulation, AModelThatFailsEndsIt) {
  const TempDir dir;
  Simulation simulation(example("overrun"), fast(dir, "out", {"models.load.parameters.throws_at=10 ms"}));
  const RunEnd end = simulation.run();
  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_THAT(end.reason, HasSubstr("load"));
  EXPECT_EQ(simulation.exit_status(), 1);
}

TEST(Simulation, TwoAtOnceAreRefusedTwoInTurnAreNot) {
  const TempDir dir;
  OpenSimulation first(example("servo"), frames(fast(dir, "first"), 10));
  (void)first.run_open(date_of(4));
  Simulation second(example("servo"), frames(fast(dir, "second"), 10));
  EXPECT_THAT(what_of<MachineError>([&] { (void)second.run(); }),
              HasSubstr("another simulation of this process is not over"));
  EXPECT_EQ(first.run().outcome, Outcome::completed);
  Simulation third(example("servo"), frames(fast(dir, "third"), 10));
  EXPECT_EQ(third.run().outcome, Outcome::completed);
  EXPECT_EQ(read_file(dir / "first/motion.csv"), read_file(dir / "third/motion.csv"));
}

TEST(Simulation, TheThreadOfTheCallerIsLeftAsItIs) {
  const TempDir dir;
  char before[16] = {}, after[16] = {};
  cpu_set_t cpus_before, cpus_after;
  ASSERT_EQ(::pthread_getname_np(::pthread_self(), before, sizeof before), 0);
  ASSERT_EQ(::pthread_getaffinity_np(::pthread_self(), sizeof cpus_before, &cpus_before), 0);
  Simulation simulation(example("servo"), frames(fast(dir, "out"), 10));
  (void)simulation.run();
  ASSERT_EQ(::pthread_getname_np(::pthread_self(), after, sizeof after), 0);
  ASSERT_EQ(::pthread_getaffinity_np(::pthread_self(), sizeof cpus_after, &cpus_after), 0);
  EXPECT_STREQ(before, after);
  EXPECT_TRUE(CPU_EQUAL(&cpus_before, &cpus_after));
}

/// In a process of its own: whatever hangs is left behind in it.
TEST(SimulationDeathTest, ARigThatHangsIsLeftBehindWithinSeconds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto hang = [] {
    const TempDir dir;
    const std::filesystem::path rig =
        dir.write("rig.yaml",
                  "rig: r\nframe: { period: 1 ms }\nuntil: 1 s\nmodels:\n  h: { model: hang, "
                  "library: " TACTUS_HANG_LIBRARY ", parameters: { where: frame, at_frame: 5 } }\n");
    std::filesystem::current_path(dir.path());
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome{};
    {
      Simulation simulation(rig.string(), fast(dir, "out"));
      std::thread other([&] {
        (void)soon([] { return std::filesystem::exists("hangs"); });
        simulation.stop();
        simulation.stop();
      });
      outcome = simulation.run().outcome;
      other.join();
    }
    const bool in_time = std::chrono::steady_clock::now() - begin < kTimeout;
    Simulation next(example("servo"), frames(fast(dir, "next"), 5));
    const std::string why = what_of<MachineError>([&] { (void)next.run(); });
    const bool good = outcome == Outcome::aborted && in_time &&
                      why.find("was left behind, as a job of it never returned") != std::string::npos &&
                      std::filesystem::exists(dir / "out/summary.json");
    std::filesystem::current_path("/");
    std::filesystem::remove_all(dir.path());
    std::_Exit(good ? 7 : 8);
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(7), "");
}

// OpenSimulation: cutting a run changes nothing

struct Item {
  std::string entity, descriptor;
};

/// A rig, what may be given to it and taken from it: once per frame, so that its recording has the same.
struct Subject {
  const char* name;
  const char* recording;
  std::int64_t period;
  Arguments set;
  std::vector<std::pair<Item, double>> inputs;  // with the largest value
  std::vector<Item> outputs;
};
void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

const Subject kSubjects[] = {
    {"servo",
     "motion",
     kMillisecond,
     {"record.motion.variables=[trajectory.position, encoder.angle, controller.position_error, "
      "motor.load_torque, motor.speed]"},
     {{{"motor", "load_torque"}, 0.02}, {{"controller", "speed_gain"}, 0.05}},
     {{"trajectory", "position"},
      {"encoder", "angle"},
      {"controller", "position_error"},
      {"motor", "load_torque"}}},
    {"threads",  // with a worker beside main, which owns the car
     "drive",
     10 * kMillisecond,
     {"record.drive.every=10 ms",
      "record.drive.variables=[cycle.speed, driver.accelerator, driver.clutch, car.grade, car.speed, "
      "engine.speed]"},
     {{{"car", "grade"}, 0.1}, {{"driver", "gain"}, 1.0}},
     {{"cycle", "speed"}, {"driver", "accelerator"}, {"driver", "clutch"}, {"car", "grade"}}},
};

class Cutting : public testing::TestWithParam<Subject> {
 protected:
  struct Change {
    std::int64_t frame;
    Item item;
    double value;
  };
  struct Want {
    std::int64_t frame;
    Item item;
  };
  struct Script {
    std::int64_t frames = 0;
    std::vector<Change> changes{};
    std::vector<Want> wants{};
  };

  using Random = std::mt19937;

  static std::int64_t draw(Random& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  }

  static Script draw_script(Random& random) {
    const Subject& subject = GetParam();
    Script script;
    script.frames = draw(random, 1, 120);
    std::map<std::pair<std::int64_t, std::size_t>, double> changes;
    for (std::int64_t i = draw(random, 0, 12); i > 0; --i) {
      const auto which = static_cast<std::size_t>(draw(random, 0, std::ssize(subject.inputs) - 1));
      changes[{draw(random, 0, script.frames - 1), which}] =
          std::uniform_real_distribution<>(0.0, subject.inputs[which].second)(random);
    }
    for (const auto& [at, value] : changes)
      script.changes.push_back({at.first, subject.inputs[at.second].first, value});
    for (std::int64_t i = draw(random, 0, 12); i > 0; --i)
      script.wants.push_back(
          {draw(random, 0, script.frames - 1),
           subject.outputs[static_cast<std::size_t>(draw(random, 0, std::ssize(subject.outputs) - 1))]});
    return script;
  }

  /// The last frames of the episodes; the very last is that of the run.
  static std::vector<std::int64_t> draw_cuts(Random& random, std::int64_t frames) {
    std::vector<std::int64_t> cuts;
    const std::int64_t one_in =
        draw(random, 0, 3) == 0 ? 1 : draw(random, 1, frames);  // 1: after every frame
    for (std::int64_t k = 0; k + 1 < frames; ++k)
      if (draw(random, 1, one_in) == 1) cuts.push_back(k);
    cuts.push_back(frames - 1);
    return cuts;
  }

  /// Runs the script in episodes; the bytes of its recording. `undated`: dates that may be left away often
  /// are.
  static std::string play(const TempDir& dir, const std::string& out, const Script& script,
                          const std::vector<std::int64_t>& cuts, Random* undated,
                          std::vector<std::pair<Want, std::string>>* taken = nullptr) {
    const Subject& subject = GetParam();
    OpenSimulation simulation(example(subject.name), frames(fast(dir, out, subject.set), script.frames));
    std::int64_t first = 0;
    for (const std::int64_t last : cuts) {
      const auto dated = [&](std::int64_t frame, std::int64_t free) -> std::optional<std::string> {
        if (frame == free && undated != nullptr && draw(*undated, 0, 1) == 0) return std::nullopt;
        return date_of(frame, subject.period);
      };
      std::vector<EpisodeInput> in;
      for (const Change& change : script.changes)
        if (change.frame >= first && change.frame <= last)
          in.push_back(
              input(change.item.entity, change.item.descriptor, change.value, dated(change.frame, first)));
      std::vector<EpisodeOutput> wanted;
      std::vector<Want> whose;
      for (const Want& want : script.wants)
        if (want.frame >= first && want.frame <= last) {
          wanted.push_back(output(want.item.entity, want.item.descriptor, dated(want.frame, last)));
          whose.push_back(want);
        }
      const EpisodeEnd end = simulation.run_open(date_of(last, subject.period), in, wanted);
      EXPECT_EQ(end.frame, last);
      EXPECT_EQ(end.date, date_of(last, subject.period));
      if (!end.ended) {
        EXPECT_EQ(simulation.state(), State::pause);
      }
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_FALSE(wanted[i].bytes.empty()) << whose[i].item.descriptor << " at frame " << whose[i].frame;
        if (taken != nullptr && !wanted[i].bytes.empty())
          taken->push_back({whose[i], format_value(wanted[i].type, wanted[i].bytes.data())});
      }
      first = last + 1;
    }
    if (!simulation.over()) {
      const EpisodeEnd end = simulation.run_open();
      EXPECT_TRUE(end.ended);
      EXPECT_EQ(end.outcome, "completed");
    }
    EXPECT_EQ(simulation.end().frames, script.frames);
    return read_file(dir / out / (std::string(subject.recording) + ".csv"));
  }
};

TEST_P(Cutting, ARunIntoAnyEpisodesRecordsTheSameBytes) {
  const TempDir dir;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Script script = draw_script(random);
    const std::string name = std::to_string(seed);
    const std::string whole = play(dir, name + "-whole", script, {script.frames - 1}, nullptr);
    std::vector<std::pair<Want, std::string>> taken;
    for (const char* round : {"-cut", "-cut-again"}) {
      taken.clear();
      const auto cuts = draw_cuts(random, script.frames);
      ASSERT_EQ(play(dir, name + round, script, cuts, &random, &taken), whole) << cuts.size() << " episodes";
    }
    EXPECT_EQ(taken.size(), script.wants.size());
    const tactus::test::Table table =
        tactus::test::read_table(dir / (name + "-whole") / (std::string(GetParam().recording) + ".csv"));
    ASSERT_EQ(std::ssize(table.rows), script.frames);
    for (const auto& [want, value] : taken)
      EXPECT_EQ(value, table.column(want.item.entity + "." +
                                    want.item.descriptor)[static_cast<std::size_t>(want.frame)])
          << want.item.entity << "." << want.item.descriptor << " at frame " << want.frame;
  }
}

TEST_P(Cutting, AfterEveryFrameIsTheSameAsNotAtAll) {
  const TempDir dir;
  Simulation whole(example(GetParam().name), frames(fast(dir, "whole", GetParam().set), 100));
  (void)whole.run();
  Script script;
  script.frames = 100;
  std::vector<std::int64_t> cuts(100);
  for (std::size_t k = 0; k < cuts.size(); ++k) cuts[k] = static_cast<std::int64_t>(k);
  EXPECT_EQ(play(dir, "cut", script, cuts, nullptr),
            read_file(dir / "whole" / (std::string(GetParam().recording) + ".csv")));
}

INSTANTIATE_TEST_SUITE_P(Of, Cutting, testing::ValuesIn(kSubjects), [](const auto& one) {
  const std::string name = one.param.name;
  return name == "threads" ? name : name + "_Nightly";
});

// What is given and taken

const Arguments kTorque{"record.motion.variables=[motor.load_torque]"};

std::vector<std::string> torques(const TempDir& dir) {
  return tactus::test::read_table(dir / "out/motion.csv").column("motor.load_torque");
}

TEST(OpenSimulation, AnInputIsThereBeforeAnyJobOfItsDateAndStays) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"), frames(fast(dir, "out", kTorque), 8));
  (void)simulation.run_open(date_of(3), std::vector{input("motor", "load_torque", 0.25, date_of(2)),
                                                    input("motor", "load_torque", 0.125, date_of(3))});
  (void)simulation.run_open(date_of(5), std::vector{input("motor", "load_torque", "500 mN m")});
  (void)simulation.run_open({}, std::vector{input("motor", "load_torque", 1, date_of(7))});
  EXPECT_THAT(torques(dir), ElementsAre("0", "0", "0.25", "0.125", "0.5", "0.5", "0.5", "1"));
}

TEST(OpenSimulation, AnOutputIsTakenAfterAllJobsOfItsDate) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 400));
  std::vector<EpisodeOutput> out{output("trajectory", "position", date_of(250)),
                                 output("trajectory", "position")};
  (void)simulation.run_open(date_of(300), {}, out);
  (void)simulation.run();
  const auto rows = tactus::test::read_table(dir / "out/motion.csv").column("trajectory.position");
  EXPECT_EQ(format_value(out[0].type, out[0].bytes.data()), rows[250]);
  EXPECT_EQ(format_value(out[1].type, out[1].bytes.data()), rows[300]);
  EXPECT_EQ(out[1].number(), std::stod(rows[300]));
  EXPECT_NE(rows[250], rows[300]);
  EXPECT_THROW((void)out[1].number(1), std::out_of_range);
}

TEST(OpenSimulation, AVariableIsDescribedBeforeAndBetweenEpisodes) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 10));
  for (int round = 0; round < 2; ++round) {
    const EpisodeVariable torque = simulation.describe("motor", "load_torque");
    EXPECT_EQ(torque.type, TACTUS_DOUBLE);
    EXPECT_EQ(torque.count, 0U);
    EXPECT_EQ(torque.unit, "N m");
    EXPECT_EQ(simulation.describe("rt", "frame").type, TACTUS_INT64);
    EXPECT_THAT(what_of<EpisodeError>([&] { (void)simulation.describe("motor", "spede"); }),
                HasSubstr("did you mean 'motor.speed'?"));
    EXPECT_THAT(what_of<EpisodeError>([&] { (void)simulation.describe("mottor", "speed"); }),
                HasSubstr("did you mean 'motor'?"));
    for (const char* const wrong : {"speed[0]", "speed[", "speed[]", "speed[0", "speed[0]]"})
      EXPECT_THAT(what_of<EpisodeError>([&] { (void)simulation.describe("motor", wrong); }),
                  HasSubstr("it is not an array"))
          << wrong;
    (void)simulation.run_open(date_of(round));
  }
}

// What is wrong

TEST(OpenSimulation, AllThatIsWrongIsListedAndNothingRuns) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 20));
  (void)simulation.run_open(date_of(4));
  EpisodeOutput narrow = output("motor", "speed");
  narrow.typed = true;
  narrow.type = TACTUS_FLOAT;
  const std::vector<std::string> problems = problems_of(
      simulation, date_of(9),
      {input("mottor", "load_torque", 1), input("motor", "lode_torque", 1),
       input("motor", "load_torque", "much"), input("motor", "load_torque", 1, date_of(4)),
       input("motor", "load_torque", 1, date_of(10)),
       input("motor", "load_torque", 1, "2030-01-01T00:00:00.0055Z"),
       input("motor", "load_torque", 1, "soon"), input("motor", "voltage", 1), input("rt", "frame", 1)},
      {output("motor", "spede"), output("motor", "speed", date_of(3)), output("motor", "speed", date_of(12)),
       output("", "speed"), narrow});
  const char* const wanted[] = {
      "in[0] (mottor.load_torque): there is no entity 'mottor'",
      "in[1] (motor.lode_torque): there is no variable 'motor.lode_torque'; did you mean "
      "'motor.load_torque'?",
      "in[2] (motor.load_torque): ",
      "in[3] (motor.load_torque): '2030-01-01T00:00:00.004+00:00' is past",
      "in[4] (motor.load_torque): '2030-01-01T00:00:00.01+00:00' is after the stop date",
      "in[5] (motor.load_torque): '2030-01-01T00:00:00.0055Z' is between two frames; choose "
      "2030-01-01T00:00:00.005+00:00 or 2030-01-01T00:00:00.006+00:00",
      "in[6] (motor.load_torque): 'soon' is not a date",
      "in[7] (motor.voltage): ",
      "in[8] (rt.frame): ",
      "out[0] (motor.spede): there is no variable 'motor.spede'; did you mean 'motor.speed'?",
      "out[1] (motor.speed): '2030-01-01T00:00:00.003+00:00' is past",
      "out[2] (motor.speed): '2030-01-01T00:00:00.012+00:00' is after the stop date",
      "out[3] (.speed): ",
      "out[4] (motor.speed): has type float; the variable is double",
  };
  ASSERT_EQ(problems.size(), std::size(wanted)) << testing::PrintToString(problems);
  for (std::size_t i = 0; i < problems.size(); ++i)
    EXPECT_TRUE(problems[i].starts_with(wanted[i])) << problems[i];
  EXPECT_EQ(simulation.state(), State::pause);
  const EpisodeEnd end = simulation.run_open(date_of(5));
  EXPECT_EQ(end.frame, 5);
}

TEST(OpenSimulation, AValueThatIsGivenOftenIsOneProblemEach) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 20));
  const std::string why = ": is given twice for the same date; one value is expected";
  std::vector<EpisodeInput> in(20, input("motor", "load_torque", 1));
  in.push_back(input("motor", "nope", 1));
  const std::vector<std::string> problems = problems_of(simulation, date_of(4), in);
  ASSERT_EQ(problems.size(), 20U) << testing::PrintToString(problems);
  for (std::size_t i = 0; i + 1 < problems.size(); ++i)
    EXPECT_EQ(problems[i], "in[" + std::to_string(i + 1) + "] (motor.load_torque)" + why);
  EXPECT_THAT(problems.back(), testing::StartsWith("in[20] (motor.nope): "));
}

TEST(OpenSimulation, EachWrongStopDateIsRefused) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 20));
  struct Row {
    std::string stop, problem;
  };
  const Row before[] = {
      {"2029-12-31T23:59:59Z", "stop date: '2029-12-31T23:59:59Z' is before the epoch of the rig"},
      {date_of(40), "stop date: '2030-01-01T00:00:00.04+00:00' is after the end of the run"},
      {"2030-01-01T00:00:00", "stop date: '2030-01-01T00:00:00' is not a date: its zone is missing"},
      {"2030-01-01T00:00:00.0000000001Z",
       "stop date: '2030-01-01T00:00:00.0000000001Z' is not a date: the fraction"},
      {"2030-01-01T00:00:00.000000001Z", "stop date: '2030-01-01T00:00:00.000000001Z' is between two frames"},
      {"2261-12-31T23:59:59Z", "stop date: '2261-12-31T23:59:59Z' is after the end of the run"},
  };
  for (const Row& row : before)
    EXPECT_THAT(problems_of(simulation, row.stop), ElementsAre(testing::StartsWith(row.problem))) << row.stop;
  EXPECT_EQ(simulation.run_open("2030-01-01T01:00:00.003+01:00").frame, 3) << "another zone";
  EXPECT_THAT(problems_of(simulation, date_of(3)), ElementsAre(HasSubstr("is past"))) << "the one before";
  EXPECT_THAT(problems_of(simulation, date_of(0)), ElementsAre(HasSubstr("is past")));
  EXPECT_EQ(simulation.run_open(date_of(4)).frame, 4);
}

TEST(OpenSimulation, TheFirstFrameAloneIsAnEpisode) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 3));
  const EpisodeEnd end = simulation.run_open(date_of(0));
  EXPECT_EQ(end.frame, 0);
  EXPECT_FALSE(end.ended);
  EXPECT_EQ(simulation.state(), State::pause);
}

TEST(OpenSimulation, TheEndOfTheRunIsMetOnceAndThenEveryCallIsRefused) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 10));
  EXPECT_EQ(simulation.run_open(date_of(8)).frame, 8);
  std::vector<EpisodeOutput> out{output("motor", "speed")};
  const EpisodeEnd end = simulation.run_open({}, {}, out);
  EXPECT_TRUE(end.ended);
  EXPECT_EQ(end.outcome, "completed");
  EXPECT_EQ(end.frame, 9);
  EXPECT_EQ(end.date, date_of(9));
  EXPECT_FALSE(out[0].bytes.empty()) << "without a date: at the end of the run";
  EXPECT_TRUE(simulation.over());
  EXPECT_TRUE(std::filesystem::exists(dir / "out/summary.json"));
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(what_of<SimulationError>([&] { (void)simulation.run_open(date_of(9)); }),
                HasSubstr("the run is over: completed after 10 frames"));
  EXPECT_THROW((void)simulation.run(), SimulationError);
}

TEST(OpenSimulation, TheLastDateOfTheRunAndTheOneBehindItAreStopDates) {
  for (const std::int64_t last : {9, 10}) {
    const TempDir dir;
    OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 10));
    std::vector<EpisodeOutput> out{output("motor", "speed")};
    const EpisodeEnd end = simulation.run_open(date_of(last), {}, out);
    EXPECT_EQ(end.frame, 9);
    EXPECT_FALSE(out[0].bytes.empty());
    EXPECT_TRUE(end.ended) << "there is nothing left to be paused before";
    EXPECT_EQ(end.outcome, "completed");
    EXPECT_EQ(simulation.end().frames, 10);
  }
}

TEST(OpenSimulation, WithoutAStopDateItIsASimulation) {
  const TempDir dir;
  OpenSimulation open(example("servo"), frames(fast(dir, "open"), 100));
  const RunEnd end = open.run();
  EXPECT_EQ(end.outcome, Outcome::completed);
  EXPECT_EQ(end.frames, 100);
  Simulation closed(example("servo"), frames(fast(dir, "closed"), 100));
  (void)closed.run();
  EXPECT_EQ(read_file(dir / "open/motion.csv"), read_file(dir / "closed/motion.csv"));
}

// Ends

TEST(OpenSimulation, AModelThatFailsEndsItsEpisode) {
  const TempDir dir;
  OpenSimulation simulation(example("overrun"), fast(dir, "out", {"models.load.parameters.throws_at=7 ms"}));
  EXPECT_FALSE(simulation.run_open(date_of(5)).ended);
  std::vector<EpisodeOutput> out{output("load", "late_frames", date_of(6)),
                                 output("load", "late_frames", date_of(8)), output("load", "late_frames")};
  const EpisodeEnd end = simulation.run_open(date_of(20), {}, out);
  EXPECT_TRUE(end.ended);
  EXPECT_EQ(end.outcome, "failed");
  EXPECT_THAT(end.reason, HasSubstr("load"));
  EXPECT_FALSE(out[0].bytes.empty()) << "its date came before the end";
  EXPECT_TRUE(out[1].bytes.empty());
  EXPECT_TRUE(out[2].bytes.empty());
  EXPECT_EQ(simulation.exit_status(), 1);
  EXPECT_THAT(what_of<SimulationError>([&] { (void)simulation.run_open(date_of(30)); }), HasSubstr("failed"));
}

TEST(OpenSimulation, AnInitializationThatFailsIsTheEndOfTheFirstEpisode) {
  const TempDir dir;
  const std::filesystem::path rig = dir.write("rig.yaml",
                                              "rig: r\nframe: { period: 1 ms }\nuntil: 1 s\nmodels:\n"
                                              "  f: { model: fault, library: test_load, parameters: { in: "
                                              "initialization, how: throw, at_call: 0 } }\n");
  OpenSimulation simulation(rig.string(), fast(dir, "out"));
  const EpisodeEnd end = simulation.run_open(date_of(5));
  EXPECT_TRUE(end.ended);
  EXPECT_EQ(end.outcome, "failed") << end.reason;
  EXPECT_EQ(end.frame, -1);
  EXPECT_EQ(end.date, "");
}

TEST(OpenSimulation, AnOverrunThatMayNotBeEndsItsEpisode) {
  const TempDir dir;
  SimulationOptions options = fast(
      dir, "out",
      {"models.load.parameters.from_frame=20", "models.load.parameters.every=1",
       "models.load.parameters.busy=30 ms", "models.load.parameters.for_frames=0", "realtime.on_overrun=skip",
       "realtime.grace=0 frames", "realtime.max_consecutive_overruns=1", "realtime.at_maximum=terminate",
       "threads.main.policy=other", "memory.lock=no", "until=for ever"});
  options.realtime = true;
  OpenSimulation simulation(example("overrun"), options);
  EpisodeEnd end;
  std::int64_t stop = 4;
  while (!end.ended && stop < 500) {  // a machine that is late ends it earlier
    end = simulation.run_open(date_of(stop));
    stop += 5;
  }
  EXPECT_TRUE(end.ended);
  EXPECT_EQ(end.outcome, "overrun") << end.reason;
  EXPECT_NE(end.reason, "");
  EXPECT_EQ(simulation.exit_status(), 1);
}

TEST(OpenSimulation, AStopFromAnotherThreadEndsTheEpisodeThatIsUnderWay) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"),
                            fast(dir, "out", {"until=for ever", "record.motion.every=1 s"}));
  (void)simulation.run_open(date_of(3));
  std::thread other([&] {
    EXPECT_TRUE(soon([&] { return simulation.state() != State::pause; }));
    simulation.stop();
  });
  const EpisodeEnd end = simulation.run_open();
  other.join();
  EXPECT_TRUE(end.ended);
  EXPECT_EQ(end.outcome, "stopped");
  EXPECT_EQ(end.reason, "stopped by the program");
  EXPECT_EQ(simulation.exit_status(), 0);
}

TEST(OpenSimulation, AnEndBetweenTwoEpisodesIsReportedByTheNextCall) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 100));
  (void)simulation.run_open(date_of(3));
  simulation.stop();
  std::this_thread::sleep_for(50ms);  // with and without having ended already the answer is the same
  const EpisodeEnd end = simulation.run_open(date_of(50));
  EXPECT_TRUE(end.ended);
  EXPECT_EQ(end.outcome, "stopped");
  EXPECT_EQ(end.frame, 3);
  EXPECT_EQ(end.date, date_of(3));
  EXPECT_THROW((void)simulation.run_open(date_of(50)), SimulationError);
}

TEST(OpenSimulation, ItsDestructionStopsARigThatStandsInPause) {
  const TempDir dir;
  {
    OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 100));
    (void)simulation.run_open(date_of(3));
  }
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "stopped");
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 4);
}

TEST(OpenSimulation, OneThatWasNeverRunIsDestroyedAndLeavesNothing) {
  const TempDir dir;
  { const OpenSimulation simulation(example("servo"), frames(fast(dir, "out"), 100)); }
  EXPECT_FALSE(std::filesystem::exists(dir / "out"));
}

TEST(OpenSimulation, ASecondThreadIsRefusedWhileOneRunsAnEpisode) {
  const TempDir dir;
  OpenSimulation simulation(example("servo"),
                            fast(dir, "out", {"until=for ever", "record.motion.every=1 s"}));
  std::thread other([&] {
    EXPECT_TRUE(soon([&] { return simulation.state() > State::start; }));
    EXPECT_THAT(what_of<BusyError>([&] { (void)simulation.run_open(date_of(5)); }),
                HasSubstr("another thread"));
    simulation.stop();
  });
  EXPECT_TRUE(simulation.run_open().ended);
  other.join();
}

// Real time

TEST(OpenSimulationNightly, InRealTimeAPauseBetweenEpisodesLosesNoSlot) {
  const TempDir dir;
  SimulationOptions options =
      fast(dir, "out",
           {"frame.period=5 ms", "threads.main.policy=other", "memory.lock=no", "realtime.on_overrun=skip",
            "realtime.max_consecutive_overruns=1000000", "realtime.max_overrun=100 s", "until=300 ms",
            "models.load.parameters.every=1000000"});
  options.realtime = true;
  OpenSimulation simulation(example("overrun"), options);
  const auto begin = std::chrono::steady_clock::now();
  constexpr auto kBreak = 1s;  // 200 slots
  auto standing = std::chrono::steady_clock::duration::zero();
  int episodes = 0;
  for (std::int64_t last = 9; last < 50; last += 25) {
    ASSERT_FALSE(simulation.run_open(date_of(last, 5 * kMillisecond)).ended);
    const auto paused = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kBreak);
    standing += std::chrono::steady_clock::now() - paused;
    ++episodes;
  }
  (void)simulation.run();
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took, episodes * kBreak + 250ms) << "frames were paced, breaks are no part of them";
  const tactus::test::Json frames = summary_of(dir / "out")["frames"];
  EXPECT_EQ(frames["run"], 60);
  // A grid that had not moved would have lost the slots of all breaks; a machine that stalls costs those of
  // the time in which frames were to run.
  EXPECT_LT(frames["lost"], episodes * 200 / 2 + (took - standing) / 5ms);
}

}  // namespace
}  // namespace test
}  // namespace tactus::executive
