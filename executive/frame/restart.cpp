// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/restart.hpp"

#include <chrono>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "rtsync/crash/crash_handler.hpp"

namespace tactus::executive {

void Restart::load(const LoadedState& state) {
  rig_.commands.state_loaded(state.frame);
  if (!rig_.restorer.restore(state.bytes.data(), state.frame)) {
    rig_.status.enter(State::abort);
    throw std::runtime_error(rig_.jobs.take_failure_text());
  }
  is_loaded_.store(true, std::memory_order_relaxed);
  loaded_.fetch_add(1, std::memory_order_release);
}

std::optional<std::int64_t> Restart::run() {
  const LoadedState* const loading = rig_.commands.take_load();
  if (const char* const why = rig_.row.tell({RigChange::goes_back})) return fail(Outcome::aborted, why);
  rig_.status.enter_if_allowed(State::stop);
  rig_.outputs.drive_safe();
  rig_.status.enter(State::reset);
  rig_.commands.clear_pause_frame();
  if (!await_async_workers()) return std::nullopt;
  return loading != nullptr ? go_to(*loading) : reset();
}

/// False: one of them fails, or the rig is to end.
bool Restart::await_async_workers() {
  rig_.status.mark_idle();  // whoever is stuck, the watchdog finds
  while (!rig_.transitions.all_idle() && !rig_.commands.ending()) {
    rig_.status.send_heartbeat();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  rig_.status.mark_busy();
  return !rig_.commands.ending() && rig_.transitions.join();
}

std::optional<std::int64_t> Restart::go_to(const LoadedState& state) {
  const std::int64_t frame = state.frame;
  if (!rig_.restorer.restore(state.bytes.data(), frame)) return std::nullopt;
  rig_.commands.state_loaded(frame);
  rig_.commands.seek(frame);
  rig_.boundary.stand_at(frame);
  is_loaded_.store(true, std::memory_order_relaxed);
  loaded_.fetch_add(1, std::memory_order_release);  // the state may be gone from here on
  rig_.status.enter(State::start);
  return frame;
}

std::optional<std::int64_t> Restart::reset() {
  const std::int64_t taken = rig_.commands.reset_taken();
  if (const std::string& why = rig_.restorer.reset_refusal(); !why.empty())
    return fail(Outcome::aborted, "the rig cannot be reset: " + why);
  if (!rig_.restorer.restore_initial()) return std::nullopt;
  is_loaded_.store(false, std::memory_order_relaxed);
  rig_.status.enter(State::start);
  if (!initialize()) return std::nullopt;
  resets_.fetch_add(1, std::memory_order_relaxed);
  resets_done_.store(taken, std::memory_order_release);
  return 0;
}

/// The jobs of Start. They may take long: what watches over the rig is kept content meanwhile.
bool Restart::initialize() {
  std::vector<std::string> failures;
  if (setup_thread_) {
    std::atomic<bool> done{false};
    try {
      rtsync::PinnedThread thread(*setup_thread_, [&] {
        const rtsync::CrashStack stack;
        JobRunner::enter_thread(0);
        try {
          failures = rig_.jobs.initialize();
        } catch (const std::exception& error) {
          failures.emplace_back(error.what());
        }
        done.store(true);
      });
      rig_.status.mark_idle();  // it may take its time
      while (!done.load()) {
        rig_.status.show_waiting();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      thread.join();
      rig_.status.mark_busy();
    } catch (const std::system_error& error) {
      failures.emplace_back(std::string("no thread for the initialization jobs: ") + error.what());
    }
  } else {
    failures = rig_.jobs.initialize();
  }
  if (!failures.empty()) (void)fail(Outcome::failed, "after a reset: " + failures.front());
  return failures.empty();
}

}  // namespace tactus::executive
