// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus::test {

/// An entry of an archive, also one that no honest program writes.
struct ZipEntry {
  std::string name;
  std::string content{};
  std::uint32_t mode = 0100644;     ///< st_mode, as Unix programs write it
  std::uint16_t flags = 0;          ///< bit 0: encrypted
  std::uint16_t method = 0;         ///< 0: stored
  std::int64_t claimed_bytes = -1;  ///< size in the directory; -1: the true one
};

inline std::uint32_t crc_of(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

/// The bytes of a zip archive with these entries, stored.
inline std::string zip_of(const std::vector<ZipEntry>& entries) {
  std::string file, directory;
  const auto put = [](std::string& to, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>((value >> (8 * i)) & 0xFFU);
  };
  for (const ZipEntry& entry : entries) {
    const std::size_t offset = file.size();
    const std::uint64_t size =
        entry.claimed_bytes < 0 ? entry.content.size() : static_cast<std::uint64_t>(entry.claimed_bytes);
    const auto common = [&](std::string& to) {
      put(to, 20, 2);
      put(to, entry.flags, 2);
      put(to, entry.method, 2);
      put(to, 0, 4);
      put(to, crc_of(entry.content), 4);
      put(to, entry.content.size(), 4);
      put(to, size, 4);
      put(to, entry.name.size(), 2);
      put(to, 0, 2);
    };
    put(file, 0x04034b50, 4);
    common(file);
    file += entry.name + entry.content;
    put(directory, 0x02014b50, 4);
    put(directory, 0x0314, 2);
    common(directory);
    put(directory, 0, 2);
    put(directory, 0, 2);
    put(directory, 0, 2);
    put(directory, std::uint64_t{entry.mode} << 16U, 4);
    put(directory, offset, 4);
    directory += entry.name;
  }
  const std::size_t begin = file.size();
  file += directory;
  put(file, 0x06054b50, 4);
  put(file, 0, 4);
  put(file, entries.size(), 2);
  put(file, entries.size(), 2);
  put(file, directory.size(), 4);
  put(file, begin, 4);
  put(file, 0, 2);
  return file;
}

}  // namespace tactus::test
