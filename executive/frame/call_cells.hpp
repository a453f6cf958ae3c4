// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "executive/model/connection.hpp"
#include "executive/model/finite.hpp"
#include "executive/model/variable_guard.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Work that nearly every call needs around it, and nothing more: words to be copied into inputs before, and
/// runs of doubles that must be finite after. It lies in one piece of memory, beside that of the call before,
/// so that a frame of thousands of jobs walks through its caches in one direction.
///
/// Threads  made at setup; used by the lane of the call.
/// RT       copy_words(), all_finite().
class CallCells {
 public:
  void copy_words() const TACTUS_RT {
    const WordCopy* const copies = this->copies();
    for (std::uint32_t i = 0; i < copies_; ++i) std::memcpy(copies[i].to, copies[i].from, 8);
  }
  bool all_finite() const TACTUS_RT {
    const FiniteRun* const runs = this->runs();
    bool finite = true;
    for (std::uint32_t i = 0; i < runs_; ++i)
      finite = executive::all_finite(runs[i].data, runs[i].count) && finite;
    return finite;
  }
  /// Guard that knows which of the values is bad.
  VariableGuard* guard() const TACTUS_RT { return guard_; }

 private:
  friend class CallCellStore;
  const WordCopy* copies() const TACTUS_RT { return reinterpret_cast<const WordCopy*>(this + 1); }
  const FiniteRun* runs() const TACTUS_RT { return reinterpret_cast<const FiniteRun*>(copies() + copies_); }

  VariableGuard* guard_ = nullptr;
  std::uint32_t copies_ = 0;
  std::uint32_t runs_ = 0;
};

/// Their memory. @when setup
class CallCellStore {
 public:
  /// nullptr when there is nothing to do.
  const CallCells* add(VariableGuard* guard, std::span<const WordCopy> copies,
                       std::span<const FiniteRun> runs);
  /// A copy of them, after what was added last.
  const CallCells* again(const CallCells* cells);

 private:
  struct Slot {
    alignas(8) std::byte bytes[16];
  };
  static_assert(sizeof(CallCells) == sizeof(Slot) && sizeof(WordCopy) == sizeof(Slot) &&
                sizeof(FiniteRun) == sizeof(Slot));
  Slot* room_for(std::size_t slots);

  std::deque<std::vector<Slot>> blocks_;  // none of them ever grows beyond what it reserved
};

}  // namespace tactus::executive
