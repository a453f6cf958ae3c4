// SPDX-License-Identifier: Apache-2.0
/// What stays in /dev/shm of processes that have ended, and who removes it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "executive/flight/flight_collector.hpp"
#include "executive/flight/flight_trace.hpp"
#include "tests/executive/flight/written_rig.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::left_flights_test {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

/// The number of a process that has ended.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  (void)::waitpid(child, nullptr, 0);
  return child;
}

fs::path memory_of(pid_t process, int number = 1) {
  return "/dev/shm/tactus-flight-" + std::to_string(process) + "-" + std::to_string(number);
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

TEST(LeftFlights, WhatIsNoFlightMemoryAnyMoreIsRemovedWhenItsProcessHasEnded) {
  const pid_t ended = ended_process();
  const std::string texts[] = {"", "hello", std::string(8192, 'x'),
                               "tactusF1" + std::string(8192, '\0')};  // of an older release
  for (int i = 0; i < 4; ++i) write(memory_of(ended, i + 1), texts[i]);
  (void)remove_useless_flights();  // or a rig that starts meanwhile: it removes them, too
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(fs::exists(memory_of(ended, i + 1))) << i;
}

TEST(LeftFlights, WhatMayBeInUseOrIsNotOursStays) {
  const pid_t ended = ended_process();
  const fs::path of_a_live_process = memory_of(::getppid());
  const fs::path with_another_name = "/dev/shm/tactus-flight-" + std::to_string(ended) + "-notes";
  const fs::path link = memory_of(ended);
  write(of_a_live_process, "hello");
  write(with_another_name, "hello");
  fs::create_symlink(with_another_name, link);
  (void)remove_useless_flights();
  for (const fs::path& file : {of_a_live_process, with_another_name, link}) {
    EXPECT_TRUE(fs::is_symlink(file) || fs::exists(file)) << file;
    fs::remove(file);
  }
}

/// A process that makes the memory of a rig of the folder, and sleeps then.
class MakerOfFlight {
 public:
  MakerOfFlight(const fs::path& folder, pid_t witness) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      FlightPlan plan;
      plan.folder = folder;
      plan.rig = "left";
      plan.threads = {{"main", 100}};
      plan.period_ns = 1'000'000;
      const auto file = FlightFile::make(plan, witness);
      (void)!::write(ready[1], "x", 1);
      for (;;) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    for (const int fd : ready) ::close(fd);
  }
  ~MakerOfFlight() { kill(); }
  MakerOfFlight(const MakerOfFlight&) = delete;
  MakerOfFlight& operator=(const MakerOfFlight&) = delete;
  pid_t pid() const { return pid_; }
  void kill() {
    if (killed_) return;
    killed_ = true;
    ::kill(pid_, SIGKILL);
    (void)::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
  bool killed_ = false;
};

TEST(LeftFlights, OfAKilledRigWhoseWitnessIsStillThereAreWaitedFor) {
  const TempDir dir, elsewhere;
  MakerOfFlight witness(elsewhere.path(), 0);  // any process
  MakerOfFlight rig(dir.path(), witness.pid());
  rig.kill();
  std::vector<pid_t> waited;
  const auto waits = [&](pid_t process) { waited.push_back(process); };
  EXPECT_EQ(wait_for_end_of_killed_rig(dir.path(), waits, std::chrono::milliseconds(0)), witness.pid());
  const auto found = collect_flights_of(dir.path());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].failure, not_ended_text(rig.pid()));
  std::thread killer([&] { witness.kill(); });
  EXPECT_EQ(wait_for_end_of_killed_rig(dir.path(), waits, std::chrono::minutes(5)), 0);
  killer.join();
  for (const CollectedFlight& each : collect_flights_of(dir.path())) EXPECT_EQ(each.failure, "");
  const auto left = folders_of_left_flights();
  EXPECT_EQ(std::count(left.begin(), left.end(), dir.path()), 0);
  ASSERT_FALSE(waited.empty());
  EXPECT_EQ(waited[0], witness.pid());
}

TEST(LeftFlights, WhatAnotherProcessCollectsJustNowIsWaitedFor) {
  const TempDir dir;
  MakerOfFlight rig(dir.path(), 0);
  rig.kill();
  const fs::path memory = memory_of(rig.pid());
  ASSERT_TRUE(fs::exists(memory));
  const int other = ::open(memory.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  const auto impatient = collect_flights_of(dir.path(), std::chrono::milliseconds(0));
  ASSERT_EQ(impatient.size(), 1U);
  EXPECT_THAT(impatient[0].failure, ::testing::StartsWith("another process is still writing them"));
  std::thread releaser([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::close(other);
  });
  const auto found = collect_flights_of(dir.path(), std::chrono::minutes(5));
  releaser.join();
  // A rig that begins just now, of any test, collects it as well: none is left then.
  for (const CollectedFlight& each : found) EXPECT_EQ(each.failure, "");
  EXPECT_FALSE(fs::exists(memory));
}

TEST(LeftFlights, OfARigThatRunsCanBeClaimedByItsWitnessWhileOthersLookWhatIsLeft) {
  const TempDir dir;
  MakerOfFlight rig(dir.path(), ::getpid());
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends) (void)remove_useless_flights();
  });
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const int claimed = ::open(memory_of(rig.pid()).c_str(), O_RDONLY | O_CLOEXEC);
    refused += ::flock(claimed, LOCK_EX | LOCK_NB) == 0 ? 0 : 1;
    ::close(claimed);
  }
  ends = true;
  other.join();
  EXPECT_EQ(refused, 0);
}

TEST(LeftFlights, OfARigThatRunsAreNotWaitedFor) {
  const TempDir dir;
  const MakerOfFlight rig(dir.path(), ::getpid());
  const auto unexpected = [](pid_t process) { ADD_FAILURE() << "waits for " << process; };
  EXPECT_EQ(wait_for_end_of_killed_rig(dir.path(), unexpected, std::chrono::minutes(5)), 0);
  EXPECT_EQ(wait_for_end_of_killed_rig(dir / "none", unexpected, std::chrono::minutes(5)), 0);
}

TEST(LeftFlights, WhoseFolderIsThereAreListedAndWhoseFolderIsGoneAreRemoved) {
  TempDir dir;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    FlightPlan plan;
    plan.folder = dir.path();
    plan.rig = "left";
    plan.threads = {{"main", 100}};
    plan.period_ns = 1'000'000;
    const auto file = FlightFile::make(plan, 0);
    const std::string path = file->path().string();
    (void)!::write(ready[1], path.data(), path.size());
    ::raise(SIGKILL);
  }
  char path[256] = {};
  ASSERT_GT(::read(ready[0], path, sizeof path - 1), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  for (const int fd : ready) ::close(fd);
  const auto folders = folders_of_left_flights();
  EXPECT_NE(std::find(folders.begin(), folders.end(), dir.path()), folders.end());
  (void)remove_useless_flights();
  EXPECT_TRUE(fs::exists(path));
  fs::remove_all(dir.path());
  (void)remove_useless_flights();
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace tactus::executive::left_flights_test
