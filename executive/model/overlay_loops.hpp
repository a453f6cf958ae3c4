// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "executive/model/overlay_cell.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Cells of one side that do the same to values of the same size.
struct OverlayRun {
  OverlayCell::Does does = OverlayCell::Does::nothing;
  std::uint8_t bytes = 8;
  OverlayLayout layout = OverlayLayout::scattered;
  std::uint32_t first =
      0;  ///< place of the first; scattered: their places are OverlayLoops::places from here on
  std::uint32_t count = 0;
};

/// Cells that are gone through in one loop: the place of the nth, and its memory.
struct ScatteredCells {
  const std::uint32_t* places;
  std::byte* const* all;
  std::size_t place(std::size_t n) const TACTUS_RT { return places[n]; }
  std::byte* at(std::size_t, std::size_t place) const TACTUS_RT { return all[place]; }
};
struct DenseCells {
  std::size_t first;
  std::byte* const* all;
  std::size_t place(std::size_t n) const TACTUS_RT { return first + n; }
  std::byte* at(std::size_t, std::size_t place) const TACTUS_RT { return all[place]; }
};
struct EvenCells {
  std::size_t first;
  std::byte* memory;  ///< memory of the first
  std::ptrdiff_t step;
  std::size_t place(std::size_t n) const TACTUS_RT { return first + n; }
  std::byte* at(std::size_t n, std::size_t) const TACTUS_RT {
    return memory + static_cast<std::ptrdiff_t>(n) * step;
  }
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
  void sort(const OverlayArrays& in, const std::vector<OverlayCell*>& acting) TACTUS_RT;
  /// Takes out a cell that is hidden, and did that until now. False: sort() is due, as after many such changes.
  bool remove(const OverlayCell& cell, OverlayCell::Does did) TACTUS_RT;
  /// Takes in a cell that is hidden. False as of remove().
  bool add(const OverlayArrays& in, const OverlayCell& cell) TACTUS_RT;

  /// Shows all cells, of which none is shown.
  void show(OverlayArrays& in, const std::vector<OverlayCell*>& all) const TACTUS_RT {
    each_run([&](const OverlayRun& run) TACTUS_RT { show(run, in, all); });
  }
  /// Hides all cells, all of which are shown.
  void hide(OverlayArrays& in, const std::vector<OverlayCell*>& all) const TACTUS_RT {
    each_run([&](const OverlayRun& run) TACTUS_RT { hide(run, in, all); });
  }
  /// Returns true if the memory of one that is shown holds another value.
  bool is_overwritten(const OverlayArrays& in) const TACTUS_RT {
    bool is = false;
    each_run([&](const OverlayRun& run) TACTUS_RT { is = is || differs(run, in); });
    return is;
  }

  /// Returns true if the memory of packed cells of eight bytes holds what they show. The C library compares with what
  /// the machine has for it, as it copies.
  static bool holds_shown(const OverlayArrays& in, std::size_t first, std::size_t count) TACTUS_RT {
    return std::memcmp(in.at[first], in.shown + first, count * sizeof(std::uint64_t)) == 0;
  }

  /// Calls `use` with cells as their layout has them; `first`: place of the first, `places`: of scattered ones.
  template <class Use>
  static auto with_cells(OverlayLayout layout, const std::uint32_t* places, std::size_t first,
                         std::size_t count, const OverlayArrays& in, Use use) TACTUS_RT {
    switch (layout) {
      case OverlayLayout::scattered:
        return use(ScatteredCells{places, in.at});
      case OverlayLayout::packed:
      case OverlayLayout::even:
        return use(EvenCells{first, in.at[first], count < 2 ? 0 : in.at[first + 1] - in.at[first]});
      case OverlayLayout::dense:
        break;
    }
    return use(DenseCells{first, in.at});
  }

 private:
  static constexpr std::size_t kKinds = 32;     // what cells do, times the sizes of values
  static constexpr std::size_t kMostMore = 16;  // runs beyond those that were sorted: more make loops short

  bool has_room() const TACTUS_RT { return runs_.size() < std::min(runs_.capacity(), sorted_ + kMostMore); }
  void keep_one() TACTUS_RT;

  template <class Does>
  void each_run(Does does) const TACTUS_RT {
    if (is_one_) return does(one_);
    for (const OverlayRun& run : runs_) does(run);
  }
  void show(const OverlayRun& run, OverlayArrays& in, const std::vector<OverlayCell*>& all) const TACTUS_RT;
  void hide(const OverlayRun& run, OverlayArrays& in, const std::vector<OverlayCell*>& all) const TACTUS_RT;
  bool differs(const OverlayRun& run, const OverlayArrays& in) const TACTUS_RT;

  bool is_one_ = false;  // there is one run, beside what else a frame reads of a model
  OverlayRun one_{};
  std::size_t cells_ = 0;
  std::size_t sorted_ = 0;  // runs after the last sort()
  std::vector<OverlayRun> runs_;
  std::vector<std::uint32_t> places_;
};

}  // namespace tactus::executive
