// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "drivers/can/codec/message_codec.hpp"
#include "drivers/can/dbc/database.hpp"
#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

/// Frames as people read them: names and values of a database.
///
/// Threads  one.
class Decoder {
 public:
  explicit Decoder(Database database);

  /// Returns "EngineData EngineSpeed=800 rpm Gear=Drive"; empty: the database has no such message.
  std::string text_of(const CanFrame& frame);
  /// Makes a frame of a message and "EngineSpeed=800" ... Signals that are not named have their start values. Throws
  /// std::runtime_error with what the database does not have.
  CanFrame frame_of(const std::string& message, const std::vector<std::string>& signals) const;

 private:
  struct Known {
    const Message* message = nullptr;
    MessageCodec codec;
    std::vector<double> values;
    std::vector<std::uint8_t> present;
  };
  Database database_;
  std::map<std::pair<std::uint32_t, bool>, Known> known_;
};

}  // namespace tactus::drivers::can
