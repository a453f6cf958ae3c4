// SPDX-License-Identifier: Apache-2.0
/// An isolated model before it has a process; with one: threads/isolation_test.cpp.
#include "executive/isolation/isolated_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>

#include "executive/isolation/isolated_output.hpp"

namespace tactus::executive::isolated_model_test {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

TEST(IsolatedModel, IsCalledAsTheRigFileCallsIt) {
  IsolatedModel model(3, {"plant", "/lib/libplant.so", "motor"}, OnCrash::freeze);
  EXPECT_EQ(model.name(), "plant");
  EXPECT_EQ(model.on_crash(), OnCrash::freeze);
  EXPECT_STREQ(model.description().name, "motor");
  EXPECT_EQ(model.description().abi_version, static_cast<std::uint32_t>(TACTUS_ABI_VERSION));
}

TEST(IsolatedModel, IsNotLostBeforeItHasAProcess) {
  IsolatedModel model(0, {"plant", "/lib/libplant.so", "motor"}, OnCrash::abort);
  EXPECT_FALSE(model.lost());
  EXPECT_FALSE(model.take_lost());
  EXPECT_EQ(model.lost_job(), "");
  EXPECT_EQ(model.lost_frame(), -1);
  EXPECT_EQ(model.stays(), nullptr);
  EXPECT_THAT(model.take_log_lines(), IsEmpty());
  model.refuse_from_now();
  model.process().end();  // of none there is nothing to be ended
}

TEST(IsolatedModel, PoliciesAreCalledAsInTheRigFile) {
  EXPECT_EQ(name_of(OnCrash::abort), "abort");
  EXPECT_EQ(name_of(OnCrash::safe_state), "safe_state");
  EXPECT_EQ(name_of(OnCrash::freeze), "freeze");
  EXPECT_EQ(name_of(OnCrash::replace), "replace");
}

TEST(IsolatedOutput, BeforeItsDeviceIsOpenThereIsNothingToBeDriven) {
  IsolatedModel model(0, {"valve", "/lib/libvalve.so", "valve"}, OnCrash::abort);
  IsolatedOutput output(model);
  EXPECT_TRUE(output.drive_safe());
  EXPECT_TRUE(output.end_safe());
  EXPECT_EQ(output.frame_ended(), nullptr);
}

TEST(IsolatedJob, SumsWhatItsCallsDid) {
  IsolatedJob job(2);
  EXPECT_EQ(job.process(), 2U);
  CallPage::Use use;
  use.heap = {3, 10us};
  use.maps = {.calls = 1, .bytes = 4096, .faults = 2, .took = 5us};
  use.faults = 7;
  use.switches = 1;
  use.taken = rtsync::TimePoint<rtsync::MonotonicTime>{100us};
  use.answered = rtsync::TimePoint<rtsync::MonotonicTime>{120us};
  job.add(use);
  use.answered = rtsync::TimePoint<rtsync::MonotonicTime>{220us};
  job.add(use);
  const CallPage::Use& sum = job.sum();
  EXPECT_EQ(sum.heap.calls, 6U);
  EXPECT_EQ(sum.heap.took, 20us);
  EXPECT_EQ(sum.maps.calls, 2U);
  EXPECT_EQ(sum.maps.bytes, 8192U);
  EXPECT_EQ(sum.maps.faults, 4U);
  EXPECT_EQ(sum.maps.took, 10us);
  EXPECT_EQ(sum.faults, 14);
  EXPECT_EQ(sum.switches, 2);
  EXPECT_EQ(sum.answered.time_since_epoch(), 220us) << "that of the last call";
}

TEST(CallPage, ATextIsCutToItsRoomAndAlwaysEnds) {
  CallPage::Text text;
  text.fill('x');
  copy_text(text, "short");
  EXPECT_STREQ(text.data(), "short");
  copy_text(text, std::string(1000, 'y').c_str());
  EXPECT_EQ(std::string(text.data()), std::string(CallPage::kText - 1, 'y'));
  copy_text(text, nullptr);
  EXPECT_STREQ(text.data(), "");
}

TEST(CallPage, NobodySleepsForAWordThatHasChanged) {
  std::atomic<std::uint32_t> word{1};
  sleep_while(word, 0);  // returns at once
  const timespec moment{0, 1'000'000};
  sleep_while(word, 1, &moment);  // and so does this one, at the time
  wake(word);
  EXPECT_EQ(word.load(), 1U);
}

}  // namespace
}  // namespace tactus::executive::isolated_model_test
