// SPDX-License-Identifier: Apache-2.0
#include "config/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "config/decimal.hpp"
#include "config/lookalike.hpp"
#include "config/text.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::config {
namespace {

using rtsync::Wide;

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

struct Scale {
  std::string_view symbol;
  std::int64_t factor;
};

constexpr Scale kTimes[] = {
    {"ns", 1},
    {"us", 1'000},
    {"µs", 1'000},  // U+00B5, the micro sign
    {"μs", 1'000},  // U+03BC, the Greek letter
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"min", 60'000'000'000},
    {"h", 3'600'000'000'000},
    {"d", 86'400'000'000'000},
};
constexpr Scale kRates[] = {{"mHz", 1}, {"Hz", 1'000}, {"kHz", 1'000'000}, {"MHz", 1'000'000'000}};
constexpr Scale kBytes[] = {
    {"B", 1},
    {"kB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"KiB", std::int64_t{1} << 10U},
    {"MiB", std::int64_t{1} << 20U},
    {"GiB", std::int64_t{1} << 30U},
    {"TiB", std::int64_t{1} << 40U},
};

const Scale* find(std::span<const Scale> scales, std::string_view symbol) {
  const auto found = std::ranges::find(scales, symbol, &Scale::symbol);
  return found == scales.end() ? nullptr : &*found;
}

std::string no_unit(std::string_view text, std::string_view number, const char* unit) {
  return show(text) + " has no unit; write for example '" + std::string{number} + " " + unit + "'";
}

/// "'5 us', '5 ms' or '5 s'": units with which the number is within the limits.
std::string no_unit_of_time(std::string_view text, std::string_view number, Nanoseconds low,
                            Nanoseconds high) {
  std::vector<std::string> examples;
  for (const char* const unit : {"us", "ms", "s", "min", "h"}) {
    std::int64_t time = 0;
    if (examples.size() < 3 &&
        times_whole(to_decimal(number), find(kTimes, unit)->factor, time) == Exactness::exact &&
        Nanoseconds{time} >= low && Nanoseconds{time} <= high)
      examples.push_back("'" + std::string{number} + " " + unit + "'");
  }
  if (examples.empty()) return no_unit(text, number, "us");
  const std::string last = examples.back();
  examples.pop_back();
  return show(text) + " has no unit; write for example " + rtsync::joined(examples, ", ") +
         (examples.empty() ? "" : " or ") + last;
}

/// "'5 us', '1.5 s' or 'for ever'": of these, the ones within the limits.
std::string times_within(Nanoseconds low, Nanoseconds high) {
  const bool endless = high == Nanoseconds::max();
  const auto is_within = [&](Nanoseconds time) { return time >= low && time <= high; };
  std::string examples = is_within(std::chrono::microseconds(5)) ? "'5 us'" : "";
  if (is_within(std::chrono::milliseconds(1500)))
    examples += (examples.empty() ? "" : endless ? ", " : " or ") + std::string("'1.5 s'");
  if (examples.empty() && !endless) return "'" + print_duration(low) + "'";
  return examples + (endless ? (examples.empty() ? "" : " or ") + std::string("'for ever'") : "");
}

Parsed<double> parse_scaled(std::string_view text, std::string_view number, int power) {
  Decimal decimal = to_decimal(number);
  if (decimal.is_zero()) return decimal.negative ? -0.0 : 0.0;
  const std::string digits =
      (decimal.negative ? "-" : "") + decimal.digits + "e" + std::to_string(decimal.exponent + power);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range || !std::isfinite(value) || value == 0) {
    const bool large = static_cast<std::int64_t>(decimal.digits.size()) + decimal.exponent > 0;
    return Parsed<double>::failed(show(text) + (large ? " is too large" : " is too close to 0") +
                                  " for a number (largest 1.7e308, smallest 2.3e-308)");
  }
  return value;
}

/// Explains why `text` is not a number, for the slips that people make.
std::string not_a_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return " is hexadecimal; write it in decimal";
  if (std::string problem = number_problem(text); !problem.empty()) return problem;
  if (text.find(',') != std::string_view::npos) return " is not a number; the decimal sign is a point";
  return " is not a number";
}

/// Explains what is wrong with the characters of `text`, whatever it is to be; empty: nothing.
std::string slip_in(std::string_view text) {
  const std::string problem = number_problem(text);
  return problem.empty() ? "" : show(text) + problem;
}

}  // namespace

NumberAndRest split_number(std::string_view text) {
  text = trimmed(text);
  const std::size_t length = number_length(text);
  return {text.substr(0, length), trimmed(text.substr(length))};
}

Parsed<std::int64_t> parse_integer(std::string_view text) {
  const std::string_view bare = trimmed(text);
  std::string_view digits = bare;
  if (!digits.empty() && (digits.front() == '+' || digits.front() == '-')) digits.remove_prefix(1);
  if (digits.empty() || !std::ranges::all_of(digits, is_digit)) {
    if (number_length(bare) == bare.size() && !bare.empty())
      return Parsed<std::int64_t>::failed(show(text) + " is not a whole number");
    return Parsed<std::int64_t>::failed(show(text) + (not_a_number(bare) == " is not a number"
                                                          ? " is not a whole number"
                                                          : not_a_number(bare)));
  }
  std::int64_t value = 0;
  if (times_whole(to_decimal(bare), 1, value) != Exactness::exact)
    return Parsed<std::int64_t>::failed(show(text) + " is too large for a whole number (64 bits)");
  return value;
}

Parsed<double> parse_real(std::string_view text, int power) {
  const NumberAndRest split = split_number(text);
  if (split.number.empty() || !split.rest.empty())
    return Parsed<double>::failed(show(text) + not_a_number(trimmed(text)));
  return parse_scaled(text, split.number, power);
}

Parsed<bool> parse_bool(std::string_view text) {
  for (const char* word : {"yes", "on", "true"})
    if (text == word) return true;
  for (const char* word : {"no", "off", "false"})
    if (text == word) return false;
  if (const std::string odd = lookalike_problem(text); !odd.empty())
    return Parsed<bool>::failed(show(text) + odd);
  return Parsed<bool>::failed(show(text) + " is not yes or no (also on/off, true/false)");
}

Parsed<std::int64_t> parse_count(std::string_view text, const std::string& word) {
  if (std::string slip = slip_in(text); !slip.empty()) return Parsed<std::int64_t>::failed(slip);
  const NumberAndRest split = split_number(text);
  if (split.number.empty())
    return Parsed<std::int64_t>::failed(show(text) + " is not a number of " + word +
                                        "; write for example '5 " + word + "'");
  const bool singular =
      word.size() > 1 && word.back() == 's' && split.rest == word.substr(0, word.size() - 1);
  if (!split.rest.empty() && split.rest != word && !singular)
    return Parsed<std::int64_t>::failed(show(text) + " does not count " + word + "; write '" +
                                        std::string{split.number} + " " + word + "'");
  Parsed<std::int64_t> result = parse_integer(split.number);
  if (!result) result.problem += " of " + word;
  return result;
}

Parsed<Nanoseconds> parse_duration(std::string_view text, Nanoseconds low, Nanoseconds high) {
  if (std::string slip = slip_in(text); !slip.empty()) return Parsed<Nanoseconds>::failed(slip);
  using Result = Parsed<Nanoseconds>;
  if (trimmed(text) == "for ever") return Nanoseconds::max();
  const NumberAndRest split = split_number(text);
  if (split.number.empty())
    return Result::failed(show(text) + " is not a time; write for example " + times_within(low, high));
  if (split.rest.empty()) return Result::failed(no_unit_of_time(text, split.number, low, high));
  const Scale* unit = find(kTimes, split.rest);
  if (unit == nullptr) {
    if (split.rest.front() == '/')
      return Result::failed(show(text) + " is a fraction, which only a period may be; write it as a decimal");
    return Result::failed(show(text) + " has the unknown unit " + show(split.rest) +
                          "; known are ns, us, ms, s, min, h, d");
  }
  const Decimal decimal = to_decimal(split.number);
  std::int64_t value = 0;
  switch (times_whole(decimal, unit->factor, value)) {
    case Exactness::exact:
      return Nanoseconds{value};
    case Exactness::too_large:
      return Result::failed(
          show(text) +
          (decimal.negative
               ? " is below -9223372036.854775807 s, the lowest time there is"
               : " is longer than 9223372036.854775807 s, the longest time "
                 "there is" +
                     std::string(high == Nanoseconds::max() ? "; write 'for ever' for no limit" : "")));
    case Exactness::not_whole:
      break;
  }
  return Result::failed(show(text) + " is not a whole number of nanoseconds, the smallest step of time");
}

Parsed<Period> parse_period(std::string_view text) {
  if (std::string slip = slip_in(text); !slip.empty()) return Parsed<Period>::failed(slip);
  using Result = Parsed<Period>;
  NumberAndRest split = split_number(text);
  if (split.number.empty())
    return Result::failed(show(text) + " is not a period; write for example '1 ms', '1/3 ms' or '60 Hz'");
  const Decimal over = to_decimal(split.number);
  Decimal under{false, "1", 0};
  std::string_view number = split.number;
  if (split.rest.starts_with('/')) {
    split = split_number(split.rest.substr(1));
    if (split.number.empty())
      return Result::failed(show(text) + " has no number after the '/'; write for example '1/3 ms'");
    under = to_decimal(split.number);
    number = trimmed(text).substr(
        0, static_cast<std::size_t>(split.number.data() + split.number.size() - trimmed(text).data()));
  }
  if (split.rest.empty()) return Result::failed(no_unit(text, number, "ms"));
  const Scale* time = find(kTimes, split.rest);
  const Scale* rate = find(kRates, split.rest);
  if (time == nullptr && rate == nullptr)
    return Result::failed(show(text) + " has the unknown unit " + show(split.rest) +
                          "; known are ns, us, ms, s, min, h, d and mHz, Hz, kHz, MHz");
  if (under.is_zero()) return Result::failed(show(text) + " divides by zero");
  if (over.is_zero()) return Result::failed(show(text) + " is zero; a period must be above zero");
  if (over.negative || under.negative)
    return Result::failed(show(text) + " is negative; a period must be above zero");
  const auto is_short = [](const Decimal& each) {
    return each.digits.size() <= 30 && std::abs(each.exponent) <= 30;
  };
  Rational value = 0;
  if (is_short(over) && is_short(under)) {
    value = exact(over) / exact(under);
    if (time != nullptr) value *= time->factor;
    if (rate != nullptr) value = Rational{1'000'000'000'000} / (value * rate->factor);  // 1 mHz is 10^12 ns
  }
  if (value == 0 || numerator(value) > kInt64Max || denominator(value) > kInt64Max) {
    return Result::failed(show(text) +
                          " cannot be held exactly as a fraction of nanoseconds with 64-bit terms; write it"
                          " with fewer digits, at most 292 years");
  }
  return Period{static_cast<std::int64_t>(numerator(value)), static_cast<std::int64_t>(denominator(value))};
}

Parsed<std::int64_t> parse_bytes(std::string_view text) {
  if (std::string slip = slip_in(text); !slip.empty()) return Parsed<std::int64_t>::failed(slip);
  using Result = Parsed<std::int64_t>;
  const NumberAndRest split = split_number(text);
  if (split.number.empty())
    return Result::failed(show(text) + " is not an amount of memory; write for example '64 KiB'");
  if (split.rest.empty()) return Result::failed(no_unit(text, split.number, "KiB"));
  const Scale* unit = find(kBytes, split.rest);
  if (unit == nullptr)
    return Result::failed(show(text) + " has the unknown unit " + show(split.rest) +
                          "; known are B, kB, MB, GB, TB and KiB, MiB, GiB, TiB");
  const Decimal decimal = to_decimal(split.number);
  if (decimal.negative && !decimal.is_zero()) return Result::failed(show(text) + " is negative");
  std::int64_t value = 0;
  switch (times_whole(decimal, unit->factor, value)) {
    case Exactness::exact:
      return value;
    case Exactness::too_large:
      return Result::failed(show(text) + " is too large (64 bits)");
    case Exactness::not_whole:
      break;
  }
  return Result::failed(show(text) + " is not a whole number of bytes");
}

Parsed<double> parse_ratio(std::string_view text) {
  if (std::string slip = slip_in(text); !slip.empty()) return Parsed<double>::failed(slip);
  const NumberAndRest split = split_number(text);
  if (split.number.empty() || (!split.rest.empty() && split.rest != "x" && split.rest != "%"))
    return Parsed<double>::failed(show(text) + " is not a ratio; write for example '2x', '0.5' or '50 %'");
  return parse_scaled(text, split.number, split.rest == "%" ? -2 : 0);
}

Parsed<double> parse_percent(std::string_view text) {
  if (std::string slip = slip_in(text); !slip.empty()) return Parsed<double>::failed(slip);
  const NumberAndRest split = split_number(text);
  if (!split.number.empty() && split.rest.empty())
    return Parsed<double>::failed(no_unit(text, split.number, "%"));
  if (split.number.empty() || split.rest != "%")
    return Parsed<double>::failed(show(text) + " is not a percentage; write for example '80 %'");
  return parse_scaled(text, split.number, -2);
}

Parsed<std::vector<int>> parse_cpus(std::string_view text) {
  using Fault = rtsync::CpuList::Fault;
  const auto bad = [&](const std::string& why) {
    return Parsed<std::vector<int>>::failed(show(text) + why +
                                            "; write CPUs as '3', '0-3,5' or [0, 2], numbers 0 .. 1023");
  };
  rtsync::CpuList list = rtsync::read_cpu_list(text, 1024);
  if (list.fault == Fault::no_list) {
    const std::string odd = lookalike_problem(text);
    return bad(odd.empty() ? " is not a list of CPUs" : odd);
  }
  if (list.fault == Fault::outside) return bad(" is outside 0 .. 1023");
  if (list.fault == Fault::backwards) return bad(" runs backwards");
  for (auto cpu = list.cpus.begin(); cpu != list.cpus.end(); ++cpu)
    if (std::find(list.cpus.begin(), cpu, *cpu) != cpu)
      return bad(" names CPU " + std::to_string(*cpu) + " twice");
  return std::move(list.cpus);
}

std::string print_real(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc{} ? std::string(buffer, end) : "0";
}

/// The largest unit of which so many nanoseconds are a whole number.
static const Scale& whole_unit(std::int64_t ns) {
  static constexpr Scale kPrinted[] = {
      {"h", 3'600'000'000'000}, {"min", 60'000'000'000}, {"s", 1'000'000'000},
      {"ms", 1'000'000},        {"us", 1'000},           {"ns", 1}};
  return *std::ranges::find_if(kPrinted, [ns](const Scale& each) { return ns % each.factor == 0; });
}

std::string print_duration(Nanoseconds value) {
  if (value == Nanoseconds::max()) return "for ever";
  if (value.count() == 0) return "0 s";
  const Scale& unit = whole_unit(value.count());
  return std::to_string(value.count() / unit.factor) + " " + std::string{unit.symbol};
}

std::string print_period(const Period& value) {
  if (value.is_whole() && value.num() == kInt64Max) return std::to_string(kInt64Max) + " ns";
  if (value.is_whole()) return print_duration(Nanoseconds{value.num()});
  // A rate with at most nine decimals reads better than a fraction: 60 Hz, 59.94 Hz, 59.9401 Hz.
  constexpr std::int64_t kBillion = 1'000'000'000;
  const Wide nanohertz = static_cast<Wide>(kBillion) * kBillion * value.den();
  if (nanohertz % value.num() == 0 && nanohertz / value.num() <= static_cast<Wide>(kBillion) * kBillion) {
    const auto rate = static_cast<std::int64_t>(nanohertz / value.num());
    std::string decimals = std::to_string(kBillion + rate % kBillion).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    return std::to_string(rate / kBillion) + (decimals.empty() ? "" : "." + decimals) + " Hz";
  }
  // Rates of television: 60000/1001 Hz, which is not 59.94 Hz.
  const Wide rate = static_cast<Wide>(1'000'000'000) * value.den() * 1001;
  if (rate % value.num() == 0 && rate / value.num() <= 1'000'000'000)
    return std::to_string(static_cast<std::int64_t>(rate / value.num())) + "/1001 Hz";
  return std::to_string(value.num()) + "/" + std::to_string(value.den()) + " ns";
}

std::string show_period(const Period& value) {
  const std::string text = rtsync::duration_text(value.floor().count());
  return value.is_whole() ? text : text + " (" + print_period(value) + ")";
}

std::string name_period(const Period& value) {
  if (value.is_whole()) return print_period(value);
  const Scale& unit = whole_unit(value.num());
  const std::string time = std::to_string(value.num() / unit.factor) + "/" + std::to_string(value.den()) +
                           " " + std::string(unit.symbol);
  const std::string rate = print_period(value);
  return rate == time ? time : time + " (" + rate + ")";
}

std::string print_bytes(std::int64_t value) {
  constexpr Scale kPrinted[] = {{"TiB", std::int64_t{1} << 40U},
                                {"GiB", std::int64_t{1} << 30U},
                                {"MiB", std::int64_t{1} << 20U},
                                {"KiB", std::int64_t{1} << 10U}};
  for (const Scale& scale : kPrinted)
    if (value != 0 && value % scale.factor == 0)
      return std::to_string(value / scale.factor) + " " + std::string{scale.symbol};
  return std::to_string(value) + " B";
}

std::string print_ratio(double value) { return print_real(value) + "x"; }

std::string print_percent(double value) {
  // Moves the point two places in the text, so that reading it back gives the very same double.
  const std::string shortest = print_real(value);
  const Decimal decimal = to_decimal(shortest);
  if (decimal.is_zero()) return "0 %";
  const std::int64_t exponent = decimal.exponent + 2;
  const auto length = static_cast<std::int64_t>(decimal.digits.size());
  std::string digits = decimal.digits;
  if (exponent >= 0 && exponent < 10) {
    digits.append(static_cast<std::size_t>(exponent), '0');
  } else if (exponent < 0 && length + exponent > 0) {
    digits.insert(static_cast<std::size_t>(length + exponent), 1, '.');
  } else if (exponent < 0 && exponent > -20) {
    digits = "0." + std::string(static_cast<std::size_t>(-exponent - length), '0') + digits;
  } else {
    digits.append("e").append(std::to_string(exponent));
  }
  return (decimal.negative ? "-" : "") + digits + " %";
}

}  // namespace tactus::config
