// SPDX-License-Identifier: Apache-2.0
#include "config/yaml.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "config/text.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::config {
namespace {

/// Thrown through the parser to end it early; the problem has been added already.
struct EnoughFound {};

/// Turns yaml-cpp's marks (lines from 0, columns in bytes from 0) into places.
class Ruler {
 public:
  Ruler(const std::string& name, std::string_view text, int column)
      : name_(name), text_(text), column_(column) {
    lines_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') lines_.push_back(i + 1);
  }

  SourceLocation place(const YAML::Mark& mark) const {
    if (mark.line < 0 || mark.column < 0) return {name_, 1, column_};
    const bool beyond = static_cast<std::size_t>(mark.line) >= lines_.size();  // in our own end mark
    const std::size_t line = beyond ? lines_.size() - 1 : static_cast<std::size_t>(mark.line);
    const std::size_t at =
        beyond ? text_.size() : std::min(lines_[line] + static_cast<std::size_t>(mark.column), text_.size());
    // Counts on from the mark before: a long line with many values is not counted anew for each of them.
    if (line != last_line_) {
      last_line_ = line;
      last_at_ = lines_[line];
      last_letters_ = 0;
    }
    last_letters_ += at >= last_at_ ? letters(last_at_, at) : -letters(at, last_at_);
    last_at_ = at;
    return {name_, static_cast<int>(line) + 1, last_letters_ + (line == 0 ? column_ : 1)};
  }

  /// Place of the '-' that the parser has just passed without finding a value after it.
  std::optional<SourceLocation> place_of_dash(const YAML::Mark& mark) const {
    if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= lines_.size()) return std::nullopt;
    std::size_t line = static_cast<std::size_t>(mark.line);
    const std::size_t begin = std::min(lines_[line] + static_cast<std::size_t>(mark.column), text_.size());
    const std::size_t at = text_.substr(0, begin).find_last_not_of(" \t\r\n");
    if (at == std::string_view::npos || text_[at] != '-') return std::nullopt;
    while (line > 0 && lines_[line] > at) --line;
    return SourceLocation{name_, static_cast<int>(line) + 1,
                          letters(lines_[line], at) + (line == 0 ? column_ : 1)};
  }

  /// Returns true if the line is indented with a tab.
  bool has_tab(const YAML::Mark& mark) const {
    if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= lines_.size()) return false;
    const std::string_view line = text_.substr(lines_[static_cast<std::size_t>(mark.line)]);
    const std::size_t first = line.find_first_not_of(' ');
    return first != std::string_view::npos && line[first] == '\t';
  }

  /// Returns true if a null at this mark is written out (`~`, `null`), rather than left empty.
  bool has_null_word(const YAML::Mark& mark) const {
    if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= lines_.size()) return false;
    const std::string_view line = text_.substr(lines_[static_cast<std::size_t>(mark.line)]);
    const std::string_view here = line.substr(std::min(line.size(), static_cast<std::size_t>(mark.column)));
    return here.starts_with("~") || here.starts_with("null") || here.starts_with("Null") ||
           here.starts_with("NULL");
  }

 private:
  int letters(std::size_t from, std::size_t to) const {
    return static_cast<int>(rtsync::letters_in(text_.substr(from, to - from)));
  }

  const std::string& name_;
  std::string_view text_;
  int column_;
  std::vector<std::size_t> lines_;
  mutable std::size_t last_line_ = 0;
  mutable std::size_t last_at_ = 0;
  mutable int last_letters_ = 0;
};

/// The YAML library makes one byte of the escapes \N (U+0085) and \_ (U+00A0): here it becomes UTF-8 again.
std::string repaired(const std::string& value) {
  std::string text;
  int more = 0;  // bytes of the character that are still to come
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (!rtsync::is_continuation(c))
      more = byte >= 0xF0U ? 3 : byte >= 0xE0U ? 2 : byte >= 0xC0U ? 1 : 0;
    else if (more > 0)
      --more;
    else
      text += '\xC2';
    text += c;
  }
  return text;
}

/// Builds nodes from the parser's events, and keeps every limit while it does.
class Builder : public YAML::EventHandler {
 public:
  Builder(const Ruler& ruler, Problems& problems) : ruler_(ruler), problems_(problems) {}

  /// Adds the problems that are valid only for a text without syntax errors; called after the last event.
  void finish() { problems_.add(key_problems_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      stop(ruler_.place(mark), "a second document begins here; one file holds one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // The parser marks a value left empty at whatever comes next, which may be lines away.
    SourceLocation place = ruler_.place(mark);
    if (!stack_.empty() && !ruler_.has_null_word(mark)) {
      const Frame& top = stack_.back();
      if (top.key) place = top.key->place;
      if (top.kind == Kind::list) place = ruler_.place_of_dash(mark).value_or(top.place);
    }
    add(Node::null(std::move(place)), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      problem(ruler_.place(mark), "this alias is inside the value it refers to");
      add(Node::null(ruler_.place(mark)), 0, ruler_.place(mark));
      return;
    }
    add(found->second, 0, ruler_.place(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const SourceLocation place = ruler_.place(mark);
    check_tag(place, tag);
    if (value.find('\0') != std::string::npos) problem(place, "text must not hold a NUL character");
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    add(Node::scalar(repaired(value), place, quoted), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::list, ruler_.place(mark), tag, anchor);
  }
  void OnSequenceEnd() override {
    Frame frame = close();
    add(Node::list(std::move(frame.items), frame.place), frame.anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::map, ruler_.place(mark), tag, anchor);
  }
  void OnMapEnd() override {
    Frame frame = close();
    merge(frame);
    add(Node::map(std::move(frame.entries), frame.place), frame.anchor);
  }

  int documents() const { return documents_; }
  YamlTree take() && { return {std::move(root_), documents_ == 0, std::move(repeated_)}; }

 private:
  struct Key {
    std::string text;
    SourceLocation place;
    bool dropped = false;  ///< bad or repeated: the value is read and forgotten
    bool is_merge = false;
  };
  struct Frame {
    Kind kind = Kind::list;
    SourceLocation place{};
    YAML::anchor_t anchor = 0;
    std::string path{};
    std::vector<Node> items{};
    std::vector<Node::Entry> entries{};
    std::optional<Key> key{};  ///< key of a map, read and waiting for its value
    std::unordered_map<std::string, SourceLocation> seen{};
    std::vector<std::pair<std::size_t, Node>> merges{};  ///< places to insert, and the nodes
    bool is_key = false;                                 ///< this list or map is where a key should be
  };

  void problem(SourceLocation place, std::string message) {
    problems_.add(std::move(place), path(), std::move(message));
  }

  /// An unclosed bracket looks to the parser like a list that is a key, before it finds the end missing.
  void key_problem(SourceLocation place, std::string message) {
    key_problems_.add(std::move(place), path(), std::move(message));
  }

  [[noreturn]] void stop(SourceLocation place, std::string message) {
    problem(std::move(place), std::move(message));
    throw EnoughFound{};
  }

  /// Path of the value that comes next.
  std::string path() const {
    if (stack_.empty()) return {};
    const Frame& top = stack_.back();
    if (top.kind == Kind::list) return top.path + "[" + std::to_string(top.items.size()) + "]";
    if (!top.key) return top.path;
    return top.path + (top.path.empty() ? "" : ".") + top.key->text;
  }

  void check_tag(const SourceLocation& place, const std::string& tag) {
    constexpr std::string_view kKnown[] = {"str", "int", "float", "bool", "null", "map", "seq"};
    constexpr std::string_view kStandard = "tag:yaml.org,2002:";
    if (tag.empty() || tag == "?" || tag == "!") return;
    if (tag.starts_with(kStandard) &&
        std::ranges::find(kKnown, tag.substr(kStandard.size())) != std::end(kKnown))
      return;
    problem(place, "the tag " + show(tag) + " is not known here; remove it");
  }

  bool expects_key() const {
    return !stack_.empty() && stack_.back().kind == Kind::map && !stack_.back().key;
  }

  void open(Kind kind, SourceLocation place, const std::string& tag, YAML::anchor_t anchor) {
    if (stack_.size() >= Limits::kLevels)
      stop(place, "is nested deeper than " + std::to_string(Limits::kLevels) + " levels");
    check_tag(place, tag);
    Frame frame{.kind = kind, .anchor = anchor, .path = path(), .is_key = expects_key()};
    if (frame.is_key) key_problem(place, std::string{"a key must be plain text, not "} + kind_name(kind));
    frame.place = std::move(place);
    stack_.push_back(std::move(frame));
  }

  Frame close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    if (frame.is_key && !stack_.empty())
      stack_.back().key = Key{"?", frame.place, true, false};  // add() sees that it was a key
    closed_key_ = frame.is_key;
    return frame;
  }

  void spend(const Extent& extent, const SourceLocation& place) {
    nodes_ += extent.nodes;
    bytes_ += extent.bytes;
    if (nodes_ > Limits::kNodes)
      stop(place,
           "holds more than " + std::to_string(Limits::kNodes) + " values, counting what aliases repeat");
    if (bytes_ > Limits::kExpandedBytes)
      stop(place, "holds more than " + std::to_string(Limits::kExpandedBytes >> 20U) +
                      " MiB of text, counting what aliases repeat");
  }

  void add(Node node, YAML::anchor_t anchor, std::optional<SourceLocation> alias = std::nullopt) {
    const bool was_key = std::exchange(closed_key_, false);
    if (anchor != 0) anchors_[anchor] = node;
    // A list or map has spent its children one by one; an alias spends everything again.
    const SourceLocation& here = alias ? *alias : node.place();
    spend(alias ? node.extent() : Extent{1, node.text().size(), 0}, here);
    if (alias && stack_.size() + node.extent().height > Limits::kLevels)
      stop(here, "is nested deeper than " + std::to_string(Limits::kLevels) + " levels, counting the alias");
    if (was_key) return;
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& top = stack_.back();
    if (top.kind == Kind::list) {
      top.items.push_back(std::move(node));
    } else if (!top.key) {
      add_key(top, node, here);
    } else {
      const Key key = *std::exchange(top.key, std::nullopt);
      if (node.is_null() && joins_number(top, key)) return;
      if (key.dropped) return;
      if (key.is_merge) {
        add_merge(top, node, key.place);
      } else {
        top.entries.push_back({key.text, key.place, std::move(node)});
      }
    }
  }

  /// Makes the value '1,5 ms' of { period: 1,5 ms }, which to YAML is a key with the value 1, and a key '5 ms' without
  /// one. What reads the value then says that the decimal sign is a point.
  bool joins_number(Frame& top, const Key& key) {
    if (top.entries.empty() || key.text.empty() || !is_digit(key.text.front())) return false;
    Node& number = top.entries.back().value;
    const SourceLocation& from = number.place();
    const std::size_t length = number.text().size();
    if (!number.is_scalar() || number.quoted() || length == 0 || !is_digit(number.text().back()))
      return false;
    if (from.line != key.place.line || from.column + static_cast<int>(length) + 1 != key.place.column)
      return false;
    number = Node::scalar(number.text() + "," + key.text, from, false);
    if (!key.dropped)
      top.seen.erase(key.text);
    else if (!repeated_.empty() && repeated_.back().place == key.place)
      repeated_.pop_back();
    return true;
  }

  void add_key(Frame& top, const Node& node, const SourceLocation& place) {
    Key key{node.text(), place, false, node.text() == "<<" && !node.quoted()};
    if (!node.is_scalar()) {
      key_problem(place, node.is_null()
                             ? "the key is empty"
                             : std::string{"a key must be plain text, not "} + kind_name(node.kind()));
      key.text = "?";
      key.dropped = true;
    } else if (key.text.empty()) {
      key_problem(place, "the key is empty");
      key.dropped = true;
    } else if (key.text.size() > Limits::kKeyBytes) {
      key_problem(place, "the key " + show(key.text) + " is longer than " +
                             std::to_string(Limits::kKeyBytes) + " bytes");
      key.dropped = true;
      key.text = "?";
    } else {
      const auto [first, is_new] = top.seen.try_emplace(key.text, place);
      if (!is_new) {
        repeated_.push_back({top.path, key.text, place, first->second});
        key.dropped = true;
      }
    }
    top.key = std::move(key);
  }

  void add_merge(Frame& top, const Node& node, const SourceLocation& place) {
    const bool good =
        node.is_map() ||
        (node.is_list() && std::ranges::all_of(node.items(), [](const Node& item) { return item.is_map(); }));
    if (!good) {
      problem(place, "'<<' takes only a map or a list of maps (`<<: *a`, `<<: [*a, *b]`)");
    } else if (node.is_map()) {
      top.merges.emplace_back(top.entries.size(), node);
    } else {
      for (const Node& item : node.items()) top.merges.emplace_back(top.entries.size(), item);
    }
  }

  /// Merges keys at the place of the '<<'. The map's own keys win, then the earlier map.
  void merge(Frame& frame) {
    if (frame.merges.empty()) return;
    std::vector<Node::Entry> all;
    std::size_t next = 0;
    for (const auto& [at, map] : frame.merges) {
      while (next < at) all.push_back(std::move(frame.entries[next++]));
      for (const Node::Entry& entry : map.entries()) {
        if (!frame.seen.try_emplace(entry.key, entry.place).second) continue;
        spend(entry.value.extent(), frame.place);
        all.push_back(entry);
      }
    }
    while (next < frame.entries.size()) all.push_back(std::move(frame.entries[next++]));
    frame.entries = std::move(all);
  }

  const Ruler& ruler_;
  Problems& problems_;
  Problems key_problems_{};
  int documents_ = 0;
  Node root_{};
  std::vector<Repeated> repeated_{};
  std::vector<Frame> stack_{};
  std::unordered_map<YAML::anchor_t, Node> anchors_{};
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  bool closed_key_ = false;
};

/// Explains what the library's terse sentence usually means.
std::string repair(const std::string& message, bool has_tab) {
  if (has_tab) return message + ": indent with blanks, not with tabs";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kHints{{
      {"illegal map value", "a ': ' inside a value needs quotes around the value; or the indentation is off"},
      {"end of map not found", "a key here does not line up with the others, or lacks its ':'"},
      {"end of map flow not found",
       "a '}' or a ',' is missing, or the quotes around an element of an array: 'axis.force[2]'"},
      {"end of sequence not found", "the '-' of a list do not line up"},
      {"end of sequence flow not found",
       "a ']' or a ',' is missing, or the quotes around an element of an array: 'axis.force[2]'"},
      {"illegal tab", "indent with blanks, not with tabs"},
      {"illegal EOF in scalar", "a closing quote is missing, here or above"},
      {"illegal document indicator in scalar", "a closing quote is missing, here or above"},
      {"the referenced anchor is not defined",
       "write &name before the value it stands for, above this place"},
  }};
  for (const auto& [begin, hint] : kHints)
    if (message.starts_with(begin))
      return std::string{begin} + ": " + std::string{hint};  // newer ones add a name
  return message;
}

}  // namespace

bool check_characters(const std::string& name, std::string_view text, int column, Problems& problems) {
  SourceLocation place{name, 1, column};
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = rtsync::character_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool lone_return = byte == '\r' && (i + 1 >= text.size() || text[i + 1] != '\n');
    const bool low_control = byte < 0x20U && byte != '\t' && byte != '\n' && byte != '\r';
    const bool high_control = byte == 0xC2U && length == 2 && static_cast<unsigned char>(text[i + 1]) < 0xA0U;
    if (length == 0) {
      problems.add(
          place, {},
          "the byte " + rtsync::format_text("0x%02x", byte) + " is not UTF-8 text; save the file as UTF-8");
      return false;
    }
    if (low_control || high_control || byte == 0x7FU) {
      problems.add(
          place, {},
          "the control character " +
              rtsync::format_text("0x%02x", static_cast<unsigned char>(text[high_control ? i + 1 : i])) +
              " is not allowed in a text; remove it");
      return false;
    }
    if (lone_return) {
      problems.add(place, {}, "a carriage return without a line feed; save the file with Unix line ends");
      return false;
    }
    i += length;
    ++place.column;
    if (byte == '\n') {
      ++place.line;
      place.column = 1;
    }
  }
  return true;
}

YamlTree parse_yaml(const std::string& name, std::string_view text, int column, Problems& problems) {
  const Ruler ruler{name, text, column};
  Builder builder{ruler, problems};
  try {
    // The end mark ends a quoted text, too, whose closing quote is missing; without it the parser would take
    // everything up to the end of the file for that text, and be content.
    const bool ends = text.empty() || text.back() == '\n';
    std::istringstream stream{std::string{text} + (ends ? "...\n" : "\n...\n")};
    YAML::Parser parser{stream};
    while (parser.HandleNextDocument(builder)) {
    }
    builder.finish();
  } catch (const EnoughFound&) {  // its problem has been added
  } catch (const YAML::DeepRecursion& error) {
    problems.add(ruler.place(error.mark), {}, "is nested too deeply");
  } catch (const YAML::Exception& error) {
    problems.add(ruler.place(error.mark), {}, repair(error.msg, ruler.has_tab(error.mark)));
  }
  return std::move(builder).take();
}

}  // namespace tactus::config
