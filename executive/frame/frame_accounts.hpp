// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "executive/frame/cause_shares.hpp"
#include "executive/frame/frame_evidence.hpp"
#include "executive/frame/frame_note.hpp"
#include "executive/frame/frame_statistics.hpp"
#include "executive/frame/note_ring.hpp"
#include "executive/frame/program.hpp"
#include "executive/plan/executive_variables.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// The books of the frames: their times as histograms, a note of each that was late or overran, and the
/// variables `rt.*`.
///
/// Threads  add(): the rig's main thread. pop(): one reader. The rest: any.
class FrameAccounts {
 public:
  FrameAccounts(Program& program, RealtimeVariables& variables, rtsync::PacedClock& clock);

  /// Frame k has ended.                                                                              @when rt
  void add(std::int64_t k, const rtsync::FrameTiming& timing, const rtsync::RealtimeTotals& totals) TACTUS_RT;

  /// A frame that never ends, by its note: its row, and its broken promise. While its thread does nothing else.
  /// @when service
  void add_unended(const FrameNote& note, const rtsync::RealtimeTotals& totals);
  /// Note of the latest frame that was late or overran; it stays valid until the next one.           @when rt
  const FrameNote& note() const TACTUS_RT { return note_; }
  bool pop(FrameNote& note) { return notes_.pop(note); }
  /// Touches the memory of all notes, so that no frame faults a page in. @when setup
  void make_present() { notes_.make_present(); }
  std::uint64_t notes_lost() const { return notes_lost_.load(std::memory_order_relaxed); }
  FrameEvidence& evidence() { return evidence_; }
  const FrameStatistics& statistics() const { return statistics_; }
  /// Number in `rt.frame`, for a checkpoint.
  std::int64_t& frame() { return rt_.frame; }

 private:
  void describe(std::int64_t k, const rtsync::FrameTiming& timing, const rtsync::RealtimeTotals& totals,
                rtsync::Cause cause, const CauseShare& beside) TACTUS_RT;
  Program& program_;
  RealtimeVariables& rt_;
  FrameStatistics statistics_;
  FrameEvidence evidence_;
  FrameNote note_;  // the last one
  NoteRing notes_;
  std::atomic<std::uint64_t> notes_lost_{0};
  std::array<std::int64_t, FrameNote::kFramesBefore> slack_before_{};
  std::uint32_t frames_before_ = 0;  // of those, the last ones
  std::int64_t next_ = 0;            // the frame that comes after them
};

}  // namespace tactus::executive
