// SPDX-License-Identifier: Apache-2.0
/// The faults that a bus offers, of its messages and of itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "drivers/can/model/can_model.hpp"

namespace tactus::drivers::can {
namespace {

struct Kind {
  MessageFault kind;
  const char* name;
  const char* meaning;
};
constexpr Kind kKinds[kMessageFaults] = {
    {MessageFault::wrong_checksum, "wrong_checksum", "all bits of its checksum are inverted"},
    {MessageFault::stuck_counter, "stuck_counter", "its counter stays, with a right checksum"},
    {MessageFault::missing, "missing", "it is not sent, and its counter continues"},
    {MessageFault::late, "late", "it is sent later by this much"},
    {MessageFault::twice, "twice", "the same frame is sent twice"},
    {MessageFault::extra, "extra", "it is sent once more in each frame, beside its schedule"},
    {MessageFault::wrong_length, "wrong_length",
     "it is sent with this number of bytes, rounded; by default the next shorter length"},
};
constexpr const char* kBus = "bus";
constexpr std::uint32_t kBusFaults = 2;

}  // namespace

std::vector<OfferedFault> CanModel::faults() const {
  std::vector<OfferedFault> all;
  for (const SentMessage& each : sent_)
    for (const Kind& kind : kKinds) {
      OfferedFault& made = all.emplace_back(
          OfferedFault{.target = each.message().name, .kind = kind.name, .meaning = kind.meaning});
      if (kind.kind == MessageFault::late) {
        made.has_amount = true;
        made.unit = "s";
        made.least = 1e-6;
        // Delayed messages wait in the queue of all: half of it for those of one message.
        made.most = 10;
        if (each.cycle() > 0)
          made.most = std::min(
              made.most, static_cast<double>(each.cycle()) * 1e-9 * static_cast<double>(settings_.queue / 2));
        made.least = std::min(made.least, made.most);
        made.fallback = std::numeric_limits<double>::quiet_NaN();
      }
      if (kind.kind == MessageFault::wrong_length) {
        made.has_amount = true;
        made.most = each.message().fd ? 64 : 8;
        made.fallback = shorter(each.message().length);
        if (each.message().length == 0) made.fallback = 1;
      }
      if (kind.kind == MessageFault::wrong_checksum && !each.protection().has_checksum())
        made.refused =
            "message " + made.target + " has no checksum; name it in send." + made.target + ".checksum";
      if (kind.kind == MessageFault::stuck_counter && !each.protection().has_counter())
        made.refused =
            "message " + made.target + " has no counter; name it in send." + made.target + ".counter";
    }
  all.push_back({.target = kBus,
                 .kind = "bus_off",
                 .meaning = "the rig's controller neither sends nor receives, as if it were bus-off"});
  OfferedFault& errors = all.emplace_back(OfferedFault{
      .target = kBus,
      .kind = "error_frames",
      .meaning =
          "an error frame destroys each frame on the bus this number of times, rounded, and it is sent again",
      .has_amount = true,
      .least = 1,
      .most = 255,
      .fallback = 1});
  if (!settings_.is_simulated())
    errors.refused = "SocketCAN cannot make error frames on " + settings_.interface +
                     "; a simulated bus can (interface: simulated), and a device of the bench for bus errors";
  for (const ReceivedMessage& each : received_)
    for (const Kind& kind : kKinds) {
      const std::string& name = each.message().name;
      all.push_back(
          {.target = name,
           .kind = kind.name,
           .refused = "message " + name +
                      " is received; what is received is disturbed through its signals: write 'on: MODEL." +
                      name + ".SIGNAL', or disturb the model that sends it"});
    }
  return all;
}

void CanModel::disturb(std::uint32_t number, bool acts, double amount) noexcept {
  const auto of_messages = static_cast<std::uint32_t>(sent_.size() * kMessageFaults);
  const bool is_length = number < of_messages &&
                         number % kMessageFaults == static_cast<std::uint32_t>(MessageFault::wrong_length);
  if (is_length || number == of_messages + 1) {
    const double given = amount;
    amount = std::round(given);
    if (acts && amount != given) {
      (is_length ? sent_[number / kMessageFaults].faults().rounded() : rounded_errors_)
          .set(std::llround(amount));
      is_rounded_.store(true, std::memory_order_release);
    }
  }
  if (number < of_messages) {
    sent_[number / kMessageFaults].faults().set(static_cast<MessageFault>(number % kMessageFaults), acts,
                                                amount);
    return;
  }
  if (number == of_messages) {
    is_off_.store(acts, std::memory_order_relaxed);
  } else if (number == of_messages + 1 && port_ != nullptr) {
    port_->disturb(acts ? static_cast<unsigned>(amount) : 0);
  }
}

/// Says which amounts were rounded. The log has entries of the model's own thread alone, which may not be that of disturb().
void CanModel::say_rounded() TACTUS_RT {
  if (!is_rounded_.exchange(false, std::memory_order_acquire)) return;
  const auto say = [&](std::size_t index, RoundedAmount& rounded) {
    if (const std::int64_t amount = rounded.take(); amount >= 0)
      (void)log_.put({LogEntry::Kind::rounded, static_cast<std::uint32_t>(index), amount, 0});
  };
  for (std::size_t i = 0; i < sent_.size(); ++i) say(i, sent_[i].faults().rounded());
  say(sent_.size(), rounded_errors_);
}

std::uint64_t CanModel::disturbed(std::uint32_t number) const {
  const auto of_messages = static_cast<std::uint32_t>(sent_.size() * kMessageFaults);
  if (number < of_messages)
    return sent_[number / kMessageFaults].faults().count(static_cast<MessageFault>(number % kMessageFaults));
  if (number == of_messages) return off_count_;
  return number < of_messages + kBusFaults && port_ != nullptr ? port_->disturbed() : 0;
}

}  // namespace tactus::drivers::can
