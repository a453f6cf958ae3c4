// SPDX-License-Identifier: Apache-2.0
// A run that is continued from a checkpoint does what one does that never stopped: random plans, bit by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/executive/support/random_sketch.hpp"
#include "tests/executive/support/sketch_world.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::executive::checkpoint_random_test {
namespace {

using test::Sketch;
using test::Trace;
using test::World;

const auto kPlans = static_cast<std::uint64_t>(::tactus::test::trials(250));

/// With switches, dynamic jobs, loops and threads, but without what stands in no checkpoint: freezes, and the
/// traces that restart jobs leave on purpose.
Sketch random_plan(std::uint64_t seed) {
  Sketch sketch = test::random_sketch(seed);
  std::erase_if(sketch.commands, [](const TimedCommand& o) {
    return o.call.command != Command::enable && o.call.command != Command::disable;
  });
  for (test::SketchJob& job : sketch.jobs) {
    job.commands = false;
    if (job.job_class == TACTUS_RESTART) job.job_class = TACTUS_PRELOAD_CHECKPOINT;
  }
  return sketch;
}

/// A frame at which no thread is in the middle of its period.
std::int64_t frame_of_rest(const Sketch& sketch) {
  std::int64_t k = 1;
  for (const test::SketchThread& thread : sketch.threads)
    k = std::lcm(k, std::max<std::int64_t>(thread.frames, 1));
  return k < 5 ? 5 * k : k;
}

void start(World& world) {
  world.executive().run_default_data();
  world.executive().run_initialization();
}

/// Has a state loaded at the end of a frame, once. It is in every world, so that all have the same state.
struct Loader {
  World& world;
  const LoadedState* state = nullptr;
  std::int64_t at = -1;
  int times = 0;

  explicit Loader(World& in) : world(in) {
    PlannedJob job;
    job.name = "loader";
    job.job_class = TACTUS_END_OF_FRAME;
    job.self = this;
    job.run = [](void* self, const tactus_call* call) {
      Loader& l = *static_cast<Loader*>(self);
      if (call->frame == l.at && l.times++ == 0) l.world.executive().request_load(*l.state);
      return 0;
    };
    world.plan().jobs.push_back(job);
  }
};

/// The state after k frames, as bytes by name: where they lie in a block is each executive's own matter.
using State = std::map<std::string, std::vector<std::byte>>;
State state_at(const Sketch& sketch, std::int64_t k, std::uint64_t seed) {
  World world(sketch);
  const Loader idle(world);
  test::SimWorkerPool crew(world.executive(), world.clock, {.seed = seed});
  world.executive().jobs().set_workers(crew);
  start(world);
  EXPECT_EQ(world.executive().run(k).outcome, Outcome::completed);
  const std::vector<std::byte> bytes = world.executive().restorer().copy();
  const StateImage& image = world.executive().restorer().image();
  State state;
  for (std::size_t i = 0; i < image.pieces().size(); ++i) {
    const auto* const begin = bytes.data() + image.offset(i);
    state[image.pieces()[i].name].assign(begin, begin + image.pieces()[i].bytes);
  }
  return state;
}
LoadedState loaded(const State& state, std::int64_t k, Executive& executive) {
  const StateImage& image = executive.restorer().image();
  EXPECT_EQ(image.pieces().size(), state.size());
  LoadedState made{std::vector<std::byte>(image.bytes()), k};
  for (const auto& [name, bytes] : state)
    std::copy(bytes.begin(), bytes.end(), made.bytes.data() + image.offset(image.find(name)));
  return made;
}

::testing::AssertionResult ends_alike(const std::vector<Trace>& got, const std::vector<std::size_t>& from,
                                      const std::vector<Trace>& whole) {
  for (std::size_t t = 0; t < whole.size(); ++t) {
    const std::size_t calls = got[t].size() - from[t];
    if (calls > whole[t].size()) return ::testing::AssertionFailure() << "thread " << t << ": too many calls";
    const Trace tail(whole[t].end() - static_cast<std::ptrdiff_t>(calls), whole[t].end());
    for (std::size_t i = 0; i < calls; ++i)
      if (!(got[t][from[t] + i] == tail[i]))
        return ::testing::AssertionFailure() << "thread " << t << ", call " << i << ": got "
                                             << got[t][from[t] + i] << ", expected " << tail[i];
  }
  return ::testing::AssertionSuccess();
}

TEST(CheckpointRandom, AContinuedRunIsTheSameToTheBit) {
  for (std::uint64_t seed = 1; seed <= kPlans; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Sketch sketch = random_plan(seed);
    const std::int64_t k = frame_of_rest(sketch);
    const std::int64_t frames = k + 15;
    World whole(sketch);
    (void)whole.run(frames);

    World continued(sketch);
    const Loader idle(continued);
    start(continued);
    const LoadedState state = loaded(state_at(sketch, k, seed), k, continued.executive());
    continued.executive().restart().load(state);
    std::vector<std::size_t> before;
    for (const Trace& trace : continued.traces) before.push_back(trace.size());
    EXPECT_EQ(continued.executive().run(frames).frames, 15);
    (void)continued.executive().run_shutdown();
    EXPECT_TRUE(ends_alike(continued.traces, before, whole.traces)) << sketch;
    EXPECT_TRUE(continued.cells == whole.cells) << sketch;
    if (HasFailure()) return;
  }
}

TEST(CheckpointRandom, ARunningRigGoesBackAndComesToTheSameEnd) {
  for (std::uint64_t seed = 1001; seed <= 1000 + kPlans; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Sketch sketch = random_plan(seed);
    const std::int64_t k = frame_of_rest(sketch);
    const std::int64_t frames = k + 15;
    World whole(sketch);
    (void)whole.run(frames);

    World loads(sketch);
    LoadedState state;
    Loader loader(loads);
    loader.state = &state;
    loader.at = static_cast<std::int64_t>(seed % static_cast<std::uint64_t>(frames));
    state = loaded(state_at(sketch, k, seed), k, loads.executive());
    const RunEnd end = loads.run_on_sim_workers(frames, {.seed = seed});
    EXPECT_EQ(end.outcome, Outcome::completed) << end.reason;
    EXPECT_EQ(end.frames, loader.at + 1 + frames - k);
    EXPECT_EQ(loads.executive().restart().loaded(), 1);
    EXPECT_TRUE(loads.cells == whole.cells) << sketch;
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tactus::executive::checkpoint_random_test
