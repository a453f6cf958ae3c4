// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/text.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <system_error>

namespace tactus::drivers::gpio {
namespace {

namespace fs = std::filesystem;

std::string to_text(double value, std::chars_format format, int digits) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, format, digits);
  return {text.data(), error == std::errc() ? end : text.data()};
}

/// The number of letters to change, add or leave out.
std::size_t edits(std::string_view one, std::string_view two) {
  std::vector<std::size_t> row(two.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < two.size(); ++j) {
      const std::size_t changed = diagonal + (one[i] == two[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string shown = "'";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t at) {
      return at < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[at])) : 0U;
    };
    const bool blank = byte(i) == 0xC2 && byte(i + 1) == 0xA0;
    const bool mark = byte(i) == 0xE2 && (byte(i + 1) == 0x80 || byte(i + 1) == 0x81) && byte(i + 2) != 0;
    if (!blank && !mark) {
      shown += text[i];
      continue;
    }
    const unsigned code = blank ? 0xA0U : 0x2000U + ((byte(i + 1) & 0x3FU) << 6U) + (byte(i + 2) & 0x3FU);
    std::array<char, 8> escaped{};
    (void)std::snprintf(escaped.data(), escaped.size(), "\\u%04x", code & 0xFFFFU);
    shown += escaped.data();
    i += blank ? 1 : 2;
  }
  return shown + "'";
}

std::string hint(std::string_view word, const std::vector<std::string>& known) {
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string best;
  std::string all;
  for (const std::string& name : known) {
    const std::size_t count = edits(word, name);
    if (count < fewest && count < name.size()) {
      fewest = count;
      best = name;
    }
    all += (all.empty() ? "" : ", ") + in_quotes(name);
  }
  return best.empty() ? "known are " + all : "did you mean " + in_quotes(best) + "?";
}

std::string duration_text(std::int64_t nanoseconds) {
  constexpr std::array<const char*, 4> kUnits = {" ns", " us", " ms", " s"};
  auto value = static_cast<double>(nanoseconds);
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && std::abs(value) >= 999.5; ++unit) value /= 1000;
  const int decimals = unit == 0 || std::abs(value) >= 99.95 ? 0 : (std::abs(value) >= 9.995 ? 1 : 2);
  return to_text(value, std::chars_format::fixed, decimals) + kUnits.at(unit);
}

std::string number_text(double value) { return to_text(value, std::chars_format::general, 6); }

std::string page_path(const std::string& page) {
  static const char here = 0;
  Dl_info info{};
  std::error_code error;
  if (::dladdr(&here, &info) != 0 && info.dli_fname != nullptr) {
    fs::path prefix = fs::canonical(info.dli_fname, error).parent_path();
    constexpr int kDeepest = 3;  // PREFIX/lib/x86_64-linux-gnu/tactus
    for (int level = 0; level < kDeepest && prefix.has_relative_path(); ++level) {
      prefix = prefix.parent_path();
      fs::path found = prefix / "share/doc/tactus/docs" / page;
      if (fs::is_regular_file(found, error)) return found;
    }
  }
  return "docs/" + page;
}

}  // namespace tactus::drivers::gpio
