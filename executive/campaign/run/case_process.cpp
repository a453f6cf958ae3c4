// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/case_process.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/host/spawn.hpp"
#include "rtsync/host/starter_life.hpp"
#include "rtsync/text.hpp"

namespace tactus::campaign {
namespace {

/// Our environment with another value of the mark, of its starter, and of its CPUs if it has some of its own.
std::vector<std::string> environment_with(const std::string& mark, const rtsync::CpuSet& cpus) {
  const std::string name = std::string(kCaseMark) + "=", of_cpus = std::string(rtsync::kCpusVariable) + "=",
                    of_starter = std::string(rtsync::kEndsWithVariable) + "=";
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view word(*each);
    if (!word.starts_with(name) && !word.starts_with(of_starter) &&
        (cpus.empty() || !word.starts_with(of_cpus)))
      all.emplace_back(word);
  }
  all.push_back(name + mark);
  all.push_back(of_starter + std::to_string(::getpid()));
  if (!cpus.empty()) all.push_back(of_cpus + cpus.text());
  return all;
}

/// Has this thread run on other CPUs as long as it lives; a child that is started meanwhile inherits them.
class OnCpus {
 public:
  explicit OnCpus(const rtsync::CpuSet& cpus) {
    if (cpus.empty()) return;
    before_ = rtsync::affinity_of(0);
    if (const int error = rtsync::set_affinity(0, cpus); error != 0)
      throw std::system_error(error, std::generic_category(), "cannot run a case on CPUs " + cpus.text());
  }
  OnCpus(const OnCpus&) = delete;
  OnCpus& operator=(const OnCpus&) = delete;
  ~OnCpus() {
    if (before_) (void)rtsync::set_affinity(0, *before_);
  }

 private:
  std::optional<rtsync::CpuSet> before_;
};

/// The value of the mark of a process; empty: it has none, or we may not look.
std::string mark_of(pid_t process) {
  const rtsync::FileText environment =
      rtsync::read_host_file("/", "/proc/" + std::to_string(process) + "/environ");
  const std::string name = std::string(kCaseMark) + "=";
  for (const std::string_view each : rtsync::parts_of(environment.text, '\0'))
    if (each.starts_with(name)) return std::string(each.substr(name.size()));
  return "";
}

/// Returns true if a process has a program and no environment, as one whose program is being loaded.
bool is_being_loaded(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::error_code error;
  return std::filesystem::read_symlink(folder + "/exe", error) != "" && !error &&
         rtsync::read_host_file("/", folder + "/environ").text.empty();
}

std::vector<pid_t> marked(std::string_view begin) {
  std::vector<pid_t> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto process = rtsync::read_number<pid_t>(entry.path().filename().native()).value_or(0);
    if (process == 0 || process == ::getpid()) continue;
    // A program without any environment looks the same; that is not waited for long.
    for (int tries = 0; tries < 20 && is_being_loaded(process); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (mark_of(process).starts_with(begin)) all.push_back(process);
  }
  return all;
}

}  // namespace

pid_t start_process(const CaseStart& start) {
  // They end when the program runs, not before: the lock of the campaign says until then that a case is being started.
  (void)::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  const rtsync::Descriptor output(
      ::open(start.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
  const auto cannot = [](const std::string& what, int error) {
    throw std::system_error(error, std::generic_category(), what);
  };
  if (output.get() < 0) cannot(start.output.string(), errno);
  const OnCpus there(start.cpus);
  return rtsync::spawn({.program = start.program,
                        .words = start.words,
                        .streams = false,
                        .descriptors = {{output.get(), 1}, {output.get(), 2}},
                        .blocked = start.blocked,
                        .flags = POSIX_SPAWN_SETPGROUP,
                        .environment = environment_with(start.mark, start.cpus),
                        .closes = false,
                        .prepared = "a case"},
                       cannot);
}

void adopt_orphans() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) != 0)
    throw std::system_error(
        errno, std::generic_category(),
        "prctl(PR_SET_CHILD_SUBREAPER), without which processes that a case leaves would not be "
        "ended; allow prctl(2) in the filter of system calls");
}

void kill_orphans(std::string_view begin, const std::function<bool(const std::string& mark)>& runs) {
  const std::string self = std::to_string(::getpid());
  const rtsync::FileText children =
      rtsync::read_host_file("/", "/proc/" + self + "/task/" + self + "/children");
  for (const std::string_view word : rtsync::words_of(children.text)) {
    const auto child = static_cast<pid_t>(rtsync::whole_number(word).value_or(0));
    if (child <= 0) continue;
    const std::string mark = mark_of(child);
    if (mark.starts_with(begin) && !runs(mark)) (void)::kill(child, SIGKILL);
  }
}

int kill_marked(std::string_view begin, double patience_s) {
  using Clock = std::chrono::steady_clock;
  const auto in = [begun = Clock::now()](double seconds) {
    return begun + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  const auto kill_at = in(patience_s), until = in(patience_s + 60);
  std::set<pid_t> found;
  for (std::vector<pid_t> left = marked(begin); !left.empty(); left = marked(begin)) {
    const auto now = Clock::now();
    if (now > until)
      throw std::runtime_error("process " + std::to_string(left.front()) +
                               " of a case that ran before does not end; end it, and start again");
    for (const pid_t process : left) {
      found.insert(process);
      if (now >= kill_at) (void)::kill(process, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return static_cast<int>(found.size());
}

}  // namespace tactus::campaign
