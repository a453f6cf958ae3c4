// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/engine/task.hpp"

#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "executive/campaign/engine/engine.hpp"
#include "executive/campaign/engine/task_files.hpp"
#include "executive/campaign/run/attempt_folder.hpp"
#include "executive/campaign/run/case_process.hpp"
#include "executive/campaign/run/ended_children.hpp"
#include "executive/campaign/store/store.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::campaign {
namespace {

using TaskClock = std::chrono::steady_clock;

/// Runs one case to its end. Nothing: the engine ends the task, and the case has no result.
std::optional<ProcessEnd> run_case(const TaskStart& start, const TaskWork& work, const TaskCase& one,
                                   const AttemptFolder& folder, const std::string& mark,
                                   RunnerSignals& signals) {
  CaseStart process{start.program, {"tactus"}, folder.output(), mark, signals.before()};
  process.words.insert(process.words.end(), one.words.begin(), one.words.end());
  process.words.insert(process.words.end(), {"--out", folder.run().string()});
  const TaskClock::time_point begun = TaskClock::now();
  const std::string begun_text = utc_now();
  const pid_t leader = start_process(process);
  bool timed_out = false, given_up = false;
  std::optional<TaskClock::time_point> kill_at;
  const auto is_ended = [&signals] { return signals.asked() > 0; };
  const auto patience = std::chrono::duration_cast<TaskClock::duration>(
      std::chrono::duration<double>(std::max(0.0, work.kill_after_s)));
  for (;;) {
    const pid_t ended = ended_child();
    if (ended == leader) break;
    if (ended > 0) {  // an orphan of the case
      (void)take_ended_child(ended);
      continue;
    }
    signals.wait(std::chrono::milliseconds(100));
    const TaskClock::time_point now = TaskClock::now();
    const bool too_long =
        work.timeout_s > 0 && std::chrono::duration<double>(now - begun).count() >= work.timeout_s;
    if (!kill_at && (too_long || is_ended())) {
      (is_ended() ? given_up : timed_out) = true;
      kill_at = now + patience;
      (void)::kill(-leader, SIGTERM);
    } else if (kill_at && now >= *kill_at) {
      (void)::kill(-leader, SIGKILL);
    }
  }
  if (!work.realtime || timed_out || given_up) (void)::kill(-leader, SIGKILL);
  ProcessEnd end = take_ended_child(leader);
  if (!work.realtime) kill_orphans(mark, [](const std::string&) { return false; });
  // An engine that ends the task tells all of its processes, and the case may have heard it first.
  const auto until = TaskClock::now() +
                     (end.status != 0 || end.signal != 0 ? start.same_signal : std::chrono::milliseconds(0));
  do {  // the end of an orphan, a debugger and a freezer end a wait, too
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - TaskClock::now());
    signals.wait(std::max(left, std::chrono::milliseconds(0)));
  } while (!is_ended() && TaskClock::now() < until);
  if (given_up || (is_ended() && !timed_out)) return std::nullopt;
  end.timed_out = timed_out;
  end.begun = begun_text;
  end.seconds = std::chrono::duration<double>(TaskClock::now() - begun).count();
  return end;
}

}  // namespace

int run_task(const TaskStart& start) try {
  RunnerSignals signals(SIGUSR1);  // no case after this one
  adopt_orphans();
  const std::filesystem::path array = array_folder(start.campaign, start.array);
  const TaskWork work = read_task(array, start.task);
  TaskReport report(array, start.task, start.instance, start.node);
  const std::string of_task =
      start.campaign.string() + "@" + std::to_string(start.array) + "." + std::to_string(start.task) + ".";
  (void)kill_marked(of_task);  // of an instance before, on this node
  for (std::size_t place = 0; place < work.cases.size(); ++place) {
    signals.wait(std::chrono::milliseconds(0));
    if (signals.asked() > 0 || signals.heard_more()) break;
    const TaskCase& one = work.cases[place];
    const AttemptFolder folder(start.campaign, one.number, one.attempt, start.instance);
    if (folder.look() == AttemptFolder::Left::whole) {
      report.ends(place, folder.end());
      continue;
    }
    folder.make(one.line);
    report.begins(place);
    const auto end = run_case(start, work, one, folder,
                              of_task + start.instance + "." + std::to_string(one.number), signals);
    if (!end) {
      folder.remove_running();
      break;
    }
    (void)folder.finish(*end);
    report.ends(place, folder.end());
  }
  if (!work.realtime) (void)kill_marked(of_task);
  return 0;
} catch (const std::system_error& error) {
  rtsync::print_plain(stderr, "tactus: a task of a campaign cannot continue: %s\n", error.what());
  return kTaskNoWrite;
} catch (const std::runtime_error& error) {
  rtsync::print_plain(stderr, "tactus: a task of a campaign cannot continue: %s\n", error.what());
  return 1;
}

}  // namespace tactus::campaign
