// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/drawn_faults.hpp"

#include <algorithm>
#include <tuple>

namespace tactus::executive {

void DrawnFaults::add(std::size_t number, const CompiledFault& made, ModelOverlay& overlay, OverlayCell& cell,
                      std::size_t element) {
  cells_.push_back({number, &made, &overlay, &cell, static_cast<std::uint32_t>(element)});
  since_.resize(std::max(since_.size(), number + 1), kNone);
}

void DrawnFaults::sort_cells() {
  std::ranges::sort(cells_, {},
                    [](const Cell& of) { return std::tuple(of.overlay, of.cell->before_jobs, of.cell->at); });
  const std::size_t rows = cells_.size();
  table_.size.resize(rows);
  table_.since.resize(rows);
  table_.more.resize(rows);
  table_.places.resize(rows);
  table_.elements.resize(rows);
  table_.random.resize(rows);
  groups_.reserve(rows);
}

void DrawnFaults::sort() TACTUS_RT {
  stale_ = false;
  groups_.clear();
  std::size_t row = 0;
  for (const FaultKind kind : {FaultKind::drift, FaultKind::noise})
    for (const Cell& each : cells_) {
      OverlayCell& cell = *each.cell;
      cell.drawn = cell.listed = is_drawn(each.number);
      if (each.made->kind != kind || !cell.drawn) continue;
      table_.places[row] = cell.place;
      table_.since[row] = static_cast<double>(since_[each.number]);
      Group* const last = groups_.empty() ? nullptr : &groups_.back();
      if (last == nullptr || last->kind != kind || last->overlay != each.overlay ||
          last->cells.before_jobs != cell.before_jobs) {
        groups_.push_back(
            {kind, each.overlay, each.overlay->kinds(), {cell.before_jobs, &table_.places[row]}, row, true});
      } else {
        last->cells.add(cell);
        last->is_together = last->is_together && table_.since[row] == table_.since[row - 1];
      }
      table_.elements[row] = each.element;
      table_.size[row] = each.made->b;
      table_.random[row++] = each.made->random;
    }
}

void DrawnFaults::run(std::int64_t k, double seconds_of_frame) TACTUS_RT {
  if (stale_) sort();
  const auto now = static_cast<double>(k);  // numbers of frames are exact in a double
  for (const Group& group : groups_) {
    const std::size_t count = group.cells.count;
    const double* const __restrict size = table_.size.data() + group.first;
    const double* const __restrict since = table_.since.data() + group.first;
    double* const __restrict more = group.cells.layout == OverlayLayout::scattered
                                        ? table_.more.data() + group.first
                                        : group.overlay->drawn(group.cells);
    if (group.kind == FaultKind::noise) {
      const CounterRandom* const random = table_.random.data() + group.first;
      const std::uint32_t* const elements = table_.elements.data() + group.first;
      for (std::size_t i = 0; i < count; ++i)
        more[i] = size[i] * random[i].normal(k - static_cast<std::int64_t>(since[i]), elements[i] + 8);
    } else if (group.is_together) {
      const double frames = now - since[0];
      for (std::size_t i = 0; i < count; ++i) more[i] = size[i] * frames * seconds_of_frame;
    } else {
      for (std::size_t i = 0; i < count; ++i) more[i] = size[i] * (now - since[i]) * seconds_of_frame;
    }
    group.overlay->draw(group.cells, more);
  }
}

}  // namespace tactus::executive
