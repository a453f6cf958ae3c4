// SPDX-License-Identifier: Apache-2.0
// The board of verdicts between the frames and a reader: copies are of one frame, and made only when they are asked for.
#include "executive/capability/judge/standing_board.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tactus::executive::standing_board_test {
namespace {

constexpr std::size_t kExpectations = 16;
const CompiledSequence kNoSteps;
const SequenceRun kNoSequence(kNoSteps);

/// Monitors whose margins are all that of frame k.
std::vector<Monitor> monitors_of(std::int64_t k) {
  std::vector<Monitor> monitors(kExpectations, Monitor(Monitor::Choices{}));
  Monitor::Sample sample;
  sample.holds = 1;
  sample.margin = static_cast<double>(k);
  for (Monitor& each : monitors) each.take(k, sample);
  return monitors;
}

TEST(StandingBoard, HasNothingUntilItIsAskedAndEachCopyOnce) {
  StandingBoard board(kExpectations);
  board.publish(3, 4, monitors_of(3), kNoSequence, nullptr);
  EXPECT_EQ(board.read(), nullptr);
  board.ask();
  EXPECT_EQ(board.read(), nullptr) << "no frame has ended since";
  board.publish(7, 8, monitors_of(7), kNoSequence, nullptr);
  board.publish(8, 9, monitors_of(8), kNoSequence, nullptr);
  const StandingBoard::Copy* const copy = board.read();
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->frame, 7);
  EXPECT_EQ(copy->frames, 8);
  EXPECT_EQ(copy->standings.at(5).margin, 7);
  EXPECT_EQ(copy->standings.at(5).verdict, TestVerdict::pass);
  EXPECT_EQ(board.read(), nullptr);
}

TEST(StandingBoard, ACopyIsOfOneFrameWhileOthersEnd) {
  StandingBoard board(kExpectations);
  std::atomic<bool> enough{false};
  std::thread frames([&] {
    for (std::int64_t k = 0; !enough; ++k) board.publish(k, k + 1, monitors_of(k), kNoSequence, nullptr);
  });
  std::int64_t last = -1;
  for (int copies = 0; copies < 200;) {
    board.ask();
    const StandingBoard::Copy* const copy = board.read();
    if (copy == nullptr) {
      std::this_thread::yield();
      continue;
    }
    ++copies;
    EXPECT_GT(copy->frame, last);
    last = copy->frame;
    for (const Standing& each : copy->standings) EXPECT_EQ(each.margin, static_cast<double>(copy->frame));
  }
  enough = true;
  frames.join();
}

}  // namespace
}  // namespace tactus::executive::standing_board_test
