// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/codec/message_codec.hpp"

#include <algorithm>

namespace tactus::drivers::can {

MessageCodec::MessageCodec(const Message& message) {
  const std::vector<Signal>& signals = message.signals;
  fields_.reserve(signals.size());
  std::vector<unsigned> depth(signals.size());
  std::vector<bool> selects(signals.size());
  for (std::size_t s = 0; s < signals.size(); ++s) {
    const Signal& signal = signals[s];
    fields_.emplace_back(signal);
    const auto first = static_cast<std::uint32_t>(ranges_.size());
    ranges_.insert(ranges_.end(), signal.present.begin(), signal.present.end());
    selections_.push_back({signal.of_switch, first, static_cast<std::uint32_t>(ranges_.size())});
    order_.push_back(static_cast<std::uint32_t>(s));
    for (int at = signal.of_switch; at >= 0; at = signals[static_cast<std::size_t>(at)].of_switch) ++depth[s];
    if (signal.of_switch >= 0) selects[static_cast<std::size_t>(signal.of_switch)] = true;
  }
  std::ranges::stable_sort(order_, [&](std::uint32_t a, std::uint32_t b) { return depth[a] < depth[b]; });
  plain_ = static_cast<std::size_t>(std::ranges::count(depth, 0U));
  for (std::size_t s = 0; s < signals.size(); ++s)
    if (selects[s]) switches_.push_back(static_cast<std::uint32_t>(s));
  one_word_ = OneWord(signals, fields_);
}

bool MessageCodec::matches(const Selection& selection, std::uint64_t raw) const TACTUS_RT {
  for (std::uint32_t i = selection.first_range; i < selection.end_range; ++i)
    if (raw >= ranges_[i].first && raw <= ranges_[i].last) return true;
  return false;
}

MessageCodec::Decoded MessageCodec::decode_each(const std::uint8_t* bytes, unsigned length,
                                                std::span<double> values,
                                                std::span<std::uint8_t> present) const TACTUS_RT {
  Decoded result;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint32_t s = order_[i];
    const Field& field = fields_[s];
    bool is_there = field.end() <= length;
    if (i >= plain_ && is_there) {
      const auto by = static_cast<std::size_t>(selections_[s].by);
      is_there = present[by] != 0 && matches(selections_[s], fields_[by].bits(bytes));
    }
    present[s] = is_there ? 1 : 0;
    if (!is_there) continue;
    values[s] = field.value(bytes);
    ++result.present;
  }
  for (const std::uint32_t by : switches_) {
    if (present[by] == 0) continue;
    const std::uint64_t raw = fields_[by].bits(bytes);
    bool is_known = false;
    for (std::size_t i = plain_; i < order_.size() && !is_known; ++i) {
      const Selection& selection = selections_[order_[i]];
      is_known = selection.by == static_cast<std::int32_t>(by) && matches(selection, raw);
    }
    if (!is_known) result.is_unknown_switch = true;
  }
  return result;
}

bool MessageCodec::is_selected(const std::uint8_t* bytes, std::size_t signal) const TACTUS_RT {
  for (std::int32_t by = selections_[signal].by; by >= 0; by = selections_[signal].by) {
    if (!matches(selections_[signal], fields_[static_cast<std::size_t>(by)].bits(bytes))) return false;
    signal = static_cast<std::size_t>(by);
  }
  return true;
}

std::size_t MessageCodec::encode_each(std::uint8_t* bytes, std::span<const double> values) const TACTUS_RT {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint32_t s = order_[i];
    if (i >= plain_ && !is_selected(bytes, s)) continue;
    if (fields_[s].put(bytes, values[s]) != Field::Put::ok) ++wrong;
  }
  return wrong;
}

}  // namespace tactus::drivers::can
