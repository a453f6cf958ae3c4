// SPDX-License-Identifier: Apache-2.0
/// A rig as a service of systemd: what it says on NOTIFY_SOCKET, which this test binds. The watchdog is
/// answered from the frames alone.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <stdexcept>

#include "rig_command.hpp"
#include "rtsync/host/watchdog_device.hpp"

namespace tactus::test::service_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// systemd's end of the line.
class Systemd {
 public:
  explicit Systemd(const TempDir& dir)
      : path_(dir / "notify"), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.string().copy(address.sun_path, sizeof address.sun_path - 1);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how bind(2) takes an address
    if (socket_ < 0 || ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot bind " + path_.string());
    const int on = 1;
    (void)::setsockopt(socket_, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  }
  ~Systemd() { ::close(socket_); }
  Systemd(const Systemd&) = delete;
  Systemd& operator=(const Systemd&) = delete;

  Command service(Command command, const std::string& watchdog_us) const {
    command.env["NOTIFY_SOCKET"] = path_.string();
    command.env["WATCHDOG_USEC"] = watchdog_us;
    command.without_env.emplace_back("WATCHDOG_PID");
    return command;
  }
  /// Whether a message that begins like this comes in time; what came before is kept in `heard`.
  bool hears(const std::string& begin, std::chrono::milliseconds limit = kTimeout) {
    const auto until = Clock::now() + limit;
    while (Clock::now() < until) {
      char text[4096];
      iovec data{text, sizeof text};
      alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
      msghdr header{};
      header.msg_iov = &data;
      header.msg_iovlen = 1;
      header.msg_control = control;
      header.msg_controllen = sizeof control;
      const ssize_t length = ::recvmsg(socket_, &header, MSG_DONTWAIT);
      if (length < 0) {
        ::usleep(1000);
        continue;
      }
      if (const cmsghdr* const from = CMSG_FIRSTHDR(&header); from != nullptr) {
        ucred who{};
        std::memcpy(&who, CMSG_DATA(from), sizeof who);
        sender = who.pid;
      }
      const std::string message(text, static_cast<std::size_t>(length));
      heard += message + "\n";
      if (message.find(begin) != std::string::npos) return true;
    }
    return false;
  }

  std::string heard;
  pid_t sender = 0;  // of the last message

 private:
  std::filesystem::path path_;
  int socket_;
};

Command servo(const TempDir& dir, const Arguments& more = {}) {
  return run_rig("servo", Arguments{"--until", "3600 s", "--out", "out"} + more, dir.path());
}

TEST(Service, SaysThatItIsReadyAliveAndStopping) {
  const TempDir dir;
  Systemd systemd(dir);
  Process rig(systemd.service(servo(dir), "300000"));
  EXPECT_TRUE(systemd.hears("READY=1")) << systemd.heard;
  EXPECT_EQ(systemd.sender, rig.started_pid()) << "systemd hears its main process alone (NotifyAccess=main)";
  EXPECT_TRUE(systemd.hears("WATCHDOG=1")) << systemd.heard;
  EXPECT_TRUE(systemd.hears("STATUS=rig servo: frame")) << systemd.heard;
  EXPECT_TRUE(systemd.hears("WATCHDOG=1")) << systemd.heard;
  rig.signal(SIGTERM);
  EXPECT_TRUE(systemd.hears("STOPPING=1")) << systemd.heard;
  EXPECT_EQ(rig.wait().status, 0);
}

TEST(ServiceNightly, AnswersTheWatchdogWhileFrozen) {
  const TempDir dir;
  Systemd systemd(dir);
  Process rig(systemd.service(servo(dir), "300000"));
  ASSERT_TRUE(systemd.hears("READY=1")) << systemd.heard;
  rig.signal(SIGUSR1);
  ASSERT_TRUE(systemd.hears(", paused")) << systemd.heard;
  EXPECT_TRUE(systemd.hears("WATCHDOG=1"));
  EXPECT_TRUE(systemd.hears("WATCHDOG=1"));
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 0);
}

TEST(ServiceNightly, DoesNotAnswerForFramesThatStandStill) {
  const TempDir dir;
  dir.write("rig.yaml",
            "rig: stuck\nframe: { period: 1 ms }\nrealtime: { enabled: yes, sleeper: nanosleep }\n"
            "threads: { main: { policy: other }, stuck_after: 1000 s }\nmemory: { lock: no, heap: 0 B }\n"
            "models: { hang: { model: hang, library: " TACTUS_HANG_LIBRARY
            ", parameters: { where: frame, at_frame: 100 } } }\n");
  Systemd systemd(dir);
  Process rig(systemd.service(tactus({"run", "rig.yaml", "--out", "out"}, dir.path()), "100000"));
  ASSERT_TRUE(systemd.hears("READY=1")) << systemd.heard;
  // The service thread goes on saying how it stands, but not that it is well.
  ASSERT_TRUE(systemd.hears("STATUS=rig stuck: frame 100,")) << systemd.heard;
  ASSERT_TRUE(systemd.hears("STATUS=rig stuck: frame 100,")) << systemd.heard;
  systemd.heard.clear();
  ASSERT_TRUE(systemd.hears("STATUS=rig stuck: frame 100,")) << systemd.heard;
  ASSERT_TRUE(systemd.hears("STATUS=rig stuck: frame 100,")) << systemd.heard;
  EXPECT_EQ(systemd.heard.find("WATCHDOG=1"), std::string::npos) << systemd.heard;
}

TEST(ServiceNightly, LeavesTheWatchdogAloneWhenToldSoAndIsReadyAllTheSame) {
  const TempDir dir;
  Systemd systemd(dir);
  EXPECT_EQ(
      run(systemd.service(run_rig("servo", {"--until", "1 s", "--out", "out", "--set", "watchdog.systemd=no"},
                                  dir.path()),
                          "300000"))
          .status,
      0);
  EXPECT_TRUE(systemd.hears("STOPPING=1")) << systemd.heard;
  EXPECT_NE(systemd.heard.find("READY=1"), std::string::npos) << systemd.heard;
  EXPECT_EQ(systemd.heard.find("WATCHDOG=1"), std::string::npos) << systemd.heard;
}

TEST(ServiceNightly, IsAliveWhileTheFirstEdgeOfAClockIsAwaited) {
  const TempDir dir;
  dir.write("rig.yaml",
            "rig: waits\nframe: { period: 5 ms }\nrealtime: { enabled: yes, sleeper: nanosleep }\n"
            "threads: { main: { policy: other }, stuck_after: 30 s }\nmemory: { lock: no, heap: 0 B }\n"
            "clock: { driver: sim, silent_after: 0, start_timeout: 3600 s }\n");
  Systemd systemd(dir);
  Command command = tactus({"run", "rig.yaml", "--out", "out"}, dir.path());
  command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  Process rig(systemd.service(command, "600000"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(systemd.hears("WATCHDOG=1")) << systemd.heard;
  rig.signal(SIGTERM);
  EXPECT_EQ(rig.wait().status, 0);
}

/// A rig whose hardware watchdog is not there starts and says `told`, and does not when privileges are required.
void expect_told_and_required(const std::string& device, const std::string& told) {
  const TempDir dir;
  const Arguments watchdog{"--until", "100 ms", "--set", "watchdog.device=" + device};
  const Finished preferred = run(run_rig("servo", watchdog + Arguments{"--out", "a"}, dir.path()));
  EXPECT_EQ(preferred.status, 0) << preferred;
  EXPECT_NE(preferred.err.find(told), std::string::npos) << preferred;
  if (kSanitized) return;  // its heap is refused first
  const Finished required =
      run(run_rig("servo",
                  watchdog + Arguments{"--out", "b", "--set", "privileges=require", "--set",
                                       "threads.main.policy=other", "--set", "memory.lock=no", "--set",
                                       "dma_latency=off", "--set", "realtime.sleeper=nanosleep"},
                  dir.path()));
  EXPECT_EQ(required.status, 3) << required;
  if (required.err.find("SCHED_FIFO") != std::string::npos)
    return;  // of the guard of threads: refused before
  EXPECT_NE(required.err.find(told), std::string::npos) << required;
}

TEST(ServiceNightly, AHardwareWatchdogThatIsNotThereIsToldAndRequiredOrNot) {
  expect_told_and_required("/dev/no-such-watchdog", "/dev/no-such-watchdog");
}

TEST(ServiceNightly, AHardwareWatchdogThatIsToBeFoundAndIsNotThereIsToldAndRequiredOrNot) {
  if (!rtsync::watchdog_here().empty()) GTEST_SKIP() << "a watchdog of this machine would be armed";
  expect_told_and_required("auto",
                           "a watchdog (auto): refused (instead: none): this machine has no /dev/watchdog");
}

}  // namespace
}  // namespace tactus::test::service_test
