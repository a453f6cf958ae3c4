// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "executive/capability/live/live_taps.hpp"
#include "executive/driver/live.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/model/model_forces.hpp"
#include "rtsync/exchange/block_ring.hpp"
#include "rtsync/exchange/latest_block.hpp"

namespace tactus::executive {

/// A batch on its way through the frames. Made by the service side, which does not touch it before its event
/// says so.
struct LivePacket {
  struct Change {
    LiveWrite::Kind kind = LiveWrite::Kind::set;
    void* to = nullptr;
    ModelForces* forces = nullptr;  ///< forces of its model; nullptr: it cannot be forced
    std::size_t offset = 0;         ///< offset in data
    std::size_t bytes = 0;
  };
  enum class End : std::uint8_t {
    applied,
    too_late,  ///< its frame had begun
    busy,      ///< an asynchronous thread whose memory it changes was not at rest at that frame
    forced,    ///< it sets what is forced, or forces or releases only a part of it
    full,      ///< a model has no room for another force
    released,  ///< all was released while it waited
    dropped,   ///< the rig went back to an earlier state, or has ended
  };

  /// True: for `frame`; else for the next one that begins, in a running rig not before it.
  bool dated = false;
  std::int64_t frame = 0;
  std::uint64_t threads = 0;  ///< asynchronous ones (bits, as Program::async_workers()) that must be at rest
  std::vector<Change> changes;  ///< changes, releases first
  std::vector<std::byte> data;
  std::optional<CommandCall> command;  ///< instead of changes
  std::uint64_t number = 0;            ///< counts up with every packet
  std::uint64_t arrival = 0;           ///< counts up with every packet that the frames took over
  bool releases_all = false;           ///< one of the changes does

  // Written by the frames.
  End end = End::dropped;
  std::size_t which = 0;  ///< the change that could not be made
  std::int64_t applied_frame = -1;
  std::int64_t returns = 0;     ///< LivePort::returns() then
  std::size_t force_count = 0;  ///< forces that use data
  bool told = false;            ///< its end
};

/// Report of the frames on a packet.
struct LiveEvent {
  LivePacket* packet = nullptr;
  bool ended = false;  ///< packet->end says how
  bool free = false;   ///< it will not be touched any more
};

/// An episode under way: where it ends, and what is to be kept of which frame.
struct LiveEpisode {
  struct Capture {
    std::int64_t frame = 0;
    const void* from = nullptr;
    std::size_t offset = 0;  ///< offset in data
    std::size_t bytes = 0;
  };
  std::int64_t first_frame = 0;  ///< it begins in Pause before this one, or not at all
  std::int64_t last_frame = INT64_MAX;
  std::vector<LivePacket*> packets;  ///< its inputs; the frames take them when it begins
  std::vector<Capture> captures;     ///< ascending in their frames
  std::vector<std::byte> data;
  std::size_t next = 0;           ///< next of the captures; the frames' own
  bool begun = false;             ///< the frames' own until it has ended
  bool broken = false;            ///< the rig was reset or restored before it took effect
  std::atomic<bool> done{false};  ///< it has ended, in Pause: the frames do not touch it any more
};

/// The frames' side of live access: hands out snapshots, takes in changes, ends episodes.
///
/// Threads  the frames' side: the rig's main thread. The service side: one thread, but want() and frame():
/// any. RT       the frames' side: wait-free; work only for what was asked for.
class LivePort final : public FramePart {
 public:
  static constexpr bool kWritesVariables = false;    ///< it says so when it does
  static constexpr std::size_t kMostPackets = 1024;  ///< not yet free, at a time
  static constexpr std::size_t kMostRhythms = 16;
  struct Source {
    const ModelInstance* model = nullptr;
    const void* data = nullptr;
    std::size_t bytes = 0;
  };
  /// Head of a snapshot, before the values.
  struct Head {
    std::int64_t sequence = 0;
    std::int64_t frame = -1;
    RigFigures rig;
  };

  explicit LivePort(std::vector<Source> sources);
  // ---- setup

  /// Place of a source in a snapshot. Valid after joined().
  std::size_t offset(std::size_t source) const { return offsets_[source]; }
  const void* place(std::size_t source) const { return sources_[source].data; }
  std::size_t bytes() const { return bytes_; }
  /// Duration of a snapshot, as measured so far.    @when setup
  rtsync::Nanoseconds cost() const { return cost_.expected(); }
  /// Memcpys per snapshot; for people who wonder what one costs.
  std::size_t runs() const { return pieces_.size(); }

  // ---- the service side

  /// The next snapshot, if it is to be made after this call, has at least this sequence number.       @when
  /// any
  std::int64_t want() TACTUS_RT {
    const std::int64_t begun = begun_.load(std::memory_order_acquire);
    wanted_.store(true, std::memory_order_release);
    return begun + 1;
  }
  /// The same of the next frame whose number is a multiple of `every`, or of the next freeze frame: which one
  /// that is the frames decide. At least 1; no more than kMostRhythms different ones at a time are kept, and
  /// the next one is a want() then.                                                                @when any
  std::int64_t want_multiple(std::int64_t every) TACTUS_RT;
  /// A newer snapshot than the last time: head, then the values; nullptr: there is none.
  const Head* read(const std::byte*& values) TACTUS_RT;
  /// Sends a packet. At most kMostPackets that are not free may exist.
  /// Something that is switched by name.
  struct Turn {
    const char* kind;  ///< a text that stays
    std::uint32_t number;
    bool on;
  };
  /// Switches it before the next frame. False: there is no room. One thread at a time.
  bool turn(const Turn& turn) TACTUS_RT { return turns_.push(turn); }
  void send(LivePacket* packet) TACTUS_RT { (void)packets_.push(packet); }
  bool pop(LiveEvent& event) TACTUS_RT { return events_.pop(event); }
  /// nullptr: takes it back, once there are no frames any more.
  void begin(LiveEpisode* episode) TACTUS_RT { offered_.store(episode, std::memory_order_release); }
  /// Receivers of values after every frame.
  LiveTaps& taps() { return taps_; }
  /// The frame that has begun last; -1 before the first.                                            @when any
  std::int64_t frame() const TACTUS_RT { return frame_.load(std::memory_order_acquire); }
  /// Number of times that the rig went back to an earlier state, which undoes what was set.           @when any
  std::int64_t returns() const TACTUS_RT { return returns_.load(std::memory_order_acquire); }
  /// The frame that has ended last; -1: none since the start or the last reset.  @when any
  std::int64_t last_frame() const TACTUS_RT { return last_frame_.load(std::memory_order_acquire); }

  // ---- the frames' side

  void joined(FrameServices& services) override;
  void rate_transition(std::int64_t k, std::uint64_t idle) TACTUS_RT override;
  /// Copies in the slack: what an episode keeps of the frame; what taps take; and a snapshot, if one is
  /// wanted and its copy fits.
  void in_slack(const FrameEnd& end) TACTUS_RT override;
  /// Changes are made, an episode that is over ends, one that was asked for begins: then frames are to run.
  bool serve(const Frozen& frozen) TACTUS_RT override;
  PartVerdict before_frame(std::int64_t k) const TACTUS_RT override {
    return {episode_ends(k) ? PartVerdict::pause : PartVerdict::go_on};
  }
  void changed(RigChange& change) TACTUS_RT override;

 private:
  /// Drops the packets that wait, and releases forces.
  void go_back_to(std::int64_t k) TACTUS_RT;
  /// Pieces of memory of one size, which lie one after the other in a snapshot.
  struct Strip {
    std::size_t bytes;
    std::size_t end;  ///< end in pieces_
    void (*copy)(const std::byte* const* from, std::size_t count, std::size_t bytes, std::byte* to) noexcept;
  };
  void stand_before(std::int64_t k) TACTUS_RT {
    frame_.store(k - 1, std::memory_order_release);
    last_frame_.store(k - 1, std::memory_order_release);
  }
  void lay_out();
  /// Returns true if an episode ends right before frame k.
  bool episode_ends(std::int64_t k) const TACTUS_RT {
    return episode_ != nullptr && k > episode_->last_frame;
  }
  bool change_frozen(std::int64_t k) TACTUS_RT;
  void take(std::int64_t k, std::uint64_t async_workers_idle) TACTUS_RT;
  void take_over(std::int64_t k) TACTUS_RT;
  void bring_forward(std::int64_t k) TACTUS_RT;
  void accept(LivePacket* packet, std::int64_t k) TACTUS_RT;
  void answer_offer(std::int64_t k, bool frozen) TACTUS_RT;
  void end_episode(bool broken) TACTUS_RT;
  std::uint64_t threads_of(const LivePacket& packet) const TACTUS_RT;
  bool has_room(const LivePacket& packet) TACTUS_RT;
  /// Returns true if `a` is due after `b`. Among packets of one frame, the one that came first is the first.
  static bool is_later(const LivePacket* a, const LivePacket* b) TACTUS_RT {
    return a->frame != b->frame ? a->frame > b->frame : a->arrival > b->arrival;
  }
  auto pending_end() TACTUS_RT { return pending_.begin() + static_cast<std::ptrdiff_t>(pending_count_); }
  void insert(LivePacket* packet) TACTUS_RT;
  LivePacket* take_next() TACTUS_RT;
  LivePacket::End validate(LivePacket& packet) TACTUS_RT;
  void apply(LivePacket& packet, std::int64_t k) TACTUS_RT;
  void drop_older(std::uint64_t number, std::int64_t k) TACTUS_RT;
  void unforce(ModelForces& forces, const void* to, std::size_t bytes) TACTUS_RT;
  void unforce_all() TACTUS_RT;
  void drop(ModelForces& forces, ModelForces::Force* force) TACTUS_RT;
  void finish(LivePacket* packet, LivePacket::End end, std::int64_t k) TACTUS_RT;
  bool is_wanted(std::int64_t last, bool frozen) const TACTUS_RT;
  void publish(std::int64_t last, const RigFigures& rig, bool frozen) TACTUS_RT;
  void copy_values(std::byte* to) TACTUS_RT;

  FrameServices* services_ = nullptr;
  LiveTaps taps_;
  SlackCost cost_;  // of a snapshot
  std::vector<Source> sources_;
  std::vector<std::size_t> offsets_;
  std::vector<const std::byte*> pieces_;
  std::vector<Strip> strips_;
  std::size_t bytes_ = 0;
  std::unique_ptr<rtsync::LatestBlock> block_;
  rtsync::SpscRing<LivePacket*> packets_{kMostPackets};
  rtsync::SpscRing<Turn> turns_{64};
  rtsync::SpscRing<LiveEvent> events_{4 * kMostPackets};
  std::array<LivePacket*, kMostPackets> pending_{};  // a heap: the next one is the first
  std::array<LivePacket*, kMostPackets> waiting_{};  // in take()
  std::size_t pending_count_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t touched_ = 0;
  std::vector<ModelForces*> forced_;  // models that have any
  std::atomic<LiveEpisode*> offered_{nullptr};
  LiveEpisode* episode_ = nullptr;
  std::atomic<std::int64_t> frame_{-1};
  std::atomic<std::int64_t> last_frame_{-1};
  std::atomic<std::int64_t> returns_{0};
  std::atomic<std::int64_t> begun_{0};  // snapshots
  std::atomic<bool> wanted_{false};
  std::array<std::atomic<std::int64_t>, kMostRhythms> rhythms_{};  // frames; 0: none
  std::atomic<bool> some_rhythms_{false};
};

}  // namespace tactus::executive
