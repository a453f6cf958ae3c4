// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The messages of LIN buses without a network simulator.
/// They go on the network that has the name of the bus.
///
/// Threads  functions without state.
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

namespace message_type {
inline constexpr std::string_view kLinTransmission = "TRANSMISSION";
inline constexpr std::string_view kLinWakeupPulse = "WAKEUPPULSE";
inline constexpr std::string_view kLinControllerConfig = "CONTROLLERCONFIG";
inline constexpr std::string_view kLinStatusUpdate = "CONTROLLERSTATUSUPDATE";
inline constexpr std::string_view kLinFrameHeader = "SENDFRAMEHEADERREQUEST";
inline constexpr std::string_view kLinResponseUpdate = "FRAMERESPONSEUPDATE";
}  // namespace message_type

enum class LinMode : std::uint8_t { inactive = 0, master = 1, slave = 2 };
enum class LinStatus : std::uint32_t { unknown = 0, operational = 1, sleep = 2, sleep_pending = 3 };
enum class LinChecksum : std::uint8_t { unknown = 0, enhanced = 1, classic = 2 };
enum class LinResponseMode : std::uint8_t { unused = 0, receive = 1, send = 2 };
enum class LinFrameStatus : std::uint8_t {
  not_ok = 0,
  sent = 1,
  send_busy = 2,
  header_error = 3,
  send_error = 4,
  received = 5,
  receive_busy = 6,
  receive_error = 7,
  no_response = 8,
};

struct LinFrame {
  static constexpr std::uint8_t kAnyLength = 255;
  std::uint8_t id = 0;  ///< 0 .. 63
  LinChecksum checksum = LinChecksum::unknown;
  std::uint8_t length = 0;  ///< 0 .. 8, or kAnyLength
  std::array<std::uint8_t, 8> data{};
  static auto members(auto& self) { return std::tie(self.id, self.checksum, self.length, self.data); }
  friend bool operator==(const LinFrame&, const LinFrame&) = default;
};
/// Response of a node to an identifier.
struct LinResponse {
  LinFrame frame;
  LinResponseMode mode = LinResponseMode::unused;
  static auto members(auto& self) { return std::tie(self.frame, self.mode); }
  friend bool operator==(const LinResponse&, const LinResponse&) = default;
};

/// A frame that has been on the bus, or the lack of it; its status is that of a receiver.
struct LinTransmission {
  std::int64_t time_ns = INT64_MIN;
  LinFrame frame;
  LinFrameStatus status = LinFrameStatus::not_ok;
  static auto members(auto& self) { return std::tie(self.time_ns, self.frame, self.status); }
};
struct LinWakeupPulse {
  std::int64_t time_ns = INT64_MIN;
  std::uint8_t direction = 0;
  static auto members(auto& self) { return std::tie(self.time_ns, self.direction); }
};
/// A slave has been initialised.
struct LinControllerConfig {
  LinMode mode = LinMode::inactive;
  std::uint32_t baud_rate = 0;
  std::vector<LinResponse> responses;
  std::uint8_t dynamic = 0;  ///< 1: it answers headers by itself; trailing
  static auto members(auto& self) { return std::tie(self.mode, self.baud_rate, self.responses); }
  static auto trailing(auto& self) { return std::tie(self.dynamic); }
};
struct LinStatusUpdate {
  std::int64_t time_ns = INT64_MIN;
  LinStatus status = LinStatus::unknown;
  static auto members(auto& self) { return std::tie(self.time_ns, self.status); }
};
/// Header of a frame, from the master: the node with the response sends it.
struct LinFrameHeader {
  std::int64_t time_ns = INT64_MIN;
  std::uint8_t id = 0;
  static auto members(auto& self) { return std::tie(self.time_ns, self.id); }
};
/// A slave has other responses.
struct LinResponseUpdate {
  std::vector<LinResponse> responses;
  static auto members(auto& self) { return std::tie(self.responses); }
};

}  // namespace tactus::silkit
