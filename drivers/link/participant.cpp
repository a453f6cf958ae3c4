// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/participant.hpp"

#include <dlfcn.h>

#include <deque>
#include <system_error>
#include <utility>

#include "drivers/link/courier.hpp"
#include "drivers/link/ledger.hpp"
#include "drivers/link/peer_commands.hpp"
#include "executive/driver/device_error.hpp"

namespace tactus::drivers::link {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestCall = 3s;  // at the end; then the library is abandoned
constexpr auto kLongestEnd = 7500ms;
constexpr auto kLongestCancelled = 300ms;  // whoever cancels does not want to wait

}  // namespace

/// Objects that the library may call, or come back to, at any time: they stay for ever, with the code they
/// run.
struct Participant::Remains {
  Remains(const LinkSettings& settings, const std::string& name, const Signals& signals, Exchange& exchange,
          const rtsync::Period& frame, const rtsync::Period& real_frame)
      : ledger(settings, name, signals, exchange),
        commands(settings, frame, exchange),
        courier(ledger, commands, exchange, frame, real_frame) {}

  Ledger ledger;
  PeerCommands commands;
  Courier courier;
  std::unique_ptr<rtsync::PinnedThread> thread;
};

Participant::Remains& Participant::keep(std::unique_ptr<Remains> remains) {
  static std::mutex mutex;
  static auto* const kept = new std::deque<std::unique_ptr<Remains>>;
  static const int here = 0;
  const std::scoped_lock held(mutex);
  Dl_info self{};
  if (::dladdr(&here, &self) != 0 && self.dli_fname != nullptr)
    (void)::dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);  // fails for a program: it stays
  return *kept->emplace_back(std::move(remains));
}

Participant::Participant(const LinkSettings& settings, std::string rig, const rtsync::Period& frame,
                         const rtsync::Period& real_frame, const Signals& signals, Exchange& exchange)
    : remains_(keep(std::make_unique<Remains>(settings, settings.participant.value_or(std::move(rig)),
                                              signals, exchange, frame, real_frame))),
      ledger_(remains_.ledger) {}

Participant::~Participant() { leave({true, "the rig is taken down"}); }

PeerCommands& Participant::commands() const { return remains_.commands; }
void Participant::ready() { ledger_.ready(); }
std::vector<std::string> Participant::take_log_lines() { return ledger_.take_notes(); }
std::vector<PeerFacts> Participant::peers() const { return ledger_.peers(); }

void Participant::join(executive::LinkCommands& commands, const rtsync::ThreadSettings& helper) {
  rtsync::ThreadSettings settings = helper;
  settings.name = "link";
  ledger_.give_commands_to(&commands);
  try {
    remains_.thread =
        std::make_unique<rtsync::PinnedThread>(settings, [courier = &remains_.courier] { courier->run(); });
  } catch (const std::system_error& error) {
    throw executive::DeviceError(std::string("the link cannot be joined: ") + error.what());
  }
  tid_ = remains_.thread->tid();
  if (remains_.courier.wait_for_join(cancelled_)) return;
  std::string why = remains_.courier.failure();
  const bool failed = !why.empty();
  if (!failed) why = "joining the federation at " + facts().registry + " was cancelled";
  remains_.courier.leave({true, why});
  const std::string stuck = failed ? end(kLongestCall, kLongestCall) : end(kLongestCancelled, kLongestEnd);
  throw executive::DeviceError(why + (stuck.empty() ? "" : "; " + stuck));
}

void Participant::cancel() {
  const std::scoped_lock held(ledger_.mutex);
  cancelled_ = true;
  ledger_.changed.notify_all();
}

void Participant::leave(const executive::LinkEnd& how) noexcept {
  try {
    if (tid_ == 0 || std::exchange(left_, true)) return;
    ledger_.end_frames();
    remains_.commands.close();
    remains_.courier.leave(how);
    if (const std::string stuck = end(kLongestCall, kLongestEnd); !stuck.empty()) ledger_.note(stuck);
  } catch (const std::exception& failure) {
    ledger_.note(std::string("leaving the federation failed: ") + failure.what());
  }
}

ParticipantFacts Participant::facts() const {
  const std::scoped_lock held(ledger_.mutex);
  return ledger_.facts;
}

std::vector<pid_t> Participant::threads() const {
  return tid_ == 0 || left_ ? std::vector<pid_t>{} : std::vector<pid_t>{tid_};
}

/// "" when the thread has ended; else what is to be said of it.
std::string Participant::end(std::chrono::milliseconds longest_call, std::chrono::milliseconds longest) {
  left_ = true;
  const std::string stuck = remains_.courier.wait_for_end(longest_call, longest);
  ledger_.close();
  remains_.commands.close();
  if (stuck.empty()) {
    remains_.thread->join();
    remains_.thread.reset();
    return "";
  }
  (void)::pthread_detach(remains_.thread->native());  // if it ever ends, nobody joins it
  return "the library did not come back from " + stuck + "; it and the thread 'link' are abandoned";
}

}  // namespace tactus::drivers::link
