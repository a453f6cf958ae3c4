// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Description of what a field accepts, for people (reference pages) and for editors (JSON Schema).
///
/// Threads  plain values, shared once built.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tactus::config {

struct Section;

/// A word that a field understands, and what it means.
struct Word {
  std::string word;
  std::string meaning;
};

struct Shape {
  enum class Form {
    scalar,
    list,     ///< each entry is an `item`
    section,  ///< a map with the keys of `section`
    map_of,   ///< a map from names to `item`
    anything,
  };

  Form form = Form::scalar;
  std::string type{};     ///< name of the type for people: "time", "whole number", "name"
  std::string allowed{};  ///< range for people: "1 .. 99", "10 us .. 1 s"
  std::string example{};  ///< "5 us"; for messages
  std::string noun{};     ///< noun for the names of a map_of: "model"
  std::vector<Word> words{};

  // What JSON sees. A value is accepted when any of these accepts it.
  bool boolean = false;
  bool integer = false;
  bool number = false;
  bool text = false;                ///< any text, and what looks like a number or a bool but is read as text
  std::string pattern{};            ///< texts that match it (ECMA-262)
  std::optional<double> minimum{};  ///< least integer or number
  std::optional<double> maximum{};
  std::optional<std::size_t> min_length{};  ///< least length of a text
  std::optional<std::size_t> max_length{};

  std::size_t at_least = 0;             ///< entries of a list or map
  bool single = false;                  ///< a list of one may be written without brackets
  std::string key_pattern{};            ///< pattern of the keys of a map_of scalars (ECMA-262)
  std::shared_ptr<const Shape> item{};  ///< shape of the entries of list and map_of
  std::shared_ptr<const Section> section{};
  std::vector<std::shared_ptr<const Shape>> others{};  ///< other ways to write it, for JSON alone
  std::shared_ptr<const Shape>
      also{};  ///< a shape that its value must fit, too, for JSON alone; nullptr: none
};

/// One key of a section.
struct KeyShape {
  std::string key;
  bool required = false;
  std::string default_text{};  ///< default as YAML on one line; empty: none
  std::string meaning{};
  std::shared_ptr<const Shape> shape{};
};

struct Section {
  std::string about;
  std::vector<KeyShape> keys;
  std::string rest{};                         ///< meaning of all other keys; empty: there may be none
  std::shared_ptr<const Shape> rest_shape{};  ///< shape of these, for JSON alone; nullptr: anything
  /// Names that are no keys although one might look for them, each with the sentence that refuses it.
  std::vector<Word> refused{};
};

/// Markdown: one table for the section and one for every section inside it.
std::string reference_page(const Section& section, const std::string& title);

/// JSON Schema, draft 2020-12, indented text.
std::string json_schema_text(const Section& section, const std::string& title);

}  // namespace tactus::config
