// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Classes for writing a model: derive from tactus::Model, declare variables and jobs, export it with
/// TACTUS_MODEL.
///
///     class Gain : public tactus::Model {
///      public:
///       void declare(tactus::Declare& d) override {
///         d.parameter("k", k_, "1", "amplification");
///         d.input("u", u_, "V", "what comes in");
///         d.output("y", y_, "V", "what goes out");
///         d.job<&Gain::step>("step", tactus::JobClass::scheduled);
///       }
///       void step() { y_ = k_ * u_; }
///
///      private:
///       double k_ = 1, u_ = 0, y_ = 0;
///     };
///     TACTUS_MODEL("gain", Gain, "multiplies")
///
/// Header-only, above the C ABI of tactus/model.h: a library built with another C++ compiler or standard
/// library works.
#if __cplusplus <= 201703L
#error "tactus/model.hpp needs C++20: compile with -std=c++20 (CMake: link with tactus::model)"
#endif
#ifndef __cpp_exceptions
#error \
    "tactus/model.hpp needs exceptions: compile without -fno-exceptions, or write the model in C (tactus/model.h)"
#endif
#include <tactus/model.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Each library keeps its own copy: no other library of the process replaces it.
#define TACTUS_HIDDEN __attribute__((visibility("hidden")))

namespace tactus {

enum class JobClass : int {
  default_data = TACTUS_DEFAULT_DATA,
  initialization = TACTUS_INITIALIZATION,
  top_of_frame = TACTUS_TOP_OF_FRAME,
  on_event = TACTUS_ON_EVENT,
  environment = TACTUS_ENVIRONMENT,
  sensor = TACTUS_SENSOR,
  sensor_emitter = TACTUS_SENSOR_EMITTER,
  sensor_reflector = TACTUS_SENSOR_REFLECTOR,
  sensor_receiver = TACTUS_SENSOR_RECEIVER,
  scheduled = TACTUS_SCHEDULED,
  controller = TACTUS_CONTROLLER,
  effector = TACTUS_EFFECTOR,
  effector_emitter = TACTUS_EFFECTOR_EMITTER,
  effector_receiver = TACTUS_EFFECTOR_RECEIVER,
  logging = TACTUS_LOGGING,
  data_record = TACTUS_DATA_RECORD,
  pre_integration = TACTUS_PRE_INTEGRATION,
  derivative = TACTUS_DERIVATIVE,
  integration = TACTUS_INTEGRATION,
  post_integration = TACTUS_POST_INTEGRATION,
  end_of_frame = TACTUS_END_OF_FRAME,
  freeze_init = TACTUS_FREEZE_INIT,
  freeze_scheduled = TACTUS_FREEZE_SCHEDULED,
  freeze_automatic = TACTUS_FREEZE_AUTOMATIC,
  freeze = TACTUS_FREEZE,
  unfreeze = TACTUS_UNFREEZE,
  checkpoint = TACTUS_CHECKPOINT,
  post_checkpoint = TACTUS_POST_CHECKPOINT,
  preload_checkpoint = TACTUS_PRELOAD_CHECKPOINT,
  restart = TACTUS_RESTART,
  shutdown = TACTUS_SHUTDOWN,
};

/// Argument of a job: call.sim_time_ns, call.frame, call.dt (seconds).
using Call = tactus_call;

/// A name for one value of an enumeration: {"park", Gear::park}.
struct Label {
  template <class Value>
  constexpr Label(const char* label_name, Value label_value)
      : name(label_name), value(static_cast<std::int64_t>(label_value)) {}
  const char* name;
  std::int64_t value;
};
using Labels = std::initializer_list<Label>;

/// Options of a job that the rig file may override: its cycle, every(200us) or rate(60), without which it is
/// called once every frame; and its phase, at_phase(100), or both: every(200us).at_phase(100). A cycle has a
/// unit: a bare number does not compile.
class JobOptions {
 public:
  constexpr JobOptions() = default;
  /// The same, with another phase: 0 .. 65535, low runs first within its class; 60000 unless it is given.
  constexpr JobOptions at_phase(unsigned number) const { return {number, cycle_num_, cycle_den_}; }

  constexpr unsigned phase() const { return phase_; }
  /// cycle_num / cycle_den nanoseconds; 0: once every frame; TACTUS_DYNAMIC.
  constexpr std::int64_t cycle_num() const { return cycle_num_; }
  constexpr std::int64_t cycle_den() const { return cycle_den_; }

 private:
  friend struct JobCycles;
  constexpr JobOptions(unsigned phase, std::int64_t num, std::int64_t den)
      : phase_(phase), cycle_num_(num), cycle_den_(den) {}

  unsigned phase_ = 60000;
  std::int64_t cycle_num_ = 0;
  std::int64_t cycle_den_ = 1;
};

/// Makes options of what the C interface takes, unchecked; for every(), rate() and tests.
struct JobCycles {
  static constexpr JobOptions of(std::int64_t num, std::int64_t den = 1) { return {60000, num, den}; }
};

/// A job once every `cycle` of simulated time: every(200us). Throws std::invalid_argument for no time at all.
/// @when setup
constexpr JobOptions every(std::chrono::nanoseconds cycle) {
  if (cycle.count() <= 0) throw std::invalid_argument("tactus::every: a cycle is at least 1 ns");
  return JobCycles::of(cycle.count());
}
/// A job at that many calls a second, exactly: rate(60); rate(60000, 1001) is 59.94 Hz. Throws
/// std::invalid_argument for a number below 1. @when setup
constexpr JobOptions rate(std::int64_t times, std::int64_t seconds = 1) {
  if (times < 1 || seconds < 1 || seconds > INT64_MAX / 1'000'000'000)
    throw std::invalid_argument("tactus::rate: at least once, in at least a second");
  return JobCycles::of(seconds * 1'000'000'000, times);
}
/// A job once every frame, with a phase.
constexpr JobOptions at_phase(unsigned number) { return JobOptions{}.at_phase(number); }
/// Option for a job that chooses its own next time with Model::call_at.
inline constexpr JobOptions kDynamic = JobCycles::of(TACTUS_DYNAMIC);

namespace detail TACTUS_HIDDEN {

template <class T>
constexpr tactus_type type_of() {
  if constexpr (std::is_enum_v<T>) {
    return type_of<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    static_assert(sizeof(bool) == 1);
    return TACTUS_BOOL;
  } else if constexpr (std::is_same_v<T, float>) {
    return TACTUS_FLOAT;
  } else if constexpr (std::is_same_v<T, double>) {
    return TACTUS_DOUBLE;
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8,
                  "a variable is a bool, an integer of 8 to 64 bits, a float, a double, an enum, or a fixed "
                  "array of these, of one or two dimensions");
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1:
        return is_signed ? TACTUS_INT8 : TACTUS_UINT8;
      case 2:
        return is_signed ? TACTUS_INT16 : TACTUS_UINT16;
      case 4:
        return is_signed ? TACTUS_INT32 : TACTUS_UINT32;
      default:
        return is_signed ? TACTUS_INT64 : TACTUS_UINT64;
    }
  }
}

template <class T>
struct Shape {
  using Element = T;
  static constexpr std::uint32_t count = 0, columns = 0;
};
template <class T, std::size_t N>
struct Shape<T[N]> {
  using Element = T;
  static constexpr std::uint32_t count = N, columns = 0;
};
template <class T, std::size_t N>
struct Shape<std::array<T, N>> : Shape<T[N]> {};
template <class T, std::size_t N, std::size_t M>
struct Shape<T[N][M]> {
  using Element = T;
  static constexpr std::uint32_t count = N * M, columns = M;
};
template <class T, std::size_t N, std::size_t M>
struct Shape<std::array<std::array<T, M>, N>> : Shape<T[N][M]>{};

template <class>
struct MemberOf;
template <class C, class R, class... A>
struct MemberOf<R (C::*)(A...)> {
  using Class = C;
};
template <class C, class R, class... A>
struct MemberOf<R (C::*)(A...) const> : MemberOf<R (C::*)(A...)> {};
template <class C, class R, class... A>
struct MemberOf<R (C::*)(A...) noexcept> : MemberOf<R (C::*)(A...)> {};
template <class C, class R, class... A>
struct MemberOf<R (C::*)(A...) const noexcept> : MemberOf<R (C::*)(A...)> {};

}  // namespace TACTUS_HIDDEN

/// Collects a model's variables and jobs. Each function throws std::runtime_error when tactus refuses (a name
/// twice, a unit that cannot be read); tactus says why in its own message. Only valid during Model::declare.
/// @when setup
class TACTUS_HIDDEN Declare {
 public:
  explicit Declare(const tactus_host& host) : host_(host) {}

  /// The name of this instance in the rig.
  std::string instance() const { return host_.instance; }

  template <class T>
  void parameter(const char* name, T& data, const char* unit = "", const char* about = "",
                 Labels labels = {}) {
    variable(TACTUS_PARAMETER, name, data, unit, about, labels);
  }
  template <class T>
  void input(const char* name, T& data, const char* unit = "", const char* about = "", Labels labels = {}) {
    variable(TACTUS_INPUT, name, data, unit, about, labels);
  }
  template <class T>
  void output(const char* name, T& data, const char* unit = "", const char* about = "", Labels labels = {}) {
    variable(TACTUS_OUTPUT, name, data, unit, about, labels);
  }
  template <class T>
  void state(const char* name, T& data, const char* unit = "", const char* about = "", Labels labels = {}) {
    variable(TACTUS_STATE, name, data, unit, about, labels);
  }

  /// Two double variables declared before, scalars or arrays of one size: an `integrate:` loop of the rig
  /// file integrates `derivative` into `state`.
  void integrated(const char* state, const char* derivative) {
    if (host_.declare_integrated == nullptr ||
        host_.declare_integrated(host_.context, state, derivative) != 0)
      refused("to integrate", state);
  }
  /// The same, by the variables themselves: d.integrated(x_, dx_).
  template <class State, class Derivative>
  requires(!std::is_convertible_v<State&, const char*>) void integrated(State& state,
                                                                        Derivative& derivative) {
    const std::string name = name_of(&state);
    integrated(name.c_str(), name_of(&derivative).c_str());
  }
  /// A variable declared before: outside of low .. high ends the rig. NaN: no bound on that side.
  void range(const char* variable, double low, double high) {
    if (host_.declare_range == nullptr || host_.declare_range(host_.context, variable, low, high) != 0)
      refused("the range of", variable);
  }
  /// The model remembers what its variables do not hold: it can neither be reset nor continued from a
  /// checkpoint.
  void cannot_restart(const char* why) {
    if (host_.cannot_restart == nullptr || host_.cannot_restart(host_.context, why) != 0)
      refused("cannot_restart:", why);
  }

  /// Member is `void f()`, `void f(const Call&)`, or the same returning int (0: continue; else the rig
  /// aborts). An exception it throws ends the rig (Abort) with the exception's text.
  template <auto Member>
  void job(const char* name, JobClass job_class, JobOptions options = {});

 private:
  template <class T>
  void variable(tactus_role role, const char* name, T& data, const char* unit, const char* about,
                Labels labels) {
    using Shape = detail::Shape<T>;
    std::vector<tactus_label> list;
    for (const Label& label : labels) list.push_back({label.name, label.value});
    const tactus_variable declared{sizeof(tactus_variable),
                                   role,
                                   detail::type_of<typename Shape::Element>(),
                                   Shape::count,
                                   static_cast<void*>(&data),
                                   name,
                                   unit,
                                   about,
                                   list.data(),
                                   static_cast<std::uint32_t>(list.size()),
                                   Shape::columns};
    if (host_.declare_variable(host_.context, &declared) != 0) refused("variable", name);
    names_.emplace_back(&data, name);
  }

  /// Name of a variable that was declared.
  std::string name_of(const void* data) const {
    for (const auto& [known, name] : names_)
      if (known == data) return name;
    throw std::runtime_error("Declare::integrated: declare both variables first");
  }
  [[noreturn]] static void refused(const char* what, const char* name) {
    throw std::runtime_error(std::string("tactus refused ") + what + " '" + (name == nullptr ? "" : name) +
                             "'");
  }

  const tactus_host& host_;
  std::vector<std::pair<const void*, std::string>> names_;
};

/// A part of the rig: a plant, a controller, anything with variables and jobs.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  /// Names the variables and jobs. Called once, after construction. @when setup
  virtual void declare(Declare& d) = 0;

  /// Ends the rig (Abort) with this message when the running job then returns non-zero. Copies at most 255
  /// bytes. @when any
  void fail(const char* message) const noexcept {
    if (host_.fail != nullptr) host_.fail(host_.context, message);
  }

  /// Real-time synchronization on or off, from the end of the present frame on. From initialization on. @when
  /// any
  void set_realtime(bool on) const noexcept {
    if (host_.set_realtime != nullptr) host_.set_realtime(host_.context, on ? 1 : 0);
  }

  /// Switches a job of a cyclic class ("model.job", of this or another model) from the next time it comes up.
  /// False when there is none. From initialization on. @when any
  bool enable_job(const char* job, bool on) const noexcept {
    return host_.enable_job != nullptr && host_.enable_job(host_.context, job, on ? 1 : 0) == 0;
  }

  /// The next time of a dynamic job of this model; after the present instant. False when there is none of
  /// that name. From this model's jobs. @when rt
  bool call_at(const char* job, std::int64_t sim_time_ns) const noexcept {
    return host_.call_at != nullptr && host_.call_at(host_.context, job, sim_time_ns) == 0;
  }

  /// Asks the rig to pause, resume, step, ... ; taken at the end of the frame. @when any
  bool command(tactus_command command, std::int64_t value = 0) const noexcept {
    return host_.command != nullptr && host_.command(host_.context, command, value) == 0;
  }

  /// The same by name. False: no rig takes it, as before the first frame. A class with a step() of its own
  /// writes Model::step(5). @when any
  bool pause() const noexcept { return command(TACTUS_PAUSE); }
  bool resume() const noexcept { return command(TACTUS_RESUME); }
  /// Runs that many frames more, at least one, then pauses.
  bool step(std::int64_t frames) const noexcept { return command(TACTUS_STEP, frames); }
  /// Ends the rig in order: shutdown jobs run, its status is 0.
  bool stop() const noexcept { return command(TACTUS_STOP); }
  /// Drives all outputs of the rig to their safe values at the end of the frame, then pauses the rig.
  bool safe_state() const noexcept { return command(TACTUS_SAFE_STATE); }

  /// Attaches the host; for TACTUS_MODEL only. A host that is older than this header has fewer fields: the
  /// others stay null.
  TACTUS_HIDDEN void attach(const tactus_host& host) {
    std::memcpy(&host_, &host, std::min<std::size_t>(host.size, sizeof host_));
  }

 private:
  tactus_host host_{};
};

namespace detail TACTUS_HIDDEN {

template <auto Member>
int run_job(void* self, const tactus_call* call) noexcept {
  using Class = typename MemberOf<decltype(Member)>::Class;
  Class& model = static_cast<Class&>(*static_cast<Model*>(self));
  try {
    if constexpr (std::is_invocable_v<decltype(Member), Class&, const Call&>) {
      if constexpr (std::is_void_v<std::invoke_result_t<decltype(Member), Class&, const Call&>>) {
        (model.*Member)(*call);
        return 0;
      } else {
        return (model.*Member)(*call);
      }
    } else {
      if constexpr (std::is_void_v<std::invoke_result_t<decltype(Member), Class&>>) {
        (model.*Member)();
        return 0;
      } else {
        return (model.*Member)();
      }
    }
  } catch (const std::exception& error) {
    model.fail(error.what());
  } catch (...) {
    model.fail("threw something that is not a std::exception");
  }
  return -1;
}

/// The models of this library.
inline std::vector<const tactus_model*>& models() {
  static std::vector<const tactus_model*> list;
  return list;
}

struct Export {
  explicit Export(const tactus_model* model) { models().push_back(model); }
};

template <class T>
int create_model(const tactus_host* host, void** self) noexcept {
  try {
    T* made = new T();
    made->attach(*host);
    *self = static_cast<Model*>(made);
    return 0;
  } catch (const std::exception& error) {
    host->fail(host->context, error.what());
  } catch (...) {
    host->fail(host->context, "threw something that is not a std::exception");
  }
  return 1;
}

inline int declare_model(const tactus_host* host, void* self) noexcept {
  try {
    Model& model = *static_cast<Model*>(self);
    model.attach(*host);
    Declare declare(*host);
    model.declare(declare);
    return 0;
  } catch (const std::exception& error) {
    host->fail(host->context, error.what());
  } catch (...) {
    host->fail(host->context, "threw something that is not a std::exception");
  }
  return 1;
}

inline void destroy_model(void* self) noexcept { delete static_cast<Model*>(self); }

}  // namespace TACTUS_HIDDEN

template <auto Member>
void Declare::job(const char* name, JobClass job_class, JobOptions options) {
  const tactus_job declared{sizeof(tactus_job),
                            name,
                            static_cast<tactus_job_class>(job_class),
                            options.phase(),
                            &detail::run_job<Member>,
                            options.cycle_num(),
                            options.cycle_den()};
  if (host_.declare_job(host_.context, &declared) != 0) refused("job", name);
}

}  // namespace tactus
#undef TACTUS_HIDDEN

/// Exports a class derived from tactus::Model, default-constructible, under a name. As many per library as
/// you like.
#define TACTUS_MODEL(model_name, Class, model_about)                                  \
  namespace {                                                                         \
  const tactus_model tactus_model_of_##Class = {TACTUS_ABI_VERSION,                   \
                                                sizeof(tactus_model),                 \
                                                model_name,                           \
                                                model_about,                          \
                                                &tactus::detail::create_model<Class>, \
                                                &tactus::detail::declare_model,       \
                                                &tactus::detail::destroy_model};      \
  const tactus::detail::Export tactus_export_of_##Class{&tactus_model_of_##Class};    \
  }

/// The exported list. In every file that includes this header; the linker keeps one.
extern "C" TACTUS_EXPORT __attribute__((used)) inline const tactus_model* const* tactus_models(
    std::uint32_t* count) {
  auto& list = tactus::detail::models();
  *count = static_cast<std::uint32_t>(list.size());
  return list.data();
}
