// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drivers/can/codec/message_codec.hpp"
#include "drivers/can/codec/own_checksum.hpp"
#include "drivers/can/dbc/bits.hpp"
#include "drivers/can/model/settings.hpp"

namespace tactus::drivers::can {

/// The counter and the checksum of one message, of either side.
///
/// Threads  protect(): any; check(): one.
/// RT       all but the constructor.
class MessageProtection {
 public:
  /// Adds problems for what the message does not have or the profile excludes. @when setup
  MessageProtection(const Message& message, const Protecting& settings, const std::string& path,
                    const std::string& folder, const Problems& problems);

  /// Returns true if the signal shares bits with what it writes, so that its value cannot be chosen.
  bool covers(std::size_t signal) const TACTUS_RT { return covered_[signal] != 0; }
  /// Returns true if the largest step of the counter grows with each cycle in which nothing comes.
  bool grows() const TACTUS_RT { return grows_; }
  bool has_counter() const TACTUS_RT { return e2e_ || counter_; }
  /// Returns true if protect() writes anything.
  bool protects() const TACTUS_RT { return protects_; }
  bool has_checksum() const TACTUS_RT { return e2e_ || own_; }
  /// Inverts all bits of the checksum.
  void spoil(std::uint8_t* data) const TACTUS_RT;
  std::uint32_t next(std::uint32_t counter) const TACTUS_RT;
  /// Writes counter and checksum.
  void protect(std::uint8_t* data, unsigned length, std::uint32_t counter) const TACTUS_RT;

  enum class Finding : std::uint8_t { ok, repeated, wrong_checksum, wrong_sequence };
  /// Looks at a received message. `lost`: messages before it that did not come. `missed`: cycles in which none came.
  Finding check(const std::uint8_t* data, unsigned length, std::uint64_t& lost,
                std::int64_t missed) TACTUS_RT {
    lost = 0;
    return protects_ ? check_all(data, length, lost, missed) : Finding::ok;
  }
  /// Forgets the last counter.
  void restart() TACTUS_RT;

 private:
  void make_e2e(const Message& message, const ChecksumSettings& settings, const std::string& path,
                const Problems& problems);
  void make_own(const Message& message, const ChecksumSettings& settings, const std::string& path,
                const std::string& folder, const Problems& problems);
  void make_counter(const Message& message, const Protecting& settings, const std::string& path,
                    const Problems& problems);

  Finding check_all(const std::uint8_t* data, unsigned length, std::uint64_t& lost,
                    std::int64_t missed) TACTUS_RT;

  bool protects_ = false;  // any of what follows
  bool grows_ = false;
  std::uint32_t id_ = 0;
  std::vector<std::uint8_t> covered_;
  std::optional<E2e> e2e_;
  std::optional<E2eReceiver> receiver_;
  std::optional<OwnChecksum> own_;
  std::optional<Field> checksum_;
  unsigned at_ = 0, bytes_ = 0;  // of the own checksum
  std::optional<Field> counter_;
  std::uint64_t most_ = 0;
  bool has_last_ = false;
  std::uint64_t last_ = 0;
};

}  // namespace tactus::drivers::can
