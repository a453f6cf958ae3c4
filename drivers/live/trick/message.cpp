// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/message.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "executive/model/variable.hpp"
#include "executive/model/with_type.hpp"

namespace tactus::drivers::trick {
namespace {

using executive::LiveSnapshot;

/// Codes of Trick 10 and later. Integers of 64 bits are long long, whose size is the same everywhere.
struct TypeCode {
  static constexpr std::int32_t kDouble = 11;
  static constexpr std::int32_t kUnknown = 25;
  static constexpr std::pair<tactus_type, std::int32_t> kOf[] = {
      {TACTUS_BOOL, 17},   {TACTUS_INT8, 1},   {TACTUS_UINT8, 2},       {TACTUS_INT16, 4},
      {TACTUS_UINT16, 5},  {TACTUS_INT32, 6},  {TACTUS_UINT32, 7},      {TACTUS_INT64, 14},
      {TACTUS_UINT64, 15}, {TACTUS_FLOAT, 10}, {TACTUS_DOUBLE, kDouble}};

  static std::int32_t of(tactus_type type) {
    for (const auto& [of, code] : kOf)
      if (of == type) return code;
    return kUnknown;
  }
};

double seconds(const LiveSnapshot& snapshot) { return static_cast<double>(snapshot.sim_time_ns) / 1e9; }

const std::byte* bytes_in(const Entry& entry, const LiveSnapshot& snapshot) {
  return snapshot.bytes.data() + entry.of->offset +
         entry.ref.first * executive::size_of(entry.of->variable->type);
}

template <class T>
void append_number(std::string& out, T value) {
  char text[64];  // NOLINT: to_chars wants a plain buffer
  std::to_chars_result end{};
  if constexpr (std::is_floating_point_v<T>) {
    constexpr int kDigits = std::is_same_v<T, float> ? 8 : 16;
    end = std::to_chars(text, text + sizeof text, static_cast<double>(value), std::chars_format::general,
                        kDigits);
  } else if constexpr (sizeof(T) == 1) {
    end = std::to_chars(text, text + sizeof text, static_cast<int>(value));
  } else {
    end = std::to_chars(text, text + sizeof text, value);
  }
  out.append(text, end.ptr);
}

/// Converts as Trick does: through double; integers are cut towards zero. A value that does not fit becomes
/// the nearest that does.
template <class T>
T converted(T value, const Entry& entry) {
  if (!entry.unit || std::is_same_v<T, bool>) return value;
  const double shown = convert(static_cast<double>(value), entry.of->variable->unit, *entry.unit);
  if constexpr (std::is_same_v<T, float>) {
    if (std::abs(shown) > static_cast<double>(std::numeric_limits<float>::max()))
      return std::copysign(std::numeric_limits<float>::infinity(),
                           static_cast<float>(std::copysign(1, shown)));
    return static_cast<float>(shown);
  } else if constexpr (std::is_floating_point_v<T>) {
    return shown;
  } else {
    const double whole = std::trunc(shown);
    if (!(whole < std::ldexp(1.0, std::numeric_limits<T>::digits))) return std::numeric_limits<T>::max();
    if (whole < static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    return static_cast<T>(whole);
  }
}

template <class T>
void append_values(std::string& out, const Entry& entry, const std::byte* at) {
  for (std::uint32_t i = 0; i < entry.ref.elements; ++i, at += sizeof(T)) {
    if (i > 0) out += ',';
    append_number(out, converted(executive::load_element<T>(at), entry));
  }
}

void append_variable(std::string& out, const Entry& entry, const LiveSnapshot& snapshot) {
  const std::byte* const at = bytes_in(entry, snapshot);
  executive::with_type(entry.of->variable->type,
                       [&](auto zero) { append_values<decltype(zero)>(out, entry, at); });
}

void append_text(std::string& out, const Entry& entry, const Moment& moment) {
  const LiveSnapshot& snapshot = moment.snapshot;
  switch (entry.kind) {
    case Entry::Kind::unknown:
      out += "BAD_REF";
      return;
    case Entry::Kind::variable:
      append_variable(out, entry, snapshot);
      break;
    case Entry::Kind::own:
      std::visit([&](auto plain) { append_number(out, plain); }, entry.own->value(moment));
      break;
    case Entry::Kind::time: {
      static const config::Unit second = config::Unit::parse("s");
      append_number(out, entry.unit ? convert(seconds(snapshot), second, *entry.unit) : seconds(snapshot));
      break;
    }
  }
  if (!entry.label.empty()) out += " {" + entry.label + "}";
}

void append_int32(std::string& out, std::int64_t value, bool swap = false) {
  const auto narrow = static_cast<std::int32_t>(value);
  char bytes[sizeof narrow];  // NOLINT: the bytes of a number
  std::memcpy(bytes, &narrow, sizeof narrow);
  if (swap) std::reverse(bytes, bytes + sizeof narrow);
  out.append(bytes, sizeof narrow);
}

/// A variable of a binary message, without its name.
struct Binary {
  std::int32_t type = TypeCode::kUnknown;
  std::size_t element = 4;
  std::size_t size = 4;
  const std::byte* at = nullptr;  ///< nullptr: it is `own`
  std::array<std::byte, 8> own = {};

  template <class T>
  static Binary of(std::int32_t code, T value) {
    Binary made{code, sizeof value, sizeof value};
    std::memcpy(made.own.data(), &value, sizeof value);
    return made;
  }
};

Binary binary_of(const Entry& entry, const Moment& moment) {
  const LiveSnapshot& snapshot = moment.snapshot;
  if (entry.kind == Entry::Kind::unknown) return {};
  if (entry.kind == Entry::Kind::time) return Binary::of(TypeCode::kDouble, seconds(snapshot));
  if (entry.kind == Entry::Kind::own)
    return std::visit([&](auto plain) { return Binary::of(entry.own->type_code, plain); },
                      entry.own->value(moment));
  const tactus_type type = entry.of->variable->type;
  const std::size_t element = executive::size_of(type);
  return {TypeCode::of(type), element, element * entry.ref.elements, bytes_in(entry, snapshot)};
}

void append_binary(std::string& out, const Binary& value, bool swap) {
  const std::size_t from = out.size();
  out.resize(from + value.size);
  std::memcpy(out.data() + from, value.at != nullptr ? value.at : value.own.data(), value.size);
  if (!swap) return;
  for (std::size_t at = from; at < out.size(); at += value.element)
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(at),
                 out.begin() + static_cast<std::ptrdiff_t>(at + value.element));
}

class BinaryList {
 public:
  BinaryList(Kind kind, const Format& format) : kind_(kind), format_(format) {}

  /// False: it can be in no message.
  bool add(const Entry& entry, const Moment& moment) {
    const Binary value = binary_of(entry, moment);
    const std::size_t size = (format_.names ? 4 + entry.name.size() : 0) + 8 + value.size;
    if (kHeader + size > kBinaryMessage) return false;
    if (kHeader + body_.size() + size > kBinaryMessage) close();
    if (format_.names) {
      append_int32(body_, static_cast<std::int64_t>(entry.name.size()), format_.byteswap);
      body_ += entry.name;
    }
    append_int32(body_, value.type, format_.byteswap);
    append_int32(body_, static_cast<std::int64_t>(value.size), format_.byteswap);
    append_binary(body_, value, format_.byteswap);
    ++variables_;
    return true;
  }
  std::size_t size() const { return out_.size(); }
  std::string take() {
    close();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kHeader = 12;

  void close() {
    append_int32(out_, static_cast<std::int32_t>(kind_), format_.byteswap);
    append_int32(out_, static_cast<std::int64_t>(kHeader - 4 + body_.size()), format_.byteswap);
    append_int32(out_, variables_, format_.byteswap);
    out_ += body_;
    body_.clear();
    variables_ = 0;
  }

  Kind kind_;
  Format format_;
  std::string out_;
  std::string body_;
  std::int64_t variables_ = 0;
};

/// A message with `text`; in binary with these numbers instead.
std::string short_message(Kind kind, const Format& format, const std::string& text,
                          std::initializer_list<std::int64_t> numbers) {
  std::string out;
  if (!format.binary) return std::to_string(static_cast<std::int32_t>(kind)) + "\t" + text + "\n";
  append_int32(out, static_cast<std::int32_t>(kind));
  for (const std::int64_t number : numbers) append_int32(out, number);
  return out;
}

}  // namespace

std::string list_message(Kind kind, const std::vector<Entry>& entries, const Moment& moment,
                         const Format& format, std::size_t most, std::vector<std::string>& skipped) {
  if (format.binary) {
    BinaryList list(kind, format);
    for (const Entry& entry : entries) {
      if (!list.add(entry, moment)) skipped.push_back(entry.name);
      if (list.size() > most) break;
    }
    return list.take();
  }
  std::string out = std::to_string(static_cast<std::int32_t>(kind));
  for (const Entry& entry : entries) {
    out += '\t';
    append_text(out, entry, moment);
    if (out.size() > most) break;
  }
  return out += '\n';
}

std::string exists_message(bool exists, const Format& format) {
  std::string out = short_message(Kind::exists, format, exists ? "1" : "0", {});
  if (format.binary) out += exists ? '\1' : '\0';
  return out;
}

std::string list_size_message(std::size_t entries, const Format& format) {
  return short_message(Kind::list_size, format, std::to_string(entries),
                       {0, static_cast<std::int64_t>(entries)});
}

std::string container_size_message(std::int64_t elements, const Format& format) {
  return short_message(Kind::container_size, format, elements < 0 ? "BAD_REF" : std::to_string(elements),
                       {std::max<std::int64_t>(elements, 0)});
}

}  // namespace tactus::drivers::trick
