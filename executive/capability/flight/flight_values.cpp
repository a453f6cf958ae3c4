// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/flight/flight_values.hpp"

#include <bit>
#include <cstring>

namespace tactus::executive {
namespace {

template <class T>
T read(const void* data) TACTUS_RT {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

/// Bits of a value: of a float or double those of a double, else of a 64-bit integer.
std::uint64_t bits_of(tactus_type type, const void* data) TACTUS_RT {
  const auto whole = [](std::int64_t value) TACTUS_RT { return static_cast<std::uint64_t>(value); };
  switch (type) {
    case TACTUS_BOOL:
      return read<std::uint8_t>(data) != 0 ? 1 : 0;
    case TACTUS_INT8:
      return whole(read<std::int8_t>(data));
    case TACTUS_UINT8:
      return read<std::uint8_t>(data);
    case TACTUS_INT16:
      return whole(read<std::int16_t>(data));
    case TACTUS_UINT16:
      return read<std::uint16_t>(data);
    case TACTUS_INT32:
      return whole(read<std::int32_t>(data));
    case TACTUS_UINT32:
      return read<std::uint32_t>(data);
    case TACTUS_INT64:
    case TACTUS_UINT64:
      return read<std::uint64_t>(data);
    case TACTUS_FLOAT:
      return std::bit_cast<std::uint64_t>(static_cast<double>(read<float>(data)));
    case TACTUS_DOUBLE:
      return read<std::uint64_t>(data);
  }
  return 0;
}

}  // namespace

FlightValues::FlightValues(const std::vector<VariableRef>& variables) {
  for (const VariableRef& ref : variables) {
    const Variable& variable = *ref.variable;
    const std::size_t each = size_of(variable.type);
    for (std::uint32_t i = 0; i < ref.elements; ++i) {
      sources_.push_back({ref.model, static_cast<const std::byte*>(ref.data()) + i * each, variable.type});
      names_.push_back({variable.name + index_text(variable, ref.first + i), variable.unit_text,
                        variable.type == TACTUS_FLOAT || variable.type == TACTUS_DOUBLE});
    }
  }
}

void FlightValues::redirect(FrameServices& services) {
  for (Source& source : sources_)
    if (const void* const place = source.model == nullptr
                                      ? nullptr
                                      : services.view(source.model, source.data, size_of(source.type)))
      source.data = place;
}

void FlightValues::put(FlightRing& ring) const TACTUS_RT {
  std::uint32_t n = 0;
  for (const Source& source : sources_)
    ring.put({bits_of(source.type, source.data), n++, 0, FlightKind::variable});
}

}  // namespace tactus::executive
