// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/stimulus_courses.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

namespace tactus::executive {
namespace {

using Kind = StimulusCourse::Kind;
constexpr double kFullTurn = 2 * std::numbers::pi;

/// Course between the points around a time.
StimulusCourse course_between_points(const StimulusSegment& segment, std::int64_t at_ns) TACTUS_RT {
  const auto& points = segment.points;
  const auto after =
      std::ranges::upper_bound(points, at_ns, {}, [](const auto& point) { return point.first; });
  StimulusCourse course{.kind = Kind::level,
                        .until_ns = after == points.end() ? StimulusSegment::kForEver : after->first};
  if (segment.holds || after == points.begin() || after == points.end()) return course;
  const auto& before = after[-1];
  course.kind = Kind::line;
  course.from_ns = before.first;
  course.a = before.second;
  course.b = after->second - before.second;
  course.c = static_cast<double>(after->first - before.first);
  return course;
}

}  // namespace

StimulusCourse course_of(const StimulusSegment& segment, const StimulusMoment& moment,
                         double entry) TACTUS_RT {
  using Shape = StimulusSegment::Shape;
  constexpr std::int64_t kForEver = StimulusSegment::kForEver;
  const std::int64_t at_ns = moment.now_ns - moment.from_ns;
  StimulusCourse course{.until_ns = kForEver};
  switch (segment.shape) {
    case Shape::hold:
      course.kind = Kind::level;
      break;
    case Shape::prbs:
      course.kind = Kind::level;
      course.until_ns = ((at_ns + 1) / segment.interval_ns + 1) * segment.interval_ns - 1;
      break;
    case Shape::points:
      course = course_between_points(segment, at_ns);
      break;
    case Shape::ramp:
      course.kind = Kind::line;
      course.a = segment.from_entry ? entry : segment.from;
      course.b = segment.to - course.a;
      course.c = static_cast<double>(segment.length_ns);
      break;
    case Shape::sine:
      course.kind = Kind::sine;
      course.a = segment.mean;
      course.b = segment.size;
      course.c = kFullTurn * segment.frequency;
      course.d = segment.phase;
      break;
    case Shape::square:
      course.kind = Kind::square;
      course.a = std::bit_cast<double>(segment.from_bits);
      course.b = std::bit_cast<double>(segment.to_bits);
      course.c = segment.frequency;
      course.d = segment.duty;
      break;
    case Shape::noise:
      if (segment.memory != 0) return {};  // it follows from the frame before
      course.kind = Kind::noise;
      course.a = segment.mean;
      course.b = segment.size;
      course.random = segment.random;
      break;
    case Shape::chirp:
    case Shape::expression:
      return {};
  }
  if (course.until_ns != kForEver) course.until_ns += moment.from_ns;
  course.until_ns = std::min(course.until_ns, moment.until_ns);
  course.from_ns = course.kind == Kind::noise ? moment.since : course.from_ns + moment.from_ns;
  return course;
}

void StimulusCourses::add(ModelOverlay& overlay, OverlayCell& cell, std::uint64_t* last) {
  all_.push_back({&overlay, &cell, last});
  for (std::vector<double>* const each : {&table_.a, &table_.b, &table_.c, &table_.d, &table_.value})
    each->push_back(0);
  table_.from_ns.push_back(0);
  table_.random.emplace_back();
  table_.places.push_back(0);
  table_.last.push_back(nullptr);
  groups_.reserve(all_.size());
}

void StimulusCourses::write(std::size_t row, const StimulusCourse& course) TACTUS_RT {
  table_.a[row] = course.a;
  table_.b[row] = course.b;
  table_.c[row] = course.c;
  table_.d[row] = course.d;
  table_.from_ns[row] = course.from_ns;
  table_.random[row] = course.random;
}

/// Gives the row of one that is drawn another course of its kind.
void StimulusCourses::rewrite(std::size_t row, const StimulusCourse& course) TACTUS_RT {
  if (course.from_ns != table_.from_ns[row]) {
    const auto behind = std::ranges::upper_bound(groups_, row, {}, &Group::first);
    Group& group = behind[-1];
    group.is_together = group.cells.count == 1;
  }
  write(row, course);
}

void StimulusCourses::set(std::size_t number, const StimulusCourse& course) TACTUS_RT {
  Stimulus& stimulus = all_[number];
  const bool same = stimulus.course.kind == course.kind;
  const bool matters = stimulus.course.is_drawn() || course.is_drawn();
  stimulus.course = course;
  if (!matters) return;
  if (same && !stale_)
    rewrite(stimulus.row, course);
  else
    stale_ = true;
}

void StimulusCourses::sort() TACTUS_RT {
  stale_ = false;
  groups_.clear();
  std::size_t row = 0;
  for (const Kind kind : {Kind::line, Kind::sine, Kind::square, Kind::noise})
    for (Stimulus& stimulus : all_) {
      if (stimulus.course.kind != kind) continue;
      const OverlayCell& cell = *stimulus.cell;
      table_.places[row] = cell.place;
      table_.last[row] = stimulus.last;
      write(row, stimulus.course);
      Group* const last = groups_.empty() ? nullptr : &groups_.back();
      if (last == nullptr || last->kind != kind || last->overlay != stimulus.overlay ||
          last->cells.before_jobs != cell.before_jobs) {
        groups_.push_back({kind,
                           stimulus.overlay,
                           stimulus.overlay->kinds(),
                           {cell.before_jobs, &table_.places[row]},
                           row,
                           true,
                           true});
      } else {
        last->cells.add(cell);
        last->follows = last->follows && stimulus.last == table_.last[row - 1] + 1;
        last->is_together = last->is_together && table_.from_ns[row] == table_.from_ns[row - 1];
      }
      stimulus.row = row++;
    }
}

/// Computes the values of a group.
void StimulusCourses::compute(const Group& group, std::int64_t k, std::int64_t now_ns) TACTUS_RT {
  const std::size_t first = group.first, count = group.cells.count;
  const double* const __restrict a = table_.a.data() + first;
  const double* const __restrict b = table_.b.data() + first;
  const double* const __restrict c = table_.c.data() + first;
  const double* const __restrict d = table_.d.data() + first;
  const CounterRandom* const random = table_.random.data() + first;
  const std::int64_t* const __restrict from_ns = table_.from_ns.data() + first;
  double* const __restrict value = table_.value.data() + first;
  const auto each = [&](auto of) TACTUS_RT {
    const auto together = static_cast<double>(now_ns - from_ns[0]);
    if (group.is_together)
      for (std::size_t i = 0; i < count; ++i) value[i] = of(i, together);
    else
      for (std::size_t i = 0; i < count; ++i) value[i] = of(i, static_cast<double>(now_ns - from_ns[i]));
  };
  switch (group.kind) {
    case Kind::line:
      return each([=](std::size_t i, double at_ns) { return a[i] + b[i] * (at_ns / c[i]); });
    case Kind::sine:
      return each(
          [=](std::size_t i, double at_ns) { return a[i] + b[i] * std::sin(c[i] * (at_ns * 1e-9) + d[i]); });
    case Kind::noise:
      for (std::size_t i = 0; i < count; ++i) value[i] = a[i] + b[i] * random[i].normal(k - from_ns[i]);
      return;
    default:
      return each([=](std::size_t i, double at_ns) {  // as level_of()
        const double turns = c[i] * (at_ns * 1e-9 + 1e-9) + 1e-9;
        return turns - std::floor(turns) < d[i] ? b[i] : a[i];
      });
  }
}

void StimulusCourses::run(std::int64_t k, std::int64_t now_ns) TACTUS_RT {
  if (stale_) sort();
  for (const Group& group : groups_) {
    compute(group, k, now_ns);
    const double* const value = table_.value.data() + group.first;
    std::uint64_t* const* const last = table_.last.data() + group.first;
    if (group.follows)
      std::memcpy(last[0], value, group.cells.count * sizeof *value);
    else
      for (std::size_t i = 0; i < group.cells.count; ++i) *last[i] = std::bit_cast<std::uint64_t>(value[i]);
    group.overlay->put(group.cells, value);
  }
}

}  // namespace tactus::executive
