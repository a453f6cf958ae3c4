// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "drivers/can/dbc/database.hpp"

namespace tactus::drivers::can {

/// The mistakes of a file while it is read. Keeps the first kMostNotes, and counts all.
class Notes {
 public:
  explicit Notes(Database& database) : database_(database) {}

  void error(std::uint32_t line, std::string text) { add(true, line, std::move(text)); }
  void warn(std::uint32_t line, std::string text) { add(false, line, std::move(text)); }
  /// Sorts them by line.
  void finish() {
    std::ranges::stable_sort(database_.notes, [](const Note& a, const Note& b) { return a.line < b.line; });
  }

 private:
  void add(bool is_error, std::uint32_t line, std::string text) {
    ++(is_error ? database_.errors : database_.warnings);
    if (database_.notes.size() < kMostNotes) {
      database_.notes.push_back({is_error, line, std::move(text)});
    } else if (is_error && database_.errors == 1) {
      database_.notes.back() = {is_error, line, std::move(text)};  // the first error is always named
    }
  }

  Database& database_;
};

}  // namespace tactus::drivers::can
