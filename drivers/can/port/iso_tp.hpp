// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Messages of up to 4095 bytes over frames of eight, as ISO 15765-2 has them, seen by who asks.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

/// The ids over which a station asks and is answered.
struct IsoTpAddress {
  std::uint32_t request = 0, response = 0;
  bool extended = false;  ///< both are of 29 bits
  int padding = 0xCC;     ///< bytes that fill frames up to eight; below 0: frames are as short as they can be
};

/// A message of a station, and how it fared.
struct IsoTpEvent {
  /// `sent`: of the kernel's transport the kernel has begun to send it.
  enum class Kind : std::uint8_t { sent, answer, failed };
  Kind kind = Kind::answer;
  int error = 0;  ///< errno value of `failed`: ETIMEDOUT, no flow control or no next frame came in time
  std::span<const std::uint8_t> data{};  ///< message of `answer`; valid until the next call of the object
};

/// A transport of messages to one station.
///
/// Threads  all but the constructor: one, that of the frames.
/// RT       all but the constructor and destructor.
class IsoTp : public Seam {
 public:
  static constexpr std::size_t kMost = 4095;

  /// Begins to send a message; what is under way is given up. 1 .. kMost bytes.
  virtual void send(std::span<const std::uint8_t> message, std::int64_t now) TACTUS_RT = 0;
  /// Returns true, and what has happened, or false. Call it until it is false, once a frame.
  virtual bool take(IsoTpEvent& event, std::int64_t now) TACTUS_RT = 0;
  /// Gives up what is under way.
  virtual void reset() TACTUS_RT = 0;

  /// Looks at a frame of the bus; true: it was one of this transport.
  virtual bool receive(const CanFrame& /*frame*/, std::int64_t /*now*/) TACTUS_RT { return false; }
  /// The next frame to be sent at `now`; false: there is none.
  virtual bool next(CanFrame& /*frame*/, std::int64_t /*now*/) TACTUS_RT { return false; }
};

/// Cuts messages into frames itself, a step of the rig at a time: for buses that no kernel knows, and for tests.
class FramedIsoTp final : public IsoTp {
 public:
  static constexpr std::int64_t kTimeout = 1'000'000'000;  ///< N_Bs and N_Cr, ns

  explicit FramedIsoTp(const IsoTpAddress& address) : address_(address) {}
  void send(std::span<const std::uint8_t> message, std::int64_t now) TACTUS_RT override;
  bool take(IsoTpEvent& event, std::int64_t now) TACTUS_RT override;
  void reset() TACTUS_RT override;
  bool receive(const CanFrame& frame, std::int64_t now) TACTUS_RT override;
  bool next(CanFrame& frame, std::int64_t now) TACTUS_RT override;

 private:
  enum class Sending : std::uint8_t { nothing, first, awaits_flow, rest, done, failed };
  enum class Receiving : std::uint8_t { nothing, flow_due, rest, done, failed };
  void take_flow(const CanFrame& frame, std::int64_t now) TACTUS_RT;
  void take_rest(const CanFrame& frame, std::int64_t now) TACTUS_RT;
  void head(CanFrame& frame) const TACTUS_RT;
  void fill(CanFrame& frame, unsigned used) const TACTUS_RT;
  void fail(int error) TACTUS_RT;

  const IsoTpAddress address_;
  Sending sending_ = Sending::nothing;
  Receiving receiving_ = Receiving::nothing;
  std::array<std::uint8_t, kMost> out_{}, in_{};
  std::size_t out_size_ = 0, out_at_ = 0, in_size_ = 0, in_at_ = 0;
  unsigned out_number_ = 0, in_number_ = 0, block_ = 0, block_left_ = 0;
  std::int64_t gap_ = 0, earliest_ = 0, until_ = 0, in_until_ = 0;
  int error_ = 0;
};

/// The transport of the kernel (can-isotp) at an interface, with a thread beside the frames. Throws std::runtime_error:
/// what is missing, and the command that mends it. @when setup
std::unique_ptr<IsoTp> open_kernel_iso_tp(const std::string& interface, const IsoTpAddress& address);

}  // namespace tactus::drivers::can
