// SPDX-License-Identifier: Apache-2.0
#include "executive/app/trial.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <system_error>

#include "config/text.hpp"
#include "executive/app/own_folder.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/driver/clock_driver.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/plan/rig_settings.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using Outcome = TrialResult::Outcome;
using std::chrono::steady_clock;

constexpr std::byte kAround{0x5A};  // of the bytes around a GuardedRoom

void send_result(int fd, char kind, const std::string& text) { (void)rtsync::append_whole(fd, kind + text); }

/// Descriptor for the result of this process, and the page after a GuardedRoom that nobody may touch.
int g_result = -1;
std::atomic<std::uintptr_t> g_fence{0};
std::size_t g_fence_bytes = 0;

/// A touch of the page is a mistake with a name; all else crashes as it would have.
void on_fault(int signal, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t fence = g_fence.load();
  if (fence != 0 && at >= fence && at - fence < g_fence_bytes) {
    send_result(g_result, 'w', "reads or writes past the end of a record");
    ::_exit(0);
  }
  (void)::signal(signal, SIG_DFL);  // the fault comes again
}

/// Runs the trial in the process that was made for it, and ends that.
[[noreturn]] void run_trial_here(const Trial& trial, const TriedDriver& driver, const std::string& folder,
                                 int fd) {
  (void)::setpgid(0, 0);
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &no_core);
  g_result = fd;
  struct sigaction fault {};
  fault.sa_sigaction = &on_fault;
  fault.sa_flags = SA_SIGINFO;
  (void)::sigaction(SIGSEGV, &fault, nullptr);
  if (::chdir(folder.c_str()) != 0) {
    send_result(fd, 's', folder + ": " + std::strerror(errno));
    ::_exit(0);
  }
  try {
    trial.run(driver);
    send_result(fd, 'g', "");
  } catch (const Mistake& mistake) {
    send_result(fd, 'w', mistake.what());
  } catch (const KeysMisfit& why) {
    send_result(fd, 'k', why.what());
  } catch (const NotTried& why) {
    send_result(fd, 's', why.what());
  } catch (const std::exception& error) {
    send_result(fd, 'w', error.what());
  } catch (...) {
    send_result(fd, 'w', "throws something that is not a std::exception");
  }
  ::_exit(0);
}

std::string end_of_trial(int status) {
  if (WIFSIGNALED(status)) return std::string("crashes: ") + ::strsignal(WTERMSIG(status));
  return "ends the process by itself, with status " + std::to_string(WEXITSTATUS(status));
}

std::size_t entries(const char* folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TrialResult run_trial(const Trial& trial, const TriedDriver& driver, std::chrono::nanoseconds patience) {
  const OwnFolder folder("tactus-trial");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  rtsync::Descriptor from(ends[0]);
  rtsync::Descriptor to(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) run_trial_here(trial, driver, folder.path().string(), to.get());
  (void)to.close();
  std::string said;
  const auto end = steady_clock::now() + patience;
  bool in_time = true;
  for (;;) {
    const auto left = std::max<std::int64_t>(
        0, std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now()).count());
    pollfd polled{from.get(), POLLIN, 0};
    const int ready = ::poll(&polled, 1, static_cast<int>(std::min<std::int64_t>(left, 1'000'000)));
    if (ready < 0 && errno == EINTR) continue;
    in_time = ready > 0;
    char buffer[512];
    const ssize_t size = in_time ? ::read(from.get(), buffer, sizeof buffer) : 0;
    if (size <= 0) break;
    said.append(buffer, static_cast<std::size_t>(size));
  }
  if (!in_time) (void)::kill(-child, SIGKILL);
  if (!in_time) (void)::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  (void)::kill(-child, SIGKILL);  // what it left behind
  if (!in_time && said.empty())
    return {Outcome::wrong, "does not return: the trial was ended after --patience"};
  if (said.empty()) return {Outcome::wrong, end_of_trial(status)};
  const bool misfit = said[0] == 'k';
  const Outcome outcome = said[0] == 'g'             ? Outcome::good
                          : said[0] == 's' || misfit ? Outcome::skipped
                                                     : Outcome::wrong;
  return {outcome, config::one_line(said.substr(1)), misfit};
}

Holdings::Holdings() : files_(entries("/proc/self/fd")), threads_(entries("/proc/self/task")) {}

void Holdings::expect_same(const std::string& after) const {
  const Holdings now;
  if (now.files_ > files_)
    throw Mistake("holds " + std::to_string(now.files_ - files_) + " descriptors more after " + after);
  if (now.threads_ > threads_)
    throw Mistake("has " + std::to_string(now.threads_ - threads_) + " threads more after " + after);
}

GuardedRoom::GuardedRoom(std::size_t bytes)
    : bytes_(bytes), page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
  constexpr std::size_t kBefore = 64;
  const std::size_t padded = (bytes + 7) / 8 * 8;  // a record begins where any number may be
  mapped_ = (kBefore + padded + page_ - 1) / page_ * page_ + page_;
  void* const got = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  begin_ = static_cast<std::byte*>(got);
  std::byte* const fence = begin_ + mapped_ - page_;
  (void)::mprotect(fence, page_, PROT_NONE);
  std::fill(begin_, fence, kAround);
  data_ = fence - padded;
  g_fence_bytes = page_;
  g_fence.store(reinterpret_cast<std::uintptr_t>(fence));
}

GuardedRoom::~GuardedRoom() {
  g_fence.store(0);
  (void)::munmap(begin_, mapped_);
}

void GuardedRoom::expect_kept() const {
  const auto untouched = [](const std::byte* from, const std::byte* to) {
    return std::all_of(from, to, [](std::byte each) { return each == kAround; });
  };
  if (!untouched(data_ + bytes_, begin_ + mapped_ - page_))
    throw Mistake("writes past the end of a record of " + std::to_string(bytes_) + " bytes");
  if (!untouched(begin_, data_))
    throw Mistake("writes before the beginning of a record of " + std::to_string(bytes_) + " bytes");
}

void throw_not_made(const config::Problems& problems) {
  const config::Problem first = problems.sorted().front();
  for (const char* const failed :
       {"could not be made", "an exception left its function", "failed: an exception"})
    if (first.message.find(failed) != std::string::npos)
      throw Mistake(
          "fails when it is made: " + first.message +
          "; say what is wrong with its keys by problems.add() in check(), and leave the device to open()");
  throw KeysMisfit(first.path + ": " + first.message);
}

Limited::Limited(decltype(RLIMIT_NOFILE) resource, rlim_t most) : resource_(resource) {
  (void)::getrlimit(resource_, &before_);
  const rlimit less{most, before_.rlim_max};
  (void)::setrlimit(resource_, &less);
}

Limited::~Limited() { (void)::setrlimit(resource_, &before_); }

void expect_reason(const std::string& text, const std::string& of) {
  const bool none = text.find("it gave no reason") != std::string::npos;
  if (none ||
      std::ranges::count_if(text, [](char c) { return std::isalpha(static_cast<unsigned char>(c)); }) < 5)
    throw Mistake("gives no reason when " + of + " (" + config::show(text) +
                  "); say what is missing, and the fix");
}

namespace {

/// The keys that all of its kind have, which a driver of the kind never sees.
const config::Section& common_keys(const std::string& kind) {
  if (kind == "model") return executive::model_fields().section();
  if (kind == "record") return executive::recording_fields().section();
  return executive::clock_fields().section();
}

void look_at_keys(const config::Section& section, const std::string& path) {
  for (const config::KeyShape& key : section.keys) {
    const std::string name = path + key.key;
    if (key.meaning.empty())
      throw Mistake("does not describe its key " + config::show(name) + "; give it a meaning");
    const config::Shape* shape = key.shape.get();
    if (shape != nullptr && shape->item != nullptr) shape = shape->item.get();
    if (shape != nullptr && shape->section != nullptr) look_at_keys(*shape->section, name + ".");
  }
}

void try_keys(const TriedDriver& driver) {
  const auto library = driver.load();
  const auto made = library.make();
  const auto section = made->section();
  if (section == nullptr || section->about.empty())
    throw Mistake("has no sentence on itself for the reference page");
  look_at_keys(*section, "");
  for (const config::KeyShape& key : section->keys)
    for (const config::KeyShape& common : common_keys(driver.kind).keys)
      if (key.key == common.key)
        throw Mistake("has a key " + config::show(key.key) +
                      ", which every section of its kind has and the driver never sees; choose another name");
}

/// Makes one thing of the driver, and lets it go.
void make_once(const TriedDriver& driver, const executive::DriverLibrary& library) {
  config::Problems problems;
  if (driver.kind == "model") {
    (void)library.make<executive::ModelDriver>()->make(driver.keys, "keys", problems);
  } else if (driver.kind == "record") {
    (void)library.make<executive::RecordDriver>()->make(driver.keys, "keys", problems);
  } else {
    library.make<executive::ClockDriver>()->read(driver.keys, "keys", problems);
  }
  if (!problems.empty()) throw_not_made(problems);
}

void try_make(const TriedDriver& driver) {
  const auto library = driver.load();
  make_once(driver, library);
  const Holdings before;
  for (int i = 0; i < 50; ++i) make_once(driver, library);
  before.expect_same("it was made and ended 50 times");
}

/// A driver that makes models of files reads the file when it makes one, and opens nothing else.
bool makes_models_of_files(const TriedDriver& driver, const executive::DriverLibrary& library) {
  return driver.kind == "model" && !library.make<executive::ModelDriver>()->extension().empty();
}

void try_make_without_descriptors(const TriedDriver& driver) {
  const auto library = driver.load();
  make_once(driver, library);
  const bool of_files = makes_models_of_files(driver, library);
  try {
    const Limited none(RLIMIT_NOFILE, 0);
    make_once(driver, library);
  } catch (const NotTried& error) {
    if (of_files) return expect_reason(error.what(), "the file of its keys cannot be opened");
    throw Mistake(std::string("opens something before open(): ") + error.what());
  } catch (const Mistake& error) {
    if (of_files) throw;
    throw Mistake(std::string("opens something before open(): it ") + error.what());
  }
}

}  // namespace

std::vector<Trial> common_trials() {
  return {{"it is loaded", [](const TriedDriver& driver) { (void)driver.load().make(); }},
          {"its keys", &try_keys},
          {"made and ended, not opened", &try_make},
          {"made without a descriptor to open", &try_make_without_descriptors}};
}

}  // namespace tactus::app
