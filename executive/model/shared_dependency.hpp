// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <set>
#include <string>

namespace tactus::executive {

/// A library names another one that lies in a folder of its own, but the process had loaded a different file of the same
/// name (SONAME) before: it computes with that one.
struct OtherDependency {
  std::string library;
  std::string name;    ///< "libtables.so.1"
  std::string own;     ///< the file that it would have found
  std::string loaded;  ///< the file that it got
  std::string symbol;  ///< one that it takes from there; empty: none is known
};

/// Finds one of the library that dlopen() returned, or of those it brought along: objects that are not in `before`.
/// Libraries that the program has itself, and those of the C and C++ languages, are shared on purpose.
/// @when setup
std::optional<OtherDependency> find_other_dependency(void* library, const std::set<const void*>& before);

}  // namespace tactus::executive
