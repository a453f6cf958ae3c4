// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "executive/model/overlay_cell.hpp"
#include "executive/model/overlay_loops.hpp"
#include "executive/model/variable.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Some cells of one side of an overlay whose values are doubles, in the order of their places.
struct OverlayCells {
  bool before_jobs = false;
  const std::uint32_t* places = nullptr;
  std::size_t count = 0;
  bool packed = false;  ///< neighbours in memory, whose places follow each other
};

/// Overlay of one model's variables: stimuli write into them, and faults change them.
///
/// Threads  hide and show: whose the model's jobs are. All else: the frames' main thread, while that one is at rest.
/// RT       everything but cell_of().
class ModelOverlay {
 public:
  /// `thread`: the asynchronous one that the model is on, as a bit; 0: none.
  explicit ModelOverlay(std::uint64_t thread) : thread_(thread) {}

  std::uint64_t thread() const TACTUS_RT { return thread_; }
  /// The cell of an element; cells stay where they are.                                           @when setup
  OverlayCell& cell_of(const VariableRef& ref, std::uint32_t element);
  struct Named {
    std::string name;  ///< "motor.speed[2]"
    OverlayCell* cell;
  };
  const std::vector<Named>& cells() const { return named_; }

  /// Orders the cells by their addresses, as far as none of them has done anything. After the last cell_of(), before
  /// anything keeps where the arrays are.                                                         @when setup
  void order_cells();
  /// Takes over what the recipe of a cell says, also of one that is shown. Forces are to be applied after that.
  void settle(OverlayCell& cell) TACTUS_RT {
    const OverlayCell::Does did = cell.does;
    const bool was_plain = cell.plain;
    cell.hide();
    cell.settle();
    changed(cell, did, was_plain);
  }
  /// Lets a cell without faults show a value of a stimulus.
  void put(OverlayCell& cell, std::uint64_t bits) TACTUS_RT {
    cell.recipe->source.bits = bits;
    touched_ = true;
    show_now(cell, [&](std::uint64_t) { return bits; });
    cell.in->shown[cell.place] = bits;
  }
  /// Lets cells without faults show values of stimuli: `value` gives the bits of the nth. The stimuli keep them in
  /// OverlaySource::kept.
  template <class Value>
  void put(const OverlayCells& cells, Value value) TACTUS_RT {
    touched_ = true;
    Side& side = side_of(cells.before_jobs);
    std::uint64_t* const shown = side.arrays.shown.data();
    if (side.state != Side::shown) {
      for (std::size_t i = 0; i < cells.count; ++i) {
        const std::uint64_t bits = value(i);
        show_now(*side.all[cells.places[i]], [bits](std::uint64_t) { return bits; });
        shown[cells.places[i]] = bits;
      }
      return;
    }
    show_again(side, cells, value);
  }
  /// Gives cells that show the truth and a sum another one to add: `value` gives the nth.
  template <class Value>
  void draw(const OverlayCells& cells, Value value) TACTUS_RT {
    touched_ = true;
    Side& side = side_of(cells.before_jobs);
    if (side.state == Side::shown && cells.packed) {
      double* const __restrict b = side.arrays.b.data() + cells.places[0];
      for (std::size_t i = 0; i < cells.count; ++i) b[i] = value(i);
      return OverlayLoops::add_again(side.arrays, cells.places[0], cells.count);
    }
    for (std::size_t i = 0; i < cells.count; ++i) {
      const double more = side.arrays.b[cells.places[i]] = value(i);
      show_now(*side.all[cells.places[i]], [more](std::uint64_t truth) {
        return std::bit_cast<std::uint64_t>(std::bit_cast<double>(truth) + more);
      });
    }
  }
  /// Number that another kind of change of a cell raises: lists of cells by what they do are to be made anew.
  std::uint32_t kinds() const TACTUS_RT { return kinds_; }
  /// Returns true once after cells have changed.
  bool take_touched() TACTUS_RT {
    const bool was = touched_;
    touched_ = false;
    return was;
  }
  /// The cells have been loaded with the state.
  void loaded() TACTUS_RT {
    inputs_.state = outputs_.state = Side::mixed;
    inputs_.stale = outputs_.stale = true;
  }

  /// Hides the inputs, before copies are made into them.
  void hide_inputs() TACTUS_RT { hide(inputs_); }
  /// Shows the inputs, after the copies.
  void show_inputs() TACTUS_RT { show(inputs_); }
  /// Hides the outputs, before a job that writes them.
  void hide_outputs() TACTUS_RT { hide(outputs_); }
  /// Shows what has been settled, while nothing else was written.
  void show_settled() TACTUS_RT {
    show_inputs();
    show(outputs_);
  }
  /// Shows all, after a job: also what it wrote into an input of its own is changed.
  void show_all() TACTUS_RT {
    if (inputs_.state == Side::shown && !inputs_.stale && inputs_.loops.is_overwritten(inputs_.arrays))
      hide_inputs();
    show_inputs();
    show(outputs_);
  }
  void hide_all() TACTUS_RT {
    hide_inputs();
    hide_outputs();
  }

 private:
  struct Side {
    enum State : std::uint8_t { mixed, hidden, shown };
    OverlayArrays arrays{};
    OverlayLoops loops{};
    std::vector<OverlayCell*> all{};     ///< all cells, by place
    std::vector<OverlayCell*> acting{};  ///< cells that act, by place
    State state = mixed;
    bool stale = false;  ///< `acting` is to be made anew
  };
  Side& side_of(bool before_jobs) TACTUS_RT { return before_jobs ? inputs_ : outputs_; }
  static void hide(Side& side) TACTUS_RT {
    if (side.state == Side::hidden) return;
    if (side.stale) gather(side);
    if (side.state == Side::shown)
      side.loops.hide(side.arrays, side.all);
    else
      for (const OverlayCell* const cell : side.acting) cell->hide();
    side.state = Side::hidden;
  }
  static void show(Side& side) TACTUS_RT {
    if (side.state == Side::shown) return;
    if (side.stale) gather(side);
    if (side.state == Side::hidden)
      side.loops.show(side.arrays, side.all);
    else
      for (const OverlayCell* const cell :
           side.acting)  // one may be shown by a state that was loaded, and act no more
        cell->acts() ? cell->show() : cell->hide();
    side.state = Side::shown;
  }
  /// Lets one cell show another value, where it is shown. `seen` makes it of the true one.
  template <class Seen>
  static void show_now(OverlayCell& cell, Seen seen) TACTUS_RT {
    if (!cell.is_shown()) return;
    OverlayArrays& in = *cell.in;
    const std::uint64_t now = cell.load();
    if (now != in.shown[cell.place]) [[unlikely]]
      in.truth[cell.place] = now;
    in.shown[cell.place] = seen(in.truth[cell.place]);
    cell.store(in.shown[cell.place]);
  }
  /// The same for many, all of which are shown. `value` gives what the nth is to show.
  template <class Value>
  static void show_again(Side& side, const OverlayCells& cells, Value value) TACTUS_RT {
    std::uint64_t* const __restrict truth = side.arrays.truth.data();
    std::uint64_t* const __restrict shown = side.arrays.shown.data();
    const auto one = [=](std::byte* at, std::size_t place, std::uint64_t next) {
      std::uint64_t now = 0;
      std::memcpy(&now, at, sizeof now);
      truth[place] = now != shown[place] ? now : truth[place];
      shown[place] = next;
      std::memcpy(at, &next, sizeof next);
    };
    if (cells.packed) {
      const std::size_t first = cells.places[0];
      std::byte* const __restrict at = side.arrays.at[first];
      for (std::size_t i = 0; i < cells.count; ++i) one(at + i * sizeof(double), first + i, value(i));
      return;
    }
    for (std::size_t i = 0; i < cells.count; ++i)
      one(side.arrays.at[cells.places[i]], cells.places[i], value(i));
  }
  static void gather(Side& side) TACTUS_RT;
  void changed(const OverlayCell& cell, OverlayCell::Does did, bool was_plain) TACTUS_RT;

  const std::uint64_t thread_;
  std::deque<std::vector<OverlayCell>> blocks_;  // of which none grows
  std::deque<OverlayRecipe> recipes_;
  std::vector<Named> named_;
  std::map<const std::byte*, OverlayCell*> places_;
  Side inputs_, outputs_;
  bool touched_ = false;
  std::uint32_t kinds_ = 0;
};

}  // namespace tactus::executive
