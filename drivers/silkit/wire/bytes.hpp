// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Values as bytes: little endian, unaligned, without padding or tags.
///
/// Threads  values; one thread at a time.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tactus::silkit {

static_assert(std::endian::native == std::endian::little, "the bytes of values are those of the host");

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

/// Reserves room at the end for that many bytes, with one allocation at most, and growing as a vector does.
inline void reserve_more(Bytes& bytes, std::size_t more) {
  if (bytes.capacity() - bytes.size() < more)
    bytes.reserve(std::max(bytes.size() + more, 2 * bytes.capacity()));
}

/// Bytes that follow each other, in a few pieces that stay where they are: large ones are not copied together.
class Pieces {
 public:
  Pieces(ByteView whole) : Pieces({whole}) {}  // NOLINT(google-explicit-constructor): a whole is one piece
  Pieces(const Bytes& whole) { add(whole); }   // NOLINT(google-explicit-constructor): likewise
  Pieces(std::initializer_list<ByteView> pieces) {
    for (const ByteView piece : pieces) add(piece);
  }
  /// Throws std::length_error for more than four.
  void add(ByteView piece) {
    if (count_ == pieces_.size()) throw std::length_error("a message in more than four pieces");
    pieces_[count_++] = piece;
    size_ += piece.size();
  }
  std::size_t size() const { return size_; }
  const ByteView* begin() const { return pieces_.data(); }
  const ByteView* end() const { return pieces_.data() + count_; }

 private:
  std::array<ByteView, 4> pieces_;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
};

/// A message that ends too early, or says that it holds more than it does.
class WireError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Appends values to bytes.
class Writer {
 public:
  explicit Writer(Bytes& bytes) : bytes_(bytes) {}

  template <class T>
  requires std::is_arithmetic_v<T>
  void value(T value) {
    const auto image = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    bytes_.insert(bytes_.end(), image.begin(), image.end());
  }
  void bytes(ByteView view) { bytes_.insert(bytes_.end(), view.begin(), view.end()); }
  void pieces(const Pieces& all) {
    for (const ByteView piece : all) bytes(piece);
  }
  /// Count and bytes; texts likewise. Throws std::length_error above 2^32 - 1.
  void counted(ByteView view);
  void text(std::string_view text);
  void count(std::size_t count);

 private:
  Bytes& bytes_;
};

/// Takes values from the front of bytes. Every read throws WireError, and allocates nothing, when there is
/// less left than it needs.
class Reader {
 public:
  explicit Reader(ByteView bytes) : rest_(bytes) {}

  template <class T>
  requires std::is_arithmetic_v<T> T value() {
    if constexpr (std::is_same_v<T, bool>) {  // a byte of 2 is not a bool the compiler knows
      return value<std::uint8_t>() == 1;
    } else {
      T value;
      std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
      return value;
    }
  }
  ByteView counted();
  std::string text();
  std::string_view text_view();
  /// The number of elements that follow, each of which takes `least` bytes or more: a count that cannot be
  /// is refused before anything is allocated for it.
  std::size_t count(std::size_t least);
  ByteView take(std::size_t size);
  bool empty() const { return rest_.empty(); }
  ByteView rest() const { return rest_; }

 private:
  ByteView rest_;
};

}  // namespace tactus::silkit
