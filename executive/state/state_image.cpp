// SPDX-License-Identifier: Apache-2.0
#include "executive/state/state_image.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace tactus::executive {
namespace {

std::byte* begin_of(const Piece& piece) { return static_cast<std::byte*>(piece.data); }
std::byte* end_of(const Piece& piece) { return begin_of(piece) + piece.bytes; }

/// Explains why a piece is invalid; empty when it is valid.
std::string validate(const Piece& piece) {
  if (piece.name.empty() || !is_plain_text(piece.name)) return "is not a name for a piece of state";
  if (piece.data == nullptr) return "has no memory";
  const std::optional<tactus_type> type = type_of(piece.type);
  if (!type) return "has the type '" + piece.type + "', which tactus does not know";
  const std::size_t elements = std::max<std::size_t>(piece.count, 1);
  if (piece.bytes != elements * size_of(*type))
    return std::to_string(elements) + " " + piece.type + " are not " + std::to_string(piece.bytes) + " bytes";
  return "";
}

}  // namespace

bool is_plain_text(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < 0x20 || code == 0x7F;
  });
}

std::optional<tactus_type> type_of(std::string_view name) {
  for (int number = TACTUS_BOOL; number <= TACTUS_DOUBLE; ++number)
    if (const auto type = static_cast<tactus_type>(number); name_of(type) == name) return type;
  return std::nullopt;
}

Piece piece_of(const Variable& variable) {
  return {variable.name, std::string(name_of(variable.type)),         variable.count, variable.unit_text,
          variable.data, variable.elements() * size_of(variable.type)};
}

StateImage::StateImage(std::vector<Piece> pieces) : pieces_(std::move(pieces)), offsets_(pieces_.size()) {
  std::string problems;
  const auto complain = [&](const std::string& text) { problems += (problems.empty() ? "" : "\n") + text; };
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (const std::string reason = validate(piece); !reason.empty())
      complain("'" + piece.name + "': " + reason);
    if (const auto [other, fresh] = by_name_.emplace(piece.name, i); !fresh)
      complain("'" + pieces_[other->second].name + "' and '" + piece.name + "' are one name for two pieces");
  }
  if (!problems.empty()) throw std::runtime_error(problems);

  std::vector<std::size_t> order(pieces_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return begin_of(pieces_[i]); });
  const Piece* furthest = nullptr;  // of those before, the one that reaches furthest
  for (const std::size_t index : order) {
    const Piece& piece = pieces_[index];
    if (furthest != nullptr && std::less<>{}(begin_of(piece), end_of(*furthest)))
      complain("'" + furthest->name + "' and '" + piece.name + "' share memory");
    if (furthest == nullptr || std::less<>{}(end_of(*furthest), end_of(piece))) furthest = &piece;
    offsets_[index] = bytes_;
    if (!runs_.empty() && runs_.back().memory + runs_.back().bytes == begin_of(piece))
      runs_.back().bytes += piece.bytes;
    else
      runs_.push_back({begin_of(piece), piece.bytes, bytes_});
    bytes_ += piece.bytes;
  }
  if (!problems.empty()) throw std::runtime_error(problems);
}

void StateImage::copy_to(std::byte* to) const TACTUS_RT {
  for (const Run& run : runs_) {
    if (run.bytes == sizeof(double))
      std::memcpy(to, run.memory, sizeof(double));  // most of them: one instruction instead of a call
    else
      std::memcpy(to, run.memory, run.bytes);
    to += run.bytes;
  }
}

void StateImage::copy_from(const std::byte* from) const TACTUS_RT {
  for (const Run& run : runs_) {
    if (run.bytes == sizeof(double))
      std::memcpy(run.memory, from, sizeof(double));
    else
      std::memcpy(run.memory, from, run.bytes);
    from += run.bytes;
  }
}

std::size_t StateImage::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? pieces_.size() : found->second;
}

}  // namespace tactus::executive
