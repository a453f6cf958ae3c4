// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/can_model.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "drivers/can/model/open_port.hpp"
#include "drivers/can/model/phases.hpp"
#include "drivers/can/model/text.hpp"

namespace tactus::drivers::can {
namespace {

constexpr int kMostEvents = 4096;  // of one frame
constexpr std::int64_t kLoadWindow = 100'000'000;
constexpr std::uint32_t kDelayedTag = 0x8000'0000;
constexpr std::uint32_t kDialogueTag = 0x7FFF'FFFF;  // of no message

constexpr tactus_label kStates[] = {{"active", static_cast<int>(BusState::active)},
                                    {"warning", static_cast<int>(BusState::warning)},
                                    {"passive", static_cast<int>(BusState::passive)},
                                    {"bus_off", static_cast<int>(BusState::bus_off)},
                                    {"down", static_cast<int>(BusState::down)}};

enum : std::int32_t { kBySimulation, kByThread, kByKernel };
constexpr tactus_label kSenders[] = {
    {"simulation", kBySimulation}, {"thread", kByThread}, {"kernel", kByKernel}};

}  // namespace

CanModel::CanModel() : open_port_(&open_port) {}

void CanModel::check(const Problems& problems) {
  try {
    database_ = load_dbc((std::filesystem::path(folder_) / settings_.database).string());
  } catch (const std::exception& error) {
    problems.add("database", error.what());
    return;
  }
  if (!database_.good()) {
    for (const Note& note : database_.notes)
      if (note.is_error) {
        problems.add("database", database_.text_of(note) + "; 'tactus check " + settings_.database +
                                     "' lists all of its " + std::to_string(database_.errors) + " errors");
        return;
      }
  }
  rates_.nominal =
      settings_.bit_rate > 0 ? settings_.bit_rate : std::llround(database_.bit_rate.value_or(500'000));
  rates_.data = settings_.data_bit_rate > 0 ? settings_.data_bit_rate
                                            : std::llround(database_.data_bit_rate.value_or(0));
  if (rates_.nominal < 5000)
    problems.add("bit_rate", std::to_string(rates_.nominal) + " bit/s; at least 5000");
  times_.emplace(rates_);
  check_bus_off(settings_, problems);
  check_send_by(settings_, problems);
  check_process(settings_, problems);
  Selection selection = select(settings_, database_, problems);
  renamed_ = std::move(selection.renamed);
  for (const Selection::Received& each : selection.received)
    know(each, received_.emplace_back(each, folder_, problems));
  std::ranges::stable_sort(known_, [](const Known& a, const Known& b) { return a.key < b.key; });
  for (const Selection::Sent& each : selection.sent) {
    tags_.emplace_back(key_of(each.message->id, each.message->extended), sent_.size());
    sent_.emplace_back(each, folder_, problems);
  }
  std::ranges::sort(tags_);
  index_ids();
  if (!settings_.replay.file.empty())
    replay_ = std::make_unique<Replay>(settings_.replay, folder_, database_, selection, problems);
  for (const StationSettings& each : settings_.stations) stations_.emplace_back(each, problems);
  check_stations(problems);
  spread_phases(settings_.spacing.count());
}

void CanModel::index_ids() {
  std::vector<std::uint64_t> keys;
  for (const Known& each : known_) keys.push_back(each.key);
  known_by_id_.build(std::move(keys));
  keys.clear();
  for (const auto& [key, index] : tags_) keys.push_back(key);
  tags_by_id_.build(std::move(keys));
  for (SentMessage& each : sent_) sent_at_.push_back(&each);
}

/// Puts a received message where its frames find it. One of J1939 comes with any priority, and where asked from any source.
void CanModel::know(const Selection::Received& chosen, ReceivedMessage& message) {
  const std::uint32_t id = chosen.message->id;
  const std::uint32_t priorities = chosen.any_priority ? 8 : 1, sources = chosen.any_source ? 256 : 1;
  for (std::uint32_t priority = 0; priority < priorities; ++priority)
    for (std::uint32_t source = 0; source < sources; ++source) {
      std::uint32_t each = id;
      if (chosen.any_priority) each = (each & ~(7U << 26U)) | priority << 26U;
      if (chosen.any_source) each = (each & ~0xFFU) | source;
      known_.push_back({key_of(each, chosen.message->extended), &message});
    }
}

void CanModel::spread_phases(std::int64_t slot) {
  std::vector<Cyclic> cyclic;
  for (const SentMessage& each : sent_) {
    if (each.cycle() > 0) cyclic.push_back({each.cycle(), times_->of(empty_frame_of(each.message()))});
  }
  const std::vector<std::int64_t> phases = spread(cyclic, slot);
  std::size_t next = 0;
  for (SentMessage& each : sent_)
    if (each.cycle() > 0) each.set_phase(phases[next++]);
}

void CanModel::planned(const std::string& job, std::int64_t cycle_num, std::int64_t cycle_den) {
  if (job != "send" || cycle_num <= 0) return;
  const std::int64_t cycle = (cycle_num + cycle_den - 1) / cycle_den;
  for (const SentMessage& each : sent_)
    if (each.cycle() > 0 && each.cycle() < cycle)
      throw std::runtime_error(text_of(
          "message %s has a cycle of %.9g ms, and job 'send' one of %.9g ms; give the frame or the job a "
          "shorter cycle, or the message a longer one",
          each.message().name.c_str(), static_cast<double>(each.cycle()) / 1e6,
          static_cast<double>(cycle) / 1e6));
  spread_phases(std::max(cycle, settings_.spacing.count()));
}

void CanModel::declare(Declare& d) {
  Declaring declaring(*host_);
  for (ReceivedMessage& each : received_) each.declare(declaring);
  for (SentMessage& each : sent_) each.declare(declaring);
  for (Station& each : stations_) each.declare(declaring);
  if (replay_) replay_->declare(declaring);
  declaring.words("bus.state", state_, "state of the controller", kStates);
  declaring.words("bus.sent_by", sent_by_, "what sends messages at their times", kSenders);
  declaring.output("bus.transmit_errors", transmit_errors_, "error counter of the controller");
  declaring.output("bus.receive_errors", receive_errors_, "error counter of the controller");
  declaring.output(
      "bus.load", load_, "",
      "share of the last 100 ms in which the bus was busy, at most, with the frames that were seen");
  declaring.output("bus.queue_full", queue_full_, "messages that a full queue did not take");
  declaring.output("bus.overflow", overflow_, "received frames that found no room");
  declaring.output("bus.unknown", unknown_, "received frames of other messages");
  declaring.output("bus.restarts", restarts_, "restarts of the controller after bus-off");
  declaring.output("bus.restarts_left", restarts_left_,
                   "restarts that `on_bus_off` still has in a row; -1: without a limit");
  d.job<&CanModel::receive>("receive", JobClass::top_of_frame);
  d.job<&CanModel::send>("send", JobClass::effector_emitter);
  d.job<&CanModel::restart>("restart", JobClass::restart);
  d.job<&CanModel::end>("end", JobClass::shutdown);
}

bool CanModel::needs_fd() const {
  const auto is_fd = [](const auto& each) { return each.message().fd; };
  return (replay_ != nullptr && replay_->has_fd()) || std::any_of(sent_.begin(), sent_.end(), is_fd) ||
         std::any_of(received_.begin(), received_.end(), is_fd);
}

void CanModel::open(const OpenRequest& request) {
  const bool fd = needs_fd();
  for (SentMessage& each : sent_) each.know(times_->of(empty_frame_of(each.message())), !settings_.is_unix());
  port_ = open_port_(settings_, rates_, fd);
  for (Station& each : stations_)
    each.open(settings_.interface, !settings_.is_simulated() && !settings_.is_unix());
  if (!settings_.raw.file.empty()) open_raw(request.folder);
  if (settings_.on_bus_off.restarts()) port_->wait_for_restart();
  if (!settings_.is_simulated() && !settings_.is_unix()) link_ = link_facts_of(settings_.interface);
  sender_ = settings_.is_simulated() ? kBySimulation : port_->is_timed_by_kernel() ? kByKernel : kByThread;
  sent_by_ = sender_;
  if (!link_.kind.empty() && !sent_.empty()) (void)log_.put({LogEntry::Kind::sent_by, 0, sent_by_, 0});
  bus_off_.begin();  // the keys are read now
  restarts_left_ = bus_off_.left();
  open_.store(port_.get(), std::memory_order_release);
  shared_.opened(fd, [this, fd] { return open_port_(settings_, rates_, fd); });
  if (request.guarded && has_safe_values()) guard();
}

void CanModel::open_raw(const std::filesystem::path& folder) {
  const std::filesystem::path file = settings_.raw.file;
  if (file.is_relative() && folder.empty())
    throw std::runtime_error("raw.file: this rig has no folder of its run; write an absolute path");
  const std::int64_t now = settings_.is_simulated() ? 0 : read_clock(CLOCK_MONOTONIC);
  const std::int64_t realtime = settings_.is_simulated() ? 0 : read_clock(CLOCK_REALTIME) - now;
  raw_ = std::make_unique<RawLog>((folder / file).string(), settings_.raw.format, settings_.interface, now,
                                  realtime);
}

/// Lets a process of its own send the safe values when this one is killed. Before the frames begin: it is a copy of this
/// one, and shares the counters alone.
void CanModel::guard() {
  const bool any = std::ranges::any_of(sent_, [](const SentMessage& each) { return each.has_safe_values(); });
  if (!any || port_->descriptor() < 0) return;
  counters_ = std::make_unique<SharedState>(sent_.size());
  for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i].share_counter(counters_->counter(i));
  is_safe_for_good_ = &counters_->is_safe_for_good();
  guard_ = std::make_unique<Guard>(
      port_->descriptor(), [](void* self) { (void)static_cast<CanModel*>(self)->drive_safe(true); }, this);
}

int CanModel::receive(const Call& call) {
  if (port_ == nullptr) return fail_with("the interface was not opened");
  period_ = std::llround(call.dt * 1e9);
  port_->begin(call.sim_time_ns, period_);
  PortEvent event;
  follow_fault();
  for (int i = 0; i < kMostEvents && port_->receive(event, settings_.delivery == Delivery::timestamp); ++i)
    if (is_held_off_ && event.kind == PortEvent::Kind::received)
      ++off_count_;
    else if (const int status = take(event, call.sim_time_ns); status != 0)
      return status;
  std::uint32_t index = 0;
  for (ReceivedMessage& each : received_) {
    const std::uint32_t i = index++;
    const ReceivedMessage::Change change = each.look(call.sim_time_ns);
    if (change == ReceivedMessage::Change::none) continue;
    const bool missing = change == ReceivedMessage::Change::missing;
    (void)log_.put({missing ? LogEntry::Kind::missing : LogEntry::Kind::back, i, 0, call.sim_time_ns});
  }
  count_load(call.sim_time_ns);
  return show_bus(call.sim_time_ns);
}

void CanModel::give(ReceivedMessage& message, const CanFrame& frame, std::int64_t now) TACTUS_RT {
  const std::uint64_t wrong = message.checksum_errors();
  message.receive(frame, now);
  if (wrong > 0 || message.checksum_errors() == 0) return;
  for (std::uint32_t i = 0; i < received_.size(); ++i)
    if (&received_[i] == &message) (void)log_.put({LogEntry::Kind::checksum, i, 0, now});
}

int CanModel::take(const PortEvent& event, std::int64_t now) TACTUS_RT {
  if (event.tag != PortEvent::kNoTag && (event.tag & kDelayedTag) != 0) {
    PortEvent plain = event;
    plain.tag &= ~kDelayedTag;
    if (plain.tag >= sent_.size()) return 0;
    plain.planned -= sent_[plain.tag].injected_delay();
    if (plain.kind != PortEvent::Kind::taken) return take(plain, now);
    sent_[plain.tag].taken(plain.planned, plain.stamp, true);
    return 0;
  }
  switch (event.kind) {
    case PortEvent::Kind::received: {
      if (raw_) raw_->put(event.frame, event.stamp, false);
      busy_ += times_->of(event.frame);
      const std::uint64_t key = key_of(event.frame.id, event.frame.extended);
      const IdIndex::Range found = known_by_id_.find(key);
      bool is_dialogue = false;
      for (Station& each : stations_) is_dialogue = each.receive(event.frame, now) || is_dialogue;
      if (is_dialogue) break;
      if (event.frame.remote || found.begin == found.end) {
        ++unknown_;
        break;
      }
      for (std::size_t i = found.begin; i < found.end; ++i) give(*known_[i].message, event.frame, now);
      break;
    }
    case PortEvent::Kind::taken:
      if (event.tag < sent_at_.size()) sent_at_[event.tag]->taken(event.planned, event.stamp, false);
      break;
    case PortEvent::Kind::echo:
      if (raw_) raw_->put(event.frame, event.stamp, true);
      busy_ += times_->of(event.frame);
      if (SentMessage* const message = sent_by(event)) message->echoed(event.stamp, port_->is_disturbed());
      break;
    case PortEvent::Kind::full:
      if (queue_full_ == 0) (void)log_.put({LogEntry::Kind::queue_full, event.tag, 0, now});
      queue_full_ += 1;
      if (event.tag < sent_.size() && settings_.on_full != OnFull::retry) sent_[event.tag].missed();
      if (settings_.on_full == OnFull::terminate)
        return fail_with("the controller's queue is full (on_full: terminate)");
      break;
    case PortEvent::Kind::lost:
      if (overflow_ == 0) (void)log_.put({LogEntry::Kind::overflow, 0, 0, now});
      overflow_ += event.count;
      forget_before(std::numeric_limits<std::int64_t>::max());  // echoes may be among them
      break;
    case PortEvent::Kind::status:
      take_status(event.status, event.stamp);
      break;
    case PortEvent::Kind::restarted:
      ++restarts_;
      bus_off_.restarted();
      forget_before(event.stamp);
      (void)log_.put({LogEntry::Kind::restarted, 0, 0, now});
      break;
    case PortEvent::Kind::restart_failed:
      if (!std::exchange(has_failed_, true))
        (void)log_.put({LogEntry::Kind::restart_failed, 0, event.error, now});
      break;
    case PortEvent::Kind::not_realtime:
      (void)log_.put({LogEntry::Kind::not_realtime, 0, event.error, now});
      break;
    case PortEvent::Kind::failed:
      if (event.tag < sent_.size()) {
        if (sent_[event.tag].not_sent() == 0)
          (void)log_.put({LogEntry::Kind::send_failed, event.tag, event.error, now});
        sent_[event.tag].missed();
      } else if (!std::exchange(has_unnamed_failed_, true)) {
        (void)log_.put({LogEntry::Kind::send_failed, event.tag, event.error, now});
      }
      break;
    case PortEvent::Kind::discarded:
      if (event.tag < sent_.size()) sent_[event.tag].missed();
      break;
  }
  return 0;
}

SentMessage* CanModel::sent_by(const PortEvent& event) TACTUS_RT {
  if (event.tag != PortEvent::kNoTag) return event.tag < sent_at_.size() ? sent_at_[event.tag] : nullptr;
  const IdIndex::Range found = tags_by_id_.find(key_of(event.frame.id, event.frame.extended));
  return found.begin < found.end ? sent_at_[tags_[found.begin].second] : nullptr;
}

/// Forgets what was under way to the bus by then: it has no echo.
void CanModel::forget_before(std::int64_t stamp) TACTUS_RT {
  for (SentMessage& each : sent_) each.forget_before(stamp);
}

void CanModel::take_status(const BusStatus& status, std::int64_t stamp) TACTUS_RT {
  const bool is_other = status.state != status_.state;
  status_ = status;
  if (!is_other) return;
  if (status.state == BusState::down) forget_before(stamp);
  (void)log_.put({LogEntry::Kind::state, 0, static_cast<std::int32_t>(status.state), 0});
  if (status.state == BusState::bus_off) bus_off_.fell_off();
}

void CanModel::count_load(std::int64_t now) TACTUS_RT {
  if (now < window_begin_) window_begin_ = now;
  if (now - window_begin_ < kLoadWindow) return;
  load_ = static_cast<double>(busy_) / static_cast<double>(now - window_begin_);
  busy_ = 0;
  window_begin_ = now;
}

/// Hands a frame over. One that a fault delays has this in its tag, so that its true time is known.
bool CanModel::put(SentMessage& message, std::uint32_t index, const CanFrame& frame) TACTUS_RT {
  const std::int64_t usual = settings_.at.count() > 0 ? settings_.at.count() : period_ / 2;
  std::int64_t offset = message.at() >= 0 ? message.at() : usual;
  if (message.faults().take(MessageFault::late)) {
    offset += message.injected_delay();
    index |= kDelayedTag;
  }
  return port_->send(frame, index, offset);
}

int CanModel::send(const Call& call) {
  if (port_ == nullptr) return fail_with("the interface was not opened");
  const bool is_off = is_held_off_;
  if (is_rounded_.load(std::memory_order_relaxed)) [[unlikely]]
    say_rounded();
  CanFrame frame;
  const auto count = static_cast<std::uint32_t>(sent_at_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    SentMessage& message = *sent_at_[i];
    MessageFaults& faults = message.faults();
    if (!message.is_due(call.sim_time_ns) && !faults.take(MessageFault::extra)) continue;
    message.make(frame);
    if (is_off) {
      ++off_count_;
      message.missed();
      continue;
    }
    if (faults.take(MessageFault::missing)) continue;
    const bool fits = put(message, i, frame) && (!faults.take(MessageFault::twice) || put(message, i, frame));
    if (fits) continue;
    message.missed();
    if (const int status = find_no_room(i, call.sim_time_ns); status != 0) return status;
  }
  if (!is_off && replay_)
    if (const int status = send_replay(call); status != 0) return status;
  if (const int status = ask_stations(call.sim_time_ns, is_off); status != 0) return status;
  port_->handed();
  return 0;
}

/// Takes note that the queue takes no frame of a message, or of `kDialogueTag`. Returns what the job answers.
int CanModel::find_no_room(std::uint32_t index, std::int64_t now) TACTUS_RT {
  if (queue_full_ == 0) (void)log_.put({LogEntry::Kind::queue_full, index, 0, now});
  ++queue_full_;
  if (settings_.on_full != OnFull::terminate) return 0;
  return fail_with("the queue is full: `queue` messages wait for the bus (on_full: terminate)");
}

int CanModel::send_replay(const Call& call) TACTUS_RT {
  CanFrame frame;
  std::int64_t offset = 0;
  while (replay_->next(frame, offset, call.sim_time_ns, std::llround(call.dt * 1e9)))
    if (port_->send(frame, kDialogueTag, offset))
      replay_->handed_over();
    else if (const int status = find_no_room(kDialogueTag, call.sim_time_ns); status != 0)
      return status;
  return 0;
}

/// Sends what requests to stations and their answers need.
int CanModel::ask_stations(std::int64_t now, bool is_off) TACTUS_RT {
  constexpr int kMostFrames = 16;  // of one station, in one frame of the rig
  const std::int64_t offset = settings_.at.count() > 0 ? settings_.at.count() : period_ / 2;
  CanFrame frame;
  for (Station& each : stations_) {
    each.step(now, is_off);
    for (int i = 0; i < kMostFrames && each.next(frame, now); ++i) {
      if (is_off || port_->send(frame, kDialogueTag, offset)) continue;
      if (const int status = find_no_room(kDialogueTag, now); status != 0) return status;
    }
  }
  return 0;
}

int CanModel::restart(const Call& call) {
  if (port_ != nullptr) port_->forget();
  for (ReceivedMessage& each : received_) each.restart(call.sim_time_ns);
  for (SentMessage& each : sent_) each.restart(call.sim_time_ns);
  for (Station& each : stations_) each.restart();
  if (replay_) replay_->restart(call.sim_time_ns);
  bus_off_.begin();
  is_held_off_ = false;
  busy_ = 0;
  window_begin_ = call.sim_time_ns;
  return 0;
}

void CanModel::end() {
  if (raw_) raw_->finish();  // so that all of its frames are counted
  (void)log_.put({LogEntry::Kind::ended, 0, 0, 0});
}

int CanModel::fail_with(const char* why) const TACTUS_RT {
  std::array<char, 256> text{};
  (void)std::snprintf(text.data(), text.size(), "CAN %s: %s", settings_.interface.c_str(), why);
  fail(text.data());
  return 1;
}

const tactus_driver* can_entry() {
  using namespace tactus::detail;
  return entry<CanModel>(
      "model", "can", "A CAN bus as a model: signals of a DBC database, received and sent",
      [] {
        tactus_model_functions all = model_functions<CanModel>();
        all.declare = [](const tactus_host* host, void* self) {
          static_cast<CanModel&>(driver_of(self)).use(*host);
          return declare_model(host, self);
        };
        return all;
      },
      &make_driver<CanModel, Model>, &destroy_driver<Model>);
}

}  // namespace tactus::drivers::can
