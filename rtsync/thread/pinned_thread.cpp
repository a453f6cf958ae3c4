// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/pinned_thread.hpp"

#include <cxxabi.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <utility>

#include "rtsync/host/host_file.hpp"
#include "rtsync/host/memory.hpp"
#include "rtsync/host/page.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/host/rights.hpp"
#include "rtsync/thread/thread_names.hpp"
#include "rtsync/thread/thread_stack.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::rtsync {
namespace {

int kernel_policy(SchedPolicy policy) {
  if (policy == SchedPolicy::fifo) return SCHED_FIFO;
  return policy == SchedPolicy::rr ? SCHED_RR : SCHED_OTHER;
}

/// Returns the scheduling of the calling thread as the kernel reports it: "SCHED_FIFO priority 80".
std::string policy_in_force() {
  const int policy = ::sched_getscheduler(0);
  if (policy < 0) return "an unknown policy: " + error_words(errno);
  std::string text = kernel_policy_name(policy);
  sched_param param{};
  if (::sched_getparam(0, &param) == 0 && param.sched_priority > 0)
    text += " priority " + std::to_string(param.sched_priority);
  return text;
}

/// Changes the calling thread by a file of /proc, where a filter of system calls forbids prctl(2). Returns what the file
/// then has; empty: it cannot be read.
std::string changed_by_file(const std::string& file, const std::string& value) {
  std::ofstream(file) << value;
  std::string now;
  std::getline(std::ifstream(file), now);
  return now;
}

std::string name_in_force() {
  std::array<char, kLongestThreadName + 1> name{};
  if (::prctl(PR_GET_NAME, name.data()) == 0) return std::string{"'"} + name.data() + "'";
  std::string from_file;
  std::getline(std::ifstream("/proc/thread-self/comm"), from_file);
  return from_file.empty() ? "a name that could not be read" : "'" + from_file + "'";
}

Provision apply_name(const std::string& role, const std::string& owner) {
  const std::string name = kernel_thread_name(role, owner);
  const std::string what = "the name '" + name + "'";
  const std::string kept = name.substr(0, kLongestThreadName);
  note_thread_role(::gettid(), role.substr(0, kLongestThreadName), kept);
  if (const int error = ::pthread_setname_np(::pthread_self(), kept.c_str());
      error != 0 && changed_by_file("/proc/thread-self/comm", kept) != kept)
    return refused(what, name_in_force(),
                   {"pthread_setname_np answered " + error_words(error), "see pthread_setname_np(3)"});
  if (kept.size() < name.size())
    return refused(what, name_in_force(),
                   {"it has " + std::to_string(name.size()) + " bytes where Linux keeps 15",
                    "choose a name of at most 15 bytes"});
  return granted(what, name_in_force());
}

Provision apply_cpus(const CpuSet& cpus) {
  const std::string what = "CPUs " + cpus.text();
  const int error = set_affinity(0, cpus);
  const std::optional<CpuSet> now = affinity_of(0);
  if (error == 0 && now == cpus) return granted(what, "CPUs " + cpus.text());
  const std::string got = now ? "CPUs " + now->text() : "unknown CPUs";
  const std::optional<CpuSet> online = online_cpus();
  if (online && !online->contains(cpus))
    return refused(what, got,
                   {"CPUs " + (cpus - *online).text() + " are not online; online are " + online->text(),
                    "choose among the CPUs " + online->text() +
                        ", or: echo 1 | sudo tee /sys/devices/system/cpu/cpu<N>/online"});
  if (error == 0 || error == EINVAL)
    return refused(what, got,
                   {"the control group (cpuset) of this process does not hold all of them; it allows " +
                        allowed_cpus().text(),
                    "choose among the CPUs " + allowed_cpus().text() + "; a systemd unit: AllowedCPUs=" +
                        cpus.text() + "; a container: --cpuset-cpus=" + (cpus | allowed_cpus()).text()});
  return refused(what, got, why_no_cpus(read_rights(), error));
}

Provision apply_policy(SchedPolicy policy, int priority) {
  const int number = kernel_policy(policy);
  if (policy == SchedPolicy::other) {
    const std::string what{name_of(policy)};
    const int now = ::sched_getscheduler(0);
    // The reset flag may be taken away only with CAP_SYS_NICE; it does no harm, so it stays.
    const int reset = now < 0 ? 0 : now & SCHED_RESET_ON_FORK;
    const sched_param param{};
    if ((now & ~SCHED_RESET_ON_FORK) == SCHED_OTHER ||
        ::sched_setscheduler(0, SCHED_OTHER | reset, &param) == 0)
      return granted(what, policy_in_force());
    return refused(what, policy_in_force(),
                   {"sched_setscheduler answered " + error_words(errno), "see sched_setscheduler(2)"});
  }
  const std::string what = std::string{name_of(policy)} + " priority " + std::to_string(priority);
  sched_param param{};
  param.sched_priority = priority;
  if (::sched_setscheduler(0, number | SCHED_RESET_ON_FORK, &param) != 0) {
    const int error = errno;
    Refusal why = why_no_fifo(read_rights(), priority, error);
    if (!why.lacks.empty()) why.lacks = std::string(name_of(policy));
    return refused(what, policy_in_force(), std::move(why));
  }
  const std::string got = policy_in_force();
  if (got == what) return granted(what, got);
  return refused(what, got,
                 {"the kernel accepted the request but set something else", "see sched_setscheduler(2)"});
}

/// A sleeping SCHED_OTHER thread may be woken 50 us late, on purpose, to save power.
Provision apply_timer_slack() {
  const std::string what = "a timer slack of 1 ns";
  const int error = ::prctl(PR_SET_TIMERSLACK, 1UL) == 0 ? 0 : errno;
  int now = ::prctl(PR_GET_TIMERSLACK);
  if (now < 0) {
    const std::string file = "/proc/" + std::to_string(::gettid()) + "/timerslack_ns";
    if (const auto slack = whole_number(changed_by_file(file, "1")); slack && *slack >= 0)
      now = static_cast<int>(std::min<std::int64_t>(*slack, INT_MAX));
  }
  if (now == 0 || now == 1)
    return granted(what, std::to_string(now) + " ns");  // 0: real-time threads have none
  const std::string got = now < 0 ? "an unknown slack" : std::to_string(now) + " ns";
  return refused(what, got,
                 {error != 0 ? "prctl(PR_SET_TIMERSLACK) answered " + error_words(error)
                             : "the kernel kept its own value",
                  "sleep in a SCHED_FIFO thread, which has no timer slack"});
}

// The thread's own data (TLS of the program and its libraries) lies in its stack; a sanitizer's is large.
#ifdef TACTUS_SANITIZED
constexpr std::size_t kBesideTheStack = std::size_t{1} << 20;
#else
constexpr std::size_t kBesideTheStack = std::size_t{64} << 10;
#endif

Provision touch_own_stack(std::size_t bytes) {
  const std::string what = "a stack of " + std::to_string(bytes / 1024) + " KiB in memory";
  // What the thread library, this call and a signal handler use themselves is not there to be touched.
  constexpr std::size_t kOwn = std::size_t{64} * 1024;
  const std::size_t touched = prefault_stack(bytes);
  const std::string got = std::to_string(touched / 1024) + " KiB touched";
  if (touched + kOwn >= bytes) return granted(what, got);
  return refused(what, got, {"the stack ends there", "ulimit -s " + std::to_string(bytes / 1024 + 64)});
}

std::vector<Provision> apply(const ThreadSettings& settings) {
  std::vector<Provision> provisions;
  if (!settings.name.empty()) provisions.push_back(apply_name(settings.name, settings.owner));
  // The stack before the policy: touching it may take a while, and nobody should wait for that.
  if (settings.prefault_stack && settings.stack_bytes > 0)
    provisions.push_back(touch_own_stack(settings.stack_bytes));
  if (!settings.cpus.empty()) provisions.push_back(apply_cpus(settings.cpus));
  provisions.push_back(apply_policy(settings.policy, settings.priority));
  provisions.push_back(apply_timer_slack());  // after the policy, which may change it
  return provisions;
}

/// Forgets the role of the calling thread when it ends.
struct Role {
  Role() = default;
  ~Role() { forget_thread_role(::gettid()); }
  Role(const Role&) = delete;
  Role& operator=(const Role&) = delete;
};

/// Thread attributes that destroy themselves.
struct Attributes {
  pthread_attr_t value;
  Attributes() {
    if (const int error = ::pthread_attr_init(&value); error != 0)
      throw std::system_error(error, std::generic_category(), "pthread_attr_init");
  }
  ~Attributes() { ::pthread_attr_destroy(&value); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
};

void require(int error, const std::string& step) {
  if (error != 0) throw std::system_error(error, std::generic_category(), step);
}

}  // namespace

std::string_view name_of(SchedPolicy policy) {
  constexpr Worded<SchedPolicy> kWords[] = {{SchedPolicy::fifo, "SCHED_FIFO"}, {SchedPolicy::rr, "SCHED_RR"}};
  return word_of(kWords, policy, "SCHED_OTHER");
}

std::string kernel_policy_name(int policy) {
  constexpr int kDeadline = 6;  // SCHED_DEADLINE and SCHED_EXT: not in every libc header
  constexpr int kExt = 7;
  static constexpr Worded<int> kWords[] = {{SCHED_OTHER, "SCHED_OTHER"}, {SCHED_FIFO, "SCHED_FIFO"},
                                           {SCHED_RR, "SCHED_RR"},       {SCHED_BATCH, "SCHED_BATCH"},
                                           {SCHED_IDLE, "SCHED_IDLE"},   {kDeadline, "SCHED_DEADLINE"},
                                           {kExt, "SCHED_EXT"}};
  const int plain = policy & ~SCHED_RESET_ON_FORK;
  const char* const word = word_of(kWords, plain, nullptr);
  return word == nullptr ? "policy " + std::to_string(plain) : word;
}

PinnedThread::PinnedThread(ThreadSettings settings, std::function<void()> body)
    : settings_(std::move(settings)), body_(std::move(body)) {
  const std::string who = "thread '" + settings_.name + "'";
  Attributes attributes;
  // Explicit, lest the thread inherit the real-time policy of whoever makes it.
  require(::pthread_attr_setinheritsched(&attributes.value, PTHREAD_EXPLICIT_SCHED), who);
  require(::pthread_attr_setschedpolicy(&attributes.value, SCHED_OTHER), who);
  const sched_param param{};
  require(::pthread_attr_setschedparam(&attributes.value, &param), who);
  if (settings_.stack_bytes > 0) {
    const auto page = page_bytes();
    const auto least = static_cast<std::size_t>(PTHREAD_STACK_MIN);
    const std::size_t bytes =
        (std::max(settings_.stack_bytes, least) + kBesideTheStack + page - 1) / page * page;
    require(::pthread_attr_setstacksize(&attributes.value, bytes),
            who + ": a stack of " + std::to_string(bytes) + " bytes");
  }
  if (settings_.stack_bytes == 0 || !settings_.prefault_stack)
    stack_ = std::make_unique<ThreadStack>(attributes.value);
  // Blocked before it exists: a signal must not find the thread half dressed.
  sigset_t mask;
  sigset_t before;
  ::sigfillset(&mask);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGXCPU})
    ::sigdelset(&mask, fault);
  require(::pthread_sigmask(SIG_SETMASK, &mask, &before), who);
  int error = ::pthread_create(&thread_, &attributes.value, &PinnedThread::enter, this);
  // A filter that forbids sched_setscheduler forbids this as well; its policy is then its maker's, which apply() says.
  if (error == EPERM && ::pthread_attr_setinheritsched(&attributes.value, PTHREAD_INHERIT_SCHED) == 0)
    error = ::pthread_create(&thread_, &attributes.value, &PinnedThread::enter, this);
  const int restored = ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == EAGAIN)
    throw std::system_error(
        error, std::generic_category(),
        who +
            " could not be made: out of memory for its stack (look at ulimit -l when "
            "memory is locked) or out of threads (ulimit -u, the control group's pids.max)");
  require(error, who + " could not be made");
  joinable_ = true;
  applied_.wait();
  require(restored, who + ": the signal mask of its maker could not be restored");
}

PinnedThread::~PinnedThread() {
  try {
    join();
  } catch (const std::exception& failure) {
    (void)print_plain(stderr, "thread '%s' ended with an exception that was not fetched: %s\n",
                      settings_.name.c_str(), failure.what());
  } catch (...) {
    (void)print_plain(stderr, "thread '%s' ended with an exception that was not fetched\n",
                      settings_.name.c_str());
  }
}

void PinnedThread::join() {
  if (joinable_) {
    require(::pthread_join(thread_, nullptr), "joining thread '" + settings_.name + "'");
    joinable_ = false;
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void* PinnedThread::enter(void* self) {
  static_cast<PinnedThread*>(self)->run();
  return nullptr;
}

void PinnedThread::run() {
  const Role role;
  tid_ = ::gettid();
  try {
    provisions_ = apply(settings_);
  } catch (...) {
    failure_ = std::current_exception();
  }
  const bool dressed = failure_ == nullptr;
  applied_.count_down();
  if (!dressed) return;
  try {
    if (body_) body_();
  } catch (abi::__forced_unwind&) {
    throw;  // pthread_exit or pthread_cancel: the C library insists on finishing it
  } catch (...) {
    failure_ = std::current_exception();
  }
}

std::vector<Provision> apply_to_this_thread(const ThreadSettings& settings) { return apply(settings); }

}  // namespace tactus::rtsync
