// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/codec/one_word.hpp"

#include <algorithm>

namespace tactus::drivers::can {

OneWord::OneWord(const std::vector<Signal>& signals, const std::vector<Field>& fields) {
  unsigned end = 0;
  bool one_order = true;
  for (std::size_t s = 0; s < signals.size(); ++s) {
    const Signal& signal = signals[s];
    const bool is_signed64 = signal.length == 64 && signal.is_signed;
    if (signal.of_switch >= 0 || fields[s].end() > 8 || signal.kind != ValueKind::whole ||
        (signal.length == 64 && !is_signed64))
      return;
    const bool is_big = signal.order == ByteOrder::big;
    const unsigned begin = is_big ? signal.start / 8 * 8 + 7 - signal.start % 8 : signal.start;
    const unsigned shift = is_big ? 64 - begin - signal.length : begin;
    from_.push_back({signal.factor, signal.offset, static_cast<std::uint8_t>(64 - shift - signal.length),
                     static_cast<std::uint8_t>(64 - signal.length), signal.is_signed, is_big});
    to_.push_back({signal.offset, fields[s].inverse(), fields[s].least(), fields[s].most(),
                   ~std::uint64_t{0} >> (64 - signal.length), shift});
    one_order = one_order && is_big == from_.front().is_big;
    end = std::max(end, fields[s].end());
  }
  if (end == 0) return;
  needs_ = end;
  one_order_ = one_order;
  is_big_ = from_.front().is_big;
}

}  // namespace tactus::drivers::can
