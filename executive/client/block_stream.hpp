// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::client {

/// Decodes the blocks of /v1/stream (docs/http-api.md) from bytes as they come.
class BlockStream {
 public:
  enum class Kind : std::uint32_t { head = 1, rows = 2, gap = 3, beat = 4, end = 5 };

  struct Block {
    Kind kind = Kind::beat;
    std::uint32_t detail = 0;  ///< rows; of a gap its reason; of a beat the state
    std::int64_t frame = 0;
    std::int64_t missing = 0;
    std::string text;                          ///< JSON of head and end
    std::vector<std::vector<double>> columns;  ///< columns of rows
  };
  /// False: the bytes are no such stream; `problem()` says why.
  bool take(std::string_view bytes, const std::function<void(const Block&)>& block);
  const std::string& problem() const { return problem_; }

 private:
  bool decode(std::string_view bytes, Block& block);

  std::string buffer_;
  std::size_t columns_ = 0;  ///< number of columns in the head; each f64
  std::string problem_;
};

}  // namespace tactus::client
