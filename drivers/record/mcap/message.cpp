// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mcap/message.hpp"

#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#include "drivers/record/common/row.hpp"
#include "executive/model/with_type.hpp"

namespace tactus::drivers::record {
namespace {

// Wire types and field types of protobuf, as google/protobuf/descriptor.proto numbers them.
constexpr unsigned kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;
constexpr std::uint64_t kDouble = 1, kFloat = 2, kUint64 = 6, kUint32 = 7, kBool = 8, kMessageField = 11,
                        kInt32 = 15, kInt64 = 16;

struct ProtoType {
  std::uint64_t field;
  unsigned wire;
};

/// The type that a value is widened to.
template <class T>
using Widened = std::conditional_t<
    std::is_same_v<T, bool>, std::uint8_t,
    std::conditional_t<std::is_integral_v<T> && sizeof(T) < 4,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>, T>>;

ProtoType proto_type(tactus_type type) {
  return executive::with_type(type, [](auto zero) -> ProtoType {
    using T = decltype(zero);
    if (std::is_same_v<T, bool>) return {kBool, kVarint};
    const bool wide = sizeof(Widened<T>) == 8;
    const unsigned wire = wide ? kFixed64 : kFixed32;
    if (std::is_floating_point_v<T>) return {wide ? kDouble : kFloat, wire};
    if (std::is_signed_v<T>) return {wide ? kInt64 : kInt32, wire};
    return {wide ? kUint64 : kUint32, wire};
  });
}

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}
void put_tag(std::string& to, std::uint64_t number, unsigned wire) { put_varint(to, number << 3 | wire); }
void put_text(std::string& to, std::uint64_t number, std::string_view text) {
  put_tag(to, number, kBytes);
  put_varint(to, text.size());
  to += text;
}
void put_number(std::string& to, std::uint64_t number, std::uint64_t value) {
  put_tag(to, number, kVarint);
  put_varint(to, value);
}

std::string identifier(std::string_view text) {
  std::string made;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (digit && made.empty()) made += '_';
    if (c == ']') continue;
    made += letter || digit ? c : '_';
  }
  return made.empty() ? "_" : made;
}

/// A field: a value, or a message with fields of its own.
struct FieldNode {
  std::string part;  // of the column's name
  std::size_t column = 0;
  std::vector<std::unique_ptr<FieldNode>> fields;
  std::map<std::string, FieldNode*> messages;  // of `fields` those that are messages
};

class MessageMaker {
 public:
  explicit MessageMaker(const executive::RecordingHead& head) : head_(head) {
    const std::vector<std::size_t> columns = first_of_each_name(head);
    for (const std::size_t column : columns) place(column);
    Contents all = contents(root_, "." + type_name());
    pattern_ = std::move(all.bytes);
    descriptor_ = std::move(all.descriptor);
    std::map<std::string, std::size_t> by_name;
    for (const auto& [column, at] : all.places) by_name[head.columns[column].name] = at;
    for (const executive::RecordColumn& column : head.columns) places_.push_back(by_name[column.name]);
  }

  std::string type_name() const { return "tactus." + identifier(head_.name); }
  std::string schema() const {
    std::string message;
    put_text(message, 1, identifier(head_.name));
    message += descriptor_;
    std::string file;
    put_text(file, 1, identifier(head_.name) + ".proto");
    put_text(file, 2, "tactus");
    put_text(file, 4, message);
    put_text(file, 12, "proto3");
    std::string set;
    put_text(set, 1, file);
    return set;
  }
  const std::string& pattern() const { return pattern_; }
  const std::vector<std::size_t>& places() const { return places_; }

 private:
  struct Contents {
    std::string bytes;
    std::string descriptor;                                     // of fields and types
    std::vector<std::pair<std::size_t, std::size_t>> places{};  // of columns in `bytes`
  };

  void place(std::size_t column) {
    FieldNode* node = &root_;
    std::string_view name = head_.columns[column].name;
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
      const std::string part(name.substr(0, dot));
      FieldNode*& inner = node->messages[part];
      if (inner == nullptr) {
        node->fields.push_back(std::make_unique<FieldNode>());
        inner = node->fields.back().get();
        inner->part = part;
        inner->column = kNone;
      }
      node = inner;
      name.remove_prefix(dot + 1);
    }
    node->fields.push_back(std::make_unique<FieldNode>());
    node->fields.back()->part = name;
    node->fields.back()->column = column;
  }

  Contents contents(const FieldNode& message, const std::string& path) const {
    std::set<std::string> used;
    const auto unique = [&used](std::string name) {
      while (!used.insert(name).second) name += '_';
      return name;
    };
    Contents made;
    std::uint64_t number = 0;
    for (const auto& field : message.fields) {
      if (++number == 19'000) number = 20'000;  // those between are protobuf's own
      const std::string name = unique(identifier(field->part));
      std::string about;
      put_text(about, 1, name);
      put_number(about, 3, number);
      put_number(about, 4, 1);  // optional
      if (field->column != kNone) {
        const tactus_type type = head_.columns[field->column].type;
        put_tag(made.bytes, number, proto_type(type).wire);
        made.places.emplace_back(field->column, made.bytes.size());
        made.bytes.append(mcap_width(type), '\0');
        put_number(about, 5, proto_type(type).field);
      } else {
        const std::string type = unique(name + "_type");
        const Contents inner = contents(*field, path + "." + type);
        put_tag(made.bytes, number, kBytes);
        put_varint(made.bytes, inner.bytes.size());
        for (const auto& [column, at] : inner.places)
          made.places.emplace_back(column, made.bytes.size() + at);
        made.bytes += inner.bytes;
        put_number(about, 5, kMessageField);
        put_text(about, 6, path + "." + type);
        std::string nested;
        put_text(nested, 1, type);
        put_text(made.descriptor, 3, nested + inner.descriptor);
      }
      put_text(made.descriptor, 2, about);
    }
    return made;
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  const executive::RecordingHead& head_;
  FieldNode root_;
  std::string pattern_, descriptor_;
  std::vector<std::size_t> places_;
};

}  // namespace

std::size_t mcap_width(tactus_type type) {
  return executive::with_type(type, [](auto zero) { return sizeof(Widened<decltype(zero)>); });
}

bool mcap_value(tactus_type type, const char* from, std::byte* to) {
  return executive::with_type(type, [&](auto zero) {
    using T = executive::StoredAs<decltype(zero)>;
    Widened<decltype(zero)> wide;
    std::memcpy(&wide, from, sizeof wide);
    T value;
    if constexpr (std::is_floating_point_v<T>) {
      value = wide;  // NaN is not equal to itself
    } else {
      value = static_cast<T>(wide);
      if (value != wide) return false;
    }
    std::memcpy(to, &value, sizeof value);
    return true;
  });
}

McapMessage::McapMessage(const executive::RecordingHead& head) {
  const MessageMaker maker(head);
  type_name_ = maker.type_name();
  schema_ = maker.schema();
  pattern_ = maker.pattern();
  places_ = maker.places();
  for (const std::size_t i : first_of_each_name(head))
    values_.push_back({head.columns[i].offset, places_[i], head.columns[i].type});
}

void McapMessage::append(std::string& to, const std::byte* record) const {
  const std::size_t begin = to.size();
  to += pattern_;
  char* const message = to.data() + begin;
  for (const Value& value : values_)
    executive::with_type(value.type, [&](auto zero) {
      const auto wide =
          static_cast<Widened<decltype(zero)>>(executive::load_element<decltype(zero)>(record + value.from));
      std::memcpy(message + value.to, &wide, sizeof wide);
    });
}

}  // namespace tactus::drivers::record
