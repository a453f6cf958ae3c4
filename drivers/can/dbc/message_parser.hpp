// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "drivers/can/dbc/parser.hpp"

namespace tactus::drivers::can {

/// Reads BO_ and SG_ lines. A line that cannot be understood is noted and skipped.
class MessageParser {
 public:
  MessageParser(Scanner& scanner, Statements& all, Notes& notes) : in_(scanner), all_(all), notes_(notes) {}

  void message();
  void signal();

 private:
  enum class Current { none, skipped, message };

  void refuse(std::uint32_t line, const std::string& text);
  bool place(std::string_view word, Signal& signal, WrittenPlace& place, std::uint32_t line);
  bool layout(Signal& signal, const std::string& what);
  bool conversion(Signal& signal, const std::string& what);

  Scanner& in_;
  Statements& all_;
  Notes& notes_;
  Current current_ = Current::none;
  std::size_t message_ = 0;
  std::size_t signals_ = 0;  ///< count of the whole file
  bool too_many_ = false;
};

}  // namespace tactus::drivers::can
