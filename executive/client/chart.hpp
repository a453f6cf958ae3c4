// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus::client {

/// A curve in characters that runs along with time. Each column of dots has the least and the greatest value of
/// its time, and keeps it while the chart moves on: a spike of one frame is seen as long as it is on the chart.
class Chart {
 public:
  /// `columns`: of dots, along time. `width_ns`: of a column. `bridge`: over that many columns without a
  /// value the curve continues, as samples come more seldom than columns; 0: a gap stays a gap.
  Chart(std::size_t columns, std::int64_t width_ns, std::size_t bridge = 0);

  void add(std::int64_t time_ns, double value);
  /// Time went elsewhere.
  void clear();

  /// Lines of braille characters, which have 2 x 4 dots each, or of ASCII, `rows` high; the newest column at the
  /// right.
  std::vector<std::string> draw(std::size_t rows, bool ascii) const;
  /// Least of the values on the chart; 0 without any.
  double least() const;
  double greatest() const;
  double newest() const { return newest_; }
  bool empty() const;
  std::uint64_t not_finite() const { return not_finite_; }

 private:
  struct Column {
    std::int64_t number = -1;  ///< number in the grid of columns; -1: nothing came
    double least = 0;
    double greatest = 0;
  };
  const Column* at(std::size_t place) const;  ///< column counted from the left
  template <class Visit>
  void each(Visit visit) const;

  std::vector<Column> ring_;
  std::int64_t width_ns_;
  std::size_t bridge_;
  std::int64_t last_ = -1;  ///< number of the newest column
  double newest_ = 0;
  std::uint64_t not_finite_ = 0;
};

/// A value for people, six digits: "1.5", "-0.000123".
std::string number_text(double value);
/// The same in at most this number of characters: with fewer digits, never cut.
std::string number_text(double value, std::size_t width);
/// A value as text in at most this number of columns: a number loses digits, never its magnitude; another text its end,
/// which becomes "...".
std::string value_text(const std::string& value, std::size_t width);
/// A name and its value in at most this number of columns: the name loses its end, "motor.sp...", before the value does.
std::string named_value(const std::string& name, const std::string& value, std::size_t width);
/// Cut or filled up to that many columns of the terminal.
std::string fitted(const std::string& text, std::size_t width, bool right = false);

}  // namespace tactus::client
