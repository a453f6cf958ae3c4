// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_port.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "executive/frame/frame_services.hpp"
#include "rtsync/time/least_time.hpp"

namespace tactus::executive {
namespace {

constexpr std::size_t kHead = (sizeof(LivePort::Head) + 63) / 64 * 64;

template <std::size_t kBytes>
void copy_pieces(const std::byte* const* from, std::size_t count, std::size_t, std::byte* to) noexcept {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * kBytes, from[i], kBytes);
}
void copy_any(const std::byte* const* from, std::size_t count, std::size_t bytes, std::byte* to) noexcept {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * bytes, from[i], bytes);
}

/// Copier of small sizes, without a call for each piece.
template <std::size_t... kWords>
auto copier_of(std::size_t bytes, std::index_sequence<kWords...>) {
  auto* copy = &copy_any;
  ((bytes == 8 * (kWords + 1) ? void(copy = &copy_pieces<8 * (kWords + 1)>) : void()), ...);
  return copy;
}

}  // namespace

LivePort::LivePort(std::vector<Source> sources) : FramePart("live access"), sources_(std::move(sources)) {
  forced_.reserve(sources_.size());
  lay_out();
}

void LivePort::joined(FrameServices& services) {
  services_ = &services;
  for (Source& source : sources_) source.data = services.place_of(source.model, source.data, source.bytes);
  lay_out();
  cost_ = SlackCost{rtsync::least_time([this] { copy_values(block_->writable() + kHead); })};
}

/// Orders the sources by their addresses: neighbours in memory are copied in one go.
void LivePort::lay_out() {
  std::vector<std::size_t> order(sources_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [this](std::size_t a, std::size_t b) {
    return std::less<const void*>{}(sources_[a].data, sources_[b].data);
  });
  struct Run {
    const std::byte* from;
    std::size_t bytes;
  };
  std::vector<Run> runs;
  offsets_.assign(sources_.size(), 0);
  bytes_ = 0;
  for (const std::size_t i : order) {
    const auto* const from = static_cast<const std::byte*>(sources_[i].data);
    const bool follows = !runs.empty() && runs.back().from + runs.back().bytes == from;
    if (follows)
      runs.back().bytes += sources_[i].bytes;
    else
      runs.push_back({from, sources_[i].bytes});
    offsets_[i] = bytes_;
    bytes_ += sources_[i].bytes;
  }
  pieces_.clear();
  strips_.clear();
  for (const Run& run : runs) {
    if (strips_.empty() || strips_.back().bytes != run.bytes)
      strips_.push_back({run.bytes, 0, copier_of(run.bytes, std::make_index_sequence<32>())});
    pieces_.push_back(run.from);
    strips_.back().end = pieces_.size();
  }
  block_ = std::make_unique<rtsync::LatestBlock>(kHead + bytes_);
}

const LivePort::Head* LivePort::read(const std::byte*& values) TACTUS_RT {
  const std::byte* const block = block_->read();
  if (block == nullptr) return nullptr;
  values = block + kHead;
  return reinterpret_cast<const Head*>(block);
}

std::int64_t LivePort::want_multiple(std::int64_t every) TACTUS_RT {
  const std::int64_t begun = begun_.load(std::memory_order_acquire);
  for (std::atomic<std::int64_t>& rhythm : rhythms_) {
    std::int64_t known = 0;
    if (!rhythm.compare_exchange_strong(known, every, std::memory_order_acq_rel) && known != every) continue;
    some_rhythms_.store(true, std::memory_order_release);
    return begun + 1;
  }
  return want();
}

/// Returns true if a snapshot is wanted after frame `last`.
bool LivePort::is_wanted(std::int64_t last, bool frozen) const TACTUS_RT {
  // Acquired: a command that was given before is seen, too.
  if (wanted_.load(std::memory_order_acquire)) return true;
  if (!some_rhythms_.load(std::memory_order_acquire)) return false;
  return std::ranges::any_of(rhythms_, [&](const auto& rhythm) TACTUS_RT {
    const std::int64_t every = rhythm.load(std::memory_order_acquire);
    return every > 0 && (frozen || last % every == 0);
  });
}

void LivePort::publish(std::int64_t last, const RigFigures& rig, bool frozen) TACTUS_RT {
  // In this order: who sees the new number, and wants one, is not forgotten.
  wanted_.store(false, std::memory_order_relaxed);
  if (some_rhythms_.exchange(false, std::memory_order_acq_rel)) {
    bool more = false;
    for (std::atomic<std::int64_t>& rhythm : rhythms_) {
      const std::int64_t every = rhythm.load(std::memory_order_relaxed);
      if (every > 0 && (frozen || last % every == 0)) rhythm.store(0, std::memory_order_relaxed);
      more = more || rhythm.load(std::memory_order_relaxed) > 0;
    }
    if (more) some_rhythms_.store(true, std::memory_order_relaxed);
  }
  const std::int64_t sequence = begun_.load(std::memory_order_relaxed) + 1;
  begun_.store(sequence, std::memory_order_release);
  const Head head{sequence, last, rig};
  std::byte* const block = block_->writable();
  std::memcpy(block, &head, sizeof head);
  copy_values(block + kHead);
  block_->publish();
}

void LivePort::copy_values(std::byte* to) TACTUS_RT {
  std::size_t begin = 0;
  for (const Strip& strip : strips_) {
    strip.copy(&pieces_[begin], strip.end - begin, strip.bytes, to);
    to += (strip.end - begin) * strip.bytes;
    begin = strip.end;
  }
}

void LivePort::rate_transition(std::int64_t k, std::uint64_t idle) TACTUS_RT {
  frame_.store(k, std::memory_order_release);
  answer_offer(k, false);
  for (Turn turn{}; turns_.pop(turn);)
    if (SwitchRow* const row = services_->switches(turn.kind)) row->turn(turn.number, turn.on);
  take_over(k);
  if (pending_count_ > 0) services_->hide_overlays(idle);
  take(k, idle);
  for (ModelForces* const forces : forced_)
    if (forces->thread() == 0) forces->apply();
}

void LivePort::in_slack(const FrameEnd& end) TACTUS_RT {
  last_frame_.store(end.frame, std::memory_order_release);
  if (episode_ != nullptr) {
    LiveEpisode& episode = *episode_;
    for (; episode.next < episode.captures.size(); ++episode.next) {
      const LiveEpisode::Capture& capture = episode.captures[episode.next];
      if (capture.frame > end.frame) break;
      std::memcpy(episode.data.data() + capture.offset, capture.from, capture.bytes);
    }
  }
  taps_.take(end.frame);
  if (is_wanted(end.frame, false))
    (void)end.slack.spend(cost_, [&]() TACTUS_RT { publish(end.frame, end.rig, false); });
}

bool LivePort::serve(const Frozen& frozen) TACTUS_RT {
  taps_.adopt();
  const bool begins = change_frozen(frozen.next);
  services_->publish_async(std::exchange(touched_, 0));  // so that it can be read
  if (!is_wanted(frozen.next - 1, true)) return begins;
  // A client that has given a command, and then asks, is not shown the pause of before it.
  if (services_->command_waits())
    services_->serve_again();
  else
    publish(frozen.next - 1, frozen.rig, true);
  return begins;
}

bool LivePort::change_frozen(std::int64_t k) TACTUS_RT {
  if (episode_ends(k)) end_episode(false);
  answer_offer(k, true);
  touched_ = 0;  // what was changed while frames ran is shown where its thread meets them
  take_over(k);
  bring_forward(k);
  take(k, services_->idle_async_workers(k));
  if (episode_ == nullptr || episode_->begun) return false;
  episode_->begun = true;
  return true;
}

/// An episode begins where it was planned for, with all of its inputs, or not at all.
void LivePort::answer_offer(std::int64_t k, bool frozen) TACTUS_RT {
  if (offered_.load(std::memory_order_relaxed) == nullptr) return;
  LiveEpisode* const offered = offered_.exchange(nullptr, std::memory_order_acq_rel);
  if (offered == nullptr) return;
  episode_ = offered;
  const bool begins = frozen && k == offered->first_frame;
  for (LivePacket* const packet : offered->packets)
    begins ? accept(packet, k) : finish(packet, LivePacket::End::dropped, k);
  if (!begins) end_episode(true);
}

void LivePort::end_episode(bool broken) TACTUS_RT {
  LiveEpisode* const episode = episode_;
  episode_ = nullptr;
  episode->broken = broken;
  episode->done.store(true, std::memory_order_release);
}

void LivePort::changed(RigChange& change) TACTUS_RT {
  if (change.what == RigChange::started) stand_before(change.frame);
  if (change.what == RigChange::went_back) go_back_to(change.frame);
}

void LivePort::go_back_to(std::int64_t k) TACTUS_RT {
  returns_.fetch_add(1, std::memory_order_release);
  answer_offer(k, false);
  take_over(k);
  while (pending_count_ > 0) finish(take_next(), LivePacket::End::dropped, k);
  unforce_all();
  stand_before(k);
  if (episode_ != nullptr) end_episode(true);
}

void LivePort::accept(LivePacket* packet, std::int64_t k) TACTUS_RT {
  if (!packet->dated) packet->frame = std::max(packet->frame, k);
  packet->arrival = ++arrivals_;
  insert(packet);
}

/// The asynchronous threads that have to be at rest for it.
std::uint64_t LivePort::threads_of(const LivePacket& packet) const TACTUS_RT {
  std::uint64_t threads = packet.threads;
  if (packet.releases_all)
    for (const ModelForces* const forces : forced_) threads |= forces->thread();
  return threads;
}

void LivePort::take_over(std::int64_t k) TACTUS_RT {
  LivePacket* packet = nullptr;
  while (packets_.pop(packet)) accept(packet, k);
}

/// Frame k may be long in coming: what has no frame of its own does not wait for one behind it.
void LivePort::bring_forward(std::int64_t k) TACTUS_RT {
  for (std::size_t i = 0; i < pending_count_; ++i)
    if (!pending_[i]->dated) pending_[i]->frame = std::min(pending_[i]->frame, k);
  std::make_heap(pending_.begin(), pending_end(), is_later);
}

/// Takes the packets that are due before frame k, from the earliest on. One that only waits for a thread to
/// be at rest stays.
void LivePort::take(std::int64_t k, std::uint64_t async_workers_idle) TACTUS_RT {
  std::size_t waiting = 0;
  while (pending_count_ > 0 && pending_[0]->frame <= k) {
    LivePacket* const due = take_next();
    // What releases all waits for those before it, too.
    const bool busy = (threads_of(*due) & ~async_workers_idle) != 0 || (due->releases_all && waiting > 0);
    if (busy && !due->dated) {
      waiting_[waiting++] = due;
      continue;
    }
    LivePacket::End end = LivePacket::End::applied;
    if (due->dated && due->frame < k)
      end = LivePacket::End::too_late;
    else if (busy)
      end = LivePacket::End::busy;
    else
      end = validate(*due);
    if (end == LivePacket::End::applied) apply(*due, k);
    finish(due, end, k);
  }
  while (waiting > 0) insert(waiting_[--waiting]);
}

void LivePort::insert(LivePacket* packet) TACTUS_RT {
  pending_[pending_count_++] = packet;
  std::push_heap(pending_.begin(), pending_end(), is_later);
}

LivePacket* LivePort::take_next() TACTUS_RT {
  std::pop_heap(pending_.begin(), pending_end(), is_later);
  return pending_[--pending_count_];
}

/// Checks all or nothing: what prevents any of its changes.
LivePacket::End LivePort::validate(LivePacket& packet) TACTUS_RT {
  using Kind = LiveWrite::Kind;
  if (packet.releases_all) return LivePacket::End::applied;
  // A release ends the forces in its own bytes; all are made before what is written.
  const auto is_released = [&](const ModelForces::Force& force) TACTUS_RT {
    return std::ranges::any_of(packet.changes, [&](const LivePacket::Change& other) TACTUS_RT {
      return other.kind == Kind::release && force.lies_in(other.to, other.bytes);
    });
  };
  for (packet.which = 0; packet.which < packet.changes.size(); ++packet.which) {
    const LivePacket::Change& change = packet.changes[packet.which];
    if (change.forces == nullptr || change.forces->empty()) continue;
    // A force replaces those in its own bytes. Neither it nor a release ends that of a whole array for an element.
    const auto is_ended = [&](const ModelForces::Force& force) TACTUS_RT {
      return (change.kind != Kind::set && force.lies_in(change.to, change.bytes)) || is_released(force);
    };
    if (!change.forces->all(change.to, change.bytes, is_ended)) return LivePacket::End::forced;
  }
  return has_room(packet) ? LivePacket::End::applied : LivePacket::End::full;
}

/// Returns true if there is room for all forces of a packet that do not replace another.
bool LivePort::has_room(const LivePacket& packet) TACTUS_RT {
  bool room = true;
  for (const LivePacket::Change& change : packet.changes) {
    if (change.kind != LiveWrite::Kind::force) continue;
    if (change.forces->find(change.to, change.bytes) == nullptr) ++change.forces->wanted;
    room = room && change.forces->count() + change.forces->wanted <= ModelForces::kMost;
  }
  for (const LivePacket::Change& change : packet.changes)
    if (change.kind == LiveWrite::Kind::force) change.forces->wanted = 0;
  return room;
}

void LivePort::apply(LivePacket& packet, std::int64_t k) TACTUS_RT {
  touched_ |= packet.threads;
  services_->count_changes();
  if (packet.command) services_->give(*packet.command);
  for (const LivePacket::Change& change : packet.changes) {
    const std::byte* const from = packet.data.data() + change.offset;
    switch (change.kind) {
      case LiveWrite::Kind::set:
        std::memcpy(change.to, from, change.bytes);
        break;
      case LiveWrite::Kind::force:
        unforce(*change.forces, change.to, change.bytes);
        std::memcpy(change.to, from, change.bytes);
        change.forces->add({change.to, from, change.bytes, &packet});
        ++packet.force_count;
        if (std::ranges::find(forced_, change.forces) == forced_.end())
          forced_.push_back(change.forces);  // within what was reserved
        break;
      case LiveWrite::Kind::release:
        unforce(*change.forces, change.to, change.bytes);
        if (change.forces->empty()) std::erase(forced_, change.forces);
        break;
      case LiveWrite::Kind::release_all:
        unforce_all();
        drop_older(packet.number, k);
        break;
    }
  }
}

/// Hands off: what was sent before, and still waits for its frame, is not made either.
void LivePort::drop_older(std::uint64_t number, std::int64_t k) TACTUS_RT {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pending_count_; ++i) {
    if (pending_[i]->number < number)
      finish(pending_[i], LivePacket::End::released, k);
    else
      pending_[kept++] = pending_[i];
  }
  pending_count_ = kept;
  std::make_heap(pending_.begin(), pending_end(), is_later);
}

/// Ends the forces that share memory with these bytes.
void LivePort::unforce(ModelForces& forces, const void* to, std::size_t bytes) TACTUS_RT {
  while (ModelForces::Force* const force = forces.find(to, bytes)) drop(forces, force);
}

void LivePort::unforce_all() TACTUS_RT {
  for (ModelForces* const forces : forced_)
    while (ModelForces::Force* const force = forces->last()) drop(*forces, force);
  forced_.clear();
}

void LivePort::drop(ModelForces& forces, ModelForces::Force* force) TACTUS_RT {
  LivePacket* const packet = force->packet;
  forces.remove(force);
  if (packet == nullptr) return;  // of an action, whose memory stays
  if (--packet->force_count == 0 && packet->told) (void)events_.push({packet, false, true});
}

void LivePort::finish(LivePacket* packet, LivePacket::End end, std::int64_t k) TACTUS_RT {
  packet->end = end;
  packet->applied_frame = k;
  packet->returns = returns_.load(std::memory_order_relaxed);
  packet->told = true;
  (void)events_.push({packet, true, packet->force_count == 0});
}

}  // namespace tactus::executive
