// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/port.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tactus::drivers::link {
namespace {

using executive::LinkVerdict;

Action action_of(AtMaxAge at) TACTUS_RT {
  return at == AtMaxAge::freeze      ? Action::freeze
         : at == AtMaxAge::terminate ? Action::terminate
         : at == AtMaxAge::degrade   ? Action::degrade
                                     : Action::none;
}

/// A duration for a sentence: tenths of milliseconds, rounded down.
struct Ms {
  long long whole, tenth;
  explicit Ms(std::int64_t ns) : whole(ns / 1'000'000), tenth(ns / 100'000 % 10) {}
};

}  // namespace

Port::Port(const LinkSettings& settings, const rtsync::Period& frame, const rtsync::Period& real_frame,
           Signals& signals, Exchange& exchange)
    : variables_(signals),
      mode_(settings.mode),
      delivery_(delivery_of(settings)),
      at_maximum_(settings.at_maximum),
      frame_(frame),
      real_frame_(real_frame),
      frames_per_step_(frames_per_step(settings, frame)),
      signals_(signals),
      exchange_(exchange),
      status_(variables_.status),
      pending_(signals, static_cast<std::size_t>(settings.queue), exchange.inbox.capacity()),
      lateness_(settings.max_late, settings.max_consecutive_late) {
  for (std::size_t i = 0; i < signals.subscriptions.size(); ++i)
    inputs_.emplace_back(signals.subscriptions[i], variables_.inputs[i]);
  for (std::size_t i = 0; i < inputs_.size(); ++i) silences_.emplace_back();
  for (std::uint32_t i = 0; i < signals.networks.size(); ++i)
    bridges_.emplace_back(signals.networks[i], i, variables_.networks[i], exchange);
  plan_outgoing();
}

const void* Port::send_from(std::size_t number, std::size_t index, const void* from) {
  const void* const before = std::exchange(signals_.publications[number].sources[index], from);
  plan_outgoing();
  return before;
}

void Port::plan_outgoing() {
  outgoing_.clear();
  std::size_t block = sizeof(Outgoing);
  for (const Publication& publication : signals_.publications) {
    for (std::size_t i = 0; i < publication.variables.size(); ++i)
      outgoing_.push_back({publication.sources[i], block + publication.layout.elements[i].offset,
                           bytes_of(publication.variables[i])});
    block += publication.layout.bytes;
  }
}

void Port::redirect(const executive::Redirection& where) {
  for (Publication& publication : signals_.publications)
    for (std::size_t i = 0; i < publication.variables.size(); ++i) {
      const executive::VariableRef& ref = publication.variables[i];
      if (const void* const elsewhere = where(ref.model, ref.data(), bytes_of(ref)))
        publication.sources[i] = elsewhere;
    }
  plan_outgoing();
}

void Port::start(std::int64_t first) TACTUS_RT {
  mapping_.first_frame = first;
  const std::int64_t first_ns = exchange_.first_virtual_ns.load(std::memory_order_relaxed);
  mapping_.first_virtual = rtsync::TimePoint<rtsync::VirtualTime>{rtsync::Nanoseconds{first_ns}};
  mapping_.period = frame_;
  for (Input& input : inputs_) input.start(first_ns);
  started_ = true;
}

bool Port::may_begin(std::int64_t k, bool paced) TACTUS_RT {
  const Federation federation = exchange_.federation.load(std::memory_order_acquire);
  if (federation != Federation::running) return federation == Federation::left;
  if (mode_ == LinkMode::free || degraded_) return true;
  // In real time the first step's grant alone is waited for: with it virtual time is known.
  const bool in_real_time = paced && mode_ == LinkMode::paced;
  const std::int64_t step = in_real_time || !started_ ? 0 : (k - mapping_.first_frame) / frames_per_step_;
  return exchange_.granted.load(std::memory_order_acquire) >= step;
}

bool Port::wait(std::int64_t k, bool paced, MonotonicInstant deadline) TACTUS_RT {
  for (;;) {
    const std::uint32_t seen = exchange_.changed.value();
    if (may_begin(k, paced)) return true;
    if (exchange_.changed.wait(seen + 1, rtsync::WaitMode::adaptive, deadline) ==
        rtsync::Gate::Result::timeout)
      return may_begin(k, paced);
  }
}

LinkVerdict Port::begin_frame(const executive::FrameStart& frame) TACTUS_RT {
  const std::int64_t k = frame.frame;
  const std::int64_t since = k - mapping_.first_frame;
  const std::int64_t virtual_ns = mapping_.virtual_time(k).time_since_epoch().count();
  const std::int64_t step = since / frames_per_step_;
  const std::int64_t in_step = since % frames_per_step_;
  // The grant is looked at before the inbox: what was said before it was given has come by then.
  const bool alone = is_alone();
  const std::int64_t granted = exchange_.granted.load(std::memory_order_acquire);
  began_ = frame.now;
  paced_ = frame.paced;
  freezes_itself_ = false;
  status_.frame = k;
  status_.slot_ns = frame.slot.time_since_epoch().count();
  status_.virtual_time_ns = virtual_ns;
  status_.step = step;
  status_.state = static_cast<std::int32_t>(exchange_.federation.load(std::memory_order_relaxed));
  decision_.clear();

  for (CanBridge& bridge : bridges_)
    bridge.begin(frame_.times(k).count(), frame_.floor().count(), step, alone);
  apply_due(virtual_ns, mapping_.virtual_time(k - in_step).time_since_epoch().count());
  for (CanBridge& bridge : bridges_) bridge.given();
  // A rig that makes up for time of its own asks for grants faster than time goes: that is nobody else's
  // fault. A peer that owes an older step has no grace: it had more time, not less.
  if (paced_ && frame.late >= real_frame_.floor() && granted >= step - 1) lateness_.start_anew(granted);
  if (!alone) lateness_.update_grace(exchange_, granted, frame.now);
  const bool missing = !alone && judge_grants(granted, step, in_step == 0, frame.now);
  if (alone) status_.lateness_ns = status_.consecutive_late = status_.behind = status_.grant_arrival_ns = 0;
  give_inputs(virtual_ns, alone || missing, !alone && !lateness_.grace_covers_age());
  remember_work(frame.work);
  begun_ = true;
  expect_end(frames_per_step_ - 1 - in_step);
  return carry_out();
}

/// A step takes what was stamped before it began, in its first frame: what comes in the midst of it, of its
/// own time, is for the next one, whoever was faster.
void Port::apply_due(std::int64_t virtual_ns, std::int64_t step_virtual_ns) TACTUS_RT {
  pending_.take(exchange_.inbox, mode_ != LinkMode::free, paced_);
  const std::int64_t up_to_ns = delivery_ == Delivery::timestamp ? virtual_ns : step_virtual_ns - 1;
  for (const Incoming* head = pending_.front(); head != nullptr; head = pending_.front()) {
    const bool stamped = head->stamp_ns != kNoStamp;
    if (stamped && head->stamp_ns > up_to_ns) break;
    if (head->subscription >= inputs_.size()) {
      give_frame(head->subscription - inputs_.size());
    } else {
      if (Silence& silence = silences_[head->subscription]; silence.on) [[unlikely]] {
        silence.messages.fetch_add(1, std::memory_order_relaxed);
        exchange_.withheld.fetch_add(1, std::memory_order_relaxed);
        pending_.pop();
        continue;
      }
      inputs_[head->subscription].apply(pending_.block(), stamped ? head->stamp_ns : virtual_ns);
    }
    ++status_.messages;
    if (stamped && begun_ && head->stamp_ns <= taken_up_to_ns_) ++status_.messages_late;
    pending_.pop();
  }
  taken_up_to_ns_ = up_to_ns;
  totals_.pending_lost += pending_.trim();
}

/// Gives a bus the frame that is due first.
void Port::give_frame(std::size_t network) TACTUS_RT {
  can::CanFrame frame;
  std::memcpy(static_cast<void*>(&frame), pending_.block(), sizeof frame);
  if (recorder_ != nullptr) {
    const auto number = static_cast<std::uint32_t>(network);
    if (paced_)
      recorder_->put_in_time(status_.frame, number, frame);
    else
      recorder_->put(status_.frame, number, frame);
  }
  bridges_[network].give(frame);
}

bool Port::judge_grants(std::int64_t granted, std::int64_t step, bool first, MonotonicInstant now) TACTUS_RT {
  if (mode_ == LinkMode::free) return false;
  const Lateness::Judgement judged = lateness_.judge(exchange_, granted, step, first, now, status_, totals_);
  if (judged.missing || judged.late_ns > 0) {
    exchange_.late_grants.store(totals_.late, std::memory_order_relaxed);
    exchange_.worst_lateness_ns.store(totals_.worst_lateness_ns, std::memory_order_relaxed);
  }
  if (mode_ != LinkMode::paced) return judged.missing;
  const Ms late(judged.late_ns);
  if (judged.too_late)
    decision_.consider(at_maximum_, "the grant of step %lld %s %lld.%lld ms late (link.max_late)",
                       static_cast<long long>(judged.step), judged.came ? "was" : "is", late.whole,
                       late.tenth);
  if (judged.too_often)
    decision_.consider(
        at_maximum_,
        "the grants of %lld steps in a row were late, the last of them of step %lld, and the oldest "
        "that is missing is %lld.%lld ms late (link.max_consecutive_late)",
        static_cast<long long>(status_.consecutive_late), static_cast<long long>(step), late.whole,
        late.tenth);
  return judged.missing;
}

void Port::give_inputs(std::int64_t virtual_ns, bool late, bool judged) TACTUS_RT {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Input& input = inputs_[i];
    if (input.grow_old(virtual_ns)) {
      exchange_.too_old.store(++totals_.too_old, std::memory_order_relaxed);
      if (silences_[i].on) exchange_.too_old_injected.fetch_add(1, std::memory_order_relaxed);
    }
    if (judged && input.complain()) {
      const Ms age(input.age_ns());
      decision_.consider(
          action_of(input.subscription().at_max_age),
          "the data of subscription '%.100s' are %lld.%lld ms old (link.subscribe.%.60s.max_age)%s",
          input.subscription().name.c_str(), age.whole, age.tenth, input.subscription().name.c_str(),
          silences_[i].on ? "; injected: a fault of the rig withholds its messages (faults:)" : "");
    }
    input.give(virtual_ns, late);
  }
}

LinkVerdict Port::carry_out() TACTUS_RT {
  switch (decision_.action()) {
    case Action::none:
      return LinkVerdict::go_on;
    case Action::degrade:
      degraded_ = true;
      exchange_.why.store(decision_.reason(), std::memory_order_relaxed);
      exchange_.degrade.store(true, std::memory_order_release);
      return LinkVerdict::go_on;
    case Action::freeze:
      freezes_itself_ = true;
      exchange_.why.store(decision_.reason(), std::memory_order_release);
      return LinkVerdict::freeze;
    case Action::terminate:
      break;
  }
  return LinkVerdict::terminate;
}

void Port::remember_work(rtsync::Nanoseconds work) TACTUS_RT {
  if (!begun_) return;
  work_ns_ += (std::clamp<std::int64_t>(work.count(), 0, real_frame_.floor().count()) - work_ns_) / 8;
}

/// `frames_left`: of the step, beside the one that begins or has begun.
void Port::expect_end(std::int64_t frames_left) TACTUS_RT {
  const std::int64_t began_ns = began_.time_since_epoch().count();
  exchange_.expected_end_ns.store(began_ns + real_frame_.times(frames_left).count() + work_ns_,
                                  std::memory_order_relaxed);
}

void Port::end_frame(std::int64_t k) TACTUS_RT {
  const std::int64_t since = k - mapping_.first_frame;
  if ((since + 1) % frames_per_step_ != 0) return;
  const std::int64_t step = since / frames_per_step_;
  if (!is_alone()) send(step, k);
  ++totals_.steps;
  exchange_.steps_done.store(step + 1, std::memory_order_release);
  if (paced_)
    expect_end(frames_per_step_);  // of the next step; its first frame knows better
  else
    exchange_.stepped.open(exchange_.stepped.value() + 1);
}

void Port::send(std::int64_t step, std::int64_t k) TACTUS_RT {
  std::byte* const slot = exchange_.outbox.claim();
  if (slot == nullptr) {
    exchange_.outgoing_lost.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const Outgoing head{step, k};
  std::memcpy(slot, &head, sizeof head);
  for (const Copy& copy : outgoing_) std::memcpy(slot + copy.offset, copy.from, copy.bytes);
  exchange_.outbox.publish();
}

void Port::freeze(const char* why) TACTUS_RT {
  const bool says_why = why != nullptr && *why != '\0';
  if (says_why && !freezes_itself_) exchange_.why.store(why, std::memory_order_release);
  exchange_.paused_here.store(says_why || freezes_itself_, std::memory_order_release);
  exchange_.frozen.store(true, std::memory_order_release);
  exchange_.expected_end_ns.store(0, std::memory_order_relaxed);
}

void Port::unfreeze() TACTUS_RT {
  freezes_itself_ = false;
  for (CanBridge& bridge : bridges_) bridge.pause();
  exchange_.paused_here.store(false, std::memory_order_release);
  exchange_.frozen.store(false, std::memory_order_release);
  exchange_.expected_end_ns.store(0, std::memory_order_relaxed);
  lateness_.start_anew(exchange_.granted.load(std::memory_order_acquire));
}

}  // namespace tactus::drivers::link
