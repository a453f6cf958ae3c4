// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/session.hpp"

#include <algorithm>
#include <utility>

#include "config/text.hpp"

namespace tactus::drivers::trick {

using executive::LiveDone;
using executive::LiveSnapshot;
using executive::LiveSnapshotPtr;
using executive::State;

namespace {

constexpr int kCallsAtOnce = 256;
constexpr std::size_t kShown = 100;  // bytes of a call that are kept for messages
// Copies bound to frames are asked for all the time, but not more often than this.
constexpr Nanoseconds kShortestAsk{200'000};
// Copies at multiples of a long cycle: until the next one is near, it is only looked where the rig is.
constexpr Nanoseconds kFarAsk{100'000'000};
constexpr Nanoseconds kNear{1'000'000'000};

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// "METHOD target HTTP/1.1", or the `Host:` that every request has.
bool is_http(std::string_view line) {
  constexpr std::string_view kHost = "host:";
  const auto same = [](char wanted, char have) { return wanted == (have | 0x20); };
  if (std::equal(kHost.begin(), kHost.end(), line.begin(), line.begin() + std::min(line.size(), kHost.size()),
                 same))
    return true;
  line = config::trimmed(line);
  const std::size_t method = line.find(' ');
  const std::size_t version = line.rfind(' ');
  if (method == std::string_view::npos || version == method || method == 0) return false;
  return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(method),
                     [](char c) { return is_ascii_letter(c) || c == '-'; }) &&
         line.substr(version + 1).starts_with("HTTP/");
}

}  // namespace

Session::Session(const executive::LiveRig& rig, SessionBackend& backend, SessionLimits limits,
                 std::string peer, Nanoseconds now)
    : rig_(rig), backend_(backend), limits_(limits), peer_(std::move(peer)), now_(now), due_(now) {}

std::size_t Session::room() const {
  const std::size_t held = input_.size() - taken_;
  return over_ || ended_ || held > kLongestBlock ? 0 : kLongestBlock + 1 - held;
}

void Session::received(std::string_view bytes) {
  if (taken_ > kLongestBlock || taken_ == input_.size()) {
    input_.erase(0, taken_);
    scanned_ -= taken_;
    taken_ = 0;
  }
  input_ += bytes;
}

std::string Session::client() const { return tag_.empty() ? peer_ : peer_ + " (" + tag_ + ")"; }
std::string Session::who() const { return "trick " + client(); }

void Session::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ == output_.size()) {
    output_.clear();
    sent_ = 0;
    if (output_.capacity() > kBuffer) output_.shrink_to_fit();
  } else if (sent_ > kBuffer) {
    output_.erase(0, sent_);
    sent_ = 0;
  }
}

/// Logs the refusal and sends nothing, as Trick does: a line that a client does not expect would be taken for
/// an answer.
void Session::refuse(const std::string& text, const std::string& reason) {
  backend_.report(client() + ": " + config::show(text) + " is refused: " + reason);
}

// --- commands, one after the other

void Session::next_line() {
  const std::size_t end = input_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = input_.size();
    if (input_.size() - taken_ > kLongestBlock) {
      refuse(input_.substr(taken_, kShown),
             "more than " + std::to_string(kLongestBlock) +
                 " bytes without the end of a line; end each command with a newline");
      over_ = true;
    }
    return;
  }
  std::string line = input_.substr(taken_, end - taken_);
  taken_ = scanned_ = end + 1;
  std::erase(line, '\r');
  if (is_http(line)) {  // what stands behind it may be anybody's: a browser sends it for any page
    refuse(line.substr(0, kShown),
           "this is Trick's variable server, not a web server; the session is over. For HTTP use the control "
           "port");
    over_ = true;
    return;
  }
  for (Call& call : parse_line(line)) calls_.push_back(std::move(call));
}

void Session::run_calls() {
  more_ = false;
  for (int turns = 0; !over_ && !reading_ && output().size() < kBacklog; ++turns) {
    if (calls_.empty() && !has_line()) {
      next_line();  // for the limit
      return;
    }
    if (turns == kCallsAtOnce) {
      more_ = true;
      return;
    }
    if (calls_.empty()) {
      next_line();
      continue;
    }
    const Call call = std::move(calls_.front());
    calls_.pop_front();
    run(call);
  }
}

// --- answers on demand

bool Session::writes_in_the_way() const { return !writing_.empty() && now_ - reading_->since < kEffect; }

void Session::start_reading(Kind kind, std::vector<Entry> once, const Call& call) {
  reading_ = Reading{kind, std::move(once), 0, now_, call.text.substr(0, kShown)};
  advance_reading();
}

void Session::advance_reading() {
  if (!reading_) return;
  if (reading_->ticket == 0 && !writes_in_the_way()) {
    reading_->ticket = ++tickets_;
    reading_->since = now_;
    backend_.ask_snapshot(reading_->ticket, 0);
  }
  if (reading_->ticket == 0 || now_ - reading_->since < kAnswer) return;
  refuse(reading_->text, "no frame has ended for " + std::to_string(kAnswer.count() / 1'000'000'000) +
                             " s, the rig is in state " + std::string(executive::name_of(rig_.state())) +
                             "; ask again when its frames run");
  reading_.reset();
}

std::string Session::list(Kind kind, const std::vector<Entry>& entries, const LiveSnapshot& made) {
  std::vector<std::string> skipped;
  std::string message = list_message(kind, entries, {made, rig_.facts(), run_ratio_.value()}, format_,
                                     kLongestMessage, skipped);
  for (std::size_t i = 0; i < skipped.size() && !skips_told_; ++i)
    backend_.report(client() + ": " + config::show(skipped[i]) +
                    " is left out of a binary message, which has at most " + std::to_string(kBinaryMessage) +
                    " bytes; ask for its elements");
  skips_told_ = skips_told_ || (kind == Kind::list && !skipped.empty());
  if (message.size() > kLongestMessage) {
    const std::string reason = "the message has more than " + std::to_string(kLongestMessage) +
                               " bytes; ask for fewer variables at a time";
    paused_ = paused_ || kind == Kind::list;  // it would be refused again and again
    refuse("var_send", reason);
    return "";
  }
  return message;
}

void Session::answer_reading(const LiveSnapshotPtr& made) {
  const Reading reading = *std::move(reading_);
  reading_.reset();
  if (made == nullptr) return refuse(reading.text, "the run is over, there are no frames any more");
  emit(list(reading.kind, reading.kind == Kind::once ? reading.once : entries_, *made));
}

void Session::written(std::uint64_t ticket, const LiveDone& done) {
  const auto of_ticket = [&](const auto& writing) { return writing.first == ticket; };
  const auto found = std::ranges::find_if(writing_, of_ticket);
  if (found == writing_.end()) return;
  const std::string text = std::move(found->second);
  writing_.erase(found);
  if (!done.applied && !over_) refuse(text, done.problem);
}

// --- cyclic messages

bool Session::FrameRule::due(std::int64_t frame) {
  if (multiple <= 0) return false;
  const std::int64_t from = frame - offset;
  const std::int64_t passed = from < 0 ? -1 : from / multiple;
  // After a reset frames count from 0 again.
  const bool yes = from >= 0 && (last ? passed != *last : from % multiple == 0);
  last = passed;
  return yes;
}

bool Session::is_cyclic() const { return !paused_ && !entries_.empty() && !ended_ && !over_ && !rig_ended_; }

void Session::advance_cycle() {
  if (!is_cyclic() || cyclic_ticket_ != 0 || now_ < due_) return;
  std::int64_t every = 0;
  Nanoseconds step = copy_mode_ == CopyMode::any_time ? cycle_ : kShortestAsk;
  if (copy_mode_ == CopyMode::multiples_of_cycle) {
    every = is_near() ? cycle_frames() : 0;
    step = every > 0 ? Nanoseconds{0} : kFarAsk;
  }
  due_ = due_ + step > now_ ? due_ + step : now_ + step;  // what was missed is not made up for
  cyclic_ticket_ = ++tickets_;
  backend_.ask_snapshot(cyclic_ticket_, every);
}

bool Session::copy_is_due(const LiveSnapshot& made) {
  const bool frozen = made.rig.state == State::pause;
  if (copy_mode_ == CopyMode::multiples_of_frame)
    return frozen ? freeze_frames_.due(made.rig.heartbeats - made.rig.frames) : frames_.due(made.frame);
  if (copy_mode_ == CopyMode::any_time) return true;
  // Simulated time stands, the client's clock does not.
  if (frozen) due_ = std::max(due_, now_ + cycle_);
  return frozen || made.frame % cycle_frames() == 0;  // a cycle that was changed meanwhile
}

/// The next multiple of the cycle comes soon: it is asked for by name. A far one would keep the rig waiting
/// for a client that may be gone by then.
bool Session::is_near() const {
  const rtsync::Period& frame = rig_.facts().frame;
  const std::int64_t every = cycle_frames();
  const auto soon = [&](std::int64_t frames) {
    return static_cast<rtsync::Wide>(frames) * frame.num() <=
           static_cast<rtsync::Wide>(kNear.count()) * frame.den();
  };
  return soon(every) || (last_frame_ >= 0 && soon(every - last_frame_ % every));
}

/// The smallest number of frames whose time is a multiple of the cycle.
std::int64_t Session::cycle_frames() const {
  const rtsync::Period& frame = rig_.facts().frame;
  const rtsync::Wide cycle = static_cast<rtsync::Wide>(cycle_.count()) * frame.den();
  rtsync::Wide a = cycle, b = frame.num();
  while (b != 0) a = std::exchange(b, a % b);
  return static_cast<std::int64_t>(cycle / a);
}

void Session::send_cycle(const LiveSnapshot& made) {
  if (!is_cyclic() || !copy_is_due(made)) return;
  const std::size_t waiting = output().size();
  const auto fits = [&] { return waiting == 0 || waiting + last_size_ <= kBuffer; };
  if (fits()) {  // by the message before; else it is not worth the work
    std::string message = list(Kind::list, entries_, made);
    last_size_ = message.size();
    if (fits()) return emit(message);
  }
  if (missed_++ == 0)
    backend_.report(client() + ": does not read what it asked for; cyclic messages are left out as long as " +
                    std::to_string(waiting) + " bytes wait for it");
}

void Session::snapshot(std::uint64_t ticket, const LiveSnapshotPtr& made, Nanoseconds now) {
  now_ = now;
  if (made != nullptr) last_frame_ = made->frame;
  if (made != nullptr) run_ratio_.add(now, made->sim_time_ns, made->rig.state == State::pause);
  if (over_) return;
  if (reading_ && reading_->ticket == ticket) {
    answer_reading(made);
  } else if (ticket == cyclic_ticket_) {
    cyclic_ticket_ = 0;
    if (made == nullptr) rig_ended_ = true;
    if (made != nullptr) send_cycle(*made);
  }
}

// --- time

void Session::advance(Nanoseconds now) {
  now_ = now;
  advance_reading();
  run_calls();
  advance_cycle();
  if (ended_ && !reading_ && calls_.empty() && !has_line()) over_ = true;
}

std::optional<Nanoseconds> Session::wake_at() const {
  if (over_) return std::nullopt;
  if (more_) return now_;
  std::optional<Nanoseconds> next;
  const auto at = [&](Nanoseconds when) { next = next ? std::min(*next, when) : when; };
  if (reading_) at(reading_->since + (reading_->ticket == 0 ? kEffect : kAnswer));
  if (is_cyclic() && cyclic_ticket_ == 0) at(due_);
  return next;
}

}  // namespace tactus::drivers::trick
