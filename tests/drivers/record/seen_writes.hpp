// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

namespace tactus::test {

/// While it is set: called with each piece that this program, or a library in it, writes by pwrite, and where the
/// piece goes in its file. The program exports its symbols for that.
extern std::function<void(std::string_view bytes, std::uint64_t at)> seen_write;

/// A kill cuts a write where pages of memory meet.
inline bool stands_in_one_page(std::string_view bytes, std::uint64_t at) {
  constexpr std::uint64_t kPageBytes = 4096;
  return bytes.empty() || at / kPageBytes == (at + bytes.size() - 1) / kPageBytes;
}

}  // namespace tactus::test
