// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/drawn_faults.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tactus::executive {

void DrawnFaults::add(std::size_t number, const CompiledFault& made, ModelOverlay& overlay, OverlayCell& cell,
                      std::size_t element) {
  cells_.push_back({number, &made, &overlay, &cell, static_cast<std::uint32_t>(element)});
  since_.resize(std::max(since_.size(), number + 1), kNone);
}

void DrawnFaults::sort_cells() {
  std::sort(cells_.begin(), cells_.end(), [](const Cell& one, const Cell& other) {
    const auto order = [](const Cell& of) {
      return std::tuple(of.overlay, of.cell->before_jobs, of.cell->at);
    };
    return order(one) < order(other);
  });
  const std::size_t rows = cells_.size();
  table_.size.resize(rows);
  table_.since.resize(rows);
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
      cell.drawn = is_drawn(each.number);
      if (each.made->kind != kind || !cell.drawn) continue;
      Group* const last = groups_.empty() ? nullptr : &groups_.back();
      if (last == nullptr || last->kind != kind || last->overlay != each.overlay ||
          last->cells.before_jobs != cell.before_jobs) {
        groups_.push_back({kind,
                           each.overlay,
                           each.overlay->kinds(),
                           {cell.before_jobs, &table_.places[row], 1, true},
                           row});
      } else {
        ++last->cells.count;
        last->cells.packed = last->cells.packed && cell.place == table_.places[row - 1] + 1 &&
                             cell.at == cell.in->at[table_.places[row - 1]] + sizeof(double);
      }
      table_.places[row] = cell.place;
      table_.elements[row] = each.element;
      table_.size[row] = each.made->b;
      table_.since[row] = static_cast<double>(since_[each.number]);
      table_.random[row++] = each.made->random;
    }
}

void DrawnFaults::run(std::int64_t k, double seconds_of_frame) TACTUS_RT {
  if (stale_) sort();
  const double* const size = table_.size.data();
  const double* const since = table_.since.data();
  const CounterRandom* const random = table_.random.data();
  const std::uint32_t* const elements = table_.elements.data();
  const auto now = static_cast<double>(k);  // numbers of frames are exact in a double
  for (const Group& group : groups_) {
    const std::size_t first = group.first;
    if (group.kind == FaultKind::drift)
      group.overlay->draw(group.cells, [=](std::size_t i) {
        return size[first + i] * (now - since[first + i]) * seconds_of_frame;
      });
    else
      group.overlay->draw(group.cells, [=](std::size_t i) {
        const std::size_t row = first + i;
        return size[row] * random[row].normal(k - static_cast<std::int64_t>(since[row]), elements[row] + 8);
      });
  }
}

}  // namespace tactus::executive
