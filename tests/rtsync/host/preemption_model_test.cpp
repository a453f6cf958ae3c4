// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/preemption_model.hpp"

#include <gtest/gtest.h>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::preemption_model_test {
namespace {

TEST(PreemptionModel, IsNotKnownWhereNothingSaysIt) {
  const FakeRoot root;
  EXPECT_FALSE(read_preemption_model(root.path()));
}

TEST(PreemptionModel, LetsGoUnlessSystemCallsHaveTheCpuToTheirEnd) {
  for (const auto& [text, name, lets_go] : {std::tuple{"none voluntary (full) lazy", "full", true},
                                            std::tuple{"none voluntary full (lazy)", "lazy", true},
                                            std::tuple{"none (voluntary) full", "voluntary", false},
                                            std::tuple{"(none) voluntary full", "none", false}}) {
    FakeRoot root;
    root.write("/sys/kernel/debug/sched/preempt", text);
    const auto model = read_preemption_model(root.path());
    ASSERT_TRUE(model) << text;
    EXPECT_EQ(model->name, name);
    EXPECT_EQ(model->lets_go(), lets_go) << text;
    EXPECT_FALSE(model->is_realtime());
  }
}

TEST(PreemptionModel, OfARealTimeKernelIsThatWhateverElseIsSaid) {
  FakeRoot root;
  root.write("/sys/kernel/realtime", "1\n");
  root.write("/sys/kernel/debug/sched/preempt", "none voluntary (full)");
  const auto model = read_preemption_model(root.path());
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->is_realtime() && model->lets_go());
}

}  // namespace
}  // namespace tactus::rtsync::preemption_model_test
