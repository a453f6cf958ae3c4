// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/can/codec/message_codec.hpp"
#include "drivers/can/model/declaring.hpp"
#include "drivers/can/model/protection.hpp"
#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

/// A message that comes from the bus: its signals, and how it comes.
///
/// Units    ns of simulated time.
/// Threads  setup, and the thread of the frames.
/// RT       receive(), look(), restart().
class ReceivedMessage {
 public:
  /// @when setup
  ReceivedMessage(const Selection::Received& chosen, const std::string& folder, const Problems& problems);
  void declare(Declaring& d);  ///< @when setup

  const Message& message() const TACTUS_RT { return message_; }
  /// Takes a frame at the time of the rig's present frame.
  void receive(const CanFrame& frame, std::int64_t now) TACTUS_RT;
  enum class Change : std::uint8_t { none, missing, back };
  /// Looks how old it is. Once a frame, after all that came was received.
  Change look(std::int64_t now) TACTUS_RT;
  void restart(std::int64_t now) TACTUS_RT;

  std::uint64_t count() const TACTUS_RT { return count_; }
  std::uint64_t lost() const TACTUS_RT { return lost_; }
  std::uint64_t checksum_errors() const TACTUS_RT { return checksum_errors_; }
  /// Time without it after which it is missing; 0: never.
  std::int64_t timeout() const TACTUS_RT { return timeout_; }

 private:
  // What each frame looks at stands together.
  std::int64_t timeout_ = 0, last_ = 0, cycle_ = 0;
  OnTimeout on_timeout_;
  bool is_missing_ = false;
  bool is_valid_ = false;                         // a variable
  double age_ = 0;                                // a variable
  std::uint64_t count_ = 0, unknown_switch_ = 0;  // variables
  const Message& message_;
  MessageCodec codec_;
  SignalValues values_;
  std::vector<std::uint8_t> present_;
  std::vector<std::uint32_t> multiplexed_;                       // signals that a switch selects
  std::uint64_t lost_ = 0, checksum_errors_ = 0, repeated_ = 0;  // variables
  MessageProtection protection_;
  std::unique_ptr<bool[]> is_present_;  // variables, of what is multiplexed
  std::vector<double> substitute_;
};

}  // namespace tactus::drivers::can
