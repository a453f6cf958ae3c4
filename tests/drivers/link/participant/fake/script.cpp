// SPDX-License-Identifier: Apache-2.0
/// A simulation in which the library plays all the others, for a whole rig that cannot be scripted from
/// inside: the environment's TACTUS_FAKE_SILKIT says what they do, as "key=value; key=value".
///
///     late=MS every=N   each N-th grant comes so much after the step before was completed
///     late=MS step=N    that of step N alone
///     silent=N          no step from N on is granted
///     says=WHAT step=N  what becomes of the peer "Setpoint" at step N: stop, error, abort, lost, pause
///     pause=MS          how long it pauses
///     grants=HOW        thread: each on a thread of its own; inside: on the thread that completes a step;
///                       ahead: ten at a time, before anything is completed
///     times=odd         steps begin at any time and last as long as they like
///     first=NS          virtual time of the first step
///     sends=WHAT        before each grant: good (also where nothing is said), wrong, nan, burst, future,
///     past, ends crowd=N           so many threads call back besides, for ever refuse=FUNCTION   answers
///     another error each time; FUNCTION:CODE: this one hang=FUNCTION     says so on stdout, and never comes
///     back
///
/// Whatever the rig does that no participant should, is complained of on stderr: "fake_silkit: ...".
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "tests/drivers/link/participant/fake/fake_silkit.hpp"

using namespace tactus::test;

namespace {

using namespace std::chrono_literals;

constexpr const char* kRig = "Rig";
constexpr const char* kPeer = "Setpoint";
constexpr std::uint64_t kStep = 1'000'000;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

class Script {
 public:
  explicit Script(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line, ';');) {
      const std::size_t from = line.find_first_not_of(' ');
      const std::size_t equals = line.find('=');
      if (from != std::string::npos && equals != std::string::npos)
        words_.emplace(line.substr(from, equals - from), line.substr(equals + 1));
    }
  }
  std::string word(const std::string& key) const {
    const auto found = words_.find(key);
    return found == words_.end() ? "" : found->second;
  }
  std::int64_t number(const std::string& key, std::int64_t otherwise) const {
    const std::string text = word(key);
    return text.empty() ? otherwise : std::stoll(text);
  }
  auto all(const std::string& key) const { return words_.equal_range(key); }

 private:
  std::multimap<std::string, std::string> words_;
};

/// Threads  its own, and whichever the functions are called on. Stays for ever.
class Player {
 public:
  explicit Player(const std::string& text) : script_(text), fake_(*tactus_fake_silkit()) {
    refuse_and_hang();
    during("LifecycleService_StartLifecycle", [this] { start([this] { play(); }); });
    during("LifecycleService_CompleteCommunicationReadyHandlerAsync", [this] { note(ready_); });
    during("TimeSyncService_CompleteSimulationStep", [this] { complete(); });
    during("LifecycleService_Pause", [this] { become(SilKit_ParticipantState_Paused); });
    during("LifecycleService_Continue", [this] { become(SilKit_ParticipantState_Running); });
    during("LifecycleService_Stop", [this] {
      note(over_);
      for (const SilKit_ParticipantState state :
           {SilKit_ParticipantState_Stopping, SilKit_ParticipantState_Stopped,
            SilKit_ParticipantState_ShuttingDown, SilKit_ParticipantState_Shutdown})
        become(state);
    });
    during("LifecycleService_ReportError", [this] {
      note(over_);
      become(SilKit_ParticipantState_Error);
    });
    during("Participant_Destroy", [this] { note(over_); });
  }

 private:
  // ---- functions

  void refuse_and_hang() {
    for (auto [at, end] = script_.all("hang"); at != end; ++at) {
      fake_.hang(*faulty_.insert(at->second).first);
      fake_.inside(at->second, [function = at->second] {
        std::printf("the library hangs in %s\n", function.c_str());
        (void)std::fflush(stdout);
      });
    }
    for (auto [at, end] = script_.all("refuse"); at != end; ++at) {
      const std::size_t colon = at->second.find(':');
      const std::string function = *faulty_.insert(at->second.substr(0, colon)).first;
      if (colon != std::string::npos) {
        fake_.answer(function, std::stoi(at->second.substr(colon + 1)));
        continue;
      }
      fake_.inside(function, [this, function, calls = std::make_shared<std::atomic<int>>()] {
        const int code = calls->fetch_add(1) % 20 + 1;  // beyond what has a name
        fake_.answer(function, code == 19 ? -1 : code);
        if (function == "TimeSyncService_CompleteSimulationStep") complete();  // grants come all the same
      });
    }
  }
  /// What a function leads to; nothing, if it is refused or hangs.
  void during(const std::string& function, std::function<void()> what) {
    if (!faulty_.contains(function)) fake_.inside(function, std::move(what));
  }

  void complete() {
    bool inside = false;
    {
      const std::scoped_lock held(mutex_);
      if (++completed_ > granted_)
        std::fprintf(stderr, "fake_silkit: step %lld was completed, which nobody granted\n",
                     static_cast<long long>(completed_ - 1));
      inside = script_.word("grants") == "inside" && !over_;
      changed_.notify_all();
    }
    if (inside) grant();
  }

  // ---- the others

  void play() {
    handlers_ = fake_.handlers();
    const std::string asked = fake_.text("TimeSyncService_SetSimulationStepHandlerAsync");
    if (!asked.empty()) size_ = std::stoull(asked);
    handlers_.connect(kPeer, true);
    handlers_.communication_ready(handlers_.context, nullptr);
    if (!wait([this] { return ready_; })) return;
    become(SilKit_ParticipantState_ReadyToRun);
    handlers_.say(kPeer, SilKit_ParticipantState_Running, "");
    handlers_.say_system(SilKit_SystemState_Running);
    if (handlers_.starting != nullptr) handlers_.starting(handlers_.context, nullptr);
    if (silent_ > 0) become(SilKit_ParticipantState_Running);
    for (std::int64_t i = 0; i < script_.number("crowd", 0); ++i) start([this, i] { crowd(i); });
    const std::int64_t ahead = script_.word("grants") == "ahead" ? 10 : 0;
    while (wait([&] { return granted_ < silent_ && completed_ + ahead >= granted_; })) {
      const std::int64_t step = [this] {
        const std::scoped_lock held(mutex_);
        return granted_;
      }();
      if (step == script_.number("step", kNever)) say(script_.word("says"));
      if (is_late(step))
        (void)wait([] { return false; }, std::chrono::milliseconds(script_.number("late", 0)));
      if (script_.word("grants") == "inside" && step > 0) return;
      if (script_.word("grants") == "thread") {
        std::thread([this] { grant(); }).join();
      } else {
        grant();
      }
    }
  }

  bool is_late(std::int64_t step) const {
    const std::int64_t every = script_.number("every", 0);
    return every > 0 ? step > 0 && step % every == 0 : step == script_.number("step", kNever);
  }

  void grant() {
    std::int64_t step = 0;
    {
      const std::scoped_lock held(mutex_);
      step = granted_++;
    }
    const auto first = static_cast<std::uint64_t>(script_.number("first", 0));
    const std::uint64_t now = first + static_cast<std::uint64_t>(step) * size_;
    send(step, now);
    if (script_.word("times") == "odd") {
      static constexpr std::array<std::uint64_t, 5> kOdd{0, 1, UINT64_MAX, UINT64_C(1) << 63, 12'345};
      const auto n = static_cast<std::size_t>(step);
      handlers_.grant(step == 0 ? first : kOdd[n % 5], kOdd[n / 5 % 5]);
    } else {
      handlers_.grant(now, size_);
    }
  }

  void send(std::int64_t step, std::uint64_t now) {
    const std::string what = script_.word("sends");
    const double value = 0.1 * std::sin(0.01 * static_cast<double>(step));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (what == "wrong") {
      handlers_.send(0, now, &value, static_cast<std::size_t>(step % 8));
      handlers_.send(0, now, nullptr, static_cast<std::size_t>(1) << (step % 48));
    } else if (what == "nan") {
      handlers_.send(0, now, &nan, sizeof nan);
    } else if (what == "burst") {
      for (int i = 0; i < (step % 50 == 0 ? 10'000 : 1); ++i) handlers_.send(0, now, &value, sizeof value);
    } else if (what == "future") {
      for (std::uint64_t i = 0; i < 20; ++i)  // each before all that are there
        handlers_.send(0, now + (UINT64_C(1) << 60) - static_cast<std::uint64_t>(step) * kStep * 20 - i,
                       &value, sizeof value);
    } else if (what == "past") {
      handlers_.send(0, now / 2, &value, sizeof value);
    } else if (what == "ends") {
      static constexpr std::array<std::uint64_t, 6> kEnds{
          (UINT64_C(1) << 63) + 1, (UINT64_C(1) << 63) - 1, UINT64_C(1) << 63, UINT64_MAX, 0,
          UINT64_C(1) << 62};
      handlers_.send(0, kEnds[static_cast<std::size_t>(step) % kEnds.size()], &value, sizeof value);
    } else {
      handlers_.send(0, now, &value, sizeof value);
    }
  }

  void say(const std::string& what) {
    if (what == "stop") {
      handlers_.say(kPeer, SilKit_ParticipantState_Stopping, "has seen enough");
      handlers_.say_system(SilKit_SystemState_Stopping);
      handlers_.stop(handlers_.context, nullptr);
      for (const SilKit_ParticipantState state :
           {SilKit_ParticipantState_Stopped, SilKit_ParticipantState_ShuttingDown,
            SilKit_ParticipantState_Shutdown})
        become(state);
    } else if (what == "error") {
      handlers_.say(kPeer, SilKit_ParticipantState_Error, "is on fire");
      handlers_.say_system(SilKit_SystemState_Error);
    } else if (what == "abort") {
      handlers_.abort(handlers_.context, nullptr, SilKit_ParticipantState_Running);
      handlers_.say_system(SilKit_SystemState_Aborting);
    } else if (what == "lost") {
      handlers_.connect(kPeer, false);
    } else if (what == "pause") {
      handlers_.say(kPeer, SilKit_ParticipantState_Paused, "a coffee");
      (void)wait([] { return false; }, std::chrono::milliseconds(script_.number("pause", 300)));
      handlers_.say(kPeer, SilKit_ParticipantState_Running, "");
    }
  }

  /// Says this and that, on and on, even when nobody should be there to listen.
  void crowd(std::int64_t number) {
    const std::string name = "Peer" + std::to_string(number);
    const double value = 0.01 * static_cast<double>(number);
    for (std::uint64_t n = 0;; ++n) {
      handlers_.connect(name.c_str(), true);
      handlers_.say(name.c_str(), SilKit_ParticipantState_Running, "so");
      handlers_.say_system(SilKit_SystemState_Running);
      handlers_.send(0, n * kStep, &value, sizeof value);
      handlers_.send(0, n * kStep, "?", 1);
      std::this_thread::sleep_for(1ms);
    }
  }

  // ---- threads

  void become(SilKit_ParticipantState state) { handlers_.say(kRig, state, ""); }

  template <class Body>
  static void start(Body body) {
    std::thread(body).detach();
  }
  void note(bool& what) {
    const std::scoped_lock held(mutex_);
    what = true;
    changed_.notify_all();
  }
  /// False: it is over, or the time is.
  bool wait(const std::function<bool()>& until, std::chrono::milliseconds limit = 1h) {
    std::unique_lock held(mutex_);
    return changed_.wait_for(held, limit, [&] { return over_ || until(); }) && !over_;
  }

  const Script script_;
  FakeSilKit& fake_;
  FakeHandlers handlers_;
  std::uint64_t size_ = kStep;  // of a step, as the rig asked for it
  std::set<std::string> faulty_;
  const std::int64_t silent_ = script_.number("silent", kNever);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t granted_ = 0;
  std::int64_t completed_ = 0;
  bool ready_ = false;
  bool over_ = false;
};

[[gnu::constructor]] void play() {
  if (const char* const text = std::getenv("TACTUS_FAKE_SILKIT")) new Player(text);
}

}  // namespace
