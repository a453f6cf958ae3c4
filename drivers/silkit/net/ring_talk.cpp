// SPDX-License-Identifier: Apache-2.0
/// Two participants of this library on one host agree to continue in rings; all others continue as they are.
#include <utility>

#include "drivers/silkit/net/mesh_parts.hpp"

namespace tactus::silkit {
namespace {

using Step = RingMessage::Step;

constexpr std::size_t kMostRinged = 32;  // streams of one participant: each takes up to 256 KiB

}  // namespace

/// Offers rings to a participant that has just been let in. @when owner's lock held
void Mesh::Impl::offer_rings(StreamLink& link, const PeerInfo& info) {
  if (!settings_.shared_memory || ringed_.size() >= kMostRinged ||
      !has_capability(info.capabilities, kTakesRings) || !is_on_one_host(link.number()))
    return;
  link.rings = SharedRings::make();
  if (link.rings == nullptr) return;
  ringed_.push_back(&link);
  link.ring_step = Step::offer;
  post(link, about_rings(link, Step::offer));
}

RingMessage Mesh::Impl::about_rings(const StreamLink& link, Step step) {
  if (!link.rings) return {.step = step};
  RingMessage message = link.rings->offer(step);
  if (const WakePipe* const own = pipe()) own->name_in(message);
  return message;
}

/// Null: there is none.
WakePipe* Mesh::Impl::pipe() {
  if (!pipe_) pipe_ = WakePipe::make(io_);
  return pipe_.get();
}

/// Wakes by a pipe; if that is not possible the socket continues to do it.
void Mesh::Impl::wake_by_pipe(StreamLink& link, const RingMessage& of_other) {
  std::string why = "none here";
  if (const WakePipe* const own = pipe()) link.wake_by(own->open_other(of_other, why));
  if (!why.empty()) journal_.say(LogSink::Level::debug, "no pipe that wakes " + who(link) + ": " + why);
}

void Mesh::Impl::say_of_rings(StreamLink& link, Step step) {
  link.ring_step = step;
  const RingMessage message = about_rings(link, step);
  const auto lock = owner_.lock();
  post(link, message);
  if (step == Step::accept || step == Step::switched) link.write_to(link.rings->out());
  flush();
}

void Mesh::Impl::ring_talk(StreamLink& link, const RingMessage& message) {
  const auto unexpected = [] { throw WireError("a message about rings where none is due"); };
  const Step said = link.ring_step;
  switch (message.step) {
    case Step::offer:
    case Step::counter_offer: {
      if (link.registry || !link.peer || said != (message.step == Step::offer ? Step::invalid : Step::offer))
        unexpected();
      std::string why = "it wants none";
      std::unique_ptr<SharedRings> rings;
      const bool may = settings_.shared_memory && (said == Step::offer || ringed_.size() < kMostRinged) &&
                       is_on_one_host(link.number());
      if (may) rings = SharedRings::open(message, why);
      const bool counters = may && rings == nullptr && said == Step::invalid;
      if (counters) rings = SharedRings::make();  // the other one may have the right to open it
      forget_rings(link);
      link.rings = std::move(rings);
      if (link.rings == nullptr) {
        journal_.say(LogSink::Level::debug, "no shared memory with " + who(link) + ": " + why);
        return say_of_rings(link, Step::refuse);
      }
      ringed_.push_back(&link);
      if (!counters) wake_by_pipe(link, message);
      return say_of_rings(link, counters ? Step::counter_offer : Step::accept);
    }
    case Step::accept:
      if (said != Step::offer && said != Step::counter_offer) unexpected();
      link.rings->forget_file();
      wake_by_pipe(link, message);
      link.read_from(link.rings->in());
      return say_of_rings(link, Step::switched);
    case Step::switched:
      if (said != Step::accept) unexpected();
      return link.read_from(link.rings->in());
    case Step::refuse:
      if (said != Step::offer && said != Step::counter_offer) unexpected();
      link.ring_step = Step::refuse;
      return forget_rings(link);
    case Step::invalid:
    default:
      unexpected();
  }
}

/// Its rings stay where they are if they are in use: what goes out may still be written to.
void Mesh::Impl::forget_rings(StreamLink& link) {
  std::erase(ringed_, &link);
  if (!link.uses_rings()) link.rings.reset();
}

// ---- for the loop

bool Mesh::Impl::look() {
  bool some = post_.take();
  for (std::size_t i = 0; i < ringed_.size(); ++i) {
    if (!ringed_[i]->has_to_look()) continue;
    const auto held = std::static_pointer_cast<StreamLink>(ringed_[i]->shared_from_this());
    held->look();  // it may end, and others with it
    some = true;
  }
  return some;
}

bool Mesh::Impl::fall_asleep() {
  std::optional<PeerId> awaited;
  if (!ringed_.empty()) {
    const auto lock = owner_.lock();
    awaited = asleep_for_ = owner_.engine().virtual_time().awaited_peer();
  }
  if (pipe_) pipe_->fall_asleep();
  bool nothing = post_.fall_asleep();
  for (StreamLink* const link : ringed_) {
    const bool other = awaited && link->peer != awaited;
    nothing = link->fall_asleep(other) && !link->has_to_look() && nothing;
  }
  return nothing;
}

void Mesh::Impl::wake_up() {
  post_.wake_up();
  if (ringed_.empty()) return;
  {
    const auto lock = owner_.lock();
    asleep_for_.reset();
  }
  for (StreamLink* const link : ringed_) link->wake_up();
}

}  // namespace tactus::silkit
