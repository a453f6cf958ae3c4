// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "executive/model/model_forces.hpp"
#include "executive/model/overlay_cell.hpp"
#include "executive/model/overlay_change.hpp"
#include "executive/model/overlay_loops.hpp"
#include "executive/model/variable.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Some cells of one side of an overlay whose values are doubles, in the order of their places.
struct OverlayCells {
  bool before_jobs = false;
  const std::uint32_t* places = nullptr;
  std::size_t count = 1;
  OverlayLayout layout = OverlayLayout::packed;

  /// Adds the next cell, whose place stands behind those of the others.
  void add(const OverlayCell& cell) TACTUS_RT {
    std::byte* const* const at = cell.in->at;
    const std::uint32_t before = places[count - 1];
    ++count;
    if (layout == OverlayLayout::scattered || cell.place != before + 1) {
      layout = OverlayLayout::scattered;
      return;
    }
    const std::ptrdiff_t step = at[cell.place] - at[before];
    if (count == 2)
      layout = step == sizeof(double) ? OverlayLayout::packed : OverlayLayout::even;
    else if (step != at[before] - at[before - 1])
      layout = OverlayLayout::dense;
  }
};

class ModelOverlay;
/// Overlays of a rig that have changed since they were shown, and a number that another kind of change of one of their
/// cells raises: lists of cells by what they do are to be made anew.
///
/// Threads  the frames' main thread.
struct OverlayChanges {
  std::uint32_t kinds = 0;
  std::vector<ModelOverlay*> touched{};  ///< each once; there is room for all
};

/// Overlay of one model's variables: stimuli write into them, and faults change them.
///
/// Threads  hide and show: whose the model's jobs are. All else: the frames' main thread, while that one is at rest.
/// RT       everything but cell_of().
class alignas(64) ModelOverlay {
 public:
  /// `thread`: the asynchronous one that the model is on, as a bit; 0: none. `changes` must outlive it.
  ModelOverlay(std::uint64_t thread, OverlayChanges& changes) : thread_(thread), changes_(changes) {
    changes.touched.reserve(changes.touched.capacity() + 1);
  }

  std::uint64_t thread() const TACTUS_RT { return thread_; }
  /// Keeps the forces of the model, which must outlive this; nullptr: it can have none.             @when setup
  void forced_by(const ModelForces* forces) {
    forces_ = forces;
    outputs_.is_forced = inputs_.is_forced = forces != nullptr;
  }
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
    const bool was_listed = cell.plain || cell.listed;
    const bool was_plain = cell.plain;
    cell.hide();
    cell.settle();
    changed(cell, did, was_listed, was_plain);
  }
  /// Lets a cell without faults show a value of a stimulus.
  void put(OverlayCell& cell, std::uint64_t bits) TACTUS_RT {
    cell.recipe->source.bits = bits;
    touch(side_of(cell.before_jobs));
    show_now(cell, [&](std::uint64_t) { return bits; });
    cell.in->shown[cell.place] = bits;
  }
  /// Lets cells without faults show values of stimuli, of which `values` has the nth. The stimuli keep them in
  /// OverlaySource::kept.
  void put(const OverlayCells& cells, const double* values) TACTUS_RT;
  /// Gives cells that show the truth and a sum another one to add, of which `more` has the nth.
  void draw(const OverlayCells& cells, const double* more) TACTUS_RT;
  /// Returns where draw() has such numbers in the end: those of cells that are not scattered may be computed there.
  double* drawn(const OverlayCells& cells) TACTUS_RT {
    Side& side = side_of(cells.before_jobs);
    if (side.only == OverlayCell::Does::nothing) return side.arrays.b + cells.places[0];
    void* const b = side.one.data() + OverlayArrays::kB * sizeof(double);  // it is there, and in the cache
    return static_cast<double*>(b);
  }
  /// Returns OverlayChanges::kinds.
  std::uint32_t kinds() const TACTUS_RT { return changes_.kinds; }
  /// Takes it out of OverlayChanges::touched, as the caller does.
  void take_touched() TACTUS_RT { touched_ = false; }
  /// The cells have been loaded with the state.
  void loaded() TACTUS_RT {
    inputs_.state = outputs_.state = Side::mixed;
    inputs_.stale = outputs_.stale = true;
    inputs_.only = outputs_.only = OverlayCell::Does::nothing;
  }

  /// Hides the inputs, before copies are made into them.
  void hide_inputs() TACTUS_RT {
    if (outputs_.has_inputs) hide(inputs_);
  }
  /// Shows the inputs, after the copies.
  void show_inputs() TACTUS_RT {
    if (outputs_.has_inputs) show(inputs_);
  }
  /// Hides the outputs, before a job that writes them.
  void hide_outputs() TACTUS_RT {
    if (outputs_.has_cells) hide(outputs_);
  }
  /// Shows what has been settled, while nothing else was written, and what is forced.
  void show_settled() TACTUS_RT {
    show_both();
    if (forces_ != nullptr) forces_->apply();
  }
  /// Shows all, after a job: also what it wrote into an input of its own is changed.
  void show_all() TACTUS_RT {
    if (outputs_.has_inputs && inputs_.state == Side::shown && !inputs_.stale && is_overwritten(inputs_))
      hide(inputs_);
    show_both();
  }
  void hide_all() TACTUS_RT {
    hide_inputs();
    hide_outputs();
  }

 private:
  struct alignas(64) Side {
    enum State : std::uint8_t { mixed, hidden, shown };
    // All that a frame reads of a side with a single cell: one cache line.
    OverlayArrays::One one{};  // its cell: truth, shown, is_shown, a, b, at
    State state = mixed;
    bool stale = false;  ///< `acting` is to be made anew
    /// Kind of the only cell, of eight bytes, while that is no recipe and nothing is stale; nothing: there is none.
    OverlayCell::Does only = OverlayCell::Does::nothing;
    bool has_cells = false;
    bool has_inputs = false;  ///< has a meaning beside the outputs: inputs have cells
    bool is_forced = false;   ///< clients may force something of the model

    OverlayArrays arrays{one};
    OverlayLoops loops{};
    std::vector<OverlayCell*> all{};     ///< all cells, by place
    std::vector<OverlayCell*> acting{};  ///< cells that act, by place

    template <class T>
    T word(OverlayArrays::Word number) const TACTUS_RT {
      return overlay_change::load_from<T>(one.data() + number * sizeof(std::uint64_t));
    }
    template <class T>
    void set_word(OverlayArrays::Word number, T value) TACTUS_RT {
      overlay_change::store_to(one.data() + number * sizeof(std::uint64_t), value);
    }
  };
  void show_both() TACTUS_RT {
    show_inputs();
    if (outputs_.has_cells) show(outputs_);
  }
  /// Asks for show_settled() where something is left for it.
  void touch(const Side& side) TACTUS_RT {
    if (touched_ || (side.state == Side::shown && !side.is_forced && !side.stale)) return;
    touched_ = true;
    changes_.touched.push_back(this);
  }
  Side& side_of(bool before_jobs) TACTUS_RT { return before_jobs ? inputs_ : outputs_; }
  static void hide(Side& side) TACTUS_RT {
    if (side.state == Side::hidden) return;
    if (side.only != OverlayCell::Does::nothing && side.state == Side::shown) return hide_only(side);
    if (side.stale) gather(side);
    if (side.state == Side::shown)
      side.loops.hide(side.arrays, side.all);
    else
      for (const OverlayCell* const cell : side.acting) cell->hide();
    side.state = Side::hidden;
  }
  static void show(Side& side) TACTUS_RT {
    if (side.state == Side::shown) return;
    if (side.only != OverlayCell::Does::nothing && side.state == Side::hidden) return show_only(side);
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
  // The same as the loops do, of the only cell of a side.
  static void hide_only(Side& side) TACTUS_RT {
    auto* const at = side.word<std::byte*>(OverlayArrays::kAt);
    auto now = overlay_change::load_from<std::uint64_t>(at);
    if (now == side.word<std::uint64_t>(OverlayArrays::kShown))
      now = side.word<std::uint64_t>(OverlayArrays::kTruth);
    overlay_change::store_to(at, now);
    side.set_word(OverlayArrays::kIsShown, std::uint8_t{0});
    side.state = Side::hidden;
  }
  static void show_only(Side& side) TACTUS_RT {
    auto* const at = side.word<std::byte*>(OverlayArrays::kAt);
    const auto truth = overlay_change::load_from<std::uint64_t>(at);
    const std::uint64_t shown =
        changed_word(side.only, truth, side.word<std::uint64_t>(OverlayArrays::kShown),
                     side.word<double>(OverlayArrays::kA), side.word<double>(OverlayArrays::kB));
    side.set_word(OverlayArrays::kTruth, truth);
    side.set_word(OverlayArrays::kShown, shown);
    side.set_word(OverlayArrays::kIsShown, std::uint8_t{1});
    overlay_change::store_to(at, shown);
    side.state = Side::shown;
  }
  /// Lets the only cell, which is shown, show what `seen` makes of the true value.
  template <class Seen>
  static void show_only_again(Side& side, Seen seen) TACTUS_RT {
    auto* const at = side.word<std::byte*>(OverlayArrays::kAt);
    const auto now = overlay_change::load_from<std::uint64_t>(at);
    if (now != side.word<std::uint64_t>(OverlayArrays::kShown)) [[unlikely]]
      side.set_word(OverlayArrays::kTruth, now);
    const std::uint64_t next = seen(side.word<std::uint64_t>(OverlayArrays::kTruth));
    side.set_word(OverlayArrays::kShown, next);
    overlay_change::store_to(at, next);
  }
  static bool is_overwritten(const Side& side) TACTUS_RT {
    if (side.only == OverlayCell::Does::nothing) return side.loops.is_overwritten(side.arrays);
    const auto now = overlay_change::load_from<std::uint64_t>(side.word<std::byte*>(OverlayArrays::kAt));
    return now != side.word<std::uint64_t>(OverlayArrays::kShown);
  }
  static void gather(Side& side) TACTUS_RT;
  static bool relist(Side& side, const OverlayCell& cell, OverlayCell::Does did) TACTUS_RT;
  static OverlayCell::Does only_of(const Side& side) TACTUS_RT;
  void changed(const OverlayCell& cell, OverlayCell::Does did, bool was_listed, bool was_plain) TACTUS_RT;

  Side outputs_, inputs_;
  const std::uint64_t thread_;
  OverlayChanges& changes_;
  const ModelForces* forces_ = nullptr;
  std::size_t by_recipe_ = 0;  // cells that do what a recipe says, of both sides
  bool touched_ = false;

  std::deque<std::vector<OverlayCell>> blocks_;  // of which none grows
  std::deque<OverlayRecipe> recipes_;
  std::vector<Named> named_;
  std::map<const std::byte*, OverlayCell*> places_;
};

}  // namespace tactus::executive
