// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/model_process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "executive/isolation/process_end.hpp"
#include "executive/model/model_library.hpp"
#include "rtsync/crash/loaded_files.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/page.hpp"
#include "rtsync/host/rights.hpp"
#include "rtsync/host/spawn.hpp"
#include "rtsync/thread/thread_list.hpp"

namespace tactus::executive {
namespace {

constexpr const char* kProgram = "tactus-model";
constexpr int kLooks = 16;                           // of one call, until it is overdue
constexpr auto kLeastEnd = std::chrono::seconds(1);  // ProcessEnd's text says it

[[noreturn]] void cannot(const std::string& what, int error) {
  throw ModelRefused(Letter::Kind::instance_refused,
                     "cannot be isolated: " + what + ": " + std::generic_category().message(error));
}
int checked(int result, const char* what) {
  if (result < 0) cannot(what, errno);
  return result;
}

std::filesystem::path program() {
  std::string tried;
  for (const auto& folder : plugin_folders()) {
    std::filesystem::path file = folder / kProgram;
    if (::access(file.c_str(), X_OK) == 0) return file;
    tried += (tried.empty() ? "" : ", ") + file.string();
  }
  throw ModelRefused(Letter::Kind::instance_refused, "cannot be isolated: there is no program " + tried +
                                                         "; install tactus again, or remove 'isolated'");
}

/// A copy of a descriptor with a number out of the way, which no other program inherits.
int moved_up(int fd) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 16);
  (void)::close(fd);
  return checked(copy, "fcntl");
}

/// It has the socket, the memory, the standard streams, a process group of its own. Signals of the terminal and of
/// systemd are for the rig, as in a rig of one process.
pid_t start(const std::filesystem::path& file, const ModelOrigin& origin, int socket, int memory) {
  sigset_t blocked;
  (void)::sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGXCPU})
    (void)::sigdelset(&blocked, fault);
  return rtsync::spawn({.program = file,
                        .words = {kProgram, origin.instance, origin.library, origin.model,
                                  std::to_string(::getpid()), origin.driver ? "driver" : "model"},
                        .streams = true,
                        .descriptors = {{socket, kModelSocket}, {memory, kModelMemory}},
                        .blocked = blocked,
                        .flags = POSIX_SPAWN_SETPGROUP},
                       cannot);
}

}  // namespace

ModelProcess::~ModelProcess() {
  if (mapped_ != 0) (void)::munmap(page_, mapped_);
  for (const int fd : {process_.load(), socket_, memory_})
    if (fd >= 0) (void)::close(fd);
}

void ModelProcess::spawn() {
  const std::filesystem::path file = program();
  std::error_code error;
  cwd_ = std::filesystem::current_path(error).string();
  int ends[2];
  checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair");
  socket_ = moved_up(ends[0]);
  const int theirs = moved_up(ends[1]);
  memory_ =
      moved_up(checked(::memfd_create("tactus-model", MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create"));
  pid_ = start(file, origin_, theirs, memory_);
  (void)::close(theirs);
  if (!open_descriptor()) {
    const int why = errno;
    (void)::kill(pid_, SIGKILL);
    (void)::waitpid(std::exchange(pid_, -1), nullptr, 0);
    cannot("pidfd_open", why);
  }
}

bool ModelProcess::open_descriptor() {
  process_.store(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  return process_.load() >= 0;
}

std::string ModelProcess::who() const {
  return "its process (" + std::filesystem::path(origin_.library).filename().string() + ", pid " +
         std::to_string(pid_) + ")";
}

void ModelProcess::set_how(const std::string& text) { text.copy(how_.data(), how_.size() - 1); }

void ModelProcess::look(std::chrono::nanoseconds every) {
  const std::uint32_t call = limited_.load(std::memory_order_relaxed);
  looks_ = call != 0 && call == looked_ ? looks_ + 1 : 0;
  looked_ = call;
  if (looks_ < most_looks(ending_.load(), every) || overdue_) return;
  overdue_ = true;
  kill();
}

std::int64_t ModelProcess::most_looks(bool ending, std::chrono::nanoseconds every) {
  return ending ? std::max<std::int64_t>(kLooks, kLeastEnd / every) : kLooks;
}

bool ModelProcess::reap() {
  siginfo_t seen{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOHANG | WNOWAIT) == 0 && seen.si_pid == 0) {
    (void)open_descriptor();  // the number of the old one is somebody else's by now
    return false;
  }
  const std::string comm = rtsync::thread_name(pid_);
  siginfo_t info{};
  (void)::kill(-pid_, SIGKILL);  // what it leaves behind in its process group
  const bool known = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) == 0;
  const bool destroyed = page_ != nullptr && page().destroyed.load();
  const ProcessEnd end{known ? std::optional(info) : std::nullopt, overdue_, ending_.load(), destroyed};
  crashed_ = is_crash(end) && !given_up_.load();
  std::string how = who() + " " + text_of(end, CorePlace::here(pid_, comm, cwd_));
  if (crashed_)
    if (const auto change = rtsync::find_overwritten(pid_)) how += "; " + rtsync::text_of(*change);
  set_how(how);
  ended_.store(true);
  ended_.notify_all();
  CallPage* const page = page_;
  if (page == nullptr) return true;
  page->reply.fetch_add(1U << 30);  // whoever is about to sleep does not
  wake(page->reply);
  return true;
}

void ModelProcess::refuse_dead() {
  kill();
  ended_.wait(false);
  throw ModelRefused(Letter::Kind::instance_refused, std::string(how()) + " while " + stage_);
}

Letter ModelProcess::await_letter() {
  for (;;) {
    std::optional<Letter> letter = receive_letter(socket_);
    if (!letter) {
      // An end of its own is told as what it was.
      for (int i = 0; i < 500 && !ended(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      refuse_dead();
    }
    switch (letter->kind) {
      case Letter::Kind::stage:
        stage_ = letter->text.substr(0, 100);
        break;
      case Letter::Kind::library_refused:
      case Letter::Kind::model_refused:
      case Letter::Kind::instance_refused:
        throw ModelRefused(letter->kind, letter->text);
      case Letter::Kind::settings_refused:
        throw SectionRefused(decode_problems(letter->text));
      case Letter::Kind::outputs:
        has_outputs_ = true;
        break;
      case Letter::Kind::whole_settings:
        whole_settings_ = decode_section(letter->text).settings;
        break;
      default:
        return *std::move(letter);
    }
  }
}

ModelDeclaration ModelProcess::introduce() {
  if (origin_.driver && !send_letter(socket_, Letter::Kind::settings, encode(*origin_.driver))) refuse_dead();
  const Letter letter = await_letter();
  if (letter.kind != Letter::Kind::declared) refuse_dead();
  try {
    return decode(letter.text);
  } catch (const std::runtime_error& error) {
    throw ModelRefused(Letter::Kind::instance_refused, error.what());
  }
}

void ModelProcess::begin(std::size_t bytes) {
  const std::size_t life = life_offset(bytes);
  const std::size_t all = life + rtsync::page_bytes();
  static_assert(sizeof(rtsync::ThreadLife) <= 4096);
  checked(::ftruncate(memory_, static_cast<off_t>(all)), "ftruncate");
  // It cannot take pages away from under the rig.
  checked(::fcntl(memory_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), "F_ADD_SEALS");
  void* const at = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory_, 0);
  if (at == MAP_FAILED) cannot("mmap", errno);
  (void)::madvise(at, all, MADV_DONTFORK);  // a copy of the rig that a model makes calls nobody
  page_ = ::new (at) CallPage;
  block_ = static_cast<std::byte*>(at) + sizeof(CallPage);
  frames_thread_ = ::new (static_cast<std::byte*>(at) + life) rtsync::ThreadLife;
  mapped_ = all;
  if (!send_letter(socket_, Letter::Kind::go, call_page_version())) refuse_dead();
  const Letter ready = await_letter();
  if (ready.kind != Letter::Kind::ready) refuse_dead();
  if (ready.text != call_page_version()) {  // one that is older than the check of its own
    kill();
    ended_.wait(false);
    throw ModelRefused(Letter::Kind::instance_refused, other_version(call_page_version(), ready.text));
  }
  for (int* const fd : {&socket_, &memory_}) (void)::close(std::exchange(*fd, -1));
  rtsync::note_loaded_files(pid_);
}

std::vector<rtsync::Provision> ModelProcess::place(const rtsync::ThreadSettings& caller) {
  std::vector<rtsync::Provision> provisions;
  const std::string of = "model '" + origin_.instance + "': ";
  if (const int error = rtsync::set_affinity(pid_, caller.cpus); error != 0)
    provisions.push_back(rtsync::refused(of + "CPUs " + caller.cpus.text(), "others",
                                         rtsync::why_no_cpus(rtsync::read_rights(), error)));
  if (caller.policy == rtsync::SchedPolicy::other) return provisions;
  sched_param param{};
  param.sched_priority = std::max(caller.priority - 1, 1);
  const int policy = caller.policy == rtsync::SchedPolicy::rr ? SCHED_RR : SCHED_FIFO;
  // Those that drive its outputs safe go before the one that calls it: threads of this process, or none.
  for (const pid_t thread : {page().safe_thread.load(), page().life_thread.load()}) {
    const std::string folder = "/proc/" + std::to_string(pid_) + "/task/" + std::to_string(thread);
    if (thread <= 0 || ::access(folder.c_str(), F_OK) != 0) continue;
    sched_param more{};
    more.sched_priority = std::min(caller.priority + 1, 99);
    (void)::sched_setscheduler(thread, policy | SCHED_RESET_ON_FORK, &more);
  }
  const std::string what = of + std::string(rtsync::name_of(caller.policy)) + " priority " +
                           std::to_string(param.sched_priority) + ", CPUs " + caller.cpus.text();
  if (::sched_setscheduler(pid_, policy | SCHED_RESET_ON_FORK, &param) == 0)
    provisions.push_back(rtsync::granted(what, what));
  else
    provisions.push_back(rtsync::refused(
        what, "SCHED_OTHER", rtsync::why_no_fifo(rtsync::read_rights(), param.sched_priority, errno)));
  return provisions;
}

void ModelProcess::end() {
  if (pid_ < 0) return;
  if (mapped_ == 0) kill();
  if (mapped_ != 0 && !ended()) {
    ending_.store(true);
    set_limited(true);  // until it has ended
    page().work = CallPage::Work::destroy;
    (void)exchange();
  }
  ended_.wait(false);
}

void ModelProcess::kill() TACTUS_RT {
  if (::syscall(SYS_pidfd_send_signal, process_.load(), SIGKILL, nullptr, 0) == 0 || errno != EBADF) return;
  if (!ended()) (void)::kill(pid_, SIGKILL);  // a model has closed that
}

bool ModelProcess::exchange() TACTUS_RT {
  CallPage& page = this->page();
  page.call.store(++turn_, std::memory_order_release);
  wake(page.call);
  for (;;) {
    const std::uint32_t seen = page.reply.load(std::memory_order_acquire);
    if (ended()) return false;
    if (seen == turn_) return true;
    sleep_while(page.reply, seen);
  }
}

}  // namespace tactus::executive
