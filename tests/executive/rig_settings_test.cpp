#include "executive/rig_settings.hpp"

#include <gtest/gtest.h>

#include <random>

#include "config/document.hpp"

namespace tactus::executive {
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
    r.enabled = maybe();
    r.clock = maybe() ? ClockKind::monotonic : ClockKind::tsc;
    r.sleeper = static_cast<rtsync::SleeperKind>(below(4));
    if (maybe()) r.margin = Nanoseconds{below(1'000'000'001)};
    r.sleep_timer = maybe();
    r.on_overrun = static_cast<rtsync::OnOverrun>(below(3));
    if (maybe()) r.max_catch_up = below(1'000'000);
    r.max_consecutive_overruns = 1 + below(1'000'000'000'000);
    if (maybe()) r.max_overrun = duration(1);
    r.at_maximum = maybe() ? rtsync::AtMaximum::terminate : rtsync::AtMaximum::freeze;
    r.grace = below(1000);
    r.leak = maybe() ? 0 : 1 + below(1'000'000);
    r.ratio = 0.001 + static_cast<double>(below(1'000'000)) * 0.000'999;
    if (maybe()) r.late_limit = Nanoseconds{1 + below(10'000'000'000)};
    r.freeze_frame = period(1'000'000, 1'000'000'000);
    s.threads.main.cpus = cpus();
    s.threads.main.policy = static_cast<rtsync::SchedPolicy>(below(3));
    s.threads.main.priority = 1 + static_cast<int>(below(99));
    s.threads.main.stack = (64 << 10) + below(1 << 20);
    s.threads.helpers.cpus = cpus();
    s.memory = {maybe(), below(std::int64_t{1} << 40)};
    s.dma_latency = maybe() ? std::optional(Nanoseconds{below(1'000'000'000)}) : std::nullopt;
    s.frame_log = maybe();
    s.job_times = maybe();
    for (std::int64_t i = below(4); i > 0; --i) s.models.push_back(model());
    for (std::int64_t i = below(4); i > 0; --i) s.connect.push_back(connection());
    for (std::int64_t i = below(3); i > 0; --i) {
      RecordingSettings recording;
      recording.name = name();
      recording.driver.value = maybe() ? "csv" : name();
      if (maybe()) recording.every = period(1, 1'000'000'000'000);
      for (std::int64_t n = 1 + below(4); n > 0; --n) recording.variables.push_back({text(), {}, {}});
      s.record.push_back(recording);
    }
    if (maybe()) s.clock = clock();
    s.safe_outputs = maybe() ? SafeOutputs::process : SafeOutputs::guardian;
    s.guardian_timeout = Nanoseconds{1'000'000 + below(50'000'000'000)};
    s.watchdog.systemd = maybe();
    if (maybe()) s.watchdog.device = "/dev/" + name();
    s.watchdog.timeout = Nanoseconds{1'000'000'000 + below(50'000'000'000)};
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
      made.jobs.push_back(job);
    }
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
    for (rtsync::OnClockFault* policy :
         {&made.on_glitch, &made.on_double, &made.on_late, &made.on_jitter, &made.on_missing,
          &made.on_wrong_rate, &made.on_no_edge, &made.on_gone, &made.on_overflow})
      *policy = static_cast<rtsync::OnClockFault>(below(3));
    if (maybe()) made.device = config::Node::map({{name(), {}, node(0)}});
    return made;
  }
  ConnectionSettings connection() {
    ConnectionSettings made;
    made.from.value = text();
    made.to.value = text();
    made.delayed = maybe();
    if (maybe()) made.scale = static_cast<double>(below(INT64_MAX)) * 1e-17;
    if (maybe()) made.offset = -static_cast<double>(below(1000)) / 7;
    return made;
  }

  std::mt19937_64 engine_;
  int names_ = 0;
};

TEST(RigSettings, WrittenAndLoadedAgainAreEqual) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
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
  EXPECT_FALSE(realtime.enabled);
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
      "  max_consecutive_overruns: 7, max_overrun: 5 ms, at_maximum: freeze, grace: 9 frames, leak: 11 "
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
  EXPECT_EQ(r.overrun.leak, 11);
  EXPECT_EQ(r.ratio, 2);
  EXPECT_EQ(r.late_limit, Nanoseconds{30'000});
  EXPECT_EQ(r.freeze_frame, (Period{20'000'000, 1}));
}

}  // namespace
}  // namespace tactus::executive
