// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/received_message.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus::drivers::can {

ReceivedMessage::ReceivedMessage(const Selection::Received& chosen, const std::string& folder,
                                 const Problems& problems)
    : on_timeout_(chosen.settings.on_timeout),
      message_(*chosen.message),
      codec_(message_),
      values_(message_.signals),
      present_(message_.signals.size()),
      protection_(message_, chosen.settings.protecting, chosen.path, folder, problems),
      is_present_(std::make_unique<bool[]>(message_.signals.size())) {
  const double cycle = chosen.settings.cycle.count() > 0 ? static_cast<double>(chosen.settings.cycle.count())
                                                         : message_.cycle.value_or(0) * 1e6;
  timeout_ = std::llround(
      std::min(cycle * cycles_of(chosen.settings.after, chosen.path + ".after", problems), 9e18));
  cycle_ = std::llround(std::min(cycle, 9e18));
  if (protection_.grows() && cycle_ == 0)
    problems.add(chosen.path + ".checksum.most_lost_grows",
                 "message " + message_.name + " has no cycle in the database; write one, cycle: 100 ms");
  if (on_timeout_ != OnTimeout::hold && timeout_ == 0)
    problems.add(chosen.path + ".on_timeout",
                 "message " + message_.name + " has no cycle in the database; write one, cycle: 100 ms");
  if (on_timeout_ != OnTimeout::substitute && !chosen.settings.substitute.empty())
    problems.add(chosen.path + ".substitute", "has no effect without on_timeout: substitute");
  for (std::size_t s = 0; s < values_.size(); ++s) {
    substitute_.push_back(message_.signals[s].start_value());
    values_.set(s, substitute_.back());
    if (message_.signals[s].of_switch >= 0) multiplexed_.push_back(static_cast<std::uint32_t>(s));
  }
  for (const SignalText& each : chosen.settings.substitute) {
    const std::string path = chosen.path + ".substitute." + each.name;
    if (const Signal* const signal = signal_of(message_, each.name, path, problems))
      substitute_[static_cast<std::size_t>(signal - message_.signals.data())] =
          value_of(*signal, each.value, path, problems);
  }
}

void ReceivedMessage::declare(Declaring& d) {
  const std::string dot = message_.name + ".";
  for (std::size_t s = 0; s < message_.signals.size(); ++s)
    d.signal(TACTUS_OUTPUT, dot + message_.signals[s].name, message_.signals[s], values_, s);
  for (const std::uint32_t s : multiplexed_)
    d.output(dot + message_.signals[s].name + "_present", is_present_[s], "the last message had this signal");
  d.output(dot + "age", age_, "s", "time since the last good message, or since the start");
  d.output(dot + "count", count_, "good messages");
  d.output(dot + "valid", is_valid_, "there was a good message, and it is not missing");
  d.output(dot + "lost", lost_, "messages that did not come, by gaps of the counter");
  d.output(dot + "repeated", repeated_, "messages with the counter of the one before: not taken");
  d.output(dot + "checksum_errors", checksum_errors_,
           "messages with a wrong checksum, length or counter: not taken");
  if (!multiplexed_.empty())
    d.output(dot + "unknown_switch", unknown_switch_, "messages whose switch selects no signal");
}

void ReceivedMessage::receive(const CanFrame& frame, std::int64_t now) TACTUS_RT {
  const unsigned length = std::min<unsigned>(frame.length, std::max(message_.length, 1U));
  std::uint64_t lost = 0;
  // Half a cycle is jitter of the sender, or of the frames in which messages are seen.
  const std::int64_t missed = protection_.grows() ? (now - last_ + cycle_ / 2) / cycle_ - 1 : 0;
  const MessageProtection::Finding finding =
      protection_.check(std::begin(frame.data.at), length, lost, missed);
  lost_ += lost;
  switch (finding) {
    case MessageProtection::Finding::repeated:
      ++repeated_;
      return;
    case MessageProtection::Finding::wrong_checksum:
      ++checksum_errors_;
      return;
    case MessageProtection::Finding::wrong_sequence:
      return;
    case MessageProtection::Finding::ok:
      break;
  }
  const std::uint8_t* const data = std::begin(frame.data.at);
  const auto found = codec_.decode(data, frame.length, {values_.row(), values_.size()}, present_);
  if (found.is_unknown_switch) ++unknown_switch_;
  for (const std::uint32_t s : values_.others())
    if (present_[s] != 0) values_.settle(s, codec_.field(s), data);
  for (const std::uint32_t s : multiplexed_) is_present_[s] = present_[s] != 0;
  ++count_;
  last_ = now;
  is_valid_ = true;
}

ReceivedMessage::Change ReceivedMessage::look(std::int64_t now) TACTUS_RT {
  const std::int64_t age = now - last_;
  age_ = static_cast<double>(age) * 1e-9;
  if (timeout_ == 0 || (age <= timeout_) == !is_missing_) return Change::none;
  is_missing_ = !is_missing_;
  if (!is_missing_) return Change::back;
  is_valid_ = false;
  for (std::size_t s = 0; s < values_.size(); ++s) {
    if (on_timeout_ == OnTimeout::substitute) values_.set(s, substitute_[s]);
    if (on_timeout_ == OnTimeout::nan) values_.set(s, std::numeric_limits<double>::quiet_NaN());
  }
  return Change::missing;
}

void ReceivedMessage::restart(std::int64_t now) TACTUS_RT {
  last_ = now - std::llround(age_ * 1e9);  // a checkpoint has the age
  is_missing_ = timeout_ > 0 && now - last_ > timeout_;
  protection_.restart();
}

}  // namespace tactus::drivers::can
