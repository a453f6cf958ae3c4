// SPDX-License-Identifier: Apache-2.0
#include "executive/client/block_stream.hpp"

#include <bit>
#include <cstring>

#include "config/json.hpp"
#include "config/json_of.hpp"

namespace tactus::client {
namespace {

constexpr std::size_t kHeader = 32;
constexpr std::uint32_t kMostBytes = 64U << 20U;

template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  static_assert(std::endian::native == std::endian::little);
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

bool BlockStream::take(std::string_view bytes, const std::function<void(const Block&)>& give) {
  buffer_ += bytes;
  std::size_t at = 0;
  while (buffer_.size() - at >= kHeader) {
    const std::string_view rest = std::string_view(buffer_).substr(at);
    const auto length = number_at<std::uint32_t>(rest, 4);
    if (!rest.starts_with("TSB1") || length < kHeader || length % 8 != 0 || length > kMostBytes) {
      problem_ = "a block of its stream does not begin as one";
      return false;
    }
    if (rest.size() < length) break;
    Block block;
    if (!decode(rest.substr(0, length), block)) return false;
    give(block);
    at += length;
  }
  buffer_.erase(0, at);
  return true;
}

bool BlockStream::decode(std::string_view bytes, Block& block) {
  block.kind = static_cast<Kind>(number_at<std::uint32_t>(bytes, 8));
  block.detail = number_at<std::uint32_t>(bytes, 12);
  block.frame = number_at<std::int64_t>(bytes, 16);
  block.missing = number_at<std::int64_t>(bytes, 24);
  const std::size_t room = bytes.size() - kHeader;
  const auto fail = [this](const char* why) {
    problem_ = why;
    return false;
  };
  if (block.kind == Kind::head || block.kind == Kind::end) {
    if (block.detail > room) return fail("a text of its stream is longer than its block");
    block.text = bytes.substr(kHeader, block.detail);
    if (block.kind == Kind::end) return true;
    const config::Json json = config::json_of(block.text);
    if (!json.is_object() || !json.contains("columns") || !json["columns"].is_array())
      return fail("the head of its stream names no columns");
    columns_ = json["columns"].size();
    return true;
  }
  if (block.kind != Kind::rows) return true;
  if (columns_ == 0 || room / 8 / columns_ < block.detail)
    return fail("a block of its stream is shorter than its rows");
  for (std::size_t c = 0; c < columns_; ++c) {
    std::vector<double> column(block.detail);
    if (!column.empty())
      std::memcpy(column.data(), bytes.data() + kHeader + c * block.detail * sizeof(double),
                  block.detail * sizeof(double));
    block.columns.push_back(std::move(column));
  }
  return true;
}

}  // namespace tactus::client
