// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "drivers/link/link_variables.hpp"
#include "drivers/link/signals.hpp"

namespace tactus::drivers::link {

/// The inputs of one subscription: what they are given at each StepBegin.
///
/// Units    stamps and times are virtual, in ns.
/// Threads  one.
/// RT       everything but the constructor.
class Input {
 public:
  /// References must outlive it. @when setup
  Input(const Subscription& subscription, LinkVariables::Input& shown);

  /// Starts before the first frame, which stands for `virtual_ns`: the present inputs are kept, and ages
  /// count from here.
  void start(std::int64_t virtual_ns) TACTUS_RT;
  /// A message is due.
  void apply(const std::byte* block, std::int64_t stamp_ns) TACTUS_RT;
  /// Its age at this frame. True: the limit has just been passed.
  bool grow_old(std::int64_t virtual_ns) TACTUS_RT;
  /// The limit is passed, and this is asked for the first time since.
  bool complain() TACTUS_RT;
  /// Writes the inputs. `late`: virtual time is, or there is none any more.
  void give(std::int64_t virtual_ns, bool late) TACTUS_RT;

  const Subscription& subscription() const TACTUS_RT { return subscription_; }
  std::int64_t age_ns() const TACTUS_RT { return shown_.age_ns; }

 private:
  struct Place {
    std::byte* input;
    std::byte* shown;
    std::size_t offset;  // in a block
    std::size_t bytes;
  };
  struct Line {  // one element that is extrapolated
    std::size_t offset;
    bool is_float;
    double low, high;  // its range, in its own type
  };
  struct Point {
    std::vector<std::byte> block;
    std::int64_t stamp_ns = 0;
    bool there = false;
  };

  bool extrapolate(std::int64_t virtual_ns) TACTUS_RT;
  void remember(const std::byte* block, std::int64_t stamp_ns) TACTUS_RT;
  void write(const std::vector<std::byte>& block) TACTUS_RT;

  const Subscription& subscription_;
  LinkVariables::Input& shown_;
  std::vector<Place> places_;
  std::vector<Line> lines_;
  std::vector<std::byte> value_;  // of the last message; before the first, what the inputs were
  std::vector<std::byte> drawn_;  // what was extrapolated
  Point newer_, older_;           // the last two by stamp; kept only where they are extrapolated
  std::int64_t newest_ns_ = 0;    // highest stamp, from which the age counts
  std::int64_t max_age_ns_;
  bool too_old_ = false;
  bool complained_ = false;
};

}  // namespace tactus::drivers::link
