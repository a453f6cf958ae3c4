// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "executive/capability/live/live_access.hpp"
#include "rtsync/time/duration_text.hpp"

// Values behind every frame, for those who draw them.
namespace tactus::executive {
namespace {

constexpr std::size_t kMostFollowers = 8;
constexpr std::int64_t kShareOfFrame = 50;  // all of them together take no more than 2 % of a frame
constexpr std::int64_t kKeptNs = 4'000'000'000;
constexpr std::size_t kLeastSlots = 256, kMostSlots = 65536, kMostRingBytes = std::size_t{16} << 20;

std::size_t slots_of(std::int64_t frame_ns, std::size_t record) {
  const auto wanted = static_cast<std::size_t>(kKeptNs / std::max<std::int64_t>(frame_ns, 1));
  return std::clamp(wanted, kLeastSlots, std::clamp(kMostRingBytes / record, kLeastSlots, kMostSlots));
}

}  // namespace

class LiveAccess::Follower final : public LiveFrames {
 public:
  Follower(LiveAccess& access, std::shared_ptr<LiveTap> tap) : access_(access), tap_(std::move(tap)) {}
  ~Follower() override {
    const std::lock_guard lock(access_.mutex_);
    access_.port_->taps().remove(tap_);
  }
  std::optional<Row> front() override {
    const std::byte* const record = tap_->front();
    if (record == nullptr) return std::nullopt;
    LiveTap::Mark mark;
    std::memcpy(&mark, record, sizeof mark);
    return Row{mark.frame, mark.number, record + sizeof mark};
  }
  void release() override { tap_->release(); }

 private:
  LiveAccess& access_;
  const std::shared_ptr<LiveTap> tap_;
};

std::unique_ptr<LiveFrames> LiveAccess::follow(const std::vector<LiveRef>& refs, std::string& problem) {
  const std::lock_guard lock(mutex_);
  LiveTaps& taps = port_->taps();
  if (ended_) return problem = "the run has ended", nullptr;
  if (taps.all().size() >= kMostFollowers)
    return problem = std::to_string(kMostFollowers) + " streams of frames are open already; close one",
           nullptr;
  std::vector<LiveTap::Piece> pieces;
  std::size_t record = sizeof(LiveTap::Mark);
  for (const LiveRef& ref : refs) {
    pieces.push_back({place_of(ref), variables_.bytes_of(ref)});
    record += pieces.back().bytes;
  }
  const std::int64_t frame_ns = facts_.frame.floor().count();
  auto tap = std::make_shared<LiveTap>(pieces, slots_of(frame_ns, record));
  rtsync::Nanoseconds cost = tap->cost();
  for (const auto& other : taps.all()) cost += other->cost();
  if (facts_.realtime && cost.count() * kShareOfFrame > frame_ns) {
    problem = "all streams together would take about " + rtsync::duration_text(cost.count()) +
              " of each frame of " + rtsync::duration_text(frame_ns) +
              "; 2 % is allowed: ask for fewer names";
    return nullptr;
  }
  taps.add(tap);
  return std::make_unique<Follower>(*this, std::move(tap));
}

}  // namespace tactus::executive
