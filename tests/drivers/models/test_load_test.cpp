// SPDX-License-Identifier: Apache-2.0
// The models that misbehave on purpose: exactly when, and exactly as, they were told to.
#include <gtest/gtest.h>
#include <time.h>

#include <cstdint>

#include "model_host.hpp"

namespace {

using model_host::Instance;

double seconds() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(Late, IsLateInTheFramesItWasTold) {
  Instance late("test_load", "late");
  late.set("busy", 1e-4).set("every", 3).set("from_frame", 10).set("for_frames", 7).initialize();
  for (int frame = 0; frame < 30; ++frame) {
    const bool expected = frame == 10 || frame == 13 || frame == 16;
    const double start = seconds();
    late.call("step", frame * 1'000'000, 1e-3, frame);
    const double took = seconds() - start;
    EXPECT_EQ(late.get("burnt") > 0, expected) << frame;
    if (expected) {
      EXPECT_GE(late.get("burnt"), 1e-4);
      EXPECT_GE(took, 1e-4);
    }
  }
  EXPECT_EQ(late.get("late_frames"), 3);
}

TEST(Late, ZeroFramesMeansForEver) {
  Instance late("test_load", "late");
  late.set("busy", 0).set("for_frames", 0).initialize();
  for (std::int64_t frame = 0; frame < 1000; ++frame) late.call("step", 0, 1e-3, frame);
  EXPECT_EQ(late.get("late_frames"), 1000);
}

TEST(Late, ThrowsAndFailsAtItsTime) {
  for (const char* how : {"throws_at", "fails_at"}) {
    Instance late("test_load", "late");
    late.set("busy", 0).set(how, 0.5).initialize();
    EXPECT_EQ(late.try_call("step", 499'999'999, 1e-3, 499), 0) << how;
    EXPECT_NE(late.try_call("step", 500'000'000, 1e-3, 500), 0) << how;
    EXPECT_EQ(late.failure().rfind(how, 0), 0U) << late.failure();
  }
}

TEST(Late, RefusesImpossibleParameters) {
  Instance late("test_load", "late");
  late.set("every", 0);
  EXPECT_NE(late.try_call("initialize"), 0);
  EXPECT_EQ(late.failure(), "every: 0 frames must be above 0; try 10");
}

TEST(Misbehave, DoesItInItsFrameOnly) {
  struct Row {
    const char* what;
    int returns;
    const char* says;
  };
  const Row rows[] = {{"none", 0, ""},  {"allocate", 0, ""},
                      {"sleep", 0, ""}, {"throw", -1, "thrown on purpose"},
                      {"clock", 0, ""}, {"fail", 1, "failed on purpose"}};
  for (const Row& r : rows) {
    Instance it("test_load", "misbehave");
    it.set("what", r.what).set("at_frame", 5).set("sleep_for", 0.01).initialize();
    for (int frame = 0; frame < 10; ++frame) {
      const double start = seconds();
      const int returned = it.try_call("step", 0, 1e-3, frame);
      EXPECT_EQ(returned, frame == 5 ? r.returns : 0) << r.what << " in frame " << frame;
      EXPECT_EQ(it.failure(), frame == 5 ? r.says : "") << r.what;
      if (frame == 5 && r.what == std::string("sleep")) {
        EXPECT_GE(seconds() - start, 0.01);
      }
      if (frame == 5 && r.what == std::string("clock")) {
        EXPECT_GT(it.get("seen"), start - 1e-3);
        EXPECT_LT(it.get("seen"), seconds() + 1e-3);
      }
    }
    EXPECT_EQ(it.get("done"), r.what == std::string("none") ? 0 : 1) << r.what;
  }
}

TEST(Misbehave, RefusesAnUnknownWay) {
  Instance it("test_load", "misbehave");
  it.set("what", 17);
  EXPECT_NE(it.try_call("initialize"), 0);
  EXPECT_EQ(it.failure().rfind("what: 17", 0), 0U) << it.failure();
}

}  // namespace
