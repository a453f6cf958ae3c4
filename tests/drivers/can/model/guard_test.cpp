// SPDX-License-Identifier: Apache-2.0
/// Safe values after SIGKILL, as a station in another process sees them: the bus is a Unix socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "drivers/can/codec/e2e.hpp"
#include "drivers/can/port/can_socket.hpp"
#include "executive/driver/device_error.hpp"
#include "tests/drivers/can/model/bus_host.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::can::guard_test {
namespace {

using testing::Each;
using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr int kPatience = 20'000;  // ms

/// The station that carries the bus.
class Carrier {
 public:
  explicit Carrier(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    listener_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 1) != 0)
      throw std::runtime_error("cannot listen");
    const timeval patience{kPatience / 1000, 0};
    (void)::setsockopt(listener_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Carrier() {
    (void)::close(listener_);
    if (station_ >= 0) (void)::close(station_);
  }
  void accept() {
    station_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const timeval patience{kPatience / 1000, 0};
    (void)::setsockopt(station_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  void send(const CanFrame& frame) {
    std::uint8_t bytes[72];
    const std::size_t size = pack(frame, bytes);
    EXPECT_EQ(::send(station_, bytes, size, MSG_NOSIGNAL), static_cast<ssize_t>(size));
  }
  /// The next frame; nothing: all processes of the station have let go of it.
  std::optional<CanFrame> next() {
    std::uint8_t bytes[72];
    const ssize_t size = ::recv(station_, bytes, sizeof bytes, 0);
    if (size < 0) ADD_FAILURE() << "nothing came: " << std::strerror(errno);
    if (size <= 0) return std::nullopt;
    SocketEvent event;
    unpack(bytes, static_cast<std::size_t>(size), false, event);
    return event.frame;
  }

 private:
  int listener_ = -1, station_ = -1;
};

class CanGuard : public testing::Test {
 protected:
  CanGuard() {
    (void)dir_.write("bus.dbc",
                     "VERSION \"\"\nBU_: A B\nBO_ 1 M: 8 A\n SG_ X : 40|8@1+ (1,0) [0|0] \"bar\" B\n"
                     "BO_ 2 N: 1 A\n SG_ Y : 0|8@1+ (1,0) [0|0] \"\" B\nBO_ 3 R: 1 B\n SG_ Z : 0|8@1+ (1,0) "
                     "[0|0] \"\" A\nBO_ 4 C: 3 A\n SG_ V : 0|8@1+ (1,0) [0|0] \"\" B\n"
                     " SG_ Cnt : 8|8@1+ (1,0) [0|0] \"\" B\n SG_ Crc : 16|8@1+ (1,0) [0|0] \"\" B\n");
  }
  std::string section() const {
    return "interface: \"unix:" + (dir_ / "bus").string() + "\"\ndatabase: " + (dir_ / "bus.dbc").string() +
           R"(
send:
  M: { cycle: 1 ms, start: { X: 7 }, safe: { X: 2 bar }, safe_times: 3, checksum: { profile: e2e_5, data_id: 7 } }
  N: { cycle: 1 ms }
  C: { cycle: 1 ms, start: { V: 9 }, safe: { V: 1 }, safe_times: 2, counter: Cnt,
       checksum: { profile: crc, signal: Crc, polynomial: "0x1D", first: "0xFF", last: "0xFF" } }
)";
  }
  /// Runs a rig's model in a process of its own, a frame each millisecond until `end` says so.
  pid_t rig(const std::function<void(test::BusHost&, int frame)>& each) {
    const pid_t process = ::fork();
    if (process != 0) return process;
    try {
      test::CanDriver driver;
      test::BusHost host(driver, section());
      for (int frame = 0;; ++frame) {
        if (!host.frame()) ::_exit(3);
        each(host, frame);
        (void)::usleep(1000);
      }
    } catch (const std::exception& error) {
      (void)!::write(2, error.what(), std::strlen(error.what()));
      ::_exit(4);
    }
  }
  static E2eSettings settings() {
    E2eSettings made;
    made.profile = E2eProfile::p5;
    made.data_id = 7;
    made.most_lost = 1;
    return made;
  }

  test::TempDir dir_;
  const E2e e2e_{settings()};
};

TEST_F(CanGuard, SendsSafeValuesAfterAKillThatAReceiverAccepts) {
  Carrier bus((dir_ / "bus").string());
  const pid_t process = rig([](test::BusHost&, int) {});
  bus.accept();
  E2eReceiver receiver(e2e_);
  std::optional<CanFrame> frame;
  int before = 0, last_count = -1;
  while (before < 20 && (frame = bus.next()))
    if (frame->id == 1) {
      EXPECT_EQ(receiver.receive(frame->data.at, 8), before++ == 0 ? E2eResult::first : E2eResult::ok);
      EXPECT_EQ(frame->data.at[5], 7);
    }
  ASSERT_EQ(::kill(process, SIGKILL), 0);
  ASSERT_EQ(::waitpid(process, nullptr, 0), process);
  int safe = 0, safe_of_c = 0, refused = 0, others_behind = 0, wrong_crc = 0, gaps = 0;
  while ((frame = bus.next())) {  // until the guardian has ended, too
    if (frame->id == 1) {
      const E2eResult result = receiver.receive(frame->data.at, 8);
      if (frame->data.at[5] == 2)
        ++safe, refused += result == E2eResult::ok ? 0 : 1;
      else
        others_behind += safe > 0 ? 1 : 0;
      EXPECT_NE(result, E2eResult::wrong_checksum);
      EXPECT_NE(result, E2eResult::repeated);
    } else if (frame->id == 4) {
      std::uint8_t crc = 0xFF;
      for (int i = 0; i < 2; ++i) {
        crc ^= frame->data.at[i];
        for (int bit = 0; bit < 8; ++bit)
          crc = static_cast<std::uint8_t>((crc << 1) ^ ((crc & 0x80) != 0 ? 0x1D : 0));
      }
      wrong_crc += static_cast<std::uint8_t>(crc ^ 0xFF) == frame->data.at[2] ? 0 : 1;
      if (last_count >= 0 && frame->data.at[1] != static_cast<std::uint8_t>(last_count + 1)) ++gaps;
      last_count = frame->data.at[1];
      safe_of_c += frame->data.at[0] == 1 ? 1 : 0;
    } else {
      others_behind += safe > 0 ? 1 : 0;
    }
  }
  EXPECT_EQ(safe, 4) << "three times, and once more for what was lost on the way";
  EXPECT_EQ(safe_of_c, 3);
  EXPECT_LE(refused, 1) << "what had been handed over and not sent is a gap before the first one";
  EXPECT_LE(gaps, 1);
  EXPECT_EQ(wrong_crc, 0);
  EXPECT_EQ(others_behind, 0) << "nothing follows the safe values, and N, which has none, falls silent";
}

/// The whole command: witness, rig and guardian are three processes.
TEST_F(CanGuard, TheRigOfTheCommandIsKilled) {
  std::string indented = "    " + section();
  for (std::size_t at = 0; (at = indented.find('\n', at)) != std::string::npos; at += 5)
    indented.insert(at + 1, "    ");
  (void)dir_.write(
      "rig.yaml",
      "rig: killed\nframe: { period: 10 ms }\nprivileges: prefer\nmodels:\n  bus:\n    driver: can\n" +
          indented + "\n");
  for (const char* const mode : {"guardian", "process"}) {
    fs::remove(dir_ / "bus");
    Carrier bus((dir_ / "bus").string());
    test::Process rig(
        {.argv = {TACTUS, "run", "rig.yaml", "--out", std::string("out-") + mode, "--set",
                  std::string("safe_outputs=") + mode, "--set", "models.bus.send.M.cycle=10 ms", "--set",
                  "models.bus.send.N.cycle=10 ms", "--set", "models.bus.send.C.cycle=10 ms"},
         .cwd = dir_.path(),
         .child = true});
    bus.accept();
    E2eReceiver receiver(e2e_);
    std::optional<CanFrame> frame;
    int before = 0;
    while (before < 5 && (frame = bus.next()))
      if (frame->id == 1) {
        EXPECT_EQ(receiver.receive(frame->data.at, 8), before++ == 0 ? E2eResult::first : E2eResult::ok);
      }
    ASSERT_EQ(before, 5) << rig.err();
    rig.signal(SIGKILL);
    int safe = 0, refused = 0;
    while ((frame = bus.next())) {
      if (frame->id != 1) continue;
      refused += receiver.receive(frame->data.at, 8) == E2eResult::ok ? 0 : 1;
      safe += frame->data.at[5] == 2 ? 1 : 0;
    }
    EXPECT_EQ(safe, mode == std::string("guardian") ? 4 : 0) << mode;
    EXPECT_LE(refused, 1);
    (void)rig.wait();
  }
}

/// A child of the rig that lives on holds the pipe to the guardian, too. It must not hold the bus: it lets go of that here.
TEST_F(CanGuard, SeesTheEndOfTheRigWhateverOtherChildrenLive) {
  Carrier bus((dir_ / "bus").string());
  int until[2] = {-1, -1};
  ASSERT_EQ(::pipe(until), 0);
  const pid_t process = rig([&](test::BusHost&, int frame) {
    if (frame != 5) return;
    if (::fork() != 0) return;
    (void)::close(until[1]);
    char byte = 0;
    (void)!::read(until[0], &byte, 1);  // until the test has ended
    ::_exit(0);
  });
  ::close(until[0]);
  bus.accept();
  int before = 0, safe = 0;
  std::optional<CanFrame> frame;
  while (before < 20 && (frame = bus.next())) before += frame->id == 1 ? 1 : 0;
  ASSERT_EQ(::kill(process, SIGKILL), 0);
  ASSERT_EQ(::waitpid(process, nullptr, 0), process);
  while (safe < 4 && (frame = bus.next())) safe += frame->id == 1 && frame->data.at[5] == 2 ? 1 : 0;
  EXPECT_EQ(safe, 4);
  ::close(until[1]);
}

TEST_F(CanGuard, HoldsNothingButItsOwnAndHoldsNobodyUp) {
  Carrier bus((dir_ / "bus").string());
  const pid_t process = rig([](test::BusHost& host, int frame) {
    if (frame < 20) return;  // by then the guardian sleeps
    const std::string self = std::to_string(::getpid());
    std::ifstream children("/proc/" + self + "/task/" + self + "/children");
    pid_t guardian = 0;
    children >> guardian;
    if (guardian <= 0) ::_exit(5);
    const auto open = [folder = "/proc/" + std::to_string(guardian) + "/fd"] {
      const fs::directory_iterator files(folder);
      return std::distance(begin(files), end(files));
    };
    for (int tries = 0; open() > 3; ++tries) {  // pipe, rig, bus: once it has let go of the others
      if (tries == 10'000) ::_exit(6);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    (void)::kill(guardian, SIGSTOP);
    (void)host.model().safe_output()->end_safe();
    host.~BusHost();
    ::_exit(0);
  });
  bus.accept();
  while (bus.next()) {
  }
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
}

/// A bus that stays off drives all outputs of the rig safe, and pauses it: also those of another bus.
TEST_F(CanGuard, ABusThatStaysOffDrivesTheOutputsOfAllModelsSafe) {
  std::string indented = "    " + section();
  for (std::size_t at = 0; (at = indented.find('\n', at)) != std::string::npos; at += 5)
    indented.insert(at + 1, "    ");
  (void)dir_.write(
      "rig.yaml",
      "rig: off\nframe: { period: 1 ms }\nmodels:\n  bus:\n    driver: can\n" + indented +
          "\n  other: { driver: can, interface: simulated, database: bus.dbc, send: { N: { cycle: 5 ms } },\n"
          "           on_bus_off: { restart_after: 10 ms, at_most: 2, then: safe_state } }\n"
          "faults:\n  off: { on: other.bus, does: bus_off, at: 50 ms }\n");
  Carrier bus((dir_ / "bus").string());
  test::Process rig({.argv = {TACTUS, "run", "rig.yaml", "--no-realtime", "--drive-outputs", "--out", "out"},
                     .cwd = dir_.path(),
                     .child = true});
  bus.accept();
  std::optional<CanFrame> frame;
  int safe = 0;
  while (safe < 4 && (frame = bus.next())) safe += frame->id == 1 && frame->data.at[5] == 2 ? 1 : 0;
  EXPECT_EQ(safe, 4) << rig.err();
  rig.signal(SIGTERM);
  while (bus.next()) {
  }
  const test::Finished& end = rig.wait();
  EXPECT_EQ(end.status, 0) << end;
  const std::string log = test::read_file(dir_ / "out/log.txt");
  EXPECT_THAT(
      log, HasSubstr("stays bus-off at 0.08 s, injected by a fault of the rig, after 2 restarts in a row"));
  EXPECT_THAT(log, HasSubstr("paused"));
}

TEST_F(CanGuard, DoesNothingWhenTheRigEndsByItself) {
  Carrier bus((dir_ / "bus").string());
  const pid_t process = rig([](test::BusHost& host, int frame) {
    if (frame < 10) return;
    (void)host.model().safe_output()->end_safe();
    host.~BusHost();
    ::_exit(0);
  });
  bus.accept();
  int safe = 0;
  while (const auto frame = bus.next()) safe += frame->id == 1 && frame->data.at[5] == 2 ? 1 : 0;
  EXPECT_EQ(safe, 4) << "those of the rig itself, and no others";
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
}

TEST_F(CanGuard, AKillAfterTheSafeEndSendsNothingMore) {
  Carrier bus((dir_ / "bus").string());
  const pid_t process = rig([](test::BusHost& host, int frame) {
    if (frame < 10) return;
    (void)host.model().safe_output()->end_safe();
    (void)::kill(::getpid(), SIGKILL);
  });
  bus.accept();
  int safe = 0;
  while (const auto frame = bus.next()) safe += frame->id == 1 && frame->data.at[5] == 2 ? 1 : 0;
  EXPECT_EQ(safe, 4);
  ASSERT_EQ(::waitpid(process, nullptr, 0), process);
}

TEST_F(CanGuard, ReceivesFromTheCarrierAndSeesItsEnd) {
  auto bus = std::make_unique<Carrier>((dir_ / "bus").string());
  test::CanDriver driver;
  test::BusHost host(driver, section() + "receive: { R: {} }\n");
  bus->accept();
  CanFrame frame;
  frame.id = 3;
  frame.length = 1;
  frame.data.at[0] = 9;
  bus->send(frame);
  const auto wait_for = [&](const char* name, double value) {
    for (int i = 0; i < kPatience && host.get(name) != value; ++i) {
      ASSERT_TRUE(host.frame());
      (void)::usleep(1000);
    }
    EXPECT_EQ(host.get(name), value) << name;
  };
  wait_for("R.count", 1);
  EXPECT_EQ(host.get("R.Z"), 9);
  bus.reset();
  wait_for("bus.state", static_cast<int>(BusState::down));
}

TEST_F(CanGuard, RefusesABusThatNobodyCarries) {
  test::CanDriver driver;
  try {
    test::BusHost host(driver, section());
    FAIL();
  } catch (const executive::DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot join the bus at"));
    EXPECT_THAT(error.what(), HasSubstr("start the program that carries it first"));
  }
}

}  // namespace
}  // namespace tactus::drivers::can::guard_test
