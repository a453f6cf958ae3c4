// SPDX-License-Identifier: Apache-2.0
/// Safe values after SIGKILL, as a station in another process sees them: the bus is a Unix socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
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

#include "executive/driver/device_error.hpp"
#include "tests/drivers/can/model/bus_host.hpp"
#include "tests/drivers/can/model/guard_fixture.hpp"

namespace tactus::drivers::can::guard_test {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

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
