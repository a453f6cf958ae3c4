// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "executive/capability/cause/frame_note_formatter.hpp"
#include "executive/capability/cause/run_causes.hpp"
#include "executive/capability/cause/run_overruns.hpp"
#include "executive/capability/clock/clock_status_formatter.hpp"
#include "executive/capability/clock/clock_status_part.hpp"
#include "executive/frame/executive.hpp"

namespace tactus::executive {

/// Reports the events of a rig while it runs: late frames and overruns, the clock, pauses, resets, waiting.
///
/// Threads  the service thread.
class RunTeller final : public Capability {
 public:
  /// `clock`: of an external clock, whose edges come from `source`; else nullptr. All must outlive it.
  RunTeller(Executive& executive, RunCauses& causes, ClockStatusPart* clock, std::string source)
      : executive_(executive),
        causes_(causes),
        clock_(clock),
        source_(std::move(source)),
        notes_(executive.plan(), &causes.cpus()) {}
  explicit RunTeller(RunContext& run);

  /// Sets the list that gets overruns from now on. @when setup
  void tell(LiveHistory& overruns) { overruns_.emplace(overruns, executive_.plan(), &causes_.cpus()); }
  /// Reports what must not wait.
  void poll(RunVoice& voice) override;
  /// The notes of frames, as lines.
  void poll_seldom(RunVoice& voice) override;
  /// The cause of the overrun that the newest ones go back to, and the culprit; empty: there was none, or
  /// nothing is known of it.
  std::string last_overrun();
  /// "computed: load.step": the cause and the culprit alone, as of the last call of last_overrun().
  std::string last_overrun_in_brief() const;
  /// Returns true if the last frame that ended overran, as of the last call of last_overrun().
  bool last_frame_overran() { return overran_ >= 0 && overran_ == executive_.latest().frames - 1; }
  /// An overrun of the totals has left no note, as a stuck thread never ends its frame.
  bool lacks_overrun(const rtsync::RealtimeTotals& totals);
  /// The note of that one.
  void take_unended(const FrameNote& note, RunVoice& voice);
  /// Reports, after the frames, the parts of the rig file that had no effect.
  void tell_unused(RunVoice& voice) const;

  void ended() override;
  void finish() override;

 private:
  void tell_unended();
  void tell_totals() const;
  void tell_pause(const RigFigures& latest, RunVoice& voice);

  void take_notes();

  RunContext* run_ = nullptr;
  Executive& executive_;
  RunCauses& causes_;
  ClockStatusPart* const clock_;
  const std::string source_;
  FrameNoteFormatter notes_;
  std::optional<RunOverruns> overruns_;
  ClockStatusFormatter clock_lines_;
  bool paused_ = false;
  bool between_episodes_ = false;
  bool waiting_ = false;  // said that somebody is awaited
  std::int64_t resets_ = 0;
  std::optional<Finding> overrun_{};  // the newest that caught up with no other
  std::int64_t overran_ = -1;         // the newest frame that did
  std::int64_t noted_ = -1;           // frame of the newest note
};

}  // namespace tactus::executive
