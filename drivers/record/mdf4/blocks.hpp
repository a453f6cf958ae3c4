// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::drivers::record {

// Where the few numbers stand that change while a recording grows, from the beginning of their blocks.
inline constexpr std::uint64_t kMdfGroupData = 40;    ///< offset in DG: the link to its first data
inline constexpr std::uint64_t kMdfCycleCount = 80;   ///< offset in CG
inline constexpr std::uint64_t kMdfNextList = 24;     ///< offset in DL: the link to the next one
inline constexpr std::uint64_t kMdfBlockHeader = 24;  ///< id, length, number of links
inline constexpr std::uint64_t kMdfHeadAt = 64;       ///< place of HD: after the ID block, always
inline constexpr std::uint64_t kMdfHeadBytes = 104;

/// A block as it is in a file: "##" and its type, its length, its links, its data.
std::string mdf_block(std::string_view type, const std::vector<std::uint64_t>& links, std::string_view data);

/// Blocks one after another, each at a multiple of 8.
class MdfBlocks {
 public:
  /// `at`: where the first one will be in the file.
  explicit MdfBlocks(std::uint64_t at) : begin_(at) {}

  /// Adds a block, and returns its place.
  std::uint64_t add(std::string_view type, const std::vector<std::uint64_t>& links, std::string_view data);
  /// TX of a text; 0, no link, of an empty one.
  std::uint64_t text(const std::string& text);
  const std::string& bytes() const { return bytes_; }
  std::uint64_t end() const { return begin_ + bytes_.size(); }

 private:
  std::uint64_t begin_;
  std::string bytes_;
};

/// A block of a file of unknown origin.
struct MdfBlock {
  std::uint64_t at = 0, end = 0;
  std::string_view type, data{};
  std::vector<std::uint64_t> links{};

  /// 0 where there is no such link.
  std::uint64_t link(std::size_t index) const { return index < links.size() ? links[index] : 0; }
};

/// A block reaches beyond the end of the file.
struct MdfCutOff : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws std::runtime_error when there is none, or another than `type` ("DT"; "": any).
MdfBlock mdf_read(std::string_view file, std::uint64_t at, std::string_view type = "");
/// The text of a TX or MD block; empty for no link.
std::string mdf_text(std::string_view file, std::uint64_t at);

}  // namespace tactus::drivers::record
