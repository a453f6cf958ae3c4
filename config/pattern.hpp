// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A regular expression, kept in one file because std::regex is slow to compile. Not for outside of config/. It is made
/// ready when it is used first: most of a rig file's patterns are never used.
///
/// Threads  share it freely.
#include <memory>
#include <string>

namespace tactus::config {

class Pattern {
 public:
  explicit Pattern(std::string ecma);  ///< @when setup

  /// Returns true if the whole text matches; false for texts beyond 4000 bytes. Throws std::invalid_argument when the
  /// expression is malformed. @when setup
  bool matches(const std::string& text) const;

 private:
  struct Expression;
  std::shared_ptr<Expression> expression_;
};

}  // namespace tactus::config
