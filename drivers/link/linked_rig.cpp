#include "drivers/link/linked_rig.hpp"

#include <utility>

#include "drivers/link/exchange.hpp"
#include "drivers/link/participant.hpp"
#include "drivers/link/port.hpp"
#include "rtsync/duration_text.hpp"

namespace tactus::drivers::link {
namespace {

using executive::LinkVerdict;

class LinkedRig final : public executive::Link {
 public:
  LinkedRig(const LinkSettings& settings, const std::string& rig, const rtsync::Period& frame,
            Signals signals)
      : settings_(settings),
        frame_(frame),
        signals_(std::move(signals)),
        exchange_(signals_.largest_in(), signals_.bytes_out(), static_cast<std::size_t>(settings.queue)),
        port_(settings_, frame_, signals_, exchange_),
        participant_(settings_, rig, frame_, signals_, exchange_) {}

  LinkMode mode() const override { return settings_.mode; }
  bool records() const override { return settings_.record; }
  config::Node resolved() const override { return link_fields().to_node(settings_); }
  const std::deque<executive::Variable>& variables() const override { return port_.variables(); }
  std::vector<executive::VariableRef> inputs() const override {
    std::vector<executive::VariableRef> all;
    for (const Subscription& subscription : signals_.subscriptions)
      all.insert(all.end(), subscription.variables.begin(), subscription.variables.end());
    return all;
  }
  void redirect(const std::function<const void*(const executive::ModelInstance*, const void*, std::size_t)>&
                    where) override {
    port_.redirect(where);
  }

  void join(executive::LinkOrders& orders, const rtsync::ThreadSettings& helper) override {
    participant_.join(orders, helper);
  }
  void cancel() override { participant_.cancel(); }
  void ready() override { participant_.ready(); }
  std::vector<std::string> tell() override { return participant_.tell(); }
  std::string status() const override {
    switch (exchange_.federation.load(std::memory_order_relaxed)) {
      case Federation::assembling:
        return "link: waiting for the others";
      case Federation::left:
        return "link: unlinked";
      case Federation::running:
        break;
    }
    const std::int64_t granted = exchange_.granted.load(std::memory_order_relaxed) + 1;
    const std::int64_t done = exchange_.steps_done.load(std::memory_order_relaxed);
    return settings_.mode == LinkMode::free ? "linked"
           : done > granted                 ? "linked, " + std::to_string(done - granted) + " steps behind"
                                            : "linked, on time";
  }
  void leave(const executive::LinkEnd& end) override { participant_.leave(end); }
  config::Json summary() const override;
  std::vector<pid_t> threads() const override { return participant_.threads(); }

  void start(std::int64_t first) TACTUS_RT override { port_.start(first); }
  bool may_begin(std::int64_t k, bool paced) TACTUS_RT override { return port_.may_begin(k, paced); }
  bool wait(std::int64_t k, bool paced, MonotonicInstant deadline) TACTUS_RT override {
    for (;;) {
      const std::uint32_t seen = exchange_.changed.value();
      if (port_.may_begin(k, paced)) return true;
      if (exchange_.changed.wait(seen + 1, rtsync::WaitMode::adaptive, deadline) ==
          rtsync::Gate::Result::timeout)
        return port_.may_begin(k, paced);
    }
  }
  LinkVerdict begin_frame(const executive::FrameStart& frame) TACTUS_RT override {
    return port_.begin_frame(frame);
  }
  void end_frame(std::int64_t k) TACTUS_RT override { port_.end_frame(k); }
  void freeze(const char* why) TACTUS_RT override { port_.freeze(why); }
  void unfreeze() TACTUS_RT override { port_.unfreeze(); }
  const char* verdict_reason() const TACTUS_RT override { return port_.verdict_reason(); }

 private:
  const LinkSettings settings_;
  const rtsync::Period frame_;
  Signals signals_;
  Exchange exchange_;
  Port port_;
  Participant participant_;
};

config::Json LinkedRig::summary() const {
  const ParticipantFacts facts = participant_.facts();
  const PortTotals& totals = port_.totals();
  const PortStatus& status = port_.status();
  const TimeMapping& mapping = port_.mapping();
  const auto count = [](const std::atomic<std::int64_t>& counter) { return counter.load(); };
  return {
      {"participant", facts.participant},
      {"library", facts.library},
      {"registry", settings_.registry},
      {"mode", executive::name_of(settings_.mode)},
      {"state", facts.state},
      {"error", facts.error},
      {"refused_calls", facts.refused_calls},
      {"step_ns", frame_.times(frames_per_step(settings_, frame_)).count()},
      {"steps", totals.steps},
      {"steps_completed", facts.steps_completed},
      {"late_grants", totals.late},
      {"max_consecutive_late", totals.max_consecutive_late},
      {"worst_lateness_ns", totals.worst_lateness_ns},
      {"worst_step", totals.worst_step},
      {"too_old", totals.too_old},
      {"messages",
       {{"in", count(exchange_.messages_in)},
        {"out", count(exchange_.messages_out)},
        {"applied", status.messages},
        {"late", status.messages_late},
        {"mismatched", count(exchange_.mismatched)},
        {"lost_in", count(exchange_.incoming_lost) + totals.pending_lost},
        {"lost_out", count(exchange_.outgoing_lost) + count(exchange_.publish_failed)}}},
      {"degraded", facts.degraded},
      {"mapping",
       {{"first_frame", mapping.first_frame},
        {"first_virtual_ns", mapping.first_virtual.time_since_epoch().count()},
        {"period", {{"num_ns", frame_.num()}, {"den", frame_.den()}}}}},
  };
}

}  // namespace

std::unique_ptr<executive::Link> make_linked_rig(const LinkSettings& settings, const std::string& rig,
                                                 const rtsync::Period& frame, Signals signals) {
  return std::make_unique<LinkedRig>(settings, rig, frame, std::move(signals));
}

}  // namespace tactus::drivers::link
