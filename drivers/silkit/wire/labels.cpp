// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/labels.hpp"

#include <algorithm>

#include "drivers/silkit/wire/items.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/text.hpp"

namespace tactus::silkit {

namespace {

constexpr std::size_t kMostMembers = 64;      // each is compared with all before it
constexpr std::string_view kBlank = " \t\r";  // a carriage return before a line's end is none of the text
constexpr std::string_view kSpace = " \t\r\n";

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto more = [&](unsigned shift) { put(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | (code >> 6U));
    more(0);
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
    more(6);
    more(0);
  } else {
    put(0xF0U | (code >> 18U));
    more(12);
    more(6);
    more(0);
  }
}

class ItemReader {
 public:
  explicit ItemReader(std::string_view text) : text_(text) {}

  std::vector<Item> read() {
    skip(kSpace);
    if (at_end()) return {};
    return peek() == '[' ? read_flow() : read_block();
  }

 private:
  enum class Style : std::uint8_t { flow, block };
  enum class Part : std::uint8_t { name, value };

  /// Calls `read` for each of the things between two brackets, which have commas between them.
  template <class Read>
  void each_between(char begin, char end, Read read) {
    expect(begin);
    skip(kSpace);
    if (take(end)) return;
    do {
      skip(kSpace);
      read();
      skip(kSpace);
    } while (take(','));
    expect(end);
  }

  std::vector<Item> read_flow() {
    std::vector<Item> items;
    each_between('[', ']', [&] { items.push_back(read_flow_item()); });
    skip(kSpace);
    if (!at_end()) fault("something after the list");
    return items;
  }

  Item read_flow_item() {
    Item item;
    each_between('{', '}', [&] {
      std::string name = scalar(Style::flow, Part::name);
      skip(kSpace);
      expect(':');
      skip(kSpace);
      add(item, std::move(name), scalar(Style::flow, Part::value));
    });
    return item;
  }

  std::vector<Item> read_block() {
    std::vector<Item> items;
    const std::size_t dashes = column();
    while (!at_end()) {
      if (column() != dashes) fault("a line that is not indented like the others");
      expect('-');
      if (!at_end() && !is_one_of(peek(), kSpace)) fault("no space after the '-'");
      skip(kSpace);
      if (at_end() || column() <= dashes) fault("an item without members");
      items.push_back(read_block_item());
    }
    return items;
  }

  Item read_block_item() {
    Item item;
    for (const std::size_t members = column(); !at_end() && column() == members;) {
      std::string name = scalar(Style::block, Part::name);
      skip(kBlank);
      expect(':');
      if (!at_end() && !is_one_of(peek(), kSpace)) fault("no space after the ':'");
      skip(kBlank);
      add(item, std::move(name), scalar(Style::block, Part::value));
      skip(kBlank);
      if (!at_end() && peek() != '\n') fault("something after a value");
      skip(kSpace);
    }
    return item;
  }

  void add(Item& item, std::string name, std::string value) const {
    if (item.size() == kMostMembers) fault("more than " + std::to_string(kMostMembers) + " members");
    for (const auto& member : item)
      if (member.first == name) fault("'" + name + "' twice");
    item.emplace_back(std::move(name), std::move(value));
  }

  std::string scalar(Style style, Part part) {
    if (take('"')) return double_quoted();
    if (take('\'')) return single_quoted();
    std::string text = plain(style, part);
    if (text.empty() && part == Part::name) fault("no name");
    return text;
  }

  std::string plain(Style style, Part part) {
    if (!at_end() && is_one_of(peek(), "[{&*!|>%@`#")) fault("a scalar that begins like no plain one");
    if (text_.substr(at_, 2) == "- " || text_.substr(at_, 2) == "? ") fault("a list within an item");
    const std::size_t begin = at_;
    while (!at_end() && peek() != '\n') {
      if (style == Style::flow && is_one_of(peek(), ",[]{}\"")) break;
      if (part == Part::name && peek() == ':' && ends_name(style)) break;
      ++at_;
    }
    const std::string_view found = text_.substr(begin, at_ - begin);
    return std::string(found.substr(0, found.find_last_not_of(kBlank) + 1));
  }

  /// A ':' within a plain name is one of its characters when something comes right after it.
  bool ends_name(Style style) const {
    if (at_ + 1 == text_.size()) return true;
    return is_one_of(text_[at_ + 1], style == Style::flow ? " \t\r\n,[]{}" : kSpace);
  }

  std::string single_quoted() {
    std::string text;
    for (;;) {
      const char c = next();
      if (c == '\n') {
        fold(text, 0);
      } else if (c != '\'') {
        text += c;
      } else if (take('\'')) {
        text += '\'';
      } else {
        return text;
      }
    }
  }

  std::string double_quoted() {
    std::string text;
    std::size_t escaped = 0;  // length of the text that no folding may trim
    for (;;) {
      const char c = next();
      if (c == '"') return text;
      if (c == '\\') {
        escape(text);
        escaped = text.size();
      } else if (c == '\n') {
        fold(text, escaped);
      } else {
        text += c;
      }
    }
  }

  /// A line's end within quotes stands for a space; n empty lines after it stand for n ends of lines instead.
  void fold(std::string& text, std::size_t keep) {
    while (text.size() > keep && is_one_of(text.back(), kBlank)) text.pop_back();
    std::size_t empty = 0;
    for (skip(kBlank); take('\n'); skip(kBlank)) ++empty;
    text.append(empty == 0 ? 1 : empty, empty == 0 ? ' ' : '\n');
  }

  void escape(std::string& text) {
    constexpr std::string_view kNames = "0abtnvfre\"\\/ N_LP";
    constexpr std::u32string_view kMeant(U"\0\a\b\t\n\v\f\r\x1b\"\\/ \u0085\u00A0\u2028\u2029",
                                         kNames.size());
    const char c = next();
    if (const std::size_t known = kNames.find(c); known != std::string_view::npos)
      return append_utf8(text, kMeant[known]);
    switch (c) {
      case 'x':
        return append_utf8(text, hex(2));
      case 'u':
        return append_utf8(text, utf16());
      case 'U':
        return append_utf8(text, checked(hex(8)));
      default:
        fault("an unknown escape");
    }
  }

  /// One \uXXXX, or the two that JSON needs for what is beyond them.
  std::uint32_t utf16() {
    const std::uint32_t first = hex(4);
    if (first < 0xD800 || first > 0xDBFF) return checked(first);
    expect('\\');
    expect('u');
    const std::uint32_t second = hex(4);
    if (second < 0xDC00 || second > 0xDFFF) fault("half a surrogate pair");
    return 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00);
  }

  std::uint32_t checked(std::uint32_t code) const {
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) fault("an escape for no character");
    return code;
  }

  std::uint32_t hex(std::size_t digits) {
    const std::string_view found = text_.substr(at_, digits);
    const auto value = rtsync::read_number<std::uint32_t>(found, 16);
    if (found.size() != digits || !value) fault("an escape with too few hex digits");
    at_ += digits;
    return *value;
  }

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return text_[at_]; }
  char next() {
    if (at_end()) fault("no end to a quoted text");
    return text_[at_++];
  }
  bool take(char c) {
    if (at_end() || peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fault("no '" + std::string(1, c) + "'");
  }
  void skip(std::string_view set) { at_ = std::min(text_.find_first_not_of(set, at_), text_.size()); }
  /// Column of the next character, in its line.
  std::size_t column() const {
    if (at_ == 0) return 0;
    return at_ - (text_.rfind('\n', at_ - 1) + 1);  // npos + 1 is the beginning
  }
  [[noreturn]] void fault(const std::string& what) const {
    throw WireError("a list of items that cannot be read: " + what + " at byte " + std::to_string(at_));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

LabelKind kind_of(const std::string& digits) {
  const auto kind = rtsync::read_number<std::uint32_t>(digits.empty() ? "0" : digits);
  if (!kind) throw WireError("a label of the kind '" + digits + "', which is not a number");
  return static_cast<LabelKind>(*kind);
}

/// Returns true if nothing in `labels` is missing from `others`, or has another value there.
bool all_found(const Labels& labels, const Labels& others) {
  return std::ranges::all_of(labels, [&](const Label& label) {
    const auto other = std::ranges::find(others, label.key, &Label::key);
    return other == others.end() ? label.kind != LabelKind::mandatory : other->value == label.value;
  });
}

}  // namespace

std::vector<Item> read_items(std::string_view text) { return ItemReader(text).read(); }

std::string json_quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (const std::size_t known = std::string_view("\b\t\n\f\r").find(c);
               known != std::string_view::npos) {
      out += '\\';
      out += std::string_view("btnfr")[known];
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string labels_text(const Labels& labels) {
  Labels sorted = labels;
  std::ranges::stable_sort(sorted, [](const Label& a, const Label& b) { return a.key < b.key; });
  const auto text_of = [](const Label& label) {
    return "{\"key\":" + json_quoted(label.key) + ",\"value\":" + json_quoted(label.value) +
           ",\"kind\":" + std::to_string(static_cast<std::uint32_t>(label.kind)) + "}";
  };
  return "[" + rtsync::joined(sorted, ",", text_of) + "]";
}

Labels read_labels(std::string_view text) {
  Labels labels;
  for (Item& item : read_items(text)) {
    Label& label = labels.emplace_back();
    for (auto& [name, value] : item) {
      if (name == "key") {
        label.key = std::move(value);
      } else if (name == "value") {
        label.value = std::move(value);
      } else if (name == "kind") {
        label.kind = kind_of(value);
      }
    }
  }
  return labels;
}

bool labels_match(const Labels& a, const Labels& b) { return all_found(a, b) && all_found(b, a); }

bool topics_match(const TopicSpec& publisher, const TopicSpec& subscriber) {
  return publisher.topic == subscriber.topic &&
         (subscriber.media_type.empty() || publisher.media_type == subscriber.media_type) &&
         labels_match(publisher.labels, subscriber.labels);
}

}  // namespace tactus::silkit
