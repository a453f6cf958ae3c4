// SPDX-License-Identifier: Apache-2.0
// Any bytes as a DBC file: a database within its limits, and notes with lines that the file has.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "drivers/can/dbc/bits.hpp"
#include "drivers/can/dbc/database.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus::drivers::can;
  const std::string text(data, data + size);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  const Database database = read_dbc(text, "x.dbc");
  if (database.notes.size() > database.errors + database.warnings)
    throw std::logic_error("notes are not counted");
  for (const Note& note : database.notes)
    if (note.line > lines || note.text.empty()) throw std::logic_error("a note without a line or a text");
  for (const Message& message : database.messages) {
    if (message.length > kMostBytes ||
        message.id > (message.extended ? kLargestExtendedId : kLargestStandardId))
      throw std::logic_error("a message that no frame can be");
    for (const Signal& signal : message.signals) {
      if (signal.length < 1 || signal.length > 64 || bytes_of(signal) > kMostBytes || signal.factor == 0 ||
          !std::isfinite(signal.factor) || !std::isfinite(signal.offset))
        throw std::logic_error("a signal that cannot be read");
      int depth = 0;
      for (int at = signal.of_switch; at >= 0;
           at = message.signals.at(static_cast<std::size_t>(at)).of_switch)
        if (++depth > static_cast<int>(kDeepestMultiplexer)) throw std::logic_error("switches in a circle");
    }
  }
  return 0;
}
