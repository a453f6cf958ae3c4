// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/faults_of_copy.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "rtsync/evidence/judge.hpp"

namespace tactus::executive::faults_of_copy_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Cause;

TEST(FaultsOfCopy, AreTheCheckpointsAndOthersAreTheJobs) {
  struct Row {
    const char* what;
    rtsync::FaultTimes faults;
    FaultsSeen seen;
    rtsync::Nanoseconds mapped;
    Cause cause;
  };
  const Row rows[] = {
      {"1.1 ms in 40 small faults of watched pages",
       {40, 0, 1100us},
       {40, 40, true},
       0ns,
       Cause::housekeeping},
      {"in fresh memory of the job's own", {40, 0, 1100us}, {40, 0, true}, 0ns, Cause::faulted},
      {"more of the job's own", {40, 0, 1100us}, {40, 15, true}, 0ns, Cause::faulted},
      {"more of watched pages", {40, 0, 1100us}, {40, 25, true}, 0ns, Cause::housekeeping},
      {"watched pages, and one of the disk that took as long",
       {40, 1, 1100us},
       {40, 40, true},
       0ns,
       Cause::housekeeping},
      {"not each of thousands was seen, and most were the job's own",
       {3000, 0, 1100us},
       {340, 100, false},
       0ns,
       Cause::faulted},
      {"not each was seen", {40, 0, 1100us}, {3, 0, false}, 0ns, Cause::housekeeping},
      {"not each was seen, and one was of the disk", {40, 1, 1100us}, {3, 3, false}, 0ns, Cause::faulted},
      {"not each was seen, and the job mapped memory", {40, 0, 100us}, {3, 3, false}, 1ms, Cause::faulted},
      {"it computed", {2, 0, 4us}, {2, 2, true}, 0ns, Cause::computed},
  };
  for (const Row& row : rows) {
    Finding finding;
    finding.facts = {rtsync::LatePart::job, 1200us, 20us};
    finding.evidence.switches = rtsync::SwitchTimes{};
    finding.evidence.interrupts = rtsync::InterruptTimes{};
    finding.evidence.silence = rtsync::Silence{};
    finding.evidence.faults = row.faults;
    finding.evidence.maps = rtsync::MapTimes{};
    finding.evidence.maps->took = row.mapped;
    share_faults_with_copy(row.seen, finding.evidence);
    finding.cause = rtsync::judge(finding.facts, finding.evidence);
    name_copy(finding);
    EXPECT_EQ(finding.cause, row.cause) << row.what;
    EXPECT_EQ(finding.part == nullptr ? "" : std::string(finding.part),
              row.cause == Cause::housekeeping ? "checkpoints" : "")
        << row.what;
  }
}

}  // namespace
}  // namespace tactus::executive::faults_of_copy_test
