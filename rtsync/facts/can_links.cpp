// SPDX-License-Identifier: Apache-2.0
#include "rtsync/facts/can_links.hpp"

#include <linux/can/netlink.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <vector>

#include "rtsync/host/descriptor.hpp"

namespace tactus::rtsync::probes {
namespace {

using Bytes = std::span<const std::byte>;

constexpr int kAnswerWait = 1000;  // ms
constexpr std::size_t kUnit =
    4;  // messages and attributes begin at multiples of it: NLMSG_ALIGNTO, NLA_ALIGNTO

constexpr std::size_t aligned(std::size_t length) { return (length + kUnit - 1) / kUnit * kUnit; }

template <class T>
std::optional<T> value_in(Bytes bytes) {
  T value{};
  if (bytes.size() < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// The contents of an attribute among some; empty: there is none.
Bytes attribute_in(Bytes all, std::uint16_t type) {
  while (const auto head = value_in<nlattr>(all)) {
    if (head->nla_len < aligned(sizeof *head) || head->nla_len > all.size()) return {};
    if ((head->nla_type & NLA_TYPE_MASK) == type)
      return all.subspan(aligned(sizeof *head), head->nla_len - aligned(sizeof *head));
    all = all.subspan(std::min(aligned(head->nla_len), all.size()));
  }
  return {};
}

std::string text_in(Bytes bytes) {
  std::string text;
  for (const std::byte each : bytes) {
    if (each == std::byte{0}) break;
    text += static_cast<char>(each);
  }
  return text;
}

void add_link(Bytes attributes, std::map<std::string, CanLink>& links) {
  const Bytes info = attribute_in(attributes, IFLA_LINKINFO);
  if (text_in(attribute_in(info, IFLA_INFO_KIND)) != "can") return;
  const Bytes data = attribute_in(info, IFLA_INFO_DATA);
  CanLink& link = links[text_in(attribute_in(attributes, IFLA_IFNAME))];
  if (const auto timing = value_in<can_bittiming>(attribute_in(data, IFLA_CAN_BITTIMING)))
    link.bit_rate = timing->bitrate;
  if (const auto timing = value_in<can_bittiming>(attribute_in(data, IFLA_CAN_DATA_BITTIMING)))
    link.data_bit_rate = timing->bitrate;
  link.qdisc = text_in(attribute_in(attributes, IFLA_QDISC));
  link.state = value_in<std::uint32_t>(attribute_in(data, IFLA_CAN_STATE));
  if (const auto counters = value_in<can_berr_counter>(attribute_in(data, IFLA_CAN_BERR_COUNTER))) {
    link.sent_errors = counters->txerr;
    link.received_errors = counters->rxerr;
  }
}

}  // namespace

std::string can_state_text(std::uint32_t state) {
  static constexpr const char* kStates[] = {"error-active", "error-warning", "error-passive",
                                            "bus-off",      "stopped",       "sleeping"};
  return state < std::size(kStates) ? kStates[state] : "state " + std::to_string(state);
}

std::string qdisc_text(const std::string& qdisc, const std::string& release) {
  if (qdisc.empty()) return "";
  unsigned major = 0, minor = 0;
  const bool is_known = std::sscanf(release.c_str(), "%u.%u", &major, &minor) == 2;
  const bool can = qdisc == "fq" && is_known && (major > 5 || (major == 5 && minor >= 19));
  return ", qdisc " + qdisc + (can ? ": the kernel can send messages at their times" : "");
}

bool add_can_links(Bytes answer, std::map<std::string, CanLink>& links) {
  constexpr std::size_t kHead = aligned(sizeof(nlmsghdr)) + aligned(sizeof(ifinfomsg));
  while (const auto header = value_in<nlmsghdr>(answer)) {
    if (header->nlmsg_type == NLMSG_DONE || header->nlmsg_type == NLMSG_ERROR) return false;
    if (header->nlmsg_len < sizeof *header || header->nlmsg_len > answer.size()) return false;
    if (header->nlmsg_type == RTM_NEWLINK && header->nlmsg_len >= kHead)
      add_link(answer.subspan(kHead, header->nlmsg_len - kHead), links);
    answer = answer.subspan(std::min(aligned(header->nlmsg_len), answer.size()));
  }
  return true;
}

std::map<std::string, CanLink> can_links() {
  std::map<std::string, CanLink> links;
  const Descriptor socket{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
  struct {
    nlmsghdr header;
    ifinfomsg link;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETLINK;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  if (socket.get() < 0 || ::send(socket.get(), &request, sizeof request, 0) < 0) return links;
  std::vector<std::byte> answer(std::size_t{64} << 10U);
  for (bool more = true; more;) {
    pollfd waits{socket.get(), POLLIN, 0};
    if (::poll(&waits, 1, kAnswerWait) <= 0) break;
    const ssize_t got = ::recv(socket.get(), answer.data(), answer.size(), 0);
    if (got <= 0) break;
    more = add_can_links(Bytes{answer.data(), static_cast<std::size_t>(got)}, links);
  }
  return links;
}

}  // namespace tactus::rtsync::probes
