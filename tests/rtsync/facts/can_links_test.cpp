// SPDX-License-Identifier: Apache-2.0
#include "rtsync/facts/can_links.hpp"

#include <gtest/gtest.h>
#include <linux/can/netlink.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace tactus::rtsync::probes::can_links_test {
namespace {

using Bytes = std::vector<std::byte>;
using Links = std::map<std::string, CanLink>;

template <class T>
Bytes bytes_of(const T& value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

Bytes text(const std::string& of) {
  Bytes bytes(of.size() + 1);
  std::memcpy(bytes.data(), of.c_str(), bytes.size());
  return bytes;
}

void append(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }

Bytes attribute(int type, const Bytes& value) {
  Bytes made = bytes_of(
      nlattr{static_cast<std::uint16_t>(sizeof(nlattr) + value.size()), static_cast<std::uint16_t>(type)});
  append(made, value);
  made.resize((made.size() + 3) / 4 * 4);
  return made;
}

Bytes message(int type, const Bytes& attributes) {
  Bytes body = bytes_of(ifinfomsg{});
  append(body, attributes);
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(NLMSG_HDRLEN + body.size());
  header.nlmsg_type = static_cast<std::uint16_t>(type);
  Bytes made = bytes_of(header);
  append(made, body);
  return made;
}

Bytes link(const std::string& name, const std::string& kind, const Bytes& data) {
  Bytes info = attribute(IFLA_INFO_KIND, text(kind));
  append(info, attribute(IFLA_INFO_DATA, data));
  Bytes all = attribute(IFLA_IFNAME, text(name));
  append(all, attribute(IFLA_QDISC, text("fq")));
  append(all, attribute(IFLA_LINKINFO, info));
  return message(RTM_NEWLINK, all);
}

Bytes controller() {
  can_bittiming timing{};
  timing.bitrate = 500'000;
  can_bittiming fast{};
  fast.bitrate = 2'000'000;
  Bytes data = attribute(IFLA_CAN_BITTIMING, bytes_of(timing));
  append(data, attribute(IFLA_CAN_DATA_BITTIMING, bytes_of(fast)));
  append(data, attribute(IFLA_CAN_STATE, bytes_of(std::uint32_t{CAN_STATE_BUS_OFF})));
  append(data, attribute(IFLA_CAN_BERR_COUNTER, bytes_of(can_berr_counter{248, 3})));
  return data;
}

TEST(CanLinks, AreReadFromTheKernelsAnswer) {
  Bytes answer = link("can0", "can", controller());
  append(answer, link("eth0", "veth", controller()));
  append(answer, link("can1", "can", {}));
  Links links;
  EXPECT_TRUE(add_can_links(answer, links)) << "more may come";
  ASSERT_EQ(links.size(), 2U);
  const CanLink& bus = links["can0"];
  EXPECT_EQ(bus.bit_rate, 500'000U);
  EXPECT_EQ(bus.data_bit_rate, 2'000'000U);
  EXPECT_EQ(can_state_text(bus.state.value_or(99)), "bus-off");
  EXPECT_EQ(bus.sent_errors, 248);
  EXPECT_EQ(bus.received_errors, 3);
  EXPECT_EQ(bus.qdisc, "fq");
  EXPECT_FALSE(links["can1"].bit_rate) << "its driver says nothing";
  EXPECT_FALSE(add_can_links(message(NLMSG_DONE, {}), links));
  EXPECT_EQ(can_state_text(9), "state 9");
}

TEST(CanLinks, TheKernelSendsAtTimesByFqOfALaterLinux) {
  EXPECT_EQ(qdisc_text("fq", "6.1.0-28-rt-amd64"), ", qdisc fq: the kernel can send messages at their times");
  EXPECT_EQ(qdisc_text("fq", "5.19.0"), ", qdisc fq: the kernel can send messages at their times");
  EXPECT_EQ(qdisc_text("fq", "5.18.9"), ", qdisc fq");
  EXPECT_EQ(qdisc_text("fq", ""), ", qdisc fq");
  EXPECT_EQ(qdisc_text("pfifo_fast", "6.1.0"), ", qdisc pfifo_fast");
  EXPECT_EQ(qdisc_text("", "6.1.0"), "");
}

TEST(CanLinks, OfAnAnswerThatIsCutAreThoseThatAreWhole) {
  const Bytes whole = link("can0", "can", controller());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Links links;
    (void)add_can_links(std::span{whole}.first(size), links);
    EXPECT_TRUE(links.empty()) << size;
  }
  // Lengths that lie, in every place.
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 3, 255}) {
      Bytes damaged = whole;
      damaged[at] = static_cast<std::byte>(value);
      Links links;
      (void)add_can_links(damaged, links);  // reads no byte beyond: AddressSanitizer sees it
    }
  }
}

}  // namespace
}  // namespace tactus::rtsync::probes::can_links_test
