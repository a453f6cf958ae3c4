// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
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
    swap,      ///< value that `other` has
  };
  Kind kind = Kind::none;
  std::uint64_t bits = 0;
  double a = 0, b = 0;
  const OverlayCell* other = nullptr;

  std::uint64_t of(std::uint64_t value, tactus_type type) const TACTUS_RT;
};

/// One element of a variable that a stimulus writes or faults change. What others see of it is apart from its true
/// value, so that nothing accumulates: the true value is in its memory whenever somebody is about to write there.
///
///     input, parameter     changed before each job of its model, after the copies: the job reads what is shown
///     output, state        changed after each job: the model goes on with the true value, others read what is shown
///
/// What it does is constant within a frame; its parts set that between frames.
struct OverlayCell {
  /// Kind of value that a stimulus gives.
  enum class Source : std::uint8_t {
    none,
    value,  ///< `source`, as it is in memory
    mix,    ///< true value * mix_gain + mix_offset
  };
  /// Part that belongs to the state of the rig.
  struct Kept {
    std::uint64_t truth = 0, shown = 0, is_shown = 0;
  };

  std::byte* at = nullptr;
  tactus_type type = TACTUS_DOUBLE;
  std::uint8_t bytes = 8;
  bool before_jobs = false;  ///< an input or a parameter
  Source source = Source::none;
  std::uint64_t source_bits = 0;
  double mix_gain = 0, mix_offset = 0;
  std::vector<OverlayChange> changes{};  ///< one for each fault, in their order
  Kept kept{};

  bool has_source() const TACTUS_RT { return source != Source::none; }
  bool acts() const TACTUS_RT {
    if (has_source()) return true;
    for (const OverlayChange& change : changes)
      if (change.kind != OverlayChange::Kind::none) return true;
    return false;
  }
  /// The true value, or what a stimulus makes of it.
  std::uint64_t base() const TACTUS_RT;
  /// Returns what the first so many faults make of that.
  std::uint64_t through(std::size_t faults) const TACTUS_RT {
    std::uint64_t value = base();
    for (std::size_t i = 0; i < faults; ++i) value = changes[i].of(value, type);
    return value;
  }
  std::uint64_t load() const TACTUS_RT {
    std::uint64_t value = 0;
    if (bytes == sizeof value) [[likely]]
      std::memcpy(&value, at, sizeof value);
    else
      std::memcpy(&value, at, bytes);
    return value;
  }
  void store(std::uint64_t value) const TACTUS_RT {
    if (bytes == sizeof value) [[likely]]
      std::memcpy(at, &value, sizeof value);
    else
      std::memcpy(at, &value, bytes);
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
    kept.shown = through(changes.size());
    kept.is_shown = 1;
    store(kept.shown);
  }
};

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

  /// Hides the inputs, before copies are made into them.
  void hide_inputs() TACTUS_RT {
    for (OverlayCell* const cell : inputs_) cell->hide();
  }
  /// Shows the inputs, after the copies.
  void show_inputs() TACTUS_RT {
    for (OverlayCell* const cell : inputs_) cell->show();
  }
  /// Hides the outputs, before a job that writes them.
  void hide_outputs() TACTUS_RT {
    for (OverlayCell* const cell : outputs_) cell->hide();
  }
  /// Shows all, after a job: also what it wrote into an input of its own is changed.
  void show_all() TACTUS_RT {
    for (OverlayCell* const cell : inputs_)
      if (cell->kept.is_shown != 0 && cell->load() != cell->kept.shown) cell->hide();
    show_inputs();
    for (OverlayCell* const cell : outputs_) cell->show();
  }
  void hide_all() TACTUS_RT {
    hide_inputs();
    hide_outputs();
  }

 private:
  const std::uint64_t thread_;
  std::deque<OverlayCell> cells_;
  std::vector<Named> named_;
  std::vector<OverlayCell*> inputs_, outputs_;
};

}  // namespace tactus::executive
