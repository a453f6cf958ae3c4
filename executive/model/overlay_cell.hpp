// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

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
  /// Place where the stimulus keeps its value of each frame; it is read instead of `bits`. nullptr: none.
  const std::uint64_t* kept = nullptr;

  std::uint64_t value() const TACTUS_RT { return kept == nullptr ? bits : *kept; }
};

/// Settings of a cell as its parts write them.
struct OverlayRecipe {
  OverlaySource source{};
  std::vector<OverlayChange> changes{};  ///< one for each fault, in their order
};

/// Numbers that hide and show touch, of all cells of a model on one side, by place: an array for each of them, so that
/// cells that do the same are gone through in one loop. All are in one block of memory. The first three belong to the
/// state of the rig.
///
/// Threads  as ModelOverlay.
struct OverlayArrays {
  std::uint64_t *truth = nullptr, *shown = nullptr;  ///< values as in memory; narrow ones have zeros above
  std::uint8_t* is_shown = nullptr;
  double *a = nullptr, *b = nullptr;
  std::byte** at = nullptr;

  /// Words of a cell in the block, each in an array of its own; of the last only the first byte.
  enum Word : std::size_t { kTruth, kShown, kA, kB, kAt, kIsShown, kWords };
  using One = std::array<std::byte, kWords * sizeof(std::uint64_t)>;

  /// `one`: block of the only cell, as long as there is one; it must outlive this.
  explicit OverlayArrays(One& one) { use(one.data(), 1); }
  OverlayArrays(const OverlayArrays&) = delete;
  OverlayArrays& operator=(const OverlayArrays&) = delete;
  /// Adds a cell, and moves all arrays where there is no room for it.                             @when setup
  void add(std::byte* memory);

 private:
  void use(std::byte* block, std::size_t room);

  std::size_t count_ = 0, room_ = 1;
  std::vector<std::byte> block_{};
};

/// Places of cells that are gone through in one loop, from the fastest.
enum class OverlayLayout : std::uint8_t {
  packed,     ///< neighbours in memory, whose places follow each other
  even,       ///< equally far apart in memory; their places follow each other
  dense,      ///< their places follow each other
  scattered,  ///< anywhere
};

/// One element of a variable that a stimulus writes or faults change. What others see of it is apart from its true
/// value, so that nothing accumulates: the true value is in its memory whenever somebody is about to write there.
///
///     input, parameter     changed before each job of its model, after the copies: the job reads what is shown
///     output, state        changed after each job: the model goes on with the true value, others read what is shown
///
/// What it does is constant within a frame; its parts set that between frames. `recipe` is looked at when it is more than
/// one value or one change of a known kind.
struct OverlayCell {
  /// Kind of change of the true value; the arrays have its numbers.
  enum class Does : std::uint8_t {
    nothing,
    put,       ///< shows the bits of `a`
    add,       ///< shows truth + b
    line,      ///< shows truth * a + b
    limit,     ///< shows the truth, but not below a and not above b
    quantise,  ///< shows a whole multiple of a
    flip,      ///< shows the truth with the bits of `a` inverted
    recipe_,   ///< all else
  };

  std::byte* at = nullptr;
  OverlayArrays* in = nullptr;
  OverlayRecipe* recipe = nullptr;
  std::uint32_t place = 0;  ///< place in the arrays
  tactus_type type = TACTUS_DOUBLE;
  std::uint8_t bytes = 8;
  Does does = Does::nothing;
  bool before_jobs = false;  ///< an input or a parameter
  bool plain = false;        ///< shows the stimulus' value alone
  bool drawn = false;        ///< `b` of the arrays is newer than that of its one change
  bool listed = false;       ///< is one of the cells that ModelOverlay::draw() is called with

  bool is_shown() const TACTUS_RT { return in->is_shown[place] != 0; }
  bool has_source() const TACTUS_RT { return recipe->source.kind != OverlaySource::Kind::none; }
  bool acts() const TACTUS_RT { return does != Does::nothing; }
  /// The true value, or what a stimulus makes of it.
  std::uint64_t base() const TACTUS_RT;
  /// Returns what the first faults, this number of them, make of that.
  std::uint64_t through(std::size_t faults) const TACTUS_RT {
    std::uint64_t value = base();
    for (std::size_t i = 0; i < faults; ++i) value = recipe->changes[i].of(value, type);
    return value;
  }
  /// Returns what others are to see.
  std::uint64_t seen(std::uint64_t truth) const TACTUS_RT;
  /// Reads again from the recipe what it does. Nothing of it is shown.
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
  std::uint64_t truth() const TACTUS_RT { return is_shown() ? in->truth[place] : load(); }
  /// Puts the true value into its memory. A value that somebody else has put there since is the true one.
  void hide() const TACTUS_RT {
    if (!is_shown()) return;
    in->is_shown[place] = 0;
    if (load() == in->shown[place]) store(in->truth[place]);
  }
  /// Puts what is to be seen into its memory.
  void show() const TACTUS_RT {
    if (!acts() || is_shown()) return;
    in->truth[place] = load();
    in->shown[place] = seen(in->truth[place]);
    in->is_shown[place] = 1;
    store(in->shown[place]);
  }

 private:
  void load_narrow(std::uint64_t& value) const TACTUS_RT;
  void store_narrow(std::uint64_t value) const TACTUS_RT;
};

/// The value as a number.                                                                               @when rt
double overlay_number(tactus_type type, std::uint64_t bits) TACTUS_RT;
/// A number as a value: whole numbers are rounded and kept in their range, a bool is true unless it rounds to 0.
/// @when rt
std::uint64_t overlay_bits(tactus_type type, double number) TACTUS_RT;

}  // namespace tactus::executive
