// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Facts on CAN interfaces that are in no file of /sys: the answers of rtnetlink. Not for outside of rtsync/.
///
/// Threads  re-entrant.
/// RT       nothing here. @when setup or service.
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace tactus::rtsync::probes {

/// A controller as its driver describes it; what a driver does not say is nothing.
struct CanLink {
  std::optional<std::uint32_t> bit_rate;       ///< bit/s; 0: none was set
  std::optional<std::uint32_t> data_bit_rate;  ///< bit/s, of the data phase of CAN FD
  std::optional<std::uint32_t> state;          ///< enum can_state of linux/can/netlink.h
  std::optional<std::uint16_t> sent_errors;    ///< the transmit error counter
  std::optional<std::uint16_t> received_errors;
  std::string qdisc{};  ///< its root qdisc
};

/// "error-passive" of a state; "state 9" of one that is not known.
std::string can_state_text(std::uint32_t state);

/// ", qdisc fq: the kernel can send messages at their times" of a link of kind `can` with this qdisc, and Linux 5.19 or later
/// (`release`, that of uname()); ", qdisc fq" of an earlier one. Empty without a qdisc.
std::string qdisc_text(const std::string& qdisc, const std::string& release);

/// Adds the links of kind `can` in an answer of rtnetlink, by the name of the interface. False: it was the last one.
bool add_can_links(std::span<const std::byte> answer, std::map<std::string, CanLink>& links);

/// The links of this machine; none where the kernel does not answer.
std::map<std::string, CanLink> can_links();

}  // namespace tactus::rtsync::probes
