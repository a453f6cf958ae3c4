// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Classes for writing a driver of models: hardware as a model of the rig, whose variables depend on the keys of its
/// section. Derive from tactus::ModelDriver, export it with TACTUS_MODEL_DRIVER.
///
///     class Thermometer : public tactus::ModelDriver {
///      public:
///       void keys(tactus::Keys& k) override {
///         k.text("port", port_, {1, 200}, "the serial port").required();
///       }
///       void declare(tactus::Declare& d) override {
///         d.output("temperature", temperature_, "K", "what it measures");
///         d.job<&Thermometer::read>("read", tactus::JobClass::top_of_frame);
///       }
///       void open(const tactus::OpenRequest&) override { ... }   // throws when the device cannot be had
///       int read() { ... }                                       // inside a frame
///     };
///     TACTUS_MODEL_DRIVER("thermometer", Thermometer, "A thermometer at a serial port.")
///
/// tactus calls the constructor, keys(), check(), declare(), open(), the jobs, and the destructor, which releases the
/// device; of `tactus check` all but open() and the jobs.
///
/// Threads  one thread at setup; jobs: the thread that the rig file gives them; drive_safe(): any.
#include <cstddef>
#include <cstdint>
#include <tactus/driver.hpp>

#define TACTUS_HIDDEN __attribute__((visibility("hidden")))

namespace tactus {

/// An output outside of the process that one of the model's variables drives.
struct DrivenOutput {
  std::string variable{};  ///< name as the model declares it
  std::string what{};      ///< "line 17 of /dev/gpiochip0"
  std::string safe{};      ///< its safe value; empty: it has none
};

/// A message of a model for the rig's log.
struct Message {
  bool warning = false;
  std::string text{};  ///< one line
};

/// Receiver of what is found out about a file, line by line. Only valid in examine().
class TACTUS_HIDDEN Examination {
 public:
  explicit Examination(const tactus_examination& to) : to_(to) {}
  void line(const std::string& text) const { to_.line(to_.context, text.c_str()); }
  /// Adds a line about something wrong with the file: `tactus check` then ends with status 1.
  void finding(const std::string& text) const { to_.finding(to_.context, text.c_str()); }
  /// Value of an option of `tactus check`, "bit-rate"; "yes" of "measure", which asks to run the file and say what it takes
  /// on this machine; empty: not given.
  std::string option(const char* name) const {
    if (to_.size <= offsetof(tactus_examination, option) || to_.option == nullptr) return "";
    const char* const value = to_.option(to_.context, name);
    return value == nullptr ? "" : value;
  }

 private:
  const tactus_examination& to_;
};

/// A driver whose models are made of files may have `static constexpr const char* kExtension = ".fmu"` and
/// `static void examine(const std::string& file, const Examination& to)`, for `tactus check FILE`. What examine() throws
/// says why the file cannot be read.
class TACTUS_HIDDEN ModelDriver : public Model, public KeyedDriver {
 public:
  /// Opens the device, before any job runs and never for `tactus check`. What it throws ends the rig with exit status 3:
  /// say what is missing and how it is mended. @when setup
  virtual void open(const OpenRequest& request) = 0;
  /// Has outputs that must not be left as they are when the rig ends, however it ends. Constant after check(). A driver
  /// of which some models have some answers true before its keys were read, too. @when setup
  virtual bool has_safe_values() const { return false; }
  /// Drives the safe values at once; `for_good`: whatever a frame that still runs writes, the outputs end up safe. Also
  /// inside of a signal handler, any number of times: async-signal-safe. False: the device refused. @when any
  virtual bool drive_safe(bool for_good) noexcept {
    (void)for_good;
    return true;
  }
  /// Outputs that it drives, for people who are about to move them. Constant after check(). @when setup
  virtual std::vector<DrivenOutput> outputs() const { return {}; }
  /// Looks at the cycle that a job of a cyclic class has in the rig, cycle_num / cycle_den nanoseconds. After declare(),
  /// also for `tactus check`; not in a process of its own (`isolated: yes`). What it throws refuses the rig. @when setup
  virtual void planned(const std::string& job, std::int64_t cycle_num, std::int64_t cycle_den) {
    (void)job, (void)cycle_num, (void)cycle_den;
  }
  /// Takes the oldest message that waits for the rig's log; false: there is none. While jobs run, on another thread; in
  /// a process of its own (`isolated: yes`) after a job that failed on the thread of the jobs, too. @when service
  virtual bool take_message(Message& to) {
    (void)to;
    return false;
  }
};

namespace detail TACTUS_HIDDEN {

inline ModelDriver& driver_of(void* self) { return *static_cast<ModelDriver*>(static_cast<Model*>(self)); }

/// Outputs of a driver as the C ABI has them, made when they are asked for.
struct COutputs {
  explicit COutputs(std::vector<DrivenOutput> of) : outputs(std::move(of)) {
    for (const DrivenOutput& each : outputs)
      all.push_back({sizeof(tactus_driven_output), each.variable.c_str(), each.what.c_str(),
                     each.safe.empty() ? nullptr : each.safe.c_str()});
    for (const tactus_driven_output& each : all) pointers.push_back(&each);
  }
  std::vector<DrivenOutput> outputs;
  std::vector<tactus_driven_output> all{};
  std::vector<const tactus_driven_output*> pointers{};
};

template <class T>
tactus_model_functions model_functions() {
  tactus_model_functions all{};
  all.size = sizeof all;
  all.declare = &declare_model;
  all.open = [](void* self, const tactus_open_request* request, tactus_failure* failure) {
    return guarded(failure, [&] { driver_of(self).open({request->rig}); });
  };
  if (T().has_safe_values())
    all.drive_safe = [](void* self, int for_good) {
      return driver_of(self).drive_safe(for_good != 0) ? 0 : 1;
    };
  all.has_safe_values = [](void* self) { return driver_of(self).has_safe_values() ? 1 : 0; };
  all.outputs = [](void* self, std::uint32_t* count) -> const tactus_driven_output* const* {
    try {
      static thread_local std::unique_ptr<COutputs> shown;  // until the next question
      shown = std::make_unique<COutputs>(driver_of(self).outputs());
      *count = static_cast<std::uint32_t>(shown->pointers.size());
      return shown->pointers.data();
    } catch (...) {
      *count = 1;  // that no description follows says that it failed
      return nullptr;
    }
  };
  all.planned = [](void* self, const char* job, std::int64_t num, std::int64_t den, tactus_failure* failure) {
    return guarded(failure, [&] { driver_of(self).planned(job, num, den); });
  };
  all.take_message = [](void* self, tactus_message* to) {
    try {
      Message message;
      if (!driver_of(self).take_message(message) || to->room == 0) return 1;
      const std::size_t length = std::min<std::size_t>(message.text.size(), to->room - 1);
      std::memcpy(to->text, message.text.data(), length);
      to->text[length] = '\0';
      to->level = message.warning ? TACTUS_MESSAGE_WARNING : TACTUS_MESSAGE_INFO;
      return 0;
    } catch (...) {
      return 1;
    }
  };
  if constexpr (requires { T::kExtension; }) {
    all.extension = T::kExtension;
    all.examine = [](const char* file, const tactus_examination* to, tactus_failure* failure) {
      return guarded(failure, [&] { T::examine(file, Examination(*to)); });
    };
  }
  return all;
}

template <class T>
const tactus_driver* model_entry(const char* name, const char* about) noexcept {
  return entry<T>(
      "model", name, about, [] { return model_functions<T>(); }, &make_driver<T, Model>,
      &destroy_driver<Model>);
}

}  // namespace TACTUS_HIDDEN
}  // namespace tactus
#undef TACTUS_HIDDEN

/// Exports a class derived from tactus::ModelDriver, default-constructible. Once per library, which is
/// libtactus-model-<name>.so.
#define TACTUS_MODEL_DRIVER(name, Class, about) \
  TACTUS_DRIVER_ENTRY((tactus::detail::model_entry<Class>(name, about)))
