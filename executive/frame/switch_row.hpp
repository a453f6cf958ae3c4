// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "rtsync/interface.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Things of one kind that are switched by name in the frames: faults, stimuli, recordings. The part of a capability
/// that has such things is one, and says so in joined(); events, sequences and clients turn them.
///
/// Threads  turn, say: the rig's main thread, within a hook. add: setup. The rest: any.
/// RT       turn(), say().
class SwitchRow : public rtsync::Interface {
 public:
  /// `kind`: "fault". A text that stays.
  explicit SwitchRow(const char* kind) : kind_(kind) {}

  const char* kind() const TACTUS_RT { return kind_; }
  /// Switches a thing on or off, from the next frame's StepBegin on. `number`: its place in Plan::switches.  @when rt
  virtual void turn(std::uint32_t number, bool on) TACTUS_RT = 0;

  /// State of a thing, for clients.
  enum class Is : std::uint8_t { off, on, waiting };
  struct Standing {
    Is is = Is::off;
    std::int64_t since =
        -1;  ///< frame from which it has been so; -1: from the beginning, or not known after a reset
    bool operator==(const Standing&) const = default;
  };
  /// Number of things whose state is known here; 0: the row does not say.
  std::size_t things() const { return shown_.size(); }
  /// Variable or job that a thing acts on.
  const std::string& target(std::size_t number) const { return shown_[number].target; }
  virtual Standing standing(std::size_t number) const {
    const std::int64_t now = shown_[number].now.load(std::memory_order_relaxed);
    return {static_cast<Is>(now & 3), now >> 2};
  }

 protected:
  /// Adds the next thing.                                                                        @when setup
  void add_thing(std::string target, Is is) {
    shown_.emplace_back(std::move(target));
    say(shown_.size() - 1, is, -1);
  }
  /// Says what a thing is from a frame on.                                                       @when rt
  void say(std::size_t number, Is is, std::int64_t since) TACTUS_RT {
    // One word of memory: a client sees a state with its own frame.
    shown_[number].now.store(since * 4 + static_cast<std::int64_t>(is), std::memory_order_relaxed);
  }

 private:
  struct Shown {
    explicit Shown(std::string of) : target(std::move(of)) {}
    std::string target;
    std::atomic<std::int64_t> now{0};
  };
  const char* const kind_;
  std::deque<Shown> shown_{};
};

}  // namespace tactus::executive
