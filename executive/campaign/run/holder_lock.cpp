// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/holder_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>

#include "config/text.hpp"

namespace tactus::campaign {

namespace fs = std::filesystem;

namespace {

std::string text_of(int file) {
  std::array<char, 512> text{};
  std::string all(rtsync::read_again(file, text));
  while (!all.empty() && all.back() == '\n') all.pop_back();
  return all;
}

/// The process that "process 312 (...)" names; 0: none.
pid_t process_of(const std::string& holder) {
  constexpr std::string_view kBegin = "process ";
  pid_t process = 0;
  if (holder.starts_with(kBegin))
    (void)std::from_chars(holder.data() + kBegin.size(), holder.data() + holder.size(), process);
  return process;
}

/// A file for all users of this machine.
fs::path shared_file(const std::string& name) {
  const fs::path shared = "/run/lock";
  const fs::path folder = ::access(shared.c_str(), W_OK) == 0 ? shared : fs::path("/tmp");
  return folder / ("tactus-" + name + ".lock");
}

}  // namespace

HolderLock::HolderLock(const fs::path& file, const std::string& purpose, Lock lock) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  file_ = rtsync::Descriptor(::open(file.c_str(), kFlags | O_CREAT, 0666));
  // In a folder for all users the kernel lets only the owner of a file open it by a call that may make it.
  if (file_.get() < 0 && errno == EACCES)
    file_ = rtsync::Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file_.get() < 0) throw std::system_error(errno, std::generic_category(), file.string());
  // A child that is being started has it until its program runs, also when its parent is killed just then.
  for (int tries = 0; tries < 400; ++tries) {
    taken_ = lock(file_.get(), LOCK_EX | LOCK_NB) == 0;
    if (taken_) break;
    if (errno == EINTR) continue;
    if (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS)
      throw std::system_error(ENOLCK, std::generic_category(), file.string());
    // NFS refuses (EBADF) to lock a file that is open for reading alone.
    if (errno != EWOULDBLOCK)
      throw std::system_error(errno, std::generic_category(), file.string() + " cannot be locked");
    holder_ = text_of(file_.get());
    const pid_t process = process_of(holder_);
    if (process <= 0 || ::kill(process, 0) == 0 || errno != ESRCH) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (!taken_) {
    if (holder_.empty()) holder_ = "a process that began just now";
    return;
  }
  holder_.clear();
  const std::string text = "process " + std::to_string(::getpid()) + " (" + purpose + ")\n";
  (void)::fchmod(file_.get(), 0666);  // another user may hold it next, and say so
  if (::ftruncate(file_.get(), 0) == 0) (void)!::pwrite(file_.get(), text.data(), text.size(), 0);
}

fs::path HolderLock::of_bench(const std::string& name) {
  std::string plain;
  for (const char letter : name) plain += config::is_name({&letter, 1}) ? letter : '_';
  return shared_file("bench-" + plain);
}

fs::path HolderLock::of_cpu(int cpu) { return shared_file("cpu-" + std::to_string(cpu)); }

}  // namespace tactus::campaign
