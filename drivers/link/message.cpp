// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>

#include "config/json.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/link/signals.hpp"
#include "executive/model/with_type.hpp"

namespace tactus::drivers::link {
namespace {

using executive::load_element;
using executive::with_type;

static_assert(std::endian::native == std::endian::little, "raw and serdes are copies of the block");

// Of SerDes: what stands before the elements of an array.
using Count = std::uint32_t;

/// 'axis.force[2]'
std::string element_name(const Element& element, std::size_t index) {
  return "'" + element.name + (element.array ? "[" + std::to_string(index) + "]'" : "'");
}

std::string expected_bytes(std::size_t there, std::size_t expected) {
  return "has " + std::to_string(there) + " bytes; " + std::to_string(expected) + " are expected";
}

std::string expected_elements(const Element& element, std::size_t there) {
  return "'" + element.name + "' has " + std::to_string(there) + " elements; " +
         std::to_string(element.elements) + " are expected";
}

std::string allowed(const Element& element) {
  if (element.low && element.high)
    return config::print_real(*element.low) + " .. " + config::print_real(*element.high);
  return element.low ? "at least " + config::print_real(*element.low)
                     : "at most " + config::print_real(*element.high);
}

/// Empty, or what is wrong with one value of a block.
template <class T>
std::string check_value(const Element& element, std::size_t index, const std::byte* at) {
  if constexpr (std::is_same_v<T, bool>) {
    const auto byte = load_element<std::uint8_t>(at);
    if (byte <= 1) return {};
    return element_name(element, index) + " is " + std::to_string(byte) + "; a bool is 0 or 1";
  } else {
    const T value = load_element<T>(at);
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value))
        return element_name(element, index) + " is " + executive::format_value(element.type, at) +
               "; a finite number is expected";
    }
    const long double wide = value;  // it holds a 64-bit integer exactly
    if ((!element.low || wide >= *element.low) && (!element.high || wide <= *element.high)) return {};
    return element_name(element, index) + " is " + executive::format_value(element.type, at) + "; " +
           allowed(element) + " is allowed";
  }
}

std::string check_block(const Layout& layout, const std::byte* block) {
  for (const Element& element : layout.elements) {
    std::string wrong = with_type(element.type, [&](auto type) {
      using T = decltype(type);
      std::string found;
      for (std::size_t i = 0; i < element.elements && found.empty(); ++i)
        found = check_value<T>(element, i, block + element.offset + i * sizeof(T));
      return found;
    });
    if (!wrong.empty()) return wrong;
  }
  return {};
}

// ---- raw and serdes

std::string decode_raw(const Layout& layout, std::span<const std::uint8_t> payload, std::byte* block) {
  if (payload.size() != layout.bytes) return expected_bytes(payload.size(), layout.bytes);
  if (layout.bytes != 0) std::memcpy(block, payload.data(), layout.bytes);
  return {};
}

void encode_serdes(const Layout& layout, const std::byte* block, std::vector<std::uint8_t>& payload) {
  payload.clear();
  const auto append = [&payload](const void* from, std::size_t bytes) {
    const std::size_t end = payload.size();
    payload.resize(end + bytes);
    std::memcpy(payload.data() + end, from, bytes);
  };
  for (const Element& element : layout.elements) {
    const Count count = element.elements;
    if (element.array) append(&count, sizeof count);
    append(block + element.offset, size_of(element));
  }
}

std::string decode_serdes(const Layout& layout, std::span<const std::uint8_t> payload, std::byte* block) {
  std::size_t expected = layout.bytes;
  for (const Element& element : layout.elements) expected += element.array ? sizeof(Count) : 0;
  if (payload.size() != expected) return expected_bytes(payload.size(), expected);
  const std::uint8_t* from = payload.data();
  for (const Element& element : layout.elements) {
    if (element.array) {
      Count count = 0;
      std::memcpy(&count, from, sizeof count);
      if (count != element.elements) return expected_elements(element, count);
      from += sizeof count;
    }
    std::memcpy(block + element.offset, from, size_of(element));
    from += size_of(element);
  }
  return {};
}

// ---- JSON

void append_json(std::string& to, tactus_type type, const std::byte* at) {
  if (type == TACTUS_BOOL) {
    to += load_element<std::uint8_t>(at) != 0 ? "true" : "false";
  } else if (type == TACTUS_FLOAT || type == TACTUS_DOUBLE) {
    // A float goes out as the double that it is: every reader takes it for one.
    const double value =
        type == TACTUS_FLOAT ? static_cast<double>(load_element<float>(at)) : load_element<double>(at);
    if (!std::isfinite(value)) {
      to += "null";
    } else if (value == 0) {
      to += std::signbit(value) ? "-0.0" : "0.0";  // "-0" is an integer to many, and loses its sign
    } else {
      executive::append_value(to, TACTUS_DOUBLE, &value);
    }
  } else {
    executive::append_value(to, type, at);
  }
}

std::string to_json(const Layout& layout, const std::byte* block) {
  std::string text;
  for (const Element& element : layout.elements) {
    if (layout.group)
      text += (text.empty() ? "{" : ",") +
              Json(element.name).dump(-1, ' ', false, Json::error_handler_t::replace) + ":";
    if (element.array) text += '[';
    for (std::size_t i = 0; i < element.elements; ++i) {
      if (i > 0) text += ',';
      append_json(text, element.type, block + element.offset + i * executive::size_of(element.type));
    }
    if (element.array) text += ']';
  }
  if (layout.group) text += text.empty() ? "{}" : "}";
  return text;
}

/// Takes the values of a JSON text as they are parsed; there is never a tree, whatever is nested. Stops at
/// the first thing that does not fit.
class JsonReader final : public Json::json_sax_t {
 public:
  JsonReader(const Layout& layout, std::byte* block)
      : layout_(layout), block_(block), seen_(layout.elements.size()) {
    if (!layout.group && !layout.elements.empty()) element_ = layout.elements.data();
  }

  const std::string& problem() const { return problem_; }

  bool null() override { return wrong_kind("null"); }
  bool boolean(bool value) override {
    if (!takes_value("a bool")) return false;
    if (element_->type != TACTUS_BOOL) return wrong_type(value ? "true" : "false");
    return put(value);
  }
  bool number_integer(number_integer_t value) override { return number(value, std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(value, std::to_string(value)); }
  bool number_float(number_float_t value, const string_t& text) override {
    if (!takes_value("a number")) return false;
    if (element_->type == TACTUS_DOUBLE) return put(value);
    if (element_->type == TACTUS_FLOAT) return put_float(value, text.substr(0, 40));
    return wrong_type(text.substr(0, 40));
  }
  bool string(string_t& /*value*/) override { return wrong_kind("a text"); }
  bool binary(binary_t& /*value*/) override { return wrong_kind("binary"); }

  bool start_object(std::size_t /*elements*/) override {
    if (!layout_.group || inside_) return wrong_kind("an object");
    inside_ = true;
    return true;
  }
  bool key(string_t& name) override {
    // Most senders keep the order.
    for (std::size_t tried = 0; tried < layout_.elements.size(); ++tried) {
      const std::size_t i = (next_ + tried) % layout_.elements.size();
      if (layout_.elements[i].name != name) continue;
      if (seen_[i]) return fail("has the key " + config::show(name) + " twice");
      seen_[i] = true;
      element_ = &layout_.elements[i];
      index_ = 0;
      next_ = i + 1;
      return true;
    }
    return fail("has the key " + config::show(name) + ", which is not expected");
  }
  bool end_object() override {
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (!seen_[i]) return fail("lacks the key '" + layout_.elements[i].name + "'");
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    if (element_ == nullptr || !element_->array || in_array_) return wrong_kind("an array");
    in_array_ = true;
    return true;
  }
  bool end_array() override {
    if (index_ != element_->elements) return fail(expected_elements(*element_, index_));
    in_array_ = false;
    element_ = nullptr;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    return fail("is not JSON from byte " + std::to_string(position) + " on");
  }

 private:
  bool fail(std::string why) {
    problem_ = std::move(why);
    return false;
  }
  std::string what() const { return element_ == nullptr ? "the message" : element_name(*element_, index_); }
  std::string expected() const {
    if (element_ == nullptr) return "an object";
    const std::string one = element_->type == TACTUS_BOOL ? "true or false" : "a number";
    return element_->array && !in_array_ ? "an array of " + std::to_string(element_->elements) : one;
  }
  bool wrong_kind(const char* kind) {
    const std::string name =
        element_ != nullptr && element_->array && !in_array_ ? "'" + element_->name + "'" : what();
    return fail(name + " is " + kind + "; " + expected() + " is expected");
  }
  bool wrong_type(const std::string& text) {
    return fail(what() + " is " + text + ", which is not of type " +
                std::string(executive::name_of(element_->type)));
  }
  /// Returns true if a value may follow here.
  bool takes_value(const char* kind) {
    if (element_ == nullptr || element_->array != in_array_) return wrong_kind(kind);
    if (index_ >= element_->elements)
      return fail("'" + element_->name + "' has more than " + std::to_string(element_->elements) +
                  " elements");
    return true;
  }

  template <class N>
  bool number(N value, const std::string& text) {
    if (!takes_value("a number")) return false;
    return with_type(element_->type, [&](auto type) {
      using T = decltype(type);
      if constexpr (std::is_same_v<T, bool>) {
        return wrong_type(text);
      } else if constexpr (std::is_same_v<T, double>) {
        return put(static_cast<double>(value));
      } else if constexpr (std::is_same_v<T, float>) {
        return put(static_cast<float>(value));
      } else {
        if (!std::in_range<T>(value)) return wrong_type(text);
        return put(static_cast<T>(value));
      }
    });
  }
  /// Value from which on a double is nearer to infinity than to the largest float.
  static constexpr double kBeyondFloat = 0x1.ffffffp127;
  bool put_float(double value, const std::string& text) {
    if (std::abs(value) >= kBeyondFloat) return wrong_type(text);
    constexpr double kLargest = std::numeric_limits<float>::max();
    return put(static_cast<float>(value > kLargest ? kLargest : value < -kLargest ? -kLargest : value));
  }
  template <class T>
  bool put(T value) {
    std::memcpy(block_ + element_->offset + index_ * sizeof(T), &value, sizeof value);
    ++index_;
    if (!in_array_) element_ = nullptr;
    return true;
  }

  const Layout& layout_;
  std::byte* block_;
  std::vector<bool> seen_;            ///< elements of a group that were read
  const Element* element_ = nullptr;  ///< element whose value is next; nullptr: a key or the end is
  std::size_t index_ = 0;
  std::size_t next_ = 0;  ///< element whose key is expected
  bool inside_ = false;   ///< true: inside of the object
  bool in_array_ = false;
  std::string problem_;
};

/// Upper limit of the length of a message, with every indentation.
std::size_t most_json(const Layout& layout) {
  std::size_t most = 4096;
  for (const Element& element : layout.elements)
    most += 256 + 6 * element.name.size() + std::size_t{256} * element.elements;
  return most;
}

std::string decode_json(const Layout& layout, std::span<const std::uint8_t> payload, std::byte* block) {
  if (const std::size_t most = most_json(layout); payload.size() > most)
    return "has " + std::to_string(payload.size()) + " bytes; at most " + std::to_string(most) + " are read";
  JsonReader reader(layout, block);
  if (Json::sax_parse(payload.begin(), payload.end(), &reader)) return {};
  return reader.problem().empty() ? "is not JSON" : reader.problem();
}

std::string decode_block(const Layout& layout, std::span<const std::uint8_t> payload, std::byte* block) {
  switch (layout.encoding) {
    case Encoding::raw:
      return decode_raw(layout, payload, block);
    case Encoding::serdes:
      return decode_serdes(layout, payload, block);
    case Encoding::json:
      break;
  }
  return decode_json(layout, payload, block);
}

}  // namespace

void encode(const Layout& layout, const std::byte* block, std::vector<std::uint8_t>& payload) {
  if (layout.encoding == Encoding::serdes) return encode_serdes(layout, block, payload);
  if (layout.encoding == Encoding::json) {
    const std::string text = to_json(layout, block);
    return payload.assign(text.begin(), text.end());
  }
  payload.resize(layout.bytes);
  if (layout.bytes != 0) std::memcpy(payload.data(), block, layout.bytes);
}

std::string decode(const Layout& layout, std::span<const std::uint8_t> payload, std::byte* block) {
  try {
    std::string wrong = decode_block(layout, payload, block);
    return wrong.empty() ? check_block(layout, block) : wrong;
  } catch (const std::exception& error) {
    return std::string("cannot be read: ") + error.what();
  }
}

}  // namespace tactus::drivers::link
