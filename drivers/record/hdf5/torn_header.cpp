// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/hdf5/torn_header.hpp"

#include <bit>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "drivers/record/common/mapped_file.hpp"

namespace tactus::drivers::record {
namespace {

constexpr std::string_view kSignature = "OHDR\x02";
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kCountAt = 4;  // in the message of the dataspace: where its one length stands

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, size);
  return value;
}

/// The checksum of HDF5's metadata: lookup3 of Bob Jenkins, who gave it to the public.
std::uint32_t lookup3(std::string_view bytes) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size());
  std::uint32_t b = a;
  std::uint32_t c = a;
  const auto take = [&](std::string_view twelve) {
    a += static_cast<std::uint32_t>(number(twelve, 0, 4));
    b += static_cast<std::uint32_t>(number(twelve, 4, 4));
    c += static_cast<std::uint32_t>(number(twelve, 8, 4));
  };
  if (bytes.empty()) return c;
  while (bytes.size() > 12) {
    take(bytes);
    a = (a - c) ^ std::rotl(c, 4), c += b;
    b = (b - a) ^ std::rotl(a, 6), a += c;
    c = (c - b) ^ std::rotl(b, 8), b += a;
    a = (a - c) ^ std::rotl(c, 16), c += b;
    b = (b - a) ^ std::rotl(a, 19), a += c;
    c = (c - b) ^ std::rotl(b, 4), b += a;
    bytes.remove_prefix(12);
  }
  std::string last(bytes);
  last.resize(12, '\0');
  take(last);
  c = (c ^ b) - std::rotl(b, 14);
  a = (a ^ c) - std::rotl(c, 11);
  b = (b ^ a) - std::rotl(a, 25);
  c = (c ^ b) - std::rotl(b, 16);
  a = (a ^ c) - std::rotl(c, 4);
  b = (b ^ a) - std::rotl(a, 14);
  return (c ^ b) - std::rotl(b, 24);
}

/// The header of a dataset of one dimension that grows: how long it is, and where its length is.
struct Layout {
  std::size_t bytes;
  std::size_t count_at;
};

/// Reads the layout by "Version 2 Data Object Header Prefix" of HDF5's file format; nothing: it is not such a
/// header.
std::optional<Layout> layout_of(std::string_view from) {
  if (from.size() < 64 || !from.starts_with(kSignature)) return std::nullopt;
  const auto flags = static_cast<unsigned>(static_cast<unsigned char>(from[5]));
  if ((flags & 0xc0U) != 0) return std::nullopt;
  std::size_t at = 6 + ((flags & 0x20U) != 0 ? 16U : 0U) + ((flags & 0x10U) != 0 ? 4U : 0U);
  const std::size_t width = std::size_t{1} << (flags & 3U);
  const std::uint64_t messages = number(from, at, width);
  at += width;
  if (messages > from.size() - at || from.size() - at - messages < kChecksumBytes) return std::nullopt;
  const std::size_t end = at + messages;
  const std::size_t head = (flags & 4U) != 0 ? 6 : 4;
  std::size_t count_at = 0;
  while (end - at >= head) {
    const auto kind = number(from, at, 1);
    const std::size_t bytes = number(from, at + 1, 2);
    at += head;
    if (bytes > end - at) return std::nullopt;
    // A dataspace of version 2: one dimension, with the most that it may have.
    if (kind == 1 && bytes == 20 && from.substr(at, 4) == std::string_view("\x02\x01\x01\x01", 4))
      count_at = at + kCountAt;
    at += bytes;
  }
  if (count_at == 0) return std::nullopt;
  return Layout{end + kChecksumBytes, count_at};
}

}  // namespace

std::vector<TornHeader> torn_headers(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::string_view bytes = file.bytes();
  std::vector<TornHeader> found;
  for (std::size_t at = bytes.find(kSignature); at != std::string_view::npos;
       at = bytes.find(kSignature, at + 1)) {
    const auto layout = layout_of(bytes.substr(at));
    if (!layout) continue;
    const std::size_t summed = layout->bytes - kChecksumBytes;
    if (lookup3(bytes.substr(at, summed)) != number(bytes, at + summed, kChecksumBytes))
      found.push_back({at, layout->bytes});
  }
  return found;
}

void mend_header(const std::filesystem::path& path, const TornHeader& torn, std::uint64_t records) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes(torn.bytes, '\0');
  file.seekg(static_cast<std::streamoff>(torn.at));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const auto layout = file ? layout_of(bytes) : std::nullopt;
  if (!layout) throw std::runtime_error(path.string() + ": the torn header could not be read again");
  std::memcpy(bytes.data() + layout->count_at, &records, sizeof records);
  const std::size_t summed = bytes.size() - kChecksumBytes;
  const std::uint32_t sum = lookup3(std::string_view(bytes).substr(0, summed));
  std::memcpy(bytes.data() + summed, &sum, kChecksumBytes);
  file.seekp(static_cast<std::streamoff>(torn.at));
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error(path.string() + ": the torn header could not be written");
}

}  // namespace tactus::drivers::record
