// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Numbers with units as people write them, exact: decimal text becomes integers without passing a double.
///
///     parse_duration("1.5 s")   1'500'000'000 ns         parse_period("60 Hz")   50'000'000/3 ns
///
/// Every parser takes the whole text or says what is wrong with it and how to fix it. Every printer writes
/// text that its parser reads back to the same value.
///
/// Threads  pure functions.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rtsync/time/period.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::config {

using rtsync::Nanoseconds;
using rtsync::Period;

/// A value, or the sentence why there is none.
template <class V>
struct Parsed {
  std::optional<V> value{};
  std::string problem{};
  bool outside = false;  ///< understood, but not within the limits

  Parsed(V good) : value(std::move(good)) {}  // implicit: `return 5;` reads well
  static Parsed failed(const std::string& why) {
    Parsed result;
    result.problem = why;
    return result;
  }
  static Parsed outside_limits(const std::string& why) {
    Parsed result = failed(why);
    result.outside = true;
    return result;
  }
  explicit operator bool() const { return value.has_value(); }

 private:
  Parsed() = default;
};

/// "80", "-3", "+5". Decimal only.
Parsed<std::int64_t> parse_integer(std::string_view text);
/// "0.5", "-1e3". Finite, not hexadecimal, not so small that it becomes 0. `power`: the number times 10^power, rounded
/// once.
Parsed<double> parse_real(std::string_view text, int power = 0);
/// "yes no on off true false"
Parsed<bool> parse_bool(std::string_view text);
/// "5" or "5 frames", for the unit word "frames" (or "frame").
Parsed<std::int64_t> parse_count(std::string_view text, const std::string& word);
/// "250 us": ns, us (or µs), ms, s, min, h, d; a whole number of nanoseconds. "for ever" is
/// Nanoseconds::max(); what is longer than that is refused. `low` and `high` only choose the examples in a problem: the
/// caller compares the time with its limits.
Parsed<Nanoseconds> parse_duration(std::string_view text, Nanoseconds low = Nanoseconds::min(),
                                   Nanoseconds high = Nanoseconds::max());
/// A duration, or a rate in mHz, Hz, kHz, MHz; fractions too: "1/3 ms", "60000/1001 Hz". Above zero.
Parsed<Period> parse_period(std::string_view text);
/// "64 KiB": B, kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers of 1024); not negative.
Parsed<std::int64_t> parse_bytes(std::string_view text);
/// "2x", "2 x", "0.5" or "50 %".
Parsed<double> parse_ratio(std::string_view text);
/// "80 %" is 0.8.
Parsed<double> parse_percent(std::string_view text);
/// "3", "0-3,5": CPU numbers 0 .. 1023, in the order written, none twice.
Parsed<std::vector<int>> parse_cpus(std::string_view text);

/// Splits "10 g cm^2" into its number and what follows, both trimmed. The number is empty when the text does
/// not begin with one.
struct NumberAndRest {
  std::string_view number;
  std::string_view rest;
};
NumberAndRest split_number(std::string_view text);

std::string print_real(double value);
/// A period for people: "1.00 ms", and exactly where that is not a whole number of nanoseconds: "16.7 ms (59.94 Hz)".
std::string show_period(const Period& value);
/// "2500 us"; a fraction as a time and as a rate, whichever of them the file has: "1/3 ms (3000 Hz)".
std::string name_period(const Period& value);
std::string print_duration(Nanoseconds value);
std::string print_period(const Period& value);
std::string print_bytes(std::int64_t value);
std::string print_ratio(double value);
std::string print_percent(double value);

}  // namespace tactus::config
