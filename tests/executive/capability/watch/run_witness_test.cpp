// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/watch/run_witness.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

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
  std::uint32_t running = rtsync::WitnessPage::kNoJob;
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
  EXPECT_EQ(page.running[0].job.load(), rtsync::WitnessPage::kNoJob) << "it has returned";
  EXPECT_EQ(page.frames.load(), 10);
  EXPECT_EQ(page.sim_time_ns.load(), 10'000'000);
  EXPECT_EQ(page.overruns.load(), 1);
  EXPECT_EQ(page.work_ns.load(), 100'000);
  EXPECT_EQ(page.slack_ns.load(), 900'000);
}

}  // namespace
}  // namespace tactus::executive::run_witness_test
