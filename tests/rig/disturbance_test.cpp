// SPDX-License-Identifier: Apache-2.0
/// Rigs that are made late by what is done around their jobs: to their process, their clock, their CPU, and by a driver.
/// Each late frame has the name of that. A machine that does something of its own meanwhile is told by its steal time.
#include <arpa/inet.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "rig_command.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/preemption_model.hpp"
#include "rtsync/host/throttle.hpp"
#include "steal_watch.hpp"
#include "tests/support/injection_table.hpp"
#include "tests/support/tracepoints.hpp"

namespace tactus::test::disturbance_test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Nanoseconds = std::chrono::nanoseconds;

/// A rig that is on time unless it is disturbed. `more`: lines of the rig file.
Command quiet_rig(const TempDir& dir, const std::string& more, int frames) {
  std::ofstream(dir / "rig.yaml") << "rig: quiet\nframe: { period: 2 ms }\nprivileges: prefer\n" << more;
  Command command =
      tactus(Arguments{"run", "rig.yaml", "--frames", std::to_string(frames), "--out", "out"} + patient(),
             dir.path());
  command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  return command;
}

constexpr const char* kRealtime =
    "realtime: { enabled: yes, on_overrun: skip }\nthreads: { stuck_after: 30 s }\n";

std::string on_cpu(int cpu, const std::string& realtime) {
  return "realtime: { enabled: yes, on_overrun: skip" + realtime +
         " }\nthreads: { stuck_after: 30 s, main: { cpus: [" + std::to_string(cpu) + "] } }\n";
}

/// Why frames were late by at least so much, in a recording of them. `every`: only one in so many is made late, and
/// the machine makes others late: of all remainders the most frequent one.
std::vector<std::string> causes_of_late(const TempDir& dir, Nanoseconds least, std::int64_t every = 1) {
  const Table frames = read_table(dir / "out/frames.csv");
  const auto numbers = frames.integers("rt.frame");
  const auto late = frames.integers("rt.late");
  const auto slack = frames.integers("rt.slack");
  const auto causes = frames.column("rt.cause");
  std::map<std::int64_t, std::vector<std::string>> found;
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (std::max(late[i], -slack[i]) >= least.count()) found[numbers[i] % every].push_back(causes[i]);
  std::vector<std::string> most;
  for (const auto& [remainder, words] : found)
    if (words.size() > most.size()) most = words;
  return most;
}

/// The thread of a process with that name; 0: there is none.
pid_t thread_named(pid_t process, const std::string& name) {
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::string found;
    std::getline(std::ifstream(task.path() / "comm"), found);
    if (found.substr(0, found.find('@')) == name) return std::stoi(task.path().filename().string());
  }
  return 0;
}

/// Attaches to all threads of a process, and lets them go after that time. False: it may not.
bool stop_as_debugger(pid_t process, Nanoseconds time) {
  std::vector<pid_t> threads;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(process) + "/task"))
    threads.push_back(std::stoi(task.path().filename().string()));
  bool all = true;
  for (const pid_t thread : threads)
    all = ::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) == 0 &&
          ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) == 0 && all;
  for (const pid_t thread : threads) (void)::waitpid(thread, nullptr, __WALL);
  std::this_thread::sleep_for(time);
  for (const pid_t thread : threads) (void)::ptrace(PTRACE_DETACH, thread, nullptr, nullptr);
  return all;
}

/// A control group whose processes get 50 ms of each 100 ms of CPU time; of the first or the second kind.
class ControlGroup {
 public:
  ControlGroup() {
    std::error_code none;
    const fs::path one = "/sys/fs/cgroup/cpu", two = "/sys/fs/cgroup";
    const bool first = fs::exists(one / "cpu.cfs_quota_us", none);
    folder_ = (first ? one : two) / ("tactus-test-" + std::to_string(::getpid()));
    if (!fs::create_directory(folder_, none)) return;
    (void)write("cpu.rt_runtime_us",
                "50000");  // of the first kind: real-time helpers are kept out without it
    made_ = first ? write("cpu.cfs_period_us", "100000") && write("cpu.cfs_quota_us", "50000")
                  : write("cpu.max", "50000 100000");
  }
  ~ControlGroup() {
    std::error_code none;
    fs::remove(folder_, none);
  }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  bool takes(pid_t process) const { return made_ && write("cgroup.procs", std::to_string(process)); }
  bool made() const { return made_; }

 private:
  bool write(const char* file, const std::string& text) const {
    if (!fs::exists(folder_ / file)) return false;
    std::ofstream out(folder_ / file);
    out << text << std::flush;
    return out.good();
  }

  fs::path folder_;
  bool made_ = false;
};

class Disturbances {
 public:
  InjectionTable& table() { return table_; }

  /// The process stands still for 30 ms, again and again.
  void stop_by_signal(int times) {
    const TempDir dir;
    Process rig(quiet_rig(dir, kRealtime, 1'000'000));
    ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0.1,")) << rig.err();
    const std::int64_t began = now_ns();
    StealWatch steal;
    for (int i = 0; i < times; ++i) {
      std::this_thread::sleep_for(70ms);
      rig.signal(SIGSTOP);
      std::this_thread::sleep_for(30ms);
      rig.signal(SIGCONT);
    }
    std::this_thread::sleep_for(100ms);
    rig.signal(SIGTERM);
    ASSERT_EQ(rig.wait().status, 0) << rig.err();
    steal.stop();
    EXPECT_TRUE(judge("stop by a signal", "machine_stopped", causes_of_late(dir, 25ms), times / 2,
                      steal.was_stolen(began, now_ns())))
        << "the machine left too little\n"
        << table_;
  }

  /// A debugger stops all threads of the rig for some time, in a job or between, as `gdb -p` does.
  void trace(int times, Nanoseconds stop) {
    const TempDir dir;
    Process rig(quiet_rig(dir,
                          std::string(kRealtime) +
                              "models:\n  m: { model: late, library: " TACTUS_LATE_REASON_LIBRARY
                              ", parameters: { reason: spin, every: 1, lasts: 1 } }\n",
                          1'000'000));
    ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0.1,")) << rig.err();
    const std::int64_t began = now_ns();
    StealWatch steal;
    for (int i = 0; i < times; ++i) {
      std::this_thread::sleep_for(70ms);
      ASSERT_TRUE(stop_as_debugger(rig.pid(), stop));
    }
    std::this_thread::sleep_for(100ms);
    rig.signal(SIGTERM);
    ASSERT_EQ(rig.wait().status, 0) << rig.err();
    steal.stop();
    const std::int64_t wrong = table_.sum().wrong;
    const bool enough = judge("debugger", "suspended", causes_of_late(dir, stop * 4 / 5), times / 2,
                              steal.was_stolen(began, now_ns()));
    // Without the kernel's tracepoints a freezer looks the same.
    EXPECT_TRUE(enough || !see_tracepoints()) << "the machine left too little\n"
                                              << table_ << read_file(dir / "out/log.txt");
    EXPECT_EQ(table_.sum().wrong, wrong) << read_file(dir / "out/log.txt");
  }

  /// Edges of the external clock that come late, or not at all.
  void disturb_clock(const std::string& name, const std::string& clock, int frames) {
    const TempDir dir;
    run_rig(dir, name,
            std::string(kRealtime) +
                "clock: { driver: sim, discipline: edge, period: 2 ms, jitter_limit: 200 us, "
                "late_limit: 900 us, " +
                clock + " }\n",
            frames, "clock", 600us, 1, 20);
  }

  /// A driver of the rig computes for 4 ms, before its jobs and behind them.
  void compute_in_driver(int frames) {
    const TempDir dir;
    run_rig(dir, "a driver's own work", std::string(kRealtime) + "link: { driver: slow }\n", frames,
            "housekeeping", 1500us, 1, 25);
  }

  /// A thread without real-time priority is woken later than it asks for, as the kernel may gather timers. It is the
  /// strongest of them: what else the machine has to do does not come before it.
  void gather_timers(int frames) {
    const TempDir dir;
    Process rig(quiet_rig(dir,
                          "realtime: { enabled: yes, on_overrun: skip, sleeper: nanosleep }\n"
                          "threads: { stuck_after: 30 s, main: { policy: other } }\n",
                          frames));
    ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0.1,")) << rig.err();
    const pid_t frames_thread = thread_named(rig.pid(), "main");
    (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(frames_thread), -20);
    std::ofstream("/proc/" + std::to_string(frames_thread) + "/timerslack_ns") << 1'500'000 << std::flush;
    const std::int64_t began = now_ns();
    StealWatch steal;
    ASSERT_EQ(rig.wait(300s).status, 0) << rig.err();
    steal.stop();
    const std::vector<std::string> causes = causes_of_late(dir, 300us);
    (void)judge("gathered timers", "timer_late", causes, 1, steal.was_stolen(began, now_ns()));
    EXPECT_GT(std::count(causes.begin(), causes.end(), "timer_late"), 0) << table_;
  }

  /// An ordinary thread wants the CPU of a rig that never sleeps: the kernel's limit makes it room.
  void spin_beyond_the_limit(int frames, bool in_pieces) {
    const int cpu = rtsync::allowed_cpus().last();
    std::jthread hog([&](const std::stop_token& stop) {
      stay_on(cpu);
      while (!stop.stop_requested()) {
        const auto end = std::chrono::steady_clock::now() + 4ms;
        while (std::chrono::steady_clock::now() < end) {
        }
        if (in_pieces) std::this_thread::sleep_for(1ms);
      }
    });
    const TempDir dir;
    // The room is 50 ms of each second.
    run_rig(dir, in_pieces ? "limit, in pieces" : "limit", on_cpu(cpu, ", sleeper: spin"), frames,
            "throttled", in_pieces ? 1ms : 20ms, frames / 1000);
  }

  /// The control group of an ordinary rig has used up its CPU time.
  void stop_by_control_group(int frames) {
    const ControlGroup group;
    if (!group.made()) {
      std::cout << "no control group can be made here\n";
      return;
    }
    bool enough = false;
    for (Tries tries; !enough && tries.another();) {
      const TempDir dir;
      Process rig(quiet_rig(dir,
                            "realtime: { enabled: yes, on_overrun: skip, sleeper: spin }\n"
                            "threads: { stuck_after: 30 s, main: { policy: other } }\n",
                            frames));
      ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0.1,")) << rig.err();
      (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(thread_named(rig.pid(), "main")), -20);
      const std::int64_t began = now_ns();
      StealWatch steal;
      ASSERT_TRUE(group.takes(rig.pid()));
      ASSERT_EQ(rig.wait(300s).status, 0) << rig.err();
      steal.stop();
      enough = judge("control group", "throttled", causes_of_late(dir, 30ms), 1,
                     steal.was_stolen(began, now_ns()));
    }
    EXPECT_TRUE(enough) << "the machine left too little\n" << table_;
  }

  /// Packets for thousands of sockets, delivered in a softirq of the rig's CPU for some milliseconds.
  void deliver_packets(int frames) {
    const int cpu = rtsync::allowed_cpus().last();
    std::atomic<int> ready{0};
    std::jthread sender([&](const std::stop_token& stop) {
      stay_on(cpu);
      (void)::pthread_setname_np(::pthread_self(), kSender);
      ready = PacketStorm::run(stop, ready);
    });
    while (ready == 0) std::this_thread::sleep_for(10ms);
    if (ready < 0) GTEST_SKIP() << "no packets can be sent to thousands of sockets here";
    const TempDir dir;
    run_rig(dir, "softirq", on_cpu(cpu, ""), frames, "interrupted", 700us, frames / 200, 1,
            std::string("by '") + kSender + "'");
  }

 private:
  static constexpr const char* kSender = "packet-sender";
  /// Multicast in a network namespace of the calling thread's own.
  struct PacketStorm {
    static int run(const std::stop_token& stop, std::atomic<int>& ready) {
      constexpr int kSockets = 6000;
      rlimit limit{};
      (void)::getrlimit(RLIMIT_NOFILE, &limit);
      const rlimit enough{kSockets + 1000, std::max<rlim_t>(limit.rlim_max, kSockets + 1000)};
      if (::unshare(CLONE_NEWNET) != 0 || ::setrlimit(RLIMIT_NOFILE, &enough) != 0 || !bring_up_loopback())
        return -1;
      std::vector<int> sockets;
      while (sockets.size() < kSockets && listen(sockets)) {
      }
      const int out = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      const in_addr loopback{htonl(INADDR_LOOPBACK)};
      const bool can_send = ::setsockopt(out, IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof loopback) == 0;
      ready = can_send && sockets.size() == kSockets ? 1 : -1;
      const sockaddr_in group = address();
      while (ready > 0 && !stop.stop_requested()) {
        (void)::sendto(out, "x", 1, 0, reinterpret_cast<const sockaddr*>(&group), sizeof group);
        std::this_thread::sleep_for(30ms);
      }
      (void)::close(out);
      for (const int one : sockets) (void)::close(one);
      (void)::setrlimit(RLIMIT_NOFILE, &limit);
      return ready;
    }

   private:
    static sockaddr_in address() {
      sockaddr_in group{};
      group.sin_family = AF_INET;
      group.sin_port = htons(5555);
      (void)::inet_pton(AF_INET, "239.1.1.1", &group.sin_addr);
      return group;
    }
    static bool bring_up_loopback() {
      const int file = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      ifreq request{};
      request.ifr_name[0] = 'l';
      request.ifr_name[1] = 'o';
      request.ifr_flags = IFF_UP | IFF_RUNNING;
      const bool up = ::ioctl(file, SIOCSIFFLAGS, &request) == 0;
      (void)::close(file);
      return up;
    }
    static bool listen(std::vector<int>& sockets) {
      const int one = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      if (one < 0) return false;
      sockets.push_back(one);
      const int yes = 1;
      const int small = 2304;
      const sockaddr_in group = address();
      const ip_mreq member{group.sin_addr, {htonl(INADDR_LOOPBACK)}};
      return ::setsockopt(one, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
             ::setsockopt(one, SOL_SOCKET, SO_RCVBUF, &small, sizeof small) == 0 &&
             ::bind(one, reinterpret_cast<const sockaddr*>(&group), sizeof group) == 0 &&
             ::setsockopt(one, IPPROTO_IP, IP_ADD_MEMBERSHIP, &member, sizeof member) == 0;
    }
  };

  static void stay_on(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(cpu), &one);
    (void)::sched_setaffinity(0, sizeof one, &one);
  }

  void run_rig(const TempDir& dir, const std::string& name, const std::string& more, int frames,
               const std::string& cause, Nanoseconds least, int at_least, std::int64_t every = 1,
               const std::string& innocent = "") {
    bool enough = false;
    for (Tries tries; !enough && tries.another();) {
      const std::int64_t began = now_ns();
      StealWatch steal;
      const Finished done = run(quiet_rig(dir, more, frames), 300s);
      steal.stop();
      ASSERT_EQ(done.status, 0) << done;
      const std::int64_t wrong = table_.sum().wrong;
      enough =
          judge(name, cause, causes_of_late(dir, least, every), at_least, steal.was_stolen(began, now_ns()));
      const std::string log = read_file(dir / "out/log.txt");
      EXPECT_EQ(table_.sum().wrong, wrong) << name << ":\n" << log;
      if (!innocent.empty()) EXPECT_EQ(log.find(innocent), std::string::npos) << log;
      fs::remove_all(dir / "out");
    }
    EXPECT_TRUE(enough || !see_tracepoints()) << name << ": the machine left too little\n" << table_;
  }

  /// False: the machine left too little.
  bool judge(const std::string& name, const std::string& cause, const std::vector<std::string>& found,
             int at_least, bool stolen) {
    int named = 0;
    for (const std::string& one : found) {
      named += one == cause ? 1 : 0;
      // Another real-time program, and the hypervisor, may hold the rig up as well. What is late as the frame before
      // was has no cause of its own.
      const bool of_machine =
          stolen || one == "preempted" || one == "machine_stopped" || one == "catching_up";
      if (one != cause && of_machine)
        table_.leave_out(name);
      else
        table_.add(name, cause, one);
    }
    return named >= at_least && static_cast<std::size_t>(named) * 2 >= found.size();
  }

  InjectionTable table_;
};

/// Of what a rig may do and see on this machine.
bool is_granted(std::initializer_list<const char*> what) {
  const TempDir dir;
  if (run(quiet_rig(dir, kRealtime, 100)).status != 0) return false;
  const Json summary = summary_of(dir / "out");
  for (const Json& refused : summary["rt"]["refused"])
    for (const char* const one : what)
      if (refused["what"].get<std::string>().starts_with(one)) return false;
  return true;
}
/// Where the rig's threads may not be watched, or have no real-time priority, causes are unknown.
bool may_watch() { return is_granted({"the kernel's events", "SCHED_FIFO"}); }

void disturb_clock_and_driver(Disturbances& disturbances, int frames) {
  disturbances.disturb_clock("late edge", "late_every: 20, late: 800 us", frames);
  disturbances.disturb_clock("missing edge", "first_gap: 20, gap: 1, gap_every: 20", frames);
  disturbances.compute_in_driver(frames);
}

TEST(DisturbancesAloneNightly, OfTheClockAndByADriverAreNamed) {
  if (!may_watch()) GTEST_SKIP() << "the rig's threads may not be watched here";
  Disturbances disturbances;
  disturb_clock_and_driver(disturbances, 500);
  const InjectionTable::Row all = disturbances.table().sum();
  EXPECT_EQ(all.wrong, 0) << disturbances.table();
}

TEST(InjectionsAloneNightly, AroundJobsAreNamed) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has a heap of its own, and touches memory in the frames";
  const bool all_is_seen = see_tracepoints();
  if (!may_watch()) GTEST_SKIP() << "the rig's threads may not be watched here";
  Disturbances disturbances;
  disturb_clock_and_driver(disturbances, 2000);
  disturbances.stop_by_signal(60);
  disturbances.trace(30, 40ms);
  disturbances.trace(5, 1500ms);
  if (rtsync::read_throttle().share({}).value_or(1) < 1 && rtsync::allowed_cpus().count() > 1) {
    disturbances.spin_beyond_the_limit(4000, false);
    disturbances.spin_beyond_the_limit(4000, true);
  }
  disturbances.stop_by_control_group(3000);
  const auto model = rtsync::read_preemption_model();
  if (is_root() && !(model && model->is_realtime()) && is_granted({"interrupts"}))
    disturbances.deliver_packets(2000);
  const InjectionTable::Row all = disturbances.table().sum();
  std::cout << disturbances.table();
  EXPECT_EQ(all.wrong, 0) << disturbances.table();
  // Without priorities in the records some stops look alike.
  if (all_is_seen) EXPECT_LE(all.unknown * 100, all.injected) << disturbances.table();

  // Unknown too where another thread had the CPU meanwhile: a freezer looks the same.
  Disturbances timers;
  timers.gather_timers(4000);
  EXPECT_EQ(timers.table().sum().wrong, 0) << timers.table();
}

}  // namespace
}  // namespace tactus::test::disturbance_test
