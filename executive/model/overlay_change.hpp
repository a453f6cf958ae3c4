// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Makes of one value what an overlay shows: the same bits in loops over many cells and for one alone.
///
/// Threads  pure functions.
/// RT       all of it.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "executive/model/overlay_cell.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {
namespace overlay_change {

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
template <OverlayCell::Does kDoes, class T>
T changed(T truth, double a, double b) TACTUS_RT {
  using Does = OverlayCell::Does;
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

}  // namespace overlay_change

/// Returns what a cell of eight bytes that is no recipe shows. `shown`: what it showed; a value that is put stays.
inline std::uint64_t changed_word(OverlayCell::Does does, std::uint64_t truth, std::uint64_t shown, double a,
                                  double b) TACTUS_RT {
  using Does = OverlayCell::Does;
  using overlay_change::changed;
  using overlay_change::to_bits;
  const auto real = [&] { return std::bit_cast<double>(truth); };
  switch (does) {
    case Does::put:
      return shown;
    case Does::add:
      return to_bits(changed<Does::add>(real(), a, b));
    case Does::line:
      return to_bits(changed<Does::line>(real(), a, b));
    case Does::limit:
      return to_bits(changed<Does::limit>(real(), a, b));
    case Does::quantise:
      return to_bits(changed<Does::quantise>(real(), a, b));
    case Does::flip:
      return changed<Does::flip>(truth, a, b);
    case Does::nothing:
    case Does::recipe_:
      break;
  }
  return truth;
}

}  // namespace tactus::executive
