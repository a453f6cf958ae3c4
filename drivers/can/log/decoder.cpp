// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/log/decoder.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <stdexcept>

#include "drivers/can/codec/whole_text.hpp"

namespace tactus::drivers::can {

Decoder::Decoder(Database database) : database_(std::move(database)) {
  for (const Message& message : database_.messages) {
    const std::size_t signals = message.signals.size();
    known_.emplace(std::pair{message.id, message.extended},
                   Known{&message, MessageCodec(message), std::vector<double>(signals),
                         std::vector<std::uint8_t>(signals)});
  }
}

std::string Decoder::text_of(const CanFrame& frame) {
  const auto at = known_.find({frame.id, frame.extended});
  if (at == known_.end() || frame.remote) return "";
  Known& known = at->second;
  (void)known.codec.decode(std::begin(frame.data.at), frame.length, known.values, known.present);
  std::string text = known.message->name;
  for (std::size_t s = 0; s < known.values.size(); ++s) {
    if (known.present[s] == 0) continue;
    const Signal& signal = known.message->signals[s];
    text += " " + signal.name + "=";
    const std::int64_t raw = known.codec.field(s).raw(std::begin(frame.data.at));
    const std::string* name = nullptr;
    for (const ValueName& each : signal.names)
      if (each.value == raw) name = &each.name;
    if (name != nullptr) {
      text += *name;
      continue;
    }
    std::array<char, 40> value{};
    (void)std::snprintf(value.data(), value.size(), "%.10g", known.values[s]);
    text += value.data() + (signal.unit.empty() ? "" : " " + signal.unit);
  }
  return text;
}

CanFrame Decoder::frame_of(const std::string& name, const std::vector<std::string>& signals) const {
  const Message* const message = database_.find(name);
  if (message == nullptr) throw std::runtime_error("the database has no message '" + name + "'");
  const Known& known = known_.at({message->id, message->extended});
  std::vector<double> values;
  std::vector<std::size_t> named;
  std::vector<std::pair<std::size_t, std::uint64_t>> long_values;  // of which a double may lose bits
  for (const Signal& signal : message->signals)
    values.push_back(signal.physical(signal.start_raw.value_or(0)));
  for (const std::string& each : signals) {
    const std::size_t equals = each.find('=');
    const std::string wanted = each.substr(0, equals);
    std::size_t s = 0;
    while (s < values.size() && message->signals[s].name != wanted) ++s;
    if (equals == std::string::npos || s == values.size())
      throw std::runtime_error("'" + each + "': write SIGNAL=VALUE with a signal of message " + name);
    const Signal& signal = message->signals[s];
    named.push_back(s);
    const std::string text = each.substr(equals + 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), values[s]);
    bool is_read = error == std::errc{} && end == text.data() + text.size() && std::isfinite(values[s]);
    for (const ValueName& value : signal.names)
      if (value.name == text) {
        values[s] = signal.physical(static_cast<double>(value.value));
        is_read = true;
      }
    if (!is_read) throw std::runtime_error("'" + each + "': is neither a number nor the name of a value");
    FrameBytes trial;
    const Field& field = known.codec.field(s);
    const bool is_long =
        signal.kind == ValueKind::whole && signal.length > 53 && signal.factor == 1 && signal.offset == 0;
    if (const auto bits = is_long ? bits_of_whole(text, field, signal.is_signed) : std::nullopt)
      long_values.emplace_back(s, *bits);
    else if (field.put(std::begin(trial.at), values[s]) != Field::Put::ok)
      throw std::runtime_error("'" + each + "': the bits of the signal do not hold this value");
  }
  CanFrame frame = empty_frame_of(*message);
  (void)known.codec.encode(std::begin(frame.data.at), values);
  for (std::size_t i = 0; i < named.size(); ++i)
    if (const Signal& signal = message->signals[named[i]];
        !known.codec.is_selected(std::begin(frame.data.at), named[i])) {
      const Signal& by = message->signals[static_cast<std::size_t>(signal.of_switch)];
      throw std::runtime_error("'" + signals[i] + "': the signal is not in this frame, as its switch " +
                               by.name + " has another value; give that one, too");
    }
  for (const auto& [s, bits] : long_values) known.codec.field(s).put_bits(std::begin(frame.data.at), bits);
  return frame;
}

}  // namespace tactus::drivers::can
