// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/surroundings.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kSignals = 64;

fs::path tasks() { return "/proc/self/task"; }

std::string name_of(pid_t thread) {
  std::string name;
  std::ifstream in(tasks() / std::to_string(thread) / "comm");
  std::getline(in, name);
  return name;
}

std::vector<pid_t> threads() {
  std::vector<pid_t> all;
  std::error_code failed;
  for (fs::directory_iterator at(tasks(), failed), end; !failed && at != end; at.increment(failed))
    all.push_back(static_cast<pid_t>(std::stol(at->path().filename().string())));
  return all;
}

/// Signals that a thread blocks, bit s - 1 for signal s; nothing: it is gone.
bool blocked_by(pid_t thread, std::uint64_t& blocked) {
  std::ifstream in(tasks() / std::to_string(thread) / "status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("SigBlk:")) {
      blocked = std::stoull(line.substr(7), nullptr, 16);
      return true;
    }
  return false;
}

}  // namespace

void Surroundings::begin() {
  const std::scoped_lock lock(mutex_);
  std::error_code failed;
  folder_ = fs::current_path(failed).string();
  known_ = threads();
  thread_.store(0, std::memory_order_relaxed);
  started_ = 0;
  folder_said_ = mask_said_ = false;
}

void Surroundings::note_thread() noexcept {
  sigset_t now;
  std::uint64_t blocked = 0;
  if (::pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0)
    for (int s = 1; s <= kSignals; ++s)
      if (::sigismember(&now, s) == 1) blocked |= std::uint64_t{1} << (s - 1);
  blocked_ = blocked;
  (void)::pthread_getname_np(::pthread_self(), name_.data(), name_.size());
  thread_.store(::gettid(), std::memory_order_release);
}

std::vector<std::string> Surroundings::look_seldom() {
  {
    const std::scoped_lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return {};
    next_ = now + 250ms;
  }
  return look();
}

std::vector<std::string> Surroundings::look() {
  std::vector<std::string> found;
  const std::scoped_lock lock(mutex_);
  const pid_t thread = thread_.load(std::memory_order_acquire);
  if (thread == 0) return found;  // none of its jobs has run
  std::error_code failed;
  if (const std::string now = fs::current_path(failed).string(); !failed && now != folder_) {
    fs::current_path(folder_, failed);
    if (!folder_said_)
      found.push_back("the current folder of its process has become " + in_quotes(now) +
                      (failed ? "" : ", and is put back") + "; paths that begin there would be wrong");
    folder_said_ = true;
  }
  std::uint64_t blocked = 0;
  if (!mask_said_ && blocked_by(thread, blocked) && blocked != blocked_) {
    mask_said_ = true;
    found.emplace_back("its jobs changed which signals their thread blocks: signals to the rig may be lost");
  }
  // A thread has the name of the thread that started it until it takes another.
  const std::string name = name_.data();
  std::size_t started = 0;
  for (const pid_t each : threads())
    if (each != thread && std::ranges::find(known_, each) == known_.end() && name_of(each) == name) ++started;
  if (started > started_)
    found.push_back(std::to_string(started) + (started == 1 ? " thread was" : " threads were") +
                    " started by its jobs, of a priority and on CPUs that the rig did not choose");
  started_ = std::max(started_, started);
  return found;
}

}  // namespace tactus::drivers::fmi
