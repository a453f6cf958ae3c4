// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "drivers/can/codec/field.hpp"

namespace tactus::drivers::can {

/// The signals of a message whose first eight bytes hold all of them, without multiplexing: the bytes are loaded once for all
/// of its signals. Results are those of Field.
///
/// Threads  immutable after construction.
/// RT       all but the constructor.
class OneWord {
 public:
  /// `fields` are those of the signals. @when setup
  OneWord(const std::vector<Signal>& signals, const std::vector<Field>& fields);

  std::size_t size() const TACTUS_RT { return from_.size(); }
  /// Bytes that a frame needs for decode(); more than a frame can have: the message is not of this kind.
  unsigned needs() const TACTUS_RT { return needs_; }
  /// Returns true if encode() takes the message: all signals have one byte order.
  bool encodes() const TACTUS_RT { return one_order_; }

  /// Physical values of all signals. `bytes` has eight at least. @when rt
  void decode(const std::uint8_t* bytes, double* __restrict values) const TACTUS_RT {
    if (one_order_) {
      const std::uint64_t word = load(bytes, is_big_);
      decode_by(values, [word](const From&) { return word; });
    } else {
      const std::uint64_t little = load(bytes, false), big = load(bytes, true);
      decode_by(values, [little, big](const From& from) { return from.is_big ? big : little; });
    }
  }
  /// Writes the physical values of all signals, as Field::put() does. Returns the number of values that were clipped or not
  /// numbers. `fields` are those of the constructor. @when rt
  std::size_t encode(std::uint8_t* bytes, const double* values, const Field* fields) const TACTUS_RT {
    const To* const all = to_.data();
    const std::size_t size = to_.size();
    std::size_t wrong = 0;
    std::uint64_t word = load(bytes, is_big_);
    for (std::size_t s = 0; s < size; ++s) {
      const To& to = all[s];
      const double raw = (values[s] - to.offset) * to.inverse;
      if (!(raw >= to.least && raw <= to.most)) [[unlikely]] {
        store(bytes, word, is_big_);
        if (fields[s].put(bytes, values[s]) != Field::Put::ok) ++wrong;
        word = load(bytes, is_big_);
        continue;
      }
      const auto bits = static_cast<std::uint64_t>(Field::nearest(raw));
      word = (word & ~(to.mask << to.shift)) | (bits & to.mask) << to.shift;
    }
    store(bytes, word, is_big_);
    return wrong;
  }

 private:
  // Apart, and no larger than they have to be: those of a whole bus stay in the cache of a CPU.
  struct From {
    double factor = 1, offset = 0;
    std::uint8_t left = 0, right = 0;  // shifts that leave the signal alone
    bool is_signed = false, is_big = false;
  };
  struct To {
    double offset = 0, inverse = 1, least = 0, most = 0;  // as those of Field
    std::uint64_t mask = 0;
    std::uint32_t shift = 0;
  };
  static std::uint64_t load(const std::uint8_t* bytes, bool is_big) TACTUS_RT {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return is_big ? __builtin_bswap64(word) : word;
  }
  static void store(std::uint8_t* bytes, std::uint64_t word, bool is_big) TACTUS_RT {
    if (is_big) word = __builtin_bswap64(word);
    std::memcpy(bytes, &word, sizeof word);
  }

  template <class WordOf>
  void decode_by(double* __restrict values, WordOf word_of) const TACTUS_RT {
    const From* const all = from_.data();
    const std::size_t size = from_.size();
    for (std::size_t s = 0; s < size; ++s) {
      const From& from = all[s];
      const std::uint64_t top = word_of(from) << from.left;
      const std::int64_t raw = from.is_signed ? static_cast<std::int64_t>(top) >> from.right
                                              : static_cast<std::int64_t>(top >> from.right);
      values[s] = static_cast<double>(raw) * from.factor + from.offset;
    }
  }

  std::vector<From> from_;
  unsigned needs_ = kMostBytes + 1;
  bool one_order_ = false;
  bool is_big_ = false;  // that order
  std::vector<To> to_;
};

}  // namespace tactus::drivers::can
