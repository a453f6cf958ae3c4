// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/faults_of_copy.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "rtsync/evidence/judge.hpp"

namespace tactus::executive::faults_of_copy_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Cause;

TEST(FaultsOfCopy, AreTheCheckpointsWhereNothingElseFaulted) {
  struct Row {
    const char* what;
    std::function<void(rtsync::Evidence&)> seen;
    Cause cause;
  };
  const Row rows[] = {
      {"1.1 ms in 40 small faults",
       [](rtsync::Evidence& e) {
         e.faults = {40, 0, 1100us}, e.maps = rtsync::MapTimes{};
       },
       Cause::housekeeping},
      {"a page of the disk among them",
       [](rtsync::Evidence& e) {
         e.faults = {40, 1, 1100us};
       },
       Cause::faulted},
      {"memory that the job mapped",
       [](rtsync::Evidence& e) {
         e.faults = {40, 0, 100us};
         e.maps = rtsync::MapTimes{};
         e.maps->took = 1ms;
       },
       Cause::faulted},
      {"it computed",
       [](rtsync::Evidence& e) {
         e.faults = {2, 0, 4us};
       },
       Cause::computed},
  };
  for (const Row& row : rows) {
    Finding finding;
    finding.facts = {rtsync::LatePart::job, 1200us, 20us};
    finding.evidence.switches = rtsync::SwitchTimes{};
    finding.evidence.interrupts = rtsync::InterruptTimes{};
    finding.evidence.silence = rtsync::Silence{};
    row.seen(finding.evidence);
    finding.cause = rtsync::judge(finding.facts, finding.evidence);
    charge_copy_with_faults(finding);
    EXPECT_EQ(finding.cause, row.cause) << row.what;
    EXPECT_EQ(finding.part == nullptr ? "" : std::string(finding.part),
              row.cause == Cause::housekeeping ? "checkpoints" : "")
        << row.what;
  }
}

}  // namespace
}  // namespace tactus::executive::faults_of_copy_test
