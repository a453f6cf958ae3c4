// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/frame_shares.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace tactus::executive::frame_shares_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Cause;
using rtsync::LatePart;
using rtsync::Nanoseconds;

Finding finding(LatePart part, Nanoseconds took, rtsync::CauseTime named, rtsync::CauseTime beside = {}) {
  Finding made;
  made.facts = {part, took, 0ns};
  made.cause = named.cause;
  made.share = named.time;
  made.besides[0] = beside;
  return made;
}

TEST(FrameShares, OfOnePartAreThoseOfItsCauses) {
  const Finding wake =
      finding(LatePart::wake, 30ms, {Cause::preempted, 20ms}, {Cause::machine_stopped, 10ms});
  FrameShares shares;
  shares.add(wake, 30ms);
  EXPECT_EQ(shares.largest(), &wake);
  FrameNote note;
  shares.put_beside(note, 29ms);
  EXPECT_EQ(note.beside.cause, Cause::machine_stopped);
  EXPECT_TRUE(note.beside.is_beside);
  EXPECT_EQ(note.beside.share, 10ms);
  EXPECT_NEAR(static_cast<double>(note.beside_share.count()), 29e6 / 3, 10);
  EXPECT_EQ(note.more[0].cause, Cause::none);
}

TEST(FrameShares, TheLargestOfAllPartsIsNamed) {
  const Finding wake =
      finding(LatePart::wake, 30ms, {Cause::preempted, 18ms}, {Cause::machine_stopped, 12ms});
  const Finding work = finding(LatePart::job, 25ms, {Cause::computed, 25ms});
  FrameShares shares;
  shares.add(wake, 30ms);
  shares.add(work, 25ms);
  EXPECT_EQ(shares.largest(), &work) << "though the wake was longer as a whole";
  FrameNote note;
  shares.put_beside(note, 55ms);
  EXPECT_EQ(note.beside.cause, Cause::preempted);
  EXPECT_FALSE(note.beside.is_beside) << "it has most of its part, and its own sentence";
  EXPECT_NEAR(static_cast<double>(note.beside_share.count()), 18e6, 10);
  EXPECT_EQ(note.more[0].cause, Cause::machine_stopped);
  EXPECT_NEAR(static_cast<double>(note.more[0].time.count()), 12e6, 10);
}

TEST(FrameShares, ASingleCauseHasNothingBesideIt) {
  const Finding work = finding(LatePart::job, 3ms, {Cause::computed, 3ms});
  FrameShares shares;
  shares.add(work, 2ms);
  FrameNote note;
  shares.put_beside(note, 1ms);
  EXPECT_EQ(note.beside.cause, Cause::none);
  EXPECT_EQ(note.beside_share, 0ns);
}

}  // namespace
}  // namespace tactus::executive::frame_shares_test
