// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/note_ring.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace tactus::executive::note_ring_test {
namespace {

using rtsync::Cause;
using rtsync::Nanoseconds;

Finding finding(int number, bool rooted) {
  Finding made;
  made.cause = Cause::computed;
  made.job = static_cast<std::uint32_t>(number);
  made.share = Nanoseconds{number + 1};
  made.evidence.switches = {.blocked = Nanoseconds{number + 2}, .blocks = 7};
  made.part_took = Nanoseconds{number + 3};
  if (!rooted) return made;
  made.root.thread = static_cast<std::size_t>(number + 4);
  made.root.evidence.cpu = static_cast<std::uint32_t>(number + 5);
  return made;
}

void expect_same(const Finding& a, const Finding& b) {
  EXPECT_EQ(a.cause, b.cause);
  EXPECT_EQ(a.job, b.job);
  EXPECT_EQ(a.share, b.share);
  ASSERT_EQ(a.evidence.switches.has_value(), b.evidence.switches.has_value());
  if (a.evidence.switches) {
    EXPECT_EQ(a.evidence.switches->blocked, b.evidence.switches->blocked);
  }
  EXPECT_EQ(a.part_took, b.part_took);
  EXPECT_EQ(a.root.thread, b.root.thread);
  EXPECT_EQ(a.root.evidence.cpu, b.root.evidence.cpu);
}

/// `which`: two bits for each finding: it is there, it has a root.
FrameNote note_of(std::int64_t frame, unsigned which) {
  FrameNote note;
  note.timing.frame = frame;
  note.longest_job_ns = frame * 3;
  note.slack_before.back() = frame * 5;
  note.beside_share = Nanoseconds{frame * 7};
  note.more[1].time = Nanoseconds{frame * 9};
  int number = static_cast<int>(frame);
  for (Finding* const each : {&note.overrun, &note.late, &note.beside}) {
    if ((which & 1U) != 0) *each = finding(++number, (which & 2U) != 0);
    which >>= 2U;
  }
  return note;
}

void expect_same(const FrameNote& a, const FrameNote& b) {
  EXPECT_EQ(a.timing.frame, b.timing.frame);
  EXPECT_EQ(a.longest_job_ns, b.longest_job_ns);
  EXPECT_EQ(a.slack_before, b.slack_before);
  EXPECT_EQ(a.beside_share, b.beside_share);
  EXPECT_EQ(a.more[1].time, b.more[1].time);
  expect_same(a.overrun, b.overrun);
  expect_same(a.late, b.late);
  expect_same(a.beside, b.beside);
}

TEST(NoteRing, GivesEachNoteBackWhateverItHas) {
  const auto ring = std::make_unique<NoteRing>();
  FrameNote found = note_of(1, 63);  // of which nothing may stay
  EXPECT_FALSE(ring->pop(found));
  for (unsigned round = 0; round < 500; ++round)  // more than once around
    for (unsigned which = 0; which < 64; ++which) {
      const FrameNote note = note_of(round * 64 + which, which);
      ASSERT_TRUE(ring->push(note));
      ASSERT_TRUE(ring->pop(found));
      expect_same(note, found);
      ASSERT_FALSE(::testing::Test::HasFailure()) << which;
      EXPECT_FALSE(ring->pop(found));
    }
}

TEST(NoteRing, HasRoomForAsManyAsItSaysAndThenTakesNone) {
  for (const auto& [which, least] : {std::pair(1U, 3000), std::pair(5U, 1700), std::pair(63U, 700)}) {
    const auto ring = std::make_unique<NoteRing>();
    std::int64_t taken = 0;
    while (ring->push(note_of(taken, which))) ++taken;
    EXPECT_GE(taken, least) << which;
    FrameNote found;
    for (std::int64_t k = 0; k < taken; ++k) {
      ASSERT_TRUE(ring->pop(found));
      ASSERT_EQ(found.timing.frame, k);
    }
    EXPECT_FALSE(ring->pop(found)) << "of the one that was refused nothing is there";
    EXPECT_TRUE(ring->push(note_of(taken, 63)));
  }
}

TEST(NoteRing, OfAShortRunHasRoomForEachOfItsNotesWhateverTheyHave) {
  NoteRing ring(10);
  for (std::int64_t k = 0; k < 10; ++k) ASSERT_TRUE(ring.push(note_of(k, 63)));
  while (ring.push(note_of(10, 63))) {
  }
  FrameNote found;
  for (std::int64_t k = 0; k < 10; ++k) {
    ASSERT_TRUE(ring.pop(found));
    EXPECT_EQ(found.timing.frame, k);
  }
}

TEST(NoteRing, PassesThemBetweenTwoThreadsInTheirOrder) {
  constexpr std::int64_t kNotes = 20'000;
  NoteRing ring;
  std::thread writer([&ring] {
    for (std::int64_t k = 0; k < kNotes;)
      if (ring.push(note_of(k, static_cast<unsigned>(k) % 64)))
        ++k;
      else
        std::this_thread::yield();
  });
  FrameNote found;
  for (std::int64_t k = 0; k < kNotes;) {
    if (!ring.pop(found)) {
      std::this_thread::yield();
      continue;
    }
    expect_same(found, note_of(k, static_cast<unsigned>(k) % 64));
    ++k;
  }
  writer.join();
}

}  // namespace
}  // namespace tactus::executive::note_ring_test
