// SPDX-License-Identifier: Apache-2.0
/// Frames, times and facts as the kernel has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>

#include "drivers/can/model/open_port.hpp"
#include "drivers/can/model/settings.hpp"
#include "drivers/can/port/can_socket.hpp"

namespace tactus::drivers::can::socket_can_test {
namespace {

using testing::HasSubstr;

TEST(SocketCan, TellsTheKernelTheTimeOfAFrame) {
  std::uint8_t control[kSendTimeRoom];
  std::fill(std::begin(control), std::end(control), std::uint8_t{0xA5});
  constexpr std::int64_t kTime = 0x0123'4567'89AB'CDEF;  // CLOCK_MONOTONIC, as the qdisc fq has it
  msghdr message{};
  message.msg_control = control;
  message.msg_controllen = pack_send_time(kTime, control);
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  ASSERT_NE(head, nullptr);
  EXPECT_EQ(head->cmsg_level, SOL_SOCKET);
  EXPECT_EQ(head->cmsg_type, SCM_TXTIME);
  EXPECT_EQ(head->cmsg_len, CMSG_LEN(sizeof(std::uint64_t)));
  std::uint64_t time = 0;
  std::memcpy(&time, CMSG_DATA(head), sizeof time);
  EXPECT_EQ(time, static_cast<std::uint64_t>(kTime));
  EXPECT_EQ(message.msg_controllen, CMSG_SPACE(sizeof(std::uint64_t)));
}

TEST(SocketCan, LetsTheKernelSendWhereItCan) {
  EXPECT_EQ(send_time_complaint("can0", {"can", "fq"}, "6.1.0-28-rt-amd64"), "");
  EXPECT_EQ(send_time_complaint("can0", {"can", "fq"}, "5.19.0"), "");
  EXPECT_THAT(send_time_complaint("can0", {"can", "fq"}, "5.18.9"), HasSubstr("5.19 or a later one"));
  EXPECT_THAT(send_time_complaint("can0", {"can", "fq"}, "4.19"), HasSubstr("Linux 4.19"));
  EXPECT_THAT(
      send_time_complaint("can0", {"can", "pfifo_fast"}, "6.1"),
      HasSubstr(
          "the root qdisc of can0 is pfifo_fast: sudo tc qdisc replace dev can0 root fq flow_limit 10"));
  EXPECT_THAT(send_time_complaint("can0", {"can", "etf"}, "6.1"), HasSubstr("is etf")) << "it sends early";
  EXPECT_THAT(send_time_complaint("can0", {"can", ""}, "6.1"), HasSubstr("is not known"));
  EXPECT_THAT(send_time_complaint("vcan0", {"vcan", "fq"}, "6.1"), HasSubstr("virtual"));
}

TEST(SocketCan, PacksFramesAsTheKernelHasThem) {
  CanFrame frame;
  frame.id = 0x18FEF1FE;
  frame.extended = true;
  frame.length = 2;
  frame.data.at[0] = 0xAB;
  frame.data.at[1] = 0xCD;
  std::uint8_t bytes[72];
  EXPECT_EQ(pack(frame, bytes), 16U);
  EXPECT_THAT(std::vector<int>(bytes, bytes + 16),
              testing::ElementsAre(0xFE, 0xF1, 0xFE, 0x98, 2, 0, 0, 0, 0xAB, 0xCD, 0, 0, 0, 0, 0, 0));
  SocketEvent event;
  unpack(bytes, 16, true, event);
  EXPECT_EQ(event.kind, SocketEvent::Kind::echo);
  EXPECT_EQ(event.frame.id, frame.id);
  EXPECT_TRUE(event.frame.extended);
  frame.fd = frame.bit_rate_switch = true;
  frame.length = 64;
  frame.data.at[63] = 9;
  EXPECT_EQ(pack(frame, bytes), 72U);
  EXPECT_EQ(bytes[5], 1);
  unpack(bytes, 72, false, event);
  EXPECT_EQ(event.kind, SocketEvent::Kind::frame);
  EXPECT_TRUE(event.frame.fd && event.frame.bit_rate_switch);
  EXPECT_EQ(event.frame.data.at[63], 9);
  unpack(bytes, 20, false, event);
  EXPECT_EQ(event.kind, SocketEvent::Kind::nothing);
}

TEST(SocketCan, ReadsErrorFrames) {
  const auto read = [](std::uint32_t kind, std::vector<std::uint8_t> data) {
    std::uint8_t bytes[72] = {};
    const std::uint32_t id = 0x2000'0000U | kind;
    std::memcpy(bytes, &id, sizeof id);
    bytes[4] = 8;
    std::copy(data.begin(), data.end(), bytes + 8);
    SocketEvent event;
    unpack(bytes, 16, false, event);
    return event;
  };
  EXPECT_EQ(read(0x40, {}).status.state, BusState::bus_off);
  EXPECT_EQ(read(0x204, {0, 0x20, 0, 0, 0, 0, 130, 2}).status.state, BusState::passive);
  EXPECT_EQ(read(0x204, {0, 0x20, 0, 0, 0, 0, 130, 2}).status.transmit_errors, 130U);
  EXPECT_EQ(read(0x4, {0, 0x08}).status.state, BusState::warning);
  EXPECT_TRUE(read(0x4, {0, 0x40}).has_state);
  EXPECT_EQ(read(0x4, {0, 0x40}).status.state, BusState::active);
  EXPECT_EQ(read(0x4, {0, 0x01}).kind, SocketEvent::Kind::overflow);
  EXPECT_FALSE(read(0x4, {0, 0x01}).has_state);
  EXPECT_EQ(read(0x100, {}).kind, SocketEvent::Kind::restarted);
}

TEST(SocketCan, ConvertsStampsOfTheRealClock) {
  constexpr std::int64_t kReal = 1'800'000'000'000'000'000;
  EXPECT_EQ(on_monotonic(kReal - 20'000, kReal, 5'000'000), 4'980'000);
  EXPECT_EQ(on_monotonic(kReal + 1'000, kReal, 5'000'000), 5'000'000) << "in the future";
  EXPECT_EQ(on_monotonic(kReal - 3'600'000'000'000, kReal, 5'000'000), 5'000'000) << "the clock was set";
}

TEST(SocketCan, SaysHowAnInterfaceIsMended) {
  EXPECT_EQ(facts_of("can_none0").error, ENODEV);
  EXPECT_EQ(facts_of("a-name-that-no-interface-can-have").error, ENODEV);
  const InterfaceFacts loop = facts_of("lo");
  EXPECT_EQ(loop.error, 0);
  EXPECT_THAT(complaint_about("lo", loop, false), HasSubstr("lo is not a CAN interface"));
  EXPECT_THAT(complaint_about("can0", {.error = ENODEV}, false), HasSubstr("there is no interface can0"));
  EXPECT_THAT(complaint_about("vcan0", {.error = ENODEV}, false),
              HasSubstr("sudo ip link add vcan0 type vcan && sudo ip link set vcan0 up"));
  EXPECT_THAT(complaint_about("can0", {.is_can = true, .mtu = 16}, false),
              HasSubstr("can0 is down: sudo ip link set can0 up type can bitrate 500000"));
  EXPECT_THAT(complaint_about("can0", {.is_can = true, .is_up = true, .mtu = 16}, true),
              HasSubstr("MTU 16, and messages of CAN FD need 72"));
  EXPECT_THAT(complaint_about("vcan0", {.is_can = true, .is_up = true, .mtu = 16}, true),
              HasSubstr("vcan0 mtu 72 up"));
  EXPECT_EQ(complaint_about("can0", {.is_can = true, .is_up = true, .mtu = 72}, true), "");
  EXPECT_EQ(complaint_about("can0", {.is_can = true, .is_up = true, .mtu = 16}, false), "");
}

TEST(SocketCan, RefusesWhatThisMachineDoesNotHave) {
  const int socket = ::socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC, 1);
  try {
    (void)open_socket_can("can_none0", false);
    ADD_FAILURE() << "it was opened";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(socket < 0 ? "sudo modprobe can-raw" : "there is no interface can_none0"));
  }
  Settings settings;
  settings.interface = "can_none0";
  settings.send_by = SendBy::kernel;
  try {
    (void)open_port(settings, {}, false);
    ADD_FAILURE() << "it was opened";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(socket < 0 ? "sudo modprobe can-raw" : "there is no interface can_none0"))
        << "before its qdisc";
  }
}

}  // namespace
}  // namespace tactus::drivers::can::socket_can_test
