// SPDX-License-Identifier: Apache-2.0
#include <linux/can/netlink.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "drivers/can/port/can_socket.hpp"

namespace tactus::drivers::can {
namespace {

constexpr int kAnswerWait = 1000;                       // ms
constexpr std::size_t kAttributeHead = sizeof(nlattr);  // NLA_HDRLEN, of whose signs GCC warns
static_assert(kAttributeHead % NLA_ALIGNTO == 0);

/// A request to rtnetlink about an interface.
struct Request {
  nlmsghdr head{};
  ifinfomsg link{};

  Request(std::size_t size, std::uint16_t type, int index, std::uint16_t flags) {
    head.nlmsg_len = static_cast<std::uint32_t>(size);
    head.nlmsg_type = type;
    head.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    head.nlmsg_seq = 1;
    link.ifi_family = AF_UNSPEC;
    link.ifi_index = index;
  }
};

/// The request for a restart: attributes inside of each other, each with its size and those inside of it.
struct RestartRequest {
  Request request;
  nlattr info{24, IFLA_LINKINFO};
  nlattr kind{kAttributeHead + 3, IFLA_INFO_KIND};
  char name[4] = "can";
  nlattr data{12, IFLA_INFO_DATA};
  nlattr restart{8, IFLA_CAN_RESTART};
  std::uint32_t yes = 1;
};
static_assert(sizeof(RestartRequest) == sizeof(Request) + 24);

/// Reads what the kernel answers. Returns its size, or an errno value below 0.
ssize_t read_answer(int socket, std::uint8_t* bytes, std::size_t room) noexcept {
  pollfd waits{socket, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&waits, 1, kAnswerWait);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return ready == 0 ? -ETIMEDOUT : -errno;
  const ssize_t got = ::recv(socket, bytes, room, 0);
  return got < 0 ? -errno : got;
}

/// The kernel's answer: 0, or an errno value.
int answer(int socket) noexcept {
  std::uint8_t bytes[1024];
  const ssize_t got = read_answer(socket, bytes, sizeof bytes);
  if (got < 0) return static_cast<int>(-got);
  nlmsghdr header{};
  nlmsgerr said{};
  if (static_cast<std::size_t>(got) < NLMSG_HDRLEN + sizeof said.error) return EPROTO;
  std::memcpy(&header, bytes, sizeof header);
  if (header.nlmsg_type != NLMSG_ERROR) return EPROTO;
  std::memcpy(&said.error, bytes + NLMSG_HDRLEN, sizeof said.error);
  return -said.error;
}

/// The attribute of a type among some; empty: there is none.
std::span<const std::uint8_t> attribute_in(std::span<const std::uint8_t> all, std::uint16_t type) {
  nlattr head{};
  while (all.size() >= sizeof head) {
    std::memcpy(&head, all.data(), sizeof head);
    if (head.nla_len < kAttributeHead || head.nla_len > all.size()) return {};
    if ((head.nla_type & NLA_TYPE_MASK) == type)
      return all.subspan(kAttributeHead, head.nla_len - kAttributeHead);
    all = all.subspan(std::min<std::size_t>(NLA_ALIGN(head.nla_len), all.size()));
  }
  return {};
}

std::string text_in(std::span<const std::uint8_t> bytes) {
  return {bytes.begin(), std::ranges::find(bytes, std::uint8_t{0})};
}

}  // namespace

LinkFacts link_facts_in(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::size_t kHead = NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(ifinfomsg));
  nlmsghdr header{};
  if (size < kHead) return {};
  std::memcpy(&header, bytes, sizeof header);
  if (header.nlmsg_type != RTM_NEWLINK) return {};
  const std::span<const std::uint8_t> all(
      bytes + kHead, std::min<std::size_t>(size, std::max<std::size_t>(header.nlmsg_len, kHead)) - kHead);
  return {text_in(attribute_in(attribute_in(all, IFLA_LINKINFO), IFLA_INFO_KIND)),
          text_in(attribute_in(all, IFLA_QDISC))};
}

LinkFacts link_facts_of(const std::string& interface) {
  const int index = static_cast<int>(::if_nametoindex(interface.c_str()));
  const Descriptor socket(index > 0 ? ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE) : -1);
  if (socket.get() < 0) return {};
  const Request request(sizeof request, RTM_GETLINK, index, 0);
  std::vector<std::uint8_t> said(std::size_t{64} << 10U);
  ssize_t got = -1;
  if (::send(socket.get(), &request, sizeof request, 0) >= 0)
    got = read_answer(socket.get(), said.data(), said.size());
  return got > 0 ? link_facts_in(said.data(), static_cast<std::size_t>(got)) : LinkFacts{};
}

int restart_interface(int index) noexcept {
  const Descriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (socket.get() < 0) return errno;
  const RestartRequest request{{sizeof request, RTM_NEWLINK, index, NLM_F_ACK}};
  return ::send(socket.get(), &request, sizeof request, 0) < 0 ? errno : answer(socket.get());
}

}  // namespace tactus::drivers::can
