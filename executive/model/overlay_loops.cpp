// SPDX-License-Identifier: Apache-2.0
#include "executive/model/overlay_loops.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace tactus::executive {
namespace {

using Does = OverlayCell::Does;

template <class T>
T load_from(const std::byte* at) TACTUS_RT {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void store_to(std::byte* at, T value) TACTUS_RT {
  std::memcpy(at, &value, sizeof value);
}
template <class T>
T from_bits(std::uint64_t bits) TACTUS_RT {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
std::uint64_t to_bits(T value) TACTUS_RT {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<std::uint64_t>(value);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<std::uint32_t>(value);
  else
    return value;
}

/// Returns what each kind makes of a value: the same as OverlayChange::of() and OverlayCell::base().
template <Does kDoes, class T>
T changed(T truth, double a, double b) TACTUS_RT {
  if constexpr (kDoes == Does::add) return static_cast<T>(static_cast<double>(truth) + b);
  if constexpr (kDoes == Does::line) return static_cast<T>(static_cast<double>(truth) * a + b);
  if constexpr (kDoes == Does::quantise)
    return static_cast<T>(std::nearbyint(static_cast<double>(truth) / a) * a);
  if constexpr (kDoes == Does::limit) {
    const auto number = static_cast<double>(truth);
    const T above = number > b ? static_cast<T>(b) : truth;
    return number < a ? static_cast<T>(a) : above;
  }
  if constexpr (kDoes == Does::flip) return truth ^ static_cast<T>(std::bit_cast<std::uint64_t>(a));
  return truth;
}

template <Does kDoes, class T>
void show_packed(OverlayArrays& in, std::byte* __restrict at, std::size_t first,
                 std::size_t count) TACTUS_RT {
  std::uint64_t* __restrict truth = in.truth.data() + first;
  std::uint64_t* __restrict shown = in.shown.data() + first;
  const double* __restrict a = in.a.data() + first;
  const double* __restrict b = in.b.data() + first;
  for (std::size_t i = 0; i < count; ++i, at += sizeof(T)) {
    const T was = load_from<T>(at);
    truth[i] = to_bits(was);
    if constexpr (kDoes == Does::put) {
      store_to(at, from_bits<T>(shown[i]));
    } else {
      const T now = changed<kDoes>(was, a[i], b[i]);
      shown[i] = to_bits(now);
      store_to(at, now);
    }
  }
}

template <Does kDoes, class T>
void show_places(OverlayArrays& in, const std::uint32_t* place, std::size_t count) TACTUS_RT {
  std::byte* const* const all = in.at.data();
  std::uint64_t* const truth = in.truth.data();
  std::uint64_t* const shown = in.shown.data();
  std::uint8_t* const is_shown = in.is_shown.data();
  const double* const a = in.a.data();
  const double* const b = in.b.data();
  for (const std::uint32_t* const end = place + count; place != end; ++place) {
    const std::uint32_t i = *place;
    std::byte* const at = all[i];
    const T was = load_from<T>(at);
    truth[i] = to_bits(was);
    T now{};
    if constexpr (kDoes == Does::put) {
      now = from_bits<T>(shown[i]);
    } else {
      now = changed<kDoes>(was, a[i], b[i]);
      shown[i] = to_bits(now);
    }
    store_to(at, now);
    is_shown[i] = 1;
  }
}

template <class T>
void hide_packed(OverlayArrays& in, std::byte* __restrict at, std::size_t first,
                 std::size_t count) TACTUS_RT {
  const std::uint64_t* __restrict truth = in.truth.data() + first;
  const std::uint64_t* __restrict shown = in.shown.data() + first;
  for (std::size_t i = 0; i < count; ++i, at += sizeof(T)) {
    const T now = load_from<T>(at);
    store_to(at, now == static_cast<T>(shown[i]) ? static_cast<T>(truth[i]) : now);
  }
}

template <class T>
void hide_places(OverlayArrays& in, const std::uint32_t* place, std::size_t count) TACTUS_RT {
  std::byte* const* const all = in.at.data();
  const std::uint64_t* const truth = in.truth.data();
  const std::uint64_t* const shown = in.shown.data();
  std::uint8_t* const is_shown = in.is_shown.data();
  for (const std::uint32_t* const end = place + count; place != end; ++place) {
    const std::uint32_t i = *place;
    const T now = load_from<T>(all[i]);
    store_to(all[i], now == static_cast<T>(shown[i]) ? static_cast<T>(truth[i]) : now);
    is_shown[i] = 0;
  }
}

template <class T>
bool differs_packed(const OverlayArrays& in, const std::byte* at, std::size_t first,
                    std::size_t count) TACTUS_RT {
  const std::uint64_t* const shown = in.shown.data() + first;
  T all = 0;
  for (std::size_t i = 0; i < count; ++i, at += sizeof(T))
    all = static_cast<T>(all | (load_from<T>(at) ^ static_cast<T>(shown[i])));
  return all != 0;
}

template <class T>
bool differs_places(const OverlayArrays& in, const std::uint32_t* place, std::size_t count) TACTUS_RT {
  T all = 0;
  for (const std::uint32_t* const end = place + count; place != end; ++place)
    all = static_cast<T>(all | (load_from<T>(in.at[*place]) ^ static_cast<T>(in.shown[*place])));
  return all != 0;
}

template <Does kDoes, class T>
void show_run(const OverlayRun& run, OverlayArrays& in, const std::uint32_t* places) TACTUS_RT {
  if (run.packed)
    show_packed<kDoes, T>(in, in.at[run.first], run.first, run.count);
  else
    show_places<kDoes, T>(in, places + run.first, run.count);
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

void OverlayLoops::sort(const std::vector<OverlayCell*>& acting) TACTUS_RT {
  constexpr std::size_t kLeast = 4;  // a shorter run costs more than its loop saves
  runs_.clear();
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
      runs_.push_back({cell.does, cell.bytes, true, cell.place, static_cast<std::uint32_t>(n)});
    else
      counts[kind_of(cell)] += static_cast<std::uint32_t>(n);
    i += n;
  }
  std::array<std::uint32_t, kKinds> next{};
  std::uint32_t sum = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    next[kind] = sum;
    if (counts[kind] > 0)
      runs_.push_back({static_cast<Does>(kind / 4), static_cast<std::uint8_t>(1U << (kind % 4)), false, sum,
                       counts[kind]});
    sum += counts[kind];
  }
  for (std::size_t i = 0; i < acting.size();) {
    const std::size_t n = length_at(i);
    for (std::size_t j = i; n < kLeast && j < i + n && acting[j]->acts(); ++j)
      places_[next[kind_of(*acting[j])]++] = acting[j]->place;
    i += n;
  }
}

void OverlayLoops::show(OverlayArrays& in, const std::vector<OverlayCell*>& all) const TACTUS_RT {
  const std::uint32_t* const places = places_.data();
  for (const OverlayRun& run : runs_) {
    if (run.packed) std::memset(in.is_shown.data() + run.first, 1, run.count);
    switch (run.does) {
      case Does::nothing:
        break;
      case Does::put:
        with_bytes(run.bytes,
                   [&](auto zero) TACTUS_RT { show_run<Does::put, decltype(zero)>(run, in, places); });
        break;
      case Does::flip:
        with_bytes(run.bytes,
                   [&](auto zero) TACTUS_RT { show_run<Does::flip, decltype(zero)>(run, in, places); });
        break;
      case Does::add:
        show_real<Does::add>(run, in, places);
        break;
      case Does::line:
        show_real<Does::line>(run, in, places);
        break;
      case Does::limit:
        show_real<Does::limit>(run, in, places);
        break;
      case Does::quantise:
        show_real<Does::quantise>(run, in, places);
        break;
      case Does::recipe_:
        for (std::uint32_t i = 0; i < run.count; ++i) all[places[run.first + i]]->show();
        break;
    }
  }
}

void OverlayLoops::hide(OverlayArrays& in, const std::vector<OverlayCell*>& all) const TACTUS_RT {
  const std::uint32_t* const places = places_.data();
  for (const OverlayRun& run : runs_) {
    if (run.does == Does::recipe_) {
      for (std::uint32_t i = 0; i < run.count; ++i) all[places[run.first + i]]->hide();
      continue;
    }
    if (run.packed) std::memset(in.is_shown.data() + run.first, 0, run.count);
    with_bytes(run.bytes, [&](auto zero) TACTUS_RT {
      using T = decltype(zero);
      if (run.packed)
        hide_packed<T>(in, in.at[run.first], run.first, run.count);
      else
        hide_places<T>(in, places + run.first, run.count);
    });
  }
}

bool OverlayLoops::is_overwritten(const OverlayArrays& in) const TACTUS_RT {
  return std::any_of(runs_.begin(), runs_.end(), [&](const OverlayRun& run) TACTUS_RT {
    return with_bytes(run.bytes, [&](auto zero) TACTUS_RT {
      using T = decltype(zero);
      return run.packed ? differs_packed<T>(in, in.at[run.first], run.first, run.count)
                        : differs_places<T>(in, places_.data() + run.first, run.count);
    });
  });
}

void OverlayLoops::add_again(OverlayArrays& in, std::size_t first, std::size_t count) TACTUS_RT {
  std::uint64_t* __restrict truth = in.truth.data() + first;
  std::uint64_t* __restrict shown = in.shown.data() + first;
  const double* __restrict b = in.b.data() + first;
  std::byte* __restrict at = in.at[first];
  for (std::size_t i = 0; i < count; ++i, at += sizeof(double)) {
    const auto was = load_from<std::uint64_t>(at);
    const std::uint64_t true_one = was != shown[i] ? was : truth[i];
    truth[i] = true_one;
    const std::uint64_t now = to_bits(std::bit_cast<double>(true_one) + b[i]);
    shown[i] = now;
    store_to(at, now);
  }
}

}  // namespace tactus::executive
