// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "drivers/can/model/declaring.hpp"
#include "drivers/can/model/settings.hpp"
#include "drivers/can/port/iso_tp.hpp"

namespace tactus::drivers::can {

/// A station that is asked by ISO-TP, and the requests that models, tests and clients may send it: each is a few variables.
/// One request is under way at a time, the others wait.
///
/// Units    ns of simulated time.
/// Threads  setup; receive(): the thread of the frames. step(), next(): that of the sending job, not at the same time.
/// RT       all but the constructor, declare() and open().
class Station {
 public:
  /// @when setup
  Station(const StationSettings& settings, const Problems& problems);
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;
  void declare(Declaring& d);  ///< @when setup
  const std::string& name() const { return name_; }
  const IsoTpAddress& address() const { return address_; }
  /// Opens the kernel's transport at `interface`, or cuts frames itself. Throws std::runtime_error. @when setup
  void open(const std::string& interface, bool by_kernel);

  /// Returns true if it is a frame of this station's dialogue.
  bool receive(const CanFrame& frame, std::int64_t now) TACTUS_RT;
  /// Looks at answers, times and inputs. Once a frame. `is_off`: a fault keeps the rig off the bus, also the kernel's
  /// transport.
  void step(std::int64_t now, bool is_off) TACTUS_RT;
  /// The next frame that is to be sent; false: there is none.
  bool next(CanFrame& frame, std::int64_t now) TACTUS_RT;
  void restart() TACTUS_RT;

 private:
  enum class State : std::int32_t { idle, waiting, answered, refused, timed_out, failed };
  struct Request {
    std::string name;
    std::vector<std::uint8_t> bytes;
    bool is_wanted = false;
    std::uint32_t last_send = 0;
    // Variables.
    std::uint32_t send = 0;
    std::int32_t state = 0;
    std::uint64_t answers = 0;
    std::uint32_t length = 0, refusal = 0, codes = 0, first_code = 0;
    double time = 0;
    std::array<std::uint8_t, 64> data{};
  };
  static const tactus_label kStates[6];

  void begin(Request& request, std::int64_t now, bool is_off) TACTUS_RT;
  void end(State state, std::int64_t now) TACTUS_RT;
  void answer(std::span<const std::uint8_t> data, std::int64_t now) TACTUS_RT;
  static void read_codes(Request& request, std::span<const std::uint8_t> data) TACTUS_RT;

  const std::string name_;
  IsoTpAddress address_;
  const std::int64_t timeout_;
  std::deque<Request> requests_;
  std::unique_ptr<IsoTp> transport_;
  Request* under_way_ = nullptr;
  std::size_t looked_ = 0;  // requests are begun in turn
  std::int64_t begun_ = 0, until_ = 0;
};

}  // namespace tactus::drivers::can
