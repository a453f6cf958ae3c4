// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/linked_rig.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "config/date.hpp"
#include "drivers/link/exchange.hpp"
#include "drivers/link/participant.hpp"
#include "drivers/link/peer_commands.hpp"
#include "drivers/link/port.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::drivers::link {
namespace {

std::int64_t load(const std::atomic<std::int64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

class LinkedRig final : public executive::Link {
 public:
  LinkedRig(const LinkSettings& settings, const std::string& rig, const rtsync::Period& frame,
            const rtsync::Period& real_frame, Signals signals)
      : settings_(settings),
        rig_(rig),
        frame_(frame),
        signals_(std::move(signals)),
        exchange_(signals_.largest_in(), signals_.bytes_out(), static_cast<std::size_t>(settings.queue),
                  signals_.networks.size(), frame_.times(frames_per_step(settings, frame_)).count()),
        port_(settings_, frame_, real_frame, signals_, exchange_),
        participant_(settings_, rig, frame_, real_frame, signals_, exchange_) {}

  LinkMode mode() const override { return settings_.mode; }
  bool records() const override { return settings_.record; }
  config::Node resolved() const override { return link_fields().to_node(settings_); }
  const std::deque<executive::Variable>& variables() const override { return port_.variables(); }
  std::vector<executive::VariableRef> inputs() const override { return signals_.inputs(); }
  std::vector<executive::LinkSignal> signals() const override { return signals_.list(); }
  std::string own_name() const override { return settings_.participant.value_or(rig_); }
  executive::LinkFrames& frames() override { return port_; }

  void record_to(const std::filesystem::path& folder) override {
    if (!settings_.record || signals_.networks.empty()) return;
    try {
      recorder_.emplace(folder, names_of(signals_.networks));
    } catch (const std::runtime_error& error) {
      throw executive::DeviceError(error.what());
    }
    port_.record_frames(*recorder_);
  }
  bool takes_commands() const override { return !settings_.commands.empty(); }
  void serve(executive::LiveRig& rig) override { participant_.commands().serve(rig); }
  void join(executive::LinkCommands& commands, const rtsync::ThreadSettings& helper,
            std::int64_t first) override {
    try {
      port_.open_buses();
    } catch (const std::runtime_error& error) {
      throw executive::DeviceError(std::string("can: ") + error.what());
    }
    participant_.commands().first_frame(first);
    participant_.join(commands, helper);
  }
  void cancel() override { participant_.cancel(); }
  void ready() override { participant_.ready(); }
  std::vector<std::string> take_log_lines() override;
  std::vector<std::string> describe() const override;
  std::string ending() const override;
  std::string status() const override {
    switch (exchange_.federation.load(std::memory_order_relaxed)) {
      case Federation::assembling:
        return "link: waiting for the peers";
      case Federation::left:
        return "link: unlinked";
      case Federation::running:
        break;
    }
    const std::int64_t granted = load(exchange_.granted) + 1;
    const std::int64_t done = load(exchange_.steps_done);
    return settings_.mode == LinkMode::free ? "linked"
           : done > granted                 ? "linked, " + std::to_string(done - granted) + " steps behind"
                                            : "linked" + late_text();
  }
  void leave(const executive::LinkEnd& end) override {
    participant_.leave(end);
    if (recorder_) recorder_->end();
  }
  config::Json summary(bool stuck) const override;
  config::Json knowledge() const override;
  std::vector<pid_t> threads() const override { return participant_.threads(); }

 private:
  std::int64_t step_ns() const { return frame_.times(frames_per_step(settings_, frame_)).count(); }
  std::string late_text() const;
  std::string injected_text() const;
  std::int64_t lost_out() const;
  /// Frames of all CAN networks that were lost, and that did not fit.
  std::pair<std::int64_t, std::int64_t> can_losses() const;
  config::Json can_summary() const;

  const LinkSettings settings_;
  const std::string rig_;
  const rtsync::Period frame_;
  Signals signals_;
  Exchange exchange_;
  std::optional<CanRecorder> recorder_;
  Port port_;
  Participant participant_;
  std::chrono::steady_clock::time_point told_{};
  std::int64_t told_late_ = 0;
  std::int64_t told_old_ = 0;
  std::int64_t told_lost_ = 0;
  std::int64_t told_can_lost_ = 0;
};

/// ", 3 late": grants; empty when none was.
std::string LinkedRig::late_text() const {
  const std::int64_t late = load(exchange_.late_grants);
  if (late == 0) return "";
  return ", " + std::to_string(late) + " late grants (worst " +
         rtsync::duration_text(load(exchange_.worst_lateness_ns)) + ")";
}

/// ", of which 2 injected: ...": empty where no fault of the rig withheld messages.
std::string LinkedRig::injected_text() const {
  const std::int64_t old = load(exchange_.too_old_injected);
  if (old == 0) return "";
  return ", of which " + std::to_string(old) + " injected: a fault of the rig withheld messages (faults:)";
}

/// Messages that no peer was given; at the end also those of steps that were not granted any more.
std::int64_t LinkedRig::lost_out() const {
  const bool over = exchange_.federation.load() == Federation::left;
  const std::int64_t records =
      load(exchange_.outgoing_lost) + (over ? static_cast<std::int64_t>(exchange_.outbox.size()) : 0);
  return records * static_cast<std::int64_t>(signals_.publications.size()) +
         (over ? static_cast<std::int64_t>(exchange_.can_outbox.size()) : 0) + load(exchange_.publish_failed);
}

std::pair<std::int64_t, std::int64_t> LinkedRig::can_losses() const {
  std::pair<std::int64_t, std::int64_t> all;
  for (const CanTraffic& each : exchange_.can) {
    all.first += load(each.lost) + load(each.lost_in_frames);
    all.second += load(each.mismatched);
  }
  return all;
}

/// An object of each CAN network, by its name in the rig file.
config::Json LinkedRig::can_summary() const {
  config::Json all = config::Json::object();
  for (std::size_t i = 0; i < signals_.networks.size(); ++i) {
    const CanTraffic& traffic = exchange_.can[i];
    all[signals_.networks[i].name] = {{"network", signals_.networks[i].network},
                                      {"interface", signals_.networks[i].bus->interface()},
                                      {"to_virtual", load(traffic.to_virtual)},
                                      {"acknowledged", load(traffic.acknowledged)},
                                      {"to_real", load(traffic.to_real)},
                                      {"mismatched", load(traffic.mismatched)},
                                      {"lost", load(traffic.lost) + load(traffic.lost_in_frames)}};
  }
  return all;
}

/// Late grants, old data and lost messages at most once a second: warned of again and again, but never in a
/// flood.
std::vector<std::string> LinkedRig::take_log_lines() {
  std::vector<std::string> lines = participant_.take_log_lines();
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < std::chrono::seconds(1)) return lines;
  told_ = now;
  const auto tell = [&](std::int64_t& told, std::int64_t count, const std::string& before,
                        const std::string& after) {
    if (count > told) lines.push_back(before + std::to_string(count) + after);
    told = count;
  };
  const std::int64_t late = load(exchange_.late_grants);
  tell(told_late_, late, std::to_string(late - told_late_) + " grants were late, ",
       " so far; the worst by " + rtsync::duration_text(load(exchange_.worst_lateness_ns)));
  tell(told_old_, load(exchange_.too_old), "data of a subscription became older than its max_age, ",
       " times so far" + injected_text());
  tell(told_lost_, lost_out(), "",
       " messages to peers were lost so far: their steps were granted too late (raise link.queue), or the "
       "library refused them");
  tell(told_can_lost_, can_losses().first, "",
       " CAN frames were lost so far: a queue had no room for them (raise link.queue, or queue of the "
       "model), or a controller did not send them; link.<network>.lost tells which network");
  return lines;
}

std::string LinkedRig::ending() const {
  const ParticipantFacts facts = participant_.facts();
  std::string text = late_text();
  const auto messages = [&text](std::int64_t count, const char* what) {
    if (count > 0) text += ", " + std::to_string(count) + what;
  };
  messages(lost_out(), " messages to peers lost");
  messages(load(exchange_.incoming_lost), " messages from peers lost");
  messages(load(exchange_.mismatched), " messages that did not fit");
  messages(can_losses().first, " CAN frames lost");
  messages(can_losses().second, " CAN frames that did not fit");
  if (recorder_ && recorder_->lost() > 0) text += ", " + missing_in_record(recorder_->lost());
  messages(load(exchange_.withheld), " messages withheld by faults of the rig (injected)");
  if (facts.degraded) return "continued unlinked" + text;
  return text.empty() ? "" : text.substr(2);
}

std::vector<std::string> LinkedRig::describe() const {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& what, const std::string& value) {
    lines.push_back(what + std::string(what.size() < 12 ? 12 - what.size() : 1, ' ') + value);
  };
  const auto variables = [](const Signal& signal) {
    std::string text = rtsync::joined(signal.layout.elements, ", ", &Element::name);
    return text + " (topic " + signal.topic + ", " + signal.media_type + ")";
  };
  add("participant",
      settings_.participant.value_or(rig_) + " at " + settings_.registry + ", library " + settings_.library);
  add("mode", std::string(executive::name_of(settings_.mode)) +
                  (settings_.mode == LinkMode::free
                       ? ""
                       : ", steps of " + rtsync::duration_text(step_ns()) + " (" +
                             std::to_string(frames_per_step(settings_, frame_)) + " frames)"));
  for (const Publication& publication : signals_.publications) add("publishes", variables(publication));
  for (const Subscription& subscription : signals_.subscriptions) add("subscribes", variables(subscription));
  for (const CanNetwork& network : signals_.networks)
    add("CAN",
        "network " + network.network + " beside " + network.bus->interface() + " of model " + network.model);
  for (const CommandSettings& command : settings_.commands)
    add("commands", std::string(name_of(command.command)) + " (function " + command.called() + ")");
  return lines;
}

config::Json LinkedRig::knowledge() const {
  const ParticipantFacts facts = participant_.facts();
  const PeerCommands::Counts commands = participant_.commands().counts();
  config::Json peers = config::Json::array();
  for (const PeerFacts& peer : participant_.peers())
    peers.push_back(
        {{"name", peer.name},
         {"state", peer.state.empty() ? config::Json(nullptr) : config::Json(peer.state)},
         {"reason", peer.reason},
         {"entered", peer.entered_ns == 0 || peer.entered_ns > INT64_MAX
                         ? config::Json(nullptr)
                         : config::Json(config::print_date(static_cast<std::int64_t>(peer.entered_ns)))},
         {"connected", peer.connected}});
  const Federation federation = exchange_.federation.load(std::memory_order_relaxed);
  const std::int64_t granted = load(exchange_.granted) + 1;
  const std::int64_t done = load(exchange_.steps_done);
  const std::int64_t newest = load(exchange_.newest_arrival_ns);
  const bool timed = settings_.mode != LinkMode::free;
  return {
      {"participant", facts.participant},
      {"library", facts.library},
      {"registry", facts.registry},
      {"state", facts.state},
      {"federation", federation == Federation::assembling ? "assembling"
                     : federation == Federation::running  ? "running"
                                                          : "left"},
      {"error", facts.error},
      {"peers", std::move(peers)},
      {"grants",
       timed ? config::Json{{"step_ns", step_ns()},
                            {"granted", granted},
                            {"done", done},
                            {"behind", std::max<std::int64_t>(0, done - granted)},
                            {"age_ns",
                             newest == 0
                                 ? config::Json(nullptr)
                                 : config::Json(rtsync::monotonic_now().time_since_epoch().count() - newest)},
                            {"late", load(exchange_.late_grants)},
                            {"worst_lateness_ns", load(exchange_.worst_lateness_ns)}}
             : config::Json(nullptr)},
      {"messages",
       {{"in", load(exchange_.messages_in)},
        {"out", load(exchange_.messages_out)},
        {"mismatched", load(exchange_.mismatched)},
        {"too_old", load(exchange_.too_old)},
        {"too_old_injected", load(exchange_.too_old_injected)},
        {"withheld", load(exchange_.withheld)},
        {"lost_in", load(exchange_.incoming_lost)},
        {"lost_out", lost_out()}}},
      {"commands", {{"calls", commands.calls}, {"refused", commands.refused}}}};
}

config::Json LinkedRig::summary(bool stuck) const {
  const ParticipantFacts facts = participant_.facts();
  // What the frames count on their own is not known while a thread may still be in one.
  const PortTotals totals = stuck ? PortTotals{} : port_.totals();
  const PortStatus status = stuck ? PortStatus{} : port_.status();
  const auto known = [stuck](std::int64_t value) {
    return stuck ? config::Json(nullptr) : config::Json(value);
  };
  const TimeMapping& mapping = port_.mapping();
  const PeerCommands::Counts commands = participant_.commands().counts();
  return {
      {"participant", facts.participant},
      {"library", facts.library},
      {"registry", facts.registry},
      {"mode", executive::name_of(settings_.mode)},
      {"state", facts.state},
      {"error", facts.error},
      {"refused_calls", facts.refused_calls},
      {"step_ns", step_ns()},
      {"steps", known(totals.steps)},
      {"steps_completed", facts.steps_completed},
      {"late_grants", load(exchange_.late_grants)},
      {"max_consecutive_late", known(totals.max_consecutive_late)},
      {"worst_lateness_ns", load(exchange_.worst_lateness_ns)},
      {"worst_step", known(totals.worst_step)},
      {"too_old", load(exchange_.too_old)},
      {"too_old_injected", load(exchange_.too_old_injected)},
      {"messages",
       {{"in", load(exchange_.messages_in)},
        {"out", load(exchange_.messages_out)},
        {"applied", known(status.messages)},
        {"late", known(status.messages_late)},
        {"withheld", load(exchange_.withheld)},
        {"mismatched", load(exchange_.mismatched)},
        {"lost_in", load(exchange_.incoming_lost) + totals.pending_lost},
        {"lost_out", lost_out()}}},
      {"can", can_summary()},
      {"commands", {{"calls", commands.calls}, {"refused", commands.refused}}},
      {"degraded", facts.degraded || exchange_.degrade.load()},  // the library may not let the courier say so
      {"mapping",
       {{"first_frame", mapping.first_frame},
        {"first_virtual_ns", mapping.first_virtual.time_since_epoch().count()},
        {"period", {{"num_ns", frame_.num()}, {"den", frame_.den()}}}}},
  };
}

}  // namespace

std::unique_ptr<executive::Link> make_linked_rig(const LinkSettings& settings, const std::string& rig,
                                                 const rtsync::Period& frame,
                                                 const rtsync::Period& real_frame, Signals signals) {
  return std::make_unique<LinkedRig>(settings, rig, frame, real_frame, std::move(signals));
}

}  // namespace tactus::drivers::link
