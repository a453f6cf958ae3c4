// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/ledger.hpp"

#include <algorithm>
#include <utility>

#include "drivers/link/api.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::drivers::link {
namespace {

constexpr auto kWaitForCause =
    std::chrono::milliseconds(30);  // a state of the system is told before its cause
constexpr auto kOldCause = std::chrono::seconds(1);
constexpr std::size_t kMostNotes = 256;
constexpr std::size_t kMostGone = 64;
constexpr std::size_t kMostPeers = 256;

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

bool has_ended(SilKit_ParticipantState state) {
  return state == SilKit_ParticipantState_Stopping || state == SilKit_ParticipantState_Stopped ||
         state == SilKit_ParticipantState_ShuttingDown || state == SilKit_ParticipantState_Shutdown;
}

bool has_failed(SilKit_ParticipantState state) {
  return state == SilKit_ParticipantState_Error || state == SilKit_ParticipantState_Aborting;
}

}  // namespace

const char* kept_for_ever(std::string text) {
  static std::mutex mutex;
  static auto* const kept =
      new std::deque<std::string>;  // never destroyed: frames may look at it until the end
  const std::scoped_lock held(mutex);
  return kept->emplace_back(std::move(text)).c_str();
}

std::string Ledger::Cause::text() const {
  return reason.empty() ? who : who.empty() ? reason : who + ": " + reason;
}

Ledger::Ledger(const LinkSettings& link, std::string name, const Signals& carried, Exchange& exchange)
    : settings(link),
      signals(carried),
      exchange_(exchange),
      name_(std::move(name)),
      mismatch_told_(carried.subscriptions.size() + carried.networks.size(), false) {
  facts.participant = name_;
  facts.registry = settings.registry;
  facts.state = name_of_state(state_);
}

// -------------------------------------------------------------------------------------------------- handlers

void Ledger::on_communication_ready() noexcept {
  const Held held(mutex);
  if (closed_) return;
  communication_ready_ = true;
  wake();
}

void Ledger::on_starting() noexcept {
  const Held held(mutex);
  if (closed_ || settings.mode != LinkMode::free) return;
  begin_running();
}

void Ledger::on_end(SilKit_ParticipantState state) noexcept {
  const Held held(mutex);
  if (closed_) return;
  state_is(state, "");
}

void Ledger::on_step(std::uint64_t now_ns, std::uint64_t duration_ns) noexcept {
  const MonotonicInstant arrival = rtsync::monotonic_now();
  const Held held(mutex);
  if (closed_) return;
  now_ns = std::min<std::uint64_t>(now_ns, INT64_MAX);
  const std::int64_t step = exchange_.granted.load(std::memory_order_relaxed) + 1;
  if (step == 0) {
    exchange_.first_virtual_ns.store(static_cast<std::int64_t>(now_ns), std::memory_order_relaxed);
  } else if (now_ns != next_ns_ && !odd_step_told_) {
    odd_step_told_ = true;
    remember("step " + std::to_string(step) + " began at virtual time " + std::to_string(now_ns) +
             " ns where " + std::to_string(next_ns_.value_or(0)) +
             " ns was expected; steps are still counted, their times are not what they seem");
  }
  next_ns_ = now_ns + duration_ns;
  begin_running();
  exchange_.grant(step, arrival);
  woken.open(woken.value() + 1);
}

std::optional<std::int64_t> Ledger::last_step() noexcept {
  const Held held(mutex);
  if (closed_) return std::nullopt;
  return exchange_.granted.load(std::memory_order_relaxed);
}

void Ledger::on_system_state(SilKit_SystemState state) noexcept {
  const Held held(mutex);
  if (closed_ || leaving_) return;
  if (has_failed(state)) abort_is_due();
  if (has_ended(state)) stop_is_due();
  wake();
}

void Ledger::on_status(const char* participant, SilKit_ParticipantState state, const char* reason,
                       std::uint64_t entered_ns) noexcept {
  const Held held(mutex);
  if (closed_ || participant == nullptr) return;
  if (participant == name_) return state_is(state, text_of(reason));
  const auto [at, is_new] = peers_.try_emplace(participant);
  if (!is_new && at->second.state == state) return;
  at->second = {state, text_of(reason), entered_ns};
  gone_.erase(participant);
  if (!leaving_) {
    const Cause cause{participant, text_of(reason), entered_ns, state == SilKit_ParticipantState_Error};
    if (has_ended(state) && !stop_ordered_) consider(stopper_, cause);
    if (has_failed(state)) {
      if (!failer_ || failer_->who != cause.who)
        remember("participant " + cause.who + " is in state " + name_of_state(state) + ": " + cause.reason);
      if (!abort_ordered_) consider(failer_, cause);
      if (abort_at_ && failer_ && failer_->is_error) order_abort(failer_->text());
    }
    end_if_all_are_heard();
    judge_pauses();
  }
  wake();
}

void Ledger::on_connected(const char* participant) noexcept {
  const Held held(mutex);
  if (closed_ || participant == nullptr || participant == name_) return;
  peers_.try_emplace(participant);
  gone_.erase(participant);
}

void Ledger::on_disconnected(const char* participant) noexcept {
  const Held held(mutex);
  if (closed_ || participant == nullptr) return;
  const auto found = peers_.find(participant);
  if (found == peers_.end()) return;
  const SilKit_ParticipantState state = found->second.state;
  if (gone_.size() < kMostGone) gone_[participant] = found->second;
  peers_.erase(found);
  if (leaving_) return;
  judge_pauses();
  judge_loss(participant, state);
  end_if_all_are_heard();
  wake();
}

void Ledger::on_message(std::size_t subscription, const SilKit_DataMessageEvent* event) noexcept {
  if (subscription >= signals.subscriptions.size()) return;
  const Subscription& wanted = signals.subscriptions[subscription];
  thread_local std::vector<std::byte> block;
  std::string wrong;
  if (event == nullptr || (event->data.data == nullptr && event->data.size > 0)) {
    wrong = "has no data";
  } else if (event->timestamp > INT64_MAX && event->timestamp != TACTUS_SILKIT_NO_TIME) {
    wrong = "is stamped " + std::to_string(event->timestamp) + " ns, which is not a virtual time";
  } else {
    block.resize(wanted.layout.bytes);
    wrong = decode(wanted.layout, {event->data.data, event->data.size}, block.data());
  }
  const Held held(mutex);
  if (closed_ || frames_ended_) return;
  if (!wrong.empty()) {
    exchange_.mismatched.fetch_add(1, std::memory_order_relaxed);
    if (!mismatch_told_[subscription]) {
      mismatch_told_[subscription] = true;
      remember("a message for " + wanted.name + " (topic " + wanted.topic +
               ") does not fit and is not applied: " + wrong + "; more of them are only counted");
    }
    return;
  }
  hand_over(static_cast<std::uint32_t>(subscription), static_cast<std::int64_t>(event->timestamp), block);
}

// --------------------------------------------------------------------------------------------------- courier

void Ledger::own_name(std::string name) {
  const Held held(mutex);
  if (name.empty() || name == name_) return;
  if (settings.configuration)
    remember("the name '" + name + "' of the configuration is used, not '" + name_ + "'");
  name_ = std::move(name);
  facts.participant = name_;
}

void Ledger::own_state(SilKit_ParticipantState state) {
  const Held held(mutex);
  if (!closed_ && state != state_) state_is(state, "");
}

SilKit_ParticipantState Ledger::own_state() {
  const Held held(mutex);
  return state_;
}

void Ledger::tick() {
  const Held held(mutex);
  if (closed_ || leaving_) return;
  const Steady::time_point now = Steady::now();
  if (abort_at_ && now >= *abort_at_) order_abort(failer_ ? failer_->text() : "no reason was given");
  if (stop_at_ && now >= *stop_at_) order_stop();
  if (start_before_ && federation_is(Federation::assembling) && now >= *start_before_) {
    start_before_.reset();
    const double seconds =
        std::chrono::duration<double>(settings.start_timeout.value_or(Nanoseconds{0})).count();
    const std::string text = rtsync::format_text("%g s", seconds);
    std::string missing;
    for (const auto& [peer, known] : peers_)
      missing += (missing.empty() ? "; the others: " : ", ") + peer + " " + name_of_state(known.state);
    order_abort("", "the federation did not start within " + text +
                        (missing.empty() ? "; no other participant is there" : missing));
  }
}

bool Ledger::wants_pause() {
  const Held held(mutex);
  return !closed_ && exchange_.paused_here.load(std::memory_order_acquire) &&
         federation_is(Federation::running);
}

void Ledger::begin_leaving() {
  const Held held(mutex);
  leaving_ = true;
}

void Ledger::leave_federation() {
  const Held held(mutex);
  if (closed_) return;
  leaving_ = true;
  hold_rig(false);
  if (!federation_is(Federation::left)) exchange_.become(Federation::left);
}

void Ledger::abort_rig(const std::string& why) {
  const Held held(mutex);
  if (!closed_ && !leaving_) order_abort("", why);
}

void Ledger::note(std::string text) {
  const Held held(mutex);
  remember(std::move(text));
}

// ----------------------------------------------------------------------------------------------------- owner

void Ledger::give_commands_to(executive::LinkCommands* commands) {
  const Held held(mutex);
  commands_ = commands;
}

void Ledger::ready() {
  const Held held(mutex);
  ready_ = true;
  if (settings.start_timeout) start_before_ = Steady::now() + *settings.start_timeout;
  wake();
}

bool Ledger::may_start() {
  const Held held(mutex);
  return ready_ && communication_ready_;
}

std::vector<std::string> Ledger::take_notes() {
  const Held held(mutex);
  std::vector<std::string> taken(std::make_move_iterator(notes_.begin()),
                                 std::make_move_iterator(notes_.end()));
  notes_.clear();
  if (notes_lost_ > 0)
    taken.push_back(std::to_string(std::exchange(notes_lost_, 0)) + " notes more were lost");
  return taken;
}

std::vector<PeerFacts> Ledger::peers() {
  const Held held(mutex);
  std::vector<PeerFacts> all;
  for (const auto* const those : {&peers_, &gone_})
    for (const auto& [name, peer] : *those) {
      if (all.size() == kMostPeers) return all;
      const bool published = peer.state != SilKit_ParticipantState_Invalid;
      all.push_back(
          {name, published ? name_of_state(peer.state) : "", peer.reason, peer.entered_ns, those == &peers_});
    }
  return all;
}

void Ledger::end_frames() {
  const Held held(mutex);
  frames_ended_ = true;
}

void Ledger::close() {
  const Held held(mutex);
  closed_ = true;
  commands_ = nullptr;
}

// -------------------------------------------------------------------------------------------- with the mutex

void Ledger::state_is(SilKit_ParticipantState state, const std::string& reason) {
  if (state == state_) return;
  // A handler of the end may be later than the state that follows it.
  if (has_ended(state) && has_ended(state_) && state < state_) return;
  state_ = state;
  facts.state = name_of_state(state);
  if (state == SilKit_ParticipantState_Running) begin_running();
  if (!leaving_) {
    if (has_failed(state)) {
      if (!failer_ && !reason.empty())
        failer_ = Cause{name_, reason, 0, state == SilKit_ParticipantState_Error};
      abort_is_due();
    }
    if (has_ended(state)) stop_is_due();
  }
  wake();
}

void Ledger::begin_running() {
  if (!federation_is(Federation::assembling)) return;
  exchange_.become(Federation::running);
  remember("the federation runs");
  judge_pauses();
}

void Ledger::judge_pauses() {
  const auto paused = std::ranges::find_if(
      peers_, [](const auto& peer) { return peer.second.state == SilKit_ParticipantState_Paused; });
  const bool was = !paused_peer_.empty();
  const bool is = paused != peers_.end();
  if (was == is || (is && !federation_is(Federation::running))) return;
  if (is) {
    paused_peer_ = paused->first;
    remember("participant " + paused_peer_ + " is paused" +
             (settings.on_peer_pause == OnPeerPause::freeze
                  ? "; the rig freezes until the participant continues"
                  : ""));
  } else {
    paused_peer_.clear();
    remember("no participant is paused any more");
  }
  suspend_lateness();
  if (settings.on_peer_pause == OnPeerPause::freeze) hold_rig(is);
}

void Ledger::hold_rig(bool yes) {
  if (holding_ == yes) return;
  holding_ = yes;
  if (commands_ != nullptr) commands_->set_peer_pause(yes);
}

/// A participant has gone, whose last state this was.
void Ledger::judge_loss(const std::string& who, SilKit_ParticipantState state) {
  if (state == SilKit_ParticipantState_Invalid || has_ended(state))
    return;  // it had no part in this, or an end
  remember("participant " + who + " was lost in state " + name_of_state(state));
  if (!federation_is(Federation::running)) return;
  const bool alone = std::ranges::none_of(peers_, [](const auto& peer) {
    return peer.second.state != SilKit_ParticipantState_Invalid && !has_ended(peer.second.state);
  });
  if (alone)
    order_abort("", "the federation is lost: participant " + who + ", the last one, disconnected in state " +
                        name_of_state(state));
}

/// Compares causes: among participants that ended at about the same time the first one is the cause; one that
/// ended long before is not.
void Ledger::consider(std::optional<Cause>& cause, Cause other) {
  if (!cause || other.when - cause->when > kOldCause || other.entered_ns < cause->entered_ns)
    cause = std::move(other);
}

void Ledger::stop_is_due() {
  if (stop_ordered_ || abort_ordered_ || abort_at_) return;
  if (stopper_ && Steady::now() - stopper_->when > kOldCause) stopper_.reset();
  if (!stop_at_) stop_at_ = Steady::now() + kWaitForCause;
  suspend_lateness();
  end_if_all_are_heard();
}

void Ledger::abort_is_due() {
  if (abort_ordered_ || stop_ordered_) return;  // who stops may lose others on the way
  if (failer_ && Steady::now() - failer_->when > kOldCause) failer_.reset();
  if (failer_ && failer_->is_error) return order_abort(failer_->text());
  if (!abort_at_) abort_at_ = Steady::now() + kWaitForCause;
  suspend_lateness();
  end_if_all_are_heard();
}

/// Those that follow may be heard before the one that they follow; an end is ordered when none is left to be heard.
void Ledger::end_if_all_are_heard() {
  if (!stop_at_ && !abort_at_) return;
  const bool all = std::ranges::all_of(peers_, [](const auto& peer) {
    const SilKit_ParticipantState state = peer.second.state;
    return state == SilKit_ParticipantState_Invalid || has_ended(state) || has_failed(state);
  });
  if (!all) return;
  if (abort_at_ && failer_) order_abort(failer_->text());
  if (stop_at_ && stopper_) order_stop();
}

/// Suspends lateness: grants do not come while a participant is paused, nor any more once the end has begun.
void Ledger::suspend_lateness() {
  exchange_.lateness_suspended.store(!paused_peer_.empty() || stop_at_ || abort_at_,
                                     std::memory_order_release);
}

void Ledger::order_stop() {
  stop_at_.reset();
  if (stop_ordered_ || abort_ordered_) return;
  stop_ordered_ = true;
  const std::string why = "the federation stopped" + (stopper_ ? ": " + stopper_->text() : "");
  remember(why);
  if (commands_ != nullptr) commands_->request_stop(kept_for_ever(why));
  exchange_.become(Federation::left);
}

void Ledger::order_abort(const std::string& cause, const std::string& instead) {
  abort_at_.reset();
  if (abort_ordered_ || stop_ordered_) return;
  abort_ordered_ = true;
  const std::string why = instead.empty() ? "the federation failed: " + cause : instead;
  remember(why);
  if (commands_ != nullptr) commands_->request_abort(kept_for_ever(why));
  exchange_.become(Federation::left);
}

void Ledger::remember(std::string text) {
  if (notes_.size() >= kMostNotes) {
    ++notes_lost_;
  } else {
    notes_.push_back(std::move(text));
  }
}

void Ledger::wake() {
  woken.open(woken.value() + 1);
  changed.notify_all();
}

bool Ledger::federation_is(Federation which) const {
  return exchange_.federation.load(std::memory_order_relaxed) == which;
}

}  // namespace tactus::drivers::link
