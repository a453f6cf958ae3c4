// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/participant.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "drivers/silkit/core/metrics.hpp"
#include "drivers/silkit/wire/uri.hpp"

namespace tactus::silkit {
namespace {

// A turn ends with the first of these, and then the sockets are looked at: others may want to stop a
// participant that waits for nobody, or to join it, whatever its functions take.
constexpr int kCallsPerTurn = 16;
constexpr std::chrono::microseconds kTurn{100};

/// The configuration with what is only known now: names and URI. Its own win.
Configuration completed(Configuration configuration, const std::string& name, const std::string& uri) {
  if (configuration.participant.empty()) configuration.participant = name;
  if (configuration.participant.empty())
    throw Refusal(Code::configuration, "the name of a participant must not be empty");
  if (configuration.participant == kRegistryName)
    throw Refusal(Code::configuration, "the name " + configuration.participant + " is the registry's");
  configuration.mesh.registry_uri = configuration.registry_uri.value_or(uri);
  try {
    (void)parse_registry_uri(configuration.mesh.registry_uri);
  } catch (const std::invalid_argument& error) {
    throw Refusal(Code::configuration, error.what());
  }
  configuration.mesh.io_thread.name = configuration.participant.substr(0, 15);
  return configuration;
}

EngineSettings engine_settings(const Configuration& configuration, Logger& logger, MetricsFiles& files) {
  EngineSettings settings{.name = configuration.participant,
                          .dynamic_step = configuration.dynamic_step,
                          .animation_factor = configuration.animation_factor,
                          .sends_log = logger.sends()};
  if (configuration.logging.from_remotes)
    settings.take_log = [&logger](const LogMessage& line) { logger.take(line); };
  const MetricsSettings& metrics = configuration.metrics;
  if (metrics.wanted()) settings.metrics_every_ns = metrics.every.count();
  settings.simulation = parse_registry_uri(configuration.mesh.registry_uri).simulation;
  settings.sends_metrics = metrics.send;
  settings.collects_metrics = metrics.collect;
  settings.put_metrics = [&files](const std::string& participant, const MetricsUpdate& update) {
    files.put(participant, update);
  };
  return settings;
}

}  // namespace

Participant::Participant(Configuration configuration, const std::string& name, const std::string& uri)
    : configuration_(completed(std::move(configuration), name, uri)),
      logger_(configuration_.participant, configuration_.logging),
      metrics_files_(configuration_.metrics.files),
      mesh_(make_mesh(configuration_.mesh, *this, logger_)),
      engine_(engine_settings(configuration_, logger_, metrics_files_), *mesh_, logger_) {
  const auto say = [this](const std::string& text) {
    logger_.say_about(LogTopic::participant, LogSink::Level::info, text);
  };
  const std::string& own = configuration_.participant;
  const std::string& registry = configuration_.mesh.registry_uri;
  if (own != name) say("the name '" + own + "' of the configuration is used, not '" + name + "'");
  if (registry != uri) say("the URI " + registry + " of the configuration is used, not " + uri);
  say("participant " + own + " connects to the registry at " + registry);
  try {
    mesh_->join();
    say("participant " + own + " has joined");
  } catch (...) {
    mesh_->leave();  // while there is an engine
    throw;
  }
  if (configuration_.metrics.wanted())
    with_engine([this](Engine& engine) {
      add_metrics(engine.metrics());
      mesh_->wake();  // for the first of them
    });
  if (configuration_.soft_timeout || configuration_.hard_timeout)
    watchdog_ = std::make_unique<rtsync::PinnedThread>(
        rtsync::ThreadSettings{.name = "silkit watchdog", .prefault_stack = false},
        [this] { watch_steps(); });
}

void Participant::add_metrics(Metrics& metrics) const {
  for (auto& [name, text] : environment_metrics()) metrics.attribute(name, text);
  metrics.attribute("SilKit/Participant/JsonConfig", configuration_.json);
  std::vector<std::string> tcp, local;
  for (const std::string& uri : mesh_->acceptors()) (uri.starts_with("local") ? local : tcp).push_back(uri);
  if (!tcp.empty()) metrics.list("TcpAcceptors", tcp);
  if (!local.empty()) metrics.list("LocalAcceptors", local);
}

Participant::~Participant() {
  end_->abandon();  // first: a handler that the mesh waits for may wait for one of those threads
  {
    const std::unique_lock held = lock();
    leaving_ = true;
  }
  changed_.notify_all();
  watchdog_.reset();
  mesh_->leave();
}

thread_local const Participant::InHandler* Participant::InHandler::innermost_ = nullptr;

bool Participant::in_handler() const {
  bool inside = on_io_thread();
  for (const InHandler* each = InHandler::innermost_; each != nullptr; each = each->outer_)
    inside = inside || &each->participant_ == this;
  return inside;
}

void Participant::refuse_in_handler(const char* what) const {
  if (in_handler())
    throw Refusal(Code::logic,
                  std::string(what) + " cannot be called from a handler: it would wait for itself");
}

void Participant::serve() {
  std::unique_lock held = lock();
  const auto end = std::chrono::steady_clock::now() + kTurn;
  Call call;
  for (int calls = 1; engine_.next_call(call); ++calls) {
    send_log();
    mesh_->flush();  // Nobody else has to wait for the user's function.
    running_ = call.what;
    held.unlock();
    const std::string thrown = call.make();
    held.lock();
    running_.reset();
    engine_.call_ended(call, thrown);
    if (waiting_until_not_called_ > 0) {
      call = Call();  // it has its handlers still
      changed_.notify_all();
    }
    if (engine_.has_calls() && (calls >= kCallsPerTurn || std::chrono::steady_clock::now() >= end)) {
      mesh_->wake();
      break;
    }
  }
  send_log();
  mesh_->flush();
  if (waiting_until_known_ > 0 && engine_.peers_know_services()) changed_.notify_all();
  if (engine_.complete()) end_->reach(engine_.state());
}

void Participant::wait_until_known() {
  if (on_io_thread()) return;  // nothing arrives before it returns
  std::unique_lock held = lock();
  ++waiting_until_known_;
  const bool known = changed_.wait_for(held, configuration_.mesh.connect_timeout,
                                       [this] { return leaving_ || engine_.peers_know_services(); });
  --waiting_until_known_;
  if (!known)
    logger_.say(LogSink::Level::warn,
                "a peer has not confirmed the subscriptions of this participant in time; its messages may be "
                "missed until it does");
}

void Participant::wait_until_not_called(const RemovedHandler& handler) {
  if (!handler || in_handler()) return;
  std::unique_lock held = lock();
  ++waiting_until_not_called_;
  changed_.wait(held, [&] { return handler.use_count() == 1; });
  --waiting_until_not_called_;
}

void Participant::send_log() {
  if (!logger_.sends()) return;
  for (const LogMessage& line : logger_.take_sent()) engine_.send_log(line);
}

void Participant::log(std::uint32_t level, const char* text) {
  logger_.log(level, text);
  if (logger_.sends()) with_engine([this](Engine&) { send_log(); });
}

void Participant::worked(std::optional<std::int64_t> wake_before) {
  if (on_io_thread() && running_ == Call::What::step) return;  // what a step sends is delivered at its end
  send_log();
  mesh_->flush();
  if (on_io_thread()) return;  // in a user's function: serve() goes on when it returns
  if (engine_.has_calls() || engine_.wake_at() != wake_before) mesh_->wake();
  if (engine_.complete()) end_->reach(engine_.state());
}

void Participant::complete_communication_ready() {
  with_engine([this](Engine& engine) {
    if (on_io_thread() && running_ == Call::What::communication_ready_async)
      throw Refusal(Code::logic, "the communication ready handler cannot be completed from inside itself");
    engine.lifecycle().complete_communication_ready();
  });
}

void Participant::start_lifecycle() {
  with_engine([this](Engine& engine) {
    engine.lifecycle().start();
    end_->expect();
  });
}

/// Looks several times per limit whether a step is open for too long; says so once per step.
void Participant::watch_steps() {
  using namespace std::chrono;
  const auto soft = configuration_.soft_timeout.value_or(milliseconds::max());
  const auto hard = configuration_.hard_timeout.value_or(milliseconds::max());
  const milliseconds look_every = std::clamp(std::min(soft, hard) / 8, milliseconds(1), milliseconds(100));
  std::optional<std::int64_t> warned;
  std::optional<std::int64_t> reported;
  std::unique_lock held = lock();
  while (!changed_.wait_for(held, look_every, [this] { return leaving_; })) {
    const std::optional<std::int64_t> since = engine_.virtual_time().open_since();
    if (!since) continue;
    const auto open =
        duration_cast<milliseconds>(steady_clock::now().time_since_epoch() - nanoseconds(*since));
    const std::string words = "the simulation step takes longer than ";
    if (open > soft && warned != since) {
      warned = since;
      logger_.say_about(LogTopic::time_sync, LogSink::Level::warn,
                        words + std::to_string(soft.count()) + " ms (SoftResponseTimeout)");
    }
    if (open > hard && reported != since) {
      reported = since;
      engine_.report_error(words + std::to_string(hard.count()) + " ms (HardResponseTimeout)");
      worked(engine_.wake_at());
    }
  }
}

}  // namespace tactus::silkit
