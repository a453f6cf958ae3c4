// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "drivers/can/dbc/database.hpp"
#include "drivers/can/dbc/notes.hpp"
#include "drivers/can/dbc/scanner.hpp"

namespace tactus::drivers::can {

/// The object that a statement is about: `BO_ 100`, `SG_ 100 Speed`, `BU_ ECU`, or the network.
struct Target {
  enum class Kind : std::uint8_t { network, node, message, signal, environment };
  Kind kind = Kind::network;
  std::uint64_t id = 0;  ///< number of the file, with the flag bit of 29-bit ids
  std::string_view name;
  std::uint32_t line = 0;
};

/// A value as it is written; the definition of its attribute says what it means.
struct WrittenValue {
  std::string_view text;
  double number = 0;
  bool is_number = false;
};

struct Definition {
  enum class Type : std::uint8_t { number, text, enumeration };
  Type type = Type::number;
  std::vector<std::string_view> labels;
  std::optional<WrittenValue> value;  ///< BA_DEF_DEF_
};

/// Statements about objects that may come later in the file.
struct Comment {
  Target target;
  std::string_view text;
};
struct SetAttribute {
  Target target;
  std::string_view attribute;
  WrittenValue value;
};
struct SetNames {
  Target target;
  std::vector<std::pair<double, std::string_view>> names;
  std::string_view table;  ///< VAL_ with the name of a VAL_TABLE_
};
struct SetKind {
  Target target;
  std::uint64_t kind = 0;
};
struct SetSwitch {
  Target target;
  std::string_view by;
  std::vector<SwitchRange> present;
};
struct SetSenders {
  Target target;
  std::vector<std::string_view> nodes;
};
struct SetGroup {
  Target target;
  std::vector<std::string_view> signals;
};

/// The place that a signal line names in a multiplexed message.
struct WrittenPlace {
  bool has_value = false;
  bool without_number = false;  ///< "m"
  std::uint64_t value = 0;
};

/// All statements of a file, as they are written. Views point into its text.
struct Statements {
  Database database;
  std::vector<std::uint64_t> ids;                 ///< one of each message, with the flag bit
  std::vector<std::vector<WrittenPlace>> places;  ///< those of each message's signals
  std::unordered_map<std::uint64_t, std::size_t> by_id;
  std::unordered_map<std::string_view, Definition> definitions;
  std::vector<Comment> comments;
  std::vector<SetAttribute> attributes;
  std::vector<SetNames> names;
  std::vector<SetKind> kinds;
  std::vector<SetSwitch> switches;
  std::vector<SetSenders> senders;
  std::vector<SetGroup> groups;
  std::unordered_set<std::uint64_t> left_out;  ///< ids of messages that no frame can be
  bool known = false;                          ///< it has a statement of a DBC file
  std::vector<std::unordered_map<std::string, std::size_t>>
      signals;  ///< those of each message by name; made once all are read
  std::unordered_map<std::string, std::size_t> nodes;  ///< index by name; made once all are read
};

inline constexpr std::uint64_t kExtendedFlag = std::uint64_t{1} << 31U;
inline constexpr std::uint64_t kIndependentId = 0xC000'0000;  ///< a bin of signals that no message has

/// Returns true if a word begins a statement of DBC files.
bool is_keyword(std::string_view word);
/// Reads all statements. @when setup
void read_statements(std::string_view text, Statements& all, Notes& notes);
/// Gives the objects what the statements say about them; `text` is what the statements point into.
void resolve_references(Statements& all, Notes& notes);
void resolve_attributes(Statements& all, Notes& notes);
/// Looks for signals that share bits, ranges that no raw value reaches, and the like.
void look_for_mistakes(Database& database, Notes& notes);

/// The message or signal of a target; nullptr: none, which is noted.
Message* message_of(Statements& all, const Target& target, const char* statement, Notes& notes);
Signal* signal_of(Statements& all, const Target& target, const char* statement, Notes& notes);
/// The node of a target; nullptr: none, which is noted.
Node* node_of(Statements& all, const Target& target, const char* statement, Notes& notes);
/// Returns what `part` points at in the object of a target; nullptr: there is none.
template <class PartOf>
auto part_of(Statements& all, const Target& target, const char* statement, Notes& notes, PartOf part) {
  const auto in = [&](auto* object) { return object == nullptr ? nullptr : part(*object); };
  switch (target.kind) {
    case Target::Kind::network:
      return in(&all.database);
    case Target::Kind::node:
      return in(node_of(all, target, statement, notes));
    case Target::Kind::message:
      return in(message_of(all, target, statement, notes));
    case Target::Kind::signal:
      return in(signal_of(all, target, statement, notes));
    case Target::Kind::environment:
      break;
  }
  return decltype(in(&all.database))(nullptr);
}
/// "0x123", "0x18FEF1FE".
std::string id_text(std::uint64_t id);

}  // namespace tactus::drivers::can
