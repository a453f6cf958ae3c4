// SPDX-License-Identifier: Apache-2.0
/// A model that is late for one reason at a time: the rig names that reason, or what the machine did
/// meanwhile, and never another.
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <thread>

#include "rig_command.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace tactus::test::cause_test {
namespace {

using namespace std::chrono_literals;

constexpr int kEvery = 50;
constexpr std::int64_t kFrames = 500;

struct Reason {
  const char* name;
  std::set<std::string> causes;
};
void PrintTo(const Reason& reason, std::ostream* out) { *out << reason.name; }

/// `lock`: as most users have it.
std::string rig_file(const TempDir& dir, const std::string& reason, bool lock = false) {
  std::ofstream(dir / "rig.yaml")
      << "rig: late\nframe: { period: 2 ms }\nprivileges: prefer\n"
         "realtime: { enabled: yes, on_overrun: skip }\n"
      << (lock ? "" : "memory: { lock: no }\n")
      << "models:\n  m: { model: late, library: " TACTUS_LATE_REASON_LIBRARY ", parameters: { reason: "
      << reason << " } }\nrecord:\n  m: { variables: [m.injected, rt.last_late_frame], every: 2 ms }\n";
  return "rig.yaml";
}

Command late_rig(const TempDir& dir, const std::string& reason, bool lock = false) {
  return tactus(
      Arguments{"run", rig_file(dir, reason, lock), "--frames", std::to_string(kFrames), "--out", "out"} +
          patient(),
      dir.path());
}

/// The words of frames.csv for the frames that were late on purpose.
std::multiset<std::string> causes_of_injected(const TempDir& dir) {
  const Table frames = read_table(dir / "out/frames.csv");
  const auto numbers = frames.integers("rt.frame");
  const auto causes = frames.column("rt.cause");
  std::multiset<std::string> found;
  for (std::size_t i = 0; i < numbers.size() && i < causes.size(); ++i)
    if (numbers[i] >= kEvery && numbers[i] % kEvery == 0) found.insert(causes[i]);
  return found;
}

/// A rig that is late for that reason, until its end; `more`: arguments. Nothing: the kernel tells it no causes.
std::optional<Json> summary_of_late_rig(const TempDir& dir, const std::string& reason,
                                        const Arguments& more = {}) {
  Command command = late_rig(dir, reason);
  command.argv.insert(command.argv.end(), more.begin(), more.end());
  const Finished done = run(command);
  EXPECT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  for (const Json& refused : summary["rt"]["refused"])
    if (refused["what"] == "the kernel's events of thread main") return std::nullopt;
  return summary;
}

/// A hypervisor that keeps page tables of its own takes time when a page is touched first that the kernel has mapped
/// already. In here that looks like computing.
bool first_touch_is_slow() {
  constexpr std::size_t kPages = 1024;
  void* const memory = ::mmap(nullptr, kPages * 4096, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return false;
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t page = 0; page < kPages; ++page) static_cast<volatile char*>(memory)[page * 4096] = 1;
  const auto took = std::chrono::steady_clock::now() - began;
  (void)::munmap(memory, kPages * 4096);
  return took > kPages * 500ns;
}

class InjectedCause : public ::testing::TestWithParam<Reason> {
 protected:
  void SetUp() override {
    if (kSanitized && GetParam().name == std::string("heap"))
      GTEST_SKIP() << "a sanitizer has a heap of its own, which cannot be timed";
  }
  static bool is_right(const std::string& cause) {
    return GetParam().causes.count(cause) == 1 || (seems_to_compute_ && cause == "computed");
  }
  /// Whether one of them has the name that it should have. On a busy machine something else may be the cause of each.
  static bool one_is_named(const TempDir& dir) {
    const std::multiset<std::string> found = causes_of_injected(dir);
    return std::any_of(found.begin(), found.end(), &InjectedCause::is_right);
  }
  static void run_until_named(std::optional<TempDir>& kept, bool lock = false) {
    for (Tries tries; (!kept || !one_is_named(*kept)) && tries.another();) {
      const Finished done = run(late_rig(kept.emplace(), GetParam().name, lock));
      ASSERT_EQ(done.status, 0) << done;
    }
  }
  static void expect_named(const TempDir& dir) {
    const std::multiset<std::string> found = causes_of_injected(dir);
    EXPECT_EQ(found.size(), static_cast<std::size_t>(kFrames / kEvery - 1));
    // What a shared machine may do in the same frame.
    const std::set<std::string> machine{"machine_stopped", "preempted",   "migrated",   "throttled",
                                        "unknown",         "catching_up", "interrupted"};
    for (const std::string& cause : found)
      EXPECT_TRUE(is_right(cause) || machine.count(cause) == 1) << cause << "\n"
                                                                << read_file(dir / "out/log.txt");
    const Json summary = summary_of(dir / "out");
    EXPECT_TRUE(one_is_named(dir)) << summary["causes"].dump(2) << summary["rt"]["refused"].dump(2);
  }

  static inline bool seems_to_compute_ = false;  // for this machine's sake
};

TEST_P(InjectedCause, IsNamed) {
  std::optional<TempDir> kept;
  ASSERT_NO_FATAL_FAILURE(run_until_named(kept));
  const TempDir& dir = *kept;
  expect_named(dir);
  const Json summary = summary_of(dir / "out");
  std::int64_t overruns = 0;
  for (const auto& [word, sum] : summary["causes"].items()) overruns += sum["overruns"].get<std::int64_t>();
  EXPECT_EQ(overruns, summary["frames"]["overruns"].get<std::int64_t>() +
                          summary["frames"]["grace_overruns"].get<std::int64_t>());
}

TEST_P(InjectedCause, IsNamedToAPlainUser) {
  bool named = false;
  for (Tries tries; !named && tries.another();) {
    const TempDir dir;
    std::string why;
    const auto command = without_privileges(late_rig(dir, GetParam().name), dir, why);
    if (!command) GTEST_SKIP() << why;
    const Finished done = run(*command);
    ASSERT_EQ(done.status, 0) << done;
    // Without privileges signs of life come from outside of system calls alone, and who takes the CPU is hidden.
    const std::multiset<std::string> found = causes_of_injected(dir);
    const Json refused = summary_of(dir / "out")["rt"]["refused"];
    const bool sees_cpus = refused.dump().find("the kernel's events of CPU") == std::string::npos;
    for (const std::string& cause : found)
      EXPECT_TRUE(GetParam().causes.count(cause) == 1 || cause == "preempted" || cause == "migrated" ||
                  cause == "unknown" || (cause == "throttled" && sees_cpus))
          << cause;
    // The rig's own threads may be watched where the kernel is as it comes (kernel.perf_event_paranoid 2).
    for (const Json& each : refused)
      if (each["what"] == "the kernel's events of thread main") return;
    named = std::any_of(found.begin(), found.end(),
                        [](const std::string& cause) { return GetParam().causes.count(cause) == 1; });
  }
  EXPECT_TRUE(named);
}

INSTANTIATE_TEST_SUITE_P(EachNightly, InjectedCause,
                         ::testing::Values(Reason{"spin", {"computed"}}, Reason{"sleep", {"blocked"}},
                                           Reason{"heap", {"heap"}}, Reason{"memory", {"faulted"}},
                                           Reason{"disk", {"blocked", "computed"}}),
                         [](const auto& one) { return std::string(one.param.name); });

/// Where memory is locked, the kernel takes pages as soon as they are mapped.
class InjectedCauseInLockedMemory : public InjectedCause {
 protected:
  void SetUp() override {
    seems_to_compute_ = GetParam().name == std::string_view("memory") && first_touch_is_slow();
  }
  void TearDown() override { seems_to_compute_ = false; }
};

TEST_P(InjectedCauseInLockedMemory, IsNamed) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has a heap and an mmap of its own, which cannot be noted";
  std::optional<TempDir> kept;
  ASSERT_NO_FATAL_FAILURE(run_until_named(kept, true));
  expect_named(*kept);
}

INSTANTIATE_TEST_SUITE_P(EachNightly, InjectedCauseInLockedMemory,
                         ::testing::Values(Reason{"heap", {"heap"}}, Reason{"memory", {"faulted"}},
                                           Reason{"sleep", {"blocked"}}),
                         [](const auto& one) { return std::string(one.param.name); });

/// A thread of this process above all others on a CPU, for 3 ms in 50, until it is destroyed; after a minute by itself.
class Bully {
 public:
  explicit Bully(int cpu)
      : thread_([this, cpu](const std::stop_token& stop) {
          cpu_set_t one;
          CPU_ZERO(&one);
          CPU_SET(static_cast<std::size_t>(cpu), &one);
          const sched_param highest{90};
          granted_ = ::pthread_setname_np(::pthread_self(), "bully") == 0 &&
                     ::sched_setaffinity(0, sizeof one, &one) == 0 &&
                     ::sched_setscheduler(0, SCHED_FIFO, &highest) == 0;
          ready_ = true;
          using Clock = std::chrono::steady_clock;
          for (const auto end = Clock::now() + 60s;
               granted_ && !stop.stop_requested() && Clock::now() < end;) {
            std::this_thread::sleep_for(47ms);
            for (const auto busy = Clock::now() + 3ms; Clock::now() < busy;) {
            }
          }
        }) {
    while (!ready_) std::this_thread::sleep_for(1ms);
  }
  bool granted() const { return granted_; }

 private:
  std::atomic<bool> ready_{false};
  std::atomic<bool> granted_{false};
  std::jthread thread_;
};

TEST(PreemptionNightly, ByAThreadOfHigherPriorityIsNamedWithThatThread) {
  const int cpu = rtsync::allowed_cpus().last();
  std::string log;
  // A line names the worst of a second: another real-time program on this machine may do worse than ours.
  for (Tries tries; tries.another();) {
    const TempDir dir;
    const Command command =
        tactus(Arguments{"run", rig_file(dir, "nothing"), "--frames", "900", "--out", "out", "--set",
                         "threads.main.cpus=[" + std::to_string(cpu) + "]"} +
                   patient(),
               dir.path());
    const Bully bully(cpu);
    if (!bully.granted()) GTEST_SKIP() << "SCHED_FIFO is not granted here";
    const Finished done = run(command);
    ASSERT_EQ(done.status, 0) << done;
    const Json summary = summary_of(dir / "out");
    for (const Json& refused : summary["rt"]["refused"])
      if (refused["what"].get<std::string>().starts_with("the kernel's events")) GTEST_SKIP() << refused;
    log = read_file(dir / "out/log.txt");
    if (summary["causes"].contains("preempted") && log.find("by 'bully' (tid ") != std::string::npos) return;
  }
  if (log.find(" was preempted ") != std::string::npos)
    GTEST_SKIP() << "another real-time program has the CPU";
  FAIL() << log;
}

/// Main has nothing to do but to wait for it.
TEST(PreemptionNightly, OfAThreadThatMainWaitsForIsNamedWithThatThread) {
  const rtsync::CpuSet allowed = rtsync::allowed_cpus();
  if (allowed.count() < 2) GTEST_SKIP() << "there is one CPU alone";
  std::string log;
  for (Tries tries; tries.another();) {
    const TempDir dir;
    std::ofstream(dir / "rig.yaml")
        << "rig: late\nframe: { period: 2 ms }\nprivileges: prefer\nmemory: { lock: no }\n"
           "realtime: { enabled: yes, on_overrun: skip }\nthreads: { main: { cpus: ["
        << allowed.first() << "] }, workers: { two: { cpus: [" << allowed.last()
        << "] } } }\nmodels:\n  m: { model: late, library: " TACTUS_LATE_REASON_LIBRARY ", thread: two }\n";
    const Bully bully(allowed.last());
    if (!bully.granted()) GTEST_SKIP() << "SCHED_FIFO is not granted here";
    const Finished done =
        run(tactus(Arguments{"run", "rig.yaml", "--frames", "900", "--out", "out"} + patient(), dir.path()));
    ASSERT_EQ(done.status, 0) << done;
    const Json summary = summary_of(dir / "out");
    for (const Json& refused : summary["rt"]["refused"])
      if (refused["what"].get<std::string>().starts_with("the kernel's events")) GTEST_SKIP() << refused;
    log = read_file(dir / "out/log.txt");
    if (log.find(" for thread two; there preempted: the wake was preempted ") != std::string::npos) return;
  }
  FAIL() << log;
}

/// 2000 small calls of another job in each frame, and one long call of this one.
TEST(Heap, TimeOfItsCallsIsThatOfTheirJob) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has a heap of its own, which cannot be timed";
  const TempDir dir;
  std::ofstream(dir / "rig.yaml")
      << "rig: late\nframe: { period: 2 ms }\nprivileges: prefer\nmemory: { lock: no }\n"
         "realtime: { enabled: yes, on_overrun: skip }\nmodels:\n"
         "  a: { model: late, library: " TACTUS_LATE_REASON_LIBRARY
         ", parameters: { reason: calls, every: 1 } }\n"
         "  m: { model: late, library: " TACTUS_LATE_REASON_LIBRARY ", parameters: { reason: large } }\n";
  const Finished done =
      run(tactus(Arguments{"run", "rig.yaml", "--frames", "500", "--out", "out"} + patient(), dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_GE(summary["causes"].value("heap", Json::object())["jobs"].value("m.step", 0), 1)
      << summary["causes"].dump(2);
}

/// A rig of a job that uses the heap too long, killed once its summary says so. Afterwards it still does.
void expect_causes_after_a_kill(bool with_its_witness) {
  const TempDir dir;
  Process rig(
      tactus(Arguments{"run", rig_file(dir, "heap"), "--frames", "1000000", "--out", "out"} + patient(),
             dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/summary.json", "\"worst_ns\"")) << rig.err();
  ASSERT_TRUE(wait_for_text(dir / "out/summary.json", "\"count\"")) << rig.err();
  const Json before = summary_of(dir / "out");
  ASSERT_FALSE(before["causes"].empty());
  if (with_its_witness) ASSERT_EQ(::kill(rig.started_pid(), SIGSTOP), 0);  // it notices nothing
  rig.signal(SIGKILL);
  if (with_its_witness) ASSERT_EQ(::kill(rig.started_pid(), SIGKILL), 0);
  (void)rig.wait();
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], with_its_witness ? "unfinished" : "killed");
  EXPECT_TRUE(kSanitized || summary["promises_broken"]["m.step"].contains("heap")) << summary.dump(2);
  for (const auto& [word, sum] : before["causes"].items()) {
    ASSERT_TRUE(summary["causes"].contains(word)) << word << summary.dump(2);
    EXPECT_GE(summary["causes"][word]["overruns"], sum["overruns"]) << word;
  }
}

TEST(KilledRig, LeavesWhyItsFramesWereLate) { expect_causes_after_a_kill(false); }

TEST(KilledRig, LeavesWhyItsFramesWereLateIfItsWitnessIsKilledToo) { expect_causes_after_a_kill(true); }

TEST(StopBySignalNightly, IsNamedAndNeverAJob) {
  const TempDir dir;
  Process rig(
      tactus(Arguments{"run", rig_file(dir, "nothing"), "--frames", "1000000", "--out", "out"} + patient(),
             dir.path()));
  ASSERT_TRUE(rig.wait_for_output("1000000 frames")) << rig.err();
  ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0.1,"))
      << "before its first frame it is late for none";
  constexpr int kStops = 3;
  for (int i = 0; i < kStops; ++i) {
    std::this_thread::sleep_for(50ms);
    const std::size_t before = count_in(dir / "out/frames.csv", "machine_stopped");
    rig.signal(SIGSTOP);
    std::this_thread::sleep_for(300ms);
    rig.signal(SIGCONT);
    // On a busy machine its next frame may be a while off: two stops without one between them are one.
    EXPECT_TRUE(wait_for_text(dir / "out/frames.csv", "machine_stopped", kTimeout, before + 1));
  }
  rig.signal(SIGTERM);
  ASSERT_EQ(rig.wait().status, 0) << rig.err();
  const Table frames = read_table(dir / "out/frames.csv");
  const auto late = frames.integers("rt.late");
  const auto slack = frames.integers("rt.slack");
  const auto causes = frames.column("rt.cause");
  std::multiset<std::string> named;
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (late[i] > 250'000'000 || slack[i] < -250'000'000) named.insert(causes[i]);
  EXPECT_GE(named.count("machine_stopped"), static_cast<std::size_t>(kStops))
      << ::testing::PrintToString(named);
  EXPECT_EQ(named.count("blocked") + named.count("timer_late") + named.count("computed"), 0U)
      << ::testing::PrintToString(named);
  std::ifstream file(dir / "out/log.txt");
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(log.find("a signal had stopped the rig"), std::string::npos) << log;
}

/// Of the process of an isolated model: why it took long, and what it did that no job may do.
TEST(IsolatedCauseNightly, IsNamedWithThatOfItsProcess) {
  const struct {
    const char *reason, *root, *promise;
  } cases[] = {{"spin", "computed", ""},
               {"sleep", "blocked", "switches"},
               {"heap", "heap", "heap"},
               {"memory", "faulted", "faults"}};
  const std::string kOwn = " its model, which has a process of its own; there ";
  Tries tries;
  for (const auto& [reason, root, promise] : cases) {
    const std::string words = kOwn + std::string(root) + ": job m.step ";
    bool named = false;
    std::string log;
    // The log names the worst of a second: it is to be longer than what others take on a busy machine.
    do {
      const TempDir dir;
      const auto summary = summary_of_late_rig(dir, reason,
                                               {"--set", "models.m.isolated=yes", "--set", "memory.lock=yes",
                                                "--set", "models.m.parameters.lasts=30"});
      if (!summary || kSanitized) GTEST_SKIP() << "no events of the kernel, or no calls of the heap";
      EXPECT_TRUE((*summary)["causes"].contains("waited")) << (*summary)["causes"];
      named = count_in(dir / "out/log.txt", words) > 0;
      if (!named && root == std::string_view("faulted") && first_touch_is_slow())
        named = count_in(dir / "out/log.txt", kOwn + "computed: job m.step ") > 0;
      log = read_file(dir / "out/log.txt");
      const Json broken = (*summary)["promises_broken"].value("m.step", Json::object());
      if (*promise != '\0') {
        EXPECT_GE(broken.value(promise, Json::object()).value("frames", 0), kFrames / kEvery / 2) << broken;
      }
      EXPECT_LE(broken.value("switches", Json::object()).value("frames", 0), kFrames / kEvery + 1)
          << "that it waits for its next call is no broken promise: " << broken;
    } while (!named && tries.another());
    EXPECT_TRUE(named) << words << "\n" << log;
  }
}

/// Nothing takes longer than usual there.
TEST(JobThatIsAlwaysTooLong, HasItsCauseInEachFrame) {
  for (const auto& [reason, cause] : {std::pair{"spin", "computed"}, std::pair{"sleep", "blocked"}}) {
    const TempDir dir;
    const auto summary = summary_of_late_rig(dir, reason, {"--set", "models.m.parameters.every=1"});
    if (!summary) GTEST_SKIP() << "no events of the kernel";
    EXPECT_GE((*summary)["causes"].value(cause, Json::object()).value("overruns", 0), kFrames / 10)
        << (*summary)["causes"].dump(2);
  }
}

TEST(LastCause, StaysUntilTheNextLateFrame) {
  const TempDir dir;
  ASSERT_EQ(run(late_rig(dir, "sleep")).status, 0);
  EXPECT_EQ(count_in(dir / "out/frames.csv", "last_cause"), 0U) << "each row has its own";
  const Table recorded = read_table(dir / "out/m.csv");
  const auto last = recorded.integers("rt.last_late_frame");
  const auto injected = recorded.integers("m.injected");
  ASSERT_EQ(last.size(), injected.size());
  for (std::size_t i = kEvery + 2; i < last.size(); ++i)  // in frame i stands what became of the one before
    EXPECT_GE(last[i], static_cast<std::int64_t>((i - 1) / kEvery * kEvery)) << i;
}

TEST(LineOfALateFrameNightly, SaysWhatTheJobUsuallyTakesAndItsBudget) {
  std::string log;
  for (Tries tries; tries.another();) {
    const TempDir dir;
    Command command = late_rig(dir, "spin");
    command.argv.insert(command.argv.end(), {"--set", "models.m.jobs.step.budget=100 us"});
    const Finished done = run(command);
    ASSERT_EQ(done.status, 0) << done;
    std::ifstream file(dir / "out/log.txt");
    log.assign(std::istreambuf_iterator<char>(file), {});
    const std::regex line("job m.step computed for [^,]+, usually [^,]+ \\(p99 [^,]+\\), budget 100 us");
    if (std::regex_search(log, line)) return;
  }
  FAIL() << log;
}

TEST(LineOfALateFrameNightly, NamesTheJobOfAnIntegrationLoopThatHadMostOfIt) {
  std::string log;
  for (Tries tries; tries.another();) {
    const TempDir dir;
    std::ofstream(dir / "rig.yaml") << "rig: loop\nframe: { period: 2 ms }\nprivileges: prefer\n"
                                       "realtime: { enabled: yes, on_overrun: skip }\nmodels:\n"
                                       "  a: { model: late_in_loop, library: " TACTUS_LATE_REASON_LIBRARY
                                       ", parameters: { every: 100000 } }\n"
                                       "  b: { model: late_in_loop, library: " TACTUS_LATE_REASON_LIBRARY
                                       " }\n"
                                       "integrate: { plant: { models: [a, b] } }\n";
    const Finished done =
        run(tactus(Arguments{"run", "rig.yaml", "--frames", "400", "--out", "out"} + patient(), dir.path()));
    ASSERT_EQ(done.status, 0) << done;
    std::ifstream file(dir / "out/log.txt");
    log.assign(std::istreambuf_iterator<char>(file), {});
    if (std::regex_search(
            log, std::regex("job integrate\\.plant .*, of which b\\.derivative had [3-5]\\.[0-9]+ ms")))
      return;
  }
  FAIL() << log;
}

TEST(KernelEventsNightly, AreNotAskedForWhereTheRigFileSaysSo) {
  const TempDir dir;
  Command command = late_rig(dir, "sleep");
  command.argv.insert(command.argv.end(), {"--set", "kernel_events=no"});
  const Finished done = run(command);
  ASSERT_EQ(done.status, 0) << done;
  const std::multiset<std::string> found = causes_of_injected(dir);
  EXPECT_EQ(found.size(), static_cast<std::size_t>(kFrames / kEvery - 1));
  EXPECT_EQ(found.count("unknown") + found.count("catching_up"), found.size());
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["rt"]["refused"].dump().find("the kernel's events"), std::string::npos);
}

TEST(KernelEventsNightly, ShowSignsOfLifeAsOftenAsTheRigFileSays) {
  std::string log;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const TempDir dir;
    Command command = late_rig(dir, "spin");
    command.argv.insert(command.argv.end(), {"--set", "signs_of_life=10 ms"});
    const Finished done = run(command);
    ASSERT_EQ(done.status, 0) << done;
    EXPECT_EQ(causes_of_injected(dir).count("computed"), 0) << "too seldom to tell";
    if (summary_of(dir / "out")["rt"]["refused"].dump().find("the kernel's events of thread") !=
        std::string::npos)
      GTEST_SKIP() << "the kernel gives no events of threads";
    std::ifstream file(dir / "out/log.txt");
    log.assign(std::istreambuf_iterator<char>(file), {});
    if (log.find("with signs of life every 10.0 ms ('signs_of_life' in the rig file)") != std::string::npos)
      return;
  }
  FAIL() << log;
}

TEST(BrokenPromiseNightly, IsNamedAlthoughNoFrameIsLate) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has a heap of its own, which cannot be counted";
  const TempDir dir;
  const Finished done = run(late_rig(dir, "allocate"));
  ASSERT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["promises_broken"]["m.step"]["heap"]["count"], 2 * (kFrames / kEvery - 1));
  EXPECT_EQ(summary["promises_broken"]["m.step"]["heap"]["frames"], kFrames / kEvery - 1);
  std::ifstream file(dir / "out/log.txt");
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(log.find("job m.step uses the heap in a frame"), std::string::npos) << log;
}

TEST(BrokenPromise, OfAJobThatMapsLockedMemoryIsCounted) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has an mmap of its own, which cannot be noted";
  const TempDir dir;
  const Finished done = run(late_rig(dir, "memory", true));
  ASSERT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  for (const Json& refused : summary["rt"]["refused"])
    if (refused["what"].get<std::string>().starts_with("memory")) GTEST_SKIP() << refused;
  EXPECT_GE(summary["promises_broken"].value("m.step", Json::object())["faults"].value("count", 0),
            kFrames / kEvery - 1)
      << summary["promises_broken"];
  std::ifstream file(dir / "out/log.txt");
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(log.find("job m.step faults pages in a frame"), std::string::npos) << log;
}

TEST(BrokenPromise, OfAJobThatFaultsAPageNowAndThenIsCountedForEach) {
  const TempDir dir;
  auto summary = summary_of_late_rig(dir, "page");
  if (!summary) GTEST_SKIP() << "no events of the kernel";
  // A machine that takes pages away again makes more of them.
  Json& faults = (*summary)["promises_broken"]["m.step"]["faults"];
  EXPECT_GE(faults["count"], kFrames / kEvery - 1) << faults;
  EXPECT_GE(faults["frames"], kFrames / kEvery - 1) << faults;
}

TEST(BrokenPromiseNightly, IsNotSaidOfAModelThatKeepsIt) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer touches shadow memory that is not locked";
  const TempDir dir;
  ASSERT_EQ(run(late_rig(dir, "nothing")).status, 0);
  EXPECT_FALSE(summary_of(dir / "out")["promises_broken"].contains("m.step"));
}

TEST(BrokenPromiseNightly, OfAJobThatSleepsIsCounted) {
  const TempDir dir;
  auto summary = summary_of_late_rig(dir, "sleep");
  if (!summary) GTEST_SKIP() << "no events of the kernel";
  Json& switches = (*summary)["promises_broken"]["m.step"]["switches"];
  EXPECT_GE(switches["count"], 1) << (*summary)["causes"];
  EXPECT_LE(switches["frames"], kFrames / kEvery - 1) << "calls of the job, and not switches";
}

}  // namespace
}  // namespace tactus::test::cause_test
