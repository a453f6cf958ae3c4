// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "executive/model/overlay_cell.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Cells of one side that do the same to values of the same size.
struct OverlayRun {
  OverlayCell::Does does = OverlayCell::Does::nothing;
  std::uint8_t bytes = 8;
  bool packed =
      false;  ///< neighbours in memory, whose places follow each other; `first` is the place of the first
  std::uint32_t first = 0;  ///< else their places are OverlayLoops::places from here on
  std::uint32_t count = 0;
};

/// The acting cells of one side, sorted into runs. Each of them is one loop, without a branch on what a cell does; what a
/// recipe says is gone through cell by cell.
///
/// Threads  as ModelOverlay.
/// RT       everything but grow().
class OverlayLoops {
 public:
  /// Makes room for one more cell.                                                                @when setup
  void grow();
  /// Sorts the cells that act.
  void sort(const std::vector<OverlayCell*>& acting) TACTUS_RT;

  /// Shows all cells, of which none is shown.
  void show(OverlayArrays& in, const std::vector<OverlayCell*>& all) const TACTUS_RT;
  /// Hides all cells, all of which are shown.
  void hide(OverlayArrays& in, const std::vector<OverlayCell*>& all) const TACTUS_RT;
  /// Returns true if the memory of one that is shown holds another value.
  bool is_overwritten(const OverlayArrays& in) const TACTUS_RT;
  /// Lets shown cells that add something to doubles, neighbours in memory, show it with what they add now.
  static void add_again(OverlayArrays& in, std::size_t first, std::size_t count) TACTUS_RT;

 private:
  static constexpr std::size_t kKinds = 32;  // what cells do, times the sizes of values

  std::size_t cells_ = 0;
  std::vector<OverlayRun> runs_;
  std::vector<std::uint32_t> places_;
};

}  // namespace tactus::executive
