// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "executive/capability/action/action.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/frame/switch_row.hpp"
#include "executive/model/model_forces.hpp"
#include "rtsync/exchange/block_ring.hpp"

namespace tactus::executive {

/// Report of the frames on what happened at the end of a frame.
struct ActionNote {
  enum class What : std::uint8_t {
    event,        ///< an event fired: `index` of ActionPlan::events
    step,         ///< a step began: `index` of ActionPlan::steps
    step_over,    ///< its end has come
    step_failed,  ///< its time-out has come
    timed,        ///< a list of ActionPlan::timed was done
    log,          ///< an action `log`: `index` of its list, `action` in it
    trace,        ///< an action `flight recorder`, likewise
    not_done,     ///< an action could not be done, likewise
  };
  What what = What::event;
  std::uint32_t index = 0;
  std::uint32_t action = 0;
  std::int64_t frame = 0;  ///< frame at whose end it happened; -1: before the first one
};

/// Does the actions of events, steps and commands. Changes of variables wait until the next frame's StepBegin, and for an
/// asynchronous thread until it is at rest; their memory is reserved before. What waits and what is forced belongs to the
/// state of the rig: it is in a checkpoint of the same actions.
///
/// Threads  hooks and run(): the rig's main thread. take_note(), lost(): one other.
/// RT       everything but the constructor and joined().
class ActionPart final : public FramePart {
 public:
  static constexpr std::size_t kMostNotes = 4096;

  /// `plan` must outlive it.                                                                        @when setup
  explicit ActionPart(const ActionPlan& plan);

  /// An event has fired at the end of frame k: counts and reports it, and does its actions.
  void fire(std::uint32_t event, std::int64_t k) TACTUS_RT;
  /// A step begins at the end of frame k: reports it, and does its actions.
  void begin_step(std::uint32_t step, std::int64_t k) TACTUS_RT {
    note({ActionNote::What::step, step, 0, k});
    run(plan_.step_lists[step], k);
  }
  /// Does the actions of a list at the end of frame k, in their order. kNone: nothing.
  void run(std::uint32_t list, std::int64_t k) TACTUS_RT;
  /// Reports something. A full ring loses and counts.
  void note(const ActionNote& note) TACTUS_RT {
    if (!notes_.push(note)) lost_.fetch_add(1, std::memory_order_relaxed);
  }

  /// Number of times that an event has fired, and the first and last frame of that; -1: it has not.
  struct EventCount {
    std::atomic<std::int64_t> count{0}, first{-1}, last{-1};
  };
  const EventCount& event(std::size_t index) const { return events_[index]; }

  bool take_note(ActionNote& note) TACTUS_RT { return notes_.pop(note); }
  std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

  void joined(FrameServices& services) override;
  void rate_transition(std::int64_t k, std::uint64_t idle) TACTUS_RT override;
  void at_boundary(std::int64_t k, Slack& slack) TACTUS_RT override;
  void changed(RigChange& change) TACTUS_RT override;

 private:
  /// A change of a variable, as the frames make it.
  struct Write {
    const Action* action = nullptr;
    void* to = nullptr;
    std::size_t bytes = 0;
    ModelForces* forces = nullptr;
    std::uint64_t thread = 0;  ///< asynchronous one that has to be at rest, as a bit
    std::uint32_t list = 0, place = 0;
  };

  bool do_action(const Action& action) TACTUS_RT;
  void queue(std::uint32_t write) TACTUS_RT;
  void queue_last(std::uint32_t write) TACTUS_RT;
  bool make(const Write& write) TACTUS_RT;
  bool force(const Write& write) TACTUS_RT;
  static bool is_part(const Write& write) TACTUS_RT;
  void release(ModelForces& forces, const void* to, std::size_t bytes) TACTUS_RT;
  void release_all() TACTUS_RT;
  void seek(std::int64_t k) TACTUS_RT;
  void keep() TACTUS_RT;
  void take_over() TACTUS_RT;
  std::int64_t& recorded(std::size_t slot) TACTUS_RT {
    return kept_[kept_.size() - recordings_.size() + slot];
  }
  std::size_t slot_of(std::uint32_t number) const TACTUS_RT;
  void keep_recordings() TACTUS_RT;
  void put_back_recordings(bool is_kept) TACTUS_RT;
  /// Its state at a boundary, as a checkpoint has it; the waiting writes in their order and a 1 for each that forces now
  /// follow. Last are the recordings that actions switch.
  enum Kept : std::size_t { boundary, next_list, waiting_writes, kKept };
  /// State of a recording since an action first switched it, as it is kept behind those.
  enum Recorded : std::int64_t { untouched, switched_on, switched_off };
  /// A recording that actions switch. Its number depends on what else `record:` has, its slot on the actions alone.
  struct Switched {
    std::uint32_t number;
    Recorded last;
  };

  const ActionPlan& plan_;
  FrameServices* services_ = nullptr;
  std::vector<Write> writes_;           // by Action::write
  std::vector<std::uint32_t> waiting_;  // indices of writes_ in the order in which they are made, each once
  std::vector<ModelForces*> forced_;    // of models, each once
  std::vector<bool> forcing_;           // by Action::write: it forces now
  std::vector<std::int64_t> kept_;
  std::vector<Switched> recordings_;  // in the order in which the plan names them first
  std::unique_ptr<EventCount[]> events_;
  rtsync::Period frame_{1, 1};
  bool ratio_changed_ = false;
  std::size_t next_ = 0;  // of plan_.timed
  rtsync::SpscRing<ActionNote> notes_{kMostNotes};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace tactus::executive
