// SPDX-License-Identifier: Apache-2.0
#include "executive/client/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rtsync/host/plain_text.hpp"
#include "rtsync/text.hpp"

namespace tactus::client {
namespace {

/// Bits of the dots of a braille character, from the top; left and right.
constexpr std::array<std::array<unsigned, 4>, 2> kDots = {
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

std::string utf8(unsigned code) {  // U+2800 .. U+28FF
  return {static_cast<char>(0xE0U | (code >> 12U)), static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)),
          static_cast<char>(0x80U | (code & 0x3FU))};
}

}  // namespace

Chart::Chart(std::size_t columns, std::int64_t width_ns, std::size_t bridge)
    : ring_(std::max<std::size_t>(columns, 2)),
      width_ns_(std::max<std::int64_t>(1, width_ns)),
      bridge_(bridge) {}

void Chart::clear() {
  for (Column& column : ring_) column.number = -1;
  last_ = -1;
}

void Chart::add(std::int64_t time_ns, double value) {
  newest_ = value;
  const std::int64_t number = time_ns / width_ns_;
  if (number < 0 || number + static_cast<std::int64_t>(ring_.size()) <= last_) return;
  last_ = std::max(last_, number);
  if (!std::isfinite(value)) return void(++not_finite_);
  Column& column = ring_[static_cast<std::size_t>(number) % ring_.size()];
  if (column.number != number) {
    column = {number, value, value};
    return;
  }
  column.least = std::min(column.least, value);
  column.greatest = std::max(column.greatest, value);
}

const Chart::Column* Chart::at(std::size_t place) const {
  const std::int64_t number = last_ - static_cast<std::int64_t>(ring_.size() - 1 - place);
  if (number < 0) return nullptr;
  const Column& column = ring_[static_cast<std::size_t>(number) % ring_.size()];
  return column.number == number ? &column : nullptr;
}

template <class Visit>
void Chart::each(Visit visit) const {
  for (std::size_t place = 0; place < ring_.size(); ++place)
    if (const Column* const column = at(place)) visit(place, *column);
}

bool Chart::empty() const {
  bool any = false;
  each([&any](std::size_t, const Column&) { any = true; });
  return !any;
}

double Chart::least() const {
  double least = HUGE_VAL;
  each([&least](std::size_t, const Column& column) { least = std::min(least, column.least); });
  return std::isinf(least) ? 0 : least;
}

double Chart::greatest() const {
  double greatest = -HUGE_VAL;
  each([&greatest](std::size_t, const Column& column) { greatest = std::max(greatest, column.greatest); });
  return std::isinf(greatest) ? 0 : greatest;
}

std::vector<std::string> Chart::draw(std::size_t rows, bool ascii) const {
  rows = std::max<std::size_t>(rows, 1);
  const std::size_t dots = ascii ? rows : rows * 4;
  const double low = least();
  const double span = greatest() / 2 - low / 2;
  std::vector<std::vector<bool>> lit(dots, std::vector<bool>(ring_.size()));
  const auto row = [&](double value) {
    if (!(span > 0)) return dots / 2;
    const double share = (value / 2 - low / 2) / span;
    return dots - 1 - static_cast<std::size_t>(std::lround(share * static_cast<double>(dots - 1)));
  };
  const Column* before = nullptr;
  std::size_t before_place = 0;
  each([&](std::size_t place, const Column& column) {
    std::size_t top = row(column.greatest);
    std::size_t bottom = row(column.least);
    if (before != nullptr && before_place + 1 == place) {  // no hole where the curve is steep
      if (row(before->least) + 1 < top) top = row(before->least) + 1;
      if (row(before->greatest) > bottom + 1) bottom = row(before->greatest) - 1;
    }
    for (std::size_t dot = top; dot <= bottom; ++dot) lit[dot][place] = true;
    if (before != nullptr && place > before_place + 1 && place <= before_place + 1 + bridge_) {
      const double from = before->least / 2 + before->greatest / 2;
      const double to = column.least / 2 + column.greatest / 2;
      for (std::size_t between = before_place + 1; between < place; ++between) {
        const double share =
            static_cast<double>(between - before_place) / static_cast<double>(place - before_place);
        lit[row(from * (1 - share) + to * share)][between] = true;
      }
    }
    before = &column;
    before_place = place;
  });
  std::vector<std::string> lines;
  for (std::size_t r = 0; r < rows; ++r) {
    std::string line;
    if (ascii) {
      for (std::size_t c = 0; c < ring_.size(); ++c) line += lit[r][c] ? '#' : ' ';
    } else {
      for (std::size_t c = 0; c < ring_.size(); c += 2) {
        unsigned code = 0x2800;
        for (std::size_t side = 0; side < 2 && c + side < ring_.size(); ++side)
          for (std::size_t dot = 0; dot < 4; ++dot)
            if (lit[r * 4 + dot][c + side]) code |= kDots[side][dot];
        line += code == 0x2800 ? std::string(" ") : utf8(code);
      }
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return rtsync::format_text("%.6g", value);
}

std::string number_text(double value, std::size_t width) {
  std::string text = number_text(value);
  for (int digits = 5; digits > 0 && text.size() > width; --digits)
    text = rtsync::format_text("%.*g", digits, value);
  return text;
}

std::string value_text(const std::string& value, std::size_t width) {
  if (value.size() <= width) return value;
  if (const auto number = rtsync::read_number<double>(value)) {
    std::string text;
    for (int digits = 17; digits > 0 && (text.empty() || text.size() > width); --digits)
      text = rtsync::format_text("%.*g", digits, *number);
    return text;
  }
  if (rtsync::letters_in(value) <= width) return value;
  return fitted(value, width - std::min<std::size_t>(width, 3)) + "...";
}

std::string named_value(const std::string& name, const std::string& value, std::size_t width) {
  constexpr std::size_t kLeast = 4;  // of a name that still says something: "m..."
  const std::string end = "  " + value;
  if (end.size() + kLeast > width) return value;
  return value_text(name, width - end.size()) + end;
}

std::string fitted(const std::string& text, std::size_t width, bool right) {
  const std::string shown(rtsync::first_letters(text, width));
  const std::string blanks(width - rtsync::letters_in(shown), ' ');
  return right ? blanks + shown : shown + blanks;
}

}  // namespace tactus::client
