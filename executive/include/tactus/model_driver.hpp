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

/// A disturbance that a model offers, in the rig file `{ on: MODEL.TARGET, does: KIND, amount: AMOUNT }`.
struct OfferedFault {
  std::string target{};   ///< "EngineData"; not the name of a variable
  std::string kind{};     ///< "wrong_checksum"
  std::string meaning{};  ///< one line
  bool has_amount = false;
  std::string unit{};  ///< unit of the amount, "s"; empty: a bare number
  double least = 0, most = 0;
  double fallback = 0;    ///< amount where the rig file has none; NaN: it must have one
  std::string refused{};  ///< reason why it cannot be had; empty: it can
};

/// A distribution that a model has measured.
struct MeasuredHistogram {
  struct Class {
    double end = 0;  ///< largest value of the class
    std::uint64_t count = 0;
  };
  struct Share {
    std::string cause{};  ///< "bus"
    std::uint64_t count = 0;
  };
  std::string name{};          ///< "EngineData.late"
  std::string about{};         ///< one line
  std::string unit{};          ///< "s"
  std::string not_measured{};  ///< reason to doubt it; empty: none
  std::uint64_t count = 0;
  double longest = 0;
  std::vector<Class> classes{};  ///< those that are not empty, the smallest end first
  double limit = 0;              ///< values above it are too large; 0: none are
  std::vector<Share> shares{};   ///< those too large, by cause
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

/// Receiver of the names that keys of the rig file can have. Only valid in names().
class TACTUS_HIDDEN KeyNames {
 public:
  explicit KeyNames(const tactus_key_names& to) : to_(to) {}
  /// Adds a name that a key can have. `path`: the key, "receive" of Keys::named(), "rest_of" of a list of texts,
  /// "receive.EngineData.counter" of a text inside of an entry, which need not be in the rig file.
  void add(const std::string& path, const std::string& name, const std::string& about = "") const {
    to_.name(to_.context, path.c_str(), name.c_str(), about.c_str());
  }
  /// Says that a key can have no other names. `unless`: of Keys::named(), a key with which an entry may have any name.
  void only(const std::string& path, const std::string& unless = "") const {
    to_.only(to_.context, path.c_str(), unless.c_str());
  }

 private:
  const tactus_key_names& to_;
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
  virtual bool drive_safe(bool /*for_good*/) noexcept { return true; }
  /// Outputs that it drives, for people who are about to move them. Constant after check(). @when setup
  virtual std::vector<DrivenOutput> outputs() const { return {}; }
  /// Looks at the cycle that a job of a cyclic class has in the rig, cycle_num / cycle_den nanoseconds. After declare(),
  /// also for `tactus check`, and in a process of its own (`isolated: yes`). What it throws refuses the rig. @when setup
  virtual void planned(const std::string& /*job*/, std::int64_t /*cycle_num*/, std::int64_t /*cycle_den*/) {}
  /// Takes the oldest message that waits for the rig's log; false: there is none. While jobs run, on another thread; in
  /// a process of its own (`isolated: yes`) after a job that failed on the thread of the jobs, too. @when service
  virtual bool take_message(Message& /*to*/) { return false; }
  /// Disturbances that it offers. Constant after declare(); not asked in a process of its own. @when setup
  virtual std::vector<OfferedFault> faults() const { return {}; }
  /// Begins the disturbance with this place in faults(), or ends it; the same may be said again. On the thread of the
  /// frames before the jobs of a frame run, though asynchronous ones may. @when rt
  virtual void disturb(std::uint32_t /*number*/, bool /*acts*/, double /*amount*/) noexcept {}
  /// Returns how often it has had its effect: messages that were disturbed. After the last frame. @when service
  virtual std::uint64_t disturbed(std::uint32_t /*number*/) const { return 0; }
  /// Fills in the histogram with this number, from 0 on; false: there are no more. While jobs run, on another thread.
  /// @when service
  virtual bool histogram(std::uint32_t /*number*/, MeasuredHistogram& /*to*/) { return false; }
  /// Says which names keys of its section can have, for completion and for the schema of a rig file: those of a file that
  /// the section names, say. After keys() and located(); check() was not called, and what the rig file has wrong is as it
  /// was before. What it throws says that they cannot be known. @when setup
  virtual void names(const KeyNames& to) { (void)to; }
  /// Says what a person should know before this model runs; a warning is what will go wrong. For `tactus check`, after
  /// declare(), of a model that is never opened; not in a process of its own. What it throws is said. @when setup
  virtual std::vector<Message> remarks() const { return {}; }
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

/// Disturbances of a driver as the C ABI has them.
struct COfferedFaults {
  explicit COfferedFaults(std::vector<OfferedFault> of) : offered(std::move(of)) {
    for (const OfferedFault& each : offered)
      all.push_back({sizeof(tactus_offered_fault), each.has_amount ? 1U : 0U, each.target.c_str(),
                     each.kind.c_str(), each.meaning.c_str(), each.unit.c_str(), each.least, each.most,
                     each.fallback, each.refused.empty() ? nullptr : each.refused.c_str()});
    for (const tactus_offered_fault& each : all) pointers.push_back(&each);
  }
  std::vector<OfferedFault> offered;
  std::vector<tactus_offered_fault> all{};
  std::vector<const tactus_offered_fault*> pointers{};
};

/// A histogram of a driver as the C ABI has it.
struct CHistogram {
  explicit CHistogram(MeasuredHistogram of) : measured(std::move(of)) {
    for (const MeasuredHistogram::Class& each : measured.classes) classes.push_back({each.end, each.count});
    for (const MeasuredHistogram::Share& each : measured.shares)
      shares.push_back({each.cause.c_str(), each.count});
    shown = {sizeof(tactus_histogram),
             static_cast<std::uint32_t>(classes.size()),
             measured.name.c_str(),
             measured.about.c_str(),
             measured.unit.c_str(),
             measured.not_measured.empty() ? nullptr : measured.not_measured.c_str(),
             measured.count,
             measured.longest,
             classes.data(),
             measured.limit,
             static_cast<std::uint32_t>(shares.size()),
             shares.data()};
  }
  MeasuredHistogram measured;
  std::vector<tactus_class> classes{};
  std::vector<tactus_share> shares{};
  tactus_histogram shown{};
};

template <class T>
tactus_model_functions model_functions() {
  tactus_model_functions all{};
  all.size = sizeof all;
  all.declare = &declare_model;
  all.open = [](void* self, const tactus_open_request* request, tactus_failure* failure) {
    return guarded(failure, [&] {
      const bool tells = request->size > offsetof(tactus_open_request, unguarded);
      const bool has_folder =
          request->size > offsetof(tactus_open_request, folder) && request->folder != nullptr;
      driver_of(self).open(
          {request->rig, tells && request->unguarded == 0, has_folder ? request->folder : ""});
    });
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
  // One that is private in T counts as its own, too.
  constexpr bool inherits_take_message = requires {
    requires std::is_same_v<decltype(&T::take_message), bool (ModelDriver::*)(Message&)>;
  };
  if constexpr (!inherits_take_message)
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
  all.faults = [](void* self, std::uint32_t* count) -> const tactus_offered_fault* const* {
    try {
      static thread_local std::unique_ptr<COfferedFaults> shown;  // until the next question
      shown = std::make_unique<COfferedFaults>(driver_of(self).faults());
      *count = static_cast<std::uint32_t>(shown->pointers.size());
      return shown->pointers.data();
    } catch (...) {
      *count = 1;  // that no description follows says that it failed
      return nullptr;
    }
  };
  all.disturb = [](void* self, std::uint32_t number, int acts, double amount) {
    driver_of(self).disturb(number, acts != 0, amount);
  };
  all.disturbed = [](void* self, std::uint32_t number) -> std::uint64_t {
    try {
      return driver_of(self).disturbed(number);
    } catch (...) {
      return 0;
    }
  };
  all.histogram = [](void* self, std::uint32_t number) -> const tactus_histogram* {
    try {
      static thread_local std::unique_ptr<CHistogram> shown;  // until the next question
      MeasuredHistogram measured;
      if (!driver_of(self).histogram(number, measured)) return nullptr;
      shown = std::make_unique<CHistogram>(std::move(measured));
      return &shown->shown;
    } catch (...) {
      return nullptr;
    }
  };
  all.names = [](const tactus_settings* settings, const tactus_key_names* to, tactus_failure* failure) {
    return guarded(failure, [&] {
      T asked;
      read_settings(asked, *settings);
      static_cast<ModelDriver&>(asked).names(KeyNames(*to));
    });
  };
  all.remarks = [](void* self, void* context,
                   void (*remark)(void* context, std::uint32_t level, const char* text),
                   tactus_failure* failure) {
    return guarded(failure, [&] {
      for (const Message& each : driver_of(self).remarks())
        remark(context, each.warning ? TACTUS_MESSAGE_WARNING : TACTUS_MESSAGE_INFO, each.text.c_str());
    });
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
