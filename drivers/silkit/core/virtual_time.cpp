// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/virtual_time.hpp"

#include <cassert>
#include <string>
#include <utility>

#include "drivers/silkit/core/lifecycle.hpp"
#include "drivers/silkit/core/metrics.hpp"
#include "drivers/silkit/core/monitor.hpp"
#include "drivers/silkit/wire/uri.hpp"

namespace tactus::silkit {
namespace {

constexpr std::string_view kTimeSyncService = "TimeSyncService";
constexpr std::int64_t kMostTime = INT64_MAX / 2;
constexpr double kNsPerSecond = 1e9;

/// A sum that no clock will ever show is the end of time.
std::int64_t after(std::int64_t since_ns, double wait_ns) {
  return wait_ns < 0x1p63 ? later_time(since_ns, static_cast<std::int64_t>(wait_ns)) : INT64_MAX;
}

}  // namespace

VirtualTime::VirtualTime(EngineHost& host, Lifecycle& lifecycle, Monitor& monitor)
    : host_(host),
      lifecycle_(lifecycle),
      monitor_(monitor),
      steps_(host.senders().link(kDefaultNetwork, message_type::kNextSimTask)) {
  steps_.steps = true;
}

void VirtualTime::create() {
  if (!lifecycle_.created())
    throw Refusal(Code::wrong_state, "participant " + host_.participant() + " has no lifecycle service");
  if (created_)
    throw Refusal(Code::configuration,
                  "participant " + host_.participant() + " has a time sync service already");
  if (lifecycle_.started())
    throw Refusal(Code::logic, "a time sync service has to be created before the lifecycle is started");
  created_ = true;
}

void VirtualTime::on_step(StepHandler handler, std::int64_t step_ns, bool asynchronous) {
  handler = wanted(std::move(handler));
  if (handler_ && lifecycle_.started() && asynchronous_ != asynchronous)
    throw Refusal(Code::logic, "blocking and asynchronous step handlers of one participant cannot be mixed");
  set_step(step_ns);
  handler_ = std::move(handler);
  asynchronous_ = asynchronous;
}

void VirtualTime::set_step(std::int64_t step_ns) {
  if (step_ns <= 0)
    throw Refusal(Code::unspecified, "the size of a step must be above 0 ns and below 2^63 ns");
  sync_.set_step(step_ns);
}

void VirtualTime::warn_without_handler() const {
  if (created_ && !handler_)
    host_.log(LogTopic::time_sync, LogSink::Level::warn,
              "the time sync service has no step handler: its steps are empty");
}

void VirtualTime::announce() {
  service_ = host_.services().announce_internal(
      std::string(kTimeSyncService),
      {{"TimeSyncActive", created_ ? "1" : "0"},
       {"TimeSyncDynamicStepSize", host_.settings().dynamic_step.value_or(false) ? "1" : "0"}});
}

void VirtualTime::service_changed(PeerId peer, const ServiceDescriptor& service, bool created) {
  if (!created || service.attribute("controller.type") != kTimeSyncService ||
      service.attribute("TimeSyncActive") != "1")
    return;
  const PeerInfo* const info = host_.peer(peer);
  if (info == nullptr || sync_.has(peer)) return;
  sync_.add(peer, service.attribute("TimeSyncDynamicStepSize") == "1");
  if (!created_) return;
  if (!lifecycle_.coordinated() && !has_capability(info->capabilities, "autonomous-synchronous")) {
    host_.log(LogTopic::life_cycle, LogSink::Level::error,
              "participant " + info->name +
                  " knows nothing of participants that come late: the simulation is aborted");
    monitor_.tell_abort();
    host_.when_idle([this] { lifecycle_.abort(); });
    return;
  }
  if (const auto position = sync_.position()) send(*position);  // what was said before, it has not heard
}

void VirtualTime::receive(const Sender& from, std::uint64_t, ByteView body) {
  const NextSimTask task = decode<NextSimTask>(body);
  if (task.time_ns < -1 || task.time_ns > kMostTime || task.duration_ns < 0)
    throw WireError("it wants a step at " + std::to_string(task.time_ns) + " ns");
  if (!sync_.update(from.peer, task) && sync_.has(from.peer)) {
    if (const auto suffix = went_back_[from.peer].suffix(host_.steady_ns()))
      host_.log(LogTopic::time_sync, LogSink::Level::warn,
                "virtual time of " + host_.peer(from.peer)->name + " went back" + *suffix);
  }
  try_step();
  tell_others_completed();
}

void VirtualTime::peer_left(PeerId peer, const std::string& name) {
  const auto went_back = went_back_.extract(peer);
  if (const std::uint64_t times = went_back.empty() ? 0 : went_back.mapped().left_out(); times > 0)
    host_.log(LogTopic::time_sync, LogSink::Level::warn,
              "virtual time of " + name + " went back " + std::to_string(times) + " times more");
  sync_.remove(peer);
}

void VirtualTime::send(const NextSimTask& task) { host_.senders().broadcast(steps_, service_, task); }

void VirtualTime::go(StepState next) {
  assert(can_go(kSteps, state_, next) && "a transition that is not in kSteps");
  state_ = next;
}

bool VirtualTime::may_step() const {
  return created_ && lifecycle_.is_running() && !step_open() &&
         !(lifecycle_.coordinated() && monitor_.system().state() == ParticipantState::error);
}

void VirtualTime::request_step() {
  if (!created_ || !lifecycle_.is_running() || step_open()) return;
  (void)announce_step();
  try_step();
}

/// Announces the next step, once the wall clock has reached it: until then the peers wait, too.
bool VirtualTime::announce_step() {
  if (!coupling_allows()) return false;
  if (const auto task = sync_.request()) send(*task);
  return true;
}

/// The wall clock has come to where the next step may begin.
bool VirtualTime::coupling_allows() {
  if (host_.settings().animation_factor <= 0 || !coupled_since_ns_) return true;
  const std::int64_t now = host_.steady_ns();
  const std::int64_t due =
      after(*coupled_since_ns_,
            static_cast<double>(sync_.next().time_ns - coupled_at_ns_) * host_.settings().animation_factor);
  if (now >= due) return true;
  wake_at_ = due;
  return false;
}

void VirtualTime::try_step() {
  if (state_ != StepState::idle || !may_step() || !sync_.ready() || !announce_step()) return;
  go(StepState::queued);
  Call call;
  call.what = asynchronous_ ? Call::What::step_async : Call::What::step;
  host_.queue(std::move(call));
}

void VirtualTime::resume() {
  open_since_ns_ = host_.steady_ns();
  coupled_since_ns_.reset();
  request_step();
}

void VirtualTime::tick() {
  wake_at_.reset();
  request_step();
}

bool VirtualTime::may_still_step() const {
  return state_ == StepState::queued || sync_.awaits([this](PeerId peer) {
    const PeerInfo* const info = host_.peer(peer);
    const Status* const last = info == nullptr ? nullptr : monitor_.system().status_of(info->name);
    return last != nullptr && last->state == ParticipantState::running;
  });
}

std::optional<PeerId> VirtualTime::awaited_peer() const {
  if ((state_ == StepState::open || state_ == StepState::ending) && others_handlers_.empty())
    return kRegistryPeer;
  return may_step() && state_ == StepState::idle ? sync_.awaited() : std::nullopt;
}

std::optional<std::int64_t> VirtualTime::open_since() const {
  return step_open() && lifecycle_.is_running() ? std::optional(open_since_ns_) : std::nullopt;
}

/// Moves the first step to where the peers are. Returns false if this participant must not come late.
bool VirtualTime::find_beginning() {
  const auto at = sync_.begun() ? std::nullopt : sync_.hop_on();
  if (!at) return true;
  if (lifecycle_.coordinated()) {
    lifecycle_.report_error("participant " + host_.participant() +
                            " is coordinated, but virtual time has advanced without it: start it before the "
                            "simulation runs, or make it autonomous");
    monitor_.tell_abort();
    lifecycle_.abort();
    return false;
  }
  sync_.start_at(*at);
  return true;
}

bool VirtualTime::begin_step(Call& call) {
  if (!may_step() || !sync_.ready() || !find_beginning()) {
    go(StepState::idle);
    return false;
  }
  const bool dynamic = host_.settings().dynamic_step.value_or(sync_.somebody_is_dynamic());
  const NextSimTask task = sync_.take_step(dynamic);
  go(StepState::taken);
  others_told_ = false;
  open_since_ns_ = host_.steady_ns();
  measure_phase("SimStep/waiting_duration/[s]");
  if (!coupled_since_ns_) {  // the wall clock counts from here
    coupled_since_ns_ = open_since_ns_;
    coupled_at_ns_ = task.time_ns;
  }
  call.what = asynchronous_ ? Call::What::step_async : Call::What::step;
  call.name = "simulation step";
  call.step = handler_;
  call.now_ns = task.time_ns;
  call.duration_ns = task.duration_ns;
  return true;
}

void VirtualTime::handler_returned(Call::What what) {
  measure_phase("SimStep/execution_duration/[s]");
  if (what == Call::What::step || state_ == StepState::completed_early) return finish_step();
  if (state_ == StepState::in_handler) go(StepState::open);
  tell_others_completed();
}

void VirtualTime::handler_failed() {
  if (state_ == StepState::in_handler || state_ == StepState::completed_early) go(StepState::open);
}

void VirtualTime::finish_step() {
  if (state_ == StepState::ending) return;
  if (host_.own_calls_wait()) {  // what the step has sent to this participant itself belongs to it
    go(StepState::ending);
    return host_.call(
        "",
        [this] {
          go(StepState::open);
          finish_step();
          return nullptr;
        },
        false);
  }
  go(StepState::idle);
  measure_phase(asynchronous_ ? "SimStep/completion_duration/[s]" : nullptr);
  if (Metrics* const metrics = host_.measured()) metrics->count("SimStepCount", 1);
  request_step();
}

void VirtualTime::complete_step() {
  if (!asynchronous_ || !step_open() || step_taken())
    return host_.log(LogTopic::time_sync, LogSink::Level::warn,
                     asynchronous_
                         ? "CompleteSimulationStep was called, but no step is open"
                         : "CompleteSimulationStep was called, but there is no asynchronous simulation step "
                           "handler");
  if (state_ == StepState::completed_early) return;
  if (state_ == StepState::in_handler) return go(StepState::completed_early);
  finish_step();
}

/// Calls once a step the handlers that wait until all peers have completed theirs.
void VirtualTime::tell_others_completed() {
  if (!step_open() || others_told_ || others_handlers_.empty() || !sync_.ready()) return;
  others_told_ = true;
  others_handlers_.tell(host_, Call::What::other, "other steps completed");
}

/// Measures the phase that ends here, if it has a name, and begins the next one.
void VirtualTime::measure_phase(const char* name) {
  Metrics* const metrics = host_.measured();
  if (metrics == nullptr) return;
  const std::int64_t now = host_.steady_ns();
  if (phase_since_ns_ && name != nullptr)
    metrics->measure(name, double(now - *phase_since_ns_) / kNsPerSecond);
  phase_since_ns_ = now;
}

}  // namespace tactus::silkit
