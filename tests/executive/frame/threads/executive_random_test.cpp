// SPDX-License-Identifier: Apache-2.0
// Random plans with everything in them: on one thread, on simulated threads and on real ones they do what the
// reference says, call by call and value by value.
#include <gtest/gtest.h>

#include "tests/executive/support/random_sketch.hpp"
#include "tests/executive/support/reference_executive.hpp"
#include "tests/executive/support/sketch_world.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::executive::executive_random_test {
namespace {

using test::folded;
using test::random_sketch;
using test::ReferenceExecutive;
using test::SimWorkerSettings;
using test::Sketch;
using test::Trace;
using test::Wanted;
using test::World;

::testing::AssertionResult same(const std::vector<Trace>& got, const std::vector<Trace>& expected,
                                const char* what) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto [a, b] = std::mismatch(got[i].begin(), got[i].end(), expected[i].begin(), expected[i].end());
    if (a == got[i].end() && b == expected[i].end()) continue;
    auto failure = ::testing::AssertionFailure()
                   << what << " " << i << ", call " << (a - got[i].begin()) << ": got ";
    if (a == got[i].end()) return failure << "nothing, expected " << *b;
    if (b == expected[i].end()) return failure << *a << ", expected nothing";
    return failure << *a << ", expected " << *b;
  }
  return ::testing::AssertionSuccess();
}

/// What the reference says of a sketch, to be compared with any number of worlds.
class Expected {
 public:
  explicit Expected(const Sketch& sketch) : sketch_(sketch), reference_(sketch) { reference_.run(); }

  void compare(const World& world, const RunEnd& end) const {
    EXPECT_TRUE(same(world.traces, reference_.traces, "thread")) << sketch_;
    compare_ends(world, end);
  }
  void compare_folded(const World& world, const RunEnd& end) const {
    EXPECT_TRUE(same(by_job(sketch_, world.traces), by_job(sketch_, reference_.traces), "job")) << sketch_;
    compare_ends(world, end);
  }
  const ReferenceExecutive& reference() const { return reference_; }

 private:
  void compare_ends(const World& world, const RunEnd& end) const {
    EXPECT_EQ(end.outcome, reference_.stopped() ? Outcome::stopped : Outcome::completed) << end.reason;
    EXPECT_EQ(end.frames, reference_.frames);
    EXPECT_TRUE(world.cells == reference_.cells()) << "the models' variables differ at the end";
  }
  const Sketch& sketch_;
  ReferenceExecutive reference_;
};

/// Every seed of a range, until one fails.
template <class Check>
void for_seeds(std::uint64_t first, int count, Check check) {
  const auto plans = static_cast<std::uint64_t>(std::max(::tactus::test::trials(count), 10));
  for (std::uint64_t seed = first; seed < first + plans; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ExecutiveRandom, OneThreadDoesWhatTheReferenceSays) {
  std::int64_t instants = 0, freeze_frames = 0, resets = 0;
  for_seeds(1, 2000, [&](std::uint64_t seed) {
    const Sketch sketch = random_sketch(seed);
    const Expected expected(sketch);
    World world(sketch);
    expected.compare(world, world.run(sketch.frames));
    instants += expected.reference().instants;
    freeze_frames += expected.reference().freeze_frames;
    resets += expected.reference().resets;
  });
  EXPECT_GT(instants, 10 * ::tactus::test::trials(2000)) << "the plans are too empty to say anything";
  EXPECT_GT(freeze_frames, 100);
  EXPECT_GT(resets, 10);
}

TEST(ExecutiveRandom, PlansFoldedIntoMainDoTheSame) {
  for_seeds(10'000, 600, [](std::uint64_t seed) {
    const Sketch sketch = random_sketch(seed);
    World world(folded(sketch));
    Expected(sketch).compare_folded(world, world.run(sketch.frames));
  });
}

TEST(ExecutiveRandom, SimulatedThreadsDoTheSameHoweverQuickTheyAre) {
  for_seeds(20'000, 500, [](std::uint64_t seed) {
    const Sketch sketch = random_sketch(seed);
    const Expected expected(sketch);
    for (std::uint64_t crew = 1; crew <= 3; ++crew) {
      World world(sketch);
      world.realtime.enabled = crew == 2;
      SimWorkerSettings settings;
      settings.seed = seed * 10 + crew;
      settings.longest_ns = crew == 3 ? 5'000'000 : 50'000;
      expected.compare(world, world.run_on_sim_workers(sketch.frames, settings));
    }
  });
}

TEST(ExecutiveRandom, RealThreadsDoTheSame) {
  Wanted wanted;
  wanted.most_threads = 3;
  for_seeds(30'000, 250, [&](std::uint64_t seed) {
    const Sketch sketch = random_sketch(seed, wanted);
    World world(sketch);
    Expected(sketch).compare(world, world.run_on_threads(sketch.frames));
  });
}

TEST(ExecutiveRandom, AThreadThatSpinsDoesTheSame) {
  Wanted wanted;
  wanted.most_threads = 1;
  for_seeds(40'000, 20, [&](std::uint64_t seed) {
    Sketch sketch = random_sketch(seed, wanted);
    for (test::SketchThread& thread : sketch.threads) thread.wait = rtsync::WaitMode::spin;
    World world(sketch);
    Expected(sketch).compare(world, world.run_on_threads(sketch.frames));
  });
}

TEST(ExecutiveRandom, AnAsynchronousThreadThatIsNeverLateDoesWhatOneThatMustFinishDoes) {
  for_seeds(50'000, 300, [](std::uint64_t seed) {
    Sketch sketch = random_sketch(seed);
    for (test::SketchThread& thread : sketch.threads)
      if (thread.kind != ThreadKind::scheduled) thread.kind = ThreadKind::asynchronous;
    World world(sketch);
    Expected(sketch).compare(world, world.run(sketch.frames));
  });
}

/// Some jobs fail from some time on: several in one instant, on several threads.
TEST(ExecutiveRandom, TheSameFailureIsNamedOnEveryPool) {
  int failed = 0;
  for_seeds(60'000, 300, [&](std::uint64_t seed) {
    Wanted wanted;
    wanted.commands = false;
    const Sketch sketch = random_sketch(seed, wanted);
    std::mt19937_64 engine(seed);
    const auto from = static_cast<std::int64_t>(engine() % 10) * sketch.frame.floor().count();
    std::vector<bool> bad;
    for (const test::SketchJob& job : sketch.jobs) {
      const bool in_frames = is_cyclic(job.job_class) || job.job_class == TACTUS_END_OF_FRAME;
      bad.push_back(engine() % 3 == 0 && in_frames);
    }
    const auto run = [&](World& world, auto how) {
      world.fails = [&](std::size_t job, const tactus_call& call) {
        return bad[job] && call.sim_time_ns >= from;
      };
      RunEnd end = how(world);
      end.reason = end.reason.substr(0, end.reason.find(" on thread"));
      return end;
    };
    World alone(sketch);
    const RunEnd expected = run(alone, [&](World& world) { return world.run(sketch.frames); });
    failed += expected.outcome == Outcome::failed ? 1 : 0;
    const auto compare = [&](const Sketch& plan, auto how) {
      World world(plan);
      const RunEnd end = run(world, how);
      const auto said = [](const RunEnd& e) { return e.reason.substr(0, e.reason.find(" failed")); };
      EXPECT_EQ(said(end), said(expected)) << sketch;
      EXPECT_EQ(end.frames, expected.frames);
    };
    compare(folded(sketch), [&](World& world) { return world.run(sketch.frames); });
    for (std::uint64_t crew = 1; crew <= 3; ++crew)
      compare(sketch, [&](World& world) { return world.run_on_sim_workers(sketch.frames, {.seed = crew}); });
    if (seed % 4 == 0) compare(sketch, [&](World& world) { return world.run_on_threads(sketch.frames); });
  });
  EXPECT_GT(failed, 5);
}

TEST(ExecutiveRandom, AStuckThreadIsNamedAndNothingHangs) {
  int stuck = 0;
  for_seeds(70'000, 400, [&](std::uint64_t seed) {
    Wanted wanted;
    wanted.resets = false;
    const Sketch sketch = random_sketch(seed, wanted);
    if (sketch.threads.empty()) return;
    const std::size_t thread = 1 + seed % sketch.threads.size();
    World world(sketch);
    SimWorkerSettings settings;
    settings.seed = seed;
    settings.stuck = {thread, static_cast<std::int64_t>(seed / 7 % 12)};
    const RunEnd end = world.run_on_sim_workers(sketch.frames, settings);
    EXPECT_EQ(world.executive().state(), State::disconnect);
    if (end.outcome == Outcome::completed || end.outcome == Outcome::stopped)
      return;  // it had not so many jobs
    ++stuck;
    EXPECT_EQ(end.outcome, Outcome::aborted);
    EXPECT_NE(end.reason.find("thread 't" + std::to_string(thread) + "' is stuck"), std::string::npos)
        << end.reason;
  });
  EXPECT_GT(stuck, 5);
}

}  // namespace
}  // namespace tactus::executive::executive_random_test
