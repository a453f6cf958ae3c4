// SPDX-License-Identifier: Apache-2.0
/// Rigs that are late on purpose, for a reason chosen by a seed, alone and with a shorter one of another kind: the
/// rig names it. What the machine does of its own is told by its steal time and by the model, and left out.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "hog_page.hpp"
#include "rig_command.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "steal_watch.hpp"
#include "tests/support/injection_table.hpp"
#include "tests/support/tracepoints.hpp"

namespace tactus::test::injection_test {
namespace {

using namespace std::chrono_literals;
/// The real-time threads that take CPUs from rigs: see HogPage. They end with the page's owner.
class Hogs {
 public:
  static constexpr int kStronger = 90, kEqual = 80;
  explicit Hogs(const TempDir& dir, int priority = kStronger) : priority_(priority) {
    const int file = ::open((dir / HogPage::kFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(::ftruncate(file, sizeof(HogPage)), 0);
    void* const memory = ::mmap(nullptr, sizeof(HogPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    EXPECT_NE(memory, MAP_FAILED);
    (void)::close(file);
    page_ = static_cast<HogPage*>(memory);
    page_->queues = priority == kEqual;
    for (int cpu = 0; cpu < 2; ++cpu) {
      (void)::sem_init(&page_->hogs[static_cast<std::size_t>(cpu)].wanted, 1, 0);
      threads_[static_cast<std::size_t>(cpu)] = std::thread([this, cpu] { run(cpu); });
    }
  }
  ~Hogs() {
    ends_ = true;
    for (HogPage::Hog& hog : page_->hogs) (void)::sem_post(&hog.wanted);
    for (std::thread& thread : threads_) thread.join();
    (void)::munmap(page_, sizeof(HogPage));
  }
  Hogs(const Hogs&) = delete;
  Hogs& operator=(const Hogs&) = delete;

 private:
  void run(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(cpu), &one);
    const sched_param high{priority_};
    (void)::pthread_setname_np(::pthread_self(), "hog");
    const bool granted =
        ::sched_setaffinity(0, sizeof one, &one) == 0 && ::sched_setscheduler(0, SCHED_FIFO, &high) == 0;
    HogPage::Hog& hog = page_->hogs[static_cast<std::size_t>(cpu)];
    for (;;) {
      while (::sem_wait(&hog.wanted) != 0) {
      }
      if (ends_) return;
      hog.has_it = true;
      constexpr std::int64_t kMost = 50'000'000;
      const std::int64_t end = now_ns() + std::min(hog.time_ns.load(), kMost);
      while (granted && now_ns() < end) {
      }
    }
  }
  const int priority_;
  HogPage* page_ = nullptr;
  std::atomic<bool> ends_{false};
  std::array<std::thread, 2> threads_;
};

struct Kind {
  const char* name;
  const char* cause;
};
/// In the order of the model.
constexpr Kind kKinds[] = {{"compute", "computed"},     {"sleep", "blocked"},
                           {"lock", "blocked"},         {"poll", "blocked"},
                           {"fsync", "blocked"},        {"heap", "heap"},
                           {"fresh memory", "faulted"}, {"disk pages", "faulted"},
                           {"preemption", "preempted"}, {"migration", "migrated"}};
enum : std::uint32_t {
  kCompute = 1,
  kSleep = 2,
  kPreempt = 1U << 8,
  kMigrate = 1U << 9,
  kInJob = kMigrate - 1,
  kOnDisk = 1U << 4 | 1U << 7
};

struct RigFile {
  std::uint32_t kinds = kInJob;
  bool pairs = true;
  std::string threads;  ///< the section
  std::string model;    ///< more keys of the model
  std::string on_overrun = "skip";
  int time_us = 8000;
};

std::string write_rig(const TempDir& dir, const RigFile& rig, std::uint64_t seed) {
  std::ofstream(dir / "rig.yaml")
      << "rig: late\nframe: { period: 2 ms }\nprivileges: prefer\n"
         "realtime: { enabled: yes, on_overrun: "
      << rig.on_overrun << " }\nmemory: { lock: no }\nthreads:\n  stuck_after: 30 s\n"
      << rig.threads
      << "models:\n  m:\n    model: injector\n    library: " TACTUS_INJECTOR_LIBRARY
         "\n    parameters: { kinds: "
      << rig.kinds << ", pairs: " << (rig.pairs ? 1 : 0) << ", seed: " << seed % 1'000'000
      << ", time: " << rig.time_us << " }\n"
      << rig.model
      << "record:\n  m: { variables: [m.injected, m.second, m.began, m.took, m.longest, m.stood], every: 2 "
         "ms }\n";
  return "rig.yaml";
}

/// What a rig said of its frames, by frame.
struct Run {
  std::map<std::int64_t, std::string> cause;
  std::map<std::int64_t, std::int64_t> injected;
  std::map<std::int64_t, std::int64_t> began;
  /// The machine took more than it was told to: longer than what was injected, or in the middle of it.
  std::map<std::int64_t, bool> disturbed;
};

Command command_of(const TempDir& dir, const RigFile& rig, std::uint64_t seed, std::int64_t frames) {
  return tactus(
      Arguments{"run", write_rig(dir, rig, seed), "--frames", std::to_string(frames), "--out", "out"} +
          patient(),
      dir.path());
}

Run read_run(const TempDir& dir) {
  Run run;
  const Table frames = read_table(dir / "out/frames.csv");
  const auto numbers = frames.integers("rt.frame");
  const auto causes = frames.column("rt.cause");
  const auto late = frames.integers("rt.late");
  for (std::size_t i = 0; i < numbers.size() && i < causes.size(); ++i) run.cause[numbers[i]] = causes[i];
  const Table model = read_table(dir / "out/m.csv");
  const auto injected = model.integers("m.injected");
  const auto began = model.integers("m.began");
  const auto took = model.integers("m.took");
  const auto longest = model.integers("m.longest");
  const auto stood = model.integers("m.stood");
  for (std::size_t i = 0; i < longest.size(); ++i) {
    run.injected[static_cast<std::int64_t>(i)] = injected[i];
    run.began[static_cast<std::int64_t>(i)] = began[i];
    constexpr std::int64_t kMost = 12'000'000;  // 8 ms, 2 ms of a second kind
    constexpr std::int64_t kLongest = 3'000'000;
    constexpr std::int64_t kStood = 2'000'000;  // of the 8 ms that a job computes
    run.disturbed[static_cast<std::int64_t>(i)] =
        took[i] > kMost || longest[i] > kLongest || stood[i] > kStood;
  }
  // What is injected is injected into the job: a frame that was woken so late had another cause before.
  constexpr std::int64_t kWokenLate = 1'000'000;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (late[i] > kWokenLate && causes[i] != "catching_up") run.disturbed[numbers[i]] = true;
  return run;
}

/// What all files say of that frame, and the two around it.
void tell(const TempDir& dir, std::int64_t frame) {
  for (const char* const name : {"out/frames.csv", "out/m.csv"}) {
    std::ifstream file(dir / name);
    std::string line;
    for (std::int64_t row = -1; std::getline(file, line); ++row)
      if (row < 0 || (row >= frame - 1 && row <= frame + 1)) std::cout << line << "\n";
  }
  std::ifstream log(dir / "out/log.txt");
  for (std::string line; std::getline(log, line);)
    if (line.find("frame " + std::to_string(frame)) != std::string::npos) std::cout << line << "\n";
}

/// Judges every injection of a run in its frame.
void judge_run(const TempDir& dir, const Run& run, const StealWatch& steal, const std::string& prefix,
               InjectionTable& table) {
  for (const auto& [frame, kind] : run.injected) {
    if (kind == 0) continue;
    const auto cause = run.cause.find(frame);
    if (cause == run.cause.end()) continue;  // the last frame
    const Kind& injected = kKinds[kind - 1];
    const std::int64_t began = run.began.at(frame);
    const bool disturbed = run.disturbed.at(frame) || steal.was_stolen(began, began + 20'000'000);
    const bool right = cause->second == injected.cause;
    if (!right && disturbed) {
      table.leave_out(prefix + injected.name);
      continue;
    }
    table.add(prefix + injected.name, injected.cause, cause->second);
    if (!right && cause->second != "unknown") tell(dir, frame);
  }
}

class Injections {
 public:
  explicit Injections(std::uint64_t seed) : seed_(seed) {}
  InjectionTable& table() { return table_; }

  void run(const RigFile& rig, std::int64_t injections, const std::string& prefix = "") {
    const TempDir dir;
    const Hogs hogs(dir);
    StealWatch steal;
    const Finished done = test::run(command_of(dir, rig, ++seed_, 25 * (injections + 2)), 300s);
    steal.stop();
    ASSERT_EQ(done.status, 0) << done;
    const Run seen = read_run(dir);
    judge_run(dir, seen, steal, prefix, table_);
  }

  /// The frame behind an overrun begins late, and ends late.
  void run_catching_up(std::int64_t injections) {
    const TempDir dir;
    StealWatch steal;
    RigFile rig;
    rig.kinds = kCompute;
    rig.pairs = false;
    rig.on_overrun = "catch_up";
    const Finished done = test::run(command_of(dir, rig, ++seed_, 25 * (injections + 2)), 300s);
    steal.stop();
    ASSERT_EQ(done.status, 0) << done;
    const Run seen = read_run(dir);
    for (const auto& [frame, kind] : seen.injected) {
      const auto cause = seen.cause.find(frame + 1);
      if (kind == 0 || cause == seen.cause.end()) continue;
      const std::int64_t began = seen.began.at(frame);
      if (cause->second != "catching_up" && steal.was_stolen(began, began + 20'000'000))
        table_.leave_out("catching up");
      else
        table_.add("catching up", "catching_up", cause->second);
    }
  }

  /// The period of an asynchronous thread does not end in time: the frame at its end waits.
  void run_waiting(std::int64_t injections) {
    const TempDir dir;
    StealWatch steal;
    RigFile rig;
    rig.kinds = kSleep;
    rig.pairs = false;
    rig.time_us = 12'000;
    rig.threads = "  workers:\n    slow: { kind: asynchronous_must_finish, period: 4 ms }\n";
    rig.model = "    thread: slow\n";
    const Finished done = test::run(command_of(dir, rig, ++seed_, 25 * (injections + 2)), 300s);
    steal.stop();
    ASSERT_EQ(done.status, 0) << done;
    const Run seen = read_run(dir);
    // Calls 50, 75 ... of a thread whose period is two frames.
    for (std::int64_t frame = 100; frame < 25 * (injections + 1); frame += 50) {
      const auto late = seen.cause.find(frame + 2);  // its next period waits
      const bool none = late == seen.cause.end() || late->second == "none";
      // The outputs of the thread's period are there when it has ended, and `began` stays.
      const auto began = seen.began.find(frame + 4);
      ASSERT_NE(began, seen.began.end());
      ASSERT_GT(began->second, 0);
      if ((none || late->second != "waited") && steal.was_stolen(began->second, began->second + 20'000'000))
        table_.leave_out("wait for a thread");
      else
        table_.add("wait for a thread", "waited", none ? "none" : late->second);
    }
  }

 private:
  std::uint64_t seed_;
  InjectionTable table_;
};

/// Where the rig's threads may not be watched, or have no real-time priority, causes are unknown.
bool may_watch() {
  const TempDir dir;
  RigFile rig;
  rig.kinds = kSleep;
  if (run(command_of(dir, rig, 1, 100)).status != 0) return false;
  const Json summary = summary_of(dir / "out");
  for (const Json& refused : summary["rt"]["refused"]) {
    const std::string what = refused["what"].get<std::string>();
    if (what.starts_with("the kernel's events") || what.starts_with("SCHED_FIFO")) return false;
  }
  return true;
}

RigFile on_worker() {
  RigFile rig;
  rig.threads = "  workers:\n    two: { cpus: [" + std::to_string(rtsync::allowed_cpus().first()) + "] }\n";
  rig.model = "    thread: two\n";
  return rig;
}

RigFile migrating() {
  RigFile rig;
  rig.kinds = kMigrate;
  rig.pairs = false;
  rig.threads = "  main: { cpus: [0, 1] }\n";
  return rig;
}

/// False: the machine left too little.
bool are_named(const InjectionTable& table) {
  const InjectionTable::Row all = table.sum();
  EXPECT_EQ(all.wrong, 0) << table;
  if (see_tracepoints()) EXPECT_LE(all.unknown * 100, all.injected) << table;
  return all.named * 2 >= all.injected;
}

TEST(InjectionsAloneNightly, AreNamedAloneAndInPairs) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has a heap of its own, and touches memory in the frames";
  (void)see_tracepoints();
  if (!may_watch()) GTEST_SKIP() << "the rig's threads may not be watched here";
  RigFile rig;
  rig.kinds = kInJob & ~kOnDisk;
  // One in a hundred is a limit for some hundred of them: of 60, a single one would be more.
  constexpr std::int64_t kEnough = 240;
  Injections injections(18);
  bool enough = false;
  for (Tries tries; !enough && tries.another();) {
    injections.run(rig, 60);
    const InjectionTable::Row all = injections.table().sum();
    if (HasFatalFailure() || all.wrong > 0) break;
    enough = all.injected >= kEnough && all.unknown * 100 <= all.injected && all.named * 2 >= all.injected;
  }
  EXPECT_TRUE(are_named(injections.table())) << "the machine left too little";
}

/// Main has no job of its own there.
TEST(WaitNightly, ForAnAsynchronousThreadSaysWhatThatDid) {
  if (!may_watch()) GTEST_SKIP() << "the rig's threads may not be watched here";
  const TempDir dir;  // the log names the worst overrun: longer than what the machine does beside it
  std::ofstream(dir / "rig.yaml") << "rig: late\nframe: { period: 2 ms }\nmemory: { lock: no }\n"
                                     "realtime: { enabled: yes, on_overrun: skip }\n"
                                     "threads: { stuck_after: 30 s, workers: { slow: { kind: "
                                     "asynchronous_must_finish, period: 4 ms } } }\n"
                                     "models:\n  m: { model: injector, library: " TACTUS_INJECTOR_LIBRARY
                                     ", parameters: { kinds: 2, time: 200000 }, thread: slow }\n";
  const Finished done =
      run(tactus(Arguments{"run", "rig.yaml", "--frames", "300", "--out", "out"} + patient(), dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  ASSERT_TRUE(summary["causes"].contains("waited")) << summary["causes"].dump(2);
  EXPECT_GE(summary["causes"]["waited"]["jobs"]["m.step"], 1);
  std::ifstream file(dir / "out/log.txt");
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(log.find(" for job m.step of thread slow; there "), std::string::npos) << log;
}

TEST(WaitNightly, ForAnIsolatedModelIsNoSleepOfItsJob) {
  if (!may_watch()) GTEST_SKIP() << "the rig's threads may not be watched here";
  const TempDir dir;
  RigFile rig;
  rig.kinds = kSleep;
  rig.pairs = false;
  rig.model = "    isolated: yes\n    on_crash: freeze\n";
  const Finished done = run(command_of(dir, rig, 1, 300));
  ASSERT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  ASSERT_TRUE(summary["causes"].contains("waited")) << summary["causes"].dump(2);
  EXPECT_GE(summary["causes"]["waited"]["jobs"]["m.step"], 1);
  EXPECT_FALSE(summary["causes"].contains("blocked")) << summary["causes"].dump(2);
  EXPECT_LT(summary["promises_broken"]["m.step"]["switches"]["frames"], 100)
      << "the sleeps of the model; the executive waits in each of 300 frames";
}

/// The log of a rig whose jobs call for a hog of equal priority, which runs as soon as they sleep.
std::string log_with_hog(const std::string& models) {
  const TempDir dir;
  const Hogs hogs(dir, Hogs::kEqual);
  std::ofstream(dir / "rig.yaml")
      << "rig: late\nframe: { period: 2 ms }\nrealtime: { enabled: yes, on_overrun: skip }\n"
         "threads: { stuck_after: 30 s }\nmodels:\n"
      << models;
  const Finished done =
      run(tactus(Arguments{"run", "rig.yaml", "--frames", "300", "--out", "out"} + patient(), dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  return read_file(dir / "out/log.txt");
}

void expect_hog_is_named(const std::string& models, const std::string& words) {
  if (!may_watch()) GTEST_SKIP() << "the rig's threads may not be watched here";
  std::string log;
  for (Tries tries; !std::regex_search(log, std::regex(words)) && tries.another();) {
    log = log_with_hog(models);
    EXPECT_EQ(log.find("there blocked"), std::string::npos) << "no model sleeps\n" << log;
  }
  EXPECT_TRUE(std::regex_search(log, std::regex(words))) << log;
}

/// Its process is ready, and comes after the thread that had been waiting for the CPU before.
TEST(WaitNightly, ForAnIsolatedModelThatGetsNoCpuSaysWhoHasIt) {
  expect_hog_is_named(
      "  a: { model: injector, library: " TACTUS_INJECTOR_LIBRARY ", parameters: { kinds: " +
          std::to_string(kPreempt) +
          ", time: 20000 } }\n"
          "  m: { model: late, library: " TACTUS_LATE_REASON_LIBRARY ", isolated: yes }\n",
      "waited: job m.step waited [0-9.]+ ms for its model, which has a process of its own; there "
      "preempted: the wake for job m.step was preempted [0-9.]+ ms by 'hog'");
}

/// A stronger thread comes while the model's job runs: the model's process has the priority below that of its caller.
TEST(WaitNightly, ForAnIsolatedModelThatIsPushedOffItsCpuSaysByWhom) {
  expect_hog_is_named("  m: { model: injector, library: " TACTUS_INJECTOR_LIBRARY
                      ", isolated: yes, parameters: { kinds: " +
                          std::to_string(kPreempt) + ", time: 20000 } }\n",
                      "waited: job m.step waited [0-9.]+ ms for its model, which has a process of its own; "
                      "there preempted: job "
                      "m.step was preempted [0-9.]+ ms by 'hog'");
}

TEST(InjectionsAloneNightly, AreNamedOftenAloneAndInPairs) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has a heap of its own, and touches memory in the frames";
  (void)see_tracepoints();
  if (!may_watch()) GTEST_SKIP() << "the rig's threads may not be watched here";
  const std::uint64_t seed = std::random_device{}();
  Injections injections(seed);
  injections.run({}, 600);
  injections.run(on_worker(), 200, "worker: ");
  if (rtsync::allowed_cpus() == rtsync::CpuSet{0, 1}) injections.run(migrating(), 80);
  injections.run_catching_up(80);
  injections.run_waiting(160);
  std::cout << "seed " << seed << "\n" << injections.table();
  EXPECT_GE(injections.table().sum().injected, 1000);
  EXPECT_GE(injections.table().rows().size(), 14U);
  EXPECT_TRUE(are_named(injections.table())) << "the machine left too little";
}

}  // namespace
}  // namespace tactus::test::injection_test
