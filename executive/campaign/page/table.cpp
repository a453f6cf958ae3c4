// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/page/table.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <set>

namespace tactus::campaign {
namespace {

/// Writes as many digits as say which number it is.
std::string number_text(double value) {
  if (std::isnan(value)) return "";
  std::array<char, 40> text{};
  for (const int digits : {6, 9, 12, 15, 17}) {
    (void)std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    double back = 0;
    if (std::sscanf(text.data(), "%lf", &back) == 1 && back == value) break;  // NOLINT: our own text
  }
  return text.data();
}

}  // namespace

std::vector<std::string> table_heads(const Results& results) {
  std::set<std::string> tests;
  for (const ResultColumn& each : results.columns())
    if (each.kind == ResultColumn::Kind::margin) tests.insert(each.test);
  std::vector<std::string> heads{"number", "rig", "test", "verdict"};
  for (const ResultColumn& each : results.columns()) {
    const bool margin = each.kind == ResultColumn::Kind::margin;
    std::string head = margin ? "margin of " + each.name : each.name;
    if (margin && tests.size() > 1) head += " in " + std::filesystem::path(each.test).filename().string();
    if (!each.unit.empty()) head += " {" + each.unit + "}";
    heads.push_back(std::move(head));
  }
  for (const char* const each : {"seconds {s}", "attempt", "version", "says", "folder"})
    heads.emplace_back(each);
  return heads;
}

std::vector<std::string> table_cells(const Results& results, const ResultRow& row) {
  std::vector<std::string> cells{std::to_string(row.number), row.rig, row.test, row.verdict};
  for (std::size_t i = 0; i < results.columns().size(); ++i)
    cells.push_back(results.columns()[i].words ? row.texts[i] : number_text(row.values[i]));
  cells.insert(cells.end(), {number_text(std::round(row.seconds * 1e6) / 1e6), std::to_string(row.attempt),
                             std::to_string(row.version), row.says, row.folder});
  return cells;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char letter : cell) line += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    line += '"';
  }
  return line + "\n";
}

}  // namespace tactus::campaign
