// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/sent_message.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "drivers/can/codec/whole_text.hpp"

namespace tactus::drivers::can {
namespace {

std::int64_t ns(double ms) { return std::llround(std::min(ms * 1e6, 9e18)); }

}  // namespace

SentMessage::SentMessage(const Selection::Sent& chosen, const std::string& folder, const Problems& problems)
    : message_(*chosen.message),
      values_(message_.signals),
      protection_(message_, chosen.settings.protecting, chosen.path, folder, problems),
      codec_(message_),
      triggers_(message_.signals.size()),
      identities_(message_.signals.size()) {
  const SendSettings& settings = chosen.settings;
  cycle_ = settings.cycle.count() > 0 ? settings.cycle.count() : ns(message_.cycle.value_or(0));
  cycle_fast_ =
      settings.cycle_fast.count() > 0 ? settings.cycle_fast.count() : ns(message_.cycle_fast.value_or(0));
  start_delay_ = settings.start_delay.count() >= 0 ? settings.start_delay.count() : ns(message_.start_delay);
  least_distance_ =
      settings.least_distance.count() >= 0 ? settings.least_distance.count() : ns(message_.least_distance);
  repetitions_ = settings.repetitions >= 0 ? static_cast<unsigned>(settings.repetitions)
                                           : std::min(message_.repetitions, 1000U);
  at_ = settings.at.count();
  late_after_ = settings.late_after.count() >= 0 ? settings.late_after.count() : cycle_ / 2;
  set_types(settings);
  if ((is_cyclic_ || is_if_active_) && cycle_ == 0 && (!is_if_active_ || cycle_fast_ == 0))
    problems.add(chosen.path + (settings.type == Sending::database ? "" : ".type"),
                 "message " + message_.name +
                     " is cyclic, and the database has no cycle for it; write one, cycle: 100 ms");
  const ChecksumSettings& checksum = settings.protecting.checksum;
  const char* const only_received = "is for received messages, and the rig sends this one; remove it";
  if (is_e2e(checksum.profile) && checksum.most_lost != ChecksumSettings{}.most_lost)  // else it is said
    problems.add(chosen.path + ".checksum.most_lost", only_received);
  if (is_e2e(checksum.profile) && checksum.grows)
    problems.add(chosen.path + ".checksum.most_lost_grows", only_received);
  for (const Signal& signal : message_.signals) {
    numbers_.push_back(signal.start_value());
    inactive_.push_back(signal.inactive_raw ? signal.physical(*signal.inactive_raw) : numbers_.back());
  }
  /// Bits of long signals that a text gives, of which a double may lose some.
  using LongValues = std::vector<std::pair<std::size_t, std::uint64_t>>;
  const auto path_of = [&](const char* key, const SignalText& each) {
    return chosen.path + "." + key + "." + each.name;
  };
  const auto read = [&](const std::vector<SignalText>& all, const char* key, std::vector<double>& to) {
    LongValues long_ones;
    for (const SignalText& each : all) {
      const std::string path = path_of(key, each);
      const Signal* const signal = signal_of(message_, each.name, path, problems);
      if (signal == nullptr) continue;
      const auto s = static_cast<std::size_t>(signal - message_.signals.data());
      if (protection_.covers(s))
        problems.add(path, "signal " + each.name + " is a counter or checksum, which is computed");
      to[s] = value_of(*signal, each.value, path, problems);
      const Field& field = codec_.field(s);
      const bool is_long = values_.is_wide(s, field);
      FrameBytes trial;
      if (const auto bits = is_long ? bits_of_whole(each.value, field, signal->is_signed) : std::nullopt)
        field.put_bits(std::begin(trial.at), *bits);
      else if (field.put(std::begin(trial.at), to[s]) == Field::Put::clipped)
        problems.add(path, "'" + each.value + "' does not fit the bits of signal " + signal->name +
                               ", and would be sent as another value");
      if (is_long) long_ones.emplace_back(s, field.bits(std::begin(trial.at)));
    }
    return long_ones;
  };
  const LongValues starts = read(settings.start, "start", numbers_);
  for (std::size_t s = 0; s < values_.size(); ++s) {
    values_.set(s, numbers_[s]);
    if (protection_.covers(s) || values_.type(s) != SignalValues::Type::number)
      apart_.push_back(static_cast<std::uint32_t>(s));
    if (protection_.covers(s)) numbers_[s] = codec_.field(s).offset();  // raw 0
  }
  safe_numbers_ = numbers_;
  for (const auto& [s, bits] : starts) {
    FrameBytes whole;
    codec_.field(s).put_bits(std::begin(whole.at), bits);
    values_.settle(s, codec_.field(s), std::begin(whole.at));
  }
  safe_longs_ = starts;
  const LongValues safe = read(settings.safe, "safe", safe_numbers_);
  safe_longs_.insert(safe_longs_.end(), safe.begin(), safe.end());  // the last one counts
  FrameBytes trial;
  (void)codec_.encode(std::begin(trial.at), safe_numbers_);
  for (const SignalText& each : settings.safe)
    for (std::size_t s = 0; s < message_.signals.size(); ++s)
      if (message_.signals[s].name == each.name && !codec_.is_selected(std::begin(trial.at), s))
        problems.add(path_of("safe", each),
                     "the safe frame does not have signal " + each.name + ": its switch " +
                         message_.signals[static_cast<std::size_t>(message_.signals[s].of_switch)].name +
                         " has another value; give that one, too");
  if (!settings.safe.empty()) safe_times_ = settings.safe_times;
  for (const SignalText& each : settings.safe)
    safe_text_ += (safe_text_.empty() ? "" : ", ") + each.name + " " + each.value;
  for (std::size_t s = 0; s < values_.size(); ++s) identities_[s] = values_.identity(s);
  for (std::uint32_t s = 0; s < values_.size(); ++s)
    if (!protection_.covers(s) && values_.is_wide(s, codec_.field(s))) wide_.push_back(s);
  restart(0);
}

void SentMessage::set_types(const SendSettings& settings) {
  const auto all_trigger = [&] { std::ranges::fill(triggers_, std::uint8_t{1}); };
  switch (settings.type) {
    case Sending::database: {
      const SendType& type = message_.send;
      bool signals_say = false;
      for (std::size_t s = 0; s < triggers_.size(); ++s) {
        const SendType& each = message_.signals[s].send;
        triggers_[s] = each.on_change ? 1 : 0;
        signals_say = signals_say || each.on_change || each.on_event;
        is_if_active_ = is_if_active_ || each.if_active;
        is_cyclic_ = is_cyclic_ || each.cyclic;
      }
      is_cyclic_ = type.cyclic || (is_cyclic_ && cycle_ > 0) || (type.label.empty() && cycle_ > 0);
      is_if_active_ = (type.if_active || is_if_active_) && (cycle_ > 0 || cycle_fast_ > 0);
      if (!signals_say && (type.on_change || type.on_event)) all_trigger();
      is_on_change_ = std::ranges::count(triggers_, 1) > 0;
      break;
    }
    case Sending::cyclic:
      is_cyclic_ = true;
      break;
    case Sending::on_change:
    case Sending::cyclic_and_on_change:
      is_cyclic_ = settings.type == Sending::cyclic_and_on_change;
      is_on_change_ = true;
      all_trigger();
      break;
    case Sending::if_active:
    case Sending::cyclic_and_if_active:
      is_cyclic_ = settings.type == Sending::cyclic_and_if_active;
      is_if_active_ = true;
      break;
    case Sending::on_write:
    case Sending::never:
      break;
  }
}

void SentMessage::declare(Declaring& d) {
  const std::string dot = message_.name + ".";
  for (std::size_t s = 0; s < values_.size(); ++s)
    if (!protection_.covers(s))
      d.signal(TACTUS_INPUT, dot + message_.signals[s].name, message_.signals[s], values_, s);
  d.input(dot + "enabled", is_enabled_, "no: it is not sent");
  d.input(dot + "send", write_, "each change of the value sends the message once");
  d.output(dot + "sent", sent_, "messages that the controller took");
  d.output(dot + "not_sent", not_sent_, "messages that found no room");
  d.output(dot + "clipped", clipped_, "values that its bits do not hold");
  d.output(dot + "late", late_, "s", "from the planned time until the controller took the last one");
  d.output(dot + "bus_time", bus_time_, "s", "from then until it was on the bus");
  d.output(dot + "too_late", too_late_all_, "messages that were later than `late_after`");
}

bool SentMessage::is_active() const TACTUS_RT {
  for (std::size_t s = 0; s < values_.size(); ++s)
    if (!protection_.covers(s) && values_.get(s) != inactive_[s]) return true;
  return false;
}

bool SentMessage::has_changed() TACTUS_RT {
  bool changed = false;
  for (std::size_t s = 0; s < values_.size(); ++s) {
    if (triggers_[s] == 0 || protection_.covers(s)) continue;
    const std::uint64_t identity = values_.identity(s);
    changed = changed || identity != identities_[s];
    identities_[s] = identity;
  }
  return changed;
}

bool SentMessage::is_due(std::int64_t now) TACTUS_RT {
  const bool changed = is_on_change_ && has_changed();
  const bool written = write_ != last_write_;
  last_write_ = write_;
  if (!is_enabled_) {
    was_enabled_ = is_pending_ = false;
    repetitions_left_ = 0;
    return false;
  }
  if (!was_enabled_) next_ = now;
  was_enabled_ = true;
  const std::int64_t repetition = cycle_fast_ > 0 ? cycle_fast_ : cycle_;
  if (written || changed) {
    is_pending_ = true;
    repetitions_left_ = repetition > 0 ? repetitions_ : 0;
  }
  if (now < start_delay_) return false;
  const bool active = is_if_active_ && is_active();
  std::int64_t cycle = is_cyclic_ ? cycle_ : 0;
  if (active) cycle = cycle_fast_ > 0 ? cycle_fast_ : cycle_;
  if (active && !was_active_) next_ = now;
  // The inactive value is said, too.
  is_pending_ = is_pending_ || (was_active_ && !active && !is_cyclic_ && repetition > 0);
  was_active_ = active;

  bool due = false;
  if (cycle > 0 && now >= next_) {
    due = true;
    next_ += cycle;
    if (next_ <= now) next_ += (now - next_) / cycle * cycle + cycle;
  }
  if (is_pending_ && (!has_last_ || now - last_ >= least_distance_)) {
    due = true;
    is_pending_ = false;
    next_repetition_ = now + repetition;
  } else if (repetitions_left_ > 0 && !is_pending_ && now >= next_repetition_) {
    due = true;
    --repetitions_left_;
    next_repetition_ += repetition;
  }
  if (due) {
    last_ = now;
    has_last_ = true;
  }
  return due;
}

/// No value is used twice, though safe values may be made while the job makes a frame.
std::uint32_t SentMessage::next_counter() TACTUS_RT {
  std::uint32_t counter = counter_->load(std::memory_order_relaxed);
  while (!counter_->compare_exchange_weak(counter, protection_.next(counter), std::memory_order_relaxed)) {
  }
  return counter;
}

void SentMessage::make(CanFrame& frame) TACTUS_RT {
  frame = empty_frame_of(message_);
  std::uint8_t* const data = std::begin(frame.data.at);
  std::span<const double> numbers{values_.row(), values_.size()};
  if (!apart_.empty()) {
    std::copy(numbers.begin(), numbers.end(), numbers_.begin());
    for (const std::uint32_t s : apart_)
      numbers_[s] = protection_.covers(s) ? codec_.field(s).offset() : values_.get(s);
    numbers = numbers_;
  }
  clipped_ += codec_.encode(data, numbers);
  for (const std::uint32_t s : wide_)
    if (codec_.is_selected(data, s)) (void)values_.put(s, codec_.field(s), data);
  if (protection_.protects()) {
    if (!faults_.take(MessageFault::stuck_counter)) last_counter_ = next_counter();
    protection_.protect(data, message_.length, last_counter_);
  }
  if (faults_.take(MessageFault::wrong_checksum)) protection_.spoil(data);
  if (!faults_.acts(MessageFault::wrong_length)) return;
  const unsigned length = wire_length(static_cast<unsigned>(faults_.amount(MessageFault::wrong_length)));
  if (length != frame.length) (void)faults_.take(MessageFault::wrong_length);
  frame.length = static_cast<std::uint8_t>(length);
}

void SentMessage::make_safe(CanFrame& frame) TACTUS_RT {
  frame = empty_frame_of(message_);
  std::uint8_t* const data = std::begin(frame.data.at);
  (void)codec_.encode(data, safe_numbers_);
  for (const auto& [s, bits] : safe_longs_)
    if (codec_.is_selected(data, s)) codec_.field(s).put_bits(data, bits);
  if (protection_.protects()) protection_.protect(data, message_.length, next_counter());
}

void SentMessage::taken(std::int64_t planned, std::int64_t at, bool injected) TACTUS_RT {
  ++sent_;
  late_ = static_cast<double>(at - planned) * 1e-9;
  late_all_.add(at - planned);
  if (!has_echo_) {
    judge(at - planned, 0, injected);
    return;
  }
  // An echo from before the planned time is of another frame: safe values, or one whose `taken` was lost.
  if (const std::int64_t echo = std::exchange(early_echo_, -1); echo >= 0 && echo >= planned) {
    on_bus_at({planned, at, injected}, echo, was_early_injected_);
    return;
  }
  if (taken_count_ == 0) first_taken_ = 0;  // most messages have one on the way: it stays in one place
  if (taken_count_ == kOnTheWay) {          // the bus does not send: the oldest is given up
    first_taken_ = (first_taken_ + 1) % kOnTheWay;
    --taken_count_;
  }
  Taken& to = taken_[(first_taken_ + taken_count_++) % kOnTheWay];
  to.planned = planned;  // one by one: a copy of what was just written would wait for it
  to.at = at;
  to.injected = injected;
}

void SentMessage::echoed(std::int64_t at, bool injected) TACTUS_RT {
  if (taken_count_ == 0) {
    early_echo_ = at;
    was_early_injected_ = injected;
    return;
  }
  if (at < taken_[first_taken_].planned) return;  // of an earlier frame, as above
  on_bus_at(taken_[first_taken_], at, injected);
  first_taken_ = (first_taken_ + 1) % kOnTheWay;
  --taken_count_;
}

void SentMessage::forget_before(std::int64_t stamp) TACTUS_RT {
  while (taken_count_ > 0 && taken_[first_taken_].at < stamp) {
    first_taken_ = (first_taken_ + 1) % kOnTheWay;
    --taken_count_;
  }
  if (early_echo_ < stamp) early_echo_ = -1;
}

void SentMessage::on_bus_at(const Taken& taken, std::int64_t echo, bool injected) TACTUS_RT {
  const std::int64_t time =
      std::max<std::int64_t>(echo - taken.at, 0);  // a virtual bus echoes before the call returns
  bus_time_ = static_cast<double>(time) * 1e-9;
  bus_all_.add(time);
  judge(taken.at - taken.planned, std::max<std::int64_t>(time - duration_, 0), taken.injected || injected);
}

/// `by_rig`: time until the controller took it; `by_bus`: time that it waited for the bus.
void SentMessage::judge(std::int64_t by_rig, std::int64_t by_bus, bool injected) TACTUS_RT {
  if (late_after_ == 0 || by_rig + by_bus <= late_after_) return;
  const LateBy cause = injected ? LateBy::injected : by_bus > by_rig ? LateBy::bus : LateBy::rig;
  too_late_[static_cast<std::size_t>(cause)].fetch_add(1, std::memory_order_relaxed);
  ++too_late_all_;
}

void SentMessage::restart(std::int64_t now) TACTUS_RT {
  next_ = start_delay_ + phase_;
  if (cycle_ > 0 && next_ < now) next_ += (now - next_ + cycle_ - 1) / cycle_ * cycle_;
  is_pending_ = was_active_ = has_last_ = false;
  was_enabled_ = true;  // or it would begin now, and not at its phase
  repetitions_left_ = 0;
  last_write_ = write_;
  taken_count_ = 0;
  early_echo_ = -1;
  for (std::size_t s = 0; s < values_.size(); ++s) identities_[s] = values_.identity(s);
}

}  // namespace tactus::drivers::can
