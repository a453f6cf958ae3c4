// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Common part of the classes for writing a driver: its keys in the rig file, and what crosses the C ABI of
/// tactus/driver.h. Include tactus/model_driver.hpp, tactus/record_driver.hpp or tactus/clock_driver.hpp.
///
/// A driver binds each key to a member. The member's value before is the default; tactus reads the rig file, refuses
/// what does not fit with its place, and writes the member:
///
///     void keys(tactus::Keys& k) override {
///       k.text("port", port_, {1, 200}, "the serial port, /dev/ttyUSB0").required();
///       k.whole("baud", baud_, {300, 4'000'000}, "bits a second");
///       k.time("timeout", timeout_, {1ms, 10s}, "how long to wait for an answer");
///       k.word("parity", parity_, {{"none", Parity::none}, {"even", Parity::even}}, "the check bit");
///     }
///
/// Header-only, above the C ABI: a library built with another C++ compiler or standard library works.
#include <tactus/driver.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tactus/model.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#define TACTUS_HIDDEN __attribute__((visibility("hidden")))

namespace tactus {

/// Limits of a whole number, a number, or the length of a text; none: anything.
struct Limits {
  double low = 0, high = 0;
};
/// Limits of a time.
struct TimeLimits {
  std::chrono::nanoseconds low{0}, high{0};
};
/// A word that a key understands: {"even", Parity::even, "even parity"}.
template <class E>
struct KeyWord {
  const char* word;
  E value;
  const char* meaning = "";
};

class Keys;

namespace detail TACTUS_HIDDEN {

/// A key with the texts and the keys inside that it points to.
struct OwnedKey {
  tactus_key key{};
  std::string fallback{};
  std::vector<tactus_word> words{};
  std::unique_ptr<Keys> inner{};
};

}  // namespace TACTUS_HIDDEN

/// Options of a key that was just added: k.text(...).required(). @when setup
class TACTUS_HIDDEN KeyOptions {
 public:
  explicit KeyOptions(tactus_key* key) : key_(key) {}

  /// The rig file must have it.
  KeyOptions& required() { return set(&tactus_key::required, 1U); }
  /// Least number of entries.
  KeyOptions& at_least(std::uint64_t entries) { return set(&tactus_key::at_least, entries); }
  /// A sentence on the section inside.
  KeyOptions& about(const char* text) { return set(&tactus_key::about, text); }
  /// A text of a driver of a model: a file, whose relative path begins in the folder of the rig file. The rig.yaml of a run
  /// folder has it whole, so that it can be run again. Clocks and formats have the text as it is written.
  KeyOptions& file() { return set(&tactus_key::unit, "file"); }
  /// `door: 4` is short for `door: { line: 4 }` with "line".
  KeyOptions& short_value(const char* key) { return set(&tactus_key::short_value, key); }
  /// `door: [4, 5]` is short for `door: { lines: [4, 5] }` with "lines".
  KeyOptions& short_list(const char* key) { return set(&tactus_key::short_list, key); }

 private:
  template <class T>
  KeyOptions& set(T tactus_key::*member, std::type_identity_t<T> value) {
    if (key_ != nullptr) key_->*member = value;
    return *this;
  }
  tactus_key* key_;  // nullptr: the keys are read, not described
};

/// The keys of a driver. Called twice: to describe them, and to read them into the members. @when setup
class TACTUS_HIDDEN Keys {
 public:
  /// Describes.
  Keys() = default;
  /// Reads.
  explicit Keys(const tactus_value& section) : section_(&section) {}
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  KeyOptions yes_no(const char* name, bool& value, const char* meaning) {
    return one(TACTUS_KEY_YES_NO, name, meaning, {}, value ? "yes" : "no",
               [&](const tactus_value& read) { value = read.whole != 0; });
  }
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) KeyOptions
      whole(const char* name, T& value, Limits limits, const char* meaning) {
    // What does not fit the member is refused. Beyond 63 bits no rig file goes.
    constexpr double least = std::is_unsigned_v<T> ? 0 : static_cast<double>(std::numeric_limits<T>::min());
    constexpr double most =
        sizeof(T) < 8 ? static_cast<double>(std::numeric_limits<T>::max()) : 9223372036854774784.0;
    const bool limited = limits.low != 0 || limits.high != 0;
    if (limited || sizeof(T) < 8 || std::is_unsigned_v<T>) {
      limits.low = limited && limits.low > least ? limits.low : least;
      limits.high = limited && limits.high < most ? limits.high : most;
    }
    return one(TACTUS_KEY_WHOLE, name, meaning, limits, std::to_string(value),
               [&](const tactus_value& read) { value = static_cast<T>(read.whole); });
  }
  /// Adds a number in `unit`: a rig file may write 200 mV for 0.2 V.
  KeyOptions number(const char* name, double& value, const char* unit, Limits limits, const char* meaning) {
    char text[40];
    (void)std::snprintf(text, sizeof text, "%.17g", value);
    if (value == std::strtod(short_text(value).c_str(), nullptr))
      (void)std::snprintf(text, sizeof text, "%s", short_text(value).c_str());
    const bool bare = unit == nullptr || *unit == '\0' || std::strcmp(unit, "1") == 0;
    KeyOptions options =
        one(TACTUS_KEY_NUMBER, name, meaning, limits, text + (bare ? "" : std::string(" ") + unit),
            [&](const tactus_value& read) { value = read.number; });
    if (!reads()) keys_.back().key.unit = unit;
    return options;
  }
  KeyOptions time(const char* name, std::chrono::nanoseconds& value, TimeLimits limits, const char* meaning) {
    return one(TACTUS_KEY_TIME, name, meaning,
               {static_cast<double>(limits.low.count()), static_cast<double>(limits.high.count())},
               std::to_string(value.count()) + " ns",
               [&](const tactus_value& read) { value = std::chrono::nanoseconds(read.whole); });
  }
  /// `length` in bytes. An empty default stands for none.
  KeyOptions text(const char* name, std::string& value, Limits length, const char* meaning) {
    return one(TACTUS_KEY_TEXT, name, meaning, length, value,
               [&](const tactus_value& read) { value = read.text; });
  }
  KeyOptions texts(const char* name, std::vector<std::string>& values, Limits length, const char* meaning) {
    KeyOptions options = one(TACTUS_KEY_TEXT, name, meaning, length, "", [&](const tactus_value& read) {
      values.clear();
      for (std::uint32_t i = 0; i < read.value_count; ++i) values.emplace_back(read.values[i]->text);
    });
    if (!reads()) keys_.back().key.list = 1;
    return options;
  }
  template <class E>
  KeyOptions word(const char* name, E& value, std::initializer_list<std::type_identity_t<KeyWord<E>>> words,
                  const char* meaning) {
    return word(name, value, std::span<const KeyWord<E>>(words.begin(), words.size()), meaning);
  }
  /// The same, with a table of words.
  template <class E>
  KeyOptions word(const char* name, E& value, std::span<const KeyWord<E>> words, const char* meaning) {
    std::string fallback;
    for (const KeyWord<E>& each : words)
      if (each.value == value) fallback = each.word;
    KeyOptions options = one(TACTUS_KEY_WORD, name, meaning, {}, fallback,
                             [&](const tactus_value& read) { value = static_cast<E>(read.whole); });
    if (!reads()) {
      detail::OwnedKey& key = keys_.back();
      for (const KeyWord<E>& each : words)
        key.words.push_back({each.word, static_cast<std::int64_t>(each.value), each.meaning});
      key.key.words = key.words.data();
      key.key.word_count = static_cast<std::uint32_t>(key.words.size());
    }
    return options;
  }
  /// Refuses a rig file that has a key of this name, with a sentence that says why and what to do instead.
  void refused(const char* name, const char* why) {
    bool never = false;
    (void)yes_no(name, never, why);
    if (!reads()) keys_.back().key.refused = why;
  }
  /// A map with keys of its own: inner(k, value) adds them.
  template <class T, class Inner>
  KeyOptions section(const char* name, T& value, const char* meaning, Inner inner) {
    return nested(TACTUS_KEY_SECTION, name, meaning, inner, value, [&](const tactus_value& read) {
      Keys keys(read);
      inner(keys, value);
    });
  }
  /// A map from names to structs, in the order of the rig file: inner(k, value) adds the keys of one, and T::name gets
  /// its name. `noun` says what is named: "signal".
  template <class T, class Inner>
  KeyOptions named(const char* name, std::vector<T>& values, const char* noun, const char* meaning,
                   Inner inner) {
    T blank{};
    KeyOptions options = nested(TACTUS_KEY_NAMED, name, meaning, inner, blank, [&](const tactus_value& read) {
      values.clear();
      for (std::uint32_t i = 0; i < read.value_count; ++i) {
        T& made = values.emplace_back();
        made.name = read.values[i]->name;
        Keys keys(*read.values[i]);
        inner(keys, made);
      }
    });
    if (!reads()) keys_.back().key.noun = noun;
    return options;
  }

  /// Returns the keys that were described, for the C ABI. Valid as long as this object, when no key is added any more.
  const std::vector<const tactus_key*>& described() {
    pointers_.clear();
    for (detail::OwnedKey& each : keys_) {
      if (each.inner != nullptr) {
        const auto& inner = each.inner->described();
        each.key.keys = inner.data();
        each.key.key_count = static_cast<std::uint32_t>(inner.size());
      }
      pointers_.push_back(&each.key);
    }
    return pointers_;
  }

 private:
  static std::string short_text(double value) {
    char text[40];
    (void)std::snprintf(text, sizeof text, "%.15g", value);
    return text;
  }
  bool reads() const { return section_ != nullptr; }

  template <class Read>
  KeyOptions one(tactus_key_type type, const char* name, const char* meaning, Limits limits,
                 std::string fallback, Read read) {
    if (reads()) {
      for (std::uint32_t i = 0; i < section_->value_count; ++i)
        if (std::string_view(section_->values[i]->name) == name && section_->values[i]->given != 0)
          read(*section_->values[i]);
      return KeyOptions(nullptr);
    }
    detail::OwnedKey& made = keys_.emplace_back();
    made.fallback = std::move(fallback);
    made.key.size = sizeof(tactus_key);
    made.key.type = type;
    made.key.name = name;
    made.key.meaning = meaning;
    made.key.low = limits.low;
    made.key.high = limits.high;
    if (!made.fallback.empty()) made.key.fallback = made.fallback.c_str();
    return KeyOptions(&made.key);
  }
  /// `defaults`: what holds where the rig file says nothing.
  template <class T, class Inner, class Read>
  KeyOptions nested(tactus_key_type type, const char* name, const char* meaning, Inner inner, T& defaults,
                    Read read) {
    KeyOptions options = one(type, name, meaning, {}, "", read);
    if (!reads()) {
      keys_.back().inner = std::make_unique<Keys>();
      inner(*keys_.back().inner, defaults);
    }
    return options;
  }

  const tactus_value* section_ = nullptr;  // nullptr: describes
  std::deque<detail::OwnedKey> keys_;      // a deque: the addresses stay
  std::vector<const tactus_key*> pointers_;
};

/// Says what no table of keys can say of the values that were read. Only valid in check(). @when setup
class TACTUS_HIDDEN Problems {
 public:
  explicit Problems(const tactus_settings& settings) : settings_(settings) {}

  /// `path`: the key, "port", "lines.door.line", "lines.address.lines[1]", "" for the whole section. The rig is then not
  /// started.
  void add(const std::string& path, const std::string& message) const {
    settings_.problem(settings_.context, path.c_str(), message.c_str());
  }

 private:
  const tactus_settings& settings_;
};

/// A parameter of the rig file: {"size", "3"}.
struct GivenParameter {
  std::string name{};
  std::string text{};
};

/// Common part of the drivers of all kinds.
class TACTUS_HIDDEN KeyedDriver {
 public:
  /// Takes the folder of the rig file, where relative paths of keys begin; "": not known. After keys(), before check().
  /// @when setup
  virtual void located(const std::string& folder) { (void)folder; }
  /// Takes what stands under `parameters:` of a model, as texts, but lists: for a model whose variables depend on it.
  /// The values are set as ever when the model has declared its variables. After keys(), before check(). @when setup
  virtual void given(const std::vector<GivenParameter>& parameters) { (void)parameters; }
  /// Binds its keys to members; none: it has no keys. @when setup
  virtual void keys(Keys& k) { (void)k; }
  /// Looks at the members that were read. @when setup
  virtual void check(const Problems& problems) { (void)problems; }

 protected:
  ~KeyedDriver() = default;
};

/// Information that a device gets when it is opened.
struct OpenRequest {
  std::string rig{};  ///< name of the rig, by which other programs see what holds a device
  /// A model: a process of its own shall drive the safe values when this one is killed, if the driver can.
  bool guarded = false;
  /// A model: folder of the run, where it may make files of its own; empty: there is none.
  std::string folder{};
};

namespace detail TACTUS_HIDDEN {

inline int failed(tactus_failure* failure, const char* text) noexcept {
  if (failure != nullptr && failure->room > 0) {
    const std::size_t length = std::min<std::size_t>(std::strlen(text), failure->room - 1);
    std::memcpy(failure->text, text, length);
    failure->text[length] = '\0';
  }
  return 1;
}

/// Does the work; no exception leaves it. 0, or 1 with the exception's text.
template <class Work>
int guarded(tactus_failure* failure, Work work) noexcept {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    return failed(failure, error.what());
  } catch (...) {
    return failed(failure, "threw something that is not a std::exception");
  }
}

/// Gives a driver its keys, and what belongs to them.
template <class T>
void read_settings(T& driver, const tactus_settings& settings) {
  Keys keys(*settings.section);
  driver.keys(keys);
  if (settings.size > offsetof(tactus_settings, folder) && settings.folder != nullptr)
    driver.located(settings.folder);
  if (settings.size > offsetof(tactus_settings, parameter_count)) {
    std::vector<GivenParameter> parameters;
    for (std::uint64_t i = 0; i < settings.parameter_count; ++i)
      parameters.push_back({settings.parameters[i].name, settings.parameters[i].text});
    driver.given(parameters);
  }
}

/// Makes a T and reads its keys. Base: the class whose address stands for the instance.
template <class T, class Base>
int make_driver(const tactus_settings* settings, void** self, tactus_failure* failure) noexcept {
  return guarded(failure, [&] {
    auto made = std::make_unique<T>();
    read_settings(*made, *settings);
    made->check(Problems(*settings));
    *self = static_cast<Base*>(made.release());
  });
}
template <class Base>
void destroy_driver(void* self) noexcept {
  delete static_cast<Base*>(self);
}

/// The description of a driver of class T, or of why it cannot say its keys. `functions`: makes the table of its kind.
template <class T, class Functions>
const tactus_driver* entry(const char* kind, const char* name, const char* about, Functions functions,
                           decltype(tactus_driver::make) make,
                           decltype(tactus_driver::destroy) destroy) noexcept {
  static char why[512];
  static tactus_driver described{};
  described.abi_version = TACTUS_DRIVER_ABI_VERSION;
  described.size = sizeof(tactus_driver);
  described.kind = kind;
  described.name = name;
  described.about = about;
  tactus_failure failure{sizeof(tactus_failure), sizeof why, why, 0};
  const int failed_with = guarded(&failure, [&] {
    static const auto table = functions();
    static const std::unique_ptr<Keys> keys = [] {
      auto made = std::make_unique<Keys>();
      T blank;
      blank.keys(*made);
      return made;
    }();
    const auto& all = keys->described();
    described.keys = all.data();
    described.key_count = all.size();
    described.make = make;
    described.destroy = destroy;
    described.functions = &table;
  });
  described.failure = failed_with == 0 ? nullptr : why;
  return &described;
}

}  // namespace TACTUS_HIDDEN
}  // namespace tactus
#undef TACTUS_HIDDEN

/// Defines the entry of a driver's library; of use in the macros of each kind.
#define TACTUS_DRIVER_ENTRY(entry_of_it) \
  extern "C" TACTUS_EXPORT const tactus_driver* tactus_driver_entry(void) { return entry_of_it; }
