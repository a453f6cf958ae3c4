// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Frames as lines of text: the log format of candump, and ASC.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

/// A frame with the time and the channel at which it was seen.
struct LoggedFrame {
  std::int64_t time = 0;  ///< ns; candump: since 1970; ASC: since the log began
  std::string channel{};  ///< candump: the interface; ASC: a number from 1 on
  bool is_sent = false;
  CanFrame frame{};
};

/// Returns "(1436509052.249713) vcan0 044#2A366C2BBA": eight digits for ids of 29 bits, ##F and a digit of flags for CAN FD,
/// #R8 for remote frames.
std::string candump_line(const LoggedFrame& logged);
/// Returns "044#2A366C2BBA".
std::string frame_text(const CanFrame& frame);
/// Reads such a text; empty: it is not one.
std::optional<CanFrame> read_frame_text(std::string_view text);

/// The lines before the frames of an ASC file, with the date of now.
std::string asc_head();
std::string asc_line(const LoggedFrame& logged);
std::string asc_end();

/// Reads the lines of a log of either format.
///
/// Threads  one.
class LogReader {
 public:
  /// Reads a line. Empty: it has no frame. `is_wrong` then says that it is not a line of these formats either.
  std::optional<LoggedFrame> read(std::string_view line, bool& is_wrong);
  /// Says what is wrong with that line: "is not a line of candump -L or of ASC".
  std::string complaint() const;
  /// Returns true once a line was of candump, or the line `base` of ASC or a frame of it: any text may stand before these.
  bool knows_format() const { return knows_format_; }

 private:
  std::optional<LoggedFrame> read_asc(std::string_view line, bool& is_wrong);

  bool is_decimal_ = false;   // base dec
  bool is_relative_ = false;  // timestamps relative
  bool knows_format_ = false;
  bool has_name_ = false;  // the last line has a frame that has a name in place of its identifier
  std::int64_t time_ = 0;
};

}  // namespace tactus::drivers::can
