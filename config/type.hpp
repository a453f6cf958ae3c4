// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Functions that read one C++ type from a node, write it back and describe it. The rules of rules.hpp and
/// the tables of fields.hpp make these; settings structs never see them.
///
/// Threads  immutable once built; share it freely.
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/node.hpp"
#include "config/number.hpp"
#include "config/place.hpp"
#include "config/shape.hpp"

namespace tactus::config {

/// Present place of the reading, and the list to which its problems go.
class Context {
 public:
  Context(Problems& problems, std::string path) : problems_(&problems), path_(std::move(path)) {}

  /// `meaning` is what the key is for: said when a value is outside its limits.
  Context key(const std::string& key, const std::string& meaning = {}) const;
  Context index(std::size_t index) const;
  /// Adds an alternative that every problem names at its end: "; also allowed: 'measured'".
  Context also(const std::string& alternative) const;

  void fail(const SourceLocation& place, const std::string& message) const {
    problems_->add(place, path_, message + also_);
  }
  Problems& problems() const { return *problems_; }
  const std::string& path() const { return path_; }
  const std::string& meaning() const { return meaning_; }

 private:
  Problems* problems_;
  std::string path_;
  std::string also_{};
  std::string meaning_{};
};

/// False, with a problem, unless the node has this kind.
bool expect(Kind kind, const Node& node, const Context& context, const Shape& shape);
/// Scalar text; nullptr, with a problem, when it is anything else. In quotes a number is text to every other
/// reader of YAML, so unless `quoted` it is refused there.
const std::string* expect_text(const Node& node, const Context& context, const Shape& shape, bool quoted);

/// A function whose copies share what it holds: a table is made of types within types, each copied several times.
template <class Signature>
class SharedFunction;
template <class Result, class... Arguments>
class SharedFunction<Result(Arguments...)> {
 public:
  SharedFunction() = default;
  template <class Function>
  requires(!std::same_as<Function, SharedFunction>)
      SharedFunction(Function function)  // NOLINT(google-explicit-constructor): as that of std::function
      : held_(
            static_cast<const void*>(new Function(std::move(function))),
            +[](const void* held) { delete static_cast<const Function*>(held); }),
        call_(+[](const void* held, Arguments... arguments) -> Result {
          return (*static_cast<const Function*>(held))(std::forward<Arguments>(arguments)...);
        }) {}
  explicit operator bool() const { return held_ != nullptr; }
  Result operator()(Arguments... arguments) const {
    return call_(held_.get(), std::forward<Arguments>(arguments)...);
  }

 private:
  // One type for all functions: a control block of its own for each is a tenth of what a table costs to compile.
  std::shared_ptr<const void> held_{};
  Result (*call_)(const void* held, Arguments... arguments) = nullptr;
};

/// Functions that read, write and describe a value that is known by its address alone. All types share this
/// code.
struct AnyType {
  /// False: a problem was added, and the value is as it was.
  SharedFunction<bool(const Node&, const Context&, void*)> read_at{};
  /// A null node: leave the key out.
  SharedFunction<Node(const void*)> write_at{};
  /// The key is absent: remember where it would have stood. May be empty.
  SharedFunction<void(const SourceLocation&, const std::string& path, void*)> absent_at{};
  std::shared_ptr<const Shape> shape{};
};

template <class V>
struct Type : AnyType {
  bool read(const Node& node, const Context& context, V& value) const {
    return read_at(node, context, &value);
  }
  Node write(const V& value) const { return write_at(&value); }
  void absent(const SourceLocation& place, const std::string& path, V& value) const {
    if (absent_at) absent_at(place, path, &value);
  }

  template <class Read>
  void reads(Read read) {
    read_at = [read = std::move(read)](const Node& node, const Context& context, void* value) {
      return read(node, context, *static_cast<V*>(value));
    };
  }
  template <class Write>
  void writes(Write write) {
    write_at = [write = std::move(write)](const void* value) -> Node {
      return write(*static_cast<const V*>(value));
    };
  }
};

namespace detail {

/// True: V is made of that template.
template <class V, template <class...> class Of>
inline constexpr bool kIs = false;
template <template <class...> class Of, class... Parts>
inline constexpr bool kIs<Of<Parts...>, Of> = true;
template <class V>
inline constexpr bool kIsInteger = std::integral<V> && !std::same_as<V, bool> && !std::same_as<V, char>;
template <class>
inline constexpr bool kNever = false;
template <class V>
concept Number = kIsInteger<V> || std::same_as<V, double>;
/// Members that are read without a rule.
template <class V>
concept PlainMember =
    Number<V> || std::same_as<V, bool> || std::same_as<V, std::string> || std::same_as<V, Nanoseconds> ||
    std::same_as<V, Period> || std::same_as<V, std::vector<int>> || std::same_as<V, Node>;

}  // namespace detail

/// A scalar whose text `parse` understands. `quoted`: whether a number may be in quotes.
template <class V>
Type<V> scalar_type(Shape description, std::function<Parsed<V>(const std::string&)> parse,
                    std::function<std::string(const V&)> print, bool quoted = true) {
  auto shape = std::make_shared<const Shape>(std::move(description));
  Type<V> type;
  type.shape = shape;
  type.reads([shape, parse = std::move(parse), quoted](const Node& node, const Context& context, V& value) {
    const std::string* text = expect_text(node, context, *shape, quoted);
    if (text == nullptr) return false;
    Parsed<V> parsed = parse(*text);
    if (!parsed) {
      const bool why = parsed.outside && !context.meaning().empty();
      context.fail(node.place(), parsed.problem + (why ? " (" + context.meaning() + ")" : ""));
      return false;
    }
    value = std::move(*parsed.value);
    return true;
  });
  type.writes([print = std::move(print)](const V& value) { return Node::scalar(print(value)); });
  return type;
}

/// The sentence for a value that was understood but is not allowed: "120 is outside 1 .. 99".
template <class V>
Parsed<V> outside(const std::string& text, const std::string& allowed) {
  return Parsed<V>::outside_limits(text + " is outside " + allowed);
}

template <class V>
Type<std::optional<V>> optional_type(Type<V> inner) {
  Type<std::optional<V>> type;
  type.shape = inner.shape;
  type.reads([inner](const Node& node, const Context& context, std::optional<V>& value) {
    V read = value.value_or(V{});
    if (!inner.read(node, context, read)) return false;
    value = std::move(read);
    return true;
  });
  type.writes([inner](const std::optional<V>& value) { return value ? inner.write(*value) : Node{}; });
  return type;
}

template <class V>
Type<Located<V>> located_type(Type<V> inner) {
  Type<Located<V>> type;
  type.shape = inner.shape;
  type.reads([inner](const Node& node, const Context& context, Located<V>& value) {
    value.place = node.place();
    value.path = context.path();
    return inner.read(node, context, value.value);
  });
  type.writes([inner](const Located<V>& value) { return inner.write(value.value); });
  type.absent_at = [inner](const SourceLocation& place, const std::string& path, void* at) {
    auto& value = *static_cast<Located<V>*>(at);
    value.place = place;
    value.path = path;
    inner.absent(place, path, value.value);
  };
  return type;
}

/// `in_part`: of a list with a wrong entry the others are taken.
template <class V>
Type<std::vector<V>> list_type(Type<V> inner, bool in_part = false) {
  const auto shape =
      std::make_shared<const Shape>(Shape{.form = Shape::Form::list, .type = "list", .item = inner.shape});
  Type<std::vector<V>> type;
  type.shape = shape;
  type.reads([inner, shape, in_part](const Node& node, const Context& context, std::vector<V>& values) {
    if (!expect(Kind::list, node, context, *shape)) return false;
    std::vector<V> read;
    bool good = true;
    for (std::size_t i = 0; i < node.items().size(); ++i) {
      V value{};
      good &= inner.read(node.items()[i], context.index(i), value);
      read.push_back(std::move(value));
    }
    if (good || in_part) values = std::move(read);
    return good;
  });
  type.writes([inner](const std::vector<V>& values) {
    std::vector<Node> items;
    items.reserve(values.size());
    for (const V& value : values) items.push_back(inner.write(value));
    return Node::list(std::move(items));
  });
  return type;
}

/// False, with a problem at the key, unless the key is a name.
bool expect_name(const Node::Entry& entry, const Context& context, const std::string& noun);

/// Default rule for a member of type V whose field states none.
struct Plain {
  template <detail::PlainMember V>
  Type<V> type() const;
};

/// The Type that reads V under a rule, looking through Located, optional and lists. A rule has a type() of each
/// V that it reads, or a base() of the only one.
template <class V, class Rule>
Type<V> type_of(const Rule& rule) {
  if constexpr (requires { rule.template type<V>(); }) {
    return rule.template type<V>();
  } else if constexpr (requires {
                         { rule.base() } -> std::same_as<Type<V>>;
                       }) {
    return rule.base();
  } else if constexpr (detail::kIs<V, Located>) {
    return located_type(type_of<typename V::value_type>(rule));
  } else if constexpr (detail::kIs<V, std::optional>) {
    return optional_type(type_of<typename V::value_type>(rule));
  } else if constexpr (detail::kIs<V, std::vector>) {
    return list_type(type_of<typename V::value_type>(rule));
  } else {
    static_assert(detail::kNever<V>, "this rule does not read members of this type");
  }
}

}  // namespace tactus::config
