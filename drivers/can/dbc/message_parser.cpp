// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/dbc/message_parser.hpp"

#include <algorithm>
#include <cmath>

namespace tactus::drivers::can {
namespace {

bool is_identifier(std::string_view name) {
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         std::ranges::all_of(name, [](char c) { return is_word(c) && static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

void MessageParser::refuse(std::uint32_t line, const std::string& text) {
  notes_.error(line, text);
  if (in_.line() == line) in_.skip_line();
}

void MessageParser::message() {
  const std::uint32_t line = in_.line();
  current_ = Current::skipped;
  const auto id = in_.whole();
  if (!id) return refuse(line, "BO_: a message begins with its number, not with " + in_.coming());
  (void)in_.skip_blanks();
  const std::string_view written = in_.name(":");
  const std::string name = readable(written);
  const std::string what = "message " + name;
  if (written.empty() || !in_.take(':'))
    return refuse(line, "BO_ " + std::to_string(*id) + ": a name and ':' are expected, not " + in_.coming());
  const auto length = in_.whole();
  if (!length) return refuse(line, what + ": its length in bytes is expected after ':', not " + in_.coming());
  const std::string_view sender = in_.skip_blanks_of_line() ? in_.name(";") : std::string_view();
  if (*id == kIndependentId ||
      written == "VECTOR__INDEPENDENT_SIG_MSG") {  // a bin of signals without a message
    all_.left_out.insert(*id);
    return;
  }
  const bool extended = (*id & kExtendedFlag) != 0;
  const std::uint64_t number = *id & ~kExtendedFlag;
  if (*id > 0xFFFF'FFFF || number > kLargestExtendedId) {
    notes_.warn(line, what + ": id " + id_text(*id) +
                          " is larger than 29 bits (at most 0x1FFFFFFF, plus "
                          "0x80000000 as the mark of 29-bit ids); no frame can have it, and it is left out");
    all_.left_out.insert(*id);
    return;
  }
  const bool j1939_length = *length > kMostBytes;
  if (j1939_length && (*length > 1785 || !(extended || number > kLargestStandardId)))
    return notes_.error(line, what + ": " + std::to_string(*length) + " bytes; a frame has at most 64");
  if (j1939_length) {
    notes_.warn(line, what + ": " + std::to_string(*length) +
                          " bytes are more than a frame has; it needs a transport protocol, and is left out");
    all_.left_out.insert(*id);
    return;
  }
  if (all_.database.messages.size() >= kMostMessages) {
    if (!too_many_) notes_.error(line, "more than " + std::to_string(kMostMessages) + " messages");
    too_many_ = true;
    return;
  }
  if (!is_identifier(written))
    notes_.warn(line, what + ": is not a name of letters, digits and '_' that begins with a letter");
  std::uint64_t key = *id;
  if (!extended && number > kLargestStandardId) {
    notes_.warn(line, what + ": id " + id_text(number) +
                          " has more than 11 bits without the mark of 29 bits (add 2147483648); it is taken "
                          "as one of 29 bits");
    key |= kExtendedFlag;
  }
  Message made{.name = name,
               .sender = readable(sender),
               .id = static_cast<std::uint32_t>(number),
               .extended = (key & kExtendedFlag) != 0,
               .fd = *length > 8,
               .length = static_cast<unsigned>(*length),
               .line = line};
  const auto [at, fresh] = all_.by_id.emplace(key, all_.database.messages.size());
  if (key != *id) all_.by_id.emplace(*id, at->second);
  if (fresh) {
    all_.database.messages.push_back(std::move(made));
    all_.ids.push_back(key);
    all_.places.emplace_back();
  } else {
    Message& other = all_.database.messages[at->second];
    notes_.warn(line, what + ": has the id " + id_text(number) + " of message " + other.name + " in line " +
                          std::to_string(other.line) + ", which it replaces");
    signals_ -= other.signals.size();
    other = std::move(made);
    all_.places[at->second].clear();
  }
  message_ = at->second;
  current_ = Current::message;
}

bool MessageParser::place(std::string_view word, Signal& signal, WrittenPlace& place, std::uint32_t line) {
  std::string_view rest = word;
  if (rest.empty()) return true;
  if (rest.back() == 'M') {
    signal.is_switch = true;
    rest.remove_suffix(1);
  }
  if (rest.empty()) return true;
  Scanner number(rest.substr(1));
  const auto value = rest.front() == 'm' ? number.whole() : std::nullopt;
  if (rest == "m") {
    place.has_value = place.without_number = true;
    return true;
  }
  if (!value || !number.at_end()) {
    refuse(line, "signal " + signal.name + ": '" + readable(word) +
                     "' before ':' is not one of M, m0, m0M (multiplexer, multiplexed for its value 0)");
    return false;
  }
  place.has_value = true;
  place.value = *value;
  return true;
}

bool MessageParser::layout(Signal& signal, const std::string& what) {
  const std::uint32_t line = signal.line;
  const auto start = in_.whole();
  const auto length = start && in_.take('|') ? in_.whole() : std::nullopt;
  const bool at = length && in_.take('@');
  const char order = in_.peek();
  if (!at || (order != '0' && order != '1')) {
    refuse(line, what + ": start|length@order is expected (as 0|8@1+; order 1 little endian, 0 big), not " +
                     in_.coming());
    return false;
  }
  (void)in_.take(order);
  const char sign = in_.peek();
  if (!in_.take('+') && !in_.take('-')) {
    notes_.warn(line, what + ": has no sign ('+' unsigned, '-' signed); it is taken as unsigned");
  }
  signal.is_signed = sign == '-';
  signal.order = order == '1' ? ByteOrder::little : ByteOrder::big;
  if (*length < 1 || *length > 64) {
    refuse(line, what + ": " + std::to_string(*length) + " bits; a signal has 1 to 64");
    return false;
  }
  signal.length = static_cast<unsigned>(*length);
  const std::uint64_t first = *start > 8 * kMostBytes             ? *start
                              : signal.order == ByteOrder::little ? *start
                                                                  : *start / 8 * 8 + 7 - *start % 8;
  if (first + signal.length > std::uint64_t{8} * kMostBytes) {
    refuse(line, what + ": bits from " + std::to_string(*start) + " are beyond the 64 bytes of a frame");
    return false;
  }
  signal.start = static_cast<unsigned>(*start);
  return true;
}

bool MessageParser::conversion(Signal& signal, const std::string& what) {
  const auto pair = [&](char open, char between, char close, double& a, double& b) {
    if (!in_.take(open)) return false;
    const auto first = in_.number();
    const auto second = first && in_.take(between) ? in_.number() : std::nullopt;
    if (!second || !in_.take(close)) return false;
    a = *first;
    b = *second;
    return true;
  };
  if (!pair('(', ',', ')', signal.factor, signal.offset)) {
    refuse(signal.line, what + ": (factor,offset) is expected, not " + in_.coming());
    return false;
  }
  if (!std::isfinite(signal.factor) || !std::isfinite(signal.offset)) {
    refuse(signal.line, what + ": factor and offset must be finite");
    return false;
  }
  (void)in_.skip_blanks();
  if (in_.peek() == '[' && pair('[', '|', ']', signal.min, signal.max)) return true;
  if (in_.peek() == '"') {
    notes_.warn(signal.line, what + ": has no [min|max]");
    return true;
  }
  notes_.warn(signal.line, what + ": [min|max] is expected, not " + in_.coming() + "; it has no range");
  signal.min = signal.max = 0;
  while (in_.skip_blanks_of_line() && in_.peek() != '"') in_.go_to(in_.position() + 1, in_.line());
  return true;
}

void MessageParser::signal() {
  Signal made{.line = in_.line()};
  if (current_ == Current::skipped) return in_.skip_line();
  if (current_ == Current::none) return refuse(made.line, "SG_: a signal without a message (BO_) before it");
  (void)in_.skip_blanks();
  const std::string_view written = in_.name(":");
  made.name = readable(written);
  const std::string what = "signal " + made.name;
  if (written.empty()) return refuse(made.line, "SG_: the name of a signal is expected, not " + in_.coming());
  WrittenPlace where;
  (void)in_.skip_blanks();
  if (in_.peek() != ':' && !place(in_.name(":"), made, where, made.line)) return;
  if (!in_.take(':')) return refuse(made.line, what + ": ':' is expected, not " + in_.coming());
  if (!layout(made, what) || !conversion(made, what)) return;
  if (const auto unit = in_.string()) {
    bool converted = false;
    made.unit = readable(unit->text, converted);
    if (converted) notes_.warn(made.line, what + ": its unit is not UTF-8; it is read as Windows-1252");
    if (!unit->ended) notes_.error(made.line, what + ": the quote of its unit is never closed");
  } else {
    notes_.warn(made.line, what + ": has no unit in quotes");
  }
  in_.skip_line();  // its receivers
  Message& message = all_.database.messages[message_];
  if (message.signals.size() >= kMostSignalsOfMessage || signals_ >= kMostSignals) {
    if (!too_many_)
      notes_.error(made.line, signals_ >= kMostSignals
                                  ? "more than " + std::to_string(kMostSignals) + " signals"
                                  : "message " + message.name + ": more than " +
                                        std::to_string(kMostSignalsOfMessage) + " signals");
    too_many_ = true;
    return;
  }
  if (made.factor == 0) {
    notes_.warn(made.line, what + ": its factor is 0, so that each raw value means the same; 1 is taken");
    made.factor = 1;
  }
  if (!is_identifier(written))
    notes_.warn(made.line, what + ": is not a name of letters, digits and '_' that begins with a letter");
  ++signals_;
  message.signals.push_back(std::move(made));
  all_.places[message_].push_back(where);
}

}  // namespace tactus::drivers::can
