// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_access.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

LiveAccess::LiveAccess(const Rig& rig, Executive& executive, LiveFacts facts, LiveServices services)
    : facts_(std::move(facts)),
      dates_{facts_.epoch_ns, facts_.frame},
      executive_(executive),
      commands_(facts_, executive, std::move(services)),
      variables_(rig, executive.plan()),
      port_(std::make_unique<LivePort>(variables_.sources())),
      journal_(facts_.folder, facts_.max_journal, history(LiveList::journal)),
      batches_(facts_, executive, *port_, variables_, commands_, journal_) {
  executive_.add(*port_);
  variables_.place(*port_);  // it is laid out by then
  if (facts_.realtime && port_->cost() > facts_.frame.floor() / 4)
    lines_.push_back("a snapshot copies " + std::to_string(port_->bytes() / 1'000'000) +
                     " MB, which takes about " + rtsync::duration_text(port_->cost().count()) +
                     " here, in frames of " + rtsync::duration_text(facts_.frame.floor().count()) +
                     ": clients get values after frames with this much slack, and while the rig is paused");
}

LiveAccess::~LiveAccess() {
  RunEnd end{.outcome = Outcome::aborted, .reason = "the rig was not started"};
  this->end(end);
}

std::vector<LiveForce> LiveAccess::forces() const {
  const std::lock_guard lock(mutex_);
  return batches_.forces();
}

std::string LiveAccess::command_problem(Command command) const {
  const std::lock_guard lock(mutex_);
  if (ended_) return "the run has ended";
  if (std::string why = move_problem(command); !why.empty()) return why;
  return commands_.command_problem(command);
}

LiveWriter LiveAccess::writer_of(std::size_t variable) const {
  const std::lock_guard lock(mutex_);
  return batches_.writer_of(variable);
}

// ---- what is asked for

/// Waits for the next snapshot; `every`: of a frame whose number is a multiple of it, or of a freeze frame; 0: of any.
void LiveAccess::await_snapshot(std::int64_t every, std::function<void(LiveSnapshotPtr)> then) {
  const std::lock_guard lock(mutex_);
  if (ended_) return answer([then = std::move(then)] { then(nullptr); });
  const auto want = [this, every] { return every == 0 ? port_->want() : port_->want_multiple(every); };
  await({[every, want, then = std::move(then), sequence = want()](LiveView& view) mutable {
           if (view.end != nullptr) {
             view.answers.push_back([then = std::move(then)] { then(nullptr); });
             return true;
           }
           if (view.head == nullptr) return false;
           const bool fits =
               every == 0 || view.head->rig.state == State::pause || view.head->frame % every == 0;
           if (sequence > view.head->sequence || !fits) {
             (void)want();  // it came while that one was being made
             return false;
           }
           view.answers.push_back([then = std::move(then), made = view.snapshot()] { then(made); });
           return true;
         },
         true});
}

std::vector<std::string> LiveAccess::write(LiveBatch batch, std::function<void(const LiveDone&)> then) {
  const std::lock_guard lock(mutex_);
  if (ended_) return {"the run has ended"};
  std::vector<std::string> problems = batches_.problems(batch, running_ != nullptr);
  if (!problems.empty()) {
    batches_.count_refused();
    return problems;
  }
  port_->send(batches_.make(std::move(batch), std::move(then)));
  wake_live_thread();
  return {};
}

std::string LiveAccess::give(const CommandCall& call, const std::string& who) {
  const std::lock_guard lock(mutex_);
  return give_now(call, who);
}

std::string LiveAccess::give_until_done(const CommandCall& call, const std::string& who,
                                        std::function<void(const std::string&)> then) {
  const std::lock_guard lock(mutex_);
  const bool load = call.command == Command::load;
  const std::int64_t loads = executive_.restart().loaded();
  if (std::string why = give_now(call, who); !why.empty()) return why;
  if (row_of(call.command).effect == CommandEffect::restored)
    await_restore(load, load ? loads + 1 : executive_.resets_wanted(), std::move(then));
  else
    answer([then = std::move(then)] { then(""); });
  return "";
}

/// Waits for the end of a reset or a load: the rig goes on from where it was sent, in Pause or running. `until`:
/// Restart::loaded(), or else resets_done(), is then as great.
void LiveAccess::await_restore(bool load, std::int64_t until, std::function<void(const std::string&)> then) {
  await({[this, load, until, then = std::move(then)](LiveView& view) mutable {
    const bool done = (load ? executive_.restart().loaded() : executive_.restart().resets_done()) >= until;
    const bool goes_on =
        view.state != State::stop && view.state != State::reset && view.state != State::start;
    if (view.end == nullptr && (!done || !goes_on)) return false;
    std::string problem;
    if (!done)
      problem = "the run ended before it: " +
                (view.end->reason.empty() ? std::string(name_of(view.end->outcome)) : view.end->reason);
    view.answers.push_back([then = std::move(then), problem = std::move(problem)] { then(problem); });
    return true;
  }});
}

/// Gives the command now; the caller holds the lock.
std::string LiveAccess::give_now(const CommandCall& call, const std::string& who) {
  if (ended_) return "the run has ended";
  if (std::string why = move_problem(call.command); !why.empty()) return why;
  if (std::string why = commands_.carry_out(call, port_->frame() + 1); !why.empty()) return why;
  batches_.count_command();
  journal_.add(LiveCommands::entry_of(call, port_->frame()), who);
  journal_.flush();
  wake_live_thread();
  return "";
}

std::vector<LiveSwitch> LiveAccess::switches() const {
  std::vector<LiveSwitch> all;
  for (const auto& [kind, names] : executive_.plan().switches) {
    const auto row =
        std::ranges::find_if(rows_, [&of = kind](const auto* each) { return of == each->kind(); });
    for (std::size_t i = 0; i < names.size(); ++i) {
      LiveSwitch& one = all.emplace_back(LiveSwitch{kind, names[i]});
      if (row == rows_.end() || i >= (*row)->things()) continue;
      const SwitchRow::Standing now = (*row)->standing(i);
      one.target = (*row)->target(i);
      one.is = now.is == SwitchRow::Is::on        ? LiveSwitch::Is::on
               : now.is == SwitchRow::Is::waiting ? LiveSwitch::Is::waiting
                                                  : LiveSwitch::Is::off;
      if (now.since >= 0) one.since = now.since;
    }
  }
  return all;
}

void LiveAccess::note_switches() {
  if (rows_.empty()) return;
  std::vector<LiveSwitch> now = switches();
  for (std::size_t i = 0; i < now.size(); ++i)
    if (i >= noted_.size() || now[i] != noted_[i])
      if (!noted_.empty() || now[i].is == LiveSwitch::Is::on)
        history(LiveList::switches).add(json_of(now[i]), static_cast<std::int64_t>(i));
  noted_ = std::move(now);
}

std::string LiveAccess::turn(const std::string& kind, const std::string& name, bool on,
                             const std::string& who) {
  const std::lock_guard lock(mutex_);
  if (ended_) return "the run has ended";
  const auto& all = executive_.plan().switches;
  const auto names = all.find(kind);
  const std::size_t known = names == all.end() ? 0 : names->second.size();
  for (std::size_t i = 0; i < known; ++i) {
    if (names->second[i] != name) continue;
    if (!port_->turn({names->first.c_str(), static_cast<std::uint32_t>(i), on}))
      return "too many things are switched at once; try again";
    config::Json entry{{"what", kind + (on ? " on asked" : " off asked")}, {"name", name}};
    if (port_->frame() >= 0) entry["frame"] = port_->frame();
    journal_.add(std::move(entry), who);
    journal_.flush();
    return "";
  }
  return LiveRig::turn(kind, name, on, who);
}

// ---- what the run tells of itself: it is asked here, and answers when its service thread comes by

void LiveAccess::report(LiveReport which, std::function<void(Json)> then) {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) return reports_.push_back({which, std::move(then)});
  }
  then({});
}

void LiveAccess::answer_reports(const std::function<Json(LiveReport)>& make) {
  std::vector<Reported> asked;
  {
    const std::lock_guard lock(mutex_);
    asked.swap(reports_);
  }
  std::map<LiveReport, Json> made;  // the same for all who asked meanwhile
  for (const Reported& one : asked) {
    auto found = made.find(one.which);
    if (found == made.end()) found = made.emplace(one.which, make(one.which)).first;
    one.then(found->second);
  }
}

void LiveAccess::trace(const LiveTraceCall& call, std::function<void(LiveTrace)> then) {
  if (commands_.services().trace) return commands_.services().trace(call, std::move(then));
  LiveRig::trace(call, std::move(then));
}

// ---- the thread that answers

void LiveAccess::start(const rtsync::ThreadSettings& helper) {
  rtsync::ThreadSettings settings = helper;
  settings.name = "live";
  thread_ = std::make_unique<rtsync::PinnedThread>(settings, [this] { run(); });
}

/// Longest time until an event is noticed for which no client waits at this moment.
rtsync::Nanoseconds LiveAccess::max_poll_interval() const {
  if (!std::ranges::any_of(pending_, &LivePending::wants_snapshot)) return rtsync::Nanoseconds{1'000'000};
  return std::clamp(facts_.frame.floor() / 4, rtsync::Nanoseconds{100'000}, rtsync::Nanoseconds{1'000'000});
}

/// Polls with exponential back-off, so short waits are answered quickly and long waits are cheap.
void LiveAccess::run() {
  constexpr rtsync::Nanoseconds kShortestRest{50'000};
  rtsync::Nanoseconds rest = kShortestRest;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!outstanding() && !closing_) something_.wait(lock, [this] { return outstanding() || closing_; });
    const Answers answers = look(ended_ ? &end_ : nullptr);
    const bool last = closing_;
    if (!answers.empty() || last) {
      lock.unlock();
      for (const auto& answer : answers) answer();
      lock.lock();
      rest = kShortestRest;
    } else {
      const bool cut = something_.wait_for(lock, rest, [this] { return stirred_ || closing_; });
      rest = cut ? kShortestRest : std::min(rest + rest / 4, max_poll_interval());
    }
    stirred_ = false;
    if (last && pending_.empty()) return;
  }
}

/// Looks at what is pending; the caller holds the lock. `end`: the frames are over.
LiveAccess::Answers LiveAccess::look(const RunEnd* end) {
  LiveView view{.state = executive_.state(), .end = end};
  batches_.poll(view);
  const std::byte* values = nullptr;
  view.head = port_->read(values);
  view.copy = [&] { return snapshot_of(*view.head, values); };
  std::erase_if(pending_, [&](const auto& pending) { return pending.poll(view); });
  journal_.flush();
  return std::move(view.answers);
}

LiveSnapshotPtr LiveAccess::snapshot_of(const LivePort::Head& head, const std::byte* values) {
  auto snapshot = std::make_shared<LiveSnapshot>();
  snapshot->sequence = head.sequence;
  snapshot->frame = head.frame;
  snapshot->sim_time_ns = head.frame < 0 ? 0 : facts_.frame.times(head.frame).count();
  snapshot->rig = head.rig;
  snapshot->bytes.assign(values, values + port_->bytes());
  ++snapshots_;
  return snapshot;
}

void LiveAccess::end(const RunEnd& why) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    Answers answers = look(nullptr);
    ended_ = true;
    end_ = why;
    for (Answers::value_type& last : look(&end_)) answers.push_back(std::move(last));
    for (Answers::value_type& last : answers) answer(std::move(last));
    closing_ = true;
    something_.notify_all();
  }
  answer_reports([](LiveReport) { return Json(); });
  if (thread_) thread_->join();
  const std::lock_guard lock(mutex_);
  journal_.close();
}

void LiveAccess::note(config::Json entry, const std::string& who) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  journal_.add(std::move(entry), who);
  journal_.flush();
}

std::vector<std::string> LiveAccess::take_log_lines() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines = std::exchange(lines_, {});
  for (std::string& line : journal_.take_log_lines()) lines.push_back(std::move(line));
  return lines;
}

Json LiveAccess::summary() const {
  Json forced = Json::array();
  for (const LiveForce& force : forces()) forced.push_back(force.name);
  const std::lock_guard lock(mutex_);
  return {{"changes", batches_.changes()},
          {"refused", batches_.refused()},
          {"commands", batches_.commands_given()},
          {"episodes", episodes_},
          {"snapshots", snapshots_},
          {"forced_at_end", std::move(forced)},
          {"journal_lines_left_out", journal_.left_out()}};
}

}  // namespace tactus::executive
