// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "drivers/can/port/port.hpp"
#include "drivers/link/can_network.hpp"
#include "drivers/link/exchange.hpp"

namespace tactus::drivers::link {

/// State of a virtual bus in the frames, published as link.<name>.*.
struct CanStatus {
  std::int64_t to_virtual = 0;
  std::int64_t to_real = 0;
  std::int64_t lost = 0;         ///< frames, those that the participant lost too
  std::int32_t state = 0;        ///< SilKit_CanControllerState
  std::int32_t error_state = 0;  ///< SilKit_CanErrorState
};

/// The frames' side of a virtual bus: takes frames of the real bus for the peers, and gives it theirs. It is a station of
/// its own on the real bus, so it never takes back what it gave; its controller does not hear itself either.
///
/// Threads  open(): setup. The rest: the rig's main thread.
/// RT       everything but open().
class CanBridge {
 public:
  /// `number`: among the networks of the link. All must outlive it. @when setup
  CanBridge(const CanNetwork& network, std::uint32_t number, CanStatus& status, Exchange& exchange)
      : network_(network), number_(number), status_(status), exchange_(exchange) {}

  /// Joins the bus. Throws std::runtime_error. @when setup
  void open() { port_ = &network_.bus->join(); }

  /// Notes that no frames run: what the bus carries until the next one goes nowhere.
  void pause() TACTUS_RT { is_stale_ = true; }
  /// Begins a frame: what the bus has carried before it goes to the peers with the end of this step. `alone`: there are no
  /// peers. Times in ns.
  void begin(std::int64_t sim_time, std::int64_t period, std::int64_t step, bool alone) TACTUS_RT;
  /// Gives the bus a frame of a peer, due now.
  void give(const can::CanFrame& frame) TACTUS_RT;
  /// Ends the giving: all frames of peers for this frame were given. Shows what was counted.
  void given() TACTUS_RT;

 private:
  void throw_away() TACTUS_RT;
  void take(const can::PortEvent& event, std::int64_t step, bool alone) TACTUS_RT;

  static constexpr int kMostEvents = 4096;   // in a frame
  static constexpr int kMostStale = 32'768;  // more than a port keeps

  const CanNetwork& network_;
  const std::uint32_t number_;
  CanStatus& status_;
  Exchange& exchange_;
  can::Port* port_ = nullptr;
  std::int64_t lost_ = 0;  // in the frames
  bool is_stale_ = true;   // before the first frame, and after a pause
};

}  // namespace tactus::drivers::link
