// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/backlog.hpp"

#include <gmock/gmock.h>

namespace tactus::silkit::backlog_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::size_t kMega = 1'000'000;
constexpr BacklogLimits kLimits{.bytes = 50 * kMega};

/// Looks at a peer once per second.
struct Peer {
  Backlog backlog;
  Backlog::Clock::time_point now{};
  std::uint64_t taken = 0;
  std::size_t waiting = 0;
  int warned = 0;

  /// `seconds` later it has read `per_second` bytes in each of them, and as many were sent. Returns the second in which
  /// it was dropped; 0: it was not.
  int go_on(int seconds, std::size_t per_second, std::chrono::milliseconds apart = 1s) {
    for (int second = 1; second <= seconds; ++second) {
      now += apart;
      taken += per_second;
      if (look().is_stuck) return second;
    }
    return 0;
  }
  Backlog::Verdict look() {
    const Backlog::Verdict verdict = backlog.look(kLimits, now, taken, waiting);
    warned += verdict.is_news ? 1 : 0;
    return verdict;
  }
};

TEST(Backlog, DropsAPeerOnlyAfterTenSecondsInWhichItReadLessThanAMegabyteEach) {
  struct Row {
    std::size_t waiting, per_second;
    int dropped_in;
    const char* why;
  };
  const Row rows[] = {
      {60 * kMega, 0, 10, "it does not read"},
      {60 * kMega, kMega - 1, 10, "it reads a little less than a megabyte per second"},
      {60 * kMega, kMega, 0, "it reads slowly"},
      {3000 * kMega, 20 * kMega, 0, "what waits has no limit of its own"},
      {50 * kMega, 0, 0, "that much may wait for ever"},
  };
  for (const Row& row : rows) {
    Peer peer;
    peer.waiting = row.waiting;
    EXPECT_FALSE(peer.look().is_stuck);
    EXPECT_EQ(peer.go_on(60, row.per_second), row.dropped_in) << row.why;
  }
}

TEST(Backlog, KnowsBytesThatAreYoung) {
  Peer peer;
  peer.waiting = 60 * kMega;
  EXPECT_EQ(peer.go_on(9, 0), 0);
  peer.taken += 60 * kMega;  // all of them, and as many have come
  EXPECT_EQ(peer.go_on(9, 0), 0);
  EXPECT_EQ(peer.go_on(9, 0), 2) << "those have waited for ten seconds now";
}

TEST(Backlog, BeginsAnewWhenNothingWaits) {
  Peer peer;
  peer.waiting = 60 * kMega;
  EXPECT_EQ(peer.go_on(9, 0), 0);
  peer.waiting = 0;
  EXPECT_EQ(peer.go_on(1, 0), 0);
  peer.waiting = 60 * kMega;
  EXPECT_EQ(peer.go_on(10, 0), 0);
  EXPECT_EQ(peer.warned, 2);
}

TEST(Backlog, ChargesNoPeerWithTimeThatThisParticipantSpentElsewhere) {
  Peer peer;
  peer.waiting = 60 * kMega;
  EXPECT_FALSE(peer.look().is_stuck);
  EXPECT_EQ(peer.go_on(4, 0, 1h), 0) << "each counts as two seconds";
  EXPECT_EQ(peer.go_on(1, 0, 1h), 1);
}

TEST(Backlog, WarnsOnceUntilHalfOfItIsGone) {
  Peer peer;
  for (const std::size_t megas : {60U, 40U, 60U, 26U, 60U}) {
    peer.waiting = megas * kMega;
    peer.go_on(1, kMega);
  }
  EXPECT_EQ(peer.warned, 1);
  for (const std::size_t megas : {24U, 60U}) {
    peer.waiting = megas * kMega;
    peer.go_on(1, kMega);
  }
  EXPECT_EQ(peer.warned, 2);
}

TEST(Backlog, SaysHowMuchWaitsAndForHowLong) {
  Peer peer;
  peer.waiting = 60 * kMega;
  EXPECT_THAT(peer.look().words, HasSubstr("60000000 bytes wait for it"));
  EXPECT_EQ(peer.go_on(9, 7), 0);
  peer.now += 1s;
  EXPECT_THAT(peer.look().words,
              HasSubstr("does not read: 60000000 bytes wait for it, the oldest for 10.0 s, in "
                        "which it took 63"));
}

}  // namespace
}  // namespace tactus::silkit::backlog_test
