// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/flight/flight_part.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tactus::executive::flight_part_test {
namespace {

/// A finding with all figures that there are.
Finding full_finding() {
  Finding finding;
  finding.cause = rtsync::Cause::catching_up;
  finding.facts.usual = rtsync::Nanoseconds{1};
  rtsync::Evidence& seen = finding.evidence;
  seen.switches.emplace().migrations = 1;
  seen.faults.emplace();
  seen.heap.emplace();
  seen.maps.emplace().calls = 1;
  seen.others.emplace().thread = 1;
  seen.silence.emplace();
  seen.interrupts.emplace();
  seen.idle_exit = rtsync::Nanoseconds{1};
  return finding;
}

TEST(FlightPart, AnnouncesAsManyRecordsAsAFrameOfThreeFindingsPuts) {
  constexpr std::size_t kOfFrame = 11;  // its times, an anchor of the clocks, an edge
  FlightRingHead head;
  head.capacity = 256;
  std::vector<FlightCell> cells(head.capacity);
  FlightRing ring(head, cells.data());
  ring.begin(FlightPart::kMostRecords);
  FindingRecords records(ring, 7);
  // A job with two causes, of which the second is beside the first, and a late wake.
  for (int i = 0; i < 3; ++i) records.put(full_finding(), i == 2);
  EXPECT_EQ(ring.count(), 3 * FindingRecords::kMost);
  EXPECT_LE(ring.count() + kOfFrame, FlightPart::kMostRecords)
      << "a reader would take records that are written over";
  ring.end();
}

}  // namespace
}  // namespace tactus::executive::flight_part_test
