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

void OverlayCell::load_narrow(std::uint64_t& value) const TACTUS_RT { std::memcpy(&value, at, bytes); }

void OverlayCell::store_narrow(std::uint64_t value) const TACTUS_RT { std::memcpy(at, &value, bytes); }

std::uint64_t OverlayCell::base() const TACTUS_RT {
  const OverlaySource& source = recipe->source;
  switch (source.kind) {
    case OverlaySource::Kind::none:
      break;
    case OverlaySource::Kind::value:
      return source.bits;
    case OverlaySource::Kind::mix:
      return overlay_bits(type, overlay_number(type, truth()) * source.gain + source.offset);
  }
  return truth();
}

void OverlayCell::settle() TACTUS_RT {
  const OverlayChange* only = nullptr;  // the change that counts
  std::size_t number = 0;
  for (const OverlayChange& change : recipe->changes) {
    if (change.kind == OverlayChange::Kind::none) continue;
    number = change.kind == OverlayChange::Kind::value ? 1 : number + 1;  // one value replaces all before it
    only = &change;
  }
  const OverlaySource& source = recipe->source;
  does = Does::recipe_;
  plain = number == 0 && source.kind == OverlaySource::Kind::value;
  if (number == 1 && only->kind == OverlayChange::Kind::value) {
    does = Does::put;
    a = std::bit_cast<double>(only->bits);
  } else if (plain) {
    does = Does::put;
    a = std::bit_cast<double>(source.bits);
  } else if (number == 0 && source.kind == OverlaySource::Kind::none) {
    does = Does::nothing;
  } else if (type == TACTUS_DOUBLE && number == 0) {
    does = Does::line;
    a = source.gain;
    b = source.offset;
  } else if (type == TACTUS_DOUBLE && number == 1 && only->kind == OverlayChange::Kind::linear &&
             source.kind == OverlaySource::Kind::none) {
    does = Does::line;
    a = only->a;
    b = only->b;
  }
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
      return other->through(other_place);
  }
  return value;
}

/// A cell may show what others are: then all are shown anew.
void ModelOverlay::changed(OverlayCell& cell, bool acted) TACTUS_RT {
  touched_ = true;
  Side& side = cell.before_jobs ? inputs_ : outputs_;
  if (cell.acts() != acted) side.stale = true;
  side.state = Side::mixed;
}

void ModelOverlay::gather(Side& side) TACTUS_RT {
  side.stale = false;
  side.state = Side::mixed;
  side.acting.clear();
  for (OverlayCell* const cell : side.all)
    if (cell->acts() || cell->kept.is_shown != 0) side.acting.push_back(cell);  // its room is reserved
}

OverlayCell& ModelOverlay::cell_of(const VariableRef& ref, std::uint32_t element) {
  constexpr std::size_t kBlock = 256;
  const std::size_t bytes = size_of(ref.variable->type);
  std::byte* const at = static_cast<std::byte*>(ref.variable->data) + (ref.first + element) * bytes;
  if (const auto known = places_.find(at); known != places_.end()) return *known->second;
  if (blocks_.empty() || blocks_.back().size() == kBlock) blocks_.emplace_back().reserve(kBlock);
  OverlayCell& cell = blocks_.back().emplace_back();
  cell.at = at;
  cell.recipe = &recipes_.emplace_back();
  cell.type = ref.variable->type;
  cell.bytes = static_cast<std::uint8_t>(bytes);
  cell.before_jobs = ref.variable->role == TACTUS_INPUT || ref.variable->role == TACTUS_PARAMETER;
  Side& side = cell.before_jobs ? inputs_ : outputs_;
  side.all.push_back(&cell);
  side.acting.reserve(side.all.capacity());
  places_.emplace(at, &cell);
  named_.push_back({ref.variable->name + index_text(*ref.variable, ref.first + element), &cell});
  return cell;
}

}  // namespace tactus::executive
