// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/driver.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "config/node.hpp"
#include "config/text.hpp"
#include "executive/driver/sdk_keys.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/thread/float_environment.hpp"

namespace tactus::executive {

class Driver;

/// Common part of the adaptors of a driver: a checked copy of its entry, and its keys.
struct SdkEntry {
  tactus_driver driver{};
  std::string kind;
  std::string name;
  std::string library;
  SdkKeys keys;

  /// The code that runs, for people.
  std::string code() const { return "driver '" + name + "' (" + library + ")"; }
};

/// Room for a text that a driver writes, and bytes after it that it must leave alone.
template <std::size_t kRoom>
class SdkText {
 public:
  SdkText() { std::fill(text_.begin() + kRoom, text_.end(), kUntouched); }
  char* data() { return text_.data(); }
  static constexpr std::uint32_t room() { return static_cast<std::uint32_t>(kRoom); }
  /// The text as one line.
  std::string line() {
    text_[kRoom - 1] = '\0';
    return config::one_line(text_.data());
  }
  /// Throws std::runtime_error if the driver wrote past its room.
  void expect_inside(const SdkEntry& entry, const char* function) const {
    if (std::all_of(text_.begin() + kRoom, text_.end(), [](char c) { return c == kUntouched; })) return;
    throw std::runtime_error("driver '" + entry.name + "': its function " + function +
                             "() wrote a text past the " + std::to_string(kRoom) +
                             " bytes of room that it was given");
  }

 private:
  static constexpr char kUntouched = '\x5A';
  std::array<char, kRoom + 64> text_{};
};

/// Room for the text of a function that failed.
class SdkFailure {
 public:
  tactus_failure* get() { return &failure_; }
  void expect_inside(const SdkEntry& entry, const char* function) const {
    text_.expect_inside(entry, function);
  }
  /// The reason as one line.
  std::string text() {
    const std::string said = text_.line();
    return said.empty() ? "it gave no reason" : said;
  }
  std::uint64_t records_lost() const { return failure_.records_lost; }

 private:
  SdkText<1024> text_;
  tactus_failure failure_{sizeof(tactus_failure), text_.room(), text_.data(), 0};
};

/// Calls a function of a driver. Throws std::runtime_error for an exception that leaves it. @when setup or service
template <class Call, class... Given>
auto call_sdk(const SdkEntry& entry, const char* function, Call call, Given... given) {
  const rtsync::FloatEnvironmentGuard floating;
  try {
    return call(given...);
  } catch (const std::exception& error) {
    throw std::runtime_error("driver '" + entry.name + "': an exception left its function " + function +
                             "(): " + config::one_line(error.what()));
  } catch (...) {
    throw std::runtime_error("driver '" + entry.name +
                             "': something that is not a std::exception left its function " + function +
                             "()");
  }
}

/// Folder of a rig file, absolute; empty: the text is no file.
inline std::string folder_of_rig_file(const std::string& file) {
  if (file.empty()) return "";
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(file, failed);
  return failed || !std::filesystem::exists(path, failed) ? "" : path.parent_path().string();
}

/// Settings of an instance as the C ABI has them. Must not outlive what they are made of.
class SdkSettings {
 public:
  using Problem = void (*)(void* context, const char* path, const char* message);
  SdkSettings(const KeptValue& section, const config::Node& parameters, void* context, Problem problem)
      : values_(section), folder_(folder_of_rig_file(section.origin.place.file)) {
    if (parameters.is_map())
      for (const config::Node::Entry& each : parameters.entries())
        if (each.value.is_scalar()) given_.push_back({each.key.c_str(), each.value.text().c_str()});
    settings_ = {sizeof(tactus_settings),
                 TACTUS_DRIVER_ABI_VERSION,
                 &values_.root(),
                 context,
                 problem,
                 folder_.c_str(),
                 given_.data(),
                 given_.size()};
  }
  SdkSettings(const SdkSettings&) = delete;
  SdkSettings& operator=(const SdkSettings&) = delete;
  const tactus_settings* get() const { return &settings_; }

 private:
  const SdkValues values_;
  const std::string folder_;
  std::vector<tactus_given_parameter> given_;
  tactus_settings settings_{};
};

/// An instance that a driver made; ends it.
class SdkInstance {
 public:
  /// Makes one. What the driver finds wrong is added to `problems`; then it holds nothing. Throws std::runtime_error
  /// when the driver fails without a problem.
  SdkInstance(std::shared_ptr<const SdkEntry> entry, const KeptValue& section, config::Problems& problems,
              const config::Node& parameters = {})
      : entry_(std::move(entry)) {
    struct Heard {
      const KeptValue& section;
      config::Problems& problems;
      bool any = false;
    } heard{section, problems};
    const SdkSettings settings(
        section, parameters, &heard, [](void* context, const char* path, const char* message) {
          auto& to = *static_cast<Heard*>(context);
          to.any = true;
          add_problem(to.section, path == nullptr ? "" : path,
                      config::one_line(message == nullptr ? "" : message), to.problems);
        });
    SdkFailure failure;
    const rtsync::Doing doing("driver '" + entry_->name + "' was made");
    made_ = call_sdk(*entry_, "make", entry_->driver.make, settings.get(), &self_, failure.get()) == 0;
    failure.expect_inside(*entry_, "make");
    if (!made_ && !heard.any)
      throw std::runtime_error("driver '" + entry_->name + "' could not be made: " + failure.text());
    if (heard.any) end();
  }
  SdkInstance(const SdkInstance&) = delete;
  SdkInstance& operator=(const SdkInstance&) = delete;
  ~SdkInstance() { end(); }

  explicit operator bool() const { return made_; }
  void* self() const { return self_; }
  const SdkEntry& entry() const { return *entry_; }

 private:
  void end() noexcept {
    if (!made_) return;
    made_ = false;
    try {
      const rtsync::Doing doing("driver '" + entry_->name + "' was ended");
      if (entry_->driver.destroy != nullptr) call_sdk(*entry_, "destroy", entry_->driver.destroy, self_);
    } catch (const std::exception&) {  // the rig is over: what was to be released is left to the kernel
    }
  }

  std::shared_ptr<const SdkEntry> entry_;
  void* self_ = nullptr;
  bool made_ = false;
};

/// Makes an instance of a section of a rig file; nullptr with problems.
inline std::shared_ptr<SdkInstance> make_instance(const std::shared_ptr<const SdkEntry>& entry,
                                                  const KeptValue& section, config::Problems& problems,
                                                  const config::Node& parameters = {}) {
  try {
    auto made = std::make_shared<SdkInstance>(entry, section, problems, parameters);
    return *made ? made : nullptr;
  } catch (const std::exception& error) {
    problems.add(section.origin, error.what());
    return nullptr;
  }
}

/// Calls a function that fails with a text, for which it has room behind what is given to it. Throws E with the text.
template <class E, class Call, class... Given>
void call_or_throw(const SdkEntry& entry, const char* function, Call call, Given... given) {
  SdkFailure failure;
  int status = 1;
  try {
    status = call_sdk(entry, function, call, given..., failure.get());
    failure.expect_inside(entry, function);
  } catch (const std::exception& error) {
    throw E(error.what());
  }
  if (status != 0) throw E(failure.text());
}

/// The functions of a kind, as far as this tactus and the driver know them.
template <class Functions>
Functions functions_of(const SdkEntry& entry, std::size_t required) {
  return known_part<std::runtime_error, Functions>(entry.driver.functions, required, "its functions have");
}

/// Throws if a function that each driver of the kind must have is missing.
template <class Function>
void need(Function function, const char* name) {
  if (function == nullptr) throw std::runtime_error(std::string("it has no function ") + name + "()");
}

std::unique_ptr<Driver> make_sdk_model(std::shared_ptr<const SdkEntry> entry);
std::unique_ptr<Driver> make_sdk_record(std::shared_ptr<const SdkEntry> entry);
std::unique_ptr<Driver> make_sdk_clock(std::shared_ptr<const SdkEntry> entry);

}  // namespace tactus::executive
