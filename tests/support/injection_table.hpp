// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <iomanip>
#include <map>
#include <ostream>
#include <string>

namespace tactus::test {

/// What became of causes that a test injected: for each kind how many were injected, named as such, `unknown`,
/// named as something else, and left out because the machine did something of its own meanwhile.
class InjectionTable {
 public:
  struct Row {
    std::int64_t injected = 0;
    std::int64_t named = 0;
    std::int64_t unknown = 0;
    std::int64_t wrong = 0;
    std::int64_t left_out = 0;
    std::map<std::string, std::int64_t> wrong_names;
  };

  /// `found` is what the rig said of an injection of `kind`, which is `expected`.
  void add(const std::string& kind, const std::string& expected, const std::string& found) {
    Row& row = rows_[kind];
    ++row.injected;
    if (found == expected)
      ++row.named;
    else if (found == "unknown")
      ++row.unknown;
    else
      ++row.wrong, ++row.wrong_names[found];
  }
  void leave_out(const std::string& kind) {
    ++rows_[kind].injected;
    ++rows_[kind].left_out;
  }
  const std::map<std::string, Row>& rows() const { return rows_; }
  Row sum() const {
    Row all;
    for (const auto& [kind, row] : rows_) {
      all.injected += row.injected;
      all.named += row.named;
      all.unknown += row.unknown;
      all.wrong += row.wrong;
      all.left_out += row.left_out;
    }
    return all;
  }

  friend std::ostream& operator<<(std::ostream& out, const InjectionTable& table) {
    const auto line = [&](const std::string& name, const Row& row) {
      out << std::left << std::setw(18) << name << std::right << std::setw(9) << row.injected << std::setw(8)
          << row.named << std::setw(9) << row.unknown << std::setw(7) << row.wrong << std::setw(10)
          << row.left_out;
      for (const auto& [wrong, count] : row.wrong_names) out << "  " << count << " " << wrong;
      out << "\n";
    };
    out << std::left << std::setw(18) << "kind"
        << " injected   named  unknown  wrong  left out\n";
    for (const auto& [kind, row] : table.rows_) line(kind, row);
    line("all", table.sum());
    return out;
  }

 private:
  std::map<std::string, Row> rows_;
};

}  // namespace tactus::test
