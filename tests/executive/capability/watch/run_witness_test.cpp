// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/watch/run_witness.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "executive/flight/flight_ring.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::run_witness_test {
namespace {

using namespace std::chrono_literals;
using test::PlanFixture;

/// A page that no witness looks at.
class RunWitnessTest : public ::testing::Test, protected PlanFixture {
 protected:
  RunWitnessTest() {
    page.witness = ::getpid();  // to which affinity is given
  }

  rtsync::WitnessPage page;
};

TEST_F(RunWitnessTest, SeesHowFarTheFramesCameAndWhichJobRuns) {
  realtime.enabled = true;
  std::uint32_t running = rtsync::RunningJob::kNone;
  job("first", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; });
  job("slow", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    running = page.running[0].job.load();
    clock.advance(call.frame == 5 ? 1500us : 100us);
    return 0;
  });
  make();
  RunWitness witness(&page);
  witness.watch(*executive, rtsync::allowed_cpus());
  (void)run(10);
  EXPECT_EQ(running, 1U);
  EXPECT_EQ(page.running[0].job.load(), rtsync::RunningJob::kNone) << "it has returned";
  EXPECT_EQ(page.frames.load(), 10);
  EXPECT_EQ(page.sim_time_ns.load(), 10'000'000);
  EXPECT_EQ(page.overruns.load(), 1);
  EXPECT_EQ(page.work_ns.load(), 100'000);
  EXPECT_EQ(page.slack_ns.load(), 900'000);
}

TEST_F(RunWitnessTest, WhatRunsIsInOneCellAloneThatOfTheFlightRecorder) {
  FlightRingHead head;
  head.capacity = 1000;
  const auto cells = std::make_unique<FlightCell[]>(head.capacity);
  FlightRing ring(head, cells.get());
  std::uint32_t in_ring = 0, in_page = 0;
  job("only", TACTUS_SCHEDULED, [&](const tactus_call&) {
    in_ring = head.now.job.load();
    in_page = page.running[0].job.load();
    return 0;
  });
  make();
  executive->jobs().record_in(0, ring);
  RunWitness witness(&page);
  witness.watch(*executive, rtsync::allowed_cpus());
  (void)run(3);
  EXPECT_EQ(in_ring, 0U);
  EXPECT_EQ(in_page, rtsync::RunningJob::kNone);
}

}  // namespace
}  // namespace tactus::executive::run_witness_test
