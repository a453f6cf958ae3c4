// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace tactus::executive {

/// The last line of a run for a terminal: "servo: overrun after 201 frames, 3 overruns; frame 200: an overrun of
/// 2.52 ms reached max_overrun; computed: load.step; details: log.txt in runs/servo-1".
struct EndLine {
  static constexpr std::size_t kMost = 160;  ///< characters of a line that is cut
  struct Figure {
    std::string text;
    std::string shown;  ///< the same, perhaps with colors
  };

  std::string begin;               ///< "servo: overrun after 201 frames"
  std::vector<Figure> figures{};   ///< the most important first
  std::string reason{};            ///< empty: there is none
  std::vector<Figure> verdicts{};  ///< never left out
  std::string folder{};            ///< never cut

  /// Returns all of it.                                                                          @when service
  std::string whole() const;
  /// Returns a line of kMost characters at most, unless the folder alone is too long: figures are left out from
  /// the last one on, and then the reason is cut. It says where all of it stands.                 @when service
  std::string brief() const;
};

}  // namespace tactus::executive
