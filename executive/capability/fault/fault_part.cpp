// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/fault_part.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "executive/frame/frame_services.hpp"

namespace tactus::executive {

FaultPart::FaultPart(const std::vector<CompiledFault>& faults, std::deque<bool>& shown, FaultMachine machine)
    : FramePart("faults"), SwitchRow("fault"), machine_(machine) {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Fault& fault = all_.emplace_back();
    fault.made = &faults[i];
    fault.shown = &shown[i];
    add_thing(fault.made->target, fault.made->at_ns || fault.made->frame ? Is::waiting : Is::off);
    targets_.push_back(target_of(*fault.made));
    is_peer_.push_back(fault.made->kind == FaultKind::silent && machine_.link != nullptr);
    if (is_peer_[i]) peers_.push_back(static_cast<std::uint32_t>(i));
    if (!fault.made->sent.empty() && !sent_ && machine_.link != nullptr) sent_.emplace(*machine_.link);
  }
}

std::unique_ptr<FaultTarget> FaultPart::target_of(const CompiledFault& made) const {
  switch (made.kind) {
    case FaultKind::late_edge:
      return std::make_unique<EdgeFault>(machine_.edges, rtsync::EdgeDisturbance::late, made.late);
    case FaultKind::missing_edge:
      return std::make_unique<EdgeFault>(machine_.edges, rtsync::EdgeDisturbance::missing, made.late);
    case FaultKind::silent:
      return machine_.link == nullptr ? nullptr : std::make_unique<PeerFault>(*machine_.link, made.received);
    case FaultKind::offered:
      return std::make_unique<OfferedTarget>(*made.device, made.offer, made.amount);
    default:
      return nullptr;
  }
}

void FaultPart::joined(FrameServices& services) {
  services_ = &services;
  frame_ = services.plan().frame;
  std::vector<Piece> pieces;
  for (Fault& fault : all_) {
    for (std::size_t r = 0; r < fault.made->refs.size(); ++r) {
      const bool is_sent = sent_ && !fault.made->sent.empty();
      const VariableRef ref =
          is_sent ? sent_->add(fault.made->sent[r], fault.made->refs[r]) : fault.made->refs[r];
      ModelOverlay& overlay = is_sent ? sent_->overlay() : *services.overlay_of(ref.model);
      fault.thread = overlay.thread();
      for (std::uint32_t i = 0; i < ref.elements; ++i) {
        OverlayCell& cell = overlay.cell_of(ref, i);
        fault.cells.push_back(&cell);
        fault.overlays.push_back(&overlay);
        fault.places.push_back(cell.recipe->changes.size());
        cell.recipe->changes.emplace_back();
      }
    }
    threads_.push_back(fault.thread);
    wakes_.add();
    peer_wakes_.push_back(0);
    if (fault.thread == 0 && DrawnFaults::fits(*fault.made))
      for (std::size_t i = 0; i < fault.cells.size(); ++i)
        drawn_.add(threads_.size() - 1, *fault.made, *fault.overlays[i], *fault.cells[i], i);
    const auto times = static_cast<std::size_t>(fault.made->delay_frames) + 1;
    fault.kept.assign(kKept + fault.cells.size() * times, 0);
    fault.kept[phase] = fault.made->at_ns || fault.made->frame ? waiting : off;
    fault.kept[pushed] = -1;
    pieces.push_back(own_piece("@fault." + fault.made->name, std::span(fault.kept)));
  }
  drawn_.sort_cells();
  services.keep(std::move(pieces));
  if (sent_) services.keep(sent_->pieces());
  services.add(static_cast<SwitchRow&>(*this));
}

/// An earlier frame has been put back, with the faults that acted in it.
void FaultPart::changed(RigChange& change) TACTUS_RT {
  if (sent_ && change.what == RigChange::went_back) {
    sent_->loaded();
    is_sent_loaded_ = true;
  }
  if (sent_ && change.what == RigChange::started && !is_sent_loaded_) sent_->refresh();
  if (change.what == RigChange::frozen || change.what == RigChange::resumed ||
      change.what == RigChange::went_back)
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i] == nullptr) continue;
      targets_[i]->rest();
      wake(i);
    }
  if (change.what != RigChange::went_back) return;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    Fault& fault = all_[i];
    if (fault.acts_since >= 0) fault.figures.add(fault.acts_since, last_frame_);
    fault.acts_since = -1;
    *fault.shown = fault.kept[acted] != 0;
    wake(i);
    drawn_.clear(i);
    const bool acts = fault.kept[phase] == on;
    say(static_cast<std::uint32_t>(i),
        acts                           ? Is::on
        : fault.kept[phase] == waiting ? Is::waiting
                                       : Is::off,
        acts ? fault.kept[since] : -1);
  }
  last_frame_ = change.frame - 1;
}

void FaultPart::turn(std::uint32_t number, bool to) TACTUS_RT {
  all_[number].kept[wanted] = to ? on_again : off_now;
  wake(number);
}

/// Advances what the link asks for before the hooks of the frame.
void FaultPart::before_receiving(std::int64_t k) TACTUS_RT {
  for (const std::uint32_t i : peers_) {
    if (k < peer_wakes_[i]) continue;
    advance(all_[i], i, k);
    // What is turned after this is so from the next frame on: rate_transition() leaves it alone.
    peer_wakes_[i] = next_change(all_[i], k);
  }
}

void FaultPart::rate_transition(std::int64_t k, std::uint64_t idle) TACTUS_RT {
  last_frame_ = k;
  drawn_.look_for_lost([this](std::size_t number) TACTUS_RT { wake(number); });
  if (wakes_.is_due(k)) look(k, idle);
  drawn_.run(k, frame_.seconds());
}

/// Looks at those whose time it is.
void FaultPart::look(std::int64_t k, std::uint64_t idle) TACTUS_RT {
  wakes_.look(k, [&](std::size_t i) TACTUS_RT {
    if (is_peer_[i]) return WakeTable::kNever;  // before_receiving() looks at those
    if (threads_[i] != 0 && (threads_[i] & idle) == 0) return k;
    Fault& fault = all_[i];
    advance(fault, static_cast<std::uint32_t>(i), k);
    if (can_be_drawn(fault)) {
      drawn_.set(i, fault.kept[since]);
      return std::max(k + 1, end_of(fault));
    }
    drawn_.clear(i);
    return next_change(fault, k);
  });
}

/// Returns true while nothing but what it adds changes. Another fault or a stimulus on it: what it shows is no sum of its own.
bool FaultPart::can_be_drawn(const Fault& fault) TACTUS_RT {
  return fault.thread == 0 && !fault.cells.empty() && fault.kept[phase] == on &&
         DrawnFaults::fits(*fault.made) && std::ranges::all_of(fault.cells, [](const OverlayCell* cell) {
           return cell->type == TACTUS_DOUBLE && cell->does == OverlayCell::Does::add &&
                  !cell->has_source() && cell->recipe->changes.size() == 1;
         });
}

/// Returns the frame before which one that is on does not end by itself, or a frame less.
std::int64_t FaultPart::end_of(const Fault& fault) const TACTUS_RT {
  const CompiledFault& made = *fault.made;
  std::int64_t end = INT64_MAX;
  if (made.until_ns) end = frame_.whole_in(rtsync::Nanoseconds{*made.until_ns});
  if (made.lasting_ns > 0)
    end = std::min(end,
                   frame_.whole_in(frame_.times(fault.kept[since]) + rtsync::Nanoseconds{made.lasting_ns}));
  return end;
}

/// Returns the frame from which on it has to be looked at again.
std::int64_t FaultPart::next_change(const Fault& fault, std::int64_t k) const TACTUS_RT {
  constexpr std::int64_t kNever = INT64_MAX;
  const CompiledFault& made = *fault.made;
  const auto& kept = fault.kept;
  if (fault.thread != 0 || made.kind == FaultKind::delay) return k + 1;
  if (kept[phase] == off) return kNever;
  if (kept[phase] == waiting) {
    if (made.frame) return std::max(k + 1, *made.frame);
    return std::max(k + 1, frame_.whole_in(rtsync::Nanoseconds{*made.at_ns}));
  }
  const bool moves = made.kind == FaultKind::noise || made.kind == FaultKind::drift ||
                     made.kind == FaultKind::longer || made.every_frames != 0 || made.probability;
  return moves ? k + 1 : std::max(k + 1, end_of(fault));
}

/// Begins it, or ends it.
void FaultPart::switch_it(Fault& fault, std::uint32_t number, std::int64_t k) TACTUS_RT {
  auto& kept = fault.kept;
  const CompiledFault& made = *fault.made;
  const std::int64_t now_ns = frame_.times(k).count();
  const std::int64_t want = std::exchange(kept[wanted], static_cast<std::int64_t>(nothing));
  const bool due = kept[phase] == waiting && (made.frame ? k >= *made.frame : now_ns >= *made.at_ns);
  if (want == on_again || (due && want != off_now)) {
    kept[phase] = on;
    kept[since] = k;
    kept[acted] = 0;
    log_.add(k, number, true);
    say(number, Is::on, k);
  }
  const bool over = kept[phase] == on &&
                    ((made.until_ns && now_ns >= *made.until_ns) ||
                     (made.lasting_ns > 0 && now_ns - frame_.times(kept[since]).count() >= made.lasting_ns));
  if (kept[phase] == on && (over || want == off_now)) log_.add(k, number, false);
  if (!over && want != off_now) return;
  if (kept[phase] != off) say(number, Is::off, k);
  kept[phase] = off;
}

/// Keeps what was seen of it until the end of the frame before.
void FaultPart::remember(Fault& fault, std::int64_t k) TACTUS_RT {
  if (fault.made->kind != FaultKind::delay) return;
  auto& kept = fault.kept;
  const std::int64_t n = fault.made->delay_frames;
  // The first frame takes all that was before it; a thread that meets the frames seldom takes all since then.
  const std::int64_t from = kept[pushed] < 0 ? k - n : std::max(kept[pushed], k - n);
  for (std::int64_t frame = from; frame < k; ++frame)
    for (std::size_t i = 0; i < fault.cells.size(); ++i) fault.past(frame + n, i) = fault.found(i);
  kept[pushed] = k;
}

void FaultPart::advance(Fault& fault, std::uint32_t number, std::int64_t k) TACTUS_RT {
  auto& kept = fault.kept;
  const std::int64_t before = kept[phase] == on ? kept[acted] : 0;
  remember(fault, k);
  switch_it(fault, number, k);
  const bool acts = kept[phase] == on && fault.made->comes(k - kept[since]);
  if (acts && before == 0)
    for (std::size_t i = 0; i < fault.cells.size(); ++i) fault.held(i) = fault.found(i);
  kept[acted] = acts ? 1 : 0;
  *fault.shown = acts;
  if (fault.made->longer_job != nullptr) {
    fault.made->longer_job->amount_ns.store(acts ? fault.made->longer_ns : 0, std::memory_order_relaxed);
    if (acts) services_->mark_injected(fault.made->job, k);
  }
  if (FaultTarget* const target = targets_[number].get()) target->act(acts);
  for (std::size_t i = 0; i < fault.cells.size(); ++i) {
    OverlayChange& made = fault.cells[i]->recipe->changes[fault.places[i]];
    if (!acts && made.kind == OverlayChange::Kind::none) continue;
    if (acts)
      change(fault, i, k);
    else
      made.kind = OverlayChange::Kind::none;
    fault.overlays[i]->settle(*fault.cells[i]);
  }
  if (fault.acts_since >= 0) fault.figures.add(fault.acts_since, k - 1);
  fault.acts_since = acts ? k : -1;
}

/// Sets what a cell does in the frame.
void FaultPart::change(Fault& fault, std::size_t element, std::int64_t k) const TACTUS_RT {
  using Change = OverlayChange::Kind;
  OverlayCell& cell = *fault.cells[element];
  OverlayChange& to = cell.recipe->changes[fault.places[element]];
  const CompiledFault& made = *fault.made;
  const std::int64_t n = k - fault.kept[since];
  cell.drawn = false;  // what follows is newer
  const auto show = [&](std::uint64_t bits) TACTUS_RT {
    to.kind = Change::value;
    to.bits = bits;
  };
  const auto line = [&](double a, double b) TACTUS_RT {
    to.kind = Change::linear;
    to.a = a;
    to.b = b;
  };
  switch (made.kind) {
    case FaultKind::stuck:
      return show(made.values ? (*made.values)[element] : static_cast<std::uint64_t>(fault.held(element)));
    case FaultKind::offset:
    case FaultKind::gain:
      return line(made.a, made.b);
    case FaultKind::noise:
      return line(1, made.b * made.random.normal(n, static_cast<std::uint32_t>(element) + 8));
    case FaultKind::drift:
      return line(1, made.b * static_cast<double>(n) * frame_.seconds());
    case FaultKind::delay:
      return show(static_cast<std::uint64_t>(fault.past(k, element)));
    case FaultKind::dropout:
      if (made.dropout == CompiledFault::Dropout::holds)
        return show(static_cast<std::uint64_t>(fault.held(element)));
      return show(made.dropout == CompiledFault::Dropout::zero
                      ? 0
                      : overlay_bits(cell.type, std::numeric_limits<double>::quiet_NaN()));
    case FaultKind::flip:
      to.kind = Change::flip;
      to.bits = made.bits;
      return;
    case FaultKind::quantise:
    case FaultKind::limit:
      to.kind = made.kind == FaultKind::limit ? Change::limit : Change::quantise;
      to.a = made.a;
      to.b = made.b;
      return;
    case FaultKind::swap: {
      const std::size_t half = fault.cells.size() / 2;
      to.kind = Change::swap;
      const std::size_t other = element < half ? element + half : element - half;
      to.other = fault.cells[other];
      to.other_place = fault.places[other];
      return;
    }
    case FaultKind::longer:
    case FaultKind::late_edge:
    case FaultKind::missing_edge:
    case FaultKind::silent:
    case FaultKind::offered:
      return;
  }
}

}  // namespace tactus::executive
