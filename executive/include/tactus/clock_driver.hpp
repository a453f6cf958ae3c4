// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Classes for writing a clock of frames: derive from tactus::ClockDriver, export it with TACTUS_CLOCK_DRIVER.
///
///     class Pulse : public tactus::ClockDriver {
///      public:
///       void keys(tactus::Keys& k) override { k.text("port", port_, {1, 200}, "the serial port").required(); }
///       void open(const tactus::OpenRequest&) override { ... }
///       tactus::Edges wait(std::int64_t deadline_ns, std::span<std::int64_t> stamps) noexcept override { ... }
///       std::string what() const override { return port_; }
///     };
///     TACTUS_CLOCK_DRIVER("pulse", Pulse, "Pulses at a serial port clock the frames.")
///
/// Threads  wait(): the thread of the frames. All else: one thread at setup or service.
#include <cstddef>
#include <cstdint>
#include <span>
#include <tactus/driver.hpp>

#define TACTUS_HIDDEN __attribute__((visibility("hidden")))

namespace tactus {

/// Result of a wait for edges.
struct Edges {
  tactus_edge_status status = TACTUS_NO_EDGE;
  std::size_t count = 0;    ///< stamps written, oldest first
  bool overflowed = false;  ///< edges may have been lost
  int error = 0;            ///< errno value with TACTUS_CLOCK_GONE
};

/// A row of `tactus doctor`.
struct ClockFact {
  tactus_grade grade = TACTUS_FACT_OK;
  std::string name{};    ///< "serial port"
  std::string found{};   ///< the state of the machine
  std::string needed{};  ///< the state that would be right
  std::string why{};     ///< the consequence otherwise
  std::string fix{};     ///< the command that mends it; empty: none
};

/// A question of `tactus doctor` to a clock.
struct ClockQuestion {
  bool configured = false;              ///< its keys are those of a rig; false: of this machine in general
  std::chrono::nanoseconds measure{0};  ///< watch the edges for this long; 0: do not
  double edge_period_ns = 0;            ///< nominal time between two edges; 0: not known
};

class TACTUS_HIDDEN ClockDriver : public KeyedDriver {
 public:
  ClockDriver() = default;
  ClockDriver(const ClockDriver&) = delete;
  ClockDriver& operator=(const ClockDriver&) = delete;
  virtual ~ClockDriver() = default;

  /// Opens the device. What it throws ends the rig with exit status 3. The destructor releases it. @when setup
  virtual void open(const OpenRequest& request) = 0;
  /// Waits until there are edges or the deadline (CLOCK_MONOTONIC, nanoseconds) has come, and writes the stamps of those
  /// that are there, as many as fit, in order: none is earlier than the one before, also of an earlier wait. A deadline in
  /// the past takes what is there, without waiting; a signal does not end the wait. No lock, no allocation; system calls
  /// to wait and to read alone. @when rt
  virtual Edges wait(std::int64_t deadline_ns, std::span<std::int64_t> stamps) noexcept = 0;
  /// Name of what was opened, for messages: "gpiochip0 line 3, rising"; once the clock is gone also why. @when any
  virtual std::string what() const = 0;
  /// Rows for `tactus doctor`. Not of an opened one. @when service
  virtual std::vector<ClockFact> facts(const ClockQuestion& /*question*/) { return {}; }
};

namespace detail TACTUS_HIDDEN {

/// The object behind the C ABI.
struct OpenClock {
  explicit OpenClock(std::unique_ptr<ClockDriver> of) : driver(std::move(of)) {}
  std::unique_ptr<ClockDriver> driver;
};

template <class T>
int make_clock(const tactus_settings* settings, void** self, tactus_failure* failure) noexcept {
  void* made = nullptr;
  if (make_driver<T, ClockDriver>(settings, &made, failure) != 0) return 1;
  return guarded(
      failure, [&] { *self = new OpenClock(std::unique_ptr<ClockDriver>(static_cast<ClockDriver*>(made))); });
}

inline tactus_clock_functions clock_functions() {
  tactus_clock_functions all{};
  all.size = sizeof all;
  all.open = [](void* self, const tactus_open_request* request, tactus_failure* failure) {
    return guarded(failure, [&] { static_cast<OpenClock*>(self)->driver->open({request->rig}); });
  };
  all.wait = [](void* self, std::int64_t deadline_ns, tactus_edges* edges) {
    const Edges got =
        static_cast<OpenClock*>(self)->driver->wait(deadline_ns, {edges->stamps_ns, edges->room});
    edges->count = static_cast<std::uint32_t>(got.count);
    edges->overflowed = got.overflowed ? 1 : 0;
    edges->error = got.error;
    return got.status;
  };
  all.what = [](void* self) -> const char* {
    try {
      static thread_local std::string name;
      name = static_cast<OpenClock*>(self)->driver->what();
      return name.c_str();
    } catch (...) {
      return "";
    }
  };
  all.facts = [](void* self, const tactus_clock_question* question, tactus_failure* failure) {
    return guarded(failure, [&] {
      const ClockQuestion asked{question->configured != 0, std::chrono::nanoseconds(question->measure_ns),
                                question->edge_period_ns};
      for (const ClockFact& each : static_cast<OpenClock*>(self)->driver->facts(asked)) {
        const tactus_fact fact{sizeof(tactus_fact), each.grade,       each.name.c_str(), each.found.c_str(),
                               each.needed.c_str(), each.why.c_str(), each.fix.c_str()};
        question->fact(question->context, &fact);
      }
    });
  };
  return all;
}

template <class T>
const tactus_driver* clock_entry(const char* name, const char* about) noexcept {
  return entry<T>(
      "clock", name, about, [] { return clock_functions(); }, &make_clock<T>, &destroy_driver<OpenClock>);
}

}  // namespace TACTUS_HIDDEN
}  // namespace tactus
#undef TACTUS_HIDDEN

/// Exports a class derived from tactus::ClockDriver, default-constructible. Once per library, which is
/// libtactus-clock-<name>.so.
#define TACTUS_CLOCK_DRIVER(name, Class, about) \
  TACTUS_DRIVER_ENTRY((tactus::detail::clock_entry<Class>(name, about)))
