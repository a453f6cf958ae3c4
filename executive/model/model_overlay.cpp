// SPDX-License-Identifier: Apache-2.0
#include "executive/model/model_overlay.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "executive/model/with_type.hpp"

namespace tactus::executive {

double overlay_number(tactus_type type, std::uint64_t bits) TACTUS_RT {
  return with_type(type,
                   [&bits](auto zero) { return static_cast<double>(load_element<decltype(zero)>(&bits)); });
}

std::uint64_t overlay_bits(tactus_type type, double number) TACTUS_RT {
  return with_type(type, [number](auto zero) -> std::uint64_t {
    using T = decltype(zero);
    StoredAs<T> value{};
    if constexpr (std::is_same_v<T, bool>) {
      value = std::nearbyint(number) == 0 || std::isnan(number) ? 0 : 1;
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(number);
    } else {
      const double whole = std::nearbyint(number);
      constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::min());
      constexpr auto kHigh = static_cast<double>(std::numeric_limits<T>::max());
      if (std::isnan(whole))
        value = 0;
      else if (whole <= kLow)
        value = std::numeric_limits<T>::min();
      else if (whole >= kHigh)
        value = std::numeric_limits<T>::max();
      else
        value = static_cast<T>(whole);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  });
}

std::uint64_t OverlayCell::base() const TACTUS_RT {
  switch (source) {
    case Source::none:
      break;
    case Source::value:
      return source_bits;
    case Source::mix:
      return overlay_bits(type, overlay_number(type, truth()) * mix_gain + mix_offset);
  }
  return truth();
}

std::uint64_t OverlayChange::of(std::uint64_t value, tactus_type type) const TACTUS_RT {
  switch (kind) {
    case Kind::none:
      break;
    case Kind::value:
      return bits;
    case Kind::linear:
      if (type == TACTUS_DOUBLE) return std::bit_cast<std::uint64_t>(std::bit_cast<double>(value) * a + b);
      return overlay_bits(type, overlay_number(type, value) * a + b);
    case Kind::flip:
      return value ^ bits;
    case Kind::quantise:
      return overlay_bits(type, std::nearbyint(overlay_number(type, value) / a) * a);
    case Kind::limit: {
      const double number = overlay_number(type, value);
      return number < a ? overlay_bits(type, a) : number > b ? overlay_bits(type, b) : value;
    }
    case Kind::swap:
      return other->base();
  }
  return value;
}

OverlayCell& ModelOverlay::cell_of(const VariableRef& ref, std::uint32_t element) {
  const std::size_t bytes = size_of(ref.variable->type);
  std::byte* const at = static_cast<std::byte*>(ref.variable->data) + (ref.first + element) * bytes;
  for (const Named& each : named_)
    if (each.cell->at == at) return *each.cell;
  OverlayCell& cell = cells_.emplace_back();
  cell.at = at;
  cell.type = ref.variable->type;
  cell.bytes = static_cast<std::uint8_t>(bytes);
  cell.before_jobs = ref.variable->role == TACTUS_INPUT || ref.variable->role == TACTUS_PARAMETER;
  (cell.before_jobs ? inputs_ : outputs_).push_back(&cell);
  named_.push_back({ref.variable->name + index_text(*ref.variable, ref.first + element), &cell});
  return cell;
}

}  // namespace tactus::executive
