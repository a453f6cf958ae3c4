// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/flight/flight_values.hpp"

#include <bit>
#include <type_traits>

#include "executive/model/with_type.hpp"

namespace tactus::executive {
namespace {

/// Bits of a value: of a float or double those of a double, else of a 64-bit integer.
std::uint64_t bits_of(tactus_type type, const void* data) TACTUS_RT {
  return with_type(type, [data](auto zero) TACTUS_RT {
    const auto value = load_element<decltype(zero)>(data);
    if constexpr (std::is_floating_point_v<decltype(zero)>)
      return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    else
      return static_cast<std::uint64_t>(value);
  });
}

}  // namespace

FlightValues::FlightValues(const std::vector<VariableRef>& variables) {
  for (const VariableRef& ref : variables) {
    const Variable& variable = *ref.variable;
    const std::size_t each = size_of(variable.type);
    for (std::uint32_t i = 0; i < ref.elements; ++i) {
      sources_.push_back({ref.model, static_cast<const std::byte*>(ref.data()) + i * each, variable.type});
      names_.push_back({variable.name + index_text(variable, ref.first + i), variable.unit_text,
                        is_real(variable.type), variable.type == TACTUS_UINT64});
    }
  }
}

void FlightValues::redirect(FrameServices& services) {
  for (Source& source : sources_)
    source.data = services.place_of(source.model, source.data, size_of(source.type));
}

void FlightValues::put(FlightRing& ring) const TACTUS_RT {
  std::uint32_t n = 0;
  for (const Source& source : sources_)
    ring.put({bits_of(source.type, source.data), n++, 0, FlightKind::variable});
}

}  // namespace tactus::executive
