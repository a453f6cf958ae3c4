// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/stretched_job.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "executive/frame/program.hpp"

namespace tactus::executive::stretched_job_test {
namespace {

using rtsync::Period;

/// A clock that each look moves by one, and jobs that move it.
struct World {
  std::int64_t now = 0;
  std::int64_t takes = 1000;
  int status = 0;
  int calls = 0;

  JobClock::Read reader() {
    return [this] { return now++; };
  }
  static int job(void* self, const tactus_call*) {
    auto& world = *static_cast<World*>(self);
    world.now += world.takes;
    ++world.calls;
    return world.status;
  }
};

TEST(StretchedJob, TakesSoManyTimesAsLongAsTheJob) {
  World world;
  const JobClock clock(false, world.reader());
  for (const auto& [margin, least] :
       {std::pair(1.2, 1200), std::pair(2.0, 2000), std::pair(100.0, 100'000)}) {
    StretchedJob stretched(&World::job, &world, clock, margin);
    const std::int64_t begin = world.now;
    EXPECT_EQ(StretchedJob::call(&stretched, nullptr), 0);
    EXPECT_GE(world.now - begin, least) << margin;
    EXPECT_LE(world.now - begin, least + 2 * margin + 5) << margin;  // looks at the clock take one each
  }
  EXPECT_EQ(world.calls, 3);
}

TEST(StretchedJob, OneThatFailsIsNotStretched) {
  World world;
  world.status = 7;
  const JobClock clock(false, world.reader());
  StretchedJob stretched(&World::job, &world, clock, 100);
  EXPECT_EQ(StretchedJob::call(&stretched, nullptr), 7);
  EXPECT_LE(world.now, 1005);
}

PlannedJob job_of_class(World& world, tactus_job_class job_class) {
  PlannedJob job;
  job.name = "m." + std::to_string(job_class);
  job.run = &World::job;
  job.self = &world;
  job.job_class = job_class;
  job.cycle = Period{1'000'000, 1};
  return job;
}

TEST(StretchedJob, IsEachJobOfTheFramesAndNoOther) {
  World world;
  Plan plan;
  plan.job_times = false;
  for (const tactus_job_class job_class :
       {TACTUS_INITIALIZATION, TACTUS_TOP_OF_FRAME, TACTUS_SCHEDULED, TACTUS_CONTROLLER, TACTUS_END_OF_FRAME,
        TACTUS_FREEZE, TACTUS_SHUTDOWN})
    plan.jobs.push_back(job_of_class(world, job_class));
  plan.loops.push_back({"l", {}, Period{1'000'000, 1}, {}, 0});
  plan.margin = 3;
  const Program program(plan, world.reader());
  for (const PlannedJob& job : program.plan().jobs) {
    const bool in_frames = job.job_class == TACTUS_TOP_OF_FRAME || job.job_class == TACTUS_SCHEDULED ||
                           job.job_class == TACTUS_CONTROLLER || job.job_class == TACTUS_END_OF_FRAME ||
                           job.job_class == TACTUS_INTEGRATION;
    EXPECT_EQ(job.run == &StretchedJob::call, in_frames) << job.name;
  }
  int stretched = 0;
  for (const Entry& entry : program.entries()) {
    if (entry.run == nullptr || entry.job == kNoPlanJob ||
        program.plan().jobs[entry.job].name == "integrate.l")
      continue;
    const std::int64_t begin = world.now;
    EXPECT_EQ(entry.run(entry.self, entry.call), 0);
    EXPECT_GE(world.now - begin, 3000);
    ++stretched;
  }
  EXPECT_EQ(stretched, 2);
}

TEST(StretchedJob, IsNoneWithoutAMargin) {
  World world;
  Plan plan;
  plan.job_times = false;
  plan.jobs.push_back(job_of_class(world, TACTUS_SCHEDULED));
  const Program program(plan, world.reader());
  for (const Entry& entry : program.entries()) {
    if (entry.run == nullptr) continue;
    EXPECT_EQ(entry.run, &World::job) << "the job itself: it costs nothing";
  }
}

}  // namespace
}  // namespace tactus::executive::stretched_job_test
