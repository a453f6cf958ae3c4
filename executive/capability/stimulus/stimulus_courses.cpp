// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/stimulus_courses.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace tactus::executive {
namespace {

using Kind = StimulusCourse::Kind;
constexpr double kFullTurn = 2 * std::numbers::pi;

/// Course between the points around a time.
StimulusCourse course_between_points(const StimulusSegment& segment, std::int64_t at_ns) TACTUS_RT {
  const auto& points = segment.points;
  const auto after = std::upper_bound(points.begin(), points.end(), at_ns,
                                      [](std::int64_t at, const auto& point) { return at < point.first; });
  StimulusCourse course;
  course.kind = Kind::level;
  course.until_ns = after == points.end() ? StimulusSegment::kForEver : after->first;
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
  StimulusCourse course;
  course.until_ns = kForEver;
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
  for (std::vector<double>* const each : {&table_.a, &table_.b, &table_.c, &table_.d}) each->push_back(0);
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

void StimulusCourses::set(std::size_t number, const StimulusCourse& course) TACTUS_RT {
  Stimulus& stimulus = all_[number];
  const bool same = stimulus.course.kind == course.kind;
  const bool matters = stimulus.course.is_drawn() || course.is_drawn();
  stimulus.course = course;
  if (!matters) return;
  if (same && !stale_)
    write(stimulus.row, course);
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
      Group* const last = groups_.empty() ? nullptr : &groups_.back();
      if (last == nullptr || last->kind != kind || last->overlay != stimulus.overlay ||
          last->cells.before_jobs != cell.before_jobs) {
        groups_.push_back({kind,
                           stimulus.overlay,
                           stimulus.overlay->kinds(),
                           {cell.before_jobs, &table_.places[row], 1, true},
                           row});
      } else {
        ++last->cells.count;
        last->cells.packed = last->cells.packed && cell.place == table_.places[row - 1] + 1 &&
                             stimulus.last == table_.last[row - 1] + 1 &&
                             cell.at == cell.in->at[table_.places[row - 1]] + sizeof(double);
      }
      stimulus.row = row;
      table_.places[row] = cell.place;
      table_.last[row] = stimulus.last;
      write(row++, stimulus.course);
    }
}

template <class Value>
void StimulusCourses::draw(const Group& group, Value value) TACTUS_RT {
  const std::size_t first = group.first;
  if (group.cells.packed) {
    std::uint64_t* const last = table_.last[first];
    group.overlay->put(
        group.cells, [=](std::size_t i) { return last[i] = std::bit_cast<std::uint64_t>(value(first + i)); });
    return;
  }
  std::uint64_t* const* const last = table_.last.data() + first;
  group.overlay->put(
      group.cells, [=](std::size_t i) { return *last[i] = std::bit_cast<std::uint64_t>(value(first + i)); });
}

void StimulusCourses::run(std::int64_t k, std::int64_t now_ns) TACTUS_RT {
  if (stale_) sort();
  const double* const a = table_.a.data();
  const double* const b = table_.b.data();
  const double* const c = table_.c.data();
  const double* const d = table_.d.data();
  const CounterRandom* const random = table_.random.data();
  const std::int64_t* const from_ns = table_.from_ns.data();
  for (const Group& group : groups_) {
    switch (group.kind) {
      case Kind::line:
        draw(group,
             [=](std::size_t i) { return a[i] + b[i] * (static_cast<double>(now_ns - from_ns[i]) / c[i]); });
        break;
      case Kind::sine:
        draw(group, [=](std::size_t i) {
          return a[i] + b[i] * std::sin(c[i] * (static_cast<double>(now_ns - from_ns[i]) * 1e-9) + d[i]);
        });
        break;
      case Kind::noise:
        draw(group, [=](std::size_t i) { return a[i] + b[i] * random[i].normal(k - from_ns[i]); });
        break;
      default:
        draw(group, [=](std::size_t i) {  // as level_of()
          const double t = static_cast<double>(now_ns - from_ns[i]) * 1e-9;
          const double turns = c[i] * (t + 1e-9) + 1e-9;
          return turns - std::floor(turns) < d[i] ? b[i] : a[i];
        });
    }
  }
}

}  // namespace tactus::executive
