// SPDX-License-Identifier: Apache-2.0
#include "executive/app/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <vector>

#include "config/number.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/end_guard.hpp"
#include "executive/app/signal_paths.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/app/witness.hpp"
#include "executive/capability/checkpoint/rig_checkpoints.hpp"
#include "executive/capability/clock/clock_status_formatter.hpp"
#include "executive/capability/clock/run_clock.hpp"
#include "executive/capability/record/run_recordings.hpp"
#include "executive/model/job_class.hpp"
#include "executive/run_base/end_line.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/host/missing_rights.hpp"
#include "rtsync/text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::app {
namespace {

using namespace std::chrono_literals;
using executive::RigRun;
using rtsync::duration_text;

constexpr auto kToStop = 5s;  // of waits in tick()

constexpr std::array kStopSignals = {SIGINT, SIGTERM, SIGHUP};

// The commands that have no signal of their own in the field; a value comes with sigqueue(3) or kill -q.
int step_signal() { return SIGRTMIN; }           // value: frames, 1 if there is none
int run_until_signal() { return SIGRTMIN + 1; }  // value: simulated time in milliseconds
int reset_signal() { return SIGRTMIN + 2; }
int checkpoint_signal() { return SIGRTMIN + 3; }
int abort_signal() { return SIGRTMIN + 4; }

std::atomic<std::uint64_t> looks_so_far{0};
std::atomic<int> stops_so_far{0};

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kStopSignals) sigaddset(&set, signal);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  for (int signal = step_signal(); signal <= abort_signal(); ++signal) sigaddset(&set, signal);
  sigaddset(&set, SignalPaths::kDoorbell);
  return set;
}

const char* stop_reason(int signal) {
  if (signal == SIGTERM && Witness::is_gone())
    return "stopped: its witness, the process above it, was killed";
  if (signal == SIGINT) return "stopped by SIGINT (Ctrl-C)";
  return signal == SIGTERM ? "stopped by SIGTERM" : "stopped by SIGHUP";
}

std::size_t terminal_height() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

std::string pad(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

void warn(const std::string& what) {
  print_to(stderr, painted(Ink::warning, "tactus: warning:", stderr) + " " + what + "\n");
}

/// A table whose first column is as wide as its widest name.
class Table {
 public:
  /// `last`: of the last cell: nothing there is wider than nothing painted.
  void add(std::string name, std::initializer_list<std::string> cells, Ink last = Ink::plain) {
    rows_.push_back({std::move(name), cells, last});
  }
  /// Names that are too long for that many columns are cut off.
  std::string text(std::size_t columns) const {
    const std::size_t cell = columns < 60 ? 9 : 10;
    std::size_t cells = 0, width = 0;
    for (const Row& row : rows_) {
      cells = std::max(cells, row.cells.size());
      width = std::max(width, std::min(row.name.size(), std::size_t{40}));
    }
    const std::size_t room = columns > 2 + cells * cell + 8 ? columns - 2 - cells * cell : 8;
    width = std::min(width, room);
    std::string text;
    for (const Row& row : rows_) {
      std::string line = "  " + (row.name.size() > room ? row.name.substr(0, room - 1) + "~" : row.name);
      line.resize(std::max(line.size(), width + 2), ' ');
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        line += painted(i + 1 == row.cells.size() ? row.last : Ink::plain, pad(row.cells[i], cell));
      text += line + "\n";
    }
    return text;
  }

 private:
  struct Row {
    std::string name;
    std::vector<std::string> cells;
    Ink last;
  };
  std::vector<Row> rows_;
};

template <class Histogram>
std::string text_of(const Histogram& times, double share) {
  return duration_text(times.quantile(share).count());
}

/// One bar per factor of two: what lies in [edge, 2 * edge). Lengths are logarithms: a million frames are twice as
/// long as a thousand, and one late frame has a length. Bars from `bad` on are red.
std::string bars(const rtsync::LatencyHistogram& times, std::size_t columns, Nanoseconds bad) {
  struct Bar {
    std::int64_t from;
    std::int64_t to;
    std::uint64_t count;
  };
  std::vector<Bar> all;
  std::uint64_t most = 0;
  for (std::int64_t from = 0, to = 64; from < (std::int64_t{1} << 40); from = to, to *= 2) {
    const std::uint64_t count = times.between(Nanoseconds{from}, Nanoseconds{to});
    all.push_back({from, to, count});
    most = std::max(most, count);
  }
  const auto filled = [](const Bar& bar) { return bar.count > 0; };
  const auto first = std::ranges::find_if(all, filled);
  const auto last = std::find_if(all.rbegin(), all.rend(), filled).base();
  std::string text;
  constexpr std::size_t kEdges = 23, kLongest = 40, kShortest = 8;
  const std::size_t count_width = std::to_string(most).size() + 1;
  const std::size_t width =
      std::clamp(columns > kEdges + count_width ? columns - kEdges - count_width : 0, kShortest, kLongest);
  const double whole = std::log1p(static_cast<double>(most));
  for (auto bar = first; bar < last; ++bar) {
    const double share = std::log1p(static_cast<double>(bar->count)) / whole;
    const auto length = static_cast<std::size_t>(std::ceil(share * static_cast<double>(width) - 1e-9));
    text += "  " + pad(duration_text(bar->from), 8) + " .. " + pad(duration_text(bar->to), 8) + " " +
            painted(bar->from >= bad.count() ? Ink::bad : Ink::plain, std::string(length, '#')) +
            std::string(width - length + 1, ' ') + std::to_string(bar->count) + "\n";
  }
  return text;
}

std::string late_title(std::size_t columns) {
  if (columns < 76) return "  late: frames by time after their slot, log scale";
  return "  late: how many frames started how long after their slot (bars on a log scale)";
}

/// A wake from then on is a late one.
Nanoseconds late_from(const RigRun& run) {
  const auto& plan = run.rig().plan();
  return run.rig().settings().realtime.late_limit.value_or(
      rtsync::real_period(plan.frame, plan.ratio).floor() / 10);
}

/// The last lines of the histogram that fit above the status line; none where a terminal is low or narrow.
std::vector<std::string> growing_bars(const rtsync::LatencyHistogram& late, std::size_t width,
                                      Nanoseconds bad) {
  constexpr std::size_t kLowest = 12, kNarrowest = 45, kOthers = 3;
  const std::size_t height = terminal_height();
  if (height < kLowest || width < kNarrowest || late.count() == 0) return {};
  std::vector<std::string> lines;
  const std::string text = bars(late, width, bad);
  for (const std::string_view line : rtsync::lines_of(text)) lines.emplace_back(line);
  if (lines.size() > height - kOthers)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(height - kOthers));
  lines.insert(lines.begin(), late_title(width));
  return lines;
}

std::string how_it_runs(const RigRun& run) {
  if (!run.realtime()) return run.pace();
  for (const rtsync::ThreadFacts& thread : run.threads())
    if (thread.name == "main")
      return "real time: " + thread.policy_name +
             (thread.priority > 0 ? " " + std::to_string(thread.priority) : "") + " on CPU " +
             thread.cpus.text() + ", " + run.pacing().sleeper().name() + " on clock " +
             run.pacing().clock().name() +
             (run.pacing().source().empty() ? "" : " of " + run.pacing().source());
  return "real time";
}

std::string first_line(const RigRun& run) {
  const auto frames = run.options().frames;
  return run.rig().settings().rig.value + ": " +
         (frames == INT64_MAX ? std::string("frames until stopped") : rtsync::counted(frames, "frame")) +
         " of " + config::show_period(run.rig().plan().frame) + ", " + how_it_runs(run);
}

Ink count_ink(std::int64_t count) { return count > 0 ? Ink::bad : Ink::plain; }
Ink late_ink(const RigRun& run) {
  return run.executive().statistics().late.max() >= late_from(run) ? Ink::bad : Ink::plain;
}

std::string last_line(const RigRun& run) {
  const auto& times = run.executive().statistics();
  const rtsync::RealtimeTotals totals = run.totals();
  executive::EndLine line{.begin = run.rig().settings().rig.value + ": " +
                                   std::string(name_of(run.end().outcome)) + " after " +
                                   rtsync::counted(run.end().frames, "frame") +
                                   (run.realtime() ? " in real time" : ", " + run.pace())};
  const auto figure = [&line](const std::string& text, Ink ink = Ink::plain, const std::string& before = "") {
    line.figures.push_back({before + text, before + painted(ink, text)});
  };
  if (run.realtime()) {
    figure(duration_text(times.late.max().count()), late_ink(run),
           "late p50 " + text_of(times.late, 0.5) + " max ");
    figure(rtsync::counted(totals.overruns, "overrun"), count_ink(totals.overruns));
    figure(rtsync::counted(totals.late_wakes, "late wake"));
    if (totals.late_by_housekeeping > 0)
      figure(rtsync::counted(totals.late_by_housekeeping, "frame") + " late by housekeeping");
    figure(rtsync::counted(totals.lost, "slot") + " lost", count_ink(totals.lost));
  }
  const auto& recordings = *run.find<executive::RunRecordings>();
  if (recordings.lost() > 0 && recordings.failures().empty())  // else the reason says it
    figure(rtsync::counted(recordings.lost(), "record") + " lost");
  if (const executive::Link* const link = run.rig().link(); link != nullptr && !link->ending().empty())
    figure(link->ending());
  const bool is_short = run.end().brief.empty();
  line.reason = is_short ? run.end().reason : run.end().brief;
  if (const std::string why = run.why_failed(); !why.empty())
    line.verdicts.push_back({"fails: " + why, painted(Ink::bad, "fails: " + why)});
  line.folder = run.options().shown_folder.string();
  return is_short ? line.whole() : line.brief();
}

}  // namespace

bool Console::watches(int signal) {
  const sigset_t set = watched_signals();
  return ::sigismember(&set, signal) == 1;
}

void Console::block_signals() {
  const sigset_t set = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);  // fails only for a wrong first argument
  std::signal(SIGPIPE, SIG_IGN);                // a closed terminal is no reason to end a rig,
  std::signal(SIGXFSZ, SIG_IGN);                // nor is a file that must not grow (ulimit -f)
}

bool Console::stop_asked_for(std::chrono::nanoseconds wait) {
  ++looks_so_far;
  return stop_signal(wait) != 0;
}

int Console::stop_signal(std::chrono::nanoseconds wait) {
  sigset_t set;  // the others wait for the frames
  sigemptyset(&set);
  for (const int signal : kStopSignals) sigaddset(&set, signal);
  sigaddset(&set, SignalPaths::kDoorbell);
  const timespec time = rtsync::to_timespec(wait);
  return SignalPaths::next(set, time).number;
}

std::uint64_t Console::looks() { return looks_so_far.load(); }
int Console::stops() { return stops_so_far.load(); }
void Console::placed(const executive::RigCpus& cpus) { EndGuard::place(cpus.helpers, cpus.rig); }
void Console::ending() { EndGuard::enter(EndGuard::Phase::ending); }

void Console::started(const RigRun& run) {
  started_ = true;
  EndGuard::enter(EndGuard::Phase::frames);
  // A plain user's first run: one line for all rights that are missing; the log has each with its cause.
  if (const std::string missing = rtsync::missing_rights(run.provisions(), rtsync::read_rights());
      !missing.empty())
    warn(missing + "; details in log.txt");
  for (const rtsync::Provision& provision : run.provisions())
    if (!provision.granted && provision.lacks.empty()) warn(rtsync::sentence(provision));
  if (quiet_) return;
  print("%s\n", first_line(run).c_str());
  if (terminal_) {
    const bool narrow = columns_of(stdout) < 60;
    put(narrow ? "  thread             tid policy      prio  CPUs\n"
               : "  thread         tid  policy        priority  CPUs\n");
    for (const rtsync::ThreadFacts& thread : run.threads())
      put(narrow ? "  %-14.14s %7d %-11s %4d  %s\n" : "  %-10s %7d  %-13s %8d  %s\n", thread.name.c_str(),
          thread.tid, thread.policy_name.c_str(), thread.priority, thread.cpus.text().c_str());
  }
  std::fflush(stdout);
}

void Console::tick(RigRun& run, std::chrono::nanoseconds at_most) {
  ++looks_so_far;
  const sigset_t set = watched_signals();
  const timespec wait = rtsync::to_timespec(at_most);
  if (const auto [signal, value] = SignalPaths::next(set, wait); signal > 0)
    handle_signal(run, signal, value);
  // Nobody is left who could end a rig that does not stop.
  if (Witness::is_gone() && (without_witness_ += at_most) >= kToStop)
    run.executive().request_abort("aborted: its witness was killed, and a job did not let the rig stop");
  const auto now = std::chrono::steady_clock::now();
  if (started_ && terminal_ && !quiet_ && now - drawn_ > 200ms) {
    drawn_ = now;
    status_line(run);
  }
}

void Console::handle_signal(RigRun& run, int signal, int value) {
  executive::Executive& executive = run.executive();
  if (std::ranges::find(kStopSignals, signal) != kStopSignals.end()) {
    ++stops_so_far;
    // A terminal that its witness led hangs up as well: that is no second wish.
    const bool second = stopping_ && (signal == SIGINT || !Witness::is_gone());
    second ? executive.request_abort("aborted by a second signal")
           : executive.request_stop(stop_reason(signal));
    stopping_ = true;
  }
  if (signal == SIGUSR1) executive.request_pause();
  if (signal == SIGUSR2) executive.request_resume();
  if (signal == step_signal()) executive.request_step(std::max(value, 1));
  if (signal == run_until_signal())
    executive.request_run_until(std::chrono::milliseconds(std::max(value, 0)));
  if (signal == reset_signal()) executive.request_reset();
  if (signal == abort_signal()) executive.request_abort("aborted by a signal");
  if (signal != checkpoint_signal()) return;
  if (const std::string why = run.find<executive::RigCheckpoints>()->request(); !why.empty())
    say("no checkpoint: " + why);
}

void Console::status_line(RigRun& run) {
  const executive::RigFigures& now = run.executive().latest();
  const auto& times = run.executive().statistics();
  const std::size_t width = columns_of(stdout) - 1;
  // What matters most stands first: a narrow terminal cuts off the end.
  std::string line = "frame " + std::to_string(now.frames) + "  t " + rtsync::sim_time_text(now.sim_time_ns);
  if (now.state == executive::State::pause) line += "  PAUSED (SIGUSR2 resumes)";
  if (auto* const clock = run.find<executive::RunClock>(); clock != nullptr)
    line += "  clock " + executive::clock_text(clock->status().latest());
  if (run.rig().link() != nullptr) line += "  " + run.rig().link()->status();
  if (now.timing.paced)
    line += "  overruns " + std::to_string(now.totals.overruns) + "  late p50 " + text_of(times.late, 0.5) +
            " max " + duration_text(times.late.max().count()) + "  slack " +
            duration_text(now.timing.slack.count());
  if (const std::string named = run.rig().settings().rig.value + "  " + line; named.size() <= width)
    line = named;
  if (line.size() > width) line.resize(width);
  if (now.timing.paced && now.totals.overruns > 0) {
    const std::string overruns = "overruns " + std::to_string(now.totals.overruns);
    if (const std::size_t at = line.find(overruns); at != std::string::npos)
      line.replace(at, overruns.size(), painted(Ink::bad, overruns));
  }
  clear_line();
  const std::vector<std::string> growing =
      now.timing.paced ? growing_bars(times.late, width, late_from(run)) : std::vector<std::string>{};
  for (const std::string& bar : growing) put("%s\n", bar.c_str());
  std::printf("\r\033[K");
  put("%s", line.c_str());
  std::fflush(stdout);
  lines_shown_ = growing.size() + 1;
}

void Console::clear_line() {
  if (lines_shown_ > 1) std::printf("\r\033[%zuA\033[J", lines_shown_ - 1);
  if (lines_shown_ == 1) std::printf("\r\033[K");
  lines_shown_ = 0;
}

void Console::say(const std::string& line) {
  if (quiet_) return;  // it stands in log.txt
  if (!terminal_) {
    warn(line);
    return;
  }
  clear_line();
  print("%s\n", line.c_str());
  std::fflush(stdout);
}

void Console::announce(const std::string& line) {
  if (quiet_) return;
  print("%s\n", line.c_str());
  std::fflush(stdout);
}

void Console::ended(const RigRun& run) {
  clear_line();
  if (!run.folder_error().empty())
    print_error("tactus: %s; the summary:\n%s\n", run.folder_error().c_str(),
                run.unwritten_summary().c_str());
  if (quiet_) {
    if (run.exit_status() != kOk || run.find<executive::RunRecordings>()->lost() > 0)
      print_error("tactus: %s\n", last_line(run).c_str());
    return;
  }
  if (terminal_) {
    const auto& times = run.executive().statistics();
    Table table;
    table.add("", {"p50", "p99", "p99.9", "max"});
    const auto add = [&table](const std::string& name, const auto& time, Ink last = Ink::plain) {
      table.add(
          name,
          {text_of(time, 0.5), text_of(time, 0.99), text_of(time, 0.999), duration_text(time.max().count())},
          last);
    };
    if (run.realtime()) add("late", times.late, late_ink(run));
    add("work", times.work);
    if (times.behind.count() > 0) add("behind", times.behind);
    const auto& plan = run.executive().plan();
    for (std::size_t i = 0; plan.job_times && i < plan.jobs.size() && i < 20; ++i)
      if (run.executive().job_times(i).count() > 0)
        add("  " + plan.jobs[i].name, run.executive().job_times(i));
    const std::size_t columns = columns_of(stdout);
    std::string text = table.text(columns);
    if (run.realtime() && times.late.count() > 0)
      text += "  slack: p50 " + text_of(times.slack, 0.5) + ", least " +
              painted(times.slack.min().count() < 0 ? Ink::bad : Ink::plain,
                      duration_text(times.slack.min().count())) +
              "\n\n" + late_title(columns) + "\n" + bars(times.late, columns, late_from(run));
    put("%s\n", text.c_str());
  }
  print("%s\n", last_line(run).c_str());
  std::fflush(stdout);
}

}  // namespace tactus::app
