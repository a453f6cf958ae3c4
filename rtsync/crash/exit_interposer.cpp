// SPDX-License-Identifier: Apache-2.0
/// Replaces the C library's _exit() and exec...() in the executable this is linked into, so that ExitGuard
/// sees a model that calls them.
///
/// Link it as an object into executables only: the dynamic linker finds the executable's functions first. The
/// C library itself (exit(), posix_spawn(), system()) does not come by here.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>

#include "rtsync/crash/exit_guard.hpp"

namespace {

using tactus::rtsync::check_exit;

constexpr std::size_t kMostArguments = 1024;

/// The arguments of an execl...(): those up to the null pointer; then `more` is what comes after it.
struct Arguments {
  char* argv[kMostArguments + 1];
  bool fit = false;

  Arguments(const char* first, va_list& more) {
    std::size_t count = 0;
    argv[count++] = const_cast<char*>(first);
    while (argv[count - 1] != nullptr && count <= kMostArguments) argv[count++] = va_arg(more, char*);
    fit = argv[count - 1] == nullptr;
    if (!fit) errno = E2BIG;
  }
};

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the C library's own names
extern "C" {

__attribute__((visibility("default"))) void _exit(int status) {
  check_exit("_exit()");
  tactus::rtsync::end_process(status);
}
__attribute__((visibility("default"))) void _Exit(int status) noexcept {
  check_exit("_Exit()");
  tactus::rtsync::end_process(status);
}

__attribute__((visibility("default"))) int execve(const char* path, char* const argv[],
                                                  char* const envp[]) noexcept {
  check_exit("execve()");
  return static_cast<int>(::syscall(SYS_execve, path, argv, envp));
}
__attribute__((visibility("default"))) int execv(const char* path, char* const argv[]) noexcept {
  check_exit("execv()");
  return static_cast<int>(::syscall(SYS_execve, path, argv, environ));
}
__attribute__((visibility("default"))) int fexecve(int fd, char* const argv[], char* const envp[]) noexcept {
  check_exit("fexecve()");
  return static_cast<int>(::syscall(SYS_execveat, fd, "", argv, envp, 0x1000 /* AT_EMPTY_PATH */));
}
__attribute__((visibility("default"))) int execveat(int fd, const char* path, char* const argv[],
                                                    char* const envp[], int flags) noexcept {
  check_exit("execveat()");
  return static_cast<int>(::syscall(SYS_execveat, fd, path, argv, envp, flags));
}
__attribute__((visibility("default"))) int execvp(const char* file, char* const argv[]) noexcept {
  check_exit("execvp()");
  return next<int(const char*, char* const[])>("execvp")(file, argv);
}
__attribute__((visibility("default"))) int execvpe(const char* file, char* const argv[],
                                                   char* const envp[]) noexcept {
  check_exit("execvpe()");
  return next<int(const char*, char* const[], char* const[])>("execvpe")(file, argv, envp);
}
__attribute__((visibility("default"))) int execl(const char* path, const char* first, ...) noexcept {
  va_list more;
  va_start(more, first);
  const Arguments arguments(first, more);
  va_end(more);
  return arguments.fit ? execv(path, arguments.argv) : -1;
}
__attribute__((visibility("default"))) int execlp(const char* file, const char* first, ...) noexcept {
  va_list more;
  va_start(more, first);
  const Arguments arguments(first, more);
  va_end(more);
  return arguments.fit ? execvp(file, arguments.argv) : -1;
}
__attribute__((visibility("default"))) int execle(const char* path, const char* first, ...) noexcept {
  va_list more;
  va_start(more, first);
  const Arguments arguments(first, more);
  char* const* const envp = va_arg(more, char* const*);
  va_end(more);
  return arguments.fit ? execve(path, arguments.argv, envp) : -1;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
