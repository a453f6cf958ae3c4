#include "executive/flight/flight_trace.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <fstream>
#include <random>
#include <sstream>

#include "executive/flight/flight_collector.hpp"
#include "executive/flight/trace_files.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/perfetto_trace.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::flight_trace_test {
namespace {

namespace fs = std::filesystem;
using rtsync::OverrunCause;
using test::PerfettoTrace;
using test::read_file;
using test::TempDir;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kStart = 1'000'000'000'000;  // of frame 0, on every clock

FlightPlan plan(const TempDir& dir) {
  FlightPlan made;
  made.folder = dir.path().string();
  made.rig = "tried";
  made.jobs = {"a.step", "b.step", "c.step"};
  made.threads = {{"main", 1e5}, {"side", 1e5}};
  made.period_ns = kMs;
  made.before_ns = 100 * kMs;
  made.after_ns = 10 * kMs;
  made.most_bytes = 16 << 20;
  return made;
}

/// A rig that is written by hand: ticks are nanoseconds, main runs a and b, and side c.
class Rig {
 public:
  explicit Rig(const FlightPlan& plan) : file(FlightFile::make(plan, 0)) {
    for (std::size_t i = 0; i < file->rings(); ++i) rings.emplace_back(file->head(i), file->cells(i));
  }
  ~Rig() {
    if (file) file->remove();
  }

  /// Frame k, woken `late` after its slot; a takes `a_ns`, b 100 us.
  void frame(std::int64_t k, std::int64_t a_ns = 200'000, OverrunCause cause = OverrunCause::none,
             std::int64_t late = 0) {
    const std::int64_t slot = kStart + k * kMs;
    const std::int64_t wake = slot + late;
    const std::int64_t work = a_ns + 110'000;
    side(wake);
    rings[0].begin(20);
    put({wake + 5'000, UINT32_MAX, 0, FlightKind::idle});
    put({wake + 5'000 + a_ns, 0, 0, FlightKind::job});
    put({wake + 105'000 + a_ns, 1, 0, FlightKind::job});
    rings[0].end();
    rings[0].begin(20);
    if (k % 10 == 0) {
      put({slot, 0, 0, FlightKind::anchor_ticks});
      put({slot, 0, 0, FlightKind::anchor_kernel});
      put({slot, 0, 0, FlightKind::anchor_rig});
    }
    put({k, 0, static_cast<std::uint16_t>(FlightFlags::kPaced | static_cast<unsigned>(cause)),
         FlightKind::frame});
    put({wake + work + 1'000, 0, 0, FlightKind::stamp});
    put({slot, 0, 0, FlightKind::slot});
    put({late, 0, 0, FlightKind::late});
    put({work, 0, 0, FlightKind::work});
    put({kMs - late - work, 0, 0, FlightKind::slack});
    rings[0].end();
  }
  std::uint64_t last() const { return rings[0].count() - 1; }
  TraceResult write(const TempDir& dir, std::optional<std::uint64_t> about = {}) const {
    return write_trace(FlightView(*file), {dir.path(), "tried out", about});
  }

  std::unique_ptr<FlightFile> file;
  std::deque<FlightRing> rings;

 private:
  struct Put {
    std::int64_t value;
    std::uint32_t id;
    std::uint16_t detail;
    FlightKind kind;
  };
  void put(const Put& record) {
    rings[0].put({static_cast<std::uint64_t>(record.value), record.id, record.detail, record.kind});
  }
  void side(std::int64_t wake) {
    rings[1].begin(2);
    rings[1].put({static_cast<std::uint64_t>(wake + 20'000), UINT32_MAX, 0, FlightKind::idle});
    rings[1].put({static_cast<std::uint64_t>(wake + 70'000), 2, 0, FlightKind::job});
    rings[1].end();
  }
};

TEST(FlightTrace, HoldsEveryJobOfEveryFrameWithItsTimes) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 50; ++k) rig.frame(k);
  const TraceResult result = rig.write(dir);
  ASSERT_EQ(result.failure, "");
  EXPECT_EQ(result.file, "trace-49.pftrace");
  const PerfettoTrace trace(dir / result.file);
  EXPECT_EQ(trace.process, "tactus tried");
  EXPECT_EQ(trace.threads, (std::vector<std::string>{"main", "side"}));
  const auto frames = trace.slices_of("main", "frame");
  const auto as = trace.slices_of("main", "a.step");
  const auto bs = trace.slices_of("main", "b.step");
  const auto cs = trace.slices_of("side", "c.step");
  ASSERT_EQ(frames.size(), 50U);
  ASSERT_EQ(as.size(), 50U);
  ASSERT_EQ(bs.size(), 50U);
  ASSERT_EQ(cs.size(), 50U);
  for (std::int64_t k = 0; k < 50; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const std::int64_t wake = kStart + k * kMs;
    EXPECT_EQ(frames[i].arguments.at("frame"), std::to_string(k));
    EXPECT_EQ(frames[i].arguments.at("slack_ns"), "690000");
    EXPECT_EQ(frames[i].begin_ns, wake);
    EXPECT_EQ(frames[i].end_ns, wake + 310'000);
    EXPECT_EQ(as[i].begin_ns, wake + 5'000);
    EXPECT_EQ(as[i].end_ns, wake + 205'000);
    EXPECT_EQ(as[i].depth, 1U);
    EXPECT_EQ(bs[i].begin_ns, wake + 205'000);
    EXPECT_EQ(bs[i].end_ns, wake + 305'000);
    EXPECT_EQ(cs[i].begin_ns, wake + 20'000);
    EXPECT_EQ(cs[i].end_ns, wake + 70'000);
  }
  EXPECT_EQ(trace.counters.size(), 100U);
  EXPECT_TRUE(trace.instants.empty());
}

TEST(FlightTrace, AnArrowLeadsFromAFrameThatOverranToThoseThatItDelayed) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 20; ++k) rig.frame(k);
  rig.frame(20, 2'500'000, OverrunCause::work);  // done 1.61 ms after the slot of 21
  const std::uint64_t about = rig.last();
  rig.frame(21, 200'000, OverrunCause::catching_up, 1'620'000);
  rig.frame(22, 200'000, OverrunCause::none, 940'000);
  rig.frame(23, 200'000, OverrunCause::none, 260'000);
  for (std::int64_t k = 24; k < 60; ++k) rig.frame(k);
  const TraceResult result = rig.write(dir, about);
  EXPECT_EQ(result.file, "trace-20.pftrace") << result.failure;
  const PerfettoTrace trace(dir / result.file);
  const auto frames = trace.slices_of("main", "frame");
  ASSERT_EQ(frames.size(), 60U);
  for (std::size_t k = 0; k < frames.size(); ++k)
    EXPECT_EQ(frames[k].flows.size(), k >= 20 && k <= 22 ? 1U : 0U) << k;
  ASSERT_EQ(trace.instants.size(), 2U);
  EXPECT_EQ(trace.instants[0].name, "overrun");
  EXPECT_EQ(trace.instants[0].arguments.at("cause"), "work");
  EXPECT_EQ(trace.instants[0].arguments.at("over_ns"), "1610000");
  EXPECT_EQ(trace.instants[1].arguments.at("cause"), "catching up");
}

TEST(FlightTrace, ALostSlotIsNoArrowToAFrameThatIsOnTime) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 20; ++k) rig.frame(k);
  rig.frame(20, 1'500'000, OverrunCause::work);
  for (std::int64_t k = 22; k < 30; ++k) rig.frame(k);
  for (const auto& slice : PerfettoTrace(dir / rig.write(dir).file).slices) EXPECT_TRUE(slice.flows.empty());
}

TEST(FlightTrace, TheTextNamesTheLongestJobOfEachFrame) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 100; ++k) rig.frame(k);
  rig.frame(100, 3'000'000, OverrunCause::work);
  const std::uint64_t about = rig.last();
  for (std::int64_t k = 104; k < 150; ++k) rig.frame(k);
  ASSERT_EQ(rig.write(dir, about).file, "trace-100.pftrace");
  const std::string text = read_file(dir / "trace-100.txt");
  EXPECT_TRUE(text.starts_with("frame 100 of rig tried: tried out\n")) << text;
  const auto has = [&](const std::string& line) {
    return text.find("\n" + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has(">        100        0 ns     3.11 ms    -2.11 ms  overrun by work")) << text;
  EXPECT_TRUE(has("          99        0 ns      310 us      690 us")) << text;
  EXPECT_TRUE(
      has(">        100  main             a.step                              5.00 us     3.00 ms  longest"))
      << text;
  EXPECT_TRUE(has(">        100  main             b.step                              3.00 ms      100 us"))
      << text;
  EXPECT_TRUE(has(">        100  side             c.step                              20.0 us     50.0 us"))
      << text;
  EXPECT_EQ(text.find("\n          69 "), std::string::npos) << "30 frames before are enough\n" << text;
}

TEST(FlightTrace, JobsOfAFrameThatWasBrokenOffAreThere) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 10; ++k) rig.frame(k);
  rig.rings[0].begin(2);
  rig.rings[0].put({static_cast<std::uint64_t>(kStart + 10 * kMs), UINT32_MAX, 0, FlightKind::idle});
  rig.rings[0].put({static_cast<std::uint64_t>(kStart + 10 * kMs + 77'000), 0, 0, FlightKind::job});
  rig.rings[0].end();
  const PerfettoTrace trace(dir / rig.write(dir).file);
  const auto as = trace.slices_of("main", "a.step");
  ASSERT_EQ(as.size(), 11U);
  EXPECT_EQ(as.back().end_ns - as.back().begin_ns, 77'000);
  EXPECT_EQ(as.back().depth, 0U);
  EXPECT_NE(read_file(dir / "trace-9.txt").find("unended  main             a.step"), std::string::npos);
}

TEST(FlightTrace, AFreezeStandsBetweenFramesWithItsJobs) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 10; ++k) rig.frame(k);
  const auto put = [&](std::int64_t ns, std::uint32_t id, FlightEvent event, FlightKind kind) {
    rig.rings[0].put({static_cast<std::uint64_t>(kStart + ns), id, static_cast<std::uint16_t>(event), kind});
  };
  rig.rings[0].begin(4);
  put(9'500'000, 0, FlightEvent::paused, FlightKind::event);
  put(10'000'000, UINT32_MAX, {}, FlightKind::idle);
  put(10'030'000, 1, {}, FlightKind::job);
  put(20'900'000, 0, FlightEvent::resumed, FlightKind::event);
  rig.rings[0].end();
  for (std::int64_t k = 21; k < 30; ++k) rig.frame(k);
  const PerfettoTrace trace(dir / rig.write(dir).file);
  ASSERT_EQ(trace.instants.size(), 2U);
  EXPECT_EQ(trace.instants[0].name, "paused");
  EXPECT_EQ(trace.instants[0].begin_ns, kStart + 9'500'000);
  EXPECT_EQ(trace.instants[1].name, "resumed");
  EXPECT_EQ(trace.instants[1].begin_ns, kStart + 20'900'000);
  const auto bs = trace.slices_of("main", "b.step");
  ASSERT_EQ(bs.size(), 20U);
  EXPECT_EQ(bs[10].begin_ns, kStart + 10'000'000);
  EXPECT_EQ(bs[10].end_ns, kStart + 10'030'000);
  EXPECT_EQ(bs[10].depth, 0U) << "in no frame";
  EXPECT_EQ(bs[11].depth, 1U);
  EXPECT_EQ(trace.slices_of("main", "frame").size(), 19U);
}

TEST(FlightTrace, WhatALaterTactusRecordsIsPassedOver) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 10; ++k) {
    rig.frame(k);
    rig.rings[0].begin(3);
    rig.rings[0].put({static_cast<std::uint64_t>(k), 1, 2, FlightKind::cause});
    rig.rings[0].put({7, 0, 0, FlightKind::figure});
    rig.rings[0].put({7, 0, 0, static_cast<FlightKind>(200)});
    rig.rings[0].end();
  }
  EXPECT_EQ(PerfettoTrace(dir / rig.write(dir).file).slices_of("main", "frame").size(), 10U);
}

TEST(FlightTrace, WithoutAFrameThereIsNone) {
  const TempDir dir;
  const Rig rig(plan(dir));
  const TraceResult result = rig.write(dir);
  EXPECT_EQ(result.file, "");
  EXPECT_EQ(result.failure, "");
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST(FlightTrace, OneThatIsThereIsNotOverwritten) {
  const TempDir dir;
  Rig rig(plan(dir));
  rig.frame(7);
  EXPECT_EQ(rig.write(dir).file, "trace-7.pftrace");
  EXPECT_EQ(rig.write(dir).file, "trace-7-2.pftrace");
  EXPECT_EQ(rig.write(dir).file, "trace-7-3.pftrace");
  const std::vector<TraceFile> traces = traces_in(dir.path());
  ASSERT_EQ(traces.size(), 3U);
  for (const TraceFile& trace : traces) {
    EXPECT_EQ(trace.frame, 7);
    EXPECT_EQ(trace.why, "tried out");
  }
}

TEST(FlightTrace, OnAFullDiskThereIsNoneAndItSaysWhy) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 50; ++k) rig.frame(k);
  TraceResult result;
  {
    const test::FullDisk full(1000);
    result = rig.write(dir);
  }
  EXPECT_EQ(result.file, "");
  EXPECT_NE(result.failure.find("trace-49.pftrace: File too large"), std::string::npos) << result.failure;
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST(FlightTrace, ARingThatHasGoneRoundManyTimesGivesWholeFramesOnly) {
  const TempDir dir;
  FlightPlan small = plan(dir);
  small.threads = {{"main", 1}, {"side", 1}};  // the least there is: 1024 records
  Rig rig(small);
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::int64_t k = 0;
  for (int round = 0; round < 20; ++round) {
    for (const std::int64_t end = k + 1 + static_cast<std::int64_t>(random() % 300); k < end; ++k)
      rig.frame(k);
    const TraceResult result = rig.write(dir);
    const PerfettoTrace trace(dir / result.file);
    const auto frames = trace.slices_of("main", "frame");
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames.back().arguments.at("frame"), std::to_string(k - 1));
    EXPECT_GE(frames.size(), std::min<std::size_t>(static_cast<std::size_t>(k), 90));
    EXPECT_EQ(frames.back().end_ns - frames.back().begin_ns, 310'000);
    EXPECT_EQ(trace.slices_of("main", "a.step").back().end_ns, frames.back().begin_ns + 205'000);
  }
}

TEST(FlightFile, IsReadAsItWasMade) {
  const TempDir dir;
  Rig rig(plan(dir));
  const auto read = FlightFile::open(rig.file->path());
  EXPECT_EQ(read->plan().folder, dir.path());
  EXPECT_EQ(read->plan().rig, "tried");
  EXPECT_EQ(read->plan().jobs, plan(dir).jobs);
  ASSERT_EQ(read->rings(), 2U);
  EXPECT_EQ(read->plan().threads[1].name, "side");
  EXPECT_EQ(read->plan().before_ns, 100 * kMs);
  EXPECT_EQ(read->pid(), ::getpid());
  EXPECT_TRUE(read->in_use());
  EXPECT_NEAR(static_cast<double>(read->head(0).capacity), 13'750, 1)
      << "1e5 a second, for 110 ms and a quarter more";
}

TEST(FlightFile, TakesNoMoreThanItMayAndSharesThat) {
  const TempDir dir;
  FlightPlan large = plan(dir);
  large.threads = {{"main", 3e7}, {"side", 1e7}};
  large.most_bytes = 4 << 20;
  const Rig rig(large);
  EXPECT_LE(rig.file->bytes(), 4U << 20);
  EXPECT_NEAR(
      static_cast<double>(rig.file->head(0).capacity) / static_cast<double>(rig.file->head(1).capacity), 3,
      0.01);
}

TEST(FlightFile, SaysWhyThereIsNoRoom) {
  const TempDir dir;
  const test::FullDisk full(10'000);
  try {
    const Rig rig(plan(dir));
    FAIL() << "it was made";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("ulimit -f"), std::string::npos) << error.what();
  }
}

TEST(FlightFile, WhatIsDamagedIsRefusedOrReadButNeverWorse) {
  const TempDir dir;
  Rig rig(plan(dir));
  for (std::int64_t k = 0; k < 20; ++k) rig.frame(k);
  const std::string good = read_file(rig.file->path());
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    if (i % 3 == 0) {
      bad.resize(random() % bad.size());
    } else {
      for (int n = 0; n < 20; ++n)
        bad[random() % (i % 3 == 1 ? 6000 : bad.size())] = static_cast<char>(random());
    }
    const fs::path file = dir.write("damaged", bad);
    try {
      const auto read = FlightFile::open(file);
      const TempDir out;
      (void)write_trace(FlightView(*read), {out.path(), "damaged", {}});
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(FlightCollector, WhatAKilledProcessLeftIsCollectedOnce) {
  const TempDir dir;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Rig rig(plan(dir));
    for (std::int64_t k = 0; k < 30; ++k) rig.frame(k);
    const std::string path = rig.file->path().string();
    (void)!::write(ready[1], path.data(), path.size());
    ::raise(SIGKILL);
  }
  char path[256] = {};
  ASSERT_GT(::read(ready[0], path, sizeof path - 1), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(ready[0]);
  ::close(ready[1]);
  EXPECT_FALSE(FlightFile::open(path)->in_use());
  const auto found = collect_flight(path, "killed");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].run_folder, dir.path());
  EXPECT_EQ(found[0].file, "trace-29.pftrace") << found[0].failure;
  EXPECT_EQ(PerfettoTrace(dir / found[0].file).slices_of("main", "frame").size(), 30U);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(collect_flight(path, "killed").empty());
}

}  // namespace
}  // namespace tactus::executive::flight_trace_test
