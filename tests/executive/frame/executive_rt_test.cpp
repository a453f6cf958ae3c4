// SPDX-License-Identifier: Apache-2.0
// What run() promises of every frame from the first to the last: the heap is never touched.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>

#include "executive/capability/flight/flight_part.hpp"
#include "executive/capability/record/recordings_part.hpp"
#include "executive/record/recording.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "rtsync/host/map_watch.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::executive_rt_test {
namespace {

using namespace std::chrono_literals;
using rtsync::HeapWatch;
using rtsync::Period;
using test::PlanFixture;

/// With wires of every kind, arrays, several rates, and a text for each call.
class Busy : public Model {
 public:
  void declare(Declare& d) override {
    d.input("u", u);
    d.input("v", v);
    d.output("y", y);
    d.output("z", z);
    d.job<&Busy::top>("top", JobClass::top_of_frame);
    d.job<&Busy::plant>("plant", JobClass::scheduled, every(std::chrono::microseconds(250)));
    d.job<&Busy::slow>("slow", JobClass::sensor, rate(60));
    d.job<&Busy::control>("control", JobClass::controller);
    d.job<&Busy::end>("end", JobClass::end_of_frame);
  }
  void top() { z[0] += 1; }
  void plant() { y += u + v[1]; }
  void slow() { z[2] = y; }
  int control(const Call& call) { return fail(call.frame % 2 == 0 ? "even" : "odd"), 0; }
  void end() noexcept { z[1] = u; }
  double u = 0, y = 0;
  double v[3] = {}, z[3] = {};
};

class NullSink final : public RecordSink {
 public:
  std::string file_name(const std::string& recording) const override { return recording; }
  void open(const std::filesystem::path&, const RecordingHead&) override {}
  void write(const std::byte*) override {}
  void flush() override {}
  void close() override {}
};

/// A busy rig for one thread; `more` is one more job.
struct Rig {
  explicit Rig(test::Step more) {
    bench.plan.job_times = true;
    bench.job_clock = &JobClock::monotonic;
    bench.realtime.enabled = true;
    bench.realtime.overrun.on_overrun = rtsync::OnOverrun::skip;
    ModelInstance& a = bench.model<Busy>("a");
    ModelInstance& b = bench.model<Busy>("b");
    bench.connect(bench.ref(a, "y"), bench.ref(b, "u"));
    bench.connect(bench.ref(b, "y"), bench.ref(a, "u"), true).scale = 1e-9;
    bench.connect(bench.ref(a, "z"), bench.ref(b, "v"));
    bench.connect(bench.ref(b, "z"), bench.ref(a, "v"), true);
    for (int i = 0; i < 200; ++i)
      bench.job("trivial", TACTUS_EFFECTOR, [](const tactus_call&) { return 0; }).cycle =
          Period{1'000'000 * (1 + i % 9), 1};
    bench.job("more", TACTUS_LOGGING, std::move(more));
    log = std::make_unique<Recording>("log", std::vector{bench.ref(a, "y"), bench.ref(b, "z")},
                                      std::make_unique<NullSink>());
    PlannedJob& record = bench.job("record.log", TACTUS_DATA_RECORD, {});
    record.run = &Recording::sample;
    record.self = log.get();
    bench.make();
    ring_head.capacity = 5'000;
    bench.executive->jobs().record_in(0, ring.emplace(ring_head, cells.get()));
    bench.executive->add(flight.emplace(*ring, now, bench.executive->accounts(),
                                        bench.executive->program().job_clock(), bench.clock, nullptr,
                                        FlightValues({})));
    bench.executive->add(recordings.emplace(std::vector{log.get()}));
    bench.executive->add(frame_log.emplace(*log));  // one writer: the frames
    bench.executive->run_initialization();
  }
  std::unique_ptr<Recording> log;
  std::optional<RecordingsPart> recordings;
  std::optional<FrameLogPart> frame_log;
  FlightRingHead ring_head;
  FlightFrameNow now;
  std::unique_ptr<FlightCell[]> cells = std::make_unique<FlightCell[]>(5'000);
  std::optional<FlightRing> ring;
  std::optional<FlightPart> flight;
  PlanFixture bench;
};

TEST(ExecutiveRt, NeverTouchesTheHeapFromTheFirstFrameToTheLast) {
  if (!HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  const HeapWatch heap;
  Rig* rig = nullptr;
  Rig made([&](const tactus_call& call) {
    if (call.frame == 0) first = heap.calls();
    last = heap.calls();
    if (call.frame % 100 == 50) rig->bench.clock.advance(3ms);  // overruns: more notes than fit
    if (call.frame > 1000 && call.frame < 9000) rig->bench.clock.advance(1100us);
    if (call.frame % 50 == 7) rig->bench.sleeper.late = 200us;  // late wakes
    if (call.frame == 500) rig->bench.executive->request_pause();
    if (call.frame % 64 == 1) (void)rig->bench.executive->model_requests().enable_job("more", true);
    if (call.frame == 9500) rig->bench.sync->disable();
    if (call.frame == 9600) rig->bench.sync->enable();
    return 0;
  });
  rig = &made;
  made.bench.sleeper.on_wait = [&](int) { made.bench.executive->request_resume(); };
  const RunEnd end = made.bench.executive->run(10'000);
  EXPECT_EQ(end.outcome, Outcome::completed) << end.reason;
  EXPECT_EQ(last - first, 0U);
  ASSERT_TRUE(made.bench.executive->counters().heap_calls.has_value());
  EXPECT_EQ(*made.bench.executive->counters().heap_calls, 0U);
  EXPECT_GT(made.bench.executive->totals().overruns, 5000);
  EXPECT_GT(made.bench.executive->totals().late_wakes, 10);
  EXPECT_GT(made.bench.executive->accounts().notes_lost(), 1000U);
  EXPECT_GT(made.ring->count(), 100'000U);
  EXPECT_TRUE(made.flight->take_overrun().has_value());
}

TEST(ExecutiveRt, AJobThatAllocatesIsSeen) {
  if (!HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  Rig rig([](const tactus_call& call) {
    if (call.frame == 77) delete new std::string(100, 'x');
    return 0;
  });
  (void)rig.bench.executive->run(100);
  EXPECT_EQ(rig.bench.executive->counters().heap_calls.value_or(0),
            4U);  // the string and its text, made and freed
}

TEST(ExecutiveRt, AFailingJobDoesNotTouchItEither) {
  if (!HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  Rig rig([](const tactus_call& call) { return call.frame == 77 ? 1 : 0; });
  EXPECT_EQ(rig.bench.executive->run(100).outcome, Outcome::failed);
  EXPECT_EQ(rig.bench.executive->counters().heap_calls.value_or(1), 0U);
}

TEST(ExecutiveRt, PagesThatAJobMapsAreFaultsOfThatJobAlone) {
  if (rtsync::MapLog::of_this_thread() == nullptr) GTEST_SKIP() << "this build does not note calls of mmap";
  constexpr int kCalls = 100;  // more than are noted one by one
  Rig rig([](const tactus_call& call) {
    constexpr std::size_t kBytes = 65536;
    if (call.frame == 77 || call.frame == 78)
      for (int i = 0; i < kCalls; ++i) {
        void* const memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        (void)::munmap(memory, kBytes);
      }
    return 0;
  });
  EXPECT_EQ(rig.bench.executive->run(100).outcome, Outcome::completed);
  const Program& program = rig.bench.executive->program();
  const BrokenPromises& promises = program.promises();
  const std::uint32_t more = program.find("more");
  ASSERT_NE(more, kNoPlanJob);
  for (std::uint32_t job = 0; job < promises.jobs(); ++job) {
    const BrokenPromises::Count faults = promises.count(job, BrokenPromises::fault);
    if (job == more) {
      EXPECT_GE(faults.calls, 2U * kCalls);
      EXPECT_EQ(faults.jobs, 2U);
    } else {
      EXPECT_EQ(faults.calls, 0U) << program.plan().jobs[job].name;
    }
  }
}

}  // namespace
}  // namespace tactus::executive::executive_rt_test
