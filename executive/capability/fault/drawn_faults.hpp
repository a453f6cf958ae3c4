// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executive/capability/fault/compiled_fault.hpp"
#include "executive/model/model_overlay.hpp"

namespace tactus::executive {

/// Faults that add another number to doubles in each frame while nothing else of them changes: drift and noise. Each kind
/// is one loop over all cells of a model.
///
/// Threads  the frames' main thread.
/// RT       everything but add() and sort_cells().
class DrawnFaults {
 public:
  /// Returns true if a fault can be one, as far as it is known before the frames.
  static bool fits(const CompiledFault& made) TACTUS_RT {
    return (made.kind == FaultKind::noise || made.kind == FaultKind::drift) && made.every_frames == 0 &&
           !made.probability;
  }
  /// Adds a cell of the fault of that number.                                                       @when setup
  void add(std::size_t number, const CompiledFault& made, ModelOverlay& overlay, OverlayCell& cell,
           std::size_t element);
  /// Sorts the cells; after the last of them.                                                       @when setup
  void sort_cells();

  bool is_drawn(std::size_t number) const TACTUS_RT {
    return number < since_.size() && since_[number] != kNone;
  }
  /// Draws a fault from here on; it began in frame `since`.
  void set(std::size_t number, std::int64_t since) TACTUS_RT {
    stale_ = stale_ || since_[number] != since;
    since_[number] = since;
  }
  void clear(std::size_t number) TACTUS_RT {
    if (!is_drawn(number)) return;
    since_[number] = kNone;
    stale_ = true;
  }
  /// Calls `lost` with the number of each one, a cell of which does something else now.
  template <class Lost>
  void look_for_lost(Lost lost) TACTUS_RT {
    bool other = false;
    for (Group& group : groups_)
      if (const std::uint32_t now = group.overlay->kinds(); group.kinds != now) {
        group.kinds = now;
        other = true;
      }
    if (!other) return;
    for (const Cell& each : cells_)
      if (is_drawn(each.number) && each.cell->does != OverlayCell::Does::add) {
        clear(each.number);  // only then the table is made anew
        lost(each.number);
      }
  }
  /// Lets all cells show what they do in frame k.
  void run(std::int64_t k, double seconds_of_frame) TACTUS_RT;

 private:
  static constexpr std::int64_t kNone = -1;
  struct Cell {
    std::size_t number = 0;  ///< its fault
    const CompiledFault* made = nullptr;
    ModelOverlay* overlay = nullptr;
    OverlayCell* cell = nullptr;
    std::uint32_t element = 0;
  };
  /// All that a frame reads of them.
  struct Table {
    std::vector<double> size{}, since{}, more{};
    std::vector<std::uint32_t> places{}, elements{};
    std::vector<CounterRandom> random{};
  };
  /// Rows of one kind and one side of a model.
  struct Group {
    FaultKind kind = FaultKind::drift;
    ModelOverlay* overlay = nullptr;
    std::uint32_t kinds = 0;
    OverlayCells cells{};
    std::size_t first = 0;
    bool is_together = true;  ///< all of them began in the same frame
  };
  void sort() TACTUS_RT;

  std::vector<Cell> cells_;
  std::vector<std::int64_t> since_;  // by fault: frame in which it began; kNone: it is not drawn
  Table table_;
  std::vector<Group> groups_;
  bool stale_ = false;
};

}  // namespace tactus::executive
