// SPDX-License-Identifier: Apache-2.0
#pragma once
/// State of a rig, as named pieces of memory that are copied out and in as one block of bytes.
///
///     std::vector<Piece> pieces;
///     for (const Variable& v : model.variables()) pieces.push_back(piece_of(v));
///     pieces.push_back(own_piece("@frame", frame_));     // the executive's own: names begin with '@'
///     const StateImage image(std::move(pieces));
///     image.copy_to(buffer);                             // image.bytes() bytes
///
/// Inside the block the pieces lie in the order of their addresses, so that neighbours in memory are copied
/// in one go. That order differs from run to run: a block means something to the image that wrote it only.
/// Files go by names (checkpoint_file.hpp).
///
/// Threads  immutable after construction. The copies touch the pieces' memory: only by threads that may.
/// RT       copy_to, copy_from, bytes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tactus/model.hpp>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executive/model/variable.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

struct Piece {
  std::string name;         ///< "motor.speed", "@frame"; no control characters
  std::string type;         ///< type, as name_of(tactus_type) has it
  std::uint32_t count = 0;  ///< 0: a scalar; else the elements of an array
  std::string unit;
  void* data = nullptr;
  std::size_t bytes = 0;
  /// A checkpoint without it fits, and then it is zeros; its name begins with kOptionalPiece.
  bool optional = false;
};
/// Beginning of the names of optional pieces: a rig that does not have one leaves that of a checkpoint out.
inline constexpr std::string_view kOptionalPiece = "@actions ";

Piece piece_of(const Variable& variable);  // @when setup

/// A number of the executive's own. @when setup
template <class T>
requires std::is_arithmetic_v<T> Piece own_piece(std::string name, T& value, std::string unit = "") {
  return {std::move(name), std::string(name_of(tactus::detail::type_of<T>())), 0, std::move(unit), &value,
          sizeof(T)};
}
/// Several of them, at least one. @when setup
template <class T, std::size_t N>
Piece own_piece(std::string name, std::span<T, N> values, std::string unit = "") {
  return {std::move(name),
          std::string(name_of(tactus::detail::type_of<T>())),
          static_cast<std::uint32_t>(values.size()),
          std::move(unit),
          values.data(),
          values.size_bytes()};
}

class StateImage {
 public:
  StateImage() = default;  ///< image of nothing
  /// Throws std::runtime_error that names, one in a line, every two pieces that share memory or a name, and
  /// every piece whose type, count and bytes do not agree. @when setup
  explicit StateImage(std::vector<Piece> pieces);

  std::size_t bytes() const TACTUS_RT { return bytes_; }  // @when any
  /// Writes bytes() bytes.                                                                          @when rt
  void copy_to(std::byte* to) const TACTUS_RT;
  /// Overwrites all pieces with bytes() bytes of the same image.                                    @when rt
  void copy_from(const std::byte* from) const TACTUS_RT;

  /// Pieces as they were given.
  const std::vector<Piece>& pieces() const { return pieces_; }
  /// Offset of pieces()[index] in the block.
  std::size_t offset(std::size_t index) const { return offsets_[index]; }
  /// Index of a piece; pieces().size() when there is none of that name.
  std::size_t find(std::string_view name) const;
  /// Memcpys per copy; for people who wonder what it costs.
  std::size_t runs() const { return runs_.size(); }

  /// Memory without a gap.
  struct Run {
    std::byte* memory;
    std::size_t bytes;
    std::size_t offset;  ///< offset in the block
  };
  /// All of them, in the order of their addresses.
  const std::vector<Run>& memory() const { return runs_; }

 private:
  std::vector<Piece> pieces_;
  std::vector<std::size_t> offsets_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<Run> runs_;
  std::size_t bytes_ = 0;
};

/// The type of that name; nothing when there is none.
std::optional<tactus_type> type_of(std::string_view name);
/// Returns true if a text has no control characters: those could play tricks on a terminal.
bool is_plain_text(std::string_view text);

}  // namespace tactus::executive
