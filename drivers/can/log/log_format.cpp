// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/log/log_format.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <vector>

namespace tactus::drivers::can {
namespace {

constexpr std::int64_t kNs = 1'000'000'000;
constexpr unsigned kLargestCode = 15;  // of a length
constexpr std::array<unsigned, kLargestCode + 1> kLengths{0, 1,  2,  3,  4,  5,  6,  7,
                                                          8, 12, 16, 20, 24, 32, 48, 64};

void add_number(std::string& to, const char* format, unsigned value) {
  std::array<char, 24> text{};
  (void)std::snprintf(text.data(), text.size(), format, value);
  to += text.data();
}

std::optional<std::uint32_t> number_of(std::string_view text, int base) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "12.000345" in nanoseconds; up to nine digits behind the point.
std::optional<std::int64_t> time_of(std::string_view text) {
  const std::size_t point = text.find('.');
  std::int64_t seconds = 0;
  const std::string_view whole = text.substr(0, point);
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), seconds);
  if (whole.empty() || error != std::errc{} || end != whole.data() + whole.size() || seconds < 0 ||
      seconds > 9'000'000'000)
    return std::nullopt;
  std::string digits(point == std::string_view::npos ? "" : text.substr(point + 1));
  if (digits.size() > 9) return std::nullopt;
  digits.resize(9, '0');
  const auto part = number_of(digits, 10);
  if (!part) return std::nullopt;
  return seconds * kNs + *part;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlank = " \t\r";
  for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlank, end);
  }
  return words;
}

bool put_bytes(CanFrame& frame, std::string_view digits) {
  if (digits.size() % 2 != 0 || digits.size() / 2 > (frame.fd ? kMostBytes : 8U)) return false;
  frame.length = static_cast<std::uint8_t>(digits.size() / 2);
  for (std::size_t i = 0; i < frame.length; ++i) {
    const auto byte = number_of(digits.substr(2 * i, 2), 16);
    if (!byte) return false;
    frame.data.at[i] = static_cast<std::uint8_t>(*byte);
  }
  return true;
}

bool put_id(CanFrame& frame, std::uint32_t id, bool extended) {
  frame.id = id;
  frame.extended = extended;
  return id <= (extended ? kLargestExtendedId : kLargestStandardId);
}

unsigned code_of(unsigned length) {
  return static_cast<unsigned>(std::ranges::lower_bound(kLengths, length) - kLengths.begin());
}

}  // namespace

std::string frame_text(const CanFrame& frame) {
  std::string text;
  add_number(text, frame.extended ? "%08X" : "%03X", frame.id);
  text += frame.fd ? "##" : "#";
  if (frame.fd) text += frame.bit_rate_switch ? '1' : '0';
  if (frame.remote) return text + "R" + std::to_string(frame.length);
  for (unsigned i = 0; i < frame.length; ++i) add_number(text, "%02X", frame.data.at[i]);
  return text;
}

std::optional<CanFrame> read_frame_text(std::string_view text) {
  CanFrame frame;
  const std::size_t sharp = text.find('#');
  if (sharp != 3 && sharp != 8) return std::nullopt;
  const auto id = number_of(text.substr(0, sharp), 16);
  if (!id || !put_id(frame, *id, sharp == 8)) return std::nullopt;
  std::string_view rest = text.substr(sharp + 1);
  if (rest.starts_with('#')) {
    frame.fd = true;
    const auto flags = number_of(rest.substr(1, 1), 16);
    if (!flags) return std::nullopt;
    frame.bit_rate_switch = (*flags & 1U) != 0;
    rest.remove_prefix(2);
  } else if (rest.starts_with('R')) {
    frame.remote = true;
    const auto length = rest.size() == 1 ? 0 : number_of(rest.substr(1), 10);
    if (!length || *length > 8) return std::nullopt;
    frame.length = static_cast<std::uint8_t>(*length);
    return frame;
  }
  std::string digits;
  std::copy_if(rest.begin(), rest.end(), std::back_inserter(digits), [](char c) { return c != '.'; });
  if (!put_bytes(frame, digits)) return std::nullopt;
  return frame;
}

std::string candump_line(const LoggedFrame& logged) {
  std::array<char, 64> time{};
  (void)std::snprintf(time.data(), time.size(), "(%lld.%06lld) ", static_cast<long long>(logged.time / kNs),
                      static_cast<long long>(logged.time % kNs / 1000));
  return time.data() + logged.channel + " " + frame_text(logged.frame);
}

std::string asc_head() {
  const time_t now = ::time(nullptr);
  tm parts{};
  (void)::localtime_r(&now, &parts);
  char text[64];
  const bool fits = ::strftime(text, sizeof text, "%a %b %d %H:%M:%S %Y", &parts) > 0;
  const std::string date = fits ? text : "";
  return "date " + date + "\nbase hex  timestamps absolute\nno internal events logged\nBegin Triggerblock " +
         date + "\n";
}

std::string asc_end() { return "End TriggerBlock\n"; }

std::string asc_line(const LoggedFrame& logged) {
  const CanFrame& frame = logged.frame;
  std::array<char, 128> head{};
  std::array<char, 16> id{};
  (void)std::snprintf(id.data(), id.size(), frame.extended ? "%Xx" : "%X", frame.id);
  const double time = static_cast<double>(logged.time) / static_cast<double>(kNs);
  const char* const direction = logged.is_sent ? "Tx" : "Rx";
  if (frame.fd)
    (void)std::snprintf(head.data(), head.size(), "%11.6f CANFD %3s %s %10s  %d 0 %x %2u", time,
                        logged.channel.c_str(), direction, id.data(), frame.bit_rate_switch ? 1 : 0,
                        code_of(frame.length), frame.length);
  else
    (void)std::snprintf(head.data(), head.size(), "%11.6f %s  %-15s %s   %c %x", time, logged.channel.c_str(),
                        id.data(), direction, frame.remote ? 'r' : 'd', static_cast<unsigned>(frame.length));
  std::string text = head.data();
  if (!frame.remote)
    for (unsigned i = 0; i < frame.length; ++i) add_number(text, " %02X", frame.data.at[i]);
  if (frame.fd) text += "  0 0 0 0 0 0";
  return text;
}

std::optional<LoggedFrame> LogReader::read(std::string_view line, bool& is_wrong) {
  is_wrong = false;
  has_name_ = false;
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return std::nullopt;
  if (!words[0].starts_with('(')) return read_asc(line, is_wrong);
  is_wrong = true;
  if (words.size() < 3 || !words[0].ends_with(')')) return std::nullopt;
  knows_format_ = true;
  LoggedFrame made;
  const auto time = time_of(words[0].substr(1, words[0].size() - 2));
  const auto frame = read_frame_text(words[2]);
  if (!time) return std::nullopt;
  if (!frame) {  // error frames have bit 29
    const auto id = number_of(words[2].substr(0, std::min<std::size_t>(8, words[2].size())), 16);
    is_wrong = !id || *id >> 29U != 1;
    return std::nullopt;
  }
  made.time = *time;
  made.channel = words[1];
  made.frame = *frame;
  made.is_sent = words.size() > 3 && words[3] == "T";
  is_wrong = false;
  return made;
}

std::string LogReader::complaint() const {
  return has_name_ ? "has a frame with a name in place of its identifier; write the log with numbers "
                     "(not symbolic)"
                   : "is not a line of candump -L or of ASC";
}

std::optional<LoggedFrame> LogReader::read_asc(std::string_view line, bool& is_wrong) {
  const std::vector<std::string_view> words = words_of(line);
  if (words[0] == "base" && words.size() >= 4) {
    is_decimal_ = words[1] == "dec";
    is_relative_ = words[3] == "relative";
    knows_format_ = true;
    return std::nullopt;
  }
  const auto time = time_of(words[0]);
  if (!time) {  // date, Begin, End, comments, and lines in the language of the tool
    is_wrong = words[0].front() == '#' || words[0].front() < ' ';
    return std::nullopt;
  }
  time_ = is_relative_ ? time_ + *time : *time;
  LoggedFrame made{.time = time_};
  const int base = is_decimal_ ? 10 : 16;
  const bool fd = words.size() > 2 && words[1] == "CANFD";
  // classic: time channel id Rx d dlc bytes; FD: time CANFD channel Rx id [name] brs esi dlc length bytes
  const std::size_t id_at = fd ? 4 : 2;
  const bool is_short = !fd && words.size() == 5 && words[4] == "r";  // a remote frame may have no length
  if (words.size() < 6 && !is_short) return std::nullopt;
  made.channel = words[fd ? 2 : 1];
  const std::string_view direction = words[3];
  if ((direction != "Rx" && direction != "Tx") || !number_of(made.channel, 10))
    return std::nullopt;  // an event
  made.is_sent = direction == "Tx";
  std::string_view id = words[id_at];
  const bool extended = id.ends_with('x');
  if (extended) id.remove_suffix(1);
  const auto number = number_of(id, base);
  if (!number) {
    has_name_ = id != "ErrorFrame" && (fd || words[4] == "d" || words[4] == "r");
    is_wrong = has_name_;
    return std::nullopt;
  }
  is_wrong = true;
  knows_format_ = true;
  if (!put_id(made.frame, *number, extended)) return std::nullopt;
  std::size_t data_at = 6;
  std::optional<std::uint32_t> length;
  if (fd) {
    made.frame.fd = true;
    const auto is_flag = [&](std::size_t i) {
      return i < words.size() && (words[i] == "0" || words[i] == "1");
    };
    std::size_t at = 5;
    if (!is_flag(at) || !is_flag(at + 1)) ++at;  // the name
    if (at + 3 >= words.size() || !is_flag(at) || !is_flag(at + 1)) return std::nullopt;
    made.frame.bit_rate_switch = words[at] == "1";
    length = number_of(words[at + 3], 10);
    data_at = at + 4;
  } else {
    made.frame.remote = words[4] == "r";
    if (!made.frame.remote && words[4] != "d") return std::nullopt;
    if (!is_short) length = number_of(words[5], 16);
    if (made.frame.remote && !length) length = 0;
    if (length && *length <= kLargestCode) length = std::min(*length, 8U);  // 9 .. 15 mean eight bytes, too
  }
  if (!length || *length > (fd ? kMostBytes : 8U)) return std::nullopt;
  made.frame.length = static_cast<std::uint8_t>(*length);
  for (std::size_t i = 0; i < *length && !made.frame.remote; ++i) {
    const auto byte = data_at + i < words.size() ? number_of(words[data_at + i], base) : std::nullopt;
    if (!byte || *byte > 0xFF) return std::nullopt;
    made.frame.data.at[i] = static_cast<std::uint8_t>(*byte);
  }
  is_wrong = false;
  return made;
}

}  // namespace tactus::drivers::can
