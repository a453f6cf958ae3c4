// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Order among the partitions of one instance that run on threads of their own, as on one CPU with strict priorities: a
/// more urgent one may begin while a less urgent one is in its activation, but not while that one is between
/// lockPreemption and unlockPreemption; a less urgent one waits at both ends of that for a more urgent one to end.
///
/// What an instance does between an activation's begin and end outside of such sections may be preempted anywhere, so it
/// may as well run beside the more urgent one on another CPU. Partitions of equal priority exclude each other.
///
/// Threads  any. No system call unless a thread has to wait; a section lends its thread the priority of one that waits.
#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace tactus::drivers::fmi {

class Preemption {
 public:
  static constexpr unsigned kRanks = 64;
  /// Reasons to wait. A thread that waits for a section lends its holder its priority; the others lend nothing.
  enum class Reason : std::uint8_t {
    section,  ///< another is between lock and unlock, or begins
    equal,    ///< one of equal priority is active
    urgent    ///< a more urgent one is active
  };

  Preemption();
  Preemption(const Preemption&) = delete;
  Preemption& operator=(const Preemption&) = delete;
  ~Preemption();

  /// An activation of the thread that makes it, from its first Set to its last Get. `rank` is below kRanks, 0 is the
  /// most urgent one. Waits for those of its rank and of more urgent ones, and for a section of any other.       @when rt
  class Activation {
   public:
    Activation(Preemption* order, unsigned rank) noexcept : order_(order), rank_(rank) {
      if (order_ != nullptr) begin();
    }
    Activation(const Activation&) = delete;
    Activation& operator=(const Activation&) = delete;
    ~Activation() {
      if (order_ != nullptr) end();
    }
    /// Longest time that it waited for others so far, ns, at its beginning or that of a section.
    std::int64_t waited_ns() const noexcept { return waited_ns_; }
    /// Reason with which that wait began.
    Reason reason() const noexcept { return reason_; }

   private:
    friend class Preemption;
    void begin() noexcept;
    void end() noexcept;

    Preemption* order_;
    unsigned rank_;
    unsigned depth_ = 0;  // sections
    std::int64_t waited_ns_ = 0;
    Reason reason_ = Reason::section;
    Activation* outer_ = nullptr;
  };

  /// Begins and ends a section of the activation that the calling thread is in. Outside of one they do nothing, since
  /// nothing else runs then. The standard gives them no argument.                                              @when rt
  static void lock() noexcept;
  static void unlock() noexcept;

 private:
  void enter(Activation& of, std::uint64_t others, std::uint64_t becomes) noexcept;
  void leave(std::uint64_t bit) noexcept;

  pthread_mutex_t section_;  // held in a section, and where an activation begins
  std::atomic<std::uint64_t> active_{0};
  std::atomic<std::uint32_t> changes_{0};
  std::atomic<std::uint32_t> waiting_{0};
};

}  // namespace tactus::drivers::fmi
