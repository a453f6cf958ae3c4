// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

/// Virtual time of one participant, agreed with the others without a central instance: each announces the
/// step it wants to take next, and takes it when no other wants an earlier one.
///
/// Threads  a value; one thread at a time.
class TimeSync {
 public:
  using Peer = std::uint32_t;

  /// The size of the steps after the one that is open. > 0.
  void set_step(std::int64_t step_ns) { next_.duration_ns = step_ns; }

  /// A participant that takes part; no participant continues before it has announced its position.
  void add(Peer peer, bool wants_dynamic);
  void remove(Peer peer);
  bool has(Peer peer) const;
  /// Takes over its step. False: it does not take part, or steps back, which is taken over all the same.
  bool update(Peer peer, const NextSimTask& task);

  /// Returns the next step, to be announced to the others, when it is new.
  std::optional<NextSimTask> request();
  /// Returns the position of this participant, for one that has come late; nothing before the first step.
  std::optional<NextSimTask> position() const;

  /// Returns true if no participant wants an earlier step than the next one.
  bool ready() const;
  /// Returns a peer that keeps this participant from its next step, which the others know; one of them.
  std::optional<Peer> awaited() const;
  /// One of those that keep it from that step is of this kind.
  bool awaits(const std::function<bool(Peer)>& kind) const;
  bool begun() const { return current_.time_ns >= 0; }
  /// Returns, before the first step, the time at which the others are, when they have begun without this one.
  std::optional<std::int64_t> hop_on() const;
  /// The first step is taken there.
  void start_at(std::int64_t time_ns) { next_.time_ns = time_ns; }
  /// Takes the next step; `dynamic`: no further than to the position of another participant.
  NextSimTask take_step(bool dynamic);
  /// Returns true if a participant wants its steps shortened to those of others.
  bool somebody_is_dynamic() const;

  const NextSimTask& current() const { return current_; }
  const NextSimTask& next() const { return next_; }

 private:
  struct Other {
    Peer peer;
    NextSimTask task;
    bool wants_dynamic;
  };
  std::vector<Other> others_;
  NextSimTask current_{-1, 0};
  NextSimTask next_{0, 1'000'000};
  std::int64_t told_ = -1;
  mutable std::size_t behind_ = 0;  // who was behind when it was looked at last: likely still
};

}  // namespace tactus::silkit
