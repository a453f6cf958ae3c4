// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A regular expression, kept in one file because std::regex is slow to compile. Not for outside of config/.
///
/// Threads  immutable; share it freely.
#include <memory>
#include <string>

namespace tactus::config {

class Pattern {
 public:
  /// Throws std::invalid_argument when the expression is malformed.                         @when setup
  explicit Pattern(const std::string& ecma);

  /// Returns true if the whole text matches; false for texts beyond 4000 bytes.             @when setup
  bool matches(const std::string& text) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace tactus::config
