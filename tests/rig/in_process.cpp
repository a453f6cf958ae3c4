// SPDX-License-Identifier: Apache-2.0
#include "in_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#ifdef TACTUS_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

#include "executive/app/command_main.hpp"
#include "executive/app/terminal_text.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

int check_result(int result, const std::string& what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

/// A standard descriptor is an open file as long as this lives.
class Redirected {
 public:
  Redirected(std::FILE* stream, const fs::path& file, int flags) : stream_(stream) {
    std::fflush(stream_);
    kept_ = check_result(::fcntl(::fileno(stream_), F_DUPFD_CLOEXEC, 3), "keeping a descriptor");
    file_ = check_result(::open(file.c_str(), flags | O_CLOEXEC, 0600), file);
    check_result(::dup2(file_, ::fileno(stream_)), file);
  }
  ~Redirected() {
    std::fflush(stream_);
    std::clearerr(stream_);
    (void)::dup2(kept_, ::fileno(stream_));
    ::close(kept_);
    ::close(file_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

  /// The descriptor as it was.
  int kept() const { return kept_; }
  /// The descriptor of the file.
  int file() const { return file_; }

 private:
  std::FILE* stream_;
  int kept_ = -1;
  int file_ = -1;
};

/// The current folder is another one as long as this lives.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) {
    if (!folder.empty()) fs::current_path(folder);
  }
  ~InFolder() {
    std::error_code gone;
    fs::current_path(before_, gone);
  }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  fs::path before_;
};

/// The environment is that of a command as long as this lives.
class Environment {
 public:
  explicit Environment(const Command& command) : before_(now()) {
    for (const std::string& name : command.without_env) ::unsetenv(name.c_str());
    ::unsetenv("NO_COLOR");  // as for a process
    for (const auto& [name, value] : command.env) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : now())
      if (!before_.contains(name)) ::unsetenv(name.c_str());
    for (const auto& [name, value] : before_) {
      const char* const set = ::getenv(name.c_str());
      if (set == nullptr || value != set) ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static std::map<std::string, std::string> now() {
    std::map<std::string, std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      const std::size_t sign = text.find('=');
      if (sign != std::string_view::npos) all.emplace(text.substr(0, sign), text.substr(sign + 1));
    }
    return all;
  }

  const std::map<std::string, std::string> before_;
};

/// What signals do, and which are blocked, is afterwards what it was.
class SignalsKept {
 public:
  SignalsKept() {
    check_result(::pthread_sigmask(SIG_SETMASK, nullptr, &blocked_), "pthread_sigmask");
    for (int signal = 1; signal <= SIGRTMAX; ++signal)
      known_[index(signal)] = ::sigaction(signal, nullptr, &actions_[index(signal)]) == 0;
  }
  ~SignalsKept() {
    for (int signal = 1; signal <= SIGRTMAX; ++signal)
      if (known_[index(signal)] && signal != SIGKILL && signal != SIGSTOP)
        (void)::sigaction(signal, &actions_[index(signal)], nullptr);
    (void)::pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
  }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;

 private:
  static std::size_t index(int signal) { return static_cast<std::size_t>(signal); }

  sigset_t blocked_{};
  std::array<struct sigaction, NSIG + 1> actions_{};
  std::array<bool, NSIG + 1> known_{};
};

/// A crash of the command names it as long as this lives, and shows what it had said.
class CrashNamed {
 public:
  CrashNamed(const Command& command, const Redirected& err) {
    text_ = "\nthis command crashed in the process of the test, which it ends:";
    for (const std::string& word : command.argv) text_ += " " + word;
    text_ += "\nits stderr:\n";
    said_ = err.file();
    to_ = err.kept();
#ifdef TACTUS_SANITIZED
    __sanitizer_set_report_fd(pointer(to_));
#endif
    for (const int signal : kCrashes) {
      if (kSanitized && signal != SIGABRT) continue;  // the sanitizer's report says more
      struct sigaction action {};
      action.sa_handler = &CrashNamed::tell;
      action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
      (void)::sigaction(signal, &action, nullptr);
    }
  }
  ~CrashNamed() {
#ifdef TACTUS_SANITIZED
    __sanitizer_set_report_fd(pointer(STDERR_FILENO));
#endif
  }
  CrashNamed(const CrashNamed&) = delete;
  CrashNamed& operator=(const CrashNamed&) = delete;

 private:
  static constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

#ifdef TACTUS_SANITIZED
  /// Sanitizers take a descriptor as a pointer.
  static void* pointer(int descriptor) {
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));  // NOLINT
  }
#endif
  static void tell(int signal) {
    (void)!::write(to_, text_.data(), text_.size());
    std::array<char, 4096> some;
    ssize_t length = 0;
    for (off_t at = 0; (length = ::pread(said_, some.data(), some.size(), at)) > 0; at += length)
      (void)!::write(to_, some.data(), static_cast<std::size_t>(length));
    (void)::raise(signal);  // its action is the default one again
  }

  inline static std::string text_;
  inline static int said_ = -1;
  inline static int to_ = -1;
};

bool has(const Words& words, std::string_view text) {
  return std::any_of(words.begin(), words.end(), [text](const std::string& word) {
    return word == text || word.starts_with(std::string(text) + "=");
  });
}

/// The commands that start no rig, nor measure in real time, nor serve others.
bool starts_no_rig(const Words& words) {
  static constexpr std::string_view kNever[] = {
      "--help", "--version", "check", "recover", "convert",    "trace",   "report", "ps",
      "watch",  "scope",     "get",   "set",     "force",      "release", "pause",  "resume",
      "step",   "run_until", "reset", "stop",    "checkpoint", "load",    "switch", "help"};
  if (words.empty() || has(words, "--help")) return true;
  if (words[0] == "doctor") return has(words, "--no-measure");
  if (words[0] == "calibrate") return has(words, "--from");
  return std::find(std::begin(kNever), std::end(kNever), words[0]) != std::end(kNever);
}

/// What is read before main() has no effect later.
bool is_read_at_start(const std::string& name) {
  return name.starts_with("LD_") || name.starts_with("GLIBC_") || name.starts_with("MALLOC_") ||
         name.ends_with("SAN_OPTIONS");
}

std::optional<Finished> run_if_it_can(const Command& command) {
  if (!is_run_in_process(command)) return std::nullopt;
  return run_in_process(command);
}

[[maybe_unused]] const bool g_registered = (set_run_here(&run_if_it_can), true);

}  // namespace

bool is_run_in_process(const Command& command) {
  if (command.own_process || command.terminal || command.child || command.input != Input::empty) return false;
  if (command.argv.empty() || command.argv[0] != TACTUS_COMMAND) return false;
  const auto& env = command.env;
  if (std::any_of(env.begin(), env.end(), [](const auto& entry) { return is_read_at_start(entry.first); }))
    return false;
  return starts_no_rig({command.argv.begin() + 1, command.argv.end()});
}

Finished run_in_process(const Command& command) {
  const TempDir said;
  Finished done;
  const auto start = std::chrono::steady_clock::now();
  {
    const InFolder folder(command.cwd);
    const Environment environment(command);
    const SignalsKept signals;
    const Redirected in(stdin, "/dev/null", O_RDONLY);
    const Redirected out(stdout, said / "out", O_WRONLY | O_CREAT | O_TRUNC);
    const Redirected err(stderr, said / "err", O_RDWR | O_CREAT | O_TRUNC);
    const CrashNamed crash(command, err);
    std::vector<std::string> words = command.argv;
    if (words.size() > 1 && words[1] == "run") words.emplace_back("--no-witness");  // this process is the rig
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    app::choose_color("auto");  // the command before may have chosen otherwise
    done.status = app::command_main(static_cast<int>(words.size()), arguments.data());
  }
  done.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  done.out = read_file(said / "out");
  done.err = read_file(said / "err");
  return done;
}

}  // namespace tactus::test
