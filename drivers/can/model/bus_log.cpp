// SPDX-License-Identifier: Apache-2.0
/// Makes the texts that a bus has in the rig's log.
#include <utility>

#include "drivers/can/model/can_model.hpp"
#include "drivers/can/model/open_port.hpp"
#include "drivers/can/model/text.hpp"

namespace tactus::drivers::can {
namespace {

double us(std::int64_t time) { return static_cast<double>(time) / 1e3; }
double seconds(std::int64_t time) { return static_cast<double>(time) / 1e9; }

/// Says what a state of the controller means, and what mends it.
std::string meaning_of(std::int64_t state, const Settings& settings) {
  const std::string link = "sudo ip link set " + settings.interface;
  switch (static_cast<BusState>(state)) {
    case BusState::active:
      return "active";
    case BusState::warning:
      return "error warning: an error counter is above 96";
    case BusState::passive:
      return "error passive: an error counter is above 127; is there a partner with the same bit rate?";
    case BusState::bus_off:
      if (settings.on_bus_off.restarts()) return "bus-off: nothing is sent until its restart (on_bus_off)";
      if (settings.is_simulated()) return "bus-off: nothing is sent for the time of 128 times 11 bits";
      if (settings.is_unix())
        return "bus-off: nothing is sent until the program that carries the bus restarts it";
      return "bus-off: nothing is sent until the interface restarts; on_bus_off: { restart_after: 100 ms } "
             "lets the rig do it, '" +
             link + " down' and then '" + link + " up type can restart-ms 100' the kernel";
    default:
      return settings.is_unix()
                 ? "down: the program that carries the bus has ended; start it, then start the rig again"
                 : "down: nothing is sent until it is up (" + link +
                       " up). One that was unplugged is used again once it is back under this name, up and "
                       "with its bit rate (" +
                       link + " up type can bitrate 500000)";
  }
}

/// Asks for the usual cause of a full queue.
const char* question_of(const Settings& settings) {
  return settings.is_simulated() ? "Is the bus overloaded, or `queue` too small?"
         : settings.is_unix()    ? "Does the program that carries the bus read its frames?"
                                 : "Is there a partner that acknowledges?";
}

}  // namespace

bool CanModel::take_message(tactus::Message& to) {
  LogEntry entry;
  if (!log_.take(entry)) {
    if (raw_ && raw_->lost() > 0 && !std::exchange(has_lost_raw_, true)) {
      const int error = raw_->error();
      to.warning = true;
      to.text = text_of("raw log %s: %s; how many are lost is said at the end", settings_.raw.file.c_str(),
                        error == 0 ? "frames are missing, as the disk does not follow"
                                   : ("frames from here on are missing: " + reason_of(error)).c_str());
      return true;
    }
    if (reported_ >= reports_.size()) return false;
    to.text = reports_[reported_++];
    return true;
  }
  to.warning = true;
  const char* const received =
      entry.index < received_.size() ? received_[entry.index].message().name.c_str() : "";
  const std::string sent = entry.index < sent_.size() ? "message " + sent_[entry.index].message().name
                                                      : "a frame of the replay or of a station";
  switch (entry.kind) {
    case LogEntry::Kind::missing:
      to.text = text_of("message %s is missing since %.9g s: it did not come for %.9g ms", received,
                        seconds(entry.time), static_cast<double>(received_[entry.index].timeout()) / 1e6);
      break;
    case LogEntry::Kind::back:
      to.warning = false;
      to.text = text_of("message %s is back at %.9g s", received, seconds(entry.time));
      break;
    case LogEntry::Kind::checksum:
      to.text = text_of(
          "message %s came with a wrong checksum, length or counter at %.9g s, for the first time; further "
          "ones are counted in %s.checksum_errors",
          received, seconds(entry.time), received);
      break;
    case LogEntry::Kind::queue_full:
      to.text = text_of(
          "the queue of %s was full for %s at %.9g s, for the first time; further ones are counted in "
          "bus.queue_full. %s",
          settings_.interface.c_str(), sent.c_str(), seconds(entry.time), question_of(settings_));
      break;
    case LogEntry::Kind::overflow:
      to.text = text_of(
          "received frames found no room at %.9g s, for the first time; further ones are counted in "
          "bus.overflow",
          seconds(entry.time));
      break;
    case LogEntry::Kind::state:
      to.warning = entry.value != static_cast<int>(BusState::active);
      to.text = settings_.interface + " is " + meaning_of(entry.value, settings_);
      break;
    case LogEntry::Kind::restarted:
      to.text = settings_.interface + " was restarted after bus-off";
      break;
    case LogEntry::Kind::restarting:
      to.warning = false;
      [[fallthrough]];
    case LogEntry::Kind::restart_failed:
    case LogEntry::Kind::gave_up:
      to.text = text_of_bus_off(entry);
      break;
    case LogEntry::Kind::send_failed:
      to.text = text_of("%s cannot be sent on %s: %s", sent.c_str(), settings_.interface.c_str(),
                        reason_of(static_cast<int>(entry.value)).c_str());
      break;
    case LogEntry::Kind::not_realtime:
      to.text =
          text_of("a thread of %s does not get the scheduling class of the frames: %s; messages may be late",
                  settings_.interface.c_str(), reason_of(static_cast<int>(entry.value)).c_str());
      break;
    case LogEntry::Kind::injected_off:
      to.warning = false;
      to.text = text_of("%s is %s at %.9g s: injected by a fault of the rig", settings_.interface.c_str(),
                        entry.value != 0 ? "bus-off" : "no more bus-off", seconds(entry.time));
      break;
    case LogEntry::Kind::rounded:
      to.text = text_of("fault %s of %s is rounded to %lld: its amount is a whole number",
                        entry.index < sent_.size() ? "wrong_length" : "error_frames",
                        entry.index < sent_.size() ? sent_[entry.index].message().name.c_str() : "the bus",
                        static_cast<long long>(entry.value));
      break;
    case LogEntry::Kind::sent_by: {
      to.warning = false;
      const std::string why = why_not_by_kernel(settings_, link_);
      to.text =
          settings_.interface + (port_->is_timed_by_kernel()
                                     ? ": the kernel sends messages at their times (SO_TXTIME, qdisc fq)"
                                     : ": a thread sends messages at their times, not the kernel: " +
                                           (why.empty() ? "its sockets do not take SO_TXTIME" : why));
      break;
    }
    case LogEntry::Kind::ended:
      to.warning = false;
      report();
      to.text = reports_.front();
      reported_ = 1;
      break;
  }
  return true;
}

void CanModel::report() {
  std::uint64_t count = 0;
  for (const ReceivedMessage& each : received_) count += each.count();
  reports_ = {text_of("%s: received %llu messages, load of the bus at the end %.1f %%, queue full %llu times",
                      settings_.interface.c_str(), static_cast<unsigned long long>(count), load_ * 100,
                      static_cast<unsigned long long>(queue_full_))};
  if (raw_)
    reports_.push_back(text_of("raw log %s: %llu frames, %llu lost", settings_.raw.file.c_str(),
                               static_cast<unsigned long long>(raw_->written()),
                               static_cast<unsigned long long>(raw_->lost())));
  for (const SentMessage& each : sent_) {
    std::string text = text_of("message %s: sent %llu", each.message().name.c_str(),
                               static_cast<unsigned long long>(each.sent()));
    if (each.not_sent() > 0)
      text += text_of(", not sent %llu", static_cast<unsigned long long>(each.not_sent()));
    const auto show = [&](const char* what, const TimeHistogram& times) {
      if (times.count() > 0)
        text += text_of("; %s half below %.9g us, 99 %% below %.9g us, longest %.9g us", what,
                        us(times.quantile(0.5)), us(times.quantile(0.99)), us(times.longest()));
    };
    show("late", each.late());
    show("bus time", each.on_bus());
    constexpr std::pair<LateBy, const char*> kCauses[] = {
        {LateBy::bus, "by the bus"}, {LateBy::rig, "by the rig"}, {LateBy::injected, "by faults (injected)"}};
    for (const auto& [cause, name] : kCauses)
      if (each.too_late(cause) > 0)
        text += text_of("; too late %s %llu", name, static_cast<unsigned long long>(each.too_late(cause)));
    reports_.push_back(std::move(text));
  }
  for (const ReceivedMessage& each : received_)
    if (each.lost() > 0 || each.checksum_errors() > 0)
      reports_.push_back(text_of("message %s: received %llu, lost %llu, wrong %llu",
                                 each.message().name.c_str(), static_cast<unsigned long long>(each.count()),
                                 static_cast<unsigned long long>(each.lost()),
                                 static_cast<unsigned long long>(each.checksum_errors())));
}

}  // namespace tactus::drivers::can
