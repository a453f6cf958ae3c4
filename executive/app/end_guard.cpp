// SPDX-License-Identifier: Apache-2.0
#include "executive/app/end_guard.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "executive/app/commands.hpp"
#include "executive/app/screen.hpp"
#include "executive/app/signal_paths.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/app/witness.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/thread/thread_names.hpp"

namespace tactus::app {
namespace {

using namespace std::chrono_literals;
using rtsync::WitnessPage;

constexpr auto kLook = 250ms;

std::atomic<EndGuard::Phase> phase{EndGuard::Phase::setup};
std::atomic<pid_t> guard{0};

std::string doing() {
  const std::string text = rtsync::doing_text();
  if (!text.empty()) return "a call that was made while " + text;
  return phase.load() == EndGuard::Phase::ending ? "the end of the process" : "its service thread";
}

[[noreturn]] void end(WitnessPage::GivenUp why) {
  print_error("tactus: %s; it waited for %s\n", rtsync::text_of(why), doing().c_str());
  if (WitnessPage* const page = rtsync::witness_page()) page->given_up.store(why);
  rtsync::end_process(kEndedEarly);
}

void watch() {
  (void)::pthread_setname_np(::pthread_self(), "end-guard");
  guard.store(::gettid());
  guard.notify_one();
  EndPatience patience;
  int last = 0;
  for (std::uint64_t heard = Console::looks();;) {
    // Where the service thread listens itself, a signal is left to it.
    const std::uint64_t now_heard = Console::looks();
    int taken = 0;
    if (now_heard == heard)
      taken = Console::stop_signal(kLook);
    else
      std::this_thread::sleep_for(kLook);
    heard = now_heard;
    Witness::look();
    if (taken != 0) last = taken;
    switch (patience.look(EndPatience::Clock::now(), Console::looks(), Console::stops(), taken != 0,
                          Witness::is_gone(), phase.load() == EndGuard::Phase::ending,
                          phase.load() != EndGuard::Phase::frames)) {
      case EndPatience::Step::wait:
        break;
      case EndPatience::Step::say:
        print_error("tactus: waiting for %s; a second signal (Ctrl-C) ends the process\n", doing().c_str());
        Witness::wake();
        break;
      case EndPatience::Step::end:
        end(WitnessPage::GivenUp::second_signal);
      case EndPatience::Step::end_late:
        end(WitnessPage::GivenUp::too_long);
      case EndPatience::Step::hand_back:
        SignalPaths::keep({last, 0});  // sent again it would count as the same one
        break;
    }
  }
}

}  // namespace

EndPatience::Step EndPatience::look(Clock::time_point now, std::uint64_t heard, int before, bool taken,
                                    bool alone, bool ending, bool says) {
  // A process that was stopped, or a machine that stood still, gave nothing the time to return.
  const auto passed = std::min<std::chrono::nanoseconds>(now - looked_, 2 * kLook);
  looked_ = now;
  taken_ += taken ? 1 : 0;
  if (heard != heard_) {
    heard_ = heard;
    waited_ = std::chrono::nanoseconds{0};
    said_ = false;
    if (taken_ == 0) return Step::wait;
    taken_ = 0;
    return Step::hand_back;
  }
  waited_ += passed;
  if (ending && waited_ >= kLongest) return Step::end_late;
  if (waited_ < kSay) return Step::wait;
  if (!said_ && (taken_ > 0 || (says && (ending || waited_ >= kSayAtStart)))) {
    said_ = true;
    return Step::say;
  }
  return taken_ > 0 && before + taken_ >= (alone ? 1 : 2) ? Step::end : Step::wait;
}

void EndGuard::begin() {
  constexpr std::size_t kStackBytes = std::size_t{256}
                                      << 10;  // all of it is locked in memory, by default 8 MiB
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  (void)::pthread_attr_setstacksize(&attributes, kStackBytes);
  (void)::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);  // it ends with the process
  pthread_t thread{};
  const auto body = [](void*) -> void* {
    watch();
    return nullptr;
  };
  const int error = ::pthread_create(&thread, &attributes, body, nullptr);
  (void)::pthread_attr_destroy(&attributes);
  if (error != 0) return;  // no room for a thread: the end is as patient as its parts
  guard.wait(0);
}

void EndGuard::place(const rtsync::CpuSet& cpus, const std::string& rig) {
  const pid_t thread = guard.load();
  if (thread == 0) return;
  (void)rtsync::set_affinity(thread, cpus);
  rtsync::name_thread(thread, "end-guard", rig);
}

void EndGuard::enter(Phase entered) { phase.store(entered); }

}  // namespace tactus::app
