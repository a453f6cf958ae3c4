// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Place of a value in a file, and what is wrong with it.
///
/// Threads  plain values; no sharing.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tactus::config {

/// A character of a file, as people and editors count: from 1, a tab or an umlaut is one column.
struct SourceLocation {
  std::string file;
  int line = 1;
  int column = 1;

  // Constructors, though an aggregate would do: GCC 12 takes nested aggregates of it for uninitialised at
  // -O3.
  SourceLocation() = default;
  explicit SourceLocation(std::string in) : file(std::move(in)) {}
  SourceLocation(std::string in, int at_line, int at_column)
      : file(std::move(in)), line(at_line), column(at_column) {}

  std::string text() const;  ///< file:line:column
  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
  friend bool operator<(const SourceLocation& a,
                        const SourceLocation& b) {  // libc++ 14 has no <=> of std::string
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  }
};

/// Place from which a struct or value came. Two origins always compare equal: where a value stands is no part
/// of what it is, so settings that carry an origin keep a defaulted operator==.
struct Origin {
  SourceLocation place;
  std::string path;  ///< "models.motor"

  friend bool operator==(const Origin&, const Origin&) { return true; }
};

/// A value that remembers its origin, so that a check made long after loading can still point at it.
template <class T>
struct Located {
  using value_type = T;

  T value{};
  SourceLocation place{};
  std::string path{};

  friend bool operator==(const Located& a, const Located& b) { return a.value == b.value; }
};

/// One thing to fix: where, which key, and a sentence that says what is allowed.
struct Problem {
  SourceLocation place;
  std::string path;
  std::string message;

  std::string text() const;  ///< file:line:column: path: message
};

/// Everything wrong with a configuration, so that all of it is said in one go.
class Problems {
 public:
  void add(SourceLocation place, std::string path, std::string message);
  void add(const Origin& origin, std::string message) { add(origin.place, origin.path, std::move(message)); }
  template <class T>
  void add(const Located<T>& value, std::string message) {
    add(value.place, value.path, std::move(message));
  }
  /// Takes over every problem of `other`.
  void add(const Problems& other);

  bool empty() const { return problems_.empty(); }
  std::size_t count() const { return problems_.size(); }
  /// Sorted by place; those of one place in the order they were found.
  std::vector<Problem> sorted() const;
  /// One line each, sorted by place, then "3 problems; nothing was started." Empty when there is none.
  /// The first `most` are printed; the last line counts them all.
  std::string text(std::size_t most = 100) const;

 private:
  std::vector<Problem> problems_;
};

/// A configuration that cannot be used. what() is problems().text().
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(Problems problems);
  ConfigError(SourceLocation place, std::string path, std::string message);

  const Problems& problems() const { return problems_; }

 private:
  Problems problems_;
};

}  // namespace tactus::config
