// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// A value of an enum and its word.
template <class Enum>
struct Worded {
  Enum value;
  const char* word;
};

/// Returns the word of a value; `otherwise` for a number that is none of the values.
template <class Enum, std::size_t size>
constexpr const char* word_of(const Worded<Enum> (&words)[size], Enum value,
                              const char* otherwise = "unknown") TACTUS_RT {
  for (const Worded<Enum>& each : words)
    if (each.value == value) return each.word;
  return otherwise;
}

}  // namespace tactus::rtsync
