// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/driver.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/fields.hpp"

namespace tactus::executive {

/// A text of a driver; a null pointer is an empty one.
inline const char* sdk_text(const char* text) { return text == nullptr ? "" : text; }

/// Copies what this tactus knows of a struct of a driver, whose first member is its size. Throws Error when that has not
/// the bytes of the first headers, or does not fit: "`whose` a size of 4 bytes, and ...".
template <class Error, class Struct>
Struct known_part(const void* given, std::size_t least, const std::string& whose) {
  std::uint32_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < least || size % alignof(Struct) != 0)
    throw Error(whose + " a size of " + std::to_string(size) + " bytes, and at least " +
                std::to_string(least) +
                " are needed; compile the driver again, with the tactus/driver.h of this tactus and without "
                "-fpack-struct");
  Struct known{};
  std::memcpy(&known, given, std::min<std::size_t>(size, sizeof known));
  return known;
}

/// The value of a key that a driver described, and where it is.
struct KeptValue {
  tactus_key_type type = TACTUS_KEY_SECTION;
  std::string name{};
  bool known = false;  ///< the rig file has it, or it has a default
  bool given = false;  ///< the rig file has it
  std::int64_t whole = 0;
  double number = 0;
  std::string text{};
  std::vector<KeptValue> values{};  ///< entries of a list, a section or a map of names
  config::Origin origin{};
};

/// A table of fields that is known only when a driver's library is loaded (tactus/driver.h).
///
/// Threads  immutable once built.                                                            @when setup
class SdkKeys {
 public:
  /// Throws std::invalid_argument when the keys make no sense: which, and why.
  SdkKeys(std::string about, std::span<const tactus_key* const> keys);

  std::shared_ptr<const config::Section> section() const;
  /// Returns a section with all keys, whatever the node holds; each mistake is added to `problems`.
  KeptValue load(const config::Node& settings, const std::string& path, config::Problems& problems) const;
  /// All keys as they hold without a rig file.
  KeptValue defaults() const;
  /// Writes every key with its value, as a map that loads to the same.
  config::Node to_node(const KeptValue& section) const;

 private:
  class Keys;
  std::shared_ptr<const Keys> table_;
};

/// Values as the C ABI has them. Must not outlive the values.
class SdkValues {
 public:
  explicit SdkValues(const KeptValue& section) : root_(add(section)) {}
  const tactus_value& root() const { return *root_; }

 private:
  const tactus_value* add(const KeptValue& value);

  std::deque<std::vector<const tactus_value*>> pointers_;
  std::deque<tactus_value> values_;
  const tactus_value* root_;
};

/// Adds a problem that a driver found at a path of its section, "lines.door.line": at the value, or the nearest one
/// around it. @when setup
void add_problem(const KeptValue& section, const std::string& path, const std::string& message,
                 config::Problems& problems);

}  // namespace tactus::executive
