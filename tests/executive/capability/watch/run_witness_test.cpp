// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/watch/run_witness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "rtsync/host/cpu_set.hpp"
#include "tests/executive/support/plan_fixture.hpp"
#include "tests/executive/support/recorded_voice.hpp"

namespace tactus::executive::run_witness_test {
namespace {

using namespace std::chrono_literals;
using config::Json;
using test::PlanFixture;
using test::RecordedVoice;
using ::testing::HasSubstr;

/// A page that no witness looks at, with a file in memory for its facts.
class RunWitnessTest : public ::testing::Test, protected PlanFixture {
 protected:
  RunWitnessTest() {
    page.witness = ::getpid();  // to which affinity is given
    page.facts = ::memfd_create("facts", MFD_CLOEXEC);
  }
  ~RunWitnessTest() override {
    if (page.facts >= 0) ::close(page.facts);
  }
  std::string facts() const {
    std::array<char, 4096> text{};
    const ssize_t length = ::pread(page.facts, text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
  }

  rtsync::WitnessPage page;
  RecordedVoice voice;
};

TEST_F(RunWitnessTest, IsToldTheFactsAnewEachTime) {
  const RunWitness witness(&page);
  witness.tell([] { return Json{{"rig", "a rig with a long name"}, {"frames", 1}}; }, voice.run_log());
  EXPECT_EQ(Json::parse(facts()), (Json{{"rig", "a rig with a long name"}, {"frames", 1}}));
  witness.tell([] { return Json{{"rig", "r"}}; }, voice.run_log());
  EXPECT_EQ(facts(), R"({"rig":"r"})") << "nothing of the longer text is left";
  witness.tell([] { return Json{{"rig", "\xff"}}; }, voice.run_log());
  EXPECT_EQ(facts(), "{\"rig\":\"\ufffd\"}") << "what is no text does not stop it";
}

TEST_F(RunWitnessTest, OneThatCannotBeToldIsInTheLog) {
  ::close(std::exchange(page.facts, -1));
  const RunWitness witness(&page);
  witness.tell([] { return Json::object(); }, voice.run_log());
  EXPECT_THAT(voice.log(), HasSubstr("the witness was not told of the rig: Bad file descriptor"));
}

TEST_F(RunWitnessTest, WithoutAWitnessNothingIsAsked) {
  const RunWitness witness(nullptr);
  witness.tell(
      []() -> Json {
        ADD_FAILURE() << "nobody reads it";
        return {};
      },
      voice.run_log());
}

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
