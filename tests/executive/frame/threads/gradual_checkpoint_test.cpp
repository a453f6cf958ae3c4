// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a state that is too large for the slack of a frame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include "executive/capability/checkpoint/checkpoint_part.hpp"
#include "executive/state/checkpoint_writer.hpp"
#include "tests/executive/support/marked_memory.hpp"
#include "tests/executive/support/plan_fixture.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::gradual_checkpoint_test {
namespace {

using namespace std::chrono_literals;
using test::MarkedMemory;
using test::PlanFixture;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Grid = std::array<double, 64 * 1024>;  // 128 pages

/// Elements that depend on others, chosen by the frame.
template <class Write>
void write_frame(Grid& grid, std::int64_t frame, Write write) {
  std::mt19937 engine(static_cast<unsigned>(frame));
  for (int i = 0; i < 40; ++i) {
    const std::size_t from = engine() % grid.size();
    write(grid[engine() % grid.size()], grid[from] / 2 + static_cast<double>(engine() % 1000));
  }
}

/// The grid after so many frames.
std::unique_ptr<Grid> grid_after(std::int64_t frames) {
  auto grid = std::make_unique<Grid>();
  for (std::int64_t k = 0; k < frames; ++k)
    write_frame(*grid, k, [](double& to, double value) { to = value; });
  return grid;
}

class Field : public Model {
 public:
  void declare(Declare& d) override {
    d.state("grid", *grid);
    d.job<&Field::step_once>("step", JobClass::scheduled);
  }
  void step_once(const Call& call) {
    write_frame(*grid, call.frame, [](double& to, double value) { memory->write(to, value); });
  }
  std::unique_ptr<Grid> grid = std::make_unique<Grid>();
  static inline MarkedMemory* memory = nullptr;
};

/// Frames of a second of simulated time, in which a copy of two seconds never fits. The helper is a real
/// thread, and the frames leave it some time.
class GradualCheckpoint : public ::testing::Test {
 protected:
  GradualCheckpoint() {
    Field::memory = &memory;
    memory.cost = 10ms;  // so that a frame allows some 25 pages
    bench.plan.frame = rtsync::Period{1'000'000'000, 1};
    bench.plan.freeze_frame = rtsync::Period{1'000'000'000, 1};
    bench.realtime.enabled = true;
    (void)bench.model<Field>("m");
    bench.job("act", TACTUS_END_OF_FRAME, [this](const tactus_call& call) {
      std::this_thread::sleep_for(200us);
      if (busy) bench.clock.advance(950ms);
      if (act) act(call.frame);
      return 0;
    });
    bench.job("rest", TACTUS_FREEZE, [this](const tactus_call&) {
      std::this_thread::sleep_for(200us);
      if (frozen) frozen();
      return 0;
    });
  }

  Executive& make(bool tracked = true) {
    Executive& executive = bench.make();
    const StateImage& image = executive.restorer().image();
    writer.emplace("test", bench.plan.frame, "test");
    writer->reserve(image, tracked ? &memory : nullptr);
    part.emplace(*writer, dir.path().string(), 0, 2s);
    executive.add(*part);
    writer->start({"checkpoint", {}, rtsync::SchedPolicy::other, 0, 0, false});
    return executive;
  }
  void run(std::int64_t frames) {
    (void)bench.run(frames);
    writer->stop();
    results = writer->poll();
    EXPECT_EQ(memory.watched(), 0U);
    EXPECT_EQ(bench.executive->totals().late_by_housekeeping, 0);
  }
  void stop_when_taken(std::int64_t count) {
    if (part->gradual() >= count) bench.executive->request_stop("taken");
  }
  std::vector<std::byte> block_of(const CheckpointResult& result) {
    return image_for(read_checkpoint(result.path), bench.executive->restorer().image());
  }
  /// A file holds the state after the frame that it names.
  void expect_whole(const CheckpointResult& result) {
    ASSERT_EQ(result.error, "");
    const StateImage& image = bench.executive->restorer().image();
    const auto block = block_of(result);
    Grid found;
    std::memcpy(found.data(), &block[image.offset(image.find("m.grid"))], sizeof(Grid));
    EXPECT_EQ(found, *grid_after(result.frame + 1)) << "after frame " << result.frame;
  }

  tactus::test::TempDir dir;
  MarkedMemory memory;
  PlanFixture bench;
  std::optional<CheckpointWriter> writer;
  std::optional<CheckpointPart> part;
  std::function<void(std::int64_t)> act;
  std::function<void()> frozen;
  bool busy = false;
  std::vector<CheckpointResult> results;
};

TEST_F(GradualCheckpoint, IsCopiedInPiecesAndHoldsTheStateOfOneBoundary) {
  make();
  int wanted = 0;
  act = [&](std::int64_t frame) {
    if (frame % 50 == 2 && wanted <= part->gradual() && wanted < 5) part->request(), ++wanted;
    stop_when_taken(5);
  };
  run(1'000'000);
  ASSERT_THAT(results, SizeIs(5));
  for (const CheckpointResult& result : results) expect_whole(result);
  EXPECT_GE(part->most_waited(), 5) << "128 pages, of which 25 are copied after a frame";
  EXPECT_EQ(part->waiting(), 0);
  EXPECT_GT(writer->gradual()->faults(), 0);
}

TEST_F(GradualCheckpoint, ARunThatGoesOnFromOneIsTheSame) {
  make();
  act = [&](std::int64_t frame) {
    if (frame == 2) part->request();
    stop_when_taken(1);
  };
  run(1'000'000);
  ASSERT_THAT(results, SizeIs(1));
  PlanFixture second;
  second.plan.frame = bench.plan.frame;
  const Field& field = PlanFixture::object<Field>(second.model<Field>("m"));
  second.make();
  const StateImage& image = second.executive->restorer().image();
  const Checkpoint file = read_checkpoint(results[0].path);
  LoadedState state{std::vector<std::byte>(image.bytes()), results[0].frame + 1};
  image.copy_to(state.bytes.data());  // the benches' own jobs are not alike
  for (const CheckpointPiece& piece : file.pieces)
    if (const std::size_t at = image.find(piece.name); at < image.pieces().size())
      std::memcpy(&state.bytes[image.offset(at)], &file.data[piece.offset], piece.bytes);
  second.executive->run_initialization();
  second.executive->restart().load(state);
  (void)second.executive->run(results[0].frame + 31);
  EXPECT_EQ(*field.grid, *grid_after(results[0].frame + 31));
}

TEST_F(GradualCheckpoint, OneThatIsAskedForMeanwhileComesNext) {
  make();
  act = [&](std::int64_t frame) {
    if (frame == 2) part->request("a.tck");
    if (frame == 3) part->request();
    stop_when_taken(2);
  };
  run(1'000'000);
  ASSERT_THAT(results, SizeIs(2));
  for (const CheckpointResult& result : results) expect_whole(result);
  EXPECT_LT(results[0].frame, results[1].frame);
  EXPECT_EQ(part->missed(), 0);
}

TEST_F(GradualCheckpoint, EndsWithTheRig) {
  memory.cost = 10s;  // a page after a frame
  make();
  act = [&](std::int64_t frame) {
    if (frame == 2) part->request();
  };
  run(40);
  EXPECT_TRUE(results.empty());
  EXPECT_EQ(part->waiting(), 38) << "at the ends of frames 2 to 39";
}

TEST_F(GradualCheckpoint, IsTakenWhereTheRigIsPausedMeanwhile) {
  memory.cost = 10s;
  make();
  act = [&](std::int64_t frame) {
    if (frame == 2) part->request();
    if (frame == 20) bench.executive->request_pause();
  };
  frozen = [&] {
    if (part->gradual() == 1) bench.executive->request_resume();
  };
  run(30);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].frame, 20) << "the state in which it stands";
  expect_whole(results[0]);
}

TEST_F(GradualCheckpoint, OfARigThatGoesBackMeanwhileIsThatOfItsNewWay) {
  memory.cost = 50ms;
  LoadedState state;
  bench.job("restart", TACTUS_RESTART, [&](const tactus_call&) {
    for (const rtsync::Pages& pages : GradualCopy::pages_of(bench.executive->restorer().image()))
      memory.release(pages);  // they were written
    return 0;
  });
  Executive& executive = make();
  const StateImage& image = executive.restorer().image();
  bool loaded = false;
  act = [&](std::int64_t frame) {
    if (frame == 2) {
      executive.program().save_state();
      state.bytes.resize(image.bytes());
      image.copy_to(state.bytes.data());
      state.frame = 3;
      part->request();
    }
    if (frame == 10 && !std::exchange(loaded, true)) executive.request_load(state);
    stop_when_taken(1);
  };
  run(1'000'000);
  EXPECT_EQ(executive.restart().loaded(), 1);
  ASSERT_THAT(results, SizeIs(1));
  expect_whole(results[0]);
}

TEST_F(GradualCheckpoint, WithoutSlackItWaitsAndIsTakenWhenThereIsSome) {
  make();
  busy = true;
  act = [&](std::int64_t frame) {
    if (frame == 2) part->request();
    if (frame == 200) busy = false;
    stop_when_taken(1);
  };
  run(1'000'000);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_GT(results[0].frame, 199);
  expect_whole(results[0]);
  EXPECT_GE(part->most_waited(), 198);
}

TEST_F(GradualCheckpoint, WhereNoWritesCanBeFoundItWaitsForAPause) {
  make(false);
  act = [&](std::int64_t frame) {
    if (frame == 2) part->request();
    if (frame == 60) bench.executive->request_pause();
  };
  frozen = [&] { bench.executive->request_resume(); };
  run(80);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].frame, 60);
  expect_whole(results[0]);
  EXPECT_EQ(part->most_waited(), 59);
  EXPECT_EQ(bench.executive->deferred(), 59) << "at the ends of frames 2 to 60";
  EXPECT_EQ(part->gradual(), 0);
}

TEST_F(GradualCheckpoint, WhenTheKernelFailsItIsSaidAndWaitsForAPause) {
  memory.broken = true;
  make();
  act = [&](std::int64_t frame) {
    if (frame == 2) part->request();
    if (frame > 2 && writer->gradual()->failed()) bench.executive->request_pause();
  };
  frozen = [&] {
    bench.executive->request_resume();
    bench.executive->request_stop("enough");
  };
  run(1'000'000);
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0].error, "no memory is watched");
  expect_whole(results[1]);
}

TEST_F(GradualCheckpoint, OutsideOfRealTimeItIsCopiedAtOnce) {
  bench.realtime.enabled = false;
  make();
  act = [&](std::int64_t frame) {
    if (frame == 7) part->request();
  };
  run(20);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].frame, 7);
  EXPECT_EQ(part->gradual(), 0);
  expect_whole(results[0]);
}

}  // namespace
}  // namespace tactus::executive::gradual_checkpoint_test
