// SPDX-License-Identifier: Apache-2.0
/// What a frame costs the machine, counted from outside: no system call but the sleep, no heap, no page
/// fault; and no thread where it does not belong. Each proof has a counter-proof: a model that breaks the
/// rule is seen.
#include <sched.h>
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "rig_command.hpp"
#include "tests/support/syscall_count.hpp"

namespace tactus::test::realtime_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// --- heap and page faults

TEST(RealtimeNightly, TenSecondsOfServoTouchNoHeapAndFaultNoPage) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has a heap of its own, which cannot be counted or locked";
  const TempDir dir;
  const Finished done = run(run_rig("servo", {"--until", "10 s", "--out", "out"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["frames"]["run"], 10'000);
  EXPECT_EQ(summary["rt"]["heap_calls"], 0);
  if (summary["rt"]["memory_locked"] != true)
    GTEST_SKIP() << "memory cannot be locked here, so page faults prove nothing: "
                 << summary["rt"]["refused"];
  EXPECT_EQ(summary["rt"]["page_faults"], 0);
  EXPECT_EQ(summary["rt"]["major_page_faults"], 0);
}

Arguments misbehaving(const std::string& parameters) {
  return {"--set", "models.load.model=misbehave",      "--set", "models.load.parameters=" + parameters,
          "--set", "record.load.variables=[load.done]"};
}

TEST(Realtime, AModelThatAllocatesIsCounted) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has a heap of its own, which cannot be counted";
  const TempDir dir;
  const Finished done = run(run_rig("overrun",
                                    misbehaving("{ what: allocate, at_frame: 100, for_frames: 7 }") +
                                        Arguments{"--frames", "200", "--out", "out"},
                                    dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["rt"]["heap_calls"], 14);  // seven times new and delete
}

TEST(RealtimeNightly, AModelThatFaultsPagesIsCounted) {
  const TempDir dir;
  const Finished done =
      run(run_rig("overrun",
                  misbehaving("{ what: allocate, at_frame: 100, bytes: 100000000 }") +
                      Arguments{"--frames", "200", "--set", "memory.lock=no", "--out", "out"},
                  dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_GT(summary_of(dir / "out")["rt"]["page_faults"], 0);
}

// --- system calls

/// Until frames were run: before the first the thread still measures how long it sleeps.
void wait_for_frames(const TempDir& dir) {
  if (!wait_for_text(dir / "out/frames.csv", "\n0.1,")) throw std::runtime_error("no frame was recorded");
}

/// The calls of thread `main` over so many sleeps, in the middle of a run.
SyscallCount watch(Process& rig, const TempDir& dir, long sleep, std::uint64_t sleeps) {
  wait_for_frames(dir);
  return count_syscalls(threads_of(rig.pid()).at("main"),
                        {.until = CallsOf{sleep, sleeps}, .limit = kTimeout});
}

struct Sleeps {
  const char* sleeper;
  /// The first of them once a frame that was waited for; the others when it is behind (`reset_rttime()`).
  std::vector<long> calls;
};
void PrintTo(const Sleeps& row, std::ostream* out) { *out << row.sleeper; }

class OnlySleeps : public ::testing::TestWithParam<Sleeps> {};

TEST_P(OnlySleeps, NoOtherSystemCallInThreeThousandFrames) {
  const TempDir dir;
  Process rig(run_rig("servo",
                      {"--set", "until=stopped", "--out", "out", "--set",
                       std::string("realtime.sleeper=") + GetParam().sleeper},
                      dir.path()));
  const SyscallCount count = watch(rig, dir, GetParam().calls[0], 6000);  // hybrid may sleep twice a frame
  EXPECT_TRUE(count.reached) << count;
  std::uint64_t expected = 0;
  for (const long number : GetParam().calls) expected += count.of(number);
  EXPECT_EQ(calls_in_frames(count, GetParam().calls[0]), expected) << count;
  rig.signal(SIGTERM);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_GE(summary["frames"]["run"], 3000);
  expect_looks_of_late_frames_only(count, summary);
}

INSTANTIATE_TEST_SUITE_P(
    AllNightly, OnlySleeps,
    ::testing::Values(Sleeps{"hybrid", {SYS_clock_nanosleep}}, Sleeps{"nanosleep", {SYS_clock_nanosleep}},
                      Sleeps{"timerfd", {SYS_read, SYS_timerfd_settime, SYS_clock_nanosleep}}),
    [](const auto& one) { return std::string(one.param.sleeper); });

TEST(RealtimeNightly, ASpinningRigMakesNoSystemCallAtAll) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--set", "until=stopped", "--out", "out", "--set", "realtime.sleeper=spin"},
                      dir.path()));
  wait_for_frames(dir);
  const SyscallCount count = count_syscalls(threads_of(rig.pid()).at("main"), {.limit = 2s});
  EXPECT_EQ(calls_in_frames(count, -1), 0U) << count;
  rig.signal(SIGTERM);
  EXPECT_EQ(rig.wait().status, 0);
  expect_looks_of_late_frames_only(count, summary_of(dir / "out"));
}

TEST(Realtime, AModelThatSleepsIsCounted) {
  const TempDir dir;
  Process rig(
      run_rig("overrun",
              misbehaving("{ what: sleep, at_frame: 0, for_frames: 0, sleep_for: 10 us }") +
                  Arguments{"--set", "until=stopped", "--set", "realtime.sleeper=timerfd", "--out", "out"},
              dir.path()));
  // The sleeper makes none of them. Of its own there are fewer: it does not wait for a slot that is past.
  const SyscallCount count = watch(rig, dir, SYS_clock_nanosleep, 50);
  EXPECT_TRUE(count.reached) << count;
  EXPECT_GT(count.total, 50U) << count;
  rig.signal(SIGTERM);
  EXPECT_EQ(rig.wait().status, 0);
}

// --- threads

struct ThreadSeen {
  std::string name;
  int policy = -1;
  int priority = -1;
  std::vector<int> cpus;
};

std::vector<ThreadSeen> threads_seen(pid_t pid) {
  std::vector<ThreadSeen> threads;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    const pid_t tid = std::stoi(entry.path().filename().string());
    ThreadSeen seen;
    std::ifstream(entry.path() / "comm") >> seen.name;
    seen.name.resize(std::min(seen.name.find('@'), seen.name.size()));  // the role, without the rig
    const int policy = ::sched_getscheduler(tid);
    if (policy < 0) continue;  // it has ended meanwhile
    seen.policy = policy & ~SCHED_RESET_ON_FORK;
    sched_param parameters{};
    (void)::sched_getparam(tid, &parameters);
    seen.priority = parameters.sched_priority;
    cpu_set_t set;
    CPU_ZERO(&set);
    (void)::sched_getaffinity(tid, sizeof set, &set);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) seen.cpus.push_back(static_cast<int>(cpu));
    threads.push_back(seen);
  }
  return threads;
}

TEST(Realtime, OnlyMainAndItsGuardAreRealTimeAndNobodySharesItsCpu) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--set", "until=stopped", "--out", "out"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  wait_for_frames(dir);
  const std::vector<ThreadSeen> threads = threads_seen(rig.pid());
  rig.signal(SIGTERM);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;

  Json rt = summary_of(dir / "out")["rt"];
  const auto main =
      std::find_if(threads.begin(), threads.end(), [](const auto& t) { return t.name == "main"; });
  ASSERT_NE(main, threads.end());
  const bool granted = rt["refused"].dump().find("SCHED_FIFO") == std::string::npos;
  EXPECT_EQ(main->policy, granted ? SCHED_FIFO : SCHED_OTHER);
  EXPECT_EQ(main->priority, granted ? 80 : 0);
  EXPECT_EQ(rt["policy"],
            granted ? "SCHED_FIFO" : "SCHED_OTHER");  // the summary tells what is, not what was asked
  EXPECT_EQ(main->cpus, std::vector<int>{rt["cpu"].get<int>()});

  cpu_set_t ours;
  CPU_ZERO(&ours);
  ASSERT_EQ(::sched_getaffinity(0, sizeof ours, &ours), 0);
  const bool room = CPU_COUNT(&ours) > 1;
  for (const ThreadSeen& thread : threads) {
    if (thread.name == "main") continue;
    const bool guard = thread.name == "watchdog" && granted;  // above all that it watches
    EXPECT_EQ(thread.policy, guard ? SCHED_FIFO : SCHED_OTHER) << thread.name;
    EXPECT_EQ(thread.priority, guard ? main->priority + 1 : 0) << thread.name;
    if (room) {
      EXPECT_EQ(std::count(thread.cpus.begin(), thread.cpus.end(), main->cpus.at(0)), 0)
          << thread.name << " may run on CPU " << main->cpus.at(0);
    }
  }
  EXPECT_GE(threads.size(), 3U);  // main, the service thread, the recorder
  // Listed at the start, for the log.
  const std::string log = read_file(dir / "out/log.txt");
  for (const ThreadSeen& thread : threads)
    EXPECT_NE(log.find("thread " + thread.name + " ("), std::string::npos) << thread.name;
}

TEST(Realtime, EachThreadShowsTheRigInTheNameThatTheKernelHas) {
  if (kThreadSanitized) GTEST_SKIP() << "the sanitizer has a thread of its own";
  const TempDir dir;
  Process rig(run_rig("servo",
                      {"--set", "until=stopped", "--set", "models.trajectory.isolated=yes", "--out", "out"},
                      dir.path()));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  wait_for_frames(dir);
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator("/proc/" + std::to_string(rig.pid()) + "/task")) {
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    if (name.empty()) continue;  // it has ended meanwhile
    names.push_back(name);
    EXPECT_NE(name.find("@serv"), std::string::npos) << name;
  }
  for (const char* const role : {"main@servo", "end-guard@servo", "watchdog@servo", "isolation@servo"})
    EXPECT_EQ(std::ranges::count(names, role), 1) << role;
  rig.signal(SIGTERM);
  EXPECT_EQ(rig.wait().status, 0);
}

/// A rig whose model takes real time away from thread main, and what the rig file says to that.
Command gives_up(const TempDir& dir, const std::string& policy) {
  dir.write("rig.yaml",
            "rig: gives_up\nframe: { period: 1 ms }\nuntil: stopped\non_privilege_lost: " + policy +
                "\nrealtime: { enabled: yes, sleeper: nanosleep }\nmemory: { lock: no, heap: 0 B }\n"
                "models: { it: { model: gives_real_time_up, library: '" TACTUS_HANG_LIBRARY "' } }\n");
  return tactus(Arguments{"run", "rig.yaml", "--out", "out"} + patient(), dir.path());
}

bool may_be_real_time() {
  const sched_param lowest{1};
  const sched_param none{};
  return ::sched_setscheduler(0, SCHED_FIFO, &lowest) == 0 &&
         ::sched_setscheduler(0, SCHED_OTHER, &none) == 0;
}

TEST(RealtimeNightly, ALostPrivilegeFreezesTheRigWhereTheRigFileSaysSo) {
  if (!may_be_real_time()) GTEST_SKIP() << "SCHED_FIFO is refused here: there is nothing to lose";
  const TempDir dir;
  Process rig(gives_up(dir, "freeze"));
  ASSERT_TRUE(rig.wait_for_output("paused after")) << rig.out() << rig.err();
  rig.signal(SIGINT);
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "stopped");
  const Json lost = summary["rt"]["changed"].at(0);
  EXPECT_EQ(lost["what"], "thread main");
  EXPECT_EQ(lost["lost"], true);
  EXPECT_NE(lost["was"].get<std::string>().find("SCHED_FIFO 80"), std::string::npos) << lost;
  EXPECT_NE(lost["is"].get<std::string>().find("SCHED_OTHER"), std::string::npos) << lost;
  EXPECT_GE(lost["frame"], 100);
}

TEST(Realtime, ALostPrivilegeEndsTheRigWhereTheRigFileSaysSo) {
  if (!may_be_real_time()) GTEST_SKIP() << "SCHED_FIFO is refused here: there is nothing to lose";
  const TempDir dir;
  const Finished done = run(gives_up(dir, "terminate"));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "aborted");
  const std::string reason = summary["reason"];
  EXPECT_EQ(reason.find("thread main: SCHED_FIFO 80"), 0U) << reason;
  EXPECT_NE(reason.find("became SCHED_OTHER"), std::string::npos) << reason;
  EXPECT_NE(reason.find("(on_privilege_lost)"), std::string::npos) << reason;
}

TEST(RealtimeNightly, WithoutRealTimeNoThreadIsRealTime) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--set", "until=stopped", "--no-realtime", "--out", "out"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  for (const ThreadSeen& thread : threads_seen(rig.pid()))
    EXPECT_EQ(thread.policy, SCHED_OTHER) << thread.name;
  rig.signal(SIGTERM);
  EXPECT_EQ(rig.wait().status, 0);
}

}  // namespace
}  // namespace tactus::test::realtime_test
