// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/dbc/parser.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "drivers/can/dbc/message_parser.hpp"

namespace tactus::drivers::can {
namespace {

/// Statements that say nothing about frames, or that belong to relations of nodes and signals.
constexpr std::string_view kSkipped[] = {"EV_",        "ENVVAR_DATA_",     "SGTYPE_",    "SGTYPE_VAL_",
                                         "BA_SGTYPE_", "SIG_TYPE_REF_",    "CAT_",       "CAT_DEF_",
                                         "FILTER",     "BA_DEF_SGTYPE_",   "EV_DATA_",   "BA_DEF_REL_",
                                         "BA_REL_",    "BA_DEF_DEF_REL_",  "BU_SG_REL_", "BU_EV_REL_",
                                         "BU_BO_REL_", "SIGTYPE_VALTYPE_", "NS_DESC_"};
constexpr std::string_view kRead[] = {
    "VERSION", "NS_",         "BS_", "BU_",  "BO_",        "SG_",        "BO_TX_BU_",    "CM_",
    "BA_DEF_", "BA_DEF_DEF_", "BA_", "VAL_", "VAL_TABLE_", "SIG_GROUP_", "SIG_VALTYPE_", "SG_MUL_VAL_"};

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Reads the statements of a file one after the other.
class Parser {
 public:
  Parser(std::string_view text, Statements& all, Notes& notes)
      : in_(text), all_(all), notes_(notes), messages_(in_, all, notes) {}

  void run() {
    while (in_.skip_blanks()) {
      line_ = in_.line();
      if (in_.take(';')) continue;
      const std::string_view word = in_.word();
      if (word.empty()) {
        notes_.error(line_, "a statement is expected, not " + in_.coming());
        in_.skip_line();
      } else {
        all_.known = all_.known || is_keyword(word);
        statement(word);
      }
    }
    if (entries_ > kMostEntries) notes_.error(0, "more than " + std::to_string(kMostEntries) + " entries");
  }

 private:
  void statement(std::string_view word) {
    if (word == "BO_") return messages_.message();
    if (word == "SG_") return messages_.signal();
    if (word == "NS_") return symbols();
    if (word == "BU_") return nodes();
    if (word == "VERSION") return version();
    if (word == "BS_") return in_.skip_line();
    if (word == "CM_") return comment();
    if (word == "BA_DEF_") return define();
    if (word == "BA_DEF_DEF_") return define_default();
    if (word == "BA_") return attribute();
    if (word == "VAL_") return names();
    if (word == "VAL_TABLE_") return table();
    if (word == "SIG_VALTYPE_") return kind();
    if (word == "SG_MUL_VAL_") return multiplexed();
    if (word == "BO_TX_BU_") return senders();
    if (word == "SIG_GROUP_") return group();
    if (!is_one_of(kSkipped, word))
      notes_.warn(line_, "'" + readable(word.substr(0, 40)) +
                             "' begins no known statement; it is skipped up to the next ';'");
    (void)in_.skip_statement(&is_keyword);
  }

  /// The end of a statement. What stands before its ';' is skipped, with a warning.
  void end(const char* statement) {
    if (in_.take(';')) return;
    (void)in_.skip_blanks();
    const std::string coming = in_.coming();
    const std::size_t from = in_.position();
    if (is_keyword_next()) {
      notes_.warn(line_, std::string(statement) + ": has no ';' at its end");
      return;
    }
    in_.go_to(from, in_.line());
    notes_.warn(line_, std::string(statement) + ": ';' is expected, not " + coming);
    (void)in_.skip_statement(&is_keyword);
  }

  bool is_keyword_next() {
    const std::size_t from = in_.position();
    const bool found = in_.at_end() || is_keyword(in_.word());
    in_.go_to(from, in_.line());
    return found;
  }

  /// A statement that is not understood: a warning, and on with the next one.
  void skip(const std::string& why) {
    notes_.warn(line_, why + ", not " + in_.coming() + "; the statement is skipped");
    (void)in_.skip_statement(&is_keyword);
  }

  /// False: the file has more than is kept.
  bool room() { return ++entries_ <= kMostEntries; }

  std::optional<std::string_view> text(const char* what) {
    const std::uint32_t line = in_.line();
    const auto found = in_.string();
    if (!found) return std::nullopt;
    if (!found->ended) notes_.error(line, std::string(what) + ": a quote is never closed");
    return found->text;
  }

  void symbols() {
    (void)in_.take(':');
    for (;;) {  // each on a line of its own; "BS_:" comes after them
      (void)in_.skip_blanks();
      const std::size_t from = in_.position();
      const std::string_view word = in_.word();
      const bool colon = in_.peek() == ':';
      if (!word.empty() && !colon && word != "BO_" && word != "VERSION" && in_.line() != line_) {
        // A statement would go on in this line.
        if (!in_.skip_blanks_of_line()) continue;
      } else if (!word.empty() && in_.line() == line_) {
        continue;
      }
      in_.go_to(from, in_.line());
      return;
    }
  }

  void version() {
    (void)text("VERSION");
    (void)in_.skip_blanks_of_line();
    if (in_.peek() == ';') (void)in_.take(';');
  }

  void nodes() {
    if (!in_.take(':')) return skip("BU_: ':' is expected");
    std::uint32_t before = in_.line();
    for (;;) {
      (void)in_.skip_blanks();
      const std::size_t from = in_.position();
      const std::uint32_t line = in_.line();
      const bool is_front = line != before && in_.at_front();  // a further line of nodes is indented
      before = line;
      const std::string_view word = is_front ? std::string_view() : in_.name(",;");
      if (word.empty() || is_keyword(word) || word.back() == ':') {
        in_.go_to(from, line);
        if (!is_front && in_.take(',')) continue;
        if (!is_front) (void)in_.take(';');
        return;
      }
      std::string name = readable(word);
      if (node_names_.emplace(word, all_.database.nodes.size()).second)
        all_.database.nodes.push_back({std::move(name), {}, {}, line});
      else
        notes_.warn(line, "node " + name + ": is listed twice");
    }
  }

  /// "BU_ name", "BO_ id", "SG_ id name", "EV_ name", or nothing. False: it cannot be read, and is noted.
  bool target(Target& target, const char* statement) {
    (void)in_.skip_blanks();
    target.line = line_;
    if (!is_word(in_.peek()) || (in_.peek() >= '0' && in_.peek() <= '9'))
      return true;  // a value of the network
    const std::string_view word = in_.word();
    if (word == "BU_" || word == "EV_") {
      target.kind = word == "BU_" ? Target::Kind::node : Target::Kind::environment;
      (void)in_.skip_blanks();
      if (in_.peek() != '"') target.name = in_.name("\";");
      if (!target.name.empty()) return true;
    } else if (word == "BO_" || word == "SG_") {
      target.kind = word == "BO_" ? Target::Kind::message : Target::Kind::signal;
      const auto id = in_.whole();
      if (id) {
        target.id = *id;
        if (word == "BO_") return true;
        (void)in_.skip_blanks();
        if (in_.peek() != '"') target.name = in_.name("\":;");
        if (!target.name.empty()) return true;
      }
    }
    skip(std::string(statement) + ": BU_ node, BO_ id, SG_ id signal or EV_ name is expected");
    return false;
  }

  void comment() {
    Comment made;
    if (!target(made.target, "CM_")) return;
    const auto found = text("CM_");
    if (!found) return skip("CM_: a text in quotes is expected");
    made.text = *found;
    if (room()) all_.comments.push_back(made);
    end("CM_");
  }

  std::optional<WrittenValue> value() {
    WrittenValue made;
    if (const auto found = text("value")) {
      made.text = *found;
      return made;
    }
    const auto number = in_.number();
    if (!number) return std::nullopt;
    made.number = *number;
    made.is_number = true;
    return made;
  }

  void define() {
    Definition made;
    (void)in_.skip_blanks();
    if (in_.peek() != '"') (void)in_.word();  // the kind of its objects
    const auto name = text("BA_DEF_");
    if (!name) return skip("BA_DEF_: the name of an attribute in quotes is expected");
    (void)in_.skip_blanks();
    const std::string_view type = in_.word();
    if (type == "ENUM") {
      made.type = Definition::Type::enumeration;
      while (room()) {
        const auto label = text("BA_DEF_");
        if (!label) break;
        made.labels.push_back(*label);
        if (!in_.take(',')) break;
      }
    } else if (type == "STRING") {
      made.type = Definition::Type::text;
    } else if (type == "INT" || type == "HEX" || type == "FLOAT") {
      for (int i = 0; i < 2; ++i) (void)in_.number();
    } else {
      return skip("BA_DEF_: one of INT, HEX, FLOAT, STRING and ENUM is expected");
    }
    if (room()) (void)all_.definitions.insert_or_assign(*name, std::move(made));
    end("BA_DEF_");
  }

  void define_default() {
    const auto name = text("BA_DEF_DEF_");
    if (!name) return skip("BA_DEF_DEF_: the name of an attribute in quotes is expected");
    const auto found = value();
    if (!found) return skip("BA_DEF_DEF_: a value is expected");
    const auto definition = all_.definitions.find(*name);
    if (definition == all_.definitions.end())
      notes_.warn(line_, "BA_DEF_DEF_: attribute '" + readable(*name) + "' is not defined before it");
    else
      definition->second.value = *found;
    end("BA_DEF_DEF_");
  }

  void attribute() {
    SetAttribute made;
    const auto name = text("BA_");
    if (!name) return skip("BA_: the name of an attribute in quotes is expected");
    made.attribute = *name;
    if (!target(made.target, "BA_")) return;
    const auto found = value();
    if (!found) return skip("BA_: a value is expected");
    made.value = *found;
    if (room()) all_.attributes.push_back(made);
    end("BA_");
  }

  bool list(std::vector<std::pair<double, std::string_view>>& names, const char* statement) {
    for (;;) {
      (void)in_.skip_blanks();
      if (in_.at_end() || in_.peek() == ';') return true;
      const auto number = in_.number();
      const auto name = number ? text(statement) : std::nullopt;
      if (!name) {
        skip(std::string(statement) + ": a raw value and its name in quotes are expected");
        return false;
      }
      if (room()) names.emplace_back(*number, *name);
    }
  }

  void names() {
    SetNames made;
    made.target.line = line_;
    made.target.kind = Target::Kind::signal;
    (void)in_.skip_blanks();
    if (const auto id = in_.whole()) {
      made.target.id = *id;
    } else {
      made.target.kind = Target::Kind::environment;
    }
    (void)in_.skip_blanks();
    made.target.name = in_.name("\";");
    (void)in_.skip_blanks();
    if (made.target.kind == Target::Kind::signal && is_word(in_.peek()) &&
        !(in_.peek() >= '0' && in_.peek() <= '9'))
      made.table = in_.name("\";");
    if (list(made.names, "VAL_")) {
      if (made.target.kind == Target::Kind::signal) all_.names.push_back(std::move(made));
      end("VAL_");
    }
  }

  void table() {
    (void)in_.skip_blanks();
    ValueTable made{readable(in_.name("\";")), {}};
    std::vector<std::pair<double, std::string_view>> names;
    if (!list(names, "VAL_TABLE_")) return;
    for (const auto& [number, name] : names)
      if (number >= -9.2e18 && number <= 9.2e18)
        made.names.push_back({static_cast<std::int64_t>(number), readable(name)});
    all_.database.tables.push_back(std::move(made));
    end("VAL_TABLE_");
  }

  /// "id signal", as the statements about one signal begin.
  bool signal_target(Target& target, const char* statement) {
    target.line = line_;
    target.kind = Target::Kind::signal;
    const auto id = in_.whole();
    (void)in_.skip_blanks();
    target.name = id ? in_.name(":;,") : std::string_view();
    if (id) target.id = *id;
    if (!target.name.empty()) return true;
    skip(std::string(statement) + ": the id of a message and the name of a signal are expected");
    return false;
  }

  void kind() {
    SetKind made;
    if (!signal_target(made.target, "SIG_VALTYPE_")) return;
    (void)in_.take(':');
    const auto found = in_.whole();
    if (!found) return skip("SIG_VALTYPE_: 0, 1 or 2 is expected");
    made.kind = *found;
    if (room()) all_.kinds.push_back(made);
    end("SIG_VALTYPE_");
  }

  void multiplexed() {
    SetSwitch made;
    if (!signal_target(made.target, "SG_MUL_VAL_")) return;
    (void)in_.skip_blanks();
    made.by = in_.name(",;");
    while (!made.by.empty()) {
      const auto first = in_.whole();
      const bool dash = first && in_.take('-');
      const auto last = dash ? in_.whole() : first;
      if (!last) return skip("SG_MUL_VAL_: a range of raw values as 0-3 is expected");
      if (*first > *last) {
        notes_.warn(line_, "SG_MUL_VAL_: range " + std::to_string(*first) + "-" + std::to_string(*last) +
                               " runs backwards; it is turned round");
      }
      if (room()) made.present.push_back({std::min(*first, *last), std::max(*first, *last)});
      if (!in_.take(',')) break;
    }
    all_.switches.push_back(std::move(made));
    end("SG_MUL_VAL_");
  }

  void senders() {
    SetSenders made;
    made.target.line = line_;
    made.target.kind = Target::Kind::message;
    const auto id = in_.whole();
    if (!id) return skip("BO_TX_BU_: the id of a message is expected");
    made.target.id = *id;
    (void)in_.take(':');
    while (in_.skip_blanks() && in_.peek() != ';' && room()) {
      if (in_.take(',')) continue;
      const std::string_view name = in_.name(",;");
      if (name.empty() || is_keyword(name)) break;
      made.nodes.push_back(name);
    }
    all_.senders.push_back(std::move(made));
    end("BO_TX_BU_");
  }

  void group() {
    SetGroup made;
    if (!signal_target(made.target, "SIG_GROUP_")) return;
    made.target.kind = Target::Kind::message;
    (void)in_.whole();
    (void)in_.take(':');
    while (in_.skip_blanks() && in_.peek() != ';' && room()) {
      const std::string_view name = in_.name(",;");
      if (name.empty() && !in_.take(',')) break;
      if (!name.empty()) made.signals.push_back(name);
    }
    all_.groups.push_back(std::move(made));
    end("SIG_GROUP_");
  }

  Scanner in_;
  Statements& all_;
  Notes& notes_;
  MessageParser messages_;
  std::unordered_map<std::string_view, std::size_t> node_names_;
  std::uint32_t line_ = 1;   ///< the first one of the statement
  std::size_t entries_ = 0;  ///< kept of lists and references
};

}  // namespace

bool is_keyword(std::string_view word) { return is_one_of(kRead, word) || is_one_of(kSkipped, word); }

std::string id_text(std::uint64_t id) {
  std::array<char, 24> text{};
  (void)std::snprintf(text.data(), text.size(), "0x%llX", static_cast<unsigned long long>(id));
  return text.data();
}

void read_statements(std::string_view text, Statements& all, Notes& notes) { Parser(text, all, notes).run(); }

}  // namespace tactus::drivers::can
