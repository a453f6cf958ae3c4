// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tactus::executive {

/// A symbol that a library defines, but which the loader bound to the definition of another file: the library computes
/// with the other's data or code.
struct ForeignBinding {
  std::string symbol;  ///< name as its author wrote it
  std::string library;
  std::string other;
};

/// A symbol as its author wrote it: "calib::gain(double)".                                     @when setup
std::string demangled(std::string_view symbol);

/// Returns whether a symbol belongs to the compiler or the standard library, whose copies are the same for all.
/// @when any
bool belongs_to_the_language(std::string_view symbol);

/// The objects that the process has loaded.                                                     @when setup
std::set<const void*> loaded_objects();

/// Finds a foreign binding of the library that dlopen() returned, or of those it brought along: objects that
/// are not in `before`. Symbols of the C library which the program replaces, such as malloc, do not count.
/// @when setup
std::optional<ForeignBinding> find_foreign_binding(void* library, const std::set<const void*>& before);

}  // namespace tactus::executive
