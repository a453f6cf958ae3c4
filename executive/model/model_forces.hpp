// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rtsync/rt.hpp"

namespace tactus::executive {

struct LivePacket;

/// Forced values of one model: they are written again after every copy of its inputs and after every one of
/// its jobs, so that neither a connection nor the model itself is seen to change them.
///
/// Threads  apply(): whose the model's jobs are. All else: the frames' main thread, while that one is at
/// rest. RT       everything.
class ModelForces {
 public:
  static constexpr std::size_t kMost = 64;
  struct Force {
    void* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
    LivePacket* packet = nullptr;  ///< packet whose memory `from` is; nullptr: an action forces

    /// Returns true if it shares memory with these bytes.
    bool shares(const void* with, std::size_t size) const TACTUS_RT {
      const auto* const own = static_cast<const std::byte*>(to);
      const auto* const other = static_cast<const std::byte*>(with);
      return own < other + size && other < own + bytes;
    }
    /// Returns true if all of it is in these bytes.
    bool lies_in(const void* in, std::size_t size) const TACTUS_RT {
      const auto* const own = static_cast<const std::byte*>(to);
      const auto* const other = static_cast<const std::byte*>(in);
      return own >= other && own + bytes <= other + size;
    }
  };

  /// `thread`: the asynchronous one that it is on, as a bit; 0: none.
  explicit ModelForces(std::uint64_t thread) : thread_(thread) {}

  void apply() const TACTUS_RT {
    for (std::size_t i = 0; i < count_; ++i) std::memcpy(forces_[i].to, forces_[i].from, forces_[i].bytes);
  }
  bool empty() const TACTUS_RT { return count_ == 0; }
  std::size_t count() const TACTUS_RT { return count_; }
  /// Thread that has to be at rest before anything here is changed; 0: none.
  std::uint64_t thread() const TACTUS_RT { return thread_; }
  /// Number of places that a packet needs, while it is examined.
  std::size_t wanted = 0;
  /// One that shares memory with these bytes; nullptr: none.
  Force* find(const void* to, std::size_t bytes) TACTUS_RT {
    for (std::size_t i = 0; i < count_; ++i)
      if (forces_[i].shares(to, bytes)) return &forces_[i];
    return nullptr;
  }
  /// Returns true if `is(force)` for each one that shares memory with these bytes.
  template <class Is>
  bool all(const void* to, std::size_t bytes, Is is) const TACTUS_RT {
    for (std::size_t i = 0; i < count_; ++i)
      if (forces_[i].shares(to, bytes) && !is(forces_[i])) return false;
    return true;
  }
  void add(const Force& force) TACTUS_RT { forces_[count_++] = force; }
  void remove(Force* force) TACTUS_RT { *force = forces_[--count_]; }
  Force* last() TACTUS_RT { return count_ == 0 ? nullptr : &forces_[count_ - 1]; }

 private:
  const std::uint64_t thread_;
  std::size_t count_ = 0;
  std::array<Force, kMost> forces_{};
};

}  // namespace tactus::executive
