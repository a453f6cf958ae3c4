// SPDX-License-Identifier: Apache-2.0
#include "executive/model/overlay_loops.hpp"

#include <array>
#include <bit>

#include "executive/model/overlay_change.hpp"
#include "executive/model/overlay_sums.hpp"

namespace tactus::executive {
namespace {

using Does = OverlayCell::Does;
using overlay_change::changed;
using overlay_change::from_bits;
using overlay_change::load_from;
using overlay_change::store_to;
using overlay_change::to_bits;

constexpr std::size_t kWord = sizeof(std::uint64_t);

void mark(OverlayArrays& in, std::size_t first, std::size_t count, std::uint8_t is_shown) TACTUS_RT {
  if (count == 1)
    in.is_shown[first] = is_shown;
  else
    std::memset(in.is_shown + first, is_shown, count);
}

template <Does kDoes, class T>
void show_packed(OverlayArrays& in, std::size_t first, std::size_t count) TACTUS_RT {
  std::byte* __restrict at = in.at[first];
  std::uint64_t* __restrict truth = in.truth + first;
  std::uint64_t* __restrict shown = in.shown + first;
  const double* __restrict a = in.a + first;
  const double* __restrict b = in.b + first;
  if constexpr (kDoes == Does::add && std::is_same_v<T, double>) {
    show_sums(at, truth, shown, b, count);
  } else if constexpr (sizeof(T) == kWord) {
    std::memcpy(truth, at, count * kWord);
    if constexpr (kDoes != Does::put)
      for (std::size_t i = 0; i < count; ++i)
        shown[i] = to_bits(changed<kDoes>(from_bits<T>(truth[i]), a[i], b[i]));
    std::memcpy(at, shown, count * kWord);
  } else {
    for (std::size_t i = 0; i < count; ++i, at += sizeof(T)) {
      const T was = load_from<T>(at);
      truth[i] = to_bits(was);
      if constexpr (kDoes != Does::put) shown[i] = to_bits(changed<kDoes>(was, a[i], b[i]));
      store_to(at, from_bits<T>(shown[i]));
    }
  }
}

/// The cells of a run one by one: `cell` has the place and the memory of the nth.
template <Does kDoes, class T, class Cells>
void show_each(OverlayArrays& in, std::size_t count, Cells cells) TACTUS_RT {
  std::uint64_t* const __restrict truth = in.truth;
  std::uint64_t* const __restrict shown = in.shown;
  const double* const __restrict a = in.a;
  const double* const __restrict b = in.b;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t i = cells.place(n);
    std::byte* const at = cells.at(n, i);
    const T was = load_from<T>(at);
    T now{};
    if constexpr (kDoes == Does::put)
      now = from_bits<T>(shown[i]);
    else
      now = changed<kDoes>(was, a[i], b[i]);
    store_to(at, now);
    truth[i] = to_bits(was);
    if constexpr (kDoes != Does::put) shown[i] = to_bits(now);
  }
}

template <class T>
void hide_packed(OverlayArrays& in, std::size_t first, std::size_t count) TACTUS_RT {
  std::byte* __restrict at = in.at[first];
  const std::uint64_t* __restrict truth = in.truth + first;
  const std::uint64_t* __restrict shown = in.shown + first;
  if (sizeof(T) == kWord && OverlayLoops::holds_shown(in, first, count)) {
    std::memcpy(at, truth, count * kWord);
    return;
  }
  for (std::size_t i = 0; i < count; ++i, at += sizeof(T)) {
    const T now = load_from<T>(at);
    store_to(at, now == static_cast<T>(shown[i]) ? static_cast<T>(truth[i]) : now);
  }
}

template <class T, class Cells>
void hide_each(OverlayArrays& in, std::size_t count, Cells cells) TACTUS_RT {
  const std::uint64_t* const __restrict truth = in.truth;
  const std::uint64_t* const __restrict shown = in.shown;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t i = cells.place(n);
    std::byte* const at = cells.at(n, i);
    const T now = load_from<T>(at);
    store_to(at, now == static_cast<T>(shown[i]) ? static_cast<T>(truth[i]) : now);
  }
}

template <class T, class Cells>
bool differs_each(const OverlayArrays& in, std::size_t count, Cells cells) TACTUS_RT {
  T all = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t i = cells.place(n);
    all = static_cast<T>(all | (load_from<T>(cells.at(n, i)) ^ static_cast<T>(in.shown[i])));
  }
  return all != 0;
}

/// Calls `use` with the cells of a run that are not packed.
template <class Use>
auto with_run(const OverlayRun& run, const OverlayArrays& in, const std::uint32_t* places,
              Use use) TACTUS_RT {
  return OverlayLoops::with_cells(run.layout, places + run.first, run.first, run.count, in, use);
}

void mark(const OverlayRun& run, OverlayArrays& in, const std::uint32_t* places,
          std::uint8_t is_shown) TACTUS_RT {
  if (run.layout != OverlayLayout::scattered) return mark(in, run.first, run.count, is_shown);
  for (std::size_t n = 0; n < run.count; ++n) in.is_shown[places[run.first + n]] = is_shown;
}

template <Does kDoes, class T>
void show_run(const OverlayRun& run, OverlayArrays& in, const std::uint32_t* places) TACTUS_RT {
  if (run.layout == OverlayLayout::packed) return show_packed<kDoes, T>(in, run.first, run.count);
  with_run(run, in, places, [&](auto cells) TACTUS_RT { show_each<kDoes, T>(in, run.count, cells); });
}

/// Calls `use` with a zero of the whole number that is as large.
template <class Use>
auto with_bytes(std::uint8_t bytes, Use use) TACTUS_RT {
  switch (bytes) {
    case 1:
      return use(std::uint8_t{});
    case 2:
      return use(std::uint16_t{});
    case 4:
      return use(std::uint32_t{});
    default:
      return use(std::uint64_t{});
  }
}

template <Does kDoes>
void show_real(const OverlayRun& run, OverlayArrays& in, const std::uint32_t* places) TACTUS_RT {
  if (run.bytes == sizeof(double))
    show_run<kDoes, double>(run, in, places);
  else
    show_run<kDoes, float>(run, in, places);
}

/// Layout of cells whose places follow each other.
OverlayLayout layout_of(const OverlayArrays& in, std::size_t first, std::size_t count) TACTUS_RT {
  for (std::size_t i = first + 2; i < first + count; ++i)
    if (in.at[i] - in.at[i - 1] != in.at[first + 1] - in.at[first]) return OverlayLayout::dense;
  return count < 3 ? OverlayLayout::dense : OverlayLayout::even;
}

/// Number of the kind of a cell: what it does, and the size of its values.
std::size_t kind_of(const OverlayCell& cell) TACTUS_RT {
  return static_cast<std::size_t>(cell.does) * 4 +
         static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(cell.bytes)));
}

}  // namespace

void OverlayLoops::grow() {
  ++cells_;
  places_.resize(cells_);
  runs_.reserve(kKinds + cells_);
}

void OverlayLoops::sort(const OverlayArrays& in, const std::vector<OverlayCell*>& acting) TACTUS_RT {
  constexpr std::size_t kLeast = 4;  // a shorter run costs more than its loop saves
  runs_.clear();
  is_one_ = false;
  std::array<std::uint32_t, kKinds> counts{};
  const auto length_at = [&acting](std::size_t i) TACTUS_RT {
    const OverlayCell& first = *acting[i];
    if (first.does == Does::recipe_) return std::size_t{1};
    std::size_t n = 1;
    for (; i + n < acting.size(); ++n) {
      const OverlayCell& next = *acting[i + n];
      if (next.place != first.place + n || next.at != first.at + n * first.bytes ||
          kind_of(next) != kind_of(first))
        break;
    }
    return n;
  };
  for (std::size_t i = 0; i < acting.size();) {
    const std::size_t n = length_at(i);
    const OverlayCell& cell = *acting[i];
    if (cell.does == Does::nothing) {  // it came with a state, and is hidden cell by cell
      i += n;
      continue;
    }
    if (n >= kLeast)
      runs_.push_back(
          {cell.does, cell.bytes, OverlayLayout::packed, cell.place, static_cast<std::uint32_t>(n)});
    else
      counts[kind_of(cell)] += static_cast<std::uint32_t>(n);
    i += n;
  }
  std::array<std::uint32_t, kKinds> next{};
  std::uint32_t sum = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    next[kind] = sum;
    if (counts[kind] > 0)
      runs_.push_back({static_cast<Does>(kind / 4), static_cast<std::uint8_t>(1U << (kind % 4)),
                       OverlayLayout::scattered, sum, counts[kind]});
    sum += counts[kind];
  }
  for (std::size_t i = 0; i < acting.size();) {
    const std::size_t n = length_at(i);
    for (std::size_t j = i; n < kLeast && j < i + n && acting[j]->acts(); ++j)
      places_[next[kind_of(*acting[j])]++] = acting[j]->place;
    i += n;
  }
  for (OverlayRun& run : runs_) {
    if (run.layout == OverlayLayout::packed || run.does == Does::recipe_) continue;
    const std::uint32_t first = places_[run.first];
    if (places_[run.first + run.count - 1] - first != run.count - 1) continue;
    run.first = first;
    run.layout = layout_of(in, first, run.count);
  }
  sorted_ = runs_.size();
  keep_one();
}

/// Keeps the only run beside what else a frame reads of a model.
void OverlayLoops::keep_one() TACTUS_RT {
  is_one_ = runs_.size() == 1;
  if (is_one_) one_ = runs_.front();
}

bool OverlayLoops::remove(const OverlayCell& cell, OverlayCell::Does did) TACTUS_RT {
  const auto drop = [this](OverlayRun& run) TACTUS_RT {
    run = runs_.back();
    runs_.pop_back();
  };
  for (OverlayRun& run : runs_) {
    if (run.does != did || run.bytes != cell.bytes) continue;
    if (run.layout == OverlayLayout::scattered) {
      std::uint32_t* const first = places_.data() + run.first;
      std::uint32_t* const last = first + run.count;
      std::uint32_t* const at = std::lower_bound(first, last, cell.place);
      if (at == last || *at != cell.place) continue;
      std::copy(at + 1, last, at);
      if (--run.count == 0) drop(run);
      keep_one();
      return true;
    }
    if (cell.place < run.first || cell.place - run.first >= run.count) continue;
    const std::uint32_t before = cell.place - run.first, after = run.count - before - 1;
    if (before > 0 && after > 0) {
      if (!has_room()) return false;
      OverlayRun rest = run;
      rest.first = cell.place + 1;
      rest.count = after;
      run.count = before;
      runs_.push_back(rest);
    } else if (before > 0) {
      run.count = before;
    } else if (after > 0) {
      run.first = cell.place + 1;
      run.count = after;
    } else {
      drop(run);
    }
    keep_one();
    return true;
  }
  return false;
}

bool OverlayLoops::add(const OverlayArrays& in, const OverlayCell& cell) TACTUS_RT {
  for (OverlayRun& run : runs_)
    if (run.layout == OverlayLayout::packed && run.does == cell.does && run.bytes == cell.bytes &&
        cell.place == run.first + run.count && in.at[cell.place] == in.at[cell.place - 1] + cell.bytes) {
      ++run.count;
      keep_one();
      return true;
    }
  if (!has_room()) return false;
  runs_.push_back({cell.does, cell.bytes, OverlayLayout::dense, cell.place, 1});
  keep_one();
  return true;
}

void OverlayLoops::show(const OverlayRun& run, OverlayArrays& in,
                        const std::vector<OverlayCell*>& all) const TACTUS_RT {
  const std::uint32_t* const places = places_.data();
  if (run.does != Does::recipe_) mark(run, in, places, 1);
  switch (run.does) {
    case Does::nothing:
      break;
    case Does::put:
      return with_bytes(run.bytes,
                        [&](auto zero) TACTUS_RT { show_run<Does::put, decltype(zero)>(run, in, places); });
    case Does::flip:
      return with_bytes(run.bytes,
                        [&](auto zero) TACTUS_RT { show_run<Does::flip, decltype(zero)>(run, in, places); });
    case Does::add:
      return show_real<Does::add>(run, in, places);
    case Does::line:
      return show_real<Does::line>(run, in, places);
    case Does::limit:
      return show_real<Does::limit>(run, in, places);
    case Does::quantise:
      return show_real<Does::quantise>(run, in, places);
    case Does::recipe_:
      for (std::uint32_t i = 0; i < run.count; ++i) all[places[run.first + i]]->show();
  }
}

void OverlayLoops::hide(const OverlayRun& run, OverlayArrays& in,
                        const std::vector<OverlayCell*>& all) const TACTUS_RT {
  const std::uint32_t* const places = places_.data();
  if (run.does == Does::recipe_) {
    for (std::uint32_t i = 0; i < run.count; ++i) all[places[run.first + i]]->hide();
    return;
  }
  mark(run, in, places, 0);
  with_bytes(run.bytes, [&](auto zero) TACTUS_RT {
    using T = decltype(zero);
    if (run.layout == OverlayLayout::packed) return hide_packed<T>(in, run.first, run.count);
    with_run(run, in, places, [&](auto cells) TACTUS_RT { hide_each<T>(in, run.count, cells); });
  });
}

bool OverlayLoops::differs(const OverlayRun& run, const OverlayArrays& in) const TACTUS_RT {
  if (run.layout == OverlayLayout::packed && run.bytes == kWord)
    return !holds_shown(in, run.first, run.count);
  return with_bytes(run.bytes, [&](auto zero) TACTUS_RT {
    return with_run(run, in, places_.data(),
                    [&](auto cells) TACTUS_RT { return differs_each<decltype(zero)>(in, run.count, cells); });
  });
}

}  // namespace tactus::executive
