// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "executive/model/variable.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

struct OverlayCell;

/// Change that a fault makes of a value.
struct OverlayChange {
  enum class Kind : std::uint8_t {
    none,
    value,     ///< `bits`, as it is in memory
    linear,    ///< value * a + b
    flip,      ///< the bits of `bits` are inverted
    quantise,  ///< a whole multiple of a
    limit,     ///< not below a, not above b
    swap,      ///< value that `other` has after its changes before `other_place`
  };
  Kind kind = Kind::none;
  std::uint64_t bits = 0;
  double a = 0, b = 0;
  const OverlayCell* other = nullptr;
  std::size_t other_place = 0;

  std::uint64_t of(std::uint64_t value, tactus_type type) const TACTUS_RT;
};

/// Value that a stimulus gives.
struct OverlaySource {
  enum class Kind : std::uint8_t {
    none,
    value,  ///< `bits`, as it is in memory
    mix,    ///< true value * gain + offset
  };
  Kind kind = Kind::none;
  std::uint64_t bits = 0;
  double gain = 0, offset = 0;
};

/// Settings of a cell as its parts write them.
struct OverlayRecipe {
  OverlaySource source{};
  std::vector<OverlayChange> changes{};  ///< one for each fault, in their order
};

/// One element of a variable that a stimulus writes or faults change. What others see of it is apart from its true
/// value, so that nothing accumulates: the true value is in its memory whenever somebody is about to write there.
///
///     input, parameter     changed before each job of its model, after the copies: the job reads what is shown
///     output, state        changed after each job: the model goes on with the true value, others read what is shown
///
/// What it does is constant within a frame; its parts set that between frames. All that hide and show touch is in one
/// line of the cache; `recipe` is looked at when it is more than one constant or one line.
struct alignas(64) OverlayCell {
  /// Kind of change of the true value.
  enum class Does : std::uint8_t {
    nothing,
    put,      ///< shows `a`, bits as in memory
    line,     ///< shows truth * a + b of a double
    recipe_,  ///< all else
  };
  /// Part that belongs to the state of the rig.
  struct Kept {
    std::uint64_t truth = 0, shown = 0, is_shown = 0;
  };

  std::byte* at = nullptr;
  Kept kept{};
  double a = 0, b = 0;
  OverlayRecipe* recipe = nullptr;
  tactus_type type = TACTUS_DOUBLE;
  std::uint8_t bytes = 8;
  Does does = Does::nothing;
  bool before_jobs = false;  ///< an input or a parameter
  bool plain = false;        ///< shows the stimulus' value alone

  bool has_source() const TACTUS_RT { return recipe->source.kind != OverlaySource::Kind::none; }
  bool acts() const TACTUS_RT { return does != Does::nothing; }
  /// The true value, or what a stimulus makes of it.
  std::uint64_t base() const TACTUS_RT;
  /// Returns what the first so many faults make of that.
  std::uint64_t through(std::size_t faults) const TACTUS_RT {
    std::uint64_t value = base();
    for (std::size_t i = 0; i < faults; ++i) value = recipe->changes[i].of(value, type);
    return value;
  }
  /// Returns what others are to see.
  std::uint64_t seen(std::uint64_t truth) const TACTUS_RT {
    if (does == Does::put) return std::bit_cast<std::uint64_t>(a);
    if (does == Does::line) return std::bit_cast<std::uint64_t>(std::bit_cast<double>(truth) * a + b);
    return through(recipe->changes.size());
  }
  /// Reads again from the recipe what it does.
  void settle() TACTUS_RT;
  std::uint64_t load() const TACTUS_RT {
    std::uint64_t value = 0;
    if (bytes == sizeof value) [[likely]]
      std::memcpy(&value, at, sizeof value);
    else
      load_narrow(value);
    return value;
  }
  void store(std::uint64_t value) const TACTUS_RT {
    if (bytes == sizeof value) [[likely]]
      std::memcpy(at, &value, sizeof value);
    else
      store_narrow(value);
  }
  /// Its true value, wherever it is.
  std::uint64_t truth() const TACTUS_RT { return kept.is_shown != 0 ? kept.truth : load(); }
  /// Puts the true value into its memory. A value that somebody else has put there since is the true one.
  void hide() TACTUS_RT {
    if (kept.is_shown == 0) return;
    kept.is_shown = 0;
    if (load() == kept.shown) store(kept.truth);
  }
  /// Puts what is to be seen into its memory.
  void show() TACTUS_RT {
    if (!acts() || kept.is_shown != 0) return;
    kept.truth = load();
    kept.shown = seen(kept.truth);
    kept.is_shown = 1;
    store(kept.shown);
  }

 private:
  void load_narrow(std::uint64_t& value) const TACTUS_RT;
  void store_narrow(std::uint64_t value) const TACTUS_RT;
};
static_assert(sizeof(OverlayCell) == 64);

/// The value as a number.                                                                               @when rt
double overlay_number(tactus_type type, std::uint64_t bits) TACTUS_RT;
/// A number as a value: whole numbers are rounded and kept in their range, a bool is true unless it rounds to 0.
/// @when rt
std::uint64_t overlay_bits(tactus_type type, double number) TACTUS_RT;

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

  /// Takes over what the recipe of a cell says, also of one that is shown. Forces are to be applied after that.
  void settle(OverlayCell& cell) TACTUS_RT {
    const bool acted = cell.acts();
    if (cell.kept.is_shown != 0) cell.hide();
    cell.settle();
    changed(cell, acted);
  }
  /// Lets a cell without faults show a value of a stimulus.
  void put(OverlayCell& cell, std::uint64_t bits) TACTUS_RT {
    cell.a = std::bit_cast<double>(bits);
    cell.recipe->source.bits = bits;
    touched_ = true;
    if (cell.kept.is_shown == 0) return;
    const std::uint64_t now = cell.load();
    if (now != cell.kept.shown) [[unlikely]]
      cell.kept.truth = now;
    cell.kept.shown = bits;
    cell.store(bits);
  }
  /// Gives the one change of a cell that shows truth * a + b another line, as settle() would.
  void draw(OverlayCell& cell, double a, double b) TACTUS_RT {
    cell.a = a;
    cell.b = b;
    touched_ = true;
    if (cell.kept.is_shown == 0) return;
    const std::uint64_t now = cell.load();
    if (now != cell.kept.shown) [[unlikely]]
      cell.kept.truth = now;
    cell.kept.shown = cell.seen(cell.kept.truth);
    cell.store(cell.kept.shown);
  }
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
  /// Shows all, after a job: also what it wrote into an input of its own is changed.
  void show_all() TACTUS_RT {
    if (inputs_.state == Side::shown && !inputs_.stale && is_overwritten()) hide_inputs();
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
    std::vector<OverlayCell*> acting{};
    std::vector<OverlayCell*> all{};
    State state = mixed;
    bool stale = false;  ///< `acting` is to be made anew
  };
  void hide(Side& side) TACTUS_RT {
    if (side.stale) gather(side);
    if (side.state == Side::hidden) return;
    for (OverlayCell* const cell : side.acting) cell->hide();
    side.state = Side::hidden;
  }
  void show(Side& side) TACTUS_RT {
    if (side.stale) gather(side);
    if (side.state == Side::shown) return;
    for (OverlayCell* const cell : side.acting) cell->show();
    side.state = Side::shown;
  }
  bool is_overwritten() const TACTUS_RT {
    for (const OverlayCell* const cell : inputs_.acting)
      if (cell->load() != cell->kept.shown) [[unlikely]]
        return true;
    return false;
  }
  void gather(Side& side) TACTUS_RT;
  void changed(OverlayCell& cell, bool acted) TACTUS_RT;

  const std::uint64_t thread_;
  std::deque<std::vector<OverlayCell>> blocks_;  // of which none grows
  std::deque<OverlayRecipe> recipes_;
  std::vector<Named> named_;
  std::map<const std::byte*, OverlayCell*> places_;
  Side inputs_, outputs_;
  bool touched_ = false;
};

}  // namespace tactus::executive
