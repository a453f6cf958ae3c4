// SPDX-License-Identifier: Apache-2.0
#include "config/date.hpp"

#include <chrono>

#include "config/text.hpp"

namespace tactus::config {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::string_view kShape = "YYYY-MM-DDThh:mm:ss";
constexpr std::chrono::sys_seconds kFirst = std::chrono::sys_days(std::chrono::year(1678) / 1 / 1);
constexpr std::chrono::sys_seconds kBehind = std::chrono::sys_days(std::chrono::year(2262) / 1 / 1);

/// `count` digits at least; with leading zeros.
std::string padded(std::int64_t value, std::size_t count) {
  const std::string digits = std::to_string(value);
  return std::string(digits.size() < count ? count - digits.size() : 0, '0') + digits;
}

/// One part of a date: what is wrong with it, or nothing.
std::string check(int value, int low, int high, const std::string& what) {
  if (value >= low && value <= high) return "";
  return "the " + what + " is " + padded(value, 2) + ", not " + padded(low, 2) + " .. " + padded(high, 2);
}

/// Reads a date from front to back; the first thing that is wrong ends it.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  ParsedDate read() {
    if (shape() && calendar() && time() && fraction() && zone()) {
      if (seconds_ >= kFirst && seconds_ < kBehind)
        return {seconds_.time_since_epoch().count() * kSecond + fraction_};
      problem_ = "it is not in 1678 .. 2261 (in UTC), the years that 64 bits of nanoseconds hold";
    }
    return {std::nullopt, show(text_) + " is not a date: " + problem_ +
                              "; write YYYY-MM-DDThh:mm:ss, a fraction or none, and a zone, for example "
                              "2005-02-15T00:00:00+00:00"};
  }

 private:
  /// All of the part is digits, and there are few.
  int part(std::size_t at, std::size_t length) const {
    return rtsync::read_number<int>(text_.substr(at, length)).value_or(0);
  }
  bool refuse(std::string why) {
    problem_ = std::move(why);
    return problem_.empty();
  }

  /// "at character 12 ..."
  bool refuse_at(std::size_t at, const std::string& wanted) {
    const std::string found = at >= text_.size() ? "it ends there" : "there is " + show(text_.substr(at, 1));
    return refuse("character " + std::to_string(at + 1) + " has to be " + wanted + ", but " + found);
  }

  /// YYYY-MM-DDThh:mm:ss: digits where digits belong, and what stands between them.
  bool shape() {
    for (at_ = 0; at_ < kShape.size(); ++at_) {
      const char wanted = kShape[at_];
      const bool separator = wanted == '-' || wanted == 'T' || wanted == ':';
      if (at_ < text_.size() && (separator ? text_[at_] == wanted : is_digit(text_[at_]))) continue;
      return refuse_at(at_, separator ? "'" + std::string(1, wanted) + "'" : "a digit");
    }
    return true;
  }

  bool calendar() {
    namespace cr = std::chrono;
    const int month = part(5, 2);
    if (std::string why = check(month, 1, 12, "month"); !why.empty()) return refuse(why);
    const cr::year_month of = cr::year(part(0, 4)) / month;
    const auto last = static_cast<int>(static_cast<unsigned>((of / cr::last).day()));
    if (std::string why = check(part(8, 2), 1, last, "day"); !why.empty())
      return refuse(why + " (the days of " + std::string(text_.substr(0, 7)) + ")");
    seconds_ = cr::sys_days(of / part(8, 2));
    return true;
  }

  bool time() {
    std::string why = check(part(11, 2), 0, 23, "hour");
    if (why.empty()) why = check(part(14, 2), 0, 59, "minute");
    if (why.empty()) {
      why = check(part(17, 2), 0, 59, "second");
      if (part(17, 2) == 60) why += " (leap seconds are not counted)";
    }
    seconds_ += std::chrono::hours(part(11, 2)) + std::chrono::minutes(part(14, 2)) +
                std::chrono::seconds(part(17, 2));
    return refuse(std::move(why));
  }

  bool fraction() {
    if (at_ == text_.size() || text_[at_] != '.') return true;
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    const std::size_t digits = at_ - begin;
    if (digits == 0) return refuse_at(at_, "a digit of the fraction");
    if (digits > 9)
      return refuse("the fraction has " + std::to_string(digits) + " digits, not 1 .. 9 (nanoseconds)");
    fraction_ = part(begin, digits);
    for (std::size_t i = digits; i < 9; ++i) fraction_ *= 10;
    return true;
  }

  bool zone() {
    if (at_ == text_.size())
      return refuse("its zone is missing: end it with Z for UTC, or with an offset such as +01:00");
    const char sign = text_[at_];
    if (sign == 'Z') {
      ++at_;
      return expect_end();
    }
    if (sign != '+' && sign != '-')
      return refuse_at(at_, at_ == 19 ? "'.', 'Z', '+' or '-'" : "'Z', '+' or '-'");
    for (std::size_t i = 1; i <= 5; ++i) {  // hh:mm
      const std::size_t at = at_ + i;
      if (at < text_.size() && (i == 3 ? text_[at] == ':' : is_digit(text_[at]))) continue;
      return refuse_at(at, i == 3 ? "':' of the zone" : "a digit of the zone");
    }
    std::string why = check(part(at_ + 1, 2), 0, 23, "zone's hour");
    if (why.empty()) why = check(part(at_ + 4, 2), 0, 59, "zone's minute");
    const auto offset = std::chrono::hours(part(at_ + 1, 2)) + std::chrono::minutes(part(at_ + 4, 2));
    seconds_ += sign == '+' ? -offset : offset;
    at_ += 6;
    return refuse(std::move(why)) && expect_end();
  }

  bool expect_end() { return at_ == text_.size() || refuse_at(at_, "the end (the zone is complete)"); }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_;
  std::chrono::sys_seconds seconds_{};
  std::int64_t fraction_ = 0;  // ns
};

}  // namespace

ParsedDate parse_date(std::string_view text) { return Reader(text).read(); }

std::string print_date(std::int64_t ns) {
  namespace cr = std::chrono;
  const std::int64_t fraction = (ns % kSecond + kSecond) % kSecond;
  const auto time = cr::floor<cr::seconds>(cr::sys_time<cr::nanoseconds>(cr::nanoseconds(ns)));
  const auto day = cr::floor<cr::days>(time);
  const cr::year_month_day date(day);
  const cr::hh_mm_ss clock(time - day);
  std::string text = padded(static_cast<int>(date.year()), 4) + "-" +
                     padded(static_cast<unsigned>(date.month()), 2) + "-" +
                     padded(static_cast<unsigned>(date.day()), 2) + "T" + padded(clock.hours().count(), 2) +
                     ":" + padded(clock.minutes().count(), 2) + ":" + padded(clock.seconds().count(), 2);
  if (fraction != 0) {
    std::string digits = padded(fraction, 9);
    digits.resize(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + "+00:00";
}

}  // namespace tactus::config
