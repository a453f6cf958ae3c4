// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/thread_origin.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "rtsync/host/descriptor.hpp"

namespace tactus::rtsync {
namespace {

/// The last part of a path.
std::string_view file_of(std::string_view path) TACTUS_RT {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// A library that is under each thread, and began none of its own accord.
bool is_of_system(std::string_view path) TACTUS_RT {
  constexpr std::string_view kNames[] = {
      "libc.so",  "libstdc++.so",  "libc++.so", "libc++abi.so", "libgcc_s.so", "libm.so",   "libpthread.so",
      "ld-linux", "linux-vdso.so", "libdl.so",  "libunwind.so", "libasan.so",  "libtsan.so"};
  const std::string_view file = file_of(path);
  return path.empty() ||
         std::ranges::any_of(kNames, [&](std::string_view name) { return file.starts_with(name); });
}

/// The library that code at an address is of; nullptr: it is in none, or in one of the system.
const char* library_at(std::uintptr_t address) noexcept {
  dl_find_object found{};
  if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0 ||  // NOLINT: as it is called
      found.dlfo_link_map == nullptr)
    return nullptr;
  const char* const path = found.dlfo_link_map->l_name;
  return path == nullptr || is_of_system(path) ? nullptr : path;
}

struct Outermost {
  const char* library = nullptr;
  int frames = 0;
};

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* outermost) {
  constexpr int kMostFrames = 200;
  auto& so_far = *static_cast<Outermost*>(outermost);
  // A return address is behind its call, perhaps behind the end of the function.
  if (const char* const library = library_at(static_cast<std::uintptr_t>(_Unwind_GetIP(context)) - 1))
    so_far.library = library;
  return ++so_far.frames < kMostFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/// Another thread of the process has that name.
bool is_inherited(std::string_view name, pid_t own) noexcept {
  const Descriptor folder(::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return true;
  alignas(dirent64) std::array<char, 4096> entries{};
  for (long read = 0; (read = ::syscall(SYS_getdents64, folder.get(), entries.data(), entries.size())) > 0;)
    for (long at = 0; at < read;) {
      dirent64 entry{};
      std::memcpy(&entry, entries.data() + at, offsetof(dirent64, d_name));
      const char* const task = entries.data() + at + offsetof(dirent64, d_name);
      at += entry.d_reclen;
      pid_t thread = 0;
      (void)std::from_chars(task, task + std::strlen(task), thread);
      if (thread == 0 || thread == own) continue;
      std::array<char, 32> file{};
      std::memcpy(file.data(), task, std::strlen(task));
      std::memcpy(file.data() + std::strlen(task), "/comm", sizeof "/comm");
      const Descriptor comm(::openat(folder.get(), file.data(), O_RDONLY | O_CLOEXEC));
      std::array<char, 32> text{};
      const std::string_view line = read_again(comm.get(), text);
      if (!line.empty() && line.substr(0, line.size() - 1) == name) return true;
    }
  return false;
}

}  // namespace

ThreadOrigin name_of_this_thread() noexcept {
  ThreadOrigin origin;
  const auto thread = static_cast<pid_t>(::syscall(SYS_gettid));
  origin.is_main = thread == ::getpid();
  char name[16] = {};
  (void)::prctl(PR_GET_NAME, name);
  if (!is_inherited(name, thread)) std::memcpy(origin.name.data(), name, std::strlen(name));
  return origin;
}

void find_library(ThreadOrigin& origin) noexcept {
  Outermost outermost;
  (void)_Unwind_Backtrace(&take_frame, &outermost);
  if (outermost.library == nullptr) return;
  const std::string_view path = outermost.library;
  const std::string_view shown = path.size() < origin.library.size() ? path : file_of(path);
  std::memcpy(origin.library.data(), shown.data(), std::min(shown.size(), origin.library.size() - 1));
}

void write(RawLine& line, const ThreadOrigin& origin, pid_t thread) TACTUS_RT {
  line << "thread " << static_cast<int>(thread);
  if (!text_in(origin.name).empty()) line << " ('" << text_in(origin.name) << "')";
  line << ", which ";
  if (!text_in(origin.library).empty()) {
    const bool is_ours = text_in(origin.name).find('@') != std::string_view::npos;  // recorder@servo
    const bool was_in = is_ours || origin.is_main;
    line << (was_in ? "was in library " : "library ") << text_in(origin.library)
         << (was_in ? " and " : " started and which ");
  }
  line << "runs none of the rig's jobs";
}

}  // namespace tactus::rtsync
