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

  std::size_t size() const TACTUS_RT { return size_; }
  /// Bytes that a frame needs for decode(); more than a frame can have: the message is not of this kind.
  unsigned needs() const TACTUS_RT { return needs_; }
  /// Returns true if encode() takes the message: all signals have one byte order.
  bool encodes() const TACTUS_RT { return one_order_; }

  /// Physical values of all signals. `bytes` has eight at least. @when rt
  void decode(const std::uint8_t* bytes, double* __restrict values) const TACTUS_RT {
    if (one_order_) {
      const std::uint64_t word = load(bytes, is_big_);
      decode_by(values, [word](std::uint8_t) { return word; });
    } else {
      const std::uint64_t little = load(bytes, false), big = load(bytes, true);
      decode_by(values, [little, big](std::uint8_t kind) { return (kind & kBig) != 0 ? big : little; });
    }
  }
  /// Writes the physical values of all signals, as Field::put() does. Returns the number of values that were clipped or not
  /// numbers. `fields` are those of the constructor. @when rt
  std::size_t encode(std::uint8_t* bytes, const double* values, const Field* fields) const TACTUS_RT {
    const Place* const places = this->places();
    const double* const offsets = this->offsets();
    const double* const inverses = offsets + size_;
    std::size_t wrong = 0;
    std::uint64_t word = load(bytes, is_big_);
    for (std::size_t s = 0; s < size_; ++s) {
      const Place& place = places[s];
      const double raw = (values[s] - offsets[s]) * inverses[s];
      std::uint64_t bits = 0;
      bool fits = raw > -kMostRounded && raw < kMostRounded;
      if (fits) [[likely]] {
        // A whole number that the bits hold comes back from them.
        const std::int64_t whole = Field::nearest(raw);
        bits = static_cast<std::uint64_t>(whole) << place.right;
        fits = raw_of(bits, place) == whole;
      }
      if (!fits) [[unlikely]] {
        store(bytes, word, is_big_);
        if (fields[s].put(bytes, values[s]) != Field::Put::ok) ++wrong;
        word = load(bytes, is_big_);
        continue;
      }
      const std::uint64_t mask = ~std::uint64_t{0} << place.right >> place.left;
      word = (word & ~mask) | bits >> place.left;
    }
    store(bytes, word, is_big_);
    return wrong;
  }

 private:
  static constexpr double kMostRounded = 1e15;  // what Field::nearest() rounds without a call
  static constexpr std::uint8_t kSigned = 1, kBig = 2;
  struct Place {
    std::uint8_t left, right;  // shifts that leave the signal alone
    std::uint8_t kind;
    std::uint8_t unused;
  };
  /// The raw value of a signal whose highest bit is the highest of `top`.
  static std::int64_t raw_of(std::uint64_t top, const Place& place) TACTUS_RT {
    return (place.kind & kSigned) != 0 ? static_cast<std::int64_t>(top) >> place.right
                                       : static_cast<std::int64_t>(top >> place.right);
  }
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
    const double* const factors = this->factors();
    const Place* const places = this->places();
    const double* const offsets = this->offsets();
    for (std::size_t s = 0; s < size_; ++s) {
      const std::uint64_t top = word_of(places[s].kind) << places[s].left;
      values[s] = static_cast<double>(raw_of(top, places[s])) * factors[s] + offsets[s];
    }
  }

  const double* factors() const TACTUS_RT {
    return static_cast<const double*>(static_cast<const void*>(block_.data()));
  }
  const Place* places() const TACTUS_RT {
    return static_cast<const Place*>(static_cast<const void*>(factors() + size_));
  }
  const double* offsets() const TACTUS_RT { return factors() + size_ + (size_ + 1) / 2; }

  // No more than has to be, and in few lines of a cache, so that those of a whole bus stay in the nearest one: all factors,
  // places, offsets, inverses of the factors. Decoding wants the first three, encoding the last three.
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> block_;
  std::uint32_t size_ = 0;
  std::uint8_t needs_ = kMostBytes + 1;
  bool one_order_ = false;
  bool is_big_ = false;  // that order
};

}  // namespace tactus::drivers::can
