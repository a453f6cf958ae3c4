// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "executive/capability/fault/compiled_fault.hpp"
#include "executive/capability/fault/drawn_faults.hpp"
#include "executive/capability/fault/fault_target.hpp"
#include "executive/capability/fault/sent_signals.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/frame/switch_log.hpp"
#include "executive/frame/switch_row.hpp"
#include "executive/frame/wake_table.hpp"
#include "executive/model/model_overlay.hpp"

namespace tactus::executive {

/// Parts of the machine that faults of a run disturb; nullptr: the run has no such part.
struct FaultMachine {
  rtsync::DisturbedEdgeSource* edges = nullptr;
  LinkFrames* link = nullptr;
};

/// Computes before each frame what faults change in it. One that does not change sleeps until it does; drift and noise are
/// DrawnFaults.
class FaultPart final : public FramePart, public SwitchRow {
 public:
  static constexpr bool kWritesVariables = false;

  /// `faults` and what `machine` has must outlive it. `shown`: the variables fault.*, one for each; true in the frames
  /// in which a fault has its effect. A link has joined the frames before it does.
  FaultPart(const std::vector<CompiledFault>& faults, std::deque<bool>& shown, FaultMachine machine = {});

  void joined(FrameServices& services) override;
  void rate_transition(std::int64_t k, std::uint64_t idle) TACTUS_RT override;
  void changed(RigChange& change) TACTUS_RT override;
  void turn(std::uint32_t number, bool on) TACTUS_RT override;
  /// Frame k begins, and the link has not taken in its messages.
  void before_receiving(std::int64_t k) TACTUS_RT;
  /// The jobs of a frame have run, and the link has not taken what it sends.
  void before_sending() TACTUS_RT {
    if (sent_) sent_->refresh();
  }
  /// The link asks before_receiving() and before_sending().
  bool has_link_faults() const { return sent_ || !peers_.empty(); }
  /// Adds to a fault's row of summary.json what it disturbed. After the frames.
  void summarize(std::size_t number, config::Json& row) const {
    if (targets_[number] != nullptr) targets_[number]->summarize(row);
  }

  SwitchLog& log() { return log_; }
  /// Figures of a fault, after the frames.
  SwitchFigures figures(std::size_t number) const {
    const Fault& fault = all_[number];
    SwitchFigures figures = fault.figures;
    if (fault.acts_since >= 0) figures.add(fault.acts_since, last_frame_);
    return figures;
  }

 private:
  /// Its state. The values held, and those of a delay, one for each element, come after it.
  enum Kept : std::size_t { phase, wanted, since, acted, pushed, kKept };
  enum Phase : std::int64_t { waiting, on, off };
  enum Wanted : std::int64_t { nothing, on_again, off_now };
  struct Fault {
    const CompiledFault* made = nullptr;
    bool* shown = nullptr;
    std::vector<OverlayCell*> cells{};
    std::vector<std::size_t> places{};  ///< its place among the faults of each cell
    /// Value that it finds: the true one, and what the faults before it made of that.
    std::int64_t found(std::size_t element) const TACTUS_RT {
      return static_cast<std::int64_t>(cells[element]->through(places[element]));
    }
    std::uint64_t thread = 0;
    std::vector<std::int64_t> kept{};
    std::vector<ModelOverlay*> overlays{};  ///< overlay of each cell
    std::int64_t acts_since = -1;           ///< first frame that figures do not have yet
    SwitchFigures figures{};
    std::int64_t& held(std::size_t element) TACTUS_RT { return kept[kKept + element]; }
    std::int64_t& past(std::int64_t frame, std::size_t element) TACTUS_RT {
      const auto slot = static_cast<std::size_t>(frame % made->delay_frames);
      return kept[kKept + cells.size() * (slot + 1) + element];
    }
  };

  std::unique_ptr<FaultTarget> target_of(const CompiledFault& made) const;
  static bool can_be_drawn(const Fault& fault) TACTUS_RT;
  void wake(std::size_t number) TACTUS_RT {
    wakes_.wake(number);
    peer_wakes_[number] = 0;
  }
  void look(std::int64_t k, std::uint64_t idle) TACTUS_RT;
  void advance(Fault& fault, std::uint32_t number, std::int64_t k) TACTUS_RT;
  void switch_it(Fault& fault, std::uint32_t number, std::int64_t k) TACTUS_RT;
  static void remember(Fault& fault, std::int64_t k) TACTUS_RT;
  void change(Fault& fault, std::size_t element, std::int64_t k) const TACTUS_RT;
  std::int64_t next_change(const Fault& fault, std::int64_t k) const TACTUS_RT;
  std::int64_t end_of(const Fault& fault) const TACTUS_RT;

  FrameServices* services_ = nullptr;
  rtsync::Period frame_{1'000'000, 1};
  std::int64_t last_frame_ = -1;
  std::deque<Fault> all_;
  WakeTable wakes_;                       // by fault
  std::vector<std::int64_t> peer_wakes_;  // by fault of a peer: the frame in which it is looked at again
  DrawnFaults drawn_;
  std::vector<std::uint64_t> threads_;
  FaultMachine machine_;
  std::vector<std::unique_ptr<FaultTarget>> targets_;  // by fault; nullptr: it is on variables, or on a job
  std::vector<bool> is_peer_;                          // by fault
  std::vector<std::uint32_t> peers_;                   // faults of peers: advanced before the link receives
  std::optional<SentSignals> sent_;                    // what faults change of what the link sends
  bool is_sent_loaded_ = false;                        // a checkpoint has given what was sent
  SwitchLog log_;
};

}  // namespace tactus::executive
