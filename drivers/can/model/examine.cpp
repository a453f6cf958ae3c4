// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>

#include "drivers/can/bus/response_time.hpp"
#include "drivers/can/dbc/database.hpp"
#include "drivers/can/model/can_model.hpp"
#include "drivers/can/model/text.hpp"

namespace tactus::drivers::can {
namespace {

/// "500000", "500k", "500 kbit/s", "2M" in bit/s.
std::int64_t rate_of(const std::string& text, const char* option) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  unit.erase(0, unit.find_first_not_of(' '));
  const double factor = unit.empty() || unit == "bit/s"   ? 1
                        : unit == "k" || unit == "kbit/s" ? 1e3
                        : unit == "M" || unit == "Mbit/s" ? 1e6
                                                          : 0;
  if (error != std::errc{} || factor == 0 || !(number * factor >= 5e3 && number * factor <= 20e6))
    throw std::runtime_error(std::string(option) + " " + text +
                             ": is not a bit rate from 5 kbit/s to 20 Mbit/s; write 500k, 2M or 500000");
  return std::llround(number * factor);
}

std::string count(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string ms(std::int64_t nanoseconds) {
  return text_of("%.3f ms", static_cast<double>(nanoseconds) / 1e6);
}

std::string id_of(const Message& message) {
  return text_of(message.extended ? "0x%08X" : "0x%03X", static_cast<unsigned>(message.id));
}

std::string selected_by(const Message& message, const Signal& signal) {
  if (signal.of_switch < 0) return signal.is_switch ? "  switch" : "";
  std::string text = "  if " + message.signals[static_cast<std::size_t>(signal.of_switch)].name + " is ";
  for (std::size_t i = 0; i < signal.present.size(); ++i) {
    const SwitchRange& range = signal.present[i];
    text += (i > 0 ? ", " : "") + std::to_string(range.first);
    if (range.last != range.first) text += "-" + std::to_string(range.last);
  }
  return text + (signal.present.empty() ? "never" : "") + (signal.is_switch ? ", switch" : "");
}

std::string line_of(const Message& message, const Signal& signal) {
  std::string text = text_of("    %-32s %u|%u@%c%c", signal.name.c_str(), signal.start, signal.length,
                             signal.order == ByteOrder::little ? '1' : '0', signal.is_signed ? '-' : '+');
  if (signal.kind != ValueKind::whole) text += signal.kind == ValueKind::float32 ? " float" : " double";
  text += text_of(" * %.9g + %.9g", signal.factor, signal.offset);
  if (signal.has_range()) text += text_of(" [%.9g, %.9g]", signal.min, signal.max);
  if (!signal.unit.empty()) text += " " + signal.unit;
  if (!signal.names.empty()) text += "  " + count(signal.names.size(), "name");
  return text + selected_by(message, signal) + "\n";
}

/// More signals are counted, not listed.
constexpr std::size_t kMostListed = 50'000;

std::string contents(const Database& database) {
  std::size_t signals = 0;
  for (const Message& message : database.messages) signals += message.signals.size();
  std::string text = database.file + ": " + count(database.messages.size(), "message") + ", " +
                     count(signals, "signal") + ", " + count(database.nodes.size(), "node") + ", " +
                     count(database.errors, "error") + ", " + count(database.warnings, "warning") + "\n";
  for (const Message& message : database.messages) {
    text +=
        text_of("  %s %s, %u bytes%s, from %s", id_of(message).c_str(), message.name.c_str(), message.length,
                message.fd ? " (FD)" : "", message.sender.empty() ? "nobody" : message.sender.c_str());
    if (!message.send.label.empty()) text += ", " + message.send.label;
    if (message.cycle) text += text_of(", every %.9g ms", *message.cycle);
    text += "\n";
    if (signals <= kMostListed)
      for (const Signal& signal : message.signals) text += line_of(message, signal);
  }
  return text;
}

/// The table of response times. `late`: messages that may take longer than their cycle.
std::string load_text(const Database& database, const BitRates& rates, std::size_t& late) {
  const BusLoad load = bus_load(database, rates);
  std::string text = text_of("\nbus at %.9g kbit/s", static_cast<double>(rates.nominal) / 1e3);
  if (rates.data > 0) text += text_of(", data at %.9g kbit/s", static_cast<double>(rates.data) / 1e3);
  text += text_of(": load at most %.1f %%\n", load.load * 100);
  text += text_of("  %-10s %-32s %12s %12s %14s\n", "id", "message", "frame", "cycle", "worst response");
  for (const MessageLoad& each : load.messages) {
    const Message& message = database.messages[each.message];
    late += each.is_late() ? 1U : 0U;
    text += text_of("  %-10s %-32s %12s %12s %14s%s\n", id_of(message).c_str(), message.name.c_str(),
                    ms(each.frame).c_str(), each.period ? ms(*each.period).c_str() : "-",
                    each.response ? ms(*each.response).c_str()
                    : each.period ? "no bound"
                                  : "-",
                    each.is_late() ? "  late by design" : "");
  }
  if (load.without_cycle > 0)
    text += "  " + count(load.without_cycle, "message") +
            " without a cycle: not in the load; each delays others as one that "
            "has just begun, never as one that comes first\n";
  return text +
         "  by Davis, Burns, Bril, Lukkien (2007), revised analysis; senders without jitter, no errors\n";
}

/// Says a text line by line.
void say(const Examination& to, const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    to.line(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

void CanModel::examine(const std::string& file, const Examination& to) {
  BitRates rates{.nominal = 0, .data = 0};
  const std::string nominal = to.option("bit-rate");
  const std::string data = to.option("data-bit-rate");
  if (!nominal.empty()) rates.nominal = rate_of(nominal, "--bit-rate");
  if (!data.empty()) rates.data = rate_of(data, "--data-bit-rate");
  const Database database = load_dbc(file);
  if (rates.nominal == 0) rates.nominal = std::llround(database.bit_rate.value_or(0));
  if (rates.data == 0) rates.data = std::llround(database.data_bit_rate.value_or(0));
  say(to, contents(database));
  for (const Note& note : database.notes) to.line(database.text_of(note));
  const std::size_t mistakes = database.errors + database.warnings;
  if (database.notes.size() < mistakes) to.line(count(mistakes - database.notes.size(), "further mistake"));
  if (!database.good()) throw std::runtime_error(file + ": has " + count(database.errors, "error"));
  if (rates.nominal == 0) return;
  std::size_t late = 0;
  say(to, load_text(database, rates, late));
  if (late > 0) to.finding(count(late, "message") + " may take longer than the cycle");
}

}  // namespace tactus::drivers::can
