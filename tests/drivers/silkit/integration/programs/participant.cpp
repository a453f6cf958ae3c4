// SPDX-License-Identifier: Apache-2.0
/// A participant that does what its arguments say, says what it sees, and ends with one JSON object.
///
///     silkit_participant LIBRARY NAME URI [key=value ...]
///
///     mode=coordinated | autonomous | none      lifecycle; none: no lifecycle at all
///     sync=yes | no, async=no | yes             virtual time; steps completed by another thread
///     step_us=1000, steps=0, warm=0             stops after so many steps (0: never); warm ones are not
///     measured slow_us=0                                 real time each step takes pause_at=N, hang_at=N,
///     error_at=N         in step N: asks for a pause, never returns, reports an error publish=TOPIC,
///     hear=TOPIC,TOPIC           one message of 64 bytes in each step, or with every_us, count every_us=N,
///     count=N                       publishes from a thread of its own instead; mode=none ends then
///     workflow=A,B                              sends this list when all of it are connected (itself may be
///     in) config=TEXT                               participant configuration say=no the last line only
///
/// Signals: SIGTERM stop, SIGUSR1 pause, SIGUSR2 continue, SIGHUP report an error, SIGALRM print the steps so
/// far.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/drivers/silkit/integration/programs/library.hpp"

namespace {

using tactus::test::Library;

std::int64_t monotonic_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

std::int64_t cpu_ns() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto ns = [](const timeval& t) { return t.tv_sec * 1'000'000'000LL + t.tv_usec * 1000LL; };
  return ns(used.ru_utime) + ns(used.ru_stime);
}

/// The largest resident size so far, in KiB.
std::int64_t peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::int64_t kib = 0; word == "VmHWM:" && status >> kib) return kib;
  return 0;
}

const char* state_name(int state) {
  switch (state) {
    case 0:
      return "Invalid";
    case 10:
      return "ServicesCreated";
    case 20:
      return "CommunicationInitializing";
    case 30:
      return "CommunicationInitialized";
    case 40:
      return "ReadyToRun";
    case 50:
      return "Running";
    case 60:
      return "Paused";
    case 70:
      return "Stopping";
    case 80:
      return "Stopped";
    case 90:
      return "Error";
    case 100:
      return "ShuttingDown";
    case 110:
      return "Shutdown";
    case 120:
      return "Aborting";
    default:
      return "?";
  }
}

class Settings {
 public:
  explicit Settings(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) throw std::runtime_error("expected key=value, not " + word);
      values_[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  std::string text(const std::string& key, const std::string& otherwise = "") const {
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second;
  }
  std::int64_t number(const std::string& key, std::int64_t otherwise = 0) const {
    const std::string found = text(key);
    return found.empty() ? otherwise : std::stoll(found);
  }
  bool yes(const std::string& key, bool otherwise) const {
    return text(key, otherwise ? "yes" : "no") == "yes";
  }
  std::vector<std::string> list(const std::string& key) const {
    std::vector<std::string> words;
    std::stringstream stream(text(key));
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
  }

 private:
  std::map<std::string, std::string> values_;
};

/// What a message holds: 64 bytes.
struct Payload {
  std::int64_t time = 0;  ///< virtual time of the publisher, ns
  std::int64_t sent = 0;  ///< CLOCK_MONOTONIC, ns
  std::uint64_t sequence = 0;
  std::uint64_t filler[5] = {};
};
static_assert(sizeof(Payload) == 64);

/// What was heard on one topic.
struct Heard {
  class Participant* owner = nullptr;
  std::string topic;
  std::int64_t messages = 0;
  std::int64_t last = -1;        ///< time stamp
  std::int64_t bad_stamps = 0;   ///< the event's stamp is not the publisher's time
  std::int64_t out_of_step = 0;  ///< more than one step away from here
  std::int64_t out_of_order = 0;
  std::int64_t missing = 0;  ///< steps that began before the publisher's last step was heard
  std::uint64_t next_sequence = 0;
  std::vector<std::int64_t> latencies;
};

class Participant {
 public:
  Participant(const Library& library, std::string name, const std::string& uri, const Settings& settings)
      : k_(library), name_(std::move(name)), settings_(settings) {
    step_ns_ = settings.number("step_us", 1000) * 1000;
    steps_wanted_ = settings.number("steps");
    warm_ = settings.number("warm");
    slow_us_ = settings.number("slow_us");
    pause_at_ = settings.number("pause_at", -1);
    hang_at_ = settings.number("hang_at", -1);
    error_at_ = settings.number("error_at", -1);
    count_ = settings.number("count");
    talks_ = settings.yes("say", true);
    SilKit_ParticipantConfiguration* config = nullptr;
    k_.must(k_.ParticipantConfiguration_FromString(&config, settings.text("config").c_str()),
            "configuration");
    const SilKit_ReturnCode joined = k_.Participant_Create(&self_, config, name_.c_str(), uri.c_str());
    const std::string why = k_.GetLastErrorString();
    (void)k_.ParticipantConfiguration_Destroy(config);
    if (joined != SilKit_ReturnCode_SUCCESS)
      throw std::runtime_error("not joined: code " + std::to_string(joined) + ": " + why);
    joined_ = monotonic_ns();
    say("joined", "");
    watch();
    const std::string mode = settings.text("mode", "coordinated");
    if (mode != "none") make_lifecycle(mode == "autonomous");
    make_topics();
  }
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  /// Until its lifecycle has ended.
  void run() {
    if (lifecycle_ == nullptr) {
      publish_paced({});
      if (count_ == 0) wait_for_signal();
    } else {
      k_.must(k_.LifecycleService_StartLifecycle(lifecycle_), "start");
      std::thread(&Participant::obey_signals, this).detach();
      if (settings_.yes("async", false))
        helpers_.emplace_back([this](const std::stop_token& over) { complete_steps(over); });
      if (settings_.number("every_us") > 0)
        helpers_.emplace_back([this](const std::stop_token& over) { publish_paced(over); });
      SilKit_ParticipantState state = 0;
      k_.must(k_.LifecycleService_WaitForLifecycleToComplete(lifecycle_, &state), "wait");
      final_state_ = state;
    }
    say("ended", state_name(final_state_));
    talks_ = false;
    print_summary();
    helpers_.clear();  // before what they use is gone
    k_.must(k_.Participant_Destroy(self_), "leave");
  }

 private:
  template <class T>
  static Participant& of(T* context) {
    return *static_cast<Participant*>(context);
  }

  void say(const char* what, const std::string& text) {
    if (!talks_) return;
    const std::string line = std::string(what) + (text.empty() ? "" : " ") + text + "\n";
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
  }

  void watch() {
    k_.must(k_.SystemMonitor_Create(&monitor_, self_), "monitor");
    for (const std::string& name : settings_.list("workflow"))
      if (name != name_) awaited_.insert(name);
    workflow_ = settings_.list("workflow");
    if (!workflow_.empty())
      k_.must(k_.Experimental_SystemController_Create(&controller_, self_), "controller");
    SilKit_HandlerId id = 0;
    k_.must(k_.SystemMonitor_AddSystemStateHandler(
                monitor_, this,
                [](void* context, SilKit_SystemMonitor*, SilKit_SystemState state) {
                  of(context).say("system", state_name(state));
                },
                &id),
            "system states");
    k_.must(k_.SystemMonitor_AddParticipantStatusHandler(
                monitor_, this,
                [](void* context, SilKit_SystemMonitor*, const char* name, SilKit_ParticipantStatus* status) {
                  Participant& self = of(context);
                  if (name == self.name_ && status->participantState == SilKit_ParticipantState_Running &&
                      self.running_ == 0)
                    self.running_ = monotonic_ns();
                  self.say("state", std::string(name) + " " + state_name(status->participantState));
                },
                &id),
            "participant states");
    k_.must(k_.SystemMonitor_SetParticipantDisconnectedHandler(
                monitor_, this,
                [](void* context, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation* who) {
                  of(context).say("disconnected", who->participantName);
                }),
            "disconnects");
    k_.must(k_.SystemMonitor_SetParticipantConnectedHandler(
                monitor_, this,
                [](void* context, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation* who) {
                  of(context).say("connected", who->participantName);
                  of(context).has_come(who->participantName);
                }),
            "connects");
    has_come("");  // nobody may be awaited
  }

  void has_come(const std::string& name) {
    const std::lock_guard lock(mutex_);  // connects are replayed on the caller's thread
    awaited_.erase(name);
    if (workflow_.empty() || !awaited_.empty()) return;
    std::vector<char*> names;
    for (std::string& each : workflow_) names.push_back(each.data());
    SilKit_StringList list{names.size(), names.data()};
    SilKit_WorkflowConfiguration workflow = tactus_silkit_WorkflowConfiguration();
    workflow.requiredParticipantNames = &list;
    k_.must(k_.Experimental_SystemController_SetWorkflowConfiguration(controller_, &workflow), "workflow");
    workflow_.clear();
  }

  void make_lifecycle(bool autonomous) {
    SilKit_LifecycleConfiguration configuration = tactus_silkit_LifecycleConfiguration();
    configuration.operationMode =
        autonomous ? SilKit_OperationMode_Autonomous : SilKit_OperationMode_Coordinated;
    k_.must(k_.LifecycleService_Create(&lifecycle_, self_, &configuration), "lifecycle");
    k_.must(k_.LifecycleService_SetStopHandler(lifecycle_, this,
                                               [](void* context, SilKit_LifecycleService*) {
                                                 of(context).end_measuring();
                                                 of(context).say("stop", "");
                                               }),
            "stop handler");
    k_.must(k_.LifecycleService_SetShutdownHandler(
                lifecycle_, this,
                [](void* context, SilKit_LifecycleService*) { of(context).say("shutdown", ""); }),
            "shutdown handler");
    k_.must(k_.LifecycleService_SetAbortHandler(
                lifecycle_, this,
                [](void* context, SilKit_LifecycleService*, SilKit_ParticipantState before) {
                  of(context).aborted_ = true;
                  of(context).say("abort", state_name(before));
                }),
            "abort handler");
    if (!settings_.yes("sync", true)) return;
    k_.must(k_.TimeSyncService_Create(&time_, lifecycle_), "time");
    const auto step = [](void* context, SilKit_TimeSyncService*, SilKit_NanosecondsTime now,
                         SilKit_NanosecondsTime duration) {
      of(context).step(static_cast<std::int64_t>(now), static_cast<std::int64_t>(duration));
    };
    const auto period = static_cast<SilKit_NanosecondsTime>(step_ns_);
    k_.must(settings_.yes("async", false)
                ? k_.TimeSyncService_SetSimulationStepHandlerAsync(time_, this, step, period)
                : k_.TimeSyncService_SetSimulationStepHandler(time_, this, step, period),
            "step handler");
  }

  void make_topics() {
    const auto spec_of = [](const std::string& topic) {
      SilKit_DataSpec spec = tactus_silkit_DataSpec();
      spec.topic = topic.c_str();
      spec.mediaType = "";
      return spec;
    };
    if (const std::string topic = settings_.text("publish"); !topic.empty()) {
      SilKit_DataSpec spec = spec_of(topic);
      k_.must(k_.DataPublisher_Create(&publisher_, self_, "out", &spec, 0), "publisher");
    }
    for (const std::string& topic : settings_.list("hear")) {
      Heard& heard = heard_.emplace_back();
      heard.owner = this;
      heard.topic = topic;
      heard.latencies.reserve(1'000'000);
      SilKit_DataSpec spec = spec_of(topic);
      SilKit_DataSubscriber* subscriber = nullptr;
      k_.must(k_.DataSubscriber_Create(
                  &subscriber, self_, topic.c_str(), &spec, &heard,
                  [](void* context, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* event) {
                    auto& topic_heard = *static_cast<Heard*>(context);
                    topic_heard.owner->hear(topic_heard, *event);
                  }),
              "subscriber");
    }
  }

  void hear(Heard& heard, const SilKit_DataMessageEvent& event) {
    Payload payload;
    if (event.data.size != sizeof payload) {
      ++heard.bad_stamps;
      return;
    }
    std::memcpy(&payload, event.data.data, sizeof payload);
    if (heard.latencies.size() < heard.latencies.capacity())
      heard.latencies.push_back(monotonic_ns() - payload.sent);
    const auto stamp = static_cast<std::int64_t>(event.timestamp);
    if (time_ != nullptr && settings_.number("every_us") == 0 && payload.time >= 0) {
      if (stamp != payload.time) ++heard.bad_stamps;
      // The publisher may have begun the step after ours, or not yet finished the one before.
      if (now_ >= 0 && (payload.time > now_ + step_ns_ || payload.time < now_ - step_ns_))
        ++heard.out_of_step;
    }
    if (heard.messages > 0 && payload.sequence != heard.next_sequence) ++heard.out_of_order;
    heard.next_sequence = payload.sequence + 1;
    heard.last = payload.time;
    if (++heard.messages == 1) say("heard", heard.topic);
  }

  void publish(std::int64_t time) {
    Payload payload;
    payload.time = time;
    payload.sequence = sequence_++;
    payload.sent = monotonic_ns();
    const SilKit_ByteVector bytes{reinterpret_cast<const std::uint8_t*>(&payload), sizeof payload};
    k_.must(k_.DataPublisher_Publish(publisher_, &bytes), "publish");
  }

  void publish_paced(const std::stop_token& over) {
    const std::int64_t every = settings_.number("every_us") * 1000;
    for (std::int64_t i = 0, due = monotonic_ns();
         publisher_ != nullptr && every > 0 && (count_ == 0 || i < count_) && !over.stop_requested();
         ++i, due += every) {
      const timespec until{due / 1'000'000'000, due % 1'000'000'000};
      ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
      publish(-1);
    }
    if (count_ > 0) say("published", "");
  }

  void step(std::int64_t now, std::int64_t duration) {
    if (steps_ == warm_) {
      first_measured_ = monotonic_ns();
      cpu_before_ = cpu_ns();
    }
    if (steps_ == 0) {
      first_time_ = now;
      say("first", std::to_string(now));
    } else if (now != now_ + step_ns_) {
      ++gaps_;
    }
    if (duration != step_ns_) ++odd_durations_;
    for (Heard& heard : heard_)
      if (heard.messages > 0 && heard.last < now - step_ns_) ++heard.missing;
    now_ = now;
    const std::int64_t index = steps_++;
    if (publisher_ != nullptr && settings_.number("every_us") == 0) publish(now);
    if (slow_us_ > 0) ::usleep(static_cast<useconds_t>(slow_us_));
    if (index == hang_at_) {
      say("hanging", "");
      for (;;) ::pause();
    }
    if (index == pause_at_) k_.must(k_.LifecycleService_Pause(lifecycle_, "as told"), "pause");
    if (index == error_at_) k_.must(k_.LifecycleService_ReportError(lifecycle_, "as told"), "error");
    if (steps_ == steps_wanted_) {
      end_measuring();
      k_.must(k_.LifecycleService_Stop(lifecycle_, "all steps made"), "stop");
    }
    if (settings_.yes("async", false)) {
      {
        const std::lock_guard lock(mutex_);
        ++open_;
      }
      stepped_.notify_one();  // not with the lock, for which the other thread would have to wait
    }
  }

  void end_measuring() {
    if (last_measured_ != 0 || first_measured_ == 0) return;
    last_measured_ = monotonic_ns();
    cpu_after_ = cpu_ns();
  }

  void complete_steps(const std::stop_token& over) {
    for (;;) {
      std::unique_lock lock(mutex_);
      if (!stepped_.wait(lock, over, [&] { return open_ > 0; })) return;
      --open_;
      lock.unlock();
      (void)k_.TimeSyncService_CompleteSimulationStep(time_);
    }
  }

  static int wait_for_signal() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGUSR1, SIGUSR2, SIGHUP, SIGALRM}) sigaddset(&set, signal);
    int signal = 0;
    ::sigwait(&set, &signal);
    return signal;
  }

  void obey_signals() {
    for (;;) {
      switch (wait_for_signal()) {
        case SIGUSR1:
          (void)k_.LifecycleService_Pause(lifecycle_, "by a signal");
          break;
        case SIGUSR2:
          (void)k_.LifecycleService_Continue(lifecycle_);
          break;
        case SIGHUP:
          (void)k_.LifecycleService_ReportError(lifecycle_, "by a signal");
          break;
        case SIGALRM:
          say("steps", std::to_string(steps_));
          break;
        default:
          (void)k_.LifecycleService_Stop(lifecycle_, "by a signal");
      }
    }
  }

  void print_summary() {
    std::ostringstream text;
    text << "{\"name\":\"" << name_ << "\",\"state\":\"" << state_name(final_state_)
         << "\",\"aborted\":" << (aborted_ ? "true" : "false") << ",\"steps\":" << steps_
         << ",\"first\":" << first_time_ << ",\"last\":" << now_ << ",\"gaps\":" << gaps_
         << ",\"odd_durations\":" << odd_durations_ << ",\"published\":" << sequence_
         << ",\"joined_ns\":" << joined_ << ",\"running_ns\":" << running_
         << ",\"begin_ns\":" << first_measured_ << ",\"end_ns\":" << last_measured_
         << ",\"cpu_ns\":" << (cpu_after_ == 0 ? 0 : cpu_after_ - cpu_before_)
         << ",\"peak_kib\":" << peak_kib() << ",\"heard\":{";
    const char* comma = "";
    for (Heard& heard : heard_) {
      std::sort(heard.latencies.begin(), heard.latencies.end());
      const auto quantile = [&](std::size_t percent) {
        return heard.latencies.empty() ? 0 : heard.latencies[(heard.latencies.size() - 1) * percent / 100];
      };
      text << comma << "\"" << heard.topic << "\":{\"messages\":" << heard.messages
           << ",\"bad_stamps\":" << heard.bad_stamps << ",\"out_of_step\":" << heard.out_of_step
           << ",\"out_of_order\":" << heard.out_of_order << ",\"missing\":" << heard.missing
           << ",\"latency_ns\":{\"p50\":" << quantile(50) << ",\"p99\":" << quantile(99)
           << ",\"max\":" << quantile(100) << "}}";
      comma = ",";
    }
    text << "}}";
    std::printf("%s\n", text.str().c_str());
    std::fflush(stdout);
  }

  const Library& k_;
  const std::string name_;
  const Settings& settings_;
  std::int64_t step_ns_ = 0, steps_wanted_ = 0, warm_ = 0, slow_us_ = 0, pause_at_ = -1, hang_at_ = -1;
  std::int64_t error_at_ = -1, count_ = 0;
  std::atomic<bool> talks_{true};

  SilKit_Participant* self_ = nullptr;
  SilKit_SystemMonitor* monitor_ = nullptr;
  SilKit_Experimental_SystemController* controller_ = nullptr;
  SilKit_LifecycleService* lifecycle_ = nullptr;
  SilKit_TimeSyncService* time_ = nullptr;
  SilKit_DataPublisher* publisher_ = nullptr;

  std::mutex mutex_;
  std::condition_variable_any stepped_;
  int open_ = 0;  ///< steps that wait for their completion
  std::vector<std::jthread> helpers_;
  std::set<std::string> awaited_;
  std::vector<std::string> workflow_;
  std::deque<Heard> heard_;

  std::atomic<std::int64_t> steps_{0};
  std::atomic<std::int64_t> running_{0};
  std::int64_t joined_ = 0, first_time_ = -1, now_ = -1, gaps_ = 0, odd_durations_ = 0;
  std::int64_t first_measured_ = 0, last_measured_ = 0, cpu_before_ = 0, cpu_after_ = 0;
  std::uint64_t sequence_ = 0;
  int final_state_ = 0;
  bool aborted_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s LIBRARY NAME URI [key=value ...]\n", argv[0]);
    return 2;
  }
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGUSR1, SIGUSR2, SIGHUP, SIGALRM}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  try {
    const Library library(argv[1]);
    const Settings settings(std::vector<std::string>(argv + 4, argv + argc));
    // Never destroyed: its helper threads wait for signals until the process ends.
    auto* const participant = new Participant(library, argv[2], argv[3], settings);
    participant->run();
    std::fflush(nullptr);
    ::_exit(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[2], error.what());
    std::fflush(nullptr);
    ::_exit(1);
  }
}
