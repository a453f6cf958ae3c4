// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/codec/one_word.hpp"

#include <algorithm>

namespace tactus::drivers::can {

OneWord::OneWord(const std::vector<Signal>& signals, const std::vector<Field>& fields) {
  unsigned end = 0;
  bool one_order = true;
  std::vector<Place> places;
  for (std::size_t s = 0; s < signals.size(); ++s) {
    const Signal& signal = signals[s];
    // A signed field of one bit has an even greatest value: half above that would round to it.
    const bool is_odd_one = signal.length == 1 && signal.is_signed;
    if (signal.of_switch >= 0 || fields[s].end() > 8 || signal.kind != ValueKind::whole || is_odd_one ||
        (signal.length == 64 && !signal.is_signed))
      return;
    const bool is_big = signal.order == ByteOrder::big;
    const unsigned begin = is_big ? signal.start / 8 * 8 + 7 - signal.start % 8 : signal.start;
    const unsigned shift = is_big ? 64 - begin - signal.length : begin;
    places.push_back({static_cast<std::uint8_t>(64 - shift - signal.length),
                      static_cast<std::uint8_t>(64 - signal.length),
                      static_cast<std::uint8_t>((signal.is_signed ? kSigned : 0) | (is_big ? kBig : 0)), 0});
    one_order = one_order && ((places.front().kind ^ places.back().kind) & kBig) == 0;
    end = std::max(end, fields[s].end());
  }
  if (end == 0) return;
  size_ = static_cast<std::uint32_t>(signals.size());
  const std::size_t numbers = std::size_t{3} * size_ + (size_ + 1) / 2;
  std::vector<double> block(numbers);
  for (std::size_t s = 0; s < size_; ++s) {
    block[s] = signals[s].factor;
    block[numbers - std::size_t{2} * size_ + s] = signals[s].offset;
    block[numbers - size_ + s] = fields[s].inverse();
  }
  std::memcpy(block.data() + size_, places.data(), places.size() * sizeof places[0]);
  block_.resize((numbers * sizeof block[0] + sizeof(Line) - 1) / sizeof(Line));
  std::memcpy(block_.data(), block.data(), numbers * sizeof block[0]);
  needs_ = static_cast<std::uint8_t>(end);
  one_order_ = one_order;
  is_big_ = (places.front().kind & kBig) != 0;
}

}  // namespace tactus::drivers::can
