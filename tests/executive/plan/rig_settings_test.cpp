// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/rig_settings.hpp"

#include <gtest/gtest.h>

#include <random>

#include "config/document.hpp"
#include "executive/capability/checkpoint/settings.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/capability/watch/settings.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::executive::rig_settings_test {
namespace {

using rtsync::Nanoseconds;
using rtsync::Period;

RigSettings loaded(const std::string& text) {
  config::Problems problems;
  RigSettings settings = rig_fields().load(config::Document::from_text("rig.yaml", text), problems);
  EXPECT_TRUE(problems.empty()) << problems.text() << text;
  return settings;
}

/// Settings with everything set at random, within what a file may say.
class RandomSettings {
 public:
  explicit RandomSettings(std::uint64_t seed) : engine_(seed) {}

  RigSettings make() {
    RigSettings s;
    s.rig.value = name();
    s.frame.period = period(1'000, 10'000'000'000);
    if (maybe()) s.until = duration(1);
    s.privileges = maybe() ? Privileges::prefer : Privileges::require;
    RealtimeSection& r = s.realtime;
    r.enabled.value = maybe();
    r.clock = maybe() ? ClockKind::monotonic : ClockKind::tsc;
    r.sleeper = static_cast<rtsync::SleeperKind>(below(4));
    if (maybe()) r.margin = Nanoseconds{below(1'000'000'001)};
    r.sleep_timer = maybe();
    r.overrun.on_overrun = static_cast<rtsync::OnOverrun>(below(3));
    if (maybe()) r.overrun.max_catch_up = below(1'000'000);
    r.overrun.max_consecutive_overruns = 1 + below(1'000'000'000'000);
    if (maybe()) r.overrun.max_overrun = duration(1);
    r.overrun.at_maximum = maybe() ? rtsync::AtMaximum::terminate : rtsync::AtMaximum::freeze;
    r.overrun.grace = below(1000);
    r.overrun.recovery_frames = maybe() ? 0 : 1 + below(1'000'000);
    r.ratio = 0.001 + static_cast<double>(below(1'000'000)) * 0.000'999;
    if (maybe()) r.late_limit = Nanoseconds{1 + below(10'000'000'000)};
    r.freeze_frame = period(1'000'000, 1'000'000'000);
    s.threads.main.cpus = cpus();
    s.threads.main.policy = static_cast<rtsync::SchedPolicy>(below(3));
    s.threads.main.priority = 1 + static_cast<int>(below(98));
    s.threads.main.stack = (64 << 10) + below(1 << 20);
    for (std::int64_t i = below(4); i > 0; --i) s.threads.workers.push_back(worker());
    s.threads.stuck_after = Nanoseconds{1'000'000 + below(3'599'000'000'000)};
    s.threads.helpers.cpus = cpus();
    s.memory = {maybe(), below(std::int64_t{1} << 40)};
    s.dma_latency = maybe() ? std::optional(Nanoseconds{below(1'000'000'000)}) : std::nullopt;
    auto& record = s.of<RecordSettings>();
    record.frame_log = maybe();
    s.job_times = maybe();
    record.flush_every = Nanoseconds{1'000'000 + below(50'000'000'000)};
    for (std::int64_t i = below(4); i > 0; --i) s.models.push_back(model());
    for (std::int64_t i = below(4); i > 0; --i) s.connect.push_back(connection());
    for (std::int64_t i = below(3); i > 0; --i) {
      RecordingSettings recording;
      recording.name = name();
      recording.driver.value = maybe() ? "csv" : name();
      if (maybe()) recording.every = period(1, 1'000'000'000'000);
      for (std::int64_t n = 1 + below(4); n > 0; --n) recording.variables.push_back({text(), {}, {}});
      record.recordings.push_back(recording);
    }
    for (std::int64_t i = below(3); i > 0; --i) s.integrate.push_back(loop());
    for (std::int64_t i = below(4); i > 0; --i) s.commands.push_back(command());
    s.guard = {maybe(), maybe()};
    auto& checkpoint = s.of<CheckpointSection>();
    checkpoint.enabled = maybe();
    if (maybe()) checkpoint.every = duration(1);
    checkpoint.at_end = maybe();
    if (maybe()) checkpoint.folder = "/a folder/" + name();
    if (maybe()) s.clock = clock();
    s.safe_outputs = maybe() ? SafeOutputs::process : SafeOutputs::guardian;
    s.guardian_timeout = Nanoseconds{1'000'000 + below(50'000'000'000)};
    auto& watchdog = s.of<WatchdogSection>();
    watchdog.systemd = maybe();
    if (maybe()) watchdog.device = "/dev/" + name();
    watchdog.timeout = Nanoseconds{1'000'000'000 + below(50'000'000'000)};
    return s;
  }

 private:
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n));
  }
  bool maybe() { return below(2) == 0; }

  /// A time of any order of magnitude, or for ever.
  Nanoseconds duration(std::int64_t low) {
    if (below(8) == 0) return Nanoseconds::max();
    std::int64_t limit = 10;
    for (std::int64_t i = below(18); i > 0; --i) limit *= 10;
    return Nanoseconds{std::max(low, below(limit))};
  }
  /// A fraction between two times.
  Period period(std::int64_t low, std::int64_t high) {
    if (below(4) == 0) return Period{low, 1};
    if (below(4) == 0) return Period{high, 1};
    const std::int64_t den = 1 + below(2000);
    const std::int64_t whole = low + below(high - low);
    return Period{whole * den + below(den), den};
  }
  std::string name() {
    constexpr std::string_view kFirst = "abcxyzABC";
    constexpr std::string_view kMore = "abc019_-Z";
    std::string made(1, kFirst[static_cast<std::size_t>(below(9))]);
    for (std::int64_t i = below(12); i > 0; --i) made += kMore[static_cast<std::size_t>(below(9))];
    return made + std::to_string(++names_);  // none twice
  }
  /// Text that YAML could take for something else.
  std::string text() {
    constexpr const char* kOdd[] = {"yes",     "1e3", "~",    "null", "a.b[2]", "- x",   "x: y", "#no",
                                    " blank ", "'q'", "\"",   "ü µ",  "a\tb",   "*star", "&x",   "!t",
                                    "[",       "{}",  "1 ms", "%",    "@",      "`"};
    return kOdd[below(std::size(kOdd))];
  }
  std::vector<int> cpus() {
    std::vector<int> made;
    for (int cpu = static_cast<int>(below(4)); maybe(); cpu += 1 + static_cast<int>(below(3)))
      made.push_back(cpu);
    return made;
  }
  config::Node node(int depth) {
    const std::int64_t kind = below(depth > 2 ? 1 : 3);
    if (kind == 1) {
      std::vector<config::Node> items;
      for (std::int64_t i = 1 + below(3); i > 0; --i) items.push_back(node(depth + 1));
      return config::Node::list(std::move(items));
    }
    if (kind == 2) {
      std::vector<config::Node::Entry> entries;
      for (std::int64_t i = 1 + below(3); i > 0; --i) entries.push_back({name(), {}, node(depth + 1)});
      return config::Node::map(std::move(entries));
    }
    return config::Node::scalar(text(), {}, true);
  }
  ModelSettings model() {
    ModelSettings made;
    made.name = name();
    if (maybe()) {
      made.model.value = name();
      made.library.value = maybe() ? "./a folder/lib" + name() + ".so" : name();
    } else {
      made.driver.value = name();
      made.device = config::Node::map({{name(), {}, node(0)}, {name(), {}, node(1)}});
    }
    if (maybe()) made.parameters = config::Node::map({{name(), {}, node(0)}, {name(), {}, node(1)}});
    for (std::int64_t i = below(3); i > 0; --i) {
      JobSettings job;
      job.name = name();
      if (maybe()) job.cycle = period(1, 1'000'000'000'000);
      if (maybe()) job.phase = static_cast<int>(below(65536));
      if (maybe()) job.offset = Period{duration(0)};
      if (maybe()) job.start = Period{duration(0)};
      if (maybe()) job.stop = Period{duration(0)};
      job.enabled = maybe();
      if (maybe()) job.thread = config::Located<std::string>{name()};
      for (std::int64_t n = below(3); n > 0; --n) job.depends_on.push_back({text()});
      made.jobs.push_back(job);
    }
    if (maybe()) made.thread.value = name();
    return made;
  }
  WorkerSettings worker() {
    WorkerSettings made;
    made.name = name();
    made.kind = static_cast<ThreadKind>(below(3));
    if (maybe()) made.period = period(1, 1'000'000'000'000);
    made.cpus = cpus();
    made.policy = static_cast<rtsync::SchedPolicy>(below(3));
    made.priority = 1 + static_cast<int>(below(98));
    made.stack = (64 << 10) + below(1 << 20);
    made.trigger = static_cast<rtsync::WaitMode>(below(3));
    return made;
  }
  LoopSettings loop() {
    LoopSettings made;
    made.name = name();
    for (std::int64_t n = 1 + below(3); n > 0; --n) made.models.push_back({name()});
    if (maybe()) made.cycle = period(1, 1'000'000'000'000);
    made.method = static_cast<IntegrationMethod>(below(3));
    made.absolute_tolerance = static_cast<double>(1 + below(INT64_MAX - 1)) * 1e-25;
    made.relative_tolerance = static_cast<double>(below(1000)) / 1000;
    made.max_steps = 1 + below(1'000'000);
    return made;
  }
  CommandSettings command() {
    CommandSettings made;
    made.at = duration(0);
    made.what.command = static_cast<Command>(below(10));
    if (maybe()) made.frames = config::Located<std::int64_t>{1 + below(1000)};
    if (maybe()) made.until = config::Located<Nanoseconds>{duration(1)};
    if (maybe()) made.rest = config::Located<Nanoseconds>{duration(1)};
    if (maybe()) made.file = config::Located<std::string>{name() + ".tck"};
    if (maybe()) made.job = config::Located<std::string>{text()};
    return made;
  }
  ClockSection clock() {
    ClockSection made;
    made.driver.value = name();
    made.edges_per_frame = 1 + below(1000);
    made.frames_per_edge = 1 + below(100'000);
    made.discipline = maybe() ? rtsync::Discipline::edge : rtsync::Discipline::pll;
    made.smoothing = 2 + below(9'999);
    made.slew = 1e-6 * static_cast<double>(1 + below(100'000));
    made.rate_tolerance = 1e-6 * static_cast<double>(1 + below(100'000));
    made.blanking = 0.01 * static_cast<double>(below(91));
    if (maybe()) made.jitter_limit = Nanoseconds{1 + below(10'000'000'000)};
    if (maybe()) made.late_limit = Nanoseconds{1 + below(10'000'000'000)};
    made.max_missing = 1 + below(1'000'000'000);
    made.lock_after = 2 + below(999);
    made.start_timeout = Nanoseconds{1'000'000 + below(1'000'000'000)};
    for (rtsync::OnClockFault& action : made.on) action = static_cast<rtsync::OnClockFault>(below(3));
    if (maybe()) made.device = config::Node::map({{name(), {}, node(0)}});
    return made;
  }
  ConnectionSettings connection() {
    ConnectionSettings made;
    made.from.value = text();
    made.to.value = text();
    made.direct = maybe();
    made.delayed = maybe();
    if (maybe()) made.scale = static_cast<double>(below(INT64_MAX)) * 1e-17;
    if (maybe()) made.offset = -static_cast<double>(below(1000)) / 7;
    return made;
  }

  std::mt19937_64 engine_;
  int names_ = 0;
};

TEST(RigSettings, WrittenAndLoadedAgainAreEqual) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(::tactus::test::trials(300)); ++seed) {
    const RigSettings settings = RandomSettings(seed).make();
    const std::string text = rig_fields().write(settings);
    EXPECT_EQ(loaded(text), settings) << "seed " << seed << "\n" << text;
    EXPECT_EQ(rig_fields().write(loaded(text)), text) << "seed " << seed;
    if (HasFailure()) return;
  }
}

TEST(RigSettings, TwoThatDifferAreNotEqual) {
  EXPECT_FALSE(RandomSettings(1).make() == RandomSettings(2).make());
}

TEST(RigSettings, DefaultsAreThoseOfTheStructs) {
  const RigSettings settings = loaded("rig: r\nframe: { period: 2 ms }\n");
  RigSettings expected;
  expected.rig.value = "r";
  expected.frame.period = Period{2'000'000, 1};
  EXPECT_EQ(settings, expected);
  const rtsync::RealtimeSettings realtime = settings.realtime.settings();
  EXPECT_TRUE(realtime.enabled);
  EXPECT_TRUE(realtime.sleep_timer);
  EXPECT_EQ(realtime.overrun.max_consecutive_overruns, 100'000'000);
  EXPECT_EQ(realtime.overrun.max_overrun, Nanoseconds::max());
  EXPECT_EQ(realtime.overrun.at_maximum, rtsync::AtMaximum::terminate);
  EXPECT_EQ(realtime.overrun.on_overrun, rtsync::OnOverrun::catch_up);
  EXPECT_EQ(realtime.overrun.max_catch_up, std::nullopt);
}

TEST(RigSettings, TheRealtimeSectionReachesTheSynchronization) {
  const RigSettings settings = loaded(
      "rig: r\n"
      "frame: { period: 60 Hz }\n"
      "realtime: { enabled: yes, sleep_timer: no, on_overrun: skip, max_catch_up: 3 frames,\n"
      "  max_consecutive_overruns: 7, max_overrun: 5 ms, at_maximum: freeze, grace: 9 frames, "
      "recovery_frames: 11 "
      "frames,\n"
      "  ratio: 2x, late_limit: 30 us, freeze_frame: 20 ms }\n");
  EXPECT_EQ(settings.frame.period, (Period{50'000'000, 3}));
  const rtsync::RealtimeSettings r = settings.realtime.settings();
  EXPECT_TRUE(r.enabled);
  EXPECT_FALSE(r.sleep_timer);
  EXPECT_EQ(r.overrun.on_overrun, rtsync::OnOverrun::skip);
  EXPECT_EQ(r.overrun.max_catch_up, 3);
  EXPECT_EQ(r.overrun.max_consecutive_overruns, 7);
  EXPECT_EQ(r.overrun.max_overrun, Nanoseconds{5'000'000});
  EXPECT_EQ(r.overrun.at_maximum, rtsync::AtMaximum::freeze);
  EXPECT_EQ(r.overrun.grace, 9);
  EXPECT_EQ(r.overrun.recovery_frames, 11);
  EXPECT_EQ(r.ratio, 2);
  EXPECT_EQ(r.late_limit, Nanoseconds{30'000});
  EXPECT_EQ(r.freeze_frame, (Period{20'000'000, 1}));
}

TEST(RigSettings, EveryClockFaultHasAKeyOfItsOwn) {
  struct Row {
    const char* key;
    rtsync::ClockFault fault;
    rtsync::OnClockFault otherwise;
  };
  using rtsync::ClockFault;
  using rtsync::OnClockFault;
  const Row rows[] = {
      {"on_glitch", ClockFault::glitch, OnClockFault::free_run},
      {"on_duplicate", ClockFault::doubled, OnClockFault::free_run},
      {"on_late", ClockFault::late, OnClockFault::free_run},
      {"on_jitter", ClockFault::jitter, OnClockFault::free_run},
      {"on_missing", ClockFault::missing, OnClockFault::terminate},
      {"on_wrong_rate", ClockFault::wrong_rate, OnClockFault::terminate},
      {"on_start_timeout", ClockFault::no_edge, OnClockFault::terminate},
      {"on_removed", ClockFault::gone, OnClockFault::terminate},
      {"on_overflow", ClockFault::overflow, OnClockFault::free_run},
  };
  static_assert(std::size(rows) == rtsync::kClockFaults);
  const Period frame{2'000'000, 1};
  for (const Row& row : rows) {
    const RigSettings settings =
        loaded(std::string("rig: r\nframe: { period: 2 ms }\nclock: { ") + row.key + ": freeze }\n");
    const rtsync::EdgeClockSettings clock = settings.clock.settings(frame);
    EXPECT_EQ(clock.frame, frame);
    for (const Row& other : rows)
      EXPECT_EQ(clock.on[static_cast<std::size_t>(other.fault)],
                other.fault == row.fault ? OnClockFault::freeze : other.otherwise)
          << row.key << " " << other.key;
  }
}

TEST(RigSettings, ThreadsLoopsAndCommandsAreRead) {
  const RigSettings settings = loaded(
      "rig: r\n"
      "frame: { period: 1 ms }\n"
      "threads:\n"
      "  stuck_after: 250 ms\n"
      "  workers:\n"
      "    plain: {}\n"
      "    io: { kind: asynchronous_must_finish, period: 10 ms, cpus: 2-3, policy: rr, priority: 98, stack: "
      "1 MiB,\n"
      "          trigger: spin }\n"
      "models:\n"
      "  a: { model: m, library: l, thread: io, jobs: { x: { thread: main, depends_on: [b.y, b.z] } } }\n"
      "  b: { model: m, library: l }\n"
      "connect: [{ from: a.x, to: b.y, direct: yes }]\n"
      "integrate:\n"
      "  one: { models: [a, b] }\n"
      "  two: { models: [c], cycle: 1/3 ms, method: dopri5, absolute_tolerance: 1e-6, relative_tolerance: "
      "0,\n"
      "         max_steps: 7 steps }\n"
      "commands:\n"
      "  - { at: 2 s, do: pause, for: 100 ms }\n"
      "  - { at: 0 s, do: run_until, until: 3 s }\n"
      "guard: { nan: no }\n"
      "checkpoint: { every: 1 min, at_end: yes, folder: /var/tmp }\n");
  EXPECT_EQ(settings.threads.stuck_after, Nanoseconds{250'000'000});
  ASSERT_EQ(settings.threads.workers.size(), 2U);
  WorkerSettings expected;
  expected.name = "plain";
  EXPECT_EQ(settings.threads.workers[0], expected);
  expected = {"io",
              {},
              ThreadKind::asynchronous_must_finish,
              Period{10'000'000, 1},
              {2, 3},
              rtsync::SchedPolicy::rr,
              98,
              1 << 20,
              rtsync::WaitMode::spin};
  EXPECT_EQ(settings.threads.workers[1], expected);
  EXPECT_EQ(settings.models[0].thread.value, "io");
  EXPECT_EQ(settings.models[1].thread.value, "main");
  EXPECT_EQ(settings.models[0].jobs[0].thread->value, "main");
  EXPECT_EQ(settings.models[0].jobs[0].depends_on[1].value, "b.z");
  EXPECT_EQ(settings.models[0].jobs[0].depends_on[1].path, "models.a.jobs.x.depends_on[1]");
  EXPECT_TRUE(settings.connect[0].direct);
  const IntegratorSettings plain = settings.integrate[0].settings();
  EXPECT_EQ(plain.method, IntegratorSettings{}.method);
  EXPECT_EQ(plain.absolute_tolerance, IntegratorSettings{}.absolute_tolerance);
  EXPECT_EQ(plain.relative_tolerance, IntegratorSettings{}.relative_tolerance);
  EXPECT_EQ(plain.max_steps, IntegratorSettings{}.max_steps);
  const IntegratorSettings all = settings.integrate[1].settings();
  EXPECT_EQ(settings.integrate[1].cycle, (Period{1'000'000, 3}));
  EXPECT_EQ(all.method, IntegrationMethod::dopri5);
  EXPECT_EQ(all.absolute_tolerance, 1e-6);
  EXPECT_EQ(all.relative_tolerance, 0);
  EXPECT_EQ(all.max_steps, 7);
  EXPECT_EQ(settings.commands[0].rest->value, Nanoseconds{100'000'000});
  EXPECT_EQ(settings.commands[1].what.command, Command::run_until);
  EXPECT_FALSE(settings.guard.nan);
  EXPECT_TRUE(settings.guard.ranges);
  EXPECT_TRUE(settings.of<CheckpointSection>().enabled);
  EXPECT_EQ(settings.of<CheckpointSection>().every, Nanoseconds{60'000'000'000});
  EXPECT_TRUE(settings.of<CheckpointSection>().at_end);
  EXPECT_EQ(settings.of<CheckpointSection>().folder, "/var/tmp");
}

}  // namespace
}  // namespace tactus::executive::rig_settings_test
