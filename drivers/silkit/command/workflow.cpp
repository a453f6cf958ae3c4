// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "drivers/silkit/command/commands.hpp"
#include "drivers/silkit/command/participant.hpp"
#include "drivers/silkit/command/print_line.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/joined.hpp"

namespace tactus::silkit::command {
namespace {

constexpr const char* kRegistry = "SilKitRegistry";

std::string listed(const std::set<std::string>& names) { return rtsync::joined(names); }

/// Throws CommandError for a name that cannot come.
void check(const std::vector<std::string>& names, const std::string& own) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string which = "NAMES: number " + std::to_string(i + 1);
    if (names[i].empty()) throw CommandError(kWrongInput, which + " is empty");
    if (names[i] == kRegistry)
      throw CommandError(kWrongInput,
                         which + ", " + names[i] + ", is the registry's name: no participant can have it");
    if (names[i] == own)
      throw CommandError(kWrongInput, which + ", " + own +
                                          ", is the name of this command itself, which takes " +
                                          "part unasked; leave it out, or choose another: -n NAME");
  }
}

/// The system controller: a coordinated participant without virtual time, which names the others.
///
/// Threads  handlers on the participant's thread, the rest on the thread that made it.
class Workflow {
 public:
  Workflow(const Configuration& configuration, const std::vector<std::string>& names, SignalWaiter& attention)
      : attention_(attention),
        awaited_(names.begin(), names.end()),
        required_(awaited_),
        participant_(configuration, attention) {
    required_.insert(participant_.name());
    SilKit_LifecycleConfiguration coordinated = tactus_silkit_LifecycleConfiguration();
    coordinated.operationMode = SilKit_OperationMode_Coordinated;
    must(SilKit_LifecycleService_Create(&lifecycle_, participant_.get(), &coordinated), "lifecycle");
    must(SilKit_Experimental_SystemController_Create(&controller_, participant_.get()), "system controller");
    must(SilKit_LifecycleService_SetAbortHandler(lifecycle_, this, kTells<&Workflow::aborting>),
         "abort handler");
    SilKit_HandlerId id = 0;
    must(SilKit_SystemMonitor_AddSystemStateHandler(participant_.monitor(), this,
                                                    kTells<&Workflow::system_entered>, &id),
         "system states");
    must(SilKit_SystemMonitor_AddParticipantStatusHandler(participant_.monitor(), this,
                                                          kTells<&Workflow::entered>, &id),
         "participant states");
  }

  ~Workflow() {
    if (waiter_.joinable()) waiter_.join();
  }
  Workflow(const Workflow&) = delete;
  Workflow& operator=(const Workflow&) = delete;

  int run() {
    say("waiting for " + listed(awaited_));
    must(SilKit_SystemMonitor_SetParticipantDisconnectedHandler(participant_.monitor(), this,
                                                                kTells<&Workflow::disconnected>),
         "disconnects");
    must(SilKit_SystemMonitor_SetParticipantConnectedHandler(participant_.monitor(), this,
                                                             kTells<&Workflow::connected>),
         "connects");
    if (!everybody_comes()) return kEndedEarly;
    if (!states_stable()) {
      say("nothing was started");
      return kEndedEarly;
    }
    if (is_running()) {
      (void)rtsync::print_plain(
          stderr,
          "tactus: a simulation is running already, with controller %s; a second controller would stop it\n",
          candidates().c_str());
      return kEndedEarly;
    }
    start();
    for (int signals = 0; !ended_;)
      if (attention_.wait() == SignalWaiter::Call::signal) handle_signal(++signals);
    return aborted_ || failed_ ? kEndedEarly : kOk;
  }

 private:
  /// Handler of the library's that passes what it is told on to `function` of its context.
  template <auto function>
  static constexpr auto kTells =
      [](void* context, auto*, auto... said) { (static_cast<Workflow*>(context)->*function)(said...); };
  /// Longest time that participants take to tell their states after the last one is there.
  static constexpr std::chrono::seconds kStatesTold{10};
  /// Longest time that a running simulation takes to be known here after all have told theirs.
  static constexpr std::chrono::milliseconds kStatesStable{200};
  static constexpr std::chrono::milliseconds kLookForStates{1};
  /// Interval of looking for the registry, while a participant is missing.
  static constexpr std::chrono::seconds kLook{1};
  /// Time that an abort waits for participants that have just connected.
  static constexpr std::chrono::seconds kListens{10};

  void say(const std::string& line) {
    const int error = print_line(line);
    if (error != 0 && !mute_.exchange(true))
      (void)rtsync::print_plain(stderr, "tactus: stdout cannot be written: %s; the simulation continues\n",
                                error_text(error).c_str());
  }

  /// False: a signal came first, or the registry has gone; what is said.
  bool everybody_comes() {
    for (bool lost = false; !everybody_is_there();) {
      const SignalWaiter::Call call = attention_.wait(kLook);
      const bool waited = call == SignalWaiter::Call::nothing;
      if (call == SignalWaiter::Call::signal || (waited && lost)) {
        {
          const std::lock_guard lock(mutex_);
          if (waited && awaited_.empty()) break;
          if (waited)
            (void)rtsync::print_plain(
                stderr, "tactus: the registry at %s is gone: no participant can join any more\n",
                participant_.uri().c_str());
          say("nothing was started; missing: " + listed(awaited_));
        }
        if (!waited) abort_those_that_wait();
        return false;
      }
      // Not at once: whom it has introduced may still be on the way.
      if (waited) lost = registry_is_gone();
    }
    return true;
  }

  bool registry_is_gone() {
    SilKit_Bool there = SilKit_True;
    must(SilKit_SystemMonitor_IsParticipantConnected(participant_.monitor(), kRegistry, &there), "registry");
    return there == SilKit_False;
  }

  /// False: a signal came first.
  bool states_stable() {
    using namespace std::chrono;
    auto end = steady_clock::now() + kStatesTold;
    for (bool told = false; steady_clock::now() < end && !is_running() && !nobody_runs();) {
      if (!told && all_states_known()) {
        told = true;
        end = steady_clock::now() + kStatesStable;
      }
      if (attention_.wait(kLookForStates) == SignalWaiter::Call::signal) {
        abort_those_that_wait();
        return false;
      }
    }
    return true;
  }

  /// No other controller leads them, as far as is known: without this one they would wait for ever. One that has only
  /// just connected hears no abort before it has said what it listens to.
  void abort_those_that_wait() {
    const auto end = std::chrono::steady_clock::now() + kListens;
    while (!all_states_known() && std::chrono::steady_clock::now() < end)
      if (attention_.wait(kLookForStates) == SignalWaiter::Call::signal) break;
    if (!is_running()) (void)SilKit_Experimental_SystemController_AbortSimulation(controller_);
  }

  /// Returns true if every participant has announced its services, and its state if it has one, and none has
  /// started: there is nothing to wait for.
  bool nobody_runs() {
    const bool known = all_states_known();
    const std::lock_guard lock(mutex_);
    return running_.empty() && known;
  }

  bool all_states_known() {
    SilKit_Bool known = SilKit_False;
    must(SilKit_Tactus_SystemMonitor_AllStatesKnown(participant_.monitor(), &known), "participant states");
    return known == SilKit_True;
  }

  bool is_running() const {
    const SilKit_SystemState state = system_;
    return state == SilKit_SystemState_Running || state == SilKit_SystemState_Paused;
  }

  /// Lists those that may lead the simulation: none of them declares it.
  std::string candidates() {
    const std::lock_guard lock(mutex_);
    std::set<std::string> others;
    std::set_difference(running_.begin(), running_.end(), required_.begin(), required_.end(),
                        std::inserter(others, others.end()));
    if (others.empty()) return "unknown";
    return (others.size() > 1 ? "one of " : "") + listed(others);
  }

  bool everybody_is_there() {
    const std::lock_guard lock(mutex_);
    return awaited_.empty();
  }

  /// Starts: from here on the lifecycle has to come to its end.
  void start() {
    std::vector<std::string> names(required_.begin(), required_.end());
    std::vector<char*> pointers;
    for (std::string& each : names) pointers.push_back(each.data());
    SilKit_StringList list{pointers.size(), pointers.data()};
    SilKit_WorkflowConfiguration workflow = tactus_silkit_WorkflowConfiguration();
    workflow.requiredParticipantNames = &list;
    say("starting " + listed(required_));
    must(SilKit_Experimental_SystemController_SetWorkflowConfiguration(controller_, &workflow), "workflow");
    must(SilKit_LifecycleService_StartLifecycle(lifecycle_), "lifecycle");
    waiter_ = std::thread([this] {
      SilKit_ParticipantState state = SilKit_ParticipantState_Invalid;
      (void)SilKit_LifecycleService_WaitForLifecycleToComplete(lifecycle_, &state);
      ended_ = true;
      attention_.wake();
    });
  }

  void connected(const SilKit_ParticipantConnectionInformation* who) {
    const std::string name = who->participantName;
    {
      const std::lock_guard lock(mutex_);
      if (awaited_.erase(name) == 0) return;
      if (!awaited_.empty()) say(name + " is there; waiting for " + listed(awaited_));
    }
    attention_.wake();
  }

  void disconnected(const SilKit_ParticipantConnectionInformation* who) {
    const std::string name = who->participantName;
    const std::lock_guard lock(mutex_);
    if (awaited_.empty() || !required_.contains(name)) return;
    awaited_.insert(name);
    say(name + " has left; waiting for " + listed(awaited_));
  }

  void entered(const char* name, SilKit_ParticipantStatus* status) {
    const SilKit_ParticipantState state = status->participantState;
    {
      const std::lock_guard lock(mutex_);
      if (state == SilKit_ParticipantState_Running || state == SilKit_ParticipantState_Paused)
        running_.insert(name);
      else
        running_.erase(name);
    }
    attention_.wake();
  }

  void system_entered(SilKit_SystemState state) {
    system_ = state;
    if (state != SilKit_SystemState_Invalid) say(std::string("system: ") + state_name(state));
    if (state != SilKit_SystemState_Error) return;
    failed_ = true;
    say("a participant has failed or was lost; Ctrl-C aborts the simulation");
  }

  void aborting(SilKit_ParticipantState) { aborted_ = true; }

  void handle_signal(int signals) {
    // In Error the others no longer follow a stop, and before Running there is none.
    if (signals == 1 && is_running()) {
      say("stopping; Ctrl-C again aborts");
      (void)SilKit_LifecycleService_Stop(lifecycle_, "stopped by the user");
    } else if (signals <= 2 && !aborted_) {
      say("aborting; Ctrl-C again leaves");
      aborted_ = true;
      (void)SilKit_Experimental_SystemController_AbortSimulation(controller_);
    } else {
      std::fflush(nullptr);
      rtsync::end_process(kEndedEarly);  // somebody does not answer, and the library waits for that
    }
  }

  SignalWaiter& attention_;
  std::mutex mutex_;
  std::set<std::string> awaited_;  ///< not connected yet
  std::set<std::string> required_;
  std::set<std::string> running_;
  std::atomic<bool> mute_{false};  ///< stdout cannot be written
  std::atomic<bool> ended_{false};
  std::atomic<bool> aborted_{false};
  std::atomic<bool> failed_{false};  ///< the system was in Error
  std::atomic<SilKit_SystemState> system_{SilKit_SystemState_Invalid};
  std::thread waiter_;
  Participant participant_;
  SilKit_LifecycleService* lifecycle_ = nullptr;
  SilKit_Experimental_SystemController* controller_ = nullptr;
};

class WorkflowCommand final : public executive::CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("start a SIL Kit simulation when its participants are there, and stop it");
    arguments_.declare(app, "SystemController", true);
    declare_ignored(app, "--non-interactive", not_interactive_);
    app.add_option("NAMES", names_, "the participants to wait for")->required();
  }

  /// Else it would be "-n i".
  std::string spelled_out(const std::string& argument) const override {
    return argument == "-ni" ? "--non-interactive" : argument;
  }

  int run() override {
    if (arguments_.name.empty())
      throw CommandError(kWrongInput, "--name: a participant needs one; it is empty");
    if (not_interactive_)
      (void)rtsync::print_plain(
          stderr, "tactus: warning: --non-interactive (-ni): not needed any more; nothing is asked\n");
    const Configuration configuration(arguments_);
    check(names_, configuration.name());
    SignalWaiter attention;
    return Workflow(configuration, names_, attention).run();
  }

 private:
  Arguments arguments_;
  std::vector<std::string> names_;  ///< the participants to wait for
  bool not_interactive_ = false;
};

}  // namespace

executive::Driver* make_workflow() { return new WorkflowCommand; }

}  // namespace tactus::silkit::command
