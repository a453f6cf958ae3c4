// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executive/capability/stimulus/stimulus_source.hpp"
#include "executive/model/model_overlay.hpp"

namespace tactus::executive {

/// Value of a stimulus while it depends on the time alone.
struct StimulusCourse {
  enum class Kind : std::uint8_t {
    none,
    level,   ///< one value
    line,    ///< a + b * (at / c)
    sine,    ///< a + b * sin(c * at + d)
    square,  ///< the bits of b, or of a: at the frequency c, the part d of it
    noise,   ///< a + b * white noise, frame by frame
  };
  Kind kind = Kind::none;
  std::int64_t until_ns = 0;  ///< simulated time at which it ends
  std::int64_t from_ns =
      0;  ///< simulated time from which `at` counts; of noise the frame in which the stimulus began
  double a = 0, b = 0, c = 0, d = 0;
  CounterRandom random{};

  bool is_drawn() const TACTUS_RT { return kind > Kind::level; }
};

/// Simulated times around a value of a segment.
struct StimulusMoment {
  std::int64_t now_ns = 0;
  std::int64_t from_ns = 0, until_ns = 0;  ///< begin and end of the segment
  std::int64_t since = 0;                  ///< frame in which the stimulus began
};
/// Returns the course of a segment. `entry`: value before a ramp. Only a level is right for variables that are not doubles.
/// @when rt
StimulusCourse course_of(const StimulusSegment& segment, const StimulusMoment& moment,
                         double entry) TACTUS_RT;

/// Courses of doubles of which each frame has another value, sorted by their kind: each kind is one loop.
///
/// Threads  the frames' main thread.
/// RT       everything but the constructor and add().
class StimulusCourses {
 public:
  /// Adds the next stimulus, in the order of the cells' addresses. `last`: place of its value in each frame; those of
  /// stimuli that follow each other do so, too.                                                     @when setup
  void add(ModelOverlay& overlay, OverlayCell& cell, std::uint64_t* last);

  bool is_drawn(std::size_t number) const TACTUS_RT { return all_[number].course.is_drawn(); }
  /// Gives a stimulus another course; one that is not drawn takes it out.
  void set(std::size_t number, const StimulusCourse& course) TACTUS_RT;
  /// Calls `lost` with the number of each one whose cell shows something else now.
  template <class Lost>
  void look_for_lost(Lost lost) TACTUS_RT {
    bool other = false;
    for (Group& group : groups_)
      if (const std::uint32_t now = group.overlay->kinds(); group.kinds != now) {
        group.kinds = now;
        other = true;
      }
    if (!other) return;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (is_drawn(i) && !all_[i].cell->plain) {
        set(i, {});  // only then the table is made anew
        lost(i);
      }
  }
  /// Computes all values of frame k, and lets the cells show them.
  void run(std::int64_t k, std::int64_t now_ns) TACTUS_RT;

 private:
  struct Stimulus {
    ModelOverlay* overlay = nullptr;
    OverlayCell* cell = nullptr;
    std::uint64_t* last = nullptr;
    StimulusCourse course{};
    std::size_t row = 0;  ///< row of the table, while it is drawn
  };
  /// All that a frame reads of them.
  struct Table {
    std::vector<double> a{}, b{}, c{}, d{};
    std::vector<std::int64_t> from_ns{};
    std::vector<CounterRandom> random{};
    std::vector<std::uint32_t> places{};
    std::vector<std::uint64_t*> last{};
    std::vector<double> value{};  ///< values of the frame
  };
  /// Rows of one kind and one side of a model.
  struct Group {
    StimulusCourse::Kind kind = StimulusCourse::Kind::none;
    ModelOverlay* overlay = nullptr;
    std::uint32_t kinds = 0;
    OverlayCells cells{};
    std::size_t first = 0;
    bool follows = true;      ///< the places of their values follow each other
    bool is_together = true;  ///< times count from the same one
  };
  void sort() TACTUS_RT;
  void write(std::size_t row, const StimulusCourse& course) TACTUS_RT;
  void rewrite(std::size_t row, const StimulusCourse& course) TACTUS_RT;
  void compute(const Group& group, std::int64_t k, std::int64_t now_ns) TACTUS_RT;

  std::vector<Stimulus> all_;
  Table table_;
  std::vector<Group> groups_;
  bool stale_ = false;
};

}  // namespace tactus::executive
